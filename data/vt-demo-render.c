/* SPDX-License-Identifier: MIT
 *
 * Everything adds to three maps of dye (hematoxylin, eosin, and the orange of red cells), which are blurred a little and
 * become light by Beer-Lambert. */
#include "vt-demo-scene.h"

#include <math.h>
#include <stdlib.h>

#define MARGIN 1       /* rows that the blur needs above and below */
#define LUT_STEPS 1024 /* per unit of density */
#define LUT_SIZE (4 * LUT_STEPS)

enum { HEMATOXYLIN, EOSIN, ORANGE, N_DYES };

/* Optical densities (log10) of R, G, B; the first two as Ruifrok and Johnston 2001 via QuPath. */
static const float dye_od[N_DYES][3] = { { 0.65f, 0.70f, 0.29f },
                                         { 0.2159f, 0.8012f, 0.5581f },
                                         { 0.09f, 0.72f, 0.74f } };

typedef struct Band {
  const VtDemoScene *scene;
  int y, rows; /* with the margins */
  float *dye[N_DYES];
  int32_t *labels; /* with the margins */
} Band;

/* Of IHC: DAB is in the place of eosin, of which a trace stays in the ground. */
static const float dab_od[3] = { 0.27f, 0.57f, 0.78f };
#define TRACE 0.06f
/* Mean optical density of each class, apart from the usual thresholds of 0.2, 0.4 and 0.6. */
static const float dab_of_class[] = { 0.02f, 0.30f, 0.50f, 0.85f };

static float
smooth(float low, float high, float x)
{
  float t = fminf(fmaxf((x - low) / (high - low), 0), 1);
  return t * t * (3 - 2 * t);
}

/* Collagen in wavy bundles with clefts between them; loose and pale near fat. */
static void
paint_stroma(const VtDemoScene *scene, float along, float across, float loose, float dye[2])
{
  uint32_t seed = scene->seed + 400;
  float bundle = vt_demo_noise(across / 21, along / 190, seed),
        strand = vt_demo_noise(across / 7.5f, along / 85, seed + 1);
  float fibril = vt_demo_noise(across / 2.6f, along / 26, seed + 2);
  float body = 0.33f + 0.13f * bundle + 0.10f * strand + 0.07f * fibril;
  float cleft = smooth(0.30f, 0.62f, -0.62f * bundle - 0.45f * strand - 0.2f * fibril + 0.30f * loose);
  dye[EOSIN] = fmaxf(body * (1 - 0.35f * loose), 0.06f) * (1 - 0.93f * cleft);
  dye[HEMATOXYLIN] = (0.055f + 0.025f * strand) * (1 - 0.9f * cleft);
}

static void
paint_cytoplasm(const VtDemoScene *scene, float x, float y, float dye[2])
{
  float cell = vt_demo_noise(x / 17, y / 17, scene->seed + 410),
        grain = vt_demo_noise(x / 3.1f, y / 3.1f, scene->seed + 411);
  dye[EOSIN] = 0.29f + 0.06f * cell + 0.04f * grain;
  dye[HEMATOXYLIN] = 0.15f + 0.05f * cell + 0.03f * grain;
}

static void
paint_ground_row(const Band *band, int row)
{
  const VtDemoScene *scene = band->scene;
  float y = (float)(band->y + row), value[VT_DEMO_N_FIELDS], slope[VT_DEMO_N_FIELDS];
  size_t at = (size_t)row * (size_t)scene->size;
  for (int col = 0; col < scene->size; col++, at++) {
    if (col % VT_DEMO_STEP == 0)
      for (int f = 0; f < VT_DEMO_N_FIELDS; f++) {
        value[f] = vt_demo_scene_field(scene, f, (float)col, y);
        slope[f] = (vt_demo_scene_field(scene, f, (float)(col + VT_DEMO_STEP), y) - value[f]) / VT_DEMO_STEP;
      }
    float now[VT_DEMO_N_FIELDS], x = (float)col, dye[2] = { 0, 0 };
    for (int f = 0; f < VT_DEMO_N_FIELDS; f++)
      now[f] = value[f] + slope[f] * (float)(col % VT_DEMO_STEP);
    if (now[VT_DEMO_EDGE] > -12) {
      float stroma[2], cells[2];
      paint_stroma(scene, now[VT_DEMO_ALONG], now[VT_DEMO_ACROSS], smooth(-0.25f, 0.1f, now[VT_DEMO_FAT]), stroma);
      float fray = 9 * vt_demo_noise(now[VT_DEMO_ACROSS] / 6, now[VT_DEMO_ALONG] / 40, scene->seed + 420);
      float is_tissue = smooth(-1, 3, now[VT_DEMO_EDGE] + fray);
      float nest = smooth(-0.012f, 0.012f, now[VT_DEMO_EPITHELIUM]),
            lymphoid = smooth(-0.05f, 0.05f, now[VT_DEMO_LYMPHOID]);
      float part = fmaxf(nest, 0.6f * lymphoid);
      float fold = 1 + 0.75f * smooth(26, 16, now[VT_DEMO_FOLD]);
      cells[0] = cells[1] = 0;
      if (part > 0)
        paint_cytoplasm(scene, x, y, cells);
      for (int d = 0; d < 2; d++)
        dye[d] = (stroma[d] + (cells[d] - stroma[d]) * part) * is_tissue * fold * now[VT_DEMO_STAIN];
    }
    band->dye[HEMATOXYLIN][at] = dye[HEMATOXYLIN];
    band->dye[EOSIN][at] = dye[EOSIN];
    band->dye[ORANGE][at] = 0;
  }
}

