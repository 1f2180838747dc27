/* SPDX-License-Identifier: MIT
 *
 * A folder, or a file, that somebody else can open: the session, with all paths inside of the folder, the recipes that it uses, the results that are shown, and
 * the slides if they are wanted. What is not in it is told by a text in it. */
#pragma once
#include "results/vt-session-file.h"
#include "run/vt-run.h"

#define VT_BUNDLE_SESSION "session" VT_SESSION_SUFFIX
#define VT_BUNDLE_TEXT "README.txt"

/* Owns what it points to. */
typedef struct {
  VtSessionFile *session; /* with absolute paths; changed by vt_bundle_save() */
  GPtrArray *results;     /* VtResult that are shown, each with the slide at the same place of `slides` */
  GPtrArray *slides;      /* VtSlide */
  GHashTable
    *partial; /* paths of slides that are made of several files, which are not all known: they do not go along */
  gboolean has_slides; /* the others do */
  GPtrArray *notes;    /* char*: what else is not in it, sentences */
} VtBundle;
VtBundle *vt_bundle_new(VtSessionFile *session);
void vt_bundle_free(VtBundle *bundle);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtBundle, vt_bundle_free)

/* Bytes of the slides that can go along, each counted once, and how many they are. */
guint64 vt_bundle_count_slides(const VtBundle *bundle, guint *n);

/* Called on the thread that saves. */
typedef void (*VtBundleProgress)(double part, gpointer user);
/* Makes the folder, which must not be there, or be empty; or, of a name that ends in VT_ZIP_SUFFIX, a file that must not be there: all of it, or nothing.
 * Blocking, for a worker. */
gboolean vt_bundle_save(VtBundle *bundle, const char *place, VtBundleProgress progress, gpointer user,
                        GCancellable *cancellable, GError **error);
