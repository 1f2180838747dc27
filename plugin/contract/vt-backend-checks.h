/* SPDX-License-Identifier: MIT
 *
 * vt-backend-checks.h: every backend calls vt_<slot>_ok() for the arguments of that slot before it looks at pixels, and returns
 * VITRAIL_BAD_ARGUMENT if it is false. What a backend cannot do it reports itself (VITRAIL_UNSUPPORTED). For cpu/ and gpu/. */
#pragma once

#include <math.h>

#include "vt-backend.h"

/* The types that reconstruction and regional maxima take. */
static inline bool
vt_type_is_ordered(VtType type)
{
  return type == VITRAIL_U8 || type == VITRAIL_U16 || type == VITRAIL_I32 || type == VITRAIL_F32;
}

/* An image of `type` that is not empty, whose rows do not overlap, and whose pixels are aligned to their size (RGBA8: anyhow). */
static inline bool
vt_image_is(const VtImage *image, VtType type)
{
  const int64_t size = (int64_t)vt_type_size(type);
  const int64_t grain = type == VT_BIT ? 8 : type == VITRAIL_RGBA8 ? 1 : size;
  return grain > 0 && image->type == type && image->data && image->width > 0 && image->height > 0
         && image->width <= INT64_MAX / 8
         && image->stride >= (type == VT_BIT ? (image->width + 63) / 64 * 8 : image->width * size)
         && image->stride % grain == 0 && (uintptr_t)image->data % (uintptr_t)grain == 0;
}

static inline bool
vt_image_same_size(const VtImage *a, const VtImage *b)
{
  return a->width == b->width && a->height == b->height;
}

/* vt_image_is(), and of the same size as `like`. */
static inline bool
vt_image_is_like(const VtImage *image, VtType type, const VtImage *like)
{
  return vt_image_is(image, type) && vt_image_same_size(image, like);
}

/* The rectangle is not empty and lies inside the image. */
static inline bool
vt_image_holds(const VtImage *image, int64_t x, int64_t y, int64_t width, int64_t height)
{
  return x >= 0 && y >= 0 && width > 0 && height > 0 && width <= image->width && height <= image->height
         && x <= image->width - width && y <= image->height - height;
}

/* I32 can number the image's pixels from 1. The image is not empty. */
static inline bool
vt_image_fits_labels(const VtImage *image)
{
  return image->width <= (INT32_MAX - 1) / image->height;
}

static inline bool
vt_copy_ok(const VtImage *dst, const VtImage *src)
{
  return vt_type_size(src->type) > 0 && vt_image_is(src, src->type) && vt_image_is_like(dst, src->type, src);
}

static inline bool
vt_lut3_ok(const VtLut3 *a)
{
  return a->table && vt_image_is(&a->src, VITRAIL_RGBA8)
         && (vt_image_is_like(&a->dst, VITRAIL_U8, &a->src) || vt_image_is_like(&a->dst, VITRAIL_U16, &a->src));
}

static inline bool
vt_normalize_ok(const VtNormalize *a)
{
  return a->table && a->colour && vt_image_is(&a->src, VITRAIL_RGBA8)
         && vt_image_is_like(&a->dst, VITRAIL_RGBA8, &a->src);
}

static inline bool
vt_erode_disc_ok(const VtErodeDisc *a)
{
  return vt_image_is(&a->src, VITRAIL_U16) && vt_image_is(&a->dst, VITRAIL_U16) && a->radius >= 0 && a->radius <= 512
         && vt_image_holds(&a->src, a->x0, a->y0, a->dst.width, a->dst.height);
}

static inline bool
vt_smooth_ok(const VtSmooth *a)
{
  if (!vt_image_is(&a->src, VITRAIL_U16) || !vt_image_is(&a->dst, VITRAIL_U16) || a->radius < 0 || a->radius > 512
      || !a->weights || !vt_image_holds(&a->src, a->x0, a->y0, a->dst.width, a->dst.height))
    return false;
  uint64_t total = a->weights[0];
  for (int32_t k = 1; k <= a->radius; k++)
    total += 2 * (uint64_t)a->weights[k];
  return total == 65536;
}

