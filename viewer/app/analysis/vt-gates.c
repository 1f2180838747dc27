/* SPDX-License-Identifier: MIT */
#include "analysis/vt-gates.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "common/vt-signals.h"
#include "common/vt-drop.h"
#include "common/vt-owned.h"
#include "common/vt-test-log.h"
#include "common/vt-task.h"

struct _VtGates {
  GObject parent;
  VtRegions *regions;
  VtLayer *layer;     /* of the objects; NULL: none */
  GPtrArray *gates;   /* VtGate; never changed, but replaced */
  char *chosen;       /* a name; NULL: all objects */
  GPtrArray *rois;    /* VtRoi, copies; never changed, but replaced */
  VtGateTally *tally; /* or NULL */
  GPtrArray *tallied; /* the ROIs that it is of; or NULL */
  VtColumns *asked;   /* that are being counted, or were last: without our columns; NULL: none */
  gboolean is_counting, is_dirty, is_coloured, gives_classes;
};

G_DEFINE_FINAL_TYPE(VtGates, vt_gates, G_TYPE_OBJECT)

/* Apart from each other and from what is selected (Okabe and Ito), as classes of regions have them. */
static const gint32 colors[] = { 0xE69F00, 0x56B4E9, 0x009E73, 0xCC79A7, 0xD55E00, 0x0072B2, 0x9467BD, 0x8C564B };

VT_GETTER(const GPtrArray *, vt_gates_get, VtGates, gates)

VtGateTally *
vt_gates_get_tally(VtGates *self)
{
  const GPtrArray *objects = self->layer ? vt_layer_get_objects(self->layer) : NULL;
  return self->tally && self->tally->columns->objects == objects && self->tally->gates == self->gates ? self->tally
                                                                                                      : NULL;
}

/* --- counting --- */

typedef struct {
  VtColumns *columns;
  GPtrArray *gates, *rois;
  VtColumn *regions; /* of the last count, if they are these still */
  VtGateTally *tally;
  gboolean wants_classes, gives_classes; /* for colours, or as classes */
  VtClassified *classified;
  VtColumn *classes;
  double ms;
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;
  vt_drop(job->columns, (GDestroyNotify)vt_columns_unref);
  g_ptr_array_unref(job->gates);
  g_ptr_array_unref(job->rois);
  g_clear_pointer(&job->regions, vt_column_unref);
  g_clear_pointer(&job->tally, vt_gate_tally_unref);
  g_clear_pointer(&job->classified, vt_classified_unref);
  g_clear_pointer(&job->classes, vt_column_unref);
  g_free(job);
}

static VtColumn *
make_classes(const VtClassified *classified)
{
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  double *values = g_new(double, classified->n + 1);
  for (guint k = 0; k < classified->list->len; k++)
    g_ptr_array_add(words, ((const VtModelClass *)classified->list->pdata[k])->name);
  g_ptr_array_add(words, NULL);
  for (guint i = 0; i < classified->n; i++)
    values[i] = classified->classes[i] == VT_NO_CLASS ? NAN : classified->classes[i];
  return vt_column_new(VT_GATE_CLASS_COLUMN, _("Class by gates"), classified->of, values,
                       (const char *const *)words->pdata);
}

static void
count_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  const gint64 began = g_get_monotonic_time();
  if (!job->regions)
    job->regions = vt_gate_find_regions(job->columns->objects, job->rois);
  job->tally = vt_gate_tally_new(job->columns, job->regions, job->gates);
  job->classified = job->wants_classes ? vt_gate_tally_new_classes(job->tally) : NULL;
  job->classes = job->gives_classes && job->classified ? make_classes(job->classified) : NULL;
  job->ms = 1e-3 * (double)(g_get_monotonic_time() - began);
  g_task_return_boolean(task, TRUE);
}

static gboolean
is_ours(const char *name)
{
  return g_str_equal(name, VT_GATES_COLUMN) || g_str_equal(name, VT_REGIONS_COLUMN)
         || g_str_equal(name, VT_GATE_CLASS_COLUMN);
}

