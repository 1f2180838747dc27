/* SPDX-License-Identifier: MIT */
#include "analysis/vt-corrector.h"

#include <math.h>

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "plugins/vt-recipe-edit.h"
#include "run/vt-roi-sets.h"

#define RADIUS_UM 10 /* of what closes gaps between objects that are joined: the most */
#define RADIUS_PX 20 /* on a slide without a pixel size */

struct _VtCorrector {
  GObject parent;
  VtAnalysis *analysis;
  VtUndo *undo;
  GHashTable *lists;   /* id of an op, however its recipe was edited -> GPtrArray of VtCorrection */
  GHashTable *unsaved; /* VtCorrection, as a set: of these lists, or gone from them since a session was saved */
  gboolean selects;    /* what was made last, as soon as it is shown */
};

G_DEFINE_FINAL_TYPE(VtCorrector, vt_corrector, G_TYPE_OBJECT)

/* Corrections that come or go together, in one block: a person may make thousands of steps. */
typedef struct {
  const char *op; /* interned */
  gboolean adds;
  guint n;
  struct {
    VtCorrection *correction;
    guint place; /* rising: in the list while they are there */
  } of[];
} Step;

static void
step_free(gpointer data)
{
  Step *step = data;
  for (guint i = 0; i < step->n; i++)
    vt_correction_unref(step->of[i].correction);
  g_free(step);
}

static GPtrArray *
list_new(void)
{
  return g_ptr_array_new_with_free_func((GDestroyNotify)vt_correction_unref);
}

static GPtrArray *
get_list(VtCorrector *self, const char *op)
{
  GPtrArray *list = g_hash_table_lookup(self->lists, op);
  if (!list)
    g_hash_table_insert(self->lists, g_strdup(op), list = list_new());
  return list;
}

static const char *
get_op(VtCorrector *self)
{
  const VitrailOp *op = vt_analysis_get_op(self->analysis);
  return op ? vt_recipe_get_origin(op->id) : NULL;
}

const GPtrArray *
vt_corrector_get_list(VtCorrector *self)
{
  return get_op(self) ? get_list(self, get_op(self)) : NULL;
}

/* A list that runs can hold while this one changes. */
static void
hand_over(VtCorrector *self)
{
  const GPtrArray *list = vt_corrector_get_list(self);
  g_autoptr(GPtrArray) copy = list_new();
  for (guint i = 0; list && i < list->len; i++)
    g_ptr_array_add(copy, vt_correction_ref(list->pdata[i]));
  vt_analysis_set_corrections(self->analysis, copy);
  g_signal_emit_by_name(self, "changed");
}

static void
make(gpointer corrector, gpointer data, gboolean back)
{
  VtCorrector *self = corrector;
  const Step *step = data;
  GPtrArray *list = get_list(self, step->op);
  const gboolean adds = step->adds != back;
  for (guint k = 0; k < step->n; k++) {
    const guint i = adds ? k : step->n - 1 - k, place = step->of[i].place;
    g_hash_table_add(self->unsaved, vt_correction_ref(step->of[i].correction));
    if (adds)
      g_ptr_array_insert(list, (int)place, vt_correction_ref(step->of[i].correction));
    else
      g_ptr_array_remove_index(list, place);
  }
  vt_test_log("corrections %s %u", step->op, list->len);
  self->selects = !back && step->adds;
  g_autoptr(VtLayer) layer = vt_layers_dup_objects(vt_analysis_get_layers(self->analysis));
  if (layer) /* it may be no object any more */
    vt_layer_unselect(layer);
  hand_over(self);
}

static void
do_step(VtCorrector *self, gboolean adds, const GPtrArray *corrections, const GArray *places)
{
  Step *step = g_malloc(sizeof *step + corrections->len * sizeof step->of[0]);
  step->op = g_intern_string(get_op(self));
  step->adds = adds;
  step->n = corrections->len;
  for (guint i = 0; i < step->n; i++) {
    step->of[i].correction = vt_correction_ref(corrections->pdata[i]);
    step->of[i].place = g_array_index(places, guint, i);
  }
  const char *format = adds ? g_dngettext(NULL, "%u correction by hand", "%u corrections by hand", step->n)
                            : g_dngettext(NULL, "%u correction forgotten", "%u corrections forgotten", step->n);
  vt_undo_do(self->undo, g_strdup_printf(format, step->n), self, make, step, step_free);
}

