/* SPDX-License-Identifier: MIT */
#include "layers/vt-object-filter-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "base/vt-define.h"

enum { MOST_STEPS = 256, MOST_JOINED = 1 << 16, MOST_CORNERS = 10000, DEEPEST = 32 };

typedef struct {
  const char *text, *at;
  const VtColumns *columns;
  guint depth;
  guint n;
  VtFilterStep steps[MOST_STEPS]; /* shapes are owned, what is added is borrowed from the columns */
  GError **error;
} Parser;

static gboolean wrong(Parser *p, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Always FALSE; only the first error counts. */
static gboolean
wrong(Parser *p, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  g_autofree char *what = g_strdup_vprintf(format, args);
  va_end(args);
  if (p->error && !*p->error)
    vt_error_set(p->error, VITRAIL_BAD_ARGUMENT, _("At character %ld: %s"),
                 g_utf8_pointer_to_offset(p->text, p->at) + 1, what);
  return FALSE;
}

static gboolean
add(Parser *p, VtFilterCode code, guint column, double number)
{
  if (p->n == MOST_STEPS)
    return wrong(p, _("there is too much of it"));
  p->steps[p->n++] = (VtFilterStep){ .code = code, .column = column, .number = number };
  return TRUE;
}

static void
skip_blanks(Parser *p)
{
  while (g_ascii_isspace(*p->at))
    p->at++;
}

static gboolean
is_letter(char c)
{
  return g_ascii_isalpha(c) || c == '_' || (guchar)c >= 0x80;
}

/* A sign or a word that stands next; a word ends where no letter follows. */
static gboolean
take(Parser *p, const char *token)
{
  const gsize n = strlen(token);
  skip_blanks(p);
  if (g_ascii_strncasecmp(p->at, token, n) != 0
      || (is_letter(*token) && (is_letter(p->at[n]) || g_ascii_isdigit(p->at[n]))))
    return FALSE;
  p->at += n;
  return TRUE;
}

/* --- names --- */

/* How well a word names a measurement: 4 letter by letter, 3 all of it in any case, 2 all behind "Nucleus: ", 1 a part, 0 not at all. */
static int
match(const char *exact, const char *word, const char *name)
{
  if (g_str_equal(exact, name))
    return 4;
  g_autofree char *folded = g_utf8_casefold(name, -1);
  const char *colon = strstr(folded, ": "), *last = colon ? colon + 2 : folded;
  return g_str_equal(folded, word) ? 3 : g_str_equal(last, word) ? 2 : strstr(folded, word) ? 1 : 0;
}

static gboolean
push_column(Parser *p, guint column)
{
  if (!add(p, VT_PUSH_COLUMN, column, 0))
    return FALSE;
  p->steps[p->n - 1].added[0] = vt_columns_get_added(p->columns, column);
  return TRUE;
}

static gboolean
add_column(Parser *p, const char *word)
{
  static const char *const places[VT_OBJECT_MEASUREMENTS] = { "number", "x", "y" };
  g_autofree char *folded = g_utf8_casefold(word, -1);
  int best = 0;
  guint found = 0, also = 0;
  for (guint i = 0; i < VT_OBJECT_MEASUREMENTS; i++)
    if (g_str_equal(folded, places[i]))
      return push_column(p, i);
  for (guint i = VT_OBJECT_MEASUREMENTS; i < p->columns->n; i++) {
    g_autofree char *shown = vt_columns_dup_title(p->columns, i);
    const int how = MAX(match(word, folded, vt_columns_get_name(p->columns, i)), match(word, folded, shown));
    also = how == best ? i : also;
    if (how > best) {
      found = also = i;
      best = how;
    }
  }
  if (best == 0)
    return wrong(p, _("no measurement is called “%s”"), word);
  if (also != found) {
    g_autofree char *one = vt_columns_dup_title(p->columns, found), *other = vt_columns_dup_title(p->columns, also);
    return wrong(p, _("“%s” may be “%s” or “%s”"), word, one, other);
  }
  return push_column(p, found);
}

/* --- from the tightest to the loosest --- */

static gboolean parse_or(Parser *p);

/* A name with or without quotes, in which two of them stand for one; NULL: it is none, which is said. `end`: behind it. Owned. */
static char *
dup_name(Parser *p, const char **end)
{
  const gboolean is_quoted = *p->at == '"';
  const char *begin = p->at + is_quoted, *to = begin;
  while (*to && (is_quoted ? *to != '"' || to[1] == '"' : is_letter(*to) || g_ascii_isdigit(*to)))
    to += is_quoted && *to == '"' ? 2 : 1;
  if (is_quoted && *to != '"')
    wrong(p, _("the quotes have no end"));
  else if (to == begin)
    wrong(p, _("a name is missing"));
  else {
    *end = to + is_quoted;
    g_autofree char *raw = g_strndup(begin, (gsize)(to - begin));
    g_auto(GStrv) parts = g_strsplit(raw, "\"\"", -1);
    return g_strjoinv("\"", parts);
  }
  return NULL;
}

/* Behind a column of words: = or != and one of them. */
static gboolean
parse_word(Parser *p, const VtColumn *column)
{
  const gboolean is_not = take(p, "!="), is_there = is_not || take(p, "==") || take(p, "=");
  if (!is_there)
    return wrong(p, _("“%s” is a word: = or != and one of them must follow"), column->title);
  const char *end = NULL;
  skip_blanks(p);
  g_autofree char *word = dup_name(p, &end), *folded = word ? g_utf8_casefold(word, -1) : NULL;
  for (guint i = 0; word && column->words[i]; i++) {
    g_autofree char *other = g_utf8_casefold(column->words[i], -1);
    if (!g_str_equal(other, folded))
      continue;
    p->at = end;
    if (!column->sets)
      return add(p, VT_PUSH_NUMBER, 0, i) && add(p, is_not ? VT_UNEQUAL : VT_EQUAL, 0, 0);
    p->steps[p->n - 1].code = VT_PUSH_MEMBER;
    p->steps[p->n - 1].word = i;
    return add(p, VT_PUSH_NUMBER, 0, !is_not) && add(p, VT_EQUAL, 0, 0);
  }
  if (!word)
    return FALSE;
  g_autofree char *all = g_strjoinv(", ", column->words);
  return wrong(p, _("“%s” is never “%s”, but: %s"), column->title, word, all);
}

static gboolean
parse_name(Parser *p)
{
  const char *end = NULL;
  g_autofree char *word = dup_name(p, &end);
  if (!word || !add_column(p, word))
    return FALSE;
  p->at = end;
  const VtColumn *added = p->steps[p->n - 1].added[0];
  return !added || !added->words || parse_word(p, added);
}

/* --- polygons --- */

static gboolean
parse_axis(Parser *p, gboolean *is_log, guint *column)
{
  const char *end = NULL, *begin = p->at;
  *is_log = take(p, "log");
  skip_blanks(p);
  if (*is_log && *p->at != '"' && !is_letter(*p->at)) { /* a measurement of that name */
    *is_log = FALSE;
    p->at = begin;
    skip_blanks(p);
  }
  g_autofree char *word = dup_name(p, &end);
  if (!word || !add_column(p, word))
    return FALSE;
  *column = p->steps[--p->n].column;
  if (!vt_columns_is_number(p->columns, *column))
    return wrong(p, _("“%s” has no numbers"), word);
  p->at = end;
  return TRUE;
}

static gboolean
parse_corner(Parser *p, gboolean is_log, GArray *points)
{
  char *end;
  skip_blanks(p);
  const double number = g_ascii_strtod(p->at, &end);
  if (end == p->at || is_letter(*end) || *end == '.' || !isfinite(number))
    return wrong(p, _("this is no number"));
  if (is_log && number <= 0)
    return wrong(p, _("a logarithmic axis has numbers above zero only"));
  p->at = end;
  g_array_append_val(points, number);
  return TRUE;
}

/* Behind polygon( : two measurements, each corner, a closing bracket. */
static gboolean
parse_polygon(Parser *p)
{
  guint x = 0, y = 0;
  gboolean is_log_x = FALSE, is_log_y = FALSE;
  g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(double));
  if (!parse_axis(p, &is_log_x, &x) || !(take(p, ",") || wrong(p, _("a comma is missing")))
      || !parse_axis(p, &is_log_y, &y))
    return FALSE;
  while (take(p, ";")) {
    if (!parse_corner(p, is_log_x, points) || !parse_corner(p, is_log_y, points))
      return FALSE;
    if (points->len / 2 > MOST_CORNERS)
      return wrong(p, _("there is too much of it"));
  }
  if (!take(p, ")"))
    return wrong(p, _("a closing bracket is missing"));
  if (points->len < 6)
    return wrong(p, _("a polygon has at least three corners"));
  if (!add(p, VT_PUSH_INSIDE, 0, 0))
    return FALSE;
  VtFilterStep *step = &p->steps[p->n - 1];
  step->shape = vt_object_shape_new(x, is_log_x, y, is_log_y, (const double *)(gpointer)points->data, points->len / 2);
  step->added[0] = vt_columns_get_added(p->columns, x);
  step->added[1] = vt_columns_get_added(p->columns, y);
  return TRUE;
}

