/* SPDX-License-Identifier: MIT */
#include "run/vt-file-objects-classes.h"

/* Of classes without a colour, one after the other (Okabe and Ito). */
static const gint32 colors[] = { 0xD55E00, 0x009E73, 0x0072B2, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x9467BD, 0x8C564B };

static GPtrArray *
list_classes(const VtFileObjects *from)
{
  GPtrArray *list = g_ptr_array_new_with_free_func(vt_model_class_free);
  for (guint i = 0; i < from->classes->len; i++) {
    const VtFileClass *cls = from->classes->pdata[i];
    const gint32 color = cls->color >= 0 ? cls->color : colors[i % G_N_ELEMENTS(colors)];
    const guint8 rgb[3] = { (guint8)(color >> 16 & 255), (guint8)(color >> 8 & 255), (guint8)(color & 255) };
    g_ptr_array_add(list, vt_model_class_new(cls->name, rgb, FALSE));
  }
  return list;
}

/* By its number, and its place: what was made by hand may have the number of an object that lies elsewhere. */
static guint8
find_class(const VtFileObjects *from, const VtObject *object)
{
  if (object->id < 1 || object->id > (gint64)from->objects->len)
    return VT_NO_CLASS;
  const guint index = (guint)(object->id - 1);
  const VtFileObject *its = &g_array_index(from->objects, VtFileObject, index);
  const gboolean is_it = its->centroid_x_l0 == object->centroid_x_l0 && its->centroid_y_l0 == object->centroid_y_l0;
  return is_it ? from->class_of[index] : VT_NO_CLASS;
}

VtClassified *
vt_file_objects_classify(const VtFileObjects *from, const GPtrArray *objects)
{
  G_STATIC_ASSERT(VT_FILE_OBJECTS_NO_CLASS == VT_NO_CLASS);
  if (!from || from->classes->len == 0)
    return NULL;
  g_autoptr(GPtrArray) list = list_classes(from);
  VtClassified *classified = vt_classified_new_empty(list, objects);
  for (guint i = 0; i < objects->len; i++)
    classified->classes[i] = find_class(from, objects->pdata[i]);
  vt_classified_count(classified);
  return classified;
}