/* Takes them: each behind the one before. */
static void
add_all(VtCorrector *self, GPtrArray *corrections)
{
  g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(guint));
  const VtCorrectionKind kind = ((const VtCorrection *)corrections->pdata[0])->kind;
  const guint n = vt_corrector_get_list(self)->len;
  for (guint i = 0; i < corrections->len; i++) {
    const guint place = n + i;
    g_array_append_val(places, place);
  }
  do_step(self, TRUE, corrections, places);
  g_ptr_array_unref(corrections);
  g_signal_emit_by_name(self, "made", kind, vt_corrector_get_list(self)->len - n);
}

static GPtrArray *
rois_new(void)
{
  return g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
}

/* Takes the lists. */
static void
add_one(VtCorrector *self, VtCorrectionKind kind, GPtrArray *before, GPtrArray *after)
{
  GPtrArray *corrections = list_new();
  g_ptr_array_add(corrections, vt_correction_new(kind, before, after));
  add_all(self, corrections);
}

/* --- what is there to be corrected --- */

/* The layer of the objects that are shown; owned. NULL and a sentence: they are not those that a person would correct. What
 * is only added takes nothing of their outlines, so it may be drawn over a preview as well: live, one is often shown. */
static VtLayer *
find_layer(VtCorrector *self, gboolean only_adds, GError **error)
{
  const VtResult *shown = vt_analysis_get_shown(self->analysis);
  g_autoptr(VtLayer) layer = vt_layers_dup_objects(vt_analysis_get_layers(self->analysis));
  const char *sentence = NULL;
  if (!shown || !shown->objects || !layer || vt_layer_get_objects(layer) != shown->objects)
    sentence = _("There are no objects to correct here. Run an analysis that makes objects first.");
  else if (shown->is_preview && !only_adds)
    sentence = _("This is a preview, whose outlines are coarse. Run the analysis (F5), then correct its objects.");
  if (!sentence)
    return g_steal_pointer(&layer);
  return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT, "%s", sentence);
}

/* The outlines of the objects that are selected; owned. NULL and a sentence: there are fewer than asked for. */
static GPtrArray *
dup_selected(VtCorrector *self, guint least, GError **error)
{
  g_autoptr(VtLayer) layer = find_layer(self, FALSE, error);
  g_autoptr(GPtrArray) rois = rois_new();
  if (!layer)
    return NULL;
  const GPtrArray *held = vt_layer_get_held(layer);
  const VtObject *selected = vt_layer_get_selected_index(layer) >= 0 ? vt_layer_get_selected(layer) : NULL;
  for (guint i = 0; i < held->len; i++)
    if (!selected || ((const VtObject *)held->pdata[i])->id != selected->id)
      g_ptr_array_add(rois, vt_object_dup_roi(held->pdata[i]));
  if (selected)
    g_ptr_array_add(rois, vt_object_dup_roi(selected));
  if (rois->len >= least)
    return g_steal_pointer(&rois);
  return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT, "%s",
                           least > 1
                             ? _("Select the objects that are to be joined: click one, then the others with Shift.")
                             : _("Select the object first: click it."));
}

/* --- what a person does --- */

gboolean
vt_corrector_delete(VtCorrector *self, GError **error)
{
  g_autoptr(GPtrArray) rois = dup_selected(self, 1, error);
  GPtrArray *corrections = rois ? list_new() : NULL;
  if (!rois)
    return FALSE;
  for (guint i = 0; i < rois->len; i++) {
    GPtrArray *before = rois_new();
    g_ptr_array_add(before, vt_roi_copy(rois->pdata[i]));
    g_ptr_array_add(corrections, vt_correction_new(VT_CORRECTION_DELETED, before, rois_new()));
  }
  add_all(self, corrections);
  return TRUE;
}

/* Level-0 pixels. */
static double
get_most_radius(VtCorrector *self)
{
  const VtResult *shown = vt_analysis_get_shown(self->analysis);
  return shown->calibrated && shown->mpp > 0 ? RADIUS_UM / shown->mpp : RADIUS_PX;
}

gboolean
vt_corrector_join(VtCorrector *self, GError **error)
{
  g_autoptr(GError) trouble = NULL;
  g_autoptr(GPtrArray) rois = dup_selected(self, 2, error);
  if (!rois)
    return FALSE;
  VtRoi *joined = vt_rois_join(rois, get_most_radius(self), &trouble);
  if (!joined)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s",
                        trouble ? vt_translate(trouble->message)
                                : _("These objects lie too far apart to be one: nothing was joined."));
  GPtrArray *after = rois_new();
  g_ptr_array_add(after, joined);
  add_one(self, VT_CORRECTION_JOINED, g_steal_pointer(&rois), after);
  return TRUE;
}

