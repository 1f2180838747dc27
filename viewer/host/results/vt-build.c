/* SPDX-License-Identifier: MIT
 *
 * Which build of the program made a record, and with which libraries. */
#include <geos_c.h>
#include <libdeflate.h>
#include <openslide/openslide.h>
#include <png.h>
#include <string.h>
#include <tiffio.h>
#include <zlib.h>
#include <zstd.h>

#include <jpeglib.h>

#include "base/vt-json.h"
#include "run/vt-run-private.h"

extern const char vt_build_id[]; /* vt-build-id.c.in */

#ifdef __clang__
#define COMPILER "Clang " __clang_version__
#else
#define COMPILER "GCC " __VERSION__
#endif
#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)
#ifdef LIBJPEG_TURBO_VERSION
#define JPEG "libjpeg-turbo " TEXT_OF(LIBJPEG_TURBO_VERSION)
#else
#define JPEG "libjpeg " TEXT_OF(JPEG_LIB_VERSION)
#endif

void
vt_record_add_build(JsonBuilder *builder)
{
  const char *tiff = TIFFGetVersion(); /* the first line has the version, the others the copyright */
  g_autofree char *tiff_line = g_strndup(tiff, strcspn(tiff, "\n"));
  g_autofree char *glib = g_strdup_printf("%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version);
  vt_json_begin_object(builder, "build");
  vt_json_add_string(builder, "id", vt_build_id);
  vt_json_add_string(builder, "compiler", COMPILER);
  vt_json_begin_object(builder, "libraries");
  vt_json_add_string(builder, "openslide", openslide_get_version());
  vt_json_add_string(builder, "tiff", tiff_line);
  vt_json_add_string(builder, "png", png_get_libpng_ver(NULL));
  vt_json_add_string(builder, "jpeg", JPEG);
  vt_json_add_string(builder, "zlib", zlibVersion());
  vt_json_add_string(builder, "deflate", LIBDEFLATE_VERSION_STRING);
  vt_json_add_string(builder, "zstd", ZSTD_versionString());
  vt_json_add_string(builder, "glib", glib);
  vt_json_add_string(builder, "json-glib", JSON_VERSION_S);
  vt_json_add_string(builder, "geos", GEOSversion());
  json_builder_end_object(builder);
  json_builder_end_object(builder);
}
