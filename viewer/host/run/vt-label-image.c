/* SPDX-License-Identifier: MIT
 *
 * Pieces are found row by row with a union-find; vt-label-trace.c goes round them. */
#include "run/vt-label-image.h"

#include <math.h>

#include "base/vt-define.h"
#include "run/vt-shapes-private.h"
#include "slide/vt-reader.h"

#define LIKE 0.05 /* of the slide's height: so much may sizes that were rounded to whole pixels differ */
#define MAX_PIECES (VT_SHAPES_MAX_POINTS / 4) /* each has four corners at least */

VT_DEFINE_TYPE_FREE(vt_label_image_free, VtLabelImage,
                    VT_FREES(vt_raster_unref, raster, pieces) VT_FREES(g_array_unref, labels)
                      VT_FREES(g_free, path, file))

static gboolean
read_row(const VtLabelImage *self, gint64 y, gint32 *row, GError **error)
{
  for (gint64 x = 0; x < self->raster->width; x++) {
    const double value = vt_raster_get_raw(self->raster, x, y);
    if (!(value >= 0 && value <= G_MAXINT32 && value == floor(value)))
      return vt_error_set(error, VITRAIL_READ_FAILED,
                          "%s holds %g at pixel (%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                          "), which is no label: labels are whole numbers from 0 up.",
                          self->file, value, x, y);
    row[x] = (gint32)value;
  }
  return TRUE;
}

/* The first of those that are one piece. */
static guint32
find_root(guint32 *roots, guint32 piece)
{
  while (roots[piece] != piece) {
    roots[piece] = roots[roots[piece]];
    piece = roots[piece];
  }
  return piece;
}

/* Numbers the pixels of a row; `labels` and `roots` get an entry for each number that is new. */
static gboolean
number_row(VtLabelImage *self, GArray *roots, const gint32 *above, const gint32 *row, gint64 y, GError **error)
{
  gint32 *pieces = (gint32 *)(gpointer)(self->pieces->data + (gsize)y * self->pieces->stride);
  const gint32 *before = pieces - self->pieces->width;
  for (gint64 x = 0; x < self->pieces->width; x++) {
    const guint32 up = y > 0 && row[x] && above[x] == row[x] ? (guint32)before[x] : 0;
    guint32 piece = x > 0 && row[x] && row[x - 1] == row[x] ? (guint32)pieces[x - 1] : up;
    if (piece != up && up > 0) {
      guint32 *all = (guint32 *)(gpointer)roots->data;
      const guint32 a = find_root(all, piece), b = find_root(all, up);
      all[MAX(a, b)] = MIN(a, b);
    } else if (row[x] && piece == 0) {
      piece = roots->len;
      g_array_append_val(roots, piece);
      g_array_append_val(self->labels, row[x]);
      if (piece > MAX_PIECES)
        return vt_error_set(error, VITRAIL_READ_FAILED, "%s has more than %u pieces, and so many cannot be outlined.",
                            self->file, (guint)MAX_PIECES);
    }
    pieces[x] = (gint32)piece;
  }
  return TRUE;
}

/* Numbers them anew, without gaps. */
static void
settle_pieces(VtLabelImage *self, GArray *roots)
{
  guint32 *all = (guint32 *)(gpointer)roots->data;
  gint32 *labels = (gint32 *)(gpointer)self->labels->data;
  g_autofree gint32 *numbers = g_new0(gint32, roots->len);
  for (guint32 i = 1; i < roots->len; i++) {
    const guint32 root = find_root(all, i);
    numbers[i] = root == i ? (gint32)++self->n_pieces : numbers[root];
    if (root == i)
      labels[numbers[i]] = labels[i];
  }
  g_array_set_size(self->labels, self->n_pieces + 1);
  gint32 *pieces = (gint32 *)(gpointer)self->pieces->data;
  const gsize n = (gsize)self->pieces->width * (gsize)self->pieces->height;
  for (gsize i = 0; i < n; i++)
    pieces[i] = numbers[pieces[i]];
}

static int
compare_labels(gconstpointer a, gconstpointer b)
{
  const gint32 p = *(const gint32 *)a, q = *(const gint32 *)b;
  return (p > q) - (p < q);
}

static void
count_labels(VtLabelImage *self)
{
  g_autoptr(GArray) sorted = g_array_copy(self->labels);
  g_array_sort(sorted, compare_labels);
  for (guint i = 1; i < sorted->len; i++)
    self->n_labels += g_array_index(sorted, gint32, i) != g_array_index(sorted, gint32, i - 1);
  self->highest = g_array_index(sorted, gint32, sorted->len - 1);
}

static gboolean
find_pieces(VtLabelImage *self, const VtShapesContext *context, GError **error)
{
  const gint64 width = self->raster->width, height = self->raster->height;
  g_autofree gint32 *row = g_new(gint32, width), *above = g_new0(gint32, width);
  g_autoptr(GArray) roots = g_array_new(FALSE, TRUE, sizeof(guint32));
  self->pieces = vt_raster_new(VITRAIL_I32, width, height, error);
  self->labels = g_array_new(FALSE, TRUE, sizeof(gint32));
  if (!self->pieces)
    return FALSE;
  g_array_set_size(roots, 1);
  g_array_set_size(self->labels, 1);
  for (gint64 y = 0; y < height; y++) {
    if ((context && g_cancellable_set_error_if_cancelled(context->cancellable, error)) || !read_row(self, y, row, error)
        || !number_row(self, roots, above, row, y, error))
      return FALSE;
    if (context && context->progress)
      context->progress(0.5 + (double)y / (double)height / 2, context->user);
    gint32 *former = above;
    above = row;
    row = former;
  }
  settle_pieces(self, roots);
  count_labels(self);
  return TRUE;
}