gboolean
vt_corrector_draw(VtCorrector *self, const VtRoi *shape, gboolean replaces, GError **error)
{
  g_autoptr(VtLayer) layer = find_layer(self, !replaces, error);
  g_autoptr(GPtrArray) before = layer && replaces ? dup_selected(self, 1, error) : rois_new();
  if (!layer || !before)
    return FALSE;
  if (before->len > 1 || vt_roi_count_pixels(shape, NULL) == 0)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s",
                        before->len > 1 ? _("Select one object alone: its outline is drawn anew.")
                                        : _("This outline holds no pixel: nothing was drawn."));
  GPtrArray *after = rois_new();
  g_ptr_array_add(after, vt_roi_copy(shape));
  add_one(self, VT_CORRECTION_DRAWN, g_steal_pointer(&before), after);
  return TRUE;
}

/* The objects that a line divides, and the parts that come of each. */
typedef struct {
  gboolean has_selected; /* the selected one is, and no other is meant */
  const GArray *line;
  double box[4]; /* of the line */
  GPtrArray *wholes, *parts;
} Cut;

static gboolean
try_object(Cut *cut, const VtObject *object, GError **error)
{
  double box[4];
  vt_object_get_box(object, box);
  if (!(box[0] <= cut->box[2] && box[2] >= cut->box[0] && box[1] <= cut->box[3] && box[3] >= cut->box[1]))
    return TRUE;
  g_autoptr(VtRoi) whole = vt_object_dup_roi(object);
  GPtrArray *parts = vt_roi_split(whole, (const double *)(gpointer)cut->line->data, cut->line->len / 2, error);
  if (!parts)
    return FALSE;
  if (parts->len > 1) {
    g_ptr_array_add(cut->wholes, g_steal_pointer(&whole));
    g_ptr_array_add(cut->parts, parts);
  } else {
    g_ptr_array_unref(parts);
  }
  return TRUE;
}

static gboolean
find_divided(Cut *cut, VtLayer *layer, GError **error)
{
  const GPtrArray *objects = vt_layer_get_objects(layer);
  g_autoptr(GArray) near = g_array_new(FALSE, FALSE, sizeof(guint32));
  for (guint i = 0; i < cut->line->len; i += 2) {
    const double x = g_array_index(cut->line, double, i), y = g_array_index(cut->line, double, i + 1);
    cut->box[0] = i > 0 ? MIN(cut->box[0], x) : x;
    cut->box[1] = i > 0 ? MIN(cut->box[1], y) : y;
    cut->box[2] = i > 0 ? MAX(cut->box[2], x) : x;
    cut->box[3] = i > 0 ? MAX(cut->box[3], y) : y;
  }
  if (vt_layer_get_selected_index(layer) >= 0 && !try_object(cut, vt_layer_get_selected(layer), error))
    return FALSE;
  cut->has_selected = cut->wholes->len > 0;
  vt_layer_list_near(layer, cut->box, near);
  for (guint i = 0; !cut->has_selected && i < near->len; i++)
    if (!try_object(cut, objects->pdata[g_array_index(near, guint32, i)], error))
      return FALSE;
  return TRUE;
}

/* NULL and a sentence: it is not one object that is divided. */
static GPtrArray *
take_parts(Cut *cut, GError **error)
{
  const char *sentence = NULL;
  GPtrArray *parts = cut->wholes->len == 1 ? cut->parts->pdata[0] : NULL;
  for (guint i = 0; parts && i < parts->len; i++)
    if (vt_roi_count_pixels(parts->pdata[i], NULL) == 0)
      sentence = _("A part would hold no pixel: draw the line further inside.");
  if (cut->wholes->len == 0)
    sentence = _("The line divides no object: draw it from outside of the object across it, to outside.");
  else if (!parts)
    sentence = _("The line divides several objects: select the one that is meant, or draw a shorter line.");
  if (!sentence)
    return g_ptr_array_steal_index(cut->parts, 0);
  return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT, "%s", sentence);
}

gboolean
vt_corrector_split(VtCorrector *self, const GArray *line, GError **error)
{
  g_autoptr(VtLayer) layer = find_layer(self, FALSE, error);
  g_autoptr(GPtrArray) wholes = rois_new();
  g_autoptr(GPtrArray) lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  Cut cut = { .line = line, .wholes = wholes, .parts = lists };
  GPtrArray *parts = layer && find_divided(&cut, layer, error) ? take_parts(&cut, error) : NULL;
  if (!parts)
    return FALSE;
  add_one(self, VT_CORRECTION_SPLIT, g_steal_pointer(&wholes), parts);
  return TRUE;
}

