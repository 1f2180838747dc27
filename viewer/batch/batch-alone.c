/* SPDX-License-Identifier: MIT
 *
 * Built without MPI: one process. */
#include "batch.h"

int
batch_ranks_init(int *argc, char ***argv)
{
  return batch_check_alone();
}

const VtRunRanks *
batch_ranks_get(void)
{
  return NULL;
}

guint
batch_ranks_take(guint n)
{
  static guint next = 0;
  return next < n ? next++ : n;
}

int
batch_ranks_sum(int mine)
{
  return mine;
}

gboolean
batch_ranks_first(void)
{
  return TRUE;
}

int
batch_ranks_end(int status)
{
  return status;
}

void
batch_ranks_finish(void)
{
}
