/* SPDX-License-Identifier: MIT
 *
 * Sees the window from inside, for tests and benches; no part of the program. A module that GTK loads as it starts, for it lies in a folder
 * "immodules" of GTK_PATH, where modules of input methods are (this one has none).
 *
 * With VITRAIL_TEST_LOG set, the application has four actions more. "test-place" (a name) logs "place LEFT TOP WIDTH HEIGHT NAME" in pixels of the
 * window's surface, shadow included, where pointer events count from; "place none NAME" if nothing that is shown has the name. AT-SPI cannot be
 * asked: GTK 4.12 and later leave the shadow and the padding of what is around a widget out. "test-places" logs those of all labels of a text.
 * "test-labels" (a text) logs the labels that have it. "test-layouts" logs in how many frames windows of slides were laid out since it was asked for the
 * first time.
 *
 * With VITRAIL_PROBE set: how long the main loop is busy with one thing, by a source of the highest priority that wants to run every 2 ms and notes how late
 * it was. What GTK takes to lay out and paint a frame (with software rendering, most of it) is counted apart. Written there as JSON when the
 * program ends. */
#include <gtk/gtk.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/vt-define.h"
#include "common/vt-test-log.h"

/* --- what is shown, and where --- */

static gboolean
is_called(GtkWidget *widget, const char *name)
{
  if (GTK_IS_LABEL(widget))
    return g_strcmp0(gtk_label_get_text(GTK_LABEL(widget)), name) == 0;
  if (GTK_IS_BUTTON(widget) && g_strcmp0(gtk_button_get_label(GTK_BUTTON(widget)), name) == 0)
    return TRUE;
  g_autofree char *difference =
    gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name);
  return !difference;
}

/* The first one of that name that is shown, a parent before its children. */
static GtkWidget *
find(GtkWidget *widget, const char *name)
{
  if (!gtk_widget_get_mapped(widget))
    return NULL;
  if (is_called(widget, name) && gtk_widget_get_width(widget) > 0 && gtk_widget_get_height(widget) > 0)
    return widget;
  GtkWidget *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find(child, name);
  return found;
}

static gboolean
log_place(GtkWidget *widget, const char *name)
{
  GtkNative *native = gtk_widget_get_native(widget);
  graphene_rect_t box;
  if (!gtk_widget_compute_bounds(widget, GTK_WIDGET(native), &box))
    return FALSE;
  double x, y;
  gtk_native_get_surface_transform(native, &x, &y);
  for (GdkSurface *surface = gtk_native_get_surface(native); GDK_IS_POPUP(surface);
       surface = gdk_popup_get_parent(GDK_POPUP(surface))) {
    x += gdk_popup_get_position_x(GDK_POPUP(surface));
    y += gdk_popup_get_position_y(GDK_POPUP(surface));
  }
  vt_test_log("place %.0f %.0f %.0f %.0f %s", box.origin.x + x, box.origin.y + y, box.size.width, box.size.height,
              name);
  return TRUE;
}

static void
act_place(GSimpleAction *action, GVariant *parameter, gpointer application)
{
  const char *name = g_variant_get_string(parameter, NULL);
  GListModel *windows = gtk_window_get_toplevels();
  GtkWidget *widget = NULL;
  for (guint i = 0; i < g_list_model_get_n_items(windows) && !widget; i++) {
    g_autoptr(GtkWidget) window = g_list_model_get_item(windows, i);
    widget = find(window, name);
  }
  if (!widget || !log_place(widget, name))
    vt_test_log("place none %s", name);
}

/* What is logged of a widget: how many times. */
typedef guint (*LogOne)(GtkWidget *widget, const char *text);

/* Of those that are shown. */
static guint
log_each(GtkWidget *widget, const char *text, LogOne log_one)
{
  if (!gtk_widget_get_mapped(widget))
    return 0;
  guint n = log_one(widget, text);
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child))
    n += log_each(child, text, log_one);
  return n;
}