/* A bracket never follows a measurement. */
static gboolean
takes_polygon(Parser *p)
{
  const char *begin = p->at;
  if (take(p, "polygon") && take(p, "("))
    return TRUE;
  p->at = begin;
  return FALSE;
}

static gboolean
parse_value(Parser *p)
{
  skip_blanks(p);
  if (take(p, "("))
    return parse_or(p) && (take(p, ")") || wrong(p, _("a closing bracket is missing")));
  if (take(p, "-")) {
    if (++p->depth > DEEPEST)
      return wrong(p, _("there is too much of it"));
    const guint before = p->n;
    gboolean good = parse_value(p);
    if (good && p->n == before + 1 && p->steps[before].code == VT_PUSH_NUMBER)
      p->steps[before].number = -p->steps[before].number;
    else
      good = good && add(p, VT_NEGATE, 0, 0);
    p->depth--;
    return good;
  }
  if (takes_polygon(p))
    return parse_polygon(p);
  if (is_letter(*p->at) || *p->at == '"')
    return parse_name(p);
  char *end;
  if (!g_ascii_isdigit(*p->at) && *p->at != '.')
    return wrong(p, _("a number or the name of a measurement is missing"));
  const double number = g_ascii_strtod(p->at, &end);
  if (end == p->at || is_letter(*end) || *end == '.' || !isfinite(number))
    return wrong(p, _("this is no number"));
  p->at = end;
  return add(p, VT_PUSH_NUMBER, 0, number);
}

