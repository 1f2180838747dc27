/* SPDX-License-Identifier: MIT
 *
 * Objects that are new, lost, split, merged or outlined otherwise. Hue and dashes differ, and all have a dark halo: they are told
 * apart on any tissue, and by those who see few colours. */
#include "canvas/vt-canvas-private.h"

#include <glib/gi18n.h>

#include "layers/vt-layer-stack.h"
#include "results/vt-compare.h"

#define REFUSED "vt-refused" /* the list of them, on the canvas */
#define LOST "vt-lost"       /* and of outlines that are of no object any more */
#define REASONS "vt-refused-words"
#define LEAST_PX 6 /* what is smaller is a box of this size */

static const struct {
  double red, green, blue, width, dashes[4];
  int n_dashes;
} looks[VT_N_FATES] = {
  [VT_FATE_NEW] = { 1, 0.87, 0.1, 2.5, { 0 }, 0 },
  [VT_FATE_LOST] = { 1, 0.32, 0.25, 2.5, { 5, 3 }, 2 },
  [VT_FATE_SPLIT] = { 0.35, 0.75, 1, 2.5, { 8, 3, 2, 3 }, 4 },
  [VT_FATE_MERGED] = { 1, 0.55, 0.95, 2.5, { 2, 3 }, 2 },
  [VT_FATE_CHANGED] = { 1, 1, 1, 1.2, { 0 }, 0 },
};

static const char *const fate_titles[VT_N_FATES] = {
  [VT_FATE_NEW] = N_("Compared: only now"),          [VT_FATE_LOST] = N_("Compared: only before, or in the truth"),
  [VT_FATE_SPLIT] = N_("Compared: split"),           [VT_FATE_MERGED] = N_("Compared: merged"),
  [VT_FATE_CHANGED] = N_("Compared: other outline"),
};

static const struct {
  double red, green, blue, dashes[2];
} reasons[] = {
  { 1, 0.62, 0.1, { 7, 3 } },    { 0.8, 0.6, 1, { 2, 2.5 } }, { 0.35, 1, 1, { 11, 4 } },
  { 0.75, 1, 0.35, { 4, 2.5 } }, { 1, 0.6, 0.75, { 3, 6 } },  { 1, 1, 1, { 1.5, 4 } },
};

void
vt_canvas_stroke_refused(cairo_t *cr, guint reason)
{
  const guint look = reason % G_N_ELEMENTS(reasons);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(cr, NULL, 0, 0);
  cairo_set_source_rgba(cr, 0, 0, 0, 0.65);
  cairo_set_line_width(cr, 4);
  cairo_stroke_preserve(cr);
  cairo_set_dash(cr, reasons[look].dashes, 2, 0);
  cairo_set_source_rgb(cr, reasons[look].red, reasons[look].green, reasons[look].blue);
  cairo_set_line_width(cr, 2);
  cairo_stroke(cr);
}

void
vt_canvas_stroke_difference(cairo_t *cr, guint fate)
{
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(cr, NULL, 0, 0);
  cairo_set_source_rgba(cr, 0, 0, 0, fate == VT_FATE_CHANGED ? 0.4 : 0.65); /* there are many of those */
  cairo_set_line_width(cr, looks[fate].width + (fate == VT_FATE_CHANGED ? 1 : 2));
  cairo_stroke_preserve(cr);
  cairo_set_dash(cr, looks[fate].dashes, looks[fate].n_dashes, 0);
  cairo_set_source_rgb(cr, looks[fate].red, looks[fate].green, looks[fate].blue);
  cairo_set_line_width(cr, looks[fate].width);
  cairo_stroke(cr);
}

static void
add_outline(cairo_t *cr, const VtDifference *difference, const VtViewport *sheet, double scale)
{
  const double *point = difference->points;
  for (guint ring = 0; ring < difference->n_rings; ring++) {
    cairo_new_sub_path(cr);
    for (guint i = 0; i < difference->ring_sizes[ring]; i++, point += 2) {
      double x, y;
      vt_viewport_from_l0(sheet, point[0], point[1], &x, &y);
      cairo_line_to(cr, x / scale, y / scale);
    }
    cairo_close_path(cr);
  }
}

static void
add_difference(cairo_t *cr, const VtDifference *difference, const VtViewport *sheet, double scale)
{
  double x0, y0, x1, y1;
  vt_viewport_from_l0(sheet, difference->box[0], difference->box[1], &x0, &y0);
  vt_viewport_from_l0(sheet, difference->box[2], difference->box[3], &x1, &y1);
  if (x1 - x0 < LEAST_PX * scale && y1 - y0 < LEAST_PX * scale)
    cairo_rectangle(cr, (x0 + x1) / 2 / scale - LEAST_PX / 2.0, (y0 + y1) / 2 / scale - LEAST_PX / 2.0, LEAST_PX,
                    LEAST_PX);
  else
    add_outline(cr, difference, sheet, scale);
}

