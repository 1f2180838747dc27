/* SPDX-License-Identifier: MIT */
#include "common/vt-undo.h"

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"

typedef struct {
  char *title;
  gpointer owner, step;
  VtUndoMake make;
  GDestroyNotify free_step;
} Step;

struct _VtUndo {
  GObject parent;
  GPtrArray *steps; /* Step */
  guint n_done;     /* steps that are done; those after them were taken back */
  gboolean is_making;
};

G_DEFINE_FINAL_TYPE(VtUndo, vt_undo, G_TYPE_OBJECT)

static void
step_free(gpointer data)
{
  Step *step = data;
  step->free_step(step->step);
  g_free(step->title);
  g_free(step);
}

static void
make(VtUndo *self, const Step *step, gboolean back)
{
  self->is_making = TRUE;
  step->make(step->owner, step->step, back);
  self->is_making = FALSE;
  vt_test_log("step%s %s", back ? "-back" : "", step->title);
  g_signal_emit_by_name(self, "changed");
}

void
vt_undo_do(VtUndo *self, char *title, gpointer owner, VtUndoMake how, gpointer of, GDestroyNotify free_step)
{
  g_return_if_fail(!self->is_making); /* the step that is being made may be among those that go here */
  Step *step = g_new(Step, 1);
  *step = (Step){ title, owner, of, how, free_step };
  g_ptr_array_set_size(self->steps, (int)self->n_done++);
  g_ptr_array_add(self->steps, step);
  make(self, step, FALSE);
}

VT_GETTER(gboolean, vt_undo_is_making, VtUndo, is_making)

gpointer
vt_undo_get_last(VtUndo *self, gpointer owner)
{
  if (self->n_done == 0 || vt_undo_can_redo(self))
    return NULL;
  const Step *last = self->steps->pdata[self->n_done - 1];
  return last->owner == owner ? last->step : NULL;
}

void
vt_undo_amend(VtUndo *self, char *title)
{
  Step *last = self->steps->pdata[self->n_done - 1];
  if (title) {
    g_free(last->title);
    last->title = title;
  } else {
    g_ptr_array_set_size(self->steps, (int)--self->n_done);
  }
  g_signal_emit_by_name(self, "changed");
}

const char *
vt_undo_get_title(VtUndo *self)
{
  return vt_undo_can_undo(self) ? ((const Step *)self->steps->pdata[self->n_done - 1])->title : NULL;
}

const char *
vt_undo_get_redo_title(VtUndo *self)
{
  return vt_undo_can_redo(self) ? ((const Step *)self->steps->pdata[self->n_done])->title : NULL;
}

gboolean
vt_undo_can_undo(VtUndo *self)
{
  return self->n_done > 0;
}

gboolean
vt_undo_can_redo(VtUndo *self)
{
  return self->n_done < self->steps->len;
}

void
vt_undo_undo(VtUndo *self)
{
  if (vt_undo_can_undo(self))
    make(self, self->steps->pdata[--self->n_done], TRUE);
}

void
vt_undo_redo(VtUndo *self)
{
  if (vt_undo_can_redo(self))
    make(self, self->steps->pdata[self->n_done++], FALSE);
}

void
vt_undo_clear(VtUndo *self)
{
  self->n_done = 0;
  g_ptr_array_set_size(self->steps, 0);
  g_signal_emit_by_name(self, "changed");
}

static void
vt_undo_class_init(VtUndoClass *klass)
{
  VT_OWNS_TO_THE_END(klass, VtUndo, g_ptr_array_unref, steps);
  vt_signals_new(VT_TYPE_UNDO, "changed", NULL);
}

static void
vt_undo_init(VtUndo *self)
{
  self->steps = g_ptr_array_new_with_free_func(step_free);
}

VtUndo *
vt_undo_new(void)
{
  return g_object_new(VT_TYPE_UNDO, NULL);
}
