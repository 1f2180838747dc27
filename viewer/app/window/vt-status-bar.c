/* SPDX-License-Identifier: MIT */
#include "window/vt-status-bar.h"

#include <glib/gi18n.h>
#include <math.h>

#include "analysis/vt-caution.h"
#include "base/vt-define.h"
#include "layers/vt-layer.h"
#include "panels/vt-magnification.h"
#include "common/vt-owned.h"
#include "common/vt-scale.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"

struct _VtStatusBar {
  GtkBox parent;
  VtCanvas *canvas;     /* weak */
  VtAnalysis *analysis; /* owned */
  VtSlide *slide;       /* owned */
  guint number;

  /* template */
  GtkInscription *position_label, *value_label,
    *zoom_label; /* each move changes them: a label would lay out the window anew */
  GtkLabel *sharp_label, *run_label, *caution_label;
  GtkLabel *reader_label; /* there while a hostile slide could end this process */
  GtkMenuButton *zoom_button;
  GtkButton *colour_button; /* there while the eye does not see what was scanned */
  GtkSpinner *spinner;
};

G_DEFINE_FINAL_TYPE(VtStatusBar, vt_status_bar, GTK_TYPE_BOX)

/* That it loads is said with the frame that shows what has changed. */
static void
show_sharp(VtStatusBar *self)
{
  if (!self->slide || !vt_canvas_get_store(self->canvas))
    return;
  gboolean sharp = vt_tile_store_get_sharp(vt_canvas_get_store(self->canvas));
  guint n_failed = vt_tile_store_get_n_failed(vt_canvas_get_store(self->canvas));
  g_autofree char *failed =
    n_failed ? g_strdup_printf(g_dngettext(NULL, "%u unreadable tile", "%u unreadable tiles", n_failed), n_failed)
             : NULL;
  const gboolean late = !sharp && vt_tile_store_get_late(vt_canvas_get_store(self->canvas));
  gtk_label_set_text(self->sharp_label, failed && sharp ? failed
                                        : sharp         ? _("Sharp")
                                        : late          ? _("Waiting…")
                                                        : _("Loading…"));
  if (late != (gtk_widget_get_tooltip_text(GTK_WIDGET(self->sharp_label)) != NULL))
    gtk_widget_set_tooltip_text(GTK_WIDGET(self->sharp_label),
                                late ? _("The slide's file gives no answer: its drive may be slow, or gone. A part of "
                                         "it is waited for up to ten minutes.")
                                     : NULL);
}

static void
on_sharp(VtStatusBar *self)
{
  if (!vt_tile_store_get_sharp(vt_canvas_get_store(self->canvas)))
    return;
  show_sharp(self);
  vt_test_log("sharp %u", self->number);
}

static void
log_view(VtStatusBar *self)
{
  const VtViewport *view = vt_canvas_get_view(self->canvas);
  gint64 slide_width, slide_height, x = 0, y = 0, width = 0, height = 0;
  if (!self->slide || view->width_px <= 0)
    return;
  vt_slide_get_level_size(self->slide, 0, &slide_width, &slide_height);
  vt_viewport_get_visible_l0(view, slide_width, slide_height, &x, &y, &width, &height);
  vt_test_log("view %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %.6g %g %d %u",
              x, y, width, height, view->downsample, view->angle, view->mirrored, self->number);
}

static void
on_view_shown(VtStatusBar *self)
{
  const VtViewport *view = vt_canvas_get_view(self->canvas);
  double mpp = 0, mpp_y = 0;
  if (!self->slide || view->width_px <= 0)
    return;
  show_sharp(self);
  vt_slide_get_mpp(self->slide, &mpp, &mpp_y);
  g_autofree char *zoom = vt_scale_dup_magnification(mpp, vt_slide_get_objective_power(self->slide), view->downsample);
  g_autofree char *size = mpp > 0 ? g_strdup_printf(_("%s · %.3g µm/px"), zoom, mpp * view->downsample)
                                  : g_strdup_printf(_("%s · 1:%.3g"), zoom, view->downsample);
  g_autofree char *turn = vt_scale_dup_turn(view->angle, view->mirrored);
  g_autofree char *text = g_strconcat(size, turn, NULL);
  vt_inscription_set_text(self->zoom_label, text, G_MAXUINT);
}

