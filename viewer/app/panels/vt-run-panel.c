/* SPDX-License-Identifier: MIT */
#include "panels/vt-run-panel.h"

#include "base/vt-define.h"
#include "plugins/vt-plugin-host.h"
#include "common/vt-owned.h"
#include "common/vt-translate.h"
#include "common/vt-widgets.h"
#include "common/vt-task.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"

struct _VtRunPanel {
  GtkBox parent;
  VtAnalysis *analysis;
  GPtrArray *ops;      /* VitrailOp, as in the drop-down */
  GPtrArray *backends; /* Backend, as in the drop-down */
  guint backend_chosen;
  gboolean updating, is_failure; /* the words of the status are those of a failure */

  /* template */
  GtkDropDown *op_dropdown, *backend_dropdown, *run_on_dropdown;
  GtkLabel *help_label, *file_label, *status_label, *caution_label, *failures_label;
  GtkSwitch *live_switch;
  GtkButton *run_button, *cancel_button;
  GtkProgressBar *progress_bar;
};

typedef struct {
  char *id, *title;
  char *reason; /* why it is absent; NULL: it is there */
} Backend;

G_DEFINE_FINAL_TYPE(VtRunPanel, vt_run_panel, GTK_TYPE_BOX)

VT_DEFINE_FREE(backend_free, Backend, VT_FREES(g_free, id, title, reason))

static Backend *
backend_new(const char *id, const char *title, const char *reason)
{
  Backend *backend = g_new0(Backend, 1);
  backend->id = g_strdup(id);
  backend->title = g_strdup(title);
  backend->reason = g_strdup(reason);
  return backend;
}

/* A slide is a colour image: it can be the primary input, if everything else may be left out, or is regions or labels, which a person opens. */
static gboolean
takes_slide(const VitrailOp *op)
{
  gboolean found = FALSE;
  for (guint i = 0; i < op->n_inputs; i++) {
    const VitrailInputSpec *input = op->inputs[i];
    if (input->flags & VITRAIL_INPUT_PRIMARY)
      found = input->kind == VITRAIL_INPUT_IMAGE;
    else if (!(input->flags & VITRAIL_INPUT_OPTIONAL) && input->kind != VITRAIL_INPUT_ROIS
             && input != vt_op_get_labels(op))
      return FALSE;
  }
  return found;
}

/* Without words it takes no room: those of a first look, which come above it, stand in its lines, and nothing below moves up and down with each of them. After a
 * preview, above which such words stay, it keeps its line. */
static void
show_status(VtRunPanel *self, const char *words)
{
  const VtResult *result = vt_analysis_get_result(self->analysis);
  self->is_failure = FALSE;
  gtk_label_set_text(self->status_label, words);
  gtk_widget_set_visible(GTK_WIDGET(self->status_label), *words || (result && result->is_preview));
}

/* From which file its objects or labels are. */
static void
show_file(VtRunPanel *self)
{
  const VtParams *params = vt_analysis_get_params(self->analysis);
  const char *path = !params           ? NULL
                     : params->objects ? params->objects->path
                     : params->labels  ? params->labels->path
                                       : NULL;
  g_autofree char *name = path ? vt_error_dup_name(path) : NULL, *shown = path ? vt_error_dup_path(path) : NULL;
  gtk_label_set_text(self->file_label, name ? name : "");
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->file_label), shown);
  gtk_widget_set_visible(GTK_WIDGET(self->file_label), path != NULL);
}

static void
show_op(VtRunPanel *self)
{
  const VitrailOp *op = vt_analysis_get_op(self->analysis);
  gtk_label_set_text(self->help_label, op && op->help ? vt_translate(op->help) : "");
  show_file(self);
  show_status(self, "");
}

static void
on_op_selected(VtRunPanel *self)
{
  const VitrailPlugin *plugin = NULL;
  guint selected = gtk_drop_down_get_selected(self->op_dropdown);
  if (selected >= self->ops->len)
    return;
  const VitrailOp *op = g_ptr_array_index(self->ops, selected);
  vt_plugin_host_find_op(vt_plugin_host_get(), op->id, &plugin);
  vt_analysis_set_op(self->analysis, plugin, op);
  show_op(self);
}

