/* SPDX-License-Identifier: MIT */
#include "base/vt-rect.h"

#include <math.h>

static gboolean
clip_axis(gint64 *start, gint64 *length, gint64 limit)
{
  if (*length <= 0)
    return FALSE;
  const gint64 end = *start > G_MAXINT64 - *length ? G_MAXINT64 : *start + *length;
  *start = MAX(*start, 0);
  *length = MIN(end, limit) - *start;
  return *length > 0;
}

gboolean
vt_rect_clip(VtRect *rect, gint64 width, gint64 height)
{
  return clip_axis(&rect->x, &rect->width, width) && clip_axis(&rect->y, &rect->height, height);
}

VtRect
vt_rect_around(const double box[4])
{
  const gint64 x = (gint64)floor(box[0]), y = (gint64)floor(box[1]);
  return (VtRect){ x, y, (gint64)ceil(box[2]) - x, (gint64)ceil(box[3]) - y };
}

/* Also of the last numbers there are, where n + d - 1 is none. */
static gint64
divide_up(gint64 n, gint64 d)
{
  return n / d + (n % d > 0);
}

VtRect
vt_rect_to_grid(const VtRect *rect, guint d)
{
  const gint64 x = rect->x / d, y = rect->y / d;
  return (VtRect){ x, y, divide_up(rect->x + rect->width, d) - x, divide_up(rect->y + rect->height, d) - y };
}

static gboolean
is_on_axis(gint64 start, gint64 length, gint64 n)
{
  return start >= 0 && length >= 1 && start < n && length <= n - start;
}

gboolean
vt_rect_is_on_grid(const VtRect *rect, gint64 width, gint64 height, guint d)
{
  return d >= 1 && is_on_axis(rect->x, rect->width, divide_up(width, d))
         && is_on_axis(rect->y, rect->height, divide_up(height, d));
}

gint64
vt_grid_find_under(gint64 pixel, guint d, double origin_l0, double size_l0, gint64 begin, gint64 n)
{
  const double place = floor((((double)pixel + 0.5) * d - origin_l0) / size_l0) - (double)begin;
  return place >= 0 && place < (double)n ? (gint64)place : -1;
}
