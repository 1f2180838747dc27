/* SPDX-License-Identifier: MIT
 *
 * Reading, writing and freeing go by one table of keys. */
#include "results/vt-session-file.h"

#include <math.h>
#include <string.h>

#include "base/vt-file-private.h"
#include "base/vt-json-places.h"
#include "raster/vt-placed.h"

#define LARGEST_MIB 256
#define VERSION 1
#define MAX_SIDE 1e12 /* level-0 pixels */

typedef enum { TEXT, PATH, FLAG, WHOLE, NUMBER, NUMBERS, TEXTS, RINGS, LIST } Type;

typedef struct Kind Kind;

typedef struct {
  const char *key;
  Type type;
  gsize offset;
  double min,
    max; /* of numbers; of NUMBERS: of each. Of LIST and RINGS, `max` is how many there may be, 0: any number */
  const Kind *of; /* LIST: of what */
  gboolean is_needed;
  guint least;        /* numbers of each of RINGS; 0: six, of three corners */
  gboolean is_one_of; /* of the fields that say so an object has one */
} Field;

struct Kind {
  gsize size;
  guint n;
  const Field *fields;
};

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
};
static const Kind region_kind = KIND(VtSessionRegion, region_fields);

static const Field layer_fields[] = {
  { "stage", TEXT, AT(VtSessionLayer, stage) },
  { "shown", FLAG, AT(VtSessionLayer, is_shown) },
  { "outlined", FLAG, AT(VtSessionLayer, is_outlined) },
  { "locked", FLAG, AT(VtSessionLayer, is_locked) },
  { "opacity", NUMBER, AT(VtSessionLayer, opacity), 0, 1 },
  { "blend", TEXT, AT(VtSessionLayer, blend) },
  { "colormap", TEXT, AT(VtSessionLayer, colormap) },
  { "measure", TEXT, AT(VtSessionLayer, measure) },
  { "range", NUMBERS, AT(VtSessionLayer, range), -1e300, 1e300 },
  { "threshold", NUMBERS, AT(VtSessionLayer, threshold), -1e300, 1e300 },
};
static const Kind layer_kind = KIND(VtSessionLayer, layer_fields);

static const Field labels_fields[] = {
  { "file", PATH, AT(VtSessionLabels, file), .is_needed = TRUE },
  { "file-path", PATH, AT(VtSessionLabels, file_path) },
  { "x", NUMBER, AT(VtSessionLabels, x), -VT_LABEL_FARTHEST, VT_LABEL_FARTHEST, .is_needed = TRUE },
  { "y", NUMBER, AT(VtSessionLabels, y), -VT_LABEL_FARTHEST, VT_LABEL_FARTHEST, .is_needed = TRUE },
  { "pixel", NUMBER, AT(VtSessionLabels, pixel), VT_LABEL_LEAST_PIXEL, VT_LABEL_LARGEST_PIXEL, .is_needed = TRUE },
  { "pieces", FLAG, AT(VtSessionLabels, is_by_piece) },
};
static const Kind labels_kind = KIND(VtSessionLabels, labels_fields);

static const Field analysis_fields[] = {
  { "op", TEXT, AT(VtSessionAnalysis, op), .is_needed = TRUE },
  { "recipe", PATH, AT(VtSessionAnalysis, recipe) },
  { "recipe-text", TEXT, AT(VtSessionAnalysis, recipe_text) },
  { "settings", TEXTS, AT(VtSessionAnalysis, settings) },
  { "labels", LIST, AT(VtSessionAnalysis, labels), .max = 1, .of = &labels_kind },
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

static const Field view_fields[] = {
  { "slide", PATH, AT(VtSessionView, slide), .is_needed = TRUE },
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
};
static const Kind view_kind = KIND(VtSessionView, view_fields);

static const Field tab_fields[] = {
  { "active", WHOLE, AT(VtSessionTab, active), 0, 3 },
  { "linked", FLAG, AT(VtSessionTab, is_linked) },
  { "views", LIST, AT(VtSessionTab, views), .max = 4, .of = &view_kind, .is_needed = TRUE },
};
static const Kind tab_kind = KIND(VtSessionTab, tab_fields);

static const Field file_fields[] = {
  { "vitrail-session", WHOLE, AT(VtSessionFile, version), VERSION, VERSION, .is_needed = TRUE },
  { "selected", WHOLE, AT(VtSessionFile, selected), 0, 1e6 },
  { "sidebar", FLAG, AT(VtSessionFile, has_sidebar) },
  { "tables", FLAG, AT(VtSessionFile, has_tables) },
  { "minimap", FLAG, AT(VtSessionFile, has_minimap) },
  { "stages", FLAG, AT(VtSessionFile, has_stages) },
  { "run-on", TEXT, AT(VtSessionFile, run_on) },
  { "tabs", LIST, AT(VtSessionFile, tabs), .max = 1000, .of = &tab_kind, .is_needed = TRUE },
};
static const Kind file_kind = KIND(VtSessionFile, file_fields);

#define MEMBER(type, object, field) (*(type *)(gpointer)((char *)(object) + (field)->offset))

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
    else if (field->type >= TEXTS)
      g_ptr_array_unref(MEMBER(GPtrArray *, object, field));
  }
  g_free(object);
}

