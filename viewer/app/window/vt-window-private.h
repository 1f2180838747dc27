/* SPDX-License-Identifier: MIT */
#pragma once
#include "panels/vt-colour-popover.h"
#include "canvas/vt-placeholder.h"
#include "panels/vt-stage-rail.h"
#include "window/vt-page.h"
#include "results/vt-session-file.h"
#include "run/vt-shapes.h"
#include "window/vt-window.h"

struct _VtWindow {
  AdwApplicationWindow parent;

  /* template */
  AdwWindowTitle *title;
  AdwSplitButton *open_button;
  AdwToastOverlay *toasts;
  AdwFlap *flap;
  AdwTabBar *tab_bar;
  AdwTabView *tab_view;
  VtPlaceholder *placeholder;
  VtStageRail *stage_rail;
  GtkStack *sidebar_stack, *roi_stack, *status_stack;
  GMenu *view_section;
  GtkWidget *sidebar_button, *regions_button;
  GtkMenuButton *colour_button;
  VtColourPopover *colour_popover;

  VtPage *page;              /* the selected one; borrowed, NULL only while there is no tab */
  guint n_opening, title_id; /* slides on their way; a source that says so in the title */
  guint n_asked, n_shown;    /* what was last asked for in one go, and what a slide has last come to the front of */
  guint asked_id;            /* a source: until it runs, what is asked for belongs together */
  gboolean opens_late;       /* one of them takes long */
  GString *unopened; /* why some of those that were asked for in one go cannot be opened: a line each; or NULL */
  guint unopened_of; /* that go */
  GQueue arrived;    /* Arrived: slides whose tab is not made yet */
  guint arrived_id;
  guint tab_id, n_tab_glances; /* a source that brings the tab of the page into sight, and how often it still will */
  gboolean minimap, stages;    /* wanted */
  VtRunOn run_on;              /* of all views */
  GCancellable *reading;       /* a file of shapes; or NULL */
  GCancellable *opening;       /* slides on their way; NULL: there are none, or they are being ended */
  int n_told;                  /* atomic: plain images among them that tell how far they are */
  char *session_path;          /* of the session file that it was saved to, or restored from; or NULL */
  char *session_state;         /* in which it left that file: vt_file_dup_state() */
};

/* What an action of the window does, where that is one call; it may name the `window` and the action's `parameter`. */
#define VT_ACT(name, call) \
  static void act_##name(GSimpleAction *action, GVariant *parameter, gpointer window) \
  { \
    call; \
  }

/* The active view; NULL only while there is no tab. */
VtPane *vt_window_get_pane(VtWindow *self);
/* VtPane of all tabs, owned. */
GPtrArray *vt_window_list_panes(VtWindow *self);
VtPage *vt_window_add_page(VtWindow *self);
/* Behind the others, with that title. */
VtPage *vt_window_add_page_behind(VtWindow *self, const char *title);
/* The first tab without a slide, or a new one. */
VtPage *vt_window_select_empty(VtWindow *self);
/* Of the slides on their way one more (TRUE), or one less. */
void vt_window_count_opening(VtWindow *self, gboolean begins);
/* The sidebar is there with a slide, or with one on its way. */
void vt_window_show_panels(VtWindow *self);

/* vt-window-actions.c */
void vt_window_init_actions(VtWindow *self);
void vt_window_update_actions(VtWindow *self);
/* vt-window-import.c: whether anything is read */
void vt_window_enable_cancel_reading(VtWindow *self);
/* Actions of the window, with a blank between two names. */
void vt_window_enable(VtWindow *self, const char *names, gboolean enabled);

/* vt-window-view.c: what changes how slides are looked at */
void vt_window_init_view(VtWindow *self);
void vt_window_update_view(VtWindow *self);

/* vt-window-files.c: recent files, choosing a slide */
void vt_window_init_files(VtWindow *self);
void vt_window_choose_slide(VtWindow *self);

/* vt-window-export.c. Nothing is replaced without a question, which says what is there. */
/* Of the active view; `path` is a folder, NULL: the person is asked for one. */
void vt_window_export_results(VtWindow *self, const char *path);
/* `path` is the table's file; NULL: the person is asked for one. The callback's result is for vt_window_save_regions_finish();
 * failures have been shown by then. */
void vt_window_save_regions_async(VtWindow *self, VtPane *pane, const char *path, GAsyncReadyCallback callback,
                                  gpointer user);
/* FALSE: they are not saved, the person thought better of it or was told why. */
gboolean vt_window_save_regions_finish(VtWindow *self, GAsyncResult *result);

/* vt-window-closing.c */
/* Asks about the regions of these views (VtPane) that no file has, view by view; `done` is called with FALSE if the person wants
 * to keep working, at once with TRUE if there is nothing to ask. Takes `panes`, which owns its elements. */
typedef void (*VtClosingDone)(VtWindow *self, gboolean go_on, gpointer user);
void vt_window_ask_unsaved(VtWindow *self, GPtrArray *panes, VtClosingDone done, gpointer user);
/* Says what the last step did, with a button that takes it back. */
void vt_window_toast_step(VtWindow *self, VtUndo *undo, const char *text);
void vt_window_init_closing(VtWindow *self);

