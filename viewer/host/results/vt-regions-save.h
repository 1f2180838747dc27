/* SPDX-License-Identifier: MIT
 *
 * Measured regions as files from which the measurement can be made again: a table in which each row says which pixels of
 * which image were measured how, the outlines as GeoJSON (QuPath's form, unrounded), and the run's record. */
#pragma once
#include "results/vt-roi-measures.h"

/* Well-known text of the outline in level-0 pixels; owned. */
char *vt_roi_dup_wkt(const VtRoi *roi);
/* The same for the same image, name and outline, everywhere; owned. */
char *vt_roi_dup_uuid(const VtRoi *roi, const char *source_hash);
/* As QuPath annotations; what lies in one (vt_rois_find_parents()) is in its "childObjects". `source_hash` is vt_slide_dup_hash() or the like. `measured`: a result whose rows are those of the
 * areas, in this order; or NULL. `measures`: likewise. Any thread. */
gboolean vt_rois_write_geojson(GPtrArray *rois, const char *source_hash, const VtResult *measured,
                               const VtRoiMeasures *measures, const char *path, GError **error);

/* The files that a table has: PATH itself, which ends in .csv, and the same name with .geojson and .record.json. Owned,
 * NULL-terminated. */
char **vt_regions_dup_paths(const char *csv_path);
/* Writes all three; `result` has the rows of those of them that are areas, in their order (of lines and points the table has places, lengths and numbers), `measures` what else is known of them. Each file is replaced as a whole or not at all; the
 * record comes last. Any thread. */
gboolean vt_regions_save(const VtResult *result, GPtrArray *rois, const VtRoiMeasures *measures, const char *csv_path,
                         GError **error);