/* The rows and columns of the band that a square of half side `reach` round (x, y) covers; false if none. */
static bool
clip(const Band *band, float x, float y, float reach, int box[4])
{
  box[0] = (int)fmaxf(floorf(x - reach), 0);
  box[1] = (int)fminf(ceilf(x + reach), (float)(band->scene->size - 1));
  box[2] = (int)fmaxf(floorf(y - reach) - (float)band->y, 0);
  box[3] = (int)fminf(ceilf(y + reach) - (float)band->y, (float)(band->rows - 1));
  return box[0] <= box[1] && box[2] <= box[3];
}

/* Dyes at `depth` px inside a ring. */
static void
paint_ring_wall(const VtDemoScene *scene, const VtDemoRing *ring, float x, float y, float depth, float dye[2])
{
  float in_lumen = smooth(ring->wall - 1.5f, ring->wall + 1.5f, depth + 1.5f * vt_demo_noise(x / 5, y / 5, ring->seed));
  if (ring->kind == VT_DEMO_GLAND) {
    paint_cytoplasm(scene, x, y, dye);
    /* The cytoplasm towards the lumen holds mucin in some glands; most lumina hold a little secretion. */
    float mucin = ring->seed & 1 ? smooth(0.45f, 0.75f, depth / ring->wall) * 0.55f : 0;
    float secretion =
      fmaxf(0, vt_demo_noise(x / 23, y / 23, ring->seed + 1) - 0.15f) * ((ring->seed >> 1) % 4 == 0 ? 0.35f : 0.05f);
    dye[EOSIN] = dye[EOSIN] * (1 - mucin) * (1 - in_lumen) + secretion * in_lumen;
    dye[HEMATOXYLIN] = dye[HEMATOXYLIN] * (1 - 0.5f * mucin) * (1 - in_lumen) + 0.1f * secretion * in_lumen;
  } else {
    bool is_vessel = ring->kind == VT_DEMO_VESSEL;
    float wall = (is_vessel ? 0.40f : 0.20f) + 0.08f * vt_demo_noise(x / 4, y / 4, ring->seed + 2);
    dye[EOSIN] = wall * (1 - in_lumen) + (is_vessel ? 0.03f : 0.0f) * in_lumen;
    dye[HEMATOXYLIN] = 0.05f * (1 - in_lumen);
  }
}

static void
paint_ring(const Band *band, const VtDemoRing *ring)
{
  const VtDemoScene *scene = band->scene;
  int box[4];
  if (!clip(band, ring->x, ring->y, ring->radius * 1.35f + 3, box))
    return;
  float stain = vt_demo_scene_field(scene, VT_DEMO_STAIN, ring->x, ring->y);
  for (int row = box[2]; row <= box[3]; row++)
    for (int col = box[0]; col <= box[1]; col++) {
      float x = (float)col, y = (float)(row + band->y), dx = x - ring->x, dy = y - ring->y;
      float depth = ring->radius * vt_demo_outline_radius(&ring->outline, atan2f(dy, dx)) - sqrtf(dx * dx + dy * dy);
      if (depth < -3)
        continue;
      size_t at = (size_t)row * (size_t)scene->size + (size_t)col;
      float inside = smooth(-1, 1, depth), dye[2];
      float fold = 1 + 0.75f * smooth(26, 16, vt_demo_scene_field(scene, VT_DEMO_FOLD, x, y));
      paint_ring_wall(scene, ring, x, y, depth, dye);
      /* The basement membrane shows as a slightly redder line. */
      float membrane = ring->kind == VT_DEMO_ADIPOCYTE ? 0 : 0.10f * fmaxf(0, 1 - fabsf(depth) / 2.5f);
      band->dye[EOSIN][at] += (dye[EOSIN] * stain * fold - band->dye[EOSIN][at]) * inside + membrane;
      band->dye[HEMATOXYLIN][at] += (dye[HEMATOXYLIN] * stain * fold - band->dye[HEMATOXYLIN][at]) * inside;
    }
}