guint
vt_corrector_drop_lost(VtCorrector *self)
{
  const VtCorrected *shown = vt_corrector_get_shown(self);
  const GPtrArray *list = vt_corrector_get_list(self);
  g_autoptr(GPtrArray) lost = list_new();
  g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint i = 0; shown && i < MIN(list->len, shown->corrections->len); i++)
    if (shown->states[i] == VT_CORRECTION_LOST && shown->corrections->pdata[i] == list->pdata[i]) {
      g_ptr_array_add(lost, vt_correction_ref(list->pdata[i]));
      g_array_append_val(places, i);
    }
  if (lost->len > 0)
    do_step(self, FALSE, lost, places);
  return lost->len;
}

/* --- what is said --- */

const VtCorrected *
vt_corrector_get_shown(VtCorrector *self)
{
  const VtResult *shown = vt_analysis_get_shown(self->analysis);
  return shown ? shown->corrected : NULL;
}

const char *
vt_corrector_get_title(VtCorrectionKind kind)
{
  switch (kind) {
  case VT_CORRECTION_DELETED: return _("Deleted by hand");
  case VT_CORRECTION_DRAWN: return _("Drawn by hand");
  case VT_CORRECTION_JOINED: return _("Joined by hand");
  default: return _("Split by hand");
  }
}

static void
append(GString *text, const char *between, const char *format, guint n)
{
  if (n == 0)
    return;
  g_string_append(text, text->len > 0 ? between : "");
  g_string_append_printf(text, format, n);
}

char *
vt_corrector_dup_words(VtCorrector *self)
{
  const VtCorrected *shown = vt_corrector_get_shown(self);
  const guint *n = shown ? shown->counts : NULL;
  GString *text = g_string_new(NULL);
  if (!shown)
    return g_string_free(text, TRUE);
  append(text, ", ", g_dngettext(NULL, "%u deleted by hand", "%u deleted by hand", n[VT_CORRECTION_DELETED]),
         n[VT_CORRECTION_DELETED]);
  append(text, ", ", g_dngettext(NULL, "%u drawn by hand", "%u drawn by hand", n[VT_CORRECTION_DRAWN]),
         n[VT_CORRECTION_DRAWN]);
  append(text, ", ", g_dngettext(NULL, "%u joined by hand", "%u joined by hand", n[VT_CORRECTION_JOINED]),
         n[VT_CORRECTION_JOINED]);
  append(text, ", ", g_dngettext(NULL, "%u split by hand", "%u split by hand", n[VT_CORRECTION_SPLIT]),
         n[VT_CORRECTION_SPLIT]);
  append(text, " · ",
         g_dngettext(NULL, "%u correction is met without it", "%u corrections are met without them", shown->n_met),
         shown->n_met);
  append(text, " · ",
         g_dngettext(NULL, "%u correction finds its object no more", "%u corrections find their objects no more",
                     shown->n_lost),
         shown->n_lost);
  return g_string_free(text, text->len == 0);
}

/* --- what is shown --- */

/* Words of the objects that were made by hand. */
static void
show_column(VtLayer *layer, const VtResult *shown)
{
  static const VtCorrectionKind kinds[] = { VT_CORRECTION_DRAWN, VT_CORRECTION_JOINED, VT_CORRECTION_SPLIT };
  const char *words[G_N_ELEMENTS(kinds) + 1] = { NULL };
  const VtCorrected *corrected = shown->corrected;
  double *values = g_new(double, shown->objects->len + 1);
  guint n = 0;
  for (guint k = 0; k < G_N_ELEMENTS(kinds); k++)
    words[k] = vt_correction_kind_get_id(kinds[k]);
  for (guint i = 0; i < shown->objects->len; i++) {
    const guint kind = corrected->kinds[i];
    values[i] = kind < VT_N_CORRECTIONS ? kind - VT_CORRECTION_DRAWN : NAN;
    n += kind < VT_N_CORRECTIONS;
  }
  g_autoptr(VtColumn) column = vt_column_new(VT_CORRECTED_COLUMN, _("Corrected"), shown->objects, values, words);
  if (n > 0)
    vt_layer_add_column(layer, column);
  else
    vt_layer_remove_column(layer, VT_CORRECTED_COLUMN);
}

