/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "batch-record.h"
#include "base/vt-define.h"
#include "batch.h"
#include "run/vt-file-objects-op.h"
#include "run/vt-model.h"
#include "slide/vt-reader.h"

#define LEAST_TILE_BYTES ((gsize)16 << 20) /* two rows of tiles of a picture 4096 wide */

typedef struct {
  char **set, **regions, *backend, *out, *stages, *rois, *memory, *device_memory, *format, *compression, *model,
    *intensity, *place;
  VtClassifier *classifier; /* of the model */
  VtTaught *taught;         /* of a model of a score */
  VtIntensity thresholds;   /* of intensity */
  VtCompression tiles;      /* of compression */
  BatchFormats formats;     /* of format */
  int tile, threads, repeat;
  gboolean resume, progress, neighbours;
  double min_downsample;
} Options;

VT_DEFINE_CLEAR(options_clear, Options,
                VT_FREES(g_strfreev, set, regions)
                  VT_FREES(g_free, backend, out, stages, rois, memory, device_memory, model, intensity, place)
                    VT_FREES(vt_classifier_unref, classifier) VT_FREES(vt_taught_unref, taught) VT_FREES(g_free, format)
                      VT_FREES(g_free, compression))
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gboolean
parse_options(Options *options, int *argc, char ***argv, int *status)
{
  const GOptionEntry entries[] = {
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->set,
      "A parameter; may be repeated. Of a table of regions one parameter may have several values: columns of each",
      "KEY=VALUE[,VALUE...]" },
    { "region", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->regions,
      "Level-0 pixels (the whole image); cut at its edge, with a warning; with a name, or repeated: each as if it were "
      "alone",
      "[NAME=]X,Y,W,H" },
    { "backend", 0, 0, G_OPTION_ARG_STRING, &options->backend, "auto, cpu or cuda", "NAME" },
    { "tile", 0, 0, G_OPTION_ARG_INT, &options->tile, "Edge of a work tile; never changes a result", "N" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options->threads, "Threads (one per processor)", "N" },
    { "repeat", 0, 0, G_OPTION_ARG_INT, &options->repeat, "Run N times, record the median times", "N" },
    { "stages", 0, 0, G_OPTION_ARG_STRING, &options->stages, "Hand back only these", "A,B" },
    { "min-downsample", 0, 0, G_OPTION_ARG_DOUBLE, &options->min_downsample, "Never work finer than 1:D", "D" },
    { "rois", 0, 0, G_OPTION_ARG_FILENAME, &options->rois,
      "Regions of interest, as rois=FILE: of an op that asks for none, each is run, and holds the objects whose "
      "centroid lies in it",
      "FILE.geojson" },
    { "memory", 0, 0, G_OPTION_ARG_STRING, &options->memory, "Bytes of images in memory; more goes to files in DIR",
      "4G" },
    { "device-memory", 0, 0, G_OPTION_ARG_STRING, &options->device_memory, "Bytes on each device", "8G" },
    { "model", 0, 0, G_OPTION_ARG_FILENAME, &options->model,
      "Give the objects the classes of a model, made with its parameters unless --set says others", "FILE" },
    { "intensity", 0, 0, G_OPTION_ARG_STRING, &options->intensity,
      "Give the objects classes by one threshold (Negative, Positive) or three (Negative, 1+, 2+, 3+) on a "
      "measurement, and say percent positive "
      "and H-score",
      "“DAB OD mean:0.2,0.4,0.6”" },
    { "neighbours", 0, 0, G_OPTION_ARG_NONE, &options->neighbours,
      "Count the Delaunay neighbours of each object; borders=FILE adds its distance to the nearest border of the "
      "file's "
      "regions",
      NULL },
    { "place", 0, 0, G_OPTION_ARG_STRING, &options->place,
      "Where the first pixel of labels=FILE begins on the image, in its level-0 pixels, and how many of these a pixel "
      "is "
      "wide; with “pieces” each piece of pixels that share edges is an object. Else it fits the image, pixel for pixel",
      "X,Y,SIZE[,pieces]" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &options->format,
      "Of the rasters: tiff, or ome-tiff (NAME.ome.tif); of objects, beside GeoJSON: flatgeobuf, parquet, where GDAL "
      "has them",
      "NAME[,NAME...]" },
    { "compression", 0, 0, G_OPTION_ARG_STRING, &options->compression,
      "Of the rasters' tiles: deflate, or zstd, which is faster and which fewer programs read", "NAME" },
    { "resume", 0, 0, G_OPTION_ARG_NONE, &options->resume, "Go on where the same command was interrupted", NULL },
    { "progress", 0, 0, G_OPTION_ARG_NONE, &options->progress, "Say how far it is, also when nobody looks", NULL },
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &options->out, "Where the files go", "DIR" },
    { NULL },
  };
  return batch_parse(argc, argv, "OP INPUT...",
                     "Runs an op, or a recipe (FILE.recipe.json, or the record.json of a run of one), on a slide, on "
                     "slides (a folder in DIR for each), or on plain images (NAME=FILE.tif, "
                     "NAME=FILE.png, NAME=FILE.jpg, rois=FILE.geojson, objects=FILE.geojson).\n" BATCH_SIGNALS,
                     entries, status);
}