static guint
log_all(GVariant *parameter, LogOne log_one)
{
  GListModel *windows = gtk_window_get_toplevels();
  guint n = 0;
  VT_EACH_ITEM (GtkWidget, window, windows)
    n += log_each(window, g_variant_get_string(parameter, NULL), log_one);
  return n;
}

/* Of labels alone, with all of that text. */
static guint
log_label_place(GtkWidget *widget, const char *name)
{
  return GTK_IS_LABEL(widget) && is_called(widget, name) ? log_place(widget, name) : 0;
}

static void
act_places(GSimpleAction *action, GVariant *parameter, gpointer application)
{
  vt_test_log("places %u", log_all(parameter, log_label_place));
}

static guint
log_label(GtkWidget *widget, const char *has)
{
  const char *text = GTK_IS_LABEL(widget)         ? gtk_label_get_text(GTK_LABEL(widget))
                     : GTK_IS_INSCRIPTION(widget) ? gtk_inscription_get_text(GTK_INSCRIPTION(widget))
                                                  : NULL;
  if (!text || !*text || !strstr(text, has))
    return 0;
  vt_test_log("label %s", text);
  return 1;
}

static void
act_labels(GSimpleAction *action, GVariant *parameter, gpointer application)
{
  vt_test_log("labels %u", log_all(parameter, log_label));
}

static guint n_layouts = 0;

static void
count_layout(GdkFrameClock *clock, gpointer data)
{
  n_layouts++;
}

static void
act_layouts(GSimpleAction *action, GVariant *parameter, gpointer application)
{
  GListModel *windows = gtk_window_get_toplevels();
  VT_EACH_ITEM (GtkWidget, window, windows) {
    GdkFrameClock *clock = gtk_widget_get_frame_clock(window);
    if (!clock || !g_str_equal(G_OBJECT_TYPE_NAME(window), "VtWindow"))
      continue;
    g_signal_handlers_disconnect_by_func(clock, count_layout, NULL); /* once for each */
    g_signal_connect(clock, "layout", G_CALLBACK(count_layout), NULL);
  }
  vt_test_log("layouts %u", n_layouts);
}

/* --- how late the main loop is --- */

#define PERIOD_MS 2

static GArray *late_ms = NULL, *work_ms = NULL, *paint_ms = NULL; /* float */
static GString *frames;                                           /* [end, time], ms of the monotonic clock */
static double work_start_ms, paint_work_ms;                       /* processor time of this thread */
static gint64 expected_us, paint_start_us;                        /* the first 0: no frame yet */

/* What a busy machine does to others does not show in it. */
static double
get_processor_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static gboolean
look(gpointer data)
{
  gint64 now = g_get_monotonic_time();
  float late = (float)MAX(now - expected_us, 0) / 1000;
  double processor_ms = get_processor_ms();
  float work = (float)(processor_ms - work_start_ms);
  if (expected_us) {
    g_array_append_val(late_ms, late);
    g_array_append_val(work_ms, work);
  }
  work_start_ms = processor_ms;
  expected_us = expected_us ? now + PERIOD_MS * 1000 : 0;
  return G_SOURCE_CONTINUE;
}

static void
before_paint(GdkFrameClock *clock, gpointer data)
{
  paint_start_us = g_get_monotonic_time();
  paint_work_ms = get_processor_ms();
}

static void
after_paint(GdkFrameClock *clock, gpointer data)
{
  const gint64 end_us = g_get_monotonic_time(), duration = end_us - paint_start_us;
  float ms = (float)duration / 1000;
  g_array_append_val(paint_ms, ms);
  g_string_append_printf(frames, "%s[%.3f, %.3f]", frames->len ? ", " : "", (double)end_us / 1000, (double)ms);
  expected_us = expected_us ? expected_us + duration : end_us + PERIOD_MS * 1000;
  work_start_ms += get_processor_ms() - paint_work_ms;
}

static void
on_realize(GtkWidget *window)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock(window);
  g_signal_connect(clock, "before-paint", G_CALLBACK(before_paint), NULL);
  g_signal_connect(clock, "after-paint", G_CALLBACK(after_paint), NULL);
}

