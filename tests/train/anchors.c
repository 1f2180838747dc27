/* SPDX-License-Identifier: MIT
 *
 * Anchors: candidates of the fields, drawn, that hold a score while it is taught (learn/teach.h). Every other one is drawn among those that agree
 * with a nucleus to some degree, which are few, since it is among these that is chosen. */
#include "learn/order.h"
#include "train.h"

#include <stdio.h>
#include <stdlib.h>

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
  return field->fold != out && !field->is_square && field->window.all.n > 0;
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

bool
train_anchors(const TrainField *fields, int n, int out, int32_t **rows, size_t *n_rows)
{
  size_t n_fields = 0;
  *n_rows = 0;
  for (int i = 0; i < n; i++)
    n_fields += has_part(&fields[i], out);
  const size_t each = n_fields ? (AT_LEAST + n_fields - 1) / n_fields : 0;
  int32_t *at = *rows = malloc(n_fields * each * RG_N_FEATURES * sizeof **rows + 1);
  for (int i = 0; at && i < n; i++)
    for (size_t k = 0; has_part(&fields[i], out) && k < each; k++) {
      const size_t drawn = draw_candidate(&fields[i], (uint64_t)i << 32 | k, k % 2 == 0);
      for (size_t f = 0; f < RG_N_FEATURES; f++)
        *at++ = within_file(fields[i].features[drawn * RG_N_FEATURES + f]);
      ++*n_rows;
    }
  return at && *n_rows > 0;
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
