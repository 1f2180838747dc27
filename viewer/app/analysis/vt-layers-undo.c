/* SPDX-License-Identifier: MIT */
#include "analysis/vt-layers-undo.h"

#include <math.h>

#include "common/vt-at-once.h"
#include "common/vt-owned.h"
#include "common/vt-translate.h"

typedef struct {
  VtLayer *layer; /* owned */
  VtLayerLook before, after;
} Change;

/* Looks that changed, or a layer that was moved. */
typedef struct {
  GArray *changes; /* Change */
  VtLayer *moved;  /* or NULL */
  guint from, to;  /* its places in the list */
} Step;

struct _VtLayersUndo {
  GObject parent;
  VtAnalysis *analysis;
  VtUndo *undo;
  GHashTable *looks; /* VtLayer -> VtLayerLook: as it was after the last change; of all layers that there ever were */
  GPtrArray *order;  /* VtLayer, held: that of the list after the last change */
  VtAtOnce at_once;
};

G_DEFINE_FINAL_TYPE(VtLayersUndo, vt_layers_undo, G_TYPE_OBJECT)

VT_DEFINE_CLEAR(change_clear, Change, VT_FREES(g_object_unref, layer))
VT_DEFINE_FREE(step_free, Step, VT_FREES(g_array_unref, changes) VT_FREES(g_object_unref, moved))

static Step *
step_new(void)
{
  Step *step = g_new0(Step, 1);
  step->changes = g_array_new(FALSE, FALSE, sizeof(Change));
  g_array_set_clear_func(step->changes, change_clear);
  return step;
}

/* --- words --- */

enum {
  SHOWN = 1,
  LOCKED = 2,
  OPACITY = 4,
  BLEND = 8,
  COLOURS = 16,
  OUTLINES = 32,
  RANGE = 64,
  THRESHOLD = 128,
  MEASURE = 256
};

/* What two looks have otherwise. */
static guint
find_other(const VtLayerLook *a, const VtLayerLook *b)
{
  const gboolean same_range =
    a->has_own_range == b->has_own_range && a->range[0] == b->range[0] && a->range[1] == b->range[1];
  const gboolean same_threshold = a->threshold[0] == b->threshold[0] && a->threshold[1] == b->threshold[1];
  return (a->is_shown != b->is_shown ? SHOWN : 0) | (a->is_locked != b->is_locked ? LOCKED : 0)
         | (a->opacity != b->opacity ? OPACITY : 0) | (a->blend != b->blend ? BLEND : 0)
         | (a->map != b->map ? COLOURS : 0) | (a->is_outlined != b->is_outlined ? OUTLINES : 0)
         | (same_range ? 0 : RANGE) | (same_threshold ? 0 : THRESHOLD) | (a->measure != b->measure ? MEASURE : 0);
}

static char *
dup_range(const VtLayerLook *look)
{
  return look->has_own_range ? g_strdup_printf(_("%.3g to %.3g"), look->range[0], look->range[1])
                             : g_strdup(_("that of the data"));
}

static char *
dup_threshold(const VtLayerLook *look)
{
  if (!isfinite(look->threshold[0]) && !isfinite(look->threshold[1]))
    return g_strdup(_("none"));
  return g_strdup_printf(_("%.3g to %.3g"), look->threshold[0], look->threshold[1]);
}

static char *
dup_measure(const VtLayerLook *look)
{
  return look->measure ? vt_dup_shown_name(look->measure) : g_strdup(_("One colour"));
}

