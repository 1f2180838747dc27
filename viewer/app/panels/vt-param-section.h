/* SPDX-License-Identifier: MIT
 *
 * Rows of parameters that belong together: those of one stage, or of the whole analysis; rarely needed ones folded away. */
#pragma once
#include <gtk/gtk.h>

#define VT_TYPE_PARAM_SECTION (vt_param_section_get_type())
G_DECLARE_FINAL_TYPE(VtParamSection, vt_param_section, VT, PARAM_SECTION, GtkGrid)

/* `name`: for screen readers. */
GtkWidget *vt_param_section_new(const char *name);
/* `group`: the heading above the row, if the one before it is of another; or NULL. */
void vt_param_section_add(VtParamSection *self, GtkWidget *row, const char *group, gboolean is_advanced);
/* Whether what is rarely needed is unfolded; before the first row of it. */
void vt_param_section_set_open(VtParamSection *self, gboolean is_open);
gboolean vt_param_section_get_open(VtParamSection *self);
/* Low: two rows stand below each other, and then the next two beside them, without headings. Else all stand below each other. */
void vt_param_section_set_low(VtParamSection *self, gboolean is_low);
