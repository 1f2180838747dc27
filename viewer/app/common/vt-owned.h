/* SPDX-License-Identifier: MIT
 *
 * What the instances of a final class own, said in one place, instead of functions that let go of it field by field. */
#pragma once
#include <glib-object.h>

#include "base/vt-define.h"

/* Of a class: what happens when an instance is disposed of, in the order in which it is said. A class that does more then has a dispose() of its own, and
 * none of these but the last. Fields of `Type`, 16 at most:
 * - release(field) lets go of them; NULL: there is nothing to let go of */
#define VT_OWNS(klass, Type, release, ...) VT_OWNED(klass, Type, VT_OWNED_FIELD, release, __VA_ARGS__)
/* - weak pointers */
#define VT_KNOWS(klass, Type, ...) VT_OWNED(klass, Type, VT_OWNED_WEAK, NULL, __VA_ARGS__)
/* - ids of sources of the main loop; 0: none */
#define VT_SOURCES(klass, Type, ...) VT_OWNED(klass, Type, VT_OWNED_SOURCE, NULL, __VA_ARGS__)
/* call(Type *), the first time. */
#define VT_ENDS(klass, Type, call) \
  vt_owned_add(G_OBJECT_CLASS(klass), VT_OWNED_CALL, (GDestroyNotify)call, (const gsize[]){ 0 })
/* As VT_OWNS(), when an instance is finalized: they are there as long as it is. */
#define VT_OWNS_TO_THE_END(klass, Type, release, ...) VT_OWNED(klass, Type, VT_OWNED_TO_THE_END, release, __VA_ARGS__)

typedef enum { VT_OWNED_FIELD, VT_OWNED_WEAK, VT_OWNED_SOURCE, VT_OWNED_CALL, VT_OWNED_TO_THE_END } VtOwned;
#define VT_OWNED(klass, Type, what, release, ...) \
  vt_owned_add(G_OBJECT_CLASS(klass), what, (GDestroyNotify)release, \
               (const gsize[]){ VT_EACH(VT_OWNED_AT, Type, , __VA_ARGS__) 0 })
#define VT_OWNED_AT(Type, none, field) G_STRUCT_OFFSET(Type, field),
/* Offsets of fields, and 0 after the last; of a call 0 alone. */
void vt_owned_add(GObjectClass *klass, VtOwned what, GDestroyNotify release, const gsize *offsets);
