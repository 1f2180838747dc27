/* SPDX-License-Identifier: MIT */
#include "common/vt-toast.h"

#define MOVE_MS 400 /* libadwaita's toasts take 300 to come, and to go */

/* Of an overlay. */
#define USUAL_S 5   /* libadwaita's, if nobody sets another */
#define CHOICE_S 12 /* what can be taken back can be read, and reached by keys, first */

typedef struct {
  AdwToastOverlay *overlay;
  GQueue waiting;  /* owned */
  AdwToast *shown; /* owned; NULL: none */
  gboolean ends;   /* shown is to go */
  guint timer;
} Toasts;

static void
toasts_free(gpointer data)
{
  Toasts *toasts = data;
  g_clear_handle_id(&toasts->timer, g_source_remove);
  g_queue_clear_full(&toasts->waiting, g_object_unref);
  if (toasts->shown)
    g_signal_handlers_disconnect_by_data(toasts->shown, toasts);
  g_clear_object(&toasts->shown);
  g_free(toasts);
}

static void go_on(Toasts *toasts);

static gboolean
on_timer(gpointer data)
{
  ((Toasts *)data)->timer = 0;
  go_on(data);
  return G_SOURCE_REMOVE;
}

static void
wait(Toasts *toasts)
{
  g_clear_handle_id(&toasts->timer, g_source_remove);
  toasts->timer = g_timeout_add(MOVE_MS, on_timer, toasts);
}

static void
on_dismissed(AdwToast *toast, Toasts *toasts)
{
  g_signal_handlers_disconnect_by_data(toast, toasts);
  g_clear_object(&toasts->shown);
  wait(toasts);
}

static void
go_on(Toasts *toasts)
{
  AdwToast *next = g_queue_peek_head(&toasts->waiting);
  if (toasts->timer)
    return;
  if (toasts->shown) {
    if (toasts->ends || (next && adw_toast_get_priority(next) == ADW_TOAST_PRIORITY_HIGH))
      adw_toast_dismiss(toasts->shown);
    return;
  }
  if (!next)
    return;
  toasts->shown = g_queue_pop_head(&toasts->waiting);
  toasts->ends = FALSE;
  g_signal_connect(next, "dismissed", G_CALLBACK(on_dismissed), toasts);
  adw_toast_overlay_add_toast(toasts->overlay, g_object_ref(next));
  wait(toasts);
}

void
vt_toast_show(AdwToastOverlay *overlay, AdwToast *toast)
{
  Toasts *toasts = g_object_get_data(G_OBJECT(overlay), "vitrail-toasts");
  if (!toasts) {
    toasts = g_new0(Toasts, 1);
    toasts->overlay = overlay;
    g_object_set_data_full(G_OBJECT(overlay), "vitrail-toasts", toasts, toasts_free);
  }
  g_object_set_data(G_OBJECT(toast), "vitrail-toasts", toasts);
  if (adw_toast_get_button_label(toast) && adw_toast_get_timeout(toast) == USUAL_S)
    adw_toast_set_timeout(toast, CHOICE_S);
  if (adw_toast_get_priority(toast) == ADW_TOAST_PRIORITY_HIGH)
    g_queue_push_head(&toasts->waiting, toast);
  else
    g_queue_push_tail(&toasts->waiting, toast);
  go_on(toasts);
}

void
vt_toast_dismiss(AdwToast *toast)
{
  Toasts *toasts = g_object_get_data(G_OBJECT(toast), "vitrail-toasts");
  adw_toast_set_button_label(toast, NULL);
  if (g_queue_remove(&toasts->waiting, toast)) {
    g_object_unref(toast);
  } else if (toast == toasts->shown) {
    toasts->ends = TRUE;
    go_on(toasts);
  }
}
