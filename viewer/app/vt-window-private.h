/* SPDX-License-Identifier: MIT */
#pragma once
#include "vt-colour-popover.h"
#include "vt-curtain.h"
#include "vt-page.h"
#include "vt-window.h"

G_BEGIN_DECLS

struct _VtWindow {
  AdwApplicationWindow parent;

  /* template */
  AdwWindowTitle *title;
  AdwSplitButton *open_button;
  AdwToastOverlay *toasts;
  AdwFlap *flap;
  AdwTabView *tab_view;
  VtCurtain *curtain;
  GtkStack *sidebar_stack, *roi_stack, *status_stack;
  GMenu *view_section;
  GtkWidget *sidebar_button, *regions_button;
  GtkMenuButton *colour_button;
  VtColourPopover *colour_popover;

  VtPage *page;              /* the selected one; borrowed, NULL only while there is no tab */
  guint n_opening, title_id; /* slides on their way; a source that says so in the title */
  GQueue arrived;            /* Arrived: slides whose tab is not made yet */
  guint arrived_id;
  gboolean minimap;
  VtRunOn run_on; /* of all views */
};

/* The active view; NULL only while there is no tab. */
VtPane *vt_window_get_pane(VtWindow *self);
VtPage *vt_window_add_page(VtWindow *self);
/* The first tab without a slide, or a new one. */
VtPage *vt_window_select_empty(VtWindow *self);
/* The sidebar is there with a slide, or with one on its way. */
void vt_window_show_panels(VtWindow *self);

/* vt-window-actions.c */
void vt_window_init_actions(VtWindow *self);
void vt_window_update_actions(VtWindow *self);

/* vt-window-view.c: what changes how slides are looked at */
void vt_window_init_view(VtWindow *self);
void vt_window_update_view(VtWindow *self);

/* vt-window-files.c: recent files, choosing, export */
void vt_window_init_files(VtWindow *self);
void vt_window_choose_slide(VtWindow *self);
void vt_window_choose_results_folder(VtWindow *self);
void vt_window_choose_rois_file(VtWindow *self);
void vt_window_export_results(VtWindow *self, const char *path);
void vt_window_export_rois(VtWindow *self, const char *path);

/* vt-window-layers.c: selecting objects */
void vt_window_init_layers(VtWindow *self);

/* vt-window-tabs.c */
void vt_window_init_tabs(VtWindow *self);
/* Title and subtitle of window and tabs. */
void vt_window_show_title(VtWindow *self);

void vt_window_toast(VtWindow *self, const char *sentence);

G_END_DECLS
