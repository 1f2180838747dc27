/* SPDX-License-Identifier: MIT */
#include "panels/vt-wrap-layout.h"

#include "base/vt-define.h"

struct _VtWrapLayout {
  GtkLayoutManager parent;
  int spacing;
};

G_DEFINE_FINAL_TYPE(VtWrapLayout, vt_wrap_layout, GTK_TYPE_LAYOUT_MANAGER)

/* From `first` on. The sizes of its children (data: the child) are owned; *rest is the first child of the next line, or NULL. */
static GArray *
fill_line(const VtWrapLayout *self, GtkWidget *first, int width, GtkWidget **rest)
{
  GArray *line = g_array_new(FALSE, TRUE, sizeof(GtkRequestedSize));
  int left = width;
  GtkWidget *child = first;
  for (; child; child = gtk_widget_get_next_sibling(child)) {
    GtkRequestedSize size = { .data = child };
    if (!gtk_widget_should_layout(child))
      continue;
    gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, &size.minimum_size, &size.natural_size, NULL, NULL);
    const int wanted = size.minimum_size + (line->len > 0 ? self->spacing : 0);
    if (line->len > 0 && wanted > left)
      break;
    left -= wanted;
    g_array_append_val(line, size);
  }
  *rest = child;
  return line;
}

/* Minimum sizes become widths. */
static void
share_width(const VtWrapLayout *self, GArray *line, int width)
{
  int left = width - (int)(line->len - 1) * self->spacing, n_expand = 0;
  VT_EACH_IN (GtkRequestedSize, size, line) {
    left -= size->minimum_size;
    n_expand += gtk_widget_compute_expand(size->data, GTK_ORIENTATION_HORIZONTAL);
  }
  left = gtk_distribute_natural_allocation(MAX(left, 0), line->len, (GtkRequestedSize *)(gpointer)line->data);
  VT_EACH_IN (GtkRequestedSize, grown, line)
    if (gtk_widget_compute_expand(grown->data, GTK_ORIENTATION_HORIZONTAL)) {
      const int more = left / n_expand--;
      grown->minimum_size += more;
      left -= more;
    }
}

/* Returns the height. is_placing: its children are allocated there, too. */
static int
lay_line(const VtWrapLayout *self, GtkWidget *widget, const GArray *line, int width, int y, gboolean is_placing)
{
  const gboolean is_mirrored = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL;
  int height = 0, x = 0;
  VT_EACH_IN (const GtkRequestedSize, size, line) {
    int natural;
    gtk_widget_measure(size->data, GTK_ORIENTATION_VERTICAL, size->minimum_size, NULL, &natural, NULL, NULL);
    height = MAX(height, natural);
  }
  VT_EACH_IN (const GtkRequestedSize, placed, line) {
    const int own = placed->minimum_size;
    if (is_placing)
      gtk_widget_size_allocate(placed->data, &(GtkAllocation){ is_mirrored ? width - x - own : x, y, own, height }, -1);
    x += own + self->spacing;
  }
  return height;
}

static int
lay_lines(const VtWrapLayout *self, GtkWidget *widget, int width, gboolean is_placing)
{
  int y = 0;
  for (GtkWidget *next = gtk_widget_get_first_child(widget); next;) {
    g_autoptr(GArray) line = fill_line(self, next, width, &next);
    if (line->len == 0)
      break;
    share_width(self, line, width);
    y += y > 0 ? self->spacing : 0;
    y += lay_line(self, widget, line, width, y, is_placing);
  }
  return y;
}

static GtkSizeRequestMode
get_request_mode(GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
measure(GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
        int *natural, int *minimum_baseline, int *natural_baseline)
{
  VtWrapLayout *self = VT_WRAP_LAYOUT(manager);
  GtkWidget *rest;
  g_autoptr(GArray) all = fill_line(self, gtk_widget_get_first_child(widget), G_MAXINT, &rest);
  int widest = 0, sum = 0;
  VT_EACH_IN (const GtkRequestedSize, size, all) {
    widest = MAX(widest, size->minimum_size);
    sum += size->natural_size + (sum > 0 ? self->spacing : 0);
  }
  const gboolean is_width = orientation == GTK_ORIENTATION_HORIZONTAL;
  *minimum = is_width ? widest : lay_lines(self, widget, for_size < 0 ? sum : for_size, FALSE);
  *natural = is_width ? sum : *minimum;
}

static void
allocate(GtkLayoutManager *manager, GtkWidget *widget, int width, int height, int baseline)
{
  lay_lines(VT_WRAP_LAYOUT(manager), widget, width, TRUE);
}

static void
vt_wrap_layout_class_init(VtWrapLayoutClass *klass)
{
  GtkLayoutManagerClass *manager = GTK_LAYOUT_MANAGER_CLASS(klass);
  manager->get_request_mode = get_request_mode;
  manager->measure = measure;
  manager->allocate = allocate;
}

static void
vt_wrap_layout_init(VtWrapLayout *self)
{
}

GtkLayoutManager *
vt_wrap_layout_new(int spacing)
{
  VtWrapLayout *self = g_object_new(VT_TYPE_WRAP_LAYOUT, NULL);
  self->spacing = spacing;
  return GTK_LAYOUT_MANAGER(self);
}
