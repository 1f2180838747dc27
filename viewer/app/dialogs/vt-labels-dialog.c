/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-labels-dialog.h"

#include <glib/gi18n.h>
#include <math.h>

#include "common/vt-test-log.h"
#include "common/vt-widgets.h"

#define DIGITS 6 /* a pixel size of so many digits is right to a level-0 pixel over a million of the image's */

enum { AS_REGIONS, AS_OBJECTS };

typedef struct {
  AdwMessageDialog *dialog;
  AdwActionRow *pixel_row;
  GtkSpinButton *pixel, *x, *y;
  GtkSwitch *by_piece; /* NULL: each label is one piece */
  GtkDropDown *kind;   /* NULL: nobody asks */
  guint most_regions;
  GtkLabel *where;
  const VtLabelImage *image;
  VtSlide *slide;
  VtLabelsChosen chosen;
  gpointer user;
} Dialog;

static VtLabelChoice
get_choice(const Dialog *self)
{
  return (VtLabelChoice){ { gtk_spin_button_get_value(self->x), gtk_spin_button_get_value(self->y),
                            gtk_spin_button_get_value(self->pixel) },
                          self->kind && gtk_drop_down_get_selected(self->kind) == AS_OBJECTS,
                          self->by_piece && gtk_switch_get_active(self->by_piece) };
}

static void
show_pixel(Dialog *self, double downsample)
{
  double mpp_x = 0, mpp_y = 0;
  if (!vt_slide_get_mpp(self->slide, &mpp_x, &mpp_y))
    return;
  g_autofree char *text =
    g_strdup_printf(_("In pixels of the slide; it is %.4g × %.4g µm"), downsample * mpp_x, downsample * mpp_y);
  adw_action_row_set_subtitle(self->pixel_row, text);
}

/* What is covered, and whether that is of the slide. */
static void
show_place(Dialog *self)
{
  const VtLabelChoice choice = get_choice(self);
  const double left = choice.place.x_l0, top = choice.place.y_l0;
  const double right = left + (double)self->image->raster->width * choice.place.downsample;
  const double bottom = top + (double)self->image->raster->height * choice.place.downsample;
  gint64 width = 0, height = 0;
  vt_slide_get_level_size(self->slide, 0, &width, &height);
  const gboolean is_outside = right <= 0 || bottom <= 0 || left >= (double)width || top >= (double)height;
  const gboolean is_inside =
    left >= -0.5 && top >= -0.5 && right <= (double)width + 0.5 && bottom <= (double)height + 0.5;
  g_autofree char *text = g_strdup_printf(
    is_outside  ? _("It lies outside of the slide: x %.10g to %.10g, y %.10g to %.10g of %.10g × %.10g.")
    : is_inside ? _("It covers x %.10g to %.10g, y %.10g to %.10g of the slide’s %.10g × %.10g.")
                : _("It reaches beyond the slide: x %.10g to %.10g, y %.10g to %.10g of %.10g × %.10g."),
    round(left), round(right), round(top), round(bottom), (double)width, (double)height);
  gtk_label_set_text(self->where, text);
  adw_message_dialog_set_response_enabled(self->dialog, "open", !is_outside);
  show_pixel(self, choice.place.downsample);
}

static char *
dup_body(const VtLabelImage *image, VtLabelGuess guess)
{
  const char *const words[] = { [VT_LABELS_AS_FILE_SAYS] = _("The place is what the file says."),
                                [VT_LABELS_OVER_SLIDE] =
                                  _("It has the proportions of the slide, so it is laid over all of it."),
                                [VT_LABELS_UNKNOWN] = _("The file does not say where it lies: please check.") };
  GString *text = g_string_new(NULL);
  g_string_append_printf(text,
                         g_dngettext(NULL, "%s has %.10g × %.10g pixels and %u label. ",
                                     "%s has %.10g × %.10g pixels and %u labels. ", image->n_labels),
                         image->file, (double)image->raster->width, (double)image->raster->height, image->n_labels);
  if (image->n_pages > 1)
    g_string_append_printf(text, _("It has %u pages, of which the first is read. "), image->n_pages);
  if (image->is_turned)
    g_string_append(text, _("It says that it is to be turned or mirrored; it is read as it is stored. "));
  g_string_append(text, words[guess]);
  return g_string_free(text, FALSE);
}

static void
answered(AdwMessageDialog *dialog, const char *response, Dialog *self)
{
  const gboolean is_open = g_str_equal(response, "open");
  gtk_spin_button_update(self->pixel);
  gtk_spin_button_update(self->x);
  gtk_spin_button_update(self->y);
  const VtLabelChoice choice = get_choice(self);
  if (is_open)
    vt_test_log("labels-chosen %.6g %.6g %.6g %d%s", choice.place.x_l0, choice.place.y_l0, choice.place.downsample,
                choice.by_piece, choice.as_objects ? " objects" : "");
  self->chosen(is_open ? &choice : NULL, self->user);
}

static void
dialog_free(gpointer data, GClosure *closure)
{
  g_free(data);
}

