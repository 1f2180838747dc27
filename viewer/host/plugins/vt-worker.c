/* SPDX-License-Identifier: MIT */
#include "plugins/vt-worker.h"

#include <string.h>

#include "base/vt-define.h"
#include "base/vt-helper.h"
#include "plugins/vt-abi-pack.h"
#include "plugins/vt-plugin-probe.h"
#include "plugins/vt-worker-private.h"

struct VtWorker {
  char *path;
  VtPluginKept *kept;          /* from which the table is; NULL: its process told it */
  const VitrailPlugin *plugin; /* its table, checked; NULL: not yet */
  VtWorkerProcess *
    process; /* NULL: it has ended, or was never needed; guarded, like all that follows, by who holds the session's lock */
  GBytes *table;                 /* as it came */
  guint32 functions;             /* VT_WORKER_HAS_... */
  GPtrArray *memory;             /* of what was unpacked */
  const VtAbiBackends *backends; /* NULL: no session is open */
  GPtrArray *recipes;            /* GBytes: those of the session */
};

static char *program = NULL;

void
vt_worker_set_program(const char *path)
{
  g_free(program);
  program = g_strdup(path);
}

/* --- a process that has loaded the file --- */

/* Owned; NULL: it is not there. */
static char *
dup_program(void)
{
  return program ? g_strdup(program) : vt_helper_find("vitrail-plugin-worker");
}

/* Half a sentence why it is gone. */
static void
set_gone(const VtWorker *self, VtWorkerProcess *process, GError **error)
{
  g_autofree char *end = vt_worker_process_dup_end(process);
  g_set_error(error, VT_ERROR, VITRAIL_UNSUPPORTED, "%s cannot be used: it ended its process (%s).", self->path, end);
}

/* Its table in *table. NULL and a sentence. */
static VtWorkerProcess *
start(const VtWorker *self, GBytes **table, guint32 *functions, GError **error)
{
  VtWorkerHead head = { .kind = VT_WORKER_LOAD };
  guint8 *answer = NULL;
  g_autoptr(GError) local = NULL;
  g_autofree char *found = dup_program();
  g_autoptr(VtWorkerProcess) process = found ? vt_worker_process_new(found, &local) : NULL;
  if (!process)
    return vt_error_set_null(error, VITRAIL_UNSUPPORTED, "%s cannot be used: no process can be had for it (%s).",
                             self->path, local ? local->message : "the program vitrail-plugin-worker is not there");
  if (!vt_worker_process_ask(process, &head, self->path, strlen(self->path), &answer)) {
    set_gone(self, process, error);
    return NULL;
  }
  *functions = head.n;
  *table = g_bytes_new_take(answer, head.n_body);
  if (head.status == VITRAIL_OK)
    return g_steal_pointer(&process);
  g_autofree char *sentence = vt_error_dup_line((const char *)answer);
  if (*sentence)
    g_set_error_literal(error, VT_ERROR, VITRAIL_UNSUPPORTED, sentence);
  else
    g_set_error(error, VT_ERROR, VITRAIL_UNSUPPORTED, "%s cannot be used: its process cannot tell what is in it (%s).",
                self->path, vt_status_to_string((VitrailStatus)head.status));
  g_clear_pointer(table, g_bytes_unref);
  return NULL;
}

static VtWorker *
new_empty(const char *path)
{
  VtWorker *self = g_new0(VtWorker, 1);
  self->path = g_strdup(path);
  self->memory = g_ptr_array_new_with_free_func(g_free);
  self->recipes = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  return self;
}

VtWorker *
vt_worker_new(const char *path, GError **error)
{
  VtWorker *self = new_empty(path);
  self->process = start(self, &self->table, &self->functions, error);
  if (self->process)
    return self;
  vt_worker_free(self);
  return NULL;
}

VT_DEFINE_TYPE_FREE(vt_worker_free, VtWorker,
                    VT_FREES(vt_worker_process_end, process) VT_FREES(g_bytes_unref, table)
                      VT_FREES(g_ptr_array_unref, memory, recipes) VT_FREES(g_free, path)
                        VT_FREES(vt_plugin_kept_free, kept))

