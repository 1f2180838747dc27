/* SPDX-License-Identifier: MIT
 *
 * Corrections of objects: which objects they find in another run, against bitmaps of all of them; joining and splitting; what is measured of
 * an outline alone, against a discs' and rectangles' known numbers; files. */
#include <math.h>
#include <string.h>

#include "host-support.h"
#include "results/vt-corrections.h"
#include "run/vt-roi-sets.h"
#include "run/vt-run-private.h"

enum { SIDE = 96, N_SCENES = 25, N_CORRECTIONS = 12 };

static const VitrailOp op = { .size = sizeof op, .id = "cells" };

/* --- a made-up run --- */

static VtResult *
run_new(gint64 x, gint64 y, gint64 width, gint64 height)
{
  VtResult *result = vt_result_new(&op);
  result->x_l0 = x;
  result->y_l0 = y;
  result->width_l0 = width;
  result->height_l0 = height;
  result->used_pixel_size = result->asked_pixel_size = 1;
  result->objects = g_ptr_array_new_with_free_func(g_free);
  result->source_name = g_strdup("made-up");
  ((VtResultFull *)result)->source_hash = g_strdup("hash");
  result->record = json_from_string("{\"objects\": 0, \"warnings\": []}", NULL);
  return result;
}

static void
add_object(VtResult *result, const VtRoi *roi)
{
  static const char *const names[] = { "Nucleus: Area px^2", "Nucleus: Hematoxylin OD mean" };
  const double measurements[] = { (double)vt_roi_count_pixels(roi, NULL), 0.25 };
  const VtObject object = { .id = result->objects->len + 1,
                            .n_rings = roi->ring_sizes->len,
                            .n_points = roi->points->len / 2,
                            .n_measurements = 2,
                            .ring_sizes = (const guint32 *)(gpointer)roi->ring_sizes->data,
                            .points = (const double *)(gpointer)roi->points->data,
                            .measurements = measurements,
                            .measurement_names = names };
  g_ptr_array_add(result->objects, vt_object_copy(&object));
}

/* A rectangle with or without a corner. */
static VtRoi *
make_shape(GRand *rand, double x, double y, double width, double height)
{
  const double a = floor(width / 2), b = floor(height / 2);
  const double whole[] = { x, y, x + width, y, x + width, y + height, x, y + height };
  const double without[] = { x, y, x + width, y, x + width, y + b, x + a, y + b, x + a, y + height, x, y + height };
  return g_rand_boolean(rand) ? vt_roi_new_polygon(NULL, whole, 4) : vt_roi_new_polygon(NULL, without, 6);
}

/* One in each cell of 16 pixels, or none. */
static GPtrArray *
make_shapes(GRand *rand)
{
  GPtrArray *shapes = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  for (int y = 0; y < SIDE; y += 16)
    for (int x = 0; x < SIDE; x += 16)
      if (g_rand_int_range(rand, 0, 4) > 0)
        g_ptr_array_add(shapes, make_shape(rand, x + g_rand_int_range(rand, 0, 4), y + g_rand_int_range(rand, 0, 4),
                                           g_rand_int_range(rand, 4, 13), g_rand_int_range(rand, 4, 13)));
  return shapes;
}

static VtRoi *
move(const VtRoi *roi, double dx, double dy)
{
  VtRoi *moved = vt_roi_copy(roi);
  for (guint i = 0; i < moved->points->len; i++)
    g_array_index(moved->points, double, i) += i % 2 == 0 ? dx : dy;
  return moved;
}

/* --- the slow way --- */

typedef struct {
  const VtRoi *roi;
  VtCorrectionKind kind;
  gboolean is_gone;
} Thing;

