/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/vt-file-private.h"
#include "base/vt-define.h"
#include "base/vt-rect.h"
#include "run/vt-intensity.h"
#include "run/vt-objects-format.h"
#include "run/vt-run-private.h"

static const VitrailInputSpec *
find_spec(const VitrailOp *op, const char *id)
{
  for (guint i = 0; i < op->n_inputs; i++)
    if (g_str_equal(op->inputs[i]->id, id))
      return op->inputs[i];
  return NULL;
}

static void
add_input(VtRunState *state, const VitrailInputSpec *spec, VtSlide *slide, VtRaster *raster)
{
  VtRunInput *input = &state->inputs[state->n_inputs];
  input->slide = slide;
  input->raster = raster;
  input->abi = (VitrailInput){ .size = sizeof(VitrailInput), .handle = state->n_inputs, .id = spec->id };
  if (!raster) {
    input->abi.type = VITRAIL_RGBA8;
    vt_slide_get_level_size(slide, 0, &input->abi.width_l0, &input->abi.height_l0);
    vt_slide_get_mpp(slide, &input->abi.mpp_x, &input->abi.mpp_y);
  } else {
    input->abi.type = raster->type;
    input->abi.width_l0 = raster->width;
    input->abi.height_l0 = raster->height;
  }
  state->n_inputs++;
}

/* Labels that lie somewhere on the primary image, as if they were as large. */
static void
add_labels(VtRunState *state, const VitrailInputSpec *spec, const VitrailInputSpec *primary)
{
  const VtRunRequest *request = state->request;
  VtRaster *raster =
    request->slide ? vt_slide_get_raster(request->slide) : g_hash_table_lookup(request->rasters, primary->id);
  add_input(state, spec, raster ? NULL : request->slide, raster);
  VtRunInput *input = &state->inputs[state->n_inputs - 1];
  *input = (VtRunInput){ .abi = input->abi, .labels = request->params->labels };
  input->abi.type = VITRAIL_I32;
  input->abi.flags = VITRAIL_INPUT_SAMPLED;
}

/* As large as the primary image, too. Of a region among several nobody asks. */
static void
add_truth(VtRunState *state)
{
  const VtRunRequest *request = state->request;
  if (!request->truth || request->plugin->abi_minor < 12 || request->ranks || request->region_number > 0)
    return;
  VtRunInput *input = &state->inputs[state->n_inputs];
  *input = (VtRunInput){ .abi = state->inputs[state->primary].abi, .truth = request->truth };
  input->abi.handle = state->n_inputs++;
  input->abi.id = "truth";
  input->abi.type = VITRAIL_I32;
  input->abi.flags = VITRAIL_INPUT_SAMPLED | VITRAIL_INPUT_TRUTH;
}

static gboolean
check_names(const VtRunState *state, GError **error)
{
  GHashTableIter iter;
  gpointer id = NULL;
  if (!state->request->rasters)
    return TRUE;
  g_hash_table_iter_init(&iter, state->request->rasters);
  while (g_hash_table_iter_next(&iter, &id, NULL)) {
    const VitrailInputSpec *spec = find_spec(state->op, id);
    if (!spec || spec->kind == VITRAIL_INPUT_ROIS)
      return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s has no image input “%s”.", state->op->id, (char *)id);
  }
  return TRUE;
}

static gboolean
find_one(VtRunState *state, const VitrailInputSpec *spec, const VitrailInputSpec *primary, GError **error)
{
  const gboolean is_primary = spec == primary;
  const VtRunRequest *request = state->request;
  VtSlide *slide = is_primary ? request->slide : NULL;
  VtRaster *raster = slide              ? vt_slide_get_raster(slide)
                     : request->rasters ? g_hash_table_lookup(request->rasters, spec->id)
                                        : NULL;
  const gboolean is_color = raster ? raster->type == VITRAIL_RGBA8 : slide != NULL;
  if (spec->kind == VITRAIL_INPUT_ROIS) {
    if ((spec->flags & VITRAIL_INPUT_OPTIONAL) || (request->rois && request->rois->len > 0)
        || spec
             == vt_op_get_objects(state->op)) /* which come with the parameters; the op tells when they are missing */
      return TRUE;
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s needs regions of interest (%s).", state->op->id, spec->id);
  }
  if (spec->kind == VITRAIL_INPUT_SCALAR && is_color)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s takes an image of one channel as “%s”, not a colour one.",
                        state->op->id, spec->id);
  const gboolean has_primary =
    request->slide || (request->rasters && g_hash_table_contains(request->rasters, primary->id));
  if (!raster && request->params->labels && spec == vt_op_get_labels(state->op) && has_primary) {
    add_labels(state, spec, primary);
    return TRUE;
  }
  if (!slide && !raster) {
    if (spec->flags & VITRAIL_INPUT_OPTIONAL)
      return TRUE;
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s needs the input “%s”.", state->op->id, spec->id);
  }
  if (is_primary)
    state->primary = state->n_inputs;
  add_input(state, spec, slide, raster);
  return TRUE;
}

