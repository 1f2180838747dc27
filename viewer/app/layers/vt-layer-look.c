/* SPDX-License-Identifier: MIT */
#include "layers/vt-layer-private.h"

/* FALSE: it has them already. */
static gboolean
take_switches(VtLayer *self, const VtLayer *other)
{
  if (self->shown == other->shown && self->solo == other->solo && self->muted == other->muted
      && self->opacity == other->opacity && self->blend == other->blend)
    return FALSE;
  self->shown = other->shown;
  self->solo = other->solo;
  self->muted = other->muted;
  self->opacity = other->opacity;
  self->blend = other->blend;
  return TRUE;
}

static gboolean
take_colours(VtLayer *self, const VtLayer *other)
{
  if (vt_coloring_equal(&self->coloring, &other->coloring) && self->measure == other->measure
      && self->filter == other->filter && self->own_range)
    return FALSE;
  self->coloring = other->coloring;
  self->own_range = TRUE; /* the same colour is the same value on both */
  self->measure = other->measure;
  self->filter_changed |= self->filter != other->filter || self->measure != other->measure;
  g_clear_pointer(&self->filter, vt_object_filter_unref);
  self->filter = other->filter ? vt_object_filter_ref(other->filter) : NULL;
  return TRUE;
}

void
vt_layer_look_like(VtLayer *self, VtLayer *other)
{
  const gboolean was_seen = vt_layer_get_seen(self);
  const gboolean switched = take_switches(self, other), coloured = take_colours(self, other);
  if (coloured || (!was_seen && (self->dirty || !self->painted)))
    vt_layer_paint(self);
  if (switched || coloured)
    g_signal_emit_by_name(self, "redraw");
}