static inline bool
vt_pointwise_ok(const VtPointwise *p)
{
  enum { NONE = -1, AS_A = -2, U8 = 1 << VITRAIL_U8, U16 = 1 << VITRAIL_U16, F32 = 1 << VITRAIL_F32 };
  static const struct {
    int32_t a; /* a set of types */
    VtType b, dst;
  } takes[VT_PW_N_OPS] = {
    /* SUBTRACT_CLAMP */ { U16, VITRAIL_U16, VITRAIL_U16 },
    /* ABOVE */ { U8 | U16 | F32, NONE, VITRAIL_U8 },
    /* ABOVE_IMAGE */ { F32, VITRAIL_F32, VITRAIL_U8 },
    /* NOT */ { U8, NONE, VITRAIL_U8 },
    /* SHIFT_DOWN */ { F32, NONE, VITRAIL_F32 },
    /* NEXT_BELOW */ { F32, NONE, VITRAIL_F32 },
    /* SELECT */ { F32, VITRAIL_U8, VITRAIL_F32 },
    /* AND */ { U8, VITRAIL_U8, VITRAIL_U8 },
    /* LOWER_CLAMP */ { U8 | U16, NONE, AS_A },
    /* COMPLEMENT */ { U8 | U16, NONE, AS_A },
    /* WIDEN */ { U8 | U16, NONE, VITRAIL_U16 },
  };
  const VtType a = p->a.type;
  if (p->op < 0 || p->op >= VT_PW_N_OPS || a < 0 || a > VITRAIL_F32 || !(takes[p->op].a >> a & 1)
      || !vt_image_is(&p->a, a) || !vt_image_is_like(&p->dst, takes[p->op].dst == AS_A ? a : takes[p->op].dst, &p->a)
      || (takes[p->op].b != NONE && !vt_image_is_like(&p->b, takes[p->op].b, &p->a)))
    return false;
  /* Whole numbers stay whole, and none becomes larger. */
  return p->op != VT_PW_LOWER_CLAMP || (p->s >= 0 && floor(p->s) == p->s);
}

/* Rows of one slice do not reach into the next. */
static inline bool
vt_slices_ok(const VtImage *image, int64_t slice_bytes)
{
  const int64_t grain = image->type == VT_BIT ? 8 : (int64_t)vt_type_size(image->type);
  int64_t bytes;
  return !__builtin_mul_overflow(image->height, image->stride, &bytes) && slice_bytes >= bytes
         && slice_bytes % grain == 0;
}

static inline bool
vt_reconstruct_ok(const VtReconstruct *a)
{
  const VtType type = a->mask.type;
  if ((type != VT_BIT && !vt_type_is_ordered(type)) || !vt_image_is(&a->mask, type)
      || !vt_image_is_like(&a->marker, type, &a->mask))
    return false;
  if (a->depth == 0)
    return a->connectivity == 4 || a->connectivity == 8;
  return a->depth > 0 && (a->connectivity == 6 || a->connectivity == 26) && vt_slices_ok(&a->marker, a->marker_slice)
         && vt_slices_ok(&a->mask, a->mask_slice);
}

static inline bool
vt_regional_ok(const VtRegional *a)
{
  return vt_type_is_ordered(a->src.type) && vt_image_is(&a->src, a->src.type)
         && vt_image_is_like(&a->dst, VITRAIL_U8, &a->src) && (a->connectivity == 4 || a->connectivity == 8)
         && (!a->inside.data || vt_image_is_like(&a->inside, VITRAIL_U8, &a->src))
         && a->src.width < INT64_MAX / 16 / (a->src.height + 2);
}

static inline bool
vt_geodesic_ok(const VtGeodesic *a)
{
  return vt_image_is(&a->seeds, VITRAIL_I32) && vt_image_is_like(&a->mask, VITRAIL_U8, &a->seeds)
         && (a->connectivity == 4 || a->connectivity == 8) && (a->steps.data || a->zones.data)
         && (!a->steps.data || vt_image_is_like(&a->steps, VITRAIL_I32, &a->seeds))
         && (!a->zones.data || vt_image_is_like(&a->zones, VITRAIL_I32, &a->seeds))
         && vt_image_fits_labels(&a->seeds); /* so a path has fewer steps than VT_EDT_NONE */
}

static inline bool
vt_is_row_of(const VtImage *row, const VtImage *image)
{
  return vt_image_is(row, VITRAIL_I32) && row->width == image->width && row->height == 1;
}

