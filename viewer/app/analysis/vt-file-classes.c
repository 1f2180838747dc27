/* SPDX-License-Identifier: MIT */
#include "analysis/vt-file-classes.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-test-log.h"
#include "run/vt-file-objects-classes.h"

struct _VtFileClasses {
  GObject parent;
  VtLayer *layer; /* of the objects; NULL: none */
  GPtrArray *of;  /* the objects that were looked at last; or NULL */
};

G_DEFINE_FINAL_TYPE(VtFileClasses, vt_file_classes, G_TYPE_OBJECT)

static VtColumn *
make_column(const VtClassified *classified, const GPtrArray *objects)
{
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  double *numbers = g_new(double, objects->len + 1);
  VT_EACH_OF (const VtModelClass, cls, classified->list)
    g_ptr_array_add(words, cls->name);
  g_ptr_array_add(words, NULL);
  for (guint i = 0; i < objects->len; i++)
    numbers[i] = classified->classes[i] == VT_NO_CLASS ? NAN : classified->classes[i];
  return vt_column_new(VT_FILE_CLASS_COLUMN, _("Class of the file"), objects, numbers,
                       (const char *const *)words->pdata);
}

/* A layer has other data in many ways; here other objects count. */
static void
follow(VtFileClasses *self)
{
  GPtrArray *objects = self->layer ? vt_layer_get_objects(self->layer) : NULL;
  if (objects == self->of)
    return;
  g_clear_pointer(&self->of, g_ptr_array_unref);
  self->of = objects ? g_ptr_array_ref(objects) : NULL;
  const VtColumns *columns = objects ? vt_layer_get_columns(self->layer) : NULL;
  const VtFileObjects *from = columns && columns->result ? columns->result->params->objects : NULL;
  g_autoptr(VtClassified) classified = from ? vt_file_objects_classify(from, objects) : NULL;
  g_autoptr(VtColumn) column = classified ? make_column(classified, objects) : NULL;
  if (!self->layer)
    return;
  vt_layer_set_read(self->layer, classified);
  if (column)
    vt_layer_add_column(self->layer, column);
  else
    vt_layer_remove_column(self->layer, VT_FILE_CLASS_COLUMN);
  if (classified)
    vt_test_log("file-classes %u", classified->list->len);
  g_signal_emit_by_name(self, "classified");
}

static void
on_layers_changed(VtFileClasses *self, guint position, guint n_removed, guint n_added, GListModel *layers)
{
  if (!vt_layers_take_objects(layers, self, &self->layer))
    return;
  if (self->layer)
    g_signal_connect_object(self->layer, "data", G_CALLBACK(follow), self, G_CONNECT_SWAPPED);
  follow(self);
}

static void
vt_file_classes_class_init(VtFileClassesClass *klass)
{
  VT_OWNS(klass, VtFileClasses, g_object_unref, layer);
  VT_OWNS_TO_THE_END(klass, VtFileClasses, g_ptr_array_unref, of);
  vt_signals_new(VT_TYPE_FILE_CLASSES, "classified", NULL);
}

VT_EMPTY_INIT(VtFileClasses, vt_file_classes)

VtFileClasses *
vt_file_classes_new(VtAnalysis *analysis)
{
  VtFileClasses *self = g_object_new(VT_TYPE_FILE_CLASSES, NULL);
  GListModel *layers = vt_analysis_get_layers(analysis);
  g_signal_connect_object(layers, "items-changed", G_CALLBACK(on_layers_changed), self, G_CONNECT_SWAPPED);
  on_layers_changed(self, 0, 0, 0, layers);
  return self;
}