/* A window of slides: its frames count as painting. */
static void
watch_window(GtkWidget *window)
{
  if (!g_str_equal(G_OBJECT_TYPE_NAME(window), "VtWindow"))
    return;
  if (gtk_widget_get_realized(window))
    on_realize(window);
  else
    g_signal_connect(window, "realize", G_CALLBACK(on_realize), NULL);
}

static void
on_windows(GListModel *windows, guint position, guint removed, guint added)
{
  for (guint i = 0; i < added; i++) {
    g_autoptr(GtkWidget) window = g_list_model_get_item(windows, position + i);
    watch_window(window);
  }
}

static int
compare(gconstpointer a, gconstpointer b)
{
  float p = *(const float *)a, q = *(const float *)b;
  return (p > q) - (p < q);
}

static void
write_numbers(FILE *file, const char *name, GArray *ms)
{
  guint over_16 = 0, over_50 = 0, n = ms->len;
  for (guint i = 0; i < n; i++) {
    over_16 += g_array_index(ms, float, i) > 16;
    over_50 += g_array_index(ms, float, i) > 50;
  }
  g_array_sort(ms, compare);
  fprintf(file, "\"%s\": {\"n\": %u", name, n);
  if (n > 0)
    fprintf(file, ", \"p50_ms\": %.3f, \"p99_ms\": %.3f, \"max_ms\": %.3f", g_array_index(ms, float, n / 2),
            g_array_index(ms, float, (guint64)n * 99 / 100), g_array_index(ms, float, n - 1));
  fprintf(file, ", \"over_16_ms\": %u, \"over_50_ms\": %u}", over_16, over_50);
}

static void
write_probe(void)
{
  FILE *file = fopen(g_getenv("VITRAIL_PROBE"), "w");
  if (!file)
    return;
  fputs("{", file);
  write_numbers(file, "stalls", late_ms);
  fputs(", ", file);
  write_numbers(file, "work", work_ms);
  fputs(", ", file);
  write_numbers(file, "paint", paint_ms);
  fprintf(file, ", \"frames\": [%s]}\n", frames->str);
  fclose(file);
}

static void
start_probe(GApplication *application)
{
  GListModel *windows = gtk_window_get_toplevels();
  late_ms = g_array_new(FALSE, FALSE, sizeof(float));
  work_ms = g_array_new(FALSE, FALSE, sizeof(float));
  paint_ms = g_array_new(FALSE, FALSE, sizeof(float));
  frames = g_string_new(NULL);
  g_timeout_add_full(G_PRIORITY_HIGH - 100, PERIOD_MS, look, NULL, NULL);
  g_signal_connect(windows, "items-changed", G_CALLBACK(on_windows), NULL);
  on_windows(windows, 0, 0, g_list_model_get_n_items(windows));
  g_signal_connect_after(application, "shutdown", G_CALLBACK(write_probe), NULL);
}

/* --- GTK's module --- */

static gboolean
start(gpointer data)
{
  static const GActionEntry entries[] = {
    { .name = "test-place", .parameter_type = "s", .activate = act_place },
    { .name = "test-places", .parameter_type = "s", .activate = act_places },
    { .name = "test-labels", .parameter_type = "s", .activate = act_labels },
    { .name = "test-layouts", .parameter_type = "s", .activate = act_layouts }, /* whatever the text is */
  };
  GApplication *application = g_application_get_default();
  if (application && g_getenv("VITRAIL_TEST_LOG"))
    g_action_map_add_action_entries(G_ACTION_MAP(application), entries, G_N_ELEMENTS(entries), application);
  if (application && g_getenv("VITRAIL_PROBE"))
    start_probe(application);
  return G_SOURCE_REMOVE;
}

/* GTK is not ready while it loads modules. It would let go of one that has no input method. */
G_MODULE_EXPORT void
g_io_module_load(GIOModule *module)
{
  g_type_module_use(G_TYPE_MODULE(module));
  g_idle_add_full(G_PRIORITY_HIGH, start, NULL, NULL);
}

G_MODULE_EXPORT void
g_io_module_unload(GIOModule *module)
{
}