static void
paint_disc(const Band *band, const VtDemoDisc *disc)
{
  int box[4];
  if (!clip(band, disc->x, disc->y, disc->radius + 4, box))
    return;
  float soft = disc->is_dirt ? 3 : 0.8f;
  for (int row = box[2]; row <= box[3]; row++)
    for (int col = box[0]; col <= box[1]; col++) {
      float dx = (float)col - disc->x, dy = (float)(row + band->y) - disc->y, r = sqrtf(dx * dx + dy * dy);
      float inside = smooth(disc->radius + soft, disc->radius - soft, r);
      size_t at = (size_t)row * (size_t)band->scene->size + (size_t)col;
      if (disc->is_dirt) {
        band->dye[HEMATOXYLIN][at] += 0.45f * inside;
        band->dye[ORANGE][at] += 0.30f * inside;
      } else {
        /* Biconcave: a little thinner in the middle. */
        float thickness = 0.50f + 0.22f * fminf(1, r * r / (disc->radius * disc->radius));
        band->dye[ORANGE][at] = fmaxf(band->dye[ORANGE][at], thickness * inside);
        band->dye[EOSIN][at] *= 1 - 0.6f * inside;
        band->dye[HEMATOXYLIN][at] *= 1 - 0.9f * inside;
      }
    }
}

/* Density of chromatin at `r` (0 centre .. 1 outline) of a nucleus; (u, v) are px along its axes. */
static float
chromatin(const VtDemoNucleus *nucleus, float u, float v, float r)
{
  float clumps =
    vt_demo_noise(u / 2.6f, v / 2.6f, nucleus->seed) + 0.5f * vt_demo_noise(u / 1.4f, v / 1.4f, nucleus->seed + 1);
  float rim = smooth(0.62f, 0.95f, r), pale = nucleus->vesicular;
  float density = nucleus->hematoxylin * (1 + (0.15f + 0.12f * pale) * clumps + pale * (0.55f * rim - 0.28f));
  for (uint32_t i = 0; i < 2 && pale > 0.5f; i++) {
    uint32_t state = nucleus->seed + 17 * i;
    float nu = (vt_demo_random(&state) - 0.5f) * nucleus->a, nv = (vt_demo_random(&state) - 0.5f) * nucleus->b;
    float d2 = (u - nu) * (u - nu) + (v - nv) * (v - nv);
    density += 0.40f * smooth(6.5f, 1, d2) * (float)(i == 0 || (nucleus->seed & 4));
  }
  return density;
}

/* Half of all nuclei are negative. */
int
vt_demo_nucleus_class(const VtDemoNucleus *nucleus)
{
  static const int classes[] = { 0, 0, 0, 0, 0, 1, 1, 2, 2, 3 };
  return classes[vt_demo_hash(nucleus->seed, 77, 5) % 10];
}

/* DAB hides a part of the counterstain. */
static void
paint_dab(const Band *band, const VtDemoNucleus *nucleus, float u, float v, float inside, size_t at)
{
  const int cls = vt_demo_nucleus_class(nucleus);
  const float dab = dab_of_class[cls] * (1 + 0.1f * vt_demo_noise(u / 2.6f, v / 2.6f, nucleus->seed + 3));
  band->dye[EOSIN][at] += (dab - band->dye[EOSIN][at]) * inside;
  band->dye[HEMATOXYLIN][at] *= 1 - (cls > 0 ? 0.5f : 0) * inside;
}

static void
paint_nucleus(const Band *band, size_t index)
{
  const VtDemoScene *scene = band->scene;
  const VtDemoNucleus *nucleus = &scene->nuclei[index];
  int box[4];
  if (!clip(band, nucleus->x, nucleus->y, nucleus->a * 1.2f + 4, box))
    return;
  float stain = vt_demo_scene_field(scene, VT_DEMO_STAIN, nucleus->x, nucleus->y);
  for (int row = box[2]; row <= box[3]; row++)
    for (int col = box[0]; col <= box[1]; col++) {
      float dx = (float)col - nucleus->x, dy = (float)(row + band->y) - nucleus->y;
      float u = dx * nucleus->cos_angle + dy * nucleus->sin_angle,
            v = dy * nucleus->cos_angle - dx * nucleus->sin_angle;
      float eu = u / nucleus->a, ev = v / nucleus->b, r = sqrtf(eu * eu + ev * ev);
      if (r > 2.2f)
        continue;
      r /= vt_demo_outline_radius(&nucleus->outline, atan2f(ev, eu));
      /* Towards the outline in px, so that small and large nuclei are equally sharp. */
      float outside_px = (r - 1) * sqrtf(u * u + v * v) / fmaxf(r, 0.05f);
      if (outside_px > 3)
        continue;
      size_t at = (size_t)row * (size_t)scene->size + (size_t)col;
      float inside = smooth(0.9f, -0.9f, outside_px);
      /* Cells shrink in fixation: a pale cleft often surrounds the nucleus. */
      band->dye[EOSIN][at] *= 1 - 0.30f * smooth(3, 0.5f, outside_px) * (float)(nucleus->seed % 3 == 0);
      float was = band->dye[HEMATOXYLIN][at], density = chromatin(nucleus, u, v, r) * stain;
      if (band->labels[at])
        density = fmaxf(density, was) + 0.22f * fminf(density, was);
      band->dye[HEMATOXYLIN][at] = was + (density - was) * inside;
      if (scene->is_ihc)
        paint_dab(band, nucleus, u, v, inside, at);
      else
        band->dye[EOSIN][at] += (0.12f + 0.22f * density - 0.45f * band->dye[EOSIN][at]) * inside;
      if (outside_px < 0)
        band->labels[at] = (int32_t)index + 1;
    }
}

