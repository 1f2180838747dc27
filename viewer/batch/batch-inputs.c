/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "run/vt-label-image.h"
#include "run/vt-shapes.h"
#include "slide/vt-reader.h"

static const VitrailInputSpec *
find_spec(const VitrailOp *op, const char *id, gsize length)
{
  for (guint i = 0; i < op->n_inputs; i++)
    if (strlen(op->inputs[i]->id) == length && strncmp(op->inputs[i]->id, id, length) == 0)
      return op->inputs[i];
  return NULL;
}

/* Takes the note. */
static void
add_note(VtRunRequest *request, char *note)
{
  if (!request->notes)
    request->notes = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(request->notes, note);
}

static const char rois_id[] = "rois";       /* of regions to run on, where the op itself asks for none */
static const char borders_id[] = "borders"; /* of regions whose borders the objects lie near */

/* spec: the op's own input of regions; NULL: it has none, and runs on each of them. */
static int
add_rois(VtRunRequest *request, const VitrailInputSpec *spec, const char *path)
{
  g_autoptr(GError) error = NULL;
  char *note = NULL;
  const VtShapesContext context = { .slide = request->slide };
  GPtrArray *rois = vt_shapes_read_areas(path, &context, &note, &error);
  if (!rois)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  if (!spec && (request->regions || !request->whole || request->ranks)) {
    g_ptr_array_unref(rois);
    g_free(note);
    return batch_fail(BATCH_USAGE, request->ranks ? "Regions can't be shared by processes; give each process its own."
                                                  : "The regions are those of rois; leave --region or rois out.");
  }
  *(spec ? &request->rois : &request->regions) = rois;
  if (note)
    add_note(request, note);
  g_hash_table_insert(request->files, (gpointer)(spec ? spec->id : rois_id), g_strdup(path));
  return BATCH_DONE;
}

static int
add_borders(VtRunRequest *request, const char *path)
{
  g_autoptr(GError) error = NULL;
  char *note = NULL;
  const VtShapesContext context = { .slide = request->slide };
  request->borders = vt_shapes_read_areas(path, &context, &note, &error);
  if (!request->borders)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  if (note)
    add_note(request, note);
  if (request->borders->len == 0)
    return batch_fail(BATCH_FAILED, "%s has no area to whose border distances could be measured.", path);
  g_hash_table_insert(request->files, (gpointer)borders_id, g_strdup(path));
  return BATCH_DONE;
}

static void
note_orientation(VtRunRequest *request, const char *path, guint orientation)
{
  g_autofree char *name = vt_error_dup_name(path);
  if (orientation != 1)
    add_note(request,
             g_strdup_printf("%s says that it is to be turned or mirrored (orientation %u); it was analysed as "
                             "it is stored.",
                             name, orientation));
}

/* What a plain image leaves of its file. */
static void
note_rest(VtRunRequest *request, const VitrailInputSpec *spec, const char *path, const VtRasterFacts *facts)
{
  g_autofree char *name = vt_error_dup_name(path);
  g_autoptr(VtSlide) slide = vt_raster_get_kind(path) == VT_FILE_TIFF ? vt_slide_open(path, NULL) : NULL;
  double mpp_x, mpp_y;
  if (slide && vt_slide_get_mpp(slide, &mpp_x, &mpp_y))
    add_note(request,
             g_strdup_printf("%s is a slide, and was read as a plain image, without its pixel size of %.4g µm; "
                             "without “%s=” it is read as a slide.",
                             name, mpp_x, spec->id));
  else if (facts->n_pages > 1)
    add_note(request, g_strdup_printf("%s has %u pages; only the first one was analysed.", name, facts->n_pages));
  if (facts->n_unread > 0)
    add_note(request, g_strdup_printf("%s has %u more channels, which were not analysed.", name, facts->n_unread));
  if (facts->cut_bits > 0)
    add_note(request, g_strdup_printf("%s has colours of %u bits, which were read as 8.", name, facts->cut_bits));
  note_orientation(request, path, facts->orientation);
}

/* How plain images are read. */
typedef struct {
  const VtRasterRoom *room; /* or NULL */
  gboolean progress;
  const char *name; /* of the one that is read */
  gint64 said_us;   /* when the last word on it was said; 0: none */
} Reading;

static void
say_read(double fraction, gpointer user)
{
  Reading *reading = user;
  const gint64 now = g_get_monotonic_time();
  if (!reading->progress || now - reading->said_us < G_USEC_PER_SEC / 2)
    return;
  reading->said_us = now;
  g_printerr("%sReading %s: %3.0f %%%s", isatty(2) ? "\r" : "", reading->name, fraction * 100, isatty(2) ? "" : "\n");
}

