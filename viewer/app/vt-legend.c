/* SPDX-License-Identifier: MIT */
#include "vt-legend.h"

#define N_STEPS 64
#define N_LABELS 12

struct _VtLegend {
  GtkWidget parent;
  VtColormap map;
};

G_DEFINE_FINAL_TYPE(VtLegend, vt_legend, GTK_TYPE_WIDGET)

static void
get_color(VtColormap map, guint step, guint n_steps, guint8 rgb[3])
{
  if (map == VT_COLORMAP_LABELS)
    vt_colormap_get_label_color(step + 1, rgb);
  else if (map == VT_COLORMAP_MASK)
    vt_colormap_get_mask_color(rgb);
  else
    vt_colormap_get_color(map, step / (n_steps - 1.0), rgb);
}

static void
vt_legend_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  VtLegend *self = VT_LEGEND(widget);
  int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
  guint n = self->map == VT_COLORMAP_LABELS ? N_LABELS : self->map == VT_COLORMAP_MASK ? 1 : N_STEPS;
  GskRoundedRect rounded;
  gsk_rounded_rect_init_from_rect(&rounded, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height), 4);
  gtk_snapshot_push_rounded_clip(snapshot, &rounded);
  for (guint i = 0; i < n; i++) {
    guint8 rgb[3];
    get_color(self->map, i, n, rgb);
    GdkRGBA color = { rgb[0] / 255.0f, rgb[1] / 255.0f, rgb[2] / 255.0f, 1 };
    int x0 = width * (int)i / (int)n, x1 = width * (int)(i + 1) / (int)n;
    gtk_snapshot_append_color(snapshot, &color, &GRAPHENE_RECT_INIT((float)x0, 0, (float)(x1 - x0), (float)height));
  }
  gtk_snapshot_pop(snapshot);
}

static void
vt_legend_class_init(VtLegendClass *klass)
{
  GTK_WIDGET_CLASS(klass)->snapshot = vt_legend_snapshot;
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(klass), GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
vt_legend_init(VtLegend *self)
{
}

GtkWidget *
vt_legend_new(void)
{
  return g_object_new(VT_TYPE_LEGEND, NULL);
}

void
vt_legend_set_colormap(VtLegend *self, VtColormap map)
{
  self->map = map;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}
