/* SPDX-License-Identifier: MIT
 *
 * Shapes in XML: ASAP, ImageScope (Aperio) and NDP.view (Hamamatsu). GMarkup reads it as it streams by; it loads nothing from
 * elsewhere and knows no entities but those of XML itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/vt-shapes-private.h"

#define CHUNK ((gsize)1 << 20)
#define ELLIPSE 64 /* corners that stand for a circle or an ellipse */
#define MAX_TEXT 4096u

typedef enum { NO_FORMAT, ASAP, IMAGESCOPE, NDPA } Format;

typedef struct {
  double x, y;
  gint64 order;
} Vertex;

typedef struct {
  VtShapesReading *reading;
  GMarkupParseContext *context;
  Format format;
  GString *text;    /* of the innermost element */
  GArray *vertices; /* Vertex, of the shape that is read */
  char *name, *type, *class_name, *color;
  gboolean is_negative, is_open;
  guint first;          /* of ImageScope: the first shape of an Annotation */
  double ends[5];       /* of NDPA: x1, y1, x2, y2, radius */
  double nm[2], off[2]; /* of NDPA: nanometres in a pixel, the pixel in the slide's middle */
} Parse;

static guint
get_line(Parse *parse)
{
  int line = 0;
  g_markup_parse_context_get_position(parse->context, &line, NULL);
  return (guint)MAX(line, 1);
}

/* A number of the file, or the sentence. */
static gboolean
read_number(Parse *parse, const char *what, const char *text, double *value)
{
  g_autofree char *point = g_strdup(text ? text : "");
  char *end = NULL, *comma = strchr(point, ',');
  if (comma) /* as programs in some countries write */
    *comma = '.';
  g_strstrip(point);
  *value = g_ascii_strtod(point, &end);
  return (*point && *end == 0 && isfinite(*value) && fabs(*value) <= VT_SHAPES_MAX_COORDINATE)
         || vt_shapes_fail(parse->reading, get_line(parse), "%s is no sensible number (%s)", what,
                           text ? text : "there is none");
}

static const char *
get_attribute(const char **names, const char **values, const char *name)
{
  for (; *names; names++, values++)
    if (g_ascii_strcasecmp(*names, name) == 0)
      return *values;
  return NULL;
}

static void
set_text(char **own, const char *text)
{
  g_free(*own);
  *own = g_strdup(text);
}

static gboolean
add_vertex(Parse *parse, const char *x, const char *y, const char *order)
{
  Vertex vertex = { .order = parse->vertices->len };
  double number;
  if (!read_number(parse, "x", x, &vertex.x) || !read_number(parse, "y", y, &vertex.y)
      || (order && !read_number(parse, "the order of a point", order, &number)))
    return FALSE;
  if (order)
    vertex.order = (gint64)number;
  if (++parse->reading->n_points > VT_SHAPES_MAX_POINTS)
    return vt_shapes_fail(parse->reading, get_line(parse), "there are more points than can be held");
  g_array_append_val(parse->vertices, vertex);
  return TRUE;
}

static int
compare_order(gconstpointer a, gconstpointer b)
{
  const Vertex *p = a, *q = b;
  return (p->order > q->order) - (p->order < q->order);
}

/* What was read becomes a shape. NULL: it has too few points to be one, which is counted. */
static VtShape *
add_shape(Parse *parse, VtShapeKind kind)
{
  static const guint least[] = { [VT_SHAPE_AREA] = 3, [VT_SHAPE_LINE] = 2, [VT_SHAPE_POINTS] = 1 };
  VtShapes *shapes = parse->reading->shapes;
  g_autoptr(GArray) size = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(double));
  const guint8 no_hole = 0;
  guint n = parse->vertices->len;
  g_array_sort(parse->vertices, compare_order); /* merges, so those of one order stay as they were */
  const Vertex *v = (const Vertex *)(gpointer)parse->vertices->data;
  n -= kind == VT_SHAPE_AREA && n >= 4 && v[0].x == v[n - 1].x && v[0].y == v[n - 1].y;
  if (n < least[kind]) {
    shapes->n_nowhere++;
    return NULL;
  }
  for (guint i = 0; i < n; i++)
    g_array_append_vals(points, (double[]){ v[i].x, v[i].y }, 2);
  g_array_append_val(size, n);
  VtShape *shape = vt_shapes_add(shapes, kind, parse->name, size, points, &no_hole);
  shape->class_name = vt_shapes_intern(shapes, parse->class_name);
  shape->color = vt_roi_parse_color(parse->color);
  return shape;
}

