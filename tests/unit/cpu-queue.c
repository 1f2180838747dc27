/* SPDX-License-Identifier: MIT
 *
 * The queue of the wavefronts: first in, first out over any number of blocks, both widths, and blocks that are filled again. */
#include "../../cpu/queue.h"
#include "../support/test-draw.h"
#include "../support/vt-test.h"

enum { N_ROUNDS = 400, MOST_AT_ONCE = 200000 };

/* In goes a counter, and so it must come out. Rounds grow, drain and empty the queue in turn. */
static void
check(bool narrow, uint64_t first)
{
  VtCpuQueue queue = { .narrow = narrow };
  VtRandom random = { 3 };
  uint64_t in = first, out = first;
  size_t most = 0;
  bool ok = true;
  for (int round = 0; round < N_ROUNDS && ok; round++) {
    const uint64_t n = vt_random(&random) & (round % 3 ? 63 : MOST_AT_ONCE - 1);
    for (uint64_t k = 0; k < n && ok; k++)
      ok = vt_cpu_queue_push(&queue, (int64_t)in++);
    const uint64_t taken = round % 7 == 6 ? queue.count : vt_random(&random) % (queue.count + 1);
    for (uint64_t k = 0; k < taken && ok; k++)
      ok = vt_cpu_queue_pop(&queue) == (int64_t)out++;
    ok &= queue.count == in - out;
    most = queue.count > most ? queue.count : most;
  }
  const size_t item = narrow ? sizeof(uint32_t) : sizeof(int64_t);
  vt_ok(ok, "%s items leave in the order they came in, %llu of them", narrow ? "narrow" : "wide",
        (unsigned long long)(out - first));
  vt_ok(queue.bytes <= 2 * most * item + 2 * VT_CPU_QUEUE_MOST_BYTES,
        "emptied blocks are filled again: %zu bytes for at most %zu items", queue.bytes, most);
  vt_cpu_queue_clear(&queue);
  vt_ok(!queue.first && !queue.spare && queue.count == 0 && queue.bytes == 0, "a cleared queue has nothing");
}

int
main(void)
{
  check(true, INT32_MAX); /* what no signed 32-bit number holds */
  check(false, (uint64_t)1 << 40);
  return vt_test_done();
}
