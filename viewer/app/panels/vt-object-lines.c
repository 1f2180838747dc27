/* SPDX-License-Identifier: MIT */
#include "panels/vt-object-lines.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "common/vt-widgets.h"
#include "panels/vt-object-picture.h"

enum {
  FIRST_HEIGHT_PX = 21, /* of a row, until one is measured */
  N_SAMPLED = 16        /* rows that tell how wide a column is before its cells are seen */
};

/* A column that is shown. */
typedef struct {
  GtkColumnViewColumn *column; /* borrowed */
  GtkWidget *title;            /* borrowed */
  const char *name;            /* interned */
  int x_px, width_px;          /* from the start of a row */
  gboolean is_seen;            /* some of it is in sight from side to side */
} Slot;

struct _VtObjectLines {
  GtkColumnView *heads, *view; /* borrowed */
  VtObjectRows *rows;          /* borrowed */
  VtObjectBars *bars;          /* borrowed */
  VtAnalysis *analysis;        /* borrowed, or NULL */
  GPtrArray *all;              /* VtObjectLine that there are; borrowed */
  GArray *slots;               /* Slot from left to right */
  guint generation;            /* of the slots: rows whose cells are of another one are to be filled; from 1 on */
  int width_px, height_px;     /* of a row */
  GHashTable
    *widest; /* int, logical pixels, of names: the widest text so far of `of`, so that few texts move columns */
  const VtColumns *of;  /* not owned, only compared */
  GdkFrameClock *clock; /* or NULL */
  gboolean is_moving;   /* one view, after the other one */
};

/* --- a row --- */

typedef struct {
  GtkWidget *widget;
  const char *name; /* of its column; interned */
  guint slot;
} Cell;

#define VT_TYPE_OBJECT_LINE (vt_object_line_get_type())
G_DECLARE_FINAL_TYPE(VtObjectLine, vt_object_line, VT, OBJECT_LINE, GtkWidget)

struct _VtObjectLine {
  GtkWidget parent;
  VtObjectLines *lines;
  GtkListItem *item; /* weak */
  GArray *cells;     /* Cell from left to right */
  guint filled;      /* generation of which its cells are; 0: they are to be filled */
  gboolean is_shown; /* its cells are */
};

G_DEFINE_FINAL_TYPE(VtObjectLine, vt_object_line, GTK_TYPE_WIDGET)

static gboolean
is_picture(const char *name)
{
  return g_str_equal(name, VT_OBJECT_PICTURE_COLUMN);
}

static GtkWidget *
new_cell(VtObjectLines *lines, const char *name)
{
  if (is_picture(name)) {
    GtkWidget *holder = g_object_new(ADW_TYPE_BIN, "css-name", "cell", NULL);
    adw_bin_set_child(ADW_BIN(holder), g_object_new(VT_TYPE_OBJECT_PICTURE, NULL));
    return holder;
  }
  GtkWidget *cell = g_object_new(VT_TYPE_OBJECT_CELL, NULL);
  vt_object_bars_add(lines->bars, VT_OBJECT_CELL(cell));
  return cell;
}

/* One of `former` that may show that column: its own first; else any other of its kind, if `any`. NULL: there is none. */
static GtkWidget *
take_cell(GArray *former, const char *name, gboolean any)
{
  for (guint i = 0; i < former->len; i++) {
    Cell *cell = &g_array_index(former, Cell, i);
    if (cell->widget && (cell->name == name || (any && is_picture(cell->name) == is_picture(name))))
      return g_steal_pointer(&cell->widget);
  }
  return NULL;
}

