/* SPDX-License-Identifier: MIT */
#include "layers/vt-gate.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "base/vt-define.h"

VtGate *
vt_gate_new(const char *name, const char *parent, const char *text, gint32 color)
{
  VtGate *self = g_atomic_rc_box_new0(VtGate);
  *self = (VtGate){ g_strdup(name), g_strdup(parent), g_strdup(text ? text : ""), color };
  return self;
}

static void
clear(gpointer data)
{
  VtGate *self = data;
  g_free(self->name);
  g_free(self->parent);
  g_free(self->text);
}

VT_DEFINE_REF(VtGate, vt_gate, clear)

/* --- lists --- */

static const VtGate *
get(const GPtrArray *gates, guint place)
{
  return gates->pdata[place];
}

gint
vt_gate_list_find(const GPtrArray *gates, const char *name)
{
  for (guint i = 0; name && i < gates->len; i++)
    if (g_str_equal(get(gates, i)->name, name))
      return (gint)i;
  return -1;
}

guint
vt_gate_list_get_depth(const GPtrArray *gates, guint place)
{
  guint depth = 0;
  for (gint at = vt_gate_list_find(gates, get(gates, place)->parent); at >= 0 && depth < gates->len; depth++)
    at = vt_gate_list_find(gates, get(gates, (guint)at)->parent);
  return depth;
}

gboolean
vt_gate_list_is_within(const GPtrArray *gates, guint place, guint other)
{
  gint at = (gint)place;
  for (guint steps = 0; at >= 0 && steps <= gates->len; steps++) {
    if ((guint)at == other)
      return TRUE;
    at = vt_gate_list_find(gates, get(gates, (guint)at)->parent);
  }
  return FALSE;
}

static void
add_children(GPtrArray *to, const GPtrArray *gates, const char *parent)
{
  for (guint i = 0; i < gates->len; i++) {
    if (g_strcmp0(get(gates, i)->parent, parent) != 0)
      continue;
    g_ptr_array_add(to, vt_gate_ref(gates->pdata[i]));
    add_children(to, gates, get(gates, i)->name);
  }
}

GPtrArray *
vt_gate_list_dup_in_order(const GPtrArray *gates)
{
  GPtrArray *sorted = g_ptr_array_new_with_free_func((GDestroyNotify)vt_gate_unref);
  add_children(sorted, gates, NULL);
  return sorted;
}

gboolean
vt_gate_list_check(const GPtrArray *gates, GError **error)
{
  if (gates->len > VT_GATES_MOST)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("There can be %d gates."), VT_GATES_MOST);
  for (guint i = 0; i < gates->len; i++) {
    const VtGate *gate = get(gates, i);
    if (!*gate->name || !g_utf8_validate(gate->name, -1, NULL))
      g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("A gate needs a name."));
    else if (vt_gate_list_find(gates, gate->name) != (gint)i)
      g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("There is a gate “%s” already."), gate->name);
    else if (gate->parent && vt_gate_list_find(gates, gate->parent) < 0)
      g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("“%s” is to lie in the gate “%s”, which is not there."),
                  gate->name, gate->parent);
    else if (vt_gate_list_get_depth(gates, i) >= gates->len)
      g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("The gate “%s” would lie in itself."), gate->name);
    else
      continue;
    return FALSE;
  }
  return TRUE;
}

/* --- objects --- */

static GPtrArray *
list_region_names(const GPtrArray *rois)
{
  GPtrArray *names = g_ptr_array_new();
  VT_EACH_OF (const VtRoi, roi, rois)
    if (!g_ptr_array_find_with_equal_func(names, roi->name, g_str_equal, NULL))
      g_ptr_array_add(names, roi->name);
  g_ptr_array_add(names, NULL);
  return names;
}

/* The bounds of a region, and which word of the column its name is. */
typedef struct {
  double x, y, width, height;
  guint word;
} Place;

