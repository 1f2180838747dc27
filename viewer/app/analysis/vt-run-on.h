/* SPDX-License-Identifier: MIT
 *
 * Where Run works: on what is seen, on the regions that were drawn, or on the whole slide. */
#pragma once
#include "run/vt-run.h"
#include "common/vt-viewport.h"

typedef enum { VT_RUN_ON_VIEW, VT_RUN_ON_REGIONS, VT_RUN_ON_SLIDE, VT_N_RUN_ON } VtRunOn;

/* "view", "regions", "slide": for actions and the test log. */
const char *vt_run_on_get_id(VtRunOn on);
/* VT_RUN_ON_VIEW for an unknown one. */
VtRunOn vt_run_on_from_id(const char *id);
const char *vt_run_on_get_title(VtRunOn on); /* in the person's language */
/* The same as a choice, which says how many regions there are. Owned. */
char *vt_run_on_dup_choice(VtRunOn on, guint n_regions);
/* Sets the level-0 rectangle of the request, whose slide is set, or its regions, which are all of `regions` (VtRoiItem) and that the
 * rectangle then spans. FALSE and a sentence where there is nothing to work on. */
gboolean vt_run_on_fill(VtRunOn on, VtRunRequest *request, const VtViewport *view, GListModel *regions, GError **error);