static void
put_in_order(VtObjectLine *self)
{
  GtkWidget *before = NULL;
  for (guint i = 0; i < self->cells->len; i++) {
    const Cell *cell = &g_array_index(self->cells, Cell, i);
    if (!gtk_widget_get_parent(cell->widget) || gtk_widget_get_prev_sibling(cell->widget) != before)
      gtk_widget_insert_after(cell->widget, GTK_WIDGET(self), before);
    (cell->slot == 0 ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(cell->widget, "first");
    before = cell->widget;
  }
}

/* Other columns are in sight. Cells of columns that went show those that came. */
static void
choose_cells(VtObjectLine *self, gboolean all)
{
  const GArray *slots = self->lines->slots;
  g_autoptr(GArray) former = self->cells;
  self->cells = g_array_new(FALSE, FALSE, sizeof(Cell));
  for (guint i = 0; i < slots->len; i++) {
    const Slot *slot = &g_array_index(slots, Slot, i);
    const Cell cell = { NULL, slot->name, i };
    if (all || slot->is_seen)
      g_array_append_val(self->cells, cell);
  }
  for (guint any = 0; any < 2; any++)
    for (guint i = 0; i < self->cells->len; i++) {
      Cell *cell = &g_array_index(self->cells, Cell, i);
      cell->widget = cell->widget ? cell->widget : take_cell(former, cell->name, any);
    }
  for (guint i = 0; i < former->len; i++)
    if (g_array_index(former, Cell, i).widget)
      gtk_widget_unparent(g_array_index(former, Cell, i).widget);
  for (guint i = 0; i < self->cells->len; i++) {
    Cell *cell = &g_array_index(self->cells, Cell, i);
    cell->widget = cell->widget ? cell->widget : new_cell(self->lines, cell->name);
  }
  put_in_order(self);
  gtk_widget_queue_allocate(GTK_WIDGET(self));
}

static void
note_width(VtObjectLines *lines, const char *name, int width)
{
  if (width > GPOINTER_TO_INT(g_hash_table_lookup(lines->widest, name)))
    g_hash_table_insert(lines->widest, (gpointer)name, GINT_TO_POINTER(width));
}

/* columns NULL: nothing. */
static void
show_cell(VtObjectLines *lines, const Cell *cell, VtColumns *columns, guint index)
{
  const gboolean is_there = columns && index < columns->objects->len;
  const gint column = columns ? vt_columns_find(columns, cell->name) : -1;
  if (is_picture(cell->name)) {
    VtObjectPicture *picture = VT_OBJECT_PICTURE(adw_bin_get_child(ADW_BIN(cell->widget)));
    vt_object_picture_show(picture, lines->analysis ? vt_analysis_get_slide(lines->analysis) : NULL,
                           is_there ? columns->objects->pdata[index] : NULL);
    return;
  }
  vt_object_cell_show(VT_OBJECT_CELL(cell->widget), column < 0 ? NULL : columns, index, (guint)column);
  vt_object_bars_show(lines->bars, VT_OBJECT_CELL(cell->widget), column < 0 ? NULL : columns, index, (guint)column);
  if (column >= 0)
    note_width(lines, cell->name, vt_object_cell_get_text_width(VT_OBJECT_CELL(cell->widget)));
}

static void
show_cells(VtObjectLine *self, gboolean shown)
{
  self->is_shown = shown;
  for (guint i = 0; i < self->cells->len; i++)
    gtk_widget_set_child_visible(g_array_index(self->cells, Cell, i).widget, shown);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* It comes into sight, or another object is there, or other columns are. */
static void
fill(VtObjectLine *self)
{
  VtObjectLines *lines = self->lines;
  GObject *row = self->item ? gtk_list_item_get_item(self->item) : NULL;
  VtColumns *columns = row ? vt_object_rows_get_columns(lines->rows) : NULL;
  choose_cells(self, self->item && gtk_list_item_get_selected(self->item));
  for (guint i = 0; i < self->cells->len; i++)
    show_cell(lines, &g_array_index(self->cells, Cell, i), columns,
              row ? vt_object_row_get_index(VT_OBJECT_ROW(row)) : 0);
  show_cells(self, TRUE);
  self->filled = lines->generation;
}

/* Out of sight: what it had says nothing, also to screen readers, and holds no objects. */
static void
empty(VtObjectLine *self)
{
  self->filled = 0;
  if (!self->is_shown)
    return;
  show_cells(self, FALSE);
  for (guint i = 0; i < self->cells->len; i++)
    show_cell(self->lines, &g_array_index(self->cells, Cell, i), NULL, 0);
}

static void
fill_soon(VtObjectLine *self)
{
  self->filled = 0;
  gtk_widget_queue_allocate(GTK_WIDGET(self));
}

static void
vt_object_line_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                       int *minimum_baseline, int *natural_baseline)
{
  const VtObjectLines *lines = VT_OBJECT_LINE(widget)->lines;
  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL ? lines->height_px : lines->width_px;
}

static void
vt_object_line_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  const VtObjectLine *self = VT_OBJECT_LINE(widget);
  for (guint i = 0; i < self->cells->len; i++) {
    const Cell *cell = &g_array_index(self->cells, Cell, i);
    if (cell->slot >= self->lines->slots->len)
      continue;
    const Slot *slot = &g_array_index(self->lines->slots, Slot, cell->slot);
    gtk_widget_measure(cell->widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, NULL, NULL, NULL);
    gtk_widget_size_allocate(cell->widget, &(GtkAllocation){ slot->x_px, 0, slot->width_px, height }, -1);
  }
}

