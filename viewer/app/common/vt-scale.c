/* SPDX-License-Identifier: MIT */
#include "common/vt-scale.h"

#include <glib/gi18n.h>

#include <math.h>

#define UM_PER_PX_OF_1X 10.0

double
vt_scale_choose_bar(double length_per_px, double max_px)
{
  double longest = length_per_px * max_px;
  double decade = pow(10, floor(log10(longest)));
  /* A hair of tolerance: pow and log10 may land just beside a whole decade. */
  double n = longest / decade * (1 + 1e-9);
  return decade * (n >= 5 ? 5 : n >= 2 ? 2 : 1);
}

char *
vt_scale_dup_length(double length_um)
{
  if (length_um >= 1000)
    return g_strdup_printf("%.4g mm", length_um / 1000);
  if (length_um < 1)
    return g_strdup_printf("%.3g nm", length_um * 1000);
  return g_strdup_printf("%.4g µm", length_um);
}

double
vt_scale_get_magnification(double mpp, double objective_power, double downsample)
{
  return mpp > 0 ? UM_PER_PX_OF_1X / (mpp * downsample) : objective_power / downsample;
}

char *
vt_scale_dup_magnification(double mpp, double objective_power, double downsample)
{
  double magnification = vt_scale_get_magnification(mpp, objective_power, downsample);
  if (magnification <= 0)
    return g_strdup_printf("%.3g %%", 100 / downsample);
  return magnification >= 100 ? g_strdup_printf("%.0f×", magnification) : g_strdup_printf("%.3g×", magnification);
}

double
vt_scale_get_downsample(double mpp, double objective_power, double magnification)
{
  double downsample = mpp > 0 ? UM_PER_PX_OF_1X / (mpp * magnification) : objective_power / magnification;
  /* A slide scanned at 20x says 0.499 µm: its 20x are its own pixels, not a hair less. */
  double whole = downsample >= 1 ? round(downsample) : 1 / round(1 / downsample);
  return downsample > 0 && fabs(downsample / whole - 1) < 0.02 ? whole : downsample;
}

/* A mirror image that was turned to the right is one that was turned to the left and then mirrored: of both the smaller turn is
 * told, with its place in the order. */
char *
vt_scale_dup_turn(double angle, gboolean mirrored)
{
  if (!mirrored)
    return angle != 0 ? g_strdup_printf("  ·  %.4g°", angle) : g_strdup("");
  if (angle == 0)
    return g_strdup(_("  ·  mirrored"));
  return angle <= 180 ? g_strdup_printf(_("  ·  mirrored, then %.4g°"), angle)
                      : g_strdup_printf(_("  ·  %.4g°, then mirrored"), 360 - angle);
}
