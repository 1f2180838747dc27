/* SPDX-License-Identifier: MIT */
#include "run/vt-stains.h"

#include "base/vt-define.h"

#include <math.h>

#define TR(text) text

#define COARSEST_UM 2.0
#define COARSEST_DOWNSAMPLE 4.0
#define MAX_TILES_ALONG 6
#define GLASS_LUMINANCE 200
#define GLASS_COLOUR 24
#define GLASS_SHARE 0.005
#define UNITS 1000.0 /* of a density of 1 */
#define LEAST_SUM 300
#define MOST_DENSITY 1500
#define LEAST_STAINED 1000 /* pixels */
#define LEAST_DEGREES 5.0
#define TAIL 0.01
#define N_ANGLES 16384 /* steps of half a turn */
#define N_AMOUNTS 8192 /* in UNITS */
#define LEAST_STRENGTH 10

typedef struct {
  int density[3][256];
  gint64 n, sum[3], product[3][3];
} Densities;

typedef void (*PixelFunc)(const guint8 *bgra, gpointer user);

static void
for_each_pixel(const GPtrArray *tiles, PixelFunc func, gpointer user)
{
  VT_EACH_OF (const VtTilePixels, tile, tiles) {
    const guint8 *data = g_bytes_get_data(tile->bytes, NULL);
    for (int y = 0; y < tile->height; y++)
      for (int x = 0; x < tile->width; x++)
        func(data + (gsize)y * (gsize)tile->stride + (gsize)x * 4, user);
  }
}

typedef struct {
  guint64 n, n_glass, bins[3][256];
} Glass;

static void
count_glass(const guint8 *bgra, gpointer user)
{
  Glass *glass = user;
  const int b = bgra[0], g = bgra[1], r = bgra[2];
  glass->n++;
  if ((54 * r + 183 * g + 19 * b) >> 8 < GLASS_LUMINANCE || MAX(MAX(r, g), b) - MIN(MIN(r, g), b) > GLASS_COLOUR)
    return;
  glass->n_glass++;
  glass->bins[0][r]++;
  glass->bins[1][g]++;
  glass->bins[2][b]++;
}

static void
find_white(const GPtrArray *tiles, VtStains *stains)
{
  Glass glass = { 0 };
  for_each_pixel(tiles, count_glass, &glass);
  stains->n = glass.n;
  stains->n_glass = glass.n_glass;
  for (int c = 0; c < 3; c++) {
    guint64 below = 0;
    int median = 0;
    while (median < 255 && (below += glass.bins[c][median]) * 2 < glass.n_glass)
      median++;
    stains->white[c] = (double)glass.n_glass < GLASS_SHARE * (double)glass.n || glass.n_glass == 0 ? 255 : median;
  }
}

/* FALSE: the pixel isn't stained. */
static gboolean
find_density(const Densities *self, const guint8 *bgra, int density[3])
{
  int sum = 0;
  for (int c = 0; c < 3; c++) {
    density[c] = self->density[c][bgra[2 - c]];
    if (density[c] > MOST_DENSITY)
      return FALSE;
    sum += density[c];
  }
  return sum >= LEAST_SUM;
}

static void
add_density(const guint8 *bgra, gpointer user)
{
  Densities *self = user;
  int density[3];
  if (!find_density(self, bgra, density))
    return;
  self->n++;
  for (int i = 0; i < 3; i++) {
    self->sum[i] += density[i];
    for (int j = i; j < 3; j++)
      self->product[i][j] += density[i] * density[j];
  }
}

static void
find_densities(const GPtrArray *tiles, const double white[3], Densities *self)
{
  for (int c = 0; c < 3; c++)
    for (int value = 0; value < 256; value++)
      self->density[c][value] = (int)lround(fmax(UNITS * log10(white[c] / MAX(value, 1)), 0));
  for_each_pixel(tiles, add_density, self);
}

