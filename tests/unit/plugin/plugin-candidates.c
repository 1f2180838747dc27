/* SPDX-License-Identifier: MIT
 *
 * Candidates that a run tells, and a score that is taught by them: the same for any tiles, threads, order of examples and kept stages; what is
 * taught is what comes of it; what makes no sense is refused. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "vt-test.h"

enum { WIDTH = 420, HEIGHT = 360, ROOM = 512, N_FEATURES = VT_REGIONS_FEATURES, ROW = N_FEATURES + 1, N_FIRST = 3 };

typedef struct {
  double score, chosen, margin, box[4];
  int32_t features[N_FEATURES];
} Candidate;

typedef struct {
  uint32_t n;
  Candidate at[ROOM];
} List;

typedef struct {
  VtImage image;
  uint32_t tile_px, n_threads, flags, n_numbers;
  const int32_t *examples;
  const char *of, *preset, *backend;
  const double *places;
  uint32_t n_place_numbers;
  VitrailSession *session;
} Scene;

static void
take(void *user, const VitrailObject *object)
{
  List *list = user;
  if (list->n == ROOM || object->n_measurements != N_FIRST + N_FEATURES)
    return;
  list->at[list->n].score = object->measurements[0];
  list->at[list->n].chosen = object->measurements[1];
  list->at[list->n].margin = object->measurements[2];
  for (int k = 0; k < N_FEATURES; k++)
    list->at[list->n].features[k] = (int32_t)object->measurements[N_FIRST + k];
  double *box = list->at[list->n].box;
  for (uint32_t i = 0; i < object->ring_sizes[0]; i++)
    for (int k = 0; k < 4; k++) {
      const double p = object->points[2 * i + (uint32_t)k % 2];
      box[k] = i == 0 || (k < 2 ? p < box[k] : p > box[k]) ? p : box[k];
    }
  list->n++;
}

static VitrailStatus
ask(const Scene *scene, const char *op, List *list, MiniResult *result)
{
  MiniJob job = mini_job(mini_op(op), &scene->image);
  MiniHost mini = { .n_threads = scene->n_threads ? scene->n_threads : 1,
                    .cancel_after = -1,
                    .take_object = list ? take : NULL,
                    .object_user = list };
  job.request.flags = scene->flags;
  job.request.backend = scene->backend;
  job.request.tile_px = scene->tile_px;
  job.request.n_example_numbers = scene->n_numbers;
  job.request.examples = scene->examples;
  job.request.examples_of = scene->of;
  job.request.places = scene->places;
  job.request.n_place_numbers = scene->n_place_numbers;
  if (strcmp(op, "nuclei") == 0) {
    mini_job_set(&job, "min-area", 0);
    mini_job_set(&job, "max-area", 1e9);
    mini_job_set(&job, "preset", scene->preset ? 3 : 1);
  }
  if (list)
    list->n = 0;
  return mini_job_run(&job, &mini, scene->session, result);
}

static uint32_t
count_chosen(const List *list)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < list->n; i++)
    n += list->at[i].chosen != 0;
  return n;
}

/* What is chosen is worth more than the cutoff, and keeps out less; what is not lacks the margin. */
static bool
makes_sense(const List *list)
{
  bool fine = list->n > 0 && list->n < ROOM;
  for (uint32_t i = 0; i < list->n; i++) {
    const double cutoff = 26214 / 65535.0, lack = cutoff - list->at[i].score;
    fine &= list->at[i].chosen != 0 ? lack < 0 && list->at[i].margin >= 0 && list->at[i].margin <= -lack + 1e-9
                                    : lack >= 0 && list->at[i].margin - lack < 1e-9 && lack <= cutoff / 2 + 1e-4;
  }
  return fine;
}

static void
check_candidates(Scene *scene, List *list)
{
  MiniResult plain, first, other;
  char where[128] = "";
  bool same = true;
  vt_ok(ask(scene, "nuclei", NULL, &plain) == VITRAIL_OK && strncmp(plain.score_model, "sha256:", 7) == 0,
        "a run says which score it has");
  scene->flags = VITRAIL_RUN_CANDIDATES;
  vt_ok(ask(scene, "nuclei", list, &first) == VITRAIL_OK && makes_sense(list), "candidates make sense");
  vt_ok(count_chosen(list) == plain.n_objects && list->n > plain.n_objects,
        "the chosen ones are the objects, and there are others");
  vt_ok(first.n_tiles == 0, "no stage is handed over");
  for (uint32_t turn = 0; turn < 3; turn++) {
    scene->tile_px = turn == 0 ? 64 : turn == 1 ? 130 : 0;
    scene->n_threads = 1 + turn;
    same &= ask(scene, "nuclei", NULL, &other) == VITRAIL_OK && mini_result_equal(&first, &other, where, sizeof where);
    mini_result_clear(&other);
  }
  vt_ok(same, "the same for all tiles and threads");
  scene->tile_px = scene->n_threads = scene->flags = 0;
  snprintf((char *)scene->of, 80, "%s", plain.score_model);
  mini_result_clear(&plain);
  mini_result_clear(&first);
}