static void
add_ellipse(Parse *parse, double x, double y, double rx, double ry)
{
  g_array_set_size(parse->vertices, 0);
  for (int i = 0; i < ELLIPSE; i++) {
    const double angle = 2 * G_PI * i / ELLIPSE;
    const Vertex vertex = { x + rx * cos(angle), y + ry * sin(angle), i };
    g_array_append_val(parse->vertices, vertex);
  }
  add_shape(parse, VT_SHAPE_AREA);
}

static void
begin_shape(Parse *parse)
{
  g_array_set_size(parse->vertices, 0);
  parse->is_negative = parse->is_open = FALSE;
}

/* --- ASAP --- */

static gboolean
start_asap(Parse *parse, const char *element, const char **names, const char **values)
{
  const char *group = get_attribute(names, values, "PartOfGroup");
  if (g_str_equal(element, "Annotation")) {
    begin_shape(parse);
    set_text(&parse->name, get_attribute(names, values, "Name"));
    set_text(&parse->type, get_attribute(names, values, "Type"));
    set_text(&parse->color, get_attribute(names, values, "Color"));
    set_text(&parse->class_name, g_strcmp0(group, "None") == 0 ? NULL : group);
  } else if (g_str_equal(element, "Coordinate")) {
    return add_vertex(parse, get_attribute(names, values, "X"), get_attribute(names, values, "Y"),
                      get_attribute(names, values, "Order"));
  }
  return TRUE;
}

static gboolean
end_asap(Parse *parse, const char *element)
{
  const char *type = parse->type ? parse->type : "";
  if (!g_str_equal(element, "Annotation"))
    return TRUE;
  if (g_str_equal(type, "Polygon") || g_str_equal(type, "Rectangle") || g_str_equal(type, "Spline")) {
    parse->reading->shapes->n_splines += add_shape(parse, VT_SHAPE_AREA) && type[0] == 'S';
  } else if (g_str_equal(type, "Dot") || g_str_equal(type, "PointSet")) {
    add_shape(parse, VT_SHAPE_POINTS);
  } else if (g_str_equal(type, "Measurement")) {
    add_shape(parse, VT_SHAPE_LINE);
  } else {
    parse->reading->shapes->n_other++;
  }
  return TRUE;
}

/* --- ImageScope --- */

static gboolean
start_imagescope(Parse *parse, const char *element, const char **names, const char **values)
{
  if (g_str_equal(element, "Annotation")) {
    set_text(&parse->class_name, get_attribute(names, values, "Name"));
    parse->first = parse->reading->shapes->shapes->len;
  } else if (g_str_equal(element, "Region")) {
    begin_shape(parse);
    set_text(&parse->name, get_attribute(names, values, "Text"));
    set_text(&parse->type, get_attribute(names, values, "Type"));
    parse->is_negative = g_strcmp0(get_attribute(names, values, "NegativeROA"), "1") == 0;
  } else if (g_str_equal(element, "Vertex")) {
    return add_vertex(parse, get_attribute(names, values, "X"), get_attribute(names, values, "Y"), NULL);
  }
  return TRUE;
}

