/* SPDX-License-Identifier: MIT */
#include "vt-window-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "vt-scale.h"
#include "vt-test-log.h"
#include "vt-widgets.h"

void
vt_window_toast(VtWindow *self, const char *sentence)
{
  g_autofree char *markup = g_markup_escape_text(sentence, -1);
  adw_toast_overlay_add_toast(self->toasts, adw_toast_new(markup));
}

void
vt_window_show_error(VtWindow *self, const char *sentence, gboolean can_retry)
{
  gtk_label_set_text(self->message_label, sentence);
  gtk_widget_set_visible(GTK_WIDGET(self->retry_button), can_retry);
  gtk_revealer_set_reveal_child(self->message_revealer, TRUE);
  vt_test_log("error %s", sentence);
}

void
vt_window_hide_error(VtWindow *self)
{
  gtk_revealer_set_reveal_child(self->message_revealer, FALSE);
}

static char *
dup_subtitle(VtSlide *slide)
{
  gint64 width, height;
  double mpp_x, mpp_y, power = vt_slide_get_objective_power(slide);
  GString *text = g_string_new(NULL);
  vt_slide_get_level_size(slide, 0, &width, &height);
  g_string_append_printf(text, "%" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " px", width, height);
  if (vt_slide_get_mpp(slide, &mpp_x, &mpp_y))
    g_string_append_printf(text, _(" · %.4g µm/px"), mpp_x);
  else
    g_string_append(text, _(" · uncalibrated"));
  if (power > 0)
    g_string_append_printf(text, _(" · %g× objective"), power);
  return g_string_free(text, FALSE);
}

void
vt_window_show_title(VtWindow *self)
{
  const char *name = self->slide ? vt_slide_get_name(self->slide) : "Vitrail";
  g_autofree char *subtitle = self->slide ? dup_subtitle(self->slide) : NULL;
  adw_window_title_set_title(self->title, name);
  adw_window_title_set_subtitle(self->title, self->opening ? _("Opening…") : subtitle ? subtitle : "");
  gtk_window_set_title(GTK_WINDOW(self), name);
  gtk_widget_set_visible(self->status_bar, self->slide != NULL);
}

static void
show_sharp(VtWindow *self)
{
  gboolean sharp = vt_tile_store_get_sharp(vt_canvas_get_store(self->canvas));
  guint n_failed = vt_tile_store_get_n_failed(vt_canvas_get_store(self->canvas));
  g_autofree char *failed =
    n_failed ? g_strdup_printf(g_dngettext(NULL, "%u unreadable tile", "%u unreadable tiles", n_failed), n_failed)
             : NULL;
  gtk_label_set_text(self->sharp_label, failed && sharp ? failed : sharp ? _("Sharp") : _("Loading…"));
  if (sharp)
    vt_test_log("sharp");
}

static void
on_tile_failed(VtWindow *self, const char *sentence)
{
  vt_window_show_error(self, sentence, TRUE);
}

