/* SPDX-License-Identifier: MIT */
#include "panels/vt-run-map.h"

#include <glib/gi18n.h>
#include <math.h>

#include "panels/vt-plot-draw.h"
#include "raster/vt-colormap.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"

#define LEFT 46   /* the word, and numbers of levels */
#define TOP 22    /* the title */
#define BOTTOM 36 /* numbers of lengths, and the word */
#define RIGHT 84  /* the legend */
#define BARE 34   /* instead of it */
#define BAR 12
#define LABEL_PX 26 /* between numbers of an axis */

struct _VtRunMap {
  GtkWidget parent;
  VtRunMapKind kind;
  VtRunBins *bins; /* NULL: there is nothing */
  double *values, most;
  char *title, *unit;
  gboolean is_stale, is_dark, is_bare;
  int row, column, pointed_row, pointed_column;
};

G_DEFINE_FINAL_TYPE(VtRunMap, vt_run_map, GTK_TYPE_WIDGET)

/* --- places --- */

static double
get_width(VtRunMap *self)
{
  return MAX(gtk_widget_get_width(GTK_WIDGET(self)) - LEFT - (self->is_bare ? BARE : RIGHT), 1);
}

static double
get_height(VtRunMap *self)
{
  return MAX(gtk_widget_get_height(GTK_WIDGET(self)) - TOP - BOTTOM, 1);
}

/* On whole pixels of the screen, so that cells have sharp edges. */
static double
snap(VtRunMap *self, double at)
{
  const double scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  return round(at * scale) / scale;
}

static void
get_cell_place(VtRunMap *self, int row, int column, graphene_rect_t *place)
{
  const double x0 = snap(self, LEFT + get_width(self) * column / self->bins->n_columns);
  const double x1 = snap(self, LEFT + get_width(self) * (column + 1) / self->bins->n_columns);
  const double y0 = snap(self, TOP + get_height(self) * row / self->bins->n_rows);
  const double y1 = snap(self, TOP + get_height(self) * (row + 1) / self->bins->n_rows);
  *place = GRAPHENE_RECT_INIT((float)x0, (float)y0, (float)(x1 - x0), (float)(y1 - y0));
}

static gboolean
find_cell(VtRunMap *self, double x, double y, int *row, int *column)
{
  if (!self->bins)
    return FALSE;
  *column = (int)floor((x - LEFT) / get_width(self) * self->bins->n_columns);
  *row = (int)floor((y - TOP) / get_height(self) * self->bins->n_rows);
  return *column >= 0 && *row >= 0 && *column < (int)self->bins->n_columns && *row < (int)self->bins->n_rows;
}

/* --- colours --- */

/* 0 to 1 of the colour map; 0.5 of a difference is none. Of differences that of the roots: most of them are small. */
static double
get_part(VtRunMap *self, double value)
{
  if (!(self->most > 0))
    return self->kind == VT_RUN_MAP_COUNTS ? 0 : 0.5;
  return self->kind == VT_RUN_MAP_COUNTS ? log1p(value) / log1p(self->most)
                                         : 0.5 + copysign(0.5 * sqrt(fabs(value) / self->most), value);
}

#define DARKEST_ON_DARK 0.25 /* of the colour map: what few runs have is seen on a dark panel, too */

/* A difference fades into what the panel has, light or dark, but never so far that it cannot be told from none. */
static void
get_color(VtRunMap *self, double part, GdkRGBA *color)
{
  const gboolean is_difference = self->kind == VT_RUN_MAP_DIFFERENCE;
  const float away = (float)fabs(2 * CLAMP(part, 0, 1) - 1);
  const double least = self->is_dark ? DARKEST_ON_DARK : 0;
  guint8 rgb[3];
  vt_colormap_get_color(is_difference ? VT_COLORMAP_DIVERGING : VT_COLORMAP_VIRIDIS,
                        !is_difference ? least + (1 - least) * CLAMP(part, 0, 1)
                        : part < 0.5   ? 0
                                       : 1,
                        rgb);
  *color = (GdkRGBA){ rgb[0] / 255.0f, rgb[1] / 255.0f, rgb[2] / 255.0f, 1 };
  if (!is_difference)
    return;
  if (self->is_dark) { /* the ends as light as they are dark on white */
    color->red += 0.4f * (1 - color->red);
    color->green += 0.4f * (1 - color->green);
    color->blue += 0.4f * (1 - color->blue);
  }
  color->alpha = 0.2f + 0.8f * away;
}

