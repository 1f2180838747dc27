/* SPDX-License-Identifier: MIT */
#include "results/vt-corrections.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "base/vt-json.h"
#include "results/vt-correction-measure.h"
#include "results/vt-labels.h"
#include "run/vt-run-private.h"

#define CELLS 128 /* a side of the mask that tells which objects lie near to a correction */

/* --- pixels --- */

/* Of level-0 pixels; FALSE: there are none. */
static gboolean
find_frame(const double box[4], const gint64 within[4], VtFrame *frame)
{
  gint64 p[4] = { (gint64)floor(box[0]), (gint64)floor(box[1]), (gint64)ceil(box[2]), (gint64)ceil(box[3]) };
  for (guint i = 0; within && i < 4; i++)
    p[i] = i < 2 ? MAX(p[i], within[i]) : MIN(p[i], within[i]);
  *frame = (VtFrame){ p[0], p[1], p[2] - p[0], p[3] - p[1], 1, 0, 0 };
  return frame->width > 0 && frame->height > 0;
}

guint64
vt_roi_count_pixels(const VtRoi *roi, const gint64 within[4])
{
  double box[4];
  VtFrame frame;
  guint64 n = 0;
  vt_roi_get_box(roi, box);
  if (!find_frame(box, within, &frame))
    return 0;
  g_autoptr(VtLabels) labels = vt_labels_new_of(roi, &frame);
  g_autofree gint32 *row = g_new(gint32, frame.width);
  for (gint64 y = 0; y < frame.height && vt_labels_next_row(labels, row, NULL); y++)
    for (gint64 x = 0; x < frame.width; x++)
      n += row[x] != 0;
  return n;
}

/* FALSE: they have nothing in common. */
static gboolean
count_common(const VtRoi *a, const VtRoi *b, const gint64 within[4], guint64 *n_both, guint64 *n_any)
{
  double box[4], other[4];
  VtFrame frame;
  *n_both = *n_any = 0;
  vt_roi_get_box(a, box);
  vt_roi_get_box(b, other);
  if (!vt_boxes_meet(box, other))
    return FALSE;
  const double all[4] = { MIN(box[0], other[0]), MIN(box[1], other[1]), MAX(box[2], other[2]), MAX(box[3], other[3]) };
  if (!find_frame(all, within, &frame))
    return FALSE;
  g_autoptr(VtLabels) one = vt_labels_new_of(a, &frame), two = vt_labels_new_of(b, &frame);
  g_autofree gint32 *row = g_new(gint32, frame.width), *its = g_new(gint32, frame.width);
  for (gint64 y = 0; y < frame.height; y++) {
    vt_labels_next_row(one, row, NULL);
    vt_labels_next_row(two, its, NULL);
    for (gint64 x = 0; x < frame.width; x++) {
      *n_both += row[x] && its[x];
      *n_any += row[x] || its[x];
    }
  }
  return *n_both > 0;
}

double
vt_rois_get_iou(const VtRoi *a, const VtRoi *b, const gint64 within[4])
{
  guint64 n_both, n_any;
  return count_common(a, b, within, &n_both, &n_any) ? (double)n_both / (double)n_any : 0;
}

/* --- the objects of one rectangle --- */

typedef struct {
  const VtRoi *roi;
  double box[4];
  GArray *near; /* guint32: objects of the run whose boxes meet its own, in their order */
} Wanted;

/* An object made by hand, while corrections are applied. */
typedef struct {
  const VtRoi *roi;
  VtCorrectionKind kind;
  gboolean is_gone;
} Made;

typedef struct {
  const VtResult *run;
  gint64 within[4];
  guint8 *is_gone; /* of the run's objects */
  GArray *made;    /* Made */
  GPtrArray *wanted;
  GPtrArray *outlines; /* of each correction two GPtrArray of VtRoi: before, after */
  GCancellable *cancellable;
} Work;

static void
wanted_free(gpointer data)
{
  g_array_unref(((Wanted *)data)->near);
  g_free(data);
}

static void
add_wanted(Work *work, const VtRoi *roi)
{
  Wanted *wanted = g_new0(Wanted, 1);
  wanted->roi = roi;
  wanted->near = g_array_new(FALSE, FALSE, sizeof(guint32));
  vt_roi_get_box(roi, wanted->box);
  g_ptr_array_add(work->wanted, wanted);
}

