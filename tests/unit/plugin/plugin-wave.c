/* SPDX-License-Identifier: MIT
 *
 * Replays against their definitions, pixel by pixel; and every op of the catalogue, with each choice of each parameter: what is played ends in
 * what the kernels make, the same with any threads and tiles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/replay.h"
#include "mini-host.h"
#include "oracle.h"
#include "test-draw.h"
#include "vt-test.h"

#define NEVER VITRAIL_WAVE_NEVER

/* --- definitions --- */

static bool
same_pixels(const VtImage *a, const VtImage *b)
{
  for (int64_t y = 0; y < a->height; y++)
    if (memcmp(vt_image_at(a, 0, y), vt_image_at(b, 0, y), (size_t)a->width * vt_type_size(a->type)) != 0)
      return false;
  return true;
}

/* Dilations of the whole image until nothing changes. */
static uint32_t
dilate_all(const VtImage *marker, const VtImage *mask, int32_t connectivity, VtImage *now, uint32_t *ticks)
{
  const int64_t w = mask->width, h = mask->height;
  VtImage next = mini_image_new(mask->type, w, h);
  uint32_t tick = 0;
  for (int64_t i = 0; i < w * h; i++) {
    vt_oracle_set(now, i % w, i / w, vt_oracle_get(marker, i % w, i / w));
    ticks[i] = 0;
  }
  for (bool changes = true; changes;) {
    changes = false;
    tick++;
    for (int64_t i = 0; i < w * h; i++) {
      const int64_t x = i % w, y = i / w;
      double most = vt_oracle_get(now, x, y);
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          if (vt_oracle_inside(mask, x + dx, y + dy) && (connectivity == 8 || dx == 0 || dy == 0))
            most = fmax(most, vt_oracle_get(now, x + dx, y + dy));
      vt_oracle_set(&next, x, y, fmin(most, vt_oracle_get(mask, x, y)));
      if (vt_oracle_get(&next, x, y) != vt_oracle_get(now, x, y)) {
        ticks[i] = tick;
        changes = true;
      }
    }
    const VtImage other = *now;
    *now = next;
    next = other;
  }
  free(next.data);
  return tick; /* the last one changed nothing: so this is the last tick + 1 */
}

static void
draw_pair(VtImage *marker, VtImage *mask, uint32_t look)
{
  const int64_t n = mask->width * mask->height;
  for (int64_t i = 0; i < n; i++) {
    const int64_t x = i % mask->width, y = i / mask->width;
    const double wall = (y % 4 == 3 && x != (y % 8 == 3 ? 0 : mask->width - 1)) ? 1 : 40; /* a maze */
    const double m = look == 0 ? pick(200) : look == 1 ? wall : look == 2 ? 7 : (double)pick(4) * 50;
    const double low = mask->type == VITRAIL_F32 || mask->type == VITRAIL_I32 ? -20 : 0;
    vt_oracle_set(mask, x, y, m);
    vt_oracle_set(marker, x, y, look == 1 ? (i == 0 ? 40 : fmax(low, 0)) : fmax(low, m - (double)pick(60)));
  }
}

static void
check_reconstruct(VtType type, int32_t connectivity, int64_t width, int64_t height, uint32_t look)
{
  VtImage marker = mini_image_new(type, width, height), mask = mini_image_new(type, width, height),
          end = mini_image_new(type, width, height);
  uint32_t *ticks = malloc((size_t)(width * height) * sizeof *ticks);
  VtReplay replay;
  draw_pair(&marker, &mask, look);
  const uint32_t n = dilate_all(&marker, &mask, connectivity, &end, ticks);
  const VitrailStatus status = vt_replay_reconstruct(&marker, &mask, connectivity, NULL, &replay);
  bool same = status == VITRAIL_OK && n == replay.n_ticks && same_pixels(&end, &replay.end)
              && same_pixels(&marker, &replay.begin)
              && memcmp(ticks, replay.ticks, (size_t)(width * height) * sizeof *ticks) == 0;
  vt_ok(same, "reconstruction: type %d, %d neighbours, %lld x %lld, look %u: %u ticks", (int)type, (int)connectivity,
        (long long)width, (long long)height, look, n);
  vt_replay_clear(&replay);
  free(marker.data);
  free(mask.data);
  free(end.data);
  free(ticks);
}

