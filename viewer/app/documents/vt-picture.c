/* SPDX-License-Identifier: MIT */
#include "documents/vt-picture.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "common/vt-scale.h"
#include "documents/vt-drawing.h"
#include "documents/vt-page.h"

#define GAP 8
#define BAR_PART 0.3    /* of the width of a view, at most */
#define LEAST_WIDTH 320 /* of the words below a narrow view */

VT_DEFINE_TYPE_FREE(vt_panel_free, VtPanel,
                    VT_FREES(vt_shot_free, shot) VT_FREES(g_ptr_array_unref, legend)
                      VT_FREES(g_free, place, parameters, caution))

double
vt_panel_get_width(const VtPanel *panel)
{
  return panel->shot->view.width_px / panel->shot->scale;
}

double
vt_panel_get_height(const VtPanel *panel)
{
  return panel->shot->view.height_px / panel->shot->scale;
}

void
vt_panel_draw(const VtPanel *panel, cairo_t *cr, cairo_surface_t *pixels, double x, double y)
{
  cairo_save(cr);
  cairo_rectangle(cr, x, y, vt_panel_get_width(panel), vt_panel_get_height(panel));
  cairo_clip(cr);
  vt_drawing_put_image(cr, pixels, panel->shot->scale, x, y);
  cairo_translate(cr, x, y);
  if (panel->shot->overlay)
    gsk_render_node_draw(panel->shot->overlay, cr);
  cairo_restore(cr);
}

static double
get_um_per_length(const VtPanel *panel)
{
  return panel->shot->view.downsample * panel->shot->scale * (panel->mpp > 0 ? panel->mpp : 1);
}

void
vt_panel_draw_bar(const VtPanel *panel, cairo_t *cr, double x, double y, double most)
{
  const double per_length = get_um_per_length(panel), length = vt_scale_choose_bar(per_length, most);
  g_autofree char *text =
    panel->mpp > 0 ? vt_scale_dup_length(length) : g_strdup_printf(_("%.4g px · uncalibrated"), length);
  vt_page_bar(cr, length / per_length, text, x + GAP, y + vt_panel_get_height(panel) - GAP);
}

/* --- several of them --- */

typedef struct {
  double x, y;
} Place;

/* Beside each other, three and four in two rows. All but the last column and row are as large as the largest. */
static void
lay_out(const GPtrArray *panels, Place *places, double *width, double *height)
{
  const guint n_cols = panels->len > 1 ? 2 : 1;
  double widest = 0, highest = 0;
  *width = *height = 0;
  for (guint i = 0; i < panels->len; i++) {
    widest = MAX(widest, ceil(vt_panel_get_width(panels->pdata[i])));
    highest = MAX(highest, ceil(vt_panel_get_height(panels->pdata[i])));
  }
  for (guint i = 0; i < panels->len; i++) {
    places[i] = (Place){ i % n_cols * (widest + GAP), i / n_cols * (highest + GAP) };
    *width = MAX(*width, places[i].x + vt_panel_get_width(panels->pdata[i]));
    *height = MAX(*height, places[i].y + vt_panel_get_height(panels->pdata[i]));
  }
}

static const char *
get_letter(guint i)
{
  static const char *const letters[VT_PICTURE_MOST] = { "A", "B", "C", "D" };
  return letters[i];
}

static gboolean
is_same_line(const VtLegendLine *a, const VtLegendLine *b)
{
  return g_str_equal(a->title, b->title) && g_strcmp0(a->min_text, b->min_text) == 0
         && g_strcmp0(a->max_text, b->max_text) == 0 && vt_coloring_equal(&a->coloring, &b->coloring)
         && a->has_rgb == b->has_rgb && a->is_text == b->is_text && memcmp(a->rgb, b->rgb, sizeof a->rgb) == 0
         && a->has_bins == b->has_bins && (!a->has_bins || memcmp(a->bins, b->bins, sizeof a->bins) == 0);
}

/* One legend of all: lines that several panels have stand once, others that have the same title say whose they are. Owned; the lines are
 * the panels', or owned by `made`. */
static GPtrArray *
join_legends(const GPtrArray *panels, GPtrArray *made)
{
  GPtrArray *lines = g_ptr_array_new();
  for (guint p = 0; p < panels->len; p++) {
    const GPtrArray *own = ((const VtPanel *)panels->pdata[p])->legend;
    VT_EACH_OF (VtLegendLine, line, own) {
      gboolean is_there = FALSE, is_named = FALSE;
      for (guint k = 0; k < lines->len; k++) {
        is_there = is_there || is_same_line(lines->pdata[k], line);
        is_named = is_named || g_str_equal(((const VtLegendLine *)lines->pdata[k])->title, line->title);
      }
      if (is_there)
        continue;
      if (is_named) {
        VtLegendLine *copy = g_memdup2(line, sizeof *line);
        copy->title = g_strdup_printf("%s: %s", get_letter(p), line->title);
        copy->min_text = g_strdup(line->min_text);
        copy->max_text = g_strdup(line->max_text);
        g_ptr_array_add(made, copy);
        line = copy;
      }
      g_ptr_array_add(lines, line);
    }
  }
  return lines;
}

