/* SPDX-License-Identifier: MIT
 *
 * Functions that are the same but for their names, what they free, locks that a block holds, and loops over lists. */
#pragma once
#include <glib.h>

#include "base/vt-each.h"

/* What a header declares as `Type name(Class *self)`, and a field answers. */
#define VT_GETTER(Type, name, Class, field) \
  Type name(Class *self) \
  { \
    return self->field; \
  }

/* Of a class whose instances begin as zeros. */
#define VT_EMPTY_INIT(Type, name) \
  static void name##_init(Type *self) \
  { \
    (void)self; \
  }

/* Held to the end of the block. */
#define VT_LOCK(mutex) g_autoptr(GMutexLocker) G_GNUC_UNUSED vt_locker = g_mutex_locker_new(mutex)

/* name_ref() and name_unref() of what is made by g_atomic_rc_box_new(); clear(gpointer) ends what it holds. */
#define VT_DEFINE_REF(Type, name, clear) \
  Type *name##_ref(Type *self) \
  { \
    return g_atomic_rc_box_acquire(self); \
  } \
  void name##_unref(Type *self) \
  { \
    g_atomic_rc_box_release_full(self, clear); \
  }

/* Each item of a GPtrArray of Type *; of a GArray of Type, by its address (both may be NULL); of a GListModel, held while it is its turn. What the list
 * gets meanwhile has its turn, too. */
#define VT_EACH_OF(Type, item, array) \
  VT_EACH_TURN(item, (array) ? (array)->len : 0, Type *item, (array)->pdata[item##_at])
#define VT_EACH_IN(Type, item, array) \
  VT_EACH_TURN(item, (array) ? (array)->len : 0, Type *item, &g_array_index(array, Type, item##_at))
#define VT_EACH_ITEM(Type, item, model) \
  VT_EACH_TURN(item, g_list_model_get_n_items(G_LIST_MODEL(model)), g_autoptr(Type) item, \
               g_list_model_get_item(G_LIST_MODEL(model), item##_at))
/* Two loops, so that the item is of the inner one; a `break` of that ends both. */
#define VT_EACH_TURN(item, n, declared, value) \
  for (guint item##_at = 0, item##_on = 1; item##_on && item##_at < (n); item##_on = !item##_on, item##_at++) \
    for (declared = value; item##_on; item##_on = !item##_on)

/* static void name(gpointer): frees a Type that was allocated by GLib, and before it what its fields own: VT_FREES(release, fields, 16 at most) for each
 * function that lets go of some. */
#define VT_DEFINE_FREE(name, Type, frees) \
  static void name(gpointer data) \
  { \
    Type *self = data; \
    frees g_free(self); \
  }
/* static void name(gpointer): the same of what lies in other memory. */
#define VT_DEFINE_CLEAR(name, Type, frees) \
  static void name(gpointer data) \
  { \
    Type *self = data; \
    frees \
  }
/* What a header declares as void name(Type *). */
#define VT_DEFINE_TYPE_FREE(name, Type, frees) \
  void name(Type *self) \
  { \
    frees g_free(self); \
  }
#define VT_FREES(release, ...) VT_EACH(VT_FREE_FIELD, release, , __VA_ARGS__)
#define VT_FREE_FIELD(release, none, field) g_clear_pointer(&self->field, release);
