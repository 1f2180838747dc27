/* SPDX-License-Identifier: MIT
 *
 * From labels to numbered objects. The number depends on the pixels alone: objects are counted in the order of their first
 * pixel, row by row, never by arrival. */
#include <stdlib.h>
#include <string.h>

#include "vt-run-context.h"

typedef struct {
  int32_t *number; /* by label: 1 + index in stats, 0 = not met yet */
  VtObjectStats *stats;
  int64_t n, capacity;
} Census;

static VtObjectStats *
object_of(Census *census, int32_t label, int64_t x, int64_t y)
{
  if (census->number[label] > 0)
    return &census->stats[census->number[label] - 1];
  if (census->n == census->capacity) {
    int64_t capacity = census->capacity ? census->capacity * 2 : 256;
    VtObjectStats *stats = realloc(census->stats, (size_t)capacity * sizeof *stats);
    if (!stats)
      return NULL;
    census->stats = stats;
    census->capacity = capacity;
  }
  VtObjectStats *object = &census->stats[census->n++];
  *object = (VtObjectStats){ .box = { x, y, 0, 0 } };
  census->number[label] = (int32_t)census->n;
  return object;
}

/* width and height of the box hold the right and lower end until the census is closed */
static bool
take_census(Census *census, const VtImage *labels, const VtImage *stain, const VtImage *background)
{
  for (int64_t y = 0; y < labels->height; y++) {
    const int32_t *label = vt_image_at(labels, 0, y);
    const uint16_t *stain_row = vt_image_at(stain, 0, y), *background_row = vt_image_at(background, 0, y);
    for (int64_t x = 0; x < labels->width; x++) {
      if (label[x] == 0)
        continue;
      VtObjectStats *object = object_of(census, label[x], x, y);
      if (!object)
        return false;
      object->area_px++;
      object->sum_x += x;
      object->sum_y += y;
      object->sum_stain += stain_row[x];
      object->sum_background += background_row[x];
      if (x < object->box.x)
        object->box.x = x;
      if (x + 1 > object->box.width)
        object->box.width = x + 1;
      object->box.height = y + 1;
    }
  }
  return true;
}

static bool
keep(const VtObjectStats *object, const VtObjectFilter *filter)
{
  return object->area_px >= filter->min_area_px && object->area_px <= filter->max_area_px
         && (double)object->sum_background <= filter->max_background * (double)object->area_px;
}

VitrailStatus
vt_objects_number(VtRun *run, const VtImage *labels, const VtImage *stain, const VtImage *background,
                  const VtObjectFilter *filter, VtObjectStats **stats, int64_t *n_objects)
{
  Census census = { .number = calloc((size_t)(labels->width * labels->height) + 1, sizeof *census.number) };
  if (!census.number || !take_census(&census, labels, stain, background)) {
    free(census.number);
    free(census.stats);
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, "There is not enough memory to count the objects.");
  }
  int32_t *renumber = calloc((size_t)census.n + 1, sizeof *renumber);
  if (!renumber) {
    free(census.number);
    free(census.stats);
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, "There is not enough memory to count the objects.");
  }
  int32_t kept = 0;
  for (int64_t i = 0; i < census.n; i++) {
    if (!keep(&census.stats[i], filter))
      continue;
    renumber[i + 1] = kept + 1;
    VtObjectStats *object = &census.stats[kept++];
    *object = census.stats[i];
    object->box.width -= object->box.x;
    object->box.height -= object->box.y;
  }
  for (int64_t y = 0; y < labels->height; y++) {
    int32_t *label = vt_image_at(labels, 0, y);
    for (int64_t x = 0; x < labels->width; x++)
      label[x] = renumber[census.number[label[x]]];
  }
  free(renumber);
  free(census.number);
  *stats = census.stats;
  *n_objects = kept;
  return VITRAIL_OK;
}
