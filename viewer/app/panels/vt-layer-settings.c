/* SPDX-License-Identifier: MIT */
#include "panels/vt-layer-settings.h"

#include <glib/gi18n.h>
#include <math.h>

#include "panels/vt-histogram.h"
#include "layers/vt-legend.h"
#include "layers/vt-shared-map.h"
#include "common/vt-owned.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"

#define LARGEST 1e9

/* What vt_colormap_get_title() says, for gettext. */
G_GNUC_UNUSED static const char *const colormap_titles[] = {
  N_("Gray"),    N_("Viridis"), N_("Magma"), N_("Cividis"), N_("Blue – white – red"), N_("Orange"), N_("Mint"),
  N_("Crimson"), N_("Blue"),    N_("Black"), N_("Labels"),
};

struct _VtLayerSettings {
  GtkBox parent;
  VtLayer *layer;
  gboolean updating;

  /* template */
  GtkWidget *look_box, *blend_line, *measure_line, *colormap_line, *range_line, *threshold_line, *stats_box;
  GtkScale *opacity_scale;
  GtkDropDown *blend_dropdown, *measure_dropdown, *colormap_dropdown;
  GtkSpinButton *min_spin, *max_spin, *from_spin, *to_spin;
  GtkButton *reset_button;
  GtkCheckButton *threshold_check, *outline_check, *lock_check, *shared_check;
  VtHistogram *histogram;
  GtkLabel *bins_min_label, *bins_max_label, *stats_label;
};

G_DEFINE_FINAL_TYPE(VtLayerSettings, vt_layer_settings, GTK_TYPE_BOX)

/* About a hundred steps, of a round size. */
static void
set_spin(GtkSpinButton *spin, double value, double span)
{
  double step = span > 0 ? pow(10, floor(log10(span)) - 2) : 0.01;
  guint digits = (guint)CLAMP(-floor(log10(step) + 1e-9), 0, 6);
  /* Not under the hands of somebody who types. */
  if (gtk_widget_get_state_flags(GTK_WIDGET(spin)) & GTK_STATE_FLAG_FOCUS_WITHIN)
    return;
  gtk_spin_button_set_increments(spin, step, 10 * step);
  gtk_spin_button_set_digits(spin, digits);
  gtk_spin_button_set_value(spin, value);
}

static void
show_coloring(VtLayerSettings *self)
{
  const VtColoring *coloring = vt_layer_get_coloring(self->layer);
  double span = coloring->max - coloring->min;
  gboolean limited = isfinite(coloring->shown_min) || isfinite(coloring->shown_max);
  self->updating = TRUE;
  set_spin(self->min_spin, coloring->min, span);
  set_spin(self->max_spin, coloring->max, span);
  set_spin(self->from_spin, isfinite(coloring->shown_min) ? coloring->shown_min : coloring->min, span);
  set_spin(self->to_spin, isfinite(coloring->shown_max) ? coloring->shown_max : coloring->max, span);
  gtk_check_button_set_active(self->shared_check, vt_shared_map_get(self->layer));
  gtk_check_button_set_active(self->threshold_check, limited);
  gtk_widget_set_sensitive(GTK_WIDGET(self->from_spin), limited);
  gtk_widget_set_sensitive(GTK_WIDGET(self->to_spin), limited);
  gtk_widget_set_sensitive(GTK_WIDGET(self->reset_button), vt_layer_has_own_range(self->layer));
  self->updating = FALSE;
}

static void
append_number(GString *text, const char *name, double value)
{
  g_string_append_printf(text, "%s%s\302\240%.4g", text->len ? "   " : "", name, value);
}