/* A region to be left out is a hole in the first area of its layer that lies round it. */
static void
cut_hole(Parse *parse)
{
  VtShapes *shapes = parse->reading->shapes;
  VtShape *hole = add_shape(parse, VT_SHAPE_AREA);
  double x, y, width, height, x0, y0, width0, height0;
  gboolean is_cut = FALSE;
  if (!hole)
    return;
  vt_roi_get_bounds(hole->outline, &x, &y, &width, &height);
  for (guint i = parse->first; i + 1 < shapes->shapes->len; i++) {
    VtShape *shape = shapes->shapes->pdata[i];
    if (shape->kind != VT_SHAPE_AREA)
      continue;
    vt_roi_get_bounds(shape->outline, &x0, &y0, &width0, &height0);
    if (x < x0 || y < y0 || x + width > x0 + width0 || y + height > y0 + height0)
      continue;
    g_array_append_vals(shape->outline->ring_sizes, hole->outline->ring_sizes->data, 1);
    g_array_append_vals(shape->outline->points, hole->outline->points->data, hole->outline->points->len);
    is_cut = TRUE;
    break;
  }
  shapes->n_areas--;
  shapes->n_other += !is_cut;
  g_ptr_array_set_size(shapes->shapes, (gint)shapes->shapes->len - 1);
}

/* Type: 0 by hand, 1 rectangle, 2 ellipse (corners of the box around it), 3 arrow, 4 ruler, 5 marks that are counted. */
static gboolean
end_imagescope(Parse *parse, const char *element)
{
  const Vertex *v = (const Vertex *)(gpointer)parse->vertices->data;
  const int type = parse->type ? atoi(parse->type) : 0;
  if (!g_str_equal(element, "Region"))
    return TRUE;
  if (type == 3 || type == 4)
    add_shape(parse, VT_SHAPE_LINE);
  else if (type == 5)
    add_shape(parse, VT_SHAPE_POINTS);
  else if (type == 2 && parse->vertices->len == 2)
    add_ellipse(parse, (v[0].x + v[1].x) / 2, (v[0].y + v[1].y) / 2, fabs(v[1].x - v[0].x) / 2,
                fabs(v[1].y - v[0].y) / 2);
  else if (parse->is_negative)
    cut_hole(parse);
  else
    add_shape(parse, VT_SHAPE_AREA);
  return TRUE;
}

/* --- NDPA: nanometres from the slide's middle --- */

static gboolean
get_property(Parse *parse, const char *name, double *value)
{
  const VtShapesContext *context = parse->reading->context;
  const char *text = context && context->slide ? vt_slide_get_property(context->slide, name) : NULL;
  return text
           ? read_number(parse, name, text, value)
           : vt_shapes_fail(parse->reading, 0,
                            "measures from the middle of its slide, which a Hamamatsu slide alone says (%s); open the "
                            "slide first",
                            name);
}

static gboolean
begin_ndpa(Parse *parse)
{
  gint64 size[2];
  double offset[2];
  if (!get_property(parse, "hamamatsu.XOffsetFromSlideCentre", &offset[0])
      || !get_property(parse, "hamamatsu.YOffsetFromSlideCentre", &offset[1]))
    return FALSE;
  if (!vt_slide_get_mpp(parse->reading->context->slide, &parse->nm[0], &parse->nm[1]))
    return vt_shapes_fail(parse->reading, 0, "is in nanometres, and the slide does not say how large its pixels are");
  vt_slide_get_level_size(parse->reading->context->slide, 0, &size[0], &size[1]);
  for (int i = 0; i < 2; i++) {
    parse->nm[i] *= 1000;
    parse->off[i] = (double)size[i] / 2 - offset[i] / parse->nm[i];
  }
  return TRUE;
}

static gboolean
start_ndpa(Parse *parse, const char *element, const char **names, const char **values)
{
  if (g_str_equal(element, "ndpviewstate")) {
    set_text(&parse->name, NULL);
  } else if (g_str_equal(element, "annotation")) {
    begin_shape(parse);
    for (int i = 0; i < 5; i++)
      parse->ends[i] = NAN;
    set_text(&parse->type, get_attribute(names, values, "type"));
    set_text(&parse->color, get_attribute(names, values, "color"));
  } else if (g_str_equal(element, "point")) {
    parse->ends[0] = parse->ends[1] = NAN;
  }
  return TRUE;
}

