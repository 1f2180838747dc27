/* SPDX-License-Identifier: MIT
 *
 * Any bytes as shapes, of a table or of XML: shapes that hold together, or one sentence. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "run/vt-shapes.h"

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const char *const seeds[] = {
    "x,y\n1,2\n3.5,4e2\n",
    "\"Class\";x;y\n\"a \"\"b\"\"\";1,5;2\n;3;4\n",
    "1\t2\r\n\r\n3\t4\r\n",
    "Centroid X µm,Centroid Y µm\n1,2\n",
    ("<?xml version=\"1.0\"?><ASAP_Annotations><Annotations><Annotation Name=\"a\" Type=\"Polygon\" Pa"
     "rtOfGroup=\"g\" Color=\"#64FE2E\"><Coordinates><Coordinate Order=\"1\" X=\"1\" Y=\"2\"/><Coordin"
     "ate Order=\"0\" X=\"5\" Y=\"2\"/><Coordinate Order=\"2\" X=\"5,5\" Y=\"7\"/></Coordinates></Anno"
     "tation><Annotation Type=\"Dot\"><Coordinate Order=\"0\" X=\"1\" Y=\"2\"/></Annotation></"
     "Annotations></ASAP_Annotations>"),
    ("<Annotations><Annotation Name=\"t\"><Regions><Region Id=\"1\" Type=\"0\"><Vertices><Vertex X=\"0"
     "\" Y=\"0\"/><Vertex X=\"9\" Y=\"0\"/><Vertex X=\"9\" Y=\"9\"/></Vertices></Region><Region Type=\""
     "0\" NegativeROA=\"1\"><Vertices><Vertex X=\"5\" Y=\"1\"/><Vertex X=\"7\" Y=\"1\"/><Vertex X=\"7\""
     " Y=\"3\"/></Vertices></Region><Region Type=\"2\"><Vertex X=\"0\" Y=\"0\"/><Vertex X=\"9\" Y=\"4\""
     "/></Region></Regions></Annotation></Annotations>"),
    ("<annotations><ndpviewstate id=\"1\"><title>x &amp; y</title><annotation type=\"pin\"><x>1</x><y>"
     "2</y></annotation></ndpviewstate></annotations>"),
  };
  if (index >= G_N_ELEMENTS(seeds))
    return 0;
  memcpy(data, seeds[index], strlen(seeds[index]));
  return strlen(seeds[index]);
}

static void
check_shape(const VtShape *shape)
{
  static const guint least[] = { [VT_SHAPE_AREA] = 3, [VT_SHAPE_LINE] = 2, [VT_SHAPE_POINTS] = 1 };
  const VtRoi *outline = shape->outline;
  guint64 n_points = 0;
  for (guint i = 0; i < outline->ring_sizes->len; i++) {
    vt_fuzz_check(g_array_index(outline->ring_sizes, guint32, i) >= least[shape->kind], "too few points",
                  outline->name);
    n_points += g_array_index(outline->ring_sizes, guint32, i);
  }
  vt_fuzz_check(n_points > 0 && 2 * n_points == outline->points->len, "sizes and points disagree", outline->name);
  for (guint i = 0; i < outline->points->len; i++)
    vt_fuzz_check(isfinite(g_array_index(outline->points, double, i)), "a place that is no number", outline->name);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(GError) error = NULL;
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK);
  g_autoptr(VtShapes) shapes = vt_shapes_parse((const char *)data, (gssize)size, "fuzz", NULL, &error);
  vt_fuzz_check((shapes == NULL) == (error != NULL), "neither shapes nor an error, or both",
                error ? error->message : NULL);
  if (error)
    vt_fuzz_check(g_utf8_validate(error->message, -1, NULL) && !strchr(error->message, '\n')
                    && g_str_has_suffix(error->message, "."),
                  "not a sentence", error->message);
  for (guint i = 0; shapes && i < shapes->shapes->len; i++)
    check_shape(shapes->shapes->pdata[i]);
  return 0;
}
