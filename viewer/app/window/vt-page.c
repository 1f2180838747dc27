/* SPDX-License-Identifier: MIT */
#include "window/vt-page.h"

#include "base/vt-define.h"
#include "window/vt-link.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-widgets.h"

#define MAX_PANES 4

struct _VtPage {
  GtkBox parent;
  GtkGrid *grid;
  GPtrArray *panes; /* borrowed from the grid */
  VtPane *active;
  gboolean linked;
  VtViewport bases[MAX_PANES]; /* as they were when they were linked; width 0: not linked */
};

G_DEFINE_FINAL_TYPE(VtPage, vt_page, GTK_TYPE_BOX)

VT_GETTER(guint, vt_page_get_n_panes, VtPage, panes->len)

VtPane *
vt_page_get_pane(VtPage *self, guint i)
{
  return g_ptr_array_index(self->panes, i);
}

VT_GETTER(VtPane *, vt_page_get_active, VtPage, active)

static void
show_frames(VtPage *self)
{
  for (guint i = 0; i < self->panes->len; i++) {
    VtPane *pane = vt_page_get_pane(self, i);
    vt_pane_set_frame(pane, self->panes->len > 1, pane == self->active);
  }
}

static void
activate(VtPage *self, VtPane *pane)
{
  if (self->active == pane)
    return;
  self->active = pane;
  show_frames(self);
  g_signal_emit_by_name(self, "active-changed");
}

void
vt_page_activate_next(VtPage *self)
{
  guint index = 0;
  g_ptr_array_find(self->panes, self->active, &index);
  VtPane *next = vt_page_get_pane(self, (index + 1) % self->panes->len);
  activate(self, next);
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(next)));
}

static const VtViewport *
get_view(VtPane *pane)
{
  return vt_canvas_get_view(vt_pane_get_canvas(pane));
}

static double
get_mpp(VtPane *pane)
{
  double mpp = 0, mpp_y = 0;
  vt_slide_get_mpp(vt_pane_get_slide(pane), &mpp, &mpp_y);
  return mpp;
}

/* A pane that has no size yet is linked as soon as it has. */
static void
link_pane(VtPage *self, guint index)
{
  VtPane *pane = vt_page_get_pane(self, index);
  self->bases[index] = *get_view(pane);
  if (!vt_pane_get_slide(pane))
    self->bases[index].width_px = 0;
  if (pane == self->active || self->bases[index].width_px <= 0 || !vt_pane_get_slide(self->active))
    return;
  const VtViewport *leader = get_view(self->active);
  double own = get_mpp(pane), its = get_mpp(self->active);
  gboolean same = vt_pane_get_slide(pane) == vt_pane_get_slide(self->active);
  VtViewport *base = &self->bases[index];
  base->downsample = own > 0 && its > 0 ? leader->downsample * its / own : leader->downsample;
  base->angle = leader->angle;
  base->mirrored = leader->mirrored;
  if (same) {
    base->centre_x_l0 = leader->centre_x_l0;
    base->centre_y_l0 = leader->centre_y_l0;
  }
  vt_canvas_follow(vt_pane_get_canvas(pane), base, FALSE);
}

void
vt_page_link_anew(VtPage *self)
{
  for (guint i = 0; self->linked && self->panes->len > 1 && i < self->panes->len; i++)
    link_pane(self, i);
}

VT_GETTER(gboolean, vt_page_get_linked, VtPage, linked)

void
vt_page_set_linked(VtPage *self, gboolean linked)
{
  self->linked = linked;
  vt_page_link_anew(self);
  g_signal_emit_by_name(self, "changed");
}

static gboolean
all_have_bases(VtPage *self)
{
  for (guint i = 0; i < self->panes->len; i++) {
    VtPane *pane = vt_page_get_pane(self, i);
    if (vt_pane_get_slide(pane) && get_view(pane)->width_px > 0 && self->bases[i].width_px <= 0)
      return FALSE;
  }
  return TRUE;
}

