/* SPDX-License-Identifier: MIT */
#include "results/vt-correction-measure.h"

#include <math.h>
#include <string.h>

#include "base/vt-define.h"
#include "results/vt-labels.h"
#include "run/vt-run-private.h"

#define N_CHECKED 8 /* objects of the run */
#define CLOSE 1e-9  /* the last digits may differ by the order of the operations */

__extension__ typedef __int128 Wide;

typedef enum {
  AREA,
  PERIMETER,
  CIRCULARITY,
  MAX_CALIPER,
  MIN_CALIPER,
  ECCENTRICITY,
  SOLIDITY,
  BORDER,
  N_QUANTITIES
} Quantity;

static const struct {
  const char *ending; /* of its name */
  int power;          /* of the edge of a pixel */
} quantities[N_QUANTITIES] = {
  [AREA] = { "Area ?^2", 2 },
  [PERIMETER] = { "Crofton perimeter ?", 1 },
  [CIRCULARITY] = { "Circularity", 0 },
  [MAX_CALIPER] = { "Max caliper ?", 1 },
  [MIN_CALIPER] = { "Min caliper ?", 1 },
  [ECCENTRICITY] = { "Eccentricity", 0 },
  [SOLIDITY] = { "Solidity", 0 },
  [BORDER] = { "Touches border", 0 },
};

struct VtCorrectionMeasures {
  double downsample, edge; /* of a pixel of the grid: level-0 pixels, and in the unit of lengths */
  double box[4];           /* that was analysed */
  guint n;
  const char *const *names;
  guint8 *which;             /* Quantity of each name; N_QUANTITIES: it is another */
  const VtRunRequest *again; /* of the run, to ask the analysis itself; NULL: it can't tell */
  double reach;              /* level-0 pixels: how far it looks round an outline */
};

/* --- of pixels --- */

typedef struct {
  gint64 n, x, y, xx, yy, xy;
  gint64 begins[4]; /* of runs along rows, columns and both diagonals */
} Sums;

typedef struct {
  gint64 x, y;
} Corner;

static void
add_pixel(Sums *s, const gint32 *above, const gint32 *row, gint64 x, gint64 y)
{
  s->n++;
  s->x += x;
  s->y += y;
  s->xx += x * x;
  s->yy += y * y;
  s->xy += x * y;
  s->begins[0] += !row[x - 1];
  s->begins[1] += !above[x];
  s->begins[2] += !above[x - 1];
  s->begins[3] += !above[x + 1];
}

static void
add_corners(GArray *corners, gint64 first, gint64 last, gint64 y)
{
  const Corner four[] = { { first, y }, { first, y + 1 }, { last + 1, y }, { last + 1, y + 1 } };
  g_array_append_vals(corners, four, G_N_ELEMENTS(four));
}

/* A pixel round the outline belongs to the frame, and is none of it. Coordinates count from the frame's corner: differences alone matter. */
static Sums
add_up(const VtRoi *outline, const VtFrame *frame, GArray *corners)
{
  g_autoptr(VtLabels) labels = vt_labels_new_of(outline, frame);
  const gsize bytes = (gsize)frame->width * sizeof(gint32);
  g_autofree gint32 *above = g_malloc0(bytes), *row = g_malloc0(bytes);
  Sums s = { 0 };
  for (gint64 y = 0; y < frame->height && vt_labels_next_row(labels, row, NULL); y++) {
    gint64 first = -1, last = -1;
    for (gint64 x = 1; x + 1 < frame->width; x++) {
      if (!row[x])
        continue;
      add_pixel(&s, above, row, x, y);
      first = first < 0 ? x : first;
      last = x;
    }
    if (first >= 0)
      add_corners(corners, first, last, y);
    gint32 *former = above;
    above = row;
    row = former;
  }
  return s;
}

/* n² times a covariance. */
static double
spread(gint64 n, gint64 products, gint64 a, gint64 b)
{
  return (double)((Wide)n * products - (Wide)a * b);
}

static double
get_eccentricity(const Sums *s)
{
  const double xx = spread(s->n, s->xx, s->x, s->x), yy = spread(s->n, s->yy, s->y, s->y),
               xy = spread(s->n, s->xy, s->x, s->y), middle = (xx + yy) / 2,
               half = sqrt((xx - yy) / 2 * ((xx - yy) / 2) + xy * xy);
  return middle + half > 0 ? sqrt(1 - MAX(middle - half, 0) / (middle + half)) : 0;
}

