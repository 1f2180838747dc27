/* SPDX-License-Identifier: MIT
 *
 * A session file (*.vitrail, JSON): which slides were open, how they were looked at, with which analyses, layers and regions. Results are not in
 * it: they are made again. */
#pragma once
#include "run/vt-roi.h"

#define VT_SESSION_SUFFIX ".vitrail"

typedef struct {
  char *name;
  char *class_name, *color;                /* "#rrggbb"; or NULL */
  gboolean is_saved, is_locked, is_hidden; /* is_saved: in a file of regions */
  GPtrArray *rings, *lines, *points; /* GArray of double, x and y in turns; one of the three has something in it */
  VtMeasured *measured;              /* or NULL */
} VtSessionRegion;

typedef struct {
  char *stage; /* NULL: the slide */
  gboolean is_shown, is_outlined, is_locked;
  gboolean is_shared; /* its map is that of all slides */
  gboolean is_alone;  /* of its stages it is seen alone */
  double opacity;
  char *blend, *colormap, *measure; /* words; NULL: as the stage says */
  GArray *range, *threshold;        /* double: none or two. Empty: of its own accord; no limit */
} VtSessionLayer;

/* A label image whose objects an analysis measures. */
typedef struct {
  char *file, *file_path; /* as slide and slide_path of a view */
  double x, y, pixel;     /* VtLabelPlace */
  gboolean is_by_piece;
} VtSessionLabels;

/* A file whose objects an analysis shows. */
typedef struct {
  char *file, *file_path; /* as slide and slide_path of a view */
} VtSessionObjects;

typedef struct {
  char *op, *recipe;   /* recipe: the file that it came from, or NULL */
  char *recipe_text;   /* of a recipe that is being edited and is in no file; or NULL */
  GPtrArray *settings; /* char*: "threshold=0.2"; those that a person set */
  GPtrArray *labels;   /* VtSessionLabels: none or one */
  GPtrArray *objects;  /* VtSessionObjects: none or one */
} VtSessionAnalysis;

typedef struct {
  char *name, *op, *recipe, *recipe_text; /* as of an analysis */
  gboolean is_in_px;                      /* lengths, on a slide without a pixel size */
  GPtrArray *settings;                    /* as of an analysis */
} VtSessionSnapshot;

typedef struct {
  gint64 x, y; /* a level-0 pixel of an object */
  gboolean is_accepted, is_corrected;
} VtSessionVerdict;

typedef struct {
  GPtrArray *rings; /* as of a region */
} VtSessionOutline;

/* Of an object, by hand (vt-corrections.h). */
typedef struct {
  char *op, *kind;           /* kind: "deleted", "drawn" ... */
  GPtrArray *before, *after; /* VtSessionOutline */
} VtSessionCorrection;

typedef struct {
  char *name, *parent; /* parent NULL: all objects */
  char *color, *text;  /* "#rrggbb"; of a filter */
} VtSessionGate;

typedef struct {
  char *column;
  gint64 width; /* logical pixels */
} VtSessionWidth;

/* The tables below a view, of which that of objects and the plot beside it are told. Columns go by their names in files. */
typedef struct {
  char *page;                           /* "regions", "objects" or "classes"; NULL: the first */
  GPtrArray *columns, *hidden, *pinned; /* char*: all, in their order; those that are not shown; that stay first */
  GPtrArray *widths;                    /* VtSessionWidth: of those that a person made wider or narrower */
  char *sort, *filter, *gate;           /* the column that the rows go by; as typed; that is chosen. NULL: none */
  gboolean is_falling, has_gates, has_plot,
    has_bars;                   /* is_falling: the rows; has_...: is shown; bars: of percentiles */
  gboolean has_surroundings;    /* columns of neighbours and borders are made */
  char *plot_of, *plot_against; /* NULL against: a histogram, or is_parallel */
  gboolean is_parallel, is_log_of, is_log_against;
  GPtrArray *axes;               /* char*: of parallel axes */
  char *plot_choice, *plot_view; /* as filters: what is chosen on the plot, what is seen of it; or NULL: nothing, all */
} VtSessionTable;

/* Stages that are pinned, and the line between two. What a paused one showed is not kept. */
typedef struct {
  GPtrArray *stages; /* char*: A, then B if there is one */
  gboolean is_shown; /* the line is seen */
  gboolean is_difference, is_swapped, was_paused;
  double x, y;  /* the line's middle, parts of the picture's width and height */
  double angle; /* degrees, clockwise from upright */
  double share; /* of A on its side, 0..1 */
} VtSessionPins;