static gpointer
add(GPtrArray *list, const Kind *kind)
{
  gpointer object = object_new(kind);
  g_ptr_array_add(list, object);
  return object;
}

VtSessionFile *
vt_session_file_new(void)
{
  VtSessionFile *self = object_new(&file_kind);
  self->version = VERSION;
  return self;
}

VtSessionTab *
vt_session_file_add_tab(VtSessionFile *self)
{
  return add(self->tabs, &tab_kind);
}

VtSessionView *
vt_session_tab_add_view(VtSessionTab *tab)
{
  return add(tab->views, &view_kind);
}

VtSessionAnalysis *
vt_session_view_add_analysis(VtSessionView *view)
{
  return add(view->analyses, &analysis_kind);
}

VtSessionLabels *
vt_session_analysis_add_labels(VtSessionAnalysis *analysis)
{
  return add(analysis->labels, &labels_kind);
}

VtSessionLayer *
vt_session_view_add_layer(VtSessionView *view)
{
  return add(view->layers, &layer_kind);
}

VtSessionSnapshot *
vt_session_view_add_snapshot(VtSessionView *view)
{
  return add(view->snapshots, &snapshot_kind);
}

VtSessionVerdict *
vt_session_view_add_verdict(VtSessionView *view)
{
  return add(view->verdicts, &verdict_kind);
}

VtSessionCorrection *
vt_session_view_add_correction(VtSessionView *view)
{
  return add(view->corrections, &correction_kind);
}

void
vt_session_outlines_add(GPtrArray *outlines, const VtRoi *roi)
{
  vt_session_rings_fill(((VtSessionOutline *)add(outlines, &outline_kind))->rings, roi);
}

VtSessionGate *
vt_session_view_add_gate(VtSessionView *view)
{
  return add(view->gates, &gate_kind);
}

void
vt_session_view_add_region(VtSessionView *view, const VtRoi *roi, gboolean is_saved)
{
  VtSessionRegion *region = add(view->regions, &region_kind);
  vt_session_region_fill(region, roi);
  region->is_saved = is_saved;
}

void
vt_session_file_free(VtSessionFile *self)
{
  object_free(&file_kind, self);
}

/* --- writing --- */

static void
add_numbers(JsonBuilder *builder, const GArray *numbers)
{
  json_builder_begin_array(builder);
  for (guint i = 0; i < numbers->len; i++)
    json_builder_add_double_value(builder, g_array_index(numbers, double, i));
  json_builder_end_array(builder);
}

static void
add_path(JsonBuilder *builder, const char *path)
{
  g_autofree char *text = vt_path_dup_text(path);
  json_builder_add_string_value(builder, text);
}

static void write_object(JsonBuilder *builder, const Kind *kind, gconstpointer object, const char *folder);

static void
write_list(JsonBuilder *builder, const Field *field, const GPtrArray *list, const char *folder)
{
  json_builder_begin_array(builder);
  for (guint i = 0; i < list->len; i++) {
    if (field->type == LIST)
      write_object(builder, field->of, list->pdata[i], folder);
    else if (field->type == RINGS)
      add_numbers(builder, list->pdata[i]);
    else
      json_builder_add_string_value(builder, list->pdata[i]);
  }
  json_builder_end_array(builder);
}

static void
write_field(JsonBuilder *builder, const Field *field, gconstpointer object, const char *folder)
{
  switch (field->type) {
  case TEXT: json_builder_add_string_value(builder, MEMBER(const char *, object, field)); break;
  case PATH: add_path(builder, MEMBER(const char *, object, field)); break;
  case FLAG: json_builder_add_boolean_value(builder, MEMBER(gboolean, object, field)); break;
  case WHOLE: json_builder_add_int_value(builder, MEMBER(gint64, object, field)); break;
  case NUMBER: json_builder_add_double_value(builder, MEMBER(double, object, field)); break;
  case NUMBERS: add_numbers(builder, MEMBER(const GArray *, object, field)); break;
  default: write_list(builder, field, MEMBER(const GPtrArray *, object, field), folder); break;
  }
}