static void
add_words(GString *text, const GPtrArray *panels, char *(*get)(const VtPanel *panel))
{
  const char *first = get(panels->pdata[0]);
  gboolean is_same = TRUE;
  for (guint i = 1; i < panels->len; i++)
    is_same = is_same && g_strcmp0(first, get(panels->pdata[i])) == 0;
  for (guint i = 0; i < (is_same ? 1 : panels->len); i++) {
    const char *words = get(panels->pdata[i]);
    if (words && *words)
      g_string_append_printf(text, "%s%s%s%s", text->len ? "\n" : "", is_same ? "" : get_letter(i),
                             is_same ? "" : "   ", words);
  }
}

static VT_GETTER(char *, get_place, const VtPanel,
                 place) static VT_GETTER(char *, get_parameters, const VtPanel,
                                         parameters) static VT_GETTER(char *, get_caution, const VtPanel, caution)

  /* Below the pictures; measured where there is nothing to draw on. */
  typedef struct {
  char *caution, *words;
  GPtrArray *legend, *made;
  double width;
} Caption;

static Caption
make_caption(const GPtrArray *panels, guint parts, double width)
{
  g_autoptr(GString) caution = g_string_new(NULL), words = g_string_new(NULL);
  Caption caption = { .width = MAX(width, LEAST_WIDTH) - 2 * GAP };
  add_words(caution, panels, get_caution);
  if (parts & VT_PICTURE_PLACE)
    add_words(words, panels, get_place);
  if (parts & VT_PICTURE_PARAMETERS)
    add_words(words, panels, get_parameters);
  caption.made = g_ptr_array_new_with_free_func((GDestroyNotify)vt_legend_line_free);
  caption.legend = parts & VT_PICTURE_LEGEND ? join_legends(panels, caption.made) : g_ptr_array_new();
  caption.caution = g_string_free(g_steal_pointer(&caution), FALSE);
  caption.words = g_string_free(g_steal_pointer(&words), FALSE);
  return caption;
}

VT_DEFINE_CLEAR(caption_clear, Caption, VT_FREES(g_free, caution, words) VT_FREES(g_ptr_array_unref, legend, made))

static double
put_caption(cairo_t *cr, const Caption *caption, double top, gboolean draws)
{
  double y = top + GAP;
  const double legend = vt_page_legend(cr, caption->legend, GAP, y, caption->width, draws);
  y += legend > 0 ? legend + GAP / 2.0 : 0;
  if (*caption->caution && draws)
    vt_page_text(cr, VT_PAGE_CAUTION, caption->caution, GAP, y, caption->width);
  if (*caption->caution)
    y += vt_page_measure(cr, VT_PAGE_CAUTION, caption->caution, caption->width) + 2;
  if (*caption->words && draws)
    vt_page_text(cr, VT_PAGE_TEXT, caption->words, GAP, y, caption->width);
  if (*caption->words)
    y += vt_page_measure(cr, VT_PAGE_TEXT, caption->words, caption->width);
  return y > top + GAP ? ceil(y + GAP - top) : 0;
}

static double
measure_caption(const Caption *caption)
{
  cairo_t *cr = vt_page_new_ruler();
  const double height = put_caption(cr, caption, 0, FALSE);
  cairo_destroy(cr);
  return height;
}

static gboolean
draw_panels(cairo_t *cr, const GPtrArray *panels, const Place *places, guint parts, GCancellable *cancellable,
            GError **error)
{
  double most = INFINITY;
  for (guint i = 0; i < panels->len; i++)
    most = MIN(most, vt_panel_get_width(panels->pdata[i]) * BAR_PART);
  for (guint i = 0; i < panels->len; i++) {
    const VtPanel *panel = panels->pdata[i];
    cairo_surface_t *pixels = vt_shot_render(panel->shot, cancellable, error);
    if (!pixels)
      return FALSE;
    vt_panel_draw(panel, cr, pixels, places[i].x, places[i].y);
    cairo_surface_destroy(pixels);
    if (panels->len > 1)
      vt_page_letter(cr, get_letter(i), places[i].x + GAP, places[i].y + GAP);
    if (parts & VT_PICTURE_BAR)
      vt_panel_draw_bar(panel, cr, places[i].x, places[i].y, most);
  }
  return TRUE;
}

gboolean
vt_picture_save(const GPtrArray *panels, guint parts, const char *title, const char *path, GCancellable *cancellable,
                GError **error)
{
  Place places[VT_PICTURE_MOST];
  double width, height;
  lay_out(panels, places, &width, &height);
  Caption caption = make_caption(panels, parts, width);
  const double below = measure_caption(&caption);
  VtDrawing *drawing = vt_drawing_new(path, MAX(width, below > 0 ? LEAST_WIDTH : 0), height + below,
                                      ((const VtPanel *)panels->pdata[0])->shot->scale, cancellable, error);
  gboolean is_drawn = FALSE;
  if (drawing) {
    vt_drawing_set_title(drawing, title);
    is_drawn = draw_panels(vt_drawing_get_cairo(drawing), panels, places, parts, cancellable, error);
    put_caption(vt_drawing_get_cairo(drawing), &caption, height, TRUE);
  }
  caption_clear(&caption);
  if (drawing && !is_drawn)
    vt_drawing_drop(drawing);
  return is_drawn && vt_drawing_close(drawing, error);
}
