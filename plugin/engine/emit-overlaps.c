/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "engine/engine.h"
#include "run/params.h"

/* The labels are the numbers that the objects are handed over with. *n stays below 0 where there is nothing to tell. */
static VitrailStatus
count(const VtGraph *graph, VtExec *x, const VtCall *call, VtOverlap **list, int64_t *n)
{
  const VitrailInput *truth = vt_input_truth(graph->run);
  const bool is_outlined = call->params[VT_OUTLINES_CELLS].number == 0;
  if (!truth || !graph->run->host.emit_overlaps || !is_outlined || !x->does->overlaps || x->in_blocks)
    return VITRAIL_OK;
  return x->does->overlaps(x, &call->in[0]->image, truth, list, n);
}

static VitrailStatus
tell(VtRun *run, uint32_t stage, const VtOverlap *list, int64_t n)
{
  enum { NUMBERS = 3 };
  _Static_assert(sizeof *list == NUMBERS * sizeof(int32_t), "a host takes the list as it is");
  const VitrailOverlaps overlaps = { .size = sizeof overlaps,
                                     .stage = stage,
                                     .downsample = run->grid.downsample,
                                     .n_numbers = (uint32_t)n * NUMBERS,
                                     .numbers = n > 0 ? &list->a : NULL };
  return n >= 0 && n <= VITRAIL_OVERLAPS_MOST ? run->host.emit_overlaps(run->host.user, &overlaps) : VITRAIL_OK;
}

VitrailStatus
vt_emit_compared_objects(VtGraph *graph, VtExec *x, uint32_t stage, const VtCall *call)
{
  VtOverlap *list = NULL;
  int64_t n = -1;
  VitrailStatus status = count(graph, x, call, &list, &n);
  THEN(status, vt_emit_objects(graph, x, stage, call, NULL));
  THEN(status, tell(graph->run, stage, list, n));
  free(list);
  return status;
}
