/* SPDX-License-Identifier: MIT
 *
 * Nuclei as regions that were chosen among many (docs/nuclei.md). */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "run/backends.h"
#include "run/cache.h"
#include "steps/found.h"
#include "steps/steps.h"

const char *const vt_region_presets[] = { "tissue", "cytology", "fluorescence", "tissue-small", "auto", NULL };
_Static_assert(VT_COUNT(vt_region_presets) == VT_REGIONS_N_PRESETS + 2, "a word for each, and auto");

static const char what[] = "The search for regions";
enum { PRESET, LARGEST, UM_PER_PX, CUTOFF };
#define SMALL_UM_PER_PX 0.35
enum { EXAMPLE_NUMBERS = VT_REGIONS_FEATURES + 1 };
enum { BYTES_PER_PX = 72 /* of a window, that the kernel takes: some 52 of tissue */ };

/* Whether a candidate of the tile could be at one of the places. */
static bool
has_place(const VtRegions *args)
{
  const int64_t x1 = args->grid_x + args->red.width, y1 = args->grid_y + args->red.height;
  bool has = !args->places;
  for (size_t i = 0; i < args->n_places && !has; i++) {
    const VtRegionsPlace *p = &args->places[i];
    has = p->x0 < x1 && p->x1 > args->grid_x && p->y0 < y1 && p->y1 > args->grid_y;
  }
  return has;
}

/* No region. */
static VitrailStatus
leave_empty(const VtRegions *args)
{
  for (int64_t y = 0; y < args->code.height; y++) {
    memset(vt_image_at(&args->code, 0, y), 0, (size_t)args->code.width * sizeof(int32_t));
    memset(vt_image_at(&args->score, 0, y), 0, (size_t)args->score.width * sizeof(uint16_t));
  }
  return VITRAIL_OK;
}

typedef struct {
  VtRegions args;
  pthread_mutex_t lock; /* guards VtRun.scored, which several threads look up and add to */
} Job;

/* With the session's scores of the tile, if it has them and the CPU works on it. */
static VitrailStatus
score_tile(VtRun *run, const VtLocalTile *t, VtRegions *args, Job *job)
{
  if (!t->backend->regions)
    return VITRAIL_UNSUPPORTED;
  VtScoredTile kept = { t->tile, t->window, NULL };
  const bool keeps = run->scored && t->backend == run->cpu;
  if (keeps) {
    pthread_mutex_lock(&job->lock);
    kept.scored = vt_scored_find(run->scored, t->tile, t->window);
    pthread_mutex_unlock(&job->lock);
    args->scored = &kept.scored;
  }
  const bool is_new = !kept.scored;
  const VitrailStatus status = t->backend->regions(t->device, args, &run->cancel);
  if (keeps && is_new && kept.scored) {
    pthread_mutex_lock(&job->lock);
    (void)vt_scored_add(run->scored, run->cpu, &kept); /* else the next run scores it again */
    pthread_mutex_unlock(&job->lock);
  }
  return status;
}

static VitrailStatus
regions_tile(VtRun *run, const VtLocalTile *t, void *user)
{
  VtRegions args = ((Job *)user)->args;
  const VtRect w = t->window;
  args.red = t->in[0];
  args.green = t->in[1];
  args.blue = t->in[2];
  args.code = t->out[0];
  args.score = t->out[1];
  args.x0 = t->tile.x - w.x;
  args.y0 = t->tile.y - w.y;
  args.grid_x = run->grid.x + w.x;
  args.grid_y = run->grid.y + w.y;
  args.edges = (w.x == 0 ? VT_EDGE_LEFT : 0) | (w.y == 0 ? VT_EDGE_TOP : 0)
               | (w.x + w.width == run->grid.width ? VT_EDGE_RIGHT : 0)
               | (w.y + w.height == run->grid.height ? VT_EDGE_BOTTOM : 0);
  if (!has_place(&args))
    return leave_empty(&args);
  if (run->found) {
    VtRegionsFound found = { 0 };
    args.found = &found;
    VitrailStatus status = run->cpu->regions(run->cpu_device, &args, &run->cancel);
    THEN(status, vt_found_add(run, &found));
    free(found.at);
    free(found.bytes);
    return status;
  }
  return score_tile(run, t, &args, user);
}