/* --- of the corners of pixels --- */

static int
by_place(gconstpointer a, gconstpointer b)
{
  const Corner *p = a, *q = b;
  return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

static gint64
turn(const Corner *a, const Corner *b, const Corner *c)
{
  return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* Andrew's chain, there and back: the corners of the hull, of corners that are sorted. */
static GArray *
find_hull(const GArray *corners)
{
  GArray *hull = g_array_new(FALSE, FALSE, sizeof(Corner));
  guint least = 2;
  for (guint k = 0; k + 1 < 2 * corners->len; k++) {
    const Corner *next = &g_array_index(corners, Corner, k < corners->len ? k : 2 * corners->len - 2 - k);
    while (hull->len >= least
           && turn(&g_array_index(hull, Corner, hull->len - 2), &g_array_index(hull, Corner, hull->len - 1), next) <= 0)
      g_array_set_size(hull, hull->len - 1);
    g_array_append_val(hull, *next);
    if (k + 1 == corners->len)
      least = hull->len + 1;
  }
  g_array_set_size(hull, hull->len - 1); /* the first one again */
  return hull;
}

static void
measure_hull(GArray *corners, gint64 area, double values[N_QUANTITIES])
{
  g_array_sort(corners, by_place);
  g_autoptr(GArray) hull = find_hull(corners);
  const Corner *p = (const Corner *)(gpointer)hull->data;
  gint64 twice = 0, longest = 0;
  double narrowest = INFINITY;
  for (guint i = 0; i < hull->len; i++) {
    const Corner *a = p + i, *b = p + (i + 1) % hull->len;
    gint64 farthest = 0;
    twice += a->x * b->y - b->x * a->y;
    for (guint k = 0; k < hull->len; k++) {
      longest = MAX(longest, (p[k].x - a->x) * (p[k].x - a->x) + (p[k].y - a->y) * (p[k].y - a->y));
      farthest = MAX(farthest, turn(a, b, p + k));
    }
    narrowest = MIN(narrowest, (double)farthest / hypot((double)(b->x - a->x), (double)(b->y - a->y)));
  }
  values[MAX_CALIPER] = sqrt((double)longest);
  values[MIN_CALIPER] = narrowest;
  values[SOLIDITY] = 2 * (double)area / (double)twice;
}

/* --- an outline --- */

static VtFrame
get_frame(const VtRoi *outline, double downsample)
{
  double x, y, width, height;
  vt_roi_get_bounds(outline, &x, &y, &width, &height);
  const double left = floor(x / downsample) - 1, top = floor(y / downsample) - 1;
  return (VtFrame){ (gint64)left,
                    (gint64)top,
                    (gint64)(ceil((x + width) / downsample) + 1 - left),
                    (gint64)(ceil((y + height) / downsample) + 1 - top),
                    downsample,
                    0,
                    0 };
}

static gboolean
touches_border(const VtCorrectionMeasures *self, const GArray *corners, const VtFrame *frame)
{
  VT_EACH_IN (const Corner, corner, corners) {
    const double x = (double)(frame->x + corner->x) * self->downsample,
                 y = (double)(frame->y + corner->y) * self->downsample;
    if (x <= self->box[0] || y <= self->box[1] || x >= self->box[2] || y >= self->box[3])
      return TRUE;
  }
  return FALSE;
}

/* In edges of pixels. FALSE: the outline holds no pixel. */
static gboolean
measure(const VtCorrectionMeasures *self, const VtRoi *outline, double values[N_QUANTITIES], double centroid[2])
{
  const VtFrame frame = get_frame(outline, self->downsample);
  g_autoptr(GArray) corners = g_array_new(FALSE, FALSE, sizeof(Corner));
  const Sums s = add_up(outline, &frame, corners);
  if (s.n == 0)
    return FALSE;
  const double n = (double)s.n;
  values[AREA] = n;
  values[PERIMETER] =
    G_PI / 4 * ((double)(s.begins[0] + s.begins[1]) + (double)(s.begins[2] + s.begins[3]) * G_SQRT2 / 2);
  values[CIRCULARITY] = MIN(4 * G_PI * n / (values[PERIMETER] * values[PERIMETER]), 1);
  values[ECCENTRICITY] = get_eccentricity(&s);
  values[BORDER] = touches_border(self, corners, &frame);
  measure_hull(corners, s.n, values);
  for (guint i = 0; i < 2; i++) { /* counted from the region's corner, as of the run's, to the last bit */
    const gint64 corner = (gint64)floor(self->box[i] / self->downsample), sum = i == 0 ? s.x : s.y;
    const gint64 from = (i == 0 ? frame.x : frame.y) - corner;
    centroid[i] = ((double)corner + (double)(sum + from * s.n) / n + 0.5) * self->downsample;
  }
  return TRUE;
}

static double
get_value(const VtCorrectionMeasures *self, guint column, const double values[N_QUANTITIES])
{
  const guint which = self->which[column];
  return which < N_QUANTITIES ? values[which] * pow(self->edge, quantities[which].power) : NAN;
}

/* --- which measurements --- */

/* The question mark is a unit. */
static guint
find_quantity(const char *name)
{
  const char *colon = strstr(name, ": "), *own = colon ? colon + 2 : name;
  for (guint i = 0; i < N_QUANTITIES; i++) {
    g_auto(GStrv) parts = g_strsplit(quantities[i].ending, "?", 2);
    if (!parts[1] ? g_str_equal(own, parts[0]) : g_str_has_prefix(own, parts[0]) && g_str_has_suffix(own, parts[1]))
      return i;
  }
  return N_QUANTITIES;
}

/* An object of the run must have just these numbers. */
static void
check_object(VtCorrectionMeasures *self, const VtObject *object)
{
  g_autoptr(VtRoi) outline = vt_object_dup_roi(object);
  double values[N_QUANTITIES], centroid[2];
  if (object->n_points == 0 || !measure(self, outline, values, centroid))
    return;
  for (guint i = 0; i < self->n; i++) {
    const double value = get_value(self, i, values);
    if (!(fabs(value - object->measurements[i]) <= CLOSE * fabs(value)))
      self->which[i] = N_QUANTITIES;
  }
}

static double
get_mpp(const VtResult *result)
{
  return result->calibrated && result->mpp > 0 ? result->mpp : 1;
}

/* --- by the analysis itself --- */

/* The rectangle of what is measured and what lies round it: as far as it is looked at, but in the region that was analysed, unless the outline leaves it. */
static void
set_rectangle(const VtCorrectionMeasures *self, VtRunRequest *request)
{
  const double d = self->downsample;
  double all[4] = { INFINITY, INFINITY, -INFINITY, -INFINITY }, within[4];
  memcpy(within, self->box, sizeof within);
  for (guint i = 0; i < request->rois->len; i++) {
    double box[4];
    const double round = i == 0 ? self->reach : 0;
    vt_roi_get_box(request->rois->pdata[i], box);
    for (guint k = 0; k < 4; k++) {
      all[k] = k < 2 ? MIN(all[k], box[k] - round) : MAX(all[k], box[k] + round);
      if (i == 0)
        within[k] = k < 2 ? MIN(within[k], floor(box[k])) : MAX(within[k], ceil(box[k]));
    }
  }
  for (guint k = 0; k < 4; k++)
    all[k] = k < 2 ? MAX(floor(all[k] / d) * d, within[k]) : MIN(ceil(all[k] / d) * d, within[k]);
  request->x_l0 = (gint64)all[0];
  request->y_l0 = (gint64)all[1];
  request->width_l0 = (gint64)(all[2] - all[0]);
  request->height_l0 = (gint64)(all[3] - all[1]);
}

static gboolean
leaves_region(const VtCorrectionMeasures *self, const VtRoi *outline)
{
  double box[4];
  vt_roi_get_box(outline, box);
  return box[0] < self->box[0] || box[1] < self->box[1] || box[2] > self->box[2] || box[3] > self->box[3];
}

/* If it can't tell, or the outline holds no pixel, the numbers stay as they are. */
static void
ask(const VtCorrectionMeasures *self, const VtRoi *outline, const GPtrArray *round, double *measured,
    GCancellable *cancellable)
{
  if (!self->again)
    return;
  g_autoptr(VtRunRequest) request = vt_run_request_copy(self->again);
  request->rois = g_ptr_array_new();
  g_ptr_array_add(request->rois, (gpointer)outline);
  for (guint i = 0; i < round->len; i++)
    g_ptr_array_add(request->rois, round->pdata[i]);
  set_rectangle(self, request);
  g_autoptr(VtResult) result = vt_run(request, NULL, NULL, cancellable, NULL);
  const VtObject *object = result && result->objects && result->objects->len == 1 ? result->objects->pdata[0] : NULL;
  if (!object || object->n_measurements > self->n)
    return;
  for (guint i = 0; i < self->n; i++) {
    const gboolean is_told = i < object->n_measurements && object->measurement_names[i] == self->names[i];
    const gboolean is_cut = find_quantity(self->names[i]) == BORDER && leaves_region(self, outline);
    measured[i] = !is_told || g_str_equal(self->names[i], VT_MEASUREMENT_LABEL) ? NAN
                  : is_cut                                                      ? 1
                                                                                : object->measurements[i];
  }
}

/* Whether it can be asked, and how far it looks. */
static void
find_reach(VtCorrectionMeasures *self, const VtRunRequest *again)
{
  g_autoptr(VtResult) result = again ? vt_run(again, NULL, NULL, NULL, NULL) : NULL;
  if (!result)
    return;
  self->again = again;
  self->reach = result->reach_px * self->downsample;
}

VtCorrectionMeasures *
vt_correction_measures_new(const VtResult *result)
{
  VtCorrectionMeasures *self = g_new0(VtCorrectionMeasures, 1);
  const VtObject *first = result->objects->len > 0 ? result->objects->pdata[0] : NULL;
  self->edge = result->used_pixel_size > 0 ? result->used_pixel_size : 1;
  self->downsample = result->used_pixel_size > 0 ? MAX(round(self->edge / get_mpp(result)), 1) : 1;
  self->box[0] = (double)result->x_l0;
  self->box[1] = (double)result->y_l0;
  self->box[2] = (double)(result->x_l0 + result->width_l0);
  self->box[3] = (double)(result->y_l0 + result->height_l0);
  self->n = first ? first->n_measurements : 0;
  self->names = first ? first->measurement_names : NULL;
  self->which = g_new(guint8, self->n + 1);
  for (guint i = 0; i < self->n; i++)
    self->which[i] = (guint8)find_quantity(self->names[i]);
  for (guint i = 0; i < MIN(result->objects->len, N_CHECKED); i++)
    check_object(self, result->objects->pdata[i]);
  find_reach(self, ((const VtResultFull *)result)->again);
  return self;
}

VT_DEFINE_TYPE_FREE(vt_correction_measures_free, VtCorrectionMeasures, VT_FREES(g_free, which))

VT_GETTER(double, vt_correction_measures_get_reach, const VtCorrectionMeasures, reach)

VtObject *
vt_correction_measures_make(const VtCorrectionMeasures *self, const VtRoi *outline, const GPtrArray *round, gint64 id,
                            GCancellable *cancellable)
{
  g_autofree double *measured = g_new(double, self->n + 1);
  double values[N_QUANTITIES], centroid[2], x, y, width, height;
  vt_roi_get_bounds(outline, &x, &y, &width, &height);
  centroid[0] = x + width / 2;
  centroid[1] = y + height / 2;
  const gboolean has_pixels = measure(self, outline, values, centroid);
  for (guint i = 0; i < self->n; i++)
    measured[i] = has_pixels ? get_value(self, i, values) : NAN;
  if (round && !g_cancellable_is_cancelled(cancellable))
    ask(self, outline, round, measured, cancellable);
  const VtObject object = {
    .id = id,
    .centroid_x_l0 = centroid[0],
    .centroid_y_l0 = centroid[1],
    .n_rings = outline->ring_sizes->len,
    .n_measurements = self->n,
    .n_points = outline->points->len / 2,
    .ring_sizes = vt_roi_get_ring_sizes(outline),
    .points = vt_roi_get_points(outline),
    .measurements = measured,
    .measurement_names = self->names,
  };
  return vt_object_copy(&object);
}
