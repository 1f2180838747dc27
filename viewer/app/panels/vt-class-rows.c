/* SPDX-License-Identifier: MIT */
#include "panels/vt-class-rows.h"

#include <glib/gi18n.h>

#include "common/vt-owned.h"
#include "common/vt-widgets.h"

typedef struct {
  GtkColorButton *colour;
  GtkEntry *name;
  GtkLabel *n_examples, *n_objects;
  GtkCheckButton *left_out;
} Row;

struct _VtClassRows {
  GtkGrid parent;
  VtTeacher *teacher;
  GArray *rows; /* Row, as many as the model has classes */
  gboolean is_filling;
};

G_DEFINE_FINAL_TYPE(VtClassRows, vt_class_rows, GTK_TYPE_GRID)

enum { COLOUR, KEY, NAME, EXAMPLES, OBJECTS, LEFT_OUT, REMOVE };

static guint
number_of(GtkWidget *widget)
{
  return GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(widget), "class"));
}

static void
on_changed(VtClassRows *self, GtkWidget *widget)
{
  const guint cls = number_of(widget);
  const Row *row = &g_array_index(self->rows, Row, cls);
  GdkRGBA colour;
  if (self->is_filling || cls >= self->rows->len)
    return;
  gtk_color_chooser_get_rgba(GTK_COLOR_CHOOSER(row->colour), &colour);
  const guint8 rgb[3] = { (guint8)(colour.red * 255 + 0.5f), (guint8)(colour.green * 255 + 0.5f),
                          (guint8)(colour.blue * 255 + 0.5f) };
  vt_teacher_change_class(self->teacher, cls, gtk_editable_get_text(GTK_EDITABLE(row->name)), rgb,
                          gtk_check_button_get_active(row->left_out));
}

static void
on_entry_left(VtClassRows *self, GtkEventController *focus)
{
  on_changed(self, gtk_event_controller_get_widget(focus));
}

static void
on_notify(VtClassRows *self, GParamSpec *pspec, GtkWidget *widget)
{
  on_changed(self, widget);
}

static void
on_remove(VtClassRows *self, GtkWidget *button)
{
  vt_teacher_remove_class(self->teacher, number_of(button));
}

static void
attach(VtClassRows *self, GtkWidget *widget, int column, guint cls)
{
  g_object_set_data(G_OBJECT(widget), "class", GUINT_TO_POINTER(cls));
  gtk_grid_attach(GTK_GRID(self), widget, column, (int)cls + 1, 1, 1);
}

static GtkWidget *
new_number(void)
{
  GtkWidget *label = gtk_label_new("");
  gtk_label_set_xalign(GTK_LABEL(label), 1);
  gtk_widget_add_css_class(label, "numeric");
  return label;
}