/* 10^-(density * od) for every dye and channel. */
static float (*light_table(bool is_ihc))[3]
{
  float(*table)[3] = malloc(sizeof(float[3]) * N_DYES * LUT_SIZE);
  for (int i = 0; table && i < N_DYES * LUT_SIZE; i++)
    for (int c = 0; c < 3; c++)
      table[i][c] = powf(10, -(float)(i % LUT_SIZE) / LUT_STEPS
                               * (is_ihc && i / LUT_SIZE == EOSIN ? dab_od[c] : dye_od[i / LUT_SIZE][c]));
  return table;
}

static int
blurred_step(const Band *band, const float *dye, int row, int col)
{
  int width = band->scene->size, left = col > 0 ? col - 1 : col, right = col + 1 < width ? col + 1 : col;
  float sum = 0;
  for (int dr = -1; dr <= 1; dr++) {
    const float *line = dye + (size_t)(row + dr) * (size_t)width;
    sum += (line[left] + 2 * line[col] + line[right]) * (dr ? 1 : 2);
  }
  int step = (int)(sum * (LUT_STEPS / 16.0f) + 0.5f);
  return step < 0 ? 0 : step < LUT_SIZE ? step : LUT_SIZE - 1;
}

static void
expose(const Band *band, float (*light)[3], uint8_t *rgb)
{
  static const float white[3] = { 243, 242, 244 };
  int width = band->scene->size;
  for (int row = MARGIN; row < band->rows - MARGIN; row++)
    for (int col = 0; col < width; col++, rgb += 3) {
      int step[N_DYES];
      for (int d = 0; d < N_DYES; d++)
        step[d] = d * LUT_SIZE + blurred_step(band, band->dye[d], row, col);
      uint32_t hash = vt_demo_hash((uint32_t)col, (uint32_t)(band->y + row), band->scene->seed + 900);
      for (int c = 0; c < 3; c++, hash = hash >> 10) {
        /* The sum of two uniform numbers stands in for a bell curve; sigma is about 1.6 grey values. */
        float noise = (float)((hash & 31) + (hash >> 5 & 31)) * 0.125f - 3.875f;
        float value = white[c] * light[step[0]][c] * light[step[1]][c] * light[step[2]][c] + noise;
        rgb[c] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5f);
      }
    }
}

bool
vt_demo_scene_render(const VtDemoScene *scene, int y, int rows, uint8_t *rgb, int32_t *labels)
{
  Band band = { .scene = scene, .y = y - MARGIN, .rows = rows + 2 * MARGIN };
  size_t n = (size_t)band.rows * (size_t)scene->size;
  float(*light)[3] = light_table(scene->is_ihc);
  bool ok = light != NULL;
  for (int d = 0; d < N_DYES; d++)
    ok = (band.dye[d] = malloc(n * sizeof(float))) && ok;
  ok = (band.labels = calloc(n, sizeof *band.labels)) && ok;
  if (ok) {
    for (int row = 0; row < band.rows; row++)
      paint_ground_row(&band, row);
    for (size_t i = 0; i < scene->n_rings; i++)
      paint_ring(&band, &scene->rings[i]);
    for (size_t i = 0; i < scene->n_discs; i++)
      paint_disc(&band, &scene->discs[i]);
    for (size_t i = 0; scene->is_ihc && i < n; i++)
      band.dye[EOSIN][i] *= TRACE;
    for (size_t i = 0; i < scene->n_nuclei; i++)
      paint_nucleus(&band, i);
    expose(&band, light, rgb);
    for (size_t i = 0; labels && i < (size_t)rows * (size_t)scene->size; i++)
      labels[i] = band.labels[i + (size_t)MARGIN * (size_t)scene->size];
  }
  for (int d = 0; d < N_DYES; d++)
    free(band.dye[d]);
  free(band.labels);
  free(light);
  return ok;
}
