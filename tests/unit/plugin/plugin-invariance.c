/* SPDX-License-Identifier: MIT
 *
 * The promise: the same bytes whatever the tile size, the number of threads, the order of the tiles, the backend.
 * Usage: plugin-invariance [N]: every Nth case only. */
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "vt-test.h"

typedef struct {
  const char *op, *key; /* one parameter to set, or NULL */
  double value;
  int64_t x, y, width, height;
  const char *key2;
  double value2;
} Case;

static VitrailSession *session;
static VtImage tissue;
static bool have_cuda;

static VitrailStatus
run_case(const Case *c, uint32_t tile, uint32_t threads, uint64_t order, const char *backend, MiniResult *result)
{
  const VitrailParamValue value = { .size = sizeof value, .key = c->key, .v = { c->value } };
  const VitrailParamValue value2 = { .size = sizeof value2, .key = c->key2, .v = { c->value2 } };
  const VitrailParamValue *values[] = { &value, &value2 };
  VitrailInput input = {
    .size = sizeof input,
    .id = strcmp(c->op, "reconstruct") == 0 ? "mask" : "image",
    .type = VITRAIL_RGBA8,
    .width_l0 = tissue.width,
    .height_l0 = tissue.height,
    .mpp_x = 0.5,
    .mpp_y = 0.5,
  };
  const VitrailInput *inputs[] = { &input };
  VitrailRequest request = {
    .size = sizeof request,
    .tile_px = tile,
    .op_id = c->op,
    .backend = backend,
    .x_l0 = c->x,
    .y_l0 = c->y,
    .width_l0 = c->width,
    .height_l0 = c->height,
    .n_params = c->key2  ? 2
                : c->key ? 1
                         : 0,
    .params = values,
    .n_inputs = 1,
    .inputs = inputs,
  };
  MiniHost mini = { .images = { &tissue }, .n_threads = threads, .shuffle_seed = order, .cancel_after = -1 };
  return mini_run(&mini, session, &request, result);
}

static const Case cases[] = {
  { "nuclei", NULL, 0, 0, 0, 301, 257 },
  { "nuclei", NULL, 0, 37, 21, 190, 203 },
  { "nuclei", "pixel-size", 1.0, 33, 15, 201, 77 },
  { "nuclei", "background-by-reconstruction", 0, 0, 0, 301, 257 },
  { "nuclei", "split", 0, 0, 0, 301, 257 },
  { "nuclei", "background-radius", 0, 0, 0, 301, 257 },
  { "nuclei", NULL, 0, 300, 256, 1, 1 },
  { "nuclei", NULL, 0, 0, 100, 301, 1 },
  { "nuclei", "cell-expansion", 5, 37, 21, 190, 203, "neighbours", 1 },
  { "nuclei-regions", "cell-expansion", 3.3, 37, 21, 150, 103, "outline", 1 },
  { "nuclei-regions", "largest", 8, 37, 21, 150, 103 },
  { "nuclei-regions", "largest", 12, 5, 0, 90, 120, "min-score", 0.5 },
  { "nuclei-regions", "preset", 2, 40, 30, 80, 90, "largest", 8 },
  { "nuclei-regions", "largest", 8, 300, 256, 1, 1 },
  { "nuclei-regions", "largest", 8, 0, 100, 301, 1 },
  { "nuclei-regions", "largest", 8, 40, 0, 1, 257 },
  { "reconstruct", NULL, 0, 0, 0, 301, 257 },
  { "reconstruct", "method", 1, 3, 5, 211, 199 },
  { "reconstruct", "connectivity", 1, 0, 0, 301, 257 },
  { "reconstruct", "marker-kind", 1, 3, 5, 211, 199 },
  { "reconstruct", "marker-kind", 2, 3, 5, 211, 199 },
  { "distance", "threshold", 150, 0, 0, 301, 257 },
  { "distance", "threshold", 150, 3, 5, 211, 199, "output", 1 },
  { "distance", "threshold", 150, 3, 5, 211, 199, "output", 2 },
  { "distance", "threshold", 150, 0, 0, 301, 257, "algorithm", 1 },
  { "distance", "threshold", 150, 0, 0, 301, 257, "cap", 3 },
  { "zones", "threshold", 100, 0, 0, 301, 257 },
  { "zones", "threshold", 100, 3, 5, 211, 199, "connectivity", 1 },
  { "watershed", "threshold", 100, 0, 0, 301, 257 },
  { "watershed", "threshold", 160, 3, 5, 211, 199, "objects", 1 },
  { "glrlm-map", NULL, 0, 10, 20, 120, 99 },
  { "glrlm-map", "stride", 1, 100, 50, 40, 33 },
  { "glrlm-rois", NULL, 0, 10, 20, 250, 199 },
  { "glrlm-rois", "aggregate", 1, 10, 20, 250, 199 },
};

