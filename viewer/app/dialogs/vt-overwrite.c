/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-overwrite.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "plugins/vt-plugin-host.h"
#include "results/vt-regions-save.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"

/* --- what is there --- */

static const char *
get_string(JsonObject *object, const char *name)
{
  JsonNode *node = object ? json_object_get_member(object, name) : NULL;
  gboolean is_text = node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING;
  return is_text ? json_node_get_string(node) : NULL;
}

static gulong
get_count(JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member(object, name);
  gboolean is_number = node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_INT64;
  return is_number ? (gulong)json_node_get_int(node) : 0;
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
  g_autoptr(JsonParser) parser = json_parser_new();
  JsonNode *root = json_parser_load_from_file(parser, path, NULL) ? json_parser_get_root(parser) : NULL;
  JsonObject *record = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  const char *op_id = get_string(record, "op"), *date = get_string(record, "date");
  if (!op_id)
    return NULL;
  JsonNode *source = json_object_get_member(record, "source");
  const char *name = source && JSON_NODE_HOLDS_OBJECT(source) ? get_string(json_node_get_object(source), "name") : NULL;
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
  g_autofree char *name = g_path_get_basename(path), *size = NULL, *date = NULL;
  g_autoptr(GDateTime) changed = g_file_info_get_modification_date_time(info);
  size = g_format_size((guint64)g_file_info_get_size(info));
  date = dup_local_date(changed);
  return g_strdup_printf(_("%s, %s, %s"), name, size, date);
}

char *
vt_overwrite_describe_folder(const char *dir, const VtResult *result)
{
  static const char *const names[] = { "record.json", "features.csv", "objects.geojson", "overlay.png", "result.tif" };
  g_autofree char *record = g_build_filename(dir, names[0], NULL);
  char *found = describe_record(record);
  for (guint i = 0; !found && i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = g_build_filename(dir, names[i], NULL);
    found = describe_file(path);
  }
  for (guint i = 0; !found && i < result->op->n_stages; i++) {
    g_autofree char *name = g_strconcat(result->op->stages[i]->id, ".tif", NULL);
    g_autofree char *path = g_build_filename(dir, name, NULL);
    found = describe_file(path);
  }
  return found;
}

/* A record beside a table that is gone says nothing about what would be replaced. */
char *
vt_overwrite_describe_regions(const char *path)
{
  g_auto(GStrv) paths = g_str_has_suffix(path, ".geojson") ? g_strsplit(path, "\n", 1) : vt_regions_dup_paths(path);
  const guint n = g_strv_length(paths);
  char *found = n > 1 && g_file_test(paths[0], G_FILE_TEST_EXISTS) ? describe_record(paths[n - 1]) : NULL;
  for (guint i = 0; !found && i < n; i++)
    found = describe_file(paths[i]);
  return found;
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
    g_autofree char *holds = vt_overwrite_describe_regions(numbered);
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

void
vt_overwrite_ask(GtkWindow *parent, const char *path, const char *holds, const char *numbered,
                 void (*answered)(VtOverwrite answer, gpointer user), gpointer user)
{
  Question *question = g_new0(Question, 1);
  question->answered = answered;
  question->user = user;
  g_autofree char *name = g_path_get_basename(path), *other = g_path_get_basename(numbered);
  g_autofree char *heading = g_strdup_printf(_("Replace “%s”?"), name);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG(adw_message_dialog_new(parent, heading, NULL));
  adw_message_dialog_format_body(dialog, _("There is: %s.\n\n“Keep Both” saves as “%s”."), holds, other);
  adw_message_dialog_add_responses(dialog, "cancel", _("_Cancel"), "keep", _("_Keep Both"), "replace", _("_Replace"),
                                   NULL);
  adw_message_dialog_set_response_appearance(dialog, "replace", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response(dialog, "keep");
  adw_message_dialog_set_close_response(dialog, "cancel");
  g_signal_connect_data(dialog, "response", G_CALLBACK(on_response), question, (GClosureNotify)(void *)g_free, 0);
  gtk_window_present(GTK_WINDOW(dialog));
  vt_test_log("asks %s", holds);
}
