/* SPDX-License-Identifier: MIT
 *
 * twin-distance.c: the distance slot, both algorithms, all outputs, stripes; and how far off `danielsson` is. */
#include "twin.h"

#include <math.h>
#include <string.h>

enum { SQUARED = 1, ROOT = 2, NEAREST = 4, ALL = 7 };

typedef struct Params {
  const char *id;
  int outputs;
  int32_t weight_x, weight_y;
  int64_t cap;
  bool is_stripe; /* views 4 and 5: what is carried into it */
} Params;

/* NULL: it is not built in. */
static const VtDistanceAlgorithm *
find(const VtBackend *backend, const char *id)
{
  const VtDistanceAlgorithm *algorithm = backend->distance;
  while (algorithm && algorithm->id && strcmp(algorithm->id, id) != 0)
    algorithm++;
  return algorithm && algorithm->id ? algorithm : NULL;
}

static VitrailStatus
call(const VtBackend *backend, VtDevice *device, const VtImage *views, const void *user, bool reference)
{
  const Params *p = user;
  const VtImage none = { 0 };
  const VtDistance args = { .src = views[0],
                            .squared = p->outputs & SQUARED ? views[1] : none,
                            .root = p->outputs & ROOT ? views[2] : none,
                            .nearest = p->outputs & NEAREST ? views[3] : none,
                            .weight_x = p->weight_x,
                            .weight_y = p->weight_y,
                            .scale = 0.4990f,
                            .cap = p->cap,
                            .above = p->is_stripe ? views[4] : none,
                            .below = p->is_stripe ? views[5] : none };
  const VtDistanceAlgorithm *algorithm = find(backend, p->id);
  return algorithm ? algorithm->run(device, &args, NULL) : VITRAIL_UNSUPPORTED;
}

/* Background: on a circle, so that many of them are equally near to its middle and to what is around that. */
static void
draw_circle(const VtImage *v, VtRandom *random)
{
  static const int64_t radii[] = { 5, 25, 65, 85, 325, 425 }; /* squares that are many sums of two squares */
  const int64_t x0 = v->width / 2, y0 = v->height / 2, r2 = radii[vt_random(random) % 6];
  for (int64_t y = 0; y < v->height; y++)
    for (int64_t x = 0; x < v->width; x++)
      vt_oracle_set(v, x, y, (x - x0) * (x - x0) + (y - y0) * (y - y0) != r2);
}

/* Patterns, all, none, one pixel, few pixels, checkerboard, discs, circle. */
enum { N_DRAWINGS = VT_N_PATTERNS + 7 };
static void
draw(VtPicture *src, VtRandom *random, int kind)
{
  const VtImage *v = &src->view;
  const int64_t rarity = kind == VT_N_PATTERNS + 3 ? v->width * v->height / 4 + 1 : 1, edge = 6 + kind % 5;
  if (kind < VT_N_PATTERNS) {
    vt_picture_fill(src, random, kind, 0, kind == 3 ? 1 : 2);
    return;
  }
  vt_picture_fill(src, random, 2, kind == VT_N_PATTERNS ? 0 : 255, kind == VT_N_PATTERNS ? 0 : 255);
  if (kind == VT_N_PATTERNS + 6)
    draw_circle(v, random);
  for (int64_t y = 0; y < v->height && kind > VT_N_PATTERNS + 2 && kind < VT_N_PATTERNS + 6; y++)
    for (int64_t x = 0; x < v->width; x++) {
      const int64_t dx = x % (2 * edge) - edge, dy = y % (2 * edge) - edge;
      const bool background = kind == VT_N_PATTERNS + 3   ? vt_random(random) % (uint64_t)rarity == 0
                              : kind == VT_N_PATTERNS + 4 ? (x + y) % 2 == 0
                                                          : dx * dx + dy * dy >= edge * edge;
      vt_oracle_set(v, x, y, !background);
    }
  if (kind == VT_N_PATTERNS + 2)
    vt_oracle_set(v, vt_random_between(random, 0, v->width - 1), vt_random_between(random, 0, v->height - 1), 0);
}

static void
one_case(VtTwins *twins, const VtBackend *reference, VtRandom *random, const Params *params, int kind, int64_t w,
         int64_t h)
{
  static const VtType types[] = { VITRAIL_U8, VT_I64, VITRAIL_F32, VT_I64 };
  VtPicture p[4];
  for (int k = 0; k < 4; k++)
    p[k] = vt_picture_new(random, w, h, types[k]);
  draw(&p[0], random, kind);
  vt_twin_case(twins, reference, call, params, p, 4);
  vt_pictures_clear(p, 4);
}

