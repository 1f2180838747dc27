/* SPDX-License-Identifier: MIT
 *
 * bench-image.c: every image that is measured on, made from one tissue-like picture (bench-image.h) or one from a file. Where a side is above
 * 16384 a block of 8192² of it is repeated. */
#include "bench.h"

#include "../support/bench-image.h"
#include "../support/mini-host.h"
#include "run/raster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16384, BLOCK = 8192, BIT_LEVEL = 96 };

static VtImage base;    /* the mask; grown when a larger one is wanted */
static VtImage picture; /* what it is made of, repeated; no data: the tissue */

static const char *const names[BENCH_N_KINDS] = {
  [BENCH_OUT] = "out",
  [BENCH_MASK] = "mask",
  [BENCH_H_MAX] = "h-max",
  [BENCH_SPARSE] = "sparse",
  [BENCH_CORRIDOR] = "corridor",
  [BENCH_CORRIDOR_START] = "corridor-start",
  [BENCH_FOREGROUND] = "foreground",
  [BENCH_ONE_BACKGROUND] = "one-background",
  [BENCH_FEW_BACKGROUND] = "few-background",
  [BENCH_NO_BACKGROUND] = "no-background",
  [BENCH_DISC] = "disc",
  [BENCH_CORNER_DISC] = "corner-disc",
  [BENCH_ZOOMED] = "zoomed",
  [BENCH_LEVELS] = "levels",
  [BENCH_SEEDS] = "seeds",
  [BENCH_STAIN] = "stain",
  [BENCH_COLOUR] = "colour",
  [BENCH_TISSUE] = "tissue",
  [BENCH_COLUMNS] = "columns",
  [BENCH_HEIGHT] = "height",
  [BENCH_FLOOD] = "flood",
  [BENCH_FLOOD_SEEDS] = "flood-seeds",
};

const char *
bench_kind_name(BenchKind kind)
{
  return names[kind];
}

VtImage
bench_as_bytes(const VtImage *image)
{
  return (VtImage){ image->data, image->stride, image->height, image->stride, VITRAIL_U8 };
}

size_t
bench_image_bytes(const VtImage *image)
{
  return (size_t)(image->stride * image->height);
}

typedef struct {
  VtImage *image;
  BenchKind kind;
  int64_t width, height, period; /* period 0: nothing is repeated */
} Fill;

static void
base_row(void *user, uint32_t y)
{
  uint8_t *row = vt_image_at(user, 0, y);
  const uint8_t *from = picture.data ? vt_image_at(&picture, 0, y % picture.height) : NULL;
  for (int64_t x = 0; x < ((VtImage *)user)->width; x++)
    row[x] = from ? from[x % picture.width] : vt_bench_mask((uint32_t)x, y, BENCH_SEED);
}

bool
bench_image_take_picture(const char *path)
{
  FILE *file = fopen(path, "rb");
  int width = 0, height = 0, most = 0;
  bool ok = file && fscanf(file, "P5 %d %d %d", &width, &height, &most) == 3 && fgetc(file) != EOF && most == 255
            && width > 0 && height > 0 && width <= MOST && height <= MOST;
  if (ok) {
    vt_image_new(&picture, VITRAIL_U8, width, height);
    ok = picture.data != NULL;
  }
  for (int64_t y = 0; ok && y < height; y++)
    ok = fread(vt_image_at(&picture, 0, y), 1, (size_t)width, file) == (size_t)width;
  if (file)
    fclose(file);
  if (!ok)
    fprintf(stderr, "vitrail-bench: %s is no grey picture that can be read (PGM, P5, 8 bits, at most %d a side).\n",
            path, MOST);
  return ok;
}

static bool
grow_base(Bench *bench, int64_t width, int64_t height)
{
  if (base.data && base.width >= width && base.height >= height)
    return true;
  free(base.data);
  vt_image_new(&base, VITRAIL_U8, width > base.width ? width : base.width, height > base.height ? height : base.height);
  if (!base.data) {
    base = (VtImage){ 0 };
    return false;
  }
  bench_rows(bench, base.height, base_row, &base);
  return true;
}

void
bench_image_clear(void)
{
  free(base.data);
  free(picture.data);
  base = picture = (VtImage){ 0 };
}

static uint8_t
mask_at(const Fill *f, int64_t x, int64_t y)
{
  return ((const uint8_t *)base.data)[(f->period ? y % f->period : y) * base.stride + (f->period ? x % f->period : x)];
}

