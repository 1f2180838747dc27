/* SPDX-License-Identifier: MIT
 *
 * The keys of a session file: reading, writing and freeing go by this one table. */
#pragma once
#include "results/vt-session-file.h"

#define VT_SESSION_VERSION 1

typedef enum { TEXT, PATH, FLAG, WHOLE, NUMBER, NUMBERS, TEXTS, RINGS, LIST, MEASURED } Type; /* of a value */

typedef struct Kind Kind;

typedef struct {
  const char *key;
  Type type;
  gsize offset;
  double min,
    max; /* of numbers; of NUMBERS: of each. Of LIST and RINGS, `max` is how many there may be, 0: any number */
  const Kind *of; /* LIST: of what */
  gboolean is_needed;
  guint least;          /* numbers of each of RINGS; 0: six, of three corners */
  gboolean is_one_of;   /* of the fields that say so an object has one */
  gboolean is_relative; /* PATH, relative to the folder of the file */
} Field;

struct Kind {
  gsize size;
  guint n;
  const Field *fields;
};

/* Of the whole file. */
extern const Kind vt_session_file_kind;
#define MEMBER(type, object, field) (*(type *)(gpointer)((char *)(object) + (field)->offset))
/* A new one of the kind, empty, in the list. */
gpointer vt_session_list_add(GPtrArray *list, const Kind *kind);
