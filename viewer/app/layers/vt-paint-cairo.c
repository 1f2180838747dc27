/* SPDX-License-Identifier: MIT */
#include "layers/vt-paint-cairo.h"

#include "base/vt-define.h"

#include <math.h>

#define CELL 512 /* logical pixels */
#define CELLS "vt-cells"
#define MAX_HALVINGS 3
#define PILES "vt-piles"
#define MAX_MERGED 2 /* piles in a frame: a millisecond or two */

/* Pixels in a place. */
typedef struct {
  cairo_surface_t *surface; /* borrowed from the texture, and from nodes in which it is recorded */
  graphene_rect_t place, seen;
  double opacity;
  gboolean squares;
} Draw;

typedef struct {
  guint flush; /* the number of the flush in its frame */
  int col, row;
  GArray *draws; /* Draw */
  GskRenderNode *node;
} Cell;

/* Tiles of several layers in one place, the lowest first, with references to their surfaces. */
typedef struct {
  GArray *draws;            /* Draw */
  cairo_surface_t *surface; /* all of them as one; NULL: not made yet */
} Pile;

static struct {
  GObject *owner; /* NULL: nothing has begun */
  double scale, opacity;
  gboolean upright;
  guint n_flushes;
  GArray *draws;    /* Draw: until the next flush */
  GPtrArray *cells; /* Cell: of this frame */
  GPtrArray *piles; /* Pile: of this frame */
  guint n_merged;
} now;

static void
cell_free(gpointer data)
{
  Cell *cell = data;
  g_array_unref(cell->draws);
  gsk_render_node_unref(cell->node);
  g_free(cell);
}

static void
pile_free(gpointer data)
{
  Pile *pile = data;
  for (guint i = 0; i < pile->draws->len; i++)
    cairo_surface_destroy(g_array_index(pile->draws, Draw, i).surface);
  g_array_unref(pile->draws);
  g_clear_pointer(&pile->surface, cairo_surface_destroy);
  g_free(pile);
}

/* --- surfaces --- */

/* The pixels for cairo, kept with the texture. */
static cairo_surface_t *
get_surface(GdkTexture *texture, GBytes *bytes, gsize stride)
{
  static const cairo_user_data_key_t bytes_key;
  cairo_surface_t *surface = g_object_get_data(G_OBJECT(texture), "vt-surface");
  if (surface)
    return surface;
  surface =
    cairo_image_surface_create_for_data((guchar *)(gsize)g_bytes_get_data(bytes, NULL), CAIRO_FORMAT_ARGB32,
                                        gdk_texture_get_width(texture), gdk_texture_get_height(texture), (int)stride);
  cairo_surface_set_user_data(surface, &bytes_key, g_bytes_ref(bytes), (cairo_destroy_func_t)g_bytes_unref);
  g_object_set_data_full(G_OBJECT(texture), "vt-surface", surface, (GDestroyNotify)cairo_surface_destroy);
  return surface;
}

/* The rounded mean of four pixels. */
static guint32
get_mean(guint32 a, guint32 b, guint32 c, guint32 d)
{
  const guint32 even = 0x00ff00ffu, half = 0x00020002u;
  const guint32 low = (a & even) + (b & even) + (c & even) + (d & even) + half;
  const guint32 high = (a >> 8 & even) + (b >> 8 & even) + (c >> 8 & even) + (d >> 8 & even) + half;
  return (low >> 2 & even) | (high >> 2 & even) << 8;
}

/* Half as large. A last row or column without a neighbour is its own. */
static cairo_surface_t *
halve(cairo_surface_t *surface)
{
  const int width = cairo_image_surface_get_width(surface), height = cairo_image_surface_get_height(surface);
  cairo_surface_t *half = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (width + 1) / 2, (height + 1) / 2);
  const guchar *from = cairo_image_surface_get_data(surface);
  guchar *to = cairo_image_surface_get_data(half);
  const gsize from_stride = (gsize)cairo_image_surface_get_stride(surface),
              to_stride = (gsize)cairo_image_surface_get_stride(half);
  for (int y = 0; to && y < (height + 1) / 2; y++) {
    const guint32 *upper = (const guint32 *)(gconstpointer)(from + (gsize)(2 * y) * from_stride);
    const guint32 *lower = (const guint32 *)(gconstpointer)(from + (gsize)MIN(2 * y + 1, height - 1) * from_stride);
    guint32 *out = (guint32 *)(gpointer)(to + (gsize)y * to_stride);
    for (int x = 0; x < width / 2; x++)
      out[x] = get_mean(upper[2 * x], upper[2 * x + 1], lower[2 * x], lower[2 * x + 1]);
    if (width & 1)
      out[width / 2] = get_mean(upper[width - 1], upper[width - 1], lower[width - 1], lower[width - 1]);
  }
  cairo_surface_mark_dirty(half);
  return half;
}

