/* SPDX-License-Identifier: MIT */
#include "vt-demo-scene.h"

#include <math.h>
#include <stdlib.h>

#define TAU 6.2831853f
#define BUCKET 16 /* px; nuclei are looked up by bucket when a new one asks for room */

typedef struct Builder {
  VtDemoScene *scene;
  size_t rings_room, nuclei_room, discs_room;
  int n_buckets;    /* per side */
  int32_t *buckets; /* first nucleus of a bucket, -1 = none */
  int32_t *next;    /* next nucleus of the same bucket; as long as nuclei_room */
  bool failed;
} Builder;

static float
between(uint32_t *state, float low, float high)
{
  return low + (high - low) * vt_demo_random(state);
}

/* Four octaves, about [-1, 1]. Each is turned, so that the lattice does not show. */
static float
fbm(float x, float y, uint32_t seed)
{
  float sum = 0, weight = 0.55f;
  for (uint32_t octave = 0; octave < 4; octave++, weight *= 0.5f) {
    float turned = 1.62f * x - 1.22f * y;
    y = 1.22f * x + 1.62f * y;
    x = turned;
    sum += weight * vt_demo_noise(0.5f * x, 0.5f * y, seed + octave);
  }
  return sum;
}

float
vt_demo_scene_field(const VtDemoScene *scene, int field, float x, float y)
{
  float limit = (float)(scene->grid - 1) - 0.001f;
  float gx = fminf(fmaxf(x / VT_DEMO_STEP, 0), limit), gy = fminf(fmaxf(y / VT_DEMO_STEP, 0), limit);
  int ix = (int)gx, iy = (int)gy;
  const float *at = scene->fields[field] + (size_t)iy * (size_t)scene->grid + ix;
  float top = at[0] + (at[1] - at[0]) * (gx - (float)ix);
  float bottom = at[scene->grid] + (at[scene->grid + 1] - at[scene->grid]) * (gx - (float)ix);
  return top + (bottom - top) * (gy - (float)iy);
}

/* About the distance inside a wobbly ellipse, in units of the slide's width. */
static float
blob(float u, float v, float cx, float cy, float rx, float ry, float angle)
{
  float c = cosf(angle), s = sinf(angle);
  float x = ((u - cx) * c + (v - cy) * s) / rx, y = ((v - cy) * c - (u - cx) * s) / ry;
  return (1.0f - sqrtf(x * x + y * y)) * fminf(rx, ry);
}

static void
fill_fields(VtDemoScene *scene)
{
  uint32_t seed = scene->seed * 64u;
  float width = (float)scene->size;
  for (int row = 0; row < scene->grid; row++)
    for (int col = 0; col < scene->grid; col++) {
      float x = (float)(col * VT_DEMO_STEP), y = (float)(row * VT_DEMO_STEP), u = x / width, v = y / width;
      float values[VT_DEMO_N_FIELDS];
      float wobble = 0.07f * fbm(u * 3.2f, v * 3.2f, seed + 1);
      float wx = x + 130 * fbm(x / 330, y / 330, seed + 51), wy = y + 130 * fbm(x / 330, y / 330, seed + 56);
      float main_part = blob(u, v, 0.47f, 0.47f, 0.40f, 0.32f, 0.35f);
      float fragment = blob(u, v, 0.80f, 0.87f, 0.10f, 0.055f, -0.6f);
      values[VT_DEMO_EDGE] = (fmaxf(main_part, fragment) + wobble) * width + 14 * fbm(x / 70, y / 70, seed + 6);
      values[VT_DEMO_EPITHELIUM] = fbm(wx / 900, wy / 900, seed + 11) - 0.17f;
      values[VT_DEMO_LYMPHOID] = fbm(wx / 620, wy / 620, seed + 16) - 0.32f;
      values[VT_DEMO_FAT] = fbm(wx / 1100, wy / 1100, seed + 21) + (u - 0.45f) * 0.7f - 0.50f;
      values[VT_DEMO_ACROSS] =
        y + 0.5f * x + 420 * fbm(x / 760, y / 760, seed + 26) + 30 * fbm(x / 90, y / 90, seed + 31);
      values[VT_DEMO_ALONG] = x - 0.5f * y + 420 * fbm(x / 760, y / 760, seed + 36);
      values[VT_DEMO_STAIN] = 1.0f + 0.20f * fbm(x / 1500, y / 1500, seed + 41);
      values[VT_DEMO_FOLD] = fabsf(x - 0.30f * width - 0.35f * (y - 0.5f * width) - 60 * fbm(0, y / 400, seed + 46))
                             + fmaxf(0, fabsf(y - 0.42f * width) - 0.17f * width) * 0.25f;
      for (int f = 0; f < VT_DEMO_N_FIELDS; f++)
        scene->fields[f][(size_t)row * (size_t)scene->grid + (size_t)col] = values[f];
    }
}

