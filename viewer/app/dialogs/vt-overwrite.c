/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-overwrite.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/vt-json.h"
#include "plugins/vt-plugin-host.h"
#include "results/vt-regions-save.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"

/* --- what is there --- */

static gulong
get_count(JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member(object, name);
  gboolean is_number = node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_INT64;
  return is_number ? (gulong)MAX(0, json_node_get_int(node)) : 0;
}

static void
append_counts(GString *text, JsonObject *record)
{
  gulong n_objects = get_count(record, "objects"), n_rows = get_count(record, "rows");
  if (n_objects > 0)
    g_string_append_printf(text, g_dngettext(NULL, ", %lu object", ", %lu objects", n_objects), n_objects);
  else if (n_rows > 0)
    g_string_append_printf(text, g_dngettext(NULL, ", %lu region", ", %lu regions", n_rows), n_rows);
}

static char *
dup_local_date(GDateTime *utc)
{
  g_autoptr(GDateTime) local = utc ? g_date_time_to_local(utc) : NULL;
  return local ? g_date_time_format(local, "%Y-%m-%d %H:%M") : g_strdup(_("of unknown date"));
}

/* NULL: it is no record. */
static char *
describe_record(const char *path)
{
  g_autoptr(JsonObject) record = vt_json_load_object(path, NULL);
  const char *op_id = vt_json_get_string(record, "op"), *date = vt_json_get_string(record, "date");
  if (!op_id)
    return NULL;
  const char *name = vt_json_get_string(vt_json_get_object(record, "source"), "name");
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), op_id, NULL);
  g_autoptr(GDateTime) utc = date ? g_date_time_new_from_iso8601(date, NULL) : NULL;
  g_autofree char *local = dup_local_date(utc);
  g_autoptr(GString) counts = g_string_new(NULL);
  append_counts(counts, record);
  return g_strdup_printf(_("%s of %s%s, %s"), op ? vt_translate(op->title) : op_id, name ? name : _("an unknown image"),
                         counts->str, local);
}

/* NULL: there is no such file. */
static char *
describe_file(const char *path)
{
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autoptr(GFileInfo) info = g_file_query_info(file, G_FILE_ATTRIBUTE_STANDARD_SIZE "," G_FILE_ATTRIBUTE_TIME_MODIFIED,
                                                G_FILE_QUERY_INFO_NONE, NULL, NULL);
  if (!info)
    return NULL;
  g_autofree char *name = vt_error_dup_name(path), *size = NULL, *date = NULL;
  g_autoptr(GDateTime) changed = g_file_info_get_modification_date_time(info);
  size = g_format_size((guint64)g_file_info_get_size(info));
  date = dup_local_date(changed);
  return g_strdup_printf(_("%s, %s, %s"), name, size, date);
}

/* Why what is there cannot go; NULL: it can. A file that nobody may write to is there to stay, though its folder would let it go. */
static char *
find_obstacle(const char *dir, const GPtrArray *names)
{
  g_autofree char *folder = vt_error_dup_name(dir);
  if (!g_file_test(dir, G_FILE_TEST_IS_DIR))
    return g_strdup_printf(_("“%s” is no folder."), folder);
  if (access(dir, W_OK) != 0)
    return g_strdup_printf(_("Nothing may be written into the folder “%s”."), folder);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *path = g_build_filename(dir, names->pdata[i], NULL), *name = vt_error_dup_name(path);
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
      return g_strdup_printf(_("“%s” is a folder."), name);
    if (access(path, W_OK) != 0 && errno != ENOENT)
      return g_strdup_printf(_("“%s” may not be written to."), name);
  }
  return NULL;
}

/* The record, if there is one, says what all of them are; else the first one stands for them. */
static char *
describe(const char *dir, const GPtrArray *names, const char *record)
{
  const guint n = names->len;
  g_autofree char *record_path = record ? g_build_filename(dir, record, NULL) : NULL;
  g_autofree char *run = record ? describe_record(record_path) : NULL;
  g_autofree char *first_path = n > 0 ? g_build_filename(dir, names->pdata[0], NULL) : NULL;
  g_autofree char *first = first_path ? describe_file(first_path) : NULL;
  if (run || !first || n == 1)
    return run ? g_steal_pointer(&run) : g_steal_pointer(&first);
  return g_strdup_printf(g_dngettext(NULL, "%s, and %u more file", "%s, and %u more files", n - 1), first, n - 1);
}

/* Of the names the one that ends so; NULL: none. */
static const char *
find_record(const GPtrArray *names, const char *ending)
{
  for (guint i = 0; i < names->len; i++)
    if (g_str_has_suffix(names->pdata[i], ending))
      return names->pdata[i];
  return NULL;
}

