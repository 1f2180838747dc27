/* SPDX-License-Identifier: MIT */
#include "results/vt-score.h"

#include "base/vt-define.h"

#include <math.h>
#include <string.h>

#define NONE G_MAXUINT
#define N_RECENT 4096 /* a power of two; more than a row of the image has pairs */

typedef struct {
  guint64 key; /* label of the truth, label of the result */
  guint64 n, n_known;
} Pair;

typedef enum { COUNTS, IGNORED, UNKNOWN } State; /* UNKNOWN: in no region */

typedef struct {
  gint32 label;
  State state;
  guint64 area, known;
  guint64 on_ignored; /* pixels on ignored objects of the other side */
  guint matched;      /* at an IoU above 0.5, or in the matching that is being made */
  guint64 n_held;     /* objects of the other side of which it holds more than half; or dots */
  guint holder;       /* the one that holds more than half of it, or NONE */
  double iou;         /* with what it is matched to */
} Object;

typedef struct {
  guint truth, result; /* places in the lists of objects */
  guint64 n;
  double iou;
} Overlap;

struct VtScore {
  GHashTable *pairs; /* Pair, by its key */
  /* N_RECENT of them, by their hash: a row meets nearly the pairs of the row above, and finding them takes most of the time. */
  Pair **recent;
  GHashTable *cut[2]; /* labels */
  GHashTable *dots;   /* label of the result: how many it holds */
  GArray *objects[2]; /* Object, by label */
  GArray *overlaps;   /* Overlap of two objects that count; by truth, then result */
};

static guint64
make_key(gint32 truth, gint32 result)
{
  return (guint64)(guint32)truth << 32 | (guint32)result;
}

/* The labels of a good result run beside those of the truth, so g_int64_hash(), which folds them together, would give one number to all. */
static guint
hash_key(gconstpointer data)
{
  return (guint)(*(const guint64 *)data * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15)
                 >> 32); /* 2^64 over the golden ratio */
}

VtScore *
vt_score_new(void)
{
  VtScore *self = g_new0(VtScore, 1);
  self->pairs = g_hash_table_new_full(hash_key, g_int64_equal, g_free, NULL);
  self->recent = g_new0(Pair *, N_RECENT);
  self->dots = g_hash_table_new(NULL, NULL);
  for (int side = 0; side < 2; side++) {
    self->cut[side] = g_hash_table_new(NULL, NULL);
    self->objects[side] = g_array_new(FALSE, FALSE, sizeof(Object));
  }
  self->overlaps = g_array_new(FALSE, FALSE, sizeof(Overlap));
  return self;
}

void
vt_score_free(VtScore *self)
{
  g_hash_table_unref(self->pairs);
  g_free(self->recent);
  g_hash_table_unref(self->dots);
  for (int side = 0; side < 2; side++) {
    g_hash_table_unref(self->cut[side]);
    g_array_unref(self->objects[side]);
  }
  g_array_unref(self->overlaps);
  g_free(self);
}

static void
count(VtScore *self, guint64 key, gboolean is_known, guint64 n)
{
  Pair **recent = &self->recent[hash_key(&key) % N_RECENT], *pair = *recent;
  if (!pair || pair->key != key)
    pair = *recent = g_hash_table_lookup(self->pairs, &key);
  if (!pair) {
    pair = *recent = g_new0(Pair, 1);
    pair->key = key;
    g_hash_table_add(self->pairs, pair);
  }
  pair->n += n;
  pair->n_known += is_known ? n : 0;
}

/* Where the run of equal pixels ends that begins at x. Four at a time first: most runs are longer. */
static gint64
find_end(const gint32 *result, const gint32 *truth, const gint32 *regions, gint64 x, gint64 width)
{
  const gint32 r = result[x], t = truth[x];
  const gboolean is_known = !regions || regions[x] != 0;
  for (; x + 4 <= width && !regions; x += 4) {
    gint32 differs = 0;
    for (guint i = 0; i < 4; i++)
      differs |= (result[x + i] ^ r) | (truth[x + i] ^ t);
    if (differs)
      break;
  }
  while (x < width && result[x] == r && truth[x] == t && (!regions || (regions[x] != 0) == is_known))
    x++;
  return x;
}

