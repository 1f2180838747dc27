/* SPDX-License-Identifier: MIT
 *
 * Memory that a file stands behind: what is taken stays where it is, and leaves the process's memory when it was not looked at
 * for a while. For what a run collects and looks at once more, in the same order. One thread at a time. */
#pragma once
#include <glib.h>

typedef struct VtArena VtArena;

/* With a file in the folder `dir` that nobody else sees, and that is gone when the arena is. */
VtArena *vt_arena_new(const char *dir, GError **error);
/* With the caller's own empty file, which it takes. `dir`: what errors call its place. */
VtArena *vt_arena_new_in_file(int file, const char *dir);
/* With such a file that has been written: its first `bytes` are *data. NULL: it has fewer; the file is closed then, too. */
VtArena *vt_arena_new_written(int file, gsize bytes, gpointer *data);
void vt_arena_free(VtArena *arena);
/* The same, but the file stays. Owned. */
int vt_arena_free_to_file(VtArena *arena);
/* Of 8-byte alignment; NULL: the disk is full. */
gpointer vt_arena_take(VtArena *arena, gsize bytes, GError **error);
/* Everything is in the file now. Also from any other thread. */
void vt_arena_rest(VtArena *arena);
