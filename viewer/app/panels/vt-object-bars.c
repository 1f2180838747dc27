/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-bars.h"

#include <math.h>

#include "base/vt-define.h"
#include "common/vt-task.h"
#include "common/vt-test-log.h"
#include "layers/vt-ranks.h"

struct _VtObjectBars {
  gboolean shown;
  GHashTable *cells; /* Place of each VtObjectCell that there is */
  VtColumns *of;     /* whose scales these are; or NULL */
  GPtrArray *scales; /* Scale of each of its columns */
  GCancellable *cancellable;
};

/* What a cell shows. */
typedef struct {
  VtColumns *columns; /* or NULL */
  guint index, column;
} Place;

typedef struct {
  VtColumns *columns; /* while it is made; or NULL */
  guint column, n;
  gboolean is_asked;
  double *sorted; /* NULL: not yet */
} Scale;

VT_DEFINE_FREE(place_free, Place, VT_FREES(vt_columns_unref, columns))
VT_DEFINE_FREE(scale_free, Scale, VT_FREES(vt_columns_unref, columns) VT_FREES(g_free, sorted))

static void
sort_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Scale *scale = data;
  scale->sorted = vt_ranks_sort(scale->columns, scale->column, &scale->n);
  g_task_return_boolean(task, TRUE);
}

static void draw(VtObjectBars *self, VtObjectCell *cell, const Place *place);

/* It is cancelled when others are asked about, or when there is nobody any more. */
static void
on_sorted(GObject *source, GAsyncResult *result, gpointer user)
{
  VtObjectBars *self = user;
  GHashTableIter all;
  gpointer cell, place;
  if (!g_task_propagate_boolean(G_TASK(result), NULL))
    return;
  const Scale *done = g_task_get_task_data(G_TASK(result));
  Scale *scale = self->scales->pdata[done->column];
  scale->n = done->n;
  scale->sorted = g_memdup2(done->sorted, MAX(done->n, 1) * sizeof *done->sorted);
  vt_test_log("table-bars %u %u", done->column, done->n);
  g_hash_table_iter_init(&all, self->cells);
  while (g_hash_table_iter_next(&all, &cell, &place))
    if (((Place *)place)->column == done->column)
      draw(self, cell, place);
}

static void
forget_scales(VtObjectBars *self)
{
  g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  g_clear_pointer(&self->scales, g_ptr_array_unref);
  g_clear_pointer(&self->of, vt_columns_unref);
}

/* NULL: it is on its way. */
static const Scale *
find_scale(VtObjectBars *self, const Place *place, gpointer source)
{
  if (self->of != place->columns) {
    forget_scales(self);
    self->of = vt_columns_ref(place->columns);
    self->cancellable = g_cancellable_new();
    self->scales = g_ptr_array_new_with_free_func(scale_free);
    for (guint i = 0; i < place->columns->n; i++)
      g_ptr_array_add(self->scales, g_new0(Scale, 1));
  }
  Scale *known = self->scales->pdata[place->column];
  if (known->is_asked)
    return known->sorted ? known : NULL;
  known->is_asked = TRUE;
  Scale *asked = g_new0(Scale, 1);
  asked->columns = vt_columns_ref(place->columns);
  asked->column = place->column;
  vt_task_run(source, self->cancellable, on_sorted, self, sort_in_thread, asked, scale_free);
  return NULL;
}

static void
draw(VtObjectBars *self, VtObjectCell *cell, const Place *place)
{
  const gboolean has_bar = self->shown && place->columns && place->column >= VT_OBJECT_MEASUREMENTS
                           && place->index < place->columns->objects->len
                           && vt_columns_is_number(place->columns, place->column);
  const Scale *scale = has_bar ? find_scale(self, place, cell) : NULL;
  const double value = scale ? vt_columns_get_value(place->columns, place->index, place->column) : NAN;
  vt_object_cell_set_percent(cell, scale ? vt_ranks_find(scale->sorted, scale->n, value) : NAN);
}

void
vt_object_bars_set_shown(VtObjectBars *self, gboolean shown)
{
  GHashTableIter all;
  gpointer cell, place;
  self->shown = shown;
  if (!shown)
    forget_scales(self);
  g_hash_table_iter_init(&all, self->cells);
  while (g_hash_table_iter_next(&all, &cell, &place))
    draw(self, cell, place);
}

static void
on_cell_gone(gpointer bars, GObject *cell)
{
  g_hash_table_remove(((VtObjectBars *)bars)->cells, cell);
}

void
vt_object_bars_add(VtObjectBars *self, VtObjectCell *cell)
{
  g_hash_table_insert(self->cells, cell, g_new0(Place, 1));
  g_object_weak_ref(G_OBJECT(cell), on_cell_gone, self);
}

void
vt_object_bars_show(VtObjectBars *self, VtObjectCell *cell, VtColumns *columns, guint index, guint column)
{
  Place *place = g_hash_table_lookup(self->cells, cell);
  g_clear_pointer(&place->columns, vt_columns_unref);
  *place = (Place){ columns ? vt_columns_ref(columns) : NULL, index, column };
  draw(self, cell, place);
}

VtObjectBars *
vt_object_bars_new(void)
{
  VtObjectBars *self = g_new0(VtObjectBars, 1);
  self->cells = g_hash_table_new_full(NULL, NULL, NULL, place_free);
  return self;
}

void
vt_object_bars_free(VtObjectBars *self)
{
  GHashTableIter all;
  gpointer cell;
  forget_scales(self);
  g_hash_table_iter_init(&all, self->cells);
  while (g_hash_table_iter_next(&all, &cell, NULL))
    g_object_weak_unref(G_OBJECT(cell), on_cell_gone, self);
  g_hash_table_unref(self->cells);
  g_free(self);
}
