/* SPDX-License-Identifier: MIT
 *
 * The promise: the same bytes whatever the tile size, the number of threads, the order of the tiles, the backend; of every op of
 * the catalogue, as it is, with each choice of each parameter, and on lines and single pixels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

typedef struct {
  const VitrailOp *op;
  const VitrailParam *param; /* one to set, or NULL */
  double value;
  uint64_t drawn; /* not 0: several are set, by this number */
  int64_t x, y, width, height;
} Case;

enum { WIDTH = 181, HEIGHT = 167 };

static VitrailSession *session;
static VtImage tissue;
static bool have_cuda;

/* How many values of a parameter are tried; 0: a vector keeps its own. */
static uint32_t
n_choices(const VitrailParam *p)
{
  return p->type == VITRAIL_PARAM_CHOICE ? p->n_choices : p->type != VITRAIL_PARAM_VECTOR ? 2 : 0;
}

/* Numbers are tried at half and twice what they are; a switch at each end of its range. */
static double
value_of(const VitrailParam *p, uint32_t k)
{
  const double number = p->initial[0] != 0 ? p->initial[0] * (k ? 2 : 0.5) : k ? 3 : 150;
  return p->type == VITRAIL_PARAM_INT || p->type == VITRAIL_PARAM_FLOAT ? fmin(p->max, fmax(p->min, floor(number))) : k;
}

static VitrailStatus
run_case(const Case *c, uint32_t tile, uint32_t threads, uint64_t order, const char *backend, MiniResult *result)
{
  MiniJob job = mini_job(c->op, &tissue);
  mini_job_set_region(&job, c->x, c->y, c->width, c->height);
  job.request.tile_px = tile;
  job.request.backend = backend;
  vt_draws.state = c->drawn;
  for (uint32_t i = 0; i < c->op->n_params; i++) {
    const VitrailParam *p = c->op->params[i];
    if (p == c->param)
      mini_job_set(&job, p->key, c->value);
    else if (c->drawn && n_choices(p) > 0 && pick(3) == 0)
      mini_job_set(&job, p->key, value_of(p, pick(n_choices(p))));
  }
  MiniHost mini = { .n_threads = threads, .shuffle_seed = order, .cancel_after = -1 };
  return mini_job_run(&job, &mini, session, result);
}

/* A refusal is the same for all, too. */
static void
check_case(const Case *c, size_t turn)
{
  static const uint32_t tiles[] = { 1, 16, 17, 50, 64, 128, 1000 };
  MiniResult reference, other;
  char where[64] = "", name[640];
  const VitrailStatus status = run_case(c, 0, 1, 0, "cpu", &reference);
  bool equal =
    status == VITRAIL_OK || ((c->param || c->drawn) && status == VITRAIL_BAD_ARGUMENT && reference.message[0]);
  snprintf(name, sizeof name, "%s %s %g, %lld x %lld: %s", c->op->id,
           c->param   ? c->param->key
           : c->drawn ? "drawn"
                      : "",
           c->param ? c->value : (double)c->drawn, (long long)c->width, (long long)c->height,
           status == VITRAIL_OK ? "runs" : reference.message);
  /* All of them for the op as it is, two for each value, by turns. */
  for (size_t k = 0; k < 2 * sizeof tiles / sizeof *tiles && equal; k++) {
    if ((c->param || c->drawn) && (k + turn) % 7 != 0)
      continue;
    equal = run_case(c, tiles[k / 2], k % 2 ? 3 : 1, 1 + k * 31, "cpu", &other) == status
            && mini_result_equal(&reference, &other, where, sizeof where);
    mini_result_clear(&other);
  }
  vt_ok(equal, "%s; same bytes for all tilings, orders and threads %s", name, equal ? "" : where);
  for (uint32_t tile = 0; have_cuda && tile <= 128; tile += 64) {
    equal =
      run_case(c, tile, 2, 5, "cuda", &other) == status && mini_result_equal(&reference, &other, where, sizeof where);
    vt_ok(equal, "%s; same bytes on the GPU, tile %u %s %s", name, tile, equal ? "" : where, other.message);
    mini_result_clear(&other);
  }
  if (strcmp(c->op->id, "nuclei-threshold") == 0 && !c->param && !c->drawn)
    vt_ok(fabs(reference.area_sum * 4 - reference.outline_area_sum) < 1e-6,
          "outlines enclose the objects' areas: %lld objects, %g, %g px", (long long)reference.n_objects,
          reference.area_sum * 4, reference.outline_area_sum);
  mini_result_clear(&reference);
}

static void
check_next(Case c, size_t step)
{
  static size_t n_cases;
  if (n_cases++ % step == 0)
    check_case(&c, n_cases / step);
}

static void
check_op(const VitrailOp *op, size_t step)
{
  enum { N_DRAWN = 6 };
  check_next((Case){ op, .width = WIDTH, .height = HEIGHT }, step);
  check_next((Case){ op, .x = WIDTH - 1, .y = HEIGHT - 1, .width = 1, .height = 1 }, step);
  check_next((Case){ op, .y = 100, .width = WIDTH, .height = 1 }, step);
  check_next((Case){ op, .x = 40, .width = 1, .height = HEIGHT }, step);
  for (uint32_t i = 0; i < op->n_params; i++)
    for (uint32_t k = 0; k < n_choices(op->params[i]); k++) {
      const double value = value_of(op->params[i], k);
      if (value != op->params[i]->initial[0])
        check_next((Case){ op, op->params[i], value, .x = 3 + 7 * k, .y = 5, .width = 111, .height = 99 }, step);
    }
  for (uint64_t k = 1; k <= N_DRAWN; k++)
    check_next((Case){ op, .drawn = k, .x = 37, .y = 21, .width = 150, .height = 103 }, step);
}

/* A map, and a stain, do not depend on the region: a part of the whole is the part run alone. */
static void
check_region(const VitrailOp *op, int stage)
{
  Case whole = { op, .width = tissue.width, .height = tissue.height },
       part = { op, .x = 40, .y = 60, .width = 120, .height = 80 };
  MiniResult a, b;
  run_case(&whole, 0, 2, 0, "cpu", &a);
  run_case(&part, 0, 2, 0, "cpu", &b);
  const VtImage *x = &a.stages[stage], *y = &b.stages[stage];
  bool equal = y->data != NULL;
  for (int64_t row = 0; equal && row < y->height; row++)
    equal =
      memcmp(vt_image_at(x, b.stage_x[stage], b.stage_y[stage] + row), vt_image_at(y, 0, row), (size_t)y->stride) == 0;
  vt_ok(equal, "%s: a part of the whole equals the part alone", op->id);
  mini_result_clear(&a);
  mini_result_clear(&b);
}

int
main(void)
{
  const size_t step = (size_t)(12 / vt_rounds(12)); /* of so many cases one */
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
  tissue = mini_tissue_new(WIDTH, HEIGHT, 7);
  for (uint32_t i = 0; i < plugin->n_ops; i++)
    check_op(plugin->ops[i], step);
  check_region(mini_op("glrlm-map"), 0);
  check_region(mini_op("nuclei-threshold"), 0);
  free(tissue.data);
  plugin->session_close(session);
  return vt_test_done();
}