/* Both are in the text one after the other, so the longer one comes first. */
typedef struct {
  const char *token;
  VtFilterCode code;
} Operator;

/* operand (operator operand)*, from the left. */
static gboolean
parse_row(Parser *p, gboolean (*operand)(Parser *p), const Operator *operators)
{
  gboolean good = operand(p);
  while (good) {
    const Operator *o = operators;
    while (o->token && !take(p, o->token))
      o++;
    if (!o->token)
      break;
    good = operand(p) && add(p, o->code, 0, 0);
  }
  return good;
}

static gboolean
parse_product(Parser *p)
{
  static const Operator operators[] = { { "*", VT_MULTIPLY }, { "/", VT_DIVIDE }, { NULL, 0 } };
  return parse_row(p, parse_value, operators);
}

static gboolean
parse_sum(Parser *p)
{
  static const Operator operators[] = { { "+", VT_ADD }, { "-", VT_SUBTRACT }, { NULL, 0 } };
  return parse_row(p, parse_product, operators);
}

static gboolean
parse_comparison(Parser *p)
{
  static const Operator operators[] = { { "<=", VT_AT_MOST }, { ">=", VT_AT_LEAST },
                                        { "==", VT_EQUAL },   { "!=", VT_UNEQUAL },
                                        { "<", VT_LESS },     { ">", VT_MORE },
                                        { "=", VT_EQUAL },    { NULL, 0 } };
  if (take(p, "not") || (p->at[0] == '!' && take(p, "!"))) {
    if (++p->depth > DEEPEST)
      return wrong(p, _("there is too much of it"));
    const gboolean good = parse_comparison(p) && add(p, VT_NOT, 0, 0);
    p->depth--;
    return good;
  }
  return parse_row(p, parse_sum, operators);
}

