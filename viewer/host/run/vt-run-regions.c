/* SPDX-License-Identifier: MIT
 *
 * A run on several regions: one run of the rectangle round each region after the other, and a result that holds them all. Of
 * their objects those are kept that lie in the region. */
#include <math.h>

#include "run/vt-roi-sets.h"
#include "base/vt-define.h"
#include "base/vt-rect.h"
#include "run/vt-run-private.h"

#define TR(text) text
#define LEAST_BUDGET ((guint64)256 << 20)

typedef struct {
  VtRunProgress progress;
  gpointer user;
  double before, share; /* of all the work: what was done before this region, and its own */
} Part;

static void
tell_part(guint stage, double fraction, gpointer user)
{
  const Part *part = user;
  part->progress(stage, part->before + part->share * fraction, part->user);
}

static void
set_rectangle(VtRunRequest *one, const VtRoi *roi)
{
  double box[4];
  vt_roi_get_box(roi, box);
  const VtRect rect = vt_rect_around(box);
  one->x_l0 = rect.x;
  one->y_l0 = rect.y;
  one->width_l0 = rect.width;
  one->height_l0 = rect.height;
}

static double
get_area(const VtRoi *roi)
{
  VtRunRequest one;
  set_rectangle(&one, roi);
  return (double)one.width_l0 * (double)one.height_l0;
}

/* Each sentence once: vt_result_dup_warned() knows of which regions it is. */
static void
join_warnings(VtResult *all)
{
  g_autoptr(GPtrArray) regions = g_ptr_array_new();
  all->warnings = g_ptr_array_new_with_free_func(g_free);
  VT_EACH_OF (const VtResult, part, all->parts) {
    for (guint k = 0; k < part->warnings->len; k++)
      if (!g_ptr_array_find_with_equal_func(all->warnings, part->warnings->pdata[k], g_str_equal, NULL))
        g_ptr_array_add(all->warnings, g_strdup(part->warnings->pdata[k]));
    g_ptr_array_add(regions, part->region);
  }
  if (vt_rois_any_overlap(regions))
    g_ptr_array_add(all->warnings, g_strdup(TR("Regions overlap: what lies in several of them is counted in each.")));
}

static void
join_lists(VtResult *all, const VtResult *part)
{
  if (part->objects && !all->objects)
    all->objects = g_ptr_array_new();
  if (part->rows && !all->rows)
    all->rows = g_ptr_array_new();
  for (guint i = 0; part->objects && i < part->objects->len; i++)
    g_ptr_array_add(all->objects, part->objects->pdata[i]);
  for (guint i = 0; part->rows && i < part->rows->len; i++)
    g_ptr_array_add(all->rows, part->rows->pdata[i]);
}

static void
join_rectangle(VtResult *all, const VtResult *part)
{
  const gint64 right = MAX(all->x_l0 + all->width_l0, part->x_l0 + part->width_l0);
  const gint64 bottom = MAX(all->y_l0 + all->height_l0, part->y_l0 + part->height_l0);
  all->x_l0 = MIN(all->x_l0, part->x_l0);
  all->y_l0 = MIN(all->y_l0, part->y_l0);
  all->width_l0 = right - all->x_l0;
  all->height_l0 = bottom - all->y_l0;
}

/* What is the same for all of them: slide, parameters, grid. */
static VtResult *
result_new_like(const VtResult *first)
{
  VtResult *all = vt_result_new(first->op);
  VtResultFull *full = (VtResultFull *)all;
  const VtResultFull *its = (const VtResultFull *)first;
  all->params = vt_params_copy(first->params);
  all->ome_tiff = first->ome_tiff;
  all->objects_formats = first->objects_formats;
  all->compression = first->compression;
  all->source_name = g_strdup(first->source_name);
  all->calibrated = first->calibrated;
  all->mpp = first->mpp;
  all->mpp_y = first->mpp_y;
  all->asked_pixel_size = first->asked_pixel_size;
  all->used_pixel_size = first->used_pixel_size;
  all->is_preview = first->is_preview;
  all->is_coarse = first->is_coarse;
  all->backend = g_strdup(first->backend);
  all->device = g_strdup(first->device);
  all->score_model = g_strdup(first->score_model);
  all->look = first->look;
  all->chosen = first->chosen;
  all->choice = first->choice;
  all->x_l0 = first->x_l0;
  all->y_l0 = first->y_l0;
  all->width_l0 = first->width_l0;
  all->height_l0 = first->height_l0;
  full->source_hash = g_strdup(its->source_hash);
  full->inputs = g_hash_table_ref(its->inputs);
  full->slide_path = g_strdup(its->slide_path);
  full->slide_state = g_strdup(its->slide_state);
  full->n_threads = its->n_threads;
  full->mpp_x = its->mpp_x;
  full->mpp_y = its->mpp_y;
  for (guint i = 0; i < first->op->n_stages; i++)
    all->stage_ms[i] = NAN;
  return all;
}