/* Cairo's own way to make pictures smaller takes 45 ms for a screen of 1920 x 1080 at 0.7, and its linear one 3 ms, which leaves pixels out below a half: so pixels
 * are halved as often as that needs, once. `shrinks`: pixels for a device pixel. */
static cairo_surface_t *
get_halved(GdkTexture *texture, cairo_surface_t *surface, double shrinks)
{
  static const char *const keys[MAX_HALVINGS] = { "vt-surface-2", "vt-surface-4", "vt-surface-8" };
  for (guint i = 0; i < MAX_HALVINGS && shrinks >= 2; i++, shrinks /= 2) {
    cairo_surface_t *half = g_object_get_data(G_OBJECT(texture), keys[i]);
    if (!half) {
      half = halve(surface);
      g_object_set_data_full(G_OBJECT(texture), keys[i], half, (GDestroyNotify)cairo_surface_destroy);
    }
    surface = half;
  }
  return surface;
}

/* --- patterns --- */

static cairo_surface_t *
acquire(cairo_pattern_t *pattern, void *surface, cairo_surface_t *target, const cairo_rectangle_int_t *extents)
{
  return cairo_surface_reference(surface);
}

static void
release(cairo_pattern_t *pattern, void *surface, cairo_surface_t *acquired)
{
  cairo_surface_destroy(acquired);
}

static cairo_status_t
copy(cairo_pattern_t *pattern, void *surface, const cairo_pattern_t *other)
{
  cairo_surface_reference(surface);
  return CAIRO_STATUS_SUCCESS;
}

static void
finish(cairo_pattern_t *pattern, void *surface)
{
  cairo_surface_destroy(surface);
}

/* What is recorded of a surface as a pattern of its own is copied whole when the surface goes. These pixels never change, so that in a frame the surface
 * can stay instead until what was recorded goes, too. An SVG takes no such pattern: cairo ends the program. */
static cairo_pattern_t *
pattern_new(cairo_surface_t *surface, gboolean squares)
{
  cairo_pattern_t *pattern =
    !now.owner ? cairo_pattern_create_for_surface(surface)
               : cairo_pattern_create_raster_source(cairo_surface_reference(surface), CAIRO_CONTENT_COLOR_ALPHA,
                                                    cairo_image_surface_get_width(surface),
                                                    cairo_image_surface_get_height(surface));
  if (now.owner) {
    cairo_raster_source_pattern_set_acquire(pattern, acquire, release);
    cairo_raster_source_pattern_set_copy(pattern, copy);
    cairo_raster_source_pattern_set_finish(pattern, finish);
  }
  cairo_pattern_set_filter(pattern, squares ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_BILINEAR);
  cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD);
  return pattern;
}

static void
record(cairo_t *cr, const Draw *draw)
{
  const double width = cairo_image_surface_get_width(draw->surface),
               height = cairo_image_surface_get_height(draw->surface);
  cairo_pattern_t *pattern = pattern_new(draw->surface, draw->squares);
  cairo_save(cr);
  cairo_rectangle(cr, draw->seen.origin.x, draw->seen.origin.y, draw->seen.size.width, draw->seen.size.height);
  cairo_clip(cr);
  cairo_translate(cr, draw->place.origin.x, draw->place.origin.y);
  cairo_scale(cr, draw->place.size.width / width, draw->place.size.height / height);
  cairo_set_source(cr, pattern);
  if (draw->opacity < 1)
    cairo_paint_with_alpha(cr, draw->opacity);
  else
    cairo_paint(cr);
  cairo_restore(cr);
  cairo_pattern_destroy(pattern);
}

static GskRenderNode *
node_new(const GArray *draws)
{
  graphene_rect_t all = g_array_index(draws, Draw, 0).seen, whole;
  for (guint i = 1; i < draws->len; i++)
    graphene_rect_union(&all, &g_array_index(draws, Draw, i).seen, &all);
  /* At 125 % or 300 % an edge between device pixels is a fraction of a logical one. What is recorded must begin at a whole
   * one and have colour beyond its edges, else cairo mixes the edge with what is below. */
  graphene_rect_round_extents(&all, &whole);
  GskRenderNode *node = gsk_cairo_node_new(&whole);
  cairo_t *cr = gsk_cairo_node_get_draw_context(node);
  for (guint i = 0; i < draws->len; i++)
    record(cr, &g_array_index(draws, Draw, i));
  cairo_destroy(cr);
  return node;
}

static void
draw_init(Draw *draw, cairo_surface_t *surface, const graphene_rect_t *place, const graphene_rect_t *seen,
          double opacity, gboolean squares)
{
  *draw = (Draw){ surface, *place, *seen, opacity, squares };
}