/* "Seeds: opacity 75 % → 40 %". */
static char *
dup_change(const Change *change)
{
  const VtLayerLook *a = &change->before, *b = &change->after;
  const char *title = vt_layer_get_title(change->layer);
  const guint other = find_other(a, b);
  if (other & MEASURE) {
    g_autofree char *from = dup_measure(a), *to = dup_measure(b);
    return g_strdup_printf(_("%s: coloured by %s → %s"), title, from, to);
  }
  switch (other) {
  case SHOWN: return g_strdup_printf(b->is_shown ? _("%s shown") : _("%s hidden"), title);
  case LOCKED: return g_strdup_printf(b->is_locked ? _("%s locked") : _("%s unlocked"), title);
  case OPACITY: return g_strdup_printf(_("%s: opacity %.0f %% → %.0f %%"), title, 100 * a->opacity, 100 * b->opacity);
  case BLEND:
    return g_strdup_printf(_("%s: blending %s → %s"), title, vt_layer_blend_get_title(a->blend),
                           vt_layer_blend_get_title(b->blend));
  case COLOURS:
    return g_strdup_printf(_("%s: colours %s → %s"), title, _(vt_colormap_get_title(a->map)),
                           _(vt_colormap_get_title(b->map)));
  case OUTLINES: return g_strdup_printf(b->is_outlined ? _("%s outlined") : _("%s filled"), title);
  case RANGE: {
    g_autofree char *from = dup_range(a), *to = dup_range(b);
    return g_strdup_printf(_("%s: range %s → %s"), title, from, to);
  }
  case THRESHOLD: {
    g_autofree char *from = dup_threshold(a), *to = dup_threshold(b);
    return g_strdup_printf(_("%s: threshold %s → %s"), title, from, to);
  }
  default: return g_strdup_printf(_("looks of %s"), title);
  }
}

static char *
dup_title(const Step *step)
{
  if (step->moved)
    return g_strdup_printf(step->to > step->from ? _("%s moved up") : _("%s moved down"),
                           vt_layer_get_title(step->moved));
  if (step->changes->len == 1)
    return dup_change(&g_array_index(step->changes, Change, 0));
  return g_strdup_printf(g_dngettext(NULL, "looks of %u layer", "looks of %u layers", step->changes->len),
                         step->changes->len);
}

/* --- steps --- */

static void
make(gpointer owner, gpointer data, gboolean back)
{
  VtLayersUndo *self = owner;
  const Step *step = data;
  guint place = 0;
  GListModel *layers = vt_analysis_get_layers(self->analysis);
  VT_EACH_IN (const Change, change, step->changes)
    vt_layer_set_look(change->layer, back ? &change->before : &change->after);
  if (step->moved && g_list_store_find(G_LIST_STORE(layers), step->moved, &place))
    vt_analysis_move_layer(self->analysis, step->moved, (int)(back ? step->from : step->to) - (int)place);
}

static gboolean
is_recorded(VtLayersUndo *self)
{
  return vt_analysis_get_slide(self->analysis) && !vt_undo_is_making(self->undo);
}

static void
do_step(VtLayersUndo *self, Step *step)
{
  vt_undo_do(self->undo, dup_title(step), self, make, step, step_free);
}

static Change *
find_change(const Step *step, VtLayer *layer)
{
  VT_EACH_IN (Change, change, step->changes)
    if (change->layer == layer)
      return change;
  return NULL;
}

/* Those that changed back are no changes any more. FALSE: nothing is left. */
static gboolean
drop_unchanged(Step *step)
{
  for (guint i = step->changes->len; i-- > 0;) {
    const Change *change = &g_array_index(step->changes, Change, i);
    if (find_other(&change->before, &change->after) == 0)
      g_array_remove_index(step->changes, i);
  }
  return step->changes->len > 0;
}

/* FALSE: the change is a step of its own. */
static gboolean
join(VtLayersUndo *self, VtLayer *layer, const VtLayerLook *before, const VtLayerLook *now)
{
  Step *step = vt_undo_get_last(self->undo, self);
  if (!step || step->moved)
    return FALSE;
  Change *change = find_change(step, layer);
  if (!vt_at_once_is_open(&self->at_once)) {
    const guint other = find_other(before, now);
    if (!vt_at_once_is_soon(&self->at_once) || step->changes->len > 1 || !change
        || find_other(&change->before, &change->after) != other || other == SHOWN)
      return FALSE;
  }
  if (change) {
    change->after = *now;
  } else {
    const Change another = { g_object_ref(layer), *before, *now };
    g_array_append_val(step->changes, another);
  }
  vt_undo_amend(self->undo, drop_unchanged(step) ? dup_title(step) : NULL);
  return TRUE;
}

