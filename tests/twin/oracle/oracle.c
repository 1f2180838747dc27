/* SPDX-License-Identifier: MIT */
#include "oracle.h"

static const VtReconstructAlgorithm reconstruct[] = {
  { "oracle", "Geodesic dilations until nothing changes", vt_oracle_reconstruct },
  { NULL, NULL, NULL },
};

static const VtDistanceAlgorithm distance[] = {
  { "exact", "Every pixel with every background pixel", vt_oracle_distance_exact },
  { "danielsson", "All pixels at once until nothing changes", vt_oracle_distance_danielsson },
  { NULL, NULL, NULL },
};

static const VtGlrlmAlgorithm glrlm_windows[] = {
  { "oracle", "A matrix for each window", vt_oracle_glrlm_windows },
  { NULL, NULL, NULL },
};

static const VtBackend oracle = {
  .id = "oracle",
  .title = "Definitions",
  .reconstruct = reconstruct,
  .distance = distance,
  .edt_columns = vt_oracle_edt_columns,
  .edt_rows = vt_oracle_edt_rows,
  .lut3 = vt_oracle_lut3,
  .normalize = vt_oracle_normalize,
  .erode_disc = vt_oracle_erode_disc,
  .smooth = vt_oracle_smooth,
  .pointwise = vt_oracle_pointwise,
  .components = vt_oracle_components,
  .watershed = vt_oracle_watershed,
  .number = vt_oracle_number,
  .relabel = vt_oracle_relabel,
  .overlaps = vt_oracle_overlaps,
  .regional = vt_oracle_regional,
  .geodesic = vt_oracle_geodesic,
  .glrlm_windows = glrlm_windows,
  .glrlm_runs = vt_oracle_glrlm_runs,
  .glrlm_features = vt_oracle_glrlm_features,
};

const VtBackend *
vt_oracle_backend(void)
{
  return &oracle;
}
