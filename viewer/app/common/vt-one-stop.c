/* SPDX-License-Identifier: MIT */
#include "common/vt-one-stop.h"

#include "base/vt-define.h"

struct _VtOneStop {
  AdwBin parent;
};

G_DEFINE_FINAL_TYPE(VtOneStop, vt_one_stop, ADW_TYPE_BIN)

static gboolean
vt_one_stop_focus(GtkWidget *widget, GtkDirectionType direction)
{
  const gboolean is_tab = direction == GTK_DIR_TAB_FORWARD || direction == GTK_DIR_TAB_BACKWARD;
  return !(is_tab && gtk_widget_get_focus_child(widget))
         && GTK_WIDGET_CLASS(vt_one_stop_parent_class)->focus(widget, direction);
}

static void
vt_one_stop_class_init(VtOneStopClass *klass)
{
  GTK_WIDGET_CLASS(klass)->focus = vt_one_stop_focus;
}

VT_EMPTY_INIT(VtOneStop, vt_one_stop)
