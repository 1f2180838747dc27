/* SPDX-License-Identifier: MIT
 *
 * Classes of widgets that are made from a template. */
#pragma once
#include <gtk/gtk.h>

#include "base/vt-each.h"

/* The class is made from ui/NAME.ui, whose children that are named after it, 16 at most, are the fields of `Type` with these names. */
#define VT_TEMPLATE(klass, Type, name, ...) \
  gtk_widget_class_set_template_from_resource(GTK_WIDGET_CLASS(klass), "/io/github/vitrail/Vitrail/" name ".ui"); \
  VT_TEMPLATE_CHILDREN(klass, Type, __VA_ARGS__)
/* Further children of it, 16 at most. */
#define VT_TEMPLATE_CHILDREN(klass, Type, ...) VT_EACH(VT_BIND_CHILD, klass, Type, __VA_ARGS__)
#define VT_BIND_CHILD(klass, Type, child) gtk_widget_class_bind_template_child(GTK_WIDGET_CLASS(klass), Type, child);

/* The functions that its signals name, 16 at most. */
#define VT_TEMPLATE_CALLBACKS(klass, ...) VT_EACH(VT_BIND_CALLBACK, klass, , __VA_ARGS__)
#define VT_BIND_CALLBACK(klass, none, call) gtk_widget_class_bind_template_callback(GTK_WIDGET_CLASS(klass), call);

/* What an instance begins with, where that is its template alone. */
#define VT_TEMPLATE_INIT(Type, name) \
  static void name##_init(Type *self) \
  { \
    gtk_widget_init_template(GTK_WIDGET(self)); \
  }
