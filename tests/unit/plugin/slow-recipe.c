/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "oracle.h"
#include "slow-recipe.h"

typedef struct {
  const VitrailRecipeNode *node;
  VtImage in[3], out;
  bool is_normalised; /* in[0] has the reference's stains */
} Node;

static double
param(const Node *n, const char *key)
{
  for (uint32_t i = 0; i < n->node->n_settings; i++)
    if (strcmp(n->node->settings[i]->key, key) == 0)
      return strtod(n->node->settings[i]->value, NULL);
  return 0;
}

#define FOR_EACH_PIXEL(image) \
  for (int64_t y = 0; y < (image)->height; y++) \
    for (int64_t x = 0; x < (image)->width; x++)

/* --- pixels --- */

/* Hematoxylin and eosin of length 1: the defaults of the op normalize. */
static void
find_stain(bool is_reference, int which, double v[3])
{
  static const char *const keys[2][2] = { { "hematoxylin", "eosin" }, { "reference-hematoxylin", "reference-eosin" } };
  const VitrailOp *op = mini_op("normalize");
  for (uint32_t i = 0; i < op->n_params; i++)
    if (strcmp(op->params[i]->key, keys[is_reference][which]) == 0)
      memcpy(v, op->params[i]->initial, 3 * sizeof *v);
  const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int c = 0; c < 3; c++)
    v[c] /= length;
}

/* The amount of one stain in a density, by least squares: what is left over is orthogonal to both. */
static void
unmix(bool is_reference, int which, double share[3])
{
  double one[3], other[3], dot = 0;
  find_stain(is_reference, which, one);
  find_stain(is_reference, !which, other);
  for (int c = 0; c < 3; c++)
    dot += one[c] * other[c];
  for (int c = 0; c < 3; c++)
    share[c] = (one[c] - dot * other[c]) / (1 - dot * dot);
}

/* Of the background 255; in sixteenths of 1/10000. */
static void
fill_densities(const double share[3], int32_t *table)
{
  for (int i = 0; i < 3 * 256; i++)
    table[i] = (int32_t)lround(share[i / 256] * log10(255.0 / fmax(i % 256, 1)) / 1e-4 * 16);
}

/* Luminance in 8 bits, or optical densities in units of 1/10000: their sum, or a stain. */
static void
channel(Node *n)
{
  const char *id = n->node->settings[0]->value;
  double share[3] = { 1, 1, 1 };
  int32_t table[3 * 256];
  if (strcmp(id, "'od-sum'") != 0)
    unmix(n->is_normalised, strcmp(id, "'eosin'") == 0, share);
  fill_densities(share, table);
  for (int i = 0; i < 3 * 256 && strcmp(id, "'luminance'") == 0; i++)
    table[i] = (int32_t)lround((const double[]){ 0.2126, 0.7152, 0.0722 }[i / 256] * (i % 256) * 16);
  const VtLut3 args = { n->in[0], n->out, table };
  vt_oracle_lut3(NULL, &args, NULL);
}

static void
normalize(Node *n)
{
  static const char *const keys[2][2] = { { "hematoxylin", "reference-hematoxylin" }, { "other", "reference-other" } };
  static uint8_t colour[VT_DENSITIES];
  int32_t table[2 * 768];
  VtNormalize args = { n->in[0], n->out, table, colour, { { 0 } } };
  for (int i = 0; i < VT_DENSITIES; i++)
    colour[i] = (uint8_t)lround(255 * pow(10, -i / 10000.0));
  for (int k = 0; k < 2; k++) {
    double share[3], to[3];
    unmix(false, k, share);
    fill_densities(share, table + 768 * k);
    find_stain(true, k, to);
    for (int c = 0; c < 3; c++)
      args.mix[k][c] = (int32_t)lround(65536 * to[c] * param(n, keys[k][1]) / param(n, keys[k][0]));
  }
  vt_oracle_normalize(NULL, &args, NULL);
}

