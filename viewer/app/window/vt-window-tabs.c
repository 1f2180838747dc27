/* SPDX-License-Identifier: MIT
 *
 * Tabs, and the panels around them: those of the active view are in sight. */
#include <glib/gi18n.h>
#include <malloc.h>

#include "common/vt-drop.h"
#include "plugins/vt-plugin-host.h"
#include "common/vt-test-log.h"
#include "window/vt-window-private.h"
#include "common/vt-widgets.h"

/* AdwTabBar moves its tabs for a quarter of a second from the frame on in which one comes, and a window with many to make has that late. */
enum { TAB_GLANCE_MS = 250, N_TAB_GLANCES = 6 };

static char *
dup_subtitle(VtSlide *slide)
{
  gint64 width, height;
  double mpp_x, mpp_y, power = vt_slide_get_objective_power(slide);
  GString *text = g_string_new(NULL);
  vt_slide_get_level_size(slide, 0, &width, &height);
  g_string_append_printf(text, "%" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " px", width, height);
  if (vt_slide_get_mpp(slide, &mpp_x, &mpp_y))
    g_string_append_printf(text, _(" · %.4g µm/px"), mpp_x);
  else
    g_string_append(text, _(" · uncalibrated"));
  if (power > 0)
    g_string_append_printf(text, _(" · %g× objective"), power);
  return g_string_free(text, FALSE);
}

static char *
dup_opening(VtWindow *self)
{
  if (self->opens_late && g_atomic_int_get(&self->n_told) < (int)self->n_opening)
    return g_strdup(_("Opening: a slow drive is waited for up to ten minutes…"));
  return g_strdup_printf(g_dngettext(NULL, "Opening…", "Opening %u slides…", self->n_opening), self->n_opening);
}

void
vt_window_show_title(VtWindow *self)
{
  VtSlide *slide = self->page ? vt_pane_get_slide(vt_window_get_pane(self)) : NULL;
  const char *name = slide ? vt_slide_get_name(slide) : "Vitrail";
  g_autofree char *subtitle = self->n_opening > 0 ? dup_opening(self) : slide ? dup_subtitle(slide) : g_strdup("");
  adw_window_title_set_title(self->title, name);
  adw_window_title_set_subtitle(self->title, subtitle);
  gtk_window_set_title(GTK_WINDOW(self), name);
  if (self->page)
    adw_tab_page_set_title(adw_tab_view_get_page(self->tab_view, GTK_WIDGET(self->page)), slide ? name : _("New tab"));
}

void
vt_window_show_panels(VtWindow *self)
{
  const gboolean wanted = self->n_opening > 0 || vt_pane_get_slide(vt_window_get_pane(self));
  gtk_widget_set_visible(GTK_WIDGET(self->sidebar_stack), wanted);
  gtk_widget_set_visible(adw_flap_get_separator(self->flap), wanted);
  gtk_widget_set_visible(GTK_WIDGET(self->stage_rail), wanted && self->stages);
  gtk_widget_set_sensitive(self->sidebar_button, wanted);
  gtk_widget_set_sensitive(self->regions_button, wanted);
}

static void
show_active(VtWindow *self)
{
  VtPane *pane = vt_window_get_pane(self);
  if (!pane || gtk_widget_in_destruction(GTK_WIDGET(self)))
    return;
  gtk_stack_set_visible_child(self->sidebar_stack, vt_pane_get_sidebar(pane));
  gtk_stack_set_visible_child(self->roi_stack, GTK_WIDGET(vt_pane_get_tables(pane)));
  gtk_stack_set_visible_child(self->status_stack, GTK_WIDGET(vt_pane_get_status_bar(pane)));
  gtk_widget_set_visible(GTK_WIDGET(self->status_stack), vt_pane_get_slide(pane) != NULL);
  vt_stage_rail_set_view(self->stage_rail, vt_pane_get_canvas(pane), vt_pane_get_analysis(pane),
                         vt_pane_get_stage_pins(pane));
  vt_stage_rail_set_params(self->stage_rail, vt_pane_get_param_panel(pane));
  vt_window_show_panels(self);
  vt_window_show_title(self);
  vt_window_update_actions(self);
  vt_window_update_view(self);
}

static void
on_regions_wanted(VtWindow *self, VtPane *pane)
{
  if (pane != vt_window_get_pane(self))
    return;
  gtk_widget_set_visible(GTK_WIDGET(self->roi_stack), TRUE);
  gtk_stack_set_visible_child_name(vt_pane_get_tables(pane), "regions");
}

static void
on_file(VtWindow *self, GFile *file)
{
  vt_window_open(self, file, NULL);
}