void
vt_window_follow_store(VtWindow *self)
{
  VtTileStore *store = vt_canvas_get_store(self->canvas);
  g_signal_connect_object(store, "notify::sharp", G_CALLBACK(show_sharp), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(store, "failed", G_CALLBACK(on_tile_failed), self, G_CONNECT_SWAPPED);
  show_sharp(self);
}

static void
on_view_changed(VtWindow *self)
{
  const VtViewport *view = vt_canvas_get_view(self->canvas);
  double mpp = 0, mpp_y = 0;
  gint64 slide_width, slide_height, x = 0, y = 0, width = 0, height = 0;
  if (!self->slide || view->width_px <= 0)
    return;
  vt_slide_get_mpp(self->slide, &mpp, &mpp_y);
  g_autofree char *zoom = vt_scale_dup_magnification(mpp, vt_slide_get_objective_power(self->slide), view->downsample);
  g_autofree char *text = mpp > 0 ? g_strdup_printf(_("%s · %.3g µm/px"), zoom, mpp * view->downsample)
                                  : g_strdup_printf(_("%s · 1:%.3g"), zoom, view->downsample);
  gtk_label_set_text(self->zoom_label, text);
  vt_slide_get_level_size(self->slide, 0, &slide_width, &slide_height);
  vt_viewport_get_visible_l0(view, slide_width, slide_height, &x, &y, &width, &height);
  vt_test_log("view %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %.6g", x, y,
              width, height, view->downsample);
}

/* The finest level whose tile is in memory: looking must not read. */
static gboolean
peek_rgb(VtSlide *slide, double x_l0, double y_l0, guint8 rgb[3])
{
  for (int level = 0; level < vt_slide_get_n_levels(slide); level++) {
    double ds = vt_slide_get_level_downsample(slide, level);
    gint64 x = (gint64)(x_l0 / ds), y = (gint64)(y_l0 / ds);
    g_autoptr(VtTilePixels) tile = vt_slide_peek_tile(slide, level, x / VT_TILE_PX, y / VT_TILE_PX);
    int in_x = (int)(x % VT_TILE_PX), in_y = (int)(y % VT_TILE_PX);
    if (!tile || in_x >= tile->width || in_y >= tile->height)
      continue;
    const guint8 *pixel = (const guint8 *)g_bytes_get_data(tile->bytes, NULL) + in_y * tile->stride + in_x * 4;
    rgb[0] = pixel[2];
    rgb[1] = pixel[1];
    rgb[2] = pixel[0];
    return TRUE;
  }
  return FALSE;
}

static void
append_layer_values(VtWindow *self, GString *text, double x_l0, double y_l0)
{
  GListModel *layers = vt_analysis_get_layers(self->analysis);
  for (guint i = 0; i < g_list_model_get_n_items(layers); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    g_autofree char *value = vt_layer_get_seen(layer) ? vt_layer_dup_value(layer, x_l0, y_l0) : NULL;
    if (value)
      g_string_append_printf(text, "%s%s %s", text->len ? "   " : "", vt_layer_get_title(layer), value);
  }
}

static void
on_hover(VtWindow *self, double x_l0, double y_l0, gboolean inside)
{
  double mpp_x = 0, mpp_y = 0;
  guint8 rgb[3];
  if (!inside) {
    gtk_label_set_text(self->position_label, "");
    gtk_label_set_text(self->value_label, "");
    return;
  }
  g_autoptr(GString) position = g_string_new(NULL);
  g_string_append_printf(position, "x %.0f  y %.0f px", floor(x_l0), floor(y_l0));
  if (vt_slide_get_mpp(self->slide, &mpp_x, &mpp_y))
    g_string_append_printf(position, "   (%.1f, %.1f µm)", x_l0 * mpp_x, y_l0 * mpp_y);
  gtk_label_set_text(self->position_label, position->str);
  g_autoptr(GString) values = g_string_new(NULL);
  if (peek_rgb(self->slide, x_l0, y_l0, rgb))
    g_string_append_printf(values, "RGB %u %u %u", rgb[0], rgb[1], rgb[2]);
  append_layer_values(self, values, x_l0, y_l0);
  gtk_label_set_text(self->value_label, values->str);
}

static void
on_running(VtWindow *self)
{
  gboolean running = vt_analysis_get_running(self->analysis);
  gtk_spinner_set_spinning(self->spinner, running);
  /* Its place is kept: a canvas that changes its size is another view, which would run again. */
  gtk_widget_set_opacity(GTK_WIDGET(self->spinner), running ? 1 : 0);
  gtk_label_set_text(self->run_label, "");
}

static void
on_progress(VtWindow *self, guint stage, double fraction)
{
  const VitrailOp *op = vt_analysis_get_op(self->analysis);
  g_autofree char *text =
    g_strdup_printf("%s %.0f %%", stage < op->n_stages ? op->stages[stage]->title : op->title, fraction * 100);
  gtk_label_set_text(self->run_label, text);
}

static void
on_finished(VtWindow *self)
{
  g_autofree char *time = vt_dup_duration(vt_analysis_get_result(self->analysis)->total_ms);
  gtk_label_set_text(self->run_label, time);
}

static void
on_failed(VtWindow *self, const char *sentence)
{
  /* The analysis has written it to the log; the run panel shows it, too, but may be hidden. */
  VtTileStore *store = vt_canvas_get_store(self->canvas);
  gtk_label_set_text(self->message_label, sentence);
  gtk_widget_set_visible(GTK_WIDGET(self->retry_button), store && vt_tile_store_get_n_failed(store) > 0);
  gtk_revealer_set_reveal_child(self->message_revealer, TRUE);
}

void
vt_window_init_status(VtWindow *self)
{
  g_signal_connect_object(self->canvas, "view-changed", G_CALLBACK(on_view_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->canvas, "hover", G_CALLBACK(on_hover), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->analysis, "notify::running", G_CALLBACK(on_running), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->analysis, "progress", G_CALLBACK(on_progress), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->analysis, "finished", G_CALLBACK(on_finished), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->analysis, "failed", G_CALLBACK(on_failed), self, G_CONNECT_SWAPPED);
  on_running(self);
  vt_window_show_title(self);
}