static void
on_backend_selected(VtRunPanel *self)
{
  guint selected = gtk_drop_down_get_selected(self->backend_dropdown);
  if (self->updating || selected >= self->backends->len)
    return;
  const Backend *backend = g_ptr_array_index(self->backends, selected);
  if (backend->reason) {
    show_status(self, backend->reason);
    gtk_drop_down_set_selected(self->backend_dropdown, self->backend_chosen);
    return;
  }
  self->backend_chosen = selected;
  vt_analysis_set_backend(self->analysis, backend->id);
}

/* A long title must not make the panel wider, and so the view another one, of which nothing is known yet. */
static void
setup_op_item(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer max_chars)
{
  GtkWidget *label = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  if (max_chars) {
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
    gtk_label_set_max_width_chars(GTK_LABEL(label), GPOINTER_TO_INT(max_chars));
  }
  gtk_list_item_set_child(item, label);
}

static void
bind_op_item(GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_label_set_text(GTK_LABEL(gtk_list_item_get_child(item)),
                     gtk_string_object_get_string(gtk_list_item_get_item(item)));
}

static GtkListItemFactory *
op_factory_new(int max_chars)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  g_signal_connect(factory, "setup", G_CALLBACK(setup_op_item), GINT_TO_POINTER(max_chars));
  g_signal_connect(factory, "bind", G_CALLBACK(bind_op_item), NULL);
  return factory;
}

static void
setup_backend_item(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  GtkWidget *label = vt_label_new(NULL, 0, ""), *reason = vt_label_new(NULL, 0, "dim-label caption");
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
  gtk_label_set_wrap(GTK_LABEL(reason), TRUE);
  GtkWidget *box = vt_box_new(GTK_ORIENTATION_VERTICAL, 0, label, reason, NULL);
  gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
  gtk_list_item_set_child(item, box);
}

static void
bind_backend_item(GtkSignalListItemFactory *factory, GtkListItem *item, VtRunPanel *self)
{
  GtkWidget *box = gtk_list_item_get_child(item), *label = gtk_widget_get_first_child(box);
  GtkWidget *reason = gtk_widget_get_next_sibling(label);
  const char *title = gtk_string_object_get_string(gtk_list_item_get_item(item));
  gtk_label_set_text(GTK_LABEL(label), title);
  gtk_widget_set_visible(reason, FALSE);
  VT_EACH_OF (const Backend, backend, self->backends) {
    if (!g_str_equal(backend->title, title))
      continue;
    gtk_widget_set_sensitive(label, backend->reason == NULL);
    gtk_widget_set_tooltip_text(box, backend->reason);
    gtk_label_set_text(GTK_LABEL(reason), backend->reason ? backend->reason : "");
    gtk_widget_set_visible(reason, backend->reason != NULL);
    gtk_list_item_set_selectable(item, backend->reason == NULL);
  }
}

static void
show_backends(VtRunPanel *self)
{
  g_autoptr(GtkStringList) titles = gtk_string_list_new(NULL);
  for (guint i = 0; i < self->backends->len; i++)
    gtk_string_list_append(titles, ((Backend *)g_ptr_array_index(self->backends, i))->title);
  self->updating = TRUE;
  gtk_drop_down_set_model(self->backend_dropdown, G_LIST_MODEL(titles));
  gtk_drop_down_set_selected(self->backend_dropdown, 0);
  self->updating = FALSE;
}

/* Opening a session probes the devices, which may take a second. */
static void
probe_backends(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  GMutex *lock = NULL;
  const VitrailPlugin *plugin = data;
  const VitrailBackendInfo *const *infos = NULL;
  GPtrArray *backends = g_ptr_array_new_with_free_func(backend_free);
  VitrailSession *session = vt_plugin_host_get_session(vt_plugin_host_get(), plugin, &lock, &error);
  if (!session) {
    g_ptr_array_unref(backends);
    g_task_return_error(task, error);
    return;
  }
  guint n = plugin->session_backends(session, &infos);
  for (guint i = 0; i < n; i++) {
    const VitrailBackendInfo *info = infos[i];
    gboolean names_device = info->device && *info->device && !g_str_equal(info->device, info->title);
    g_autofree char *title = info->available && names_device ? g_strdup_printf("%s: %s", info->title, info->device)
                             : info->available               ? g_strdup(info->title)
                                                             : g_strdup_printf(_("%s (not available)"), info->title);
    const char *reason = info->reason ? vt_translate(info->reason) : _("It is not available.");
    g_ptr_array_add(backends, backend_new(info->id, title, info->available ? NULL : reason));
  }
  g_task_return_pointer(task, backends, (GDestroyNotify)g_ptr_array_unref);
}

