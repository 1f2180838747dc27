/* SPDX-License-Identifier: MIT */
#include "run/vt-run-lengths.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "base/vt-define.h"

#define MAX_COORDINATE ((gint64)1 << 40)
#define MAX_LEVELS 65535

static const gint8 dxs[VT_RUN_DIRECTIONS] = { 1, 1, 0, -1 }, dys[VT_RUN_DIRECTIONS] = { 0, 1, 1, 1 };

void
vt_run_direction_get_step(guint direction, int *dx, int *dy)
{
  *dx = dxs[direction];
  *dy = dys[direction];
}

/* --- what a plugin tells --- */

/* Each pixel of a level is of one run of that level: lengths add up to pixels, in each direction. */
static gboolean
adds_up(const VitrailRunLengths *told, const guint64 *n_of)
{
  for (gsize row = 0; row < (gsize)VT_RUN_DIRECTIONS * told->n_levels; row++) {
    guint64 n = 0;
    for (guint j = 0; j < told->longest; j++)
      n += (guint64)told->counts[row * told->longest + j] * (j + 1);
    if (n != n_of[row % told->n_levels])
      return FALSE;
  }
  return TRUE;
}

const char *
vt_run_lengths_doubt(const VitrailRunLengths *told)
{
  if (told->downsample < 1 || told->x < 0 || told->y < 0 || told->x >= MAX_COORDINATE || told->y >= MAX_COORDINATE
      || told->width < 1 || told->height < 1 || told->width > VITRAIL_LENGTHS_MOST_PX / told->height
      || told->n_pixels != told->width * told->height || told->n_levels < 1 || told->n_levels > MAX_LEVELS
      || told->longest < 1 || told->longest > MAX(told->width, told->height)
      || told->n_counts != (guint64)VT_RUN_DIRECTIONS * told->n_levels * told->longest || !told->levels || !told->counts
      || !isfinite(told->level_from) || !isfinite(told->level_step) || told->level_step < 0 || !told->unit)
    return "it hands back run lengths that make no sense";
  g_autofree guint64 *n_of = g_new0(guint64, told->n_levels);
  for (gsize i = 0; i < told->n_pixels; i++) {
    if (told->levels[i] > told->n_levels)
      return "it hands back run lengths with a level that there is not";
    if (told->levels[i] > 0)
      n_of[told->levels[i] - 1]++;
  }
  return adds_up(told, n_of) ? NULL : "it hands back run lengths that do not add up to its pixels";
}

VtRunLengths *
vt_run_lengths_new(const VitrailRunLengths *told)
{
  VtRunLengths *self = g_atomic_rc_box_new0(VtRunLengths);
  self->x = told->x;
  self->y = told->y;
  self->width = told->width;
  self->height = told->height;
  self->downsample = told->downsample;
  self->n_levels = told->n_levels;
  self->longest = told->longest;
  self->level_from = told->level_from;
  self->level_step = told->level_step;
  self->unit = g_intern_string(g_utf8_validate(told->unit, -1, NULL) ? told->unit : "?");
  self->levels = g_try_new(guint32, told->n_pixels);
  self->counts = g_try_new(guint32, told->n_counts);
  if (!self->levels || !self->counts) {
    vt_run_lengths_unref(self);
    return NULL;
  }
  memcpy(self->levels, told->levels, told->n_pixels * sizeof *self->levels);
  memcpy(self->counts, told->counts, told->n_counts * sizeof *self->counts);
  for (gsize i = 0; i < told->n_pixels; i++) {
    self->n_pixels += self->levels[i] > 0;
    self->top = MAX(self->top, self->levels[i]);
  }
  return self;
}

VT_DEFINE_CLEAR(run_lengths_clear, VtRunLengths, VT_FREES(g_free, levels, counts))

VT_DEFINE_REF(VtRunLengths, vt_run_lengths, run_lengths_clear)

/* --- cells --- */

guint64
vt_run_lengths_count(const VtRunLengths *lengths, const VtRunCell *cell)
{
  const guint last_level = MIN(cell->level_to, lengths->n_levels), last_length = MIN(cell->length_to, lengths->longest);
  guint64 n = 0;
  for (guint d = 0; d < VT_RUN_DIRECTIONS; d++)
    for (guint level = MAX(cell->level_from, 1); cell->directions >> d & 1 && level <= last_level; level++) {
      const guint32 *row = lengths->counts + ((gsize)d * lengths->n_levels + level - 1) * lengths->longest;
      for (guint length = MAX(cell->length_from, 1); length <= last_length; length++)
        n += row[length - 1];
    }
  return n;
}