static Params
random_params(VtRandom *random, const char *id, int i)
{
  Params p = { id, i % 3 == 0 ? 1 + (int)(vt_random(random) % ALL) : ALL, 1, 1, 0 };
  if (i % 4 == 1)
    p.outputs &= SQUARED | ROOT;
  if (p.outputs == 0)
    p.outputs = ROOT;
  if (i % 4 == 2) {
    p.weight_x = (int32_t)vt_random_between(random, 1, i % 8 == 2 ? 65535 : 4);
    p.weight_y = (int32_t)vt_random_between(random, 1, i % 16 == 2 ? 65535 : 4);
  }
  if (i % 5 == 4)
    p.cap = vt_random_between(random, 1, i % 2 ? 9 : 40000);
  return p;
}

static void
check(VtTwins *twins, const char *id, int n)
{
  VtRandom random = { 31 };
  vt_twins_begin(twins, id);
  for (int i = 0; i < vt_rounds(n); i++) {
    const Params params = random_params(&random, id, i);
    one_case(twins, vt_oracle_backend(), &random, &params, i % N_DRAWINGS, vt_random_side(&random, 36),
             vt_random_side(&random, 36));
  }
  vt_twins_end(twins);
}

/* Rows to the nearest background beyond a stripe: here and there next to it, far, or none. */
static void
draw_carried(VtPicture *row, VtRandom *random, int64_t farthest)
{
  for (int64_t x = 0; x < row->view.width; x++)
    *(int32_t *)vt_image_at(&row->view, x, 0) =
      vt_random(random) % 3 == 0 ? VT_EDT_NONE : (int32_t)vt_random_between(random, 1, farthest);
}

static void
one_stripe(VtTwins *twins, const VtBackend *reference, VtRandom *random, int i, int64_t w, int64_t h)
{
  static const int64_t farthest[] = { 5, 70, 300, 70000, INT32_MAX - 4000 };
  static const VtType types[] = { VITRAIL_U8, VT_I64, VITRAIL_F32, VT_I64, VITRAIL_I32, VITRAIL_I32 };
  const bool is_plain = i % 4 != 3;
  const Params params = { .id = "exact",
                          .outputs = is_plain ? 1 + i % 2 : SQUARED | ROOT,
                          .weight_x = is_plain ? 1 : (int32_t)vt_random_between(random, 1, 3),
                          .weight_y = 1,
                          .cap = is_plain ? 0 : vt_random_between(random, 0, 1) * 500,
                          .is_stripe = true };
  VtPicture p[6];
  for (int k = 0; k < 6; k++)
    p[k] = vt_picture_new(random, w, k < 4 ? h : 1, types[k]);
  draw(&p[0], random, i % N_DRAWINGS);
  draw_carried(&p[4], random, farthest[vt_random(random) % 5]);
  draw_carried(&p[5], random, farthest[vt_random(random) % 5]);
  vt_twin_case(twins, reference, call, &params, p, 6);
  vt_pictures_clear(p, 6);
}

static void
check_stripes(VtTwins *twins)
{
  static const int64_t sizes[][2] = { { 1000, 300 }, { 2048, 64 }, { 64, 2049 }, { 3001, 65 }, { 1500, 127 } };
  VtRandom random = { 36 };
  vt_twins_begin(twins, "stripes");
  for (int i = 0; i < vt_rounds(600); i++)
    one_stripe(twins, vt_oracle_backend(), &random, i, vt_random_side(&random, 60), vt_random_side(&random, 80));
  vt_twins_end(twins);
  vt_twins_begin(twins, "stripes, large, cpu as reference");
  for (int i = 0; i < vt_rounds(40); i++)
    one_stripe(twins, vt_cpu_backend(), &random, i, vt_twin_side(sizes[i % 5][0]), vt_twin_side(sizes[i % 5][1]));
  vt_twins_end(twins);
}

/* Beyond the reach of the oracle, against the CPU on one thread. */
static void
check_large(VtTwins *twins, const char *id)
{
  static const int64_t sizes[][2] = { { 1000, 777 }, { 2048, 64 }, { 64, 2048 },
                                      { 70001, 1 },  { 1, 70001 }, { 401, 503 } };
  VtRandom random = { 32 };
  vt_twins_begin(twins, id[0] == 'e' ? "exact, large, cpu as reference" : "danielsson, large, cpu as reference");
  for (int i = 0; i < vt_rounds(30); i++) {
    const Params params = random_params(&random, id, i);
    one_case(twins, vt_cpu_backend(), &random, &params, i % N_DRAWINGS, vt_twin_side(sizes[i % 6][0]),
             vt_twin_side(sizes[i % 6][1]));
  }
  vt_twins_end(twins);
}

