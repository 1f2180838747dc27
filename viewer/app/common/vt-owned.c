/* SPDX-License-Identifier: MIT */
#include "common/vt-owned.h"

typedef struct {
  gsize offset;
  GDestroyNotify release;
  gboolean to_the_end;
} Owned;

static GQuark
get_key(void)
{
  return g_quark_from_static_string("vt-owned");
}

static GObjectClass *
let_go(GObject *object, gboolean is_end)
{
  const GArray *owned = g_type_get_qdata(G_OBJECT_TYPE(object), get_key());
  for (guint i = 0; i < owned->len; i++) {
    const Owned *one = &g_array_index(owned, Owned, i);
    gpointer *field = G_STRUCT_MEMBER_P(object, one->offset);
    if (one->to_the_end == is_end && *field)
      one->release(g_steal_pointer(field));
  }
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
vt_owned_add(GObjectClass *klass, GDestroyNotify release, gboolean to_the_end, const gsize *offsets)
{
  const GType type = G_OBJECT_CLASS_TYPE(klass);
  GArray *owned = g_type_get_qdata(type, get_key());
  if (!owned) {
    owned = g_array_new(FALSE, FALSE, sizeof(Owned));
    g_type_set_qdata(type, get_key(), owned);
  }
  for (; *offsets; offsets++)
    g_array_append_vals(owned, &(Owned){ *offsets, release, to_the_end }, 1);
  if (to_the_end)
    klass->finalize = finalize;
  else
    klass->dispose = dispose;
}
