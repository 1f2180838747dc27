/* SPDX-License-Identifier: MIT */
#include <glib/gi18n.h>

#include "common/vt-widgets.h"
#include "panels/vt-object-lines-private.h"
#include "panels/vt-object-picture.h"

enum {
  FIRST_HEIGHT_PX = 21, /* of a row, until one is measured */
  N_SAMPLED = 16        /* rows that tell how wide a column is before its cells are seen */
};

/* --- the rows of GTK's list --- */

static void
setup_row(GtkSignalListItemFactory *factory, GtkListItem *item, VtObjectLines *self)
{
  VtObjectLine *line = g_object_new(VT_TYPE_OBJECT_LINE, NULL);
  line->lines = self;
  g_set_weak_pointer(&line->item, item);
  g_ptr_array_add(self->all, line);
  gtk_list_item_set_child(item, GTK_WIDGET(line));
  g_signal_connect_object(item, "notify::selected", G_CALLBACK(vt_object_line_fill_soon), line, G_CONNECT_SWAPPED);
}

/* GTK calls a row by its class. */
static void
call_row(VtObjectLines *self, GtkWidget *row, guint index)
{
  const VtColumns *columns = vt_object_rows_get_columns(self->rows);
  const VtObject *object = columns && index < columns->objects->len ? columns->objects->pdata[index] : NULL;
  const gpointer called = object ? GSIZE_TO_POINTER((gsize)object->id + 1) : NULL;
  if (!object || g_object_get_data(G_OBJECT(row), "called") == called)
    return;
  g_autofree char *number = g_strdup_printf("%'" G_GINT64_FORMAT, object->id);
  g_autofree char *name = g_strdup_printf(_("Object %s"), number);
  g_object_set_data(G_OBJECT(row), "called", called);
  vt_widget_set_accessible_label(row, name);
}

static void
bind_row(GtkSignalListItemFactory *factory, GtkListItem *item, VtObjectLines *self)
{
  VtObjectLine *line = VT_OBJECT_LINE(gtk_list_item_get_child(item));
  GtkWidget *row = vt_object_line_get_row(line);
  if (!line->is_watching)
    g_signal_connect_object(row, "notify::has-focus", G_CALLBACK(vt_object_line_fill_soon), line, G_CONNECT_SWAPPED);
  line->is_watching = TRUE;
  call_row(self, row, vt_object_row_get_index(gtk_list_item_get_item(item)));
  vt_object_line_fill_soon(line);
}

/* It may wait for another row while there are other objects. */
static void
unbind_row(GtkSignalListItemFactory *factory, GtkListItem *item, VtObjectLines *self)
{
  vt_object_line_empty(VT_OBJECT_LINE(gtk_list_item_get_child(item)));
}

/* --- where the columns are --- */

typedef struct {
  GtkWidget *widget;
  double x_px, width_px;
} Title;

static int
compare_titles(gconstpointer a, gconstpointer b, gpointer is_mirrored)
{
  const Title *one = is_mirrored ? b : a, *other = is_mirrored ? a : b;
  return (one->x_px > other->x_px) - (one->x_px < other->x_px);
}

/* GTK does not tell where a column is, but titles lie side by side in the order of the columns that are shown, though they are not in that order among the
 * children of their row. NULL: one is being dragged. */
static GArray *
read_titles(VtObjectLines *self)
{
  g_autoptr(GArray) titles = g_array_new(FALSE, FALSE, sizeof(Title));
  GtkWidget *header = gtk_widget_get_first_child(GTK_WIDGET(self->heads));
  VT_EACH_CHILD (widget, header) {
    graphene_rect_t bounds;
    if (!gtk_widget_get_visible(widget) || !gtk_widget_compute_bounds(widget, header, &bounds))
      continue;
    if (gtk_widget_has_css_class(widget, "dnd"))
      return NULL;
    const Title title = { widget, bounds.origin.x, bounds.size.width };
    g_array_append_val(titles, title);
  }
  g_array_sort_with_data(titles, compare_titles, GINT_TO_POINTER(gtk_widget_get_direction(header) == GTK_TEXT_DIR_RTL));
  return g_steal_pointer(&titles);
}

