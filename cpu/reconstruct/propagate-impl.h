/* SPDX-License-Identifier: MIT
 *
 * propagate-impl.h: template (each-type.h). The queue phase, a wavefront (iwpp.h): what is in the queue offers its value to
 * its neighbours; one that takes it enters the queue in turn. Ends at the fixpoint that the queued pixels lead to. */

/* Pixels travel as the 64 bits of the skeleton; a float by its own 32. */
static inline int64_t
TYPED(wave_value)(const void *state, int64_t at)
{
  int64_t bits = 0;
  memcpy(&bits, &((const TYPED(Planes) *)state)->marker[at], sizeof(PIXEL));
  return bits;
}

static inline bool
TYPED(wave_offer)(void *state, const VtIwppStep *step)
{
  const TYPED(Planes) *p = state;
  PIXEL value;
  memcpy(&value, &step->value, sizeof value);
  const PIXEL old = p->marker[step->to], mask = p->mask[step->to];
  if (!(old < value && old < mask))
    return false;
  p->marker[step->to] = TYPED(min)(value, mask);
  return true;
}

static inline __attribute__((always_inline)) VitrailStatus
TYPED(propagate_to)(const TYPED(Planes) * p, int n_around, VtCpuQueue *queue, const VtCancel *cancel)
{
  TYPED(Planes) planes = *p;
  const VtIwpp wave = { .n_around = n_around, .around = planes.around, .cancel = cancel };
  return vt_iwpp_flow(&wave, queue, &planes, TYPED(wave_value), TYPED(wave_offer));
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
