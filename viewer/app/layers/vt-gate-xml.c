/* SPDX-License-Identifier: MIT */
#include "layers/vt-gate-xml.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "base/vt-file-private.h"
#include "layers/vt-object-filter-private.h"

/* --- a filter as a tree --- */

/* NUMBER and COLUMN are no gates, but what ranges are made of; NONE is what the format has no form for. */
typedef enum { NONE, NUMBER, COLUMN, RANGE, POLYGON, GATE, AND, OR, NOT } Kind;

typedef struct Node Node;
struct Node {
  Kind kind;
  double number;
  guint column;               /* of a range, too; of GATE: which one */
  double low, high;           /* low <= value < high */
  const VtObjectShape *shape; /* borrowed from the filter */
  Node *a, *b;                /* b NULL: NOT */
};

static void
node_free(gpointer data)
{
  Node *node = data;
  if (!node)
    return;
  node_free(node->a);
  node_free(node->b);
  g_free(node);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Node, node_free)

static Node *
node_new(Kind kind, Node *a, Node *b)
{
  Node *node = g_new0(Node, 1);
  *node = (Node){ .kind = kind, .a = a, .b = b, .low = -INFINITY, .high = INFINITY };
  return node;
}

static Node *
range_new(guint column, double low, double high)
{
  Node *node = node_new(RANGE, NULL, NULL);
  node->column = column;
  node->low = low;
  node->high = high;
  return node;
}

/* Lower ends belong to a range of the format, upper ones do not: the next larger number stands for one that does. */
static Node *
compare(VtFilterCode code, guint column, double number)
{
  const double next = nextafter(number, INFINITY);
  switch (code) {
  case VT_LESS: return range_new(column, -INFINITY, number);
  case VT_AT_MOST: return range_new(column, -INFINITY, next);
  case VT_MORE: return range_new(column, next, INFINITY);
  case VT_AT_LEAST: return range_new(column, number, INFINITY);
  case VT_EQUAL: return range_new(column, number, next);
  default: return node_new(OR, range_new(column, -INFINITY, number), range_new(column, next, INFINITY));
  }
}

static VtFilterCode
get_turned(VtFilterCode code)
{
  return code == VT_LESS       ? VT_MORE
         : code == VT_MORE     ? VT_LESS
         : code == VT_AT_MOST  ? VT_AT_LEAST
         : code == VT_AT_LEAST ? VT_AT_MOST
                               : code;
}

/* Takes both. */
static Node *
combine(VtFilterCode code, Node *a, Node *b)
{
  Node *made = NULL;
  if (code == VT_AND || code == VT_OR) {
    if (a->kind >= RANGE && b->kind >= RANGE)
      return node_new(code == VT_AND ? AND : OR, a, b);
  } else if (a->kind == GATE && b->kind == NUMBER && code == VT_EQUAL) { /* is it in it: 1 or 0 */
    const gboolean is_in = b->number == 1;
    node_free(b);
    return is_in ? a : node_new(NOT, a, NULL);
  } else if (code >= VT_LESS && code <= VT_UNEQUAL && a->kind == COLUMN && b->kind == NUMBER) {
    made = compare(code, a->column, b->number);
  } else if (code >= VT_LESS && code <= VT_UNEQUAL && a->kind == NUMBER && b->kind == COLUMN) {
    made = compare(get_turned(code), b->column, a->number);
  }
  node_free(a);
  node_free(b);
  return made ? made : node_new(NONE, NULL, NULL);
}

static Node *
leaf_new(const VtFilterStep *step, const VtColumn *gates)
{
  const gboolean is_word = step->code == VT_PUSH_COLUMN && step->added[0] && step->added[0]->words;
  Node *node = node_new(step->code == VT_PUSH_NUMBER                              ? NUMBER
                        : step->code == VT_PUSH_INSIDE                            ? POLYGON
                        : step->code == VT_PUSH_MEMBER && step->added[0] == gates ? GATE
                        : step->code == VT_PUSH_COLUMN && !is_word                ? COLUMN
                                                                                  : NONE,
                        NULL, NULL);
  node->number = step->number;
  node->column = step->code == VT_PUSH_MEMBER ? step->word : step->column;
  node->shape = step->shape;
  return node;
}

