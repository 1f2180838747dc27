/* SPDX-License-Identifier: MIT
 *
 * The child of the shader's node is the texture with one of its pixels for a device pixel, so that filtering leaves it as it is. For each
 * device pixel of the node the shader takes the one that lies under its middle.
 *
 * Example: a texture three times as large, of which the pixels 10 to 19 are seen on 30 device pixels. The child shows them on the first 10
 * of those; the device pixel 14 has its middle at 14.5, which is pixel 10 + 4, the fifth of the child.
 *
 * Of what is turned, the device pixels lie at an angle over the node: each takes the pixel in which its middle lies.
 *
 * GTK draws the child on a surface of its own, which costs a frame 0.2 ms a node. Where the card takes the same pixels by itself it does so (vt_magnify_is_plain()):
 * of what is turned by right angles drawn a little farther, so that of a middle between two pixels it takes the first one. */
#include "layers/vt-magnify.h"

#include <math.h>

#define MAX_PLAIN 8 /* device pixels for one of the texture: beyond, a card's places in it are not exact enough */

static const char source[] =
  "uniform sampler2D u_texture1;\n"
  "uniform vec2 u_pixels;\n" /* device pixels of the node */
  "uniform vec2 u_offset;\n" /* of its edge from that of the texture */
  "uniform vec2 u_side;\n"   /* of a pixel of the texture */
  "uniform vec2 u_first;\n"  /* the first of those that the child shows */
  "uniform bool u_turned;\n"
  "void mainImage(out vec4 color, in vec2 coord, in vec2 resolution, in vec2 uv) {\n"
  /* A texture begins at its lower edge. */
  "  vec2 place = vec2(uv.x, 1.0 - uv.y) * u_pixels;\n"
  /* Turned by a right angle, middles may lie on edges: of two pixels it is always the same one. */
  "  vec2 middle = (u_turned ? place - 1.0 / 64.0 : floor(place) + 0.5) + u_offset;\n"
  /* A middle between two pixels is taken for the first of them, as cairo does. */
  "  vec2 pixel = max(floor(middle / u_side - 1.0 / 65536.0), u_first);\n"
  "  vec2 at = (pixel - u_first + 0.5) / u_pixels;\n"
  "  color = GskTexture(u_texture1, vec2(at.x, 1.0 - at.y));\n"
  "}\n";

static GskGLShader *shader = NULL; /* made once */
static gboolean magnifies = FALSE, turned = FALSE, right_angles = FALSE;
static float scale = 1; /* device pixels per logical pixel */

gboolean
vt_magnify_begin(GtkWidget *widget, gboolean upright, gboolean squarely)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = g_bytes_new_static(source, sizeof source);
  GtkNative *native = gtk_widget_get_native(widget);
  GskRenderer *renderer = native ? gtk_native_get_renderer(native) : NULL;
  if (!shader)
    shader = gsk_gl_shader_new_from_bytes(bytes);
  magnifies = renderer && gsk_renderer_is_realized(renderer) && gsk_gl_shader_compile(shader, renderer, &error);
  scale = (float)gtk_widget_get_scale_factor(widget);
  turned = !upright;
  right_angles = squarely;
  return magnifies;
}

void
vt_magnify_end(void)
{
  magnifies = FALSE;
}

/* Along one axis. */
typedef struct {
  float pixels, offset, side, first;
} Axis;

/* FALSE: more pixels are seen than there are device pixels for the child. */
static gboolean
find_axis(Axis *axis, int n, float place, float length, float from, float to)
{
  axis->pixels = roundf((to - from) * scale);
  axis->offset = roundf((from - place) * scale);
  axis->side = length * scale / (float)n;
  axis->first = floorf(axis->offset / axis->side);
  const float end = MIN(ceilf((axis->offset + axis->pixels) / axis->side), (float)n);
  return end - axis->first <= axis->pixels;
}

/* Out to whole device pixels, as far as the place goes, whose edges lie between them. */
static graphene_rect_t
widen(const graphene_rect_t *seen, const graphene_rect_t *place)
{
  graphene_rect_t wide;
  graphene_rect_scale(seen, scale, scale, &wide);
  graphene_rect_round_extents(&wide, &wide);
  graphene_rect_scale(&wide, 1 / scale, 1 / scale, &wide);
  graphene_rect_intersection(&wide, place, &wide);
  return wide;
}

/* Along one axis, upright: each pixel is seen as so many whole device pixels, so that no middle of one lies near an edge of it. Elsewhere middles may lie on
 * edges, or as good as on them, and a card need not take the same pixel as the shader. */
static gboolean
is_whole(int n, float length)
{
  return (int)roundf(length * scale) % n == 0;
}

gboolean
vt_magnify_is_plain(int width, int height, const graphene_rect_t *place, graphene_rect_t *moved)
{
  const float across = place->size.width * scale / (float)width, down = place->size.height * scale / (float)height;
  const float by = turned ? 1 / (64 * scale) : 0; /* as the shader takes them */
  graphene_rect_offset_r(place, by, by, moved);
  return magnifies && right_angles && MIN(across, down) >= 1 && MAX(across, down) <= MAX_PLAIN
         && (turned || (is_whole(width, place->size.width) && is_whole(height, place->size.height)));
}

gboolean
vt_magnify_append(GtkSnapshot *snapshot, GdkTexture *texture, const graphene_rect_t *place, const graphene_rect_t *part)
{
  Axis x, y;
  const int width = gdk_texture_get_width(texture), height = gdk_texture_get_height(texture);
  if (!magnifies)
    return FALSE;
  const graphene_rect_t seen = widen(part, place);
  if (!find_axis(&x, width, place->origin.x, place->size.width, seen.origin.x, seen.origin.x + seen.size.width)
      || !find_axis(&y, height, place->origin.y, place->size.height, seen.origin.y, seen.origin.y + seen.size.height))
    return FALSE;
  GskShaderArgsBuilder *args = gsk_shader_args_builder_new(shader, NULL);
  gsk_shader_args_builder_set_vec2(args, 0, graphene_vec2_init(&(graphene_vec2_t){ 0 }, x.pixels, y.pixels));
  gsk_shader_args_builder_set_vec2(args, 1, graphene_vec2_init(&(graphene_vec2_t){ 0 }, x.offset, y.offset));
  gsk_shader_args_builder_set_vec2(args, 2, graphene_vec2_init(&(graphene_vec2_t){ 0 }, x.side, y.side));
  gsk_shader_args_builder_set_vec2(args, 3, graphene_vec2_init(&(graphene_vec2_t){ 0 }, x.first, y.first));
  gsk_shader_args_builder_set_bool(args, 4, turned);
  gtk_snapshot_push_gl_shader(snapshot, shader, &seen, gsk_shader_args_builder_free_to_args(args));
  gtk_snapshot_append_texture(snapshot, texture,
                              &GRAPHENE_RECT_INIT(seen.origin.x - x.first / scale, seen.origin.y - y.first / scale,
                                                  (float)width / scale, (float)height / scale));
  gtk_snapshot_gl_shader_pop_texture(snapshot);
  gtk_snapshot_pop(snapshot);
  return TRUE;
}