static gboolean
is_seen(const VtDifference *difference, const VtViewport *sheet)
{
  double x0, y0, x1, y1;
  vt_viewport_from_l0(sheet, difference->box[0], difference->box[1], &x0, &y0);
  vt_viewport_from_l0(sheet, difference->box[2], difference->box[3], &x1, &y1);
  return x1 >= 0 && y1 >= 0 && x0 <= sheet->width_px && y0 <= sheet->height_px;
}

static void
draw_refused(VtCanvas *self, cairo_t *cr, const VtViewport *sheet, double scale)
{
  const GPtrArray *list = g_object_get_data(G_OBJECT(self), REFUSED);
  for (guint reason = 0; list && reason < list->len; reason++) {
    const GPtrArray *outlines = list->pdata[reason];
    for (guint i = 0; i < outlines->len; i++)
      if (is_seen(outlines->pdata[i], sheet))
        add_difference(cr, outlines->pdata[i], sheet, scale);
    vt_canvas_stroke_refused(cr, reason);
  }
}

static void
draw_lost(VtCanvas *self, cairo_t *cr, const VtViewport *sheet, double scale)
{
  const GPtrArray *outlines = g_object_get_data(G_OBJECT(self), LOST);
  for (guint i = 0; outlines && i < outlines->len; i++)
    if (is_seen(outlines->pdata[i], sheet))
      add_difference(cr, outlines->pdata[i], sheet, scale);
  if (outlines)
    vt_canvas_stroke_difference(cr, VT_FATE_LOST);
}

static gboolean
has_any(VtCanvas *self)
{
  GObject *object = G_OBJECT(self);
  return self->differences || g_object_get_data(object, REFUSED) || g_object_get_data(object, LOST);
}

void
vt_canvas_draw_differences(VtCanvas *self, GtkSnapshot *snapshot, const VtViewport *sheet, double scale)
{
  if (!has_any(self))
    return;
  const graphene_rect_t all =
    GRAPHENE_RECT_INIT(0, 0, (float)(sheet->width_px / scale), (float)(sheet->height_px / scale));
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &all);
  draw_refused(self, cr, sheet, scale);
  draw_lost(self, cr, sheet, scale);
  for (guint fate = VT_N_FATES; self->differences && fate-- > 0;) { /* the plainest first */
    for (guint i = 0; i < self->differences->len; i++)
      if (((const VtDifference *)self->differences->pdata[i])->fate == fate)
        add_difference(cr, self->differences->pdata[i], sheet, scale);
    if (fate != VT_FATE_SAME)
      vt_canvas_stroke_difference(cr, fate);
  }
  cairo_destroy(cr);
}

static void
set_list(VtCanvas *self, const char *key, GPtrArray *list)
{
  g_object_set_data_full(G_OBJECT(self), key, list ? g_ptr_array_ref(list) : NULL,
                         list ? (GDestroyNotify)g_ptr_array_unref : NULL);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_canvas_set_refused(VtCanvas *self, GPtrArray *list, GPtrArray *words)
{
  set_list(self, REASONS, words);
  set_list(self, REFUSED, list);
}

void
vt_canvas_set_lost(VtCanvas *self, GPtrArray *outlines)
{
  set_list(self, LOST, outlines);
}

void
vt_canvas_set_differences(VtCanvas *self, GPtrArray *differences)
{
  if (self->differences == differences)
    return;
  g_clear_pointer(&self->differences, g_ptr_array_unref);
  self->differences = differences ? g_ptr_array_ref(differences) : NULL;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
add_line(GPtrArray *lines, const char *title, double red, double green, double blue)
{
  VtLegendLine *line = g_new0(VtLegendLine, 1);
  line->title = g_strdup(title);
  line->has_rgb = TRUE;
  line->rgb[0] = (guint8)(255 * red + 0.5);
  line->rgb[1] = (guint8)(255 * green + 0.5);
  line->rgb[2] = (guint8)(255 * blue + 0.5);
  g_ptr_array_add(lines, line);
}

void
vt_canvas_add_differences_legend(VtCanvas *self, GPtrArray *lines)
{
  const GPtrArray *refused = g_object_get_data(G_OBJECT(self), REFUSED);
  const GPtrArray *words = g_object_get_data(G_OBJECT(self), REASONS);
  gboolean is_there[VT_N_FATES] = { FALSE };
  for (guint i = 0; self->differences && i < self->differences->len; i++)
    is_there[((const VtDifference *)self->differences->pdata[i])->fate] = TRUE;
  for (guint fate = 0; fate < VT_N_FATES; fate++)
    if (is_there[fate] && fate_titles[fate])
      add_line(lines, _(fate_titles[fate]), looks[fate].red, looks[fate].green, looks[fate].blue);
  for (guint i = 0; refused && i < refused->len; i++) {
    const guint look = i % G_N_ELEMENTS(reasons);
    if (((const GPtrArray *)refused->pdata[i])->len > 0)
      add_line(lines, words->pdata[i], reasons[look].red, reasons[look].green, reasons[look].blue);
  }
}