static int
check_options(Options *options)
{
  if (options->tile < 0 || options->tile > 65536)
    return batch_fail(BATCH_USAGE, "--tile is a whole number from 0 to 65536.");
  if (options->threads < 0 || options->threads > 256)
    return batch_fail(BATCH_USAGE, "--threads is a whole number from 0 to 256.");
  if (options->repeat < 1 || options->repeat > 10000)
    return batch_fail(BATCH_USAGE, "--repeat is a whole number from 1 to 10000.");
  if (!(options->min_downsample >= 1 && options->min_downsample <= 1e6))
    return batch_fail(BATCH_USAGE, "--min-downsample is a number from 1 to 1000000.");
  g_autoptr(GError) error = NULL;
  if (options->intensity && !vt_intensity_parse(options->intensity, &options->thresholds, &error))
    return batch_fail(BATCH_USAGE, "--intensity: %s", error->message);
  const int status = options->format ? batch_parse_format(options->format, &options->formats) : BATCH_DONE;
  if (status != BATCH_DONE)
    return status;
  if (options->compression && !vt_compression_parse(options->compression, &options->tiles))
    return batch_fail(BATCH_USAGE, "--compression is deflate or zstd, not “%s”.", options->compression);
  if (options->tiles == VT_COMPRESSION_ZSTD && !vt_compression_is_there(options->tiles))
    return batch_fail(BATCH_FAILED, "libtiff was built without zstd here, so it could not read such files.");
  return options->out && *options->out ? BATCH_DONE : batch_fail(BATCH_USAGE, "run needs --out DIR.");
}

static gboolean
parse_rectangle(const char *text, gint64 values[4])
{
  g_auto(GStrv) parts = g_strsplit(text, ",", 5);
  gboolean is_sound = g_strv_length(parts) == 4;
  for (int i = 0; i < 4 && is_sound; i++)
    is_sound =
      g_ascii_string_to_signed(g_strstrip(parts[i]), 10, i < 2 ? -G_MAXINT32 : 1, G_MAXINT32, &values[i], NULL);
  return is_sound;
}

static int
fail_rectangle(void)
{
  return batch_fail(BATCH_USAGE, "--region is X,Y,W,H in whole level-0 pixels, with W and H at least 1.");
}

int
batch_set_region(VtRunRequest *request, const char *region)
{
  gint64 values[4] = { 0 };
  request->whole = region == NULL;
  if (region && !parse_rectangle(region, values))
    return fail_rectangle();
  request->x_l0 = values[0];
  request->y_l0 = values[1];
  request->width_l0 = values[2];
  request->height_l0 = values[3];
  return BATCH_DONE;
}

/* Several, or one with a name. */
static int
set_regions(VtRunRequest *request, char *const *regions)
{
  const char *first = regions ? regions[0] : NULL;
  if (!first || (!regions[1] && !strchr(first, '=')))
    return batch_set_region(request, first);
  if (request->ranks)
    return batch_fail(BATCH_USAGE, "Several regions can't be shared by processes; give each process its own.");
  request->regions = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  for (; *regions; regions++) {
    const char *equals = strrchr(*regions, '=');
    g_autofree char *name = equals ? g_strndup(*regions, (gsize)(equals - *regions))
                                   : g_strdup_printf("Region %u", request->regions->len + 1);
    gint64 v[4];
    if (!parse_rectangle(equals ? equals + 1 : *regions, v))
      return fail_rectangle();
    g_ptr_array_add(request->regions,
                    vt_roi_new_rectangle(name, (double)v[0], (double)v[1], (double)v[2], (double)v[3]));
  }
  return BATCH_DONE;
}

