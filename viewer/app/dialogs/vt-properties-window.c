/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-properties-window.h"

#include <glib/gi18n.h>
#include <string.h>

#include "common/vt-owned.h"
#include "common/vt-widgets.h"
#include "common/vt-task.h"
#include "common/vt-template.h"

#define PICTURE_PX 150

struct _VtPropertiesWindow {
  AdwWindow parent;

  /* template */
  AdwWindowTitle *title;
  GtkWidget *images;
  GtkBox *pictures;
  GtkSwitch *hide_switch;
  GtkSearchEntry *search;
  GtkLabel *count_label;
  GtkColumnView *table;

  /* owned */
  VtSlide *slide;
  GtkFilter *filter;
  GtkFilterListModel *found;
  char *needle; /* casefolded */
  guint64 generation;
};

G_DEFINE_FINAL_TYPE(VtPropertiesWindow, vt_properties_window, ADW_TYPE_WINDOW)

typedef enum { COLUMN_NAME, COLUMN_VALUE } Column;

typedef struct {
  char *name, *error;
  VtTilePixels *pixels; /* NULL: hidden, or not readable */
} Picture;

typedef struct {
  VtSlide *slide;
  gboolean hide;
} Job;

VT_DEFINE_FREE(picture_free, Picture, VT_FREES(g_free, name, error) VT_FREES(vt_tile_pixels_unref, pixels))

static void
job_free(gpointer data)
{
  vt_slide_unref(((Job *)data)->slide);
  g_free(data);
}

/* A macro picture shows the whole glass, with its label. */
static gboolean
may_name_patient(const char *name)
{
  return strstr(name, "label") || strstr(name, "macro");
}

static void
read_pictures(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GPtrArray *pictures = g_ptr_array_new_with_free_func(picture_free);
  g_auto(GStrv) names = vt_slide_dup_associated_names(job->slide, NULL);
  for (guint i = 0; names && names[i]; i++) {
    g_autoptr(GError) error = NULL;
    Picture *picture = g_new0(Picture, 1);
    picture->name = g_strdup(names[i]);
    if (!job->hide || !may_name_patient(names[i]))
      picture->pixels = vt_slide_read_associated(job->slide, names[i], &error);
    picture->error = error ? g_strdup(error->message) : NULL;
    g_ptr_array_add(pictures, picture);
  }
  g_task_return_pointer(task, pictures, (GDestroyNotify)g_ptr_array_unref);
}

static GtkWidget *
make_picture(const Picture *picture)
{
  GtkWidget *image;
  g_autofree char *caption = NULL;
  if (picture->pixels) {
    const VtTilePixels *pixels = picture->pixels;
    g_autoptr(GdkTexture) texture =
      gdk_memory_texture_new(pixels->width, pixels->height, GDK_MEMORY_DEFAULT, pixels->bytes, (gsize)pixels->stride);
    image = gtk_picture_new_for_paintable(GDK_PAINTABLE(texture));
    gtk_picture_set_alternative_text(GTK_PICTURE(image), picture->name);
    caption = g_strdup_printf("%s · %d × %d", picture->name, pixels->width, pixels->height);
  } else {
    image = gtk_image_new_from_icon_name(picture->error ? "vt-warning-symbolic" : "vt-conceal-symbolic");
    gtk_image_set_pixel_size(GTK_IMAGE(image), 32);
    gtk_widget_add_css_class(image, "dim-label");
    caption = g_strdup_printf(picture->error ? _("%s · cannot be read") : _("%s · hidden"), picture->name);
    gtk_widget_set_tooltip_text(image, picture->error);
  }
  gtk_widget_set_size_request(image, -1, PICTURE_PX);
  GtkWidget *clamp = g_object_new(ADW_TYPE_CLAMP, "orientation", GTK_ORIENTATION_VERTICAL, "maximum-size", PICTURE_PX,
                                  "tightening-threshold", PICTURE_PX, "child", image, NULL);
  GtkWidget *label = vt_label_new_dim(caption);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
  return vt_box_new(GTK_ORIENTATION_VERTICAL, 6, clamp, label, NULL);
}

