/* SPDX-License-Identifier: MIT */
#include "common/vt-owned.h"

typedef struct {
  gsize offset;
  VtOwned what;
  GDestroyNotify release;
} Owned;

static GQuark
get_key(void)
{
  return g_quark_from_static_string("vt-owned");
}

static void
let_go_of(GObject *object, const Owned *one)
{
  gpointer *field = G_STRUCT_MEMBER_P(object, one->offset);
  switch (one->what) {
  case VT_OWNED_WEAK: g_clear_weak_pointer(field); break;
  case VT_OWNED_SOURCE: g_clear_handle_id((guint *)(gpointer)field, g_source_remove); break;
  case VT_OWNED_CALL:
    if (!g_object_get_qdata(object, get_key()))
      one->release(object);
    g_object_set_qdata(object, get_key(), object);
    break;
  default:
    if (*field)
      one->release(g_steal_pointer(field));
  }
}

static GObjectClass *
let_go(GObject *object, gboolean is_end)
{
  const GArray *owned = g_type_get_qdata(G_OBJECT_TYPE(object), get_key());
  for (guint i = 0; i < owned->len; i++)
    if ((g_array_index(owned, Owned, i).what == VT_OWNED_TO_THE_END) == is_end)
      let_go_of(object, &g_array_index(owned, Owned, i));
  return g_type_class_peek_parent(G_OBJECT_GET_CLASS(object));
}

static void
dispose(GObject *object)
{
  let_go(object, FALSE)->dispose(object);
}

static void
finalize(GObject *object)
{
  let_go(object, TRUE)->finalize(object);
}

void
vt_owned_add(GObjectClass *klass, VtOwned what, GDestroyNotify release, const gsize *offsets)
{
  const GType type = G_OBJECT_CLASS_TYPE(klass);
  GArray *owned = g_type_get_qdata(type, get_key());
  if (!owned) {
    owned = g_array_new(FALSE, FALSE, sizeof(Owned));
    g_type_set_qdata(type, get_key(), owned);
  }
  do
    g_array_append_vals(owned, &(Owned){ *offsets, what, release }, 1);
  while (*offsets && *++offsets);
  if (what == VT_OWNED_TO_THE_END)
    klass->finalize = finalize;
  else
    klass->dispose = dispose;
}
