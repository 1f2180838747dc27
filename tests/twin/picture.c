/* SPDX-License-Identifier: MIT */
#include "twin.h"

#include <string.h>

int64_t
vt_random_side(VtRandom *random, int64_t max)
{
  static const int64_t nasty[] = { 1, 1, 2, 3, 7, 13, 31, 32, 33, 63, 64, 65 };
  const int64_t side = nasty[vt_random(random) % (sizeof nasty / sizeof nasty[0])];
  return vt_random(random) % 2 && side <= max ? side : vt_random_between(random, 1, max);
}

static VtImage
image_new(int64_t width, int64_t height, int64_t extra, VtType type)
{
  const int64_t stride = (width + extra) * (int64_t)vt_type_size(type);
  VtImage image = { malloc((size_t)(stride * height)), width, height, stride, type };
  if (!image.data) {
    printf("Bail out! no memory for a picture\n");
    exit(EXIT_FAILURE);
  }
  return image;
}

VtPicture
vt_picture_new(VtRandom *random, int64_t width, int64_t height, VtType type)
{
  const bool loose = vt_random(random) % 4 != 0;
  const int64_t left = loose ? vt_random_between(random, 0, 5) : 0, top = loose ? vt_random_between(random, 0, 2) : 0;
  const int64_t right = loose ? vt_random_between(random, 0, 5) : 0,
                extra = loose ? vt_random_between(random, 0, 9) : 0;
  VtPicture picture = { .full = image_new(left + width + right, top + height + top, extra, type), .x = left, .y = top };
  unsigned char *bytes = picture.full.data;
  for (int64_t i = 0; i < picture.full.stride * picture.full.height; i++)
    bytes[i] = (unsigned char)(0xA5 + 31 * i);
  picture.view = vt_image_window(&picture.full, left, top, width, height);
  return picture;
}

VtPicture
vt_picture_copy(const VtPicture *picture)
{
  VtPicture copy = *picture;
  copy.full.data = image_new(picture->full.stride, picture->full.height, 0, VITRAIL_U8).data;
  memcpy(copy.full.data, picture->full.data, (size_t)(picture->full.stride * picture->full.height));
  copy.view = vt_image_window(&copy.full, copy.x, copy.y, picture->view.width, picture->view.height);
  return copy;
}

void
vt_pictures_clear(VtPicture *pictures, int n)
{
  for (int k = 0; k < n; k++) {
    free(pictures[k].full.data);
    pictures[k] = (VtPicture){ 0 };
  }
}

/* A corridor one pixel wide winding inwards, with walls of one pixel. */
static void
spiral(const VtImage *view, int64_t lowest, int64_t highest)
{
  static const int step[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
  int64_t x = 0, y = 0;
  for (int64_t j = 0; j < view->height; j++)
    for (int64_t i = 0; i < view->width; i++)
      vt_oracle_set(view, i, j, (double)lowest);
  vt_oracle_set(view, 0, 0, (double)highest);
  for (int direction = 0, turns = 0; turns < 2;) {
    const int dx = step[direction][0], dy = step[direction][1];
    const bool free_next =
      vt_oracle_inside(view, x + dx, y + dy) && vt_oracle_get(view, x + dx, y + dy) != (double)highest;
    const bool wall =
      vt_oracle_inside(view, x + 2 * dx, y + 2 * dy) && vt_oracle_get(view, x + 2 * dx, y + 2 * dy) == (double)highest;
    if (!free_next || wall) {
      direction = (direction + 1) % 4;
      turns++;
      continue;
    }
    x += dx;
    y += dy;
    turns = 0;
    vt_oracle_set(view, x, y, (double)highest);
  }
}

void
vt_picture_fill(VtPicture *picture, VtRandom *random, int pattern, int64_t lowest, int64_t highest)
{
  const VtImage *view = &picture->view;
  const int64_t few = vt_random_between(random, 1, 4), edge = vt_random_between(random, 1, 9), span = highest - lowest;
  const uint64_t salt = vt_random(random);
  if (pattern == 5 && lowest < highest) {
    spiral(view, lowest, highest);
    return;
  }
  for (int64_t y = 0; y < view->height; y++)
    for (int64_t x = 0; x < view->width; x++) {
      VtRandom block = { salt + (uint64_t)(x / edge * 977 + y / edge) };
      int64_t v = lowest;
      switch (pattern) {
      case 0: v = vt_random_between(random, lowest, highest); break;
      case 1: v = lowest + vt_random_between(random, 0, few) * span / few; break;
      case 2: v = lowest + (int64_t)(salt % (uint64_t)(span + 1)); break;
      case 3: v = vt_random(random) % 50 == 0 ? highest : lowest; break;
      case 4: v = y % 2 == 0 || x == (y % 4 == 1 ? view->width - 1 : 0) ? highest : lowest; break;
      case 6: v = lowest + (x + 2 * y) % (span + 1); break;
      default: v = vt_random_between(&block, lowest, highest); break;
      }
      vt_oracle_set(view, x, y, (double)v);
    }
}
