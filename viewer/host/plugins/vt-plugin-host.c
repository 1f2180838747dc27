/* SPDX-License-Identifier: MIT */
#include "plugins/vt-plugin-host.h"

#include <gmodule.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vt-define.h"
#include "base/vt-helper.h"
#include "plugins/vt-plugin-private.h"
#include "plugins/vt-plugin-probe.h"
#include "plugins/vt-plugin-trials.h"

#define OWN_MODULE "vitrail-analysis." G_MODULE_SUFFIX

typedef struct {
  const VitrailPlugin *plugin;
  VtWorker *worker; /* NULL: it is the program's own module, and runs here */
  char *path;
  VitrailSession *session;
  GMutex lock; /* held while the session runs an op */
} Loaded;

struct _VtPluginHost {
  GMutex mutex; /* guards the opening of sessions, and `loaded` while a file joins */
  GPtrArray *failures, *plugins, *ops, *loaded;
  VtPluginTrials *trials;
  GListStore *trying; /* GFile: what is tried yet */
};

static gboolean (*waits_for_slow)(const char *names) = NULL;
static const VitrailPlugin *own_plugin = NULL; /* a part of this program; or NULL */
static struct {
  const char *program;
  guint seconds;
} probe = { NULL, VT_PLUGIN_PROBE_S };

void
vt_plugin_host_set_slow(gboolean (*waits)(const char *names))
{
  waits_for_slow = waits;
}

void
vt_plugin_host_set_own(const VitrailPlugin *plugin)
{
  g_autoptr(GError) error = NULL;
  own_plugin = vt_plugin_check(plugin, "vitrail", &error);
  if (!own_plugin)
    g_error("%s", error->message);
}

const VitrailPlugin *
vt_plugin_host_get_own(void)
{
  return own_plugin;
}

static const VitrailOp *
find_own(const char *op_id)
{
  for (guint i = 0; own_plugin && i < own_plugin->n_ops; i++)
    if (g_str_equal(own_plugin->ops[i]->id, op_id))
      return own_plugin->ops[i];
  return NULL;
}

gboolean
vt_op_is_own(const VitrailOp *op)
{
  return find_own(op->id) == op;
}

void
vt_plugin_host_set_probe(const char *program, guint seconds)
{
  probe.program = g_intern_string(program);
  probe.seconds = seconds;
}

VT_DEFINE_FREE(failure_free, VtPluginFailure, VT_FREES(g_free, path, reason))

void
vt_plugin_host_add_failure(VtPluginHost *host, const char *path, const char *reason)
{
  VtPluginFailure *failure = g_new0(VtPluginFailure, 1);
  failure->path = g_strdup(path);
  failure->reason = vt_error_dup_shown(reason); /* with paths in it */
  g_ptr_array_add(host->failures, failure);
}

const VitrailPlugin *
vt_plugin_open(const char *path, GError **error)
{
  g_autoptr(GError) local = NULL;
  gpointer symbol = NULL;
  GModule *module = g_module_open_full(path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL, &local);
  if (!module)
    return vt_error_set_null(error, VITRAIL_UNSUPPORTED, "A plugin cannot be loaded: %s.", local->message);
  g_module_make_resident(module);
  if (!g_module_symbol(module, VITRAIL_ENTRY_SYMBOL, &symbol) || !symbol)
    return vt_error_set_null(error, VITRAIL_UNSUPPORTED, "%s is no plugin: it has no symbol %s.", path,
                             VITRAIL_ENTRY_SYMBOL);
  VitrailPluginEntry entry = NULL;
  memcpy(&entry, &symbol, sizeof entry);
  const VitrailPlugin *theirs = entry(VITRAIL_ABI_MAJOR, VITRAIL_ABI_MINOR);
  if (!theirs)
    return vt_error_set_null(error, VITRAIL_UNSUPPORTED,
                             "%s does not serve version %u of the plugin interface, which this program speaks.", path,
                             VITRAIL_ABI_MAJOR);
  return vt_plugin_check(theirs, path, error);
}

static gboolean
check_is_new(VtPluginHost *host, const VitrailPlugin *plugin, const char *op_id, const char *path, GError **error)
{
  const VitrailPlugin *other = NULL;
  if (!vt_plugin_host_find_op(host, op_id, &other))
    return TRUE;
  if (other && g_str_equal(other->id, plugin->id) && g_str_equal(other->version, plugin->version))
    return vt_error_set(error, VITRAIL_UNSUPPORTED, "%s is not used: %s is the same plugin, and comes first.", path,
                        vt_plugin_host_get_path(host, other));
  return vt_error_set(error, VITRAIL_UNSUPPORTED, "%s cannot be used: another plugin already offers the op “%s”.", path,
                      op_id);
}

