/* SPDX-License-Identifier: MIT
 *
 * Keeping parameters by name, and taking parameters over. */
#include "window/vt-window-private.h"
#include "window/vt-tuning.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "common/vt-params-words.h"
#include "common/vt-toast.h"
#include "dialogs/vt-grid-window.h"
#include "dialogs/vt-search-window.h"
#include "panels/vt-param-row.h"
#include "plugins/vt-plugin-host.h"

/* --- taking over --- */

static void
set_params(VtPane *pane, const VtParams *params)
{
  VtAnalysis *analysis = vt_pane_get_analysis(pane);
  if (vt_analysis_get_op(analysis) != params->op)
    vt_pane_apply_options(pane, &(VtPaneOptions){ .op_id = params->op->id });
  VtParams *now = vt_analysis_get_params(analysis);
  if (now && vt_params_assign(now, params))
    vt_analysis_params_changed(analysis);
}

void
vt_window_adopt(VtWindow *self, VtPane *pane, const VtParams *params, const char *sentence)
{
  g_autofree char *changes = vt_params_dup_side(params, vt_analysis_get_params(vt_pane_get_analysis(pane)));
  set_params(pane, params);
  if (*changes)
    vt_window_toast_step(self, vt_regions_get_undo(vt_pane_get_regions(pane)), sentence ? sentence : changes);
  else
    vt_window_toast(self, _("This is what is set already."));
  gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(pane)));
}

/* --- snapshots --- */

static VtTuning *
get_tuning(gpointer window)
{
  return vt_tuning_get(vt_window_get_pane(window));
}

/* Of the number that an action was called with; NULL: there is no such snapshot any more. */
static const VtSnapshot *
find(gpointer window, GVariant *parameter, guint *place)
{
  VtSnapshots *snapshots = get_tuning(window)->snapshots;
  *place = g_variant_get_uint32(parameter);
  return *place < vt_snapshots_get_n(snapshots) ? vt_snapshots_get(snapshots, *place) : NULL;
}

static void
act_keep(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtTuning *tuning = get_tuning(window);
  g_autoptr(GError) error = NULL;
  if (!vt_snapshots_keep_present(tuning->snapshots, &error)) {
    vt_pane_show_error(vt_window_get_pane(window), error->message, VT_MESSAGE_ANSWER);
    return;
  }
  gtk_widget_set_visible(tuning->snapshots_card, TRUE);
}

static void
act_show(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  GtkWidget *card = get_tuning(window)->snapshots_card;
  gtk_widget_set_visible(card, !gtk_widget_get_visible(card));
  if (!gtk_widget_get_visible(card) || !gtk_widget_child_focus(card, GTK_DIR_TAB_FORWARD))
    gtk_widget_grab_focus(GTK_WIDGET(vt_pane_get_canvas(vt_window_get_pane(window))));
}

static void
act_compare(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  guint place;
  g_autoptr(GError) error = NULL;
  if (find(window, parameter, &place) && !vt_snapshots_compare_with(get_tuning(window)->snapshots, place, &error))
    vt_pane_show_error(vt_window_get_pane(window), error->message, VT_MESSAGE_ANSWER);
}

/* The one after A, round. */
static void
act_next(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtSnapshots *snapshots = get_tuning(window)->snapshots;
  const guint n = vt_snapshots_get_n(snapshots);
  g_autoptr(GError) error = NULL;
  if (n == 0)
    vt_pane_show_error(vt_window_get_pane(window), _("No snapshot is kept yet. K keeps what is set now."),
                       VT_MESSAGE_ANSWER);
  else if (!vt_snapshots_compare_with(snapshots, (guint)(vt_snapshots_get_a(snapshots) + 1) % n, &error))
    vt_pane_show_error(vt_window_get_pane(window), error->message, VT_MESSAGE_ANSWER);
}

static void
act_use(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  guint place;
  VtPane *pane = vt_window_get_pane(window);
  const VtSnapshot *snapshot = find(window, parameter, &place);
  g_autoptr(GError) error = NULL;
  if (snapshot && vt_snapshots_check(get_tuning(window)->snapshots, place, &error))
    vt_window_adopt(window, pane, snapshot->params, NULL);
  else if (error)
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
}

typedef struct {
  VtSnapshots *snapshots;
  char *name;
  const VitrailPlugin *plugin;
  VtParams *params;
} Deleted;

VT_DEFINE_FREE(deleted_free, Deleted,
               VT_FREES(g_object_unref, snapshots) VT_FREES(g_free, name) VT_FREES(vt_params_free, params))

static void
bring_back(AdwToast *toast, Deleted *deleted)
{
  vt_snapshots_keep(deleted->snapshots, deleted->name, deleted->plugin, deleted->params, NULL, NULL);
}