/* --- drawing --- */

static void
draw_cells(VtRunMap *self, GtkSnapshot *snapshot)
{
  for (guint row = 0; row < self->bins->n_rows; row++)
    for (guint column = 0; column < self->bins->n_columns; column++) {
      const double value = self->values[row * self->bins->n_columns + column];
      graphene_rect_t place;
      GdkRGBA color;
      if (value == 0)
        continue;
      get_cell_place(self, (int)row, (int)column, &place);
      get_color(self, get_part(self, value), &color);
      gtk_snapshot_append_color(snapshot, &color, &place);
    }
}

static char *
dup_range(guint from, guint to)
{
  return from == to ? g_strdup_printf("%u", to) : g_strdup_printf("%u–%u", from, to);
}

/* As many numbers as there is room for, the first and those after it at one distance. */
static void
draw_axis(VtRunMap *self, GtkSnapshot *snapshot, gboolean is_vertical, const GdkRGBA *ink)
{
  const guint n = is_vertical ? self->bins->n_rows : self->bins->n_columns;
  const guint *to = is_vertical ? self->bins->level_to : self->bins->length_to;
  const double span = is_vertical ? get_height(self) : get_width(self);
  const gboolean is_wide = !is_vertical && to[n - 1] > VT_RUN_BINS_SINGLE;
  const double room = is_vertical ? 18 : is_wide ? 2 * LABEL_PX : LABEL_PX;
  const guint step = (guint)MAX(ceil(room / (span / n)), 1);
  for (guint i = 0; i < n; i += step) {
    g_autofree char *text = dup_range(i > 0 ? to[i - 1] + 1 : 1, to[i]);
    const double at = (i + 0.5) * span / n;
    vt_plot_draw_text(GTK_WIDGET(self), snapshot, text, is_vertical ? LEFT - 4 : LEFT + at,
                      is_vertical ? TOP + at - 9 : TOP + get_height(self) + 1, is_vertical ? 1 : 0.5, ink);
  }
}

/* What has no room goes as a whole, from the end: half a number would be another number. */
static char *
dup_title_in(VtRunMap *self, int width)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), self->title);
  g_autofree char *title = g_strdup(self->title);
  int needed = 0;
  char *comma = NULL;
  pango_layout_get_pixel_size(layout, &needed, NULL);
  while (needed > width && (comma = g_strrstr(title, ", "))) {
    *comma = '\0';
    g_autofree char *cut = g_strconcat(title, " …", NULL);
    pango_layout_set_text(layout, cut, -1);
    pango_layout_get_pixel_size(layout, &needed, NULL);
  }
  return g_strdup(pango_layout_get_text(layout));
}

static void
draw_words(VtRunMap *self, GtkSnapshot *snapshot, const GdkRGBA *ink)
{
  GtkWidget *widget = GTK_WIDGET(self);
  const int width = gtk_widget_get_width(widget) - 8;
  g_autofree char *title = dup_title_in(self, width);
  vt_plot_draw_text_in(widget, snapshot, title, 4, 1, width, PANGO_ALIGN_LEFT, ink);
  vt_plot_draw_text(widget, snapshot, _("Run length, pixels"), LEFT + get_width(self) / 2, TOP + get_height(self) + 17,
                    0.5, ink);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(0, (float)(TOP + get_height(self) / 2)));
  gtk_snapshot_rotate(snapshot, -90);
  vt_plot_draw_text(widget, snapshot, _("Grey level"), 0, 0, 0.5, ink);
  gtk_snapshot_restore(snapshot);
}

static char *
dup_number(VtRunMap *self, double value)
{
  if (self->kind == VT_RUN_MAP_COUNTS)
    return g_strdup_printf("%'.0f", value);
  return g_strdup_printf("%+.2g%s", value, self->unit);
}

