/* SPDX-License-Identifier: MIT */
#include "panels/vt-minimap.h"

#include <glib/gi18n.h>

#include "common/vt-owned.h"
#include "common/vt-scale.h"
#include "common/vt-trail.h"
#include "layers/vt-paint.h"

#define MIN_SIDE 96 /* logical pixels */
#define MAX_SIDE 200
#define LEAST_BOX 6
#define BAR_ROOM 200 /* for the scale bar in the other corner */
#define SEEN_MAGNIFICATION 5
#define SEEN_DOWNSAMPLE 8 /* 5x of a 40x slide, where the magnification is unknown */
#define EDGE_CELLS 2
#define EDGE_WORD 0xffe66100 /* opaque orange: a colour that neither tissue nor the frame of the view has */

struct _VtMinimap {
  GtkWidget parent;
  VtCanvas *canvas;
  VtSlide *slide;
  gint64 width_l0, height_l0;
  VtTrail *trail;
  GdkTexture *map;     /* the slide, and the edge of what was seen, as large as the widget; NULL: to be made anew */
  GdkTexture *picture; /* that it was made of */
  int side;
  gboolean enabled, dragging;
  double grab_x_l0, grab_y_l0; /* from the pointer to the middle of the box */
};

G_DEFINE_FINAL_TYPE(VtMinimap, vt_minimap, GTK_TYPE_WIDGET)

enum { PROP_ENABLED = 1, N_PROPS };
static GParamSpec *properties[N_PROPS];

static gboolean
shows_whole_slide(VtMinimap *self)
{
  gint64 x = 0, y = 0, width = 0, height = 0;
  vt_viewport_get_visible_l0(vt_canvas_get_view(self->canvas), self->width_l0, self->height_l0, &x, &y, &width,
                             &height);
  return width == self->width_l0 && height == self->height_l0;
}

/* Seen is what was shown sharp and large enough to see cells. */
static void
mark_seen(VtMinimap *self)
{
  double mpp, mpp_y;
  gint64 x, y, width, height;
  if (!self->canvas || !self->slide || !vt_canvas_get_sharp(self->canvas))
    return;
  const VtViewport *view = vt_canvas_get_view(self->canvas);
  vt_slide_get_mpp(self->slide, &mpp, &mpp_y);
  double magnification = vt_scale_get_magnification(mpp, vt_slide_get_objective_power(self->slide), view->downsample);
  if (magnification > 0 ? magnification < SEEN_MAGNIFICATION * 0.99 : view->downsample > SEEN_DOWNSAMPLE)
    return;
  if (vt_viewport_get_visible_l0(view, self->width_l0, self->height_l0, &x, &y, &width, &height)
      && vt_trail_mark(self->trail, view, (double)x, (double)y, (double)width, (double)height)) {
    g_clear_object(&self->map);
    gtk_widget_queue_draw(GTK_WIDGET(self));
  }
}

