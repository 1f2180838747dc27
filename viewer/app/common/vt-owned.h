/* SPDX-License-Identifier: MIT
 *
 * What the instances of a final class own, said where the class begins, in place of a dispose() and a finalize() that let go of it. */
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
