/* SPDX-License-Identifier: MIT
 *
 * The picture in the middle: slide, layers, regions, scale bar. Drag pans, wheel and pinch zoom at the pointer.
 *
 * Properties: "tool", "comparing" (read only: vt_canvas_get_comparing()). Signals: "view-changed" (once per frame, also when a drag begins and ends), "view-shown" (a frame with it was
 * asked for: what is drawn from the view changes now, since any frame before would keep tiles from being decoded), "hover"
 * (double x_l0, double y_l0, gboolean inside; also when what lies under a pointer that rests has changed), "painted" (a slide's first pixels), "colour" (vt_canvas_get_colour() is new), "corner" (vt_canvas_get_corner_height() is new), "roi-drawn" (VtRoi, borrowed,
 * without a name; VtShapeUse), "roi-reshaped" (VtRoiItem, VtRoi: its new outline, both borrowed), "failed" (a sentence: why what was drawn is no region). */
#pragma once
#include <gtk/gtk.h>

#include "common/vt-colour.h"
#include "layers/vt-painted.h"
#include "slide/vt-slide.h"
#include "common/vt-tile-store.h"
#include "common/vt-viewport.h"

/* A line and points have no area. The last three draw what corrects objects: an outline, one in the place of another, a line that divides one. */
typedef enum {
  VT_TOOL_MOVE,
  VT_TOOL_RECTANGLE,
  VT_TOOL_POLYGON,
  VT_TOOL_ELLIPSE,
  VT_TOOL_BRUSH,
  VT_TOOL_WAND,
  VT_TOOL_LINE,
  VT_TOOL_POINTS,
  VT_TOOL_OBJECT,
  VT_TOOL_REDRAW,
  VT_TOOL_SPLIT,
  VT_N_TOOLS
} VtTool;

/* What is drawn is a region of its own, or with Shift or Alt a part of the selected one; or it corrects objects: by an
 * area, or a line. */
typedef enum {
  VT_SHAPE_IS_NEW,
  VT_SHAPE_ADDS,
  VT_SHAPE_TAKES_AWAY,
  VT_SHAPE_IS_OBJECT,
  VT_SHAPE_REDRAWS,
  VT_SHAPE_SPLITS
} VtShapeUse;

#define VT_TYPE_CANVAS (vt_canvas_get_type())
G_DECLARE_FINAL_TYPE(VtCanvas, vt_canvas, VT, CANVAS, GtkWidget)

/* Shows the whole slide; drops what was read of the old one. */
void vt_canvas_set_slide(VtCanvas *self, VtSlide *slide);
VtTileStore *vt_canvas_get_store(VtCanvas *self);              /* borrowed; NULL without a slide */
void vt_canvas_set_layers(VtCanvas *self, GListModel *layers); /* VtLayer */
void vt_canvas_set_rois(VtCanvas *self, GListModel *rois);     /* VtRoiItem */
/* Whether regions are drawn. */
gboolean vt_canvas_get_rois_shown(VtCanvas *self);
void vt_canvas_set_rois_shown(VtCanvas *self, gboolean shown);
/* VtRoiItem, drawn in the colour of what is selected; kept. */
void vt_canvas_set_selected_rois(VtCanvas *self, GPtrArray *items);
const VtViewport *vt_canvas_get_view(VtCanvas *self);
gboolean vt_canvas_get_moving(VtCanvas *self);
/* The slide is shown, and nothing of the present view is missing. */
gboolean vt_canvas_get_sharp(VtCanvas *self);
const VtColourSettings *vt_canvas_get_colour(VtCanvas *self);
void vt_canvas_set_colour(VtCanvas *self, const VtColourSettings *settings); /* copied */
VtTool vt_canvas_get_tool(VtCanvas *self);
void vt_canvas_set_tool(VtCanvas *self, VtTool tool);
/* A region has begun and is not closed. */
gboolean vt_canvas_is_drawing(VtCanvas *self);
/* Gives up what is being drawn, else goes back to the tool that moves, else ends the wipe. FALSE: there was none of them. */
gboolean vt_canvas_escape(VtCanvas *self);
/* By keys: the tool puts a corner at the middle of the view, or draws there at once; a box has two. FALSE: there is nothing to draw with. */
gboolean vt_canvas_put_corner(VtCanvas *self);

