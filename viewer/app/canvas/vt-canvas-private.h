/* SPDX-License-Identifier: MIT */
#pragma once
#include "canvas/vt-canvas.h"
#include "common/vt-motion.h"
#include "layers/vt-roi-item.h"
#include "run/vt-roi.h"

typedef enum {
  VT_DRAG_NONE,
  VT_DRAG_PAN,
  VT_DRAG_RECTANGLE,
  VT_DRAG_POLYGON,
  VT_DRAG_VERTEX,
  VT_DRAG_TURN,
  VT_DRAG_WIPE
} VtDrag;

typedef enum { VT_PINCH_OPEN, VT_PINCH_ZOOMS, VT_PINCH_TURNS } VtPinch;

typedef enum { VT_MOTION_NONE, VT_MOTION_EASE, VT_MOTION_GLIDE } VtMotion;

/* Parts of the widget on the picture that a hand can take. */
typedef enum { VT_WIPE_NOTHING, VT_WIPE_LINE, VT_WIPE_LEVER, VT_WIPE_ARC } VtWipePart;

typedef struct {
  GListModel *layers;                  /* VtLayer of the pin; NULL: there is none */
  GListModel *others;                  /* VtLayer of the other side; NULL: those of the canvas */
  char *pinned, *now;                  /* what the sides are */
  gboolean on, swapped, is_difference; /* is_difference: both over each other everywhere, without a line */
  gboolean paused;                     /* the pin keeps the picture that it has */
  gboolean has_area;                   /* which has no pixels beyond `area` (left, top, right, bottom, level 0) */
  double area[4];
  GtkEventController *keys; /* of the window, while it is on; or NULL */
  guint key;                /* while it is held the pin is shown alone; 0: none */
  double x, y;              /* where the line's middle is, parts of the width and the height */
  double angle;             /* degrees, clockwise from upright */
  double share;             /* of the pin on its side, 0..1 */
  VtWipePart taken, near;
  double grip_x, grip_y; /* the middle as it was when a hand took it */
} VtWipe;

typedef enum { VT_STACK_WHOLE, VT_STACK_SLIDE, VT_STACK_WITHOUT_SLIDE } VtStackPart;

/* A region that grows while a hand is down. */
typedef struct {
  VtRaster *raster; /* of the layer, owned; NULL: there is none, or it is an object's outline */
  gint64 col, row;  /* from where it grows */
  double value;     /* raw, there */
  gboolean is_scalar;
  double range;     /* of the layer's colours */
  double tolerance; /* in the unit of the layer, as it is now */
  const char *unit; /* borrowed */
  double share;     /* tolerance as a part of the range; stays. 0: nobody said one yet */
  char *what;       /* the layer's title; NULL: nothing is there */
  VtRoi *draft;
  char *failure;
  double x, y; /* where the hand came down, logical pixels */
} VtWand;

/* While what is drawn is for a document: VtLayer -> VtPainted, which stand for what the layers have for the screen. */
typedef struct {
  double scale; /* device pixels per logical pixel */
  GHashTable *pictures;
} VtCanvasRecording;

struct _VtCanvas {
  GtkWidget parent;
  const VtCanvasRecording *recording; /* borrowed; NULL: for the screen */

  /* borrowed or shared with the window */
  VtSlide *slide;
  GListModel *layers, *rois;
  GPtrArray *selected_rois; /* VtRoiItem; or NULL */

  /* owned */
  VtTileStore *store;
  VtViewport view;
  VtColourSettings colour;
  gint64 width_l0, height_l0;
  double mpp, objective_power;
  gboolean has_pixels;             /* something of the slide has come */
  gboolean has_painted;            /* and has been painted */
  gboolean unshown;                /* the view has changed, and no frame with it was asked for yet */
  gboolean fitted;                 /* stays fitted when the window changes its size */
  double wanted_downsample;        /* asked for before there was a size */
  double wanted_x_l0, wanted_y_l0; /* NaN: none */
  guint change_id;
  guint paint_id;
  gint64 painting_us;      /* since when this frame is being painted; 0: it is not */
  double paint_ms;         /* how long the last one took */
  gboolean by_card;        /* it was magnified by the graphics card */
  gboolean layers_changed; /* since the last one */
  gboolean uploads;        /* the graphics card has not all pictures yet */
  gboolean lacks_tiles;    /* nor all tiles of the slide that are there and seen */