static Node *
read_filter(const VtObjectFilter *filter, const VtColumn *gates)
{
  g_autoptr(GPtrArray) stack = g_ptr_array_new();
  for (guint i = 0; i < filter->n; i++) {
    const VtFilterStep *step = &filter->steps[i];
    Node *b = step->code <= VT_PUSH_MEMBER ? NULL : g_ptr_array_steal_index(stack, stack->len - 1);
    if (!b)
      g_ptr_array_add(stack, leaf_new(step, gates));
    else if (step->code == VT_NOT && b->kind >= RANGE)
      g_ptr_array_add(stack, node_new(NOT, b, NULL));
    else if (step->code == VT_NOT || step->code == VT_NEGATE)
      g_ptr_array_add(stack, combine(VT_NEGATE, b, node_new(NONE, NULL, NULL)));
    else
      g_ptr_array_add(stack, combine(step->code, g_ptr_array_steal_index(stack, stack->len - 1), b));
  }
  return g_ptr_array_steal_index(stack, 0);
}

/* No NONE, and no number where a gate must be. */
static gboolean
is_sound(const Node *node)
{
  return node->kind >= RANGE && (!node->a || is_sound(node->a)) && (!node->b || is_sound(node->b));
}

/* --- writing --- */

typedef struct {
  const VtGateTally *tally;
  VtColumns *columns;
  GString *text;
  GPtrArray *ids; /* char*, of each gate; NULL: it has no form */
  guint n_parts;  /* of the gate that is being written */
  gboolean has_log;
} Writer;

static void
add_number(GString *text, double number)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append(text, g_ascii_dtostr(buffer, sizeof buffer, number));
}

static void
add_dimension(Writer *w, guint column, double low, double high, gboolean is_log)
{
  g_autofree char *name = g_markup_escape_text(vt_columns_get_name(w->columns, column), -1);
  g_string_append(w->text, "    <gating:dimension gating:compensation-ref=\"uncompensated\"");
  if (is_log)
    g_string_append(w->text, " gating:transformation-ref=\"log\"");
  for (int end = 0; end < 2; end++) {
    if (!isfinite(end ? high : low))
      continue;
    g_string_append(w->text, end ? " gating:max=\"" : " gating:min=\"");
    add_number(w->text, end ? high : low);
    g_string_append_c(w->text, '"');
  }
  g_string_append_printf(w->text,
                         ">\n      <data-type:fcs-dimension data-type:name=\"%s\"/>\n    </gating:dimension>\n", name);
  w->has_log |= is_log;
}

/* What a gate element begins with; `gate` NULL: it is a part of one, without name and parent. */
static void
begin(Writer *w, const char *kind, const char *id, const VtGate *gate)
{
  const gint parent = gate ? vt_gate_list_find(w->tally->gates, gate->parent) : -1;
  g_string_append_printf(w->text, "  <gating:%s gating:id=\"%s\"", kind, id);
  if (parent >= 0)
    g_string_append_printf(w->text, " gating:parent_id=\"%s\"", (const char *)w->ids->pdata[parent]);
  g_string_append(w->text, ">\n");
  if (!gate)
    return;
  g_autofree char *info = g_markup_printf_escaped(
    "    <data-type:custom_info>\n      <name xmlns=\"\">%s</name>\n      <color xmlns=\"\">#%06x</color>\n"
    "    </data-type:custom_info>\n",
    gate->name, (guint)gate->color);
  g_string_append(w->text, info);
}

static void
write_polygon(Writer *w, const VtObjectShape *shape, const char *id, const VtGate *gate)
{
  begin(w, "PolygonGate", id, gate);
  add_dimension(w, shape->x, -INFINITY, INFINITY, shape->is_log_x);
  add_dimension(w, shape->y, -INFINITY, INFINITY, shape->is_log_y);
  for (guint i = 0; i < shape->n; i++) {
    g_string_append(w->text, "    <gating:vertex>");
    for (guint k = 0; k < 2; k++) { /* flog with T = M = 1 is the logarithm and 1 */
      g_string_append(w->text, "<gating:coordinate data-type:value=\"");
      add_number(w->text, shape->places[2 * (gsize)i + k] + ((k == 0 ? shape->is_log_x : shape->is_log_y) ? 1 : 0));
      g_string_append(w->text, "\"/>");
    }
    g_string_append(w->text, "</gating:vertex>\n");
  }
  g_string_append(w->text, "  </gating:PolygonGate>\n");
}

/* The leaves of a row of ANDs. */
static void
list_terms(const Node *node, GPtrArray *terms)
{
  if (node->kind != AND) {
    g_ptr_array_add(terms, (gpointer)node);
    return;
  }
  list_terms(node->a, terms);
  list_terms(node->b, terms);
}

