/* SPDX-License-Identifier: MIT */
#include "results/vt-session-keys.h"

#include "raster/vt-placed.h"

#define MAX_SIDE 1e12 /* level-0 pixels */

#define KIND(struct_, fields) \
  { \
    sizeof(struct_), G_N_ELEMENTS(fields), fields \
  }
#define AT(struct_, member) offsetof(struct_, member)

static const Field region_fields[] = {
  { "name", TEXT, AT(VtSessionRegion, name), .is_needed = TRUE },
  { "class", TEXT, AT(VtSessionRegion, class_name) },
  { "color", TEXT, AT(VtSessionRegion, color) },
  { "saved", FLAG, AT(VtSessionRegion, is_saved) },
  { "locked", FLAG, AT(VtSessionRegion, is_locked) },
  { "hidden", FLAG, AT(VtSessionRegion, is_hidden) },
  { "rings", RINGS, AT(VtSessionRegion, rings), -MAX_SIDE, MAX_SIDE, .is_one_of = TRUE },
  { "lines", RINGS, AT(VtSessionRegion, lines), -MAX_SIDE, MAX_SIDE, .least = 4, .is_one_of = TRUE },
  { "points", RINGS, AT(VtSessionRegion, points), -MAX_SIDE, MAX_SIDE, .least = 2, .is_one_of = TRUE },
  { "measurements", MEASURED, AT(VtSessionRegion, measured) },
};
static const Kind region_kind = KIND(VtSessionRegion, region_fields);

static const Field layer_fields[] = {
  { "stage", TEXT, AT(VtSessionLayer, stage) },
  { "shown", FLAG, AT(VtSessionLayer, is_shown) },
  { "outlined", FLAG, AT(VtSessionLayer, is_outlined) },
  { "locked", FLAG, AT(VtSessionLayer, is_locked) },
  { "same-in-all", FLAG, AT(VtSessionLayer, is_shared) },
  { "alone", FLAG, AT(VtSessionLayer, is_alone) },
  { "opacity", NUMBER, AT(VtSessionLayer, opacity), 0, 1 },
  { "blend", TEXT, AT(VtSessionLayer, blend) },
  { "colormap", TEXT, AT(VtSessionLayer, colormap) },
  { "measure", TEXT, AT(VtSessionLayer, measure) },
  { "range", NUMBERS, AT(VtSessionLayer, range), -1e300, 1e300 },
  { "threshold", NUMBERS, AT(VtSessionLayer, threshold), -1e300, 1e300 },
};
static const Kind layer_kind = KIND(VtSessionLayer, layer_fields);

static const Field labels_fields[] = {
  { "file", PATH, AT(VtSessionLabels, file), .is_needed = TRUE, .is_relative = TRUE },
  { "file-path", PATH, AT(VtSessionLabels, file_path) },
  { "x", NUMBER, AT(VtSessionLabels, x), -VT_LABEL_FARTHEST, VT_LABEL_FARTHEST, .is_needed = TRUE },
  { "y", NUMBER, AT(VtSessionLabels, y), -VT_LABEL_FARTHEST, VT_LABEL_FARTHEST, .is_needed = TRUE },
  { "pixel", NUMBER, AT(VtSessionLabels, pixel), VT_LABEL_LEAST_PIXEL, VT_LABEL_LARGEST_PIXEL, .is_needed = TRUE },
  { "pieces", FLAG, AT(VtSessionLabels, is_by_piece) },
};
static const Kind labels_kind = KIND(VtSessionLabels, labels_fields);

static const Field objects_fields[] = {
  { "file", PATH, AT(VtSessionObjects, file), .is_needed = TRUE, .is_relative = TRUE },
  { "file-path", PATH, AT(VtSessionObjects, file_path) },
};
static const Kind objects_kind = KIND(VtSessionObjects, objects_fields);

static const Field analysis_fields[] = {
  { "op", TEXT, AT(VtSessionAnalysis, op), .is_needed = TRUE },
  { "recipe", PATH, AT(VtSessionAnalysis, recipe) },
  { "recipe-text", TEXT, AT(VtSessionAnalysis, recipe_text) },
  { "settings", TEXTS, AT(VtSessionAnalysis, settings) },
  { "labels", LIST, AT(VtSessionAnalysis, labels), .max = 1, .of = &labels_kind },
  { "objects", LIST, AT(VtSessionAnalysis, objects), .max = 1, .of = &objects_kind },
};
static const Kind analysis_kind = KIND(VtSessionAnalysis, analysis_fields);

