/* SPDX-License-Identifier: MIT
 *
 * The features of cpu/regions/measure.c and the score. A warp sums up what is in a mask, on its outline and around it; then a
 * thread makes a candidate's features of the sums and goes down the trees. */
#include "mask.cuh"

/* What is summed of a candidate. in, edge, ring: of the eight planes in VtRgWindow.summed. */
struct Sums {
  int32_t n_in, n_edge, n_ring, in[VT_RG_N_SUMMED], edge[VT_RG_N_SUMMED], ring[VT_RG_N_SUMMED];
  int32_t least_in, most_in, most_ring;
  int32_t x, y, xx, yy, xy, across, slanted, hull; /* hull: twice an area */
  long long square_in, square_ring;
};

/* A block scores VT_RG_LANES candidates, a lane each; its warps share the features, then the trees. */
enum { SCORE_WARPS = 8, SCORE_THREADS = SCORE_WARPS * VT_RG_LANES, TREES_AT_ONCE = 3, HULL_SIDES = 2 };

struct Measure {
  VtRgWindow w;
  VtRgCandidates all;
  uint32_t *words;
  Sums *sums;
  int32_t from, n, memory; /* candidates; words of a warp */
};

/* Two sums of 16 bits in a word, which take so many values; the roughness is four times a density. */
enum { AT_ONCE = 16 };
static_assert(AT_ONCE * 4 * RG_MOST_DENSITY <= 65535, "else they run into each other");

struct Pairs {
  uint32_t of[VT_RG_N_SUMMED / 2];

  __device__ __forceinline__ void add(const uint4 &v, bool wanted)
  {
    const uint32_t mask = wanted ? ~0u : 0u;
    of[0] += v.x & mask;
    of[1] += v.y & mask;
    of[2] += v.z & mask;
    of[3] += v.w & mask;
  }
  __device__ __forceinline__ void flush(int32_t sums[VT_RG_N_SUMMED])
  {
#pragma unroll
    for (int k = 0; k < VT_RG_N_SUMMED; k++)
      sums[k] += static_cast<int32_t>(of[k / 2] >> k % 2 * 16 & 0xffff);
    of[0] = of[1] = of[2] = of[3] = 0;
  }
};

/* Of a lane. */
struct Levels {
  Pairs in, edge, ring;
  Sums sums;
  uint32_t square_in, square_ring;
};

static __device__ __forceinline__ void
add_pixel(Levels *l, const uint4 &v, bool is_in, bool is_edge, bool is_ring)
{
  const int32_t red = static_cast<int32_t>(v.x & 0xffff);
  l->in.add(v, is_in);
  l->edge.add(v, is_edge);
  l->ring.add(v, is_ring);
  l->sums.n_ring += is_ring;
  l->square_in += is_in ? red * red : 0;
  l->square_ring += is_ring ? red * red : 0;
  l->sums.least_in = min(l->sums.least_in, is_in ? red : INT32_MAX);
  l->sums.most_in = max(l->sums.most_in, is_in ? red : 0);
  l->sums.most_ring = max(l->sums.most_ring, is_ring ? red : 0);
}