static VtRoi *
dup_box(const VtRoi *a, const VtRoi *b)
{
  double x, y, width, height, bx, by, b_width, b_height;
  vt_roi_get_bounds(a, &x, &y, &width, &height);
  vt_roi_get_bounds(b, &bx, &by, &b_width, &b_height);
  const double x0 = MIN(x, bx), y0 = MIN(y, by), x1 = MAX(x + width, bx + b_width), y1 = MAX(y + height, by + b_height);
  return vt_roi_new_rectangle(NULL, x0, y0, x1 - x0, y1 - y0);
}

static gboolean
counts(const gint64 within[4], int x, int y)
{
  return !within || (x >= within[0] && y >= within[1] && x < within[2] && y < within[3]);
}

static void
count_slowly(const VtRoi *a, const VtRoi *b, const gint64 within[4], guint *n_a, guint *n_both, guint *n_any)
{
  g_autoptr(VtRoi) box = dup_box(a, b ? b : a); /* there is nothing outside */
  double left, top, width, height;
  *n_a = *n_both = *n_any = 0;
  vt_roi_get_bounds(box, &left, &top, &width, &height);
  for (int y = (int)top - 2; y < top + height + 2; y++)
    for (int x = (int)left - 2; x < left + width + 2; x++) {
      const gboolean in_a = counts(within, x, y) && vt_roi_contains(a, x + 0.5, y + 0.5);
      const gboolean in_b = b && counts(within, x, y) && vt_roi_contains(b, x + 0.5, y + 0.5);
      *n_a += in_a;
      *n_both += in_a && in_b;
      *n_any += in_a || in_b;
    }
}

static gint
find_slowly(const GArray *things, const VtRoi *roi, const gint64 within[4])
{
  double best = 0.5;
  gint found = -1;
  for (guint i = 0; i < things->len; i++) {
    const Thing *thing = &g_array_index(things, Thing, i);
    guint n_a, n_both, n_any;
    if (thing->is_gone)
      continue;
    count_slowly(roi, thing->roi, thing->kind == VT_N_CORRECTIONS ? within : NULL, &n_a, &n_both, &n_any);
    const double iou = n_any > 0 ? (double)n_both / n_any : 0;
    if (iou > best) {
      best = iou;
      found = (gint)i;
    }
  }
  return found;
}

static gboolean
leaves(const VtRoi *roi, const gint64 within[4])
{
  double x, y, width, height;
  vt_roi_get_bounds(roi, &x, &y, &width, &height);
  return x < within[0] || y < within[1] || x + width > within[2] || y + height > within[3];
}

static gboolean
is_met_slowly(const GArray *things, const GPtrArray *before, const GPtrArray *after, const gint64 within[4])
{
  guint n_in = 0, n_a, n_both, n_any;
  gboolean is_met = TRUE;
  for (guint i = 0; i < after->len; i++)
    is_met &= find_slowly(things, after->pdata[i], within) >= 0;
  for (guint i = 0; after->len == 0 && i < things->len; i++) {
    const Thing *thing = &g_array_index(things, Thing, i);
    count_slowly(before->pdata[0], thing->roi, thing->kind == VT_N_CORRECTIONS ? within : NULL, &n_a, &n_both, &n_any);
    n_in += thing->is_gone ? 0 : n_both;
  }
  if (after->len == 0)
    count_slowly(before->pdata[0], NULL, within, &n_a, &n_both, &n_any);
  return after->len > 0 ? is_met : 2 * n_in < n_a;
}