  /* input */
  VtTool tool;
  guint move_key;          /* while it is held the slide moves, whatever the tool; 0: none */
  gboolean move_key_moved; /* and it has */
  gboolean bare;           /* while S is held, or Space: the slide without layers */
  gboolean rois_hidden, snaps;
  VtDrag drag;
  double last_x, last_y; /* logical pixels */
  double pointer_x, pointer_y;
  gboolean has_pointer;   /* it is over the canvas */
  GPtrArray *differences; /* VtDifference; or NULL */
  VtWipe wipe;
  int corner_height; /* vt_canvas_get_corner_height() */
  guint corner_id;   /* it is to be told */
  gboolean has_mark;
  double mark_x_l0, mark_y_l0;
  VtWand wand;
  GArray *outline; /* double x, y pairs, level 0: the vertices of an open polygon */
  gboolean freehand, began_by_hand;
  gboolean by_keys; /* what is drawn goes to the middle of the view, not to the pointer */
  VtShapeUse shape_use;
  VtRoi *reshaped;          /* the outline of which a hand holds a corner; NULL: none */
  VtRoiItem *reshaped_item; /* whose it is; owned */
  guint vertex;             /* the corner, of all rings; VT_ALL_VERTICES: a hand moves the outline */
  double grip_x, grip_y;    /* where it took that, level 0 */
  gboolean near_vertex;
  double draft_x0_l0, draft_y0_l0, draft_x1_l0, draft_y1_l0;
  VtViewport turn_view;               /* as it was when a hand began to turn it */
  VtViewport pinch_view;              /* as it was when two fingers took hold of it */
  double pinch_x, pinch_y;            /* where they were, logical pixels */
  double pinch_factor;                /* how far they went apart since */
  double pinch_turn, pinch_turn_from; /* how far round, degrees, and from where on it counts */
  VtPinch pinch;
  gboolean pinching;
  gboolean held;           /* by a hand on another widget */
  gboolean following, led; /* the view is another canvas's doing; and that one still moves */

  /* motion */
  VtMotion motion;
  VtViewport motion_from, motion_goal;
  gint64 motion_start_us;
  guint tick_id;
  VtFlick flick; /* logical pixels, as the speed */
  double glide_x_px_s, glide_y_px_s;
};

/* After any change of `view`: clamps it and tells everybody, once per frame. */
void vt_canvas_view_changed(VtCanvas *self);
/* What lies under the pointer may be another thing. */
void vt_canvas_emit_hover(VtCanvas *self);
/* Takes the shape. */
void vt_canvas_emit_roi(VtCanvas *self, VtRoi *roi);

/* vt-canvas-motion.c. Where the view is going; the view itself when it is not going anywhere. */
VtViewport vt_canvas_get_goal(VtCanvas *self);
/* Goes to a view, at once if animations are off or a hand is on the view. */
void vt_canvas_ease_to(VtCanvas *self, const VtViewport *goal);
/* Goes on at the speed of a hand that let go; logical pixels per second. */
void vt_canvas_glide(VtCanvas *self, double x_px_s, double y_px_s);
/* Stands still where it is. */
void vt_canvas_stop(VtCanvas *self);

/* vt-canvas-paint.c: at once; or when that is best for a view that has changed, and for tiles that have come. */
void vt_canvas_paint(VtCanvas *self);
void vt_canvas_paint_view(VtCanvas *self);
void vt_canvas_paint_arrivals(VtCanvas *self);
/* A frame is being painted; between realize and unrealize the watch tells when it is done. */
void vt_canvas_painting(VtCanvas *self);
void vt_canvas_watch_painting(VtCanvas *self);
void vt_canvas_unwatch_painting(VtCanvas *self);