/* bits: the region; spare: the ring; third: the outline. A lane takes columns; moments are about the mask's corner. */
static __device__ void
add_levels(Levels *l, const VtRgMask &m, const VtRgWindow &w)
{
  const int32_t lane = vt_rg_lane();
  int32_t n_pixels = 0;
  for (int32_t j = 0; j < m.n_words; j++) {
    const int32_t column = 32 * j + lane;
    const int64_t x = m.box.x0 - m.margin + column;
    int32_t n = 0, y_sum = 0;
    for (int32_t y = 1; y + 1 < m.rows; y++) {
      const int32_t i = y * m.pitch + j;
      const uint32_t in = m.bits[i], ring = m.spare[i];
      if ((in | ring) == 0)
        continue;
      const int64_t v = m.box.y0 - m.margin + y;
      if (((in | ring) >> lane & 1) && x >= 0 && x < w.width && v >= 0 && v < w.height)
        add_pixel(l, w.summed[v * w.pitch + x], in >> lane & 1, m.third[i] >> lane & 1, ring >> lane & 1);
      n += in >> lane & 1;
      y_sum += in >> lane & 1 ? y : 0;
      if (++n_pixels % AT_ONCE == 0) {
        l->in.flush(l->sums.in);
        l->edge.flush(l->sums.edge);
        l->ring.flush(l->sums.ring);
      }
    }
    l->sums.x += n * column;
    l->sums.xx += n * column * column;
    l->sums.xy += y_sum * column;
  }
  l->in.flush(l->sums.in);
  l->edge.flush(l->sums.edge);
  l->ring.flush(l->sums.ring);
}

/* Changes along rows and columns, and along both diagonals; moments of rows. */
static __device__ void
add_shape(Sums *s, const VtRgMask &m)
{
  for (int32_t y = vt_rg_lane(); y + 1 < m.rows; y += VT_RG_LANES)
    for (int32_t j = 0; j < m.n_words; j++) {
      const int32_t i = y * m.pitch + j, k = i + m.pitch;
      const uint32_t a = m.bits[i], b = m.bits[k], c = vt_rg_from_right(m, m.bits, i, j),
                     d = vt_rg_from_right(m, m.bits, k, j);
      const int32_t n = __popc(a);
      s->n_in += n;
      s->n_edge += __popc(m.third[i]);
      s->y += n * y;
      s->yy += n * y * y;
      s->across += __popc(a ^ c) + __popc(a ^ b);
      s->slanted += __popc(a ^ d) + __popc(c ^ b);
    }
}

/* The ends of a row: its first pixel, or one behind its last, of a region that is connected. */
static __device__ int32_t
end_of_row(const VtRgMask &m, int32_t y, bool right)
{
  const uint32_t *row = m.bits + y * m.pitch;
  if (right) {
    for (int32_t j = m.n_words - 1; j >= 0; j--)
      if (row[j])
        return 32 * j + 32 - __clz(static_cast<int>(row[j]));
    return 0;
  }
  for (int32_t j = 0; j < m.n_words; j++)
    if (row[j])
      return 32 * j + __ffs(static_cast<int>(row[j])) - 1;
  return 0;
}

static __device__ __forceinline__ int32_t
corner_at(const int16_t *side, int32_t n, int32_t y)
{
  return min(side[y > 0 ? y - 1 : 0], side[y < n ? y : n - 1]);
}

/* Twice the area of the hull of the corners of the rows' ends. Two lanes: the left side, and the right with the sign turned, so that
 * both lie where x is least. ends: room for both. */
static __device__ int32_t
hull_of(const VtRgMask &m, int16_t *ends)
{
  const int32_t first = m.margin, n = m.rows - 2 * m.margin;
  for (int32_t k = vt_rg_lane(); k < HULL_SIDES * n; k += VT_RG_LANES) {
    const bool right = k >= n;
    const int32_t y = right ? k - n : k, end = end_of_row(m, first + y, right);
    ends[k] = static_cast<int16_t>(right ? -end : end);
  }
  __syncwarp();
  int32_t area = 0;
  if (vt_rg_lane() < HULL_SIDES) {
    const int16_t *side = ends + vt_rg_lane() * n;
    int16_t *hull = ends + HULL_SIDES * n + vt_rg_lane() * (n + 1); /* heights of the corners that are kept */
    int32_t size = 0, x1 = 0, y1 = 0;                               /* the last one */
    for (int32_t y = 0; y <= n; y++) {
      const int32_t x = corner_at(side, n, y);
      while (size > 1) {
        const int32_t y0 = hull[size - 2], x0 = corner_at(side, n, y0);
        if ((x1 - x0) * (y - y0) < (x - x0) * (y1 - y0))
          break;
        size--;
        x1 = x0;
        y1 = y0;
      }
      hull[size++] = static_cast<int16_t>(y);
      x1 = x;
      y1 = y;
    }
    for (int32_t k = 1; k < size; k++)
      area -= (corner_at(side, n, hull[k]) + corner_at(side, n, hull[k - 1])) * (hull[k] - hull[k - 1]);
  }
  return vt_rg_sum(area);
}

