/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "run/backends.h"

const VtReconstructAlgorithm *
vt_find_reconstruct(const VtBackend *backend, const char *id)
{
  const VtReconstructAlgorithm *list = backend->reconstruct;
  if (!list || !id || !*id || strcmp(id, "auto") == 0)
    return list;
  for (; list->id; list++)
    if (strcmp(list->id, id) == 0)
      return list;
  return NULL;
}

const VtReconstructAlgorithm *
vt_choose_reconstruct(VtRun *run, const VtBackend *backend, const char *id)
{
  const VtReconstructAlgorithm *algorithm = vt_find_reconstruct(backend, id);
  if (algorithm || !backend->reconstruct)
    return algorithm;
  if (!atomic_exchange(&run->warned_algorithm, true))
    vt_log(run, VITRAIL_LOG_WARNING,
           "There is no algorithm \"%s\" on %s; the usual one took its place, with the same result", id,
           backend->title);
  return backend->reconstruct;
}

void
vt_say_fallback(VtRun *run, const char *what, VitrailStatus status)
{
  const char *why = status == VITRAIL_UNSUPPORTED ? "it has no such kernel" : run->backend->last_error(run->device);
  if (!run->warned_fallback)
    vt_log(run, VITRAIL_LOG_WARNING, "%s ran on the CPU, not on %s: %s", what, run->backend->title, why);
  run->warned_fallback = true;
  if (status == VITRAIL_INTERNAL)
    run->device_failed = true;
}