static void
on_shown(VtCorrector *self)
{
  const VtResult *shown = vt_analysis_get_shown(self->analysis);
  g_autoptr(VtLayer) layer = vt_layers_dup_objects(vt_analysis_get_layers(self->analysis));
  if (layer && shown && shown->corrected)
    show_column(layer, shown);
  else if (layer)
    vt_layer_remove_column(layer, VT_CORRECTED_COLUMN);
  if (shown && shown->corrected)
    vt_test_log("corrected %u %u %u %u %u %u", shown->objects->len, shown->corrected->counts[0],
                shown->corrected->counts[1], shown->corrected->counts[2], shown->corrected->counts[3],
                shown->corrected->n_lost);
  g_signal_emit_by_name(self, "changed");
}

/* What was made last is the last of the objects. */
static void
on_corrected(VtCorrector *self)
{
  const VtResult *shown = vt_analysis_get_shown(self->analysis);
  const VtCorrected *corrected = shown->corrected;
  g_autoptr(VtLayer) layer = vt_layers_dup_objects(vt_analysis_get_layers(self->analysis));
  const guint n = shown->objects->len;
  const VtCorrection *last = corrected && corrected->corrections->len > 0
                               ? corrected->corrections->pdata[corrected->corrections->len - 1]
                               : NULL;
  const gboolean has_selected =
    layer && vt_layer_get_selected(layer); /* another one meanwhile: by a review that went on */
  if (self->selects && layer && !has_selected && last && last->n_after > 0 && n > 0
      && corrected->kinds[n - 1] == last->kind)
    vt_layer_select(layer, n - 1);
  self->selects = FALSE;
}

static void
on_op_changed(VtCorrector *self)
{
  self->selects = FALSE;
  hand_over(self);
}

/* --- sessions --- */

void
vt_corrector_foreach(VtCorrector *self, VtCorrectorEach each, gpointer user)
{
  g_autoptr(GList) ops = g_list_sort(g_hash_table_get_keys(self->lists), (GCompareFunc)strcmp);
  for (GList *link = ops; link; link = link->next) {
    const GPtrArray *list = g_hash_table_lookup(self->lists, link->data);
    for (guint i = 0; i < list->len; i++)
      each(link->data, list->pdata[i], user);
  }
}

void
vt_corrector_restore(VtCorrector *self, const char *op, VtCorrection *correction)
{
  const char *origin = vt_recipe_get_origin(op);
  g_ptr_array_add(get_list(self, origin), correction);
  g_hash_table_add(self->unsaved, vt_correction_ref(correction));
  if (g_strcmp0(get_op(self), origin) == 0)
    hand_over(self);
}

GPtrArray *
vt_corrector_dup_unsaved(VtCorrector *self)
{
  GPtrArray *unsaved = list_new();
  GHashTableIter iter;
  gpointer list;
  g_hash_table_iter_init(&iter, self->lists);
  while (g_hash_table_iter_next(&iter, NULL, &list))
    VT_EACH_OF (VtCorrection, correction, ((const GPtrArray *)list))
      if (g_hash_table_contains(self->unsaved, correction))
        g_ptr_array_add(unsaved, vt_correction_ref(correction));
  return unsaved;
}

void
vt_corrector_set_saved(VtCorrector *self, const GPtrArray *corrections)
{
  for (guint i = 0; i < corrections->len; i++)
    g_hash_table_remove(self->unsaved, corrections->pdata[i]);
}

void
vt_corrector_clear(VtCorrector *self)
{
  g_hash_table_remove_all(self->lists);
  g_hash_table_remove_all(self->unsaved);
  hand_over(self);
}

static void
vt_corrector_class_init(VtCorrectorClass *klass)
{
  VT_OWNS(klass, VtCorrector, g_hash_table_unref, lists, unsaved);
  VT_OWNS(klass, VtCorrector, g_object_unref, analysis, undo);
  vt_signals_new(VT_TYPE_CORRECTOR, "changed", NULL);
  vt_signal_new(VT_TYPE_CORRECTOR, "made", G_TYPE_UINT, G_TYPE_UINT, G_TYPE_NONE);
}

static void
vt_corrector_init(VtCorrector *self)
{
  self->lists = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
  self->unsaved = g_hash_table_new_full(NULL, NULL, (GDestroyNotify)vt_correction_unref, NULL);
}

VtCorrector *
vt_corrector_new(VtAnalysis *analysis, VtUndo *undo)
{
  VtCorrector *self = g_object_new(VT_TYPE_CORRECTOR, NULL);
  self->analysis = g_object_ref(analysis);
  self->undo = g_object_ref(undo);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(on_op_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "shown", G_CALLBACK(on_shown), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "corrected", G_CALLBACK(on_corrected), self, G_CONNECT_SWAPPED);
  return self;
}