/* What is to be counted: the objects' columns without those that are made of them here; owned, NULL: there are no objects. */
static VtColumns *
dup_columns(VtGates *self)
{
  VtColumns *all = self->layer ? vt_layer_get_columns(self->layer) : NULL;
  g_autoptr(GPtrArray) added = g_ptr_array_new();
  for (guint i = all ? all->n_own : 0; all && i < all->n; i++)
    if (!is_ours(vt_columns_get_name(all, i)))
      g_ptr_array_add(added, vt_columns_get_added(all, i));
  return all ? vt_columns_new(all->objects, all->result, (VtColumn **)added->pdata, added->len) : NULL;
}

static gboolean
are_same(const VtColumns *a, const VtColumns *b)
{
  gboolean same = a && b && a->objects == b->objects && a->n == b->n;
  for (guint i = same ? a->n_own : 0; same && i < a->n; i++)
    same = vt_columns_get_added(a, i) == vt_columns_get_added(b, i);
  return same;
}

static void
put_column(VtGates *self, const char *name, VtColumn *column)
{
  const VtColumns *all = vt_layer_get_columns(self->layer);
  const gint place = all ? vt_columns_find(all, name) : -1;
  if (!column)
    vt_layer_remove_column(self->layer, name);
  else if (place < 0 || vt_columns_get_added(all, (guint)place) != column)
    vt_layer_add_column(self->layer, column);
}

static void
show_classes(VtGates *self, VtClassified *classified, VtColumn *classes)
{
  vt_layer_set_gated(self->layer, classified);
  vt_layer_set_classed_by_gates(self->layer, self->gives_classes);
  put_column(self, VT_GATE_CLASS_COLUMN, classes);
  for (guint i = 0; classified && i < classified->list->len; i++)
    vt_test_log("gate-colour %u %s", classified->counts[i], ((const VtModelClass *)classified->list->pdata[i])->name);
  if (self->gives_classes)
    g_signal_emit_by_name(self, "classified");
}

static void count(VtGates *self);

static void
counted(GObject *source, GAsyncResult *result, gpointer user)
{
  VtGates *self = VT_GATES(source);
  Job *job = g_task_get_task_data(G_TASK(result));
  self->is_counting = FALSE;
  if (self->is_dirty || !self->layer) { /* it is of what was */
    count(self);
    return;
  }
  g_clear_pointer(&self->tally, vt_gate_tally_unref);
  self->tally = vt_gate_tally_ref(job->tally);
  g_clear_pointer(&self->tallied, g_ptr_array_unref);
  self->tallied = g_ptr_array_ref(job->rois);
  put_column(self, VT_REGIONS_COLUMN, job->tally->regions);
  put_column(self, VT_GATES_COLUMN, job->tally->column);
  show_classes(self, job->classified, job->classes);
  vt_test_log("gates-counted %u %u %.0f", job->gates->len, job->columns->objects->len, job->ms);
  for (guint i = 0; i < job->gates->len; i++)
    vt_test_log("gate %u %u %s", job->tally->counts[i], vt_gate_tally_get_n_of_parent(job->tally, i),
                ((const VtGate *)job->gates->pdata[i])->name);
  g_signal_emit_by_name(self, "counted");
}

static GPtrArray *
dup_rois(VtGates *self)
{
  GListModel *list = vt_regions_get_areas(self->regions);
  GPtrArray *rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  VT_EACH_ITEM (VtRoiItem, item, list)
    g_ptr_array_add(rois, vt_roi_copy(vt_roi_item_get_roi(item)));
  return rois;
}

static void
forget(VtGates *self)
{
  vt_drop(g_steal_pointer(&self->asked), (GDestroyNotify)vt_columns_unref);
  vt_drop(g_steal_pointer(&self->tally), (GDestroyNotify)vt_gate_tally_unref);
}