static void
vt_object_line_dispose(GObject *object)
{
  VtObjectLine *self = VT_OBJECT_LINE(object);
  if (self->lines)
    g_ptr_array_remove_fast(self->lines->all, self);
  self->lines = NULL;
  g_clear_weak_pointer(&self->item);
  for (guint i = 0; i < self->cells->len; i++)
    gtk_widget_unparent(g_array_index(self->cells, Cell, i).widget);
  g_array_set_size(self->cells, 0);
  G_OBJECT_CLASS(vt_object_line_parent_class)->dispose(object);
}

static void
vt_object_line_finalize(GObject *object)
{
  g_array_unref(VT_OBJECT_LINE(object)->cells);
  G_OBJECT_CLASS(vt_object_line_parent_class)->finalize(object);
}

static void
vt_object_line_class_init(VtObjectLineClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = vt_object_line_dispose;
  G_OBJECT_CLASS(klass)->finalize = vt_object_line_finalize;
  widget_class->measure = vt_object_line_measure;
  widget_class->size_allocate = vt_object_line_size_allocate;
  gtk_widget_class_set_css_name(widget_class, "line");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
vt_object_line_init(VtObjectLine *self)
{
  self->cells = g_array_new(FALSE, FALSE, sizeof(Cell));
}

/* --- the rows of GTK's list --- */

static void
setup_row(GtkSignalListItemFactory *factory, GtkListItem *item, VtObjectLines *self)
{
  VtObjectLine *line = g_object_new(VT_TYPE_OBJECT_LINE, NULL);
  line->lines = self;
  g_set_weak_pointer(&line->item, item);
  g_ptr_array_add(self->all, line);
  gtk_list_item_set_child(item, GTK_WIDGET(line));
  g_signal_connect_object(item, "notify::selected", G_CALLBACK(fill_soon), line, G_CONNECT_SWAPPED);
}

/* GTK calls a row by its class. */
static void
call_row(VtObjectLines *self, GtkWidget *line, guint index)
{
  const VtColumns *columns = vt_object_rows_get_columns(self->rows);
  GtkWidget *row = gtk_widget_get_parent(gtk_widget_get_parent(line));
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
  GtkWidget *line = gtk_list_item_get_child(item);
  call_row(self, line, vt_object_row_get_index(gtk_list_item_get_item(item)));
  fill_soon(VT_OBJECT_LINE(line));
}

/* It may wait for another row while there are other objects. */
static void
unbind_row(GtkSignalListItemFactory *factory, GtkListItem *item, VtObjectLines *self)
{
  empty(VT_OBJECT_LINE(gtk_list_item_get_child(item)));
}

/* --- where the columns are --- */

typedef struct {
  GtkWidget *widget;
  double x_px, width_px;
} Title;

static int
compare_titles(gconstpointer a, gconstpointer b)
{
  const Title *one = a, *other = b;
  return (one->x_px > other->x_px) - (one->x_px < other->x_px);
}

/* GTK does not tell where a column is, but titles are in the order of the columns that are shown, from left to right, though not among the children of
 * their row. NULL: one is being dragged. */
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
  g_array_sort(titles, compare_titles);
  return g_steal_pointer(&titles);
}