static void
pointwise(Node *n, VtPointwiseOp op, double s)
{
  const VtPointwise args = { op, n->in[0], n->in[1], n->out, s };
  vt_oracle_pointwise(NULL, &args, NULL);
}

static void
subtract(Node *n)
{
  FOR_EACH_PIXEL(&n->out)
  {
    const double a = vt_oracle_get(&n->in[0], x, y), b = vt_oracle_get(&n->in[1], x, y);
    vt_oracle_set(&n->out, x, y, n->out.type == VITRAIL_F32 || a > b ? a - b : 0);
  }
}

static void
complement(Node *n)
{
  if (n->out.type != VITRAIL_F32) {
    pointwise(n, VT_PW_COMPLEMENT, 0);
    return;
  }
  FOR_EACH_PIXEL(&n->out)
  vt_oracle_set(&n->out, x, y, 0 - vt_oracle_get(&n->in[0], x, y));
}

static void
as_they_are(Node *n)
{
  FOR_EACH_PIXEL(&n->out)
  vt_oracle_set(&n->out, x, y, vt_oracle_get(&n->in[0], x, y));
}

static void
where(Node *n)
{
  FOR_EACH_PIXEL(&n->out)
  vt_oracle_set(&n->out, x, y, vt_oracle_get(&n->in[0], x, y) != 0 ? 255 : 0);
}

static void
border(Node *n)
{
  FOR_EACH_PIXEL(&n->out)
  {
    const bool is_border = x == 0 || y == 0 || x == n->out.width - 1 || y == n->out.height - 1;
    vt_oracle_set(&n->out, x, y, vt_oracle_get(&n->in[is_border ? 0 : 1], x, y));
  }
}

/* --- neighbourhoods --- */

static void
erode(Node *n)
{
  const VtErodeDisc args = { .src = n->in[0], .dst = n->out, .radius = (int32_t)param(n, "radius") };
  vt_oracle_erode_disc(NULL, &args, NULL);
}

/* A Gaussian in whole numbers that add up to 65536, cut at three sigma. */
static void
smooth(Node *n)
{
  const double sigma = param(n, "sigma");
  const int32_t radius = (int32_t)ceil(3 * sigma);
  uint32_t weights[64], sum = 0;
  double whole = 1;
  for (int32_t i = 1; i <= radius; i++)
    whole += 2 * exp(-0.5 * i * i / (sigma * sigma));
  for (int32_t i = 1; i <= radius; i++) {
    weights[i] = (uint32_t)floor(65536 * exp(-0.5 * i * i / (sigma * sigma)) / whole + 0.5);
    sum += 2 * weights[i];
  }
  weights[0] = 65536 - sum;
  const VtSmooth args = { .src = n->in[0], .dst = n->out, .radius = radius, .weights = weights };
  vt_oracle_smooth(NULL, &args, NULL);
}

/* --- the whole image --- */

static void
reconstruct(Node *n)
{
  as_they_are(n);
  const VtReconstruct args = { .marker = n->out, .mask = n->in[1], .connectivity = (int32_t)param(n, "connectivity") };
  vt_oracle_reconstruct(NULL, &args, NULL);
}

static void
distance(Node *n)
{
  const VtDistance args = {
    .src = n->in[0], .root = n->out, .weight_x = 1, .weight_y = 1, .scale = (float)param(n, "scale")
  };
  vt_oracle_distance_exact(NULL, &args, NULL);
}

static void
extrema(Node *n)
{
  const VtRegional args = { .src = n->in[0], .dst = n->out, .connectivity = (int32_t)param(n, "connectivity") };
  vt_oracle_regional(NULL, &args, NULL);
}

static void
components(Node *n)
{
  const VtComponents args = { n->in[0], n->out, (int32_t)param(n, "connectivity") };
  vt_oracle_components(NULL, &args, NULL);
}

