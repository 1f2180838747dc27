/* SPDX-License-Identifier: MIT
 *
 * Rasters of labels: given ones, connected pieces, numbers in reading order. */
#include <stdlib.h>

#include "steps/labels.h"
#include "drivers/whole.h"
#include "run/grid.h"
#include "run/params.h"
#include "run/raster.h"

#define WIDEN(T) \
  for (int64_t y = 0; y < from->height; y++) { \
    const T *row = vt_image_at(from, 0, y); \
    int32_t *to = vt_image_at(labels, 0, y); \
    for (int64_t x = 0; x < from->width; x++) { \
      least = row[x] < least ? row[x] : least; \
      to[x] = row[x]; \
    } \
    if (vt_cancelled_at(run, y)) \
      return VITRAIL_CANCELLED; \
  }

static VitrailStatus
widen(VtRun *run, const VtImage *from, const VtImage *labels)
{
  int32_t least = 0;
  switch (from->type) {
  case VITRAIL_U8: WIDEN(uint8_t); break;
  case VITRAIL_U16: WIDEN(uint16_t); break;
  case VITRAIL_I32: WIDEN(int32_t); break;
  default: return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("Labels are whole numbers; this image has floats."));
  }
  if (least < 0)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "Labels can't be negative; this image has %d.", (int)least);
  return VITRAIL_OK;
}

/* The labels fit the image, pixel for pixel. */
static VitrailStatus
check_labels(VtRun *run, const VitrailInput *input, const VitrailInput *image)
{
  if (input->width_l0 != image->width_l0 || input->height_l0 != image->height_l0)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "The input \"%s\" is %lld x %lld pixels and the image %lld x %lld; they must agree.", input->id,
                   (long long)input->width_l0, (long long)input->height_l0, (long long)image->width_l0,
                   (long long)image->height_l0);
  if (run->grid.downsample > 1)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "Labels have no mean, so the pixel size must be the image's own, not %u times as much.",
                   (unsigned)run->grid.downsample);
  return VITRAIL_OK;
}

VitrailStatus
vt_read_labels(VtRun *run, const char *id, const VitrailInput *image, VtImage *labels)
{
  const VitrailInput *input = vt_input(run, id);
  *labels = (VtImage){ 0 };
  if (!input)
    return VITRAIL_OK;
  TRY(check_labels(run, input, image));
  VtImage raw;
  TRY(vt_read_input(run, input, vt_grid_rect(run), &raw));
  TRY(vt_raster_alloc(run, labels, VITRAIL_I32, raw.width, raw.height));
  return widen(run, &raw, labels);
}

static VitrailStatus
label_tile(VtRun *run, const VtStreamTile *t, void *user)
{
  const VitrailInput *input = user;
  VtImage raw;
  vt_image_new(&raw, input->type, t->tile.width, t->tile.height);
  VitrailStatus status = raw.data ? vt_stream_read(run, input, t->tile, &raw) : VITRAIL_OUT_OF_MEMORY;
  if (status == VITRAIL_OK)
    status = widen(run, &raw, &t->out[0]);
  free(raw.data);
  return status;
}

VitrailStatus
vt_streamed_labels(VtStreamed *s, const char *id, const VitrailInput *image, VtStore *labels, bool *given)
{
  const VitrailInput *input = vt_input(s->run, id);
  *given = input != NULL;
  if (!input)
    return VITRAIL_OK;
  TRY(check_labels(s->run, input, image));
  const VtStreamLocal read = { .out = { labels }, .body_bytes = 4, .body = label_tile, .user = (void *)input };
  return vt_streamed_local(s, &read);
}

VitrailStatus
vt_components(VtRun *run, const VtImage *mask, int32_t connectivity, VtImage *labels)
{
  TRY(vt_raster_alloc(run, labels, VITRAIL_I32, mask->width, mask->height));
  const VtComponents args = { *mask, *labels, connectivity };
  return vt_whole_components(run, &args);
}

/* Labels are 0..largest. */
static VitrailStatus
number(VtRun *run, const VtImage *labels, int64_t largest, int64_t *n)
{
  int32_t *number = calloc((size_t)largest + 1, sizeof *number);
  if (!number)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to count the labels."));
  int32_t next = 0;
  bool cancelled = false;
  for (int64_t y = 0; y < labels->height && !cancelled; y++) {
    int32_t *row = vt_image_at(labels, 0, y);
    for (int64_t x = 0; x < labels->width; x++) {
      if (row[x] != 0 && number[row[x]] == 0)
        number[row[x]] = ++next;
      row[x] = number[row[x]];
    }
    cancelled = vt_cancelled_at(run, y);
  }
  free(number);
  *n = next;
  return cancelled ? VITRAIL_CANCELLED : VITRAIL_OK;
}

VitrailStatus
vt_labels_number(VtRun *run, const VtImage *labels, int64_t *n)
{
  return number(run, labels, labels->width * labels->height, n);
}

VitrailStatus
vt_labels_show(VtRun *run, const VtImage *labels, int64_t *n)
{
  const VtImage shown = vt_run_shown(run, labels);
  return vt_run_has_margin(run) ? number(run, &shown, *n, n) : VITRAIL_OK;
}
