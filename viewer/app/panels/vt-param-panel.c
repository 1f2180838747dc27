/* SPDX-License-Identifier: MIT */
#include "panels/vt-param-panel.h"

#include "base/vt-define.h"
#include "common/vt-owned.h"
#include "common/vt-signals.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "layers/vt-layer-stack.h"
#include "panels/vt-param-row.h"
#include "panels/vt-param-section.h"
#include "plugins/vt-plugin-host.h"
#include "plugins/vt-recipe-readers.h"

#define STEP_US 4000     /* of the main thread, then others may have it */
#define UNGROUPED_ROWS 6 /* more of one section have headings */
#define WHOLE ""         /* the stage of what belongs to none */

typedef struct {
  const char *stage; /* its id, interned: a stage keeps it where others come before it */
  gboolean is_grouped;
  GtkBox *place;                /* borrowed: the heading, and the rows while they are here */
  GtkWidget *rows, *away_label; /* borrowed */
} Section;

struct _VtParamPanel {
  GtkBox parent;
  VtAnalysis *analysis;
  VtSweep *sweep;
  GtkBox *all;        /* owned; not in sight until all are there; NULL: all are */
  GPtrArray *stages;  /* const char*, interned: of each parameter */
  GHashTable *opened; /* the same, of those whose advanced parameters somebody has unfolded */
  GArray *sections;   /* Section, in the order of their first parameters */
  guint next;         /* the row that is made next: first the plain ones, then once more for the advanced ones */
  guint make_id;
  int lent;    /* the section whose rows stand elsewhere; -1: none's */
  GtkBox *box; /* where; or NULL */
};

G_DEFINE_FINAL_TYPE(VtParamPanel, vt_param_panel, GTK_TYPE_BOX)

/* --- sections --- */

static void
find_stages(VtParamPanel *self, const VitrailOp *op)
{
  const VitrailRecipe *recipe = vt_plugin_host_find_recipe(vt_plugin_host_get(), op, NULL);
  g_ptr_array_set_size(self->stages, 0);
  for (guint i = 0; i < op->n_params; i++) {
    const int of_recipe = recipe ? vt_recipe_find_first_stage(recipe, op->params[i]->key) : -1;
    const char *stage = of_recipe >= 0 ? recipe->stages[of_recipe]->id : WHOLE;
    g_ptr_array_add(self->stages, (gpointer)g_intern_string(vt_op_find_stage(op, stage) >= 0 ? stage : WHOLE));
  }
}

static const char *
get_stage(VtParamPanel *self, guint param)
{
  return self->stages->pdata[param];
}

static gboolean
is_only_stage(VtParamPanel *self, const char *stage)
{
  for (guint i = 0; i < self->stages->len; i++)
    if (!g_str_equal(get_stage(self, i), stage))
      return FALSE;
  return TRUE;
}

static gboolean
is_long(VtParamPanel *self, const VitrailOp *op, const char *stage)
{
  guint n = 0;
  for (guint i = 0; i < self->stages->len; i++)
    n += g_str_equal(get_stage(self, i), stage) && !(op->params[i]->flags & VITRAIL_PARAM_ADVANCED);
  return n > UNGROUPED_ROWS;
}

/* With the number of the stage in the strip. */
static GtkWidget *
heading_new(VtParamPanel *self, const VitrailOp *op, const char *stage)
{
  const int i = vt_op_find_stage(op, stage);
  if (i < 0)
    return vt_label_new(_("Whole Analysis"), 0, "caption-heading dim-label");
  g_autofree char *title = g_strdup_printf("%d %s", i + 1, vt_translate(op->stages[i]->title));
  GtkWidget *button = vt_button_new(title, NULL, NULL);
  vt_widget_add_classes(button, "flat param-stage");
  gtk_widget_set_halign(button, GTK_ALIGN_START);
  vt_layer_stack_make_toggle(vt_analysis_get_layers(self->analysis), button, stage);
  return button;
}