static void
sized(Node *n)
{
  const VtImage labels = mini_image_new(VITRAIL_I32, n->out.width, n->out.height);
  Node pieces = *n;
  pieces.out = labels;
  components(&pieces);
  FOR_EACH_PIXEL(&labels)
  {
    const int32_t label = *(int32_t *)vt_image_at(&labels, x, y);
    double area = 0;
    for (int64_t i = 0; i < labels.width * labels.height; i++)
      area += ((int32_t *)labels.data)[i] == label;
    vt_oracle_set(&n->out, x, y, label && area >= param(n, "min-area") && area <= param(n, "max-area") ? 255 : 0);
  }
  free(labels.data);
}

/* In the order of their first pixels. */
static void
number(Node *n)
{
  const VtImage zeros = mini_image_new(VITRAIL_U16, n->out.width, n->out.height);
  VtObjectStats *stats = NULL;
  int64_t n_objects = 0;
  as_they_are(n);
  const VtNumber args = { n->out, zeros, zeros, &stats, &n_objects };
  vt_oracle_number(NULL, &args, NULL);
  free(stats);
  free(zeros.data);
}

static void
zones(Node *n)
{
  VtImage steps = mini_image_new(VITRAIL_I32, n->out.width, n->out.height);
  const VtGeodesic args = { n->in[0], n->in[1], steps, n->out, (int32_t)param(n, "connectivity") };
  vt_oracle_geodesic(NULL, &args, NULL);
  free(steps.data);
}

static void
watershed(Node *n)
{
  const VtWatershed args = { n->in[0], n->in[1], n->in[2], n->out };
  vt_oracle_watershed(NULL, &args, NULL);
}

/* --- */

static bool
work_out(Node *n)
{
  static const struct {
    const char *step;
    void (*run)(Node *n);
  } steps[] = {
    { "channel", channel },         { "subtract", subtract },   { "complement", complement }, { "float", as_they_are },
    { "widen", as_they_are },       { "where", where },         { "border", border },         { "erode", erode },
    { "smooth", smooth },           { "distance", distance },   { "extrema", extrema },       { "sized", sized },
    { "reconstruct", reconstruct }, { "watershed", watershed }, { "number", number },         { "zones", zones },
    { "components", components },   { "normalize", normalize },
  };
  static const struct {
    const char *step, *key;
    VtPointwiseOp op;
  } pointwise_steps[] = {
    { "above", "threshold", VT_PW_ABOVE },
    { "not", "", VT_PW_NOT },
    { "and", "", VT_PW_AND },
    { "select", "elsewhere", VT_PW_SELECT },
    { "lower", "by", VT_PW_LOWER_CLAMP },
  };
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (strcmp(steps[i].step, n->node->step) == 0) {
      steps[i].run(n);
      return true;
    }
  for (size_t i = 0; i < sizeof pointwise_steps / sizeof *pointwise_steps; i++)
    if (strcmp(pointwise_steps[i].step, n->node->step) == 0) {
      pointwise(n, pointwise_steps[i].op, param(n, pointwise_steps[i].key));
      return true;
    }
  return false;
}

bool
slow_recipe(const Drawn *d, const VtImage *colours, VtImage images[DRAWN_MOST_NODES])
{
  static const VtType types[] = { VITRAIL_U8,  VITRAIL_U16, VITRAIL_F32,  VITRAIL_U8,
                                  VITRAIL_I32, VITRAIL_I32, VITRAIL_RGBA8 };
  bool known = true;
  images[0] = *colours;
  for (uint32_t i = 1; i < d->n; i++) {
    Node n = { .node = &d->nodes[i] };
    images[i] = n.out = mini_image_new(types[d->kinds[i]], colours->width, colours->height);
    for (uint32_t k = 0; k < d->nodes[i].n_inputs; k++)
      for (uint32_t from = 0; from < i; from++)
        if (strcmp(d->ids[from], d->inputs[i][k]) == 0) {
          n.in[k] = images[from];
          n.is_normalised |= strcmp(d->nodes[from].step, "normalize") == 0;
        }
    known = known && work_out(&n);
  }
  return known;
}
