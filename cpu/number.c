/* SPDX-License-Identifier: MIT
 *
 * Threads take bands of rows, and count what lies in them by runs of equal labels. The bands' lists, one after the other, are in
 * the order of first pixels; an object of several bands is where the first of them has it. */
#include "vt-cpu.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Objects in the order in which they were met, found by their labels. */
typedef struct List {
  VtObjectStats *stats;
  int32_t *labels, *slots; /* slots: 1 + index, by a hash of the label; 0: empty */
  int64_t n, capacity, n_slots;
} List;

typedef struct Bands {
  const VtNumber *args;
  const VtRelabel *relabel;
  const VtCancel *cancel;
  const VtImage *labels;
  int64_t n_rows; /* of a band; the last one may have fewer */
  List *lists;    /* of each band */
  List all;
  atomic_int status; /* the first failure */
} Bands;

static void
fail(Bands *b, VitrailStatus status)
{
  int none = VITRAIL_OK;
  atomic_compare_exchange_strong(&b->status, &none, (int)status);
}

static bool
stops_at(Bands *b, int64_t y)
{
  if (vt_cpu_cancelled_at(b->cancel, y))
    fail(b, VITRAIL_CANCELLED);
  return atomic_load_explicit(&b->status, memory_order_relaxed) != VITRAIL_OK;
}

static inline int64_t
band_end(const Bands *b, int64_t first)
{
  return first + b->n_rows < b->labels->height ? first + b->n_rows : b->labels->height;
}

static void
list_clear(List *list)
{
  free(list->stats);
  free(list->labels);
  free(list->slots);
  *list = (List){ 0 };
}