VtColumn *
vt_gate_find_regions(const GPtrArray *objects, const GPtrArray *rois)
{
  if (rois->len == 0)
    return NULL;
  g_autoptr(GPtrArray) names = list_region_names(rois);
  VtColumn *column = vt_column_new_sets(VT_REGIONS_COLUMN, _("Regions"), objects, (const char *const *)names->pdata);
  g_autofree Place *places = g_new(Place, rois->len);
  for (guint k = 0; k < rois->len; k++) {
    Place *place = &places[k];
    vt_roi_get_bounds(rois->pdata[k], &place->x, &place->y, &place->width, &place->height);
    g_ptr_array_find_with_equal_func(names, ((const VtRoi *)rois->pdata[k])->name, g_str_equal, &place->word);
  }
  for (guint i = 0; i < objects->len; i++) {
    const double x = ((const VtObject *)objects->pdata[i])->centroid_x_l0;
    const double y = ((const VtObject *)objects->pdata[i])->centroid_y_l0;
    for (guint k = 0; k < rois->len; k++) {
      const Place *place = &places[k];
      if (x >= place->x && x - place->x <= place->width && y >= place->y && y - place->y <= place->height
          && vt_roi_contains(rois->pdata[k], x, y))
        vt_column_put(column, i, place->word);
    }
  }
  return column;
}

typedef enum { NOT_YET, IN_WORK, DONE } State;

typedef struct {
  VtGateTally *tally;
  VtColumns *columns; /* with the columns of gates and regions */
  VtObjectFilter **filters;
  State *states;
} Work;

static void
refuse(const Work *work, guint place, char *reason)
{
  g_free(work->tally->reasons[place]);
  work->tally->reasons[place] = reason;
}

VtColumns *
vt_gate_tally_dup_columns(const VtGateTally *tally)
{
  const VtColumns *of = tally->columns;
  g_autoptr(GPtrArray) added = g_ptr_array_new();
  for (guint i = of->n_own; i < of->n; i++)
    g_ptr_array_add(added, vt_columns_get_added(of, i));
  if (tally->regions)
    g_ptr_array_add(added, tally->regions);
  if (tally->column)
    g_ptr_array_add(added, tally->column);
  return vt_columns_new(of->objects, of->result, (VtColumn **)added->pdata, added->len);
}

static void visit(Work *work, guint place);

/* What the gate needs is counted first; a reason why that can't be is one for this gate, too. */
static void
visit_needed(Work *work, guint place, guint needed)
{
  visit(work, needed);
  if (work->states[needed] == IN_WORK)
    refuse(work, place, g_strdup_printf(_("“%s” asks for itself."), get(work->tally->gates, place)->name));
  else if (work->tally->reasons[needed] && !work->tally->reasons[place])
    refuse(work, place, g_strdup_printf(_("“%s” can't be counted."), get(work->tally->gates, needed)->name));
}

static void
count(Work *work, guint place, gint parent)
{
  VtGateTally *tally = work->tally;
  const GPtrArray *objects = tally->columns->objects;
  const VtObjectFilter *filter = work->filters[place];
  for (guint i = 0; i < objects->len; i++)
    if ((parent < 0 || vt_column_has(tally->column, objects, i, (guint)parent) > 0)
        && (!filter || vt_object_filter_passes(filter, objects, i))) {
      vt_column_put(tally->column, i, place);
      tally->counts[place]++;
    }
}

static void
visit(Work *work, guint place)
{
  VtGateTally *tally = work->tally;
  const VtGate *gate = get(tally->gates, place);
  const gint parent = vt_gate_list_find(tally->gates, gate->parent);
  g_autofree char *text = g_strstrip(g_strdup(gate->text));
  g_autoptr(GError) error = NULL;
  if (work->states[place] != NOT_YET)
    return;
  work->states[place] = IN_WORK;
  if (parent >= 0)
    visit_needed(work, place, (guint)parent);
  if (*text)
    work->filters[place] = vt_object_filter_new(gate->text, work->columns, &error);
  for (guint k = 0; work->filters[place] && k < tally->gates->len; k++)
    if (vt_object_filter_asks(work->filters[place], tally->column, k))
      visit_needed(work, place, k);
  if (error)
    refuse(work, place, g_strdup(error->message));
  if (!tally->reasons[place])
    count(work, place, parent);
  work->states[place] = DONE;
}