static char *
dup_stats(VtLayer *layer, const VtStats *stats)
{
  GString *text = g_string_new(NULL);
  g_autofree char *title = vt_layer_dup_stats_title(layer);
  g_autofree char *n = g_strdup_printf("%'" G_GUINT64_FORMAT, stats->n);
  g_autofree char *n_places = g_strdup_printf("%'" G_GUINT64_FORMAT, stats->n_places);
  if (!vt_layer_is_scalar(layer) && vt_layer_get_kind(layer) == VT_LAYER_RASTER) {
    double share = stats->n_places > 0 ? 100.0 * (double)stats->n / (double)stats->n_places : 0;
    g_string_append_printf(text, _("Covers %.2f %% of what is seen (%s px)"), share, n);
    return g_string_free(text, FALSE);
  }
  if (vt_layer_get_kind(layer) == VT_LAYER_OBJECTS)
    g_string_append_printf(text, g_dngettext(NULL, "%s object seen", "%s objects seen", (gulong)stats->n_places),
                           n_places);
  else
    g_string_append_printf(text, "n %s px", n);
  if (title)
    g_string_append_printf(text, "\n%s", title);
  if (stats->n == 0)
    return g_string_free(text, FALSE);
  g_autoptr(GString) numbers = g_string_new(NULL), percentiles = g_string_new(NULL);
  append_number(numbers, _("mean"), stats->mean);
  append_number(numbers, _("sd"), stats->sd);
  append_number(numbers, _("min"), stats->min);
  append_number(numbers, _("max"), stats->max);
  for (int p = 0; p < VT_STATS_N_PERCENTILES; p++) {
    char name[16];
    g_snprintf(name, sizeof name, "%d%%", vt_stats_percents[p]);
    append_number(percentiles, name, stats->percentiles[p]);
  }
  g_string_append_printf(text, "\n%s\n%s", numbers->str, percentiles->str);
  return g_string_free(text, FALSE);
}

static void
show_stats(VtLayerSettings *self)
{
  const VtStats *stats = vt_layer_get_stats(self->layer);
  g_autofree char *title = vt_layer_dup_stats_title(self->layer);
  gboolean has_bars = vt_layer_is_scalar(self->layer) || title;
  VtColoring coloring = *vt_layer_get_coloring(self->layer);
  /* The range of an objects layer is not that of a measurement. */
  if (vt_layer_get_kind(self->layer) == VT_LAYER_OBJECTS && !vt_layer_has_range(self->layer))
    coloring = vt_coloring_make(vt_colormap_is_solid(coloring.map) ? coloring.map : VT_COLORMAP_MINT, 0, 0);
  gtk_widget_set_visible(self->stats_box, vt_layer_has_data(self->layer) && !vt_layer_is_colour(self->layer));
  gtk_widget_set_visible(GTK_WIDGET(self->histogram), has_bars);
  vt_histogram_set(self->histogram, stats, &coloring);
  if (!stats)
    return;
  g_autofree char *text = dup_stats(self->layer, stats);
  g_autofree char *min = has_bars && stats->n ? g_strdup_printf("%.3g", stats->min) : g_strdup("");
  const char *unit = title ? "" : vt_layer_get_unit(self->layer);
  g_autofree char *max =
    has_bars && stats->n ? g_strdup_printf("%.3g%s%s", stats->max, *unit ? " " : "", unit) : g_strdup("");
  gtk_label_set_text(self->stats_label, text);
  gtk_label_set_text(self->bins_min_label, min);
  gtk_label_set_text(self->bins_max_label, max);
  vt_test_log("stats %s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %.9g %.9g %.9g %.9g %.9g",
              vt_layer_get_stage(self->layer)->id, stats->n_places, stats->n, stats->min, stats->max, stats->mean,
              stats->sd, stats->percentiles[3]);
}

/* Of the columns that can give colours: the objects' measurements, and what was added. Borrowed texts. */
static GPtrArray *
list_measures(VtLayer *layer)
{
  const VtColumns *columns = vt_layer_get_columns(layer);
  GPtrArray *names = g_ptr_array_new();
  for (guint i = VT_OBJECT_MEASUREMENTS; columns && i < columns->n; i++)
    if (vt_columns_is_number(columns, i))
      g_ptr_array_add(names, (gpointer)vt_columns_get_name(columns, i));
  return names;
}