/* Level-0 boxes as whole pixels of the grid; none: NULL. */
static VitrailStatus
make_places(const VtCall *call, VtRegionsPlace **made, size_t *n_made)
{
  const VitrailRequest *request = call->run->request;
  const size_t n = call->run->found ? request->n_place_numbers / 4 : 0;
  const double d = call->run->grid.downsample;
  VtRegionsPlace *places = n > 0 ? malloc(n * sizeof *places) : NULL;
  if (n > 0 && !places)
    return vt_fail(call->run, VITRAIL_OUT_OF_MEMORY, TR("There is not enough memory for the candidates."));
  for (size_t i = 0; i < n; i++) {
    const double *p = request->places + 4 * i;
    places[i] = (VtRegionsPlace){ (int64_t)floor(p[0] / d), (int64_t)floor(p[1] / d), (int64_t)ceil(p[2] / d),
                                  (int64_t)ceil(p[3] / d) };
  }
  *made = places;
  *n_made = n;
  return VITRAIL_OK;
}

static int
find_preset(const VtCall *call)
{
  const char *word = call->params[PRESET].word;
  int preset = 0;
  while (vt_region_presets[preset] && !(word && strcmp(vt_region_presets[preset], word) == 0))
    preset++;
  if (preset < VT_REGIONS_N_PRESETS)
    return preset;
  /* auto: of a host that does not look at the image and choose, or of a recipe that is called; vt_look_is_small() has the same limit */
  return call->params[UM_PER_PX].number > SMALL_UM_PER_PX ? VT_REGIONS_TISSUE_SMALL : VT_REGIONS_TISSUE;
}

static VitrailStatus
teach(const VtCall *call, VtRegionsTaught **taught)
{
  VtRun *run = call->run;
  const VtRegionsLesson lesson = { .preset = (VtRegionsPreset)find_preset(call),
                                   .rows = run->request->examples,
                                   .n = run->request->n_example_numbers / EXAMPLE_NUMBERS };
  const VitrailStatus status = lesson.n > 0 ? run->cpu->regions_teach(&lesson, taught) : VITRAIL_OK;
  if (status == VITRAIL_BAD_ARGUMENT)
    return vt_fail(run, status, TR("What was taught says of an example neither that it is wanted nor that it is not."));
  return status == VITRAIL_OK ? status : vt_fail(run, status, TR("There is not enough memory to teach the score."));
}

static VitrailStatus
regions(VtExec *x, const VtCall *call)
{
  VtRegionsTaught *taught = NULL;
  VtRegionsPlace *places = NULL;
  TRY(teach(call, &taught));
  const bool by_slots = x->run->backend->regions != NULL && !x->run->found;
  Job job = { .args = { .largest = (int32_t)call->params[LARGEST].number,
                        .um_per_px = call->params[UM_PER_PX].number,
                        .preset = (VtRegionsPreset)find_preset(call),
                        .cutoff = (uint16_t)call->params[CUTOFF].number,
                        .taught = taught } };
  const VtLocalStep step = { .in = { &call->in[0]->image, &call->in[1]->image, &call->in[2]->image },
                             .out = { &call->out->image, &call->also->image },
                             .halo = vt_regions_reach(job.args.largest),
                             .body_bytes = BYTES_PER_PX,
                             .by_window = true,
                             .by_slots = by_slots,
                             .what = what,
                             .body = regions_tile,
                             .user = &job,
                             .makes_codes = true };
  if (x->run->backend != x->run->cpu && !by_slots) /* a record that names a device must say so */
    vt_say_fallback(x->run, what, VITRAIL_UNSUPPORTED);
  if (x->run->found)
    vt_found_clear(x->run->found);
  VitrailStatus status = make_places(call, &places, &job.args.n_places);
  job.args.places = places;
  pthread_mutex_init(&job.lock, NULL);
  THEN(status, x->does->local(x, &step));
  pthread_mutex_destroy(&job.lock);
  x->run->cpu->regions_forget(taught);
  free(places);
  TRY(status);
  return x->does->label_regions(x, &call->out->image);
}

