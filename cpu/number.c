/* SPDX-License-Identifier: MIT */
#include "vt-cpu.h"

#include <stdlib.h>

typedef struct Census {
  const VtNumber *args;
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
    const int64_t capacity = census->capacity ? census->capacity * 2 : 256;
    VtObjectStats *stats = realloc(census->stats, (size_t)capacity * sizeof *stats);
    if (!stats)
      return NULL;
    census->stats = stats;
    census->capacity = capacity;
  }
  VtObjectStats *object = &census->stats[census->n++];
  *object = (VtObjectStats){ .left = x, .top = y };
  census->number[label] = (int32_t)census->n;
  return object;
}

static VitrailStatus
count_row(Census *census, int64_t y)
{
  const int32_t *label = vt_image_at(&census->args->labels, 0, y);
  const uint16_t *a = vt_image_at(&census->args->a, 0, y), *b = vt_image_at(&census->args->b, 0, y);
  for (int64_t x = 0; x < census->args->labels.width; x++) {
    if (label[x] == 0)
      continue;
    VtObjectStats *object = object_of(census, label[x], x, y);
    if (!object)
      return VITRAIL_OUT_OF_MEMORY;
    object->area_px++;
    object->sum_x += x;
    object->sum_y += y;
    object->sum_a += a[x];
    object->sum_b += b[x];
    object->left = x < object->left ? x : object->left;
    object->right = x + 1 > object->right ? x + 1 : object->right;
    object->bottom = y + 1;
  }
  return VITRAIL_OK;
}

static VitrailStatus
count(Census *census, const VtCancel *cancel)
{
  for (int64_t y = 0; y < census->args->labels.height; y++) {
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
    const VitrailStatus status = count_row(census, y);
    if (status != VITRAIL_OK)
      return status;
  }
  return VITRAIL_OK;
}

static VitrailStatus
check_below(const VtImage *labels, int64_t end, const VtCancel *cancel)
{
  for (int64_t y = 0; y < labels->height; y++) {
    const int32_t *label = vt_image_at(labels, 0, y);
    bool ok = true;
    for (int64_t x = 0; x < labels->width; x++)
      ok &= label[x] >= 0 && label[x] < end;
    if (!ok)
      return VITRAIL_BAD_ARGUMENT;
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static VitrailStatus
look_up(const VtImage *labels, const int32_t *table, const VtCancel *cancel)
{
  for (int64_t y = 0; y < labels->height; y++) {
    int32_t *label = vt_image_at(labels, 0, y);
    for (int64_t x = 0; x < labels->width; x++)
      label[x] = table[label[x]];
    if (vt_cpu_cancelled_at(cancel, y))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

VitrailStatus
vt_cpu_number(VtDevice *device, const VtNumber *args, const VtCancel *cancel)
{
  if (!vt_number_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const int64_t n = args->labels.width * args->labels.height + 1;
  VitrailStatus status = check_below(&args->labels, n, cancel);
  if (status != VITRAIL_OK)
    return status;
  Census census = { .args = args };
  census.number = calloc((size_t)n, sizeof *census.number);
  if (!census.number)
    return VITRAIL_OUT_OF_MEMORY;
  status = count(&census, cancel);
  if (status == VITRAIL_OK)
    status = look_up(&args->labels, census.number, cancel);
  if (status == VITRAIL_OK) {
    *args->stats = census.stats;
    *args->n_objects = census.n;
  } else {
    free(census.stats);
  }
  free(census.number);
  return status;
}

VitrailStatus
vt_cpu_relabel(VtDevice *device, const VtRelabel *args, const VtCancel *cancel)
{
  if (!vt_relabel_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const VitrailStatus status = check_below(&args->labels, args->n_entries, cancel);
  return status == VITRAIL_OK ? look_up(&args->labels, args->table, cancel) : status;
}
