/* SPDX-License-Identifier: MIT
 *
 * Stores: blocks packed and as they are, written again and again, and read by the next run. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scale/pack.h"
#include "scale/store.h"

#include "../../support/test-draw.h"
#include "../../support/vt-test.h"

enum { MOST_WORDS = 4096, ROUNDS = 3000, EDGE = 300, N_TURNS = 40 };

/* Words of few kinds, in runs of any length. */
static size_t
draw_words(uint64_t *words)
{
  const size_t n = 1 + pick(pick(8) ? 64 : MOST_WORDS);
  const uint32_t change = 1 + pick(40);
  for (size_t i = 0; i < n; i++)
    words[i] = i > 0 && pick(change) ? words[i - 1] : pick(3);
  return n * sizeof *words;
}

static void
test_packing(void)
{
  static uint64_t words[MOST_WORDS], packed[2 * MOST_WORDS + 1], again[MOST_WORDS];
  bool fits = true, same = true, refused = true;
  int n_packed = 0;
  for (int round = 0; round < vt_rounds(ROUNDS); round++) {
    const size_t bytes = draw_words(words), room = sizeof *words * pick((uint32_t)(2 * bytes / sizeof *words));
    packed[room / sizeof *packed] = UINT64_C(0x0123456789abcdef);
    const size_t n = vt_pack(words, bytes, packed, room);
    fits &= n <= room && packed[room / sizeof *packed] == UINT64_C(0x0123456789abcdef);
    if (n == 0)
      continue;
    n_packed++;
    same &= vt_unpack(packed, n, again, bytes) && memcmp(words, again, bytes) == 0;
    refused &=
      !vt_unpack(packed, n, again, bytes - sizeof *words) && !vt_unpack(packed, n - sizeof *words, again, bytes);
    ((uint8_t *)packed)[pick((uint32_t)n)] ^= (uint8_t)(1 << pick(8));
    (void)vt_unpack(packed, n, again, bytes); /* whatever it says, it stays inside */
  }
  vt_ok(fits, "what is packed stays in its room");
  vt_ok(same && n_packed > 0, "it is the same again");
  vt_ok(refused, "fewer bytes are refused, and a part of it is");
}

/* Flat with a few odd pixels, or noise, which can't be packed. */
static void
draw_image(uint32_t *pixels)
{
  const bool is_flat = pick(2);
  const uint32_t ground = pick(5);
  for (int i = 0; i < EDGE * EDGE; i++)
    pixels[i] = is_flat && pick(300) ? ground : (uint32_t)vt_random(&vt_draws);
}

static VtImage
image_of(void *pixels)
{
  return (VtImage){ pixels, EDGE, EDGE, EDGE * sizeof(int32_t), VITRAIL_I32 };
}

static VtStore *
open_store(VtStorePool *pool)
{
  VtStore *store = NULL;
  vt_store_new(pool, "store", VITRAIL_I32, EDGE, EDGE, &store);
  return store;
}

/* A budget of which few blocks are in memory, and a pool that ends and is taken up again. */
static void
test_kept(const char *dir)
{
  static uint32_t pixels[EDGE * EDGE], read[EDGE * EDGE];
  const VtRect all = { 0, 0, EDGE, EDGE };
  const VtImage image = image_of(pixels), back = image_of(read);
  bool same = true, kept = true;
  VtStorePool *pool = vt_store_pool_new(4 * 64 * 64 * sizeof *pixels, dir, true);
  VtStore *store = open_store(pool);
  for (int turn = 0; turn < N_TURNS && store; turn++) {
    draw_image(pixels);
    same &= vt_store_put(store, all, &image) == VITRAIL_OK && vt_store_get(store, all, &back) == VITRAIL_OK
            && memcmp(pixels, read, sizeof pixels) == 0;
    if (pick(3))
      continue;
    kept &= vt_store_flush(store, 0, 1) == VITRAIL_OK;
    vt_store_pool_free(pool);
    pool = vt_store_pool_new(4 * 64 * 64 * sizeof *pixels, dir, true);
    store = open_store(pool);
    kept &= store && vt_store_is_kept(store, all) && vt_store_get(store, all, &back) == VITRAIL_OK
            && memcmp(pixels, read, sizeof pixels) == 0;
  }
  vt_ok(same, "pixels of packed blocks and others are the same again");
  vt_ok(kept, "the next run reads them");
  vt_ok(vt_store_pool_peak(pool) <= 4 * 64 * 64 * sizeof *pixels, "the budget holds");
  vt_store_free(store);
  vt_store_pool_forget(pool, "store");
  vt_store_pool_free(pool);
}

/* Labels are read through one table, then another; what is in neither is 0. */
static void
test_relabelled(const char *dir)
{
  static int32_t labels[EDGE * EDGE], read[EDGE * EDGE];
  const VtRect all = { 0, 0, EDGE, EDGE };
  const VtImage image = image_of(labels), back = image_of(read);
  enum { N = 5 };
  const int32_t first[N] = { 0, 3, 3, 1, 2 }, second[N - 1] = { 0, 9, 0, 7 }, wanted[N + 2] = { 0, 7, 7, 9, 0, 0, 0 };
  bool same = true;
  VtStorePool *pool = vt_store_pool_new(4 * 64 * 64 * sizeof *labels, dir, false);
  VtStore *store = open_store(pool), *other = open_store(pool);
  for (int64_t i = 0; i < EDGE * EDGE; i++)
    labels[i] = pick(N + 1) - (i % 1000 == 0);
  same &= vt_store_put(store, all, &image) == VITRAIL_OK && !vt_store_is_relabelled(store);
  same &= vt_store_relabel(store, first, N) == VITRAIL_OK && vt_store_relabel(store, second, N - 1) == VITRAIL_OK;
  same &= vt_store_is_relabelled(store) && vt_store_get(store, all, &back) == VITRAIL_OK;
  for (int64_t i = 0; i < EDGE * EDGE; i++)
    same &= read[i] == (labels[i] < 0 ? 0 : wanted[labels[i]]);
  vt_ok(same, "labels are read through two tables");
  vt_ok(vt_store_put(store, all, &image) == VITRAIL_BAD_ARGUMENT, "nothing is written beside a table");
  vt_store_swap(store, other);
  vt_ok(vt_store_is_relabelled(other) && vt_store_put(store, all, &image) == VITRAIL_OK,
        "a table goes with its pixels");
  vt_store_pool_free(pool);
}

int
main(void)
{
  char dir[] = "/tmp/vitrail-store-XXXXXX";
  test_packing();
  if (!mkdtemp(dir))
    return EXIT_FAILURE;
  test_kept(dir);
  test_relabelled(dir);
  vt_ok(rmdir(dir) == 0, "no file is left");
  return vt_test_done();
}