static void
pictures_read(GObject *source, GAsyncResult *result, gpointer generation)
{
  VtPropertiesWindow *self = VT_PROPERTIES_WINDOW(source);
  g_autoptr(GPtrArray) pictures = g_task_propagate_pointer(G_TASK(result), NULL);
  if (!self->slide || GPOINTER_TO_SIZE(generation) != self->generation)
    return;
  vt_widget_remove_all(GTK_WIDGET(self->pictures));
  for (guint i = 0; i < pictures->len; i++)
    gtk_box_append(self->pictures, make_picture(g_ptr_array_index(pictures, i)));
  gtk_widget_set_visible(self->images, pictures->len > 0);
}

static void
show_pictures(VtPropertiesWindow *self)
{
  Job *job = g_new0(Job, 1);
  job->slide = vt_slide_ref(self->slide);
  job->hide = gtk_switch_get_active(self->hide_switch);
  vt_task_run(self, NULL, pictures_read, GSIZE_TO_POINTER(++self->generation), read_pictures, job, job_free);
}

static const char *
get_text(VtPropertiesWindow *self, gpointer item, Column column)
{
  const char *name = gtk_string_object_get_string(item);
  return column == COLUMN_NAME ? name : vt_slide_get_property(self->slide, name);
}

static gboolean
matches(gpointer item, gpointer data)
{
  VtPropertiesWindow *self = data;
  for (Column column = COLUMN_NAME; self->slide && self->needle && column <= COLUMN_VALUE; column++) {
    g_autofree char *text = g_utf8_casefold(get_text(self, item, column), -1);
    if (strstr(text, self->needle))
      return TRUE;
  }
  return !self->needle;
}

static void
show_count(VtPropertiesWindow *self)
{
  guint n = g_list_model_get_n_items(gtk_filter_list_model_get_model(self->found));
  g_autofree char *text = g_strdup_printf(_("%u of %u"), g_list_model_get_n_items(G_LIST_MODEL(self->found)), n);
  gtk_label_set_text(self->count_label, text);
}

static void
on_search(VtPropertiesWindow *self)
{
  const char *text = gtk_editable_get_text(GTK_EDITABLE(self->search));
  g_clear_pointer(&self->needle, g_free);
  self->needle = *text ? g_utf8_casefold(text, -1) : NULL;
  gtk_filter_changed(self->filter, GTK_FILTER_CHANGE_DIFFERENT);
  show_count(self);
}

static void
cell_setup(GtkListItemFactory *factory, GtkListItem *item, gpointer column)
{
  const gboolean is_value = GPOINTER_TO_INT(column) == COLUMN_VALUE;
  gtk_list_item_set_child(item, g_object_new(GTK_TYPE_LABEL, "xalign", 0.0, "selectable", TRUE, "wrap", is_value,
                                             "wrap-mode", PANGO_WRAP_WORD_CHAR, NULL));
}

static void
name_bind(GtkListItemFactory *factory, GtkListItem *item, VtPropertiesWindow *self)
{
  gtk_label_set_text(GTK_LABEL(gtk_list_item_get_child(item)),
                     get_text(self, gtk_list_item_get_item(item), COLUMN_NAME));
}

static void
value_bind(GtkListItemFactory *factory, GtkListItem *item, VtPropertiesWindow *self)
{
  gtk_label_set_text(GTK_LABEL(gtk_list_item_get_child(item)),
                     get_text(self, gtk_list_item_get_item(item), COLUMN_VALUE));
}

/* level[2] before level[10] */
static int
compare_texts(const char *a, const char *b)
{
  g_autofree char *key_a = g_utf8_collate_key_for_filename(a, -1), *key_b = g_utf8_collate_key_for_filename(b, -1);
  return strcmp(key_a, key_b);
}