static int
set_stages(VtRunRequest *request, const char *stages)
{
  if (!stages)
    return BATCH_DONE;
  g_auto(GStrv) names = g_strsplit(stages, ",", -1);
  for (char **name = names; *name; name++) {
    const int index = vt_op_find_stage(request->op, g_strstrip(*name));
    if (index < 0) {
      g_autoptr(GString) known = g_string_new(NULL);
      for (guint i = 0; i < request->op->n_stages; i++)
        g_string_append_printf(known, "%s%s", i > 0 ? ", " : "", request->op->stages[i]->id);
      return batch_fail(BATCH_USAGE, "%s has no stage “%s”; it has: %s.", request->op->id, *name, known->str);
    }
    request->stages_wanted |= (guint64)1 << index;
  }
  return BATCH_DONE;
}

int
batch_set_params(VtRunRequest *request, char *const *set)
{
  double mpp_x = 0, mpp_y = 0;
  request->params = vt_params_new(request->op, request->slide && vt_slide_get_mpp(request->slide, &mpp_x, &mpp_y));
  for (; set && *set; set++) {
    g_autoptr(GError) error = NULL;
    if (!vt_params_set_from_string(request->params, *set, &error))
      return batch_fail(BATCH_USAGE, "%s", error->message);
  }
  if (request->ranks && request->params->n_listed > 0)
    return batch_fail(BATCH_USAGE, "Several values of %s can't be shared by processes; give each process its own.",
                      request->op->params[request->params->listed]->key);
  return BATCH_DONE;
}

static int
check_backend(const VtRunRequest *request)
{
  static const char *const usual[] = { "auto", "cpu", "cuda" };
  GMutex *lock = NULL;
  const VitrailBackendInfo *const *infos = NULL;
  g_autoptr(GString) known = g_string_new("auto");
  for (gsize i = 0; i < G_N_ELEMENTS(usual); i++)
    if (!request->backend || g_str_equal(request->backend, usual[i]))
      return BATCH_DONE; /* the run opens the session, and reads the slide meanwhile */
  VitrailSession *session = vt_plugin_host_get_session(vt_plugin_host_get(), request->plugin, &lock, NULL);
  const guint n = session ? request->plugin->session_backends(session, &infos) : 0;
  for (guint i = 0; infos && i < n; i++) {
    if (g_strcmp0(infos[i]->id, request->backend) == 0)
      return BATCH_DONE;
    g_string_append_printf(known, ", %s", infos[i]->id);
  }
  return session ? batch_fail(BATCH_USAGE, "There is no backend “%s”; there are: %s.", request->backend, known->str)
                 : BATCH_DONE;
}

static int
fail_unknown_op(VtPluginHost *host, const char *id)
{
  GPtrArray *ops = vt_plugin_host_get_ops(host);
  g_autoptr(GString) known = g_string_new(NULL);
  for (guint i = 0; i < ops->len; i++)
    g_string_append_printf(known, "%s%s", i > 0 ? ", " : "", ((const VitrailOp *)g_ptr_array_index(ops, i))->id);
  if (known->len > 0) /* else there is no plugin, which is what a person has to know */
    g_string_append_printf(known, ", %s", VT_FILE_OBJECTS_OP);
  return batch_fail_unknown("op", id, known->str);
}

/* A number of bytes: 500M, 4G, 1.5G; 0 on anything else. */
static guint64
parse_bytes(const char *text)
{
  char *end = NULL;
  const double value = g_ascii_strtod(text, &end);
  const char *units = "KMGT", *unit = *end ? strchr(units, g_ascii_toupper(*end)) : NULL;
  if (end == text || !(value > 0) || !unit || (end[1] != '\0' && g_ascii_strcasecmp(end + 1, "iB") != 0))
    return 0;
  const double bytes = ldexp(value, 10 * (int)(unit - units + 1));
  return bytes >= 1 && bytes < ldexp(1, 60) ? (guint64)bytes : 0;
}

/* An eighth of the memory is for the slide's tiles. */
static int
set_budgets(VtRunRequest *request, const Options *options)
{
  const guint64 memory = options->memory ? parse_bytes(options->memory) : 0;
  if (options->memory && !memory)
    return batch_fail(BATCH_USAGE, "--memory is a number of bytes such as 500M or 4G, not “%s”.", options->memory);
  request->memory_budget = memory - memory / 8;
  if (memory)
    vt_tile_cache_set_budget(MAX(memory / 8, LEAST_TILE_BYTES));
  if (options->device_memory && !(request->device_budget = parse_bytes(options->device_memory)))
    return batch_fail(BATCH_USAGE, "--device-memory is a number of bytes such as 500M or 4G, not “%s”.",
                      options->device_memory);
  return BATCH_DONE;
}

