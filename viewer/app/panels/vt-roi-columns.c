/* SPDX-License-Identifier: MIT */
#include "panels/vt-roi-columns.h"
#include "base/vt-define.h"

#include <math.h>
#include <string.h>

#include "common/vt-test-log.h"
#include "common/vt-widgets.h"
#include "plugins/vt-plugin-host.h"
#include "layers/vt-roi-item.h"
#include "panels/vt-roi-read-columns.h"
#include "panels/vt-roi-rows.h"
#include "panels/vt-roi-settings.h"
#include "common/vt-translate.h"

/* Definitions of the Image Biomarker Standardisation Initiative (IBSI), 3.7. */
static const struct {
  const char *code, *formula;
} features[] = {
  { "SRE", "1/N · Σ r(i,j) / j²" },
  { "LRE", "1/N · Σ r(i,j) · j²" },
  { "GLN", "1/N · Σᵢ (Σⱼ r(i,j))²" },
  { "RLN", "1/N · Σⱼ (Σᵢ r(i,j))²" },
  { "RP", "N / P" },
  { "LGRE", "1/N · Σ r(i,j) / i²" },
  { "HGRE", "1/N · Σ r(i,j) · i²" },
  { "SRLGE", "1/N · Σ r(i,j) / (i² · j²)" },
  { "SRHGE", "1/N · Σ r(i,j) · i² / j²" },
  { "LRLGE", "1/N · Σ r(i,j) · j² / i²" },
  { "LRHGE", "1/N · Σ r(i,j) · i² · j²" },
  { "GLNN", "1/N² · Σᵢ (Σⱼ r(i,j))²" },
  { "RLNN", "1/N² · Σⱼ (Σᵢ r(i,j))²" },
  { "GLV", "1/N · Σ r(i,j) · (i − μ)²,  μ = 1/N · Σ r(i,j) · i" },
  { "RV", "1/N · Σ r(i,j) · (j − μ)²,  μ = 1/N · Σ r(i,j) · j" },
  { "RE", "−Σ p(i,j) · log₂ p(i,j),  p = r/N" },
};

/* "GLRLM: SRE" is the name in files; the family is in the line above the table. */
static const char *
get_code(const char *column)
{
  const char *colon = strstr(column, ": ");
  return colon ? colon + 2 : column;
}

/* The op of texture maps has a title for each feature: "Short run emphasis (SRE)". */
static const char *
find_title(const char *code)
{
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), "glrlm-map", NULL);
  int index = op ? vt_op_find_param(op, "feature") : -1;
  for (guint i = 0; index >= 0 && i < op->params[index]->n_choices; i++)
    if (g_ascii_strcasecmp(op->params[index]->choices[i], code) == 0 && op->params[index]->choice_titles)
      return op->params[index]->choice_titles[i];
  return NULL;
}

char *
vt_roi_columns_dup_help(const char *column)
{
  const char *code = get_code(column);
  for (guint i = 0; i < G_N_ELEMENTS(features); i++) {
    if (!g_str_equal(features[i].code, code))
      continue;
    const char *title = find_title(code);
    return g_strdup_printf("%s\n%s\n%s", title ? vt_translate(title) : code, features[i].formula,
                           _("r(i,j): runs of level i and length j; N: all runs; P: pixels"));
  }
  if (g_str_equal(column, "Pixels"))
    return g_strdup(_("Pixels of the analysis inside the region"));
  return NULL;
}

/* --- cells --- */

/* A column is one of the op, 0 the name, or that of the differences or classes, or of a file, or from MEASURES on one of VtRoiMeasures. */
enum { DIFFERENCE = 998, CLASS, READ = VT_ROI_READ_COLUMN, MEASURES };
#define MM2 1e-6 /* of a µm² */

static guint
get_column(gpointer item)
{
  return GPOINTER_TO_UINT(g_object_get_data(item, "column"));
}

/* Whether a measure is a number of objects; n_score: how many columns the score has. */
static gboolean
is_count(guint measure, guint n_score)
{
  const guint pairs = VT_ROI_N_MEASURES + n_score;
  return measure == VT_ROI_OBJECTS || (n_score > 0 && measure == VT_ROI_SCORED)
         || (measure >= pairs && (measure - pairs) % 2 == 0);
}

