/* SPDX-License-Identifier: MIT
 *
 * propagate-impl.h: template (each-type.h). The queue phase: what is in the queue offers its value to its neighbours; one
 * that takes it enters the queue in turn. Ends at the fixpoint that the queued pixels lead to. */
static inline VitrailStatus
TYPED(propagate_to)(const TYPED(Planes) * p, int n_neighbours, VtCpuQueue *queue, const VtCancel *cancel)
{
  const int64_t w = p->pitch, around[8] = { -w, -1, 1, w, -w - 1, -w + 1, w - 1, w + 1 };
  for (uint64_t pops = 1; queue->count > 0; pops++) {
    const int64_t at = vt_cpu_queue_pop(queue);
    const PIXEL value = p->marker[at];
    for (int k = 0; k < n_neighbours; k++) {
      const int64_t next = at + around[k];
      const PIXEL old = p->marker[next], mask = p->mask[next];
      if (old < value && old < mask) {
        p->marker[next] = TYPED(min)(value, mask);
        if (!vt_cpu_queue_push(queue, next))
          return VITRAIL_OUT_OF_MEMORY;
      }
    }
    if ((pops & 0xffff) == 0 && vt_cancelled(cancel))
      return VITRAIL_CANCELLED;
  }
  return VITRAIL_OK;
}

static VitrailStatus
TYPED(propagate)(const TYPED(Planes) * p, bool eight, VtCpuQueue *queue, const VtCancel *cancel)
{
  return eight ? TYPED(propagate_to)(p, 8, queue, cancel) : TYPED(propagate_to)(p, 4, queue, cancel);
}
