/* SPDX-License-Identifier: MIT
 *
 * The chosen gate on a scatter plot, by hand: a corner of a polygon, or sides of a rectangle, two at a corner. What it becomes is drawn until the
 * hand lets go; then somebody may take it. */
#include <math.h>

#include "panels/vt-scatter-private.h"

#include "base/vt-define.h"

#define NEAR_PX 6

static const VtPlotGate *
find_chosen(VtScatter *self)
{
  VT_EACH_OF (const VtPlotGate, gate, self->gates)
    if (gate->is_chosen)
      return gate;
  return NULL;
}

static gint
find_corner(VtScatter *self, const GArray *points, double x, double y)
{
  gint found = -1;
  double nearest = NEAR_PX;
  for (guint i = 0; i + 1 < points->len; i += 2) {
    const double distance = hypot(vt_scatter_get_x(self, g_array_index(points, double, i)) - x,
                                  vt_scatter_get_y(self, g_array_index(points, double, i + 1)) - y);
    if (distance <= nearest) {
      nearest = distance;
      found = (gint)i;
    }
  }
  return found;
}

/* Whether `at` lies between two ends, one of which may be infinite. */
static gboolean
is_between(double at, double a, double b)
{
  return (isnan(a) || isnan(b)) || (at >= MIN(a, b) - NEAR_PX && at <= MAX(a, b) + NEAR_PX);
}

static guint
find_sides(VtScatter *self, const VtScatterChoice *c, double x, double y)
{
  const double left = vt_scatter_get_x(self, c->from_x), right = vt_scatter_get_x(self, c->to_x);
  const double low = vt_scatter_get_y(self, c->from_y), high = vt_scatter_get_y(self, c->to_y);
  guint sides = 0;
  if (is_between(y, low, high))
    sides |= fabs(x - right) <= NEAR_PX ? VT_SIDE_RIGHT : fabs(x - left) <= NEAR_PX ? VT_SIDE_LEFT : 0;
  if (is_between(x, left, right))
    sides |= fabs(y - high) <= NEAR_PX ? VT_SIDE_HIGH : fabs(y - low) <= NEAR_PX ? VT_SIDE_LOW : 0;
  return sides;
}

gboolean
vt_scatter_is_at_gate(VtScatter *self, double x, double y)
{
  const VtPlotGate *gate = find_chosen(self);
  return gate
         && (gate->choice.is_polygon ? find_corner(self, gate->choice.points, x, y) >= 0
                                     : find_sides(self, &gate->choice, x, y) != 0);
}

gboolean
vt_scatter_take_gate(VtScatter *self, double x, double y)
{
  const VtPlotGate *gate = find_chosen(self);
  if (!vt_scatter_is_at_gate(self, x, y))
    return FALSE;
  self->held_corner = gate->choice.is_polygon ? find_corner(self, gate->choice.points, x, y) : -1;
  self->held_sides = gate->choice.is_polygon ? 0 : find_sides(self, &gate->choice, x, y);
  self->moved = vt_plot_gate_copy(gate);
  self->has_moved = FALSE;
  return TRUE;
}

/* A side stops at the one across. */
void
vt_scatter_move_gate(VtScatter *self, double x, double y)
{
  VtScatterChoice *c = &self->moved->choice;
  const double place[2] = { vt_scatter_get_value_x(self, x), vt_scatter_get_value_y(self, y) };
  self->has_moved = TRUE;
  if (self->held_corner >= 0) {
    g_array_index(c->points, double, self->held_corner) = place[0];
    g_array_index(c->points, double, self->held_corner + 1) = place[1];
  }
  if (self->held_sides & VT_SIDE_LEFT)
    c->from_x = MIN(place[0], c->to_x);
  if (self->held_sides & VT_SIDE_RIGHT)
    c->to_x = MAX(place[0], c->from_x);
  if (self->held_sides & VT_SIDE_LOW)
    c->from_y = MIN(place[1], c->to_y);
  if (self->held_sides & VT_SIDE_HIGH)
    c->to_y = MAX(place[1], c->from_y);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
vt_scatter_drop_gate(VtScatter *self)
{
  g_clear_pointer(&self->moved, vt_plot_gate_free);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