static const char *
model_of(const VtCall *call)
{
  return call->run->cpu->regions_model((VtRegionsPreset)find_preset(call));
}

/* Of the score, and of the images that it was trained on. */
static const char *
licence_of(const VtCall *call)
{
  return find_preset(call) == VT_REGIONS_TISSUE_SMALL ? "MIT; trained on BBBC038v1 and CMU-1, both CC0-1.0"
                                                      : "MIT; trained on BBBC038v1, CC0-1.0";
}

static VitrailStatus
check_examples(const VtCall *call)
{
  const VitrailRequest *request = call->run->request;
  if (request->n_example_numbers == 0)
    return VITRAIL_OK;
  if (!request->examples || !request->examples_of || request->n_example_numbers % EXAMPLE_NUMBERS != 0)
    return vt_fail(call->run, VITRAIL_BAD_ARGUMENT,
                   TR("What was taught is of other features than these candidates have."));
  if (strcmp(request->examples_of, model_of(call)) != 0)
    return vt_fail(call->run, VITRAIL_BAD_ARGUMENT,
                   TR("What was taught is of another score than the one of this kind of image. Forget it, choose the "
                      "kind of image that it was taught on, or use the version that it was taught with."));
  return VITRAIL_OK;
}

static void
record_regions(const VtCall *call)
{
  vt_record_text(call->run, "score-model", model_of(call));
  vt_record_text(call->run, "score-licence", licence_of(call));
  if (call->run->request->n_example_numbers > 0)
    vt_record(call->run, "score-examples", call->run->request->n_example_numbers / (double)EXAMPLE_NUMBERS);
}

static VitrailStatus
infer_regions(const VtCall *call)
{
  const double largest = call->params[LARGEST].number;
  if (find_preset(call) >= VT_REGIONS_N_PRESETS)
    return vt_fail(call->run, VITRAIL_BAD_ARGUMENT, "There are no regions for \"%.60s\".",
                   call->params[PRESET].word ? call->params[PRESET].word : "");
  if (!(largest >= VT_REGIONS_LEAST && largest <= VT_REGIONS_MOST))
    return vt_fail(call->run, VITRAIL_BAD_ARGUMENT,
                   "A nucleus of %.0f pixels across can't be looked for, only one of %d to %d: choose another size or "
                   "another pixel size.",
                   largest, VT_REGIONS_LEAST, VT_REGIONS_MOST);
  call->also->scale = 1.0 / UINT16_MAX;
  return check_examples(call);
}

static const char *
cannot_regions(const VtCall *call, VtWay way, const char **record)
{
  const VtBackend *backend = call->run->backend;
  return way == VT_ON_DEVICE && !(backend->regions && backend->region_labels) ? "" : NULL;
}

const VtStep vt_steps_regions[] = {
  { .id = "regions",
    .passes = 4,
    .late = CUTOFF + 1,
    .has_also = true,
    .makes_raw = true,
    .takes = { VT_TAKES_U8, VT_TAKES_U8, VT_TAKES_U8 },
    .makes = VT_MAKES_LABELS,
    .makes_also = VITRAIL_U16,
    .infer = infer_regions,
    .run = regions,
    .record = record_regions,
    .cannot = cannot_regions },
};
const uint32_t vt_n_steps_regions = VT_COUNT(vt_steps_regions);
