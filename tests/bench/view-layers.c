/* SPDX-License-Identifier: MIT
 *
 * Eight layers over a moving view: what the main thread does per frame of a scripted pan at 60 Hz, with another live result
 * every second, as the window does it: results handed to layers, pictures that arrive, the render nodes of all layers. The
 * renderer's own work and the slide's tiles are not in it. Then five of them as cairo draws them, with that work. Needs a display (xvfb-run). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "view-bench.h"
#include "layers/vt-layer-stack.h"
#include "plugins/vt-plugin-host.h"

#define WIDTH 1920
#define HEIGHT 1080
#define REGION 2400
#define N_LAYERS 8
#define N_BY_CAIRO 5
#define FRAME_US 16667

typedef struct {
  VtSlide *slide;
  VtResult *results[2];
  GListStore *layers;
  VtViewport view;
  GtkWidget *window;        /* that cairo draws; NULL: nothing is drawn */
  cairo_surface_t *surface; /* on which it does */
} Scene;

static VtResult *
run(VtSlide *slide, const char *threshold)
{
  const VitrailPlugin *plugin = NULL;
  gint64 width, height;
  double mpp_x, mpp_y;
  g_autoptr(GError) error = NULL;
  const VitrailOp *op = vt_plugin_host_find_op(vt_plugin_host_get(), "nuclei-threshold", &plugin);
  if (!op)
    g_error("there is no op nuclei (VITRAIL_PLUGIN_PATH)");
  g_autoptr(VtRunRequest) request = vt_run_request_new(plugin, op);
  vt_slide_get_level_size(slide, 0, &width, &height);
  request->params = vt_params_new(op, vt_slide_get_mpp(slide, &mpp_x, &mpp_y));
  if (!vt_params_set_from_string(request->params, threshold, &error))
    g_error("%s", error->message);
  request->slide = vt_slide_ref(slide);
  request->width_l0 = MIN(REGION, width);
  request->height_l0 = MIN(REGION, height);
  request->x_l0 = (width - request->width_l0) / 2;
  request->y_l0 = (height - request->height_l0) / 2;
  VtResult *result = vt_run(request, NULL, NULL, NULL, &error);
  if (!result)
    g_error("%s", error->message);
  return result;
}

static void
scene_init(Scene *scene, const char *path)
{
  g_autoptr(GError) error = NULL;
  scene->slide = vt_slide_open(path, &error);
  if (!scene->slide)
    g_error("%s", error->message);
  scene->results[0] = run(scene->slide, "threshold=0.1");
  scene->results[1] = run(scene->slide, "threshold=0.12");
  scene->layers = g_list_store_new(VT_TYPE_LAYER);
  const VitrailOp *op = scene->results[0]->op;
  for (guint i = op->n_stages; i-- > 0 && g_list_model_get_n_items(G_LIST_MODEL(scene->layers)) < N_LAYERS;) {
    g_autoptr(VtLayer) layer = vt_layer_new_stage(op, i);
    if (!layer)
      continue;
    vt_layer_set_shown(layer, TRUE);
    g_object_set(layer, "blend", i % VT_N_LAYER_BLENDS, NULL);
    g_list_store_insert(scene->layers, 0, layer);
  }
  scene->view = (VtViewport){ .downsample = 1, .width_px = WIDTH, .height_px = HEIGHT };
}

static void
draw(VtLayer *layer, GtkSnapshot *snapshot, gpointer user)
{
  const VtViewport *view = user;
  const graphene_rect_t seen = GRAPHENE_RECT_INIT(0, 0, (float)view->width_px, (float)view->height_px);
  vt_layer_snapshot(layer, snapshot, view, 1, &seen);
}

/* Milliseconds that the main thread worked: what other programs took from it does not count. */
static double
get_work_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static GskRenderNode *
make_node(Scene *scene)
{
  GtkSnapshot *snapshot = gtk_snapshot_new();
  if (scene->window)
    vt_paint_begin(scene->window, TRUE, TRUE);
  vt_layer_stack_snapshot(G_LIST_MODEL(scene->layers), snapshot, draw, &scene->view);
  if (scene->window)
    vt_paint_end(snapshot);
  return gtk_snapshot_free_to_node(snapshot);
}