void
vt_paint_cairo_append(GtkSnapshot *snapshot, GdkTexture *texture, GBytes *bytes, gsize stride,
                      const graphene_rect_t *place, const graphene_rect_t *seen, gboolean squares)
{
  g_autoptr(GArray) draws = g_array_sized_new(FALSE, FALSE, sizeof(Draw), 1);
  g_array_set_size(draws, 1);
  draw_init(&g_array_index(draws, Draw, 0), get_surface(texture, bytes, stride), place, seen, 1, squares);
  GskRenderNode *node = node_new(draws);
  gtk_snapshot_append_node(snapshot, node);
  gsk_render_node_unref(node);
}

/* --- piles --- */

static Pile *
pile_new(const Draw *draw)
{
  Pile *pile = g_new0(Pile, 1);
  pile->draws = g_array_new(FALSE, FALSE, sizeof(Draw));
  cairo_surface_reference(draw->surface);
  g_array_append_val(pile->draws, *draw);
  return pile;
}

static gboolean
lies_on(const Draw *draw, const Pile *pile)
{
  const Draw *lowest = &g_array_index(pile->draws, Draw, 0);
  return graphene_rect_equal(&draw->place, &lowest->place) && graphene_rect_equal(&draw->seen, &lowest->seen)
         && draw->squares == lowest->squares
         && cairo_image_surface_get_width(draw->surface) == cairo_image_surface_get_width(lowest->surface)
         && cairo_image_surface_get_height(draw->surface) == cairo_image_surface_get_height(lowest->surface);
}

/* Onto the pile in its place, if nothing that was drawn since lies in between. */
static void
put_on(GPtrArray *piles, const Draw *draw)
{
  for (guint i = piles->len; i-- > 0;) {
    Pile *pile = piles->pdata[i];
    if (lies_on(draw, pile)) {
      cairo_surface_reference(draw->surface);
      g_array_append_val(pile->draws, *draw);
      return;
    }
    if (graphene_rect_intersection(&draw->place, &g_array_index(pile->draws, Draw, 0).place, NULL))
      break;
  }
  g_ptr_array_add(piles, pile_new(draw));
}

/* The same tiles, wherever they lie. */
static gboolean
pile_equal(const Pile *a, const Pile *b)
{
  gboolean same = a->draws->len == b->draws->len;
  for (guint i = 0; same && i < a->draws->len; i++) {
    const Draw *p = &g_array_index(a->draws, Draw, i), *q = &g_array_index(b->draws, Draw, i);
    same = p->surface == q->surface && p->opacity == q->opacity;
  }
  return same;
}

static cairo_surface_t *
merge(const Pile *pile)
{
  cairo_surface_t *lowest = g_array_index(pile->draws, Draw, 0).surface;
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, cairo_image_surface_get_width(lowest),
                                                        cairo_image_surface_get_height(lowest));
  cairo_t *cr = cairo_create(surface);
  VT_EACH_IN (const Draw, draw, pile->draws) {
    cairo_set_source_surface(cr, draw->surface, 0, 0);
    cairo_paint_with_alpha(cr, draw->opacity);
  }
  cairo_destroy(cr);
  return surface;
}

/* Tiles that moved are likely to move on: they are merged. What stays is drawn once as it is, and then no more. */
static void
find_merged(Pile *pile)
{
  const GPtrArray *former = g_object_get_data(now.owner, PILES);
  VT_EACH_OF (const Pile, last, former) {
    if (!pile_equal(last, pile))
      continue;
    if (last->surface) {
      pile->surface = cairo_surface_reference(last->surface);
    } else if (now.n_merged < MAX_MERGED
               && !graphene_rect_equal(&g_array_index(last->draws, Draw, 0).place,
                                       &g_array_index(pile->draws, Draw, 0).place)) {
      pile->surface = merge(pile);
      now.n_merged++;
    }
    return;
  }
}

/* Of tiles in one place, those that are merged are drawn as one from now on. */
static void
pile_up(void)
{
  g_autoptr(GPtrArray) piles = g_ptr_array_new();
  for (guint i = 0; i < now.draws->len; i++)
    put_on(piles, &g_array_index(now.draws, Draw, i));
  g_array_set_size(now.draws, 0);
  VT_EACH_OF (Pile, pile, piles) {
    Draw all = g_array_index(pile->draws, Draw, 0);
    if (pile->draws->len > 1)
      find_merged(pile);
    if (pile->surface) {
      all.surface = pile->surface;
      all.opacity = 1;
      g_array_append_val(now.draws, all);
    } else {
      g_array_append_vals(now.draws, pile->draws->data, pile->draws->len);
    }
    g_ptr_array_add(now.piles, pile);
  }
}