/* vt-window-preview.c: exports, or where the result is a preview asks before. `path` NULL: the person is asked for one. */
typedef void (*VtWindowExport)(VtWindow *self, const char *path);
void vt_window_export_asking(VtWindow *self, const char *path, VtWindowExport export);

/* vt-window-layers.c: selecting objects */
extern const GActionEntry vt_window_layers_actions[];

/* vt-window-stages.c: changing a recipe by its stages */
extern const GActionEntry vt_window_stages_actions[];

/* vt-window-compare.c */
extern const GActionEntry vt_window_compare_actions[];
void vt_window_update_compare(VtWindow *self);

/* vt-window-snapshots.c */
extern const GActionEntry vt_window_snapshots_actions[];
/* Sets the op and its parameters, which it copies; a note says `sentence`, or with NULL what changes, and has a button that puts the former ones
 * back. */
void vt_window_adopt(VtWindow *self, VtPane *pane, const VtParams *params, const char *sentence);

/* vt-window-documents.c: pictures of the view, figures, reports */
extern const GActionEntry vt_window_documents_actions[];

/* vt-window-bundle.c: a folder for a colleague */
extern const GActionEntry vt_window_bundle_actions[];

/* vt-window-unpack.c: FALSE: by its name the file is no archive. */
gboolean vt_window_open_packed(VtWindow *self, const char *path);

/* vt-window-sequence.c: a replay as pictures */
extern const GActionEntry vt_window_sequence_actions[];

/* vt-window-layer-export.c: a layer's values as a file of pixels */
extern const GActionEntry vt_window_layer_export_actions[];

/* vt-window-outlines.c: of regions */
extern const GActionEntry vt_window_outlines_actions[];

/* vt-window-review.c */
extern const GActionEntry vt_window_review_actions[];
/* vt-window-lessons.c */
extern const GActionEntry vt_window_lessons_actions[];

/* vt-window-correct.c */
extern const GActionEntry vt_window_correct_actions[];
/* The selected objects of the active view. */
void vt_window_correct_delete(VtWindow *self);
/* vt-window-gates.c */
extern const GActionEntry vt_window_gates_actions[];

/* vt-window-player.c */
extern const GActionEntry vt_window_player_actions[];
extern const GActionEntry vt_window_texture_actions[];

/* vt-window-import.c */
void vt_window_init_import(VtWindow *self);
/* Reads what other programs drew on a worker, for the slide of the active view, and hands it to `taken`, which may change it. Failures are
 * shown. A second one ends the first. */
typedef void (*VtShapesTaken)(VtWindow *self, VtPane *pane, VtShapes *shapes);
void vt_window_read_shapes(VtWindow *self, const char *path, VtShapesTaken taken);
/* As regions of the active view. FALSE: the file is none by its name. */
gboolean vt_window_open_shapes(VtWindow *self, const char *path);
/* Asks for such a file, and activates the window's action `then` with its path. */
void vt_window_choose_shapes(VtWindow *self, const char *title, const char *then);

/* vt-window-why.c */
extern const GActionEntry vt_window_why_actions[];

/* vt-window-tabs.c */
void vt_window_init_tabs(VtWindow *self);
/* Title and subtitle of window and tabs. */
void vt_window_show_title(VtWindow *self);

/* vt-window-session.c */
extern const GActionEntry vt_window_session_actions[];
/* Adds its tabs that have slides. */
void vt_window_store(VtWindow *self, VtSessionFile *session);
/* In the background, beside what is open. `done`, which may be NULL, hears whether everything is there again; what is not is told in the
 * views. */
typedef void (*VtRestored)(VtWindow *self, gboolean is_whole);
void vt_window_restore(VtWindow *self, const char *path, VtRestored done);

void vt_window_toast(VtWindow *self, const char *sentence);
/* How it ended to save something: the sentence, or the error, but for one that says it was cancelled. For tests "KIND-saved WHAT" or "KIND-cancelled". */
void vt_window_tell_saved(VtWindow *self, const char *sentence, const char *kind, const char *what,
                          const GError *error);
/* vt-window-recipe.c. FALSE: the file is no recipe by its name. A broken one is told in the view. */
gboolean vt_window_open_recipe(VtWindow *self, const char *path);
/* vt-window-stains.c: the stain vectors of the shown analysis as the slide's colours tell them, when a worker has found them. */
void vt_window_estimate_stains(VtWindow *self);
/* vt-window-tissue.c: the pieces of tissue of the slide become regions of the active view. */
void vt_window_find_tissue(VtWindow *self);
/* Into the list of analyses, and chosen in this view. A broken one is told there. */
void vt_window_open_recipe_in(VtPane *pane, const char *path);
/* Where an op comes from that a person opened; NULL: of all others. Borrowed. */
const char *vt_window_get_recipe_path(const VitrailOp *op);