static VtRaster *
read_raster(Reading *reading, const char *path, VtRasterFacts *facts, GError **error)
{
  g_autofree char *name = vt_error_dup_name(path);
  const VtReadContext context = { batch_get_cancellable(), say_read, reading };
  reading->name = name;
  reading->said_us = 0;
  VtRaster *raster = vt_reader_read_raster(path, reading->room, &context, facts, error);
  if (reading->said_us > 0 && isatty(2))
    g_printerr("\n");
  reading->name = NULL;
  return raster;
}

static int
add_raster(VtRunRequest *request, const VitrailInputSpec *spec, const char *path, Reading *reading)
{
  g_autoptr(GError) error = NULL;
  VtRasterFacts facts;
  VtRaster *raster = read_raster(reading, path, &facts, &error);
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return batch_fail(BATCH_FAILED, "Interrupted while an image was read.");
  if (!raster)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  note_rest(request, spec, path, &facts);
  g_hash_table_insert(request->rasters, (gpointer)spec->id, raster);
  g_hash_table_insert(request->files, (gpointer)spec->id, g_strdup(path));
  return BATCH_DONE;
}

static gboolean
has_suffix(const char *path, const char *suffix)
{
  g_autofree char *lower = g_ascii_strdown(path, -1);
  return g_str_has_suffix(lower, suffix);
}

/* An input of the op that has its file already. */
static int
fail_twice(const VtRunRequest *request, const char *id, const char *path)
{
  g_autofree char *shown = vt_error_dup_path(path);
  g_autofree char *other = vt_error_dup_path(g_hash_table_lookup(request->files, id));
  return batch_fail(BATCH_USAGE, "%s is there twice, as %s and as %s.", id, other, shown);
}

/* A path without a name is a slide. A PNG or a JPEG never is one, so it is taken as a plain image; a TIFF that OpenSlide refuses
 * may be a damaged slide, and must be named to be read as less. */
static int
add_primary(VtRunRequest *request, const char *path, Reading *reading)
{
  const VitrailInputSpec *spec = vt_op_get_primary(request->op);
  g_autoptr(GError) error = NULL;
  if (!spec)
    return batch_fail(BATCH_USAGE, "%s takes no image.", request->op->id);
  if (g_hash_table_contains(request->files, spec->id))
    return fail_twice(request, spec->id, path);
  if (has_suffix(path, ".png") || has_suffix(path, ".jpg") || has_suffix(path, ".jpeg"))
    return add_raster(request, spec, path, reading);
  VtSlide *slide = vt_slide_open(path, &error);
  if (slide) {
    request->slide = slide;
    const char *orientation = vt_slide_get_property(slide, VT_SLIDE_ORIENTATION);
    if (orientation)
      note_orientation(request, path, (guint)g_ascii_strtoull(orientation, NULL, 10));
    g_hash_table_insert(request->files, (gpointer)spec->id, g_strdup(path));
    return BATCH_DONE;
  }
  VtRasterFacts facts;
  const gboolean is_tiff = has_suffix(path, ".tif") || has_suffix(path, ".tiff");
  g_autoptr(VtRaster) raster = is_tiff ? read_raster(reading, path, &facts, NULL) : NULL; /* NULL: interrupted, too */
  if (raster)
    return batch_fail(BATCH_FAILED, "%s As a plain image it is given by %s=%s.", error->message, spec->id, path);
  return batch_fail(BATCH_FAILED, "%s", error->message);
}

/* Regions come after the slide, which says where some formats measure from. */
static gboolean
is_rois(const VitrailOp *op, const char *text)
{
  const char *equals = g_file_test(text, G_FILE_TEST_EXISTS) ? NULL : strchr(text, '=');
  const VitrailInputSpec *spec = equals ? find_spec(op, text, (gsize)(equals - text)) : NULL;
  return spec ? spec->kind == VITRAIL_INPUT_ROIS
              : equals && (g_str_has_prefix(text, "rois=") || g_str_has_prefix(text, "borders="));
}