/* One pixel wide through every second row, joined at alternating ends: one value walks through half of all pixels. */
static bool
in_corridor(const Fill *f, int64_t x, int64_t y)
{
  return y % 2 == 0 || x == (y % 4 == 1 ? f->width - 1 : 0);
}

static int32_t
value_of(const Fill *f, int64_t x, int64_t y)
{
  const int64_t dx = x - f->width / 2, dy = y - f->height / 2, radius = f->height * 8000 / 16384;
  const uint32_t ux = (uint32_t)x, uy = (uint32_t)y;
  switch (f->kind) {
  case BENCH_H_MAX: return vt_bench_hmax(mask_at(f, x, y));
  case BENCH_SPARSE: return vt_bench_sparse(mask_at(f, x, y), ux, uy, BENCH_SEED);
  case BENCH_CORRIDOR: return in_corridor(f, x, y) ? 255 : 0;
  case BENCH_CORRIDOR_START: return x == 0 && y == 0 ? 255 : 0;
  case BENCH_FOREGROUND: return mask_at(f, x, y) > 128;
  case BENCH_ONE_BACKGROUND: return x != f->width / 3 || y != f->height / 3;
  case BENCH_FEW_BACKGROUND: return vt_bench_hash(ux, uy, 7) % 100000 != 0;
  case BENCH_NO_BACKGROUND: return 1;
  case BENCH_DISC: return dx * dx + dy * dy <= radius * radius;
  case BENCH_CORNER_DISC: return (x - 100) * (x - 100) + (y - 100) * (y - 100) > 50 * 50;
  case BENCH_ZOOMED: return mask_at(f, x / 4, y / 4) > 128;
  case BENCH_LEVELS: return 1 + mask_at(f, x, y) * BENCH_N_LEVELS / 256;
  case BENCH_SEEDS: return vt_bench_sparse(1, ux, uy, BENCH_SEED) ? (int32_t)(y * f->width + x) + 1 : 0;
  case BENCH_STAIN: return mask_at(f, x, y) * 64;
  default: return mask_at(f, x, y);
  }
}

/* Grey pictures of other types than bytes hold the same values in the same order; by erosion (f->image->type is kept)
 * they are complemented by bench_image_new. */
static bool
is_grey(BenchKind kind)
{
  return kind <= BENCH_CORRIDOR_START;
}

static void
put(const Fill *f, int64_t x, int64_t y, int32_t v)
{
  char *row = (char *)f->image->data + y * f->image->stride;
  switch (f->image->type) {
  case VITRAIL_U8: ((uint8_t *)row)[x] = (uint8_t)v; break;
  case VITRAIL_U16: ((uint16_t *)row)[x] = (uint16_t)(is_grey(f->kind) ? v * 257 : v); break;
  case VITRAIL_I32: ((int32_t *)row)[x] = is_grey(f->kind) ? (v - 128) * 1000003 : v; break;
  case VITRAIL_F32: ((float *)row)[x] = (float)(v - 128) * 0.37f; break;
  case VITRAIL_RGBA8: memcpy(row + 4 * x, (uint8_t[4]){ (uint8_t)v, (uint8_t)(v / 2), (uint8_t)v, 255 }, 4); break;
  default:
    if (v > BIT_LEVEL)
      ((uint64_t *)row)[x / 64] |= UINT64_C(1) << x % 64;
  }
}

static void
fill_row(void *user, uint32_t y)
{
  const Fill *f = user;
  for (int64_t x = 0; x < f->width; x++)
    put(f, x, y, value_of(f, x, y));
}

