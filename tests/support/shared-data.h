/* SPDX-License-Identifier: MIT
 *
 * shared-data.h: where test data that is not part of the source lies: the folder VITRAIL_SHARED, else ../shared beside the
 * source tree. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* False: there is none. Whether the file is there is found out by opening it. */
static inline bool
vt_shared_path(const char *name, char *path, size_t path_size)
{
  const char *shared = getenv("VITRAIL_SHARED"), *root = getenv("VITRAIL_SOURCE_ROOT");
  if (shared && *shared)
    snprintf(path, path_size, "%s/%s", shared, name);
  else
    snprintf(path, path_size, "%s/../shared/%s", root ? root : ".", name);
  return (shared && *shared) || root;
}