static bool
meets(const double a[4], const double b[4])
{
  return a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
}

/* At the places of two that were chosen there are more, which overlap, and nothing from elsewhere. */
static void
check_places(Scene *scene, const List *list)
{
  List *all = calloc(1, sizeof *all);
  MiniResult first, other;
  double places[8];
  char where[128] = "";
  uint32_t n = 0, n_there = 0, n_same = 0;
  bool here = true, same = true;
  for (uint32_t i = 0; i < list->n && n < 2; i++)
    if (list->at[i].chosen != 0)
      memcpy(places + 4 * n++, list->at[i].box, sizeof list->at[i].box);
  scene->flags = VITRAIL_RUN_CANDIDATES;
  scene->places = places;
  scene->n_place_numbers = 8;
  vt_ok(ask(scene, "nuclei", all, &first) == VITRAIL_OK && all->n > 2 && all->n < ROOM,
        "%u candidates are at two places", all->n);
  for (uint32_t i = 0; i < all->n; i++)
    here &= (meets(all->at[i].box, places) || meets(all->at[i].box, places + 4))
            && (all->at[i].chosen != 0 || all->at[i].margin >= 0);
  for (uint32_t i = 0; i < list->n; i++) {
    const bool is_there = meets(list->at[i].box, places) || meets(list->at[i].box, places + 4);
    n_there += is_there;
    for (uint32_t k = 0; k < all->n; k++)
      n_same +=
        is_there && memcmp(&list->at[i], &all->at[k], offsetof(Candidate, features) + sizeof list->at[i].features) == 0;
  }
  vt_ok(here && n_there >= 2 && n_same == n_there && all->n > n_there, "with those %u that are told anyway", n_there);
  for (uint32_t turn = 0; turn < 2; turn++) {
    scene->tile_px = turn == 0 ? 64 : 130;
    scene->n_threads = 1 + turn;
    same &= ask(scene, "nuclei", NULL, &other) == VITRAIL_OK && mini_result_equal(&first, &other, where, sizeof where);
    mini_result_clear(&other);
  }
  vt_ok(same, "the same for all tiles and threads %s", where);
  mini_result_clear(&first);
  for (uint32_t k = 0; k < 2; k++) {
    scene->tile_px = scene->n_threads = 0;
    scene->n_place_numbers = k == 0 ? 7 : 8;
    places[0] = k == 0 ? 0 : NAN;
    vt_ok(ask(scene, "nuclei", NULL, &other) == VITRAIL_BAD_ARGUMENT && strstr(other.message, "no boxes"),
          "refused: %s", other.message);
    mini_result_clear(&other);
  }
  scene->n_place_numbers = scene->flags = 0;
  free(all);
}

/* Of those that are chosen the least sure is none, and of those that are not, it is one. */
static void
make_lesson(const List *list, int32_t *examples, uint32_t taught[2])
{
  for (uint32_t kind = 0; kind < 2; kind++) {
    double least = INFINITY;
    for (uint32_t i = 0; i < list->n; i++)
      if ((list->at[i].chosen != 0) == (kind == 0) && list->at[i].margin < least) {
        least = list->at[i].margin;
        taught[kind] = i;
      }
    memcpy(examples + kind * ROW, list->at[taught[kind]].features, sizeof list->at->features);
    examples[kind * ROW + N_FEATURES] = (int32_t)kind;
  }
}

static bool
has(const List *list, const int32_t *features, bool is_chosen)
{
  for (uint32_t i = 0; i < list->n; i++)
    if (memcmp(list->at[i].features, features, sizeof list->at[i].features) == 0)
      return (list->at[i].chosen != 0) == is_chosen;
  return false;
}