void
vt_score_add_row(VtScore *self, const gint32 *result, const gint32 *truth, const gint32 *regions, gint64 width)
{
  g_autofree gint32 *none = truth ? NULL : g_new0(gint32, width);
  const gint32 *true_row = truth ? truth : none;
  for (gint64 x = 0, end; x < width; x = end) {
    end = find_end(result, true_row, regions, x, width);
    const guint64 key = make_key(true_row[x], result[x]);
    if (key != 0)
      count(self, key, !regions || regions[x] != 0, (guint64)(end - x));
  }
}

void
vt_score_add_pair(VtScore *self, gint32 result, gint32 truth, guint64 n)
{
  const guint64 key = make_key(truth, result);
  if (key != 0)
    count(self, key, TRUE, n);
}

void
vt_score_add_dot(VtScore *self, gint32 result)
{
  const gsize n = GPOINTER_TO_SIZE(g_hash_table_lookup(self->dots, GINT_TO_POINTER(result)));
  g_hash_table_insert(self->dots, GINT_TO_POINTER(result), GSIZE_TO_POINTER(n + 1));
}

void
vt_score_set_cut(VtScore *self, VtScoreSide side, gint32 label)
{
  g_hash_table_add(self->cut[side], GINT_TO_POINTER(label));
}

/* --- which objects there are, and which count --- */

static int
compare_pairs(gconstpointer a, gconstpointer b)
{
  const guint64 p = (*(const Pair *const *)a)->key, q = (*(const Pair *const *)b)->key;
  return p < q ? -1 : p > q;
}

static int
compare_objects(gconstpointer a, gconstpointer b)
{
  const gint32 p = ((const Object *)a)->label, q = ((const Object *)b)->label;
  return p < q ? -1 : p > q;
}

static gint32
get_label(const Pair *pair, VtScoreSide side)
{
  return (gint32)(side == VT_SCORE_TRUTH ? pair->key >> 32 : pair->key & G_MAXUINT32);
}

static Object *
find(VtScore *self, VtScoreSide side, gint32 label, guint *place)
{
  const Object wanted = { .label = label };
  *place = NONE;
  if (label == 0 || !g_array_binary_search(self->objects[side], &wanted, compare_objects, place))
    return NULL;
  return &g_array_index(self->objects[side], Object, *place);
}

static State
get_state(VtScore *self, VtScoreSide side, const Object *object)
{
  if (object->known == 0)
    return UNKNOWN;
  const gboolean is_cut = g_hash_table_contains(self->cut[side], GINT_TO_POINTER(object->label));
  return object->known < object->area || is_cut ? IGNORED : COUNTS;
}

static void
make_objects(VtScore *self, GPtrArray *pairs, VtScoreSide side)
{
  GArray *objects = self->objects[side];
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Object));
  VT_EACH_OF (const Pair, pair, pairs) {
    const Object object = {
      .label = get_label(pair, side), .area = pair->n, .known = pair->n_known, .matched = NONE, .holder = NONE
    };
    if (object.label != 0)
      g_array_append_val(all, object);
  }
  g_array_sort(all, compare_objects);
  g_array_set_size(objects, 0);
  VT_EACH_IN (const Object, part, all) {
    Object *last = objects->len > 0 ? &g_array_index(objects, Object, objects->len - 1) : NULL;
    if (last && last->label == part->label) {
      last->area += part->area;
      last->known += part->known;
    } else {
      g_array_append_vals(objects, part, 1);
    }
  }
  VT_EACH_IN (Object, object, objects)
    object->state = get_state(self, side, object);
}

/* By what is cut alone: an object that is ignored for its neighbour's sake makes no other one ignored. */
static void
ignore_neighbours(VtScore *self, GPtrArray *pairs)
{
  guint place = NONE;
  VT_EACH_OF (const Pair, pair, pairs) {
    Object *truth = find(self, VT_SCORE_TRUTH, get_label(pair, VT_SCORE_TRUTH), &place);
    Object *result = find(self, VT_SCORE_RESULT, get_label(pair, VT_SCORE_RESULT), &place);
    if (truth && result && result->state == IGNORED)
      truth->on_ignored += pair->n;
    if (truth && result && truth->state == IGNORED)
      result->on_ignored += pair->n;
  }
  for (int side = 0; side < 2; side++) {
    VT_EACH_IN (Object, object, self->objects[side])
      if (object->state == COUNTS && 2 * object->on_ignored > object->area)
        object->state = IGNORED;
  }
}