static void
check_distance(int64_t width, int64_t height, int32_t wx, int32_t wy, int64_t cap, uint32_t rare)
{
  VtImage src = mini_image_new(VITRAIL_U8, width, height), nearest = mini_image_new(VT_I64, width, height),
          squared = mini_image_new(VT_I64, width, height), root = mini_image_new(VITRAIL_F32, width, height);
  for (int64_t i = 0; i < width * height; i++)
    vt_oracle_set(&src, i % width, i / width, rare && pick(rare) == 0 ? 0 : 255);
  const VtDistance args = { src, squared, root, nearest, wx, wy, 0.25f, cap };
  VtReplay replay;
  bool same = vt_oracle_distance_exact(NULL, &args, NULL) == VITRAIL_OK
              && vt_replay_distance(&args, &nearest, NULL, &replay) == VITRAIL_OK && same_pixels(&root, &replay.end);
  uint32_t most = 0;
  for (int64_t i = 0; i < width * height && same; i++) {
    const int64_t s = *(const int64_t *)vt_image_at(&squared, i % width, i / width), unit = wx < wy ? wx : wy;
    uint32_t k = 0;
    while (s != VT_EDT_NONE64 && (int64_t)k * k * unit < s)
      k++;
    same = replay.ticks[i] == (s == VT_EDT_NONE64 ? NEVER : k);
    most = k > most ? k : most;
  }
  vt_ok(same && replay.n_ticks == most + 1, "distance: %lld x %lld, sides %d to %d, cap %lld: %u ticks",
        (long long)width, (long long)height, (int)wx, (int)wy, (long long)cap, most + 1);
  vt_replay_clear(&replay);
  free(src.data);
  free(nearest.data);
  free(squared.data);
  free(root.data);
}

static int64_t
squared_between(const VtDistance *args, int64_t a, int64_t b)
{
  const int64_t w = args->src.width, dx = a % w - b % w, dy = a / w - b / w;
  return args->weight_x * dx * dx + args->weight_y * dy * dy;
}

/* All pixels at once take the best of what those around them had, until nothing changes. */
static uint32_t
hand_all_on(const VtDistance *args, int64_t *site, uint32_t *ticks)
{
  const int64_t w = args->src.width, n = w * args->src.height;
  int64_t *had = malloc((size_t)n * sizeof *had);
  uint32_t tick = 0;
  for (int64_t i = 0; i < n; i++) {
    site[i] = vt_oracle_get(&args->src, i % w, i / w) == 0 ? i : -1;
    ticks[i] = site[i] >= 0 ? 0 : NEVER;
  }
  for (bool changes = true; changes;) {
    changes = false;
    tick++;
    memcpy(had, site, (size_t)n * sizeof *had);
    for (int64_t i = 0; i < n; i++)
      for (int k = 0; k < 9; k++) {
        const int64_t x = i % w + k % 3 - 1, y = i / w + k / 3 - 1;
        const int64_t offer = vt_oracle_inside(&args->src, x, y) ? had[y * w + x] : -1, now = site[i];
        if (offer < 0 || offer == now)
          continue;
        const int64_t d = squared_between(args, i, offer), own = now < 0 ? INT64_MAX : squared_between(args, i, now);
        if (d > own || (d == own && offer > now))
          continue;
        site[i] = offer;
        ticks[i] = tick;
        changes = true;
      }
  }
  free(had);
  return tick;
}

