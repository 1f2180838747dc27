/* SPDX-License-Identifier: MIT */
#pragma once
#include <adwaita.h>

#define VT_TYPE_APPLICATION (vt_application_get_type())
G_DECLARE_FINAL_TYPE(VtApplication, vt_application, VT, APPLICATION, AdwApplication)

VtApplication *vt_application_new(void);