static void
make_overlaps(VtScore *self, GPtrArray *pairs)
{
  g_array_set_size(self->overlaps, 0);
  VT_EACH_OF (const Pair, pair, pairs) {
    Overlap overlap = { .n = pair->n };
    const Object *truth = find(self, VT_SCORE_TRUTH, get_label(pair, VT_SCORE_TRUTH), &overlap.truth);
    const Object *result = find(self, VT_SCORE_RESULT, get_label(pair, VT_SCORE_RESULT), &overlap.result);
    if (!truth || !result || truth->state != COUNTS || result->state != COUNTS)
      continue;
    overlap.iou = (double)pair->n / (double)(truth->area + result->area - pair->n);
    g_array_append_val(self->overlaps, overlap);
  }
}

static void
prepare(VtScore *self)
{
  g_autoptr(GPtrArray) pairs = g_ptr_array_sized_new(g_hash_table_size(self->pairs));
  GHashTableIter iter;
  gpointer pair = NULL;
  g_hash_table_iter_init(&iter, self->pairs);
  while (g_hash_table_iter_next(&iter, &pair, NULL))
    g_ptr_array_add(pairs, pair);
  g_ptr_array_sort(pairs, compare_pairs);
  make_objects(self, pairs, VT_SCORE_RESULT);
  make_objects(self, pairs, VT_SCORE_TRUTH);
  ignore_neighbours(self, pairs);
  make_overlaps(self, pairs);
}

static guint64
count_state(VtScore *self, VtScoreSide side, State state)
{
  guint64 n = 0;
  for (guint i = 0; i < self->objects[side]->len; i++)
    n += g_array_index(self->objects[side], Object, i).state == state;
  return n;
}

/* --- matching --- */

static Object *
get_object(VtScore *self, VtScoreSide side, guint place)
{
  return &g_array_index(self->objects[side], Object, place);
}

static const Overlap *
get_overlap(VtScore *self, guint i)
{
  return &g_array_index(self->overlaps, Overlap, i);
}

/* The first overlap of each true object, and one end. */
static guint *
find_first_overlaps(VtScore *self)
{
  const guint n = self->objects[VT_SCORE_TRUTH]->len;
  guint *first = g_new(guint, n + 1), i = 0;
  for (guint t = 0; t <= n; t++) {
    while (i < self->overlaps->len && get_overlap(self, i)->truth < t)
      i++;
    first[t] = i;
  }
  return first;
}

/* Looks for a free partner of a true object, breadth first, and passes partners on along the way (Kuhn). visited: of the result's
 * objects, the search that came by; came_from: the true object from which. */
static gboolean
match_one(VtScore *self, const guint *first, guint start, double threshold, GArray *queue, guint *visited,
          guint *came_from)
{
  g_array_set_size(queue, 0);
  g_array_append_val(queue, start);
  for (guint head = 0; head < queue->len; head++) {
    const guint t = g_array_index(queue, guint, head);
    for (guint i = first[t]; i < first[t + 1]; i++) {
      const Overlap *overlap = get_overlap(self, i);
      guint r = overlap->result;
      if (!(overlap->iou > threshold) || visited[r] == start)
        continue;
      visited[r] = start;
      came_from[r] = t;
      const guint owner = get_object(self, VT_SCORE_RESULT, r)->matched;
      if (owner != NONE) {
        g_array_append_val(queue, owner);
        continue;
      }
      for (guint next = NONE; r != NONE; r = next) {
        Object *truth = get_object(self, VT_SCORE_TRUTH, came_from[r]);
        next = truth->matched;
        truth->matched = r;
        get_object(self, VT_SCORE_RESULT, r)->matched = came_from[r];
      }
      return TRUE;
    }
  }
  return FALSE;
}

static void
forget_matches(VtScore *self)
{
  for (int side = 0; side < 2; side++)
    for (guint i = 0; i < self->objects[side]->len; i++)
      get_object(self, side, i)->matched = NONE;
}

static guint64
match(VtScore *self, double threshold)
{
  const guint n_results = self->objects[VT_SCORE_RESULT]->len;
  g_autofree guint *first = find_first_overlaps(self);
  g_autofree guint *visited = g_new(guint, n_results + 1), *came_from = g_new(guint, n_results + 1);
  g_autoptr(GArray) queue = g_array_new(FALSE, FALSE, sizeof(guint));
  guint64 n = 0;
  memset(visited, 0xff, (n_results + 1) * sizeof *visited); /* NONE */
  forget_matches(self);
  for (guint t = 0; t < self->objects[VT_SCORE_TRUTH]->len; t++)
    n += match_one(self, first, t, threshold, queue, visited, came_from);
  return n;
}

