/* SPDX-License-Identifier: MIT
 *
 * The op `glrlm-map`: one feature in a sliding window. Pixel (i,j) of the map is the window round analysis pixel
 * (i*stride + stride/2, j*stride + stride/2) of the whole image: windows reach beyond the region, so the map does not depend
 * on it. */
#include <string.h>

#include "vt-run-context.h"

typedef struct {
  const VtGlrlmAlgorithm *algorithm;
  const VtImage *levels, *map;
  VtRect read; /* what levels covers, on the grid */
  int64_t first_i, first_j;
  int32_t n_levels, half, stride, feature;
  VtGlrlmAggregate aggregate;
} MapJob;

/* The window of levels that a tile of the map needs, so that the kernel prepares no more than that. */
static VitrailStatus
map_tile(VtRun *run, VtRect t, void *user)
{
  MapJob *job = user;
  int64_t cx = (job->first_i + t.x) * job->stride + job->stride / 2 - job->read.x;
  int64_t cy = (job->first_j + t.y) * job->stride + job->stride / 2 - job->read.y;
  int64_t x0 = cx > job->half ? cx - job->half : 0, y0 = cy > job->half ? cy - job->half : 0;
  int64_t x1 = cx + (t.width - 1) * job->stride + job->half + 1;
  int64_t y1 = cy + (t.height - 1) * job->stride + job->half + 1;
  x1 = x1 < job->levels->width ? x1 : job->levels->width;
  y1 = y1 < job->levels->height ? y1 : job->levels->height;
  VtImage map = vt_image_window(job->map, t.x, t.y, t.width, t.height);
  VtGlrlmWindows args = {
    .src = vt_image_window(job->levels, x0, y0, x1 - x0, y1 - y0),
    .dst = &map,
    .n_levels = job->n_levels,
    .half = job->half,
    .step = job->stride,
    .x0 = cx - x0,
    .y0 = cy - y0,
    .features = 1u << job->feature,
    .aggregates = 1u << job->aggregate,
  };
  return job->algorithm->run(run->cpu_device, &args, &run->cancel);
}

static VtRect
clip_to_image(const VtGrid *grid, int64_t x0, int64_t y0, int64_t x1, int64_t y1)
{
  x0 = x0 > 0 ? x0 : 0;
  y0 = y0 > 0 ? y0 : 0;
  x1 = x1 < grid->image_width ? x1 : grid->image_width;
  y1 = y1 < grid->image_height ? y1 : grid->image_height;
  return (VtRect){ x0, y0, x1 - x0, y1 - y0 };
}

static VitrailStatus
read_levels(VtRun *run, VtRect rect, VtImage *levels, int32_t *n_levels)
{
  VtImage image, channel, mask;
  double scale;
  const VitrailInput *input = vt_input(run, "image"), *mask_input = vt_input(run, "mask");
  VitrailStatus status = vt_read_input(run, input, rect, &image);
  if (status == VITRAIL_OK)
    status = vt_channel(run, vt_param_choice(run, "channel"), &image, &channel, &scale);
  if (status == VITRAIL_OK && mask_input
      && (mask_input->width_l0 != input->width_l0 || mask_input->height_l0 != input->height_l0))
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, TR("The mask and the image must have the same size."));
  if (status == VITRAIL_OK && mask_input)
    status = vt_read_input(run, mask_input, rect, &mask);
  if (status == VITRAIL_OK)
    status = vt_discretise(run, &channel, scale, mask_input ? &mask : NULL, NULL, false, levels, n_levels);
  return status;
}

/* Map pixels whose centre lies in the region; at least one a side. */
static void
map_range(int64_t start, int64_t length, int64_t image, int32_t stride, int64_t *first, int64_t *n)
{
  int64_t offset = stride / 2, last_centre = (image - 1 - offset) / stride;
  if (image <= offset)
    last_centre = 0;
  *first = start > offset ? (start - offset + stride - 1) / stride : 0;
  int64_t end = start + length > offset ? (start + length - offset + stride - 1) / stride : 0;
  *first = *first < last_centre ? *first : last_centre;
  end = end < last_centre + 1 ? end : last_centre + 1;
  *n = end > *first ? end - *first : 1;
}

static VitrailStatus
emit_map(VtRun *run, const VtImage *map, const MapJob *job)
{
  VitrailTile tile = {
    .size = sizeof tile,
    .type = VITRAIL_F32,
    .x = job->first_i,
    .y = job->first_j,
    .width = map->width,
    .height = map->height,
    .downsample = (double)run->grid.downsample * job->stride,
    .data = map->data,
    .stride = (size_t)map->stride,
    .scale = 1,
  };
  return run->host.emit_tile(run->host.user, &tile);
}

static const VtGlrlmAlgorithm *
find_algorithm(const VtBackend *backend, const char *id)
{
  const VtGlrlmAlgorithm *list = backend->glrlm_windows;
  for (const VtGlrlmAlgorithm *one = list; one->id; one++)
    if (strcmp(one->id, id) == 0)
      return one;
  return list; /* auto */
}

VitrailStatus
vt_op_glrlm_map(VtRun *run)
{
  VitrailStatus status = vt_grid_resolve(run, vt_input(run, "image"));
  if (status == VITRAIL_OK)
    status = vt_raster_check_budget(run, vt_grid_rect(run), 24);
  if (status != VITRAIL_OK)
    return status;
  vt_stage_begin(run);
  const VtGrid *grid = &run->grid;
  VtImage levels, map;
  MapJob job = {
    .algorithm = find_algorithm(run->cpu, vt_param_choice(run, "algorithm")),
    .levels = &levels,
    .map = &map,
    .half = (int32_t)vt_param(run, "window") / 2,
    .stride = (int32_t)vt_param(run, "stride"),
    .feature = (int32_t)vt_param(run, "feature"),
    .aggregate = vt_param_aggregate(run),
  };
  int64_t longest = grid->image_width < grid->image_height ? grid->image_width : grid->image_height;
  if (job.stride / 2 >= longest) /* no centre would lie in the image */
    job.stride = (int32_t)longest;
  vt_record(run, "window-px", 2 * job.half + 1);
  vt_record(run, "stride-px", job.stride);
  int64_t columns, rows;
  map_range(grid->x, grid->width, grid->image_width, job.stride, &job.first_i, &columns);
  map_range(grid->y, grid->height, grid->image_height, job.stride, &job.first_j, &rows);
  int64_t x = job.first_i * job.stride + job.stride / 2, y = job.first_j * job.stride + job.stride / 2;
  job.read = clip_to_image(grid, x - job.half, y - job.half, x + (columns - 1) * job.stride + job.half + 1,
                           y + (rows - 1) * job.stride + job.half + 1);
  status = read_levels(run, job.read, &levels, &job.n_levels);
  if (status == VITRAIL_OK)
    status = vt_raster_alloc(run, &map, VITRAIL_F32, columns, rows);
  if (status == VITRAIL_OK)
    status = vt_local(run, columns, rows, map_tile, &job);
  if (status == VITRAIL_OK)
    status = emit_map(run, &map, &job);
  return status == VITRAIL_OK ? vt_stage_end(run, 0) : status;
}
