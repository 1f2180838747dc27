/* SPDX-License-Identifier: MIT */
#include "run/vt-objects-format.h"

static const VtObjectsFormat formats_known[VT_N_OBJECTS_FORMATS] = {
  { "flatgeobuf", "FlatGeobuf", "FlatGeobuf", "objects.fgb" },
  { "parquet", "GeoParquet", "Parquet", "objects.parquet" },
};

const VtObjectsFormat *
vt_objects_format_get(guint index)
{
  return &formats_known[index];
}

void
vt_objects_formats_append_words(GString *text, guint formats)
{
  for (guint i = 0; i < VT_N_OBJECTS_FORMATS; i++)
    if (formats >> i & 1)
      g_string_append_printf(text, ",%s", formats_known[i].word);
}