static gboolean
add_ndpa_point(Parse *parse, double x, double y)
{
  const Vertex vertex = { x / parse->nm[0] + parse->off[0], y / parse->nm[1] + parse->off[1], parse->vertices->len };
  if (isnan(x) || isnan(y))
    return vt_shapes_fail(parse->reading, get_line(parse), "a point has no x or no y");
  if (++parse->reading->n_points > VT_SHAPES_MAX_POINTS)
    return vt_shapes_fail(parse->reading, get_line(parse), "there are more points than can be held");
  g_array_append_val(parse->vertices, vertex);
  return TRUE;
}

static gboolean
end_ndpa_annotation(Parse *parse)
{
  const char *type = parse->type ? parse->type : "";
  const double *ends = parse->ends;
  if (g_str_equal(type, "circle")) {
    if (!add_ndpa_point(parse, ends[0], ends[1]) || isnan(ends[4]))
      return vt_shapes_fail(parse->reading, get_line(parse), "a circle has no radius");
    const Vertex middle = g_array_index(parse->vertices, Vertex, 0);
    add_ellipse(parse, middle.x, middle.y, fabs(ends[4]) / parse->nm[0], fabs(ends[4]) / parse->nm[1]);
  } else if (g_str_equal(type, "pin")) {
    if (!add_ndpa_point(parse, ends[0], ends[1]))
      return FALSE;
    add_shape(parse, VT_SHAPE_POINTS);
  } else if (g_str_equal(type, "linearmeasure") || g_str_equal(type, "pointer")) {
    if (!add_ndpa_point(parse, ends[0], ends[1]) || !add_ndpa_point(parse, ends[2], ends[3]))
      return FALSE;
    add_shape(parse, VT_SHAPE_LINE);
  } else if (parse->vertices->len > 0) {
    add_shape(parse, parse->is_open ? VT_SHAPE_LINE : VT_SHAPE_AREA);
  } else {
    parse->reading->shapes->n_other++;
  }
  return TRUE;
}

/* Its numbers are elements, not attributes. */
static gboolean
end_ndpa(Parse *parse, const char *element, const char *outer)
{
  static const struct {
    const char *element;
    int end;
  } ends[] = { { "x", 0 }, { "y", 1 }, { "x1", 0 }, { "y1", 1 }, { "x2", 2 }, { "y2", 3 }, { "radius", 4 } };
  const char *text = g_strstrip(parse->text->str);
  if (g_str_equal(element, "title") && g_strcmp0(outer, "ndpviewstate") == 0)
    set_text(&parse->name, text);
  else if (g_str_equal(element, "coordformat") && g_ascii_strcasecmp(text, "nanometers") != 0)
    return vt_shapes_fail(parse->reading, get_line(parse), "places are in “%s” and not in nanometers", text);
  else if (g_str_equal(element, "closed") && g_strcmp0(outer, "annotation") == 0)
    parse->is_open = g_str_equal(text, "0");
  else if (g_str_equal(element, "point"))
    return add_ndpa_point(parse, parse->ends[0], parse->ends[1]);
  else if (g_str_equal(element, "annotation"))
    return end_ndpa_annotation(parse);
  for (gsize i = 0; i < G_N_ELEMENTS(ends); i++)
    if (g_str_equal(element, ends[i].element)
        && (g_strcmp0(outer, "point") == 0 || g_strcmp0(outer, "annotation") == 0))
      return read_number(parse, element, text, &parse->ends[ends[i].end]);
  return TRUE;
}

/* --- XML --- */