static void
update(VtMinimap *self)
{
  if (!self->slide || vt_canvas_get_view(self->canvas)->width_px <= 0)
    return;
  int across = gtk_widget_get_width(GTK_WIDGET(self->canvas)), down = gtk_widget_get_height(GTK_WIDGET(self->canvas));
  int side = CLAMP(MIN(across, down) / 4, MIN_SIDE, MAX_SIDE);
  if (side != self->side) {
    self->side = side;
    gtk_widget_queue_resize(GTK_WIDGET(self));
  }
  mark_seen(self);
  gtk_widget_set_visible(GTK_WIDGET(self),
                         self->dragging || (self->enabled && across >= side + BAR_ROOM && !shows_whole_slide(self)));
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_minimap_set_canvas(VtMinimap *self, VtCanvas *canvas)
{
  self->canvas = canvas;
  g_object_add_weak_pointer(G_OBJECT(canvas), (gpointer *)&self->canvas);
  g_signal_connect_object(canvas, "view-shown", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
}

static const VtTile *
get_picture(VtMinimap *self)
{
  return vt_tile_store_lookup(vt_canvas_get_store(self->canvas), vt_slide_get_n_levels(self->slide) - 1, 0, 0);
}

/* Of all tiles only one is shown here. */
static void
on_tiles_changed(VtMinimap *self)
{
  const VtTile *tile = self->canvas && self->slide ? get_picture(self) : NULL;
  if (tile && tile->texture != self->picture)
    gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_minimap_set_slide(VtMinimap *self, VtSlide *slide)
{
  VtTileStore *store = vt_canvas_get_store(self->canvas);
  g_clear_pointer(&self->slide, vt_slide_unref);
  g_clear_pointer(&self->trail, g_free);
  g_clear_object(&self->map);
  self->slide = vt_slide_ref(slide);
  vt_slide_get_level_size(slide, 0, &self->width_l0, &self->height_l0);
  self->trail = vt_trail_new(self->width_l0, self->height_l0);
  g_signal_connect_object(store, "changed", G_CALLBACK(on_tiles_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(store, "notify::sharp", G_CALLBACK(mark_seen), self, G_CONNECT_SWAPPED);
  gtk_widget_queue_resize(GTK_WIDGET(self));
  update(self);
}

static gboolean
was_seen(const VtTrail *trail, int col, int row)
{
  return col >= 0 && row >= 0 && col < trail->n_cols && row < trail->n_rows && trail->seen[row * trail->n_cols + col];
}

static gboolean
is_edge(const VtTrail *trail, int col, int row)
{
  if (!was_seen(trail, col, row))
    return FALSE;
  return !was_seen(trail, col - EDGE_CELLS, row) || !was_seen(trail, col + EDGE_CELLS, row)
         || !was_seen(trail, col, row - EDGE_CELLS) || !was_seen(trail, col, row + EDGE_CELLS);
}

/* A line, since the colours of the slide are to be believed everywhere. */
static void
draw_edge(const VtTrail *trail, cairo_t *cr)
{
  const gsize n = (gsize)trail->n_cols * (gsize)trail->n_rows;
  g_autofree guint32 *words = g_new(guint32, n);
  for (int row = 0; row < trail->n_rows; row++)
    for (int col = 0; col < trail->n_cols; col++)
      words[row * trail->n_cols + col] = is_edge(trail, col, row) ? EDGE_WORD : 0;
  cairo_surface_t *surface = cairo_image_surface_create_for_data((guchar *)words, CAIRO_FORMAT_ARGB32, trail->n_cols,
                                                                 trail->n_rows, trail->n_cols * (int)sizeof *words);
  cairo_set_source_surface(cr, surface, 0, 0);
  cairo_paint(cr);
  cairo_surface_finish(surface); /* before its pixels go */
  cairo_surface_destroy(surface);
}

static void
draw_slide(const VtTilePixels *pixels, cairo_t *cr, int width, int height)
{
  cairo_surface_t *surface =
    cairo_image_surface_create_for_data((guchar *)(gsize)g_bytes_get_data(pixels->bytes, NULL), CAIRO_FORMAT_ARGB32,
                                        pixels->width, pixels->height, (int)pixels->stride);
  cairo_save(cr);
  cairo_scale(cr, (double)width / pixels->width, (double)height / pixels->height);
  cairo_set_source_surface(cr, surface, 0, 0);
  cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD);
  cairo_paint(cr);
  cairo_restore(cr);
  cairo_surface_destroy(surface);
}

/* Made once and not scaled down in each frame. */
static void
make_map(VtMinimap *self, const VtTile *tile, int width, int height)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  const double to_px = width / (double)self->width_l0 * self->trail->cell_l0;
  GdkTexture *picture = tile ? tile->texture : NULL;
  if (tile && tile->pixels)
    draw_slide(tile->pixels, cr, width, height);
  cairo_scale(cr, to_px, to_px);
  if (self->trail->any)
    draw_edge(self->trail, cr);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  g_clear_object(&self->map);
  g_autoptr(GBytes) pixels =
    g_bytes_new_with_free_func(cairo_image_surface_get_data(surface), (gsize)stride * (gsize)height,
                               (GDestroyNotify)cairo_surface_destroy, surface);
  self->map = vt_paint_texture_new(width, height, pixels, (gsize)stride);
  g_set_object(&self->picture, picture);
}

static void
draw_map(VtMinimap *self, GtkSnapshot *snapshot, const graphene_rect_t *all)
{
  const VtTile *tile = get_picture(self);
  const int scale = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  const int width = (int)all->size.width * scale, height = (int)all->size.height * scale;
  if (!self->map || self->picture != (tile ? tile->texture : NULL) || gdk_texture_get_width(self->map) != width
      || gdk_texture_get_height(self->map) != height)
    make_map(self, tile, width, height);
  vt_paint_texture(GTK_WIDGET(self), snapshot, self->map, all);
}

static void
draw_frame(GtkSnapshot *snapshot, const graphene_rect_t *place, float width, const char *color)
{
  GskRoundedRect outline;
  GdkRGBA rgba;
  gdk_rgba_parse(&rgba, color);
  gsk_rounded_rect_init_from_rect(&outline, place, 0);
  gtk_snapshot_append_border(snapshot, &outline, (float[4]){ width, width, width, width },
                             (GdkRGBA[4]){ rgba, rgba, rgba, rgba });
}

static void
trace_view(VtMinimap *self, cairo_t *cr, double to_px)
{
  const VtViewport *view = vt_canvas_get_view(self->canvas);
  static const int corners[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
  for (int i = 0; i < 4; i++) {
    double x, y;
    vt_viewport_to_l0(view, corners[i][0] * view->width_px, corners[i][1] * view->height_px, &x, &y);
    cairo_line_to(cr, x * to_px, y * to_px);
  }
}

/* A view that is turned: its outline, and on it the edge that is the upper one on the screen. */
static void
draw_turned_box(VtMinimap *self, GtkSnapshot *snapshot, const graphene_rect_t *all, double to_px)
{
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, all);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  for (int pass = 0; pass < 2; pass++) {
    trace_view(self, cr, to_px);
    cairo_close_path(cr);
    cairo_set_line_width(cr, pass == 0 ? 4 : 2);
    gdk_cairo_set_source_rgba(cr, pass == 0 ? &(GdkRGBA){ 1, 1, 1, 1 } : &(GdkRGBA){ 0.102f, 0.373f, 0.706f, 1 });
    cairo_stroke(cr);
  }
  const VtViewport *view = vt_canvas_get_view(self->canvas);
  for (int i = 0; i < 2; i++) {
    double x, y;
    vt_viewport_to_l0(view, i * view->width_px, 0, &x, &y);
    cairo_line_to(cr, x * to_px, y * to_px);
  }
  cairo_set_line_width(cr, 4);
  cairo_stroke(cr);
  cairo_destroy(cr);
}

static void
vt_minimap_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtMinimap *self = VT_MINIMAP(widget);
  int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
  graphene_rect_t all = GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height), place, outer;
  double x, y, box_width, box_height;
  if (!self->canvas || !self->slide || width <= 0 || height <= 0)
    return;
  draw_map(self, snapshot, &all);
  vt_viewport_get_box(vt_canvas_get_view(self->canvas), (double)self->width_l0, (double)self->height_l0, width, height,
                      LEAST_BOX, &x, &y, &box_width, &box_height);
  if (!vt_viewport_is_upright(vt_canvas_get_view(self->canvas)) && MIN(box_width, box_height) > 2 * LEAST_BOX) {
    draw_turned_box(self, snapshot, &all, width / (double)self->width_l0);
    return;
  }
  graphene_rect_init(&place, (float)x, (float)y, (float)box_width, (float)box_height);
  graphene_rect_inset_r(&place, -1, -1, &outer);
  draw_frame(snapshot, &outer, 1, "white");
  draw_frame(snapshot, &place, 2, "#1a5fb4");
}

static void
vt_minimap_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                   int *minimum_baseline, int *natural_baseline)
{
  VtMinimap *self = VT_MINIMAP(widget);
  gint64 longer = MAX(self->width_l0, self->height_l0);
  gint64 length = orientation == GTK_ORIENTATION_HORIZONTAL ? self->width_l0 : self->height_l0;
  *minimum = *natural = longer > 0 ? MAX((int)(self->side * length / longer), 2 * LEAST_BOX) : self->side;
}