/* --- what is kept of a process: its functions (guint32), and the table --- */

GBytes *
vt_worker_dup_told(const VtWorker *self)
{
  gsize n = 0;
  const guint8 *table = g_bytes_get_data(self->table, &n);
  GByteArray *bytes = g_byte_array_new();
  g_byte_array_append(bytes, (const guint8 *)&self->functions, sizeof self->functions);
  g_byte_array_append(bytes, table, (guint)n); /* no longer than an answer may be */
  return g_byte_array_free_to_bytes(bytes);
}

VtWorker *
vt_worker_new_told(const char *path, GBytes *told)
{
  gsize n = 0;
  const guint8 *bytes = g_bytes_get_data(told, &n);
  g_autoptr(VtWorker) self = new_empty(path);
  if (n < sizeof self->functions)
    return NULL;
  memcpy(&self->functions, bytes, sizeof self->functions);
  self->table = g_bytes_new_from_bytes(told, sizeof self->functions, n - sizeof self->functions);
  return vt_worker_check(self, NULL) ? g_steal_pointer(&self) : NULL;
}

VtWorker *
vt_worker_find(const char *path, GError **error)
{
  g_autofree char *teller = dup_program();
  g_autoptr(VtPluginKept) kept = teller ? vt_plugin_kept_find(teller, path) : NULL;
  VtWorker *self = kept ? vt_worker_new_told(path, kept->told) : NULL;
  if (self) {
    self->kept = g_steal_pointer(&kept);
    return self;
  }
  self = vt_worker_new(path, error);
  g_autoptr(GBytes) told = self ? vt_worker_dup_told(self) : NULL;
  if (told && teller)
    vt_plugin_kept_store(teller, path, told);
  return self;
}

/* --- a session --- */

static gboolean
ask_recipe(VtWorkerProcess *process, VtWorkerKind kind, GBytes *recipe, VtWorkerHead *head, guint8 **answer)
{
  gsize n = 0;
  gconstpointer data = g_bytes_get_data(recipe, &n);
  *head = (VtWorkerHead){ .kind = kind };
  return vt_worker_process_ask(process, head, data, n, answer);
}

/* Opens the session in a process. What it tells of backends is taken the first time. */
static VitrailStatus
open_in(VtWorker *self, VtWorkerProcess *process)
{
  VtWorkerHead head = { .kind = VT_WORKER_OPEN };
  g_autofree guint8 *answer = NULL;
  if (!vt_worker_process_ask(process, &head, NULL, 0, &answer))
    return VITRAIL_INTERNAL;
  if (head.status == VITRAIL_OK && !self->backends)
    self->backends = vt_abi_unpack(&vt_abi_backends, answer, head.n_body, self->memory);
  for (guint i = 0; head.status == VITRAIL_OK && i < self->recipes->len; i++) {
    g_autofree guint8 *ignored = NULL;
    VtWorkerHead added;
    if (!ask_recipe(process, VT_WORKER_ADD_RECIPE, self->recipes->pdata[i], &added, &ignored))
      return VITRAIL_INTERNAL;
    head.status = added.status;
  }
  return head.status != VITRAIL_OK || self->backends ? head.status : VITRAIL_INTERNAL;
}

/* Whether a process that was started later has the same file. FALSE and a sentence. */
static gboolean
check_same(const VtWorker *self, GBytes *table, guint32 functions, GError **error)
{
  const gboolean is_same = g_bytes_equal(table, self->table) && functions == self->functions;
  if (is_same && (!self->kept || vt_plugin_kept_is_of(self->kept, self->path)))
    return TRUE;
  if (is_same || !self->kept || !vt_plugin_kept_is_of(self->kept, self->path))
    return vt_error_set(error, VITRAIL_UNSUPPORTED, "%s cannot be used: it has changed since this program was started.",
                        self->path);
  g_autofree char *teller = dup_program();
  if (teller)
    vt_plugin_kept_store(teller, self->path, NULL);
  return vt_error_set(error, VITRAIL_UNSUPPORTED,
                      "%s cannot be used: it offers other things than when this program was started before. "
                      "Start the program again.",
                      self->path);
}