static __device__ void
sum_up(const Levels &l, Sums *to)
{
  const Sums &own = l.sums;
  Sums s = {};
  s.n_in = vt_rg_sum(own.n_in);
  s.n_edge = vt_rg_sum(own.n_edge);
  s.n_ring = vt_rg_sum(own.n_ring);
  for (int k = 0; k < VT_RG_N_SUMMED; k++) {
    s.in[k] = vt_rg_sum(own.in[k]);
    s.edge[k] = vt_rg_sum(own.edge[k]);
    s.ring[k] = vt_rg_sum(own.ring[k]);
  }
  s.least_in = vt_rg_least(own.least_in);
  s.most_in = vt_rg_most(own.most_in);
  s.most_ring = vt_rg_most(own.most_ring);
  s.x = vt_rg_sum(own.x);
  s.y = vt_rg_sum(own.y);
  s.xx = vt_rg_sum(own.xx);
  s.yy = vt_rg_sum(own.yy);
  s.xy = vt_rg_sum(own.xy);
  s.across = vt_rg_sum(own.across);
  s.slanted = vt_rg_sum(own.slanted);
  s.hull = own.hull;
  s.square_in = vt_rg_sum_long(l.square_in);
  s.square_ring = vt_rg_sum_long(l.square_ring);
  if (vt_rg_lane() == 0)
    *to = s;
}

static __device__ void
measure_one(const Measure &f, int32_t k, uint32_t *memory)
{
  const VtRgCandidate c = f.all.at[f.from + k];
  if (c.area == 0)
    return;
  const VtRgMask m = vt_rg_mask(c.box, RG_PAD, memory);
  vt_rg_clear(m, m.spare);
  vt_rg_clear(m, m.third);
  vt_rg_load(m, f.all, c);
  vt_rg_grow_cross(m, m.spare, m.bits);
  vt_rg_grow_square(m, m.third, m.spare);
  vt_rg_grow_cross(m, m.spare, m.third);
  vt_rg_each_word(m, [&](int32_t i, int32_t j) {
    const uint32_t in = m.bits[i];
    m.spare[i] &= ~in;
    m.third[i] = in
                 & ~(vt_rg_from_left(m, m.bits, i, j) & vt_rg_from_right(m, m.bits, i, j) & m.bits[i - m.pitch]
                     & m.bits[i + m.pitch]);
  });
  __syncwarp();
  Levels l = {};
  l.sums.least_in = INT32_MAX;
  add_levels(&l, m, f.w);
  add_shape(&l.sums, m);
  __syncwarp();
  l.sums.hull = hull_of(m, reinterpret_cast<int16_t *>(m.spare));
  sum_up(l, f.sums + k);
  __syncwarp();
}

static __global__ void
__launch_bounds__(VT_RG_WARPS *VT_RG_LANES) measure(Measure f)
{
  extern __shared__ uint32_t memory[];
  for (int32_t k = vt_rg_next(f.words); k < f.n; k = vt_rg_next(f.words))
    measure_one(f, k, memory + threadIdx.x / VT_RG_LANES * f.memory);
}

/* --- a thread for each --- */

static __device__ int32_t
root_of(unsigned long long v)
{
  unsigned long long root = 0;
  for (unsigned long long bit = 1ull << 31; bit; bit >>= 1)
    if ((root + bit) * (root + bit) <= v)
      root += bit;
  return static_cast<int32_t>(root);
}