/* All ranges of the terms, a dimension for each measurement. */
static void
write_rectangle(Writer *w, const GPtrArray *terms, const char *id, const VtGate *gate)
{
  g_autoptr(GArray) dimensions = g_array_new(FALSE, FALSE, sizeof(Node));
  VT_EACH_OF (const Node, term, terms) {
    guint at = 0;
    if (term->kind != RANGE)
      continue;
    while (at < dimensions->len && g_array_index(dimensions, Node, at).column != term->column)
      at++;
    if (at == dimensions->len)
      g_array_append_val(dimensions, *term);
    Node *dimension = &g_array_index(dimensions, Node, at);
    dimension->low = fmax(dimension->low, term->low);
    dimension->high = fmin(dimension->high, term->high);
  }
  begin(w, "RectangleGate", id, gate);
  VT_EACH_IN (const Node, dimension, dimensions)
    add_dimension(w, dimension->column, dimension->low, dimension->high, FALSE);
  g_string_append(w->text, "  </gating:RectangleGate>\n");
}

static void write_node(Writer *w, const Node *node, const char *id, const VtGate *gate);

/* As a gate of its own, or as it is one already; the id. */
static char *
write_part(Writer *w, const Node *node, const char *id)
{
  if (node->kind == GATE)
    return g_strdup(w->ids->pdata[node->column]);
  char *own = g_strdup_printf("%s.part%u", id, ++w->n_parts);
  write_node(w, node, own, NULL);
  return own;
}

static void
add_reference(GString *references, const char *id, gboolean is_turned)
{
  g_string_append_printf(references, "      <gating:gateReference gating:ref=\"%s\"%s/>\n", id,
                         is_turned ? " gating:use-as-complement=\"true\"" : "");
}

static void
add_operand(Writer *w, GString *references, const Node *node, const char *id)
{
  const gboolean is_turned = node->kind == NOT;
  g_autofree char *part = write_part(w, is_turned ? node->a : node, id);
  add_reference(references, part, is_turned);
}

static void
write_boolean(Writer *w, const char *how, const GString *references, const char *id, const VtGate *gate)
{
  begin(w, "BooleanGate", id, gate);
  g_string_append_printf(w->text, "    <gating:%s>\n%s    </gating:%s>\n  </gating:BooleanGate>\n", how,
                         references->str, how);
}

/* Ranges beside other terms are one rectangle among the operands. */
static void
write_and(Writer *w, const Node *node, const char *id, const VtGate *gate)
{
  g_autoptr(GPtrArray) terms = g_ptr_array_new();
  g_autoptr(GString) references = g_string_new(NULL);
  guint n_ranges = 0;
  list_terms(node, terms);
  for (guint i = 0; i < terms->len; i++)
    n_ranges += ((const Node *)terms->pdata[i])->kind == RANGE;
  if (n_ranges == terms->len) {
    write_rectangle(w, terms, id, gate);
    return;
  }
  if (n_ranges > 0) {
    g_autofree char *part = g_strdup_printf("%s.part%u", id, ++w->n_parts);
    write_rectangle(w, terms, part, NULL);
    add_reference(references, part, FALSE);
  }
  for (guint i = 0; i < terms->len; i++)
    if (((const Node *)terms->pdata[i])->kind != RANGE)
      add_operand(w, references, terms->pdata[i], id);
  write_boolean(w, "and", references, id, gate);
}

static void
write_node(Writer *w, const Node *node, const char *id, const VtGate *gate)
{
  g_autoptr(GString) references = g_string_new(NULL);
  g_autoptr(GPtrArray) terms = g_ptr_array_new();
  switch (node->kind) {
  case RANGE:
    g_ptr_array_add(terms, (gpointer)node);
    write_rectangle(w, terms, id, gate);
    break;
  case POLYGON: write_polygon(w, node->shape, id, gate); break;
  case AND: write_and(w, node, id, gate); break;
  case OR:
    add_operand(w, references, node->a, id);
    add_operand(w, references, node->b, id);
    write_boolean(w, "or", references, id, gate);
    break;
  default: { /* another gate, or what is not in one: a row of twice the same */
    g_autofree char *part = write_part(w, node->kind == NOT ? node->a : node, id);
    add_reference(references, part, FALSE);
    if (node->kind != NOT)
      add_reference(references, part, FALSE);
    write_boolean(w, node->kind == NOT ? "not" : "and", references, id, gate);
  }
  }
}