/* Jacobi's rotations: `a` becomes diagonal, the columns of `v` its eigenvectors. */
static void
diagonalise(double a[3][3], double v[3][3])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      v[i][j] = i == j;
  for (int round = 0; round < 60; round++) {
    const int p = round % 3 == 2 ? 1 : 0, q = round % 3 == 0 ? 1 : 2;
    if (a[p][q] == 0)
      continue;
    const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
      const double kp = a[k][p], kq = a[k][q];
      a[k][p] = c * kp - s * kq;
      a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
      const double pk = a[p][k], qk = a[q][k], kp = v[k][p], kq = v[k][q];
      a[p][k] = c * pk - s * qk;
      a[q][k] = s * pk + c * qk;
      v[k][p] = c * kp - s * kq;
      v[k][q] = s * kp + c * kq;
    }
  }
}

/* The two main directions, each towards more density. */
static void
find_plane(const Densities *self, double plane[2][3])
{
  double a[3][3], v[3][3];
  const double n = (double)self->n;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      a[i][j] = (double)self->product[MIN(i, j)][MAX(i, j)] / n - (double)self->sum[i] / n * ((double)self->sum[j] / n);
  diagonalise(a, v);
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (a[i][i] < a[least][least])
      least = i;
  int first = least == 0 ? 1 : 0, second = least == 2 ? 1 : 2;
  if (a[second][second] > a[first][first]) {
    const int kept = first;
    first = second;
    second = kept;
  }
  for (int k = 0; k < 2; k++) {
    const int column = k == 0 ? first : second;
    const double sign = v[0][column] + v[1][column] + v[2][column] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
      plane[k][i] = sign * v[i][column];
  }
}

typedef struct {
  const Densities *densities;
  double plane[2][3];
  guint64 bins[N_ANGLES];
} Angles;

static void
add_angle(const guint8 *bgra, gpointer user)
{
  Angles *self = user;
  int density[3];
  double along[2] = { 0 };
  if (!find_density(self->densities, bgra, density))
    return;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++)
      along[k] += self->plane[k][i] * density[i];
  /* Densities aren't negative, so all lie on one side of the first direction. */
  const double angle = atan2(along[1], fmax(along[0], 0));
  self->bins[(int)CLAMP((angle / G_PI + 0.5) * N_ANGLES, 0, N_ANGLES - 1)]++;
}

static void
find_stain(const Angles *self, double share, double stain[3])
{
  guint64 below = 0;
  int bin = 0;
  while (bin < N_ANGLES - 1 && (double)(below += self->bins[bin]) < share * (double)self->densities->n)
    bin++;
  const double angle = ((bin + 0.5) / N_ANGLES - 0.5) * G_PI;
  double length = 0;
  for (int i = 0; i < 3; i++) {
    stain[i] = cos(angle) * self->plane[0][i] + sin(angle) * self->plane[1][i];
    length += stain[i] * stain[i];
  }
  for (int i = 0; i < 3; i++)
    stain[i] = round(stain[i] / sqrt(length) * 1000) / 1000;
}

typedef struct {
  const Densities *densities;
  gint64 shares[2][3]; /* of a density, in 1/65536: the amount of each stain */
  guint64 bins[2][N_AMOUNTS];
} Amounts;

static void
add_amounts(const guint8 *bgra, gpointer user)
{
  Amounts *self = user;
  int density[3];
  if (!find_density(self->densities, bgra, density))
    return;
  for (int k = 0; k < 2; k++) {
    gint64 amount = 32768;
    for (int i = 0; i < 3; i++)
      amount += self->shares[k][i] * density[i];
    self->bins[k][CLAMP(amount >> 16, 0, N_AMOUNTS - 1)]++;
  }
}

/* By least squares, as the step channel takes colours apart. */
static void
fill_shares(const double *one, const double *other, gint64 shares[3])
{
  double dot = 0, a = 0, b = 0;
  for (int i = 0; i < 3; i++) {
    dot += one[i] * other[i];
    a += one[i] * one[i];
    b += other[i] * other[i];
  }
  const double sine2 = 1 - dot * dot / (a * b);
  for (int i = 0; i < 3; i++)
    shares[i] = llround(65536 * (one[i] / sqrt(a) - dot / sqrt(a) / b * other[i]) / sine2);
}