static void
show_colour(VtStatusBar *self)
{
  const VtColourSettings *colour = vt_canvas_get_colour(self->canvas);
  const VtColourSettings scanned = VT_COLOUR_SETTINGS_DEFAULT;
  gboolean no_profile = !colour->managed && self->slide && vt_slide_get_colour_table(self->slide);
  gboolean changed = colour->brightness != scanned.brightness || colour->contrast != scanned.contrast
                     || colour->gamma != scanned.gamma || no_profile;
  g_autofree char *tip =
    g_strdup_printf(_("Brightness %+.2f, contrast %+.2f, gamma %.2f%s. Click: as scanned."), colour->brightness,
                    colour->contrast, colour->gamma, no_profile ? _(", without the slide's colour profile") : "");
  gtk_widget_set_visible(GTK_WIDGET(self->colour_button), changed);
  vt_widget_set_tooltip(GTK_WIDGET(self->colour_button), tip);
}

static void
on_colour_clicked(VtStatusBar *self)
{
  vt_canvas_set_colour(self->canvas, &VT_COLOUR_SETTINGS_DEFAULT);
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

/* What was scanned; of a plain image of one channel the number in the file, which the grey on the screen only stands for. */
static void
append_pixel(VtStatusBar *self, GString *text, double x_l0, double y_l0)
{
  const VtRaster *raster = vt_slide_get_raster(self->slide);
  guint8 rgb[3];
  double value = 0;
  if (raster && raster->type != VITRAIL_RGBA8) {
    if (vt_raster_lookup_l0(raster, x_l0, y_l0, &value))
      g_string_append_printf(text, _("Value %.6g"), value);
  } else if (peek_rgb(self->slide, x_l0, y_l0, rgb)) {
    g_string_append_printf(text, "RGB %u %u %u", rgb[0], rgb[1], rgb[2]);
  }
}

static void
append_layer_values(GListModel *layers, GString *text, double x_l0, double y_l0)
{
  VT_EACH_ITEM (VtLayer, layer, layers) {
    g_autofree char *value = vt_layer_get_seen(layer) ? vt_layer_dup_value(layer, x_l0, y_l0) : NULL;
    if (value)
      g_string_append_printf(text, "%s%s %s", text->len ? "   " : "", vt_layer_get_title(layer), value);
  }
}

static void
on_hover(VtStatusBar *self, double x_l0, double y_l0, gboolean inside, VtCanvas *canvas)
{
  double mpp_x = 0, mpp_y = 0;
  if (!inside) {
    gtk_inscription_set_text(self->position_label, "");
    gtk_inscription_set_text(self->value_label, "");
    return;
  }
  g_autoptr(GString) position = g_string_new(NULL);
  g_string_append_printf(position, "x %.0f  y %.0f px", floor(x_l0), floor(y_l0));
  if (vt_slide_get_mpp(self->slide, &mpp_x, &mpp_y))
    g_string_append_printf(position, "   (%.1f, %.1f µm)", x_l0 * mpp_x, y_l0 * mpp_y);
  gtk_inscription_set_text(self->position_label, position->str);
  g_autoptr(GString) values = g_string_new(NULL);
  append_pixel(self, values, x_l0, y_l0);
  if (!vt_canvas_shows_pin_at(canvas, x_l0, y_l0)) /* they are those of now */
    append_layer_values(vt_canvas_get_layers_at(canvas, x_l0, y_l0), values, x_l0, y_l0);
  gtk_inscription_set_text(self->value_label, values->str);
}

/* How far it is, or how long it took: not of what must be run again anyhow. */
static void
show_run(VtStatusBar *self)
{
  g_autofree char *caution = vt_analysis_dup_caution(self->analysis);
  g_autofree char *progress = vt_analysis_dup_progress(self->analysis);
  VtResult *result = vt_analysis_get_result(self->analysis);
  g_autofree char *time = !progress && !caution && result ? vt_dup_duration(result->total_ms) : NULL;
  gtk_label_set_text(self->run_label, progress ? progress : time ? time : "");
}

static void
on_busy(VtStatusBar *self)
{
  const gboolean busy = vt_analysis_get_busy(self->analysis);
  gtk_spinner_set_spinning(self->spinner, busy);
  /* Its place is kept: a canvas that changes its size is another view, which would run again. */
  gtk_widget_set_opacity(GTK_WIDGET(self->spinner), busy ? 1 : 0);
  show_run(self);
}

static void
show_reader(VtStatusBar *self)
{
  const char *reason = vt_slide_get_exposed(self->slide);
  g_autofree char *tip = reason ? g_strconcat(reason, " ", _("A damaged slide can end the program."), NULL) : NULL;
  gtk_widget_set_visible(GTK_WIDGET(self->reader_label), reason != NULL);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->reader_label), tip);
}