/* Out of sight, and not any more. */
void vt_canvas_hide(VtCanvas *self);
void vt_canvas_unhide(VtCanvas *self);

void vt_canvas_init_input(VtCanvas *self);
void vt_canvas_class_init_input(GtkWidgetClass *widget_class);
void vt_canvas_update_cursor(VtCanvas *self);
/* Of what is being drawn: the size of the view in logical pixels. */
graphene_size_t vt_canvas_get_size(VtCanvas *self);
/* Slide, layers and replay; and what lies over them: differences, regions with their names, marks, the wipe's line. */
void vt_canvas_draw_picture(VtCanvas *self, GtkSnapshot *snapshot);
void vt_canvas_draw_overlay(VtCanvas *self, GtkSnapshot *snapshot);
/* Layers as the view shows them; what lies outside of `seen`, logical pixels of the canvas, may be left out. NULL: all is seen. */
void vt_canvas_draw_stack(VtCanvas *self, GtkSnapshot *snapshot, GListModel *layers, VtStackPart part,
                          const graphene_rect_t *seen);
/* White on dark, left and top as given. */
void vt_canvas_draw_label(GtkSnapshot *snapshot, PangoLayout *layout, float x, float y);
/* Draws again when one of them changes. */
void vt_canvas_watch_layers(VtCanvas *self, GListModel *layers);
void vt_canvas_unwatch_layers(VtCanvas *self, GListModel *layers);
void vt_canvas_notify_comparing(VtCanvas *self);

/* vt-canvas-tools.c: a hand draws with the tool, from a place in logical pixels on, with these modifiers held. */
void vt_canvas_begin_shape(VtCanvas *self, double x, double y, GdkModifierType keys);
void vt_canvas_pull_shape(VtCanvas *self, double x, double y);
/* `is_click`: it has not moved since. */
void vt_canvas_end_shape(VtCanvas *self, double x, double y, gboolean is_click);
/* Return closes an open polygon, Backspace takes its last vertex back, or one of the selected region that is under the pointer; Escape
 * drops what is being drawn, then the tool. FALSE: neither. */
gboolean vt_canvas_take_shape_key(VtCanvas *self, guint key);
void vt_canvas_drop_shape(VtCanvas *self);
/* The open end of a box that is drawn by keys goes where the view went. */
void vt_canvas_pull_to_middle(VtCanvas *self);
#define VT_BRUSH_PX 20 /* logical pixels: its radius, whatever the magnification */
/* What is being drawn, as it would be now, open at its end if it is a polygon; NULL: nothing. Owned. */
VtRoi *vt_canvas_dup_draft(VtCanvas *self);

/* vt-canvas-wand.c: the hand comes down, is pulled, goes up, which makes the region; its layer, value and tolerance beside it. */
void vt_canvas_begin_wand(VtCanvas *self, double x, double y);
void vt_canvas_pull_wand(VtCanvas *self, double x, double y);
void vt_canvas_end_wand(VtCanvas *self);
void vt_canvas_clear_wand(VtCanvas *self);
void vt_canvas_draw_wand(VtCanvas *self, GtkSnapshot *snapshot);

/* vt-canvas-rois.c: regions, lines and points, and what is being drawn; in which colour, and with what words beside it (owned): name, class, length, number. */
/* One of them: with all its corners, for what is saved; without those that no one could see; and with edges of four steps in place of 256, in half the time. */
typedef enum { VT_ROI_EXACT, VT_ROI_SEEN, VT_ROI_QUICK } VtRoiQuality;
void vt_canvas_draw_roi(GtkSnapshot *snapshot, const VtViewport *sheet, double scale, const VtRoi *roi,
                        const GdkRGBA *color, VtRoiQuality quality);