static char *
dup_rectangle(const VtRect *rect)
{
  return g_strdup_printf("%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT, rect->x,
                         rect->y, rect->width, rect->height);
}

static gboolean
find_region(VtRunState *state, GError **error)
{
  const VtRunRequest *request = state->request;
  const VitrailInput *primary = &state->inputs[state->primary].abi;
  const gint64 width = primary->width_l0, height = primary->height_l0;
  VtRect rect = { 0, 0, width, height };
  if (!request->whole) {
    rect = (VtRect){ request->x_l0, request->y_l0, request->width_l0, request->height_l0 };
    g_autofree char *asked = dup_rectangle(&rect);
    if (!vt_rect_clip(&rect, width, height))
      return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                          "The region %s has nothing of the image, which is %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT
                          " pixels.",
                          asked, width, height);
    g_autofree char *used = dup_rectangle(&rect);
    if (!g_str_equal(asked, used))
      g_ptr_array_add(state->notes,
                      g_strdup_printf("The region %s reaches beyond the image; %s was analysed.", asked, used));
  }
  state->x_l0 = rect.x;
  state->y_l0 = rect.y;
  state->width_l0 = rect.width;
  state->height_l0 = rect.height;
  return TRUE;
}

/* Adds a name to a list that stays short enough for a sentence. */
static void
append_name(GString *names, guint *n, const char *name)
{
  if (++*n <= 3)
    g_string_append_printf(names, "%s“%s”", *n > 1 ? ", " : "", name);
  else if (*n == 4)
    g_string_append(names, "…");
}

/* A polygon is nowhere in the image when its box is not. */
static gboolean
check_rois(VtRunState *state, GError **error)
{
  const VitrailInput *primary = &state->inputs[state->primary].abi;
  const GPtrArray *rois = state->request->rois;
  const double limit_x = (double)primary->width_l0, limit_y = (double)primary->height_l0;
  g_autoptr(GString) outside = g_string_new(NULL), beyond = g_string_new(NULL);
  guint n_outside = 0, n_beyond = 0;
  VT_EACH_OF (const VtRoi, roi, rois) {
    double box[4];
    vt_roi_get_box(roi, box);
    if (box[0] >= limit_x || box[1] >= limit_y || box[2] <= 0 || box[3] <= 0)
      append_name(outside, &n_outside, roi->name);
    else if (box[0] < 0 || box[1] < 0 || box[2] > limit_x || box[3] > limit_y)
      append_name(beyond, &n_beyond, roi->name);
  }
  if (n_beyond > 0)
    g_ptr_array_add(
      state->notes,
      g_strdup_printf("These regions reach beyond the image, and only what is inside was analysed: %s (%u of %u).",
                      beyond->str, n_beyond, rois->len));
  if (n_outside == 0)
    return TRUE;
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT,
                      "These regions lie outside the image, which is %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT
                      " pixels: %s (%u of %u).",
                      primary->width_l0, primary->height_l0, outside->str, n_outside, rois->len);
}

gboolean
vt_run_find_inputs(VtRunState *state, GError **error)
{
  const VitrailOp *op = state->op;
  const VitrailInputSpec *primary = vt_op_get_primary(op);
  state->inputs = g_new0(VtRunInput, op->n_inputs + 2);
  if (!primary)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s takes no image.", op->id);
  if (!check_names(state, error))
    return FALSE;
  for (guint i = 0; i < op->n_inputs; i++)
    if (!find_one(state, op->inputs[i], primary, error))
      return FALSE;
  if (state->n_inputs == 0)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s needs an image.", op->id);
  add_truth(state);
  return find_region(state, error) && check_rois(state, error);
}