/* Layers show another result: the next frame begins now. */
void vt_canvas_hurry(VtCanvas *self);

/* Where the pointer is, or was last, else the middle of the view; level-0 pixels, which may lie beside the slide. */
void vt_canvas_get_pointed(VtCanvas *self, double *x_l0, double *y_l0);
/* A cross that marks a point. */
void vt_canvas_set_mark(VtCanvas *self, gboolean shown, double x_l0, double y_l0);
/* Level-0 x,y pairs (double), drawn as a line over the layers, with a ring round its end; kept; NULL: none. */
void vt_canvas_set_trace(VtCanvas *self, GArray *points);
/* The outline of the pixels of which a line of an answer speaks; NULL: none. Copied. */
void vt_canvas_set_spoken_of(VtCanvas *self, const VtRoi *outline);
/* A replay, drawn over the layers, faint where it is stale; kept; NULL: none. */
void vt_canvas_set_film(VtCanvas *self, VtPainted *film, gboolean is_stale);
gboolean vt_canvas_has_film(VtCanvas *self);
/* The same over the replay, as long as there is one. */
void vt_canvas_set_way(VtCanvas *self, GArray *points);
/* Pixels of runs of grey levels, drawn over the layers, faint where they are stale; kept; NULL: none. */
void vt_canvas_set_runs(VtCanvas *self, VtPainted *runs, gboolean is_stale);
/* A rectangle of level-0 pixels (left, top, right, bottom) that is framed as "A" or "B"; copied; NULL: none. */
#define VT_CANVAS_FRAMES 2
void vt_canvas_set_frame(VtCanvas *self, guint which, const double box_l0[4]);
/* VtDifference, drawn over the layers; kept; NULL: none. */
void vt_canvas_set_differences(VtCanvas *self, GPtrArray *differences);
/* Draws the path as the outline of a VtFate. */
void vt_canvas_stroke_difference(cairo_t *cr, guint fate);
/* GPtrArray of VtDifference of each reason, drawn over the layers, each in a hue and dashes of its own, whatever their fates; kept; NULL: none.
 * `words` (char*): what the reasons are, for legends; kept. */
void vt_canvas_set_refused(VtCanvas *self, GPtrArray *reasons, GPtrArray *words);
/* VtDifference, drawn over the layers in dashes, whatever their fates: outlines that are of no object any more; kept; NULL: none. */
void vt_canvas_set_lost(VtCanvas *self, GPtrArray *outlines);
/* Draws the path as an outline of that reason; after the last of the looks they begin again. */
void vt_canvas_stroke_refused(cairo_t *cr, guint reason);

/* Layers that `others` can be compared with, the pin (VtLayer, with the slide of the canvas as the lowest); kept; NULL: none, which ends
 * the wipe. `others` NULL: the layers of the canvas. Ends a pause. */
void vt_canvas_set_pin(VtCanvas *self, GListModel *layers, GListModel *others);
/* Left, top, right, bottom (level 0) of what a paused pin has pixels of: the rest of its side is hatched; copied; NULL: it has them
 * everywhere. */
void vt_canvas_set_pin_area(VtCanvas *self, const double box_l0[4]);
/* What these and the layers of the canvas are, as the picture says it beside the line. */
void vt_canvas_set_side_words(VtCanvas *self, const char *pinned, const char *now);
/* The pin's layers are drawn on one side of a line, or everywhere while a key is held. */
gboolean vt_canvas_get_comparing(VtCanvas *self);
/* What is seen there is of other parameters than those of now. */
gboolean vt_canvas_shows_pin_at(VtCanvas *self, double x_l0, double y_l0);
/* The layers that are drawn there; borrowed. */
GListModel *vt_canvas_get_layers_at(VtCanvas *self, double x_l0, double y_l0);
/* Corners of rectangles and polygons, drawn by clicks or dragged, snap to outlines nearby. */
gboolean vt_canvas_get_snaps(VtCanvas *self);
void vt_canvas_set_snaps(VtCanvas *self, gboolean snaps);
/* The line: on, with a pin only; moved across itself by logical pixels (right or down), turned clockwise, with more or less of the pin on its
 * side (0..1 in all), sides exchanged, its middle brought to the pointer, else to the middle of the view. */