static int
add_input(VtRunRequest *request, const char *text, Reading *reading)
{
  const char *equals = strchr(text, '=');
  if (!equals || g_file_test(text, G_FILE_TEST_EXISTS))
    return add_primary(request, text, reading);
  const VitrailInputSpec *spec = find_spec(request->op, text, (gsize)(equals - text));
  const gboolean rois = is_rois(request->op, text);
  const gboolean borders = !spec && rois && g_str_has_prefix(text, "borders=");
  const char *id = spec ? spec->id : borders ? borders_id : rois ? rois_id : NULL;
  if (id && g_hash_table_contains(request->files, id))
    return fail_twice(request, id, equals + 1);
  if (borders)
    return add_borders(request, equals + 1);
  if (spec && spec == vt_op_get_objects(request->op)) { /* read by batch_read_objects() */
    g_hash_table_insert(request->files, (gpointer)spec->id, g_strdup(equals + 1));
    return BATCH_DONE;
  }
  if (rois)
    return add_rois(request, spec, equals + 1);
  if (!spec) {
    g_autoptr(GString) known = g_string_new(NULL);
    for (guint i = 0; i < request->op->n_inputs; i++)
      g_string_append_printf(known, "%s%s", i > 0 ? ", " : "", request->op->inputs[i]->id);
    return batch_fail(BATCH_USAGE, "%s has no input “%.*s”; it has: %s.", request->op->id, (int)(equals - text), text,
                      known->str);
  }
  return add_raster(request, spec, equals + 1, reading);
}

int
batch_add_inputs(VtRunRequest *request, char *const *inputs, const VtRasterRoom *room, gboolean progress)
{
  Reading reading = { .room = room, .progress = progress };
  int status = BATCH_DONE;
  if (!request->rasters) {
    request->rasters = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)vt_raster_unref);
    request->files = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
  }
  for (gboolean rois = FALSE; rois <= TRUE; rois++)
    for (char *const *input = inputs; *input && status == BATCH_DONE; input++)
      if (is_rois(request->op, *input) == rois) {
        status = add_input(request, *input, &reading);
        char *failure = vt_reader_take_failure();
        if (failure)
          add_note(request, failure);
      }
  return status;
}

static gboolean
parse_place(const char *text, VtLabelPlace *place, gboolean *by_piece)
{
  g_auto(GStrv) parts = g_strsplit(text, ",", 5);
  double *const numbers[] = { &place->x_l0, &place->y_l0, &place->downsample };
  const guint n = g_strv_length(parts);
  *by_piece = n == 4 && g_str_equal(parts[3], "pieces");
  if (n != 3 && !*by_piece)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
    char *end = NULL;
    *numbers[i] = g_ascii_strtod(parts[i], &end);
    if (end == parts[i] || *end != '\0' || !(fabs(*numbers[i]) <= VT_LABEL_FARTHEST))
      return FALSE;
  }
  return place->downsample >= VT_LABEL_LEAST_PIXEL && place->downsample <= VT_LABEL_LARGEST_PIXEL;
}

int
batch_place_labels(VtRunRequest *request, const char *text)
{
  const VitrailInputSpec *spec = vt_op_get_labels(request->op);
  const char *path = spec && text ? g_hash_table_lookup(request->files, spec->id) : NULL;
  g_autoptr(GError) error = NULL;
  VtLabelPlace place;
  gboolean by_piece = FALSE;
  if (!text)
    return BATCH_DONE;
  if (!path)
    return batch_fail(BATCH_USAGE, "--place is that of labels=FILE, and there is none.");
  if (!parse_place(text, &place, &by_piece))
    return batch_fail(BATCH_USAGE,
                      "--place is X,Y,SIZE or X,Y,SIZE,pieces: numbers of level-0 pixels, with SIZE from %g to %g.",
                      VT_LABEL_LEAST_PIXEL, VT_LABEL_LARGEST_PIXEL);
  g_autoptr(VtLabelImage) image = vt_label_image_read(path, NULL, &error);
  g_autoptr(VtPlacedLabels) labels = image ? vt_label_image_place(image, &place, by_piece, &error) : NULL;
  if (!labels)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  vt_params_set_labels(request->params, labels);
  g_hash_table_remove(request->rasters, spec->id);
  return BATCH_DONE;
}

int
batch_read_objects(VtRunRequest *request)
{
  const VitrailInputSpec *spec = vt_op_get_objects(request->op);
  const char *path = spec ? g_hash_table_lookup(request->files, spec->id) : NULL;
  const VtShapesContext context = { .slide = request->slide, .measures = TRUE };
  g_autoptr(GError) error = NULL;
  if (!path)
    return BATCH_DONE;
  g_autoptr(VtShapes) shapes = vt_shapes_read(path, &context, &error);
  g_autoptr(VtFileObjects) objects = shapes ? vt_shapes_steal_objects(shapes, path, &error) : NULL;
  if (!objects)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  vt_params_set_objects(request->params, objects);
  return BATCH_DONE;
}
