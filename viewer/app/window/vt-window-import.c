/* SPDX-License-Identifier: MIT
 *
 * Files of shapes, and images of labels, of which a dialog asks how they lie: read by a worker, with how far it is and a button that ends it, then taken as
 * regions or as what objects are compared with. */

#include <malloc.h>

#include "common/vt-file-dialog.h"
#include "common/vt-reading.h"
#include "base/vt-define.h"
#include "common/vt-task.h"
#include "common/vt-test-log.h"
#include "common/vt-translate.h"
#include "dialogs/vt-labels-dialog.h"
#include "panels/vt-roi-read-columns.h"
#include "results/vt-measured-names.h"
#include "window/vt-pane-labels.h"
#include "window/vt-pane-objects.h"
#include "window/vt-window-private.h"

#define WAIT_MS 100
#define MOST_REGIONS 5000 /* lines and sets of points included: each is a row of the table, and is drawn by itself */

typedef struct {
  char *path, *name;
  VtPane *pane;
  VtSlide *slide;
  VtShapesTaken taken;
  VtLabelImage *image;    /* of a file of labels, once it is read; or NULL */
  VtLabelChoice choice;   /* of this */
  VtShapes *shapes;       /* what comes of it; or NULL */
  VtPlacedLabels *labels; /* or this */
  VtFileObjects *objects; /* or this: of shapes that are too many for regions, or are wanted as objects */
  VtReading *shown;
} Reading;

static void start(VtWindow *self, Reading *reading);
static void take_regions(VtWindow *self, VtPane *pane, VtShapes *shapes);
static void take_objects(VtWindow *self, VtPane *pane, VtShapes *shapes);

static void
reading_free(gpointer data)
{
  Reading *reading = data;
  g_clear_pointer(&reading->shown, vt_reading_free);
  g_object_unref(reading->pane);
  vt_slide_unref(reading->slide);
  g_clear_pointer(&reading->image, vt_label_image_free);
  g_clear_pointer(&reading->shapes, vt_shapes_free);
  g_clear_pointer(&reading->labels, vt_placed_labels_unref);
  g_clear_pointer(&reading->objects, vt_file_objects_unref);
  g_free(reading->path);
  g_free(reading->name);
  g_free(reading);
}

/* They stay shapes where they become something else. Outlines of hundreds of thousands, which were freed, go back to the system: this thread will not need their room. */
static void
make_objects(Reading *reading, GError **error)
{
  const gboolean are_many = reading->taken == take_regions && reading->shapes->n_areas > MOST_REGIONS;
  if (reading->image || (reading->taken != take_objects && !are_many))
    return;
  reading->objects = vt_shapes_steal_objects(reading->shapes, reading->path, error);
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

static void
read_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Reading *reading = data;
  GError *error = NULL;
  const VtShapesContext context = { .slide = reading->slide,
                                    .cancellable = cancellable,
                                    .progress = vt_reading_tell,
                                    .user = reading->shown,
                                    .measures = reading->taken == take_regions || reading->taken == take_objects };
  if (reading->image && reading->choice.as_objects)
    reading->labels = vt_label_image_place(reading->image, &reading->choice.place, reading->choice.by_piece, &error);
  else if (reading->image)
    reading->shapes =
      vt_label_image_trace(reading->image, &reading->choice.place, reading->choice.by_piece, &context, &error);
  else if (vt_raster_get_kind(reading->path) != VT_FILE_OTHER)
    reading->image = vt_label_image_read(reading->path, &context, &error);
  else
    reading->shapes = vt_shapes_read(reading->path, &context, &error);
  if (reading->shapes)
    make_objects(reading, &error);
  vt_task_return_done(task, !error, &error);
}

static Reading *
reading_new(const char *path, VtPane *pane, VtShapesTaken taken)
{
  Reading *reading = g_new0(Reading, 1);
  reading->path = g_strdup(path);
  reading->name = vt_error_dup_name(path);
  reading->pane = g_object_ref(pane);
  reading->slide = vt_slide_ref(vt_pane_get_slide(pane));
  reading->taken = taken;
  return reading;
}