static __device__ __forceinline__ int32_t
ratio(long long a, long long b)
{
  return b > 0 ? static_cast<int32_t>(a * 1024 / b) : 0;
}

static __device__ __forceinline__ int32_t
mean_of(int32_t sum, int32_t n)
{
  return n ? static_cast<int32_t>(static_cast<long long>(sum) * 8 / n) : 0;
}

static __device__ int32_t
deviation_of(long long square, long long sum, long long n)
{
  return n ? root_of(static_cast<unsigned long long>((square * n - sum * sum) * 64 / (n * n))) : 0;
}

/* Features of one candidate lie VT_RG_LANES apart. */
struct Features {
  int32_t *at;

  __device__ __forceinline__ void add(int32_t v)
  {
    *at = v;
    at += VT_RG_LANES;
  }
};

static __device__ void
add_shape_features(Features *f, const Sums &s, const VtRgBox &box)
{
  const long long n = s.n_in, x = s.x, y = s.y;
  const long long xx = (16 * (s.xx * n - x * x)) / (n * n) + 1, yy = (16 * (s.yy * n - y * y)) / (n * n) + 1;
  const long long xy = (16 * (s.xy * n - x * y)) / (n * n);
  const long long r = root_of(static_cast<unsigned long long>((xx - yy) * (xx - yy) + 4 * xy * xy));
  const long long perimeter = s.across * 724ll + s.slanted * 512ll;
  f->add(static_cast<int32_t>(n));
  f->add(ratio(2 * n, s.hull));
  f->add(ratio(n * 36000000, perimeter * perimeter / 1000));
  f->add(ratio(xx + yy - r, xx + yy + r));
  f->add(ratio(n * n * 2, xx * yy - xy * xy));
  f->add(ratio(n, static_cast<long long>(vt_rg_width(box)) * vt_rg_height(box)));
  f->add(root_of(static_cast<unsigned long long>(xx + yy + r)));
  f->add(ratio(n, xx + yy + r));
}

/* What a tree cannot ask of one value: colours against red, and the steps from inside over the outline to the ring. */
static __device__ void
add_step_features(Features *f, const int32_t in[VT_RG_N_SUMMED], const int32_t edge[VT_RG_N_SUMMED],
                  const int32_t ring[VT_RG_N_SUMMED])
{
  const int32_t step = in[0] - ring[0], size = abs(step) + 8;
#pragma unroll
  for (int k = 1; k <= 2; k++) {
    f->add(in[k] - in[0]);
    f->add(ring[k] - ring[0]);
    f->add(ratio(in[k], in[0] + 8));
    f->add(ratio(ring[k], ring[0] + 8));
  }
  f->add(edge[0] - ring[0]);
  f->add(ratio(edge[0] - ring[0], size));
  f->add(ratio(step, in[0] + 8));
  f->add(in[3] - edge[3]);
  f->add(edge[3] - ring[3]);
  f->add(ratio(edge[3], size));
  f->add(in[4] - edge[4]);
  f->add(edge[4] - ring[4]);
}

static __device__ void
add_level_features(Features *f, const Sums &s, const VtRgBox &box, const VtRgWindow &w)
{
  int32_t in[VT_RG_N_SUMMED], edge[VT_RG_N_SUMMED], ring[VT_RG_N_SUMMED];
#pragma unroll
  for (int k = 0; k < VT_RG_N_SUMMED; k++) {
    in[k] = mean_of(s.in[k], s.n_in);
    edge[k] = mean_of(s.edge[k], s.n_edge);
    ring[k] = mean_of(s.ring[k], s.n_ring);
    f->add(in[k]);
  }
#pragma unroll
  for (int k = 0; k < 5; k++)
    f->add(in[k] - ring[k]);
  f->add(in[7] - ring[7]);
  f->add(edge[3]);
  f->add(edge[6]);
  f->add(ratio(edge[3], in[3] + 8));
  f->add(in[0] - edge[0]);
  f->add(edge[4]);
  f->add(ring[4]);
  f->add(ring[0]);
  f->add(ring[3]);
  f->add(deviation_of(s.square_in, s.in[0], s.n_in));
  f->add(deviation_of(s.square_ring, s.ring[0], s.n_ring));
  f->add(s.least_in * 8 - ring[0]);
  f->add(s.most_in);
  f->add(s.most_ring * 8 - in[0]);
  const int64_t at = (box.y0 + box.y1) / 2 * w.pitch + (box.x0 + box.x1) / 2;
  const int32_t mean = w.plane[RG_RED_MEAN][at], dev = w.plane[RG_RED_DEV][at];
  f->add(mean);
  f->add(dev);
  f->add(ratio(in[0] / 8 - mean, dev + 4));
  f->add(ratio((in[0] - ring[0]) / 8, dev + 4));
  add_step_features(f, in, edge, ring);
}