/* What the head of vt-corrections.h says, word by word. */
static VtCorrectionState
apply_slowly(GArray *things, const VtCorrection *correction, const gint64 within[4])
{
  gint found[8];
  guint n_found = 0, n_a, n_both, n_any;
  VtCorrectionState state = VT_CORRECTION_ELSEWHERE;
  g_autoptr(GPtrArray) before = vt_correction_dup_before(correction), after = vt_correction_dup_after(correction);
  if (correction->kind == VT_CORRECTION_DRAWN && before->len == 0) {
    count_slowly(after->pdata[0], NULL, within, &n_a, &n_both, &n_any);
    if (n_a == 0)
      return VT_CORRECTION_ELSEWHERE;
    const gint same = find_slowly(things, after->pdata[0], within);
    if (same >= 0)
      g_array_index(things, Thing, same).is_gone = TRUE;
    return VT_CORRECTION_APPLIED;
  }
  if (correction->kind == VT_CORRECTION_SPLIT && is_met_slowly(things, before, after, within))
    return VT_CORRECTION_MET;
  for (guint i = 0; i < before->len; i++) {
    const VtRoi *roi = before->pdata[i];
    const gint place = find_slowly(things, roi, within);
    count_slowly(roi, NULL, within, &n_a, &n_both, &n_any);
    if (place >= 0) {
      g_array_index(things, Thing, place).is_gone = TRUE;
      found[n_found++] = place;
      state = VT_CORRECTION_APPLIED;
    } else if (n_a > 0) {
      state = leaves(roi, within) ? VT_CORRECTION_ELSEWHERE : VT_CORRECTION_LOST;
      break;
    }
  }
  for (guint i = 0; state != VT_CORRECTION_APPLIED && i < n_found; i++)
    g_array_index(things, Thing, found[i]).is_gone = FALSE;
  return state == VT_CORRECTION_LOST && is_met_slowly(things, before, after, within) ? VT_CORRECTION_MET : state;
}

static void
check_against_slow(VtResult *run, GPtrArray *corrections, guint *n_lost)
{
  const gint64 within[4] = { run->x_l0, run->y_l0, run->x_l0 + run->width_l0, run->y_l0 + run->height_l0 };
  g_autoptr(GArray) things = g_array_new(FALSE, FALSE, sizeof(Thing));
  g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_autoptr(VtResult) corrected = vt_result_correct(run, corrections, NULL);
  for (guint i = 0; i < run->objects->len; i++) {
    Thing thing = { vt_object_dup_roi(run->objects->pdata[i]), VT_N_CORRECTIONS, FALSE };
    g_ptr_array_add(rois, (gpointer)thing.roi);
    g_array_append_val(things, thing);
  }
  for (guint i = 0; i < corrections->len; i++) {
    const VtCorrection *correction = corrections->pdata[i];
    const VtCorrectionState state = apply_slowly(things, correction, within);
    g_assert_cmpint(corrected->corrected->states[i], ==, state);
    *n_lost += state == VT_CORRECTION_LOST;
    g_autoptr(GPtrArray) after = vt_correction_dup_after(correction);
    for (guint k = 0; state == VT_CORRECTION_APPLIED && k < after->len; k++) {
      const Thing made = { vt_roi_copy(after->pdata[k]), correction->kind, FALSE };
      g_ptr_array_add(rois, (gpointer)made.roi);
      g_array_append_val(things, made);
    }
  }
  guint n = 0;
  for (guint i = 0; i < things->len; i++) {
    const Thing *thing = &g_array_index(things, Thing, i);
    if (thing->is_gone)
      continue;
    g_assert_cmpuint(n, <, corrected->objects->len);
    g_autoptr(VtRoi) outline = vt_object_dup_roi(corrected->objects->pdata[n]);
    g_assert_true(vt_roi_has_same_outline(outline, thing->roi));
    g_assert_cmpint(corrected->corrected->kinds[n], ==, thing->kind);
    n++;
  }
  g_assert_cmpuint(n, ==, corrected->objects->len);
}

/* --- matching --- */