/* A reading that waits for an answer. */
typedef struct {
  VtWindow *window;
  Reading *reading;
} Asking;

static void
labels_chosen(const VtLabelChoice *choice, gpointer user)
{
  Asking *asking = user;
  Reading *reading = asking->reading;
  if (choice && asking->window->page && vt_pane_get_slide(reading->pane) == reading->slide) {
    reading->choice = *choice;
    start(asking->window, g_steal_pointer(&reading));
  }
  g_clear_pointer(&reading, reading_free);
  g_object_unref(asking->window);
  g_free(asking);
}

/* Takes over the image. */
static void
ask_how_labels_lie(VtWindow *self, Reading *reading)
{
  Asking *asking = g_new0(Asking, 1);
  if (reading->image->n_labels == 0) {
    g_autofree char *sentence = g_strdup_printf(_("%s has no labels: all of it is 0."), reading->image->file);
    vt_pane_show_error(reading->pane, sentence, VT_MESSAGE_ANSWER);
    g_free(asking);
    return;
  }
  asking->window = g_object_ref(self);
  asking->reading =
    reading_new(reading->path, reading->pane, reading->taken == take_objects ? take_regions : reading->taken);
  asking->reading->image = g_steal_pointer(&reading->image);
  vt_labels_dialog_show(GTK_WINDOW(self), asking->reading->image, asking->reading->slide,
                        asking->reading->taken == take_regions ? MOST_REGIONS : 0, labels_chosen, asking);
}

/* What of the file they have not is told as warnings of their run. */
static void
show_objects(VtWindow *self, const Reading *reading)
{
  const guint n = reading->objects->objects->len, n_names = reading->objects->names->len;
  g_autofree char *sentence = g_strdup_printf(g_dngettext(NULL, "%u object read from %s (%s); measurements of each: %u",
                                                          "%u objects read from %s (%s); measurements of each: %u", n),
                                              n, reading->name, reading->shapes->format, n_names);
  vt_pane_show_file_objects(reading->pane, reading->objects);
  vt_window_toast(self, sentence);
}

/* Beside detections, annotations, lines and points are regions, as ever. */
static void
take_objects_and_rest(VtWindow *self, Reading *reading)
{
  show_objects(self, reading);
  if (reading->taken == take_regions && reading->shapes->shapes->len > 0)
    take_regions(self, reading->pane, reading->shapes);
}