static void
check_rounds(int64_t width, int64_t height, int32_t wx, int32_t wy, int64_t cap, uint32_t rare)
{
  VtImage src = mini_image_new(VITRAIL_U8, width, height), root = mini_image_new(VITRAIL_F32, width, height);
  const int64_t n = width * height;
  int64_t *site = malloc((size_t)n * sizeof *site);
  uint32_t *ticks = malloc((size_t)n * sizeof *ticks);
  for (int64_t i = 0; i < n; i++)
    vt_oracle_set(&src, i % width, i / width, rare && pick(rare) == 0 ? 0 : 255);
  const VtDistance args = { .src = src, .root = root, .weight_x = wx, .weight_y = wy, .scale = 0.25f, .cap = cap };
  const uint32_t n_ticks = hand_all_on(&args, site, ticks);
  for (int64_t i = 0; i < n; i++) {
    const int64_t squared = site[i] < 0 ? INT64_MAX : squared_between(&args, i, site[i]);
    const bool is_capped = cap > 0 && squared > cap;
    *(float *)vt_image_at(&root, i % width, i / width) =
      squared == INT64_MAX && !is_capped ? INFINITY : (float)sqrt((double)(is_capped ? cap : squared)) * 0.25f;
  }
  VtReplay replay;
  bool same = vt_replay_distance_rounds(&args, NULL, &replay) == VITRAIL_OK && same_pixels(&root, &replay.end)
              && replay.n_ticks == n_ticks && memcmp(replay.ticks, ticks, (size_t)n * sizeof *ticks) == 0;
  for (const VtDistanceAlgorithm *a = vt_cpu_backend()->distance; a->id; a++) /* not in all builds */
    if (strcmp(a->id, "danielsson") == 0)
      same &= a->run(NULL, &args, NULL) == VITRAIL_OK && same_pixels(&root, &replay.end);
  vt_ok(same, "distance in rounds: %lld x %lld, sides %d to %d, cap %lld: %u rounds", (long long)width,
        (long long)height, (int)wx, (int)wy, (long long)cap, n_ticks);
  vt_replay_clear(&replay);
  free(src.data);
  free(root.data);
  free(site);
  free(ticks);
}

static void
check_zones(int64_t width, int64_t height, int32_t connectivity, uint32_t rare)
{
  VtImage seeds = mini_image_new(VITRAIL_I32, width, height), mask = mini_image_new(VITRAIL_U8, width, height),
          steps = mini_image_new(VITRAIL_I32, width, height), zones = mini_image_new(VITRAIL_I32, width, height);
  for (int64_t i = 0; i < width * height; i++) {
    vt_oracle_set(&mask, i % width, i / width, pick(4) ? 255 : 0);
    vt_oracle_set(&seeds, i % width, i / width, pick(rare) ? 0 : 1 + pick(9));
  }
  const VtGeodesic args = { seeds, mask, steps, zones, connectivity };
  VtReplay replay;
  bool same = vt_oracle_geodesic(NULL, &args, NULL) == VITRAIL_OK && vt_replay_zones(&args, NULL, &replay) == VITRAIL_OK
              && same_pixels(&zones, &replay.end);
  uint32_t most = 0;
  for (int64_t i = 0; i < width * height && same; i++) {
    const int32_t s = *(const int32_t *)vt_image_at(&steps, i % width, i / width);
    same = replay.ticks[i] == (s == VT_EDT_NONE ? NEVER : (uint32_t)s);
    most = s != VT_EDT_NONE && (uint32_t)s > most ? (uint32_t)s : most;
  }
  vt_ok(same && replay.n_ticks == most + 1, "zones: %lld x %lld, %d neighbours, a seed in %u: %u ticks",
        (long long)width, (long long)height, (int)connectivity, rare, most + 1);
  vt_replay_clear(&replay);
  free(seeds.data);
  free(mask.data);
  free(steps.data);
  free(zones.data);
}

/* --- watershed --- */

typedef struct {
  VtImage height, seeds, mask, level, labels;
} Relief;