static void
lead(VtPage *self, VtPane *leader)
{
  guint index = 0;
  gboolean moving = vt_canvas_get_moving(vt_pane_get_canvas(leader));
  if (!self->linked || self->panes->len < 2 || vt_canvas_is_following(vt_pane_get_canvas(leader)))
    return;
  if (!all_have_bases(self)) {
    vt_page_link_anew(self);
    return;
  }
  g_ptr_array_find(self->panes, leader, &index);
  for (guint i = 0; i < self->panes->len && self->bases[index].width_px > 0; i++) {
    VtPane *pane = vt_page_get_pane(self, i);
    VtViewport view = *get_view(pane);
    if (pane == leader || self->bases[i].width_px <= 0)
      continue;
    vt_link_follow(&self->bases[index], get_view(leader), &self->bases[i], &view);
    vt_canvas_follow(vt_pane_get_canvas(pane), &view, moving);
  }
}

static void
on_pane_moved(VtPage *self, VtPane *pane)
{
  lead(self, pane);
  if (pane == self->active)
    g_signal_emit_by_name(self, "moved");
}

static void
on_pane_changed(VtPage *self, VtPane *pane)
{
  if (pane == self->active)
    g_signal_emit_by_name(self, "changed");
}

static VtPane *
add_pane(VtPage *self)
{
  VtPane *pane = g_object_new(VT_TYPE_PANE, NULL);
  vt_widget_mend_mnemonics(GTK_WIDGET(pane));
  guint index = self->panes->len;
  self->bases[index].width_px = 0;
  g_ptr_array_add(self->panes, pane);
  gtk_grid_attach(self->grid, GTK_WIDGET(pane), (int)index % 2, (int)index / 2, 1, 1);
  g_signal_connect_object(pane, "touched", G_CALLBACK(activate), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(pane, "changed", G_CALLBACK(on_pane_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(pane, "moved", G_CALLBACK(on_pane_moved), self, G_CONNECT_SWAPPED);
  g_signal_emit_by_name(self, "added", pane);
  return pane;
}

static void
remove_pane(VtPage *self, VtPane *pane)
{
  g_ptr_array_remove(self->panes, pane);
  g_signal_emit_by_name(self, "removed", pane);
  gtk_grid_remove(self->grid, GTK_WIDGET(pane));
}

static void
put_in_place(VtPage *self)
{
  for (guint i = 0; i < self->panes->len; i++) {
    GtkWidget *pane = GTK_WIDGET(vt_page_get_pane(self, i));
    g_object_ref(pane);
    gtk_grid_remove(self->grid, pane);
    gtk_grid_attach(self->grid, pane, (int)i % 2, (int)i / 2, 1, 1);
    g_object_unref(pane);
  }
}

GPtrArray *
vt_page_dup_surplus(VtPage *self, guint n)
{
  GPtrArray *surplus = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint i = self->panes->len; i > 0 && self->panes->len - surplus->len > n; i--)
    if (vt_page_get_pane(self, i - 1) != self->active)
      g_ptr_array_add(surplus, g_object_ref(vt_page_get_pane(self, i - 1)));
  return surplus;
}

void
vt_page_set_n_panes(VtPage *self, guint n)
{
  gboolean fewer = n < self->panes->len;
  n = CLAMP(n, 1, MAX_PANES);
  g_autoptr(GPtrArray) surplus = vt_page_dup_surplus(self, n);
  for (guint i = 0; i < surplus->len; i++)
    remove_pane(self, surplus->pdata[i]);
  if (fewer)
    put_in_place(self);
  while (self->panes->len < n)
    vt_pane_copy(add_pane(self), self->active);
  for (guint i = 0; i < MAX_PANES; i++)
    self->bases[i].width_px = 0;
  show_frames(self);
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(self->active)));
  vt_page_link_anew(self);
  g_signal_emit_by_name(self, "changed");
}

static void
vt_page_class_init(VtPageClass *klass)
{
  VT_OWNS_TO_THE_END(klass, VtPage, g_ptr_array_unref, panes);
  vt_signals_new(VT_TYPE_PAGE, "active-changed", "changed", "moved", NULL);
  vt_signal_new(VT_TYPE_PAGE, "added", VT_TYPE_PANE, G_TYPE_NONE);
  vt_signal_new(VT_TYPE_PAGE, "removed", VT_TYPE_PANE, G_TYPE_NONE);
}

static void
vt_page_init(VtPage *self)
{
  self->panes = g_ptr_array_new();
  self->linked = TRUE;
  self->grid = g_object_new(GTK_TYPE_GRID, "row-homogeneous", TRUE, "column-homogeneous", TRUE, "row-spacing", 2,
                            "column-spacing", 2, NULL);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->grid));
  self->active = add_pane(self);
}
