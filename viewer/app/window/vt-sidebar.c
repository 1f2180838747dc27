/* SPDX-License-Identifier: MIT */
#include "window/vt-sidebar.h"

#include "base/vt-define.h"
#include "panels/vt-layer-list.h"
#include "common/vt-settings.h"
#include "common/vt-template.h"

struct _VtSidebar {
  AdwBin parent;

  /* template */
  VtRunPanel *run_panel;
  GtkPaned *paned; /* layers, parameters */
  VtLayerList *layer_list;
  VtParamPanel *param_panel;
};

G_DEFINE_FINAL_TYPE(VtSidebar, vt_sidebar, ADW_TYPE_BIN)

VT_GETTER(VtRunPanel *, vt_sidebar_get_run_panel, VtSidebar, run_panel)
VT_GETTER(VtParamPanel *, vt_sidebar_get_param_panel, VtSidebar, param_panel)

static void
on_hover(VtSidebar *self, double x_l0, double y_l0, gboolean inside, VtCanvas *canvas)
{
  vt_layer_list_probe(self->layer_list, x_l0, y_l0, inside && !vt_canvas_shows_pin_at(canvas, x_l0, y_l0));
}

void
vt_sidebar_probe(VtSidebar *self, VtCanvas *canvas)
{
  g_signal_connect_object(canvas, "hover", G_CALLBACK(on_hover), self, G_CONNECT_SWAPPED);
}

static void
vt_sidebar_class_init(VtSidebarClass *klass)
{
  g_type_ensure(VT_TYPE_RUN_PANEL);
  g_type_ensure(VT_TYPE_LAYER_LIST);
  g_type_ensure(VT_TYPE_PARAM_PANEL);
  VT_TEMPLATE(klass, VtSidebar, "vt-sidebar", run_panel, paned, layer_list, param_panel);
}

static void
vt_sidebar_init(VtSidebar *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_settings_add_split(vt_settings_get(), self->paned, "layers-height");
}

static gboolean
let_go(gpointer widget)
{
  GtkWidget *child = ADW_IS_BIN(widget) ? adw_bin_get_child(widget) : NULL;
  VtSidebar *self = VT_IS_SIDEBAR(child) ? VT_SIDEBAR(child) : NULL;
  if (self && (vt_layer_list_take_down(self->layer_list) || vt_param_panel_take_down(self->param_panel)))
    return G_SOURCE_CONTINUE;
  g_object_unref(widget);
  return G_SOURCE_REMOVE;
}

void
vt_sidebar_let_go_later(GtkWidget *widget)
{
  if (widget)
    g_idle_add_full(G_PRIORITY_LOW, let_go, widget, NULL);
}

/* A heading above nothing would let one look for what is there. */
static void
show_params(VtSidebar *self, VtAnalysis *analysis)
{
  const VitrailOp *op = vt_analysis_get_op(analysis);
  gtk_widget_set_visible(gtk_paned_get_end_child(self->paned), op && op->n_params > 0);
}

void
vt_sidebar_set_analysis(VtSidebar *self, VtAnalysis *analysis, VtSweep *sweep)
{
  vt_layer_list_set_analysis(self->layer_list, analysis);
  vt_run_panel_set_analysis(self->run_panel, analysis);
  vt_param_panel_set_analysis(self->param_panel, analysis, sweep);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(show_params), self, G_CONNECT_SWAPPED);
  show_params(self, analysis);
}
