/* SPDX-License-Identifier: MIT */
#include "learn/order.h"
#include "train.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows as the file holds them, 16 bits in the machine's order. The caller frees; NULL: it cannot be read. */
static uint8_t *
read_png(const char *path, int *w, int *h, int *channels, int *depth)
{
  FILE *file = fopen(path, "rb");
  png_structp png = file ? png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL) : NULL;
  png_infop info = png ? png_create_info_struct(png) : NULL;
  uint8_t *volatile pixels = NULL;
  if (info && setjmp(png_jmpbuf(png)) == 0) {
    png_init_io(png, file);
    png_read_png(png, info, PNG_TRANSFORM_SWAP_ENDIAN | PNG_TRANSFORM_EXPAND, NULL);
    *w = (int)png_get_image_width(png, info);
    *h = (int)png_get_image_height(png, info);
    *channels = png_get_channels(png, info);
    *depth = png_get_bit_depth(png, info);
    const size_t row = png_get_rowbytes(png, info);
    pixels = malloc(row * (size_t)*h);
    for (int y = 0; pixels && y < *h; y++)
      memcpy(pixels + (size_t)y * row, png_get_rows(png, info)[y], row);
  }
  if (png)
    png_destroy_read_struct(&png, &info, NULL);
  if (file)
    fclose(file);
  return pixels;
}

/* Numbers 1.. in the order of first pixels, and areas. */
static bool
number_truth(TrainField *f, const uint16_t *labels)
{
  const size_t n = (size_t)f->width * (size_t)f->height;
  int32_t *number = calloc(65536, sizeof *number);
  f->truth = calloc(n, sizeof *f->truth);
  f->truth_area = calloc(65537, sizeof *f->truth_area);
  const bool is_ok = number && f->truth && f->truth_area;
  for (size_t i = 0; is_ok && i < n; i++) {
    if (labels[i] && !number[labels[i]])
      number[labels[i]] = ++f->n_truth;
    f->truth[i] = labels[i] ? number[labels[i]] : 0;
    f->truth_area[f->truth[i]]++;
  }
  free(number);
  return is_ok;
}

static bool
read_truth(TrainField *f, const char *path)
{
  char name[4096];
  int w, h, channels, depth;
  snprintf(name, sizeof name, "%.*s-labels.png", (int)strlen(path) - 4, path);
  uint8_t *pixels = read_png(name, &w, &h, &channels, &depth);
  const size_t n = (size_t)f->width * (size_t)f->height;
  uint16_t *labels = malloc(n * sizeof *labels);
  bool is_ok = pixels && labels && w == f->width && h == f->height && channels == 1;
  for (size_t i = 0; is_ok && i < n; i++)
    labels[i] = depth == 16 ? ((uint16_t *)(void *)pixels)[i] : pixels[i];
  is_ok = is_ok && number_truth(f, labels);
  free(labels);
  free(pixels);
  return is_ok;
}

static bool
field_alloc(TrainField *f)
{
  const size_t n = (size_t)f->width * (size_t)f->height;
  f->code = malloc(n * sizeof *f->code);
  f->score = malloc(n * sizeof *f->score);
  for (int c = 0; c < 3; c++)
    f->rgb[c] = malloc(n);
  return f->code && f->score && f->rgb[0] && f->rgb[1] && f->rgb[2];
}

bool
train_field_read(TrainField *f, const char *path, VtRegionsPreset preset)
{
  int w, h, channels, depth;
  uint8_t *pixels = read_png(path, &w, &h, &channels, &depth);
  if (!pixels || channels < 3 || depth != 8) {
    free(pixels);
    return false;
  }
  *f = (TrainField){ .name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
                     .preset = preset,
                     .look = { .by = 1, .density = 1 },
                     .width = w,
                     .height = h,
                     .known = { 0, 0, w - 1, h - 1 },
                     .edges = VT_EDGE_LEFT | VT_EDGE_TOP | VT_EDGE_RIGHT | VT_EDGE_BOTTOM,
                     .largest = 144 };
  const bool is_ok = field_alloc(f);
  for (int c = 0; c < 3 && is_ok; c++)
    for (size_t i = 0; i < (size_t)w * (size_t)h; i++)
      f->rgb[c][i] = pixels[i * (size_t)channels + (size_t)c];
  free(pixels);
  char name[4096];
  snprintf(name, sizeof name, "%.*s-dots.txt", (int)strlen(path) - 4, path);
  return is_ok && (train_square_read(f, name) || read_truth(f, path));
}