static gboolean
parse_and(Parser *p)
{
  static const Operator operators[] = { { "and", VT_AND }, { "&&", VT_AND }, { NULL, 0 } };
  return parse_row(p, parse_comparison, operators);
}

static gboolean
parse_or(Parser *p)
{
  static const Operator operators[] = { { "or", VT_OR }, { "||", VT_OR }, { NULL, 0 } };
  if (++p->depth > DEEPEST)
    return wrong(p, _("there is too much of it"));
  const gboolean good = parse_row(p, parse_and, operators);
  p->depth--;
  return good;
}

/* Of n steps, and then of m others; copies them. */
static VtObjectFilter *
filter_new(const VtFilterStep *steps, guint n, const VtFilterStep *others, guint m)
{
  VtObjectFilter *self = g_atomic_rc_box_new0(VtObjectFilter);
  guint height = 0;
  self->steps = g_new(VtFilterStep, (gsize)n + m);
  for (guint i = 0; i < n + m; i++) {
    const VtFilterStep *step = &self->steps[i];
    self->steps[self->n++] = i < n ? steps[i] : others[i - n];
    if (step->shape)
      vt_object_shape_ref(step->shape);
    for (guint k = 0; k < G_N_ELEMENTS(step->added); k++)
      if (step->added[k])
        vt_column_ref(step->added[k]);
    height += step->code <= VT_PUSH_MEMBER ? 1 : 0;
    self->depth = MAX(self->depth, height);
    height -= step->code >= VT_OR && step->code != VT_NOT && step->code != VT_NEGATE ? 1 : 0;
  }
  return self;
}

VtObjectFilter *
vt_object_filter_new(const char *text, const VtColumns *columns, GError **error)
{
  Parser p = { .text = text, .at = text, .columns = columns, .error = error };
  if (!g_utf8_validate(text, -1, NULL))
    return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT, _("This is no text."));
  gboolean good = parse_or(&p);
  skip_blanks(&p);
  if (good && *p.at)
    good = wrong(&p, _("this does not belong here"));
  VtObjectFilter *self = good ? filter_new(p.steps, p.n, NULL, 0) : NULL;
  for (guint i = 0; i < p.n; i++)
    g_clear_pointer(&p.steps[i].shape, vt_object_shape_unref);
  return self;
}

VtObjectFilter *
vt_object_filter_new_range(const VtColumns *columns, guint column, double from, double to)
{
  VtColumn *added = vt_columns_get_added(columns, column);
  const VtFilterStep steps[] = { { .code = VT_PUSH_COLUMN, .column = column, .added = { added } },
                                 { .code = VT_PUSH_NUMBER, .number = from },
                                 { .code = VT_AT_LEAST },
                                 { .code = VT_PUSH_COLUMN, .column = column, .added = { added } },
                                 { .code = VT_PUSH_NUMBER, .number = to },
                                 { .code = VT_AT_MOST },
                                 { .code = VT_AND } };
  return filter_new(steps, G_N_ELEMENTS(steps), NULL, 0);
}

VtObjectFilter *
vt_object_filter_new_shape(const VtColumns *columns, VtObjectShape *shape)
{
  const VtFilterStep step = {
    .code = VT_PUSH_INSIDE,
    .shape = shape,
    .added = { vt_columns_get_added(columns, shape->x), vt_columns_get_added(columns, shape->y) },
  };
  return filter_new(&step, 1, NULL, 0);
}

VtObjectFilter *
vt_object_filter_new_member(const VtColumns *columns, guint column, guint word)
{
  const VtFilterStep step = {
    .code = VT_PUSH_MEMBER, .column = column, .word = word, .added = { vt_columns_get_added(columns, column) }
  };
  return filter_new(&step, 1, NULL, 0);
}

