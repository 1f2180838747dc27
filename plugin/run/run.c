/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include "run/run.h"

VitrailStatus
vt_fail(VtRun *run, VitrailStatus status, const char *format, ...)
{
  if (!atomic_flag_test_and_set(&run->message_taken) && run->message && run->message_size > 0) {
    va_list args;
    va_start(args, format);
    vsnprintf(run->message, run->message_size, format, args);
    va_end(args);
  }
  return status;
}

void
vt_log(VtRun *run, VitrailLogLevel level, const char *format, ...)
{
  if (!run->host.log)
    return;
  char sentence[512];
  va_list args;
  va_start(args, format);
  vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  run->host.log(run->host.user, level, sentence);
}

void
vt_record(VtRun *run, const char *key, double number)
{
  if (run->host.record)
    run->host.record(run->host.user, key, NULL, number);
}

void
vt_record_text(VtRun *run, const char *key, const char *text)
{
  if (run->host.record)
    run->host.record(run->host.user, key, text, 0);
}

void
vt_run_hold(VtRun *run, double bytes)
{
  run->peak = bytes > run->peak ? bytes : run->peak;
}

VitrailStatus
vt_ranks_agree(VtRun *run, VitrailStatus status)
{
  int32_t worst = status == VITRAIL_OK ? 0 : VITRAIL_RANK_FAILED + (int32_t)status;
  if (run->host.n_ranks < 2)
    return status;
  if (run->ranks_failed != VITRAIL_OK)
    return run->ranks_failed;
  run->failed_here = status != VITRAIL_OK;
  const VitrailStatus agreed = run->host.agree(run->host.user, worst, &worst);
  if (agreed != VITRAIL_OK)
    run->ranks_failed = status != VITRAIL_OK ? status : agreed;
  else
    run->ranks_failed = worst == 0 ? VITRAIL_OK : worst - VITRAIL_RANK_FAILED;
  return run->ranks_failed;
}

bool
vt_ranks_failed_elsewhere(const VtRun *run)
{
  return run->ranks_failed != VITRAIL_OK && !run->failed_here;
}

VitrailStatus
vt_ranks_exchange(VtRun *run, VitrailStatus status, const void *to_above, void *from_above, const void *to_below,
                  void *from_below, size_t bytes)
{
  TRY(vt_ranks_agree(run, status));
  return run->host.exchange(run->host.user, to_above, from_above, to_below, from_below, bytes);
}

VitrailStatus
vt_ranks_largest(VtRun *run, VitrailStatus status, int32_t mine, int32_t *largest)
{
  *largest = mine;
  TRY(vt_ranks_agree(run, status));
  return run->host.n_ranks < 2 ? VITRAIL_OK : run->host.agree(run->host.user, mine, largest);
}