/* "One colour", then the measurements; made anew when there are more or fewer. */
static void
show_measurements(VtLayerSettings *self)
{
  const VtColumns *columns = vt_layer_get_columns(self->layer);
  g_autoptr(GPtrArray) names = list_measures(self->layer);
  GListModel *old = gtk_drop_down_get_model(self->measure_dropdown);
  guint chosen = 0;
  gtk_widget_set_visible(self->measure_line, names->len > 0);
  self->updating = TRUE;
  if (!old || g_list_model_get_n_items(old) != names->len + 1) {
    g_autoptr(GtkStringList) list = gtk_string_list_new(NULL);
    gtk_string_list_append(list, _("One colour"));
    for (guint i = 0; i < names->len; i++)
      gtk_string_list_take(list, vt_columns_dup_title(columns, (guint)vt_columns_find(columns, names->pdata[i])));
    gtk_drop_down_set_model(self->measure_dropdown, G_LIST_MODEL(list));
  }
  for (guint i = 0; i < names->len; i++)
    if (g_strcmp0(names->pdata[i], vt_layer_get_measure(self->layer)) == 0)
      chosen = i + 1;
  gtk_drop_down_set_selected(self->measure_dropdown, chosen);
  self->updating = FALSE;
}

static void
on_measure_chosen(VtLayerSettings *self)
{
  g_autoptr(GPtrArray) names = list_measures(self->layer);
  const guint chosen = gtk_drop_down_get_selected(self->measure_dropdown);
  if (!self->updating && chosen <= names->len)
    vt_layer_set_measure(self->layer, chosen > 0 ? names->pdata[chosen - 1] : NULL);
}

static void
update(VtLayerSettings *self)
{
  if (!vt_layer_get_stage(self->layer))
    return;
  show_measurements(self);
  gtk_widget_set_visible(self->range_line, vt_layer_has_range(self->layer));
  gtk_widget_set_visible(self->threshold_line, vt_layer_has_range(self->layer));
  gtk_widget_set_visible(GTK_WIDGET(self->shared_check), vt_layer_has_range(self->layer));
  show_coloring(self);
  show_stats(self);
}

static void
on_range_edited(VtLayerSettings *self)
{
  if (!self->updating)
    vt_layer_set_range(self->layer, gtk_spin_button_get_value(self->min_spin),
                       gtk_spin_button_get_value(self->max_spin));
}

static void
on_threshold_edited(VtLayerSettings *self)
{
  if (self->updating)
    return;
  if (gtk_check_button_get_active(self->threshold_check))
    vt_layer_set_threshold(self->layer, gtk_spin_button_get_value(self->from_spin),
                           gtk_spin_button_get_value(self->to_spin));
  else
    vt_layer_set_threshold(self->layer, -INFINITY, INFINITY);
}

static void
on_shared(VtLayerSettings *self)
{
  if (!self->updating)
    vt_shared_map_set(self->layer, gtk_check_button_get_active(self->shared_check));
}

static void
on_mapped(VtLayerSettings *self)
{
  vt_layer_set_wants_stats(self->layer, gtk_widget_get_mapped(GTK_WIDGET(self)));
}

static void
setup_colormap_item(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  GtkWidget *legend = g_object_new(VT_TYPE_LEGEND, "valign", GTK_ALIGN_CENTER, NULL);
  gtk_widget_set_size_request(legend, 48, 12);
  gtk_list_item_set_child(item, vt_box_new(GTK_ORIENTATION_HORIZONTAL, 8, legend, gtk_label_new(NULL), NULL));
}

static void
bind_colormap_item(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  GtkWidget *legend = gtk_widget_get_first_child(gtk_list_item_get_child(item));
  guint map = gtk_list_item_get_position(item);
  GtkStringObject *title = gtk_list_item_get_item(item);
  /* The button shows a list of one: its position says nothing, its text does. */
  for (guint i = 0; i < VT_N_COLORMAPS; i++) {
    if (g_str_equal(gtk_string_object_get_string(title), _(vt_colormap_get_title((VtColormap)i))))
      map = i;
  }
  vt_legend_set_colormap(VT_LEGEND(legend), (VtColormap)map);
  gtk_label_set_text(GTK_LABEL(gtk_widget_get_next_sibling(legend)), gtk_string_object_get_string(title));
}