static Relief
relief_new(int64_t width, int64_t height, uint32_t heights, uint32_t rare)
{
  Relief r = { mini_image_new(VITRAIL_F32, width, height), mini_image_new(VITRAIL_I32, width, height),
               mini_image_new(VITRAIL_U8, width, height), mini_image_new(VITRAIL_F32, width, height),
               mini_image_new(VITRAIL_I32, width, height) };
  for (int64_t i = 0; i < width * height; i++) {
    const int64_t x = i % width, y = i / width;
    const bool inside = pick(7) != 0;
    vt_oracle_set(&r.mask, x, y, inside ? 255 : 0);
    vt_oracle_set(&r.height, x, y, inside ? (double)pick(heights) - 2 : -1000);
    vt_oracle_set(&r.seeds, x, y, inside && pick(rare) == 0 ? 1 + (double)i : 0);
    vt_oracle_set(&r.level, x, y, vt_oracle_get(&r.seeds, x, y) != 0 ? vt_oracle_get(&r.height, x, y) : -1000);
  }
  const VtReconstruct args = { .marker = r.level, .mask = r.height, .connectivity = 8 };
  vt_oracle_reconstruct(NULL, &args, NULL);
  return r;
}

/* Relaxed until nothing changes; -1: not reached. */
static void
plateau_distances(const Relief *r, int32_t *distance)
{
  const int64_t w = r->level.width, h = r->level.height;
  for (int64_t i = 0; i < w * h; i++)
    distance[i] = vt_oracle_get(&r->mask, i % w, i / w) != 0 && vt_oracle_get(&r->seeds, i % w, i / w) != 0 ? 0 : -1;
  for (bool changes = true; changes;) {
    changes = false;
    for (int64_t i = 0; i < w * h; i++) {
      const int64_t x = i % w, y = i / w;
      int32_t best = distance[i] < 0 ? INT32_MAX : distance[i];
      if (vt_oracle_get(&r->mask, x, y) == 0)
        continue;
      for (int k = 0; k < 9; k++) {
        const int64_t nx = x + k % 3 - 1, ny = y + k / 3 - 1;
        if (k == 4 || !vt_oracle_inside(&r->mask, nx, ny) || vt_oracle_get(&r->mask, nx, ny) == 0)
          continue;
        const double other = vt_oracle_get(&r->level, nx, ny), own = vt_oracle_get(&r->level, x, y);
        const int32_t from = distance[ny * w + nx];
        const int32_t offer = other > own ? 1 : other == own && from >= 0 ? from + 1 : INT32_MAX;
        best = offer < best ? offer : best;
      }
      if (best != INT32_MAX && best != distance[i]) {
        distance[i] = best;
        changes = true;
      }
    }
  }
}

typedef struct {
  double level;
  int32_t distance;
} Moment;

static int
compare_moments(const void *a, const void *b)
{
  const Moment *p = a, *q = b;
  const int by_level = (p->level < q->level) - (p->level > q->level);
  return by_level ? by_level : (p->distance > q->distance) - (p->distance < q->distance);
}

static bool
has_moments(const Relief *r, const int32_t *distance, const VtReplay *replay)
{
  const int64_t w = r->level.width, n = w * r->level.height;
  Moment *all = malloc((size_t)n * sizeof *all);
  int64_t n_all = 0;
  bool same = true;
  for (int64_t i = 0; i < n; i++)
    if (distance[i] >= 0)
      all[n_all++] = (Moment){ vt_oracle_get(&r->level, i % w, i / w), distance[i] };
  qsort(all, (size_t)n_all, sizeof *all, compare_moments);
  int64_t n_ticks = n_all > 0;
  for (int64_t i = 1; i < n_all; i++)
    if (compare_moments(&all[i], &all[n_ticks - 1]) != 0)
      all[n_ticks++] = all[i];
  same = replay->n_ticks == (n_ticks > 0 ? (uint32_t)n_ticks : 1);
  for (int64_t i = 0; i < n && same; i++) {
    const uint32_t tick = replay->ticks[i];
    const Moment own = { vt_oracle_get(&r->level, i % w, i / w), distance[i] };
    same = distance[i] < 0
             ? tick == NEVER
             : tick < n_ticks && compare_moments(&own, &all[tick]) == 0 && (double)replay->levels[tick] == own.level;
  }
  free(all);
  return same;
}