static void
backends_probed(GObject *source, GAsyncResult *result, gpointer user_data)
{
  VtRunPanel *self = VT_RUN_PANEL(source);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) backends = g_task_propagate_pointer(G_TASK(result), &error);
  if (!self->backends)
    return;
  if (!backends) {
    show_status(self, error->message);
    return;
  }
  g_ptr_array_insert(backends, 0, backend_new(NULL, _("Automatic device"), NULL));
  g_clear_pointer(&self->backends, g_ptr_array_unref);
  self->backends = g_steal_pointer(&backends);
  show_backends(self);
}

/* "24,055 objects", where the op has some; those of a preview are pieces of a coarse grid. */
static char *
dup_count(const VtResult *result)
{
  if (!result->objects)
    return NULL;
  g_autofree char *n = g_strdup_printf("%'u", result->objects->len);
  return result->is_preview ? g_strdup_printf(
           g_dngettext(NULL, "about %s piece, preview", "about %s pieces, preview", result->objects->len), n)
                            : g_strdup_printf(g_dngettext(NULL, "%s object", "%s objects", result->objects->len), n);
}

static void
show_caution(VtRunPanel *self)
{
  g_autofree char *caution = vt_analysis_dup_caution(self->analysis);
  const VtResult *shown = vt_analysis_get_shown(self->analysis);
  g_autofree char *count = shown ? dup_count(shown) : NULL;
  g_autofree char *text = caution && count ? g_strdup_printf("%s\n%s", caution, count) : g_strdup(caution);
  gtk_label_set_text(self->caution_label, text ? text : "");
  gtk_widget_set_visible(GTK_WIDGET(self->caution_label), text != NULL);
  if (shown != vt_analysis_get_corrected(self->analysis) && !vt_analysis_get_busy(self->analysis))
    show_status(self, ""); /* it is of the run before this first look */
}

static void
show_progress(VtRunPanel *self)
{
  g_autofree char *progress = vt_analysis_dup_progress(self->analysis);
  if (!progress)
    return;
  gtk_progress_bar_set_fraction(self->progress_bar, vt_analysis_get_fraction(self->analysis));
  show_status(self, progress);
}

/* "Kind of image: Cytology", and from where that is known. */
static void
append_choice(GString *text, const VtResult *result)
{
  if (!result->chosen)
    return;
  const char *title = vt_translate(result->chosen->title),
             *choice = vt_translate(result->chosen->choice_titles[result->choice]);
  if (result->calibrated)
    g_string_append_printf(text, _("\n%s: %s, by pixel size and a look at the image"), title, choice);
  else if (result->dark_px > 0)
    g_string_append_printf(text, _("\n%s: %s, by a look at the image: what is dark is some %.1f pixels wide"), title,
                           choice, result->dark_px);
  else
    g_string_append_printf(text, _("\n%s: %s, by a look at the image"), title, choice);
}

static void
on_finished(VtRunPanel *self)
{
  VtResult *result = vt_analysis_get_result(self->analysis);
  g_autofree char *time = vt_dup_duration(result->total_ms);
  g_autofree char *count = result->is_preview ? NULL : dup_count(vt_analysis_get_corrected(self->analysis));
  const char *where = result->device && *result->device ? result->device : result->backend;
  /* Of a preview the caution says it. */
  const guint n_warnings = result->warnings ? result->warnings->len - (result->is_preview ? 1 : 0) : 0;
  g_autoptr(GString) text = g_string_new(NULL);
  if (count)
    g_string_append_printf(text, "%s · ", count);
  g_string_append_printf(text, _("%s on %s"), time, where ? where : "?");
  append_choice(text, result);
  for (guint i = 0; i < n_warnings; i++) {
    const char *warning = g_ptr_array_index(result->warnings, i);
    g_autofree char *names = vt_result_dup_warned(result, warning);
    g_string_append_printf(text, "\n%s%s%s", names ? names : "", names ? ": " : "", vt_translate(warning));
  }
  show_status(self, text->str);
}