static void
add_row(VtClassRows *self, guint cls)
{
  g_autofree char *key = cls < 9 ? g_strdup_printf("%u", cls + 1) : g_strdup("");
  GtkWidget *colour = gtk_color_button_new(), *name = gtk_entry_new(), *examples = new_number(),
            *objects = new_number(), *left_out = gtk_check_button_new(),
            *remove = gtk_button_new_from_icon_name("vt-close-symbolic");
  GtkEventController *focus = gtk_event_controller_focus_new();
  const Row row = { GTK_COLOR_BUTTON(colour), GTK_ENTRY(name), GTK_LABEL(examples), GTK_LABEL(objects),
                    GTK_CHECK_BUTTON(left_out) };
  g_array_append_val(self->rows, row);
  vt_widget_set_accessible_label(colour, _("Colour of the class"));
  vt_widget_set_accessible_label(name, _("Name of the class"));
  vt_widget_set_accessible_label(left_out, _("Left out of counts"));
  vt_widget_set_accessible_label(remove, _("Remove the class and its examples"));
  gtk_widget_set_tooltip_text(remove, _("Remove the class and its examples"));
  gtk_widget_add_css_class(remove, "flat");
  gtk_editable_set_width_chars(GTK_EDITABLE(name), 16);
  gtk_widget_set_halign(left_out, GTK_ALIGN_CENTER);
  attach(self, colour, COLOUR, cls);
  attach(self, gtk_label_new(key), KEY, cls);
  attach(self, name, NAME, cls);
  attach(self, examples, EXAMPLES, cls);
  attach(self, objects, OBJECTS, cls);
  attach(self, left_out, LEFT_OUT, cls);
  attach(self, remove, REMOVE, cls);
  gtk_widget_add_controller(name, focus);
  g_signal_connect_object(focus, "leave", G_CALLBACK(on_entry_left), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(name, "activate", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(colour, "color-set", G_CALLBACK(on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(left_out, "notify::active", G_CALLBACK(on_notify), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(remove, "clicked", G_CALLBACK(on_remove), self, G_CONNECT_SWAPPED);
}

static void
add_heads(VtClassRows *self)
{
  const char *const heads[] = { "", _("Key"), _("Class"), _("Examples"), _("Objects"), _("Left Out"), "" };
  for (guint i = 0; i < G_N_ELEMENTS(heads); i++) {
    GtkWidget *label = gtk_label_new(heads[i]);
    gtk_widget_add_css_class(label, "caption");
    gtk_widget_add_css_class(label, "dim-label");
    if (i == LEFT_OUT)
      gtk_widget_set_tooltip_text(label, _("Such objects are not counted, and faint on the slide"));
    gtk_grid_attach(GTK_GRID(self), label, (int)i, 0, 1, 1);
  }
}

static void
make_rows(VtClassRows *self, guint n)
{
  g_array_set_size(self->rows, 0);
  vt_widget_remove_all(GTK_WIDGET(self));
  if (n > 0)
    add_heads(self);
  for (guint i = 0; i < n; i++)
    add_row(self, i);
}

static void
fill_row(const Row *row, const VtModel *model, guint cls, const VtClassified *classified)
{
  const VtModelClass *of = model->classes->pdata[cls];
  const GdkRGBA colour = { of->rgb[0] / 255.0f, of->rgb[1] / 255.0f, of->rgb[2] / 255.0f, 1 };
  g_autofree char *examples = g_strdup_printf("%'u", vt_model_count(model, cls));
  g_autofree char *objects = classified ? g_strdup_printf("%'u", classified->counts[cls]) : g_strdup("–");
  gtk_color_chooser_set_rgba(GTK_COLOR_CHOOSER(row->colour), &colour);
  if (!g_str_equal(gtk_editable_get_text(GTK_EDITABLE(row->name)), of->name)
      && !(gtk_widget_get_state_flags(GTK_WIDGET(row->name)) & GTK_STATE_FLAG_FOCUS_WITHIN))
    gtk_editable_set_text(GTK_EDITABLE(row->name), of->name);
  gtk_check_button_set_active(row->left_out, of->is_left_out);
  gtk_label_set_text(row->n_examples, examples);
  gtk_label_set_text(row->n_objects, objects);
}

/* Widgets stay as long as there are as many classes: a name may be being typed. */
static void
fill(VtClassRows *self)
{
  const VtModel *model = vt_teacher_get_model(self->teacher);
  const VtClassified *classified = vt_teacher_get_classified(self->teacher);
  const guint n = model ? model->classes->len : 0;
  self->is_filling = TRUE;
  if (n != self->rows->len)
    make_rows(self, n);
  if (classified && classified->list->len != n)
    classified = NULL; /* of the classes of before */
  for (guint i = 0; i < n; i++)
    fill_row(&g_array_index(self->rows, Row, i), model, i, classified);
  self->is_filling = FALSE;
}

static void
vt_class_rows_class_init(VtClassRowsClass *klass)
{
  VT_OWNS(klass, VtClassRows, g_object_unref, teacher);
  VT_OWNS(klass, VtClassRows, g_array_unref, rows);
}

static void
vt_class_rows_init(VtClassRows *self)
{
  self->rows = g_array_new(FALSE, FALSE, sizeof(Row));
  gtk_grid_set_column_spacing(GTK_GRID(self), 8);
  gtk_grid_set_row_spacing(GTK_GRID(self), 4);
}

GtkWidget *
vt_class_rows_new(VtTeacher *teacher)
{
  VtClassRows *self = g_object_new(VT_TYPE_CLASS_ROWS, NULL);
  self->teacher = g_object_ref(teacher);
  g_signal_connect_object(teacher, "changed", G_CALLBACK(fill), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(teacher, "learned", G_CALLBACK(fill), self, G_CONNECT_SWAPPED);
  fill(self);
  return GTK_WIDGET(self);
}
