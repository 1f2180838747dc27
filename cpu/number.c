/* SPDX-License-Identifier: MIT
 *
 * Threads take bands of rows, and count what lies in them by runs of equal labels. The bands' lists, one after the other, are in
 * the order of first pixels; an object of several bands is where the first of them has it. */
#include "bands.h"

#include <stdlib.h>

/* Objects in the order in which they were met, found by their labels. */
typedef struct List {
  VtObjectStats *stats;
  int32_t *labels, *slots; /* slots: 1 + index, by a hash of the label; 0: empty */
  int64_t n, capacity, n_slots;
} List;

typedef struct Labels {
  VtCpuBands bands;
  const VtNumber *args;
  const VtRelabel *relabel;
  const VtImage *labels;
  List *lists; /* of each band */
  List all;
} Labels;

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
count_row(const Labels *b, List *list, int64_t y)
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
  Labels *b = user;
  VT_CPU_EACH_ROW (y, &b->bands, band)
    vt_cpu_bands_fail(&b->bands, count_row(b, &b->lists[band], y));
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
  Labels *b = user;
  const int64_t width = b->labels->width;
  VT_CPU_EACH_ROW (y, &b->bands, band) {
    int32_t *label = vt_image_at(b->labels, 0, y);
    for (int64_t x = 0, run; x < width; x = run) {
      run = run_end(label, x, width);
      const int32_t number = label[x] ? *slot_of(&b->all, label[x]) : 0;
      for (int64_t i = x; i < run && number; i++)
        label[i] = number;
    }
  }
}

VitrailStatus
vt_cpu_number(VtDevice *device, const VtNumber *args, const VtCancel *cancel)
{
  if (!vt_number_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  Labels b = { .bands = vt_cpu_bands_of(device, args->labels.height, cancel), .args = args, .labels = &args->labels };
  b.lists = calloc(b.bands.n, sizeof *b.lists);
  if (!b.lists)
    return VITRAIL_OUT_OF_MEMORY;
  vt_cpu_bands_run(device, &b.bands, count_band, &b);
  for (uint32_t k = 0; k < b.bands.n && vt_cpu_bands_status(&b.bands) == VITRAIL_OK; k++)
    if (!join(&b.all, &b.lists[k]))
      vt_cpu_bands_fail(&b.bands, VITRAIL_OUT_OF_MEMORY);
  const VitrailStatus status = vt_cpu_bands_run(device, &b.bands, number_band, &b);
  if (status == VITRAIL_OK) {
    *args->stats = b.all.stats;
    *args->n_objects = b.all.n;
    b.all.stats = NULL;
  }
  for (uint32_t k = 0; k < b.bands.n; k++)
    list_clear(&b.lists[k]);
  free(b.lists);
  list_clear(&b.all);
  return status;
}

static void
check_band(void *user, uint32_t band)
{
  Labels *b = user;
  const int64_t n_entries = b->relabel->n_entries;
  VT_CPU_EACH_ROW (y, &b->bands, band) {
    const int32_t *label = vt_image_at(b->labels, 0, y);
    bool ok = true;
    for (int64_t x = 0; x < b->labels->width; x++)
      ok &= label[x] >= 0 && label[x] < n_entries;
    if (!ok)
      vt_cpu_bands_fail(&b->bands, VITRAIL_BAD_ARGUMENT);
  }
}

static void
relabel_band(void *user, uint32_t band)
{
  Labels *b = user;
  const int32_t *table = b->relabel->table;
  VT_CPU_EACH_ROW (y, &b->bands, band) {
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
  Labels b = { .bands = vt_cpu_bands_of(device, args->labels.height, cancel),
               .relabel = args,
               .labels = &args->labels };
  vt_cpu_bands_run(device, &b.bands, check_band, &b);
  return vt_cpu_bands_run(device, &b.bands, relabel_band, &b);
}