static void
on_busy(VtRunPanel *self)
{
  const gboolean busy = vt_analysis_get_busy(self->analysis);
  const VtResult *corrected = vt_analysis_get_corrected(self->analysis);
  gtk_widget_set_visible(GTK_WIDGET(self->cancel_button), busy);
  gtk_widget_set_visible(GTK_WIDGET(self->run_button), !busy);
  gtk_widget_set_opacity(GTK_WIDGET(self->progress_bar), busy ? 1 : 0);
  gtk_progress_bar_set_fraction(self->progress_bar, 0);
  if (busy)
    show_progress(self);
  else if (corrected && vt_analysis_get_shown(self->analysis) == corrected)
    on_finished(self); /* a run that was cancelled: what was there before stays, with its words */
  else
    show_status(self, "");
}

/* What could not be run is no longer what would be. */
static void
take_failure_back(VtRunPanel *self)
{
  if (self->is_failure)
    on_busy(self);
}

static void
on_run_on_selected(VtRunPanel *self)
{
  const guint selected = gtk_drop_down_get_selected(self->run_on_dropdown);
  if (!self->updating && selected < VT_N_RUN_ON)
    gtk_widget_activate_action(GTK_WIDGET(self), "win.run-on", "s", vt_run_on_get_id(selected));
}

static void
show_run_on(VtRunPanel *self)
{
  self->updating = TRUE;
  gtk_drop_down_set_selected(self->run_on_dropdown, vt_analysis_get_run_on(self->analysis));
  self->updating = FALSE;
}

static void
fill_run_on(VtRunPanel *self)
{
  g_autoptr(GtkStringList) titles = gtk_string_list_new(NULL);
  const guint n_regions = g_list_model_get_n_items(vt_analysis_get_regions(self->analysis));
  for (guint on = 0; on < VT_N_RUN_ON; on++)
    gtk_string_list_take(titles, vt_run_on_dup_choice(on, n_regions));
  self->updating = TRUE;
  gtk_drop_down_set_model(self->run_on_dropdown, G_LIST_MODEL(titles));
  show_run_on(self);
  if (vt_analysis_get_run_on(self->analysis) == VT_RUN_ON_REGIONS)
    take_failure_back(self);
}

static void
on_failed(VtRunPanel *self, const char *sentence)
{
  show_status(self, sentence);
  self->is_failure = TRUE;
}

/* "a.so, b.so"; NULL: all files have been tried. Owned. */
static char *
dup_trying(void)
{
  GListModel *trying = vt_plugin_host_get_trying(vt_plugin_host_get());
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < g_list_model_get_n_items(trying); i++) {
    g_autoptr(GFile) file = g_list_model_get_item(trying, i);
    g_autofree char *name = vt_error_dup_name(g_file_peek_path(file));
    g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", name);
  }
  return names->len > 0 ? g_string_free(g_steal_pointer(&names), FALSE) : NULL;
}

static void
show_failures(VtRunPanel *self)
{
  GPtrArray *failures = vt_plugin_host_get_failures(vt_plugin_host_get());
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *trying = dup_trying();
  if (trying)
    g_string_append_printf(text, _("Being tried, and offered when they have answered: %s"), trying);
  VT_EACH_OF (const VtPluginFailure, failure, failures)
    g_string_append_printf(text, "%s%s", text->len ? "\n" : "", failure->reason);
  if (self->ops->len == 0 && !trying)
    g_string_append_printf(text, "%s%s", text->len ? "\n" : "",
                           _("No analysis plugin was found. VITRAIL_PLUGIN_PATH can name its folder."));
  gtk_label_set_text(self->failures_label, text->str);
  const char *const classes[] = { "caption", failures->len > 0 || !trying ? "error" : "dim-label", NULL };
  gtk_widget_set_css_classes(GTK_WIDGET(self->failures_label), (const char **)classes);
  gtk_widget_set_visible(GTK_WIDGET(self->failures_label), text->len > 0);
}