static inline bool
vt_distance_ok(const VtDistance *a)
{
  const VtImage *src = &a->src;
  if (!vt_image_is(src, VITRAIL_U8) || src->width > INT32_MAX || src->height > INT32_MAX || a->weight_x < 1
      || a->weight_y < 1 || a->weight_x > 65535 || a->weight_y > 65535 || a->cap < 0
      || !(a->squared.data || a->root.data || a->nearest.data)
      || (a->squared.data && !vt_image_is_like(&a->squared, VT_I64, src))
      || (a->root.data && !(vt_image_is_like(&a->root, VITRAIL_F32, src) && isfinite(a->scale) && a->scale > 0))
      || (a->nearest.data && !vt_image_is_like(&a->nearest, VT_I64, src)))
    return false;
  const bool is_carried = a->above.data || a->below.data;
  if (is_carried && (a->nearest.data || !vt_is_row_of(&a->above, src) || !vt_is_row_of(&a->below, src)))
    return false;
  const __int128 w = src->width - 1, h = is_carried ? VT_EDT_NONE - 1 : src->height - 1;
  return a->weight_x * w * w + a->weight_y * h * h < VT_EDT_NONE64;
}

static inline bool
vt_edt_columns_ok(const VtEdt *a)
{
  return vt_image_is(&a->src, VITRAIL_U8) && vt_image_is_like(&a->dst, VITRAIL_I32, &a->src)
         && a->src.height <= INT32_MAX;
}

static inline bool
vt_edt_rows_ok(const VtEdt *a)
{
  return vt_image_is(&a->src, VITRAIL_I32) && a->src.width <= INT32_MAX
         && (vt_image_is_like(&a->dst, VT_I64, &a->src)
             || (vt_image_is_like(&a->dst, VITRAIL_F32, &a->src) && isfinite(a->scale)))
         && (!a->above.data || (vt_image_is_like(&a->above, VITRAIL_I32, &a->src) && a->dst.type == VT_I64))
         && a->weight_x >= 0 && a->weight_x <= UINT16_MAX && a->weight_y >= 0 && a->weight_y <= UINT16_MAX
         && a->cap >= 0 && a->y >= 0;
}

static inline bool
vt_components_ok(const VtComponents *a)
{
  return vt_image_is(&a->src, VITRAIL_U8) && vt_image_is_like(&a->dst, VITRAIL_I32, &a->src)
         && (a->connectivity == 4 || a->connectivity == 8) && vt_image_fits_labels(&a->src);
}

static inline bool
vt_watershed_ok(const VtWatershed *a)
{
  return vt_image_is(&a->level, VITRAIL_F32) && vt_image_is_like(&a->seeds, VITRAIL_I32, &a->level)
         && vt_image_is_like(&a->mask, VITRAIL_U8, &a->level) && vt_image_is_like(&a->labels, VITRAIL_I32, &a->level)
         && vt_image_fits_labels(&a->level);
}

static inline bool
vt_number_ok(const VtNumber *a)
{
  return vt_image_is(&a->labels, VITRAIL_I32) && vt_image_is_like(&a->a, VITRAIL_U16, &a->labels)
         && vt_image_is_like(&a->b, VITRAIL_U16, &a->labels) && a->stats && a->n_objects
         && vt_image_fits_labels(&a->labels);
}

static inline bool
vt_relabel_ok(const VtRelabel *a)
{
  return vt_image_is(&a->labels, VITRAIL_I32) && a->table && a->n_entries > 0;
}

static inline bool
vt_overlaps_ok(const VtOverlaps *a)
{
  return vt_image_is(&a->a, VITRAIL_I32) && vt_image_is_like(&a->b, VITRAIL_I32, &a->a) && a->list && a->n
         && vt_image_fits_labels(&a->a);
}

static inline bool
vt_glrlm_image_ok(const VtImage *levels, int32_t n_levels)
{
  return (vt_image_is(levels, VITRAIL_U8) || vt_image_is(levels, VITRAIL_U16)) && n_levels >= 1 && n_levels <= 256;
}

static inline bool
vt_glrlm_wanted_ok(uint32_t features, uint32_t aggregates)
{
  return features && !(features >> VT_GLRLM_N_FEATURES) && aggregates && !(aggregates >> VT_GLRLM_N_AGGREGATES);
}