TrainLook
train_look_drawn(TrainLook look, uint64_t seed)
{
  /* Logarithms, and degrees: as far as cameras and stains differ. */
  static const double density = 0.3, bright = 0.22, tint = 0.03, hue = 12;
  enum { DENSITY, BRIGHT, HUE, TINT, N_DRAWN = TINT + 3 };
  double drawn[N_DRAWN]; /* -1..1 */
  for (int i = 0; i < N_DRAWN; i++) {
    seed = vt_learn_mix(seed);
    drawn[i] = (double)(seed >> 32) / 2147483648.0 - 1;
  }
  look.density *= exp(density * drawn[DENSITY]);
  look.hue = hue * drawn[HUE];
  for (int c = 0; c < 3; c++)
    look.light[c] = exp(bright * drawn[BRIGHT] + tint * drawn[TINT + c]);
  return look;
}

/* By the hexagon of hues: the brightest and the darkest value stay. */
static void
turn_hue(int32_t v[3], double degrees)
{
  const int32_t most = v[0] > v[1] ? (v[0] > v[2] ? v[0] : v[2]) : (v[1] > v[2] ? v[1] : v[2]);
  const int32_t least = v[0] < v[1] ? (v[0] < v[2] ? v[0] : v[2]) : (v[1] < v[2] ? v[1] : v[2]);
  if (most == least || degrees == 0)
    return;
  const int from = v[0] == most ? 0 : v[1] == most ? 1 : 2;
  const double hue = 2 * from + (double)(v[(from + 1) % 3] - v[(from + 2) % 3]) / (most - least) + degrees / 60;
  for (int c = 0; c < 3; c++) {
    const double away =
      fabs(remainder(hue - 2 * c, 6)); /* of 6 sides, from those where this channel is the brightest */
    v[c] = least + (int32_t)lrint((most - least) * fmin(fmax(2 - away, 0), 1));
  }
}

/* Of a channel: what each value becomes. */
static void
fill_values(uint8_t values[256], const TrainLook *look, int channel)
{
  const double light = look->light[channel] > 0 ? look->light[channel] : 1;
  for (int v = 0; v < 256; v++)
    values[v] = (uint8_t)fmin(fmax(floor(256 * light * pow((v + 1) / 256.0, look->density) - 0.5), 0), 255);
}

bool
train_field_vary(const TrainField *from, TrainLook look, TrainField *f)
{
  const int32_t by = look.by;
  uint8_t values[3][256];
  for (int c = 0; c < 3; c++)
    fill_values(values[c], &look, c);
  *f = (TrainField){ .name = from->name,
                     .preset = from->preset,
                     .look = look,
                     .fold = from->fold,
                     .width = from->width / by,
                     .height = from->height / by,
                     .edges = from->edges,
                     .largest = from->largest };
  f->known = (RgBox){ 0, 0, f->width - 1, f->height - 1 };
  uint16_t *labels = malloc((size_t)f->width * (size_t)f->height * sizeof *labels);
  bool is_ok = field_alloc(f) && labels;
  for (int32_t y = 0; is_ok && y < f->height; y++)
    for (int32_t x = 0; x < f->width; x++) {
      int32_t mean[3];
      for (int c = 0; c < 3; c++) {
        int32_t sum = 0;
        for (int32_t k = 0; k < by * by; k++)
          sum += from->rgb[c][(y * by + k / by) * from->width + x * by + k % by];
        mean[c] = (sum + by * by / 2) / (by * by);
      }
      turn_hue(mean, look.hue);
      for (int c = 0; c < 3; c++)
        f->rgb[c][y * f->width + x] = values[c][mean[c]];
      labels[y * f->width + x] = (uint16_t)from->truth[(y * by + by / 2) * from->width + x * by + by / 2];
    }
  is_ok = is_ok && number_truth(f, labels);
  free(labels);
  return is_ok;
}

