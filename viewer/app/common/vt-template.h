/* SPDX-License-Identifier: MIT
 *
 * Classes of widgets that are made from a template. */
#pragma once
#include <gtk/gtk.h>

/* The class is made from ui/NAME.ui, whose children that are named after it, 16 at most, are the fields of `Type` with these names. */
#define VT_TEMPLATE(klass, Type, name, ...) \
  gtk_widget_class_set_template_from_resource(GTK_WIDGET_CLASS(klass), "/io/github/vitrail/Vitrail/" name ".ui"); \
  VT_BIND_WHICH(__VA_ARGS__, VT_BIND16, VT_BIND15, VT_BIND14, VT_BIND13, VT_BIND12, VT_BIND11, VT_BIND10, VT_BIND9, \
                VT_BIND8, VT_BIND7, VT_BIND6, VT_BIND5, VT_BIND4, VT_BIND3, VT_BIND2, VT_BIND1, ) \
  (klass, Type, __VA_ARGS__)

#define VT_BIND_WHICH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, which, ...) which
#define VT_BIND1(klass, Type, child) gtk_widget_class_bind_template_child(GTK_WIDGET_CLASS(klass), Type, child);
#define VT_BIND2(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND1(klass, Type, __VA_ARGS__)
#define VT_BIND3(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND2(klass, Type, __VA_ARGS__)
#define VT_BIND4(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND3(klass, Type, __VA_ARGS__)
#define VT_BIND5(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND4(klass, Type, __VA_ARGS__)
#define VT_BIND6(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND5(klass, Type, __VA_ARGS__)
#define VT_BIND7(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND6(klass, Type, __VA_ARGS__)
#define VT_BIND8(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND7(klass, Type, __VA_ARGS__)
#define VT_BIND9(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND8(klass, Type, __VA_ARGS__)
#define VT_BIND10(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND9(klass, Type, __VA_ARGS__)
#define VT_BIND11(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND10(klass, Type, __VA_ARGS__)
#define VT_BIND12(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND11(klass, Type, __VA_ARGS__)
#define VT_BIND13(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND12(klass, Type, __VA_ARGS__)
#define VT_BIND14(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND13(klass, Type, __VA_ARGS__)
#define VT_BIND15(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND14(klass, Type, __VA_ARGS__)
#define VT_BIND16(klass, Type, child, ...) VT_BIND1(klass, Type, child) VT_BIND15(klass, Type, __VA_ARGS__)
