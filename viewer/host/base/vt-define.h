/* SPDX-License-Identifier: MIT
 *
 * Functions that are the same but for their names, and locks that a block holds. */
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