static void
check_watershed(int64_t width, int64_t height, uint32_t heights, uint32_t rare)
{
  Relief r = relief_new(width, height, heights, rare);
  int32_t *distance = malloc((size_t)(width * height) * sizeof *distance);
  VtReplay replay;
  const VtWatershed args = { r.level, r.seeds, r.mask, r.labels };
  plateau_distances(&r, distance);
  const bool same = vt_oracle_watershed(NULL, &args, NULL) == VITRAIL_OK
                    && vt_replay_watershed(&args, NULL, &replay) == VITRAIL_OK && same_pixels(&r.labels, &replay.end)
                    && has_moments(&r, distance, &replay);
  vt_ok(same, "watershed: %lld x %lld, %u heights, a seed in %u: %u ticks", (long long)width, (long long)height,
        heights, rare, replay.n_ticks);
  vt_replay_clear(&replay);
  free(distance);
  VtImage *const images[] = { &r.height, &r.seeds, &r.mask, &r.level, &r.labels };
  for (size_t i = 0; i < VT_COUNT(images); i++)
    free(images[i]->data);
}

static void
check_definitions(void)
{
  static const int64_t sizes[][2] = { { 1, 1 }, { 1, 9 }, { 23, 1 }, { 17, 13 }, { 40, 31 } };
  static const VtType types[] = { VITRAIL_U8, VITRAIL_U16, VITRAIL_I32, VITRAIL_F32 };
  for (size_t s = 0; s < VT_COUNT(sizes); s++) {
    const int64_t w = sizes[s][0], h = sizes[s][1];
    for (uint32_t k = 0; k < 16; k++)
      check_reconstruct(types[k % 4], (k + k / 4) % 2 ? 4 : 8, w, h, k / 4);
    for (uint32_t k = 0; k < 6; k++) {
      check_distance(w, h, k % 2 ? 5 : 1, k % 3 ? 1 : 3, k == 4 ? 30 : 0, k == 5 ? 0 : 3 + 20 * k);
      check_rounds(w, h, k % 2 ? 5 : 1, k % 3 ? 1 : 3, k == 4 ? 30 : 0, k == 5 ? 0 : 3 + 20 * k);
    }
    for (uint32_t k = 0; k < 4; k++)
      check_zones(w, h, k % 2 ? 4 : 8, 2 + 30 * k);
    for (uint32_t k = 0; k < 6; k++)
      check_watershed(w, h, 1 + k * k * 3, k == 5 ? 100000 : 3 + 10 * k);
  }
}

/* --- ops --- */

typedef struct {
  uint32_t n;
  VitrailWave told;
  bool is_sound, is_equal;
  uint64_t hash;
} Heard;

static uint64_t
hash(uint64_t h, const void *bytes, size_t n)
{
  for (size_t i = 0; i < n; i++)
    h = (h ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001B3);
  return h;
}

static void
take(void *user, const VitrailWave *wave)
{
  Heard *heard = user;
  const size_t n = (size_t)(wave->width * wave->height), bytes = n * vt_type_size(wave->type);
  uint32_t most = 0;
  heard->told = *wave;
  heard->is_sound = wave->width > 0 && wave->height > 0 && wave->n_ticks > 0 && wave->node && wave->unit
                    && wave->tick_unit && (wave->kind == VITRAIL_WAVE_RECONSTRUCTION) == (wave->begin != NULL)
                    && (wave->kind == VITRAIL_WAVE_WATERSHED) == (wave->levels != NULL)
                    && (wave->stages >> wave->stage & 1);
  for (size_t i = 0; i < n; i++) {
    heard->is_sound &= wave->ticks[i] < wave->n_ticks || wave->ticks[i] == NEVER;
    most = wave->ticks[i] != NEVER && wave->ticks[i] > most ? wave->ticks[i] : most;
  }
  for (uint32_t i = 1; wave->levels && i < wave->n_ticks; i++)
    heard->is_sound &= wave->levels[i] <= wave->levels[i - 1];
  heard->is_sound &= most == wave->n_ticks - 1;
  heard->is_equal = memcmp(wave->end, wave->made, bytes) == 0;
  heard->hash = hash(hash(wave->n_ticks, wave->ticks, n * sizeof *wave->ticks), wave->end, bytes);
  heard->n++;
}

