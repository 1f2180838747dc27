/* SPDX-License-Identifier: MIT
 *
 * The table oracles/glrlm.csv of the shared data: matrices of an independent program, features confirmed in exact
 * rational arithmetic. Its header says how the images are made. Whole regions go through glrlm_runs, window cases
 * through glrlm_windows as well. */
#include "vt-backend.h"

#include "../support/shared-data.h"
#include "../support/vt-test.h"

#include <math.h>
#include <string.h>

enum { N_FIELDS = 40, N_LEVELS = 256 };
enum {
  CASE,
  IMAGE,
  MASK,
  X0,
  Y0,
  X1,
  Y1,
  AGG,
  DX,
  DY,
  SOURCE,
  NP,
  NS,
  SUM_I,
  SUM_I2,
  SUM_J2,
  SUM_I2J2,
  SUM_RI2,
  SUM_RJ2,
  SRE
};

/* Column of each feature, by VT_GLRLM_*. */
static const int feature_column[VT_GLRLM_N_FEATURES] = {
  [VT_GLRLM_SRE] = SRE,       [VT_GLRLM_LRE] = SRE + 1,    [VT_GLRLM_GLN] = SRE + 2,
  [VT_GLRLM_RLN] = SRE + 3,   [VT_GLRLM_RP] = SRE + 4,     [VT_GLRLM_LGRE] = SRE + 5,
  [VT_GLRLM_HGRE] = SRE + 6,  [VT_GLRLM_SRLGE] = SRE + 7,  [VT_GLRLM_SRHGE] = SRE + 8,
  [VT_GLRLM_LRLGE] = SRE + 9, [VT_GLRLM_LRHGE] = SRE + 10, [VT_GLRLM_GLNN] = SRE + 11,
  [VT_GLRLM_RLNN] = SRE + 12, [VT_GLRLM_GLV] = SRE + 13,   [VT_GLRLM_RV] = SRE + 14,
  [VT_GLRLM_RE] = SRE + 16, /* RE_exact */
};

/* Splits at commas outside quotes and parentheses, in place. */
static int
split(char *line, char *fields[N_FIELDS])
{
  int n = 0, depth = 0;
  fields[n++] = line;
  for (char *c = line; *c; c++) {
    if (*c == '\n' || *c == '\r')
      *c = '\0';
    else if (*c == '(' || *c == ')')
      depth += *c == '(' ? 1 : -1;
    else if (*c == ',' && depth == 0 && n < N_FIELDS) {
      *c = '\0';
      fields[n++] = c + 1;
    }
  }
  return n;
}

static uint32_t
hash_level(uint32_t x, uint32_t y)
{
  uint32_t h = (x * 73856093u) ^ (y * 19349663u);
  h ^= h >> 13;
  h *= 0x5bd1e995u;
  return h ^ (h >> 15);
}

static uint32_t
image_level(const char *image, uint32_t x, uint32_t y)
{
  static const char rows5[] = "52544"
                              "33313"
                              "21113"
                              "42223"
                              "35332";
  static const char *const ibsi[4] = { "14411146114164144641", "14411116111131144611", "14411111111191111611",
                                       "14411111111111111611" };
  unsigned w, h, levels, a, b;
  if (sscanf(image, "QUAD %ux%u Ng%u s%u", &w, &h, &levels, &a) == 4)
    return 1 + ((x * x + 3 * x * y + 5 * y * y) >> a) % levels;
  if (sscanf(image, "HASH %ux%u Ng%u sx%u sy%u", &w, &h, &levels, &a, &b) == 5)
    return 1 + hash_level(x >> a, y >> b) % levels;
  if (sscanf(image, "CONST %ux%u v%u", &w, &h, &levels) == 3)
    return levels;
  if (strncmp(image, "CHECK", 5) == 0)
    return 1 + ((x + y) & 1);
  if (strncmp(image, "STRIPES", 7) == 0)
    return 1 + (x / 5) % 3;
  if (sscanf(image, "IBSI slice %u", &a) == 1 && a >= 1 && a <= 4)
    return (uint32_t)(ibsi[a - 1][5 * y + x] - '0');
  return (uint32_t)(rows5[5 * y + x] - '0');
}