static gboolean
is_empty(const Field *field, gconstpointer object)
{
  switch (field->type) {
  case TEXT:
  case PATH: return !MEMBER(const char *, object, field);
  case NUMBERS: return MEMBER(const GArray *, object, field)->len == 0;
  case TEXTS:
  case RINGS:
  case LIST: return MEMBER(const GPtrArray *, object, field)->len == 0 && !field->is_needed;
  default: return FALSE;
  }
}

static void
write_object(JsonBuilder *builder, const Kind *kind, gconstpointer object, const char *folder)
{
  json_builder_begin_object(builder);
  for (guint i = 0; i < kind->n; i++) {
    const Field *field = &kind->fields[i];
    if (is_empty(field, object))
      continue;
    json_builder_set_member_name(builder, field->key);
    if (folder && (field == &view_fields[0] || field == &labels_fields[0])) { /* paths */
      g_autofree char *path = vt_session_dup_relative(folder, MEMBER(const char *, object, field));
      add_path(builder, path);
    } else {
      write_field(builder, field, object, folder);
    }
  }
  json_builder_end_object(builder);
}

char *
vt_session_file_to_text(const VtSessionFile *self, const char *folder)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();
  GString *text = g_string_new(NULL);
  g_autofree char *canonical = folder ? g_canonicalize_filename(folder, NULL) : NULL;
  write_object(builder, &file_kind, self, canonical);
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  vt_text_append_json(text, root, 0);
  g_string_append_c(text, '\n');
  return g_string_free(text, FALSE);
}

/* --- reading --- */

typedef VtJsonReader Reader;

static gboolean
to_number(JsonNode *node, const Field *field, double *number)
{
  if (!vt_json_get_number(node, number) || !(*number >= field->min && *number <= field->max))
    return FALSE;
  *number += 0.0; /* minus zero is written as an integer, which has none */
  return TRUE;
}

static gboolean
read_numbers(const Field *field, JsonNode *node, GArray *numbers)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  for (guint i = 0; array && i < json_array_get_length(array); i++) {
    double number = 0;
    if (!to_number(json_array_get_element(array, i), field, &number))
      return FALSE;
    g_array_append_val(numbers, number);
  }
  return array != NULL;
}

/* Closed polygons of three corners at least, lines of two, or points. */
static gboolean
read_rings(const Reader *r, const Field *field, JsonArray *array, const char *pointer, GPtrArray *rings)
{
  for (guint i = 0; i < json_array_get_length(array); i++) {
    GArray *ring = g_array_new(FALSE, FALSE, sizeof(double));
    g_ptr_array_add(rings, ring);
    const guint least = field->least > 0 ? field->least : 6;
    if (!read_numbers(field, json_array_get_element(array, i), ring) || ring->len < least || ring->len % 2 != 0)
      return vt_json_fail(r, pointer, "“%s” takes lists of at least %s numbers, x and y of each %s.", field->key,
                          least == 6   ? "six"
                          : least == 4 ? "four"
                                       : "two",
                          least == 6 ? "corner" : "point");
  }
  return rings->len > 0 || vt_json_fail(r, pointer, "“%s” is empty.", field->key);
}

static gboolean read_object(const Reader *r, const Kind *kind, JsonNode *node, const char *pointer, gpointer object);

static gboolean
read_list(const Reader *r, const Field *field, JsonNode *node, const char *pointer, GPtrArray *list)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  if (!array)
    return vt_json_fail(r, pointer, "“%s” takes a list.", field->key);
  if (field->type == RINGS)
    return read_rings(r, field, array, pointer, list);
  if (field->type == LIST && field->max > 0 && json_array_get_length(array) > field->max)
    return vt_json_fail(r, pointer, "“%s” takes %g at most.", field->key, field->max);
  for (guint i = 0; i < json_array_get_length(array); i++) {
    JsonNode *element = json_array_get_element(array, i);
    g_autofree char *own = g_strdup_printf("%s/%u", pointer, i);
    if (field->type == LIST && !read_object(r, field->of, element, own, add(list, field->of)))
      return FALSE;
    if (field->type == TEXTS && !vt_json_is_of(element, G_TYPE_STRING))
      return vt_json_fail(r, own, "“%s” takes texts.", field->key);
    if (field->type == TEXTS)
      g_ptr_array_add(list, g_strdup(json_node_get_string(element)));
  }
  return TRUE;
}