/* FALSE: there is hardly any of one stain. */
static gboolean
find_strengths(const GPtrArray *tiles, const Densities *densities, VtStains *stains)
{
  g_autofree Amounts *amounts = g_new0(Amounts, 1);
  gboolean has_both = TRUE;
  amounts->densities = densities;
  fill_shares(stains->hematoxylin, stains->other, amounts->shares[0]);
  fill_shares(stains->other, stains->hematoxylin, amounts->shares[1]);
  for_each_pixel(tiles, add_amounts, amounts);
  for (int k = 0; k < 2; k++) {
    guint64 below = 0;
    int bin = 0;
    while (bin < N_AMOUNTS - 1 && (double)(below += amounts->bins[k][bin]) < (1 - TAIL) * (double)densities->n)
      bin++;
    stains->strengths[k] = bin / UNITS;
    has_both &= bin >= LEAST_STRENGTH;
  }
  return has_both;
}

gboolean
vt_stains_estimate_tiles(const GPtrArray *tiles, VtStains *stains, GError **error)
{
  *stains = (VtStains){ 0 };
  Densities densities = { 0 };
  find_white(tiles, stains);
  find_densities(tiles, stains->white, &densities);
  stains->n_stained = (guint64)densities.n;
  if (densities.n < LEAST_STAINED)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s",
                        TR("There is too little stained tissue to estimate stains from."));
  g_autofree Angles *angles = g_new0(Angles, 1);
  angles->densities = &densities;
  find_plane(&densities, angles->plane);
  for_each_pixel(tiles, add_angle, angles);
  double ends[2][3], dot = 0;
  find_stain(angles, TAIL, ends[0]);
  find_stain(angles, 1 - TAIL, ends[1]);
  const int hematoxylin = ends[1][0] > ends[0][0];
  for (int i = 0; i < 3; i++) {
    stains->hematoxylin[i] = ends[hematoxylin][i];
    stains->other[i] = ends[!hematoxylin][i];
    dot += ends[0][i] * ends[1][i];
  }
  stains->degrees = acos(CLAMP(dot, -1, 1)) * 180 / G_PI;
  if (stains->degrees >= LEAST_DEGREES && find_strengths(tiles, &densities, stains))
    return TRUE;
  return vt_error_set(error, VITRAIL_BAD_ARGUMENT, "%s",
                      TR("The slide shows one stain only: two can't be told apart."));
}

gboolean
vt_stains_estimate(VtSlide *slide, GCancellable *cancellable, VtStains *stains, GError **error)
{
  double mpp = 0, mpp_y = 0;
  const gboolean is_calibrated = vt_slide_get_mpp(slide, &mpp, &mpp_y);
  const int level = vt_slide_get_best_level(slide, is_calibrated ? COARSEST_UM / mpp : COARSEST_DOWNSAMPLE);
  gint64 width = 0, height = 0;
  vt_slide_get_level_size(slide, level, &width, &height);
  const gint64 n_cols = (width + VT_TILE_PX - 1) / VT_TILE_PX, n_rows = (height + VT_TILE_PX - 1) / VT_TILE_PX;
  const gint64 across = MIN(n_cols, MAX_TILES_ALONG), down = MIN(n_rows, MAX_TILES_ALONG);
  g_autoptr(GPtrArray) tiles = g_ptr_array_new_with_free_func((GDestroyNotify)vt_tile_pixels_unref);
  for (gint64 i = 0; i < across * down && !g_cancellable_is_cancelled(cancellable); i++) {
    VtTilePixels *tile = vt_slide_read_tile(slide, level, (2 * (i % across) + 1) * n_cols / (2 * across),
                                            (2 * (i / across) + 1) * n_rows / (2 * down), cancellable, NULL);
    if (tile)
      g_ptr_array_add(tiles, tile);
  }
  if (g_cancellable_set_error_if_cancelled(cancellable, error) || !vt_stains_estimate_tiles(tiles, stains, error))
    return FALSE;
  stains->pixel_size = is_calibrated ? mpp * vt_slide_get_level_downsample(slide, level) : 0;
  return TRUE;
}