/* Of objects as they are after those before it. */
static VtCorrection *
make_correction(GRand *rand, const VtResult *now)
{
  const guint n = now->objects->len, i = (guint)g_rand_int_range(rand, 0, (gint)n);
  const guint k = (i + 1 + (guint)g_rand_int_range(rand, 0, (gint)n - 1)) % n;
  g_autoptr(VtRoi) one = vt_object_dup_roi(now->objects->pdata[i]), other = vt_object_dup_roi(now->objects->pdata[k]);
  double x, y, width, height;
  vt_roi_get_bounds(one, &x, &y, &width, &height);
  const VtCorrectionKind kind = (VtCorrectionKind)g_rand_int_range(rand, 0, VT_N_CORRECTIONS);
  g_autoptr(VtRoi) box = dup_box(one, other), left = vt_roi_new_rectangle(NULL, x, y, ceil(width / 2), height);
  g_autoptr(VtRoi) right = vt_roi_new_rectangle(NULL, x + ceil(width / 2), y, MAX(floor(width / 2), 1), height);
  g_autoptr(VtRoi) drawn = make_shape(rand, g_rand_int_range(rand, 0, SIDE - 9), g_rand_int_range(rand, 0, SIDE - 9),
                                      g_rand_int_range(rand, 3, 9), g_rand_int_range(rand, 3, 9));
  switch (kind) {
  case VT_CORRECTION_DELETED: return vt_correction_new(kind, rois_new(one, NULL), rois_new(NULL, NULL));
  case VT_CORRECTION_JOINED: return vt_correction_new(kind, rois_new(one, other), rois_new(box, NULL));
  case VT_CORRECTION_SPLIT: return vt_correction_new(kind, rois_new(one, NULL), rois_new(left, right));
  default: return vt_correction_new(kind, rois_new(g_rand_boolean(rand) ? one : NULL, NULL), rois_new(drawn, NULL));
  }
}

/* The same slide with other parameters: objects lie a little elsewhere, are gone, or are two in one. */
static VtResult *
run_again(GRand *rand, const GPtrArray *shapes, const gint64 within[4])
{
  VtResult *run = run_new(within[0], within[1], within[2] - within[0], within[3] - within[1]);
  g_autoptr(VtRoi) region = vt_roi_new_rectangle(NULL, within[0], within[1], run->width_l0, run->height_l0);
  for (guint i = 0; i < shapes->len; i++) {
    if (g_rand_int_range(rand, 0, 6) == 0)
      continue;
    g_autoptr(VtRoi) moved = i + 1 < shapes->len && g_rand_int_range(rand, 0, 8) == 0
                               ? dup_box(shapes->pdata[i], shapes->pdata[i + 1])
                               : move(shapes->pdata[i], g_rand_int_range(rand, -2, 3), g_rand_int_range(rand, -2, 3));
    g_autoptr(VtRoi) part = vt_roi_combine(moved, region, VT_ROI_INTERSECTION, NULL);
    if (part)
      add_object(run, part);
  }
  return run;
}

static void
test_matching(void)
{
  static const gint64 all[4] = { 0, 0, SIDE, SIDE }, some[4] = { 20, 9, 77, 70 };
  g_autoptr(GRand) rand = g_rand_new_with_seed(17);
  guint n_lost = 0, n_same_lost = 0;
  for (guint scene = 0; scene < N_SCENES; scene++) {
    g_autoptr(GPtrArray) shapes = make_shapes(rand);
    g_autoptr(GPtrArray) corrections = g_ptr_array_new_with_free_func((GDestroyNotify)vt_correction_unref);
    g_autoptr(VtResult) run = run_new(0, 0, SIDE, SIDE);
    for (guint i = 0; i < shapes->len; i++)
      add_object(run, shapes->pdata[i]);
    for (guint i = 0; i < N_CORRECTIONS; i++) {
      g_autoptr(VtResult) now = vt_result_correct(run, corrections, NULL);
      VtCorrection *correction = make_correction(rand, now);
      g_assert_true(vt_correction_is_sound(correction));
      g_ptr_array_add(corrections, correction);
    }
    check_against_slow(run, corrections, &n_same_lost);
    for (guint turn = 0; turn < 3; turn++) {
      g_autoptr(VtResult) again = run_again(rand, shapes, turn < 2 ? all : some);
      check_against_slow(again, corrections, &n_lost);
    }
  }
  g_test_message("%u of %u corrections found no object in another run, %u in the same", n_lost,
                 3 * N_SCENES * N_CORRECTIONS, n_same_lost);
  g_assert_cmpuint(n_same_lost, ==, 0);
  g_assert_cmpuint(n_lost, >, 100);
}