gboolean
vt_plugin_is_same_file(const char *a, const char *b)
{
  struct stat file, other;
  return stat(a, &file) == 0 && stat(b, &other) == 0 && file.st_dev == other.st_dev && file.st_ino == other.st_ino;
}

/* The module that was built and installed with this program: no other place counts, whatever a file is called. */
static gboolean
is_own(const char *path)
{
  g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = g_path_get_dirname(self ? self : "/");
  g_autofree char *installed = g_build_filename(VT_PLUGIN_DIR, OWN_MODULE, NULL);
  g_autofree char *built = g_build_filename(folder, "..", "plugin", OWN_MODULE, NULL);
  g_autofree char *built_above = g_build_filename(folder, "..", "..", "plugin", OWN_MODULE, NULL);
  return vt_plugin_is_same_file(path, installed) || vt_plugin_is_same_file(path, built)
         || vt_plugin_is_same_file(path, built_above);
}

/* With VITRAIL_PLUGIN_WORKER=no none does, for debuggers; with "all" the program's own, too. */
static gboolean
runs_apart(const char *path)
{
  const char *which = g_getenv("VITRAIL_PLUGIN_WORKER");
  if (g_strcmp0(which, "no") == 0)
    return FALSE;
  return g_strcmp0(which, "all") == 0 || !is_own(path);
}

/* With the mutex held. */
static const VitrailPlugin *
open_file(VtPluginHost *host, const char *path, VtWorker *worker, GError **error)
{
  const VitrailPlugin *plugin = worker ? vt_worker_check(worker, error) : vt_plugin_open(path, error);
  for (guint i = 0; plugin && i < plugin->n_ops; i++)
    if (!check_is_new(host, plugin, plugin->ops[i]->id, path, error))
      return NULL;
  return plugin;
}

/* Takes the worker (NULL: it runs here). With the mutex held. */
static const VitrailPlugin *
join(VtPluginHost *host, const char *path, VtWorker *worker, GError **error)
{
  const VitrailPlugin *plugin = open_file(host, path, worker, error);
  if (!plugin) {
    g_clear_pointer(&worker, vt_worker_free);
    return NULL;
  }
  Loaded *loaded = g_new0(Loaded, 1);
  loaded->plugin = plugin;
  loaded->worker = worker;
  loaded->path = g_strdup(path);
  g_mutex_init(&loaded->lock);
  g_ptr_array_add(host->loaded, loaded);
  g_ptr_array_add(host->plugins, (gpointer)plugin);
  for (guint i = 0; i < plugin->n_ops; i++)
    g_ptr_array_add(host->ops, (gpointer)plugin->ops[i]);
  return plugin;
}

static void
join_or_note(VtPluginHost *host, VtPluginTrial *trial)
{
  VT_LOCK(&host->mutex);
  if (trial->error || !join(host, trial->path, g_steal_pointer(&trial->worker), &trial->error))
    vt_plugin_host_add_failure(host, trial->path, trial->error->message);
}

static void
join_late(VtPluginTrial *trial)
{
  VtPluginHost *host = vt_plugin_host_get();
  join_or_note(host, trial);
  g_autoptr(GFile) file = g_file_new_for_path(trial->path);
  guint at = 0;
  if (g_list_store_find_with_equal_func(host->trying, file, (GEqualFunc)g_file_equal, &at))
    g_list_store_remove(host->trying, at);
}

static void
find(VtPluginHost *host, const char *path)
{
  vt_plugin_trials_add(host->trials, g_strdup(path), is_own(path), runs_apart(path));
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void
vt_plugin_host_read_folder(VtPluginHost *host, const char *folder, const char *suffix,
                           void (*take)(VtPluginHost *host, const char *path))
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GDir) dir = g_dir_open(folder, 0, &error);
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  const char *name = NULL;
  if (!dir && !g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
    g_autofree char *reason = g_strdup_printf("The folder %s cannot be read.", folder);
    vt_plugin_host_add_failure(host, folder, reason);
  }
  while (dir && (name = g_dir_read_name(dir)))
    if (g_str_has_suffix(name, suffix))
      g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
  g_ptr_array_sort(paths, compare_names);
  for (guint i = 0; i < paths->len; i++)
    take(host, g_ptr_array_index(paths, i));
}

static void
find_in_folder(VtPluginHost *host, const char *folder)
{
  vt_plugin_host_read_folder(host, folder, "." G_MODULE_SUFFIX, find);
}

