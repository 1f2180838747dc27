/* SPDX-License-Identifier: MIT */
#include "layers/vt-object-filter.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

enum { MOST_STEPS = 256, MOST_JOINED = 1 << 16, DEEPEST = 32 };

typedef enum {
  PUSH_NUMBER,
  PUSH_COLUMN,
  PUSH_INSIDE,
  OR,
  AND,
  NOT,
  LESS,
  AT_MOST,
  MORE,
  AT_LEAST,
  EQUAL,
  UNEQUAL,
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  NEGATE
} Code;

typedef struct {
  Code code;
  guint column;
  double number;
  VtObjectShape *shape; /* PUSH_INSIDE */
  VtColumn *added[2];   /* of the column, or of the shape's two; NULL: they are the objects' own */
} Step;

/* For a machine with a stack. */
struct VtObjectFilter {
  guint n, depth; /* of the stack, at most MOST_STEPS */
  Step *steps;
};

typedef struct {
  const char *text, *at;
  const VtColumns *columns;
  guint depth;
  guint n;
  Step steps[MOST_STEPS]; /* what is added is borrowed from the columns */
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
    g_set_error(p->error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("At character %ld: %s"),
                g_utf8_pointer_to_offset(p->text, p->at) + 1, what);
  return FALSE;
}

