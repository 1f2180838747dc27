/* SPDX-License-Identifier: MIT
 *
 * Functions that are the same but for their names, locks that a block holds, and loops over lists. */
#pragma once
#include <glib.h>

/* What a header declares as `Type name(Class *self)`, and a field answers. */
#define VT_GETTER(Type, name, Class, field) \
  Type name(Class *self) \
  { \
    return self->field; \
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
#define VT_EACH_OF(Type, item, array) VT_EACH_TURN(item, (array) ? (array)->len : 0, Type *item, (array)->pdata[item##_at])
#define VT_EACH_IN(Type, item, array) \
  VT_EACH_TURN(item, (array) ? (array)->len : 0, Type *item, &g_array_index(array, Type, item##_at))
#define VT_EACH_ITEM(Type, item, model) \
  VT_EACH_TURN(item, g_list_model_get_n_items(G_LIST_MODEL(model)), g_autoptr(Type) item, \
               g_list_model_get_item(G_LIST_MODEL(model), item##_at))
/* Two loops, so that the item is of the inner one; a `break` of that ends both. */
#define VT_EACH_TURN(item, n, declared, value) \
  for (guint item##_at = 0, item##_on = 1; item##_on && item##_at < (n); item##_on = !item##_on, item##_at++) \
    for (declared = value; item##_on; item##_on = !item##_on)
