/* SPDX-License-Identifier: MIT
 *
 * The features of the texture browser as a table of numbers. */
#pragma once
#include <gtk/gtk.h>

#include "analysis/vt-texture.h"

/* Makes the labels of a grid that is empty: a row for each feature. */
void vt_texture_features_init(GtkGrid *grid, const VitrailOp *op);
/* Shows them; NULL b: nothing is pinned. `others` (VtRoiItem): the table of regions, among which A's percentiles are, if they were measured with
 * the same settings. */
void vt_texture_features_show(GtkGrid *grid, const VtTextureView *a, const VtTextureView *b, GListModel *others);