/* --- cells --- */

void
vt_paint_cairo_begin(GObject *owner, double scale, gboolean upright)
{
  now.owner = owner;
  now.scale = scale;
  now.opacity = 1;
  now.upright = upright;
  now.n_flushes = 0;
  now.draws = g_array_new(FALSE, FALSE, sizeof(Draw));
  now.cells = g_ptr_array_new_with_free_func(cell_free);
  now.piles = g_ptr_array_new_with_free_func(pile_free);
  now.n_merged = 0;
}

void
vt_paint_cairo_end(void)
{
  g_object_set_data_full(now.owner, CELLS, g_steal_pointer(&now.cells), (GDestroyNotify)g_ptr_array_unref);
  g_object_set_data_full(now.owner, PILES, g_steal_pointer(&now.piles), (GDestroyNotify)g_ptr_array_unref);
  g_clear_pointer(&now.draws, g_array_unref);
  now.owner = NULL;
}

void
vt_paint_cairo_set_opacity(double opacity)
{
  now.opacity = opacity;
}

void
vt_paint_cairo_add(GdkTexture *texture, GBytes *bytes, gsize stride, const graphene_rect_t *place,
                   const graphene_rect_t *seen, gboolean squares)
{
  cairo_surface_t *surface = get_surface(texture, bytes, stride);
  const double shrinks = gdk_texture_get_width(texture) / (place->size.width * now.scale);
  Draw draw;
  if (!squares)
    surface = get_halved(texture, surface, shrinks);
  draw_init(&draw, surface, place, seen, now.opacity, squares);
  g_array_append_val(now.draws, draw);
}

/* What is drawn in a cell. */
static GArray *
list_draws(int col, int row)
{
  const graphene_rect_t box = GRAPHENE_RECT_INIT((float)(col * CELL), (float)(row * CELL), CELL, CELL);
  GArray *draws = g_array_new(FALSE, FALSE, sizeof(Draw));
  for (guint i = 0; i < now.draws->len; i++) {
    Draw draw = g_array_index(now.draws, Draw, i);
    if (!now.upright || graphene_rect_intersection(&draw.seen, &box, &draw.seen))
      g_array_append_val(draws, draw);
  }
  return draws;
}

static gboolean
draw_equal(const Draw *a, const Draw *b)
{
  return a->surface == b->surface && a->opacity == b->opacity && a->squares == b->squares
         && graphene_rect_equal(&a->place, &b->place) && graphene_rect_equal(&a->seen, &b->seen);
}

static gboolean
is_same(const Cell *cell, const GArray *draws, int col, int row)
{
  gboolean same =
    cell->flush == now.n_flushes && cell->col == col && cell->row == row && cell->draws->len == draws->len;
  for (guint i = 0; same && i < draws->len; i++)
    same = draw_equal(&g_array_index(cell->draws, Draw, i), &g_array_index(draws, Draw, i));
  return same;
}

static void
draw_cell(GtkSnapshot *snapshot, int col, int row)
{
  const GPtrArray *former = g_object_get_data(now.owner, CELLS);
  GArray *draws = list_draws(col, row);
  Cell *cell = g_new0(Cell, 1);
  *cell = (Cell){ .flush = now.n_flushes, .col = col, .row = row, .draws = draws };
  if (draws->len == 0) {
    g_array_unref(draws);
    g_free(cell);
    return;
  }
  for (guint i = 0; former && !cell->node && i < former->len; i++)
    if (is_same(former->pdata[i], draws, col, row))
      cell->node = gsk_render_node_ref(((const Cell *)former->pdata[i])->node);
  if (!cell->node)
    cell->node = node_new(draws);
  g_ptr_array_add(now.cells, cell);
  gtk_snapshot_append_node(snapshot, cell->node);
}

void
vt_paint_cairo_flush(GtkSnapshot *snapshot)
{
  if (!now.owner || now.draws->len == 0)
    return;
  pile_up();
  graphene_rect_t all = g_array_index(now.draws, Draw, 0).seen;
  for (guint i = 1; i < now.draws->len; i++)
    graphene_rect_union(&all, &g_array_index(now.draws, Draw, i).seen, &all);
  const int last_col = now.upright ? (int)ceilf((all.origin.x + all.size.width) / CELL) - 1 : 0;
  const int last_row = now.upright ? (int)ceilf((all.origin.y + all.size.height) / CELL) - 1 : 0;
  for (int row = now.upright ? (int)floorf(all.origin.y / CELL) : 0; row <= last_row; row++)
    for (int col = now.upright ? (int)floorf(all.origin.x / CELL) : 0; col <= last_col; col++)
      draw_cell(snapshot, col, row);
  g_array_set_size(now.draws, 0);
  now.n_flushes++;
}