static void
on_read(GObject *object, GAsyncResult *result, gpointer user)
{
  VtWindow *self = VT_WINDOW(object);
  Reading *reading = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  const gboolean is_last = g_task_get_cancellable(G_TASK(result)) == self->reading;
  g_task_propagate_boolean(G_TASK(result), &error);
  g_clear_pointer(&reading->shown, vt_reading_free);
  if (is_last) {
    g_clear_object(&self->reading);
    vt_window_enable_cancel_reading(self);
  }
  const gboolean is_there = self->page && vt_pane_get_slide(reading->pane) == reading->slide;
  if (is_there && !error && reading->objects)
    take_objects_and_rest(self, reading);
  else if (is_there && !error && reading->shapes)
    reading->taken(self, reading->pane, reading->shapes);
  else if (is_there && !error && reading->labels)
    vt_pane_measure_labels(reading->pane, reading->labels);
  else if (is_there && !error)
    ask_how_labels_lie(self, reading);
  else if (self->page && error && !g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    vt_pane_show_error(reading->pane, vt_translate(error->message), VT_MESSAGE_ANSWER);
  if (error)
    vt_test_log("shapes-failed %s", error->message);
}

/* Shapes, and slides on their way. */
static void
cancel(VtWindow *self)
{
  if (self->reading)
    g_cancellable_cancel(self->reading);
  if (self->opening)
    g_cancellable_cancel(self->opening);
  g_clear_object(&self->opening); /* one that is asked for after that is not ended */
}

void
vt_window_enable_cancel_reading(VtWindow *self)
{
  vt_window_enable(self, "cancel-reading", self->reading || self->opening);
}

/* Takes the reading. */
static void
start(VtWindow *self, Reading *reading)
{
  if (self->reading)
    g_cancellable_cancel(self->reading);
  g_clear_object(&self->reading);
  self->reading = g_cancellable_new();
  vt_window_enable_cancel_reading(self);
  g_autoptr(GTask) task = g_task_new(self, self->reading, on_read, NULL);
  g_task_set_task_data(task, reading, reading_free);
  reading->shown = vt_reading_new(self->toasts, reading->name);
  vt_reading_tell(0, reading->shown);
  g_task_run_in_thread(task, read_in_thread);
}

void
vt_window_read_shapes(VtWindow *self, const char *path, VtShapesTaken taken)
{
  VtPane *pane = vt_window_get_pane(self);
  if (vt_pane_get_slide(pane))
    start(self, reading_new(path, pane, taken));
  else
    vt_pane_show_error(pane, _("Open the slide first that the file belongs to."), VT_MESSAGE_ANSWER);
}

/* --- regions --- */

/* No analysis could run on those outside of the slide. Returns how many went. */
static guint
drop_outside(GPtrArray *areas, VtSlide *slide)
{
  gint64 width_l0, height_l0;
  const guint n = areas->len;
  vt_slide_get_level_size(slide, 0, &width_l0, &height_l0);
  for (guint i = n; i-- > 0;) {
    double x, y, width, height;
    vt_roi_get_bounds(areas->pdata[i], &x, &y, &width, &height);
    const gboolean is_area = ((const VtRoi *)areas->pdata[i])->kind == VT_SHAPE_AREA;
    if (x > (double)width_l0 || y > (double)height_l0 || x + width < 0 || y + height < 0
        || (is_area && (x == (double)width_l0 || y == (double)height_l0 || x + width == 0 || y + height == 0)))
      g_ptr_array_remove_index(areas, i);
  }
  return n - areas->len;
}

G_GNUC_PRINTF(2, 3)
static void
say(GString *text, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  if (text->len > 0)
    g_string_append_c(text, ' ');
  g_string_append_vprintf(text, format, arguments);
  va_end(arguments);
}

/* How many measurements they have, by name. */
static guint
count_names(const GPtrArray *annotations)
{
  g_autoptr(GHashTable) taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  guint n = 0;
  vt_measured_names_free(vt_measured_names_new(annotations, taken, 0, &n));
  return n;
}

/* Those that are lost, or not seen. */
static void
say_of_measurements(GString *text, const VtShapes *shapes, guint n_names)
{
  if (n_names > VT_ROI_READ_MOST)
    say(text, _("Of %u measurements the table shows the first %d; regions, sessions and files keep all."), n_names,
        VT_ROI_READ_MOST);
  if (shapes->n_no_numbers > 0)
    say(text,
        g_dngettext(NULL, "%u measurement has no name or is no number, and was left out.",
                    "%u measurements have no name or are no numbers, and were left out.", shapes->n_no_numbers),
        shapes->n_no_numbers);
  if (shapes->n_twice > 0)
    say(text,
        g_dngettext(NULL, "%u measurement is there twice; the last number counts.",
                    "%u measurements are there twice; the last number counts.", shapes->n_twice),
        shapes->n_twice);
  if (shapes->n_beyond > 0)
    say(text, _("%u measurements have names beyond the first %d, and were left out."), shapes->n_beyond,
        VT_MEASURED_MOST_NAMES);
  if (shapes->n_joined > 0)
    say(text,
        g_dngettext(NULL, "The measurements of %u point went: it is part of a set now.",
                    "The measurements of %u points went: they are parts of sets now.", shapes->n_joined),
        shapes->n_joined);
}

/* What a person may not expect of the regions; "": nothing. Owned. */
static char *
dup_cautions(const VtShapes *shapes, guint n_outside, guint n_names)
{
  g_autoptr(GString) text = g_string_new(NULL);
  const guint n_rest = shapes->n_nowhere + shapes->n_other;
  if (n_rest > 0)
    say(text,
        g_dngettext(NULL, "%u shape of %s has no place, or is of another kind, and was left out.",
                    "%u shapes of %s have no place, or are of other kinds, and were left out.", n_rest),
        n_rest, shapes->file);
  if (shapes->n_splines > 0)
    say(text,
        g_dngettext(NULL, "%u curve was taken as straight lines between its points.",
                    "%u curves were taken as straight lines between their points.", shapes->n_splines),
        shapes->n_splines);
  if (shapes->n_odd > 0)
    say(
      text,
      g_dngettext(NULL, "The outlines of %u region cross (%s); what an odd number of them goes round is inside.",
                  "The outlines of %u regions cross (the first: %s); what an odd number of them goes round is inside.",
                  shapes->n_odd),
      shapes->n_odd, shapes->odd);
  if (n_outside > 0)
    say(text,
        g_dngettext(NULL, "%u region lies outside of the slide and was left out: does the file belong to it?",
                    "%u regions lie outside of the slide and were left out: does the file belong to it?", n_outside),
        n_outside);
  say_of_measurements(text, shapes, n_names);
  return g_strdup(text->str);
}

/* "2 regions, 1 line, 240 points read from cells.geojson (GeoJSON), with 12 measurements"; owned. */
static char *
dup_read(const GPtrArray *annotations, const VtShapes *shapes, guint n_names)
{
  g_autoptr(GString) text = g_string_new(NULL);
  guint n[] = { 0, 0, 0 };
  VT_EACH_OF (const VtRoi, roi, annotations)
    n[roi->kind] += roi->kind == VT_SHAPE_POINTS ? roi->points->len / 2 : 1;
  if (n[VT_SHAPE_AREA] > 0)
    g_string_append_printf(text, g_dngettext(NULL, "%u region", "%u regions", n[VT_SHAPE_AREA]), n[VT_SHAPE_AREA]);
  if (n[VT_SHAPE_LINE] > 0) {
    g_string_append(text, text->len > 0 ? ", " : "");
    g_string_append_printf(text, g_dngettext(NULL, "%u line", "%u lines", n[VT_SHAPE_LINE]), n[VT_SHAPE_LINE]);
  }
  if (n[VT_SHAPE_POINTS] > 0) {
    g_string_append(text, text->len > 0 ? ", " : "");
    g_string_append_printf(text, g_dngettext(NULL, "%u point", "%u points", n[VT_SHAPE_POINTS]), n[VT_SHAPE_POINTS]);
  }
  if (n_names > 0)
    return g_strdup_printf(g_dngettext(NULL, "%s read from %s (%s), with %u measurement",
                                       "%s read from %s (%s), with %u measurements", n_names),
                           text->str, shapes->file, shapes->format, n_names);
  return g_strdup_printf(_("%s read from %s (%s)"), text->str, shapes->file, shapes->format);
}

static void
take_regions(VtWindow *self, VtPane *pane, VtShapes *shapes)
{
  g_autoptr(GPtrArray) annotations = vt_shapes_steal_annotations(shapes);
  if (annotations->len > MOST_REGIONS) {
    g_autofree char *sentence =
      g_strdup_printf(_("%s holds %u annotations, and a view can have %u at most. The areas can "
                        "be read as objects to compare with (Shift+C)."),
                      shapes->file, annotations->len, MOST_REGIONS);
    vt_pane_show_error(pane, sentence, VT_MESSAGE_ANSWER);
    return;
  }
  const guint n_outside = drop_outside(annotations, vt_pane_get_slide(pane)), n_names = count_names(annotations);
  g_autofree char *cautions = dup_cautions(shapes, n_outside, n_names);
  if (annotations->len > 0) {
    g_autofree char *sentence = dup_read(annotations, shapes, n_names);
    vt_test_log("imported %u %s %s", annotations->len, shapes->format, cautions);
    vt_regions_add(vt_pane_get_regions(pane), annotations, TRUE);
    vt_window_toast(self, sentence);
  } else if (!*cautions) {
    g_free(cautions);
    cautions = g_strdup_printf(_("%s holds no regions."), shapes->file);
  }
  if (*cautions)
    vt_pane_show_error(pane, cautions, VT_MESSAGE_LOSS);
}

/* Objects were made of them. */
static void
take_objects(VtWindow *self, VtPane *pane, VtShapes *shapes)
{
}

/* A file that came with its slide, which is still on its way. */
typedef struct {
  VtWindow *window;
  char *path;
} Waiting;

VT_DEFINE_FREE(waiting_free, Waiting, VT_FREES(g_object_unref, window) VT_FREES(g_free, path))

static gboolean
read_after_slide(gpointer data)
{
  const Waiting *waiting = data;
  VtWindow *self = waiting->window;
  if (self->page && (self->n_opening > 0 || self->arrived.length > 0))
    return G_SOURCE_CONTINUE;
  if (self->page)
    vt_window_read_shapes(self, waiting->path, take_regions);
  return G_SOURCE_REMOVE;
}

gboolean
vt_window_open_shapes(VtWindow *self, const char *path)
{
  static const char *const suffixes[] = { ".geojson", ".geojson.gz", ".json", ".json.gz", ".xml", ".ndpa", ".csv" };
  g_autofree char *lower = g_ascii_strdown(path, -1);
  for (guint i = 0; i < G_N_ELEMENTS(suffixes); i++)
    if (g_str_has_suffix(lower, suffixes[i])) {
      Waiting *waiting = g_new0(Waiting, 1);
      waiting->window = g_object_ref(self);
      waiting->path = g_strdup(path);
      if (read_after_slide(waiting))
        g_timeout_add_full(G_PRIORITY_DEFAULT, WAIT_MS, read_after_slide, waiting, waiting_free);
      else
        waiting_free(waiting);
      return TRUE;
    }
  return FALSE;
}

void
vt_window_choose_shapes(VtWindow *self, const char *title, const char *then)
{
  static const char *const suffixes[] = { "geojson", "json", "gz", "xml", "ndpa", "csv", "png", "tif", "tiff" };
  GtkFileChooserNative *dialog =
    gtk_file_chooser_native_new(title, GTK_WINDOW(self), GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), _("_Cancel"));
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new(), all = gtk_file_filter_new();
  gtk_file_filter_set_name(filter, _("Annotations (GeoJSON, ASAP, ImageScope, NDPA, CSV), labels (PNG, TIFF)"));
  for (guint i = 0; i < G_N_ELEMENTS(suffixes); i++)
    gtk_file_filter_add_suffix(filter, suffixes[i]);
  gtk_file_filter_set_name(all, _("All files"));
  gtk_file_filter_add_pattern(all, "*");
  gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), filter);
  gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), all);
  vt_file_dialog_show(dialog, GTK_WIDGET(self), then);
}

