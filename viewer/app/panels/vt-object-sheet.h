/* SPDX-License-Identifier: MIT
 *
 * Rows and columns of the table of objects as they stood when somebody asked for them, as text. */
#pragma once
#include "layers/vt-columns.h"

typedef struct {
  VtColumns *of;     /* all there is, with its result */
  GArray *rows;      /* guint: objects, in order */
  GArray *columns;   /* guint */
  GPtrArray *titles; /* char*, of each column */
} VtObjectSheet;

/* Keeps the columns; the lists are empty. */
VtObjectSheet *vt_object_sheet_new(VtColumns *of);
void vt_object_sheet_free(VtObjectSheet *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtObjectSheet, vt_object_sheet_free)
/* For the clipboard: a row a line, tabs between numbers, nothing where there is neither number nor word. Any thread. Owned. */
char *vt_object_sheet_dup_text(const VtObjectSheet *self);
/* As a file: tabs if its name ends so (.tsv), else commas. What the values come from stands behind them: image, op, edge of an analysis pixel, settings. Whole or not
 * at all. Any thread. */
gboolean vt_object_sheet_save(const VtObjectSheet *self, const char *path, GError **error);