static GArray *
read_slots(VtObjectLines *self, const GArray *titles)
{
  GArray *slots = g_array_new(FALSE, FALSE, sizeof(VtObjectSlot));
  GListModel *columns = gtk_column_view_get_columns(self->heads);
  GtkAdjustment *across = gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(self->view));
  const double left = gtk_adjustment_get_value(across), right = left + gtk_adjustment_get_page_size(across);
  for (guint i = 0; i < g_list_model_get_n_items(columns) && slots->len < titles->len; i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    const Title *title = &g_array_index(titles, Title, slots->len);
    const VtObjectSlot slot = {
      column,           title->widget,        g_intern_string(g_object_get_data(G_OBJECT(column), "name")),
      (int)title->x_px, (int)title->width_px, title->x_px < right && title->x_px + title->width_px > left
    };
    if (gtk_column_view_column_get_visible(column))
      g_array_append_val(slots, slot);
  }
  return slots;
}

static gboolean
are_same(const GArray *a, const GArray *b)
{
  gboolean same = a->len == b->len;
  for (guint i = 0; i < a->len && same; i++) {
    const VtObjectSlot *one = &g_array_index(a, VtObjectSlot, i), *other = &g_array_index(b, VtObjectSlot, i);
    same = one->column == other->column && one->title == other->title && one->x_px == other->x_px
           && one->width_px == other->width_px && one->is_seen == other->is_seen;
  }
  return same;
}

static void
resize_all(VtObjectLines *self)
{
  for (guint i = 0; i < self->all->len; i++)
    gtk_widget_queue_resize(self->all->pdata[i]);
}

/* FALSE: a head is being dragged, and the slots are as they were; their columns may be gone. */
static gboolean
follow_heads(VtObjectLines *self)
{
  g_autoptr(GArray) titles = read_titles(self), former = titles ? self->slots : NULL;
  if (!titles)
    return FALSE;
  self->slots = read_slots(self, titles);
  int width = 0;
  for (guint i = 0; i < self->slots->len; i++)
    width += g_array_index(self->slots, VtObjectSlot, i).width_px;
  if (!are_same(former, self->slots))
    self->generation++;
  if (width != self->width_px) {
    self->width_px = width;
    resize_all(self);
  }
  return TRUE;
}

/* --- how wide they are --- */

void
vt_object_lines_note_width(VtObjectLines *self, const char *name, int width_px)
{
  if (width_px > GPOINTER_TO_INT(g_hash_table_lookup(self->widest, name)))
    g_hash_table_insert(self->widest, (gpointer)name, GINT_TO_POINTER(width_px));
}

/* Of a column whose cells nobody has seen yet: it keeps its place when they come into sight. */
static void
sample(VtObjectLines *self, VtColumns *columns, const VtObjectSlot *slot)
{
  const gint column = vt_columns_find(columns, slot->name);
  const guint step = self->all->len / N_SAMPLED + 1;
  if (column < 0)
    return;
  g_autoptr(PangoLayout) layout = vt_object_cell_lay_out(GTK_WIDGET(self->view), NULL);
  for (guint i = 0; i < self->all->len; i += step) {
    const VtObjectLine *line = self->all->pdata[i];
    VtObjectRow *row = line->item ? gtk_list_item_get_item(line->item) : NULL;
    if (!row || vt_object_row_get_index(row) >= columns->objects->len)
      continue;
    g_autofree char *text = vt_object_cell_dup_text(columns, vt_object_row_get_index(row), (guint)column);
    int width;
    pango_layout_set_text(layout, text, -1);
    pango_layout_get_pixel_size(layout, &width, NULL);
    vt_object_lines_note_width(self, slot->name, width);
  }
}