static double
divide(double a, double b)
{
  return b > 0 ? a / b : 0;
}

static void
fill_match(VtScore *self, VtScoreFigures *figures, VtScoreMatch *match_at)
{
  const double n = (double)(match_at->n_matched = match(self, match_at->threshold));
  match_at->precision = divide(n, (double)figures->n_result);
  match_at->recall = divide(n, (double)figures->n_truth);
  match_at->f1 = divide(2 * n, (double)(figures->n_result + figures->n_truth));
}

/* --- figures --- */

static void
fill_quality(VtScore *self, VtScoreFigures *figures)
{
  double sum = 0, n = 0, shared = 0, pixels = 0;
  for (guint i = 0; i < self->overlaps->len; i++) {
    const Overlap *overlap = get_overlap(self, i);
    shared += (double)overlap->n;
    sum += overlap->iou > 0.5 ? overlap->iou : 0;
    n += overlap->iou > 0.5;
  }
  for (int side = 0; side < 2; side++)
    for (guint i = 0; i < self->objects[side]->len; i++)
      pixels += get_object(self, side, i)->state == COUNTS ? (double)get_object(self, side, i)->area : 0;
  figures->sq = divide(sum, n);
  figures->rq = divide(2 * n, (double)(figures->n_result + figures->n_truth));
  figures->pq = figures->sq * figures->rq;
  figures->dice = divide(2 * shared, pixels);
}

static double
get_aji(VtScore *self)
{
  g_autofree guint *first = find_first_overlaps(self);
  g_autofree gboolean *used = g_new0(gboolean, self->objects[VT_SCORE_RESULT]->len + 1);
  double shared = 0, all = 0;
  for (guint t = 0; t < self->objects[VT_SCORE_TRUTH]->len; t++) {
    const Object *truth = get_object(self, VT_SCORE_TRUTH, t);
    const Overlap *best = NULL;
    if (truth->state != COUNTS)
      continue;
    for (guint i = first[t]; i < first[t + 1]; i++)
      if (!best || get_overlap(self, i)->iou > best->iou)
        best = get_overlap(self, i);
    all += (double)truth->area;
    if (best) {
      shared += (double)best->n;
      all += (double)(get_object(self, VT_SCORE_RESULT, best->result)->area - best->n);
      used[best->result] = TRUE;
    }
  }
  for (guint r = 0; r < self->objects[VT_SCORE_RESULT]->len; r++)
    if (!used[r] && get_object(self, VT_SCORE_RESULT, r)->state == COUNTS)
      all += (double)get_object(self, VT_SCORE_RESULT, r)->area;
  return divide(shared, all);
}

/* Each object is held by at most one, since objects of one side share no pixel. */
static void
count_held(VtScore *self)
{
  for (guint i = 0; i < self->overlaps->len; i++) {
    const Overlap *overlap = get_overlap(self, i);
    Object *truth = get_object(self, VT_SCORE_TRUTH, overlap->truth);
    Object *result = get_object(self, VT_SCORE_RESULT, overlap->result);
    if (2 * overlap->n > result->area) {
      truth->n_held++;
      result->holder = overlap->truth;
    }
    if (2 * overlap->n > truth->area) {
      result->n_held++;
      truth->holder = overlap->result;
    }
    if (truth->matched == overlap->result)
      truth->iou = result->iou = overlap->iou;
  }
}

static VtScoreSizes *
find_class(VtScoreFigures *figures, const Object *object)
{
  guint i = 0;
  while (i + 1 < figures->n_sizes && (double)object->area >= figures->sizes[i].to)
    i++;
  return &figures->sizes[i];
}

static void
fill_sizes(VtScore *self, VtScoreFigures *figures)
{
  match(self, 0.5);
  count_held(self);
  for (guint i = 0; i < self->objects[VT_SCORE_TRUTH]->len; i++) {
    const Object *object = get_object(self, VT_SCORE_TRUTH, i);
    if (object->state != COUNTS)
      continue;
    VtScoreSizes *sizes = find_class(figures, object);
    sizes->n_truth++;
    sizes->missed += object->matched == NONE;
    sizes->split += object->n_held > 1;
  }
  for (guint i = 0; i < self->objects[VT_SCORE_RESULT]->len; i++) {
    const Object *object = get_object(self, VT_SCORE_RESULT, i);
    if (object->state != COUNTS)
      continue;
    VtScoreSizes *sizes = find_class(figures, object);
    sizes->n_result++;
    sizes->extra += object->matched == NONE;
    sizes->merging += object->n_held > 1;
  }
}