/* --- what it is apart from objects --- */

static void
test_result(void)
{
  g_autoptr(VtResult) run = run_new(0, 0, SIDE, SIDE);
  g_autoptr(VtRoi) a = vt_roi_new_rectangle(NULL, 10, 10, 8, 6), b = vt_roi_new_rectangle(NULL, 40, 10, 8, 6);
  g_autoptr(GPtrArray) corrections = g_ptr_array_new_with_free_func((GDestroyNotify)vt_correction_unref);
  add_object(run, a);
  add_object(run, b);
  g_autoptr(VtResult) same = vt_result_correct(run, corrections, NULL);
  g_assert_true(same == run);
  g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_DELETED, rois_new(a, NULL), rois_new(NULL, NULL)));
  g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_DELETED, rois_new(a, NULL), rois_new(NULL, NULL)));
  g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_JOINED, rois_new(a, b), rois_new(a, NULL)));
  g_autoptr(VtRoi) drawn = vt_roi_new_rectangle(NULL, 60, 60, 5, 4);
  g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_DRAWN, rois_new(NULL, NULL), rois_new(drawn, NULL)));
  g_autoptr(VtResult) corrected = vt_result_correct(run, corrections, NULL);
  g_assert_cmpuint(run->objects->len, ==, 2);
  g_assert_cmpuint(json_object_get_int_member(json_node_get_object(run->record), "objects"), ==, 0);
  g_assert_cmpuint(corrected->objects->len, ==, 2);
  g_assert_null(vt_result_get_corrected(corrected, 0));
  g_assert_cmpstr(vt_result_get_corrected(corrected, 1), ==, "drawn");
  g_assert_true(corrected->corrected->n_lost == 1 && corrected->corrected->n_met == 1);
  JsonObject *record = json_node_get_object(corrected->record);
  JsonObject *facts = json_object_get_object_member(record, "corrections");
  g_assert_cmpint(json_object_get_int_member(record, "objects"), ==, 2);
  g_assert_cmpint(json_object_get_int_member(facts, "deleted"), ==, 1);
  g_assert_cmpint(json_object_get_int_member(facts, "lost"), ==, 1);
  g_assert_cmpint(json_object_get_int_member(facts, "met"), ==, 1);
  g_assert_cmpuint(json_array_get_length(json_object_get_array_member(record, "warnings")), ==, 1);
  const VtObject *made = corrected->objects->pdata[1];
  g_assert_cmpint(made->id, ==, 3);
  g_assert_true(made->measurements[0] == 20 && isnan(made->measurements[1]));
  g_assert_true(made->centroid_x_l0 == 62.5 && made->centroid_y_l0 == 62);
  g_autofree char *uuid = vt_result_dup_object_uuid(corrected, made);
  g_autofree char *other = vt_result_dup_object_uuid(corrected, corrected->objects->pdata[0]);
  g_assert_cmpstr(uuid, !=, other);
  /* Applied once more to what was corrected: to the run. */
  g_autoptr(VtResult) again = vt_result_correct(corrected, corrections, NULL);
  g_assert_cmpuint(again->objects->len, ==, 2);
  g_assert_true(vt_result_get_run(again) == run);
}