static void
sample_new(VtObjectLines *self)
{
  VtColumns *columns = vt_object_rows_get_columns(self->rows);
  if (self->of != columns)
    g_hash_table_remove_all(self->widest);
  self->of = columns;
  for (guint i = 0; columns && i < self->slots->len; i++) {
    const VtObjectSlot *slot = &g_array_index(self->slots, VtObjectSlot, i);
    if (!g_hash_table_contains(self->widest, slot->name))
      sample(self, columns, slot);
  }
}

/* What a cell has beside its text. */
static int
get_margin_px(GtkWidget *cell)
{
  GtkBorder padding, margin;
  GtkStyleContext *style = gtk_widget_get_style_context(cell);
  gtk_style_context_get_padding(style, &padding);
  gtk_style_context_get_margin(style, &margin);
  return padding.left + padding.right + margin.left + margin.right;
}

/* A head is as wide as the widest cell below it, unless a person made it as wide as it is. */
static void
widen_heads(VtObjectLines *self, GtkWidget *cell)
{
  const int margin = get_margin_px(cell);
  for (guint i = 0; i < self->slots->len; i++) {
    const VtObjectSlot *slot = &g_array_index(self->slots, VtObjectSlot, i);
    const int widest = vt_object_line_is_picture(slot->name)
                         ? VT_OBJECT_PICTURE_PX
                         : GPOINTER_TO_INT(g_hash_table_lookup(self->widest, slot->name));
    const int want = gtk_column_view_column_get_fixed_width(slot->column) >= 0 || widest == 0 ? -1 : widest + margin;
    int now;
    gtk_widget_get_size_request(slot->title, &now, NULL);
    if (now != want)
      gtk_widget_set_size_request(slot->title, want, -1);
  }
}

/* --- what is in sight --- */

static gboolean
is_in_sight(VtObjectLines *self, GtkWidget *line)
{
  graphene_rect_t bounds;
  return gtk_widget_compute_bounds(line, GTK_WIDGET(self->view), &bounds) && bounds.size.height > 0
         && bounds.origin.y < (float)gtk_widget_get_height(GTK_WIDGET(self->view))
         && bounds.origin.y + bounds.size.height > 0;
}

static void
set_height(VtObjectLines *self, GtkWidget *cell)
{
  int height;
  gtk_widget_measure(cell, GTK_ORIENTATION_VERTICAL, -1, NULL, &height, NULL, NULL);
  if (height == self->height_px)
    return;
  self->height_px = height;
  resize_all(self);
}

/* Where a scrollbar takes room beside the rows, the heads leave it, too: they go as far sideways as the rows. */
static void
leave_room(VtObjectLines *self)
{
  GtkWidget *around = gtk_widget_get_parent(GTK_WIDGET(self->heads));
  const int bar =
    gtk_widget_get_width(gtk_widget_get_parent(GTK_WIDGET(self->view))) - gtk_widget_get_width(GTK_WIDGET(self->view));
  if (bar != gtk_widget_get_margin_end(around))
    gtk_widget_set_margin_end(around, bar);
}

/* After a layout, before anything of it is drawn: what this changes is laid out in the same frame. */
static void
look(VtObjectLines *self)
{
  GtkWidget *cell = NULL;
  if (!gtk_widget_get_mapped(GTK_WIDGET(self->view)))
    return;
  leave_room(self);
  const gboolean is_followed = follow_heads(self);
  sample_new(self);
  for (guint i = 0; i < self->all->len; i++) {
    VtObjectLine *line = self->all->pdata[i];
    const gboolean is_seen = line->item && is_in_sight(self, GTK_WIDGET(line));
    if (!is_seen)
      vt_object_line_empty(line);
    else if (line->filled != self->generation)
      vt_object_line_fill(line);
    cell = is_seen && !cell ? vt_object_line_get_cell(line) : cell;
  }
  if (!cell)
    return;
  set_height(self, cell);
  if (is_followed)
    widen_heads(self, cell);
}

