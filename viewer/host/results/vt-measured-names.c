/* SPDX-License-Identifier: MIT */
#include "results/vt-measured-names.h"

#include "base/vt-define.h"

/* First those that nothing of ours is called: so a file that was written here, read and written again, has the same names each time. */
static void
add_titles(VtMeasuredNames *self, GHashTable *taken)
{
  g_autoptr(GPtrArray) others = g_ptr_array_new();
  VT_EACH_OF (char, name, self->names) {
    if (g_hash_table_contains(taken, name))
      g_ptr_array_add(others, name);
    else
      g_hash_table_insert(self->titles, name, vt_measured_dup_name(name, taken));
  }
  VT_EACH_OF (char, other, others)
    g_hash_table_insert(self->titles, other, vt_measured_dup_name(other, taken));
}

VtMeasuredNames *
vt_measured_names_new(const GPtrArray *rois, GHashTable *taken, guint most, guint *n_all)
{
  VtMeasuredNames *self = g_new0(VtMeasuredNames, 1);
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  self->names = g_ptr_array_new_with_free_func((GDestroyNotify)g_ref_string_release);
  self->titles = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  VT_EACH_OF (const VtRoi, roi, rois)
    for (guint i = 0; roi->measured && i < roi->measured->n; i++) {
      char *name = roi->measured->numbers[i].name;
      if (!g_hash_table_add(seen, name) || self->names->len == most)
        continue;
      g_ptr_array_add(self->names, g_ref_string_acquire(name));
    }
  add_titles(self, taken);
  if (n_all)
    *n_all = g_hash_table_size(seen);
  return self;
}

VT_DEFINE_TYPE_FREE(vt_measured_names_free, VtMeasuredNames,
                    VT_FREES(g_ptr_array_unref, names) VT_FREES(g_hash_table_unref, titles))

const char *
vt_measured_names_get(const VtMeasuredNames *self, const char *name)
{
  return g_hash_table_lookup(self->titles, name);
}
