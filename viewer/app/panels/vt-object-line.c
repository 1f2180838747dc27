/* SPDX-License-Identifier: MIT */
#include <adwaita.h>

#include "panels/vt-object-lines-private.h"
#include "panels/vt-object-picture.h"

typedef struct {
  GtkWidget *widget;
  const char *name; /* of its column; interned */
  guint slot;
} Cell;

G_DEFINE_FINAL_TYPE(VtObjectLine, vt_object_line, GTK_TYPE_WIDGET)

gboolean
vt_object_line_is_picture(const char *name)
{
  return g_str_equal(name, VT_OBJECT_PICTURE_COLUMN);
}

static GtkWidget *
new_cell(VtObjectLines *lines, const char *name)
{
  if (vt_object_line_is_picture(name)) {
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
    if (cell->widget
        && (cell->name == name || (any && vt_object_line_is_picture(cell->name) == vt_object_line_is_picture(name))))
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

/* Cells of columns that went out of sight show those that came. */
static void
choose_cells(VtObjectLine *self, gboolean all)
{
  const GArray *slots = self->lines->slots;
  if (self->chosen == self->lines->generation && self->has_all == all)
    return;
  self->chosen = self->lines->generation;
  self->has_all = all;
  g_autoptr(GArray) former = self->cells;
  self->cells = g_array_new(FALSE, FALSE, sizeof(Cell));
  for (guint i = 0; i < slots->len; i++) {
    const VtObjectSlot *slot = &g_array_index(slots, VtObjectSlot, i);
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

/* columns NULL: nothing. */
static void
show_cell(VtObjectLines *lines, const Cell *cell, VtColumns *columns, guint index)
{
  const gboolean is_there = columns && index < columns->objects->len;
  const gint column = columns ? vt_columns_find(columns, cell->name) : -1;
  if (vt_object_line_is_picture(cell->name)) {
    VtObjectPicture *picture = VT_OBJECT_PICTURE(adw_bin_get_child(ADW_BIN(cell->widget)));
    vt_object_picture_show(picture, lines->analysis ? vt_analysis_get_slide(lines->analysis) : NULL,
                           is_there ? columns->objects->pdata[index] : NULL);
    return;
  }
  vt_object_cell_show(VT_OBJECT_CELL(cell->widget), column < 0 ? NULL : columns, index, (guint)column);
  vt_object_bars_show(lines->bars, VT_OBJECT_CELL(cell->widget), column < 0 ? NULL : columns, index, (guint)column);
  if (column >= 0)
    vt_object_lines_note_width(lines, cell->name, vt_object_cell_get_text_width(VT_OBJECT_CELL(cell->widget)));
}

/* Its text stays, but nobody sees it, nor do screen readers. */
static void
forget_object(VtObjectLines *lines, const Cell *cell)
{
  if (vt_object_line_is_picture(cell->name))
    vt_object_picture_show(VT_OBJECT_PICTURE(adw_bin_get_child(ADW_BIN(cell->widget))), NULL, NULL);
  else
    vt_object_bars_show(lines->bars, VT_OBJECT_CELL(cell->widget), NULL, 0, 0);
}

static void
show_cells(VtObjectLine *self, gboolean shown)
{
  self->is_shown = shown;
  for (guint i = 0; i < self->cells->len; i++)
    gtk_widget_set_child_visible(g_array_index(self->cells, Cell, i).widget, shown);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

GtkWidget *
vt_object_line_get_row(VtObjectLine *line)
{
  return gtk_widget_get_parent(gtk_widget_get_parent(GTK_WIDGET(line)));
}

void
vt_object_line_fill(VtObjectLine *self)
{
  VtObjectLines *lines = self->lines;
  GObject *row = self->item ? gtk_list_item_get_item(self->item) : NULL;
  VtColumns *columns = row ? vt_object_rows_get_columns(lines->rows) : NULL;
  choose_cells(self,
               row && (gtk_list_item_get_selected(self->item) || gtk_widget_has_focus(vt_object_line_get_row(self))));
  for (guint i = 0; i < self->cells->len; i++)
    show_cell(lines, &g_array_index(self->cells, Cell, i), columns,
              row ? vt_object_row_get_index(VT_OBJECT_ROW(row)) : 0);
  show_cells(self, TRUE);
  self->filled = lines->generation;
}

void
vt_object_line_empty(VtObjectLine *self)
{
  self->filled = 0;
  if (!self->is_shown)
    return;
  show_cells(self, FALSE);
  for (guint i = 0; i < self->cells->len; i++)
    forget_object(self->lines, &g_array_index(self->cells, Cell, i));
}

void
vt_object_line_fill_soon(VtObjectLine *self)
{
  self->filled = 0;
  gtk_widget_queue_allocate(GTK_WIDGET(self));
}

GtkWidget *
vt_object_line_get_cell(VtObjectLine *self)
{
  return self->cells->len > 0 ? g_array_index(self->cells, Cell, self->cells->len - 1).widget : NULL;
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
    const VtObjectSlot *slot = &g_array_index(self->lines->slots, VtObjectSlot, cell->slot);
    int least; /* higher than the row: a picture that was hidden, of a row out of sight */
    gtk_widget_measure(cell->widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, NULL, NULL, NULL);
    gtk_widget_measure(cell->widget, GTK_ORIENTATION_VERTICAL, -1, &least, NULL, NULL, NULL);
    gtk_widget_size_allocate(cell->widget, &(GtkAllocation){ slot->x_px, 0, slot->width_px, MAX(height, least) }, -1);
  }
}

/* Separators are a colour each: as borders of the cells they cost a tenth of a frame that scrolls. */
static void
vt_object_line_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  const VtObjectLine *self = VT_OBJECT_LINE(widget);
  const float height = (float)gtk_widget_get_height(widget);
  GdkRGBA ink;
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &ink);
  ink.alpha *= 0.15f; /* as the theme's */
  GTK_WIDGET_CLASS(vt_object_line_parent_class)->snapshot(widget, snapshot);
  for (guint i = 0; i < self->cells->len && self->is_shown; i++) {
    const Cell *cell = &g_array_index(self->cells, Cell, i);
    if (cell->slot > 0 && cell->slot < self->lines->slots->len) {
      const float x = (float)g_array_index(self->lines->slots, VtObjectSlot, cell->slot).x_px;
      gtk_snapshot_append_color(snapshot, &ink, &GRAPHENE_RECT_INIT(x, 0, 1, height));
    }
  }
}

/* The fonts are others: no column is as wide as it was. */
static void
vt_object_line_system_setting_changed(GtkWidget *widget, GtkSystemSetting setting)
{
  VtObjectLine *self = VT_OBJECT_LINE(widget);
  GTK_WIDGET_CLASS(vt_object_line_parent_class)->system_setting_changed(widget, setting);
  self->lines->of = NULL;
  vt_object_line_fill_soon(self);
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
  widget_class->snapshot = vt_object_line_snapshot;
  widget_class->system_setting_changed = vt_object_line_system_setting_changed;
  gtk_widget_class_set_css_name(widget_class, "line");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GENERIC);
}

static void
vt_object_line_init(VtObjectLine *self)
{
  self->cells = g_array_new(FALSE, FALSE, sizeof(Cell));
}