static GtkSpinButton *
add_spin(Dialog *self, AdwPreferencesGroup *group, const char *title, const char *subtitle, double least, double most,
         double value)
{
  GtkWidget *row = adw_action_row_new(), *spin = gtk_spin_button_new_with_range(least, most, 1);
  g_autofree char *name = g_strdup_printf("%s: %s", title, subtitle);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), title);
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), subtitle);
  gtk_spin_button_set_digits(GTK_SPIN_BUTTON(spin), DIGITS);
  gtk_spin_button_set_update_policy(GTK_SPIN_BUTTON(spin), GTK_UPDATE_IF_VALID);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(spin), value);
  gtk_editable_set_width_chars(GTK_EDITABLE(spin), 14);
  gtk_text_set_activates_default(GTK_TEXT(gtk_editable_get_delegate(GTK_EDITABLE(spin))), TRUE);
  gtk_widget_set_valign(spin, GTK_ALIGN_CENTER);
  vt_widget_set_accessible_label(spin, name);
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), spin);
  adw_preferences_group_add(group, row);
  g_signal_connect_swapped(spin, "value-changed", G_CALLBACK(show_place), self);
  return GTK_SPIN_BUTTON(spin);
}

static void
add_pieces(Dialog *self, AdwPreferencesGroup *group)
{
  if (self->image->n_pieces == self->image->n_labels)
    return;
  GtkWidget *row = adw_action_row_new(), *toggle = gtk_switch_new();
  g_autofree char *subtitle = g_strdup_printf(
    _("%u pieces of pixels that share edges, instead of one object for each label"), self->image->n_pieces);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), _("Each piece is an object"));
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), subtitle);
  gtk_widget_set_valign(toggle, GTK_ALIGN_CENTER);
  vt_widget_set_accessible_label(toggle, _("Each piece is an object"));
  gtk_switch_set_active(GTK_SWITCH(toggle), self->image->n_labels == 1); /* a mask */
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), toggle);
  adw_action_row_set_activatable_widget(ADW_ACTION_ROW(row), toggle);
  adw_preferences_group_add(group, row);
  self->by_piece = GTK_SWITCH(toggle);
}

/* More objects than can be regions are measured, unless a person thinks otherwise. */
static void
add_kind(Dialog *self, AdwPreferencesGroup *group)
{
  const char *const titles[] = { [AS_REGIONS] = _("Regions"), [AS_OBJECTS] = _("Objects to measure"), NULL };
  GtkWidget *row = adw_action_row_new(), *kind = gtk_drop_down_new_from_strings(titles);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), _("Open as"));
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), _("Objects have shape and stains in the table, plots and gates"));
  gtk_widget_set_valign(kind, GTK_ALIGN_CENTER);
  vt_widget_set_accessible_label(kind, _("Open as"));
  gtk_drop_down_set_selected(GTK_DROP_DOWN(kind), self->image->n_labels > self->most_regions ? AS_OBJECTS : AS_REGIONS);
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), kind);
  adw_action_row_set_activatable_widget(ADW_ACTION_ROW(row), kind);
  adw_preferences_group_add(group, row);
  self->kind = GTK_DROP_DOWN(kind);
}

static GtkWidget *
make_rows(Dialog *self, const VtLabelPlace *place)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
  AdwPreferencesGroup *group = ADW_PREFERENCES_GROUP(adw_preferences_group_new());
  self->where = GTK_LABEL(gtk_label_new(NULL));
  gtk_label_set_wrap(self->where, TRUE);
  gtk_label_set_xalign(self->where, 0);
  gtk_label_set_width_chars(self->where, 40);
  self->pixel = add_spin(self, group, _("Size of a pixel"), _("In pixels of the slide"), VT_LABEL_LEAST_PIXEL,
                         VT_LABEL_LARGEST_PIXEL, place->downsample);
  self->pixel_row = ADW_ACTION_ROW(gtk_widget_get_ancestor(GTK_WIDGET(self->pixel), ADW_TYPE_ACTION_ROW));
  self->x = add_spin(self, group, _("Left edge"), _("x, in pixels of the slide"), -VT_LABEL_FARTHEST, VT_LABEL_FARTHEST,
                     place->x_l0);
  self->y = add_spin(self, group, _("Upper edge"), _("y, in pixels of the slide"), -VT_LABEL_FARTHEST,
                     VT_LABEL_FARTHEST, place->y_l0);
  add_pieces(self, group);
  if (self->most_regions > 0)
    add_kind(self, group);
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(group));
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(self->where));
  return box;
}

void
vt_labels_dialog_show(GtkWindow *parent, const VtLabelImage *image, VtSlide *slide, guint most_regions,
                      VtLabelsChosen chosen, gpointer user)
{
  Dialog *self = g_new0(Dialog, 1);
  VtLabelPlace place;
  gint64 width = 0, height = 0;
  *self = (Dialog){ .image = image, .slide = slide, .most_regions = most_regions, .chosen = chosen, .user = user };
  vt_slide_get_level_size(slide, 0, &width, &height);
  const VtLabelGuess guess = vt_label_image_guess(image, width, height, &place);
  g_autofree char *body = dup_body(image, guess);
  self->dialog = ADW_MESSAGE_DIALOG(adw_message_dialog_new(parent, _("How the Labels Lie on the Slide"), body));
  adw_message_dialog_set_extra_child(self->dialog, make_rows(self, &place));
  adw_message_dialog_add_responses(self->dialog, "cancel", _("_Cancel"), "open", _("_Open"), NULL);
  adw_message_dialog_set_response_appearance(self->dialog, "open", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response(self->dialog, "open");
  adw_message_dialog_set_close_response(self->dialog, "cancel");
  g_signal_connect_data(self->dialog, "response", G_CALLBACK(answered), self, dialog_free, 0);
  show_place(self);
  vt_test_log("labels-dialog %u %u %.6g %.6g %.6g", image->n_labels, image->n_pieces, place.x_l0, place.y_l0,
              place.downsample);
  gtk_window_present(GTK_WINDOW(self->dialog));
}