static void
count(VtGates *self)
{
  self->is_dirty = TRUE;
  if (self->is_counting || !self->regions)
    return;
  self->is_dirty = FALSE;
  VtColumns *columns = dup_columns(self);
  VtColumn *known = self->tally && self->tallied == self->rois ? self->tally->regions : NULL;
  if (!columns || (self->gates->len == 0 && self->rois->len == 0)) {
    forget(self);
    if (self->layer) {
      put_column(self, VT_REGIONS_COLUMN, NULL);
      put_column(self, VT_GATES_COLUMN, NULL);
      show_classes(self, NULL, NULL);
    }
    g_clear_pointer(&columns, vt_columns_unref);
    g_signal_emit_by_name(self, "counted");
    return;
  }
  vt_drop(self->asked, (GDestroyNotify)vt_columns_unref);
  self->asked = columns;
  Job *job = g_new0(Job, 1);
  job->columns = vt_columns_ref(columns);
  job->gates = g_ptr_array_ref(self->gates);
  job->wants_classes = self->is_coloured || self->gives_classes;
  job->gives_classes = self->gives_classes;
  job->rois = g_ptr_array_ref(self->rois);
  job->regions = known && known->of == columns->objects ? vt_column_ref(known) : NULL;
  self->is_counting = TRUE;
  vt_task_run(self, NULL, counted, NULL, count_in_thread, job, job_free);
}

/* --- what is done to them --- */

typedef struct {
  GPtrArray *list;
  char *chosen;
} Change;

VT_DEFINE_FREE(change_free, Change, VT_FREES(g_ptr_array_unref, list) VT_FREES(g_free, chosen))

static void
exchange(gpointer gates, gpointer data, gboolean back)
{
  VtGates *self = gates;
  Change *change = data;
  GPtrArray *list = self->gates;
  char *chosen = self->chosen;
  self->gates = change->list;
  self->chosen = change->chosen;
  change->list = list;
  change->chosen = chosen;
  vt_test_log("gates %u", self->gates->len);
  g_signal_emit_by_name(self, "changed");
  count(self);
}

/* Takes the list, which must be a sound one. */
static void
do_change(VtGates *self, GPtrArray *list, const char *chosen)
{
  Change *change = g_new0(Change, 1);
  change->list = vt_gate_list_dup_in_order(list);
  change->chosen = vt_gate_list_find(list, chosen) >= 0 ? g_strdup(chosen) : NULL;
  g_ptr_array_unref(list);
  vt_undo_do(vt_regions_get_undo(self->regions), g_strdup(_("gates")), self, exchange, change, change_free);
}

static GPtrArray *
dup_list(VtGates *self)
{
  GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)vt_gate_unref);
  for (guint i = 0; i < self->gates->len; i++)
    g_ptr_array_add(list, vt_gate_ref(self->gates->pdata[i]));
  return list;
}

static char *
dup_free_name(const GPtrArray *list)
{
  for (guint number = 1;; number++) {
    g_autofree char *name = g_strdup_printf(_("Gate %u"), number);
    if (vt_gate_list_find(list, name) < 0)
      return g_steal_pointer(&name);
  }
}

gboolean
vt_gates_add(VtGates *self, const GPtrArray *names, const GPtrArray *texts, GError **error)
{
  g_autoptr(GPtrArray) list = dup_list(self);
  for (guint i = 0; i < texts->len; i++) {
    g_autofree char *numbered = names ? g_strdup(names->pdata[i]) : dup_free_name(list);
    g_ptr_array_add(list,
                    vt_gate_new(numbered, self->chosen, texts->pdata[i], colors[list->len % G_N_ELEMENTS(colors)]));
  }
  if (!vt_gate_list_check(list, error))
    return FALSE;
  do_change(self, g_steal_pointer(&list), self->chosen);
  return TRUE;
}

/* Another parent of one, and texts that ask for it by its new name. */
static VtGate *
dup_renamed(const VtGate *gate, const char *name, const char *new_name)
{
  g_autofree char *text = vt_gate_text_rename(gate->text, name, new_name);
  return vt_gate_new(gate->name, g_strcmp0(gate->parent, name) == 0 ? new_name : gate->parent, text, gate->color);
}

static gboolean
is_equal(const VtGate *a, const VtGate *b)
{
  return g_str_equal(a->name, b->name) && g_strcmp0(a->parent, b->parent) == 0 && g_str_equal(a->text, b->text)
         && a->color == b->color;
}

