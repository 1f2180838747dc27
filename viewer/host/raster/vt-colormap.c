/* SPDX-License-Identifier: MIT */
#include "raster/vt-colormap.h"

#include <math.h>
#include <string.h>

#define N_CONTROLS 32

static const struct {
  const char *id, *title;
} names[VT_N_COLORMAPS] = {
  [VT_COLORMAP_GRAY] = { "gray", "Gray" },
  [VT_COLORMAP_VIRIDIS] = { "viridis", "Viridis" },
  [VT_COLORMAP_MAGMA] = { "magma", "Magma" },
  [VT_COLORMAP_CIVIDIS] = { "cividis", "Cividis" },
  [VT_COLORMAP_DIVERGING] = { "diverging", "Blue – white – red" },
  [VT_COLORMAP_MASK] = { "mask", "Orange" },
  [VT_COLORMAP_MINT] = { "mint", "Mint" },
  [VT_COLORMAP_CRIMSON] = { "crimson", "Crimson" },
  [VT_COLORMAP_BLUE] = { "blue", "Blue" },
  [VT_COLORMAP_BLACK] = { "black", "Black" },
  [VT_COLORMAP_LABELS] = { "labels", "Labels" },
};

/* Viridis and magma: S. van der Walt, N. Smith, E. Firing (2015, CC0). Cividis: Nunez, Anderton, Renslow (2018). Every
 * 8th or 9th of their 256 colours. */
static const guint32 controls[3][N_CONTROLS] = {
  {
    0x440154, 0x470d60, 0x48186a, 0x482475, 0x472e7c, 0x453882, 0x424186, 0x3e4c8a, 0x3a548c, 0x365d8d, 0x32658e,
    0x2e6d8e, 0x2b758e, 0x287d8e, 0x25848e, 0x228c8d, 0x1f948c, 0x1e9c89, 0x20a386, 0x25ab82, 0x2eb37c, 0x3aba76,
    0x48c16e, 0x58c765, 0x69cd5b, 0x7fd34e, 0x93d741, 0xa8db34, 0xbddf26, 0xd5e21a, 0xeae51a, 0xfde725,
  },
  {
    0x000004, 0x030312, 0x0a0822, 0x140e36, 0x1e1149, 0x2a115c, 0x38106c, 0x471078, 0x54137d, 0x601880, 0x6d1d81,
    0x792282, 0x882781, 0x942c80, 0xa1307e, 0xae347b, 0xbd3977, 0xca3e72, 0xd6456c, 0xe24d66, 0xec5860, 0xf3655c,
    0xf8745c, 0xfb835f, 0xfd9266, 0xfea36f, 0xfeb27a, 0xfec185, 0xfecf92, 0xfde0a1, 0xfceeb0, 0xfcfdbf,
  },
  {
    0x00224e, 0x00285b, 0x002e6a, 0x083370, 0x1c396f, 0x293f6e, 0x33446d, 0x3d4a6c, 0x45506c, 0x4d556c, 0x555b6d,
    0x5c616e, 0x646770, 0x6b6d72, 0x727274, 0x787877, 0x807f78, 0x888578, 0x908b78, 0x979177, 0xa09875, 0xa89e73,
    0xb0a571, 0xb9ab6d, 0xc1b26a, 0xcbb965, 0xd3c05f, 0xdcc859, 0xe5cf52, 0xefd748, 0xf8df3c, 0xfee838,
  },
};

const char *
vt_colormap_get_id(VtColormap map)
{
  return names[map].id;
}

const char *
vt_colormap_get_title(VtColormap map)
{
  return names[map].title;
}

VtColormap
vt_colormap_from_id(const char *id)
{
  for (int i = 0; i < VT_N_COLORMAPS; i++)
    if (g_strcmp0(names[i].id, id) == 0)
      return (VtColormap)i;
  return VT_COLORMAP_GRAY;
}

gboolean
vt_colormap_is_continuous(VtColormap map)
{
  return map < VT_COLORMAP_MASK;
}

static guint8
mix(double a, double b, double t)
{
  return (guint8)(a + (b - a) * t + 0.5);
}

static void
mix_rgb(guint32 a, guint32 b, double t, guint8 rgb[3])
{
  for (int c = 0; c < 3; c++)
    rgb[c] = mix(a >> (16 - 8 * c) & 255, b >> (16 - 8 * c) & 255, t);
}

void
vt_colormap_get_color(VtColormap map, double t, guint8 rgb[3])
{
  t = t > 0 ? MIN(t, 1.0) : 0;
  if (map >= VT_COLORMAP_VIRIDIS && map <= VT_COLORMAP_CIVIDIS) {
    const guint32 *table = controls[map - VT_COLORMAP_VIRIDIS];
    const int i = MIN((int)(t * (N_CONTROLS - 1)), N_CONTROLS - 2);
    mix_rgb(table[i], table[i + 1], t * (N_CONTROLS - 1) - i, rgb);
  } else if (map == VT_COLORMAP_DIVERGING) {
    mix_rgb(t < 0.5 ? 0x2166ac : 0xffffff, t < 0.5 ? 0xffffff : 0xb2182b, t < 0.5 ? 2 * t : 2 * t - 1, rgb);
  } else {
    memset(rgb, mix(0, 255, t), 3);
  }
}

/* Neighbouring numbers lie a golden ratio of the colour circle apart; brightness takes three steps. */
void
vt_colormap_get_label_color(gint64 label, guint8 rgb[3])
{
  const double turn = (double)(label & 0xffffff) * 0.61803398874989485, hue = 6 * (turn - floor(turn));
  const double value = 255 - 30 * (double)((label % 3 + 3) % 3), low = value * 0.25;
  for (int c = 0; c < 3; c++) {
    const double distance = fabs(fmod(hue - 2.0 * c + 9, 6) - 3); /* from this channel's peak: 0..3 */
    rgb[c] = (guint8)(low + (value - low) * CLAMP(2 - distance, 0, 1) + 0.5);
  }
}

gboolean
vt_colormap_is_solid(VtColormap map)
{
  return map >= VT_COLORMAP_MASK && map <= VT_COLORMAP_BLACK;
}

/* Orange is Okabe and Ito's (2008). The others have the largest least difference to it, to each other, to stained tissue and to
 * viridis' yellow, in CIELAB, for normal eyes and the three kinds of dichromats (Machado, Oliveira, Fernandes 2009). */
void
vt_colormap_get_solid_color(VtColormap map, guint8 rgb[3])
{
  static const guint32 colors[] = { 0xe69f00, 0x00ffa0, 0xcc0033, 0x0060ff, 0x000000 };
  const guint32 color = colors[map - VT_COLORMAP_MASK];
  for (int c = 0; c < 3; c++)
    rgb[c] = (guint8)(color >> (16 - 8 * c) & 255);
}