static __device__ void
add_tree_features(Features *f, const VtRgCandidate &c, const VtRgWindow &w, const VtRgCandidates &all)
{
  const VtRgNode *node = w.nodes + c.node;
  const VtRgNode *parent = node->parent ? w.nodes + (node->parent & VT_RG_INDEX) : NULL;
  const VtRgCandidate *above = c.parent >= 0 ? all.at + c.parent : NULL;
  f->add(c.level);
  f->add(above ? ratio(c.area, above->area) : 0);
  f->add(above ? c.level - above->level : -1);
  f->add(c.is_part ? c.neck : -1);
  f->add(parent && parent->n_children == VT_RG_WHOLE ? ratio(node->area, parent->area) : 0);
  f->add(ratio(node->area, c.area));
}

enum { N_SHAPE = 8, N_LEVELS = 47 };
struct Score {
  VtRgWindow w;
  VtRgCandidates all;
  const Sums *sums;
  VtRgForest forest;
  int32_t from, n;
};

/* The answers of every SCORE_WARPS-th tree from one on, a few side by side: one step need not wait for that of another. */
static __device__ int32_t
answers_of(const VtRgForest &forest, int32_t first, const int32_t *features)
{
  int32_t sum = 0;
  for (int32_t t = first; t < forest.n_trees; t += SCORE_WARPS * TREES_AT_ONCE) {
    const VtRgStep *tree[TREES_AT_ONCE];
    VtRgStep step[TREES_AT_ONCE];
    int32_t depth = 0;
#pragma unroll
    for (int k = 0; k < TREES_AT_ONCE; k++) {
      tree[k] = forest.steps + min(t + k * SCORE_WARPS, forest.n_trees - 1) * forest.tree_nodes;
      step[k] = tree[k][0];
      depth = max(depth, static_cast<int32_t>(step[k].depth));
    }
    for (; depth > 0; depth--)
#pragma unroll
      for (int k = 0; k < TREES_AT_ONCE; k++)
        step[k] = tree[k][step[k].next + (features[step[k].feature * VT_RG_LANES] > step[k].limit)];
#pragma unroll
    for (int k = 0; k < TREES_AT_ONCE; k++)
      sum += t + k * SCORE_WARPS < forest.n_trees ? step[k].limit : 0;
  }
  return sum;
}

/* Less 128: how many of the feature's limits are below the value. */
static __device__ int32_t
bin_of(const int32_t *limits, int32_t value)
{
  int32_t n = 0;
#pragma unroll
  for (int32_t step = (VT_RG_N_LIMITS + 1) / 2; step; step /= 2)
    n += limits[n + step - 1] < value ? step : 0;
  return n - (VT_RG_N_LIMITS + 1) / 2;
}