gboolean
vt_gates_change(VtGates *self, guint place, VtGate *gate, GError **error)
{
  g_autoptr(GPtrArray) list = dup_list(self);
  const VtGate *former = self->gates->pdata[place];
  const gboolean is_chosen = g_strcmp0(self->chosen, former->name) == 0;
  if (is_equal(former, gate))
    return TRUE;
  vt_gate_unref(list->pdata[place]);
  list->pdata[place] = vt_gate_ref(gate);
  for (guint i = 0; i < list->len && !g_str_equal(former->name, gate->name); i++) {
    VtGate *old = list->pdata[i];
    list->pdata[i] = dup_renamed(old, former->name, gate->name);
    vt_gate_unref(old);
  }
  if (!vt_gate_list_check(list, error))
    return FALSE;
  g_autofree char *chosen = g_strdup(is_chosen ? gate->name : self->chosen);
  do_change(self, g_steal_pointer(&list), chosen);
  return TRUE;
}

guint
vt_gates_remove(VtGates *self, guint place)
{
  g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func((GDestroyNotify)vt_gate_unref);
  for (guint i = 0; i < self->gates->len; i++)
    if (!vt_gate_list_is_within(self->gates, i, place))
      g_ptr_array_add(list, vt_gate_ref(self->gates->pdata[i]));
  const guint n = self->gates->len - list->len;
  const VtGate *gate = self->gates->pdata[place];
  g_autofree char *chosen = g_strdup(g_strcmp0(self->chosen, gate->name) == 0 ? gate->parent : self->chosen);
  do_change(self, g_steal_pointer(&list), chosen);
  return n;
}

gboolean
vt_gates_restore(VtGates *self, GPtrArray *gates, GError **error)
{
  if (!vt_gate_list_check(gates, error))
    return FALSE;
  g_ptr_array_unref(self->gates);
  self->gates = vt_gate_list_dup_in_order(gates);
  g_clear_pointer(&self->chosen, g_free);
  g_signal_emit_by_name(self, "changed");
  count(self);
  return TRUE;
}

/* --- the chosen one --- */

gint
vt_gates_get_chosen(VtGates *self)
{
  return vt_gate_list_find(self->gates, self->chosen);
}

void
vt_gates_choose(VtGates *self, gint place)
{
  const VtGate *gate = place >= 0 && (guint)place < self->gates->len ? self->gates->pdata[place] : NULL;
  if (g_strcmp0(self->chosen, gate ? gate->name : NULL) == 0)
    return;
  g_free(self->chosen);
  self->chosen = g_strdup(gate ? gate->name : NULL);
  vt_test_log("gate-chosen %s", self->chosen ? self->chosen : "");
  g_signal_emit_by_name(self, "changed");
}

void
vt_gates_set_coloured(VtGates *self, gboolean is_coloured)
{
  if (self->is_coloured == is_coloured)
    return;
  self->is_coloured = is_coloured;
  if (self->layer && is_coloured) /* whose colours go before */
    vt_layer_set_measure(self->layer, NULL);
  g_signal_emit_by_name(self, "changed");
  count(self);
}

VT_GETTER(gboolean, vt_gates_get_coloured, VtGates, is_coloured)
VT_GETTER(gboolean, vt_gates_get_classes, VtGates, gives_classes)

void
vt_gates_restore_classes(VtGates *self, gboolean gives_classes)
{
  if (self->gives_classes == gives_classes)
    return;
  self->gives_classes = gives_classes;
  vt_test_log("by-gates %d", gives_classes);
  g_signal_emit_by_name(self, "changed");
  if (self->layer)
    vt_layer_set_classed_by_gates(self->layer, gives_classes);
  if (!gives_classes)
    g_signal_emit_by_name(self, "classified");
  count(self);
}

static void
exchange_classes(gpointer gates, gpointer step, gboolean back)
{
  vt_gates_restore_classes(gates, *(const gboolean *)step != back);
}

void
vt_gates_set_classes(VtGates *self, gboolean gives_classes)
{
  if (self->gives_classes != gives_classes)
    vt_undo_do(vt_regions_get_undo(self->regions),
               g_strdup(gives_classes ? _("classes by gates") : _("no classes by gates")), self, exchange_classes,
               g_memdup2(&gives_classes, sizeof gives_classes), g_free);
}