static void
on_realize(VtObjectLines *self)
{
  self->clock = gtk_widget_get_frame_clock(GTK_WIDGET(self->view));
  g_signal_connect_data(self->clock, "layout", G_CALLBACK(look), self, NULL, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}

static void
on_unrealize(VtObjectLines *self)
{
  g_signal_handlers_disconnect_by_data(self->clock, self);
  self->clock = NULL;
}

/* --- from side to side --- */

static void
move(VtObjectLines *self, GtkColumnView *to, GtkColumnView *from)
{
  if (self->is_moving)
    return;
  self->is_moving = TRUE;
  gtk_adjustment_set_value(gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(to)),
                           gtk_adjustment_get_value(gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(from))));
  self->is_moving = FALSE;
}

static void
on_view_moved(VtObjectLines *self)
{
  move(self, self->heads, self->view);
  gtk_widget_queue_allocate(GTK_WIDGET(self->view));
}

/* A column that is dragged to an edge moves the heads. */
static void
on_heads_moved(VtObjectLines *self)
{
  move(self, self->view, self->heads);
}

/* A click on a head gives the rows the keyboard, as a GtkColumnView with rows does. */
static void
on_heads_clicked(VtObjectLines *self)
{
  if (gtk_widget_get_can_focus(GTK_WIDGET(self->view)) && !gtk_widget_get_focus_child(GTK_WIDGET(self->view)))
    gtk_widget_child_focus(GTK_WIDGET(self->view), GTK_DIR_TAB_FORWARD);
}

VtObjectLines *
vt_object_lines_new(GtkColumnView *heads, GtkColumnView *view, VtObjectRows *rows, VtObjectBars *bars)
{
  VtObjectLines *self = g_new0(VtObjectLines, 1);
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  GtkGesture *click = gtk_gesture_click_new();
  *self = (VtObjectLines){ heads, view, rows, bars, .generation = 1, .height_px = FIRST_HEIGHT_PX };
  self->all = g_ptr_array_new();
  self->slots = g_array_new(FALSE, FALSE, sizeof(VtObjectSlot));
  self->widest = g_hash_table_new(NULL, NULL);
  g_signal_connect(factory, "setup", G_CALLBACK(setup_row), self);
  g_signal_connect(factory, "bind", G_CALLBACK(bind_row), self);
  g_signal_connect(factory, "unbind", G_CALLBACK(unbind_row), self);
  g_autoptr(GtkColumnViewColumn) line = gtk_column_view_column_new(NULL, factory);
  gtk_column_view_append_column(view, line);
  gtk_widget_set_visible(gtk_widget_get_first_child(GTK_WIDGET(view)), FALSE); /* its own head */
  g_signal_connect_swapped(view, "realize", G_CALLBACK(on_realize), self);
  g_signal_connect_swapped(view, "unrealize", G_CALLBACK(on_unrealize), self);
  g_signal_connect_swapped(gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(view)), "value-changed",
                           G_CALLBACK(on_view_moved), self);
  g_signal_connect_swapped(gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(heads)), "value-changed",
                           G_CALLBACK(on_heads_moved), self);
  g_signal_connect_swapped(click, "pressed", G_CALLBACK(on_heads_clicked), self);
  gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(click), GTK_PHASE_CAPTURE);
  gtk_widget_add_controller(GTK_WIDGET(heads), GTK_EVENT_CONTROLLER(click));
  return self;
}

void
vt_object_lines_free(VtObjectLines *self)
{
  for (guint i = 0; i < self->all->len; i++)
    ((VtObjectLine *)self->all->pdata[i])->lines = NULL;
  if (self->clock)
    on_unrealize(self);
  g_ptr_array_unref(self->all);
  g_array_unref(self->slots);
  g_hash_table_unref(self->widest);
  g_free(self);
}

void
vt_object_lines_set_analysis(VtObjectLines *self, VtAnalysis *analysis)
{
  self->analysis = analysis;
}
