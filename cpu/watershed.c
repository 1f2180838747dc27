/* SPDX-License-Identifier: MIT
 *
 * Three steps, each with one answer: the distance of every pixel inside its plateau of `level`; the parent of every pixel by
 * (level, distance, index); the label of its root.
 *
 * Nearly all pixels have a higher neighbour, or are seeds: their distances, and then the parents of all, come out of loops over
 * rows, which bands of rows share. A wavefront measures what is left, the inner pixels of plateaus. Last, the paths of parents
 * are followed: whoever comes to a root writes its label over the path, so that the others stop there. Paths lead across bands,
 * and several threads may write the same label to a pixel.
 *
 * Until its label is known, a pixel of `labels` holds ~distance, which is negative. */
#include "bands.h"
#include "iwpp/iwpp.h"
#include "rows/rows.h"

#include <stdlib.h>
#include <string.h>

enum { N_NEIGHBOURS = 8, REACHED = VT_CPU_INNER + 1 /* an inner pixel, by the wavefront */ };
enum { LOOK_EVERY = 1 << 16 /* steps of a path */ };
static const int8_t dx[N_NEIGHBOURS] = { -1, 0, 1, -1, 1, -1, 0, 1 }; /* in the order of indexes */
static const int8_t dy[N_NEIGHBOURS] = { -1, -1, -1, 0, 0, 1, 1, 1 };

/* The plane has a frame: pixel (x,y) stands at (y + 1) * pitch + x + 1; the first column of a row is also the frame behind the
 * row before. */
typedef struct Flood {
  VtCpuBands bands;
  const VtWatershed *args;
  const VtCpuRows *rows;
  int64_t pitch;
  uint8_t *plane;   /* what is known of a pixel (VT_CPU_...), later the number of its parent */
  int64_t *n_inner; /* of each band; then where they begin in `inner` */
  int32_t *inner;
} Flood;

/* Three rows around the one that is worked on. */
typedef struct Lines {
  int32_t *key[3], *code[3], *highest, *memory;
} Lines;

static bool
lines_init(Flood *f, Lines *lines)
{
  const int64_t n = f->args->level.width + 2;
  int32_t *memory = malloc((size_t)(7 * n) * sizeof *memory);
  if (!memory) {
    vt_cpu_bands_fail(&f->bands, VITRAIL_OUT_OF_MEMORY);
    return false;
  }
  for (int64_t i = 0; i < 7 * n; i++)
    memory[i] = i < 3 * n ? INT32_MIN : 0;
  for (int k = 0; k < 3; k++) {
    lines->key[k] = memory + k * n + 1;
    lines->code[k] = memory + (3 + k) * n + 1;
  }
  lines->highest = memory + 6 * n;
  lines->memory = memory;
  return true;
}

static void
lines_clear(Lines *lines)
{
  free(lines->memory);
}

/* Row y comes, two rows above it goes. */
static void
next_line(Flood *f, Lines *lines, int64_t y, bool with_codes)
{
  const VtWatershed *a = f->args;
  int32_t *key = lines->key[0], *code = lines->code[0];
  for (int k = 0; k < 2; k++) {
    lines->key[k] = lines->key[k + 1];
    lines->code[k] = lines->code[k + 1];
  }
  lines->key[2] = key;
  lines->code[2] = code;
  if (y < 0 || y >= a->level.height) {
    for (int64_t x = 0; x < a->level.width; x++)
      key[x] = INT32_MIN;
    return;
  }
  if (!f->rows->keys(key, vt_image_at(&a->level, 0, y), vt_image_at(&a->mask, 0, y), vt_image_at(&a->seeds, 0, y),
                     a->level.width))
    vt_cpu_bands_fail(&f->bands, VITRAIL_BAD_ARGUMENT);
  if (with_codes)
    memcpy(code, vt_image_at(&a->labels, 0, y), (size_t)a->level.width * sizeof *code);
}

static inline uint8_t *
plane_row(const Flood *f, int64_t y)
{
  return f->plane + (y + 1) * f->pitch + 1;
}

static void
enter_band(void *user, uint32_t band)
{
  Flood *f = user;
  const int64_t first = band * f->bands.n_rows, width = f->args->level.width;
  Lines lines;
  int64_t n_inner = 0;
  if (!lines_init(f, &lines))
    return;
  next_line(f, &lines, first - 1, false);
  next_line(f, &lines, first, false);
  VT_CPU_EACH_ROW (y, &f->bands, band) {
    uint8_t *state = plane_row(f, y);
    next_line(f, &lines, y + 1, false);
    state[-1] = VT_CPU_OUTSIDE;
    f->rows->highest(lines.highest, (const int32_t *const *)lines.key, width);
    f->rows->enter(state, lines.key[1], lines.highest, vt_image_at(&f->args->seeds, 0, y), width);
    for (int64_t x = 0; x < width; x++)
      n_inner += state[x] == VT_CPU_INNER;
  }
  f->n_inner[band] = n_inner;
  lines_clear(&lines);
}