/* Recipes may have been opened since. */
static void
add_new_ops(VtRunPanel *self)
{
  GtkStringList *titles = GTK_STRING_LIST(gtk_drop_down_get_model(self->op_dropdown));
  GPtrArray *ops = vt_plugin_host_get_ops(vt_plugin_host_get());
  VT_EACH_OF (const VitrailOp, op, ops) {
    if (!takes_slide(op) || g_ptr_array_find(self->ops, op, NULL))
      continue;
    /* A recipe's title in the list of analyses: "Recipe: Tissue mask". */
    g_autofree char *recipe = vt_op_get_recipe(op) ? g_strdup_printf(_("Recipe: %s"), vt_translate(op->title)) : NULL;
    g_ptr_array_add(self->ops, (gpointer)op);
    gtk_string_list_append(titles, recipe ? recipe : vt_translate(op->title));
  }
}

/* A recipe that is being edited is one entry of the list, whatever was done to it. */
static void
add_draft(VtRunPanel *self, const VitrailOp *draft)
{
  GtkStringList *titles = GTK_STRING_LIST(gtk_drop_down_get_model(self->op_dropdown));
  for (guint i = 0; i < self->ops->len; i++) {
    const VitrailOp *op = self->ops->pdata[i];
    if (!vt_op_is_draft(op) || !g_str_equal(op->title, draft->title))
      continue;
    self->ops->pdata[i] = (gpointer)draft;
    if (gtk_drop_down_get_selected(self->op_dropdown) == i)
      on_op_selected(self);
    return;
  }
  g_ptr_array_add(self->ops, (gpointer)draft);
  gtk_string_list_append(titles, draft->title);
}

/* What a file was opened for is in the list from then on. */
static void
add_own(VtRunPanel *self, const VitrailOp *op)
{
  if (g_ptr_array_find(self->ops, op, NULL))
    return;
  g_ptr_array_add(self->ops, (gpointer)op);
  gtk_string_list_append(GTK_STRING_LIST(gtk_drop_down_get_model(self->op_dropdown)), vt_translate(op->title));
}

VT_GETTER(GPtrArray *, vt_run_panel_get_ops, VtRunPanel, ops)

static void
show_plugins(VtRunPanel *self)
{
  add_new_ops(self);
  show_failures(self);
  /* Not the sentence that says why there is nothing: it is to be read. */
  gtk_widget_set_sensitive(GTK_WIDGET(self->op_dropdown), self->ops->len > 0);
  gtk_widget_set_sensitive(GTK_WIDGET(self->backend_dropdown), self->ops->len > 0);
  gtk_widget_set_sensitive(GTK_WIDGET(self->live_switch), self->ops->len > 0);
}

static void
ask_backends(VtRunPanel *self)
{
  GPtrArray *plugins = vt_plugin_host_get_plugins(vt_plugin_host_get());
  if (plugins->len > 0)
    vt_task_run(self, NULL, backends_probed, NULL, probe_backends, g_ptr_array_index(plugins, 0), NULL);
}

/* A file that was tried has joined, or was refused. */
static void
on_tried(VtRunPanel *self)
{
  const gboolean had_none = self->ops->len == 0;
  show_plugins(self);
  if (had_none && self->ops->len > 0) {
    gtk_drop_down_set_selected(self->op_dropdown, 0);
    ask_backends(self);
  }
  vt_test_log("plugin-tried");
}

/* Undo chooses analyses, too. */
static void
on_op_changed(VtRunPanel *self)
{
  const VitrailOp *op = vt_analysis_get_op(self->analysis);
  const guint selected = gtk_drop_down_get_selected(self->op_dropdown);
  if (selected >= self->ops->len || self->ops->pdata[selected] != op)
    vt_run_panel_select_op(self, op->id, NULL);
}

