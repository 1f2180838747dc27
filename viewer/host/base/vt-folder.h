/* SPDX-License-Identifier: MIT
 *
 * A folder of results, which changes as a whole: one writer at a time, and a set of files that replaces another one. */
#pragma once
#include <glib.h>

typedef struct VtFolder VtFolder;

/* The right to write into a folder, which is made if need be. One process has it at a time, and what it cannot finish is
 * finished, or removed, by the next one that gets it: first of all here. Owned; NULL: a sentence, and nothing was changed. */
VtFolder *vt_folder_lock(const char *path, GError **error);
void vt_folder_unlock(VtFolder *folder); /* or NULL */
/* Of a process that ends at once, whatever its other threads are at: the next one that asks for the folder gets it, from whichever computer. Any
 * thread; may wait as long as the drive does. */
void vt_folder_forsake(const VtFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtFolder, vt_folder_unlock)
const char *vt_folder_get_path(const VtFolder *folder);

/* An empty folder inside, for the files that are to come, VT_FOLDER_LAST among them. Owned by the folder. */
#define VT_FOLDER_LAST "record.json"
const char *vt_folder_stage(VtFolder *folder, GError **error);
/* Moves the staged files out into the folder, whose files of the same names, and of the names in `obsolete` (a set of strings),
 * they replace. At any moment the folder has all old files, all new ones, or no VT_FOLDER_LAST; then the next
 * vt_folder_lock() goes on. FALSE: a sentence, and all files are the old ones, or the last is missing. */
gboolean vt_folder_swap(VtFolder *folder, GHashTable *obsolete, GError **error);
/* Instead of vt_folder_swap(). */
void vt_folder_unstage(VtFolder *folder);
/* The record of the files that vt_folder_lock() would move into a folder, if it is there. */
#define VT_FOLDER_PENDING ".vitrail-ready/" VT_FOLDER_LAST

/* Removes a folder and the files in it, of which none may be a folder; one that is not there is fine. No link is followed: what
 * is behind it belongs to somebody else. */
gboolean vt_folder_remove(const char *path, GError **error);
/* Whether it is a folder, no link, of plain files. */
gboolean vt_folder_is_plain(const char *path);
