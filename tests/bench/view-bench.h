/* SPDX-License-Identifier: MIT
 *
 * view-bench.h: the cases of view-bench; each prints Markdown and returns an exit status. */
#pragma once

#include <glib.h>

int view_objects(const char *slide, guint n);
int view_layers(const char *slide, guint n);
int view_live(const char *slide, guint n);
int view_regions(const char *slide, guint n);
int view_open(const char *slide, guint n);
int view_read(const char *slide, guint n);
int view_score(const char *slide, guint n);
int view_score_runs(const char *slide, guint n);

/* Of an array of doubles, which is sorted by this. */
double view_quantile(GArray *values, double q);