VtGateTally *
vt_gate_tally_new(VtColumns *columns, VtColumn *regions, GPtrArray *gates)
{
  VtGateTally *self = g_atomic_rc_box_new0(VtGateTally);
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  self->columns = vt_columns_ref(columns);
  self->gates = g_ptr_array_ref(gates);
  self->regions = regions ? vt_column_ref(regions) : NULL;
  self->counts = g_new0(guint, gates->len + 1);
  self->reasons = g_new0(char *, gates->len + 1);
  if (gates->len == 0)
    return self;
  for (guint i = 0; i < gates->len; i++)
    g_ptr_array_add(names, get(gates, i)->name);
  g_ptr_array_add(names, NULL);
  self->column = vt_column_new_sets(VT_GATES_COLUMN, _("Gates"), columns->objects, (const char *const *)names->pdata);
  if (columns->objects->len == 0) /* nothing says which measurements there are */
    return self;
  g_autoptr(VtColumns) all = vt_gate_tally_dup_columns(self);
  Work work = { self, all, g_new0(VtObjectFilter *, gates->len), g_new0(State, gates->len) };
  for (guint i = 0; i < gates->len; i++)
    visit(&work, i);
  for (guint i = 0; i < gates->len; i++)
    g_clear_pointer(&work.filters[i], vt_object_filter_unref);
  g_free(work.filters);
  g_free(work.states);
  return self;
}

static void
clear_tally(gpointer data)
{
  VtGateTally *self = data;
  for (guint i = 0; i < self->gates->len; i++)
    g_free(self->reasons[i]);
  g_free(self->reasons);
  g_free(self->counts);
  g_clear_pointer(&self->regions, vt_column_unref);
  g_clear_pointer(&self->column, vt_column_unref);
  g_ptr_array_unref(self->gates);
  vt_columns_unref(self->columns);
}

VT_DEFINE_REF(VtGateTally, vt_gate_tally, clear_tally)

guint
vt_gate_tally_get_n_of_parent(const VtGateTally *self, guint place)
{
  const gint parent = vt_gate_list_find(self->gates, get(self->gates, place)->parent);
  return parent < 0 ? self->columns->objects->len : self->counts[parent];
}

/* Of a gate alone, as it may be typed above the table. */
static char *
dup_whole_text(const VtGate *gate)
{
  g_autofree char *text = g_strstrip(g_strdup(gate->text));
  GString *whole = g_string_new(NULL);
  if (gate->parent)
    vt_gate_text_add_word(whole, VT_GATES_COLUMN, gate->parent);
  if (gate->parent && *text)
    g_string_append_printf(whole, " and (%s)", text);
  else if (*text)
    g_string_append(whole, text);
  return g_string_free(whole, FALSE);
}

VtClassified *
vt_gate_tally_new_classes(const VtGateTally *self)
{
  G_STATIC_ASSERT(VT_GATES_MOST <= VT_CLASSIFIED_MOST);
  const GPtrArray *objects = self->columns->objects;
  g_autofree guint *depths = g_new(guint, self->gates->len + 1);
  if (!self->column)
    return NULL;
  g_autoptr(GPtrArray) classes = g_ptr_array_new_with_free_func(vt_model_class_free);
  GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
  for (guint k = 0; k < self->gates->len; k++) {
    const VtGate *gate = get(self->gates, k);
    const guint8 rgb[3] = { (guint8)(gate->color >> 16), (guint8)(gate->color >> 8), (guint8)gate->color };
    g_ptr_array_add(classes, vt_model_class_new(gate->name, rgb, FALSE));
    g_ptr_array_add(texts, dup_whole_text(gate));
    depths[k] = 1 + vt_gate_list_get_depth(self->gates, k);
  }
  VtClassified *classified = vt_classified_new_empty(classes, objects);
  classified->gates = texts;
  memset(classified->classes, VT_NO_CLASS, objects->len);
  for (guint i = 0; i < objects->len; i++)
    for (guint k = 0, depth = 0; k < self->gates->len; k++)
      if (depths[k] > depth && vt_column_has(self->column, objects, i, k) > 0) {
        classified->classes[i] = (guint8)k;
        depth = depths[k];
      }
  vt_classified_count(classified);
  return classified;
}

