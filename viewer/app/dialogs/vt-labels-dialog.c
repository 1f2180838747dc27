/* SPDX-License-Identifier: MIT */
#include "dialogs/vt-labels-dialog.h"

#include <glib/gi18n.h>
#include <math.h>

#include "common/vt-template.h"
#include "common/vt-test-log.h"
#include "common/vt-widgets.h"

enum { AS_REGIONS, AS_OBJECTS };

struct _VtLabelsDialog {
  AdwMessageDialog parent;

  /* template */
  AdwActionRow *pixel_row, *pieces_row, *kind_row;
  GtkSpinButton *pixel, *x, *y;
  GtkSwitch *by_piece;
  GtkDropDown *kind;
  GtkLabel *where;

  const VtLabelImage *image;
  VtSlide *slide;
  VtLabelsChosen chosen;
  gpointer user;
};

#define VT_TYPE_LABELS_DIALOG (vt_labels_dialog_get_type())
G_DECLARE_FINAL_TYPE(VtLabelsDialog, vt_labels_dialog, VT, LABELS_DIALOG, AdwMessageDialog)
G_DEFINE_FINAL_TYPE(VtLabelsDialog, vt_labels_dialog, ADW_TYPE_MESSAGE_DIALOG)

static VtLabelChoice
get_choice(VtLabelsDialog *self)
{
  return (VtLabelChoice){ { gtk_spin_button_get_value(self->x), gtk_spin_button_get_value(self->y),
                            gtk_spin_button_get_value(self->pixel) },
                          gtk_drop_down_get_selected(self->kind) == AS_OBJECTS,
                          gtk_switch_get_active(self->by_piece) };
}

static void
show_pixel(VtLabelsDialog *self, double downsample)
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
show_place(VtLabelsDialog *self)
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
  adw_message_dialog_set_response_enabled(ADW_MESSAGE_DIALOG(self), "open", !is_outside);
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
answered(VtLabelsDialog *self, const char *response)
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
vt_labels_dialog_class_init(VtLabelsDialogClass *klass)
{
  VT_TEMPLATE(klass, VtLabelsDialog, "vt-labels-dialog", pixel_row, pieces_row, kind_row, pixel, x, y, by_piece, kind,
              where);
  VT_TEMPLATE_CALLBACKS(klass, show_place, answered);
}

static void
vt_labels_dialog_init(VtLabelsDialog *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  vt_widget_set_accessible_label(GTK_WIDGET(self->kind), _("Open as"));
}

static void
set_up_spin(GtkSpinButton *spin, double least, double most, double value)
{
  AdwActionRow *row = ADW_ACTION_ROW(gtk_widget_get_ancestor(GTK_WIDGET(spin), ADW_TYPE_ACTION_ROW));
  g_autofree char *name = g_strdup_printf("%s: %s", adw_preferences_row_get_title(ADW_PREFERENCES_ROW(row)),
                                          adw_action_row_get_subtitle(row));
  gtk_spin_button_set_range(spin, least, most);
  gtk_spin_button_set_increments(spin, 1, 10);
  gtk_spin_button_set_value(spin, value);
  gtk_text_set_activates_default(GTK_TEXT(gtk_editable_get_delegate(GTK_EDITABLE(spin))), TRUE);
  vt_widget_set_accessible_label(GTK_WIDGET(spin), name);
}

static void
set_up_pieces(VtLabelsDialog *self)
{
  const guint n = self->image->n_pieces;
  g_autofree char *subtitle =
    g_strdup_printf(_("%u pieces of pixels that share edges, instead of one object for each label"), n);
  adw_action_row_set_subtitle(self->pieces_row, subtitle);
  gtk_widget_set_visible(GTK_WIDGET(self->pieces_row), n != self->image->n_labels);
  gtk_switch_set_active(self->by_piece, n != self->image->n_labels && self->image->n_labels == 1); /* a mask */
}

void
vt_labels_dialog_show(GtkWindow *parent, const VtLabelImage *image, VtSlide *slide, guint most_regions,
                      VtLabelsChosen chosen, gpointer user)
{
  VtLabelsDialog *self = g_object_new(VT_TYPE_LABELS_DIALOG, "transient-for", parent, NULL);
  VtLabelPlace place;
  gint64 width = 0, height = 0;
  self->image = image;
  self->slide = slide;
  self->chosen = chosen;
  self->user = user;
  vt_slide_get_level_size(slide, 0, &width, &height);
  const VtLabelGuess guess = vt_label_image_guess(image, width, height, &place);
  g_autofree char *body = dup_body(image, guess);
  adw_message_dialog_set_body(ADW_MESSAGE_DIALOG(self), body);
  set_up_spin(self->pixel, VT_LABEL_LEAST_PIXEL, VT_LABEL_LARGEST_PIXEL, place.downsample);
  set_up_spin(self->x, -VT_LABEL_FARTHEST, VT_LABEL_FARTHEST, place.x_l0);
  set_up_spin(self->y, -VT_LABEL_FARTHEST, VT_LABEL_FARTHEST, place.y_l0);
  set_up_pieces(self);
  /* More objects than can be regions are measured, unless a person thinks otherwise. */
  gtk_widget_set_visible(GTK_WIDGET(self->kind_row), most_regions > 0);
  gtk_drop_down_set_selected(self->kind, most_regions > 0 && image->n_labels > most_regions ? AS_OBJECTS : AS_REGIONS);
  show_place(self);
  vt_test_log("labels-dialog %u %u %.6g %.6g %.6g", image->n_labels, image->n_pieces, place.x_l0, place.y_l0,
              place.downsample);
  gtk_window_present(GTK_WINDOW(self));
}