static int
check_rois(const VtRunRequest *request)
{
  return request->rois && (!request->whole || request->regions) ? batch_fail(
           BATCH_USAGE, "The regions are those of rois; --region would change nothing: leave one of them out.")
                                                                : BATCH_DONE;
}

static int
run_one(const Options *options, const VitrailPlugin *plugin, const VitrailOp *op, char *const *inputs, const char *dir,
        const VtRunRanks *ranks)
{
  g_autoptr(VtRunRequest) request = vt_run_request_new(plugin, op);
  g_autofree char *rois_input = options->rois ? g_strconcat("rois=", options->rois, NULL) : NULL;
  char *const more[] = { rois_input, NULL };
  int status = BATCH_DONE;
  request->backend = g_strdup(options->backend);
  request->tile_px = (guint)options->tile;
  request->n_threads = (guint)options->threads;
  request->repeat = (guint)options->repeat;
  request->min_downsample = options->min_downsample;
  request->ome_tiff = options->formats.ome_tiff;
  request->objects_formats = options->formats.objects;
  request->compression = options->tiles;
  request->ranks = ranks;
  request->model_hash = options->classifier ? options->classifier->hash : NULL;
  request->intensity = options->intensity ? &options->thresholds : NULL;
  request->counts_neighbours = options->neighbours;
  const gboolean says = options->progress || isatty(2);
  /* A quarter for each plain image; an op has few. */
  const VtRasterRoom room = { (options->memory ? parse_bytes(options->memory) : 0) / 4, dir };
  if ((status = set_budgets(request, options)) == BATCH_DONE
      && (status = set_regions(request, options->regions)) == BATCH_DONE
      && (status = set_stages(request, options->stages)) == BATCH_DONE
      && (status = batch_add_inputs(request, inputs, options->memory ? &room : NULL, says)) == BATCH_DONE
      && (status = batch_add_inputs(request, more, options->memory ? &room : NULL, says)) == BATCH_DONE
      && (status = check_rois(request)) == BATCH_DONE
      && (status = batch_set_params(request, options->set)) == BATCH_DONE
      && (status = batch_place_labels(request, options->place)) == BATCH_DONE
      && (status = batch_read_objects(request)) == BATCH_DONE && (status = check_backend(request)) == BATCH_DONE) {
    vt_params_set_taught(request->params, options->taught);
    status = batch_job(request, dir, options->resume, options->progress, options->classifier);
  }
  return status;
}

static gboolean
is_slide(const char *input)
{
  return !strchr(input, '=') || g_file_test(input, G_FILE_TEST_EXISTS);
}

/* A folder for each slide, named after it; slides of one name are numbered. */
static char *
dup_folder(const char *dir, char *const *slides, guint index)
{
  g_autofree char *name = g_path_get_basename(slides[index]);
  guint n = 1;
  for (guint i = 0; i < index; i++) {
    g_autofree char *other = g_path_get_basename(slides[i]);
    n += g_str_equal(name, other);
  }
  g_autofree char *numbered = n > 1 ? g_strdup_printf("%s-%u", name, n) : g_strdup(name);
  return g_build_filename(dir, numbered, NULL);
}

/* One after the other, on this process or on whichever is free; a broken one does not stop the rest. */
static int
run_many(const Options *options, const VitrailPlugin *plugin, const VitrailOp *op, GPtrArray *slides, GPtrArray *others)
{
  int n_done = 0;
  g_autoptr(GString) failed = g_string_new(NULL);
  GCancellable *cancellable = batch_get_cancellable();
  for (guint i; !g_cancellable_is_cancelled(cancellable) && (i = batch_ranks_take(slides->len)) < slides->len;) {
    g_autofree char *dir = dup_folder(options->out, (char *const *)slides->pdata, i);
    g_autoptr(GPtrArray) inputs = g_ptr_array_new();
    const char *slide = g_ptr_array_index(slides, i);
    g_autofree char *shown = vt_error_dup_path(slide);
    printf("%s\n", shown);
    fflush(stdout);
    g_ptr_array_add(inputs, (gpointer)slide);
    for (guint k = 0; k < others->len; k++)
      g_ptr_array_add(inputs, g_ptr_array_index(others, k));
    g_ptr_array_add(inputs, NULL);
    const int status = run_one(options, plugin, op, (char *const *)inputs->pdata, dir, NULL);
    if (status == BATCH_USAGE)
      return status;
    n_done += status == BATCH_DONE;
    if (status != BATCH_DONE)
      g_string_append_printf(failed, "%s%s", failed->len > 0 ? ", " : "", shown);
  }
  if (failed->len > 0)
    g_printerr("vitrail-batch: failed: %s\n", failed->str);
  n_done = batch_ranks_sum(n_done);
  if (batch_ranks_first())
    printf("%d of %u slides done\n", n_done, slides->len);
  return (guint)n_done < slides->len ? BATCH_FAILED : BATCH_DONE;
}

