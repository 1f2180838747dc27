/* SPDX-License-Identifier: MIT
 *
 * What those who call GEOS share. */
#pragma once
#include <geos_c.h>
#include <glib.h>

/* What GEOS calls belong to: one for each thread, which ends with it. */
GEOSContextHandle_t vt_geos(void);

static inline void
vt_geometry_free(GEOSGeometry *geometry)
{
  GEOSGeom_destroy_r(vt_geos(), geometry);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GEOSGeometry, vt_geometry_free)
