/* SPDX-License-Identifier: MIT
 *
 * The texture browser: opening it, its lens, its pin. */
#include "window/vt-window-private.h"
#include "window/vt-tuning.h"

#include <glib/gi18n.h>

static VtTexture *
get_texture(gpointer window)
{
  return vt_tuning_get(vt_window_get_pane(window))->texture;
}

/* FALSE, and a sentence: there is nothing to look at. */
static gboolean
open_texture(gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  VtTexture *texture = get_texture(window);
  if (vt_texture_is_open(texture))
    return TRUE;
  if (!vt_pane_get_slide(pane) || !vt_texture_get_params(texture)) {
    vt_pane_show_error(pane,
                       vt_pane_get_slide(pane) ? _("There is no analysis that measures regions.")
                                               : _("There is no slide whose texture could be looked at."),
                       VT_MESSAGE_ANSWER);
    return FALSE;
  }
  vt_texture_open(texture);
  return TRUE;
}

static void
set_lens(gpointer window, gboolean on)
{
  double x, y;
  vt_canvas_get_pointed(vt_pane_get_canvas(vt_window_get_pane(window)), &x, &y);
  vt_texture_set_lens(get_texture(window), on, x, y);
}

/* Without a region that is selected it begins with the lens. */
static void
act_texture(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtTexture *texture = get_texture(window);
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(vt_window_get_pane(window))));
  if (vt_texture_is_open(texture))
    vt_texture_close(texture);
  else if (open_texture(window) && !vt_texture_get_view(texture, VT_TEXTURE_NOW))
    set_lens(window, TRUE);
}

static void
act_lens(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  if (open_texture(window))
    set_lens(window, !vt_texture_get_lens(get_texture(window)));
}

static void
act_hold(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtTexture *texture = get_texture(window);
  if (open_texture(window) && vt_texture_get_lens(texture))
    vt_texture_hold_lens(texture, !vt_texture_get_held(texture));
}

static void
act_pin(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtTexture *texture = get_texture(window);
  if (!open_texture(window))
    return;
  if (vt_texture_get_view(texture, VT_TEXTURE_PINNED))
    vt_texture_unpin(texture);
  else if (vt_texture_get_view(texture, VT_TEXTURE_NOW))
    vt_texture_pin(texture);
  else
    vt_pane_show_error(vt_window_get_pane(window),
                       _("Nothing is looked at that could be pinned: select a region, or switch the lens on."),
                       VT_MESSAGE_ANSWER);
}

static void
act_size(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtTexture *texture = get_texture(window);
  const guint px = vt_texture_get_lens_px(texture);
  if (open_texture(window))
    vt_texture_set_lens_px(texture, g_variant_get_int32(parameter) > 0 ? px * 2 : px / 2);
}

const GActionEntry vt_window_texture_actions[] = {
  { .name = "texture", .activate = act_texture },
  { .name = "texture-lens", .activate = act_lens },
  { .name = "texture-hold", .activate = act_hold },
  { .name = "texture-pin", .activate = act_pin },
  { .name = "texture-size", .activate = act_size, .parameter_type = "i" },
  { NULL },
};
