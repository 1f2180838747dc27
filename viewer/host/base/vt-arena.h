/* SPDX-License-Identifier: MIT
 *
 * Memory that a file stands behind: what is taken stays where it is, and leaves the process's memory when it was not looked at
 * for a while. For what a run collects and looks at once more, in the same order. One thread at a time. */
#pragma once
#include <glib.h>

G_BEGIN_DECLS

typedef struct VtArena VtArena;

/* With a file in the folder `dir` that nobody else sees, and that is gone when the arena is. */
VtArena *vt_arena_new(const char *dir, GError **error);
void vt_arena_free(VtArena *arena);
/* Of 8-byte alignment; NULL: the disk is full. */
gpointer vt_arena_take(VtArena *arena, gsize bytes, GError **error);
/* Everything is in the file now. Also from any other thread. */
void vt_arena_rest(VtArena *arena);

G_END_DECLS
