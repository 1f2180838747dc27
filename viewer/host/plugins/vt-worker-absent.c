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

void
vt_worker_free(VtWorker *self)
{
}

const VitrailPlugin *
vt_worker_check(VtWorker *self, GError **error)
{
  return NULL;
}

VitrailStatus
vt_worker_open(VtWorker *self, VitrailSession **session)
{
  return VITRAIL_UNSUPPORTED;
}

VitrailStatus
vt_worker_check_recipe(VtWorker *self, const VitrailRecipe *recipe, VitrailRecipeProblem *problem)
{
  return VITRAIL_UNSUPPORTED;
}