static void
check_case(const Case *c)
{
  static const uint32_t tiles[] = { 1, 16, 17, 50, 64, 128, 1000 };
  MiniResult reference, other;
  VitrailStatus status = run_case(c, 0, 1, 0, "cpu", &reference);
  vt_ok(status == VITRAIL_OK, "%s %s runs: %d %s", c->op, c->key ? c->key : "", status, reference.message);
  char where[64] = "";
  bool equal = true;
  for (size_t t = 0; t < sizeof tiles / sizeof *tiles && equal; t++) {
    for (uint32_t threads = 1; threads <= 3 && equal; threads += 2) {
      status = run_case(c, tiles[t], threads, 1 + t * 31 + threads, "cpu", &other);
      equal = status == VITRAIL_OK && mini_result_equal(&reference, &other, where, sizeof where);
      mini_result_clear(&other);
    }
  }
  vt_ok(equal, "%s %s: same bytes for all tilings, orders and threads %s", c->op, c->key ? c->key : "",
        equal ? "" : where);
  for (uint32_t tile = 0; have_cuda && tile <= 128; tile += 64) {
    status = run_case(c, tile, 2, 5, "cuda", &other);
    equal = status == VITRAIL_OK && mini_result_equal(&reference, &other, where, sizeof where);
    vt_ok(equal, "%s %s: same bytes on the GPU, tile %u %s %s", c->op, c->key ? c->key : "", tile, equal ? "" : where,
          other.message);
    mini_result_clear(&other);
  }
  if (strcmp(c->op, "nuclei") == 0)
    vt_ok(reference.area_sum * 4 - reference.outline_area_sum < 1e-6
            && reference.area_sum * 4 - reference.outline_area_sum > -1e-6,
          "outlines enclose the objects' areas: %lld objects, %g, %g px", (long long)reference.n_objects,
          reference.area_sum * 4, reference.outline_area_sum);
  mini_result_clear(&reference);
}

/* A map, and a stain, do not depend on the region: a part of the whole is the part run alone. */
static void
check_region(const char *op, int stage)
{
  Case whole = { op, NULL, 0, 0, 0, tissue.width, tissue.height }, part = { op, NULL, 0, 40, 60, 120, 80 };
  MiniResult a, b;
  run_case(&whole, 0, 2, 0, "cpu", &a);
  run_case(&part, 0, 2, 0, "cpu", &b);
  const VtImage *x = &a.stages[stage], *y = &b.stages[stage];
  bool equal = y->data != NULL;
  for (int64_t row = 0; equal && row < y->height; row++)
    equal =
      memcmp(vt_image_at(x, b.stage_x[stage], b.stage_y[stage] + row), vt_image_at(y, 0, row), (size_t)y->stride) == 0;
  vt_ok(equal, "%s: a part of the whole equals the part alone", op);
  mini_result_clear(&a);
  mini_result_clear(&b);
}

/* Whatever op there is, as it is. */
static void
check_catalogue(const VitrailPlugin *plugin)
{
  for (uint32_t i = 0; i < plugin->n_ops; i++) {
    const Case c = { plugin->ops[i]->id, NULL, 0, 7, 3, 110, 93 };
    check_case(&c);
  }
}

int
main(int argc, char **argv)
{
  const size_t step = argc > 1 && atoi(argv[1]) > 0 ? (size_t)atoi(argv[1]) : 1;
  const VitrailPlugin *plugin = mini_plugin();
  if (plugin->session_open(&session) != VITRAIL_OK)
    return 1;
  const VitrailBackendInfo *const *infos;
  uint32_t n = plugin->session_backends(session, &infos);
  for (uint32_t i = 0; i < n; i++) {
    have_cuda |= strcmp(infos[i]->id, "cuda") == 0 && infos[i]->available;
    if (!infos[i]->available)
      vt_skip(infos[i]->id, "%s", infos[i]->reason);
  }
  tissue = mini_tissue_new(301, 257, 7);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i += step)
    if (!cases[i].key2 || strcmp(cases[i].key2, "algorithm") != 0
        || cases[i].value2 < mini_n_choices(cases[i].op, "algorithm"))
      check_case(&cases[i]);
  check_catalogue(plugin);
  check_region("glrlm-map", 0);
  check_region("nuclei", 0);
  free(tissue.data);
  plugin->session_close(session);
  return vt_test_done();
}
