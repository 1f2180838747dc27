/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/expression.h"

enum { DEEPEST = 64 };

typedef struct {
  VtScope *scope;
  const char *text, *at;
  const char *problem; /* NULL: none so far */
  int depth;
} Parser;

typedef VtExpressionValue Value;

static Value parse_or(Parser *p);

static Value
number_of(double number)
{
  return (Value){ .number = number };
}

static Value
wrong(Parser *p, const char *problem)
{
  p->problem = p->problem ? p->problem : problem;
  return number_of(NAN);
}

static void
skip_blanks(Parser *p)
{
  while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t')
    p->at++;
}

/* A sign: "<=" is not "<". */
static bool
take(Parser *p, const char *sign)
{
  skip_blanks(p);
  const size_t n = strlen(sign);
  if (strncmp(p->at, sign, n) != 0 || (n == 1 && strchr("<>!=", *sign) && p->at[1] == '='))
    return false;
  p->at += n;
  return true;
}

static bool
is_of_name(char c)
{
  return isalnum((unsigned char)c) || c == '-' || c == '_';
}

static bool
take_word(Parser *p, const char *word)
{
  skip_blanks(p);
  const size_t n = strlen(word);
  if (strncmp(p->at, word, n) != 0 || is_of_name(p->at[n]))
    return false;
  p->at += n;
  return true;
}

static bool
take_name(Parser *p, char name[VT_LONGEST_NAME + 1])
{
  size_t n = 0;
  skip_blanks(p);
  while (n < VT_LONGEST_NAME && is_of_name(p->at[n])) {
    name[n] = p->at[n];
    n++;
  }
  name[n] = '\0';
  p->at += n;
  return n > 0;
}

static bool
find_param(VtScope *scope, const char *name, Value *value)
{
  const VtRun *run = scope->run;
  for (uint32_t i = 0; i < run->op->n_params; i++) {
    const VitrailParam *param = run->op->params[i];
    if (strcmp(param->key, name) != 0)
      continue;
    *value = number_of(run->values[i][0]);
    scope->params |= UINT64_C(1) << i;
    if (param->type == VITRAIL_PARAM_CHOICE) {
      value->param = param;
      value->word = param->choices[(uint32_t)value->number];
    }
    return true;
  }
  return false;
}

/* With a point, whatever the locale of the program has. *length: how much of the text it is. */
static double
read_number(const char *begin, size_t *length)
{
  char text[VT_LONGEST_NAME + 1], *end, *point;
  size_t n = 0;
  while (n < VT_LONGEST_NAME
         && (isdigit((unsigned char)begin[n]) || begin[n] == '.' || begin[n] == 'e' || begin[n] == 'E'
             || ((n == 0 || strchr("eE", begin[n - 1])) && (begin[n] == '-' || begin[n] == '+')))) {
    text[n] = begin[n];
    n++;
  }
  text[n] = '\0';
  if ((point = strchr(text, '.')))
    *point = *localeconv()->decimal_point;
  const double number = strtod(text, &end);
  *length = (size_t)(end - text);
  return number;
}

static Value
call_one(Parser *p, const char *name, Value x)
{
  static const struct {
    const char *name;
    double (*of)(double);
  } functions[] = { { "round", round }, { "floor", floor }, { "ceil", ceil }, { "sqrt", sqrt }, { "abs", fabs } };
  for (size_t i = 0; i < VT_COUNT(functions); i++)
    if (strcmp(functions[i].name, name) == 0)
      return number_of(functions[i].of(x.number));
  size_t length;
  if (strcmp(name, "number") == 0)
    return number_of(x.word ? read_number(x.word, &length) : x.number);
  return wrong(p, "there is no such function of one number");
}

static Value
call_two(Parser *p, const char *name, Value x, Value y)
{
  if (strcmp(name, "min") == 0)
    return number_of(fmin(x.number, y.number));
  if (strcmp(name, "max") == 0)
    return number_of(fmax(x.number, y.number));
  if (strcmp(name, "whole-if") == 0)
    return number_of(x.number != 0 ? round(y.number) : y.number);
  return wrong(p, "there is no such function of two numbers");
}

/* Of a name: the scope's; else of numbers. */
static Value
call(Parser *p, const char *name)
{
  const char *begin = p->at;
  char argument[VT_LONGEST_NAME + 1];
  Value value;
  if (take_name(p, argument) && take(p, ")") && p->scope->find(p->scope->user, name, argument, &value))
    return value;
  p->at = begin;
  const Value x = parse_or(p);
  if (take(p, ")"))
    return call_one(p, name, x);
  if (!take(p, ","))
    return wrong(p, "a bracket is not closed");
  const Value y = parse_or(p);
  return take(p, ")") ? call_two(p, name, x, y) : wrong(p, "a bracket is not closed");
}

static Value
parse_number(Parser *p)
{
  size_t length;
  const double number = read_number(p->at, &length);
  p->at += length;
  return number_of(number);
}

