/* SPDX-License-Identifier: MIT
 *
 * Exact Euclidean distance transform (A. Meijster, J. Roerdink, W. Hesselink, A general algorithm for computing
 * distance transforms in linear time, 2000), in bands of rows that know nothing of each other but two lines.
 *
 * First every band finds, column by column, its first and its last background pixel; a walk over the bands turns these
 * into the distances with which a sweep enters a band from above and from below. Then each band is swept down into a
 * buffer that fits the second cache, and up, row by row, each row's outputs being written at once. So the column
 * distances of the whole image are never stored, and the bands are work for as many threads as there are. */
#include "distance.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BAND_BYTES = 1 << 20, MAX_BAND = 64 };

typedef struct Bands {
  const VtDistance *args;
  const VtCancel *cancel;
  int64_t n_rows, n_bands;
  /* Of each band: distance from the row behind it (before it) to its last (first) background; after the walk, to the
   * last one in or before it (first one in or behind it). */
  int32_t *down, *up;
  atomic_llong next;
  atomic_int status;
} Bands;

static inline int64_t
band_rows(const Bands *b, int64_t band)
{
  const int64_t rest = b->args->src.height - band * b->n_rows;
  return rest < b->n_rows ? rest : b->n_rows;
}

/* first: rows above a column's first background pixel, 255: none. last: its last one and one more, 0: none. */
static void
look_at_band(Bands *b, int64_t band, uint8_t *restrict first, uint8_t *restrict last)
{
  const int64_t width = b->args->src.width, n = band_rows(b, band);
  int32_t *restrict down = b->down + band * width, *restrict up = b->up + band * width;
  memset(first, UINT8_MAX, (size_t)width);
  memset(last, 0, (size_t)width);
  for (int64_t k = 0; k < n; k++) {
    const uint8_t *restrict src = vt_image_at(&b->args->src, 0, band * b->n_rows + k);
    const uint8_t row = (uint8_t)k, behind = (uint8_t)(k + 1);
    for (int64_t x = 0; x < width; x++) {
      const uint8_t here = src[x] ? UINT8_MAX : row;
      first[x] = first[x] < here ? first[x] : here;
      last[x] = src[x] ? last[x] : behind;
    }
  }
  for (int64_t x = 0; x < width; x++) {
    up[x] = first[x] == UINT8_MAX ? VT_EDT_NONE : first[x] + 1;
    down[x] = last[x] == 0 ? VT_EDT_NONE : (int32_t)n + 1 - last[x];
  }
}

/* Takes bands until none is left; those after an error are left undone. */
static void
each_band(Bands *b, void (*work)(Bands *b, int64_t band, void *scratch), void *scratch)
{
  for (int64_t band; (band = atomic_fetch_add(&b->next, 1)) < b->n_bands && atomic_load(&b->status) == VITRAIL_OK;) {
    work(b, band, scratch);
    if (vt_cancelled(b->cancel))
      atomic_store(&b->status, VITRAIL_CANCELLED);
  }
}

static void
look(Bands *b, int64_t band, void *scratch)
{
  look_at_band(b, band, scratch, (uint8_t *)scratch + b->args->src.width);
}

static void
look_job(void *user, uint32_t index)
{
  Bands *b = user;
  uint8_t *seen = malloc(2 * (size_t)b->args->src.width);
  if (seen)
    each_band(b, look, seen);
  else
    atomic_store(&b->status, VITRAIL_OUT_OF_MEMORY);
  free(seen);
}

static void
carry(int32_t *restrict line, const int32_t *restrict before, int32_t n, int64_t width)
{
  for (int64_t x = 0; x < width; x++) {
    const int32_t past = before[x] == VT_EDT_NONE ? VT_EDT_NONE : before[x] + n;
    line[x] = line[x] == VT_EDT_NONE ? past : line[x];
  }
}

static void
walk(Bands *b)
{
  const int64_t width = b->args->src.width, last = b->n_bands - 1;
  if (b->args->above.data) {
    carry(b->down, vt_image_at(&b->args->above, 0, 0), (int32_t)band_rows(b, 0), width);
    carry(b->up + last * width, vt_image_at(&b->args->below, 0, 0), (int32_t)band_rows(b, last), width);
  }
  for (int64_t k = 1; k < b->n_bands; k++)
    carry(b->down + k * width, b->down + (k - 1) * width, (int32_t)band_rows(b, k), width);
  for (int64_t k = last; k-- > 0;)
    carry(b->up + k * width, b->up + (k + 1) * width, (int32_t)band_rows(b, k), width);
}