/* By its id, or of a file. A record brings its parameters along. */
const VitrailOp *
batch_find_op(const char *word, const VitrailPlugin **plugin, char ***set, int *status)
{
  const char *repeated = vt_params_find_repeated((const char *const *)*set);
  if (repeated) {
    *status = batch_fail(BATCH_USAGE, "--set gives a parameter twice: “%s” comes after another value of it.", repeated);
    return NULL;
  }
  VtPluginHost *host = vt_plugin_host_get();
  g_autoptr(GError) error = NULL;
  const VitrailOp *op = batch_is_recipe(word) ? vt_plugin_host_open_recipe(host, word, &error) : NULL;
  if (error) {
    *status = batch_fail(BATCH_FAILED, "%s", error->message);
    return NULL;
  }
  if (op) {
    char **all = batch_record_dup_set(word, *set);
    g_strfreev(*set);
    *set = all;
  }
  op = vt_plugin_host_find_op(host, op ? op->id : word, plugin);
  *status = op ? BATCH_DONE : fail_unknown_op(host, word);
  return op;
}

/* Before the run, which may take hours. */
static int
check_objects(const Options *options, const VitrailOp *op)
{
  gboolean has_objects = FALSE;
  for (guint i = 0; i < op->n_stages; i++)
    has_objects |= op->stages[i]->kind == VITRAIL_STAGE_OBJECTS;
  if (options->intensity && !has_objects)
    return batch_fail(BATCH_USAGE, "--intensity: %s has no objects to give classes to.", op->id);
  if (options->neighbours && !has_objects)
    return batch_fail(BATCH_USAGE, "--neighbours: %s has no objects whose neighbours could be counted.", op->id);
  if (options->formats.objects && !has_objects)
    return batch_fail(BATCH_USAGE, "--format: %s has no objects, of which flatgeobuf and parquet are formats.", op->id);
  return BATCH_DONE;
}

/* What it was taught on comes before what is set. */
static int
open_model(Options *options, const VitrailOp *op)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(VtModel) model = options->model ? vt_model_load(options->model, &error) : NULL;
  if (error)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  if (!model)
    return BATCH_DONE;
  if (!g_str_equal(model->op, op->id))
    return batch_fail(BATCH_USAGE, "The model was taught on objects of %s, not of %s.", model->op, op->id);
  if (model->score)
    options->taught = vt_model_new_taught(model, &error);
  else
    options->classifier = vt_classifier_new(model, (guint)options->threads, &error);
  if (error)
    return batch_fail(BATCH_FAILED, "%s", error->message);
  GStrvBuilder *all = g_strv_builder_new();
  for (guint i = 0; i < model->params->len; i++)
    g_strv_builder_add(all, model->params->pdata[i]);
  if (options->set)
    g_strv_builder_addv(all, (const char **)options->set);
  g_strfreev(options->set);
  options->set = g_strv_builder_end(all);
  g_strv_builder_unref(all);
  return BATCH_DONE;
}

int
batch_run(int argc, char **argv)
{
  g_auto(Options) options = { .min_downsample = 1, .repeat = 1 };
  int status = BATCH_DONE;
  if (!parse_options(&options, &argc, &argv, &status) || (status = check_options(&options)) != BATCH_DONE)
    return status;
  if (argc < 3)
    return batch_fail(BATCH_USAGE, "run takes an op and at least one input; see vitrail-batch run --help.");
  batch_signals_init();
  vt_reader_prepare(); /* while plugins are loaded; its threads leave signals to the one that waits for them */
  const VitrailPlugin *plugin = NULL;
  const VitrailOp *op = batch_find_op(argv[1], &plugin, &options.set, &status);
  if (!op || (status = check_objects(&options, op)) != BATCH_DONE || (status = open_model(&options, op)) != BATCH_DONE)
    return status;
  g_autoptr(GPtrArray) slides = g_ptr_array_new(), others = g_ptr_array_new();
  for (char **input = argv + 2; *input; input++)
    g_ptr_array_add(is_slide(*input) ? slides : others, *input);
  if (slides->len > 1)
    return run_many(&options, plugin, op, slides, others);
  return batch_ranks_end(run_one(&options, plugin, op, argv + 2, options.out, batch_ranks_get()));
}
