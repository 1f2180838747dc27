/* SPDX-License-Identifier: MIT */
#include "common/vt-at-once.h"

static gboolean
on_next(gpointer data)
{
  VtAtOnce *self = data;
  self->id = 0;
  return G_SOURCE_REMOVE;
}

void
vt_at_once_begin(VtAtOnce *self)
{
  if (self->id == 0)
    self->id = g_idle_add_full(G_PRIORITY_HIGH, on_next, self, NULL);
  self->changed_us = g_get_monotonic_time();
}

gboolean
vt_at_once_is_open(const VtAtOnce *self)
{
  return self->id > 0;
}

gboolean
vt_at_once_is_soon(const VtAtOnce *self)
{
  return self->changed_us > 0 && g_get_monotonic_time() - self->changed_us <= VT_AT_ONCE_S * G_USEC_PER_SEC;
}

void
vt_at_once_end(VtAtOnce *self)
{
  g_clear_handle_id(&self->id, g_source_remove);
}