void vt_canvas_draw_rois(VtCanvas *self, GtkSnapshot *snapshot, const VtViewport *sheet, double scale);
void vt_canvas_draw_brush(VtCanvas *self, GtkSnapshot *snapshot, double scale);
/* A cross where a corner would be put by keys: while these draw, or no pointer can. */
void vt_canvas_draw_pen(VtCanvas *self, GtkSnapshot *snapshot);
GdkRGBA vt_canvas_get_roi_color(VtCanvas *self, VtRoiItem *item);
char *vt_canvas_dup_roi_words(VtCanvas *self, const VtRoi *roi);

/* vt-canvas-snap.c: a level-0 point goes to the nearest corner within reach of outlines that are seen, but for one region's (NULL: none), else to the
 * nearest point of an edge; nothing where that is not wanted. */
void vt_canvas_snap(VtCanvas *self, const VtRoiItem *except, double *x_l0, double *y_l0);

/* vt-canvas-vertices.c: the corners of the selected region; logical pixels. A hand takes one, or the middle of an edge, or the cross that moves all of it, FALSE: there is none;
 * pulls it; lets go of it, keep: where it is. */
#define VT_ALL_VERTICES G_MAXUINT
gboolean vt_canvas_is_on_vertex(VtCanvas *self, double x, double y);
gboolean vt_canvas_take_vertex(VtCanvas *self, double x, double y);
void vt_canvas_pull_vertex(VtCanvas *self, double x, double y);
void vt_canvas_let_go_of_vertex(VtCanvas *self, gboolean keep);
/* FALSE: there is none. */
gboolean vt_canvas_remove_vertex(VtCanvas *self, double x, double y);
void vt_canvas_draw_vertices(VtCanvas *self, GtkSnapshot *snapshot);

/* vt-canvas-wipe-keys.c: B held shows the pin, Shift+F brings the line to the pointer, P pauses the pin, W ends the wipe, while it is on and before these keys mean tools. */
void vt_canvas_watch_wipe_keys(VtCanvas *self, gboolean on);

/* vt-canvas-wipe.c */
void vt_canvas_init_wipe(VtCanvas *self);
void vt_canvas_clear_wipe(VtCanvas *self);
/* The layers of both sides; and over them the line with its handles and labels. */
void vt_canvas_draw_compared(VtCanvas *self, GtkSnapshot *snapshot);
void vt_canvas_draw_wipe(VtCanvas *self, GtkSnapshot *snapshot);
/* What a pointer would take; logical pixels. */
VtWipePart vt_canvas_find_wipe(VtCanvas *self, double x, double y);
/* A hand takes it, FALSE: there is nothing to take; pulls it; lets go. `in_steps`: turns by 15 degrees. */
gboolean vt_canvas_take_wipe(VtCanvas *self, double x, double y);
void vt_canvas_pull_wipe(VtCanvas *self, double x0, double y0, double dx, double dy, gboolean in_steps);
void vt_canvas_let_go_of_wipe(VtCanvas *self);
/* The pin is shown alone while a key is held; 0: it was let go. */
void vt_canvas_hold_pin(VtCanvas *self, guint key);
void vt_canvas_draw_differences(VtCanvas *self, GtkSnapshot *snapshot, const VtViewport *sheet, double scale);
/* vt-canvas-film.c */
/* Adds what the marks mean that are drawn now (VtLegendLine). */
void vt_canvas_add_differences_legend(VtCanvas *self, GPtrArray *lines);
void vt_canvas_draw_film(VtCanvas *self, GtkSnapshot *snapshot, const VtViewport *sheet, double scale);
void vt_canvas_draw_way(VtCanvas *self, GtkSnapshot *snapshot, const VtViewport *sheet, double scale);
/* vt-canvas-runs.c */
void vt_canvas_draw_runs(VtCanvas *self, GtkSnapshot *snapshot, const VtViewport *sheet, double scale);
void vt_canvas_draw_frames(VtCanvas *self, GtkSnapshot *snapshot, double scale);
void vt_canvas_snapshot(GtkWidget *widget, GtkSnapshot *snapshot);