/* A process with the file, and the session if there is one. FALSE and a sentence. */
static gboolean
ensure(VtWorker *self, GError **error)
{
  if (self->process && vt_worker_process_is_alive(self->process))
    return TRUE;
  g_autoptr(GBytes) table = NULL;
  guint32 functions = 0;
  g_clear_pointer(&self->process, vt_worker_process_end);
  g_autoptr(VtWorkerProcess) process = start(self, &table, &functions, error);
  if (!process)
    return FALSE;
  if (!check_same(self, table, functions, error))
    return FALSE;
  const VitrailStatus status = self->backends ? open_in(self, process) : VITRAIL_OK;
  if (status != VITRAIL_OK)
    return vt_error_set(error, VITRAIL_INTERNAL, "%s cannot be used: it does not start again (%s).", self->path,
                        vt_status_to_string(status));
  self->process = g_steal_pointer(&process);
  return TRUE;
}

VitrailStatus
vt_worker_open(VtWorker *self, VitrailSession **session, GError **error)
{
  VitrailStatus status = VITRAIL_OK;
  *session = NULL;
  if (!ensure(self, error))
    return VITRAIL_INTERNAL;
  if (!self->backends)
    status = open_in(self, self->process);
  if (status == VITRAIL_OK)
    *session = (VitrailSession *)self;
  else
    g_clear_pointer(&self->process, vt_worker_process_end);
  return status;
}

/* --- the functions of its table --- */

/* A table does not tell which process is meant. */
static VitrailStatus
no_open(VitrailSession **session)
{
  *session = NULL;
  return VITRAIL_UNSUPPORTED;
}

static VitrailStatus
no_check(const VitrailRecipe *recipe, VitrailRecipeProblem *problem)
{
  return VITRAIL_UNSUPPORTED;
}

static void
proxy_close(VitrailSession *session)
{
  VtWorker *self = (VtWorker *)session;
  g_clear_pointer(&self->process, vt_worker_process_end);
}

static guint32
proxy_backends(VitrailSession *session, const VitrailBackendInfo *const **infos)
{
  const VtWorker *self = (const VtWorker *)session;
  *infos = self->backends->infos;
  return self->backends->n;
}

static void
proxy_forget(VitrailSession *session)
{
  VtWorker *self = (VtWorker *)session;
  VtWorkerHead head = { .kind = VT_WORKER_FORGET };
  g_autofree guint8 *answer = NULL;
  if (self->process && vt_worker_process_is_alive(self->process))
    (void)vt_worker_process_ask(self->process, &head, NULL, 0, &answer);
}

static VitrailStatus
take_problem(const VtWorkerHead *head, const guint8 *answer, VitrailRecipeProblem *problem)
{
  VitrailRecipeProblem theirs = { .sentence = "The plugin refuses the recipe without saying why." };
  if (head->n_body == sizeof theirs)
    memcpy(&theirs, answer, sizeof theirs);
  theirs.path[sizeof theirs.path - 1] = theirs.sentence[sizeof theirs.sentence - 1] = '\0';
  g_autofree char *sentence = vt_error_dup_line(theirs.sentence), *path = vt_error_dup_line(theirs.path);
  g_snprintf(problem->sentence, sizeof problem->sentence, "%s", sentence);
  g_snprintf(problem->path, sizeof problem->path, "%s", path);
  return VITRAIL_BAD_ARGUMENT;
}

/* NULL: it is too long. */
static GBytes *
pack_recipe(const VitrailRecipe *recipe, VitrailRecipeProblem *problem)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  if (vt_abi_pack(bytes, &vt_abi_recipe, recipe))
    return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
  g_snprintf(problem->sentence, sizeof problem->sentence, "The recipe is too long.");
  return NULL;
}

static VitrailStatus
set_problem(const GError *error, VitrailRecipeProblem *problem)
{
  problem->path[0] = '\0';
  g_snprintf(problem->sentence, sizeof problem->sentence, "%s", error->message);
  return VITRAIL_BAD_ARGUMENT;
}

