/* SPDX-License-Identifier: MIT */
#include "panels/vt-param-panel.h"

#include <glib/gi18n.h>

#include "panels/vt-param-row.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"

#define STEP_US 4000 /* of the main thread, then others may have it */

struct _VtParamPanel {
  GtkBox parent;
  VtAnalysis *analysis;
  VtSweep *sweep;
  GtkBox *rows;       /* owned; not in sight until all are there; NULL: all are */
  GtkBox *section;    /* borrowed: all of them, or the advanced ones */
  GHashTable *groups; /* of that section: title -> GtkBox */
  guint next;         /* the row that is made next: first the plain ones, then once more for the advanced ones */
  guint make_id;
};

G_DEFINE_FINAL_TYPE(VtParamPanel, vt_param_panel, GTK_TYPE_BOX)

static void
on_changed(VtParamPanel *self)
{
  vt_analysis_params_changed(self->analysis);
}

static GtkBox *
group_new(GtkBox *parent, const char *title)
{
  GtkWidget *group = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  if (title && *title)
    gtk_box_append(GTK_BOX(group), vt_label_new(vt_translate(title), 0, "caption-heading dim-label"));
  gtk_box_append(parent, group);
  return GTK_BOX(group);
}

static GtkBox *
expander_new(GtkBox *parent)
{
  GtkWidget *expander = gtk_expander_new(_("Advanced"));
  vt_widget_set_accessible_label(expander, _("Advanced"));
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
  gtk_widget_set_margin_top(box, 6);
  gtk_expander_set_child(GTK_EXPANDER(expander), box);
  /* With GTK 4.18 a closed expander asks its child, which has no window, to take the keyboard, and complains. */
  g_object_bind_property(expander, "expanded", box, "can-focus", G_BINDING_SYNC_CREATE);
  gtk_box_append(parent, expander);
  return GTK_BOX(box);
}

static void
add_row(VtParamPanel *self, VtParams *params, guint index)
{
  const VitrailParam *param = params->op->params[index];
  const char *title = param->group ? param->group : "";
  GtkBox *group = g_hash_table_lookup(self->groups, title);
  if (!group) {
    /* A heading that only says what its first row says again is left out. */
    group = group_new(self->section, g_strcmp0(title, param->title) == 0 ? NULL : title);
    g_hash_table_insert(self->groups, (gpointer)title, group);
  }
  if (g_str_equal(param->key, "hematoxylin"))
    gtk_box_append(group, vt_button_new(_("Estimate From the Slide"),
                                        _("The stains that the slide's own colours tell of, and its glass"),
                                        "win.estimate-stains"));
  GtkWidget *row = vt_param_row_new(params, index, self->sweep);
  g_signal_connect_object(row, "changed", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->analysis, "params-changed", G_CALLBACK(vt_param_row_refresh), row, G_CONNECT_SWAPPED);
  gtk_box_append(group, row);
}

/* Groups appear in the order of their first parameter. */
static gboolean
make_rows(gpointer data)
{
  VtParamPanel *self = data;
  VtParams *params = vt_analysis_get_params(self->analysis);
  const guint n = params->op->n_params;
  const gint64 end_us = g_get_monotonic_time() + STEP_US;
  for (; self->next < 2 * n; self->next++) {
    const guint index = self->next % n;
    const gboolean advanced = self->next >= n;
    if (((params->op->params[index]->flags & VITRAIL_PARAM_ADVANCED) != 0) != advanced)
      continue;
    if (g_get_monotonic_time() >= end_us)
      return G_SOURCE_CONTINUE;
    if (advanced && self->section == self->rows) {
      self->section = expander_new(self->rows);
      g_hash_table_remove_all(self->groups);
    }
    add_row(self, params, index);
  }
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->rows));
  g_clear_object(&self->rows);
  self->make_id = 0;
  return G_SOURCE_REMOVE;
}

/* Rows point into the parameters, which are gone after this: the old ones go now, the new ones come in small steps. */
static void
rebuild(VtParamPanel *self)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(self));
  g_clear_handle_id(&self->make_id, g_source_remove);
  g_clear_object(&self->rows);
  if (child)
    gtk_box_remove(GTK_BOX(self), child);
  if (!vt_analysis_get_params(self->analysis))
    return;
  self->rows = g_object_ref_sink(GTK_BOX(gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)));
  self->section = self->rows;
  self->next = 0;
  g_hash_table_remove_all(self->groups);
  self->make_id = g_idle_add(make_rows, self);
}

void
vt_param_panel_set_analysis(VtParamPanel *self, VtAnalysis *analysis, VtSweep *sweep)
{
  self->analysis = g_object_ref(analysis);
  self->sweep = g_object_ref(sweep);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(rebuild), self, G_CONNECT_SWAPPED);
  rebuild(self);
}

gboolean
vt_param_panel_take_down(VtParamPanel *self)
{
  GtkWidget *rows = gtk_widget_get_first_child(GTK_WIDGET(self));
  GtkWidget *group = rows ? gtk_widget_get_first_child(rows) : NULL;
  if (group)
    gtk_box_remove(GTK_BOX(rows), group);
  return group != NULL;
}

static void
vt_param_panel_dispose(GObject *object)
{
  VtParamPanel *self = VT_PARAM_PANEL(object);
  g_clear_handle_id(&self->make_id, g_source_remove);
  g_clear_object(&self->rows);
  g_clear_pointer(&self->groups, g_hash_table_unref);
  g_clear_object(&self->analysis);
  g_clear_object(&self->sweep);
  G_OBJECT_CLASS(vt_param_panel_parent_class)->dispose(object);
}

static void
vt_param_panel_class_init(VtParamPanelClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = vt_param_panel_dispose;
}

static void
vt_param_panel_init(VtParamPanel *self)
{
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  self->groups = g_hash_table_new(g_str_hash, g_str_equal);
}