/* "1,234.5", as many digits as are of use. */
static char *
dup_number(double value, guint measure, guint n_score)
{
  const gboolean is_score = n_score > 0 && measure > VT_ROI_SCORED && measure < VT_ROI_N_MEASURES + n_score;
  if (is_score && !isnan(value))
    return g_strdup_printf("%.*f", measure == VT_ROI_PERCENT ? 1 : 0, value);
  const int digits = is_count(measure, n_score) || fabs(value) >= 1e4 ? 0
                     : fabs(value) >= 100                             ? 1
                     : fabs(value) >= 1                               ? 2
                                                                      : 4;
  return isnan(value) ? g_strdup("–") : g_strdup_printf("%'.*f", digits, value);
}

static char *
dup_text(VtRoiItem *item, guint column, gboolean is_large, guint n_score)
{
  const VtRoi *roi = vt_roi_item_get_roi(item);
  if (column >= MEASURES) {
    const double value = vt_roi_item_get_measure(item, column - MEASURES);
    return dup_number(column == MEASURES + VT_ROI_AREA && is_large ? value * MM2 : value, column - MEASURES, n_score);
  }
  if (column == CLASS)
    return g_strdup(roi->class_name ? roi->class_name : "");
  if (column == DIFFERENCE)
    return isnan(vt_roi_item_get_difference(item)) ? g_strdup("")
                                                   : g_strdup_printf("%.2f", vt_roi_item_get_difference(item));
  if (column > 0)
    return vt_roi_item_dup_value(item, column - 1);
  const guint n_points = roi->kind == VT_SHAPE_POINTS ? roi->points->len / 2 : 0;
  g_autofree char *points = n_points > 0
                              ? g_strdup_printf(g_dngettext(NULL, " · %'u point", " · %'u points", n_points), n_points)
                              : g_strdup("");
  return g_strconcat(roi->name, points, roi->is_locked ? _(" · locked") : "", roi->is_hidden ? _(" · hidden") : "",
                     vt_roi_item_get_stale(item) ? _(" · outdated") : "", NULL);
}

/* The label of a cell; that of the name is in what folds and unfolds the row. */
static GtkWidget *
get_label(GtkListItem *list_item)
{
  GtkWidget *child = gtk_list_item_get_child(list_item);
  return GTK_IS_TREE_EXPANDER(child) ? gtk_tree_expander_get_child(GTK_TREE_EXPANDER(child)) : child;
}

/* GTK calls a row by its class. */
static void
name_row(GtkListItem *list_item, const char *text)
{
  GtkWidget *cell = gtk_widget_get_parent(gtk_list_item_get_child(list_item));
  GtkWidget *row = cell ? gtk_widget_get_parent(cell) : NULL;
  g_autoptr(GtkTreeListRow) outer = gtk_tree_list_row_get_parent(gtk_list_item_get_item(list_item));
  g_autoptr(VtRoiItem) parent = outer ? vt_roi_row_dup_item(outer) : NULL;
  g_autofree char *place = parent ? g_strdup_printf(_("in %s"), vt_roi_item_get_roi(parent)->name) : g_strdup("");
  if (!row)
    return;
  vt_widget_set_accessible_label(row, text);
  gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, place, -1);
}

static void
update_cell(GtkListItem *list_item)
{
  VtRoiItem *item = g_object_get_data(G_OBJECT(list_item), "item");
  GtkWidget *label = get_label(list_item);
  if (!item || !label)
    return;
  GtkWidget *view = gtk_widget_get_ancestor(label, GTK_TYPE_COLUMN_VIEW);
  const guint n_score = view ? GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(view), "vitrail-score")) : 0;
  g_autofree char *text =
    dup_text(item, get_column(list_item), view && g_object_get_data(G_OBJECT(view), "vitrail-is-large"), n_score);
  g_autofree char *summary = NULL, *tooltip = NULL;
  gtk_label_set_text(GTK_LABEL(label), text);
  if (get_column(list_item) == 0)
    name_row(list_item, text);
  if (vt_roi_item_get_stale(item)) {
    summary = vt_roi_settings_dup_summary(vt_roi_item_get_params(item));
    tooltip = g_strdup_printf(_("Measured with other settings: %s. F5 measures anew."), summary);
    gtk_widget_add_css_class(label, "stale");
  } else {
    gtk_widget_remove_css_class(label, "stale");
  }
  gtk_widget_set_tooltip_text(label, tooltip);
}

static void
setup_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer column)
{
  GtkWidget *label = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(label), column && GPOINTER_TO_UINT(column) != CLASS ? 1 : 0);
  gtk_widget_add_css_class(label, "numeric");
  if (column) {
    gtk_list_item_set_child(item, label);
    return;
  }
  GtkWidget *expander = gtk_tree_expander_new();
  gtk_widget_set_focusable(expander, FALSE); /* the row has the keyboard */
  gtk_tree_expander_set_child(GTK_TREE_EXPANDER(expander), label);
  gtk_list_item_set_child(item, expander);
}