/* Far distances need wide numbers: a long row, a long column, one background pixel at the end of it. */
static void
check_wide(VtTwins *twins)
{
  static const Params params = { "exact", ALL, 65535, 65535, 0 };
  enum { SIDE = 100003 };
  VtRandom random = { 33 };
  vt_twins_begin(twins, "squares beyond 2^49");
  for (int i = 0; i < 4; i++) {
    const int64_t w = i % 2 ? SIDE : 1, h = i % 2 ? 1 : SIDE;
    VtPicture p[4] = { vt_picture_new(&random, w, h, VITRAIL_U8), vt_picture_new(&random, w, h, VT_I64),
                       vt_picture_new(&random, w, h, VITRAIL_F32), vt_picture_new(&random, w, h, VT_I64) };
    vt_picture_fill(&p[0], &random, 2, 1, 1);
    vt_oracle_set(&p[0].view, i < 2 ? 0 : w - 1, i < 2 ? 0 : h - 1, 0);
    vt_twin_case(twins, vt_oracle_backend(), call, &params, p, 4);
    vt_pictures_clear(p, 4);
  }
  vt_twins_end(twins);
}

/* The weighted diagonal of the size passes 2^63: found from the sizes alone, no pixel is looked at. */
static void
check_overflow(void)
{
  uint8_t pixel[8] = { 0 };
  float root[2];
  VtImage src = { pixel, INT32_MAX, 1, INT32_MAX, VITRAIL_U8 };
  VtDistance args = { .src = src,
                      .root = { root, INT32_MAX, 1, (int64_t)INT32_MAX * 4, VITRAIL_F32 },
                      .weight_x = 65535,
                      .weight_y = 1,
                      .scale = 1 };
  for (const VtDistanceAlgorithm *a = vt_cpu_backend()->distance; a->id; a++)
    vt_ok(a->run(NULL, &args, NULL) == VITRAIL_BAD_ARGUMENT, "%s refuses what could pass 2^63", a->id);
}

static void
check_refusals(VtTwins *twins)
{
  static const Params params[] = {
    { "exact", ALL, 0, 1, 0 },    { "exact", ALL, 1, 65536, 0 },  { "exact", ALL, 1, 1, -1 },
    { "exact", 0, 1, 1, 0 },      { "danielsson", ALL, 0, 1, 0 }, { "danielsson", ALL, 1, 65536, 0 },
    { "danielsson", 0, 1, 1, 0 }, { "exact", ALL, 1, 1, 0 },      { "exact", NEAREST, 1, 1, 0, .is_stripe = true },
  };
  VtRandom random = { 34 };
  vt_twins_begin(twins, "refusals");
  for (int i = 0; i < 9; i++) {
    if (!find(vt_cpu_backend(), params[i].id))
      continue;
    VtPicture p[6] = { vt_picture_new(&random, 9, 8, VITRAIL_U8),  vt_picture_new(&random, i == 7 ? 8 : 9, 8, VT_I64),
                       vt_picture_new(&random, 9, 8, VITRAIL_F32), vt_picture_new(&random, 9, 8, VT_I64),
                       vt_picture_new(&random, 9, 1, VITRAIL_I32), vt_picture_new(&random, 9, 1, VITRAIL_I32) };
    vt_picture_fill(&p[0], &random, 0, 0, 1);
    vt_twin_refused(twins, call, &params[i], p, 6);
    vt_pictures_clear(p, 6);
  }
  vt_twins_end(twins);
}