static void
measure_band(void *user, uint32_t band)
{
  Flood *f = user;
  const int64_t width = f->args->level.width;
  int32_t *inner = f->inner + f->n_inner[band];
  VT_CPU_EACH_ROW (y, &f->bands, band) {
    const uint8_t *state = plane_row(f, y), *row_end = state + width;
    f->rows->codes(vt_image_at(&f->args->labels, 0, y), state, width);
    for (const uint8_t *at = state; (at = memchr(at, VT_CPU_INNER, (size_t)(row_end - at))); at++)
      *inner++ = (int32_t)(at - f->plane);
  }
}

/* --- inner pixels of plateaus, by a wavefront --- */

static inline void *
pixel_at(const Flood *f, const VtImage *image, int64_t at)
{
  const uint32_t place = (uint32_t)at, pitch = (uint32_t)f->pitch; /* a division of 32 bits takes half the time */
  return vt_image_at(image, (int64_t)(place % pitch) - 1, (int64_t)(place / pitch) - 1);
}

static int64_t
distance_at(const void *state, int64_t at)
{
  const Flood *f = state;
  return ~*(const int32_t *)pixel_at(f, &f->args->labels, at);
}

static bool
spread(void *state, const VtIwppStep *step)
{
  Flood *f = state;
  if (f->plane[step->to] != VT_CPU_INNER
      || *(const float *)pixel_at(f, &f->args->level, step->from)
           != *(const float *)vt_image_at(&f->args->level, step->x, step->y))
    return false;
  f->plane[step->to] = REACHED;
  *(int32_t *)vt_image_at(&f->args->labels, step->x, step->y) = (int32_t) ~(step->value + 1);
  return true;
}

/* Whether a neighbour in the plateau has that distance. */
static bool
touches(const Flood *f, int64_t at, int64_t distance)
{
  const char *level = pixel_at(f, &f->args->level, at), *label = pixel_at(f, &f->args->labels, at);
  for (int k = 0; k < N_NEIGHBOURS; k++) {
    const uint8_t state = f->plane[at + dy[k] * f->pitch + dx[k]];
    if (state != VT_CPU_OUTSIDE && state != VT_CPU_INNER
        && ((const int32_t *)(label + dy[k] * f->args->labels.stride))[dx[k]] == ~(int32_t)distance
        && ((const float *)(level + dy[k] * f->args->level.stride))[dx[k]] == *(const float *)level)
      return true;
  }
  return false;
}

/* Those beside a seed (distance 1), then those beside one that has been entered (2): behind them the others follow in the
 * order of their distances. */
static VitrailStatus
flood_plateaus(Flood *f, int64_t n_inner)
{
  int32_t *wavefront = f->inner + n_inner;
  int64_t n = 0;
  for (int64_t distance = 0; distance < 2; distance++)
    for (int64_t i = 0; i < n_inner; i++) {
      const int32_t at = f->inner[i];
      if (i % VT_IWPP_PATIENCE == 0 && vt_cancelled(f->bands.cancel))
        return VITRAIL_CANCELLED;
      if (f->plane[at] != VT_CPU_INNER || !touches(f, at, distance))
        continue;
      f->plane[at] = REACHED;
      *(int32_t *)pixel_at(f, &f->args->labels, at) = (int32_t) ~(distance + 1);
      wavefront[n++] = at;
    }
  const VtIwpp wave = { f->pitch, N_NEIGHBOURS, f->bands.cancel };
  return vt_iwpp_once(&wave, wavefront, n, f, distance_at, spread);
}

/* --- parents and their roots --- */

static void
find_parents(void *user, uint32_t band)
{
  Flood *f = user;
  const int64_t first = band * f->bands.n_rows, width = f->args->level.width;
  Lines lines;
  if (!lines_init(f, &lines))
    return;
  next_line(f, &lines, first - 1, true);
  next_line(f, &lines, first, true);
  VT_CPU_EACH_ROW (y, &f->bands, band) {
    next_line(f, &lines, y + 1, true);
    f->rows->highest(lines.highest, (const int32_t *const *)lines.key, width);
    f->rows->parents(plane_row(f, y), (const int32_t *const *)lines.key, lines.highest,
                     (const int32_t *const *)lines.code, width);
  }
  lines_clear(&lines);
}

