/* SPDX-License-Identifier: MIT
 *
 * What the rows of the table of objects and their list know of each other. */
#pragma once
#include "panels/vt-object-lines.h"

/* A column that is shown. */
typedef struct {
  GtkColumnViewColumn *column; /* borrowed: it is there while the slots are those of now */
  GtkWidget *title;            /* so is this */
  const char *name;            /* interned */
  int x_px, width_px;          /* from the start of a row */
  gboolean is_seen;            /* some of it is in sight from side to side */
} VtObjectSlot;

struct _VtObjectLines {
  GtkColumnView *heads, *view; /* borrowed */
  VtObjectRows *rows;          /* borrowed */
  VtObjectBars *bars;          /* borrowed */
  VtAnalysis *analysis;        /* borrowed, or NULL */
  GPtrArray *all;              /* VtObjectLine that there are; borrowed */
  GArray *slots;               /* VtObjectSlot from left to right */
  guint generation;            /* of the slots: rows whose cells are of another one are to be filled; from 1 on */
  int width_px, height_px;     /* of a row */
  GHashTable
    *widest; /* int, logical pixels, of names: the widest text so far of `of`, so that few texts move columns */
  const VtColumns *of;  /* not owned, only compared */
  GdkFrameClock *clock; /* or NULL */
  gboolean is_moving;   /* one view, after the other one */
};

/* Of a column whose texts are so wide: it is as wide as its widest. */
void vt_object_lines_note_width(VtObjectLines *self, const char *name, int width_px);

/* A row, as the child of GTK's. */
#define VT_TYPE_OBJECT_LINE (vt_object_line_get_type())
G_DECLARE_FINAL_TYPE(VtObjectLine, vt_object_line, VT, OBJECT_LINE, GtkWidget)

struct _VtObjectLine {
  GtkWidget parent;
  VtObjectLines *lines;
  GtkListItem *item;    /* weak */
  GArray *cells;        /* its cells from left to right */
  guint chosen;         /* generation of which its cells are */
  gboolean has_all;     /* not those alone that are in sight */
  guint filled;         /* generation when they were filled; 0: they are to be */
  gboolean is_shown;    /* its cells are */
  gboolean is_watching; /* whether its row has the keyboard */
};

/* It comes into sight, or another object is there, or other columns are. */
void vt_object_line_fill(VtObjectLine *self);
/* Out of sight: its cells are hidden, also from screen readers, and hold no objects. */
void vt_object_line_empty(VtObjectLine *self);
/* After the next layout, if it is in sight then. */
void vt_object_line_fill_soon(VtObjectLine *self);
/* That of GTK's list. */
GtkWidget *vt_object_line_get_row(VtObjectLine *self);
gboolean vt_object_line_is_picture(const char *name); /* of a column */
/* One of its cells; NULL: it has none. */
GtkWidget *vt_object_line_get_cell(VtObjectLine *self);