void
vt_run_fill_files(VtResultFull *full, const VtRunState *state)
{
  const VtRunRequest *request = state->request;
  const char *primary = state->inputs[state->primary].abi.id;
  GHashTableIter iter;
  gpointer id = NULL, path = NULL;
  full->inputs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  full->drawn_rois = request->rois != NULL;
  if (request->files)
    g_hash_table_iter_init(&iter, request->files);
  while (request->files && g_hash_table_iter_next(&iter, &id, &path)) {
    const VitrailInputSpec *spec = find_spec(state->op, id);
    g_hash_table_insert(full->inputs, g_strdup(id), g_strdup(path));
    if (spec && spec->kind == VITRAIL_INPUT_ROIS)
      full->drawn_rois = FALSE;
  }
  if (request->params->labels && vt_op_get_labels(state->op))
    g_hash_table_insert(full->inputs, g_strdup(vt_op_get_labels(state->op)->id),
                        g_strdup(request->params->labels->path));
  if (request->params->objects && vt_op_get_objects(state->op))
    g_hash_table_insert(full->inputs, g_strdup(vt_op_get_objects(state->op)->id),
                        g_strdup(request->params->objects->path));
  if (request->slide) {
    full->slide_path = g_strdup(vt_slide_get_path(request->slide));
    full->slide_state = g_strdup(vt_slide_get_file_state(request->slide));
  }
  if (request->slide && !g_hash_table_contains(full->inputs, primary))
    g_hash_table_insert(full->inputs, g_strdup(primary), g_strdup(vt_slide_get_path(request->slide)));
}

static void
append_file(GString *text, const char *id, const char *path)
{
  g_autofree char *state = vt_file_dup_state(path);
  g_string_append_printf(text, "%s=%s %s\n", id, path, state);
}

char *
vt_rois_dup_sha256(const GPtrArray *rois)
{
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  VT_EACH_OF (const VtRoi, roi, rois) {
    const guint32 sizes[] = { (guint32)strlen(roi->name), roi->ring_sizes->len };
    g_checksum_update(checksum, (const guchar *)sizes, sizeof sizes);
    g_checksum_update(checksum, (const guchar *)roi->name, (gssize)sizes[0]);
    g_checksum_update(checksum, (const guchar *)roi->ring_sizes->data,
                      (gssize)(roi->ring_sizes->len * sizeof(guint32)));
    g_checksum_update(checksum, (const guchar *)roi->points->data, (gssize)(roi->points->len * sizeof(double)));
  }
  return g_strdup(g_checksum_get_string(checksum));
}

static void
append_labels(GString *text, const VtPlacedLabels *labels)
{
  if (!labels)
    return;
  append_file(text, labels->labels ? "labels" : "pieces", labels->path);
  const double numbers[] = { labels->place.x_l0, labels->place.y_l0, labels->place.downsample };
  vt_text_append_doubles(text, " ", G_N_ELEMENTS(numbers), numbers);
  g_string_append_c(text, ' ');
}

char *
vt_run_request_dup_digest(const VtRunRequest *request)
{
  g_autoptr(GString) text = g_string_new(VT_VERSION "\n");
  g_autoptr(GList) ids =
    request->files ? g_list_sort(g_hash_table_get_keys(request->files), (GCompareFunc)g_strcmp0) : NULL;
  g_string_append_printf(text, "%s %s\n", request->plugin->version, request->op->id);
  if (vt_op_get_recipe(request->op))
    g_string_append(text, vt_recipe_get_text(vt_op_get_recipe(request->op)));
  for (guint i = 0; i < request->op->n_params; i++) {
    g_autofree char *value = vt_params_dup_text(request->params, i);
    g_string_append_printf(text, "%s=%s\n", request->op->params[i]->key, value);
  }
  for (GList *link = ids; link; link = link->next)
    append_file(text, link->data, g_hash_table_lookup(request->files, link->data));
  if (!request->whole)
    g_string_append_printf(text,
                           "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "\n",
                           request->x_l0, request->y_l0, request->width_l0, request->height_l0);
  g_autofree char *rois = vt_rois_dup_sha256(request->rois), *regions = vt_rois_dup_sha256(request->regions);
  g_string_append_printf(text, "%s %s\n", rois, regions);
  g_string_append_printf(text, "%" G_GINT64_MODIFIER "x ", request->stages_wanted);
  vt_text_append_double(text, request->min_downsample);
  g_string_append_printf(text, " %u%s%s", request->ranks ? request->ranks->n_ranks : 1,
                         request->ome_tiff ? " ome-tiff" : "",
                         request->compression == VT_COMPRESSION_ZSTD ? " zstd" : "");
  if (request->objects_formats) {
    g_string_append_c(text, ' ');
    vt_objects_formats_append_words(text, request->objects_formats);
  }
  append_labels(text, request->params->labels);
  if (request->params->objects)
    append_file(text, "objects", request->params->objects->path);
  if (request->params->taught)
    g_string_append_printf(text, " taught %s", request->params->taught->hash);
  if (request->model_hash)
    g_string_append_printf(text, " %s", request->model_hash);
  g_autofree char *intensity = request->intensity ? vt_intensity_to_text(request->intensity) : NULL;
  if (intensity)
    g_string_append_printf(text, " intensity %s", intensity);
  if (request->counts_neighbours)
    g_string_append(text, " neighbours");
  return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str, (gssize)text->len);
}
