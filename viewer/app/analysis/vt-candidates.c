/* SPDX-License-Identifier: MIT */
#include "analysis/vt-candidates.h"

#include <glib/gi18n.h>
#include <math.h>

char *
vt_candidate_dup_place(const VtObject *object)
{
  return g_strdup_printf("%.17g %.17g", object->centroid_x_l0, object->centroid_y_l0);
}

typedef struct {
  guint index;
  gboolean is_passed;
  double margin;
} Useful;

static int
compare_useful(gconstpointer a, gconstpointer b)
{
  const Useful *p = a, *q = b;
  if (p->is_passed != q->is_passed)
    return p->is_passed ? 1 : -1;
  return p->margin != q->margin ? (p->margin > q->margin) - (p->margin < q->margin)
                                : (p->index > q->index) - (p->index < q->index);
}

void
vt_candidates_sort(const VtResult *told, const VtModel *model, GHashTable *passed, GArray *queue)
{
  g_autoptr(GArray) useful = g_array_new(FALSE, FALSE, sizeof(Useful));
  for (guint i = 0; told && i < told->objects->len; i++) {
    const VtObject *object = told->objects->pdata[i];
    g_autofree char *place = vt_candidate_dup_place(object);
    const Useful one = { i, g_hash_table_contains(passed, place), vt_candidate_get_margin(object) };
    if (!model || vt_model_get_taught(model, told->source_name, object) < 0)
      g_array_append_val(useful, one);
  }
  g_array_sort(useful, compare_useful);
  g_array_set_size(queue, 0);
  for (guint i = 0; i < useful->len; i++)
    g_array_append_val(queue, g_array_index(useful, Useful, i).index);
}

VtColumn *
vt_candidates_new_margins(const VtResult *told, const GPtrArray *objects)
{
  g_autoptr(GHashTable) places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  double *values = g_new(double, objects->len + 1);
  for (guint i = 0; i < told->objects->len; i++)
    g_hash_table_insert(places, vt_candidate_dup_place(told->objects->pdata[i]), told->objects->pdata[i]);
  for (guint i = 0; i < objects->len; i++) {
    g_autofree char *place = vt_candidate_dup_place(objects->pdata[i]);
    const VtObject *candidate = g_hash_table_lookup(places, place);
    values[i] = candidate && vt_candidate_is_chosen(candidate) ? vt_candidate_get_margin(candidate) : NAN;
  }
  return vt_column_new(VT_CANDIDATE_MARGIN, _("Margin of the choice"), objects, values, NULL);
}
