/* SPDX-License-Identifier: MIT
 *
 * The process of a plugin. What is asked is checked as if a stranger asked. */
#include <string.h>
#include <unistd.h>

#include "plugins/vt-abi-pack.h"
#include "plugins/vt-worker-private.h"

#define MOST_BYTES ((gsize)1 << 31)

typedef struct {
  VtWorkerChannel control;
  VtWorkerPort *port;
  const VitrailPlugin *plugin;
  VitrailSession *session;
} Server;

static gboolean
answer(Server *server, VtWorkerHead reply, gconstpointer body, gsize n)
{
  if (!vt_worker_channel_put(&server->control, &reply, body, n)) {
    reply.status = VITRAIL_OUT_OF_MEMORY;
    reply.n_body = 0;
  }
  return vt_worker_channel_send(&server->control, &reply, -1);
}

/* A struct that was asked with; NULL: it is none. */
static gpointer
dup_struct(const Server *server, const VtWorkerHead *head, const VtAbiShape *shape, GPtrArray *memory)
{
  g_autofree guint8 *body = vt_worker_channel_dup_body(&server->control, head, MOST_BYTES);
  return body ? vt_abi_unpack(shape, body, head->n_body, memory) : NULL;
}

static gboolean
serve_load(Server *server, const VtWorkerHead *head)
{
  g_autofree char *path = (char *)vt_worker_channel_dup_body(&server->control, head, 1 << 16);
  g_autoptr(GError) error = NULL;
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  VtWorkerHead reply = { .kind = head->kind };
  if (!path || server->plugin)
    return FALSE;
  server->plugin = vt_plugin_open(path, &error);
  if (server->plugin && vt_abi_pack(bytes, &vt_abi_plugin, server->plugin)) {
    reply.n = (server->plugin->session_forget ? (guint32)VT_WORKER_HAS_FORGET : 0)
              | (server->plugin->recipe_check ? (guint32)VT_WORKER_HAS_CHECK : 0)
              | (server->plugin->session_add_recipe ? (guint32)VT_WORKER_HAS_ADD : 0);
    return answer(server, reply, bytes->data, bytes->len);
  }
  const char *sentence = error ? error->message : "The tables of the plugin are too long.";
  reply.status = VITRAIL_UNSUPPORTED;
  return answer(server, reply, sentence, strlen(sentence));
}

static gboolean
serve_open(Server *server)
{
  VtWorkerHead reply = { .kind = VT_WORKER_OPEN };
  VtAbiBackends backends = { .size = sizeof backends };
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  if (!server->plugin || server->session)
    return FALSE;
  reply.status = server->plugin->session_open(&server->session);
  if (reply.status == VITRAIL_OK && !server->session)
    reply.status = VITRAIL_INTERNAL;
  if (reply.status == VITRAIL_OK) {
    backends.n = server->plugin->session_backends(server->session, &backends.infos);
    if (!vt_abi_pack(bytes, &vt_abi_backends, &backends))
      reply.status = VITRAIL_INTERNAL;
  }
  return answer(server, reply, bytes->data, bytes->len);
}

static gboolean
serve_recipe(Server *server, const VtWorkerHead *head)
{
  g_autoptr(GPtrArray) memory = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  VtWorkerHead reply = { .kind = head->kind };
  VitrailRecipeProblem problem = { .size = sizeof problem };
  const gboolean adds = head->kind == VT_WORKER_ADD_RECIPE;
  const VitrailPlugin *plugin = server->plugin;
  const VitrailOp *op = NULL;
  const VitrailRecipe *recipe = dup_struct(server, head, &vt_abi_recipe, memory);
  if (!plugin || !recipe || (adds && !server->session)
      || !(adds ? (gpointer)plugin->session_add_recipe : (gpointer)plugin->recipe_check))
    return FALSE;
  reply.status =
    adds ? plugin->session_add_recipe(server->session, recipe, &op, &problem) : plugin->recipe_check(recipe, &problem);
  if (reply.status != VITRAIL_OK)
    return answer(server, reply, &problem, sizeof problem);
  if (op && !vt_abi_pack(bytes, &vt_abi_op, op))
    reply.status = VITRAIL_INTERNAL;
  else if (op)
    vt_worker_port_add_op(server->port, op);
  return answer(server, reply, bytes->data, bytes->len);
}

static gboolean
serve_run(Server *server, const VtWorkerHead *head)
{
  g_autoptr(GPtrArray) memory = g_ptr_array_new_with_free_func(g_free);
  VtWorkerHead reply = { .kind = VT_WORKER_RUN };
  char message[1024] = "";
  const VitrailRequest *request = dup_struct(server, head, &vt_abi_request, memory);
  if (!request || !server->session)
    return FALSE;
  reply.status =
    vt_worker_port_run(server->port, server->plugin, server->session, request, head, message, sizeof message);
  message[sizeof message - 1] = '\0';
  const gboolean sent = answer(server, reply, message, strlen(message));
  vt_worker_channel_trim(&server->control);
  return sent;
}

static gboolean
serve_forget(Server *server)
{
  const VtWorkerHead reply = { .kind = VT_WORKER_FORGET };
  if (!server->session || !server->plugin->session_forget)
    return FALSE;
  server->plugin->session_forget(server->session);
  return answer(server, reply, NULL, 0);
}

/* Takes the file. */
static gboolean
serve(Server *server, const VtWorkerHead *head, int file)
{
  if (head->kind == VT_WORKER_FLAG)
    return file >= 0 && vt_worker_port_set_flag(server->port, file);
  if (head->kind == VT_WORKER_CHANNEL) {
    if (file >= 0)
      vt_worker_port_add(server->port, file);
    return file >= 0;
  }
  if (file >= 0)
    close(file);
  switch (head->kind) {
  case VT_WORKER_LOAD: return serve_load(server, head);
  case VT_WORKER_OPEN: return serve_open(server);
  case VT_WORKER_FORGET: return serve_forget(server);
  case VT_WORKER_ADD_RECIPE:
  case VT_WORKER_CHECK_RECIPE: return serve_recipe(server, head);
  case VT_WORKER_RUN: return serve_run(server, head);
  default: return FALSE;
  }
}

void
vt_worker_serve(int socket)
{
  Server server = { 0 };
  VtWorkerHead head;
  int file = -1;
  vt_worker_channel_init(&server.control, socket);
  server.port = vt_worker_port_new(&server.control);
  while (vt_worker_channel_receive(&server.control, &head, &file) && serve(&server, &head, file))
    ;
  vt_worker_port_free(server.port);
  vt_worker_channel_clear(&server.control);
}