static double
do_frame(Scene *scene, guint frame, double downsample)
{
  const double start = get_work_ms();
  const VtResult *result = scene->results[0];
  const double angle = frame * 0.02;
  if (frame % 60 == 0) {
    for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(scene->layers)); i++) {
      g_autoptr(VtLayer) layer = g_list_model_get_item(G_LIST_MODEL(scene->layers), i);
      vt_layer_set_result(layer, scene->results[frame / 60 % 2]);
    }
  }
  while (g_main_context_iteration(NULL, FALSE))
    ;
  scene->view.downsample = downsample;
  scene->view.centre_x_l0 = (double)result->x_l0 + (double)result->width_l0 * (0.5 + 0.2 * cos(angle));
  scene->view.centre_y_l0 = (double)result->y_l0 + (double)result->height_l0 * (0.5 + 0.2 * sin(1.3 * angle));
  GskRenderNode *node = make_node(scene);
  cairo_t *cr = scene->surface && node ? cairo_create(scene->surface) : NULL;
  if (cr)
    gsk_render_node_draw(node, cr);
  g_clear_pointer(&cr, cairo_destroy);
  g_clear_pointer(&node, gsk_render_node_unref);
  return get_work_ms() - start;
}

static void
pan(Scene *scene, double downsample, guint seconds)
{
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(double));
  const gint64 start = g_get_monotonic_time();
  for (guint frame = 0; frame < 60 * seconds; frame++) {
    const double ms = do_frame(scene, frame, downsample);
    g_array_append_val(times, ms);
    const gint64 next = start + (gint64)(frame + 1) * FRAME_US, now = g_get_monotonic_time();
    if (next > now)
      g_usleep((gulong)(next - now));
  }
  guint n_late = 0;
  for (guint i = 0; i < times->len; i++)
    n_late += g_array_index(times, double, i) > FRAME_US / 1000.0;
  printf("| 1:%g | %u | %.2f | %.2f | %.2f | %u |\n", downsample, times->len, view_quantile(times, 0.5),
         view_quantile(times, 0.99), view_quantile(times, 1), n_late);
}

/* The uppermost layers, of normal blending, in a window of its own. FALSE: its renderer is another one. */
static gboolean
use_cairo(Scene *scene)
{
  GListModel *layers = G_LIST_MODEL(scene->layers);
  scene->window = gtk_window_new();
  gtk_widget_realize(scene->window);
  if (!GSK_IS_CAIRO_RENDERER(gtk_native_get_renderer(GTK_NATIVE(scene->window))))
    return FALSE;
  while (g_list_model_get_n_items(layers) > N_BY_CAIRO)
    g_list_store_remove(scene->layers, 0);
  for (guint i = 0; i < N_BY_CAIRO; i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    g_object_set(layer, "blend", VT_LAYER_BLEND_NORMAL, NULL);
  }
  scene->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  return TRUE;
}

int
view_layers(const char *slide, guint seconds)
{
  Scene scene = { 0 };
  if (!gtk_init_check()) {
    printf("SKIP: there is no display\n");
    return 77;
  }
  scene_init(&scene, slide);
  printf("%u layers of %s (one of them %u objects), all blend modes, %d x %d view, 60 Hz, another result every second. "
         "Milliseconds of the main thread's processor time per frame.\n\n"
         "| zoom | frames | median ms | 99 %% ms | worst ms | over 16.7 ms |\n| --- | --- | --- | --- | --- | --- |\n",
         g_list_model_get_n_items(G_LIST_MODEL(scene.layers)), vt_slide_get_name(scene.slide),
         scene.results[0]->objects->len, WIDTH, HEIGHT);
  pan(&scene, 1, seconds);
  pan(&scene, 0.5, seconds);
  pan(&scene, 2, seconds);
  if (!use_cairo(&scene)) {
    printf("\nNot by cairo: it is not the renderer (GSK_RENDERER).\n");
    return 0;
  }
  printf("\nThe uppermost %u of them, normal blending, drawn by cairo.\n\n"
         "| zoom | frames | median ms | 99 %% ms | worst ms | over 16.7 ms |\n| --- | --- | --- | --- | --- | --- |\n",
         N_BY_CAIRO);
  pan(&scene, 1, seconds);
  pan(&scene, 0.5, seconds);
  pan(&scene, 1.37, seconds);
  return 0;
}