static int
compare_names(gconstpointer a, gconstpointer b, gpointer self)
{
  return compare_texts(get_text(self, (gpointer)a, COLUMN_NAME), get_text(self, (gpointer)b, COLUMN_NAME));
}

static int
compare_values(gconstpointer a, gconstpointer b, gpointer self)
{
  return compare_texts(get_text(self, (gpointer)a, COLUMN_VALUE), get_text(self, (gpointer)b, COLUMN_VALUE));
}

static GtkColumnViewColumn *
add_column(VtPropertiesWindow *self, Column column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  gboolean is_name = column == COLUMN_NAME;
  g_signal_connect(factory, "setup", G_CALLBACK(cell_setup), GINT_TO_POINTER(column));
  g_signal_connect_object(factory, "bind", is_name ? G_CALLBACK(name_bind) : G_CALLBACK(value_bind), self, 0);
  GtkColumnViewColumn *view = gtk_column_view_column_new(is_name ? _("Name") : _("Value"), factory);
  g_autoptr(GtkSorter) sorter = GTK_SORTER(gtk_custom_sorter_new(is_name ? compare_names : compare_values, self, NULL));
  gtk_column_view_column_set_sorter(view, sorter);
  gtk_column_view_column_set_resizable(view, TRUE);
  gtk_column_view_column_set_expand(view, !is_name);
  gtk_column_view_append_column(self->table, view);
  g_object_unref(view);
  return view; /* the table's */
}

static void
fill_table(VtPropertiesWindow *self)
{
  GtkStringList *names = gtk_string_list_new(vt_slide_get_property_names(self->slide));
  self->filter = GTK_FILTER(gtk_custom_filter_new(matches, self, NULL));
  self->found = gtk_filter_list_model_new(G_LIST_MODEL(names), g_object_ref(self->filter));
  GtkColumnViewColumn *name = add_column(self, COLUMN_NAME);
  add_column(self, COLUMN_VALUE);
  gtk_column_view_sort_by_column(self->table, name, GTK_SORT_ASCENDING);
  GtkSortListModel *sorted = gtk_sort_list_model_new(G_LIST_MODEL(g_object_ref(self->found)),
                                                     g_object_ref(gtk_column_view_get_sorter(self->table)));
  g_autoptr(GtkNoSelection) selection = gtk_no_selection_new(G_LIST_MODEL(sorted));
  gtk_column_view_set_model(self->table, GTK_SELECTION_MODEL(selection));
  show_count(self);
}

static void
vt_properties_window_dispose(GObject *object)
{
  VtPropertiesWindow *self = VT_PROPERTIES_WINDOW(object);
  if (self->table)
    gtk_column_view_set_model(self->table, NULL);
  g_clear_object(&self->found);
  g_clear_object(&self->filter);
  g_clear_pointer(&self->slide, vt_slide_unref);
  g_clear_pointer(&self->needle, g_free);
  G_OBJECT_CLASS(vt_properties_window_parent_class)->dispose(object);
}

static void
vt_properties_window_class_init(VtPropertiesWindowClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = vt_properties_window_dispose;
  VT_TEMPLATE(klass, VtPropertiesWindow, "vt-properties-window", title, images, pictures, hide_switch, search,
              count_label, table);
  VT_TEMPLATE_CALLBACKS(klass, on_search, gtk_window_close, show_pictures);
  gtk_widget_class_add_binding_action(GTK_WIDGET_CLASS(klass), GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
vt_properties_window_init(VtPropertiesWindow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_search_entry_set_key_capture_widget(self->search, GTK_WIDGET(self));
}

GtkWidget *
vt_properties_window_new(GtkWindow *parent, VtSlide *slide)
{
  VtPropertiesWindow *self = g_object_new(VT_TYPE_PROPERTIES_WINDOW, "transient-for", parent, NULL);
  self->slide = vt_slide_ref(slide);
  adw_window_title_set_subtitle(self->title, vt_slide_get_name(slide));
  fill_table(self);
  show_pictures(self);
  return GTK_WIDGET(self);
}