/* Room for one more element; false and `failed` when there is none. */
static bool
grow(Builder *builder, void **array, size_t count, size_t *room, size_t size)
{
  if (count < *room)
    return true;
  size_t more = *room ? *room * 2 : 1024;
  void *bigger = realloc(*array, more * size);
  if (!bigger) {
    builder->failed = true;
    return false;
  }
  *array = bigger;
  *room = more;
  return true;
}

static VtDemoOutline
random_outline(uint32_t *state, float amount)
{
  VtDemoOutline outline;
  for (int i = 0; i < 3; i++) {
    outline.k[i] = amount * between(state, 0.2f, 1) / (float)(i + 1);
    outline.phase[i] = between(state, 0, TAU);
  }
  return outline;
}

static void
add_disc(Builder *builder, float x, float y, float radius, bool is_dirt)
{
  VtDemoScene *scene = builder->scene;
  if (grow(builder, (void **)&scene->discs, scene->n_discs, &builder->discs_room, sizeof *scene->discs))
    scene->discs[scene->n_discs++] = (VtDemoDisc){ x, y, radius, is_dirt };
}

/* Whether the nucleus keeps its distance: `overlap` 0 = outlines just touch, 0.3 = they share a third of their radii. */
static bool
has_room(const Builder *builder, const VtDemoNucleus *nucleus, float overlap)
{
  const VtDemoScene *scene = builder->scene;
  int reach = 3, col = (int)nucleus->x / BUCKET, row = (int)nucleus->y / BUCKET;
  for (int r = row - reach; r <= row + reach; r++)
    for (int c = col - reach; c <= col + reach; c++) {
      if (r < 0 || c < 0 || r >= builder->n_buckets || c >= builder->n_buckets)
        continue;
      for (int32_t i = builder->buckets[r * builder->n_buckets + c]; i >= 0; i = builder->next[i]) {
        const VtDemoNucleus *other = &scene->nuclei[i];
        float dx = other->x - nucleus->x, dy = other->y - nucleus->y, d = sqrtf(dx * dx + dy * dy) + 0.01f;
        float mine = fabsf(dx * nucleus->cos_angle + dy * nucleus->sin_angle) / d;
        float theirs = fabsf(dx * other->cos_angle + dy * other->sin_angle) / d;
        float radii = nucleus->b + (nucleus->a - nucleus->b) * mine + other->b + (other->a - other->b) * theirs;
        if (d < radii * (1 - overlap))
          return false;
      }
    }
  return true;
}

static void
add_nucleus(Builder *builder, VtDemoNucleus nucleus, float angle, float wobble, uint32_t *state)
{
  VtDemoScene *scene = builder->scene;
  nucleus.cos_angle = cosf(angle);
  nucleus.sin_angle = sinf(angle);
  nucleus.outline = random_outline(state, wobble);
  nucleus.seed = vt_demo_hash(*state, 1, scene->seed);
  /* Most keep clear of each other, many touch, a few lie over one another, as in a section of finite thickness. */
  float luck = vt_demo_random(state), overlap = luck < 0.05f ? 0.32f : luck < 0.35f ? 0.08f : -0.10f;
  if (nucleus.x < 1 || nucleus.y < 1 || nucleus.x >= (float)scene->size - 1 || nucleus.y >= (float)scene->size - 1
      || !has_room(builder, &nucleus, overlap))
    return;
  size_t room = builder->nuclei_room;
  if (!grow(builder, (void **)&builder->next, scene->n_nuclei, &room, sizeof *builder->next)
      || !grow(builder, (void **)&scene->nuclei, scene->n_nuclei, &builder->nuclei_room, sizeof *scene->nuclei))
    return;
  int32_t *bucket = &builder->buckets[(int)nucleus.y / BUCKET * builder->n_buckets + (int)nucleus.x / BUCKET];
  builder->next[scene->n_nuclei] = *bucket;
  *bucket = (int32_t)scene->n_nuclei;
  scene->nuclei[scene->n_nuclei++] = nucleus;
}