static const Field snapshot_fields[] = {
  { "name", TEXT, AT(VtSessionSnapshot, name), .is_needed = TRUE },
  { "op", TEXT, AT(VtSessionSnapshot, op), .is_needed = TRUE },
  { "recipe", PATH, AT(VtSessionSnapshot, recipe) },
  { "recipe-text", TEXT, AT(VtSessionSnapshot, recipe_text) },
  { "pixels", FLAG, AT(VtSessionSnapshot, is_in_px) },
  { "settings", TEXTS, AT(VtSessionSnapshot, settings) },
};
static const Kind snapshot_kind = KIND(VtSessionSnapshot, snapshot_fields);

static const Field verdict_fields[] = {
  { "x", WHOLE, AT(VtSessionVerdict, x), -MAX_SIDE, MAX_SIDE, .is_needed = TRUE },
  { "y", WHOLE, AT(VtSessionVerdict, y), -MAX_SIDE, MAX_SIDE, .is_needed = TRUE },
  { "accepted", FLAG, AT(VtSessionVerdict, is_accepted) },
  { "corrected", FLAG, AT(VtSessionVerdict, is_corrected) },
};
static const Kind verdict_kind = KIND(VtSessionVerdict, verdict_fields);

static const Field outline_fields[] = {
  { "rings", RINGS, AT(VtSessionOutline, rings), -MAX_SIDE, MAX_SIDE, .is_needed = TRUE },
};
static const Kind outline_kind = KIND(VtSessionOutline, outline_fields);

static const Field correction_fields[] = {
  { "op", TEXT, AT(VtSessionCorrection, op), .is_needed = TRUE },
  { "kind", TEXT, AT(VtSessionCorrection, kind), .is_needed = TRUE },
  { "before", LIST, AT(VtSessionCorrection, before), .of = &outline_kind },
  { "after", LIST, AT(VtSessionCorrection, after), .of = &outline_kind },
};
static const Kind correction_kind = KIND(VtSessionCorrection, correction_fields);

static const Field gate_fields[] = {
  { "name", TEXT, AT(VtSessionGate, name), .is_needed = TRUE },
  { "parent", TEXT, AT(VtSessionGate, parent) },
  { "color", TEXT, AT(VtSessionGate, color) },
  { "filter", TEXT, AT(VtSessionGate, text), .is_needed = TRUE },
};
static const Kind gate_kind = KIND(VtSessionGate, gate_fields);

static const Field width_fields[] = {
  { "column", TEXT, AT(VtSessionWidth, column), .is_needed = TRUE },
  { "width", WHOLE, AT(VtSessionWidth, width), 1, 10000, .is_needed = TRUE },
};
static const Kind width_kind = KIND(VtSessionWidth, width_fields);

static const Field table_fields[] = {
  { "page", TEXT, AT(VtSessionTable, page) },
  { "columns", TEXTS, AT(VtSessionTable, columns) },
  { "hidden", TEXTS, AT(VtSessionTable, hidden) },
  { "pinned", TEXTS, AT(VtSessionTable, pinned) },
  { "widths", LIST, AT(VtSessionTable, widths), .of = &width_kind },
  { "sort", TEXT, AT(VtSessionTable, sort) },
  { "falling", FLAG, AT(VtSessionTable, is_falling) },
  { "filter", TEXT, AT(VtSessionTable, filter) },
  { "gates", FLAG, AT(VtSessionTable, has_gates) },
  { "gate", TEXT, AT(VtSessionTable, gate) },
  { "surroundings", FLAG, AT(VtSessionTable, has_surroundings) },
  { "bars", FLAG, AT(VtSessionTable, has_bars) },
  { "plot", FLAG, AT(VtSessionTable, has_plot) },
  { "plot-of", TEXT, AT(VtSessionTable, plot_of) },
  { "plot-against", TEXT, AT(VtSessionTable, plot_against) },
  { "parallel", FLAG, AT(VtSessionTable, is_parallel) },
  { "log-of", FLAG, AT(VtSessionTable, is_log_of) },
  { "log-against", FLAG, AT(VtSessionTable, is_log_against) },
  { "axes", TEXTS, AT(VtSessionTable, axes) },
  { "plot-choice", TEXT, AT(VtSessionTable, plot_choice) },
  { "plot-view", TEXT, AT(VtSessionTable, plot_view) },
};
static const Kind table_kind = KIND(VtSessionTable, table_fields);

