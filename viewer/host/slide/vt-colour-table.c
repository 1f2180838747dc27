/* SPDX-License-Identifier: MIT */
#include "slide/vt-colour-table.h"

#include <lcms2.h>

static cmsHPROFILE
linear_srgb_new(void)
{
  const cmsCIExyY white = { 0.3127, 0.3290, 1 };
  const cmsCIExyYTRIPLE primaries = { { 0.64, 0.33, 1 }, { 0.30, 0.60, 1 }, { 0.15, 0.06, 1 } };
  cmsToneCurve *line = cmsBuildGamma(NULL, 1), *const curves[3] = { line, line, line };
  cmsHPROFILE profile = cmsCreateRGBProfile(&white, &primaries, curves);
  cmsFreeToneCurve(line);
  return profile;
}

static GBytes *
make_sums(cmsHTRANSFORM transform)
{
  float(*sums)[256][3] = g_malloc0(VT_COLOUR_SUMS_BYTES);
  for (guint channel = 0; channel < 3; channel++) {
    for (guint value = 0; value < 256; value++)
      sums[channel][value][channel] = (float)value / 255;
    cmsDoTransform(transform, sums[channel], sums[channel], 256);
  }
  const float black[3] = { sums[0][0][0], sums[0][0][1], sums[0][0][2] };
  for (guint channel = 1; channel < 3; channel++) /* which is to be added once */
    for (guint value = 0; value < 256; value++)
      for (guint i = 0; i < 3; i++)
        sums[channel][value][i] -= black[i];
  return g_bytes_new_take(sums, VT_COLOUR_SUMS_BYTES);
}

static GBytes *
make_cube(cmsHTRANSFORM transform)
{
  float(*cube)[3] = g_malloc(VT_COLOUR_CUBE_BYTES);
  for (guint i = 0; i < VT_COLOUR_NODES * VT_COLOUR_NODES * VT_COLOUR_NODES; i++) {
    cube[i][0] = (float)vt_colour_get_node(i / (VT_COLOUR_NODES * VT_COLOUR_NODES)) / 255;
    cube[i][1] = (float)vt_colour_get_node(i / VT_COLOUR_NODES % VT_COLOUR_NODES) / 255;
    cube[i][2] = (float)vt_colour_get_node(i % VT_COLOUR_NODES) / 255;
  }
  cmsDoTransform(transform, cube, cube, VT_COLOUR_NODES * VT_COLOUR_NODES * VT_COLOUR_NODES);
  return g_bytes_new_take(cube, VT_COLOUR_CUBE_BYTES);
}

GBytes *
vt_colour_table_new(GBytes *profile)
{
  cmsHTRANSFORM transform = NULL;
  GBytes *table = NULL;
  cmsHPROFILE from = cmsOpenProfileFromMem(g_bytes_get_data(profile, NULL), (cmsUInt32Number)g_bytes_get_size(profile));
  cmsHPROFILE to = linear_srgb_new();
  if (from && to && cmsGetColorSpace(from) == cmsSigRgbData)
    transform = cmsCreateTransform(from, TYPE_BGR_FLT, to, TYPE_BGR_FLT, INTENT_PERCEPTUAL,
                                   cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE);
  if (transform)
    table = cmsIsMatrixShaper(from) && !cmsIsCLUT(from, INTENT_PERCEPTUAL, LCMS_USED_AS_INPUT) ? make_sums(transform)
                                                                                               : make_cube(transform);
  if (transform)
    cmsDeleteTransform(transform);
  if (from)
    cmsCloseProfile(from);
  if (to)
    cmsCloseProfile(to);
  return table;
}
