/* SPDX-License-Identifier: MIT */
#include "analysis/vt-region-tiles.h"

#include <glib/gi18n.h>
#include <math.h>

#include "run/vt-roi-sets.h"

enum { MOST = 5000 };

typedef struct {
  double x, y, width, height; /* of the region's box, level-0 pixels */
  double first_column, first_row, n_columns, n_rows;
} Grid;

/* Of the tiles that lie in the area's box. */
static Grid
make_grid(const VtRoi *like, const VtRoi *within)
{
  Grid grid;
  double x, y, width, height;
  vt_roi_get_bounds(like, &grid.x, &grid.y, &grid.width, &grid.height);
  vt_roi_get_bounds(within, &x, &y, &width, &height);
  grid.first_column = ceil((x - grid.x) / grid.width);
  grid.first_row = ceil((y - grid.y) / grid.height);
  grid.n_columns = MAX(floor((x + width - grid.x) / grid.width) - grid.first_column, 0);
  grid.n_rows = MAX(floor((y + height - grid.y) / grid.height) - grid.first_row, 0);
  return grid;
}

/* (element-type VtRoi) The area, and the tiles of its box; owned. */
static GPtrArray *
list_all(const Grid *grid, const VtRoi *within)
{
  GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)vt_roi_free);
  g_ptr_array_add(all, vt_roi_copy_plain(within));
  for (double row = grid->first_row; row < grid->first_row + grid->n_rows; row++)
    for (double column = grid->first_column; column < grid->first_column + grid->n_columns; column++)
      if (row != 0 || column != 0) /* that is the region itself */
        g_ptr_array_add(all, vt_roi_new_rectangle(NULL, grid->x + column * grid->width, grid->y + row * grid->height,
                                                  grid->width, grid->height));
  return all;
}

guint
vt_region_tiles_add(VtRegions *regions, VtRoiItem *like, const VtRoi *within, GError **error)
{
  const VtRoi *roi = vt_roi_item_get_roi(like);
  const Grid grid = make_grid(roi, within);
  if (grid.n_columns * grid.n_rows > MOST) {
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                _("Tiles as large as “%s” would be up to %.0f, and are %d at most: magnify, or draw it larger."),
                roi->name, grid.n_columns * grid.n_rows, MOST);
    return 0;
  }
  g_autoptr(GPtrArray) all = list_all(&grid, within), tiles = g_ptr_array_new();
  g_autofree gint *parents = g_new(gint, all->len);
  vt_rois_find_parents(all, NULL, parents);
  for (guint i = 1; i < all->len; i++) {
    if (parents[i] != 0)
      continue;
    VtRoi *tile = vt_roi_copy(all->pdata[i]);
    tile->name = g_strdup_printf(_("%s · tile %u"), roi->name, tiles->len + 1);
    g_ptr_array_add(tiles, tile);
  }
  const guint n = tiles->len;
  if (n == 0)
    g_set_error(error, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("No tile as large as “%s” has room beside it."), roi->name);
  else
    vt_regions_add(regions, tiles, FALSE);
  return n;
}