/* --- texts --- */

static void
add_name(GString *text, const char *name)
{
  g_auto(GStrv) parts = g_strsplit(name, "\"", -1);
  g_autofree char *doubled = g_strjoinv("\"\"", parts);
  g_string_append_printf(text, "\"%s\"", doubled);
}

/* The shortest of these that is the same number when it is read. */
static void
add_number(GString *text, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  static const char *const formats[] = { "%.6g", "%.9g", "%.15g", "%.17g" };
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    g_ascii_formatd(buffer, sizeof buffer, formats[i], value);
    if (g_ascii_strtod(buffer, NULL) == value)
      break;
  }
  g_string_append(text, buffer);
}

void
vt_gate_text_add_limit(GString *text, const char *column, const char *sign, double number)
{
  add_name(text, column);
  g_string_append_printf(text, " %s ", sign);
  add_number(text, number);
}

void
vt_gate_text_add_range(GString *text, const char *column, double from, double to)
{
  vt_gate_text_add_limit(text, column, ">=", from);
  g_string_append(text, " and ");
  vt_gate_text_add_limit(text, column, "<=", to);
}

void
vt_gate_text_add_polygon(GString *text, const char *x, gboolean is_log_x, const char *y, gboolean is_log_y,
                         const double *points, guint n)
{
  g_string_append(text, is_log_x ? "polygon(log " : "polygon(");
  add_name(text, x);
  g_string_append(text, is_log_y ? ", log " : ", ");
  add_name(text, y);
  for (guint i = 0; i < 2 * n; i++) {
    g_string_append(text, i % 2 == 0 ? "; " : " ");
    add_number(text, points[i]);
  }
  g_string_append_c(text, ')');
}

void
vt_gate_text_add_word(GString *text, const char *column, const char *word)
{
  add_name(text, column);
  g_string_append(text, " = ");
  add_name(text, word);
}

static gboolean
is_letter(char c)
{
  return g_ascii_isalnum(c) || c == '_' || (guchar)c >= 0x80;
}

/* Behind a quoted or bare word, or the sign that begins there; behind blanks. */
static const char *
find_end(const char *at)
{
  if (*at == '"') {
    for (at++; *at && (*at != '"' || at[1] == '"'); at += *at == '"' ? 2 : 1) {
    }
    return *at ? at + 1 : at;
  }
  if (g_ascii_isspace(*at)) {
    while (g_ascii_isspace(*at))
      at++;
    return at;
  }
  const gboolean is_word = is_letter(*at);
  for (at++; is_word && is_letter(*at); at++) {
  }
  return at;
}

/* As the filter reads a name: in any case, with or without quotes. */
static gboolean
is_name(const char *begin, const char *end, const char *name)
{
  g_autofree char *raw = g_strndup(begin, (gsize)(end - begin));
  const gboolean is_quoted = *raw == '"';
  if (is_quoted && strlen(raw) > 1)
    raw[strlen(raw) - 1] = '\0';
  g_auto(GStrv) parts = g_strsplit(raw + is_quoted, is_quoted ? "\"\"" : " ", -1);
  g_autofree char *word = g_strjoinv("\"", parts), *one = g_utf8_casefold(word, -1), *other = g_utf8_casefold(name, -1);
  return g_str_equal(one, other);
}

char *
vt_gate_text_rename(const char *text, const char *name, const char *new_name)
{
  GString *renamed = g_string_new(NULL);
  int expected = 0; /* 0: "gates", 1: = or !=, 2: the name */
  for (const char *at = text, *end; *at; at = end) {
    const gboolean is_sign = *at == '=' || *at == '!';
    end = find_end(at);
    if (expected == 2 && is_name(at, end, name)) {
      add_name(renamed, new_name);
      expected = 0;
      continue;
    }
    g_string_append_len(renamed, at, end - at);
    if (g_ascii_isspace(*at))
      continue;
    expected = expected > 0 && is_sign ? 2 : is_name(at, end, "gates") || is_name(at, end, "gate") ? 1 : 0;
  }
  return g_string_free(renamed, FALSE);
}
