/* SPDX-License-Identifier: MIT
 *
 * Channels of a colour image as sums of three tables (VtLut3): optical density, colour deconvolution (Ruifrok 2001), luminance; and the
 * normalisation of stains (VtNormalize). Logarithms run here, once per run, so every backend adds the same integers. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "drivers/channel.h"
#include "run/parallel.h"
#include "run/params.h"
#include "run/raster.h"

/* One raw unit of an optical density; tables are in sixteenths of a raw unit. */
static const double OD_UNIT = 1e-4;

static double
normalise(double v[3])
{
  double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int i = 0; i < 3 && length > 0; i++)
    v[i] /= length;
  return length;
}

static void
cross(const double a[3], const double b[3], double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Coefficients c so that the amount of `stain` in an optical density od is c . od, with a residual orthogonal to both
 * stains. */
static bool
deconvolution_row(const double *first, const double *second, bool want_second, double c[3])
{
  double a[3], b[3], r[3], n[3];
  memcpy(a, first, sizeof a);
  memcpy(b, second, sizeof b);
  if (normalise(a) <= 0 || normalise(b) <= 0)
    return false;
  cross(a, b, r);
  if (normalise(r) < 1e-3)
    return false;
  /* rows of the inverse of [a b r]: (b x r, r x a, a x b) / det */
  cross(want_second ? r : b, want_second ? a : r, n);
  cross(b, r, c);
  double det = a[0] * c[0] + a[1] * c[1] + a[2] * c[2];
  for (int i = 0; i < 3; i++)
    c[i] = n[i] / det;
  return true;
}

static double
optical_density(int value, double white)
{
  return fmax(log10(white / fmax(value, 1)), 0);
}

static void
fill_od_tables(int32_t *table, const double c[3], const double *white)
{
  for (int channel = 0; channel < 3; channel++)
    for (int value = 0; value < 256; value++)
      table[channel * 256 + value] =
        (int32_t)lround(c[channel] * optical_density(value, white[channel]) / OD_UNIT * 16);
}

static void
fill_linear_tables(int32_t *table, const double c[3])
{
  for (int channel = 0; channel < 3; channel++)
    for (int value = 0; value < 256; value++)
      table[channel * 256 + value] = (int32_t)lround(c[channel] * value * 16);
}

/* --- stains --- */

/* Of the slide, or of the reference that it is normalised to. The second stain is DAB where the op has its vector, else eosin. */
typedef struct {
  const char *second_id;
  const double *vectors[2], *white; /* NULL: the op has no such parameter */
  bool is_reference;
} Stains;

static const double *
find_vector(const VtRun *run, const char *key)
{
  return vt_has_param(run, key) ? vt_param_vector(run, key) : NULL;
}

static Stains
find_stains(const VtRun *run, bool is_reference)
{
  static const double white[3] = { 255, 255, 255 };
  const bool is_dab = vt_has_param(run, "dab");
  if (is_reference)
    return (Stains){ is_dab ? "dab" : "eosin",
                     { find_vector(run, "reference-hematoxylin"),
                       find_vector(run, is_dab ? "reference-dab" : "reference-eosin") },
                     white,
                     true };
  return (Stains){ is_dab ? "dab" : "eosin",
                   { find_vector(run, "hematoxylin"), find_vector(run, is_dab ? "dab" : "eosin") },
                   find_vector(run, "white"),
                   false };
}

static VitrailStatus
unmix(VtRun *run, const Stains *stains, bool want_second, double c[3])
{
  if (!deconvolution_row(stains->vectors[0], stains->vectors[1], want_second, c))
    return vt_fail(
      run, VITRAIL_BAD_ARGUMENT, "%s",
      stains->is_reference
        ? TR("The hematoxylin and eosin vectors of the reference must differ in direction and not be zero.")
        : TR("The hematoxylin and eosin vectors must differ in direction and not be zero."));
  for (int i = 0; i < 3; i++)
    if (fabs(c[i]) > 1000)
      return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                     TR("The hematoxylin and eosin vectors are too much alike to be told apart."));
  return VITRAIL_OK;
}

static VitrailStatus
find_stain(VtRun *run, const Stains *stains, const char *channel, double c[3])
{
  const bool is_first = strcmp(channel, "hematoxylin") == 0, is_second = strcmp(channel, stains->second_id) == 0;
  const bool is_sum = strcmp(channel, "od-sum") == 0;
  if (!is_first && !is_second && !is_sum)
    return vt_fail(run, VITRAIL_BAD_ARGUMENT, "There is no channel \"%.60s\" here.", channel);
  if (!stains->white || (!is_sum && (!stains->vectors[0] || !stains->vectors[1])))
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "The channel \"%.60s\" needs the parameters white, hematoxylin and eosin or dab.", channel);
  return is_sum ? VITRAIL_OK : unmix(run, stains, is_second, c);
}