/* A run that makes the parts itself, of which one is more than a half of the whole: they stay as they are. */
static void
test_met(void)
{
  g_autoptr(VtResult) run = run_new(0, 0, SIDE, SIDE);
  g_autoptr(VtRoi) whole = vt_roi_new_rectangle(NULL, 10, 10, 20, 6);
  g_autoptr(VtRoi) most = vt_roi_new_rectangle(NULL, 10, 10, 13, 6), rest = vt_roi_new_rectangle(NULL, 23, 10, 7, 6);
  g_autoptr(GPtrArray) corrections = g_ptr_array_new_with_free_func((GDestroyNotify)vt_correction_unref);
  add_object(run, most);
  add_object(run, rest);
  g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_SPLIT, rois_new(whole, NULL), rois_new(most, rest)));
  g_autoptr(VtResult) corrected = vt_result_correct(run, corrections, NULL);
  g_assert_cmpint(corrected->corrected->states[0], ==, VT_CORRECTION_MET);
  g_assert_true(corrected->objects->len == 2 && corrected->objects->pdata[0] == run->objects->pdata[0]);
}

/* A run of two regions: each is corrected by itself, what is in both is in both. */
static void
test_regions(void)
{
  g_autoptr(VtResult) run = run_new(0, 0, SIDE, SIDE);
  VtResult *parts[] = { run_new(0, 0, 40, 40), run_new(50, 50, 40, 40) };
  g_autoptr(VtRoi) a = vt_roi_new_rectangle(NULL, 10, 10, 8, 6), b = vt_roi_new_rectangle(NULL, 60, 60, 8, 6);
  g_autoptr(VtRoi) drawn = vt_roi_new_rectangle(NULL, 20, 20, 5, 4), beside = vt_roi_new_rectangle(NULL, 60, 5, 5, 4);
  static const double lower_left[] = { 50, 50, 90, 90, 50, 90 };
  g_autoptr(VtRoi) outside = vt_roi_new_rectangle(NULL, 80, 55, 5, 4); /* in the box of that */
  g_autoptr(GPtrArray) corrections = g_ptr_array_new_with_free_func((GDestroyNotify)vt_correction_unref);
  add_object(parts[0], a);
  add_object(parts[1], b);
  parts[0]->region = vt_roi_new_rectangle("one", 0, 0, 40, 40);
  parts[1]->region = vt_roi_new_polygon("other", lower_left, 3);
  run->parts = g_ptr_array_new_with_free_func((GDestroyNotify)vt_result_unref);
  g_ptr_array_unref(run->objects);
  run->objects = g_ptr_array_new();
  for (guint i = 0; i < 2; i++) {
    g_ptr_array_add(run->parts, parts[i]);
    g_ptr_array_add(run->objects, parts[i]->objects->pdata[0]);
  }
  g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_DELETED, rois_new(b, NULL), rois_new(NULL, NULL)));
  g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_DRAWN, rois_new(NULL, NULL), rois_new(drawn, NULL)));
  g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_DRAWN, rois_new(NULL, NULL), rois_new(beside, NULL)));
  g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_DRAWN, rois_new(NULL, NULL), rois_new(outside, NULL)));
  g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_DELETED, rois_new(drawn, NULL), rois_new(NULL, NULL)));
  g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_DELETED, rois_new(drawn, NULL), rois_new(NULL, NULL)));
  g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_DRAWN, rois_new(NULL, NULL), rois_new(drawn, NULL)));
  g_autoptr(VtResult) corrected = vt_result_correct(run, corrections, NULL);
  static const VtCorrectionState states[] = { VT_CORRECTION_APPLIED,   VT_CORRECTION_APPLIED, VT_CORRECTION_ELSEWHERE,
                                              VT_CORRECTION_ELSEWHERE, VT_CORRECTION_APPLIED, VT_CORRECTION_MET,
                                              VT_CORRECTION_APPLIED };
  for (guint i = 0; i < G_N_ELEMENTS(states); i++)
    g_assert_cmpint(corrected->corrected->states[i], ==, states[i]);
  g_assert_cmpuint(corrected->objects->len, ==, 2);
  g_assert_null(vt_result_get_corrected(corrected, 0));
  g_assert_cmpstr(vt_result_get_corrected(corrected, 1), ==, "drawn");
  guint place = 1;
  g_assert_cmpstr(vt_result_find_part(corrected, &place)->region->name, ==, "one");
  g_assert_cmpuint(place, ==, 1);
  g_assert_true(vt_result_get_run(corrected) == run);
}