/* Distances, then (FLOOD, FLOOD_SEEDS) seeds and levels as `nuclei-threshold` makes them: h-maxima of the distance, flooded. */
static bool
derive(BenchKind kind, const VtImage *foreground, VtImage *out)
{
  const VtBackend *cpu = vt_cpu_backend();
  const int64_t w = out->width, h = out->height;
  VtImage height = { malloc((size_t)(4 * w * h)), w, h, 4 * w, VITRAIL_F32 }, other = height, tops = height,
          level = height;
  other.data = malloc((size_t)(4 * w * h));
  level.data = malloc((size_t)(4 * w * h));
  tops = (VtImage){ malloc((size_t)(w * h)), w, h, w, VITRAIL_U8 };
  const VtDistance distance = { .src = *foreground, .root = height, .weight_x = 1, .weight_y = 1, .scale = 1 };
  const VtReconstruct domes = { level, height, 8 }, maxima = { other, level, 8 };
  const VtPointwise steps[] = {
    { VT_PW_SELECT, height, *foreground, height, -3 }, { VT_PW_SHIFT_DOWN, height, { 0 }, level, 1 },
    { VT_PW_NEXT_BELOW, level, { 0 }, other, 0 },      { VT_PW_ABOVE_IMAGE, level, other, tops, 0 },
    { VT_PW_AND, tops, *foreground, tops, 0 },         { VT_PW_SELECT, height, tops, level, -3 },
  };
  bool ok =
    height.data && other.data && level.data && tops.data && cpu->distance->run(NULL, &distance, NULL) == VITRAIL_OK;
  for (int k = 0; k < 6 && kind != BENCH_HEIGHT; k++) {
    ok = ok && cpu->pointwise(NULL, &steps[k], NULL) == VITRAIL_OK;
    if (k == 1 || k == 2 || k == 5)
      ok = ok && cpu->reconstruct->run(NULL, k == 2 ? &maxima : &domes, NULL) == VITRAIL_OK;
  }
  if (ok && kind == BENCH_FLOOD_SEEDS)
    ok = cpu->components(NULL, &(VtComponents){ tops, *out, 8 }, NULL) == VITRAIL_OK;
  else if (ok)
    memcpy(out->data, kind == BENCH_HEIGHT ? height.data : level.data, (size_t)(4 * w * h));
  free(height.data);
  free(other.data);
  free(level.data);
  free(tops.data);
  return ok;
}

static bool
fill(Bench *bench, const BenchSpec *spec, VtImage *image)
{
  const int64_t w = image->width, h = image->height;
  const bool repeats = w > MOST || h > MOST;
  Fill job = { image, spec->kind, w, h, repeats ? BLOCK : 0 };
  if (!grow_base(bench, repeats ? BLOCK : w, repeats ? BLOCK : h))
    return false;
  if (spec->kind < BENCH_COLUMNS) {
    bench_rows(bench, h, fill_row, &job);
    return true;
  }
  const BenchSpec of = { BENCH_FOREGROUND, VITRAIL_U8, 0 };
  VtImage foreground = bench_image_new(bench, &of, w, h);
  bool ok = foreground.data != NULL;
  if (ok && spec->kind == BENCH_COLUMNS)
    ok = vt_cpu_backend()->edt_columns(NULL, &(VtEdt){ foreground, *image, 1 }, NULL) == VITRAIL_OK;
  else if (ok)
    ok = derive(spec->kind, &foreground, image);
  free(foreground.data);
  return ok;
}

/* Dilation of what is complemented is erosion of what it was. */
static void
complement(VtImage *image)
{
  for (int64_t y = 0; y < image->height; y++) {
    char *row = (char *)image->data + y * image->stride;
    for (int64_t x = 0; x < image->width; x++)
      switch (image->type) {
      case VITRAIL_U8: ((uint8_t *)row)[x] = (uint8_t) ~((uint8_t *)row)[x]; break;
      case VITRAIL_U16: ((uint16_t *)row)[x] = (uint16_t) ~((uint16_t *)row)[x]; break;
      case VITRAIL_I32: ((int32_t *)row)[x] = ~((int32_t *)row)[x]; break;
      case VITRAIL_F32: ((float *)row)[x] = -((float *)row)[x]; break;
      default: ((uint64_t *)row)[x / 64] ^= UINT64_C(1) << x % 64;
      }
  }
}

VtImage
bench_image_new(Bench *bench, const BenchSpec *spec, int64_t width, int64_t height)
{
  const int64_t rows = height * (spec->layers ? spec->layers : 1);
  const int64_t stride = spec->type == VT_BIT ? (width + 63) / 64 * 8 : width * (int64_t)vt_type_size(spec->type);
  VtImage image = { NULL, width, rows, stride, spec->type };
  if (spec->kind == BENCH_TISSUE)
    return mini_tissue_new(width, height, 3);
  image.data = calloc((size_t)rows, (size_t)stride);
  if (image.data && spec->kind > BENCH_OUT && !fill(bench, spec, &image)) {
    free(image.data);
    image.data = NULL;
  }
  if (image.data && spec->kind > BENCH_OUT && bench->at->by_erosion)
    complement(&image);
  return image;
}
