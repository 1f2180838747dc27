/* SPDX-License-Identifier: MIT
 *
 * Small things that several widgets need. */
#pragma once
#include <gtk/gtk.h>

/* The wheel scrolls the panel and never changes the value that happens to lie under the pointer. */
void vt_widget_ignore_wheel(GtkWidget *widget);
void vt_widget_set_accessible_label(GtkWidget *widget, const char *label);
/* Of this widget and all in it: a button whose label has a mnemonic is called "_Open Open" otherwise, by its raw label and by the
 * label that is seen. Once for each. */
void vt_widget_mend_mnemonics(GtkWidget *widget);
/* As gtk_widget_set_tooltip_text(), but nothing where it is that text already: GTK opens the tooltip under the pointer anew each
 * time, whatever widget it is of, and GTK 4.8 keeps a pointer to one that was closed so. */
void vt_widget_set_tooltip(GtkWidget *widget, const char *text);

/* Each child of a widget in turn, which stays its child. */
#define VT_EACH_CHILD(child, widget) \
  for (GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(widget)); child; \
       child = gtk_widget_get_next_sibling(child))
void vt_widget_remove_all(GtkWidget *widget);
/* Gives what is in `widget` the action "view.focus": the keyboard goes to `canvas`, which must outlive it. */
void vt_widget_lead_keys_to(GtkWidget *widget, GtkWidget *canvas);
/* A number that was edited gives the keys back to the picture: Enter takes it, Escape puts back what was there when the keyboard
 * came to it. Calls the action "view.focus". */
void vt_spin_button_give_keys_back(GtkSpinButton *spin);
/* What Escape does where the focus is in such a number; FALSE, and nothing, where it is not. The window's own Escape calls it, since
 * keys of actions come before those of widgets. */
gboolean vt_spin_button_take_escape(GtkWidget *focus);
/* Where, in `widget`, the slider's middle is at its lowest value, and how far from there it is at its highest. NULL: the widget is the slider. */
void vt_range_get_track(GtkWidget *widget, GtkRange *slider, double *left, double *width);
/* Both say by a tooltip what they are for. */
GtkButton *vt_button_new_flat(const char *label, const char *help);
GtkToggleButton *vt_toggle_button_new(const char *label, const char *help);
/* Text that is another one with each run or move, for which a label would lay out the window anew: the room grows with it, up to `max_chars`, and stays where
 * another text is shorter. */
void vt_inscription_set_text(GtkInscription *self, const char *text, guint max_chars);
GtkWidget *vt_label_new_dim(const char *text);
/* A line of small text, which loses its beginning where there is no room. */
GtkLabel *vt_label_new_caption(const char *css_class);
/* "12.3 ms", "4.56 s"; owned. */
char *vt_dup_duration(double milliseconds);

/* CSS classes, with a blank between two; "": none. */
void vt_widget_add_classes(GtkWidget *widget, const char *classes);
/* xalign: 0 left, 1 right. */
GtkWidget *vt_label_new(const char *text, float xalign, const char *classes);
/* `action` may be NULL. That with an icon is flat, and is called by its help. */
GtkWidget *vt_button_new(const char *label, const char *help, const char *action);
GtkWidget *vt_button_new_icon(const char *icon, const char *help, const char *action);
/* A box with these children; NULL after the last. */
GtkWidget *vt_box_new(GtkOrientation orientation, int spacing, ...) G_GNUC_NULL_TERMINATED;
/* Makes `button` flat, puts `child` into it, and says what it is for, and what it is called. */
void vt_button_set_up(GtkWidget *button, GtkWidget *child, const char *help, const char *name);
/* A sample of a colour or a line, drawn by `draw` with `number` as its data; NULL: nothing is drawn. */
GtkWidget *vt_swatch_new(GtkDrawingAreaDrawFunc draw, guint number);
/* A line of a card that leads somewhere: a swatch, which `draw` makes with `number` as its user data (NULL: it stays empty), a name and a
 * count. */
GtkWidget *vt_button_new_swatch(GtkDrawingAreaDrawFunc draw, guint number, GtkLabel **name, GtkLabel **count);

/* The scrolled window round the box is seen while a child of it is: an empty one takes the keyboard, and keeps it. */
void vt_box_hide_empty_scroll(GtkBox *box);
/* Colours as 0xrrggbb. */
GdkRGBA vt_rgba_from_packed(gint32 color);
gint32 vt_color_button_get_packed(GtkColorButton *button);