static const Field pins_fields[] = {
  { "stages", TEXTS, AT(VtSessionPins, stages), .is_needed = TRUE },
  { "shown", FLAG, AT(VtSessionPins, is_shown) },
  { "difference", FLAG, AT(VtSessionPins, is_difference) },
  { "swapped", FLAG, AT(VtSessionPins, is_swapped) },
  { "paused", FLAG, AT(VtSessionPins, was_paused) },
  { "x", NUMBER, AT(VtSessionPins, x), 0, 1, .is_needed = TRUE },
  { "y", NUMBER, AT(VtSessionPins, y), 0, 1, .is_needed = TRUE },
  { "angle", NUMBER, AT(VtSessionPins, angle), 0, 360, .is_needed = TRUE },
  { "share", NUMBER, AT(VtSessionPins, share), 0, 1, .is_needed = TRUE },
};
static const Kind pins_kind = KIND(VtSessionPins, pins_fields);

static const Field view_fields[] = {
  { "slide", PATH, AT(VtSessionView, slide), .is_needed = TRUE, .is_relative = TRUE },
  { "slide-path", PATH, AT(VtSessionView, slide_path) },
  { "hash", TEXT, AT(VtSessionView, hash) },
  { "x", NUMBER, AT(VtSessionView, x), -MAX_SIDE, MAX_SIDE },
  { "y", NUMBER, AT(VtSessionView, y), -MAX_SIDE, MAX_SIDE },
  { "downsample", NUMBER, AT(VtSessionView, downsample), 0, MAX_SIDE },
  { "angle", NUMBER, AT(VtSessionView, angle), 0, 360 },
  { "mirrored", FLAG, AT(VtSessionView, is_mirrored) },
  { "brightness", NUMBER, AT(VtSessionView, brightness), -1, 1 },
  { "contrast", NUMBER, AT(VtSessionView, contrast), -1, 1 },
  { "gamma", NUMBER, AT(VtSessionView, gamma), 0.2, 5 },
  { "profile", FLAG, AT(VtSessionView, uses_profile) },
  { "op", TEXT, AT(VtSessionView, op) },
  { "live", FLAG, AT(VtSessionView, is_live) },
  { "analyses", LIST, AT(VtSessionView, analyses), .of = &analysis_kind },
  { "layers", LIST, AT(VtSessionView, layers), .of = &layer_kind },
  { "regions", LIST, AT(VtSessionView, regions), .of = &region_kind },
  { "snapshots", LIST, AT(VtSessionView, snapshots), .max = 100, .of = &snapshot_kind },
  { "verdicts", LIST, AT(VtSessionView, verdicts), .of = &verdict_kind },
  { "models", TEXTS, AT(VtSessionView, models) },
  { "intensity", TEXT, AT(VtSessionView, intensity) },
  { "by-thresholds", FLAG, AT(VtSessionView, is_by_thresholds) },
  { "corrections", LIST, AT(VtSessionView, corrections), .of = &correction_kind },
  { "corrections-saved", FLAG, AT(VtSessionView, has_saved_corrections) },
  { "gates", LIST, AT(VtSessionView, gates), .max = 100, .of = &gate_kind },
  { "by-gates", FLAG, AT(VtSessionView, is_by_gates) },
  { "classes-by-gates", FLAG, AT(VtSessionView, is_classed_by_gates) },
  { "table", LIST, AT(VtSessionView, table), .max = 1, .of = &table_kind },
  { "pinned-stages", LIST, AT(VtSessionView, pins), .max = 1, .of = &pins_kind },
};
static const Kind view_kind = KIND(VtSessionView, view_fields);

static const Field tab_fields[] = {
  { "active", WHOLE, AT(VtSessionTab, active), 0, 3 },
  { "linked", FLAG, AT(VtSessionTab, is_linked) },
  { "views", LIST, AT(VtSessionTab, views), .max = 4, .of = &view_kind, .is_needed = TRUE },
};
static const Kind tab_kind = KIND(VtSessionTab, tab_fields);

static const Field file_fields[] = {
  { "vitrail-session", WHOLE, AT(VtSessionFile, version), VT_SESSION_VERSION, VT_SESSION_VERSION, .is_needed = TRUE },
  { "selected", WHOLE, AT(VtSessionFile, selected), 0, 1e6 },
  { "sidebar", FLAG, AT(VtSessionFile, has_sidebar) },
  { "tables", FLAG, AT(VtSessionFile, has_tables) },
  { "minimap", FLAG, AT(VtSessionFile, has_minimap) },
  { "stages", FLAG, AT(VtSessionFile, has_stages) },
  { "run-on", TEXT, AT(VtSessionFile, run_on) },
  { "tabs", LIST, AT(VtSessionFile, tabs), .max = 1000, .of = &tab_kind, .is_needed = TRUE },
};
const Kind vt_session_file_kind = KIND(VtSessionFile, file_fields);