static bool
in_mask(const char *mask, const char *image, int x, int y)
{
  int a, b, c;
  if (strcmp(mask, "DISC") == 0)
    return (x - 30) * (x - 30) + (y - 22) * (y - 22) <= 400 && !(x % 7 == 3 && y % 5 == 2);
  if (sscanf(mask, "ROW y=%d x=%d..%d", &a, &b, &c) == 3)
    return y == a && x >= b && x <= c;
  if (sscanf(mask, "PIXEL (%d,%d)", &a, &b) == 2)
    return x == a && y == b;
  if (strcmp(mask, "IBSI") != 0)
    return true;
  const int slice = image[11] - '0';
  return !(slice == 2 && x == 0 && y == 2) && !(slice >= 3 && x >= 3 && y == 0) && !(slice == 3 && x == 2 && y == 2);
}

typedef struct Region {
  uint16_t *levels;
  int64_t width, height;
  int32_t length;
  uint64_t *matrices; /* four directions and their sum */
} Region;

static bool
region_init(Region *r, char *const *f)
{
  const int x0 = atoi(f[X0]), y0 = atoi(f[Y0]);
  r->width = atoi(f[X1]) - x0 + 1;
  r->height = atoi(f[Y1]) - y0 + 1;
  r->length = (int32_t)(r->width > r->height ? r->width : r->height);
  const int64_t cells = (int64_t)N_LEVELS * r->length;
  r->levels = malloc((size_t)(r->width * r->height) * sizeof *r->levels);
  r->matrices = calloc((size_t)(5 * cells), sizeof *r->matrices);
  if (!r->levels || !r->matrices)
    return false;
  for (int y = 0; y < r->height; y++)
    for (int x = 0; x < r->width; x++)
      r->levels[y * r->width + x] = in_mask(f[MASK], f[IMAGE], x0 + x, y0 + y)
                                      ? (uint16_t)image_level(f[IMAGE], (uint32_t)(x0 + x), (uint32_t)(y0 + y))
                                      : 0;
  const VtGlrlmRuns args = { { r->levels, r->width, r->height, 2 * r->width, VITRAIL_U16 },
                             0,
                             0,
                             r->width,
                             r->height,
                             N_LEVELS,
                             r->length,
                             r->matrices };
  const bool ok = vt_cpu_backend()->glrlm_runs(NULL, &args, NULL) == VITRAIL_OK;
  for (int64_t k = 0; k < 4 * cells; k++)
    r->matrices[4 * cells + k % cells] += r->matrices[k];
  return ok;
}

static int
direction_of(char *const *f)
{
  if (strcmp(f[AGG], "mrg") == 0)
    return 4;
  return atoi(f[DY]) == 0   ? VT_GLRLM_DIR_1_0
         : atoi(f[DX]) == 1 ? VT_GLRLM_DIR_1_1
         : atoi(f[DX]) == 0 ? VT_GLRLM_DIR_0_1
                            : VT_GLRLM_DIR_M1_1;
}

static bool
integers_equal(const uint64_t *matrix, int32_t length, char *const *f)
{
  uint64_t got[SRE - NP] = { 0 };
  for (int64_t i = 1; i <= N_LEVELS; i++) {
    uint64_t row = 0;
    for (int64_t j = 1; j <= length; j++) {
      const uint64_t n = matrix[(i - 1) * length + j - 1], i2 = (uint64_t)(i * i), j2 = (uint64_t)(j * j);
      const uint64_t terms[] = { (uint64_t)j * n, n, (uint64_t)i * n, i2 * n, j2 * n, i2 * j2 * n };
      for (int k = 0; k < 6; k++)
        got[k] += terms[k];
      row += n;
    }
    got[SUM_RI2 - NP] += row * row;
  }
  for (int64_t j = 0; j < length; j++) {
    uint64_t column = 0;
    for (int64_t i = 0; i < N_LEVELS; i++)
      column += matrix[i * length + j];
    got[SUM_RJ2 - NP] += column * column;
  }
  for (int k = NP; k < SRE; k++)
    if (got[k - NP] != strtoull(f[k], NULL, 10))
      return false;
  return true;
}