static gboolean
read_field(const Reader *r, const Field *field, JsonNode *node, const char *pointer, gpointer object)
{
  double number = 0;
  switch (field->type) {
  case TEXT:
  case PATH:
    if (!vt_json_is_of(node, G_TYPE_STRING))
      return vt_json_fail(r, pointer, "“%s” takes a text.", field->key);
    MEMBER(char *, object, field) =
      field->type == PATH ? vt_path_dup_of_text(json_node_get_string(node)) : g_strdup(json_node_get_string(node));
    return TRUE;
  case FLAG:
    if (!vt_json_is_of(node, G_TYPE_BOOLEAN))
      return vt_json_fail(r, pointer, "“%s” takes true or false.", field->key);
    MEMBER(gboolean, object, field) = json_node_get_boolean(node);
    return TRUE;
  case WHOLE:
    if (!to_number(node, field, &number) || number != floor(number))
      return vt_json_fail(r, pointer, "“%s” takes a whole number from %g to %g.", field->key, field->min, field->max);
    MEMBER(gint64, object, field) = (gint64)number;
    return TRUE;
  case NUMBER:
    return to_number(node, field, &MEMBER(double, object, field))
           || vt_json_fail(r, pointer, "“%s” takes a number from %g to %g.", field->key, field->min, field->max);
  case NUMBERS:
    return (read_numbers(field, node, MEMBER(GArray *, object, field)) && MEMBER(GArray *, object, field)->len == 2)
           || vt_json_fail(r, pointer, "“%s” takes a list of two numbers.", field->key);
  default: return read_list(r, field, node, pointer, MEMBER(GPtrArray *, object, field));
  }
}

static const Field *
find_field(const Kind *kind, const char *key)
{
  for (guint i = 0; i < kind->n; i++)
    if (g_str_equal(kind->fields[i].key, key))
      return &kind->fields[i];
  return NULL;
}

static gboolean
has_needed(const Reader *r, const Kind *kind, JsonObject *json, const char *pointer)
{
  const char *one = NULL, *first = NULL;
  for (guint i = 0; i < kind->n; i++) {
    const Field *field = &kind->fields[i];
    const gboolean is_there = json_object_has_member(json, field->key);
    if (field->is_needed && !is_there)
      return vt_json_fail(r, pointer, "“%s” is missing.", field->key);
    if (field->is_one_of && one && is_there)
      return vt_json_fail(r, pointer, "There can be “%s” or “%s”, not both.", one, field->key);
    if (field->is_one_of) {
      first = first ? first : field->key;
      one = is_there ? field->key : one;
    }
  }
  return one || !first || vt_json_fail(r, pointer, "“%s” is missing.", first);
}

static gboolean
read_object(const Reader *r, const Kind *kind, JsonNode *node, const char *pointer, gpointer object)
{
  if (!JSON_NODE_HOLDS_OBJECT(node))
    return vt_json_fail(r, pointer, "There must be an object here.");
  JsonObject *json = json_node_get_object(node);
  g_autoptr(GList) keys = json_object_get_members(json);
  for (GList *link = keys; link; link = link->next) {
    const Field *field = find_field(kind, link->data);
    g_autofree char *own = g_strdup_printf("%s/%s", pointer, (const char *)link->data);
    if (!field)
      return vt_json_fail(r, own, "“%s” is not known here.", (const char *)link->data);
    if (!read_field(r, field, json_object_get_member(json, link->data), own, object))
      return FALSE;
  }
  return has_needed(r, kind, json, pointer);
}

/* A newer program's file may hold anything; it is refused for that alone. */
static gboolean
check_version(const Reader *r, JsonNode *root)
{
  JsonObject *json = JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  JsonNode *version = json ? json_object_get_member(json, file_fields[0].key) : NULL;
  if (!version)
    return vt_json_fail(r, "", "This is no session of Vitrail: “%s” is missing.", file_fields[0].key);
  if (vt_json_is_of(version, G_TYPE_INT64) && json_node_get_int(version) > VERSION)
    return vt_json_fail(r, "", "This session is of version %" G_GINT64_FORMAT ", and this program reads version %d.",
                        json_node_get_int(version), VERSION);
  return TRUE;
}

VtSessionFile *
vt_session_file_parse(const char *text, const char *name, GError **error)
{
  g_autoptr(JsonParser) parser = NULL;
  g_autoptr(GHashTable) places = NULL;
  if (!vt_json_parse(text, name, &parser, &places, error))
    return NULL;
  const Reader r = { name, places, error };
  g_autoptr(VtSessionFile) self = object_new(&file_kind);
  JsonNode *root = json_parser_get_root(parser);
  return check_version(&r, root) && read_object(&r, &file_kind, root, "", self) ? g_steal_pointer(&self) : NULL;
}

VtSessionFile *
vt_session_file_read(const char *path, GError **error)
{
  g_autofree char *name = g_filename_display_basename(path);
  g_autofree char *absolute = g_canonicalize_filename(path, NULL), *folder = g_path_get_dirname(absolute);
  g_autofree char *text = vt_json_load_text(path, "session", LARGEST_MIB, error);
  if (!text)
    return NULL;
  VtSessionFile *self = vt_session_file_parse(text, name, error);
  if (self)
    vt_session_file_find_files(self, folder);
  return self;
}