static VtResult *
join(GPtrArray *parts)
{
  VtResult *all = result_new_like(parts->pdata[0]);
  all->parts = g_ptr_array_ref(parts);
  VT_EACH_OF (const VtResult, part, parts) {
    join_lists(all, part);
    join_rectangle(all, part);
    all->total_ms += part->total_ms;
    for (guint k = 0; k < all->op->n_stages; k++)
      if (!isnan(part->stage_ms[k]))
        all->stage_ms[k] = (isnan(all->stage_ms[k]) ? 0 : all->stage_ms[k]) + part->stage_ms[k];
  }
  join_warnings(all);
  all->record = vt_record_join(all);
  return all;
}

/* By the centroid, which does not depend on tiles. What is kept stays in order. */
static void
keep_inside(VtResult *result)
{
  guint n = 0;
  if (vt_roi_is_rectangle(result->region))
    return;
  for (guint i = 0; result->objects && i < result->objects->len; i++) {
    gpointer object = (gpointer)vt_result_pass_object(result, i);
    const VtObject *its = object;
    if (!vt_roi_contains(result->region, its->centroid_x_l0, its->centroid_y_l0))
      continue;
    result->objects->pdata[i] = result->objects->pdata[n];
    result->objects->pdata[n++] = object;
  }
  if (result->objects) {
    g_ptr_array_set_size(result->objects, (int)n);
    json_object_set_int_member(json_node_get_object(result->record), "objects", n);
  }
  g_ptr_array_add(result->warnings,
                  g_strdup(TR("Objects are those whose centroid lies inside the outline of the region; "
                              "layers cover the rectangle round it.")));
}

VtResult *
vt_run_regions(const VtRunRequest *request, VtRunProgress progress, gpointer user, GCancellable *cancellable,
               GError **error)
{
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func((GDestroyNotify)vt_result_unref);
  const guint n = request->regions->len;
  double whole = 0;
  Part part = { .progress = progress, .user = user };
  for (guint i = 0; i < n; i++)
    whole += get_area(request->regions->pdata[i]);
  for (guint i = 0; i < n; i++) {
    const VtRoi *roi = request->regions->pdata[i];
    VtRunRequest one = *request;
    one.regions = NULL;
    one.whole = FALSE;
    one.region_number = i + 1;
    one.keep_scratch = FALSE; /* what another region has left there is not for this one */
    /* All results are held at the same time. */
    one.memory_budget = MAX(request->memory_budget / n, MIN(request->memory_budget, LEAST_BUDGET));
    set_rectangle(&one, roi);
    part.share = get_area(roi) / whole;
    VtResult *result = vt_run(&one, progress ? tell_part : NULL, &part, cancellable, error);
    if (!result) {
      if (error && !g_error_matches(*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        g_prefix_error(error, "“%s”: ", roi->name);
      return NULL;
    }
    result->region = vt_roi_copy(roi);
    keep_inside(result);
    g_ptr_array_add(parts, result);
    part.before += part.share;
  }
  VtResult *all = join(parts);
  g_autofree char *digest = vt_run_request_dup_digest(request);
  json_object_set_string_member(json_node_get_object(all->record), "request", digest);
  return all;
}

char *
vt_result_dup_warned(const VtResult *result, const char *warning)
{
  g_autoptr(GString) names = g_string_new(NULL);
  guint n = 0;
  VT_EACH_OF (const VtResult, part, result->parts) {
    if (!g_ptr_array_find_with_equal_func(part->warnings, warning, g_str_equal, NULL))
      continue;
    g_string_append_printf(names, "%s%s", n++ > 0 ? ", " : "", part->region->name);
  }
  return n > 0 && n < result->parts->len ? g_strdup(names->str) : NULL;
}
