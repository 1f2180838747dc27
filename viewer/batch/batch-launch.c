/* SPDX-License-Identifier: MIT
 *
 * How many processes a launcher started, by the variables that it sets. */
#include "batch.h"

static guint
get_count(const char *name)
{
  const char *text = g_getenv(name);
  guint64 n = 0;
  return text && g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT, &n, NULL) ? (guint)n : 0;
}

guint
batch_launched(const char **variable)
{
  static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                       "SLURM_STEP_NUM_TASKS" };
  static const char *const ranks[] = { "PMIX_RANK", "PMI_RANK", "SLURM_PROCID" };
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    *variable = sizes[i];
    if (get_count(sizes[i]) > 0)
      return get_count(sizes[i]);
  }
  /* A batch script has SLURM_NTASKS, too, but only a step, of which all tasks run this program, has a number. */
  *variable = "SLURM_NTASKS";
  if (g_getenv("SLURM_PROCID") && (g_getenv("SLURM_STEP_ID") || g_getenv("SLURM_STEPID")) && get_count(*variable) > 0)
    return get_count(*variable);
  for (gsize i = 0; i < G_N_ELEMENTS(ranks); i++) {
    *variable = ranks[i];
    if (get_count(ranks[i]) > 0) /* not the first: there are others, however many */
      return get_count(ranks[i]) + 1;
  }
  return 1;
}

int
batch_check_alone(void)
{
  const char *variable = NULL;
  const guint n = batch_launched(&variable);
  if (n < 2)
    return BATCH_DONE;
  return batch_fail(BATCH_FAILED,
                    "%u processes were started together (%s), which know nothing of each other, since this program was "
                    "built without MPI or for another launcher: each would write the same files. Start one, or unset "
                    "%s if each has a folder of its own.",
                    n, variable, variable);
}
