/* SPDX-License-Identifier: MIT
 *
 * Anchors: candidates of the fields, drawn, that hold a score while it is taught (learn/teach.h). Every other one is drawn among those that agree
 * with a nucleus to some degree, which are few, since it is among these that is chosen. */
#include "learn/order.h"
#include "train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double densities[] = { 0.6, 1, 1.6 };
enum { N_DENSITIES = sizeof densities / sizeof *densities };
enum { AT_LEAST = 800, AGREES = 26214 /* an IoU of 0.4 */, TRIES = 400 };

/* In two bytes, as the file has them. */
static int32_t
within_file(int32_t v)
{
  return v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v;
}

static bool
has_part(const TrainField *field, int out)
{
  return field->fold != out && !field->is_square && field->look.draw == 0;
}

static size_t
draw_candidate(const TrainField *field, uint64_t seed, bool is_any)
{
  const uint64_t n = (uint64_t)field->window.all.n;
  uint64_t drawn = vt_learn_mix(seed);
  for (int k = 0; k < TRIES && !is_any && field->iou[drawn % n] < AGREES; k++)
    drawn = vt_learn_mix(drawn);
  return drawn % n;
}

/* What a field has to give, as it is and paler and denser than it; rows: room for all. */
static bool
draw_rows(const TrainField *field, const RgMap *map, uint64_t seed, size_t each, int32_t *rows, size_t *n_rows)
{
  bool is_ok = true;
  for (size_t d = 0; is_ok && d < N_DENSITIES; d++) {
    TrainField f = { 0 };
    is_ok =
      train_field_vary(field, (TrainLook){ .by = 1, .density = densities[d] }, &f) && train_field_prepare(&f, map);
    for (size_t k = 0; is_ok && f.window.all.n > 0 && k < each; k++, ++*n_rows) {
      const size_t drawn = draw_candidate(&f, seed << 32 | d << 16 | k, k % 2 == 0);
      for (size_t v = 0; v < RG_N_FEATURES; v++)
        rows[*n_rows * RG_N_FEATURES + v] = within_file(f.features[drawn * RG_N_FEATURES + v]);
    }
    train_field_clear(&f);
  }
  return is_ok;
}

bool
train_anchors(const TrainField *fields, int n, int out, const RgMap *map, int32_t **rows, size_t *n_rows)
{
  size_t n_fields = 0;
  for (int i = 0; i < n; i++)
    n_fields += has_part(&fields[i], out);
  const size_t all = n_fields * N_DENSITIES, each = all ? (AT_LEAST + all - 1) / all : 0;
  size_t *counts = calloc((size_t)n + 1, sizeof *counts);
  int32_t *drawn = malloc((size_t)n * N_DENSITIES * each * RG_N_FEATURES * sizeof *drawn + 1);
  bool is_ok = counts && drawn;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++)
    if (is_ok && has_part(&fields[i], out)
        && !draw_rows(&fields[i], map, (uint64_t)i, each, drawn + (size_t)i * N_DENSITIES * each * RG_N_FEATURES,
                      &counts[i]))
      is_ok = false;
  *n_rows = 0;
  for (int i = 0; is_ok && i < n; i++) {
    memmove(drawn + *n_rows * RG_N_FEATURES, drawn + (size_t)i * N_DENSITIES * each * RG_N_FEATURES,
            counts[i] * RG_N_FEATURES * sizeof *drawn);
    *n_rows += counts[i];
  }
  free(counts);
  *rows = drawn;
  return is_ok && *n_rows > 0;
}

bool
train_write_anchors(const char *path, const int32_t *rows, size_t n_rows)
{
  FILE *file = fopen(path, "wb");
  if (!file)
    return false;
  for (size_t i = 0; i < n_rows * RG_N_FEATURES; i++) {
    fputc(rows[i] & 255, file);
    fputc(rows[i] >> 8 & 255, file);
  }
  return fclose(file) == 0;
}