/* Cells of a mask over what was analysed. FALSE: it lies outside. */
static gboolean
find_cells(const Work *work, const double box[4], int cells[4])
{
  for (guint i = 0; i < 4; i++) {
    const double size = (double)(work->within[2 + i % 2] - work->within[i % 2]);
    cells[i] = (int)CLAMP(floor((box[i] - (double)work->within[i % 2]) / size * CELLS), -1, CELLS);
    cells[i] = i < 2 ? MAX(cells[i], 0) : MIN(cells[i], CELLS - 1);
  }
  return cells[0] <= cells[2] && cells[1] <= cells[3];
}

static gboolean
use_cells(guint8 *mask, const int cells[4], gboolean sets)
{
  gboolean any = FALSE;
  for (int y = cells[1]; y <= cells[3]; y++)
    for (int x = cells[0]; x <= cells[2]; x++) {
      any |= mask[y * CELLS + x];
      mask[y * CELLS + x] |= sets;
    }
  return any;
}

/* Of a million objects next to none lie where something was corrected. */
static void
find_near(Work *work)
{
  g_autofree guint8 *mask = g_malloc0(CELLS * CELLS);
  int cells[4];
  for (guint i = 0; i < work->wanted->len; i++)
    if (find_cells(work, ((const Wanted *)work->wanted->pdata[i])->box, cells))
      use_cells(mask, cells, TRUE);
  for (guint32 k = 0; k < work->run->objects->len; k++) {
    double box[4];
    vt_object_get_box(vt_result_pass_object(work->run, k), box);
    if (!(box[0] < box[2]) || !find_cells(work, box, cells) || !use_cells(mask, cells, FALSE))
      continue;
    VT_EACH_OF (Wanted, wanted, work->wanted)
      if (vt_boxes_meet(wanted->box, box))
        g_array_append_val(wanted->near, k);
  }
}

/* The place of the object that an outline is of: among the run's, or behind them among those made by hand; -1: none. */
static gint64
find_object(const Work *work, const Wanted *wanted)
{
  const gint64 n = work->run->objects->len;
  double best = 0.5;
  gint64 found = -1;
  for (guint i = 0; i < wanted->near->len; i++) {
    const guint32 k = g_array_index(wanted->near, guint32, i);
    g_autoptr(VtRoi) its = work->is_gone[k] ? NULL : vt_object_dup_roi(work->run->objects->pdata[k]);
    const double iou = its ? vt_rois_get_iou(wanted->roi, its, work->within) : 0;
    if (iou > best) {
      best = iou;
      found = k;
    }
  }
  for (guint i = 0; i < work->made->len; i++) {
    const Made *made = &g_array_index(work->made, Made, i);
    const double iou = made->is_gone ? 0 : vt_rois_get_iou(wanted->roi, made->roi, NULL);
    if (iou > best) {
      best = iou;
      found = n + i;
    }
  }
  return found;
}

static void
set_gone(const Work *work, gint64 place, gboolean is_gone)
{
  const guint n = work->run->objects->len;
  if (place < n)
    work->is_gone[place] = (guint8)is_gone;
  else
    g_array_index(work->made, Made, (guint)place - n).is_gone = is_gone;
}

/* A region of another shape than its box has the objects whose centres lie inside. */
static gboolean
is_here(const Work *work, const VtRoi *roi)
{
  const VtRoi *region = work->run->region;
  if (vt_roi_count_pixels(roi, work->within) == 0)
    return FALSE;
  if (!region || vt_roi_is_rectangle(region))
    return TRUE;
  double box[4];
  vt_roi_get_box(roi, box);
  return vt_roi_contains(region, (box[0] + box[2]) / 2, (box[1] + box[3]) / 2);
}

static gboolean
is_cut(const Work *work, const double box[4])
{
  return box[0] < (double)work->within[0] || box[1] < (double)work->within[1] || box[2] > (double)work->within[2]
         || box[3] > (double)work->within[3];
}

/* Less than a half of it is in objects. */
static gboolean
is_empty_there(const Work *work, const Wanted *wanted)
{
  guint64 n_in = 0, n_both, n_any;
  for (guint i = 0; i < wanted->near->len; i++) {
    const guint32 k = g_array_index(wanted->near, guint32, i);
    g_autoptr(VtRoi) its = work->is_gone[k] ? NULL : vt_object_dup_roi(work->run->objects->pdata[k]);
    if (its && count_common(wanted->roi, its, work->within, &n_both, &n_any))
      n_in += n_both;
  }
  VT_EACH_IN (const Made, made, work->made)
    if (!made->is_gone && count_common(wanted->roi, made->roi, NULL, &n_both, &n_any))
      n_in += n_both;
  return 2 * n_in < vt_roi_count_pixels(wanted->roi, work->within);
}