static void
bind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer column)
{
  VtRoiItem *of = vt_roi_row_dup_item(gtk_list_item_get_item(item));
  g_object_set_data(G_OBJECT(item), "column", column);
  g_object_set_data_full(G_OBJECT(item), "item", of, g_object_unref); /* a row that goes does not know it any more */
  if (!column)
    gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(gtk_list_item_get_child(item)), gtk_list_item_get_item(item));
  g_signal_connect_object(of, "changed", G_CALLBACK(update_cell), item, G_CONNECT_SWAPPED);
  update_cell(item);
}

static void
unbind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer column)
{
  g_signal_handlers_disconnect_by_func(g_object_get_data(G_OBJECT(item), "item"), update_cell, item);
  g_object_set_data(G_OBJECT(item), "item", NULL);
  if (!column)
    gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(gtk_list_item_get_child(item)), NULL);
}

/* --- order --- */

/* "ROI 2" before "ROI 10". */
static int
compare_words(const char *a, const char *b)
{
  g_autofree char *key_a = g_utf8_collate_key_for_filename(a ? a : "", -1);
  g_autofree char *key_b = g_utf8_collate_key_for_filename(b ? b : "", -1);
  return strcmp(key_a, key_b);
}

static double
get_number(VtRoiItem *item, guint column)
{
  return column >= MEASURES     ? vt_roi_item_get_measure(item, column - MEASURES)
         : column == DIFFERENCE ? vt_roi_item_get_difference(item)
                                : vt_roi_item_get_value(item, column - 1);
}

/* What is unknown or undefined comes after every number. */
static int
compare_items(gconstpointer a, gconstpointer b, gpointer column)
{
  const VtRoi *one = vt_roi_item_get_roi((VtRoiItem *)a), *other = vt_roi_item_get_roi((VtRoiItem *)b);
  if (GPOINTER_TO_UINT(column) == 0)
    return compare_words(one->name, other->name);
  if (GPOINTER_TO_UINT(column) == CLASS)
    return compare_words(one->class_name, other->class_name);
  const double x = get_number((VtRoiItem *)a, GPOINTER_TO_UINT(column));
  const double y = get_number((VtRoiItem *)b, GPOINTER_TO_UINT(column));
  if (isnan(x) || isnan(y))
    return isnan(x) - isnan(y);
  return (x > y) - (x < y);
}

void
vt_roi_columns_resort(GtkColumnView *view)
{
  GtkSorter *sorter = gtk_column_view_get_sorter(view);
  if (sorter)
    gtk_sorter_changed(sorter, GTK_SORTER_CHANGE_DIFFERENT);
}

/* --- the columns --- */

/* Of the score: with all that it depends on. */
static char *
dup_score_help(const VtIntensity *intensity, guint which)
{
  g_autofree char *settings = vt_intensity_dup_settings(intensity);
  return g_strdup_printf(which == VT_ROI_SCORED
                           ? _("Objects that have a value and are counted: the n of the score.\n%s")
                         : which == VT_ROI_PERCENT
                           ? _("100 × objects from the first threshold on / objects scored; –: there are none.\n%s")
                           : _("%% of 1+ and 2 × %% of 2+ and 3 × %% of 3+, 0 to 300; –: no objects are scored.\n%s"),
                         settings);
}

static const char *
get_measure_help(guint measure, guint n_score)
{
  static const char *const words[] = {
    N_("Area inside the outline, without its holes"),
    N_("Length of the outline, with that of its holes; of a line its length"),
    N_(
      "Objects of the result that is shown, whose centroid lies inside of the region; –: it does not cover the region"),
    N_("These objects for the area of the region")
  };
  return measure < VT_ROI_N_MEASURES ? _(words[measure])
                                     : _(words[is_count(measure, n_score) ? VT_ROI_OBJECTS : VT_ROI_DENSITY]);
}

/* Each setting has all features; the title says which one. */
static char *
dup_feature_help(const VitrailOp *op, guint which, const char *title)
{
  g_autofree char *help = vt_roi_columns_dup_help(op->columns[which > 0 ? 1 + (which - 1) % (op->n_columns - 1) : 0]);
  return help && which >= op->n_columns ? g_strdup_printf("%s\n%s", title, help) : g_steal_pointer(&help);
}