/* How much longer than the distance is what danielsson finds, in pixels, on background pixels at `sites`. */
static double
error_of(VtRandom *random, int64_t side, const int64_t (*sites)[2], int n_sites)
{
  const Params exact = { "exact", ALL, 1, 1, 0 }, wave = { "danielsson", ALL, 1, 1, 0 };
  static const VtType types[] = { VITRAIL_U8, VT_I64, VITRAIL_F32, VT_I64, VT_I64 };
  VtPicture p[5];
  VtImage views[5];
  double worst = 0;
  for (int k = 0; k < 5; k++) {
    p[k] = vt_picture_new(random, side, side, types[k]);
    views[k] = p[k].view;
  }
  vt_picture_fill(&p[0], random, 2, 1, 1);
  for (int k = 0; k < n_sites; k++)
    if (vt_oracle_inside(&views[0], sites[k][0], sites[k][1]))
      vt_oracle_set(&views[0], sites[k][0], sites[k][1], 0);
  bool ok = call(vt_cpu_backend(), NULL, views, &exact, false) == VITRAIL_OK;
  const VtImage found = views[1];
  views[1] = views[4];
  ok = call(vt_cpu_backend(), NULL, views, &wave, false) == VITRAIL_OK && ok;
  for (int64_t y = 0; y < side && ok; y++)
    for (int64_t x = 0; x < side; x++) {
      const double a = sqrt((double)*(int64_t *)vt_image_at(&found, x, y));
      worst = fmax(worst, sqrt((double)*(int64_t *)vt_image_at(&views[1], x, y)) - a);
    }
  vt_pictures_clear(p, 5);
  return ok ? worst : INFINITY;
}

/* Background pixels about equally far from one place: their regions are wedges there, and thin ones fall to pieces. */
static double
error_on_circle(VtRandom *random, int i)
{
  int64_t sites[8][2];
  const int n = 3 + i % 6;
  const double radius = (double)vt_random_between(random, 8, 90), x = (double)vt_random_between(random, 0, 120);
  for (int k = 0; k < n; k++) {
    const double angle = (double)vt_random_between(random, 0, 9999) * (i % 2 ? 1e-4 : 6.2832e-4);
    sites[k][0] = (int64_t)lround(x + radius * cos(angle));
    sites[k][1] = (int64_t)lround(60 + radius * sin(angle));
  }
  return error_of(random, 120, (const int64_t(*)[2])sites, n);
}

/* At the origin the first pixel is the nearest of the three, and each neighbour of the origin is nearer to one of the
 * others: an algorithm that hands on settled values only is 0.0384, 0.0715, 0.0733, 0.0779 px wrong there, the worst of all
 * triples up to a radius of 13, 35, 61, 96. Rounds hand it on before the neighbours settle. */
static double
error_of_triples(VtRandom *random)
{
  static const int64_t triples[][3][2] = {
    { { 5, 12 }, { 1, 13 }, { 7, 11 } },
    { { 14, 32 }, { 0, 35 }, { 21, 28 } },
    { { 25, 56 }, { 7, 61 }, { 37, 49 } },
    { { 39, 88 }, { 8, 96 }, { 64, 72 } },
  };
  double worst = 0;
  for (int i = 0; i < 4 * 16; i++) {
    const bool inner = i % 16 < 8; /* the origin in the middle of the picture, or in a corner */
    const int64_t side = inner ? 221 : 111, origin = inner ? 110 : 0;
    int64_t sites[3][2];
    for (int k = 0; k < 3; k++) {
      const int64_t *site = triples[i / 16][k], x = site[i % 2], y = site[(i + 1) % 2];
      sites[k][0] = origin + (inner && i & 2 ? -x : x);
      sites[k][1] = origin + (inner && i & 4 ? -y : y);
    }
    worst = fmax(worst, error_of(random, side, (const int64_t(*)[2])sites, 3));
  }
  return worst;
}

/* Danielsson (1980) proves less than 0.09 px for 8 neighbours: 1 - sqrt(2 sqrt(2) - 2), the limit of such triples. */
static void
check_error(void)
{
  static const double bound = 0.0899;
  VtRandom random = { 35 };
  double circles = 0;
  for (int i = 0; i < vt_rounds(600); i++)
    circles = fmax(circles, error_on_circle(&random, i));
  const double triples = error_of_triples(&random);
  vt_ok(circles < bound, "danielsson on random circles: at most %.4f px too far", circles);
  vt_ok(triples < bound, "danielsson on adversarial triples: at most %.4f px too far", triples);
}

int
main(void)
{
  VtTwins twins;
  vt_twins_init(&twins);
  vt_twins_add_threads(&twins);
  const bool has_papers = find(vt_cpu_backend(), "danielsson");
  check(&twins, "exact", 2400);
  check_large(&twins, "exact");
  check_stripes(&twins);
  if (has_papers) {
    check(&twins, "danielsson", 1200);
    check_large(&twins, "danielsson");
    check_error();
  } else {
    vt_skip("danielsson", "built without the algorithms of papers");
  }
  check_wide(&twins);
  check_overflow();
  check_refusals(&twins);
  vt_twins_clear(&twins);
  return vt_test_done();
}
