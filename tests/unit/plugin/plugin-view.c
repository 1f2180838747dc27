/* SPDX-License-Identifier: MIT
 *
 * View-exact results: every pixel that a region calls certain has the whole image's value, and with a growing margin all of
 * them are. */
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "test-draw.h"
#include "vt-test.h"

typedef struct {
  int64_t x, y, width, height;
  double exact, limit;
} View;

static VitrailSession *session;

/* Hills, plateaus or noise: what reaches far, and what does not. */
static VtImage
image_new(int64_t width, int64_t height, bool is_foreground)
{
  VtImage image = mini_image_new(VITRAIL_U8, width, height);
  const uint32_t kind = pick(3), period = 3 + pick(20), share = 2 + pick(300);
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++) {
      uint8_t value = (uint8_t)pick(256);
      if (is_foreground)
        value = pick(share) ? 200 : 0;
      else if (kind == 1)
        value = (uint8_t)((uint64_t)(x / period * 37 + y / period * 91) % 256);
      else if (kind == 2)
        value = (uint8_t)(128 + 100 * ((x / period + y / period) % 2) - pick(20));
      *(uint8_t *)vt_image_at(&image, x, y) = value;
    }
  return image;
}

static VitrailStatus
run_view(const char *op, const VtImage *image, const View *view, const double values[3], MiniResult *result)
{
  const bool distance = strcmp(op, "distance") == 0;
  const char *const keys[] = { distance ? "threshold" : "height", "context", "context-limit", "connectivity",
                               "method" };
  const double numbers[] = { values[0], view->exact, view->limit, values[1], values[2] };
  VitrailParamValue list[5];
  const VitrailParamValue *pointers[5];
  for (int i = 0; i < 5; i++) {
    list[i] = (VitrailParamValue){ .size = sizeof list[i], .key = keys[i], .v = { numbers[i] } };
    pointers[i] = &list[i];
  }
  VitrailInput input = { .size = sizeof input,
                         .id = distance ? "image" : "mask",
                         .type = image->type,
                         .width_l0 = image->width,
                         .height_l0 = image->height,
                         .mpp_x = 0.5,
                         .mpp_y = 0.5 };
  const VitrailInput *inputs[] = { &input };
  VitrailRequest request = { .size = sizeof request,
                             .op_id = op,
                             .backend = "cpu",
                             .tile_px = 16 + pick(100),
                             .x_l0 = view->x,
                             .y_l0 = view->y,
                             .width_l0 = view->width,
                             .height_l0 = view->height,
                             .n_params = distance ? 3 : 5,
                             .params = pointers,
                             .n_inputs = 1,
                             .inputs = inputs };
  MiniHost mini = { .images = { image }, .n_threads = 2, .cancel_after = -1 };
  return mini_run(&mini, session, &request, result);
}

/* Pixels called certain; -1 if one of them is not the whole image's. */
static int64_t
count_certain(const MiniResult *part, const MiniResult *whole, const View *view)
{
  int64_t n = 0;
  for (int64_t y = 0; y < view->height; y++)
    for (int64_t x = 0; x < view->width; x++) {
      if (*(uint8_t *)vt_image_at(&part->stages[1], x, y) == 0)
        continue;
      n++;
      if (memcmp(vt_image_at(&part->stages[0], x, y), vt_image_at(&whole->stages[0], view->x + x, view->y + y),
                 vt_type_size(part->stages[0].type))
          != 0)
        return -1;
    }
  return n;
}

static void
check_op(const char *op, int n_rounds)
{
  const bool distance = strcmp(op, "distance") == 0;
  int64_t n_certain = 0, n_px = 0;
  bool right = true, complete = true;
  for (int i = 0; i < n_rounds; i++) {
    const int64_t w = 1 + pick(300), h = 1 + pick(300);
    VtImage image = image_new(w, h, distance);
    const double values[3] = { distance ? 100 : 1 + pick(60), pick(2), pick(2) };
    View all = { 0, 0, w, h, 0, 0 }, view = { pick((uint32_t)w), pick((uint32_t)h), 0, 0, 0, 0 };
    view.width = 1 + pick((uint32_t)(w - view.x));
    view.height = 1 + pick((uint32_t)(h - view.y));
    view.exact = pick(2);
    view.limit = pick(2) ? 4096 : pick(100);
    MiniResult whole, part;
    right &= run_view(op, &image, &all, values, &whole) == VITRAIL_OK;
    right &= run_view(op, &image, &view, values, &part) == VITRAIL_OK;
    const int64_t n = right ? count_certain(&part, &whole, &view) : -1;
    right &= n >= 0 && count_certain(&whole, &whole, &all) == w * h;
    if (view.exact != 0 && view.limit == 4096)
      complete &= n == view.width * view.height;
    n_certain += n;
    n_px += view.width * view.height;
    mini_result_clear(&whole);
    mini_result_clear(&part);
    free(image.data);
  }
  vt_ok(right, "%s: %d views, every certain pixel is the whole image's", op, n_rounds);
  vt_ok(complete, "%s: with as much context as it takes all pixels are certain", op);
  vt_ok(n_certain > n_px / 3, "%s: %.0f %% of all pixels are certain", op, 100.0 * (double)n_certain / (double)n_px);
}

int
main(void)
{
  if (mini_plugin()->session_open(&session) != VITRAIL_OK)
    return 1;
  check_op("reconstruct", 600);
  check_op("distance", 600);
  mini_plugin()->session_close(session);
  return vt_test_done();
}
