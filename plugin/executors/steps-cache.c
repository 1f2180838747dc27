/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "executors/steps-cache.h"

/* The session keeps it from now on, so the run no longer frees it. */
static void
hand_over(VtRun *run, const VtImage *image)
{
  for (uint32_t i = 0; i < run->n_rasters; i++) {
    if (run->rasters[i] != image->data)
      continue;
    run->rasters[i] = run->rasters[--run->n_rasters];
    return;
  }
}

void
vt_steps_keep_pixels(VtSteps *steps, VtImage *image, const uint32_t *parents, uint32_t n_slots)
{
  VtRun *run = steps->run;
  VitrailSession *session = run->session;
  /* What was read for a device lies in memory of its kind, and is freed in its way; bounds are no stages. */
  if (steps->on_device || steps->bounds || steps->streamed || image->data == steps->input.data
      || !(run->request->flags & VITRAIL_RUN_KEEP_STAGES))
    return;
  if (!session->kept)
    session->kept = calloc(1, sizeof *session->kept);
  if (!session->kept)
    return;
  VtKeptRegion *region = vt_kept_find(session->kept, image);
  if (region->slots[0].image.data) {
    vt_steps_free(steps, image);
    *image = region->slots[0].image;
  } else if (vt_kept_put(session->kept, region, 0, image, NULL, 0)) {
    hand_over(run, image);
  } else {
    return;
  }
  steps->kept = region;
  steps->parents = parents;
  steps->n_slots = n_slots;
}

bool
vt_steps_recall(VtSteps *steps, uint32_t slot, const void *key, size_t key_size, VtImage *image)
{
  if (!steps->kept)
    return false;
  if (!vt_kept_has(steps->kept, slot, key, key_size)) {
    vt_kept_drop(steps->kept, slot, steps->parents, steps->n_slots);
    return false;
  }
  *image = steps->kept->slots[slot].image;
  steps->recalled |= 1u << slot;
  return true;
}

void
vt_steps_keep(VtSteps *steps, uint32_t slot, const void *key, size_t key_size, const VtImage *image)
{
  if (steps->kept && vt_kept_put(steps->run->session->kept, steps->kept, slot, image, key, key_size))
    hand_over(steps->run, image);
}

VitrailStatus
vt_steps_make_own(VtSteps *steps, VtImage *image)
{
  const VtImage kept = *image;
  for (uint32_t i = 0; steps->kept && i < steps->n_slots; i++) {
    if (steps->kept->slots[i].image.data != kept.data)
      continue;
    TRY(vt_steps_alloc(steps, image, kept.type));
    memcpy(image->data, kept.data, (size_t)kept.stride * (size_t)kept.height);
    return VITRAIL_OK;
  }
  return VITRAIL_OK;
}
