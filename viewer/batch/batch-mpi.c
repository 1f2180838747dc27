/* SPDX-License-Identifier: MIT
 *
 * Processes of one run over MPI: rows to the neighbours, agreement of all, results to rank 0. The thread that
 * runs talks, and the watch's. An error of MPI itself ends all processes, which is its default. */
#include <mpi.h>

#include "batch-watch.h"

enum { TAG_DOWN = 1, TAG_UP, TAG_BLOCK, CHUNK = 1 << 28 };
enum { PATIENCE = 400 }; /* hundredths of a second that a rank which failed waits for the others */
enum {
  START = 60, /* s until all are started: many take long, from a network drive above all. And until all have ended */
  MEET = 10,  /* s until all that are started know each other */
};

static VtRunRanks ranks = { .n_ranks = 1 };
static MPI_Win counter_window = MPI_WIN_NULL;
static MPI_Comm ends = MPI_COMM_NULL; /* of ranks that fail */
static gint32 *counter;

static gboolean
exchange(gpointer user, gconstpointer to_above, gpointer from_above, gconstpointer to_below, gpointer from_below,
         gsize n_bytes)
{
  MPI_Request requests[4];
  const int above = (int)ranks.rank - 1, below = (int)ranks.rank + 1;
  for (gsize at = 0; at < n_bytes; at += CHUNK) {
    const int n = (int)MIN(n_bytes - at, (gsize)CHUNK);
    int n_requests = 0;
    if (from_above) {
      MPI_Irecv((guint8 *)from_above + at, n, MPI_BYTE, above, TAG_DOWN, MPI_COMM_WORLD, &requests[n_requests++]);
      MPI_Isend((const guint8 *)to_above + at, n, MPI_BYTE, above, TAG_UP, MPI_COMM_WORLD, &requests[n_requests++]);
    }
    if (from_below) {
      MPI_Irecv((guint8 *)from_below + at, n, MPI_BYTE, below, TAG_UP, MPI_COMM_WORLD, &requests[n_requests++]);
      MPI_Isend((const guint8 *)to_below + at, n, MPI_BYTE, below, TAG_DOWN, MPI_COMM_WORLD, &requests[n_requests++]);
    }
    MPI_Waitall(n_requests, requests, MPI_STATUSES_IGNORE);
  }
  return TRUE;
}

/* Whether it is done before `hundredths` of a second have passed. */
static gboolean
is_done_soon(MPI_Request *request, int hundredths)
{
  int is_done = 0;
  for (int i = 0; MPI_Test(request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !is_done && i < hundredths; i++)
    g_usleep(10000);
  return is_done != 0;
}

/* The others may be in the midst of a step of hours. One that failed does not wait for that: it goes on alone, to its sentence and
 * to batch_ranks_end(), which ends all. It agrees on nothing more. */
static gboolean
agree(gpointer user, gint32 mine, gint32 *largest)
{
  static gint32 ours, of_all; /* an agreement that is left still writes here */
  static gboolean is_alone;
  MPI_Request request;
  *largest = ours = mine;
  if (is_alone || MPI_Iallreduce(&ours, &of_all, 1, MPI_INT32_T, MPI_MAX, MPI_COMM_WORLD, &request) != MPI_SUCCESS)
    return FALSE;
  if (mine < VITRAIL_RANK_FAILED)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  else
    is_alone = !is_done_soon(&request, PATIENCE);
  if (!is_alone)
    *largest = of_all;
  return !is_alone;
}

static gboolean
send_block(gpointer user, gconstpointer data, gsize n)
{
  return MPI_Send(data, (int)n, MPI_BYTE, 0, TAG_BLOCK, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static gboolean
receive_block(gpointer user, guint rank, gpointer data, gsize room, gsize *n)
{
  MPI_Status status;
  int count = 0;
  if (MPI_Recv(data, (int)room, MPI_BYTE, (int)rank, TAG_BLOCK, MPI_COMM_WORLD, &status) != MPI_SUCCESS)
    return FALSE;
  MPI_Get_count(&status, MPI_BYTE, &count);
  *n = (gsize)count;
  return TRUE;
}

int
batch_ranks_init(int *argc, char ***argv)
{
  static const char *const signs[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK" };
  int provided = 0, rank = 0, n = 1;
  const char *variable = NULL;
  gboolean is_launched = batch_launched(&variable) > 1;
  for (gsize i = 0; i < G_N_ELEMENTS(signs); i++)
    is_launched |= g_getenv(signs[i]) != NULL;
  if (!is_launched) /* started by hand: no need to wake MPI */
    return BATCH_DONE;
  /* hwloc, by which MPI looks at the machine, opens each X display that it finds, and one that closes in that time ends the process. */
  g_setenv("HWLOC_COMPONENTS", "-gl", FALSE);
  batch_watch_meet_begin(START);
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  batch_watch_meet_end();
  batch_watch_meet_begin(MEET);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Comm_dup(MPI_COMM_WORLD, &ends);
  ranks = (VtRunRanks){ .rank = (guint)rank,
                        .n_ranks = (guint)n,
                        .exchange = exchange,
                        .agree = agree,
                        .send = send_block,
                        .receive = receive_block };
  MPI_Win_allocate(rank == 0 ? sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter,
                   &counter_window);
  if (rank == 0)
    *counter = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (n > 1 && provided == MPI_THREAD_MULTIPLE)
    batch_watch_begin(rank, n);
  else if (n > 1 && rank == 0)
    g_printerr("vitrail-batch: this MPI is built without threads: nobody notices when a process stands still.\n");
  batch_watch_meet_end();
  return n > 1 ? BATCH_DONE : batch_check_alone();
}

const VtRunRanks *
batch_ranks_get(void)
{
  return ranks.n_ranks > 1 ? &ranks : NULL;
}

guint
batch_ranks_take(guint n)
{
  static gint32 taken = -1;
  const gint32 one = 1;
  if (ranks.n_ranks < 2) {
    taken++;
    return MIN((guint)taken, n);
  }
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, counter_window);
  MPI_Fetch_and_op(&one, &taken, MPI_INT32_T, 0, 0, MPI_SUM, counter_window);
  MPI_Win_unlock(0, counter_window);
  return MIN((guint)taken, n);
}

int
batch_ranks_sum(int mine)
{
  int sum = mine;
  if (ranks.n_ranks > 1)
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

gboolean
batch_ranks_first(void)
{
  return ranks.rank == 0;
}

/* Whether all ranks come here within two seconds. */
static gboolean
all_end(void)
{
  MPI_Request request;
  MPI_Ibarrier(ends, &request);
  return is_done_soon(&request, 200);
}

/* The others may wait for this one, which will not come, unless they fail, too. */
int
batch_ranks_end(int status)
{
  if (status != BATCH_DONE && ranks.n_ranks > 1 && !all_end())
    MPI_Abort(MPI_COMM_WORLD, status);
  return status;
}

void
batch_ranks_finish(void)
{
  if (counter_window == MPI_WIN_NULL)
    return;
  batch_watch_end();
  batch_watch_meet_begin(START);
  MPI_Win_free(&counter_window);
  MPI_Comm_free(&ends);
  MPI_Finalize();
  batch_watch_meet_end();
}