/* What it asks for is there without it: its wanted outlines are n_before, then those that were made. */
static gboolean
is_met(const Work *work, guint first, const VtCorrection *correction)
{
  gboolean is = TRUE;
  if (correction->kind == VT_CORRECTION_DELETED)
    return is_empty_there(work, work->wanted->pdata[first]);
  for (guint i = 0; is && i < correction->n_after; i++)
    is = find_object(work, work->wanted->pdata[first + correction->n_before + i]) >= 0;
  return is;
}

/* Those that are found are gone at once, so that each object is found once; where the correction does not apply they are there again. */
static VtCorrectionState
find_all(const Work *work, guint first, guint n)
{
  VtCorrectionState state = VT_CORRECTION_ELSEWHERE;
  g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(gint64));
  for (guint i = 0; i < n && state != VT_CORRECTION_LOST; i++) {
    const Wanted *wanted = work->wanted->pdata[first + i];
    const gint64 place = find_object(work, wanted);
    if (place >= 0) {
      set_gone(work, place, TRUE);
      g_array_append_val(found, place);
      state = VT_CORRECTION_APPLIED;
    } else if (is_here(work, wanted->roi)) {
      state = is_cut(work, wanted->box) ? VT_CORRECTION_ELSEWHERE : VT_CORRECTION_LOST;
      if (state == VT_CORRECTION_ELSEWHERE)
        break;
    }
  }
  for (guint i = 0; state != VT_CORRECTION_APPLIED && i < found->len; i++)
    set_gone(work, g_array_index(found, gint64, i), FALSE);
  return state;
}

/* What is drawn takes the place of what it is the same object as. */
static VtCorrectionState
find_drawn(const Work *work, guint first)
{
  const Wanted *wanted = work->wanted->pdata[first];
  if (!is_here(work, wanted->roi))
    return VT_CORRECTION_ELSEWHERE;
  const gint64 place = find_object(work, wanted);
  if (place >= 0)
    set_gone(work, place, TRUE);
  return VT_CORRECTION_APPLIED;
}

static gboolean
is_new(const VtCorrection *correction)
{
  return correction->kind == VT_CORRECTION_DRAWN && correction->n_before == 0;
}

/* A part can be more than a half of the whole that it was of: so where all parts are there, the whole is not looked for. */
static VtCorrectionState
apply_one(const Work *work, guint first, const VtCorrection *correction)
{
  if (is_new(correction))
    return find_drawn(work, first);
  if (correction->kind == VT_CORRECTION_SPLIT && is_met(work, first, correction))
    return VT_CORRECTION_MET;
  const VtCorrectionState state = find_all(work, first, correction->n_before);
  return state == VT_CORRECTION_LOST && is_met(work, first, correction) ? VT_CORRECTION_MET : state;
}

static void
apply_all(Work *work, const GPtrArray *corrections, guint8 *states)
{
  for (guint i = 0, first = 0; i < corrections->len; i++) {
    const VtCorrection *correction = corrections->pdata[i];
    states[i] = (guint8)apply_one(work, first, correction);
    first += correction->n_before + correction->n_after;
    const GPtrArray *after = work->outlines->pdata[2 * i + 1];
    for (guint k = 0; states[i] == VT_CORRECTION_APPLIED && k < after->len; k++) {
      const Made made = { after->pdata[k], correction->kind, FALSE };
      g_array_append_val(work->made, made);
    }
  }
}

/* --- a corrected result --- */

static VtCorrected *
corrected_new(VtResult *run, GPtrArray *corrections)
{
  VtCorrected *self = g_new0(VtCorrected, 1);
  self->base = vt_result_ref(run);
  self->corrections = g_ptr_array_ref(corrections);
  self->states = g_new0(guint8, corrections->len + 1);
  self->own = g_ptr_array_new_with_free_func(g_free);
  return self;
}

VT_DEFINE_TYPE_FREE(vt_corrected_free, VtCorrected,
                    VT_FREES(vt_result_unref, base) VT_FREES(g_ptr_array_unref, corrections, own)
                      VT_FREES(g_free, states, kinds))

static JsonNode *
dup_record(const VtResult *run)
{
  g_autofree char *text = run->record ? json_to_string(run->record, FALSE) : NULL;
  return text ? json_from_string(text, NULL) : NULL;
}