gboolean
vt_object_filter_asks(const VtObjectFilter *filter, const VtColumn *column, guint word)
{
  for (guint i = 0; i < filter->n; i++) {
    const VtFilterStep *step = &filter->steps[i];
    if (step->code == VT_PUSH_MEMBER && step->added[0] == column && step->word == word)
      return TRUE;
  }
  return FALSE;
}

VtObjectFilter *
vt_object_filter_join(const VtObjectFilter *a, const VtObjectFilter *b)
{
  if (a->n + b->n >= MOST_JOINED || MAX(a->depth, b->depth + 1) > MOST_STEPS)
    return NULL;
  VtObjectFilter *self = filter_new(a->steps, a->n, b->steps, b->n);
  self->steps = g_renew(VtFilterStep, self->steps, self->n + 1);
  self->steps[self->n++] = (VtFilterStep){ .code = VT_AND };
  return self;
}

static void
clear(gpointer data)
{
  VtObjectFilter *self = data;
  for (guint i = 0; i < self->n; i++) {
    VtFilterStep *step = &self->steps[i];
    g_clear_pointer(&step->shape, vt_object_shape_unref);
    for (guint k = 0; k < G_N_ELEMENTS(step->added); k++)
      g_clear_pointer(&step->added[k], vt_column_unref);
  }
  g_free(self->steps);
}

VT_DEFINE_REF(VtObjectFilter, vt_object_filter, clear)

static double
get_value(const VtColumn *added, guint column, const GPtrArray *objects, guint index)
{
  return added ? vt_column_get_value(added, objects, index) : vt_object_get_value(objects->pdata[index], column);
}

static gboolean
is_inside(const VtFilterStep *step, const GPtrArray *objects, guint index)
{
  const VtObjectShape *shape = step->shape;
  const double x = get_value(step->added[0], shape->x, objects, index);
  const double y = get_value(step->added[1], shape->y, objects, index);
  return vt_object_shape_holds(shape, vt_object_shape_get_place(x, shape->is_log_x),
                               vt_object_shape_get_place(y, shape->is_log_y));
}

static double
combine(VtFilterCode code, double a, double b)
{
  switch (code) {
  case VT_OR: return a != 0 || b != 0;
  case VT_AND: return a != 0 && b != 0;
  case VT_LESS: return a < b;
  case VT_AT_MOST: return a <= b;
  case VT_MORE: return a > b;
  case VT_AT_LEAST: return a >= b;
  case VT_EQUAL: return a == b;
  case VT_UNEQUAL: return a < b || a > b;
  case VT_ADD: return a + b;
  case VT_SUBTRACT: return a - b;
  case VT_MULTIPLY: return a * b;
  default: return a / b;
  }
}

static gboolean
evaluate(const VtObjectFilter *filter, const GPtrArray *objects, guint index, double *stack)
{
  guint n = 0;
  for (guint i = 0; i < filter->n; i++) {
    const VtFilterStep *step = &filter->steps[i];
    switch (step->code) {
    case VT_PUSH_NUMBER: stack[n++] = step->number; break;
    case VT_PUSH_COLUMN: stack[n++] = get_value(step->added[0], step->column, objects, index); break;
    case VT_PUSH_INSIDE: stack[n++] = is_inside(step, objects, index); break;
    case VT_PUSH_MEMBER: stack[n++] = vt_column_has(step->added[0], objects, index, step->word); break;
    case VT_NOT: stack[n - 1] = stack[n - 1] == 0; break;
    case VT_NEGATE: stack[n - 1] = -stack[n - 1]; break;
    default: n--; stack[n - 1] = combine(step->code, stack[n - 1], stack[n]);
    }
  }
  return n > 0 && stack[0] != 0 && !isnan(stack[0]);
}

/* Nearly all need a few numbers, and memory that is made zero takes longer than the steps. */
gboolean
vt_object_filter_passes(const VtObjectFilter *filter, const GPtrArray *objects, guint index)
{
  double few[8];
  if (filter->depth <= G_N_ELEMENTS(few))
    return evaluate(filter, objects, index, few);
  double stack[MOST_STEPS];
  return evaluate(filter, objects, index, stack);
}
