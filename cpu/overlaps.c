/* SPDX-License-Identifier: MIT
 *
 * Threads take bands of rows, and count the pairs in them by runs of equal pairs, each band in a table of its own. The tables
 * are added up, and sorted. */
#include "bands.h"

#include <stdlib.h>

/* Pairs by a hash: open addressing. */
typedef struct Table {
  VtOverlap *slots; /* n_px 0: free */
  int64_t n, n_slots;
} Table;

typedef struct Counting {
  VtCpuBands bands;
  const VtOverlaps *args;
  Table *tables; /* of each band */
} Counting;

/* The slot of a pair, or the free one where it belongs. There is always one. */
static inline VtOverlap *
slot_of(const Table *table, int32_t a, int32_t b)
{
  const uint64_t mask = (uint64_t)table->n_slots - 1, pair = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
  uint64_t at = (pair * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask; /* 2^64 over the golden ratio */
  while (table->slots[at].n_px && (table->slots[at].a != a || table->slots[at].b != b))
    at = (at + 1) & mask;
  return &table->slots[at];
}

static bool
grow(Table *table)
{
  Table more = { NULL, table->n, table->n_slots ? 2 * table->n_slots : 1024 };
  more.slots = calloc((size_t)more.n_slots, sizeof *more.slots);
  if (!more.slots)
    return false;
  for (int64_t i = 0; i < table->n_slots; i++)
    if (table->slots[i].n_px)
      *slot_of(&more, table->slots[i].a, table->slots[i].b) = table->slots[i];
  free(table->slots);
  *table = more;
  return true;
}

static VitrailStatus
add(Table *table, int32_t a, int32_t b, int32_t n_px)
{
  if (2 * table->n >= table->n_slots && !grow(table))
    return VITRAIL_OUT_OF_MEMORY;
  VtOverlap *slot = slot_of(table, a, b);
  table->n += slot->n_px == 0;
  *slot = (VtOverlap){ a, b, slot->n_px + n_px };
  return VITRAIL_OK;
}

/* The end of the run of equal pairs that begins at x. Four at a time first: most runs are longer. */
static inline int64_t
run_end(const int32_t *a, const int32_t *b, int64_t x, int64_t width)
{
  const int32_t first_a = a[x], first_b = b[x];
  for (int32_t differs = 0; x + 4 <= width; x += 4) {
    for (int k = 0; k < 4; k++)
      differs |= (a[x + k] ^ first_a) | (b[x + k] ^ first_b);
    if (differs)
      break;
  }
  while (x < width && a[x] == first_a && b[x] == first_b)
    x++;
  return x;
}

static VitrailStatus
count_row(const VtOverlaps *args, Table *table, int64_t y)
{
  const int32_t *a = vt_image_at(&args->a, 0, y), *b = vt_image_at(&args->b, 0, y);
  VitrailStatus status = VITRAIL_OK;
  for (int64_t x = 0, end; x < args->a.width && status == VITRAIL_OK; x = end) {
    end = run_end(a, b, x, args->a.width);
    if (a[x] >= 0 && b[x] >= 0 && (a[x] | b[x]) != 0)
      status = add(table, a[x], b[x], (int32_t)(end - x));
  }
  return status;
}

static void
count_band(void *user, uint32_t band)
{
  Counting *c = user;
  VT_CPU_EACH_ROW (y, &c->bands, band)
    vt_cpu_bands_fail(&c->bands, count_row(c->args, &c->tables[band], y));
}

/* Adds up the tables of all bands in that of the first. */
static VitrailStatus
join(Counting *c)
{
  Table *all = &c->tables[0];
  VitrailStatus status = vt_cpu_bands_status(&c->bands);
  for (uint32_t k = 1; k < c->bands.n; k++)
    for (int64_t i = 0; i < c->tables[k].n_slots && status == VITRAIL_OK; i++) {
      const VtOverlap *part = &c->tables[k].slots[i];
      if (part->n_px)
        status = add(all, part->a, part->b, part->n_px);
    }
  return status;
}

static int
compare(const void *p, const void *q)
{
  const VtOverlap *s = p, *t = q;
  return s->a != t->a ? (s->a > t->a) - (s->a < t->a) : (s->b > t->b) - (s->b < t->b);
}

/* What is in the table, at its beginning. */
static void
hand_over(Table *table, const VtOverlaps *args)
{
  int64_t n = 0;
  for (int64_t i = 0; i < table->n_slots; i++)
    if (table->slots[i].n_px)
      table->slots[n++] = table->slots[i];
  *args->n = n;
  *args->list = n > 0 ? table->slots : NULL;
  if (n > 0) {
    qsort(table->slots, (size_t)n, sizeof *table->slots, compare);
    table->slots = NULL;
  }
}

VitrailStatus
vt_cpu_overlaps(VtDevice *device, const VtOverlaps *args, const VtCancel *cancel)
{
  if (!vt_overlaps_ok(args))
    return VITRAIL_BAD_ARGUMENT;
  Counting c = { .bands = vt_cpu_bands_of(device, args->a.height, cancel), .args = args };
  c.tables = calloc(c.bands.n, sizeof *c.tables);
  if (!c.tables)
    return VITRAIL_OUT_OF_MEMORY;
  vt_cpu_bands_run(device, &c.bands, count_band, &c);
  const VitrailStatus status = join(&c);
  if (status == VITRAIL_OK)
    hand_over(&c.tables[0], args);
  for (uint32_t k = 0; k < c.bands.n; k++)
    free(c.tables[k].slots);
  free(c.tables);
  return status;
}