typedef struct {
  char *slide;                    /* path; absolute once it is read */
  char *slide_path;               /* the same, absolute, for a session file that was moved alone */
  char *hash;                     /* or NULL: not known */
  double x, y, downsample, angle; /* of the middle, level-0 pixels; downsample 0: the whole slide */
  gboolean is_mirrored, uses_profile, is_live;
  double brightness, contrast, gamma;
  char *op; /* NULL: the first */
  GPtrArray *analyses, *layers, *regions, *snapshots, *verdicts, *gates;
  GPtrArray *models;                      /* char*: of classes, each the text of a model file */
  char *intensity;                        /* classes by thresholds, as vt_intensity_to_text(); or NULL */
  gboolean is_by_thresholds, is_by_gates; /* what gives the objects their colours */
  gboolean is_classed_by_gates;           /* what gives them their classes */
  GPtrArray *table;                       /* VtSessionTable: none or one */
  GPtrArray *pins;                        /* VtSessionPins: none or one */
  GPtrArray *corrections;                 /* VtSessionCorrection, in their order */
  gboolean has_saved_corrections;         /* they are in a session that a person saved */
} VtSessionView;

typedef struct {
  GPtrArray *views; /* VtSessionView; 1, 2 or 4 */
  gint64 active;
  gboolean is_linked;
} VtSessionTab;

typedef struct {
  gint64 version, selected;
  gboolean has_sidebar, has_tables, has_minimap, has_stages;
  char *run_on;
  GPtrArray *tabs; /* VtSessionTab */
} VtSessionFile;

/* Empty ones, to be filled; what is put into them is owned by them. Lists are there. */
VtSessionFile *vt_session_file_new(void);
VtSessionTab *vt_session_file_add_tab(VtSessionFile *self);
VtSessionView *vt_session_tab_add_view(VtSessionTab *tab);
VtSessionAnalysis *vt_session_view_add_analysis(VtSessionView *view);
VtSessionLabels *vt_session_analysis_add_labels(VtSessionAnalysis *analysis);
VtSessionObjects *vt_session_analysis_add_objects(VtSessionAnalysis *analysis);
VtSessionLayer *vt_session_view_add_layer(VtSessionView *view);
VtSessionSnapshot *vt_session_view_add_snapshot(VtSessionView *view);
VtSessionVerdict *vt_session_view_add_verdict(VtSessionView *view);
VtSessionCorrection *vt_session_view_add_correction(VtSessionView *view);
/* Of a correction, one more; and as regions (VtRoi), owned. */
void vt_session_outlines_add(GPtrArray *outlines, const VtRoi *roi);
GPtrArray *vt_session_outlines_dup_rois(const GPtrArray *outlines);
VtSessionGate *vt_session_view_add_gate(VtSessionView *view);
VtSessionTable *vt_session_view_add_table(VtSessionView *view);
VtSessionPins *vt_session_view_add_pins(VtSessionView *view);
VtSessionWidth *vt_session_table_add_width(VtSessionTable *table);
void vt_session_view_add_region(VtSessionView *view, const VtRoi *roi, gboolean is_saved);
/* vt-session-region.c: into an empty one, and out of it. */
void vt_session_rings_fill(GPtrArray *rings, const VtRoi *roi);
void vt_session_region_fill(VtSessionRegion *region, const VtRoi *roi);
VtRoi *vt_session_region_dup_roi(const VtSessionRegion *region);
/* vt-session-paths.c: from the folder to the path, absolute where they have nothing in common, owned; and paths that are relative to the folder
 * become absolute. */
char *vt_session_dup_relative(const char *folder, const char *path);
void vt_session_file_find_files(VtSessionFile *self, const char *folder);
/* A region of it is in no file, or corrections that a person has not saved. */
gboolean vt_session_file_has_unsaved(const VtSessionFile *self);
void vt_session_file_free(VtSessionFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtSessionFile, vt_session_file_free)

/* As text. folder: that of the file, to which paths of slides are relative; NULL: they are absolute. Owned. */
char *vt_session_file_to_text(const VtSessionFile *self, const char *folder);
/* NULL and a sentence with line and column: what is not known, missing or out of range is refused by name. `name` is for errors. */
VtSessionFile *vt_session_file_parse(const char *text, const char *name, GError **error);
/* The same of a file. Paths become absolute: of two, the one where there is a file. Blocking. */
VtSessionFile *vt_session_file_read(const char *path, GError **error);