static void
add_section(VtParamPanel *self, const VitrailOp *op, const char *stage)
{
  const gboolean is_only = is_only_stage(self, stage);
  const int i = vt_op_find_stage(op, stage);
  g_autofree char *name = i < 0 ? g_strdup(_("Parameters of the whole analysis"))
                                : g_strdup_printf(_("Parameters of %s"), vt_translate(op->stages[i]->title));
  Section section = { .stage = stage,
                      .is_grouped = is_only || is_long(self, op, stage),
                      .place = GTK_BOX(gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)),
                      .rows = vt_param_section_new(name),
                      .away_label = vt_label_new_dim(_("In the strip of stages")) };
  if (!is_only)
    gtk_box_append(section.place, heading_new(self, op, stage));
  gtk_label_set_xalign(GTK_LABEL(section.away_label), 0);
  gtk_widget_set_visible(section.away_label, FALSE);
  gtk_box_append(section.place, section.away_label);
  gtk_box_append(section.place, section.rows);
  gtk_box_append(self->all, GTK_WIDGET(section.place));
  vt_param_section_set_open(VT_PARAM_SECTION(section.rows), g_hash_table_contains(self->opened, stage));
  g_array_append_val(self->sections, section);
}

static Section *
find_section(VtParamPanel *self, const char *stage)
{
  for (guint i = 0; i < self->sections->len; i++)
    if (g_str_equal(g_array_index(self->sections, Section, i).stage, stage))
      return &g_array_index(self->sections, Section, i);
  return NULL;
}

/* --- rows --- */

/* Not taller than it has to be where it stands beside a row, as in the strip of stages. */
static GtkWidget *
new_estimate_button(void)
{
  GtkWidget *button =
    vt_button_new(_("Estimate From the Slide"), _("The stains that the slide's own colours tell of, and its glass"),
                  "win.estimate-stains");
  gtk_widget_set_valign(button, GTK_ALIGN_START);
  return button;
}

static void
add_row(VtParamPanel *self, VtParams *params, guint index)
{
  const VitrailParam *param = params->op->params[index];
  const gboolean is_advanced = (param->flags & VITRAIL_PARAM_ADVANCED) != 0;
  if (!find_section(self, get_stage(self, index)))
    add_section(self, params->op, get_stage(self, index));
  const Section *section = find_section(self, get_stage(self, index));
  VtParamSection *rows = VT_PARAM_SECTION(section->rows);
  /* A heading that only says what its first row says again is left out. */
  const char *group = section->is_grouped && g_strcmp0(param->group, param->title) != 0 ? param->group : NULL;
  if (g_str_equal(param->key, "hematoxylin"))
    vt_param_section_add(rows, new_estimate_button(), group, is_advanced);
  GtkWidget *row = vt_param_row_new(params, index, self->sweep);
  g_signal_connect_object(row, "changed", G_CALLBACK(vt_analysis_params_changed), self->analysis, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->analysis, "params-changed", G_CALLBACK(vt_param_row_refresh), row, G_CONNECT_SWAPPED);
  vt_param_section_add(rows, row, group, is_advanced);
}

static gboolean
make_rows(gpointer data)
{
  VtParamPanel *self = data;
  VtParams *params = vt_analysis_get_params(self->analysis);
  const guint n = params->op->n_params;
  const gint64 end_us = g_get_monotonic_time() + STEP_US;
  for (; self->next < 2 * n; self->next++) {
    const guint index = self->next % n;
    if (((params->op->params[index]->flags & VITRAIL_PARAM_ADVANCED) != 0) != (self->next >= n))
      continue;
    if (g_get_monotonic_time() >= end_us)
      return G_SOURCE_CONTINUE;
    add_row(self, params, index);
  }
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->all));
  g_clear_object(&self->all);
  self->make_id = 0;
  g_signal_emit_by_name(self, "made");
  return G_SOURCE_REMOVE;
}