typedef struct Worker {
  VtEdtScratch rows;
  int32_t *lines; /* a band, two lines of column distances, and one of VT_EDT_NONE */
} Worker;

static void
finish(Bands *b, int64_t band, void *user)
{
  Worker *w = user;
  const VtDistance *args = b->args;
  const int64_t width = args->src.width, n = band_rows(b, band), y0 = band * b->n_rows;
  int32_t *line[2] = { w->lines + b->n_rows * width, w->lines + (b->n_rows + 1) * width };
  const int32_t *none = w->lines + (b->n_rows + 2) * width;
  const int32_t *first = args->above.data ? vt_image_at(&args->above, 0, 0) : none;
  const int32_t *last = args->below.data ? vt_image_at(&args->below, 0, 0) : none;
  const int32_t *above = band > 0 ? b->down + (band - 1) * width : first;
  const int32_t *below = band + 1 < b->n_bands ? b->up + (band + 1) * width : last;
  /* The lines at the edges count to the row itself: one step less than a row beside it would say. */
  for (int64_t x = 0; x < width; x++)
    line[0][x] = above[x] == VT_EDT_NONE ? VT_EDT_NONE : above[x] - 1;
  for (int64_t k = 0; k < n; k++)
    vt_cpu_edt_sweep_down(w->lines + k * width, vt_image_at(&args->src, 0, y0 + k),
                          k > 0 ? w->lines + (k - 1) * width : line[0], width);
  for (int64_t x = 0; x < width; x++)
    line[1][x] = below[x] == VT_EDT_NONE ? VT_EDT_NONE : below[x] - 1;
  for (int64_t k = n, i = 0; k-- > 0; i ^= 1) {
    const int32_t *down = w->lines + k * width;
    memcpy(line[i], down, (size_t)width * sizeof *down);
    vt_cpu_edt_sweep_up(line[i], line[i ^ 1], width);
    vt_cpu_edt_row(&(VtEdtRow){ .args = args, .y = y0 + k, .g = line[i], .above = down }, &w->rows);
  }
}

static void
finish_job(void *user, uint32_t index)
{
  Bands *b = user;
  const size_t width = (size_t)b->args->src.width, n = width * (size_t)(b->n_rows + 3);
  Worker worker = { .lines = malloc(n * sizeof *worker.lines) };
  if (vt_cpu_edt_scratch_init(&worker.rows, b->args->src.width, b->args->nearest.data) && worker.lines) {
    for (size_t x = n - width; x < n; x++)
      worker.lines[x] = VT_EDT_NONE;
    each_band(b, finish, &worker);
  } else {
    atomic_store(&b->status, VITRAIL_OUT_OF_MEMORY);
  }
  vt_cpu_edt_scratch_clear(&worker.rows);
  free(worker.lines);
}

VitrailStatus
vt_cpu_distance_exact(VtDevice *device, const VtDistance *args, const VtCancel *cancel)
{
  if (!vt_distance_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const int64_t width = args->src.width, height = args->src.height;
  const int64_t fit = BAND_BYTES / 4 / width, most = height / 4 / vt_cpu_n_threads(device);
  int64_t n_rows = fit < 16 ? 16 : fit > MAX_BAND ? MAX_BAND : fit;
  n_rows = most < 1 ? 1 : n_rows < most ? n_rows : most;
  Bands b = { .args = args, .cancel = cancel, .n_rows = n_rows, .n_bands = (height + n_rows - 1) / n_rows };
  b.down = malloc((size_t)(b.n_bands * width) * 2 * sizeof *b.down);
  if (!b.down)
    return VITRAIL_OUT_OF_MEMORY;
  b.up = b.down + b.n_bands * width;
  const int64_t n_jobs = vt_cpu_n_threads(device) < b.n_bands ? vt_cpu_n_threads(device) : b.n_bands;
  vt_cpu_parallel_for(device, (uint32_t)n_jobs, look_job, &b);
  if (atomic_load(&b.status) == VITRAIL_OK) {
    walk(&b);
    atomic_store(&b.next, 0);
    vt_cpu_parallel_for(device, (uint32_t)n_jobs, finish_job, &b);
  }
  free(b.down);
  return (VitrailStatus)atomic_load(&b.status);
}