static void
line_gland(Builder *builder, const VtDemoRing *ring, uint32_t *state)
{
  float vesicular = between(state, 0.1f, 0.6f), dark = between(state, 0.62f, 0.85f);
  int layers = ring->wall > 26 ? 2 : 1;
  for (int layer = 0; layer < layers; layer++)
    for (float angle = between(state, 0, 0.4f); angle < TAU; angle += between(state, 10.5f, 15) / ring->radius) {
      float depth = ring->wall * (0.34f + 0.30f * (float)layer) + between(state, -2.5f, 2.5f);
      float r = ring->radius * vt_demo_outline_radius(&ring->outline, angle) - depth;
      VtDemoNucleus nucleus = { .x = ring->x + r * cosf(angle), .y = ring->y + r * sinf(angle) };
      nucleus.a = between(state, 6.8f, 10.5f);
      nucleus.b = between(state, 4.8f, 6.4f);
      nucleus.hematoxylin = dark * between(state, 0.85f, 1.15f);
      nucleus.vesicular = vesicular;
      add_nucleus(builder, nucleus, angle + between(state, -0.35f, 0.35f), 0.04f, state);
    }
}

static void
line_vessel(Builder *builder, const VtDemoRing *ring, uint32_t *state)
{
  for (float angle = between(state, 0, 1); angle < TAU; angle += between(state, 26, 60) / ring->radius) {
    float r = ring->radius * vt_demo_outline_radius(&ring->outline, angle) - ring->wall * 0.5f;
    VtDemoNucleus nucleus = { .x = ring->x + r * cosf(angle), .y = ring->y + r * sinf(angle) };
    nucleus.a = between(state, 7, 11);
    nucleus.b = between(state, 2.4f, 3.4f);
    nucleus.hematoxylin = between(state, 0.75f, 1.05f);
    add_nucleus(builder, nucleus, angle + TAU / 4, 0.05f, state);
  }
  int n_red = (int)(ring->radius * ring->radius / between(state, 60, 260));
  for (int i = 0; i < n_red; i++) {
    float angle = between(state, 0, TAU), r = (ring->radius - ring->wall - 9) * sqrtf(vt_demo_random(state));
    if (r > 0)
      add_disc(builder, ring->x + r * cosf(angle), ring->y + r * sinf(angle) * 0.9f, between(state, 5.6f, 7.2f), false);
  }
}

static bool
ring_has_room(const VtDemoScene *scene, const VtDemoRing *ring, float gap)
{
  for (size_t i = 0; i < scene->n_rings; i++) {
    float dx = scene->rings[i].x - ring->x, dy = scene->rings[i].y - ring->y,
          least = scene->rings[i].radius + ring->radius + gap;
    if (dx * dx + dy * dy < least * least)
      return false;
  }
  return true;
}

/* Glands in the middle ground, vessels anywhere, fat cells in fat: one candidate per cell of a jittered grid. */
static void
place_rings(Builder *builder, VtDemoRingKind kind, float spacing)
{
  VtDemoScene *scene = builder->scene;
  int n = (int)((float)scene->size / spacing);
  for (int row = 0; row < n; row++)
    for (int col = 0; col < n; col++) {
      uint32_t state = vt_demo_hash((uint32_t)col, (uint32_t)row, scene->seed + 100 + kind);
      VtDemoRing ring = { .kind = kind, .seed = state };
      float jitter = kind == VT_DEMO_ADIPOCYTE ? 0.17f : 0.45f;
      ring.x = ((float)col + 0.5f * (float)(row & 1) + between(&state, -jitter, jitter)) * spacing;
      ring.y = ((float)row + between(&state, -jitter, jitter)) * spacing;
      float fat = vt_demo_scene_field(scene, VT_DEMO_FAT, ring.x, ring.y), gap = 6, chance = 0.92f;
      float nest = fmaxf(vt_demo_scene_field(scene, VT_DEMO_EPITHELIUM, ring.x, ring.y),
                         vt_demo_scene_field(scene, VT_DEMO_LYMPHOID, ring.x, ring.y));
      if (kind == VT_DEMO_GLAND) {
        ring.radius = between(&state, 34, 66) * (vt_demo_random(&state) < 0.2f ? 1.5f : 1);
        ring.wall = between(&state, 20, 33);
        ring.outline = random_outline(&state, 0.17f);
        chance =
          fat > -0.1f || nest > -0.02f ? 0 : 0.62f + 0.5f * vt_demo_noise(ring.x / 900, ring.y / 900, scene->seed + 5);
      } else if (kind == VT_DEMO_VESSEL) {
        ring.radius = between(&state, 13, 34) * (vt_demo_random(&state) < 0.12f ? 2.2f : 1);
        ring.wall = 3.5f + ring.radius * between(&state, 0.04f, 0.16f);
        ring.outline = random_outline(&state, 0.16f);
        chance = nest > 0.05f ? 0.1f : 0.55f;
      } else {
        ring.radius = spacing * between(&state, 0.40f, 0.60f);
        ring.wall = 2.4f;
        ring.outline = random_outline(&state, 0.09f);
        gap = -0.22f * spacing;
        chance = fat > 0 && nest < 0 ? 0.97f : 0;
      }
      if (vt_demo_scene_field(scene, VT_DEMO_EDGE, ring.x, ring.y) < ring.radius * 1.2f + 12
          || vt_demo_random(&state) > chance || !ring_has_room(scene, &ring, gap)
          || !grow(builder, (void **)&scene->rings, scene->n_rings, &builder->rings_room, sizeof *scene->rings))
        continue;
      scene->rings[scene->n_rings++] = ring;
      if (kind == VT_DEMO_GLAND)
        line_gland(builder, &ring, &state);
      else if (kind == VT_DEMO_VESSEL)
        line_vessel(builder, &ring, &state);
    }
}

