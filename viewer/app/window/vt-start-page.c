/* SPDX-License-Identifier: MIT */
#include "window/vt-start-page.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "base/vt-error.h"
#include "common/vt-owned.h"
#include "common/vt-recent.h"
#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"

#define N_RECENT 6
#define PULSE_MS 100
#define MAKER "vitrail-demo-slide"

struct _VtStartPage {
  AdwBin parent;

  /* template */
  GtkButton *demo_button;
  GtkProgressBar *demo_progress;
  GtkLabel *demo_label;
  GtkWidget *recent_group;
  GtkListBox *recent_list;

  GSubprocess *maker; /* owned, while the demo slide is being made */
  char *making;       /* owned; the file that it writes */
  guint pulse_id;
};

G_DEFINE_FINAL_TYPE(VtStartPage, vt_start_page, ADW_TYPE_BIN)

static GtkWidget *
create_row(gpointer item, gpointer unused)
{
  g_autofree char *name = vt_recent_dup_name(item), *uri = g_file_get_uri(item);
  g_autofree char *folder = g_path_get_dirname(g_file_peek_path(item));
  g_autofree char *shown = vt_error_dup_path(folder);
  g_autofree char *title = g_markup_escape_text(name, -1), *subtitle = g_markup_escape_text(shown, -1);
  return g_object_new(ADW_TYPE_ACTION_ROW, "title", title, "subtitle", subtitle, "title-lines", 1, "subtitle-lines", 1,
                      "activatable", TRUE, "action-target", g_variant_new_string(uri), "action-name", "win.open-uri",
                      NULL);
}

static void
show_group(VtStartPage *self)
{
  gtk_widget_set_visible(self->recent_group, g_list_model_get_n_items(vt_recent_get()) > 0);
}

static char *
dup_demo_path(void)
{
  return g_build_filename(g_get_user_cache_dir(), "vitrail", "demo-1.svs", NULL);
}

/* Beside the program, in the build folder, or on the path. Owned; NULL: it is nowhere. */
static char *
find_maker(void)
{
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = program ? g_path_get_dirname(program) : g_strdup(".");
  g_autofree char *beside = g_build_filename(folder, MAKER, NULL);
  g_autofree char *built = g_build_filename(folder, "..", "..", "data", MAKER, NULL);
  if (g_file_test(beside, G_FILE_TEST_IS_EXECUTABLE))
    return g_steal_pointer(&beside);
  if (g_file_test(built, G_FILE_TEST_IS_EXECUTABLE))
    return g_steal_pointer(&built);
  return g_find_program_in_path(MAKER);
}

static void
open_demo(VtStartPage *self, const char *path)
{
  g_autofree char *uri = g_filename_to_uri(path, NULL, NULL);
  gtk_widget_activate_action(GTK_WIDGET(self), "win.open-uri", "s", uri);
}

static void
show_making(VtStartPage *self, const char *sentence)
{
  const gboolean is_making = self->maker != NULL;
  gtk_widget_set_sensitive(GTK_WIDGET(self->demo_button), !is_making);
  gtk_widget_set_visible(GTK_WIDGET(self->demo_progress), is_making);
  gtk_widget_set_visible(GTK_WIDGET(self->demo_label), sentence != NULL);
  gtk_label_set_text(self->demo_label, sentence ? sentence : "");
  vt_test_log("demo-slide %s", is_making ? "making" : sentence ? "failed" : "made");
}

static void
forget_maker(VtStartPage *self)
{
  g_clear_handle_id(&self->pulse_id, g_source_remove);
  if (self->maker)
    g_subprocess_force_exit(self->maker);
  g_clear_object(&self->maker);
  if (self->making)
    g_unlink(self->making);
  g_clear_pointer(&self->making, g_free);
}

static void
demo_made(GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(VtStartPage) self = user_data;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = dup_demo_path();
  const gboolean done = g_subprocess_wait_check_finish(G_SUBPROCESS(source), result, &error);
  if (!self->maker) /* taken down in the meantime */
    return;
  const gboolean is_there = done && g_rename(self->making, path) == 0;
  forget_maker(self);
  show_making(self, is_there ? NULL : _("The demo slide could not be made. Is the disk full?"));
  if (is_there)
    open_demo(self, path);
}

static gboolean
pulse(gpointer data)
{
  gtk_progress_bar_pulse(VT_START_PAGE(data)->demo_progress);
  return G_SOURCE_CONTINUE;
}

static void
on_demo_clicked(VtStartPage *self)
{
  g_autofree char *path = dup_demo_path(), *folder = g_path_get_dirname(path), *maker = find_maker();
  g_autoptr(GError) error = NULL;
  if (g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
    open_demo(self, path);
    return;
  }
  if (!maker) {
    show_making(self, _("The program that makes the demo slide, vitrail-demo-slide, is not installed."));
    return;
  }
  g_mkdir_with_parents(folder, 0755);
  self->making = g_strdup_printf("%s.%d", path, (int)getpid());
  self->maker = g_subprocess_new(G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error, maker, self->making, NULL);
  if (!self->maker) {
    forget_maker(self);
    show_making(self, error->message);
    return;
  }
  self->pulse_id = g_timeout_add(PULSE_MS, pulse, self);
  show_making(self, _("Making the demo slide, once, for about ten seconds…"));
  g_subprocess_wait_check_async(self->maker, NULL, demo_made, g_object_ref(self));
}

static void
vt_start_page_class_init(VtStartPageClass *klass)
{
  VT_ENDS(klass, VtStartPage, forget_maker);
  VT_TEMPLATE(klass, VtStartPage, "vt-start-page", demo_button, demo_progress, demo_label, recent_group, recent_list);
}

static void
vt_start_page_init(VtStartPage *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_widget_mend_mnemonics(GTK_WIDGET(self));
  g_signal_connect_object(self->demo_button, "clicked", G_CALLBACK(on_demo_clicked), self, G_CONNECT_SWAPPED);
  g_autoptr(GtkSliceListModel) first = gtk_slice_list_model_new(g_object_ref(vt_recent_get()), 0, N_RECENT);
  gtk_list_box_bind_model(self->recent_list, G_LIST_MODEL(first), create_row, NULL, NULL);
  g_signal_connect_object(vt_recent_get(), "items-changed", G_CALLBACK(show_group), self, G_CONNECT_SWAPPED);
  show_group(self);
}

void
vt_start_page_leave(GtkStack *stack)
{
  GtkWidget *page = gtk_stack_get_child_by_name(stack, "empty");
  if (page && !VT_START_PAGE(page)->maker)
    gtk_stack_remove(stack, page);
}