/* Powers of ten; of differences both ends, a quarter of them, and none. */
static void
draw_legend(VtRunMap *self, GtkSnapshot *snapshot, const GdkRGBA *ink)
{
  const double x = LEFT + get_width(self) + 10, height = get_height(self);
  double last = -INFINITY;
  for (int i = 0; i < (int)height; i++) {
    GdkRGBA color;
    get_color(self, 1 - (i + 0.5) / height, &color);
    gtk_snapshot_append_color(snapshot, &color, &GRAPHENE_RECT_INIT((float)x, (float)(TOP + i), BAR, 1));
  }
  const double ends[] = { self->most, self->most / 4, 0, -self->most / 4, -self->most };
  for (guint i = 0; self->kind == VT_RUN_MAP_DIFFERENCE && i < G_N_ELEMENTS(ends); i++) {
    g_autofree char *text = ends[i] == 0 ? g_strdup("0") : dup_number(self, ends[i]);
    vt_plot_draw_text(GTK_WIDGET(self), snapshot, text, x + BAR + 4, TOP + height * i / 4 - 9, 0, ink);
  }
  for (double value = self->most; self->kind == VT_RUN_MAP_COUNTS && value >= 1;
       value = value == self->most ? pow(10, ceil(log10(value)) - 1) : value / 10) {
    g_autofree char *text = dup_number(self, value);
    const double y = TOP + height * (1 - get_part(self, value)) - 9;
    if (y - last < 16)
      continue;
    vt_plot_draw_text(GTK_WIDGET(self), snapshot, text, x + BAR + 4, y, 0, ink);
    last = y;
  }
}

/* Seen on any colour: light in dark. */
static void
draw_chosen(VtRunMap *self, GtkSnapshot *snapshot)
{
  static const GdkRGBA inks[] = { { 0, 0, 0, 1 }, { 1, 1, 1, 1 } };
  graphene_rect_t place;
  if (self->row < 0 || self->row >= (int)self->bins->n_rows || self->column >= (int)self->bins->n_columns)
    return;
  get_cell_place(self, self->row, self->column, &place);
  for (guint i = 0; i < 2; i++) {
    GskRoundedRect box;
    graphene_rect_inset(&place, i == 0 ? -3 : 1.5f, i == 0 ? -3 : 1.5f);
    gsk_rounded_rect_init_from_rect(&box, &place, 1);
    gtk_snapshot_append_border(snapshot, &box, (const float[4]){ 1.5f, 1.5f, 1.5f, 1.5f },
                               (const GdkRGBA[4]){ inks[i], inks[i], inks[i], inks[i] });
  }
}

static void
vt_run_map_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtRunMap *self = VT_RUN_MAP(widget);
  GdkRGBA ink, pale, accent;
  vt_plot_get_inks(widget, &ink, &pale, &accent);
  self->is_dark = ink.red + ink.green + ink.blue > 1.5f;
  vt_plot_draw_focus(widget, snapshot);
  draw_words(self, snapshot, &ink);
  const graphene_rect_t all = GRAPHENE_RECT_INIT(LEFT, TOP, (float)get_width(self), (float)get_height(self));
  GskRoundedRect box;
  gsk_rounded_rect_init_from_rect(&box, &all, 0);
  gtk_snapshot_append_border(snapshot, &box, (const float[4]){ 1, 1, 1, 1 },
                             (const GdkRGBA[4]){ pale, pale, pale, pale });
  if (!self->bins)
    return;
  if (self->is_stale)
    gtk_snapshot_push_opacity(snapshot, 0.35);
  draw_cells(self, snapshot);
  draw_chosen(self, snapshot);
  if (!self->is_bare)
    draw_legend(self, snapshot, &ink);
  if (self->is_stale)
    gtk_snapshot_pop(snapshot);
  draw_axis(self, snapshot, TRUE, &ink);
  draw_axis(self, snapshot, FALSE, &ink);
}

static void
vt_run_map_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                   int *minimum_baseline, int *natural_baseline)
{
  const int legend = VT_RUN_MAP(widget)->is_bare ? RIGHT - BARE : 0;
  *minimum = orientation == GTK_ORIENTATION_VERTICAL
               ? 230
               : 200 - legend; /* three beside the numbers, in a window of 1,350 pixels */
  *natural = orientation == GTK_ORIENTATION_VERTICAL ? 250 : 380 - legend;
}

/* --- hands --- */

static void
on_pressed(GtkGestureClick *gesture, int n_press, double x, double y, VtRunMap *self)
{
  int row, column;
  gtk_widget_grab_focus(GTK_WIDGET(self));
  if (find_cell(self, x, y, &row, &column))
    g_signal_emit_by_name(self, "picked", (guint)row, (guint)column);
}

static void
point(VtRunMap *self, int row, int column)
{
  if (row == self->pointed_row && column == self->pointed_column)
    return;
  self->pointed_row = row;
  self->pointed_column = column;
  g_signal_emit_by_name(self, "pointed", row, column);
}