void
vt_status_bar_set_slide(VtStatusBar *self, VtSlide *slide)
{
  VtTileStore *store = vt_canvas_get_store(self->canvas);
  gboolean known = vt_magnification_get_downsample(slide, 1) > 0;
  g_clear_pointer(&self->slide, vt_slide_unref);
  self->slide = vt_slide_ref(slide);
  g_signal_connect_object(store, "notify::sharp", G_CALLBACK(on_sharp), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(store, "notify::late", G_CALLBACK(show_sharp), self, G_CONNECT_SWAPPED);
  gtk_widget_set_tooltip_text(
    GTK_WIDGET(self->zoom_button),
    known
      ? _("Magnification (Alt+1 to Alt+6)")
      : _("The slide says neither how large its pixels are nor the power of its objective, so 1× to 40× are unknown."));
  show_colour(self);
  show_reader(self);
  show_sharp(self);
  on_sharp(self);
}

static void
vt_status_bar_class_init(VtStatusBarClass *klass)
{
  VT_KNOWS(klass, VtStatusBar, canvas);
  VT_OWNS(klass, VtStatusBar, g_object_unref, analysis);
  VT_OWNS(klass, VtStatusBar, vt_slide_unref, slide);
  VT_TEMPLATE(klass, VtStatusBar, "vt-status-bar", position_label, value_label, zoom_label, sharp_label, run_label,
              caution_label, reader_label, zoom_button, colour_button, spinner);
}

VT_TEMPLATE_INIT(VtStatusBar, vt_status_bar)

VtStatusBar *
vt_status_bar_new(VtCanvas *canvas, VtAnalysis *analysis, guint number)
{
  VtStatusBar *self = g_object_new(VT_TYPE_STATUS_BAR, NULL);
  g_autoptr(GMenu) menu = vt_magnification_new_menu();
  g_set_weak_pointer(&self->canvas, canvas);
  self->analysis = g_object_ref(analysis);
  self->number = number;
  gtk_menu_button_set_menu_model(self->zoom_button, G_MENU_MODEL(menu));
  g_signal_connect_object(canvas, "view-changed", G_CALLBACK(log_view), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(canvas, "view-shown", G_CALLBACK(on_view_shown), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(canvas, "hover", G_CALLBACK(on_hover), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(canvas, "colour", G_CALLBACK(show_colour), self, G_CONNECT_SWAPPED);
  g_signal_connect_swapped(self->colour_button, "clicked", G_CALLBACK(on_colour_clicked), self);
  g_signal_connect_object(analysis, "notify::busy", G_CALLBACK(on_busy), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "progress", G_CALLBACK(show_run), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "shown", G_CALLBACK(show_run), self, G_CONNECT_SWAPPED);
  vt_caution_attach(self->caution_label, analysis, FALSE);
  on_busy(self);
  return self;
}
