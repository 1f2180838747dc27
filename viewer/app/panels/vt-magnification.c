/* SPDX-License-Identifier: MIT */
#include "panels/vt-magnification.h"

#include <glib/gi18n.h>
#include <math.h>

#include "common/vt-scale.h"

static const double magnifications[] = { 1, 2.5, 5, 10, 20, 40 };

double
vt_magnification_get_downsample(VtSlide *slide, double magnification)
{
  double mpp, mpp_y;
  vt_slide_get_mpp(slide, &mpp, &mpp_y);
  return vt_scale_get_downsample(mpp, vt_slide_get_objective_power(slide), magnification);
}

double
vt_magnification_find(VtSlide *slide, double downsample)
{
  for (guint i = 0; i < G_N_ELEMENTS(magnifications); i++)
    if (fabs(vt_magnification_get_downsample(slide, magnifications[i]) / downsample - 1) < 1e-6)
      return magnifications[i];
  return 0;
}

GMenu *
vt_magnification_new_menu(void)
{
  GMenu *menu = g_menu_new();
  g_autoptr(GMenu) powers = g_menu_new(), pixels = g_menu_new();
  for (guint i = 0; i < G_N_ELEMENTS(magnifications); i++) {
    g_autofree char *label = g_strdup_printf("%g×", magnifications[i]);
    g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);
    g_menu_item_set_action_and_target(item, "win.magnification", "d", magnifications[i]);
    g_menu_append_item(powers, item);
  }
  g_menu_append(pixels, _("_Whole Slide"), "win.zoom-fit");
  g_menu_append(pixels, _("1:_1"), "win.zoom-one");
  g_menu_append(pixels, _("_2:1"), "win.zoom-two");
  g_menu_append_section(menu, NULL, G_MENU_MODEL(powers));
  g_menu_append_section(menu, NULL, G_MENU_MODEL(pixels));
  return menu;
}