static void
on_motion(GtkEventControllerMotion *motion, double x, double y, VtRunMap *self)
{
  int row, column;
  const gboolean is_on = find_cell(self, x, y, &row, &column);
  point(self, is_on ? row : -1, is_on ? column : -1);
}

static void
on_leave(GtkEventControllerMotion *motion, VtRunMap *self)
{
  point(self, -1, -1);
}

/* From the chosen cell, else from the first one. */
static gboolean
on_key(GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state, VtRunMap *self)
{
  const int dx = (key == GDK_KEY_Right) - (key == GDK_KEY_Left), dy = (key == GDK_KEY_Down) - (key == GDK_KEY_Up);
  if (!self->bins || (dx == 0 && dy == 0) || state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SHIFT_MASK))
    return GDK_EVENT_PROPAGATE;
  const int row = self->row < 0 ? 0 : CLAMP(self->row + dy, 0, (int)self->bins->n_rows - 1);
  const int column = self->row < 0 ? 0 : CLAMP(self->column + dx, 0, (int)self->bins->n_columns - 1);
  g_signal_emit_by_name(self, "picked", (guint)row, (guint)column);
  return GDK_EVENT_STOP;
}

/* --- life --- */

static void
vt_run_map_class_init(VtRunMapClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  VT_OWNS_TO_THE_END(klass, VtRunMap, vt_run_bins_free, bins);
  VT_OWNS_TO_THE_END(klass, VtRunMap, g_free, values, title, unit);
  widget_class->snapshot = vt_run_map_snapshot;
  widget_class->measure = vt_run_map_measure;
  gtk_widget_class_set_css_name(widget_class, "vt-run-map");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  vt_signal_new(VT_TYPE_RUN_MAP, "picked", G_TYPE_UINT, G_TYPE_UINT, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_RUN_MAP, "pointed", G_TYPE_INT, G_TYPE_INT, G_TYPE_NONE);
}

static void
vt_run_map_init(VtRunMap *self)
{
  GtkGesture *click = gtk_gesture_click_new();
  GtkEventController *motion = gtk_event_controller_motion_new(), *keys = gtk_event_controller_key_new();
  self->row = self->column = self->pointed_row = self->pointed_column = -1;
  self->title = g_strdup("");
  self->unit = g_strdup("");
  g_signal_connect(click, "pressed", G_CALLBACK(on_pressed), self);
  g_signal_connect(motion, "motion", G_CALLBACK(on_motion), self);
  g_signal_connect(motion, "leave", G_CALLBACK(on_leave), self);
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(click));
  gtk_widget_add_controller(GTK_WIDGET(self), motion);
  gtk_widget_add_controller(GTK_WIDGET(self), keys);
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
}

GtkWidget *
vt_run_map_new(VtRunMapKind kind)
{
  VtRunMap *self = g_object_new(VT_TYPE_RUN_MAP, NULL);
  self->kind = kind;
  return GTK_WIDGET(self);
}

void
vt_run_map_set(VtRunMap *self, const VtRunBins *bins, double *values, const char *unit)
{
  g_clear_pointer(&self->bins, vt_run_bins_free);
  g_free(self->values);
  g_free(self->unit);
  self->values = values;
  self->unit = g_strdup(unit);
  self->bins = bins ? vt_run_bins_new(bins->level_to[bins->n_rows - 1], bins->length_to[bins->n_columns - 1]) : NULL;
  self->most = 0;
  for (guint i = 0; bins && i < bins->n_rows * bins->n_columns; i++)
    self->most = MAX(self->most, fabs(values[i]));
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_run_map_set_scale(VtRunMap *self, double most, gboolean has_legend)
{
  self->most = MAX(self->most, most);
  if (self->is_bare == !has_legend)
    return;
  self->is_bare = !has_legend;
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

double
vt_run_map_get_most(VtRunMap *self)
{
  return self->most;
}

void
vt_run_map_set_title(VtRunMap *self, const char *title)
{
  if (g_str_equal(title, self->title))
    return;
  g_free(self->title);
  self->title = g_strdup(title);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_run_map_set_stale(VtRunMap *self, gboolean stale)
{
  self->is_stale = stale;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_run_map_set_chosen(VtRunMap *self, int row, int column)
{
  self->row = row;
  self->column = column;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
