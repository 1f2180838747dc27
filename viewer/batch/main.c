/* SPDX-License-Identifier: MIT
 *
 * vitrail-batch: the same analysis without a window. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>

#include "base/vt-error.h"
#include "base/vt-file-private.h"
#include "base/vt-option.h"
#include "batch.h"
#include "run/vt-file-objects-op.h"
#include "plugins/vt-plugin-host.h"
#include "slide/vt-reader.h"

static const char usage[] =
  "Usage:\n"
  "  vitrail-batch info SLIDE [--json]          what a slide is\n"
  "  vitrail-batch ops [--json]                 ops, parameters, stages, backends\n"
  "  vitrail-batch plugins [--again]            which files offer ops; which were refused, and why\n"
  "  vitrail-batch run OP INPUT... --out DIR    run an op; see vitrail-batch run --help\n"
  "  vitrail-batch run FILE.recipe.json ...      run a recipe, or a record.json that holds one\n"
  "  vitrail-batch why OP INPUT... --at X,Y     which tests a pixel passes, and what would change that\n"
  "  vitrail-batch recipe ...                   check, show or export recipes; list steps\n"
  "  vitrail-batch rerun record.json            repeats a run, and compares every byte; see vitrail-batch rerun "
  "--help\n"
  "  vitrail-batch score RESULT TRUTH           how well objects agree with true ones; see vitrail-batch score --help\n"
  "  vitrail-batch --version\n"
  "\n" BATCH_STATUS "\n"
  "Of run: " BATCH_SIGNALS "\n";

int
batch_fail(int status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *shown =
    vt_error_dup_shown(g_strdelimit(g_strchomp(text), "\r\n", ' ')); /* what was asked may be in it */
  g_printerr("vitrail-batch: %s\n", shown);
  return status;
}

gboolean
batch_parse(int *argc, char ***argv, const char *parameters, const char *summary, const GOptionEntry *entries,
            int *status)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new(parameters);
  g_option_context_set_summary(context, summary);
  g_option_context_set_description(context, BATCH_STATUS);
  g_option_context_add_main_entries(context, entries, NULL);
  const char *repeated = vt_option_find_repeated(*argc, *argv, entries);
  if (!repeated && g_option_context_parse(context, argc, argv, &error))
    return TRUE;
  *status = repeated ? batch_fail(BATCH_USAGE, "--%s is there twice, and takes one value.", repeated)
                     : batch_fail(BATCH_USAGE, "%s; see --help.", error->message);
  return FALSE;
}

void
batch_print_json(JsonNode *root)
{
  g_autoptr(GString) text = g_string_new(NULL);
  vt_text_append_json(text, root, 0);
  g_string_append_c(text, '\n');
  fwrite(text->str, 1, text->len, stdout);
}

/* The date of records, where they are to be the same each time. */
static int
check_epoch(void)
{
  const char *epoch = g_getenv("SOURCE_DATE_EPOCH");
  return !epoch || g_ascii_string_to_unsigned(epoch, 10, 0, G_GINT64_CONSTANT(253402300799), NULL, NULL)
           ? BATCH_DONE
           : batch_fail(BATCH_USAGE, "SOURCE_DATE_EPOCH is “%s”, which is no date before the year 10000 in seconds.",
                        epoch);
}

int
main(int argc, char **argv)
{
  static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
  } commands[] = { { "info", batch_info },   { "ops", batch_ops },       { "plugins", batch_plugins },
                   { "run", batch_run },     { "recipe", batch_recipe }, { "rerun", batch_rerun },
                   { "score", batch_score }, { "why", batch_why } };
  vt_file_hold_standard();
  setlocale(LC_ALL, "");
  setlocale(LC_NUMERIC, "C"); /* numbers are read and printed with a point, whoever runs it: other programs read them */
  signal(SIGXFSZ, SIG_IGN);   /* a file that may not grow is a failed write, with a sentence, not a death */
  vt_error_end_without_memory("vitrail-batch");
  vt_file_objects_op_offer();
  vt_file_ignore_relative_homes("vitrail-batch");
  vt_plugin_host_set_slow(batch_waits_for_plugins);
  vt_reader_enable(FALSE);
  const char *command = argc > 1 ? argv[1] : "";
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    if (g_str_equal(command, commands[i].name)) {
      g_autofree char *name = g_strconcat("vitrail-batch ", command, NULL);
      g_set_prgname(name);
      int status = batch_ranks_init(&argc, &argv);
      if (status == BATCH_DONE)
        status = check_epoch();
      if (status == BATCH_DONE)
        status = commands[i].run(argc - 1, argv + 1);
      batch_ranks_finish();
      return fflush(stdout) == 0 ? status : batch_fail(BATCH_FAILED, "the output cannot be written.");
    }
  }
  if (g_str_equal(command, "--version")) {
    g_autofree char *reason = vt_reader_dup_reason();
    printf("vitrail-batch %s\n%s%s", VT_VERSION, reason ? reason : "", reason ? "\n" : "");
    batch_print_formats();
    return BATCH_DONE;
  }
  if (g_str_equal(command, "--help") || g_str_equal(command, "-h") || g_str_equal(command, "help")) {
    fputs(usage, stdout);
    return BATCH_DONE;
  }
  if (!*command) {
    fputs(usage, stderr);
    return BATCH_USAGE;
  }
  return batch_fail(BATCH_USAGE, "“%s” is no command; there are: info, ops, plugins, run, recipe, rerun, score, why.",
                    command);
}