bool
train_field_half(const TrainField *from, bool is_right, TrainField *f)
{
  const int32_t width = from->width / 2, x0 = is_right ? from->width - width : 0;
  *f = *from;
  f->width = width;
  f->known = (RgBox){ 0, 0, width - 1, f->height - 1 };
  f->n_truth = 0;
  f->truth = f->truth_area = f->code = f->features = f->dots = NULL;
  f->score = f->iou = NULL;
  f->left_out = NULL;
  f->window = (RgWindow){ 0 };
  uint16_t *labels = malloc((size_t)width * (size_t)f->height * sizeof *labels);
  bool is_ok = field_alloc(f) && labels;
  for (int32_t y = 0; is_ok && y < f->height; y++) {
    for (int c = 0; c < 3; c++)
      memcpy(f->rgb[c] + y * width, from->rgb[c] + y * from->width + x0, (size_t)width);
    for (int32_t x = 0; x < width; x++)
      labels[y * width + x] = (uint16_t)from->truth[y * from->width + x0 + x];
  }
  is_ok = is_ok && number_truth(f, labels);
  free(labels);
  return is_ok;
}

void
train_field_clear(TrainField *f)
{
  for (int c = 0; c < 3; c++)
    free(f->rgb[c]);
  free(f->truth);
  free(f->truth_area);
  free(f->code);
  free(f->score);
  free(f->iou);
  free(f->dots);
  free(f->left_out);
  free(f->features);
  vt_rg_window_clear(&f->window);
}

VtRegions
train_args(const TrainField *f)
{
  const int64_t w = f->width, h = f->height;
  const int64_t tile_w = f->known.x1 - f->known.x0 + 1, tile_h = f->known.y1 - f->known.y0 + 1;
  return (VtRegions){ .red = { f->rgb[0], w, h, w, VITRAIL_U8 },
                      .green = { f->rgb[1], w, h, w, VITRAIL_U8 },
                      .blue = { f->rgb[2], w, h, w, VITRAIL_U8 },
                      .code = { f->code, tile_w, tile_h, 4 * tile_w, VITRAIL_I32 },
                      .score = { f->score, tile_w, tile_h, 2 * tile_w, VITRAIL_U16 },
                      .x0 = f->known.x0,
                      .y0 = f->known.y0,
                      .edges = f->edges,
                      .largest = f->largest,
                      .preset = f->preset };
}

/* IoU of a candidate with its best nucleus. */
static uint16_t
true_iou(const TrainField *f, const RgCandidate *c, int32_t area, int32_t *common)
{
  int32_t best = 0;
  for (int32_t y = c->box.y0; y <= c->box.y1; y++)
    for (int32_t x = c->box.x0; x <= c->box.x1; x++)
      common[f->truth[y * f->width + x]] += vt_rg_bit(&f->window.all, c, x, y);
  common[0] = 0;
  for (int32_t y = c->box.y0; y <= c->box.y1; y++)
    for (int32_t x = c->box.x0; x <= c->box.x1; x++) {
      const int32_t k = f->truth[y * f->width + x];
      const int32_t iou = (int32_t)((int64_t)common[k] * 65535 / (f->truth_area[k] + area - common[k]));
      best = common[k] && iou > best ? iou : best;
      common[k] = 0;
    }
  return (uint16_t)best;
}

bool
train_field_prepare(TrainField *f, const RgMap *map)
{
  const VtRegions args = train_args(f);
  vt_rg_window_clear(&f->window);
  if (vt_rg_window_init(&f->window, &args, map, NULL, NULL) != VITRAIL_OK)
    return false;
  const size_t n = (size_t)f->window.all.n;
  free(f->iou);
  free(f->left_out);
  free(f->features);
  f->iou = malloc(n * sizeof *f->iou + 1);
  f->features = malloc(n * RG_N_FEATURES * sizeof *f->features + 1);
  f->left_out = malloc(n + 1);
  int32_t *common = calloc((size_t)f->n_truth + 1, sizeof *common);
  const bool is_ok = f->iou && f->left_out && f->features && common;
  for (size_t i = 0; is_ok && i < n; i++) {
    const RgBox *b = &f->window.all.at[i].box, *in = &f->known;
    int32_t *features = f->features + i * RG_N_FEATURES;
    vt_rg_window_measure(&f->window, (int32_t)i, features);
    f->iou[i] = true_iou(f, &f->window.all.at[i], features[0], common);
    f->left_out[i] = b->x0 < in->x0 || b->y0 < in->y0 || b->x1 > in->x1 || b->y1 > in->y1;
  }
  free(common);
  return is_ok;
}