static void
setup_name(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  GtkWidget *label = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_list_item_set_child(item, label);
}

static void
bind_name(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  const char *name = gtk_string_object_get_string(gtk_list_item_get_item(item));
  GtkWidget *label = gtk_list_item_get_child(item);
  gtk_label_set_text(GTK_LABEL(label), name);
  gtk_widget_set_tooltip_text(label, name);
}

/* Names of measurements are long: the list shows all of each, the button what there is room for, or the panel would scroll sideways. */
static void
cut_name_of_chosen(GtkDropDown *dropdown)
{
  g_autoptr(GtkListItemFactory) factory = gtk_signal_list_item_factory_new();
  gtk_drop_down_set_list_factory(dropdown, gtk_drop_down_get_factory(dropdown));
  g_signal_connect(factory, "setup", G_CALLBACK(setup_name), NULL);
  g_signal_connect(factory, "bind", G_CALLBACK(bind_name), NULL);
  gtk_drop_down_set_factory(dropdown, factory);
}

static void
fill_dropdowns(VtLayerSettings *self)
{
  g_autoptr(GtkStringList) maps = gtk_string_list_new(NULL), blends = gtk_string_list_new(NULL);
  g_autoptr(GtkListItemFactory) factory = gtk_signal_list_item_factory_new();
  for (guint i = 0; i < VT_N_COLORMAPS; i++)
    gtk_string_list_append(maps, _(vt_colormap_get_title((VtColormap)i)));
  for (guint i = 0; i < VT_N_LAYER_BLENDS; i++)
    gtk_string_list_append(blends, vt_layer_blend_get_title((VtLayerBlend)i));
  g_signal_connect(factory, "setup", G_CALLBACK(setup_colormap_item), NULL);
  g_signal_connect(factory, "bind", G_CALLBACK(bind_colormap_item), NULL);
  gtk_drop_down_set_factory(self->colormap_dropdown, factory);
  gtk_drop_down_set_model(self->colormap_dropdown, G_LIST_MODEL(maps));
  cut_name_of_chosen(self->measure_dropdown);
  gtk_drop_down_set_model(self->blend_dropdown, G_LIST_MODEL(blends));
}

static void
set_names(VtLayerSettings *self)
{
  const struct {
    gpointer widget;
    const char *format;
  } names[] = {
    { self->opacity_scale, _("Opacity of %s") },
    { self->blend_dropdown, _("Blending of %s") },
    { self->measure_dropdown, _("What colours %s") },
    { self->colormap_dropdown, _("Colours of %s") },
    { self->min_spin, _("Least of the range of %s") },
    { self->max_spin, _("Most of the range of %s") },
    { self->reset_button, _("Reset the range of %s") },
    { self->threshold_check, _("Threshold of %s") },
    { self->from_spin, _("Show %s from") },
    { self->to_spin, _("Show %s up to") },
    { self->outline_check, _("Only outlines of %s") },
    { self->lock_check, _("Lock %s") },
    { self->shared_check, _("Same map for all slides: %s") },
    { self->histogram, _("Histogram of %s") },
  };
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *name = g_strdup_printf(names[i].format, vt_layer_get_title(self->layer));
    vt_widget_set_accessible_label(names[i].widget, name);
  }
}

