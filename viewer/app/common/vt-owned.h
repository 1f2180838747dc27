/* SPDX-License-Identifier: MIT
 *
 * What a struct or the instances of a final class own, said in one place, instead of functions that let go of it field by field. */
#pragma once
#include <glib-object.h>

#include "common/vt-each.h"

/* Fields of `Type`, 16 at most, that release(field) lets go of, one after the other, when an instance is disposed of; NULL: there is nothing to let
 * go of. A class that does more then has a dispose() of its own, and not this. */
#define VT_OWNS(klass, Type, release, ...) VT_OWNED(klass, Type, release, FALSE, __VA_ARGS__)
/* The same, when it is finalized: they are there as long as the instance is. */
#define VT_OWNS_TO_THE_END(klass, Type, release, ...) VT_OWNED(klass, Type, release, TRUE, __VA_ARGS__)

#define VT_OWNED(klass, Type, release, to_the_end, ...) \
  vt_owned_add(G_OBJECT_CLASS(klass), (GDestroyNotify)release, to_the_end, \
               (const gsize[]){ VT_EACH(VT_OWNED_AT, Type, , __VA_ARGS__) 0 })
#define VT_OWNED_AT(Type, none, field) G_STRUCT_OFFSET(Type, field),
/* Offsets, 0 after the last. */
void vt_owned_add(GObjectClass *klass, GDestroyNotify release, gboolean to_the_end, const gsize *offsets);

/* static void name(gpointer): frees a Type that was allocated by GLib, and before it what its fields own: VT_FREES(release, fields, 16 at most) for each
 * function that lets go of some. */
#define VT_DEFINE_FREE(name, Type, frees) \
  static void name(gpointer data) \
  { \
    Type *self = data; \
    frees g_free(self); \
  }
#define VT_FREES(release, ...) VT_EACH(VT_FREE_FIELD, release, , __VA_ARGS__)
#define VT_FREE_FIELD(release, none, field) g_clear_pointer(&self->field, release);