static VitrailStatus
make_tables(VtRun *run, const char *channel, bool is_normalised, int32_t *table, bool *is_od)
{
  const Stains stains = find_stains(run, is_normalised);
  static const struct {
    const char *id;
    double c[3];
  } linear[] = {
    { "brightness", { 1 / 3.0, 1 / 3.0, 1 / 3.0 } },
    { "luminance", { 0.2126, 0.7152, 0.0722 } },
    { "red", { 1, 0, 0 } },
    { "green", { 0, 1, 0 } },
    { "blue", { 0, 0, 1 } },
  };
  *is_od = false;
  for (size_t i = 0; i < VT_COUNT(linear); i++) {
    if (strcmp(channel, linear[i].id) == 0) {
      fill_linear_tables(table, linear[i].c);
      return VITRAIL_OK;
    }
  }
  *is_od = true;
  double c[3] = { 1, 1, 1 };
  TRY(find_stain(run, &stains, channel, c));
  fill_od_tables(table, c, stains.white);
  return VITRAIL_OK;
}

VitrailStatus
vt_channel_prepare(VtRun *run, const char *id, VtType type, bool is_normalised, VtChannel *channel)
{
  *channel = (VtChannel){ .type = type, .scale = 1, .is_copy = type != VITRAIL_RGBA8 };
  if (channel->is_copy)
    return VITRAIL_OK;
  bool is_od;
  VitrailStatus status = make_tables(run, id, is_normalised, channel->table, &is_od);
  channel->type = is_od ? VITRAIL_U16 : VITRAIL_U8;
  channel->scale = is_od ? OD_UNIT : 1;
  return status;
}

VitrailStatus
vt_channel_apply(VtRun *run, const VtChannel *channel, const VtImage *src, const VtImage *dst)
{
  VtLut3 args = { .src = *src, .dst = *dst, .table = channel->table };
  if (!channel->is_copy)
    return run->cpu->lut3(run->cpu_device, &args, &run->cancel);
  for (int64_t y = 0; y < src->height; y++)
    memcpy(vt_image_at(dst, 0, y), vt_image_at(src, 0, y), (size_t)src->width * vt_type_size(src->type));
  return VITRAIL_OK;
}

typedef struct {
  const VtImage *src, *dst;
  const VtChannel *channel;
} ChannelJob;

static VitrailStatus
channel_tile(VtRun *run, VtRect t, void *user)
{
  ChannelJob *job = user;
  VtImage src = vt_image_window(job->src, t.x, t.y, t.width, t.height);
  VtImage dst = vt_image_window(job->dst, t.x, t.y, t.width, t.height);
  return vt_channel_apply(run, job->channel, &src, &dst);
}

VitrailStatus
vt_channel(VtRun *run, const VtChannel *channel, const VtImage *src, VtImage *dst)
{
  ChannelJob job = { src, dst, channel };
  *dst = *src;
  if (channel->is_copy)
    return VITRAIL_OK;
  TRY(vt_raster_alloc(run, dst, channel->type, src->width, src->height));
  return vt_local(run, src->width, src->height, channel_tile, &job);
}

/* --- normalisation --- */

static uint8_t colours[VT_DENSITIES];
static pthread_once_t colours_once = PTHREAD_ONCE_INIT;

static void
fill_colours(void)
{
  for (int i = 0; i < VT_DENSITIES; i++)
    colours[i] = (uint8_t)lround(255 * pow(10, -i * OD_UNIT));
}

const uint8_t *
vt_channel_colours(void)
{
  pthread_once(&colours_once, fill_colours);
  return colours;
}

VitrailStatus
vt_channel_normalize(VtRun *run, const double strengths[2], const double reference[2], VtChannel *channel)
{
  const Stains own = find_stains(run, false), wanted = find_stains(run, true);
  *channel = (VtChannel){ .type = VITRAIL_RGBA8, .scale = 1 };
  if (!own.white || !own.vectors[0] || !own.vectors[1] || !wanted.vectors[0] || !wanted.vectors[1])
    return vt_fail(run, VITRAIL_BAD_ARGUMENT,
                   "The step normalize needs the parameters white, hematoxylin and reference-hematoxylin, and eosin "
                   "and reference-eosin or dab and reference-dab.");
  for (int k = 0; k < 2; k++) {
    double c[3], v[3];
    TRY(unmix(run, &wanted, k == 1, c)); /* so that channels of what is made have an answer */
    TRY(unmix(run, &own, k == 1, c));
    fill_od_tables(channel->table + 3 * 256 * k, c, own.white);
    memcpy(v, wanted.vectors[k], sizeof v);
    normalise(v);
    for (int i = 0; i < 3; i++)
      channel->mix[k][i] = (int32_t)lround(65536 * v[i] * reference[k] / strengths[k]);
  }
  return VITRAIL_OK;
}
