/* SPDX-License-Identifier: MIT
 *
 * What a slide's file says about it: a searchable table of properties, and the pictures that came with the slide. Those
 * that may show a patient's name are not even read before somebody asks for them. */
#pragma once
#include <adwaita.h>

#include "slide/vt-slide.h"

#define VT_TYPE_PROPERTIES_WINDOW (vt_properties_window_get_type())
G_DECLARE_FINAL_TYPE(VtPropertiesWindow, vt_properties_window, VT, PROPERTIES_WINDOW, AdwWindow)

GtkWidget *vt_properties_window_new(GtkWindow *parent, VtSlide *slide);