gboolean vt_canvas_get_wipe(VtCanvas *self);
void vt_canvas_set_wipe(VtCanvas *self, gboolean on);
/* The pin keeps the picture that it has, until this or the wipe ends. Nothing happens without the wipe. */
gboolean vt_canvas_get_wipe_paused(VtCanvas *self);
void vt_canvas_set_wipe_paused(VtCanvas *self, gboolean paused);
/* Where the line is and what it shows, as a session keeps it. */
typedef struct {
  gboolean is_on, is_difference, is_swapped;
  double x, y;  /* of its middle, parts of the width and the height */
  double angle; /* degrees, clockwise from upright */
  double share; /* of the pin on its side, 0..1 */
} VtWipePlace;
VtWipePlace vt_canvas_get_wipe_place(VtCanvas *self);
/* On, with a pin only. */
void vt_canvas_set_wipe_place(VtCanvas *self, const VtWipePlace *place);
void vt_canvas_move_wipe(VtCanvas *self, double px);
void vt_canvas_turn_wipe(VtCanvas *self, double degrees);
void vt_canvas_dissolve_wipe(VtCanvas *self, double step);
void vt_canvas_swap_wipe(VtCanvas *self);
void vt_canvas_centre_wipe(VtCanvas *self);
/* Of the wipe: the absolute difference of both pictures everywhere in place of the line, or the line again. */
void vt_canvas_toggle_difference(VtCanvas *self);

/* How far scale and legend reach up from the lower left corner, logical pixels. */
int vt_canvas_get_corner_height(VtCanvas *self);
/* What the colours mean that are drawn over the slide (VtLegendLine), the uppermost first; owned. */
GPtrArray *vt_canvas_list_legend(VtCanvas *self);

void vt_canvas_fit(VtCanvas *self);
/* About the middle; factor > 1 enlarges. */
void vt_canvas_zoom_by(VtCanvas *self, double factor);
/* Level-0 pixels per device pixel; 0 leaves it as it is. Before the window has its size, it is done as soon as it has. */
void vt_canvas_set_downsample(VtCanvas *self, double downsample);
/* Clockwise, about the middle; a slide that fits goes on fitting. */
void vt_canvas_turn(VtCanvas *self, double degrees);
void vt_canvas_mirror(VtCanvas *self); /* left and right as they are seen */
void vt_canvas_set_upright(VtCanvas *self);
void vt_canvas_centre_on(VtCanvas *self, double x_l0, double y_l0);
/* The calls above go there smoothly; this ends the way at once. */
void vt_canvas_finish(VtCanvas *self);
/* A hand on another widget moves the view: it counts as moving until let go, and follows without delay. */
void vt_canvas_set_held(VtCanvas *self, gboolean held);

/* The whole slide is shown, whatever the size. */
gboolean vt_canvas_get_fitted(VtCanvas *self);
/* Middle, downsample (0: the whole slide), angle and side, at once or as soon as it has its size. */
void vt_canvas_set_view(VtCanvas *self, const VtViewport *view);
/* Shows what another canvas of the same slide shows, as soon as it has its size. */
void vt_canvas_copy_view(VtCanvas *self, VtCanvas *other);
/* Shows what another canvas led it to, at once; until something else moves it, it is a follower. */
void vt_canvas_follow(VtCanvas *self, const VtViewport *view, gboolean moving);
gboolean vt_canvas_is_following(VtCanvas *self);
