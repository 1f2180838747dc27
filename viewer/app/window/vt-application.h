/* SPDX-License-Identifier: MIT */
#pragma once
#include <adwaita.h>

G_BEGIN_DECLS

#define VT_TYPE_APPLICATION (vt_application_get_type())
G_DECLARE_FINAL_TYPE(VtApplication, vt_application, VT, APPLICATION, AdwApplication)

VtApplication *vt_application_new(void);

G_END_DECLS