static bool
inside_ring(const VtDemoScene *scene, const int32_t *ring_of_cell, int n, float x, float y)
{
  for (int row = (int)y / 128 - 1; row <= (int)y / 128 + 1; row++)
    for (int col = (int)x / 128 - 1; col <= (int)x / 128 + 1; col++)
      for (int k = 0; k < 8 && row >= 0 && col >= 0 && row < n && col < n; k++) {
        int32_t i = ring_of_cell[(row * n + col) * 8 + k];
        if (i < 0)
          break;
        const VtDemoRing *ring = &scene->rings[i];
        float dx = x - ring->x, dy = y - ring->y,
              r = ring->radius * vt_demo_outline_radius(&ring->outline, atan2f(dy, dx));
        if (dx * dx + dy * dy < r * r)
          return true;
      }
  return false;
}

static float
fibre_angle(const VtDemoScene *scene, float x, float y)
{
  float gx =
    vt_demo_scene_field(scene, VT_DEMO_ACROSS, x + 12, y) - vt_demo_scene_field(scene, VT_DEMO_ACROSS, x - 12, y);
  float gy =
    vt_demo_scene_field(scene, VT_DEMO_ACROSS, x, y + 12) - vt_demo_scene_field(scene, VT_DEMO_ACROSS, x, y - 12);
  return atan2f(gx, -gy);
}

/* One free cell of the tissue at (x, y), of the kind that the place asks for; or none. */
static void
add_free_nucleus(Builder *builder, float x, float y, uint32_t *state)
{
  const VtDemoScene *scene = builder->scene;
  float luck = vt_demo_random(state), angle = between(state, 0, TAU / 2);
  VtDemoNucleus nucleus = { .x = x, .y = y };
  bool is_nest = vt_demo_scene_field(scene, VT_DEMO_EPITHELIUM, x, y) > 0;
  float lymphoid = vt_demo_scene_field(scene, VT_DEMO_LYMPHOID, x, y);
  if (lymphoid > 0 || (!is_nest && luck < 0.028f + 0.25f * fmaxf(0, lymphoid + 0.12f))) {
    nucleus.a = between(state, 5, 7);
    nucleus.b = nucleus.a * between(state, 0.86f, 1);
    nucleus.hematoxylin = between(state, 0.95f, 1.25f);
    if (luck < 0.9f)
      add_nucleus(builder, nucleus, angle, 0.03f, state);
  } else if (is_nest) {
    nucleus.a = between(state, 7, 13);
    nucleus.b = nucleus.a * between(state, 0.62f, 0.95f);
    nucleus.vesicular = vt_demo_random(state) < 0.45f ? between(state, 0.6f, 1) : 0.25f;
    nucleus.hematoxylin = between(state, 0.62f, 0.95f) - 0.18f * nucleus.vesicular;
    if (luck < 0.33f)
      add_nucleus(builder, nucleus, angle, 0.06f, state);
  } else if (vt_demo_scene_field(scene, VT_DEMO_FAT, x, y) < 0 ? luck < 0.085f : luck < 0.02f) {
    nucleus.a = between(state, 8, 16);
    nucleus.b = between(state, 2.6f, 4.6f);
    nucleus.hematoxylin = between(state, 0.7f, 1.05f);
    add_nucleus(builder, nucleus, fibre_angle(scene, x, y) + between(state, -0.25f, 0.25f), 0.05f, state);
  }
}