/* 0: outside of the rectangle, or of the region. */
static guint32
get_level(const VtRunLengths *lengths, gint64 x, gint64 y)
{
  const gboolean is_inside = x >= 0 && y >= 0 && x < lengths->width && y < lengths->height;
  return is_inside ? lengths->levels[y * lengths->width + x] : 0;
}

static void
find_along(const VtRunLengths *lengths, const VtRunCell *cell, guint d, GArray *places)
{
  const int dx = dxs[d], dy = dys[d];
  for (gint64 y = 0; y < lengths->height; y++)
    for (gint64 x = 0; x < lengths->width; x++) {
      const guint32 level = get_level(lengths, x, y);
      if (level < MAX(cell->level_from, 1) || level > cell->level_to || get_level(lengths, x - dx, y - dy) == level)
        continue;
      guint length = 1;
      while (get_level(lengths, x + (gint64)length * dx, y + (gint64)length * dy) == level)
        length++;
      const VtRunPlace place = { (guint)x, (guint)y, d, length };
      if (length >= cell->length_from && length <= cell->length_to)
        g_array_append_val(places, place);
    }
}

GArray *
vt_run_lengths_find(const VtRunLengths *lengths, const VtRunCell *cell)
{
  GArray *places = g_array_new(FALSE, FALSE, sizeof(VtRunPlace));
  for (guint d = 0; d < VT_RUN_DIRECTIONS; d++)
    if (cell->directions >> d & 1)
      find_along(lengths, cell, d, places);
  return places;
}

/* --- one pixel --- */

gboolean
vt_run_lengths_find_through(const VtRunLengths *lengths, guint x, guint y, VtRunPlace places[VT_RUN_DIRECTIONS])
{
  const guint32 level = get_level(lengths, x, y);
  for (guint d = 0; level > 0 && d < VT_RUN_DIRECTIONS; d++) {
    gint64 before = 0, after = 0;
    while (get_level(lengths, x - (before + 1) * dxs[d], y - (before + 1) * dys[d]) == level)
      before++;
    while (get_level(lengths, x + (after + 1) * dxs[d], y + (after + 1) * dys[d]) == level)
      after++;
    places[d] =
      (VtRunPlace){ (guint)(x - before * dxs[d]), (guint)(y - before * dys[d]), d, (guint)(before + 1 + after) };
  }
  return level > 0;
}

/* Along rows and columns one rectangle, else one for each pixel: these touch at their corners. */
VtRoi *
vt_run_lengths_dup_roi(const VtRunLengths *lengths, const VtRunPlace *place)
{
  const int dx = dxs[place->direction], dy = dys[place->direction];
  const gboolean is_leaning = dx != 0 && dy != 0;
  const guint n = is_leaning ? place->length : 1, corners = 4;
  const double d = lengths->downsample, width = is_leaning || dx == 0 ? 1 : place->length,
               height = is_leaning || dy == 0 ? 1 : place->length;
  VtRoi *roi = vt_roi_new("");
  for (guint i = 0; i < n; i++) {
    const double x = (double)lengths->x + place->x + (double)i * dx, y = (double)lengths->y + place->y + (double)i * dy;
    const double ring[] = { x * d, y * d,           (x + width) * d, y * d, (x + width) * d, (y + height) * d,
                            x * d, (y + height) * d };
    g_array_append_val(roi->ring_sizes, corners);
    g_array_append_vals(roi->points, ring, G_N_ELEMENTS(ring));
  }
  return roi;
}

char *
vt_run_lengths_dup_levels(const VtRunLengths *lengths, const VtRunCell *cell)
{
  const double from = lengths->level_from + (cell->level_from - 1) * lengths->level_step;
  const double to = lengths->level_from + cell->level_to * lengths->level_step;
  g_autofree char *values =
    lengths->level_step > 0 ? g_strdup_printf(" (%.4g – %.4g%s%s)", from, to, *lengths->unit ? " " : "", lengths->unit)
                            : g_strdup("");
  if (cell->level_from == cell->level_to)
    return g_strdup_printf(_("Level %u%s"), cell->level_to, values);
  return g_strdup_printf(_("Levels %u to %u%s"), cell->level_from, cell->level_to, values);
}