static void
test_files(void)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = make_folder(), *csv = g_build_filename(folder, "a.csv", NULL);
  g_autofree char *json = g_build_filename(folder, "a.geojson", NULL), *text = NULL;
  g_autoptr(VtResult) run = run_new(0, 0, SIDE, SIDE);
  g_autoptr(VtRoi) a = vt_roi_new_rectangle(NULL, 10, 10, 8, 6), drawn = vt_roi_new_rectangle(NULL, 60, 60, 5, 4);
  g_autoptr(GPtrArray) corrections = g_ptr_array_new_with_free_func((GDestroyNotify)vt_correction_unref);
  add_object(run, a);
  g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_DRAWN, rois_new(NULL, NULL), rois_new(drawn, NULL)));
  g_autoptr(VtResult) corrected = vt_result_correct(run, corrections, NULL);
  vt_result_write_csv(corrected, csv, &error);
  g_assert_no_error(error);
  vt_result_write_geojson(corrected, json, &error);
  g_assert_no_error(error);
  g_file_get_contents(csv, &text, NULL, NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\r\n", -1);
  g_assert_true(g_str_has_suffix(lines[0], ",Corrected"));
  g_assert_true(g_str_has_suffix(lines[1], ",0.25,"));
  g_assert_true(g_str_has_suffix(lines[2], ",20,NaN,drawn"));
  g_clear_pointer(&text, g_free);
  g_file_get_contents(json, &text, NULL, NULL);
  g_assert_nonnull(strstr(text, "\"metadata\":{\"Corrected\":\"drawn\"}"));
  g_autoptr(JsonNode) node = json_from_string(text, &error);
  g_assert_no_error(error);
  remove_folder(folder);
}

/* --- outlines --- */

static void
test_join(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtRoi) a = vt_roi_new_rectangle(NULL, 0, 0, 10, 10), touching = vt_roi_new_rectangle(NULL, 10, 0, 10, 10);
  g_autoptr(VtRoi) near = vt_roi_new_rectangle(NULL, 13, 0, 10, 10), far = vt_roi_new_rectangle(NULL, 90, 0, 10, 10);
  g_autoptr(GPtrArray) one = rois_new(a, touching), two = rois_new(a, near), three = rois_new(a, far);
  g_autoptr(VtRoi) whole = vt_rois_join(one, 16, &error), bridged = vt_rois_join(two, 16, &error);
  g_assert_no_error(error);
  g_assert_true(vt_roi_get_area(whole) == 200 && whole->ring_sizes->len == 1);
  g_assert_cmpuint(bridged->ring_sizes->len, ==, 1);
  g_assert_true(vt_roi_covers(bridged, a) && vt_roi_covers(bridged, near));
  g_assert_true(vt_roi_get_area(bridged) > 200 && vt_roi_get_area(bridged) <= 230);
  g_assert_null(vt_rois_join(three, 16, &error));
  g_assert_no_error(error);
}

static void
test_split(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtRoi) a = vt_roi_new_rectangle(NULL, 0, 0, 10, 10);
  static const double across[] = { 4, -3, 4, 13 }, half_way[] = { 4, -3, 4, 6 }, beside[] = { 14, -3, 14, 13 };
  static const double twice[] = { -2, 5, 3, 5, 3, 13, 7, 13, 7, 5, 12, 5 };
  g_autoptr(GPtrArray) parts = vt_roi_split(a, across, 2, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(parts->len, ==, 2);
  g_assert_true(vt_roi_get_area(parts->pdata[0]) == 40 && vt_roi_get_area(parts->pdata[1]) == 60);
  g_autoptr(GPtrArray) none = vt_roi_split(a, half_way, 2, &error), outside = vt_roi_split(a, beside, 2, &error);
  g_autoptr(GPtrArray) three = vt_roi_split(a, twice, 6, &error);
  g_assert_no_error(error);
  g_assert_true(none->len == 0 && outside->len == 0);
  double area = 0;
  for (guint i = 0; i < three->len; i++)
    area += vt_roi_get_area(three->pdata[i]);
  g_assert_cmpuint(three->len, ==, 3);
  g_assert_true(area == 100);
}