/* A pixel in both of them. */
typedef struct Place {
  const uint8_t *parent;
  int32_t *label;
} Place;

static inline Place
parent_of(const Flood *f, Place p)
{
  const int k = *p.parent;
  return (Place){ p.parent + dy[k] * f->pitch + dx[k],
                  (int32_t *)((char *)p.label + dy[k] * f->args->labels.stride) + dx[k] };
}

static inline bool
has_parent(Place p, int32_t code)
{
  return code < ~0 && *p.parent < N_NEIGHBOURS;
}

/* Writes the label along the whole path from a pixel. */
static void
resolve(Flood *f, Place from)
{
  Place p = from;
  int32_t code = __atomic_load_n(p.label, __ATOMIC_RELAXED);
  for (int64_t n = 1; has_parent(p, code); n++) {
    p = parent_of(f, p);
    code = __atomic_load_n(p.label, __ATOMIC_RELAXED);
    if (n % LOOK_EVERY == 0 && vt_cpu_bands_stop_at(&f->bands, 0))
      return;
  }
  const int32_t label = code >= 0    ? code
                        : code == ~0 ? *(const int32_t *)pixel_at(f, &f->args->seeds, p.parent - f->plane)
                                     : 0;
  for (int64_t n = 1;; n++) {
    code = __atomic_load_n(from.label, __ATOMIC_RELAXED);
    if (code >= 0) /* from here on it is written */
      return;
    __atomic_store_n(from.label, label, __ATOMIC_RELAXED);
    if (!has_parent(from, code) || (n % LOOK_EVERY == 0 && vt_cpu_bands_stop_at(&f->bands, 0)))
      return;
    from = parent_of(f, from);
  }
}

static void
label_band(void *user, uint32_t band)
{
  Flood *f = user;
  const int64_t width = f->args->level.width;
  VT_CPU_EACH_ROW (y, &f->bands, band) {
    int32_t *label = vt_image_at(&f->args->labels, 0, y);
    const uint8_t *parent = plane_row(f, y);
    for (int64_t x = 0; x < width; x++)
      if (__atomic_load_n(&label[x], __ATOMIC_RELAXED) < 0)
        resolve(f, (Place){ parent + x, label + x });
  }
}

static VitrailStatus
flood(Flood *f, VtDevice *device)
{
  int64_t n_inner = 0;
  const int64_t last =
    (f->args->level.height + 1) * f->pitch; /* of the frame, which is all that is not written below */
  memset(f->plane, VT_CPU_OUTSIDE, (size_t)f->pitch + 1);
  memset(f->plane + last, VT_CPU_OUTSIDE, (size_t)f->pitch + 1);
  vt_cpu_bands_run(device, &f->bands, enter_band, f);
  for (uint32_t band = 0; band < f->bands.n; band++) {
    const int64_t n = f->n_inner[band];
    f->n_inner[band] = n_inner;
    n_inner += n;
  }
  if (vt_cpu_bands_status(&f->bands) != VITRAIL_OK)
    return vt_cpu_bands_status(&f->bands);
  f->inner = malloc((size_t)(2 * n_inner + 1) * sizeof *f->inner);
  if (!f->inner)
    return VITRAIL_OUT_OF_MEMORY;
  if (vt_cpu_bands_run(device, &f->bands, measure_band, f) == VITRAIL_OK)
    vt_cpu_bands_fail(&f->bands, flood_plateaus(f, n_inner));
  vt_cpu_bands_run(device, &f->bands, find_parents, f);
  return vt_cpu_bands_run(device, &f->bands, label_band, f);
}

VitrailStatus
vt_cpu_watershed(VtDevice *device, const VtWatershed *args, const VtCancel *cancel)
{
  if (!vt_watershed_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  const int64_t height = args->level.height, pitch = args->level.width + 1, n = (height + 2) * pitch + 1;
  if (n > INT32_MAX) /* the frame around an image at the limit */
    return VITRAIL_OUT_OF_MEMORY;
  Flood f = { .bands = vt_cpu_bands_of(device, height, cancel), .args = args, .rows = vt_cpu_rows(), .pitch = pitch };
  f.plane = vt_cpu_scratch_take(device, (size_t)n);
  f.n_inner = calloc(f.bands.n, sizeof *f.n_inner);
  const VitrailStatus status = f.plane && f.n_inner ? flood(&f, device) : VITRAIL_OUT_OF_MEMORY;
  vt_cpu_scratch_give(device, f.plane);
  free(f.n_inner);
  free(f.inner);
  return status;
}