/* What it does not own it borrows of the run, which it keeps. */
static VtResult *
result_new(VtResult *run, VtCorrected *corrected)
{
  VtResultFull *full = (VtResultFull *)g_atomic_rc_box_dup(sizeof *full, run);
  full->older = NULL;
  full->result.classified = NULL;
  full->result.surroundings = NULL;
  full->result.corrected = corrected;
  full->result.record = dup_record(run);
  full->result.warnings = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; run->warnings && i < run->warnings->len; i++)
    g_ptr_array_add(full->result.warnings, g_strdup(run->warnings->pdata[i]));
  return &full->result;
}

static gint64
get_last_id(const VtResult *run)
{
  gint64 last = 0;
  for (guint i = 0; i < run->objects->len; i++)
    last = MAX(last, ((const VtObject *)run->objects->pdata[i])->id);
  return last;
}

/* For each that was made by hand the run's objects that lie as near as its measurements look. */
static void
find_round(Work *work, double reach)
{
  g_ptr_array_set_size(work->wanted, 0);
  for (guint i = 0; i < work->made->len; i++) {
    add_wanted(work, g_array_index(work->made, Made, i).roi);
    double *box = ((Wanted *)work->wanted->pdata[i])->box;
    for (guint k = 0; k < 4; k++)
      box[k] += k < 2 ? -reach : reach;
  }
  find_near(work);
}

/* VtRoi of all objects that stay, of those that are so near; the earlier one lies over the later one. */
static GPtrArray *
dup_round(const Work *work, guint number)
{
  GPtrArray *round = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  const Wanted *wanted = work->wanted->pdata[number];
  for (guint i = 0; i < work->made->len; i++) {
    const Made *made = &g_array_index(work->made, Made, i);
    double box[4];
    vt_roi_get_box(made->roi, box);
    if (i != number && !made->is_gone && vt_boxes_meet(wanted->box, box))
      g_ptr_array_add(round, vt_roi_copy(made->roi));
  }
  for (guint i = 0; i < wanted->near->len; i++) {
    const guint32 k = g_array_index(wanted->near, guint32, i);
    if (!work->is_gone[k])
      g_ptr_array_add(round, vt_object_dup_roi(work->run->objects->pdata[k]));
  }
  return round;
}

static void
fill_objects(Work *work, VtCorrected *corrected, VtResult *result)
{
  g_autoptr(VtCorrectionMeasures) measures = work->made->len > 0 ? vt_correction_measures_new(work->run) : NULL;
  if (measures)
    find_round(work, vt_correction_measures_get_reach(measures));
  const guint n = work->run->objects->len;
  result->objects = g_ptr_array_sized_new(n);
  corrected->kinds = g_new(guint8, n + work->made->len + 1);
  corrected->first_id = get_last_id(work->run) + 1;
  for (guint i = 0; i < n; i++) {
    if (work->is_gone[i])
      continue;
    corrected->kinds[result->objects->len] = VT_N_CORRECTIONS;
    g_ptr_array_add(result->objects, work->run->objects->pdata[i]);
  }
  for (guint i = 0; i < work->made->len; i++) {
    const Made *made = &g_array_index(work->made, Made, i);
    if (made->is_gone)
      continue;
    g_autoptr(GPtrArray) round = dup_round(work, i);
    VtObject *object =
      vt_correction_measures_make(measures, made->roi, round, corrected->first_id + i, work->cancellable);
    g_ptr_array_add(corrected->own, object);
    corrected->kinds[result->objects->len] = (guint8)made->kind;
    g_ptr_array_add(result->objects, object);
  }
}

/* The counts, in the record and in words. */
static void
tell(const VtCorrected *corrected, VtResult *result)
{
  JsonObject *record = result->record ? json_node_get_object(result->record) : NULL;
  if (!record)
    return;
  JsonObject *facts = json_object_new();
  for (guint i = 0; i < VT_N_CORRECTIONS; i++)
    json_object_set_int_member(facts, vt_correction_kind_get_id((VtCorrectionKind)i), corrected->counts[i]);
  json_object_set_int_member(facts, "met", corrected->n_met);
  json_object_set_int_member(facts, "lost", corrected->n_lost);
  json_object_set_object_member(record, "corrections", facts);
  json_object_set_int_member(record, "objects", result->objects->len);
  char *sentence = g_strdup_printf(
    "The objects were corrected by hand: %u deleted, %u drawn, %u joined from others, %u split; %u corrections find "
    "no object any more. Pictures are those of the run.",
    corrected->counts[0], corrected->counts[1], corrected->counts[2], corrected->counts[3], corrected->n_lost);
  JsonArray *warnings = vt_json_get_array(record, "warnings");
  if (warnings)
    json_array_add_string_element(warnings, sentence);
  g_ptr_array_add(result->warnings, sentence);
}