static void
find_in_path(VtPluginHost *host, const char *search_path)
{
  g_auto(GStrv) parts = g_strsplit(search_path, G_SEARCHPATH_SEPARATOR_S, -1);
  for (char **part = parts; *part; part++) {
    if (!**part)
      continue;
    if (!g_path_is_absolute(*part))
      vt_plugin_host_add_failure(host, *part, "A relative path in VITRAIL_PLUGIN_PATH is not followed.");
    else if (g_file_test(*part, G_FILE_TEST_IS_DIR))
      find_in_folder(host, *part);
    else if (!g_file_test(*part, G_FILE_TEST_EXISTS)) {
      g_autofree char *reason =
        g_strdup_printf("There is no plugin folder %s; VITRAIL_PLUGIN_PATH names others.", *part);
      vt_plugin_host_add_failure(host, *part, reason);
    } else
      find(host, *part);
  }
}

/* The user's own folder and the installed one; neither need be there. */
static void
find_in_standard(VtPluginHost *host)
{
  g_autofree char *own = g_build_filename(g_get_user_data_dir(), "vitrail", "plugins", NULL);
  find_in_folder(host, own);
  find_in_folder(host, VT_PLUGIN_DIR);
}

static void
load_own(VtPluginHost *host)
{
  if (!own_plugin)
    return;
  Loaded *loaded = g_new0(Loaded, 1);
  loaded->plugin = own_plugin;
  g_mutex_init(&loaded->lock);
  g_ptr_array_add(host->loaded, loaded);
}

/* What joins later makes no list move in memory: other threads read them. */
static void
load_all(VtPluginHost *host)
{
  const guint n = vt_plugin_trials_get_n(host->trials), n_reserved = MAX(n + 1, 64);
  g_autofree char *found = vt_helper_find("vitrail-plugin-probe");
  host->plugins = g_ptr_array_sized_new(n_reserved);
  host->loaded = g_ptr_array_sized_new(n_reserved);
  host->ops = g_ptr_array_new();
  load_own(host);
  vt_plugin_trials_start(host->trials, probe.program ? probe.program : g_intern_string(found), probe.seconds);
  vt_plugin_trials_wait(host->trials, waits_for_slow, join_late);
  for (guint i = 0; i < n; i++) {
    VtPluginTrial *trial = vt_plugin_trials_get(host->trials, i);
    g_autoptr(GFile) file = g_file_new_for_path(trial->path);
    if (trial->is_late)
      g_list_store_append(host->trying, file);
    else
      join_or_note(host, trial);
  }
}

VtPluginHost *
vt_plugin_host_get(void)
{
  static VtPluginHost *host = NULL;
  if (g_once_init_enter(&host)) {
    VtPluginHost *self = g_new0(VtPluginHost, 1);
    const char *search_path = g_getenv("VITRAIL_PLUGIN_PATH");
    g_mutex_init(&self->mutex);
    self->failures = g_ptr_array_new_with_free_func(failure_free);
    self->trials = vt_plugin_trials_new();
    self->trying = g_list_store_new(G_TYPE_FILE);
    if (search_path)
      find_in_path(self, search_path);
    find_in_standard(self);
    load_all(self);
    vt_plugin_host_open_recipes(self);
    g_once_init_leave(&host, self);
  }
  return host;
}

GListModel *
vt_plugin_host_get_trying(VtPluginHost *host)
{
  return G_LIST_MODEL(host->trying);
}

VT_GETTER(GPtrArray *, vt_plugin_host_get_failures, VtPluginHost, failures)
VT_GETTER(GPtrArray *, vt_plugin_host_get_plugins, VtPluginHost, plugins)
VT_GETTER(GPtrArray *, vt_plugin_host_get_ops, VtPluginHost, ops)

const char *
vt_plugin_host_get_path(VtPluginHost *host, const VitrailPlugin *plugin)
{
  VT_EACH_OF (const Loaded, loaded, host->loaded)
    if (loaded->plugin == plugin)
      return loaded->path;
  return NULL;
}

const VitrailOp *
vt_plugin_host_find_op(VtPluginHost *host, const char *op_id, const VitrailPlugin **plugin)
{
  VT_EACH_OF (const VitrailPlugin, candidate, host->plugins) {
    for (guint j = 0; j < candidate->n_ops; j++) {
      if (g_str_equal(candidate->ops[j]->id, op_id)) {
        if (plugin)
          *plugin = candidate;
        return candidate->ops[j];
      }
    }
  }
  const VitrailOp *own = find_own(op_id);
  if (own && plugin)
    *plugin = own_plugin;
  return own ? own : vt_plugin_host_find_recipe_op(op_id, plugin);
}