typedef struct {
  const VitrailOp *op;
  const VitrailParam *param;
  double value;
  uint32_t stage;
} Case;

static VtImage tissue;
static VitrailSession *session;
static uint32_t n_kinds[4];

static VitrailStatus
play(const Case *c, uint32_t threads, uint32_t tile, Heard *heard, char message[512])
{
  MiniJob job = mini_job(c->op, &tissue);
  MiniHost mini = {
    .n_threads = threads, .shuffle_seed = 7 * threads, .cancel_after = -1, .take_wave = take, .wave_user = heard
  };
  MiniResult result;
  mini_job_set_region(&job, 10, 20, 150, 110);
  job.request.tile_px = tile;
  job.request.flags = VITRAIL_RUN_WAVE | VITRAIL_RUN_KEEP_STAGES;
  job.request.wave_stage = c->stage;
  if (c->param)
    mini_job_set(&job, c->param->key, c->value);
  *heard = (Heard){ 0 };
  const VitrailStatus status = mini_job_run(&job, &mini, session, &result);
  memcpy(message, result.message, 512);
  mini_result_clear(&result);
  return status;
}

static void
check_case(const Case *c)
{
  Heard heard, other;
  char message[512], again[512], name[160];
  const VitrailStatus status = play(c, 1, 0, &heard, message);
  snprintf(name, sizeof name, "%s, stage %s, %s %g", c->op->id, c->op->stages[c->stage]->id,
           c->param ? c->param->key : "as it is", c->param ? c->value : 0);
  if (status == VITRAIL_BAD_ARGUMENT) {
    vt_ok(heard.n == 0 && message[0], "%s: %.60s", name, message);
    return;
  }
  vt_ok(status == VITRAIL_OK && heard.n == 1 && heard.is_sound && heard.is_equal, "%s: %u ticks of %s end in it %s",
        name, heard.told.n_ticks, heard.n ? c->op->stages[heard.told.stage]->id : "", message);
  n_kinds[heard.told.kind]++;
  if (c->param)
    return;
  vt_ok(play(c, 3, 50, &other, again) == VITRAIL_OK && other.hash == heard.hash, "%s: the same in tiles and threads",
        name);
}

static void
check_op(const VitrailOp *op)
{
  for (uint32_t stage = 0; stage < op->n_stages; stage++) {
    check_case(&(Case){ .op = op, .stage = stage });
    for (uint32_t i = 0; i < op->n_params; i++) {
      const VitrailParam *p = op->params[i];
      const uint32_t n = p->type == VITRAIL_PARAM_CHOICE ? p->n_choices : p->type == VITRAIL_PARAM_BOOL ? 2 : 0;
      for (uint32_t k = 0; k < n; k++)
        check_case(&(Case){ op, p, k, stage });
    }
  }
}

int
main(void)
{
  vt_draws.state = 5;
  check_definitions();
  tissue = mini_tissue_new(190, 160, 3);
  if (mini_plugin()->session_open(&session) != VITRAIL_OK)
    return EXIT_FAILURE;
  for (uint32_t i = 0; i < mini_plugin()->n_ops; i++)
    check_op(mini_plugin()->ops[i]);
  vt_ok(n_kinds[0] && n_kinds[1] && n_kinds[2] && n_kinds[3],
        "reconstructions %u, distances %u, zones %u, watersheds %u", n_kinds[0], n_kinds[1], n_kinds[2], n_kinds[3]);
  mini_plugin()->session_close(session);
  free(tissue.data);
  return vt_test_done();
}