static void
adopt(VtWindow *self, VtPane *pane)
{
  /* First: what has actions of its own looks for those above it when it gets into a window. */
  vt_widget_lead_keys_to(vt_pane_get_sidebar(pane), GTK_WIDGET(vt_pane_get_canvas(pane)));
  gtk_stack_add_child(self->sidebar_stack, vt_pane_get_sidebar(pane));
  gtk_stack_add_child(self->roi_stack, GTK_WIDGET(vt_pane_get_tables(pane)));
  gtk_stack_add_child(self->status_stack, GTK_WIDGET(vt_pane_get_status_bar(pane)));
  g_object_set(vt_pane_get_minimap(pane), "enabled", self->minimap, NULL);
  vt_analysis_set_run_on(vt_pane_get_analysis(pane), self->run_on);
  g_signal_connect_object(pane, "regions-wanted", G_CALLBACK(on_regions_wanted), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(pane, "file", G_CALLBACK(on_file), self, G_CONNECT_SWAPPED);
}

static void
release(VtWindow *self, VtPane *pane)
{
  g_signal_handlers_disconnect_by_data(pane, self);
  gtk_stack_remove(self->sidebar_stack, vt_pane_get_sidebar(pane));
  gtk_stack_remove(self->roi_stack, GTK_WIDGET(vt_pane_get_tables(pane)));
  gtk_stack_remove(self->status_stack, GTK_WIDGET(vt_pane_get_status_bar(pane)));
}

static void
on_page_changed(VtWindow *self, VtPage *page)
{
  if (page == self->page)
    show_active(self);
}

static void
on_page_moved(VtWindow *self, VtPage *page)
{
  if (page == self->page)
    vt_window_update_view(self);
}

/* Where the tabs are that do not fit: the one of two with pinned tabs is empty. NULL: all fit. */
static GtkAdjustment *
find_scrolled(GtkWidget *widget)
{
  if (GTK_IS_SCROLLED_WINDOW(widget)) {
    GtkAdjustment *place = gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(widget));
    return gtk_adjustment_get_upper(place) > gtk_adjustment_get_page_size(place) ? place : NULL;
  }
  GtkAdjustment *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find_scrolled(child);
  return found;
}

/* AdwTabBar has the tab in sight that came last; of slides that come together the first is shown. Its tabs are all of one width. */
static gboolean
bring_tab_into_sight(gpointer data)
{
  VtWindow *self = data;
  AdwTabPage *tab = adw_tab_view_get_selected_page(self->tab_view);
  GtkAdjustment *place = find_scrolled(GTK_WIDGET(self->tab_bar));
  if (tab && place) {
    const double width = gtk_adjustment_get_upper(place) / adw_tab_view_get_n_pages(self->tab_view);
    const double left = width * adw_tab_view_get_page_position(self->tab_view, tab);
    gtk_adjustment_clamp_page(place, left, left + width);
  }
  if (--self->n_tab_glances > 0)
    return G_SOURCE_CONTINUE;
  self->tab_id = 0;
  return G_SOURCE_REMOVE;
}