/* GTK 4.8 has no tooltips of columns: the headers are the children of the view's first child, in their order. Without measures theirs stay. */
static void
explain_headers(GtkColumnView *view, const VitrailOp *op, const VtRoiMeasures *measures)
{
  const guint n_score = measures ? vt_roi_measures_get_n_score(measures) : 0;
  GListModel *columns = gtk_column_view_get_columns(view);
  GtkWidget *header = gtk_widget_get_first_child(GTK_WIDGET(view));
  GtkWidget *title = header ? gtk_widget_get_first_child(header) : NULL;
  for (guint i = 0; title && i < g_list_model_get_n_items(columns); i++, title = gtk_widget_get_next_sibling(title)) {
    g_autoptr(GObject) column = g_list_model_get_item(columns, i);
    const guint which = get_column(column);
    if (which == READ || (which >= MEASURES && !measures && gtk_widget_get_has_tooltip(title)))
      continue;
    const gboolean is_score = which >= MEASURES + VT_ROI_SCORED && which < MEASURES + VT_ROI_N_MEASURES + n_score;
    g_autofree char *help =
      is_score              ? dup_score_help(&measures->intensity, which - MEASURES)
      : which >= MEASURES   ? g_strdup(get_measure_help(which - MEASURES, n_score))
      : which == DIFFERENCE ? g_strdup(_("The root mean square of the differences in all features of the texture, "
                                         "each in standard deviations of all regions"))
      : op && which < DIFFERENCE
        ? dup_feature_help(op, which, gtk_column_view_column_get_title(GTK_COLUMN_VIEW_COLUMN(column)))
        : NULL;
    gtk_widget_set_tooltip_text(title, help);
  }
}

static GtkColumnViewColumn *
insert_column(GtkColumnView *view, guint position, guint which, const char *title)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  g_signal_connect(factory, "setup", G_CALLBACK(setup_cell), GUINT_TO_POINTER(which));
  g_signal_connect(factory, "bind", G_CALLBACK(bind_cell), GUINT_TO_POINTER(which));
  g_signal_connect(factory, "unbind", G_CALLBACK(unbind_cell), GUINT_TO_POINTER(which));
  g_autoptr(GtkColumnViewColumn) column = gtk_column_view_column_new(title, factory);
  g_autoptr(GtkSorter) sorter = GTK_SORTER(gtk_custom_sorter_new(compare_items, GUINT_TO_POINTER(which), NULL));
  gtk_column_view_column_set_sorter(column, sorter);
  gtk_column_view_column_set_resizable(column, TRUE);
  g_object_set_data(G_OBJECT(column), "column", GUINT_TO_POINTER(which));
  gtk_column_view_insert_column(view, position, column);
  return column; /* the view holds it */
}

/* The thresholds are in it, since nothing is said by a percentage alone. */
static char *
dup_score_title(const VtRoiMeasures *measures, guint which, const char *what)
{
  const VtIntensity *intensity = &measures->intensity;
  g_autofree char *all = vt_intensity_dup_thresholds(intensity);
  if (which == VT_ROI_SCORED)
    return g_strconcat(_("Scored"), what, NULL);
  if (which == VT_ROI_PERCENT)
    return g_strdup_printf(_("Positive %% ≥ %g%s"), intensity->thresholds[0], what);
  return g_strdup_printf(_("H-score ≥ %s%s"), all, what);
}

static char *
dup_measure_title(const VtRoiMeasures *measures, guint measure, gboolean is_large, gboolean is_stale)
{
  const char *unit = !measures || measures->calibrated ? "mm²" : "1000 px²";
  const char *what = is_stale ? _(" · outdated") : measures && measures->is_preview ? _(" · preview") : "";
  const gboolean calibrated = !measures || measures->calibrated;
  if (measure == VT_ROI_AREA)
    return g_strdup_printf(_("Area %s"), is_large ? "mm²" : calibrated ? "µm²" : "px²");
  if (measure == VT_ROI_PERIMETER)
    return g_strdup_printf(_("Perimeter %s"), calibrated ? "µm" : "px");
  if (measure == VT_ROI_OBJECTS)
    return g_strconcat(_("Objects"), what, NULL);
  if (measure == VT_ROI_DENSITY)
    return g_strdup_printf(_("Objects / %s%s"), unit, what);
  const guint pairs = VT_ROI_N_MEASURES + vt_roi_measures_get_n_score(measures);
  if (measure < pairs)
    return dup_score_title(measures, measure, what);
  const char *name = measures->classes->pdata[(measure - pairs) / 2];
  if (measures->intensity.n > 0) /* not a person's words */
    name = vt_translate(name);
  return (measure - pairs) % 2 == 0 ? g_strconcat(name, what, NULL) : g_strdup_printf("%s / %s%s", name, unit, what);
}