static void
act_delete(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  guint place;
  VtSnapshots *snapshots = get_tuning(window)->snapshots;
  const VtSnapshot *snapshot = find(window, parameter, &place);
  if (!snapshot)
    return;
  Deleted *deleted = g_new0(Deleted, 1);
  *deleted =
    (Deleted){ g_object_ref(snapshots), g_strdup(snapshot->name), snapshot->plugin, vt_params_copy(snapshot->params) };
  g_autofree char *text = g_strdup_printf(_("Deleted: %s"), snapshot->name);
  vt_snapshots_delete(snapshots, place);
  AdwToast *toast = adw_toast_new(text);
  adw_toast_set_button_label(toast, _("Undo"));
  g_signal_connect_data(toast, "button-clicked", G_CALLBACK(bring_back), deleted, (GClosureNotify)(void *)deleted_free,
                        0);
  vt_toast_show(VT_WINDOW(window)->toasts, toast);
}

/* --- two parameters at once --- */

static void
adopt(const VtParams *params, gpointer window)
{
  vt_window_adopt(window, vt_window_get_pane(window), params, NULL);
}

static void
act_grid(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  g_autoptr(GError) error = NULL;
  GtkWidget *grid =
    vt_grid_window_new(window, vt_pane_get_analysis(pane), vt_pane_get_reference(pane), adopt, window, &error);
  if (grid)
    gtk_window_present(GTK_WINDOW(grid));
  else
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
}

/* That of the parameter that has the keyboard, or had it before the palette came; NULL, and a sentence: there is none. */
static GtkWidget *
find_param_row(gpointer window)
{
  GtkWidget *focus = gtk_window_get_focus(window);
  GtkWidget *row = focus ? gtk_widget_get_ancestor(focus, VT_TYPE_PARAM_ROW) : NULL;
  if (!row)
    vt_window_toast(window, _("Take the keyboard to a parameter first: Tab goes there from the side panel (F6)."));
  return row;
}

static void
act_several_values(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  GtkWidget *row = find_param_row(window);
  if (row && !vt_param_row_toggle_values(VT_PARAM_ROW(row)))
    vt_window_toast(window, _("This parameter has one value: several are for numbers and choices of an analysis that "
                              "measures regions."));
}

static void
act_curve(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  GtkWidget *row = find_param_row(window);
  if (row && !vt_param_row_toggle_curve(VT_PARAM_ROW(row)))
    vt_window_toast(window,
                    _("There is no curve of this parameter: it is no number, or the analysis finds no objects."));
}

/* --- best for the truth --- */

static void
keep_try(gpointer window, const char *format, const VtTry *try, guint *place)
{
  VtSnapshots *snapshots = get_tuning(window)->snapshots;
  const VitrailPlugin *plugin = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *name = g_strdup_printf(format, try->f1_50);
  vt_plugin_host_find_op(vt_plugin_host_get(), try->params->op->id, &plugin);
  if (!vt_snapshots_keep(snapshots, name, plugin, try->params, place, &error))
    vt_pane_show_error(vt_window_get_pane(window), error->message, VT_MESSAGE_ANSWER);
}

static void
keep_both(const VtTry *best, const VtTry *runner_up, gpointer window)
{
  keep_try(window, _("Best: F1 %.3f"), best, NULL);
  if (runner_up)
    keep_try(window, _("Runner-up: F1 %.3f"), runner_up, NULL);
}

static void
compare_both(const VtTry *best, const VtTry *runner_up, gpointer window)
{
  VtPane *pane = vt_window_get_pane(window);
  guint place = 0;
  g_autoptr(GError) error = NULL;
  keep_try(window, _("Runner-up: F1 %.3f"), runner_up, &place);
  vt_window_adopt(window, pane, best->params, NULL);
  if (!vt_snapshots_compare_with(get_tuning(window)->snapshots, place, &error))
    vt_pane_show_error(pane, error->message, VT_MESSAGE_ANSWER);
  else
    vt_canvas_set_wipe(vt_pane_get_canvas(pane), TRUE);
}

static void
act_search(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  static const VtSearchCallbacks callbacks = { adopt, keep_both, compare_both };
  VtPane *pane = vt_window_get_pane(window);
  if (!vt_reference_get_outlines(vt_pane_get_reference(pane)))
    vt_pane_show_error(pane, _("There is no truth to agree with. Open outlines first: Shift+C."), VT_MESSAGE_ANSWER);
  else
    gtk_window_present(GTK_WINDOW(vt_search_window_new(window, get_tuning(window)->search, &callbacks, window)));
}

const GActionEntry vt_window_snapshots_actions[] = {
  { .name = "snapshot-keep", .activate = act_keep },
  { .name = "curve", .activate = act_curve },
  { .name = "several-values", .activate = act_several_values },
  { .name = "grid", .activate = act_grid },
  { .name = "search", .activate = act_search },
  { .name = "snapshots", .activate = act_show },
  { .name = "snapshot-next", .activate = act_next },
  { .name = "snapshot-compare", .activate = act_compare, .parameter_type = "u" },
  { .name = "snapshot-use", .activate = act_use, .parameter_type = "u" },
  { .name = "snapshot-delete", .activate = act_delete, .parameter_type = "u" },
  { NULL },
};
