/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-rows.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "common/vt-drop.h"
#include "common/vt-owned.h"

struct _VtObjectRow {
  GObject parent;
  guint index;
};

G_DEFINE_FINAL_TYPE(VtObjectRow, vt_object_row, G_TYPE_OBJECT)

static void
vt_object_row_class_init(VtObjectRowClass *klass)
{
}

VT_EMPTY_INIT(VtObjectRow, vt_object_row)

VT_GETTER(guint, vt_object_row_get_index, VtObjectRow, index)

struct _VtObjectRows {
  GObject parent;
  VtColumns *columns; /* or NULL */
  VtObjectFilter *filter;
  guint32 *order; /* of positions in it */
  guint n, column;
  gboolean falling;
};

static void vt_object_rows_list_init(GListModelInterface *iface);
G_DEFINE_FINAL_TYPE_WITH_CODE(VtObjectRows, vt_object_rows, G_TYPE_OBJECT,
                              G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, vt_object_rows_list_init))

/* --- the order: a radix sort (Knuth, The Art of Computer Programming 3, 5.2.5), which keeps equals as they were --- */

enum { DIGIT_BITS = 11, N_BINS = 1 << DIGIT_BITS, N_DIGITS = (64 + DIGIT_BITS - 1) / DIGIT_BITS };

typedef struct {
  guint64 key;
  guint32 index;
} Keyed;

/* Whole numbers in the order of the doubles. */
static guint64
key_of(double value, gboolean falling)
{
  guint64 bits;
  if (isnan(value))
    return G_MAXUINT64;
  value = value == 0 ? 0 : value; /* there is one zero */
  memcpy(&bits, &value, sizeof bits);
  bits ^= bits >> 63 ? G_MAXUINT64 : G_GUINT64_CONSTANT(1) << 63;
  return falling ? ~bits : bits;
}

/* Whether the digits differ at all: else nothing was moved. */
static gboolean
sort_by_digit(Keyed *to, const Keyed *from, guint n, guint digit)
{
  const guint shift = digit * DIGIT_BITS;
  guint bins[N_BINS] = { 0 }, at = 0;
  for (guint i = 0; i < n; i++)
    bins[from[i].key >> shift & (N_BINS - 1)]++;
  if (bins[from[0].key >> shift & (N_BINS - 1)] == n)
    return FALSE;
  for (guint k = 0; k < N_BINS; k++) {
    const guint size = bins[k];
    bins[k] = at;
    at += size;
  }
  for (guint i = 0; i < n; i++)
    to[bins[from[i].key >> shift & (N_BINS - 1)]++] = from[i];
  return TRUE;
}

static void
put_in_order(VtObjectRows *self)
{
  const guint n = self->columns ? self->columns->objects->len : 0;
  g_autofree Keyed *one = g_new(Keyed, n + 1), *other = g_new(Keyed, n + 1);
  self->n = 0;
  for (guint i = 0; i < n; i++) {
    const gboolean passes = !self->filter || vt_object_filter_passes(self->filter, self->columns->objects, i);
    if (passes)
      one[self->n++] = (Keyed){ key_of(vt_columns_get_value(self->columns, i, self->column), self->falling), i };
  }
  self->order = g_renew(guint32, self->order, self->n);
  for (guint digit = 0; digit < N_DIGITS && self->n > 0; digit++)
    if (sort_by_digit(other, one, self->n, digit)) {
      Keyed *sorted = other;
      other = one;
      one = sorted;
    }
  for (guint i = 0; i < self->n; i++)
    self->order[i] = one[i].index;
}

/* --- the list --- */

static GType
get_item_type(GListModel *list)
{
  return VT_TYPE_OBJECT_ROW;
}

static guint
get_n_items(GListModel *list)
{
  return VT_OBJECT_ROWS(list)->n;
}

static gpointer
get_item(GListModel *list, guint position)
{
  VtObjectRows *self = VT_OBJECT_ROWS(list);
  if (position >= self->n)
    return NULL;
  VtObjectRow *row = g_object_new(VT_TYPE_OBJECT_ROW, NULL);
  row->index = self->order[position];
  return row;
}

static void
vt_object_rows_list_init(GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

void
vt_object_rows_set(VtObjectRows *self, VtColumns *columns, VtObjectFilter *filter)
{
  const guint before = self->n;
  VtColumns *former = self->columns;
  g_autoptr(VtObjectFilter) old = self->filter;
  self->columns = columns ? vt_columns_ref(columns) : NULL;
  self->filter = filter ? vt_object_filter_ref(filter) : NULL;
  vt_drop(former, (GDestroyNotify)vt_columns_unref);
  put_in_order(self);
  g_list_model_items_changed(G_LIST_MODEL(self), 0, before, self->n);
}

VT_GETTER(VtColumns *, vt_object_rows_get_columns, VtObjectRows, columns)

void
vt_object_rows_sort(VtObjectRows *self, guint column, gboolean falling)
{
  if (column == self->column && falling == self->falling)
    return;
  self->column = column;
  self->falling = falling;
  put_in_order(self);
  /* Lists of GTK 4.8 that hear of all rows as exchanged make an item of each, to find the ones that they have: 1.6 s of a million. Rows that go, and others that come, are not
   * looked for. */
  const guint n = self->n;
  self->n = 0;
  g_list_model_items_changed(G_LIST_MODEL(self), 0, n, 0);
  self->n = n;
  g_list_model_items_changed(G_LIST_MODEL(self), 0, 0, n);
}

const VtObject *
vt_object_rows_get_object(VtObjectRows *self, guint position, guint *index)
{
  if (position >= self->n)
    return NULL;
  *index = self->order[position];
  return self->columns->objects->pdata[*index];
}

guint
vt_object_rows_find(VtObjectRows *self, guint index)
{
  guint position = 0;
  while (position < self->n && self->order[position] != index)
    position++;
  return position < self->n ? position : G_MAXUINT;
}

static void
vt_object_rows_class_init(VtObjectRowsClass *klass)
{
  VT_OWNS_TO_THE_END(klass, VtObjectRows, vt_columns_unref, columns);
  VT_OWNS_TO_THE_END(klass, VtObjectRows, vt_object_filter_unref, filter);
  VT_OWNS_TO_THE_END(klass, VtObjectRows, g_free, order);
}

VT_EMPTY_INIT(VtObjectRows, vt_object_rows)

VtObjectRows *
vt_object_rows_new(void)
{
  return g_object_new(VT_TYPE_OBJECT_ROWS, NULL);
}