static double
relative(double got, double wanted)
{
  return got == wanted ? 0 : fabs(got - wanted) / fmax(fabs(wanted), 1e-3);
}

/* The window cases wN and wNm also as a map of one value. */
static double
worst_of_window(const Region *r, char *const *f, int direction)
{
  int side, cx, cy;
  char *rest = strchr(f[CASE], '_');
  double worst = 0;
  if (sscanf(f[CASE], "w%d", &side) != 1 || !rest || sscanf(rest, "_%d_%d", &cx, &cy) != 2)
    return 0;
  for (int32_t k = 0; k < VT_GLRLM_N_FEATURES; k++) {
    float value = -1;
    const VtGlrlmAlgorithm *algorithm = vt_cpu_backend()->glrlm_windows;
    const VtImage map = { &value, 1, 1, sizeof value, VITRAIL_F32 };
    const VtGlrlmWindows args = { .src = { r->levels, r->width, r->height, 2 * r->width, VITRAIL_U16 },
                                  .dst = &map,
                                  .features = 1u << k,
                                  .aggregates = 1u << (direction == 4 ? VT_GLRLM_MERGED : direction),
                                  .n_levels = N_LEVELS,
                                  .half = side / 2,
                                  .step = 1,
                                  .x0 = cx - atoi(f[X0]),
                                  .y0 = cy - atoi(f[Y0]) };
    for (; algorithm->id; algorithm++) {
      if (algorithm->run(NULL, &args, NULL) != VITRAIL_OK)
        return INFINITY;
      worst = fmax(worst, relative(value, atof(f[feature_column[k]])));
    }
  }
  return worst;
}

static void
check_row(char *const *f)
{
  Region r = { 0 };
  const int direction = direction_of(f);
  double features[VT_GLRLM_N_FEATURES], worst = 0;
  if (!vt_ok(region_init(&r, f), "%s %d: runs", f[CASE], direction)) {
    free(r.levels);
    free(r.matrices);
    return;
  }
  const uint64_t *matrix = r.matrices + (int64_t)direction * N_LEVELS * r.length;
  vt_ok(integers_equal(matrix, r.length, f), "%s %d: integers", f[CASE], direction);
  vt_cpu_backend()->glrlm_features(matrix, N_LEVELS, r.length, strtoull(f[NP], NULL, 10), features);
  for (int k = 0; k < VT_GLRLM_N_FEATURES; k++)
    worst = fmax(worst, relative(features[k], atof(f[feature_column[k]])));
  vt_ok(worst < 1e-12, "%s %d: features, worst relative difference %.2g", f[CASE], direction, worst);
  worst = worst_of_window(&r, f, direction);
  vt_ok(worst < 1e-7, "%s %d: as a window, worst relative difference %.2g", f[CASE], direction, worst);
  free(r.levels);
  free(r.matrices);
}

int
main(void)
{
  char path[4096], line[4096], *fields[N_FIELDS];
  FILE *file = vt_shared_path("oracles/glrlm.csv", path, sizeof path) ? fopen(path, "r") : NULL;
  if (!file) {
    vt_skip("the oracle table", "VITRAIL_SHARED holds no oracles/glrlm.csv");
    return vt_test_done();
  }
  for (bool header = true; fgets(line, sizeof line, file);) {
    if (line[0] == '#')
      continue;
    if (!header && split(line, fields) > feature_column[VT_GLRLM_RE])
      check_row(fields);
    header = false;
  }
  fclose(file);
  vt_ok(vt_test_count > 500, "all rows were read");
  return vt_test_done();
}
