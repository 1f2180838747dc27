/* SPDX-License-Identifier: MIT
 *
 * shared-data.h: where test data that is not part of the source lies. Meson sets VITRAIL_SHARED when that is there. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* False: there is none. Whether the file is there is found out by opening it. */
static inline bool
vt_shared_path(const char *name, char *path, size_t path_size)
{
  const char *shared = getenv("VITRAIL_SHARED");
  snprintf(path, path_size, "%s/%s", shared ? shared : "", name);
  return shared && *shared;
}