static void
count(VtCorrected *corrected)
{
  for (guint i = 0; i < corrected->corrections->len; i++) {
    const VtCorrection *correction = corrected->corrections->pdata[i];
    corrected->counts[correction->kind] += corrected->states[i] == VT_CORRECTION_APPLIED;
    corrected->n_lost += corrected->states[i] == VT_CORRECTION_LOST;
    corrected->n_met += corrected->states[i] == VT_CORRECTION_MET;
  }
}

static VtResult *
correct_rectangle(VtResult *run, GPtrArray *corrections, GCancellable *cancellable)
{
  VtCorrected *corrected = corrected_new(run, corrections);
  VtResult *result = result_new(run, corrected);
  g_autofree guint8 *is_gone = g_malloc0(run->objects->len + 1);
  g_autoptr(GArray) made = g_array_new(FALSE, FALSE, sizeof(Made));
  g_autoptr(GPtrArray) wanted = g_ptr_array_new_with_free_func(wanted_free);
  g_autoptr(GPtrArray) outlines = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  Work work = { run,        { run->x_l0, run->y_l0, run->x_l0 + run->width_l0, run->y_l0 + run->height_l0 },
                is_gone,    made,
                wanted,     outlines,
                cancellable };
  for (guint i = 0; i < corrections->len; i++) {
    const VtCorrection *correction = corrections->pdata[i];
    g_ptr_array_add(outlines, vt_correction_dup_before(correction));
    g_ptr_array_add(outlines, vt_correction_dup_after(correction));
    for (guint k = 2 * i; k < outlines->len; k++)
      for (guint r = 0; r < ((const GPtrArray *)outlines->pdata[k])->len; r++)
        add_wanted(&work, ((const GPtrArray *)outlines->pdata[k])->pdata[r]);
  }
  find_near(&work);
  apply_all(&work, corrections, corrected->states);
  fill_objects(&work, corrected, result);
  count(corrected);
  tell(corrected, result);
  return result;
}

/* Of several regions one that finds its object is enough; one that does not matters only if no other does. */
static void
take_states(VtCorrected *corrected, const guint8 *states)
{
  for (guint i = 0; i < corrected->corrections->len; i++)
    if (states[i] == VT_CORRECTION_APPLIED || corrected->states[i] == VT_CORRECTION_ELSEWHERE
        || (states[i] == VT_CORRECTION_MET && corrected->states[i] == VT_CORRECTION_LOST))
      corrected->states[i] = states[i];
}

static VtResult *
correct_parts(VtResult *run, GPtrArray *corrections, GCancellable *cancellable)
{
  VtCorrected *corrected = corrected_new(run, corrections);
  VtResult *result = result_new(run, corrected);
  g_autoptr(GArray) kinds = g_array_new(FALSE, FALSE, 1);
  memset(corrected->states, VT_CORRECTION_ELSEWHERE, corrections->len);
  result->objects = g_ptr_array_new();
  result->parts = g_ptr_array_new_with_free_func((GDestroyNotify)vt_result_unref);
  VT_EACH_OF (VtResult, part, run->parts) {
    part = part->objects ? correct_rectangle(part, corrections, cancellable) : vt_result_ref(part);
    g_ptr_array_add(result->parts, part);
    for (guint k = 0; part->objects && k < part->objects->len; k++)
      g_ptr_array_add(result->objects, part->objects->pdata[k]);
    if (part->corrected) {
      g_array_append_vals(kinds, part->corrected->kinds, part->objects->len);
      take_states(corrected, part->corrected->states);
    }
  }
  corrected->kinds = (guint8 *)g_array_free(g_steal_pointer(&kinds), FALSE);
  count(corrected);
  tell(corrected, result);
  return result;
}

VtResult *
vt_result_correct(VtResult *result, GPtrArray *corrections, GCancellable *cancellable)
{
  VtResult *run = vt_result_get_run(result);
  if (!run->objects || !corrections || corrections->len == 0)
    return vt_result_ref(run);
  return run->parts ? correct_parts(run, corrections, cancellable) : correct_rectangle(run, corrections, cancellable);
}

VtResult *
vt_result_get_run(VtResult *result)
{
  return result && result->corrected ? result->corrected->base : result;
}

const char *
vt_result_get_corrected(const VtResult *result, guint object)
{
  return result->corrected ? vt_correction_kind_get_id(result->corrected->kinds[object]) : NULL;
}