void
vt_run_panel_set_analysis(VtRunPanel *self, VtAnalysis *analysis)
{
  self->analysis = g_object_ref(analysis);
  g_autoptr(GtkStringList) titles = gtk_string_list_new(NULL);
  gtk_drop_down_set_model(self->op_dropdown, G_LIST_MODEL(titles));
  show_plugins(self);
  g_object_bind_property(analysis, "live", self->live_switch, "active",
                         G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL);
  g_signal_connect_object(analysis, "notify::busy", G_CALLBACK(on_busy), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "progress", G_CALLBACK(show_progress), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "shown", G_CALLBACK(show_caution), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "notify::run-on", G_CALLBACK(show_run_on), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "notify::run-on", G_CALLBACK(take_failure_back), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(vt_analysis_get_regions(analysis), "items-changed", G_CALLBACK(fill_run_on), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "finished", G_CALLBACK(on_finished), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "corrected", G_CALLBACK(on_finished), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "failed", G_CALLBACK(on_failed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self, "map", G_CALLBACK(add_new_ops), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(vt_plugin_host_get_trying(vt_plugin_host_get()), "items-changed", G_CALLBACK(on_tried), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->op_dropdown, "notify::selected", G_CALLBACK(on_op_selected), self, G_CONNECT_SWAPPED);
  on_op_selected(self);
  g_signal_connect_object(analysis, "op-changed", G_CALLBACK(on_op_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(analysis, "params-changed", G_CALLBACK(show_file), self, G_CONNECT_SWAPPED);
  on_busy(self);
  show_caution(self);
  fill_run_on(self);
  ask_backends(self);
}

gboolean
vt_run_panel_select_op(VtRunPanel *self, const char *op_id, GError **error)
{
  g_autoptr(GString) known = g_string_new(NULL);
  const VitrailOp *asked = vt_plugin_host_find_op(vt_plugin_host_get(), op_id, NULL);
  add_new_ops(self);
  if (asked && vt_op_is_draft(asked))
    add_draft(self, asked);
  if (asked && vt_op_is_own(asked))
    add_own(self, asked);
  for (guint i = 0; i < self->ops->len; i++) {
    const VitrailOp *op = g_ptr_array_index(self->ops, i);
    if (g_str_equal(op->id, op_id)) {
      gtk_drop_down_set_selected(self->op_dropdown, i);
      return TRUE;
    }
    g_string_append_printf(known, "%s%s", known->len ? ", " : "", op->id);
  }
  g_autofree char *trying = dup_trying();
  if (trying)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("There is no analysis \"%s\" yet: plugins are being tried: %s."),
                        op_id, trying);
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("There is no analysis \"%s\" for slides; there are: %s."), op_id,
                      known->len ? known->str : _("none"));
}

static void
vt_run_panel_class_init(VtRunPanelClass *klass)
{
  VT_OWNS(klass, VtRunPanel, g_object_unref, analysis);
  VT_OWNS(klass, VtRunPanel, g_ptr_array_unref, ops, backends);
  VT_TEMPLATE(klass, VtRunPanel, "vt-run-panel", op_dropdown, backend_dropdown, run_on_dropdown, caution_label,
              help_label, file_label, status_label, failures_label, live_switch, run_button, cancel_button,
              progress_bar);
}

static void
vt_run_panel_init(VtRunPanel *self)
{
  g_autoptr(GtkListItemFactory) factory = gtk_signal_list_item_factory_new();
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_widget_set_accessible_label(GTK_WIDGET(self->op_dropdown), _("Analysis"));
  vt_widget_set_accessible_label(GTK_WIDGET(self->backend_dropdown), _("Device"));
  vt_widget_set_accessible_label(GTK_WIDGET(self->run_on_dropdown), _("Run on"));
  self->ops = g_ptr_array_new();
  self->backends = g_ptr_array_new_with_free_func(backend_free);
  g_ptr_array_add(self->backends, backend_new(NULL, _("Automatic device"), NULL));
  g_signal_connect(factory, "setup", G_CALLBACK(setup_backend_item), NULL);
  g_signal_connect(factory, "bind", G_CALLBACK(bind_backend_item), self);
  gtk_drop_down_set_factory(self->backend_dropdown, factory);
  g_autoptr(GtkListItemFactory) chosen = op_factory_new(26), listed = op_factory_new(0);
  gtk_drop_down_set_factory(self->op_dropdown, chosen);
  gtk_drop_down_set_list_factory(self->op_dropdown, listed);
  show_backends(self);
  g_signal_connect_swapped(self->run_on_dropdown, "notify::selected", G_CALLBACK(on_run_on_selected), self);
  g_signal_connect_swapped(self->backend_dropdown, "notify::selected", G_CALLBACK(on_backend_selected), self);
}