static void
act_import(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  if (parameter)
    vt_window_read_shapes(window, g_variant_get_string(parameter, NULL), take_regions);
  else
    vt_window_choose_shapes(window, _("Read regions from a file"), "win.import-regions-from");
}

static void
act_import_objects(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  if (parameter)
    vt_window_read_shapes(window, g_variant_get_string(parameter, NULL), take_objects);
  else
    vt_window_choose_shapes(window, _("Read objects from a file"), "win.import-objects-from");
}

static void
act_cancel(GSimpleAction *action, GVariant *parameter, gpointer window)
{
  cancel(window);
  vt_window_enable_cancel_reading(window);
}

void
vt_window_init_import(VtWindow *self)
{
  static const GActionEntry entries[] = {
    { .name = "import-regions", .activate = act_import },
    { .name = "import-regions-from", .activate = act_import, .parameter_type = "s" },
    { .name = "import-objects", .activate = act_import_objects },
    { .name = "import-objects-from", .activate = act_import_objects, .parameter_type = "s" },
    { .name = "cancel-reading", .activate = act_cancel },
  };
  g_action_map_add_action_entries(G_ACTION_MAP(self), entries, G_N_ELEMENTS(entries), self);
  vt_window_enable_cancel_reading(self);
  g_signal_connect(self, "destroy", G_CALLBACK(cancel), NULL);
}
