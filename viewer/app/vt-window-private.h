/* SPDX-License-Identifier: MIT */
#pragma once
#include "vt-analysis.h"
#include "vt-canvas.h"
#include "vt-layer-list.h"
#include "vt-minimap.h"
#include "vt-param-panel.h"
#include "vt-roi-table.h"
#include "vt-run-panel.h"
#include "vt-window.h"

G_BEGIN_DECLS

struct _VtWindow {
  AdwApplicationWindow parent;

  /* template */
  AdwWindowTitle *title;
  AdwSplitButton *open_button;
  GtkToggleButton *hand_button, *rectangle_button;
  AdwToastOverlay *toasts;
  GtkRevealer *message_revealer;
  GtkLabel *message_label;
  GtkButton *retry_button;
  AdwFlap *flap;
  GtkStack *stack;
  AdwStatusPage *empty_page;
  VtCanvas *canvas;
  VtMinimap *minimap;
  VtRunPanel *run_panel;
  VtLayerList *layer_list;
  VtParamPanel *param_panel;
  VtRoiTable *roi_table;
  GtkLabel *position_label, *value_label, *zoom_label, *sharp_label, *run_label;
  GtkMenuButton *zoom_button;
  GMenu *view_section;
  GtkSpinner *spinner;
  GtkWidget *status_bar;

  /* owned */
  VtSlide *slide;
  VtAnalysis *analysis;
  GListStore *rois;
  GtkWidget *properties; /* weak: the window about the slide */
  guint n_rois_drawn;    /* names count on, also after a deletion */
  guint64 open_generation;
  double magnification, centre_x_l0, centre_y_l0; /* for the next slide */
  gboolean has_centre, opening;
};

/* vt-window-actions.c */
void vt_window_init_actions(VtWindow *self);
void vt_window_update_actions(VtWindow *self);

/* vt-window-view.c: magnifications, minimap, full screen, properties */
void vt_window_init_view(VtWindow *self);
/* After another slide came. */
void vt_window_update_view(VtWindow *self);

/* vt-window-files.c: drop, recent files, export */
void vt_window_init_files(VtWindow *self);
void vt_window_choose_slide(VtWindow *self);
void vt_window_choose_results_folder(VtWindow *self);
void vt_window_choose_rois_file(VtWindow *self);
void vt_window_export_results(VtWindow *self, const char *path);
void vt_window_export_rois(VtWindow *self, const char *path);

/* vt-window-layers.c: selecting objects, values under the pointer */
void vt_window_init_layers(VtWindow *self);

/* vt-window-status.c */
void vt_window_init_status(VtWindow *self);
void vt_window_follow_store(VtWindow *self);
void vt_window_show_title(VtWindow *self);
/* Stays until it is closed; `can_retry`: tiles could not be read. Also written to the test log. */
void vt_window_show_error(VtWindow *self, const char *sentence, gboolean can_retry);
void vt_window_hide_error(VtWindow *self);
void vt_window_toast(VtWindow *self, const char *sentence);

G_END_DECLS