static gboolean
begin(Parse *parse, const char *element)
{
  static const struct {
    const char *element, *format;
    Format is;
  } roots[] = { { "ASAP_Annotations", "ASAP XML", ASAP },
                { "Annotations", "ImageScope XML", IMAGESCOPE },
                { "annotations", "NDPA", NDPA } };
  for (gsize i = 0; i < G_N_ELEMENTS(roots); i++)
    if (g_str_equal(element, roots[i].element)) {
      parse->format = roots[i].is;
      parse->reading->shapes->format = roots[i].format;
      return parse->format != NDPA || begin_ndpa(parse);
    }
  return vt_shapes_fail(parse->reading, get_line(parse),
                        "this is XML of another kind (%s); ASAP, ImageScope and NDP.view files can be read", element);
}

/* GMarkup ends at an error, which has its text elsewhere. */
static void
stop(GError **error)
{
  g_set_error_literal(error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, "");
}

static void
on_start(GMarkupParseContext *context, const char *element, const char **names, const char **values, gpointer user,
         GError **error)
{
  Parse *parse = user;
  gboolean done = parse->format != NO_FORMAT || begin(parse, element);
  g_string_truncate(parse->text, 0);
  if (done && parse->format == ASAP)
    done = start_asap(parse, element, names, values);
  else if (done && parse->format == IMAGESCOPE)
    done = start_imagescope(parse, element, names, values);
  else if (done)
    done = start_ndpa(parse, element, names, values);
  if (!done)
    stop(error);
}

static void
on_end(GMarkupParseContext *context, const char *element, gpointer user, GError **error)
{
  Parse *parse = user;
  const GSList *stack = g_markup_parse_context_get_element_stack(context);
  gboolean done;
  if (parse->format == ASAP)
    done = end_asap(parse, element);
  else if (parse->format == IMAGESCOPE)
    done = end_imagescope(parse, element);
  else
    done = end_ndpa(parse, element, stack->next ? stack->next->data : NULL);
  g_string_truncate(parse->text, 0);
  if (!done)
    stop(error);
}

static void
on_text(GMarkupParseContext *context, const char *text, gsize length, gpointer user, GError **error)
{
  Parse *parse = user;
  if (parse->text->len + length <= MAX_TEXT) /* nothing that is read is longer */
    g_string_append_len(parse->text, text, (gssize)length);
}

static gboolean
feed(Parse *parse)
{
  const VtShapesReading *reading = parse->reading;
  g_autoptr(GError) error = NULL;
  gboolean done = TRUE;
  for (gsize at = 0; done && at < reading->length; at += CHUNK) {
    if (!vt_shapes_tick(parse->reading, reading->data + at))
      return FALSE;
    done = g_markup_parse_context_parse(parse->context, reading->data + at, (gssize)MIN(CHUNK, reading->length - at),
                                        &error);
  }
  done = done && g_markup_parse_context_end_parse(parse->context, &error);
  if (done)
    return parse->format != NO_FORMAT || vt_shapes_fail(parse->reading, 0, "is XML without anything in it");
  g_strdelimit(error->message, "\n", ' ');
  if (g_str_has_suffix(error->message, "."))
    error->message[strlen(error->message) - 1] = 0;
  return vt_shapes_fail(parse->reading, get_line(parse), "this is not XML (%s)", error->message);
}

gboolean
vt_shapes_read_xml(VtShapesReading *reading)
{
  static const GMarkupParser parser = { .start_element = on_start, .end_element = on_end, .text = on_text };
  Parse parse = { .reading = reading,
                  .text = g_string_new(NULL),
                  .vertices = g_array_new(FALSE, FALSE, sizeof(Vertex)) };
  parse.context = g_markup_parse_context_new(&parser, G_MARKUP_TREAT_CDATA_AS_TEXT, &parse, NULL);
  const gboolean done = feed(&parse);
  g_markup_parse_context_free(parse.context);
  g_string_free(parse.text, TRUE);
  g_array_unref(parse.vertices);
  g_free(parse.name);
  g_free(parse.type);
  g_free(parse.class_name);
  g_free(parse.color);
  return done;
}