static Value
parse_text(Parser *p)
{
  const char *end = strchr(p->at, '\'');
  if (!end || end - p->at > VT_LONGEST_NAME)
    return wrong(p, "a text in quotes has no end, or is too long");
  const size_t n = (size_t)(end - p->at);
  const char *begin = p->at;
  p->at = end + 1;
  for (uint32_t i = 0; i < p->scope->n_words; i++)
    if (strncmp(p->scope->words[i], begin, n) == 0 && p->scope->words[i][n] == '\0')
      return (Value){ .number = NAN, .word = p->scope->words[i] };
  if (p->scope->n_words == VT_SCOPE_WORDS)
    return wrong(p, "there are too many texts in quotes");
  char *word = p->scope->words[p->scope->n_words++];
  memcpy(word, begin, n);
  word[n] = '\0';
  return (Value){ .number = NAN, .word = word };
}

static Value
parse_primary(Parser *p)
{
  char name[VT_LONGEST_NAME + 1];
  Value value;
  skip_blanks(p);
  if (take(p, "'"))
    return parse_text(p);
  if (take(p, "(")) {
    value = parse_or(p);
    return take(p, ")") ? value : wrong(p, "a bracket is not closed");
  }
  if (isdigit((unsigned char)*p->at))
    return parse_number(p);
  if (!take_name(p, name))
    return wrong(p, "a number or a name is missing");
  if (*p->at == '(') {
    p->at++;
    return call(p, name);
  }
  if (strcmp(name, "infinity") == 0)
    return number_of(INFINITY);
  if (find_param(p->scope, name, &value) || p->scope->find(p->scope->user, name, NULL, &value))
    return value;
  return wrong(p, "there is no such name");
}

static Value
parse_unary(Parser *p)
{
  if (++p->depth > DEEPEST)
    return wrong(p, "it is nested too deeply");
  Value value;
  if (take(p, "-"))
    value = number_of(-parse_unary(p).number);
  else
    value = parse_primary(p);
  p->depth--;
  return value;
}

static Value
parse_product(Parser *p)
{
  Value value = parse_unary(p);
  while (!p->problem) {
    if (take(p, "*"))
      value = number_of(value.number * parse_unary(p).number);
    else if (take(p, "/"))
      value = number_of(value.number / parse_unary(p).number);
    else
      break;
  }
  return value;
}

static Value
parse_sum(Parser *p)
{
  Value value = parse_product(p);
  while (!p->problem) {
    if (take(p, "+"))
      value = number_of(value.number + parse_product(p).number);
    else if (take(p, "-"))
      value = number_of(value.number - parse_product(p).number);
    else
      break;
  }
  return value;
}

static bool
is_key_of(const VitrailParam *param, const char *word)
{
  for (uint32_t i = 0; param && i < param->n_choices; i++)
    if (strcmp(param->choices[i], word) == 0)
      return true;
  return !param;
}

static Value
equal(Parser *p, Value a, Value b)
{
  if (!a.word != !b.word)
    return wrong(p, "a text is compared with a number");
  if (a.word && (!is_key_of(a.param, b.word) || !is_key_of(b.param, a.word)))
    return wrong(p, "a choice has no such key");
  return number_of(a.word ? strcmp(a.word, b.word) == 0 : a.number == b.number);
}

static Value
parse_comparison(Parser *p)
{
  const Value a = parse_sum(p);
  if (take(p, "=="))
    return equal(p, a, parse_sum(p));
  if (take(p, "!="))
    return number_of(equal(p, a, parse_sum(p)).number == 0);
  if (take(p, "<="))
    return number_of(a.number <= parse_sum(p).number);
  if (take(p, ">="))
    return number_of(a.number >= parse_sum(p).number);
  if (take(p, "<"))
    return number_of(a.number < parse_sum(p).number);
  if (take(p, ">"))
    return number_of(a.number > parse_sum(p).number);
  return a;
}

static Value
parse_not(Parser *p)
{
  if (!take_word(p, "not"))
    return parse_comparison(p);
  if (++p->depth > DEEPEST)
    return wrong(p, "it is nested too deeply");
  const Value value = number_of(parse_not(p).number == 0);
  p->depth--;
  return value;
}

static Value
parse_and(Parser *p)
{
  Value value = parse_not(p);
  while (!p->problem && take_word(p, "and")) {
    const bool other = parse_not(p).number != 0;
    value = number_of(value.number != 0 && other);
  }
  return value;
}

static Value
parse_or(Parser *p)
{
  Value value = parse_and(p);
  while (!p->problem && take_word(p, "or")) {
    const bool other = parse_and(p).number != 0;
    value = number_of(value.number != 0 || other);
  }
  return value;
}

VitrailStatus
vt_expression(VtScope *scope, const char *text, VtExpressionValue *value)
{
  Parser p = { .scope = scope, .text = text, .at = text };
  *value = parse_or(&p);
  skip_blanks(&p);
  if (!p.problem && *p.at)
    p.problem = "something is left over";
  if (p.problem)
    return vt_fail(scope->run, VITRAIL_BAD_ARGUMENT, "The expression \"%.80s\" can't be read: %s (at \"%.20s\").", text,
                   p.problem, p.at);
  return VITRAIL_OK;
}