VtClassified *
vt_gates_get_classified(VtGates *self)
{
  return self->gives_classes && self->layer && vt_gates_get_tally(self) ? vt_layer_get_gated(self->layer) : NULL;
}

VtClassified *
vt_gates_classify(VtGates *self, VtResult *result)
{
  g_autoptr(VtColumns) columns = vt_columns_new(result->objects, result, NULL, 0);
  g_autoptr(VtColumn) regions = vt_gate_find_regions(result->objects, self->rois);
  g_autoptr(VtGateTally) tally = vt_gate_tally_new(columns, regions, self->gates);
  return vt_gate_tally_new_classes(tally);
}

VtObjectFilter *
vt_gates_dup_filter(VtGates *self, const VtColumns *columns)
{
  const gint column = columns ? vt_columns_find(columns, VT_GATES_COLUMN) : -1;
  const VtColumn *of = column >= 0 ? vt_columns_get_added(columns, (guint)column) : NULL;
  if (!self->chosen)
    return NULL;
  for (guint i = 0; of && of->words[i]; i++)
    if (g_str_equal(of->words[i], self->chosen))
      return vt_object_filter_new_member(columns, (guint)column, i);
  return columns ? vt_object_filter_new("0", columns, NULL) : NULL;
}

/* --- following --- */

/* A layer has other data in many ways; here other objects count, and other columns. */
static void
on_columns(VtGates *self)
{
  g_autoptr(VtColumns) now = dup_columns(self);
  if (now ? !are_same(now, self->asked) : self->asked != NULL)
    count(self);
}

/* Colours, locks and steps of gates are none of our concern. */
static void
on_regions(VtGates *self)
{
  GPtrArray *rois = dup_rois(self);
  gboolean same = rois->len == self->rois->len;
  for (guint i = 0; same && i < rois->len; i++)
    same = vt_roi_equal(rois->pdata[i], self->rois->pdata[i]);
  if (same) {
    g_ptr_array_unref(rois);
    return;
  }
  g_ptr_array_unref(self->rois);
  self->rois = rois;
  count(self);
}

static void
on_layers_changed(VtGates *self, guint position, guint n_removed, guint n_added, GListModel *layers)
{
  g_autoptr(VtLayer) before = self->layer ? g_object_ref(self->layer) : NULL;
  if (!vt_layers_take_objects(layers, self, &self->layer))
    return;
  if (before) {
    vt_layer_set_gated(before, NULL);
    vt_layer_set_classed_by_gates(before, FALSE);
  }
  if (self->layer) {
    g_signal_connect_object(self->layer, "data", G_CALLBACK(on_columns), self, G_CONNECT_SWAPPED);
    g_signal_connect_object(self->layer, "columns", G_CALLBACK(on_columns), self, G_CONNECT_SWAPPED);
  }
  count(self);
}

static void
vt_gates_class_init(VtGatesClass *klass)
{
  VT_ENDS(klass, VtGates, forget);
  VT_OWNS(klass, VtGates, g_object_unref, layer, regions);
  VT_OWNS(klass, VtGates, g_free, chosen);
  VT_OWNS_TO_THE_END(klass, VtGates, g_ptr_array_unref, gates, rois, tallied);
  vt_signals_new(VT_TYPE_GATES, "changed", "counted", "classified", NULL);
}

static void
vt_gates_init(VtGates *self)
{
  self->gates = g_ptr_array_new_with_free_func((GDestroyNotify)vt_gate_unref);
  self->rois = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
}

VtGates *
vt_gates_new(VtAnalysis *analysis, VtRegions *regions)
{
  VtGates *self = g_object_new(VT_TYPE_GATES, NULL);
  GListModel *layers = vt_analysis_get_layers(analysis);
  self->regions = g_object_ref(regions);
  g_signal_connect_object(layers, "items-changed", G_CALLBACK(on_layers_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(regions, "changed", G_CALLBACK(on_regions), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(vt_regions_get_areas(regions), "items-changed", G_CALLBACK(on_regions), self,
                          G_CONNECT_SWAPPED);
  on_layers_changed(self, 0, 0, 0, layers);
  return self;
}
