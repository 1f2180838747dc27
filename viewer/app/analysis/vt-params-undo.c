/* SPDX-License-Identifier: MIT */
#include "analysis/vt-params-undo.h"

#include <string.h>

#include "common/vt-at-once.h"
#include "common/vt-owned.h"
#include "common/vt-params-words.h"
#include "common/vt-translate.h"
#include "plugins/vt-plugin-host.h"

typedef struct {
  VtParams *before, *after;
} Step;

struct _VtParamsUndo {
  GObject parent;
  VtAnalysis *analysis;
  VtUndo *undo;
  VtParams *last; /* as they were after the last change; NULL: there is no analysis yet */
  VtAtOnce at_once;
};

G_DEFINE_FINAL_TYPE(VtParamsUndo, vt_params_undo, G_TYPE_OBJECT)

VT_DEFINE_FREE(step_free, Step, VT_FREES(vt_params_free, before, after))

/* The only parameter that two sets of the same op have otherwise; -1: there is none; -2: there are several. */
static int
find_other(const VtParams *a, const VtParams *b)
{
  int other = -1;
  for (guint i = 0; i < a->op->n_params; i++)
    if (vt_params_differ(a, b, i))
      other = other == -1 ? (int)i : -2;
  return other;
}

/* FALSE: what is set means the same, also where lengths are in another unit by now: then it is another slide's. */
static gboolean
differ(const VtParams *a, const VtParams *b)
{
  return a->op != b->op || (a->calibrated == b->calibrated && find_other(a, b) != -1);
}

static char *
dup_title(const Step *step)
{
  g_autofree char *changes = vt_params_dup_changes(step->before, step->after);
  if (*changes && !strchr(changes, '\n'))
    return g_steal_pointer(&changes);
  guint n = 0;
  for (guint i = 0; i < step->before->op->n_params; i++)
    n += vt_params_differ(step->before, step->after, i);
  return g_strdup_printf(g_dngettext(NULL, "%u parameter", "%u parameters", n), n);
}

/* As `wanted` has it; the taught score stays, unless the step changed that, too. */
static void
make(gpointer owner, gpointer data, gboolean back)
{
  VtParamsUndo *self = owner;
  const Step *step = data;
  const VtParams *wanted = back ? step->before : step->after, *other = back ? step->after : step->before;
  if (vt_analysis_get_op(self->analysis) != wanted->op) {
    const VitrailPlugin *plugin = NULL;
    vt_plugin_host_find_op(vt_plugin_host_get(), wanted->op->id, &plugin);
    vt_analysis_set_op(self->analysis, plugin, wanted->op);
  }
  VtParams *now = vt_analysis_get_params(self->analysis);
  if (!differ(now, wanted))
    return;
  g_autoptr(VtTaught) taught = now->taught ? vt_taught_ref(now->taught) : NULL;
  vt_params_assign(now, wanted);
  if (wanted->taught == other->taught)
    vt_params_set_taught(now, taught);
  vt_analysis_params_changed(self->analysis);
}

/* FALSE: the change is a step of its own. */
static gboolean
join(VtParamsUndo *self, const VtParams *before, const VtParams *now)
{
  Step *step = vt_undo_get_last(self->undo, self);
  const gboolean is_at_once = vt_at_once_is_open(&self->at_once), is_soon = vt_at_once_is_soon(&self->at_once);
  if (!step || step->after->op != before->op || !(is_at_once || is_soon))
    return FALSE;
  const int param = before->op == now->op ? find_other(before, now) : -2;
  if (!is_at_once && (step->before->op != before->op || param < 0 || find_other(step->before, before) != param))
    return FALSE;
  vt_params_free(step->after);
  step->after = vt_params_copy(now);
  vt_undo_amend(self->undo, differ(step->before, step->after) ? dup_title(step) : NULL);
  return TRUE;
}

static void
on_changed(VtParamsUndo *self)
{
  const VtParams *now = vt_analysis_get_params(self->analysis);
  if (!now)
    return;
  g_autoptr(VtParams) before = g_steal_pointer(&self->last);
  self->last = vt_params_copy(now);
  if (!before || !vt_analysis_get_slide(self->analysis) || vt_undo_is_making(self->undo) || !differ(before, now))
    return;
  if (!join(self, before, now)) {
    Step *step = g_new(Step, 1);
    *step = (Step){ g_steal_pointer(&before), vt_params_copy(now) };
    vt_undo_do(self->undo, dup_title(step), self, make, step, step_free);
  }
  vt_at_once_begin(&self->at_once);
}

static void
end(VtParamsUndo *self)
{
  vt_at_once_end(&self->at_once);
}

static void
vt_params_undo_class_init(VtParamsUndoClass *klass)
{
  VT_ENDS(klass, VtParamsUndo, end);
  VT_OWNS_TO_THE_END(klass, VtParamsUndo, g_object_unref, analysis, undo);
  VT_OWNS_TO_THE_END(klass, VtParamsUndo, vt_params_free, last);
}

VT_EMPTY_INIT(VtParamsUndo, vt_params_undo)

VtParamsUndo *
vt_params_undo_new(VtAnalysis *analysis, VtUndo *undo)
{
  VtParamsUndo *self = g_object_new(VT_TYPE_PARAMS_UNDO, NULL);
  self->analysis = g_object_ref(analysis);
  self->undo = g_object_ref(undo);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
  on_changed(self);
  return self;
}
