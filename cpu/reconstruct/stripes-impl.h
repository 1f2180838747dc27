/* SPDX-License-Identifier: MIT
 *
 * stripes-impl.h: template (each-type.h). One stripe for each thread, rows of an image or slices of a stack. TYPED(solve),
 * the algorithm, brings each to its own fixpoint, its queue empty. Then the borders give to each other, what rises is queued and
 * spreads within its stripe, until no border has anything to give: the fixpoint of the whole. One thread has one stripe
 * and the algorithm alone. */

typedef struct TYPED(Stripe) {
  TYPED(Planes) planes;
  VtCpuQueue queue;
  VitrailStatus status;
} TYPED(Stripe);

typedef struct TYPED(Stripes) {
  TYPED(Stripe) * stripes;
  uint32_t n;
  int64_t n_layers;
  const VtReconstruct *args;
  const VtCancel *cancel;
} TYPED(Stripes);

static void
TYPED(begin_stripe)(void *user, uint32_t index)
{
  const TYPED(Stripes) *all = user;
  TYPED(Stripe) *stripe = &all->stripes[index];
  const int64_t quotient = all->n_layers / all->n, rest = all->n_layers % all->n;
  const int64_t first = index * quotient + (index < rest ? index : rest);
  stripe->status = TYPED(planes_init)(&stripe->planes, all->args, first, quotient + (index < rest), all->cancel);
  stripe->queue.narrow = stripe->planes.n_pixels <= UINT32_MAX;
  if (stripe->status == VITRAIL_OK)
    stripe->status = TYPED(solve)(&stripe->planes, &stripe->queue, all->cancel);
}

static void
TYPED(go_on_stripe)(void *user, uint32_t index)
{
  const TYPED(Stripes) *all = user;
  TYPED(Stripe) *stripe = &all->stripes[index];
  stripe->status = TYPED(propagate)(&stripe->planes, &stripe->queue, all->cancel);
}

static void
TYPED(store_stripe)(void *user, uint32_t index)
{
  const TYPED(Stripes) *all = user;
  all->stripes[index].status = TYPED(planes_store)(&all->stripes[index].planes, all->args, all->cancel);
}

/* The border layer of `other`, before or after `stripe`, gives to the one beside it, through the frame. Queues what rises. */
static VitrailStatus
TYPED(cross)(TYPED(Stripe) * stripe, const TYPED(Stripe) * other, bool before)
{
  const TYPED(Planes) *p = &stripe->planes, *o = &other->planes;
  const bool stack = p->slice > 0;
  const int64_t step = stack ? p->slice : p->pitch, n_rows = stack ? p->height : 1;
  const int64_t last = (stack ? p->depth : p->height) - 1, others_last = (stack ? o->depth : o->height) - 1;
  const int64_t layer = before ? 0 : last * step, margin = stack ? p->pitch + 1 : 1;
  const int n_side = p->n_around == 26 ? 9 : p->n_around == 8 ? 3 : 1;
  const int64_t *around = before ? p->around : p->around + p->n_around - n_side;
  memcpy(p->marker + layer + (before ? -step : step) - margin, o->marker + (before ? others_last * step : 0) - margin,
         (size_t)step * sizeof(PIXEL));
  for (int64_t y = 0; y < n_rows; y++)
    for (int64_t at = layer + y * p->pitch; at < layer + y * p->pitch + p->width; at++) {
      PIXEL value = p->marker[at];
      for (int k = 0; k < n_side; k++)
        value = TYPED(max)(value, p->marker[at + around[k]]);
      value = TYPED(min)(value, p->mask[at]);
      if (value == p->marker[at])
        continue;
      p->marker[at] = value;
      if (!vt_cpu_queue_push(&stripe->queue, at))
        return VITRAIL_OUT_OF_MEMORY;
    }
  return VITRAIL_OK;
}

/* *risen: something did. */
static VitrailStatus
TYPED(cross_borders)(const TYPED(Stripes) * all, bool *risen)
{
  VitrailStatus status = VITRAIL_OK;
  *risen = false;
  for (uint32_t k = 0; k < all->n && status == VITRAIL_OK; k++)
    status = all->stripes[k].status;
  for (uint32_t k = 0; k + 1 < all->n && status == VITRAIL_OK; k++) {
    status = TYPED(cross)(&all->stripes[k + 1], &all->stripes[k], true);
    if (status == VITRAIL_OK)
      status = TYPED(cross)(&all->stripes[k], &all->stripes[k + 1], false);
    *risen |= all->stripes[k].queue.count > 0 || all->stripes[k + 1].queue.count > 0;
  }
  return status;
}

static VitrailStatus
TYPED(run)(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel)
{
  const int64_t n_layers = args->depth > 0 ? args->depth : args->mask.height;
  const int64_t layer = args->depth > 0 ? args->mask.height * args->mask.width : args->mask.width;
  const int64_t least = STRIPE_LEAST / layer + 1, most = (n_layers - 1) / least + 1, wanted = vt_cpu_n_threads(device);
  TYPED(Stripes)
  all = { .n = (uint32_t)(wanted < most ? wanted : most), .n_layers = n_layers, .args = args, .cancel = cancel };
  all.stripes = calloc(all.n, sizeof *all.stripes);
  if (!all.stripes)
    return VITRAIL_OUT_OF_MEMORY;
  vt_cpu_parallel_for(device, all.n, TYPED(begin_stripe), &all);
  bool risen;
  VitrailStatus status = TYPED(cross_borders)(&all, &risen);
  while (status == VITRAIL_OK && risen) {
    vt_cpu_parallel_for(device, all.n, TYPED(go_on_stripe), &all);
    status = TYPED(cross_borders)(&all, &risen);
  }
  if (status == VITRAIL_OK)
    vt_cpu_parallel_for(device, all.n, TYPED(store_stripe), &all);
  for (uint32_t k = 0; k < all.n; k++) {
    status = status == VITRAIL_OK ? all.stripes[k].status : status;
    vt_cpu_queue_clear(&all.stripes[k].queue);
    free(all.stripes[k].planes.memory);
  }
  free(all.stripes);
  return status;
}
