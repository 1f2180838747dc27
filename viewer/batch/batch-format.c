/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "batch.h"
#include "results/vt-objects-save.h"

/* FALSE: it is no format, or the second of rasters, or one of objects again. */
static gboolean
take_word(const char *word, gboolean *has_raster, BatchFormats *formats)
{
  const gboolean is_ome = g_str_equal(word, "ome-tiff");
  if (is_ome || g_str_equal(word, "tiff")) {
    const gboolean is_first = !*has_raster;
    *has_raster = TRUE;
    formats->ome_tiff = is_ome;
    return is_first;
  }
  for (guint i = 0; i < VT_N_OBJECTS_FORMATS; i++)
    if (g_str_equal(word, vt_objects_format_get(i)->word) && !(formats->objects >> i & 1)) {
      formats->objects |= 1u << i;
      return TRUE;
    }
  return FALSE;
}

int
batch_parse_format(const char *text, BatchFormats *formats)
{
  g_auto(GStrv) words = g_strsplit(text, ",", -1);
  gboolean has_raster = FALSE;
  *formats = (BatchFormats){ 0 };
  gboolean is_sound = words[0] != NULL;
  for (char **word = words; *word; word++)
    is_sound = take_word(g_strstrip(*word), &has_raster, formats) && is_sound;
  if (!is_sound)
    return batch_fail(BATCH_USAGE,
                      "--format is tiff or ome-tiff, and flatgeobuf and parquet for objects, each once with commas "
                      "between them, not “%s”.",
                      text);
  g_autoptr(GError) error = NULL;
  return vt_objects_formats_check(formats->objects, &error) ? BATCH_DONE
                                                            : batch_fail(BATCH_FAILED, "%s", error->message);
}

void
batch_print_formats(void)
{
  g_autoptr(GError) error = NULL;
  const VtObjectsModule *module = vt_objects_module_get(&error);
  g_autoptr(GString) titles = g_string_new(NULL);
  for (guint i = 0; module && i < VT_N_OBJECTS_FORMATS; i++)
    if (module->has_driver(vt_objects_format_get(i)->driver))
      g_string_append_printf(titles, "%s%s", titles->len > 0 ? ", " : "", vt_objects_format_get(i)->title);
  if (error)
    printf("Objects as GeoJSON and CSV alone: %s\n", error->message);
  else if (titles->len > 0)
    printf("Objects also as %s (GDAL %s)\n", titles->str, module->version);
}
