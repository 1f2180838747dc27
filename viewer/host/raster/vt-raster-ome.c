/* SPDX-License-Identifier: MIT
 *
 * OME-XML, schema of June 2016: what programs that read OME-TIFF are told of a raster. */
#include "base/vt-file-private.h"
#include "raster/vt-raster-private.h"

#define SCHEMA "http://www.openmicroscopy.org/Schemas/OME/2016-06"

/* In UTF-8, without numbers of letters: Bio-Formats takes "&#" apart before it parses. */
static void
append_text_attribute(GString *xml, const char *name, const char *text)
{
  g_string_append_printf(xml, " %s=\"", name);
  for (const char *p = text; *p; p++)
    switch (*p) {
    case '&': g_string_append(xml, "&amp;"); break;
    case '<': g_string_append(xml, "&lt;"); break;
    case '>': g_string_append(xml, "&gt;"); break;
    case '"': g_string_append(xml, "&quot;"); break;
    default: g_string_append_c(xml, g_ascii_iscntrl(*p) ? ' ' : *p);
    }
  g_string_append_c(xml, '"');
}

static void
append_number(GString *xml, const char *name, double value)
{
  g_string_append_printf(xml, " %s=\"", name);
  vt_text_append_double(xml, value);
  g_string_append_c(xml, '"');
}

static void
append_length(GString *xml, const char *name, double value, const char *unit)
{
  g_autofree char *unit_name = g_strconcat(name, "Unit", NULL);
  append_number(xml, name, value);
  append_text_attribute(xml, unit_name, unit);
}

static void
append_pixels(GString *xml, const VtRaster *raster, const char *channel)
{
  static const char *const types[] = { "uint8", "uint16", "int32", "float",
                                       "uint8" }; /* of VITRAIL_U8, U16, I32, F32, RGBA8 */
  const int n_samples = raster->type == VITRAIL_RGBA8 ? 4 : 1;
  const gboolean is_calibrated = raster->mpp_x > 0 && raster->mpp_y > 0;
  g_string_append(xml, "<Pixels ID=\"Pixels:0\" DimensionOrder=\"XYCZT\"");
  append_text_attribute(xml, "Type", types[raster->type]);
  append_text_attribute(xml, "BigEndian", G_BYTE_ORDER == G_BIG_ENDIAN ? "true" : "false");
  g_string_append_printf(xml, " SizeX=\"%" G_GINT64_FORMAT "\" SizeY=\"%" G_GINT64_FORMAT "\"", raster->width,
                         raster->height);
  g_string_append_printf(xml, " SizeC=\"%d\" SizeZ=\"1\" SizeT=\"1\"", n_samples);
  if (is_calibrated) {
    append_length(xml, "PhysicalSizeX", raster->mpp_x * raster->downsample, "µm");
    append_length(xml, "PhysicalSizeY", raster->mpp_y * raster->downsample, "µm");
  }
  g_string_append_printf(xml, "><Channel ID=\"Channel:0:0\" SamplesPerPixel=\"%d\"", n_samples);
  append_text_attribute(xml, "Name", channel);
  g_string_append(xml, "/><TiffData IFD=\"0\" PlaneCount=\"1\"/>");
  if (is_calibrated) {
    double x = 0, y = 0, width = 0, height = 0;
    vt_raster_get_bounds_l0(raster, &x, &y, &width, &height);
    g_string_append(xml, "<Plane TheC=\"0\" TheZ=\"0\" TheT=\"0\"");
    append_length(xml, "PositionX", x * raster->mpp_x, "µm");
    append_length(xml, "PositionY", y * raster->mpp_y, "µm");
    g_string_append(xml, "/>");
  }
  g_string_append(xml, "</Pixels>");
}

char *
vt_raster_dup_ome(const VtRaster *raster, const char *channel, const char *place)
{
  g_autoptr(GString) xml = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?><OME xmlns=\"" SCHEMA "\" "
                                        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
                                        "xsi:schemaLocation=\"" SCHEMA " " SCHEMA "/ome.xsd\"");
  double x = 0, y = 0, width = 0, height = 0;
  vt_raster_get_bounds_l0(raster, &x, &y, &width, &height);
  append_text_attribute(xml, "Creator", "Vitrail"); /* without the version: the same raster is the same file */
  g_string_append(xml, "><Image ID=\"Image:0\"");
  append_text_attribute(xml, "Name", channel);
  g_string_append(xml, "><StageLabel Name=\"Level 0 of the slide\"");
  append_length(xml, "X", x, "pixel");
  append_length(xml, "Y", y, "pixel");
  g_string_append(xml, "/>");
  append_pixels(xml, raster, channel);
  g_string_append(xml, "<AnnotationRef ID=\"Annotation:0\"/></Image><StructuredAnnotations>"
                       "<CommentAnnotation ID=\"Annotation:0\" Namespace=\"vitrail/place\"><Value>");
  g_string_append(xml, place);
  g_string_append(xml, "</Value></CommentAnnotation></StructuredAnnotations></OME>");
  return g_string_free(g_steal_pointer(&xml), FALSE);
}