static void
on_page_attached(VtWindow *self, AdwTabPage *tab)
{
  VtPage *page = VT_PAGE(adw_tab_page_get_child(tab));
  if (self->tab_id == 0) /* below the frames' priority */
    self->tab_id = g_timeout_add_full(G_PRIORITY_LOW, TAB_GLANCE_MS, bring_tab_into_sight, self, NULL);
  self->n_tab_glances = N_TAB_GLANCES;
  for (guint i = 0; i < vt_page_get_n_panes(page); i++)
    adopt(self, vt_page_get_pane(page, i));
  g_signal_connect_object(page, "added", G_CALLBACK(adopt), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(page, "removed", G_CALLBACK(release), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(page, "changed", G_CALLBACK(on_page_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(page, "moved", G_CALLBACK(on_page_moved), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(page, "active-changed", G_CALLBACK(on_page_changed), self, G_CONNECT_SWAPPED);
}

static void
on_page_detached(VtWindow *self, AdwTabPage *tab)
{
  VtPage *page = VT_PAGE(adw_tab_page_get_child(tab));
  g_signal_handlers_disconnect_by_data(page, self);
  for (guint i = 0; i < vt_page_get_n_panes(page); i++)
    release(self, vt_page_get_pane(page, i));
}

static void
on_selected(VtWindow *self)
{
  AdwTabPage *tab = adw_tab_view_get_selected_page(self->tab_view);
  self->page = tab ? VT_PAGE(adw_tab_page_get_child(tab)) : NULL;
  if (tab)
    show_active(self);
}

/* What was kept of the slide's runs, and what was freed goes back to the system; the C library would keep it for the next
 * slide. */
static void
forget_and_trim(gpointer plugins)
{
  vt_plugin_host_forget(plugins);
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

static gboolean
give_back(gpointer data)
{
  vt_drop(vt_plugin_host_get(), forget_and_trim);
  vt_test_log("tab-closed %d %" G_GSIZE_FORMAT " %" G_GSIZE_FORMAT, GPOINTER_TO_INT(data), vt_tile_cache_get_used(),
              vt_tile_store_get_used());
  return G_SOURCE_REMOVE;
}

/* A window without tabs is closed, unless it was the last slide that went: then it is ready for another. */
static void
close_page(VtWindow *self, gboolean go_on, gpointer user)
{
  g_autoptr(AdwTabPage) tab = user;
  VtPage *page = VT_PAGE(adw_tab_page_get_child(tab));
  gboolean last = adw_tab_view_get_n_pages(self->tab_view) == 1;
  gboolean empty = !vt_pane_get_slide(vt_page_get_active(page)) && vt_page_get_n_panes(page) == 1;
  if (!go_on || (last && empty)) {
    adw_tab_view_close_page_finish(self->tab_view, tab, FALSE);
    if (go_on)
      gtk_window_close(GTK_WINDOW(self));
    return;
  }
  if (last)
    vt_window_add_page(self);
  adw_tab_view_close_page_finish(self->tab_view, tab, TRUE);
  /* After the tab is gone and its readers are done with it. */
  g_timeout_add(400, give_back, GINT_TO_POINTER(adw_tab_view_get_n_pages(self->tab_view)));
}

static gboolean
on_close_page(VtWindow *self, AdwTabPage *tab)
{
  VtPage *page = VT_PAGE(adw_tab_page_get_child(tab));
  GPtrArray *panes = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint i = 0; i < vt_page_get_n_panes(page); i++)
    g_ptr_array_add(panes, g_object_ref(vt_page_get_pane(page, i)));
  vt_window_ask_unsaved(self, panes, close_page, g_object_ref(tab));
  return GDK_EVENT_STOP;
}

/* A tab that is drawn out of the window. */
static AdwTabView *
on_create_window(VtWindow *self)
{
  VtWindow *window = g_object_new(VT_TYPE_WINDOW, "application", gtk_window_get_application(GTK_WINDOW(self)), NULL);
  gtk_window_present(GTK_WINDOW(window));
  return window->tab_view;
}

GPtrArray *
vt_window_list_panes(VtWindow *self)
{
  GPtrArray *panes = g_ptr_array_new_with_free_func(g_object_unref);
  for (int t = 0; t < adw_tab_view_get_n_pages(self->tab_view); t++) {
    VtPage *page = VT_PAGE(adw_tab_page_get_child(adw_tab_view_get_nth_page(self->tab_view, t)));
    for (guint i = 0; i < vt_page_get_n_panes(page); i++)
      g_ptr_array_add(panes, g_object_ref(vt_page_get_pane(page, i)));
  }
  return panes;
}

VtPage *
vt_window_select_empty(VtWindow *self)
{
  for (int i = 0; i < adw_tab_view_get_n_pages(self->tab_view); i++) {
    AdwTabPage *tab = adw_tab_view_get_nth_page(self->tab_view, i);
    VtPage *page = VT_PAGE(adw_tab_page_get_child(tab));
    if (vt_page_get_n_panes(page) > 1 || vt_pane_get_slide(vt_page_get_active(page)))
      continue;
    adw_tab_view_set_selected_page(self->tab_view, tab);
    return page;
  }
  return vt_window_add_page(self);
}

VtPage *
vt_window_add_page_behind(VtWindow *self, const char *title)
{
  VtPage *page = g_object_new(VT_TYPE_PAGE, NULL);
  adw_tab_page_set_title(adw_tab_view_append(self->tab_view, GTK_WIDGET(page)), title);
  return page;
}

VtPage *
vt_window_add_page(VtWindow *self)
{
  VtPage *page = vt_window_add_page_behind(self, _("New tab"));
  adw_tab_view_set_selected_page(self->tab_view, adw_tab_view_get_page(self->tab_view, GTK_WIDGET(page)));
  return page;
}

void
vt_window_init_tabs(VtWindow *self)
{
  g_signal_connect_object(self->tab_view, "page-attached", G_CALLBACK(on_page_attached), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->tab_view, "page-detached", G_CALLBACK(on_page_detached), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->tab_view, "notify::selected-page", G_CALLBACK(on_selected), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->tab_view, "close-page", G_CALLBACK(on_close_page), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->tab_view, "create-window", G_CALLBACK(on_create_window), self, G_CONNECT_SWAPPED);
}