/* --- gates --- */

/* A name of XML: letters, digits, - and _; another number behind it if a gate has it. */
static char *
dup_id(const Writer *w, const char *name)
{
  g_autoptr(GString) id = g_string_new(NULL);
  for (const char *at = name; *at; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    if (id->len == 0 && !g_unichar_isalpha(c))
      g_string_append_c(id, '_');
    g_string_append_unichar(id, g_unichar_isalpha(c) || (c < 128 && g_ascii_isdigit((char)c)) || c == '-' ? c : '_');
  }
  const gsize n = id->len;
  for (guint number = 2;; number++) {
    gboolean is_free = TRUE;
    for (guint i = 0; i < w->ids->len; i++)
      is_free &= g_strcmp0(w->ids->pdata[i], id->str) != 0;
    if (is_free)
      return g_strdup(id->str);
    g_string_truncate(id, n);
    g_string_append_printf(id, "-%u", number);
  }
}

/* Those that it needs have a form. */
static gboolean
has_needed(const Writer *w, const Node *node)
{
  if (node->kind == GATE && !w->ids->pdata[node->column])
    return FALSE;
  return (!node->a || has_needed(w, node->a)) && (!node->b || has_needed(w, node->b));
}

static gboolean
write_gate(Writer *w, guint place)
{
  const VtGate *gate = w->tally->gates->pdata[place];
  const gint parent = vt_gate_list_find(w->tally->gates, gate->parent);
  g_autoptr(VtObjectFilter) filter = vt_object_filter_new(gate->text, w->columns, NULL);
  if (!filter || (parent >= 0 && !w->ids->pdata[parent]))
    return FALSE;
  g_autoptr(Node) node = read_filter(filter, w->tally->column);
  if (!is_sound(node) || !has_needed(w, node))
    return FALSE;
  w->ids->pdata[place] = dup_id(w, gate->name);
  w->n_parts = 0;
  write_node(w, node, w->ids->pdata[place], gate);
  return TRUE;
}

static char *
put_together(const Writer *w)
{
  GString *text = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                               "<gating:Gating-ML xmlns:gating=\"http://www.isac-net.org/std/Gating-ML/v2.0/gating\"\n"
                               "  xmlns:transforms=\"http://www.isac-net.org/std/Gating-ML/v2.0/transformations\"\n"
                               "  xmlns:data-type=\"http://www.isac-net.org/std/Gating-ML/v2.0/datatypes\">\n");
  if (w->has_log)
    g_string_append(text, "  <transforms:transformation transforms:id=\"log\">\n"
                          "    <transforms:flog transforms:T=\"1\" transforms:M=\"1\"/>\n"
                          "  </transforms:transformation>\n");
  g_string_append_len(text, w->text->str, (gssize)w->text->len);
  g_string_append(text, "</gating:Gating-ML>\n");
  return g_string_free(text, FALSE);
}

/* A gate that asks for one that stands behind it in the list is written behind that. */
char *
vt_gate_xml_dup(const VtGateTally *tally, GPtrArray **missing)
{
  Writer w = { .tally = tally };
  *missing = g_ptr_array_new_with_free_func(g_free);
  if (tally->columns->objects->len == 0 || !tally->column)
    return NULL;
  w.columns = vt_gate_tally_dup_columns(tally);
  w.text = g_string_new(NULL);
  w.ids = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_set_size(w.ids, (gint)tally->gates->len);
  for (gboolean goes_on = TRUE; goes_on;) {
    goes_on = FALSE;
    for (guint i = 0; i < tally->gates->len; i++)
      if (!w.ids->pdata[i] && !tally->reasons[i])
        goes_on |= write_gate(&w, i);
  }
  for (guint i = 0; i < tally->gates->len; i++)
    if (!w.ids->pdata[i])
      g_ptr_array_add(*missing, g_strdup(((const VtGate *)tally->gates->pdata[i])->name));
  char *text = put_together(&w);
  g_string_free(w.text, TRUE);
  g_ptr_array_unref(w.ids);
  vt_columns_unref(w.columns);
  return text;
}

gboolean
vt_gate_xml_save(const VtGateTally *tally, const char *path, GPtrArray **missing, GError **error)
{
  g_autofree char *text = vt_gate_xml_dup(tally, missing);
  g_autoptr(GString) string = g_string_new(text);
  if (text)
    return vt_file_write_text(path, string, error);
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("Without objects nothing says what the gates are of."));
}