/* Reading is the first half of the work, numbering its pieces the second. */
static void
tell_half(double fraction, gpointer user)
{
  const VtShapesContext *context = user;
  if (context->progress)
    context->progress(fraction / 2, context->user);
}

VtLabelImage *
vt_label_image_read(const char *path, const VtShapesContext *context, GError **error)
{
  const VtFileKind kind = vt_raster_get_kind(path);
  g_autoptr(VtLabelImage) self = g_new0(VtLabelImage, 1);
  const VtReadContext reading = { context ? context->cancellable : NULL, tell_half, (gpointer)context };
  VtRasterFacts facts;
  self->path = g_canonicalize_filename(path, NULL);
  self->file = vt_error_dup_name(path);
  if (kind == VT_FILE_JPEG)
    vt_error_set(error, VITRAIL_READ_FAILED, "%s is a JPEG, which changes pixels: labels need a PNG or a TIFF.",
                 self->file);
  else
    self->raster = vt_reader_read_raster(path, NULL, context ? &reading : NULL, &facts, error);
  if (!self->raster)
    return NULL;
  if (self->raster->type == VITRAIL_RGBA8) {
    vt_error_set(error, VITRAIL_READ_FAILED,
                 "%s is an image in colour: a label image is grey, and its values are the objects' numbers.",
                 self->file);
    return NULL;
  }
  self->is_placed = facts.is_placed;
  if (facts.is_placed)
    vt_raster_set_place(self->raster, &facts.place);
  self->n_pages = facts.n_pages;
  self->is_turned = facts.orientation != 1;
  return find_pieces(self, context, error) ? g_steal_pointer(&self) : NULL;
}

VtLabelGuess
vt_label_image_guess(const VtLabelImage *self, gint64 width_l0, gint64 height_l0, VtLabelPlace *place)
{
  const VtRaster *raster = self->raster;
  const double width = (double)raster->width, height = (double)raster->height;
  const double downsample = (double)width_l0 / width;
  *place = (VtLabelPlace){ 0, 0, 1 };
  if (self->is_placed) {
    double right = 0, bottom = 0;
    vt_raster_get_bounds_l0(raster, &place->x_l0, &place->y_l0, &right, &bottom);
    place->downsample = raster->downsample;
    return VT_LABELS_AS_FILE_SAYS;
  }
  const double rest = fabs(height * downsample - (double)height_l0);
  if (rest >= MAX(downsample, 1) || rest > LIKE * (double)height_l0)
    return VT_LABELS_UNKNOWN;
  place->downsample = downsample;
  return VT_LABELS_OVER_SLIDE;
}

/* Whole numbers from 1 on for the labels in their order, as pixels; `labels` gets those of the file. */
static VtRaster *
number_labels(const VtLabelImage *self, GArray *labels, GError **error)
{
  const gint32 *of_pieces = (const gint32 *)(gconstpointer)self->labels->data;
  const gint32 *pieces = (const gint32 *)(gconstpointer)self->pieces->data;
  const gsize n_pixels = (gsize)self->pieces->width * (gsize)self->pieces->height;
  VtRaster *raster = vt_raster_new(VITRAIL_I32, self->pieces->width, self->pieces->height, error);
  g_autofree gint32 *numbers = g_new0(gint32, self->labels->len);
  g_autoptr(GArray) sorted = g_array_copy(self->labels);
  if (!raster)
    return NULL;
  g_array_sort(sorted, compare_labels); /* 0 is the first */
  for (guint i = 0; i < sorted->len; i++)
    if (i == 0 || g_array_index(sorted, gint32, i) != g_array_index(sorted, gint32, i - 1))
      g_array_append_val(labels, g_array_index(sorted, gint32, i));
  for (guint i = 1; i < self->labels->len; i++) {
    guint place = 0;
    g_array_binary_search(labels, &of_pieces[i], compare_labels, &place);
    numbers[i] = (gint32)place;
  }
  gint32 *to = (gint32 *)(gpointer)raster->data;
  for (gsize i = 0; i < n_pixels; i++)
    to[i] = numbers[pieces[i]];
  return raster;
}

VtPlacedLabels *
vt_label_image_place(const VtLabelImage *self, const VtLabelPlace *place, gboolean by_piece, GError **error)
{
  if (by_piece)
    return vt_placed_labels_new(self->path, place, vt_raster_ref(self->pieces), NULL);
  g_autoptr(GArray) labels = g_array_new(FALSE, FALSE, sizeof(gint32));
  VtRaster *raster = number_labels(self, labels, error);
  return raster ? vt_placed_labels_new(self->path, place, raster, g_steal_pointer(&labels)) : NULL;
}