static inline bool
vt_glrlm_windows_ok(const VtGlrlmWindows *a)
{
  if (!vt_glrlm_image_ok(&a->src, a->n_levels) || a->half < 1 || a->half > 64 || a->step < 1 || !a->dst
      || !vt_glrlm_wanted_ok(a->features, a->aggregates))
    return false;
  for (int k = __builtin_popcount(a->features) * __builtin_popcount(a->aggregates) - 1; k >= 0; k--)
    if (!vt_image_is_like(&a->dst[k], VITRAIL_F32, &a->dst[0]))
      return false;
  return true;
}

static inline bool
vt_glrlm_runs_ok(const VtGlrlmRuns *a)
{
  return a->matrix && vt_glrlm_image_ok(&a->src, a->n_levels) && a->max_length >= 1
         && vt_image_holds(&a->src, a->x, a->y, a->width, a->height);
}

/* The box of a region lies in the image's memory. */
static inline bool
vt_glrlm_box_ok(const VtImage *image, const VtGlrlmRoi *roi, int64_t first, int64_t step)
{
  const int64_t row = image->stride / (int64_t)vt_type_size(image->type);
  int64_t n, last;
  return first >= 0 && first <= INT64_MAX - roi->width && step >= roi->width
         && !__builtin_mul_overflow(row, image->height - 1, &n) && !__builtin_add_overflow(n, image->width, &n)
         && !__builtin_mul_overflow(step, roi->height - 1, &last)
         && !__builtin_add_overflow(last, first + roi->width, &last) && last <= n;
}

static inline bool
vt_glrlm_rois_ok(const VtGlrlmRois *a)
{
  if (!vt_glrlm_image_ok(&a->levels, a->n_levels) || !vt_glrlm_wanted_ok(a->features, a->aggregates) || a->n_rois < 0
      || (a->masks.data && !vt_image_is(&a->masks, VITRAIL_U8))
      || (a->n_rois > 0 && !(a->rois && a->values && a->n_pixels)))
    return false;
  for (int64_t r = 0; r < a->n_rois; r++) {
    const VtGlrlmRoi *roi = &a->rois[r];
    if (roi->width < 1 || roi->height < 1 || roi->width > INT32_MAX || roi->height > INT32_MAX
        || !vt_glrlm_box_ok(&a->levels, roi, roi->level, roi->level_step)
        || (roi->mask >= 0 && !(a->masks.data && vt_glrlm_box_ok(&a->masks, roi, roi->mask, roi->mask_step))))
      return false;
  }
  return true;
}

/* The tile lies in the window. Its halo is vt_regions_reach() wide, or ends where the image ends. */
static inline bool
vt_regions_ok(const VtRegions *a)
{
  if (!vt_image_is(&a->red, VITRAIL_U8) || !vt_image_is_like(&a->green, VITRAIL_U8, &a->red)
      || !vt_image_is_like(&a->blue, VITRAIL_U8, &a->red) || !vt_image_is(&a->code, VITRAIL_I32)
      || !vt_image_is_like(&a->score, VITRAIL_U16, &a->code)
      || !vt_image_holds(&a->red, a->x0, a->y0, a->code.width, a->code.height) || !vt_image_fits_labels(&a->red)
      || a->largest < VT_REGIONS_LEAST || a->largest > VT_REGIONS_MOST || !isfinite(a->um_per_px) || a->um_per_px < 0
      || (int)a->preset < 0 || a->preset >= VT_REGIONS_N_PRESETS || a->grid_x < 0 || a->grid_y < 0)
    return false;
  const int64_t reach = vt_regions_reach(a->largest);
  return (a->edges & VT_EDGE_LEFT || a->x0 >= reach) && (a->edges & VT_EDGE_TOP || a->y0 >= reach)
         && (a->edges & VT_EDGE_RIGHT || a->red.width - a->x0 - a->code.width >= reach)
         && (a->edges & VT_EDGE_BOTTOM || a->red.height - a->y0 - a->code.height >= reach);
}

static inline bool
vt_region_labels_ok(const VtRegionLabels *a)
{
  return vt_image_is(&a->codes, VITRAIL_I32) && vt_image_fits_labels(&a->codes) && a->grid_x >= 0 && a->grid_y >= 0;
}