/* --- objects --- */

static gpointer
object_new(const Kind *kind)
{
  gpointer object = g_malloc0(kind->size);
  for (guint i = 0; i < kind->n; i++) {
    const Field *field = &kind->fields[i];
    switch (field->type) {
    case NUMBERS: MEMBER(GArray *, object, field) = g_array_new(FALSE, FALSE, sizeof(double)); break;
    case TEXTS: MEMBER(GPtrArray *, object, field) = g_ptr_array_new_with_free_func(g_free); break;
    case RINGS:
      MEMBER(GPtrArray *, object, field) = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
      break;
    case LIST: MEMBER(GPtrArray *, object, field) = g_ptr_array_new(); break;
    default: break;
    }
  }
  if (kind == &layer_kind)
    ((VtSessionLayer *)object)->opacity = 1;
  if (kind == &view_kind)
    ((VtSessionView *)object)->gamma = 1;
  return object;
}

static void
object_free(const Kind *kind, gpointer object)
{
  for (guint i = 0; i < kind->n; i++) {
    const Field *field = &kind->fields[i];
    GPtrArray *list = field->type == LIST ? MEMBER(GPtrArray *, object, field) : NULL;
    for (guint j = 0; list && j < list->len; j++)
      object_free(field->of, list->pdata[j]);
    if (field->type == TEXT || field->type == PATH)
      g_free(MEMBER(char *, object, field));
    else if (field->type == NUMBERS)
      g_array_unref(MEMBER(GArray *, object, field));
    else if (field->type == MEASURED)
      g_clear_pointer(&MEMBER(VtMeasured *, object, field), vt_measured_unref);
    else if (field->type >= TEXTS)
      g_ptr_array_unref(MEMBER(GPtrArray *, object, field));
  }
  g_free(object);
}

gpointer
vt_session_list_add(GPtrArray *list, const Kind *kind)
{
  gpointer object = object_new(kind);
  g_ptr_array_add(list, object);
  return object;
}

VtSessionFile *
vt_session_file_new(void)
{
  VtSessionFile *self = object_new(&vt_session_file_kind);
  self->version = VT_SESSION_VERSION;
  return self;
}

#define ADDER(name, type, owner, list, kind) \
  type *name(owner *object) \
  { \
    return vt_session_list_add(object->list, &(kind)); \
  }
ADDER(vt_session_file_add_tab, VtSessionTab, VtSessionFile, tabs, tab_kind)
ADDER(vt_session_tab_add_view, VtSessionView, VtSessionTab, views, view_kind)
ADDER(vt_session_view_add_analysis, VtSessionAnalysis, VtSessionView, analyses, analysis_kind)
ADDER(vt_session_analysis_add_labels, VtSessionLabels, VtSessionAnalysis, labels, labels_kind)
ADDER(vt_session_analysis_add_objects, VtSessionObjects, VtSessionAnalysis, objects, objects_kind)
ADDER(vt_session_view_add_layer, VtSessionLayer, VtSessionView, layers, layer_kind)
ADDER(vt_session_view_add_snapshot, VtSessionSnapshot, VtSessionView, snapshots, snapshot_kind)
ADDER(vt_session_view_add_verdict, VtSessionVerdict, VtSessionView, verdicts, verdict_kind)
ADDER(vt_session_view_add_correction, VtSessionCorrection, VtSessionView, corrections, correction_kind)
ADDER(vt_session_view_add_gate, VtSessionGate, VtSessionView, gates, gate_kind)
ADDER(vt_session_view_add_table, VtSessionTable, VtSessionView, table, table_kind)
ADDER(vt_session_view_add_pins, VtSessionPins, VtSessionView, pins, pins_kind)
ADDER(vt_session_table_add_width, VtSessionWidth, VtSessionTable, widths, width_kind)

void
vt_session_outlines_add(GPtrArray *outlines, const VtRoi *roi)
{
  vt_session_rings_fill(((VtSessionOutline *)vt_session_list_add(outlines, &outline_kind))->rings, roi);
}

void
vt_session_view_add_region(VtSessionView *view, const VtRoi *roi, gboolean is_saved)
{
  VtSessionRegion *region = vt_session_list_add(view->regions, &region_kind);
  vt_session_region_fill(region, roi);
  region->is_saved = is_saved;
}

void
vt_session_file_free(VtSessionFile *self)
{
  object_free(&vt_session_file_kind, self);
}