static GArray *
read_slots(VtObjectLines *self, const GArray *titles)
{
  GArray *slots = g_array_new(FALSE, FALSE, sizeof(Slot));
  GListModel *columns = gtk_column_view_get_columns(self->heads);
  GtkAdjustment *across = gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(self->view));
  const double left = gtk_adjustment_get_value(across), right = left + gtk_adjustment_get_page_size(across);
  for (guint i = 0; i < g_list_model_get_n_items(columns) && slots->len < titles->len; i++) {
    g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
    const Title *title = &g_array_index(titles, Title, slots->len);
    const Slot slot = {
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
    const Slot *one = &g_array_index(a, Slot, i), *other = &g_array_index(b, Slot, i);
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

static void
follow_heads(VtObjectLines *self)
{
  g_autoptr(GArray) titles = read_titles(self), former = titles ? self->slots : NULL;
  if (!titles)
    return;
  self->slots = read_slots(self, titles);
  const Slot *last = self->slots->len > 0 ? &g_array_index(self->slots, Slot, self->slots->len - 1) : NULL;
  const int width = last ? last->x_px + last->width_px : 0;
  if (!are_same(former, self->slots))
    self->generation++;
  if (width != self->width_px) {
    self->width_px = width;
    resize_all(self);
  }
}

/* --- how wide they are --- */

/* Of a column whose cells nobody has seen yet: it keeps its place when they come into sight. */
static void
sample(VtObjectLines *self, VtColumns *columns, const Slot *slot)
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
    note_width(self, slot->name, width);
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
    const Slot *slot = &g_array_index(self->slots, Slot, i);
    if (!g_hash_table_contains(self->widest, slot->name))
      sample(self, columns, slot);
  }
}

/* What a cell has beside its text. */
static int
get_margin_px(GtkWidget *cell)
{
  GtkBorder padding, border;
  GtkStyleContext *style = gtk_widget_get_style_context(cell);
  gtk_style_context_get_padding(style, &padding);
  gtk_style_context_get_border(style, &border);
  return padding.left + padding.right + border.left + border.right;
}

/* A head is as wide as the widest cell below it, unless a person made it as wide as it is. */
static void
widen_heads(VtObjectLines *self, GtkWidget *cell)
{
  const int margin = get_margin_px(cell);
  for (guint i = 0; i < self->slots->len; i++) {
    const Slot *slot = &g_array_index(self->slots, Slot, i);
    const int widest =
      is_picture(slot->name) ? VT_OBJECT_PICTURE_PX : GPOINTER_TO_INT(g_hash_table_lookup(self->widest, slot->name));
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

/* After a layout, before anything of it is drawn: what this changes is laid out in the same frame. */
static void
look(VtObjectLines *self)
{
  GtkWidget *cell = NULL;
  if (!gtk_widget_get_mapped(GTK_WIDGET(self->view)))
    return;
  follow_heads(self);
  sample_new(self);
  for (guint i = 0; i < self->all->len; i++) {
    VtObjectLine *line = self->all->pdata[i];
    const gboolean is_seen = line->item && is_in_sight(self, GTK_WIDGET(line));
    if (!is_seen)
      empty(line);
    else if (line->filled != self->generation)
      fill(line);
    if (is_seen && line->cells->len > 0)
      cell = g_array_index(line->cells, Cell, line->cells->len - 1).widget;
  }
  if (!cell)
    return;
  set_height(self, cell);
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
  self->slots = g_array_new(FALSE, FALSE, sizeof(Slot));
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