/* Of the form, which is to be shifted once all are summed up, every SCORE_WARPS-th row from one on. */
static __device__ int32_t
form_rows(const VtRgForest &forest, int32_t first, const int8_t *bins)
{
  int32_t sum = 0;
  for (int32_t i = first; i < RG_N_FEATURES; i += SCORE_WARPS) {
    const int32_t *slope = forest.form + 1, *square = slope + RG_N_FEATURES + i * (i + 1) / 2;
    int32_t inner = slope[i] + 128;
    for (int32_t j = 0; j <= i; j++)
      inner += square[j] * bins[j * VT_RG_LANES];
    sum += bins[i * VT_RG_LANES] * (inner >> 8);
  }
  return sum;
}

/* Of three warps each makes some of the features; the last is what a leaf looks at, so that it stays. */
static __device__ void
make_features(const Score &f, const VtRgCandidate &c, const Sums &s, int32_t *features, int warp)
{
  Features own = { features };
  if (warp == 0)
    add_shape_features(&own, s, c.box);
  own.at = features + N_SHAPE * VT_RG_LANES;
  if (warp == 1)
    add_level_features(&own, s, c.box, f.w);
  own.at = features + (N_SHAPE + N_LEVELS) * VT_RG_LANES;
  if (warp != 2)
    return;
  add_tree_features(&own, c, f.w, f.all);
  own.add(INT32_MIN);
}

static __global__ void
__launch_bounds__(SCORE_THREADS) score(Score f)
{
  __shared__ int32_t features[(RG_N_FEATURES + 1) * VT_RG_LANES], answers[SCORE_THREADS], forms[SCORE_THREADS];
  __shared__ int8_t bins[RG_N_FEATURES * VT_RG_LANES];
  const int lane = vt_rg_lane(), warp = static_cast<int>(threadIdx.x) / VT_RG_LANES;
  const int32_t k = static_cast<int32_t>(blockIdx.x) * VT_RG_LANES + lane;
  const bool is_one = k < f.n && f.all.at[f.from + k].area != 0;
  if (is_one)
    make_features(f, f.all.at[f.from + k], f.sums[k], features + lane, warp);
  __syncthreads();
  for (int i = warp; is_one && i < RG_N_FEATURES; i += SCORE_WARPS)
    bins[i * VT_RG_LANES + lane] =
      static_cast<int8_t>(bin_of(f.forest.limits + i * VT_RG_N_LIMITS, features[i * VT_RG_LANES + lane]));
  answers[threadIdx.x] = is_one ? answers_of(f.forest, warp, features + lane) : 0;
  __syncthreads();
  forms[threadIdx.x] = is_one ? form_rows(f.forest, warp, bins + lane) : 0;
  __syncthreads();
  if (warp != 0 || !is_one)
    return;
  int32_t sum = f.forest.base, form = 8;
  for (int i = 0; i < SCORE_WARPS; i++) {
    sum += answers[i * VT_RG_LANES + lane];
    form += forms[i * VT_RG_LANES + lane];
  }
  sum += min(max(f.forest.form[0] + (form >> 4), 0), static_cast<int32_t>(VT_RG_FORM_MOST));
  f.all.at[f.from + k].score = static_cast<uint16_t>(min(max(sum, 0), 65535));
}

size_t
vt_rg_measure_bytes(int32_t n)
{
  return static_cast<size_t>(n) * sizeof(Sums);
}

VitrailStatus
vt_rg_measure(VtDevice *device, const VtRgWindow &w, const VtRgCandidates &all, const VtRgForest &forest, void *sums,
              int32_t from, int32_t n)
{
  Measure f = { w,
                all,
                device->words,
                static_cast<Sums *>(sums),
                from,
                n,
                VT_RG_MASKS * vt_rg_plane_words(w.largest, w.largest, RG_PAD) };
  VT_TRY(vt_rg_launch(device, "measure", measure, n, static_cast<size_t>(f.memory) * sizeof(uint32_t), f));
  return vt_gpu_launch(device, "score", score, vt_gpu_blocks(n, VT_RG_LANES), SCORE_THREADS,
                       Score{ w, all, f.sums, forest, from, n });
}