static void
on_layer(VtLayersUndo *self, VtLayer *layer)
{
  VtLayerLook *last = g_hash_table_lookup(self->looks, layer);
  const VtLayerLook before = *last, now = vt_layer_get_look(layer);
  if (find_other(&before, &now) == 0)
    return;
  *last = now;
  if (!is_recorded(self))
    return;
  if (!join(self, layer, &before, &now)) {
    Step *step = step_new();
    const Change change = { g_object_ref(layer), before, now };
    g_array_append_val(step->changes, change);
    do_step(self, step);
  }
  vt_at_once_begin(&self->at_once);
}

static void
on_notify(VtLayersUndo *self, GParamSpec *pspec, VtLayer *layer)
{
  on_layer(self, layer);
}

static void
watch(VtLayersUndo *self, VtLayer *layer)
{
  static const char *const signals[] = { "notify::shown", "notify::locked",   "notify::opacity",
                                         "notify::blend", "notify::colormap", "notify::outline" };
  if (g_hash_table_contains(self->looks, layer))
    return;
  const VtLayerLook look = vt_layer_get_look(layer);
  g_hash_table_insert(self->looks, g_object_ref(layer), g_memdup2(&look, sizeof look));
  for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
    g_signal_connect_object(layer, signals[i], G_CALLBACK(on_notify), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layer, "data", G_CALLBACK(on_layer), self, G_CONNECT_SWAPPED);
}

/* The one layer that was taken to another place: before and after have the same layers. NULL: they have not, or none was. */
static Step *
find_moved(const GPtrArray *before, const GPtrArray *after)
{
  guint first = 0, last = before->len;
  if (before->len != after->len)
    return NULL;
  while (first < last && before->pdata[first] == after->pdata[first])
    first++;
  while (last > first && before->pdata[last - 1] == after->pdata[last - 1])
    last--;
  for (guint i = first; i < last; i++)
    if (!g_ptr_array_find((GPtrArray *)after, before->pdata[i], NULL))
      return NULL;
  if (first == last)
    return NULL;
  Step *step = step_new();
  const gboolean is_up = after->pdata[last - 1] == before->pdata[first];
  step->from = is_up ? first : last - 1;
  step->to = is_up ? last - 1 : first;
  step->moved = g_object_ref(before->pdata[step->from]);
  return step;
}

static void
on_layers(VtLayersUndo *self)
{
  GListModel *layers = vt_analysis_get_layers(self->analysis);
  GPtrArray *now = g_ptr_array_new_with_free_func(g_object_unref);
  VT_EACH_ITEM (VtLayer, layer, layers) {
    watch(self, layer);
    g_ptr_array_add(now, g_object_ref(layer));
  }
  g_autoptr(GPtrArray) before = g_steal_pointer(&self->order);
  self->order = now;
  Step *step = before && is_recorded(self) ? find_moved(before, now) : NULL;
  if (step)
    do_step(self, step);
}

static void
end(VtLayersUndo *self)
{
  vt_at_once_end(&self->at_once);
}

static void
vt_layers_undo_class_init(VtLayersUndoClass *klass)
{
  VT_ENDS(klass, VtLayersUndo, end);
  VT_OWNS_TO_THE_END(klass, VtLayersUndo, g_object_unref, analysis, undo);
  VT_OWNS_TO_THE_END(klass, VtLayersUndo, g_hash_table_unref, looks);
  VT_OWNS_TO_THE_END(klass, VtLayersUndo, g_ptr_array_unref, order);
}

static void
vt_layers_undo_init(VtLayersUndo *self)
{
  self->looks = g_hash_table_new_full(NULL, NULL, g_object_unref, g_free);
}

VtLayersUndo *
vt_layers_undo_new(VtAnalysis *analysis, VtUndo *undo)
{
  VtLayersUndo *self = g_object_new(VT_TYPE_LAYERS_UNDO, NULL);
  self->analysis = g_object_ref(analysis);
  self->undo = g_object_ref(undo);
  g_signal_connect_object(vt_analysis_get_layers(analysis), "items-changed", G_CALLBACK(on_layers), self,
                          G_CONNECT_SWAPPED);
  on_layers(self);
  return self;
}