static void
place_free_nuclei(Builder *builder)
{
  VtDemoScene *scene = builder->scene;
  int n = scene->size / 128 + 1;
  int32_t *ring_of_cell = malloc((size_t)n * (size_t)n * 8 * sizeof *ring_of_cell);
  if (!ring_of_cell) {
    builder->failed = true;
    return;
  }
  for (size_t i = 0; i < (size_t)n * (size_t)n * 8; i++)
    ring_of_cell[i] = -1;
  for (size_t i = 0; i < scene->n_rings; i++) {
    int32_t *cell = &ring_of_cell[((int)scene->rings[i].y / 128 * n + (int)scene->rings[i].x / 128) * 8];
    for (int k = 0; k < 8; k++)
      if (cell[k] < 0) {
        cell[k] = (int32_t)i;
        break;
      }
  }
  const float spacing = 13;
  int side = (int)((float)scene->size / spacing) + 1;
  for (int row = 0; row < side; row++)
    for (int col = 0; col < side; col++) {
      uint32_t state = vt_demo_hash((uint32_t)col, (uint32_t)row, scene->seed + 200);
      float x = ((float)col + vt_demo_random(&state)) * spacing, y = ((float)row + vt_demo_random(&state)) * spacing;
      if (x < (float)scene->size && y < (float)scene->size && vt_demo_scene_field(scene, VT_DEMO_EDGE, x, y) > 6
          && !inside_ring(scene, ring_of_cell, n, x, y))
        add_free_nucleus(builder, x, y, &state);
    }
  free(ring_of_cell);
}

/* What every real slide has: specks on the glass and red cells that ran out of a vessel. */
static void
place_debris(Builder *builder)
{
  VtDemoScene *scene = builder->scene;
  uint32_t state = scene->seed + 300;
  float width = (float)scene->size;
  int n = scene->size / 128;
  for (int i = 0; i < n; i++)
    add_disc(builder, between(&state, 0, width), between(&state, 0, width), between(&state, 1.5f, 6), true);
  for (int i = 0; i < n / 8 + 1; i++) {
    float x = between(&state, 0.2f, 0.7f) * width, y = between(&state, 0.3f, 0.7f) * width;
    const VtDemoRing pool = { .x = x, .y = y, .radius = 60 };
    if (vt_demo_scene_field(scene, VT_DEMO_EPITHELIUM, x, y) > -0.05f || !ring_has_room(scene, &pool, 0))
      continue;
    for (int k = 0; k < 40; k++)
      add_disc(builder, x + between(&state, -60, 60) + between(&state, -40, 40), y + between(&state, -25, 25),
               between(&state, 5.6f, 7.2f), false);
  }
}

VtDemoScene *
vt_demo_scene_new(int size, uint32_t seed)
{
  VtDemoScene *scene = calloc(1, sizeof *scene);
  if (!scene)
    return NULL;
  *scene = (VtDemoScene){ .size = size, .seed = seed, .grid = size / VT_DEMO_STEP + 2 };
  Builder builder = { .scene = scene, .n_buckets = size / BUCKET + 1 };
  size_t n_buckets = (size_t)builder.n_buckets * (size_t)builder.n_buckets;
  builder.buckets = malloc(n_buckets * sizeof *builder.buckets);
  builder.failed = !builder.buckets;
  for (int f = 0; f < VT_DEMO_N_FIELDS; f++) {
    scene->fields[f] = malloc((size_t)scene->grid * (size_t)scene->grid * sizeof(float));
    builder.failed = builder.failed || !scene->fields[f];
  }
  if (!builder.failed) {
    for (size_t i = 0; i < n_buckets; i++)
      builder.buckets[i] = -1;
    fill_fields(scene);
    place_rings(&builder, VT_DEMO_GLAND, 165);
    place_rings(&builder, VT_DEMO_ADIPOCYTE, 96);
    place_rings(&builder, VT_DEMO_VESSEL, 140);
    place_free_nuclei(&builder);
    place_debris(&builder);
  }
  free(builder.buckets);
  free(builder.next);
  if (builder.failed) {
    vt_demo_scene_free(scene);
    return NULL;
  }
  return scene;
}

void
vt_demo_scene_free(VtDemoScene *scene)
{
  if (!scene)
    return;
  for (int f = 0; f < VT_DEMO_N_FIELDS; f++)
    free(scene->fields[f]);
  free(scene->rings);
  free(scene->nuclei);
  free(scene->discs);
  free(scene);
}
