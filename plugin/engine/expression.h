/* SPDX-License-Identifier: MIT
 *
 * expression.h: expressions of recipes, such as these. All arithmetic is in doubles.
 *
 *   round(background-radius / um-per-px)        operation == 'top-hat' or operation == 'bottom-hat'
 *
 * A name may have hyphens, so a minus stands between blanks. Names are the op's parameters and what the scope knows. A choice
 * is its number, and can be compared with one of its keys. From the loosest: or, and, not, comparisons, + -, * /, minus.
 * Functions: round floor ceil sqrt abs, min max, whole-if(condition, x) and number(choice), the number that its key is. */
#pragma once

#include "run/run.h"

enum { VT_LONGEST_NAME = 63, VT_SCOPE_WORDS = 256 };

typedef struct {
  double number;
  const char *word;          /* of a choice or of a text in quotes; NULL: it is a number */
  const VitrailParam *param; /* of a choice */
} VtExpressionValue;

typedef struct {
  VtRun *run;
  /* A name, or a function of a name (argument; else NULL), that the scope knows. */
  bool (*find)(void *user, const char *name, const char *argument, VtExpressionValue *value);
  void *user;
  char words[VT_SCOPE_WORDS][VT_LONGEST_NAME + 1]; /* texts in quotes: values point to them */
  uint32_t n_words;
  uint64_t params; /* bits of the op's parameters that were looked at */
} VtScope;

/* An error fails the run with a sentence. */
VitrailStatus vt_expression(VtScope *scope, const char *text, VtExpressionValue *value);