static void
check_lesson(Scene *scene, const List *list, int32_t *examples)
{
  List *now = malloc(sizeof *now);
  MiniResult first, other, kept;
  uint32_t taught[2] = { 0 };
  char where[128] = "";
  make_lesson(list, examples, taught);
  scene->examples = examples;
  scene->n_numbers = 2 * ROW;
  scene->flags = VITRAIL_RUN_CANDIDATES;
  vt_ok(ask(scene, "nuclei", now, &first) == VITRAIL_OK && makes_sense(now), "taught candidates make sense");
  vt_ok(has(now, list->at[taught[1]].features, true) && !has(now, list->at[taught[0]].features, true),
        "what is a nucleus is chosen, what is none is not");
  mini_result_clear(&first);
  scene->flags = 0;
  vt_ok(ask(scene, "nuclei", NULL, &first) == VITRAIL_OK && count_chosen(now) == first.n_objects,
        "and so they are in a run");
  int32_t turned[2 * ROW];
  memcpy(turned, examples + ROW, ROW * sizeof *turned);
  memcpy(turned + ROW, examples, ROW * sizeof *turned);
  scene->examples = turned;
  scene->tile_px = 100;
  vt_ok(ask(scene, "nuclei", NULL, &other) == VITRAIL_OK && mini_result_equal(&first, &other, where, sizeof where),
        "the order of examples changes nothing");
  scene->tile_px = 0;
  mini_result_clear(&other);
  for (uint32_t k = 0; k < 2; k++) {
    scene->backend = k == 0 ? "cpu" : "cuda";
    const VitrailStatus status = ask(scene, "nuclei", NULL, &other);
    const bool same = status == VITRAIL_OK && mini_result_equal(&first, &other, where, sizeof where);
    vt_ok((k == 1 && status == VITRAIL_NO_DEVICE) || (same && !strstr(other.warnings, "ran on the CPU")),
          "a taught score on %s: the bytes of the CPU (status %d%s%s%s)", scene->backend, status,
          same ? "" : ", others in ", same || status != VITRAIL_OK ? "" : where, other.warnings);
    mini_result_clear(&other);
  }
  scene->backend = NULL;
  /* In a session that keeps what it made before without them. */
  mini_plugin()->session_open(&scene->session);
  scene->flags = VITRAIL_RUN_KEEP_STAGES;
  scene->n_numbers = 0;
  bool fine = ask(scene, "nuclei", NULL, &other) == VITRAIL_OK;
  mini_result_clear(&other);
  scene->n_numbers = 2 * ROW;
  fine &= ask(scene, "nuclei", NULL, &kept) == VITRAIL_OK && mini_result_equal(&first, &kept, where, sizeof where);
  vt_ok(fine && strncmp(kept.score_model, "sha256:", 7) == 0, "nor does what was kept");
  mini_plugin()->session_close(scene->session);
  scene->session = NULL;
  scene->flags = 0;
  scene->examples = examples;
  mini_result_clear(&kept);
  mini_result_clear(&first);
  free(now);
}

static void
refuses(const Scene *scene, const char *op, const char *has_words)
{
  MiniResult result;
  const VitrailStatus status = ask(scene, op, NULL, &result);
  vt_ok(status == VITRAIL_BAD_ARGUMENT && strstr(result.message, has_words), "refused: %s", result.message);
  mini_result_clear(&result);
}

static void
check_refusals(Scene *scene, int32_t *examples)
{
  const char *of = scene->of;
  refuses(scene, "nuclei-threshold", "no score that could be taught");
  scene->of = "sha256:0";
  refuses(scene, "nuclei", "another score");
  scene->of = NULL;
  refuses(scene, "nuclei", "other features");
  scene->of = of;
  scene->preset = "cytology";
  refuses(scene, "nuclei", "another score");
  scene->preset = NULL;
  scene->n_numbers = 2 * ROW - 1;
  refuses(scene, "nuclei", "other features");
  scene->n_numbers = 2 * ROW;
  examples[N_FEATURES] = 2;
  refuses(scene, "nuclei", "neither that it is wanted");
  scene->n_numbers = 0;
  scene->flags = VITRAIL_RUN_CANDIDATES;
  refuses(scene, "nuclei-threshold", "no candidates");
}

int
main(void)
{
  static int32_t examples[2 * ROW];
  static char of[80];
  List *list = malloc(sizeof *list);
  Scene scene = { .image = mini_tissue_new(WIDTH, HEIGHT, 4), .of = of };
  check_candidates(&scene, list);
  check_places(&scene, list);
  check_lesson(&scene, list, examples);
  check_refusals(&scene, examples);
  free(list);
  free(scene.image.data);
  return vt_test_done();
}
