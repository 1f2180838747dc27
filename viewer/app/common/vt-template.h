/* SPDX-License-Identifier: MIT
 *
 * Classes of widgets that are made from a template. */
#pragma once
#include <gtk/gtk.h>

/* The class is made from ui/NAME.ui, whose children that are named after it, 16 at most, are the fields of `Type` with these names. */
#define VT_TEMPLATE(klass, Type, name, ...) \
  gtk_widget_class_set_template_from_resource(GTK_WIDGET_CLASS(klass), "/io/github/vitrail/Vitrail/" name ".ui"); \
  VT_EACH(VT_BIND_CHILD, klass, Type, __VA_ARGS__)
#define VT_BIND_CHILD(klass, Type, child) gtk_widget_class_bind_template_child(GTK_WIDGET_CLASS(klass), Type, child);

/* The functions that its signals name, 16 at most. */
#define VT_TEMPLATE_CALLBACKS(klass, ...) VT_EACH(VT_BIND_CALLBACK, klass, , __VA_ARGS__)
#define VT_BIND_CALLBACK(klass, none, call) gtk_widget_class_bind_template_callback(GTK_WIDGET_CLASS(klass), call);

/* each(klass, Type, x) for each x of the rest. */
#define VT_EACH(each, klass, Type, ...) \
  VT_EACH_WHICH(__VA_ARGS__, VT_EACH16, VT_EACH15, VT_EACH14, VT_EACH13, VT_EACH12, VT_EACH11, VT_EACH10, VT_EACH9, \
                VT_EACH8, VT_EACH7, VT_EACH6, VT_EACH5, VT_EACH4, VT_EACH3, VT_EACH2, VT_EACH1, ) \
  (each, klass, Type, __VA_ARGS__)
#define VT_EACH_WHICH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, which, ...) which
#define VT_EACH1(each, klass, Type, x) each(klass, Type, x)
#define VT_EACH2(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH1(each, klass, Type, __VA_ARGS__)
#define VT_EACH3(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH2(each, klass, Type, __VA_ARGS__)
#define VT_EACH4(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH3(each, klass, Type, __VA_ARGS__)
#define VT_EACH5(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH4(each, klass, Type, __VA_ARGS__)
#define VT_EACH6(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH5(each, klass, Type, __VA_ARGS__)
#define VT_EACH7(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH6(each, klass, Type, __VA_ARGS__)
#define VT_EACH8(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH7(each, klass, Type, __VA_ARGS__)
#define VT_EACH9(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH8(each, klass, Type, __VA_ARGS__)
#define VT_EACH10(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH9(each, klass, Type, __VA_ARGS__)
#define VT_EACH11(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH10(each, klass, Type, __VA_ARGS__)
#define VT_EACH12(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH11(each, klass, Type, __VA_ARGS__)
#define VT_EACH13(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH12(each, klass, Type, __VA_ARGS__)
#define VT_EACH14(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH13(each, klass, Type, __VA_ARGS__)
#define VT_EACH15(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH14(each, klass, Type, __VA_ARGS__)
#define VT_EACH16(each, klass, Type, x, ...) each(klass, Type, x) VT_EACH15(each, klass, Type, __VA_ARGS__)