static void
test_sound(void)
{
  g_autoptr(VtRoi) a = vt_roi_new_rectangle(NULL, 0, 0, 10, 10), thin = vt_roi_new_rectangle(NULL, 0.6, 0, 0.2, 10);
  g_autoptr(VtCorrection) good = vt_correction_new(VT_CORRECTION_DRAWN, rois_new(a, NULL), rois_new(a, NULL));
  g_autoptr(VtCorrection) empty = vt_correction_new(VT_CORRECTION_DRAWN, rois_new(NULL, NULL), rois_new(thin, NULL));
  g_autoptr(VtCorrection) few = vt_correction_new(VT_CORRECTION_JOINED, rois_new(a, NULL), rois_new(a, NULL));
  g_autoptr(VtCorrection) many = vt_correction_new(VT_CORRECTION_DELETED, rois_new(a, a), rois_new(NULL, NULL));
  g_autoptr(VtCorrection) no = vt_correction_new(vt_correction_kind_from_id("?"), rois_new(a, NULL), rois_new(a, NULL));
  g_assert_true(vt_correction_is_sound(good));
  g_assert_false(vt_correction_is_sound(empty) || vt_correction_is_sound(few) || vt_correction_is_sound(many)
                 || vt_correction_is_sound(no));
}

/* Outlines come back as they were, to the bit: whole and near, whole and far, fractions, negative, several rings. */
static void
test_packed(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(8);
  for (int round = 0; round < 500; round++) {
    g_autoptr(GPtrArray) rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
    GPtrArray *lists[2] = { g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free),
                            g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free) };
    const guint n_before = (guint)g_rand_int_range(rand, 0, 3);
    for (guint i = 0; i < 3; i++) {
      const double far = g_rand_boolean(rand) ? 50 : 1e7, part = g_rand_int_range(rand, 0, 3) == 0 ? 0.25 : 1;
      VtRoi *roi = vt_roi_new(NULL);
      for (guint32 ring = 0, n = 0; ring < 2; ring++) {
        n = (guint32)g_rand_int_range(rand, 3, 9);
        g_array_append_val(roi->ring_sizes, n);
        for (guint32 k = 0; k < 2 * n; k++) {
          const double value = floor(g_rand_double_range(rand, -far, far)) * part;
          g_array_append_val(roi->points, value);
        }
      }
      g_ptr_array_add(rois, roi);
      g_ptr_array_add(lists[i >= n_before], vt_roi_copy(roi));
    }
    g_autoptr(VtCorrection) correction = vt_correction_new(VT_CORRECTION_SPLIT, lists[0], lists[1]);
    g_autoptr(GPtrArray) before = vt_correction_dup_before(correction), after = vt_correction_dup_after(correction);
    g_assert_cmpuint(before->len, ==, n_before);
    g_assert_cmpuint(after->len, ==, 3 - n_before);
    for (guint i = 0; i < 3; i++)
      g_assert_true(
        vt_roi_has_same_outline(rois->pdata[i], i < n_before ? before->pdata[i] : after->pdata[i - n_before]));
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/corrections/matching", test_matching);
  g_test_add_func("/corrections/result", test_result);
  g_test_add_func("/corrections/met", test_met);
  g_test_add_func("/corrections/regions", test_regions);
  g_test_add_func("/corrections/files", test_files);
  g_test_add_func("/corrections/join", test_join);
  g_test_add_func("/corrections/split", test_split);
  g_test_add_func("/corrections/sound", test_sound);
  g_test_add_func("/corrections/packed", test_packed);
  return g_test_run();
}