/* --- the rows of one stage elsewhere --- */

static void
move(Section *section, GtkBox *from, GtkBox *to, gboolean is_away)
{
  g_autoptr(GtkWidget) rows = g_object_ref(section->rows);
  gtk_box_remove(from, rows);
  gtk_box_append(to, rows);
  vt_param_section_set_low(VT_PARAM_SECTION(rows), is_away);
  gtk_widget_set_visible(section->away_label, is_away);
}

static void
take_back(VtParamPanel *self)
{
  if (self->lent < 0)
    return;
  Section *section = &g_array_index(self->sections, Section, self->lent);
  move(section, self->box, section->place, FALSE);
  self->lent = -1;
  g_clear_object(&self->box);
}

GtkWidget *
vt_param_panel_lend(VtParamPanel *self, const char *stage, GtkBox *box)
{
  Section *section = stage && !self->all ? find_section(self, stage) : NULL;
  if (section && self->lent >= 0 && section == &g_array_index(self->sections, Section, self->lent) && self->box == box)
    return section->rows;
  take_back(self);
  if (!section)
    return NULL;
  move(section, section->place, box, TRUE);
  self->lent = (int)(section - (Section *)(gpointer)self->sections->data);
  self->box = g_object_ref(box);
  return section->rows;
}

gboolean
vt_param_panel_is_made(VtParamPanel *self)
{
  return !self->all;
}

/* --- life --- */

/* What is unfolded stays so, by its stage, whatever other stages the next analysis has. */
static void
remember_opened(VtParamPanel *self)
{
  VT_EACH_IN (const Section, section, self->sections) {
    if (vt_param_section_get_open(VT_PARAM_SECTION(section->rows)))
      g_hash_table_add(self->opened, (gpointer)section->stage);
    else
      g_hash_table_remove(self->opened, section->stage);
  }
}

/* Rows point into the parameters, which are gone after this: the old ones go now, the new ones come in small steps. */
static void
rebuild(VtParamPanel *self)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(self));
  g_clear_handle_id(&self->make_id, g_source_remove);
  take_back(self);
  remember_opened(self);
  g_clear_object(&self->all);
  if (child)
    gtk_box_remove(GTK_BOX(self), child);
  g_array_set_size(self->sections, 0);
  if (!vt_analysis_get_params(self->analysis))
    return;
  find_stages(self, vt_analysis_get_op(self->analysis));
  self->all = g_object_ref_sink(GTK_BOX(gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)));
  self->next = 0;
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
  take_back(self);
  GtkWidget *all = gtk_widget_get_first_child(GTK_WIDGET(self));
  GtkWidget *place = all ? gtk_widget_get_first_child(all) : NULL;
  g_array_set_size(self->sections, 0);
  if (place)
    gtk_box_remove(GTK_BOX(all), place);
  return place != NULL;
}

static void
vt_param_panel_class_init(VtParamPanelClass *klass)
{
  VT_SOURCES(klass, VtParamPanel, make_id);
  VT_ENDS(klass, VtParamPanel, take_back);
  VT_OWNS(klass, VtParamPanel, g_object_unref, all);
  VT_OWNS(klass, VtParamPanel, g_array_unref, sections);
  VT_OWNS(klass, VtParamPanel, g_ptr_array_unref, stages);
  VT_OWNS(klass, VtParamPanel, g_hash_table_unref, opened);
  VT_OWNS(klass, VtParamPanel, g_object_unref, analysis, sweep);
  vt_signals_new(VT_TYPE_PARAM_PANEL, "made", NULL);
}

static void
vt_param_panel_init(VtParamPanel *self)
{
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  self->stages = g_ptr_array_new();
  self->opened = g_hash_table_new(g_str_hash, g_str_equal);
  self->sections = g_array_new(FALSE, FALSE, sizeof(Section));
  self->lent = -1;
}
