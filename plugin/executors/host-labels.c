/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "executors/bounded.h"
#include "executors/host.h"
#include "run/grid.h"

/* Labels are 0..largest, or VT_UNSURE, which stays. */
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
      if (row[x] == 0 || row[x] == VT_UNSURE)
        continue;
      if (number[row[x]] == 0)
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
vt_host_number(VtExec *x, const VtImage *labels, int64_t *n)
{
  return number(x->run, labels, labels->width * labels->height, n);
}

VitrailStatus
vt_host_show(VtExec *x, const VtImage *labels, int64_t *n)
{
  const VtImage shown = vt_run_shown(x->run, labels);
  return vt_run_has_margin(x->run) && *n > 0 ? number(x->run, &shown, *n, n) : VITRAIL_OK;
}

VitrailStatus
vt_host_sized(VtExec *x, const VtImage *foreground, const VtImage *dst, int32_t connectivity, double least, double most)
{
  VtRun *run = x->run;
  const int64_t width = dst->width, height = dst->height;
  VtImage labels;
  TRY(x->does->alloc(x, &labels, VITRAIL_I32));
  const VtComponents args = { .src = *foreground, .dst = labels, .connectivity = connectivity };
  TRY(x->does->components(x, &args));
  /* A label is 1 + a pixel's number: one count for each is enough. */
  uint32_t *areas = calloc((size_t)(width * height) + 1, sizeof *areas);
  if (!areas)
    return vt_fail(run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory to count the pixels of the pieces."));
  bool cancelled = false;
  for (int64_t y = 0; y < height && !cancelled; y++, cancelled = vt_cancelled_at(run, y)) {
    const int32_t *label = vt_image_at(&labels, 0, y);
    for (int64_t i = 0; i < width; i++)
      areas[label[i]]++;
  }
  for (int64_t y = 0; y < height && !cancelled; y++, cancelled = vt_cancelled_at(run, y)) {
    const int32_t *label = vt_image_at(&labels, 0, y);
    uint8_t *to = vt_image_at(dst, 0, y);
    for (int64_t i = 0; i < width; i++)
      to[i] = label[i] != 0 && areas[label[i]] >= least && areas[label[i]] <= most ? 255 : 0;
  }
  free(areas);
  x->does->free(x, &labels);
  return cancelled ? VITRAIL_CANCELLED : VITRAIL_OK;
}