static void
set_layer(VtLayerSettings *self, VtLayer *layer)
{
  GBindingFlags both = G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL;
  const VitrailStage *stage = vt_layer_get_stage(layer);
  gboolean scalar = vt_layer_is_scalar(layer), has_map = stage && !vt_layer_is_colour(layer);
  self->layer = g_object_ref(layer);
  set_names(self);
  gtk_widget_set_visible(self->blend_line, stage != NULL);
  gtk_widget_set_visible(self->colormap_line, has_map);
  gtk_widget_set_visible(self->measure_line, FALSE);
  gtk_widget_set_visible(self->range_line, scalar);
  gtk_widget_set_visible(self->threshold_line, scalar);
  gtk_widget_set_visible(GTK_WIDGET(self->outline_check), has_map && !scalar);
  gtk_widget_set_visible(GTK_WIDGET(self->lock_check), stage != NULL);
  gtk_widget_set_visible(self->stats_box, FALSE);
  g_object_bind_property(layer, "opacity", gtk_range_get_adjustment(GTK_RANGE(self->opacity_scale)), "value", both);
  g_object_bind_property(layer, "blend", self->blend_dropdown, "selected", both);
  g_object_bind_property(layer, "colormap", self->colormap_dropdown, "selected", both);
  g_object_bind_property(layer, "outline", self->outline_check, "active", both);
  g_object_bind_property(layer, "locked", self->lock_check, "active", both);
  g_object_bind_property(layer, "locked", self->look_box, "sensitive",
                         G_BINDING_SYNC_CREATE | G_BINDING_INVERT_BOOLEAN);
  g_signal_connect_object(layer, "data", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(layer, "columns", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  update(self);
}

static void
vt_layer_settings_class_init(VtLayerSettingsClass *klass)
{
  g_type_ensure(VT_TYPE_HISTOGRAM);
  VT_OWNS(klass, VtLayerSettings, g_object_unref, layer);
  VT_TEMPLATE(klass, VtLayerSettings, "vt-layer-settings", look_box, blend_line, measure_line, measure_dropdown,
              colormap_line, range_line, threshold_line, stats_box, opacity_scale, blend_dropdown, colormap_dropdown);
  VT_TEMPLATE_CHILDREN(klass, VtLayerSettings, min_spin, max_spin, from_spin, to_spin, reset_button, threshold_check,
                       outline_check, lock_check, shared_check, bins_min_label, bins_max_label, stats_label, histogram);
}

static void
vt_layer_settings_init(VtLayerSettings *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  GtkSpinButton *spins[] = { self->min_spin, self->max_spin, self->from_spin, self->to_spin };
  for (guint i = 0; i < G_N_ELEMENTS(spins); i++) {
    gtk_spin_button_set_range(spins[i], -LARGEST, LARGEST);
    gtk_spin_button_set_update_policy(spins[i], GTK_UPDATE_IF_VALID);
    gtk_widget_add_css_class(GTK_WIDGET(spins[i]), "numeric");
    vt_widget_ignore_wheel(GTK_WIDGET(spins[i]));
    vt_spin_button_give_keys_back(spins[i]);
    g_signal_connect_swapped(spins[i], "value-changed",
                             i < 2 ? G_CALLBACK(on_range_edited) : G_CALLBACK(on_threshold_edited), self);
  }
  vt_widget_ignore_wheel(GTK_WIDGET(self->opacity_scale));
  g_signal_connect_swapped(self->measure_dropdown, "notify::selected", G_CALLBACK(on_measure_chosen), self);
  g_signal_connect_swapped(self->threshold_check, "toggled", G_CALLBACK(on_threshold_edited), self);
  g_signal_connect_swapped(self->shared_check, "toggled", G_CALLBACK(on_shared), self);
  g_signal_connect(self, "map", G_CALLBACK(on_mapped), NULL);
  g_signal_connect_after(self, "unmap", G_CALLBACK(on_mapped), NULL);
  fill_dropdowns(self);
}

GtkWidget *
vt_layer_settings_new(VtLayer *layer)
{
  VtLayerSettings *self = g_object_new(VT_TYPE_LAYER_SETTINGS, NULL);
  set_layer(self, layer);
  g_signal_connect_object(self->reset_button, "clicked", G_CALLBACK(vt_layer_reset_range), layer, G_CONNECT_SWAPPED);
  return GTK_WIDGET(self);
}