void
vt_score_compare(VtScore *self, const double *thresholds, guint n_thresholds, const double *bounds, guint n_bounds,
                 VtScoreFigures *figures)
{
  prepare(self);
  *figures = (VtScoreFigures){
    .n_result = count_state(self, VT_SCORE_RESULT, COUNTS),
    .n_truth = count_state(self, VT_SCORE_TRUTH, COUNTS),
    .ignored_result = count_state(self, VT_SCORE_RESULT, IGNORED),
    .ignored_truth = count_state(self, VT_SCORE_TRUTH, IGNORED),
    .matches = g_new0(VtScoreMatch, n_thresholds),
    .n_matches = n_thresholds,
    .sizes = g_new0(VtScoreSizes, n_bounds + 1),
    .n_sizes = n_bounds + 1,
  };
  for (guint i = 0; i < n_thresholds; i++) {
    figures->matches[i].threshold = thresholds[i];
    fill_match(self, figures, &figures->matches[i]);
  }
  for (guint i = 0; i <= n_bounds; i++) {
    figures->sizes[i].from = i > 0 ? bounds[i - 1] : 0;
    figures->sizes[i].to = i < n_bounds ? bounds[i] : INFINITY;
  }
  fill_quality(self, figures);
  figures->aji = get_aji(self);
  fill_sizes(self, figures);
}

guint
vt_score_get_n_labels(const VtScore *self, VtScoreSide side)
{
  return self->objects[side]->len;
}

VtScoreObject
vt_score_get_object(const VtScore *self, VtScoreSide side, guint place)
{
  const Object *object = &g_array_index(self->objects[side], Object, place);
  const GArray *others = self->objects[side == VT_SCORE_TRUTH ? VT_SCORE_RESULT : VT_SCORE_TRUTH];
  return (VtScoreObject){
    .label = object->label,
    .counts = object->state == COUNTS,
    .is_known = object->state != UNKNOWN,
    .n_held = (guint)object->n_held,
    .holder = object->holder != NONE ? g_array_index(others, Object, object->holder).label : 0,
    .partner = object->matched != NONE ? g_array_index(others, Object, object->matched).label : 0,
    .iou = object->iou,
    .area = object->area,
  };
}

gint32
vt_score_get_first_label(const VtScore *self, VtScoreSide side)
{
  return self->objects[side]->len > 0 ? g_array_index(self->objects[side], Object, 0).label : 0;
}

void
vt_score_figures_clear(VtScoreFigures *figures)
{
  g_clear_pointer(&figures->matches, g_free);
  g_clear_pointer(&figures->sizes, g_free);
}

void
vt_score_compare_dots(VtScore *self, VtScoreDots *figures)
{
  prepare(self);
  *figures = (VtScoreDots){
    .missed = GPOINTER_TO_SIZE(g_hash_table_lookup(self->dots, GINT_TO_POINTER(0))),
    .n_result = count_state(self, VT_SCORE_RESULT, COUNTS),
    .ignored_result = count_state(self, VT_SCORE_RESULT, IGNORED),
  };
  for (guint i = 0; i < self->objects[VT_SCORE_RESULT]->len; i++) {
    const Object *object = get_object(self, VT_SCORE_RESULT, i);
    const guint64 n = GPOINTER_TO_SIZE(g_hash_table_lookup(self->dots, GINT_TO_POINTER(object->label)));
    figures->ignored_dots += object->state == COUNTS ? 0 : n;
    if (object->state != COUNTS)
      continue;
    figures->extra += n == 0;
    figures->found += n == 1;
    figures->merging += n > 1;
    figures->merged_dots += n > 1 ? n : 0;
  }
  figures->n_dots = figures->missed + figures->found + figures->merged_dots;
  figures->precision = divide((double)figures->found, (double)figures->n_result);
  figures->recall = divide((double)figures->found, (double)figures->n_dots);
  figures->f1 = divide(2 * (double)figures->found, (double)(figures->n_result + figures->n_dots));
}
