/* SPDX-License-Identifier: MIT */
#include "raster/vt-file-objects.h"

#include <string.h>

#include "base/vt-define.h"

VT_DEFINE_FREE(class_free, VtFileClass, VT_FREES(g_free, name))

guint
vt_file_objects_add_class(VtFileObjects *self, const char *name, gint32 color)
{
  VtFileClass *cls = g_new(VtFileClass, 1);
  *cls = (VtFileClass){ g_strdup(name), color };
  g_ptr_array_add(self->classes, cls);
  return self->classes->len - 1;
}

VtFileObjects *
vt_file_objects_new(const char *path)
{
  VtFileObjects *self = g_atomic_rc_box_new0(VtFileObjects);
  self->path = g_strdup(path);
  self->objects = g_array_new(FALSE, FALSE, sizeof(VtFileObject));
  self->ring_sizes = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->points = g_array_new(FALSE, FALSE, sizeof(double));
  self->names = g_ptr_array_new();
  self->classes = g_ptr_array_new_with_free_func(class_free);
  return self;
}

VT_DEFINE_CLEAR(file_objects_clear, VtFileObjects,
                VT_FREES(g_free, path, note, values, class_of) VT_FREES(g_array_unref, objects, ring_sizes, points)
                  VT_FREES(g_ptr_array_unref, names, classes))

VT_DEFINE_REF(VtFileObjects, vt_file_objects, file_objects_clear)

static gboolean
is_same(const GArray *a, const GArray *b)
{
  return a->len == b->len && memcmp(a->data, b->data, (gsize)a->len * g_array_get_element_size((GArray *)a)) == 0;
}

static gboolean
has_same_classes(const VtFileObjects *a, const VtFileObjects *b)
{
  gboolean same = a->classes->len == b->classes->len && memcmp(a->class_of, b->class_of, a->objects->len) == 0;
  for (guint i = 0; same && i < a->classes->len; i++) {
    const VtFileClass *one = a->classes->pdata[i], *other = b->classes->pdata[i];
    same = g_str_equal(one->name, other->name) && one->color == other->color;
  }
  return same;
}

gboolean
vt_file_objects_equal(const VtFileObjects *a, const VtFileObjects *b)
{
  if (a == b || !a || !b)
    return a == b;
  const gsize n_values = (gsize)a->objects->len * a->names->len;
  return g_str_equal(a->path, b->path) && is_same(a->objects, b->objects) && is_same(a->ring_sizes, b->ring_sizes)
         && is_same(a->points, b->points) && a->names->len == b->names->len
         && memcmp(a->names->pdata, b->names->pdata, a->names->len * sizeof(gpointer)) == 0
         && memcmp(a->values, b->values, n_values * sizeof(double)) == 0 && has_same_classes(a, b);
}
