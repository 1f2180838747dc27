/* SPDX-License-Identifier: MIT
 *
 * Where the system has no memory that processes can share and neither can shorten (memfd): plugins of others are not loaded. */
#include "plugins/vt-worker.h"

void
vt_worker_set_program(const char *path)
{
}

VtWorker *
vt_worker_new(const char *path, GError **error)
{
  return vt_error_set_null(error, VITRAIL_UNSUPPORTED,
                           "%s cannot be used: this system has no memory that its process could share.", path);
}

/* --- none is ever made --- */

VtWorker *
vt_worker_find(const char *path, GError **error)
{
  return vt_worker_new(path, error);
}

VtWorker *
vt_worker_new_told(const char *path, GBytes *told)
{
  return NULL;
}

void
vt_worker_free(VtWorker *self)
{
}

GBytes *
vt_worker_dup_told(const VtWorker *self)
{
  return NULL;
}

const VitrailPlugin *
vt_worker_check(VtWorker *self, GError **error)
{
  return NULL;
}

VitrailStatus
vt_worker_open(VtWorker *self, VitrailSession **session, GError **error)
{
  return VITRAIL_UNSUPPORTED;
}

VitrailStatus
vt_worker_check_recipe(VtWorker *self, const VitrailRecipe *recipe, VitrailRecipeProblem *problem)
{
  return VITRAIL_UNSUPPORTED;
}