static gboolean
add(Parser *p, Code code, guint column, double number)
{
  if (p->n == MOST_STEPS)
    return wrong(p, _("there is too much of it"));
  p->steps[p->n++] = (Step){ code, column, number, NULL, { NULL } };
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

/* How well a word, in lower case, names a measurement: 3 all of it, 2 all behind "Nucleus: ", 1 a part, 0 not at all. */
static int
match(const char *word, const char *name)
{
  g_autofree char *folded = g_utf8_casefold(name, -1);
  const char *colon = strstr(folded, ": "), *last = colon ? colon + 2 : folded;
  return g_str_equal(folded, word) ? 3 : g_str_equal(last, word) ? 2 : strstr(folded, word) ? 1 : 0;
}

static gboolean
push_column(Parser *p, guint column)
{
  if (!add(p, PUSH_COLUMN, column, 0))
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
    const int how = MAX(match(folded, vt_columns_get_name(p->columns, i)), match(folded, shown));
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

/* A name with or without quotes; NULL: it is none, which is said. `end`: behind it. Owned. */
static char *
dup_name(Parser *p, const char **end)
{
  const gboolean is_quoted = *p->at == '"';
  const char *begin = p->at + is_quoted, *to = begin;
  while (*to && (is_quoted ? *to != '"' : is_letter(*to) || g_ascii_isdigit(*to)))
    to++;
  if (is_quoted && *to != '"')
    wrong(p, _("the quotes have no end"));
  else if (to == begin)
    wrong(p, _("a name is missing"));
  else {
    *end = to + is_quoted;
    return g_strndup(begin, (gsize)(to - begin));
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
    return add(p, PUSH_NUMBER, 0, i) && add(p, is_not ? UNEQUAL : EQUAL, 0, 0);
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

static gboolean
parse_value(Parser *p)
{
  skip_blanks(p);
  if (take(p, "("))
    return parse_or(p) && (take(p, ")") || wrong(p, _("a closing bracket is missing")));
  if (take(p, "-")) {
    if (++p->depth > DEEPEST)
      return wrong(p, _("there is too much of it"));
    const gboolean good = parse_value(p) && add(p, NEGATE, 0, 0);
    p->depth--;
    return good;
  }
  if (is_letter(*p->at) || *p->at == '"')
    return parse_name(p);
  char *end;
  if (!g_ascii_isdigit(*p->at) && *p->at != '.')
    return wrong(p, _("a number or the name of a measurement is missing"));
  const double number = g_ascii_strtod(p->at, &end);
  if (end == p->at || is_letter(*end) || *end == '.' || !isfinite(number))
    return wrong(p, _("this is no number"));
  p->at = end;
  return add(p, PUSH_NUMBER, 0, number);
}

/* Both are in the text one after the other, so the longer one comes first. */
typedef struct {
  const char *token;
  Code code;
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
  static const Operator operators[] = { { "*", MULTIPLY }, { "/", DIVIDE }, { NULL, 0 } };
  return parse_row(p, parse_value, operators);
}

static gboolean
parse_sum(Parser *p)
{
  static const Operator operators[] = { { "+", ADD }, { "-", SUBTRACT }, { NULL, 0 } };
  return parse_row(p, parse_product, operators);
}

static gboolean
parse_comparison(Parser *p)
{
  static const Operator operators[] = { { "<=", AT_MOST }, { ">=", AT_LEAST }, { "==", EQUAL }, { "!=", UNEQUAL },
                                        { "<", LESS },     { ">", MORE },      { "=", EQUAL },  { NULL, 0 } };
  if (take(p, "not") || (p->at[0] == '!' && take(p, "!"))) {
    if (++p->depth > DEEPEST)
      return wrong(p, _("there is too much of it"));
    const gboolean good = parse_comparison(p) && add(p, NOT, 0, 0);
    p->depth--;
    return good;
  }
  return parse_row(p, parse_sum, operators);
}

static gboolean
parse_and(Parser *p)
{
  static const Operator operators[] = { { "and", AND }, { "&&", AND }, { NULL, 0 } };
  return parse_row(p, parse_comparison, operators);
}

static gboolean
parse_or(Parser *p)
{
  static const Operator operators[] = { { "or", OR }, { "||", OR }, { NULL, 0 } };
  if (++p->depth > DEEPEST)
    return wrong(p, _("there is too much of it"));
  const gboolean good = parse_row(p, parse_and, operators);
  p->depth--;
  return good;
}

/* Of n steps, and then of m others; copies them. */
static VtObjectFilter *
filter_new(const Step *steps, guint n, const Step *others, guint m)
{
  VtObjectFilter *self = g_atomic_rc_box_new0(VtObjectFilter);
  guint height = 0;
  self->steps = g_new(Step, (gsize)n + m);
  for (guint i = 0; i < n + m; i++) {
    const Step *step = &self->steps[i];
    self->steps[self->n++] = i < n ? steps[i] : others[i - n];
    if (step->shape)
      vt_object_shape_ref(step->shape);
    for (guint k = 0; k < G_N_ELEMENTS(step->added); k++)
      if (step->added[k])
        vt_column_ref(step->added[k]);
    height += step->code <= PUSH_INSIDE ? 1 : 0;
    self->depth = MAX(self->depth, height);
    height -= step->code >= OR && step->code != NOT && step->code != NEGATE ? 1 : 0;
  }
  return self;
}

VtObjectFilter *
vt_object_filter_new(const char *text, const VtColumns *columns, GError **error)
{
  Parser p = { .text = text, .at = text, .columns = columns, .error = error };
  if (!g_utf8_validate(text, -1, NULL)) {
    g_set_error_literal(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("This is no text."));
    return NULL;
  }
  if (!parse_or(&p))
    return NULL;
  skip_blanks(&p);
  if (*p.at) {
    wrong(&p, _("this does not belong here"));
    return NULL;
  }
  return filter_new(p.steps, p.n, NULL, 0);
}

VtObjectFilter *
vt_object_filter_new_range(const VtColumns *columns, guint column, double from, double to)
{
  VtColumn *added = vt_columns_get_added(columns, column);
  const Step steps[] = { { PUSH_COLUMN, column, 0, NULL, { added } },
                         { PUSH_NUMBER, 0, from, NULL, { NULL } },
                         { AT_LEAST, 0, 0, NULL, { NULL } },
                         { PUSH_COLUMN, column, 0, NULL, { added } },
                         { PUSH_NUMBER, 0, to, NULL, { NULL } },
                         { AT_MOST, 0, 0, NULL, { NULL } },
                         { AND, 0, 0, NULL, { NULL } } };
  return filter_new(steps, G_N_ELEMENTS(steps), NULL, 0);
}

VtObjectFilter *
vt_object_filter_new_shape(const VtColumns *columns, VtObjectShape *shape)
{
  const Step step = {
    PUSH_INSIDE, 0, 0, shape, { vt_columns_get_added(columns, shape->x), vt_columns_get_added(columns, shape->y) }
  };
  return filter_new(&step, 1, NULL, 0);
}

VtObjectFilter *
vt_object_filter_join(const VtObjectFilter *a, const VtObjectFilter *b, gboolean either)
{
  if (a->n + b->n >= MOST_JOINED || MAX(a->depth, b->depth + 1) > MOST_STEPS)
    return NULL;
  VtObjectFilter *self = filter_new(a->steps, a->n, b->steps, b->n);
  self->steps = g_renew(Step, self->steps, self->n + 1);
  self->steps[self->n++] = (Step){ either ? OR : AND, 0, 0, NULL, { NULL } };
  return self;
}

VtObjectFilter *
vt_object_filter_ref(VtObjectFilter *filter)
{
  return g_atomic_rc_box_acquire(filter);
}

static void
clear(gpointer data)
{
  VtObjectFilter *self = data;
  for (guint i = 0; i < self->n; i++) {
    Step *step = &self->steps[i];
    g_clear_pointer(&step->shape, vt_object_shape_unref);
    for (guint k = 0; k < G_N_ELEMENTS(step->added); k++)
      g_clear_pointer(&step->added[k], vt_column_unref);
  }
  g_free(self->steps);
}

void
vt_object_filter_unref(VtObjectFilter *filter)
{
  g_atomic_rc_box_release_full(filter, clear);
}

static double
get_value(const VtColumn *added, guint column, const GPtrArray *objects, guint index)
{
  return added ? vt_column_get_value(added, objects, index) : vt_object_get_value(objects->pdata[index], column);
}

static gboolean
is_inside(const Step *step, const GPtrArray *objects, guint index)
{
  const VtObjectShape *shape = step->shape;
  const double x = get_value(step->added[0], shape->x, objects, index);
  const double y = get_value(step->added[1], shape->y, objects, index);
  return vt_object_shape_holds(shape, vt_object_shape_get_place(x, shape->is_log_x),
                               vt_object_shape_get_place(y, shape->is_log_y));
}

static double
combine(Code code, double a, double b)
{
  switch (code) {
  case OR: return a != 0 || b != 0;
  case AND: return a != 0 && b != 0;
  case LESS: return a < b;
  case AT_MOST: return a <= b;
  case MORE: return a > b;
  case AT_LEAST: return a >= b;
  case EQUAL: return a == b;
  case UNEQUAL: return a < b || a > b;
  case ADD: return a + b;
  case SUBTRACT: return a - b;
  case MULTIPLY: return a * b;
  default: return a / b;
  }
}

gboolean
vt_object_filter_passes(const VtObjectFilter *filter, const GPtrArray *objects, guint index)
{
  double stack[MOST_STEPS];
  guint n = 0;
  for (guint i = 0; i < filter->n; i++) {
    const Step *step = &filter->steps[i];
    switch (step->code) {
    case PUSH_NUMBER: stack[n++] = step->number; break;
    case PUSH_COLUMN: stack[n++] = get_value(step->added[0], step->column, objects, index); break;
    case PUSH_INSIDE: stack[n++] = is_inside(step, objects, index); break;
    case NOT: stack[n - 1] = stack[n - 1] == 0; break;
    case NEGATE: stack[n - 1] = -stack[n - 1]; break;
    default: n--; stack[n - 1] = combine(step->code, stack[n - 1], stack[n]);
    }
  }
  return n > 0 && stack[0] != 0 && !isnan(stack[0]);
}