static VitrailStatus
proxy_add_recipe(VitrailSession *session, const VitrailRecipe *recipe, const VitrailOp **op,
                 VitrailRecipeProblem *problem)
{
  VtWorker *self = (VtWorker *)session;
  VtWorkerHead head;
  g_autofree guint8 *answer = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = pack_recipe(recipe, problem);
  if (!bytes)
    return VITRAIL_BAD_ARGUMENT;
  if (!ensure(self, &error))
    return set_problem(error, problem);
  if (!ask_recipe(self->process, VT_WORKER_ADD_RECIPE, bytes, &head, &answer)) {
    set_gone(self, self->process, &error);
    g_clear_pointer(&self->process, vt_worker_process_end);
    return set_problem(error, problem);
  }
  if (head.status != VITRAIL_OK)
    return take_problem(&head, answer, problem);
  *op = vt_abi_unpack(&vt_abi_op, answer, head.n_body, self->memory);
  g_ptr_array_add(self->recipes, g_steal_pointer(&bytes));
  return VITRAIL_OK;
}

VitrailStatus
vt_worker_check_recipe(VtWorker *self, const VitrailRecipe *recipe, VitrailRecipeProblem *problem)
{
  VtWorkerHead head;
  guint32 functions = 0;
  g_autofree guint8 *answer = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = pack_recipe(recipe, problem), table = NULL;
  g_autoptr(VtWorkerProcess) process = bytes ? start(self, &table, &functions, &error) : NULL;
  if (!process)
    return bytes ? set_problem(error, problem) : VITRAIL_BAD_ARGUMENT;
  if (!ask_recipe(process, VT_WORKER_CHECK_RECIPE, bytes, &head, &answer)) {
    set_gone(self, process, &error);
    return set_problem(error, problem);
  }
  return head.status == VITRAIL_OK ? VITRAIL_OK : take_problem(&head, answer, problem);
}

static VitrailStatus
proxy_run(VitrailSession *session, const VitrailRequest *request, const VitrailHost *host, char *message,
          size_t message_size)
{
  VtWorker *self = (VtWorker *)session;
  VtWorkerHead head = { .kind = VT_WORKER_RUN, .n = host->n_threads, .v = { host->rank, host->n_ranks } };
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  g_autofree guint8 *answer = NULL;
  g_autoptr(GError) error = NULL;
  if (!vt_abi_pack(bytes, &vt_abi_request, request))
    g_set_error_literal(&error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                        "The request is too long: its regions have too many points.");
  if (error || !ensure(self, &error)) {
    g_snprintf(message, (gulong)message_size, "%s", error->message);
    return error->code;
  }
  if (vt_worker_process_run(self->process, &head, bytes->data, bytes->len, host, &answer)) {
    g_snprintf(message, (gulong)message_size, "%s", (const char *)answer);
    return head.status;
  }
  g_autofree char *end = vt_worker_process_dup_end(self->process), *file = vt_error_dup_name(self->path);
  g_clear_pointer(&self->process, vt_worker_process_end);
  g_snprintf(
    message, (gulong)message_size,
    "The plugin %s ended during the run: %s. Nothing of the run is kept; the next run starts the plugin again.", file,
    end);
  return VITRAIL_INTERNAL;
}

const VitrailPlugin *
vt_worker_check(VtWorker *self, GError **error)
{
  gsize n = 0;
  const guint8 *data = g_bytes_get_data(self->table, &n);
  if (self->plugin)
    return self->plugin;
  VitrailPlugin *theirs = vt_abi_unpack(&vt_abi_plugin, data, n, self->memory);
  if (!theirs)
    return vt_error_set_null(error, VITRAIL_UNSUPPORTED, "%s cannot be used: its tables make no sense.", self->path);
  theirs->session_open = no_open;
  theirs->session_close = proxy_close;
  theirs->session_backends = proxy_backends;
  theirs->run = proxy_run;
  theirs->session_forget = self->functions & VT_WORKER_HAS_FORGET ? proxy_forget : NULL;
  theirs->recipe_check = self->functions & VT_WORKER_HAS_CHECK ? no_check : NULL;
  theirs->session_add_recipe = self->functions & VT_WORKER_HAS_ADD ? proxy_add_recipe : NULL;
  self->plugin = vt_plugin_check(theirs, self->path, error);
  return self->plugin;
}