static void
move_to(VtMinimap *self, double x, double y)
{
  vt_canvas_centre_on(self->canvas,
                      x / gtk_widget_get_width(GTK_WIDGET(self)) * (double)self->width_l0 + self->grab_x_l0,
                      y / gtk_widget_get_height(GTK_WIDGET(self)) * (double)self->height_l0 + self->grab_y_l0);
}

static void
on_drag_begin(GtkGestureDrag *gesture, double x, double y, VtMinimap *self)
{
  const VtViewport *view = vt_canvas_get_view(self->canvas);
  int width = gtk_widget_get_width(GTK_WIDGET(self)), height = gtk_widget_get_height(GTK_WIDGET(self));
  double left, top, box_width, box_height;
  self->dragging = TRUE;
  vt_canvas_set_held(self->canvas, TRUE);
  vt_viewport_get_box(view, (double)self->width_l0, (double)self->height_l0, width, height, LEAST_BOX, &left, &top,
                      &box_width, &box_height);
  self->grab_x_l0 = self->grab_y_l0 = 0;
  if (x >= left && y >= top && x < left + box_width && y < top + box_height) {
    self->grab_x_l0 = view->centre_x_l0 - x / width * (double)self->width_l0;
    self->grab_y_l0 = view->centre_y_l0 - y / height * (double)self->height_l0;
  }
  gtk_gesture_set_state(GTK_GESTURE(gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  move_to(self, x, y);
}

static void
on_drag_update(GtkGestureDrag *gesture, double dx, double dy, VtMinimap *self)
{
  double x, y;
  gtk_gesture_drag_get_start_point(gesture, &x, &y);
  move_to(self, x + dx, y + dy);
}

static void
let_go(VtMinimap *self)
{
  self->dragging = FALSE;
  if (self->canvas)
    vt_canvas_set_held(self->canvas, FALSE);
}

static void
vt_minimap_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  VtMinimap *self = VT_MINIMAP(object);
  if (self->enabled == g_value_get_boolean(value))
    return;
  self->enabled = !self->enabled;
  g_object_notify_by_pspec(object, pspec);
  if (self->slide)
    update(self);
}

static void
vt_minimap_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean(value, VT_MINIMAP(object)->enabled);
}

