/* SPDX-License-Identifier: MIT
 *
 * What a filter is made of, for those who write it in another form. */
#pragma once
#include "layers/vt-object-filter.h"

typedef enum {
  VT_PUSH_NUMBER,
  VT_PUSH_COLUMN,
  VT_PUSH_INSIDE,
  VT_PUSH_MEMBER,
  VT_OR,
  VT_AND,
  VT_NOT,
  VT_LESS,
  VT_AT_MOST,
  VT_MORE,
  VT_AT_LEAST,
  VT_EQUAL,
  VT_UNEQUAL,
  VT_ADD,
  VT_SUBTRACT,
  VT_MULTIPLY,
  VT_DIVIDE,
  VT_NEGATE
} VtFilterCode;

typedef struct {
  VtFilterCode code;
  guint column, word;   /* VT_PUSH_COLUMN; of VT_PUSH_MEMBER also which word of the column */
  double number;        /* VT_PUSH_NUMBER */
  VtObjectShape *shape; /* VT_PUSH_INSIDE */
  VtColumn *added[2];   /* of the column, or of the shape's two; NULL: they are the objects' own */
} VtFilterStep;

/* For a machine with a stack. */
struct VtObjectFilter {
  guint n, depth; /* of the stack */
  VtFilterStep *steps;
};