void
vt_roi_columns_set_measures(GtkColumnView *view, const VtRoiMeasures *measures, gboolean is_large, gboolean is_stale)
{
  GListModel *columns = gtk_column_view_get_columns(view);
  const guint n = measures ? measures->names->len : VT_ROI_N_MEASURES;
  guint n_there = 0;
  const guint n_score = measures ? vt_roi_measures_get_n_score(measures) : 0;
  g_object_set_data(G_OBJECT(view), "vitrail-is-large", GINT_TO_POINTER(is_large));
  g_object_set_data(G_OBJECT(view), "vitrail-score", GUINT_TO_POINTER(n_score));
  for (guint i = g_list_model_get_n_items(columns); i-- > 0;) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    const guint which = get_column(column);
    if (which >= MEASURES + n) {
      gtk_column_view_remove_column(view, column);
    } else if (which >= MEASURES) {
      g_autofree char *title = dup_measure_title(measures, which - MEASURES, is_large, is_stale);
      gtk_column_view_column_set_title(column, title);
      n_there++;
    }
  }
  for (guint i = n_there; i < n; i++) {
    g_autofree char *title = dup_measure_title(measures, i, is_large, is_stale);
    insert_column(view, 2 + i, MEASURES + i, title);
  }
  explain_headers(view, g_object_get_data(G_OBJECT(view), "vitrail-op"), measures);
}

/* The title of a feature, in which a run of several settings has the one that it is of. */
static const char *
get_feature_title(const VitrailOp *op, const VtResult *result, guint which)
{
  return get_code(vt_translate(result && which > 0 ? vt_result_get_column(result, which) : op->columns[which]));
}

void
vt_roi_columns_set_features(GtkColumnView *view, const VtResult *result)
{
  GListModel *columns = gtk_column_view_get_columns(view);
  const guint n = vt_result_get_n_columns(result);
  gboolean same = TRUE;
  guint n_there = 1;
  VT_EACH_ITEM (GtkColumnViewColumn, column, columns) {
    const guint which = get_column(column);
    n_there += which > 0 && which < DIFFERENCE;
    same =
      same
      && (which == 0 || which >= DIFFERENCE
          || (which < n
              && g_str_equal(gtk_column_view_column_get_title(column), get_feature_title(result->op, result, which))));
  }
  if (same && n_there == n)
    return;
  for (guint i = g_list_model_get_n_items(columns); i-- > 0;) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    if (get_column(column) > 0 && get_column(column) < DIFFERENCE)
      gtk_column_view_remove_column(view, column);
  }
  for (guint i = 1; i < MIN(n, DIFFERENCE); i++)
    insert_column(view, g_list_model_get_n_items(columns), i, get_feature_title(result->op, result, i));
  explain_headers(view, result->op, NULL);
  vt_test_log("feature-columns %u", n - 1);
}

void
vt_roi_columns_show_difference(GtkColumnView *view, gboolean shown)
{
  GListModel *columns = gtk_column_view_get_columns(view);
  GtkColumnViewColumn *there = NULL;
  VT_EACH_ITEM (GtkColumnViewColumn, column, columns)
    there = get_column(column) == DIFFERENCE ? column : there; /* the view holds it */
  if (there && !shown) {
    gtk_column_view_remove_column(view, there);
  } else if (!there && shown) {
    there = insert_column(view, 1, DIFFERENCE, _("Difference, sd"));
    gtk_column_view_sort_by_column(view, there, GTK_SORT_ASCENDING);
    explain_headers(view, g_object_get_data(G_OBJECT(view), "vitrail-op"), NULL);
  }
  vt_roi_columns_resort(view);
}

void
vt_roi_columns_add(GtkColumnView *view, const VitrailOp *op)
{
  g_object_set_data(G_OBJECT(view), "vitrail-op", (gpointer)op);
  for (guint i = 0; op && i < op->n_columns; i++)
    insert_column(view, i, i, get_code(vt_translate(op->columns[i])));
  if (!op)
    insert_column(view, 0, 0, _("ROI"));
  insert_column(view, 1, CLASS, _("Class"));
  vt_roi_columns_set_measures(view, NULL, FALSE, FALSE);
}