static void
vt_minimap_class_init(VtMinimapClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  VT_KNOWS(klass, VtMinimap, canvas);
  VT_OWNS(klass, VtMinimap, vt_slide_unref, slide);
  VT_OWNS(klass, VtMinimap, g_free, trail);
  VT_OWNS(klass, VtMinimap, g_object_unref, map, picture);
  object_class->set_property = vt_minimap_set_property;
  object_class->get_property = vt_minimap_get_property;
  widget_class->snapshot = vt_minimap_snapshot;
  widget_class->measure = vt_minimap_measure;
  gtk_widget_class_set_css_name(widget_class, "vt-minimap");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  properties[PROP_ENABLED] = g_param_spec_boolean("enabled", NULL, NULL, TRUE,
                                                  G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties(object_class, N_PROPS, properties);
}

static void
vt_minimap_init(VtMinimap *self)
{
  GtkWidget *widget = GTK_WIDGET(self);
  GtkGesture *drag = gtk_gesture_drag_new();
  self->enabled = TRUE;
  self->side = MAX_SIDE;
  gtk_widget_set_visible(widget, FALSE);
  gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Overview of the slide"), -1);
  g_signal_connect(drag, "drag-begin", G_CALLBACK(on_drag_begin), self);
  g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag_update), self);
  g_signal_connect_swapped(drag, "drag-end", G_CALLBACK(let_go), self);
  g_signal_connect_swapped(drag, "cancel", G_CALLBACK(let_go), self);
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(drag));
}
