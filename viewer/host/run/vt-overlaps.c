/* SPDX-License-Identifier: MIT */
#include "run/vt-overlaps.h"

#include "base/vt-define.h"

#define NUMBERS 3 /* of a pair */

VtRunTruth *
vt_run_truth_new(guint64 number, VtRunTruthRead read, gpointer user, GDestroyNotify free)
{
  VtRunTruth *self = g_atomic_rc_box_new0(VtRunTruth);
  *self = (VtRunTruth){ number, read, user, free };
  return self;
}

static void
run_truth_clear(gpointer data)
{
  VtRunTruth *self = data;
  self->free(self->user);
}

VT_DEFINE_REF(VtRunTruth, vt_run_truth, run_truth_clear)

VtOverlaps *
vt_overlaps_new(const VitrailOverlaps *told, guint64 truth)
{
  VtOverlaps *self = g_new0(VtOverlaps, 1);
  G_STATIC_ASSERT(sizeof *self->list == NUMBERS * sizeof *told->numbers);
  self->truth = truth;
  self->downsample = told->downsample;
  self->n = told->n_numbers / NUMBERS;
  self->list = g_memdup2(told->numbers, told->n_numbers * sizeof *told->numbers);
  return self;
}

VT_DEFINE_TYPE_FREE(vt_overlaps_free, VtOverlaps, VT_FREES(g_free, list))

static gboolean
comes_after(const gint32 *pair, const gint32 *before)
{
  return pair[0] != before[0] ? pair[0] > before[0] : pair[1] > before[1];
}

const char *
vt_overlaps_doubt(const VitrailOverlaps *told, gint64 last_id)
{
  if (told->downsample < 1 || told->n_numbers % NUMBERS != 0
      || told->n_numbers > (guint32)NUMBERS * VITRAIL_OVERLAPS_MOST || (told->n_numbers > 0 && !told->numbers))
    return "it hands back overlaps that make no sense";
  const gint32 none[NUMBERS] = { 0 }, *before = none;
  for (guint32 i = 0; i < told->n_numbers; i += NUMBERS) {
    const gint32 *pair = told->numbers + i;
    if (pair[0] < 0 || pair[0] > last_id || pair[1] < 0 || pair[2] < 1 || !comes_after(pair, before))
      return "it hands back overlaps that make no sense";
    before = pair;
  }
  return NULL;
}