char *
vt_overwrite_describe_folder(const char *dir, const VtResult *result, char **obstacle)
{
  g_autoptr(GPtrArray) names = vt_result_list_replaced(result, dir);
  char *holds = g_file_test(dir, G_FILE_TEST_IS_REGULAR) ? describe_file(dir) : NULL;
  if (!holds)
    holds = describe(dir, names, find_record(names, "record.json"));
  *obstacle = holds ? find_obstacle(dir, names) : NULL;
  return holds;
}

/* A record beside a table that is gone says nothing about what would be replaced. */
char *
vt_overwrite_describe_regions(const char *path, char **obstacle)
{
  g_auto(GStrv) paths = g_str_has_suffix(path, ".geojson") ? g_strsplit(path, "\n", 1) : vt_regions_dup_paths(path);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *dir = g_path_get_dirname(path);
  for (guint i = 0; paths[i]; i++)
    if (g_file_test(paths[i], G_FILE_TEST_EXISTS))
      g_ptr_array_add(names, g_path_get_basename(paths[i]));
  const gboolean has_table = g_file_test(paths[0], G_FILE_TEST_EXISTS);
  char *holds = describe(dir, names, has_table ? find_record(names, ".record.json") : NULL);
  if (obstacle)
    *obstacle = holds ? find_obstacle(dir, names) : NULL;
  return holds;
}

/* --- a place beside it --- */

char *
vt_overwrite_number_folder(const char *dir)
{
  for (guint i = 2;; i++) {
    g_autofree char *path = g_strdup_printf("%s-%u", dir, i);
    if (!g_file_test(path, G_FILE_TEST_EXISTS))
      return g_steal_pointer(&path);
  }
}

char *
vt_overwrite_number_regions(const char *path)
{
  const char *name = strrchr(path, G_DIR_SEPARATOR), *dot = strrchr(name ? name : path, '.');
  const int length = (int)(dot ? dot - path : (gssize)strlen(path));
  for (guint i = 2;; i++) {
    g_autofree char *numbered = g_strdup_printf("%.*s-%u%s", length, path, i, dot ? dot : "");
    g_autofree char *holds = vt_overwrite_describe_regions(numbered, NULL);
    if (!holds)
      return g_steal_pointer(&numbered);
  }
}

/* --- the question --- */

typedef struct {
  void (*answered)(VtOverwrite answer, gpointer user);
  gpointer user;
} Question;

static void
on_response(AdwMessageDialog *dialog, const char *response, Question *question)
{
  vt_test_log("answered %s", response);
  question->answered(g_str_equal(response, "replace") ? VT_OVERWRITE_REPLACE
                     : g_str_equal(response, "keep")  ? VT_OVERWRITE_KEEP_BOTH
                                                      : VT_OVERWRITE_CANCEL,
                     question->user);
}

/* Something may be written beside it. */
static gboolean
has_room_beside(const char *path)
{
  g_autofree char *parent = g_path_get_dirname(path);
  return access(parent, W_OK) == 0;
}

void
vt_overwrite_ask(GtkWindow *parent, const char *path, const char *holds, const char *obstacle, const char *numbered,
                 void (*answered)(VtOverwrite answer, gpointer user), gpointer user)
{
  Question *question = g_new0(Question, 1);
  question->answered = answered;
  question->user = user;
  g_autofree char *name = vt_error_dup_name(path), *other = vt_error_dup_name(numbered);
  g_autofree char *heading = g_strdup_printf(obstacle ? _("“%s” Cannot Be Replaced") : _("Replace “%s”?"), name);
  g_autoptr(GString) body = g_string_new(NULL);
  g_string_append_printf(body, _("There is: %s."), holds);
  if (obstacle)
    g_string_append_printf(body, "\n\n%s", obstacle);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG(adw_message_dialog_new(parent, heading, NULL));
  adw_message_dialog_add_response(dialog, "cancel", _("_Cancel"));
  if (has_room_beside(path)) {
    g_string_append(body, "\n\n");
    g_string_append_printf(body, _("“Keep Both” saves as “%s”."), other);
    adw_message_dialog_add_response(dialog, "keep", _("_Keep Both"));
    adw_message_dialog_set_default_response(dialog, "keep");
  }
  if (!obstacle) {
    adw_message_dialog_add_response(dialog, "replace", _("_Replace"));
    adw_message_dialog_set_response_appearance(dialog, "replace", ADW_RESPONSE_DESTRUCTIVE);
  }
  adw_message_dialog_set_body(dialog, body->str);
  adw_message_dialog_set_close_response(dialog, "cancel");
  g_signal_connect_data(dialog, "response", G_CALLBACK(on_response), question, (GClosureNotify)(void *)g_free, 0);
  gtk_window_present(GTK_WINDOW(dialog));
  vt_test_log("asks %s%s%s", holds, obstacle ? " but " : "", obstacle ? obstacle : "");
}
