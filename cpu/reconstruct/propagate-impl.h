/* SPDX-License-Identifier: MIT
 *
 * propagate-impl.h: template (each-type.h). The queue phase: what is in the queue offers its value to its neighbours; one
 * that takes it enters the queue in turn. Ends at the fixpoint that the queued pixels lead to. */
static inline __attribute__((always_inline)) VitrailStatus
TYPED(propagate_to)(const TYPED(Planes) * p, int n_around, VtCpuQueue *queue, const VtCancel *cancel)
{
  int64_t around[26];
  memcpy(around, p->around, sizeof around);
  for (uint64_t pops = 1; queue->count > 0; pops++) {
    const int64_t at = vt_cpu_queue_pop(queue);
    const PIXEL value = p->marker[at];
    for (int k = 0; k < n_around; k++) {
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
TYPED(propagate)(const TYPED(Planes) * p, VtCpuQueue *queue, const VtCancel *cancel)
{
  switch (p->n_around) {
  case 4: return TYPED(propagate_to)(p, 4, queue, cancel);
  case 8: return TYPED(propagate_to)(p, 8, queue, cancel);
  default: return TYPED(propagate_to)(p, p->n_around, queue, cancel);
  }
}