/* The slot of a label, or the empty one where it belongs. There is always one. */
static inline int32_t *
slot_of(const List *list, int32_t label)
{
  const uint64_t mask = (uint64_t)list->n_slots - 1;
  uint64_t at = ((uint32_t)label * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
  while (list->slots[at] && list->labels[list->slots[at] - 1] != label)
    at = (at + 1) & mask;
  return &list->slots[at];
}

static bool
list_grow(List *list)
{
  const int64_t capacity = list->capacity ? list->capacity * 2 : 256;
  VtObjectStats *stats = realloc(list->stats, (size_t)capacity * sizeof *stats);
  list->stats = stats ? stats : list->stats;
  int32_t *labels = realloc(list->labels, (size_t)capacity * sizeof *labels);
  list->labels = labels ? labels : list->labels;
  int32_t *slots = calloc((size_t)capacity * 2, sizeof *slots);
  if (!stats || !labels || !slots) {
    free(slots);
    return false;
  }
  free(list->slots);
  list->slots = slots;
  list->n_slots = capacity * 2;
  list->capacity = capacity;
  for (int64_t i = 0; i < list->n; i++)
    *slot_of(list, labels[i]) = (int32_t)i + 1;
  return true;
}

/* NULL: no memory. A new one has no pixel, and begins at (x,y). */
static VtObjectStats *
object_of(List *list, int32_t label, int64_t x, int64_t y)
{
  int32_t *slot = list->n_slots ? slot_of(list, label) : NULL;
  if (slot && *slot)
    return &list->stats[*slot - 1];
  if (list->n == list->capacity) {
    if (!list_grow(list))
      return NULL;
    slot = slot_of(list, label);
  }
  list->labels[list->n] = label;
  list->stats[list->n] = (VtObjectStats){ .left = x, .top = y };
  *slot = (int32_t)++list->n;
  return &list->stats[list->n - 1];
}

/* The end of the run of equal labels that begins at x. */
static inline int64_t
run_end(const int32_t *label, int64_t x, int64_t width)
{
  const int32_t first = label[x];
  while (x < width && label[x] == first)
    x++;
  return x;
}

static VitrailStatus
count_row(const Bands *b, List *list, int64_t y)
{
  const int64_t width = b->labels->width, most = width * b->labels->height;
  const int32_t *label = vt_image_at(b->labels, 0, y);
  const uint16_t *of_a = vt_image_at(&b->args->a, 0, y), *of_b = vt_image_at(&b->args->b, 0, y);
  for (int64_t x = 0, end; x < width; x = end) {
    end = run_end(label, x, width);
    if (label[x] == 0)
      continue;
    if (label[x] < 0 || label[x] > most)
      return VITRAIL_BAD_ARGUMENT;
    VtObjectStats *object = object_of(list, label[x], x, y);
    if (!object)
      return VITRAIL_OUT_OF_MEMORY;
    object->area_px += end - x;
    object->sum_x += (x + end - 1) * (end - x) / 2; /* even: one of the factors is */
    object->sum_y += y * (end - x);
    object->left = x < object->left ? x : object->left;
    object->right = end > object->right ? end : object->right;
    object->bottom = y + 1;
    for (int64_t i = x; i < end; i++) {
      object->sum_a += of_a[i];
      object->sum_b += of_b[i];
    }
  }
  return VITRAIL_OK;
}

static void
count_band(void *user, uint32_t band)
{
  Bands *b = user;
  const int64_t first = band * b->n_rows, end = band_end(b, first);
  for (int64_t y = first; y < end && !stops_at(b, y); y++)
    fail(b, count_row(b, &b->lists[band], y));
}

/* What a band has counted. */
static bool
join(List *all, const List *list)
{
  for (int64_t i = 0; i < list->n; i++) {
    const VtObjectStats *part = &list->stats[i];
    VtObjectStats *object = object_of(all, list->labels[i], part->left, part->top);
    if (!object)
      return false;
    object->area_px += part->area_px;
    object->sum_x += part->sum_x;
    object->sum_y += part->sum_y;
    object->sum_a += part->sum_a;
    object->sum_b += part->sum_b;
    object->left = part->left < object->left ? part->left : object->left;
    object->right = part->right > object->right ? part->right : object->right;
    object->bottom = part->bottom;
  }
  return true;
}

static void
number_band(void *user, uint32_t band)
{
  Bands *b = user;
  const int64_t first = band * b->n_rows, end = band_end(b, first), width = b->labels->width;
  for (int64_t y = first; y < end && !stops_at(b, y); y++) {
    int32_t *label = vt_image_at(b->labels, 0, y);
    for (int64_t x = 0, run; x < width; x = run) {
      run = run_end(label, x, width);
      const int32_t number = label[x] ? *slot_of(&b->all, label[x]) : 0;
      for (int64_t i = x; i < run && number; i++)
        label[i] = number;
    }
  }
}

/* Several bands for each thread: they do not take equally long. */
static uint32_t
cut(Bands *b, VtDevice *device)
{
  const int64_t height = b->labels->height, n_threads = vt_cpu_n_threads(device),
                n = n_threads == 1 ? 1 : 4 * n_threads;
  b->n_rows = (height + n - 1) / n;
  return (uint32_t)((height + b->n_rows - 1) / b->n_rows);
}

VitrailStatus
vt_cpu_number(VtDevice *device, const VtNumber *args, const VtCancel *cancel)
{
  if (!vt_number_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  Bands b = { .args = args, .labels = &args->labels, .cancel = cancel };
  const uint32_t n_bands = cut(&b, device);
  b.lists = calloc(n_bands, sizeof *b.lists);
  if (!b.lists)
    return VITRAIL_OUT_OF_MEMORY;
  vt_cpu_parallel_for(device, n_bands, count_band, &b);
  for (uint32_t k = 0; k < n_bands && atomic_load(&b.status) == VITRAIL_OK; k++)
    if (!join(&b.all, &b.lists[k]))
      fail(&b, VITRAIL_OUT_OF_MEMORY);
  if (atomic_load(&b.status) == VITRAIL_OK)
    vt_cpu_parallel_for(device, n_bands, number_band, &b);
  if (atomic_load(&b.status) == VITRAIL_OK) {
    *args->stats = b.all.stats;
    *args->n_objects = b.all.n;
    b.all.stats = NULL;
  }
  for (uint32_t k = 0; k < n_bands; k++)
    list_clear(&b.lists[k]);
  free(b.lists);
  list_clear(&b.all);
  return (VitrailStatus)atomic_load(&b.status);
}

static void
check_band(void *user, uint32_t band)
{
  Bands *b = user;
  const int64_t first = band * b->n_rows, end = band_end(b, first), n_entries = b->relabel->n_entries;
  for (int64_t y = first; y < end && !stops_at(b, y); y++) {
    const int32_t *label = vt_image_at(b->labels, 0, y);
    bool ok = true;
    for (int64_t x = 0; x < b->labels->width; x++)
      ok &= label[x] >= 0 && label[x] < n_entries;
    if (!ok)
      fail(b, VITRAIL_BAD_ARGUMENT);
  }
}

static void
relabel_band(void *user, uint32_t band)
{
  Bands *b = user;
  const int64_t first = band * b->n_rows, end = band_end(b, first);
  const int32_t *table = b->relabel->table;
  for (int64_t y = first; y < end && !stops_at(b, y); y++) {
    int32_t *label = vt_image_at(b->labels, 0, y);
    for (int64_t x = 0; x < b->labels->width; x++)
      label[x] = table[label[x]];
  }
}

VitrailStatus
vt_cpu_relabel(VtDevice *device, const VtRelabel *args, const VtCancel *cancel)
{
  if (!vt_relabel_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  Bands b = { .relabel = args, .labels = &args->labels, .cancel = cancel };
  const uint32_t n_bands = cut(&b, device);
  vt_cpu_parallel_for(device, n_bands, check_band, &b);
  if (atomic_load(&b.status) == VITRAIL_OK)
    vt_cpu_parallel_for(device, n_bands, relabel_band, &b);
  return (VitrailStatus)atomic_load(&b.status);
}
