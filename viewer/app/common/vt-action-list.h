/* SPDX-License-Identifier: MIT
 *
 * Every action a person can call, with its name in words and its keys: shortcuts, the shortcuts window and the command
 * palette are all made from this one list, so they cannot differ. */
#pragma once
#include <gtk/gtk.h>

typedef struct {
  const char *action;      /* detailed: "win.magnification(20.0)"; NULL: a key that the picture itself listens to */
  const char *section;     /* untranslated */
  const char *title;       /* untranslated */
  const char *triggers[4]; /* the last is the one that is shown; NULL-terminated */
} VtActionInfo;

/* The length goes to *n. */
const VtActionInfo *vt_action_list_get(guint *n);
/* Keys of a window. They bubble up from whatever has the focus, so typing a 1 into a field stays a 1. */
GtkEventController *vt_action_list_new_shortcuts(void);
/* The one trigger to be shown, as GTK writes it; NULL: none. */
const char *vt_action_info_get_trigger(const VtActionInfo *info);
/* The same as people read it ("Ctrl+K"); NULL: none. Owned. */
char *vt_action_info_dup_key(const VtActionInfo *info, GtkWidget *widget);
/* The number that an action was called with. FALSE: it is not from least to most (another program can send any), and nothing is to be done. */
gboolean vt_action_get_number(GVariant *parameter, double least, double most, double *number);