uint16_t
train_goal(const TrainField *f, int32_t candidate)
{
  const int32_t smooth = 870, solidity = f->features[(size_t)candidate * RG_N_FEATURES + 1]; /* in 1/1024 */
  const int32_t lack = solidity < smooth ? 2 * (smooth - solidity) : 0;
  return (uint16_t)(lack < 1024 ? f->iou[candidate] * (1024 - lack) / 1024 : 0);
}

/* Overlaps of results (by number) with nuclei; F1 at two limits and AJI, as score-nuclei has them. */
static TrainScore
score_numbers(const TrainField *f, const int32_t *result, int32_t n_result)
{
  const size_t n = (size_t)f->width * (size_t)f->height, columns = (size_t)f->n_truth + 1;
  int32_t *common = calloc((size_t)(n_result + 1) * columns, sizeof *common),
          *area = calloc((size_t)n_result + 1, sizeof *area);
  bool *used = calloc((size_t)n_result + 1, sizeof *used);
  for (size_t i = 0; i < n; i++) {
    common[(size_t)result[i] * columns + (size_t)f->truth[i]]++;
    area[result[i]]++;
  }
  int32_t hits5 = 0, hits7 = 0;
  int64_t inter = 0, joint = 0;
  for (int32_t t = 1; t <= f->n_truth; t++) {
    double best = 0;
    int32_t at = 0;
    for (int32_t r = 1; r <= n_result; r++) {
      const int32_t both = common[(size_t)r * columns + (size_t)t];
      const double iou = (double)both / (double)(area[r] + f->truth_area[t] - both);
      at = iou > best ? r : at;
      best = iou > best ? iou : best;
    }
    hits5 += best > 0.5;
    hits7 += best > 0.7;
    const int32_t both = at ? common[(size_t)at * columns + (size_t)t] : 0;
    inter += both;
    joint += f->truth_area[t] + (at ? area[at] : 0) - both;
    used[at] = true;
  }
  for (int32_t r = 1; r <= n_result; r++)
    joint += used[r] ? 0 : area[r];
  const double all = f->n_truth + n_result;
  free(used);
  free(area);
  free(common);
  return (TrainScore){ all > 0 ? 2 * hits5 / all : 1, all > 0 ? 2 * hits7 / all : 1,
                       joint ? (double)inter / (double)joint : 1 };
}

static TrainScore
score_chosen(TrainField *f)
{
  const RgCandidates *all = &f->window.all;
  int32_t *result = calloc((size_t)f->width * (size_t)f->height, sizeof *result), n = 0;
  for (int32_t i = 0; i < all->n; i++) {
    const RgCandidate *c = &all->at[i];
    n += c->chosen;
    for (int32_t y = c->box.y0; c->chosen && y <= c->box.y1; y++)
      for (int32_t x = c->box.x0; x <= c->box.x1; x++)
        if (vt_rg_bit(all, c, x, y))
          result[y * f->width + x] = n;
  }
  const TrainScore score = score_numbers(f, result, n);
  free(result);
  return score;
}

TrainScore
train_score(TrainField *f, const RgModel *model, uint16_t cutoff)
{
  vt_rg_window_choose(&f->window, model, cutoff);
  return score_chosen(f);
}

TrainScore
train_oracle(TrainField *f)
{
  for (int32_t i = 0; i < f->window.all.n; i++)
    f->window.all.at[i].score = f->iou[i];
  vt_rg_choose(&f->window.all, 26214);
  return score_chosen(f);
}