VitrailSession *
vt_plugin_host_get_session(VtPluginHost *host, const VitrailPlugin *plugin, GMutex **lock, GError **error)
{
  VitrailSession *session = NULL;
  g_autoptr(GError) gone = NULL; /* its process */
  VT_LOCK(&host->mutex);
  VT_EACH_OF (Loaded, loaded, host->loaded) {
    if (loaded->plugin != plugin)
      continue;
    VitrailStatus status = VITRAIL_OK;
    if (!loaded->session)
      status = loaded->worker ? vt_worker_open(loaded->worker, &loaded->session, &gone)
                              : plugin->session_open(&loaded->session);
    if (status != VITRAIL_OK || !loaded->session) {
      loaded->session = NULL;
      if (gone)
        g_propagate_error(error, g_steal_pointer(&gone));
      else
        g_set_error(error, VT_ERROR, status != VITRAIL_OK ? status : VITRAIL_INTERNAL,
                    "The plugin “%s” cannot start: %s.", plugin->id, vt_status_to_string(status));
    }
    session = loaded->session;
    *lock = &loaded->lock;
  }
  return session;
}

gboolean
vt_plugin_host_has_session(VtPluginHost *host, const VitrailPlugin *plugin)
{
  VT_LOCK(&host->mutex);
  for (guint i = 0; i < host->loaded->len; i++) {
    const Loaded *loaded = g_ptr_array_index(host->loaded, i);
    if (loaded->plugin == plugin)
      return loaded->session != NULL;
  }
  return FALSE;
}

VitrailStatus
vt_plugin_host_check_recipe(VtPluginHost *host, const VitrailPlugin *plugin, const VitrailRecipe *recipe,
                            VitrailRecipeProblem *problem)
{
  VT_EACH_OF (const Loaded, loaded, host->loaded)
    if (loaded->plugin == plugin && loaded->worker)
      return vt_worker_check_recipe(loaded->worker, recipe, problem);
  return plugin->recipe_check(recipe, problem);
}

void
vt_plugin_host_forget(VtPluginHost *host)
{
  for (guint i = 0;; i++) {
    g_mutex_lock(&host->mutex);
    Loaded *loaded = i < host->loaded->len ? g_ptr_array_index(host->loaded, i) : NULL;
    VitrailSession *session = loaded ? loaded->session : NULL;
    g_mutex_unlock(&host->mutex);
    if (!loaded)
      return;
    const VitrailPlugin *plugin = loaded->plugin;
    if (!session || !plugin->session_forget)
      continue;
    g_mutex_lock(&loaded->lock);
    plugin->session_forget(session);
    g_mutex_unlock(&loaded->lock);
  }
}

int
vt_op_find_stage(const VitrailOp *op, const char *stage_id)
{
  for (guint i = 0; i < op->n_stages; i++)
    if (g_str_equal(op->stages[i]->id, stage_id))
      return (int)i;
  return -1;
}

gboolean
vt_stage_has_raster(const VitrailStage *stage)
{
  return stage->kind != VITRAIL_STAGE_OBJECTS && stage->kind != VITRAIL_STAGE_ROWS;
}

int
vt_op_find_param(const VitrailOp *op, const char *key)
{
  for (guint i = 0; i < op->n_params; i++)
    if (g_str_equal(op->params[i]->key, key))
      return (int)i;
  return -1;
}

const VitrailInputSpec *
vt_op_get_primary(const VitrailOp *op)
{
  const VitrailInputSpec *first = NULL;
  for (guint i = 0; i < op->n_inputs; i++) {
    if (op->inputs[i]->kind == VITRAIL_INPUT_ROIS)
      continue;
    if (op->inputs[i]->flags & VITRAIL_INPUT_PRIMARY)
      return op->inputs[i];
    first = first ? first : op->inputs[i];
  }
  return first;
}

const VitrailInputSpec *
vt_op_get_labels(const VitrailOp *op)
{
  const VitrailInputSpec *primary = vt_op_get_primary(op);
  for (guint i = 0; i < op->n_inputs; i++)
    if (op->inputs[i]->kind == VITRAIL_INPUT_SCALAR && op->inputs[i] != primary
        && g_str_equal(op->inputs[i]->id, "labels"))
      return op->inputs[i];
  return NULL;
}

const VitrailInputSpec *
vt_op_get_objects(const VitrailOp *op)
{
  for (guint i = 0; i < op->n_inputs; i++)
    if (op->inputs[i]->kind == VITRAIL_INPUT_ROIS && g_str_equal(op->inputs[i]->id, "objects"))
      return op->inputs[i];
  return NULL;
}

const VitrailPlugin *
vt_plugin_host_load_file(VtPluginHost *host, const char *path, GError **error)
{
  VtWorker *worker = runs_apart(path) ? vt_worker_new(path, error) : NULL;
  VT_LOCK(&host->mutex);
  return worker || !runs_apart(path) ? join(host, path, worker, error) : NULL;
}
