/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "executors/bounded.h"
#include "executors/host.h"
#include "run/grid.h"
#include "run/raster.h"

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

/* Numbers of labels in the order in which they are met: open addressing. */
typedef struct {
  int64_t n, n_slots;
  int32_t (*slots)[2]; /* label, number; label 0: free */
} Numbers;

static int32_t *
find_number(const Numbers *numbers, int32_t label)
{
  const uint64_t mask = (uint64_t)numbers->n_slots - 1;
  uint64_t at = ((uint32_t)label * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
  while (numbers->slots[at][0] != 0 && numbers->slots[at][0] != label)
    at = (at + 1) & mask;
  numbers->slots[at][0] = label;
  return &numbers->slots[at][1];
}

static bool
grow(Numbers *numbers)
{
  Numbers more = { numbers->n, numbers->n_slots ? 2 * numbers->n_slots : 1024, NULL };
  more.slots = calloc((size_t)more.n_slots, sizeof *more.slots);
  for (int64_t i = 0; more.slots && i < numbers->n_slots; i++)
    if (numbers->slots[i][0] != 0)
      *find_number(&more, numbers->slots[i][0]) = numbers->slots[i][1];
  free(numbers->slots);
  *numbers = more;
  return more.slots != NULL;
}

static bool
settle_row(Numbers *numbers, int32_t *row, int64_t width)
{
  for (int64_t x = 0; x < width; x++) {
    if (row[x] == 0 || row[x] == VT_UNSURE)
      continue;
    if (2 * numbers->n >= numbers->n_slots && !grow(numbers))
      return false;
    int32_t *number = find_number(numbers, row[x]);
    if (*number == 0)
      *number = (int32_t)++numbers->n;
    row[x] = *number;
  }
  return true;
}

VitrailStatus
vt_host_settle(VtExec *x, const VtImage *labels)
{
  Numbers numbers = { 0 };
  bool is_large = false;
  for (int64_t y = 0; y < labels->height && x->run->has_given_labels && !is_large; y++) {
    const int32_t *row = vt_image_at(labels, 0, y);
    for (int64_t i = 0; i < labels->width; i++)
      is_large |= row[i] != VT_UNSURE && row[i] > labels->width * labels->height;
  }
  VitrailStatus status = VITRAIL_OK;
  for (int64_t y = 0; y < labels->height && is_large && status == VITRAIL_OK; y++)
    status = vt_cancelled_at(x->run, y)                                       ? VITRAIL_CANCELLED
             : settle_row(&numbers, vt_image_at(labels, 0, y), labels->width) ? VITRAIL_OK
                                                                              : VITRAIL_OUT_OF_MEMORY;
  free(numbers.slots);
  return status == VITRAIL_OUT_OF_MEMORY
           ? vt_fail(x->run, status, TR("There is not enough memory to count the labels."))
           : status;
}

VitrailStatus
vt_host_number(VtExec *x, const VtImage *labels, int64_t *n)
{
  TRY(vt_host_settle(x, labels));
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

VitrailStatus
vt_host_overlaps(VtExec *x, const VtImage *labels, const VitrailInput *truth, VtOverlap **list, int64_t *n)
{
  VtRun *run = x->run;
  VtOverlaps args = { .a = *labels, .list = list, .n = n };
  TRY(vt_read_input(run, truth, vt_grid_rect(run), &args.b));
  const VitrailStatus status = run->cpu->overlaps(run->cpu_team, &args, &run->cancel);
  vt_raster_recycle(run, &args.b);
  return status == VITRAIL_OUT_OF_MEMORY ? vt_fail(run, status, TR("There is not enough memory to count the labels."))
                                         : status;
}
