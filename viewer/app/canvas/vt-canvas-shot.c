/* SPDX-License-Identifier: MIT */
#include "canvas/vt-canvas-shot.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/vt-define.h"
#include "canvas/vt-canvas-private.h"
#include "layers/vt-layer.h"

/* First the tiles, then the layers' pictures; values that change meanwhile begin the latter again. */
typedef struct {
  VtCanvas *canvas;
  VtSlide *slide; /* that it had, only compared */
  VtViewport view, sheet;
  double scale;
  VtTileStore *store;
  GHashTable *pictures; /* VtLayer -> VtPainted */
  GPtrArray *layers;    /* VtLayer whose "data" is listened to */
  GSource *cancel_source;
  VtShotProgress progress;
  gpointer progress_user;
  guint turn, n_asked, n_there; /* of pictures: which time they are asked for; how many were, and came */
} Taking;

typedef struct {
  GTask *task;
  VtLayer *layer;
  guint turn;
} Asked;

VT_DEFINE_FREE(taking_free, Taking,
               VT_FREES(g_hash_table_unref, pictures) VT_FREES(g_ptr_array_unref, layers)
                 VT_FREES(g_object_unref, store))

/* Nothing that is under way holds on to a task that has returned. */
static void
stop(GTask *task)
{
  Taking *taking = g_task_get_task_data(task);
  if (taking->cancel_source) {
    g_source_destroy(taking->cancel_source);
    g_clear_pointer(&taking->cancel_source, g_source_unref);
  }
  if (taking->store)
    g_signal_handlers_disconnect_by_data(taking->store, task);
  for (guint i = 0; i < taking->layers->len; i++)
    g_signal_handlers_disconnect_by_data(taking->layers->pdata[i], task);
  g_ptr_array_set_size(taking->layers, 0);
  taking->turn++;
}

static GskRenderNode *
draw(VtCanvas *self, void (*part)(VtCanvas *self, GtkSnapshot *snapshot), const graphene_rect_t *all)
{
  GtkSnapshot *snapshot = gtk_snapshot_new();
  gtk_snapshot_push_clip(snapshot, all);
  part(self, snapshot);
  gtk_snapshot_pop(snapshot);
  return gtk_snapshot_free_to_node(snapshot);
}

static void
record(GTask *task)
{
  Taking *taking = g_task_get_task_data(task);
  VtCanvas *self = taking->canvas;
  if (self->slide != taking->slide || !self->layers) {
    stop(task);
    g_task_return_new_error(task, VT_ERROR, VITRAIL_BAD_ARGUMENT,
                            _("Nothing was saved: the view shows another slide now."));
    g_object_unref(task);
    return;
  }
  const VtCanvasRecording recording = { taking->scale, taking->pictures };
  const VtViewport view = self->view;
  VtTileStore *store = self->store;
  VtShot *shot = g_new0(VtShot, 1);
  self->recording = &recording;
  self->view = taking->view;
  self->store = taking->store;
  const graphene_size_t size = vt_canvas_get_size(self);
  const graphene_rect_t all = GRAPHENE_RECT_INIT(0, 0, size.width, size.height);
  shot->picture = draw(self, vt_canvas_draw_picture, &all);
  shot->overlay = draw(self, vt_canvas_draw_overlay, &all);
  self->recording = NULL;
  self->view = view;
  self->store = store;
  shot->view = taking->view;
  shot->scale = taking->scale;
  shot->n_unread = vt_tile_store_get_n_failed(taking->store);
  stop(task);
  g_task_return_pointer(task, shot, (GDestroyNotify)vt_shot_free);
  g_object_unref(task);
}

/* --- layers --- */

static void ask_pictures(GTask *task);

static void
tell(GTask *task, double part)
{
  const Taking *taking = g_task_get_task_data(task);
  if (taking->progress)
    taking->progress(part, taking->progress_user);
}

static void
on_data(GTask *task)
{
  ask_pictures(task);
}

static void
picture_made(VtPainted *picture, gpointer user)
{
  Asked *asked = user;
  g_autoptr(GTask) task = asked->task;
  g_autoptr(VtLayer) layer = asked->layer;
  g_autoptr(VtPainted) own = picture;
  Taking *taking = g_task_get_task_data(task);
  const gboolean is_wanted = asked->turn == taking->turn;
  g_free(asked);
  if (!is_wanted)
    return;
  if (!picture) {
    ask_pictures(task);
    return;
  }
  g_hash_table_replace(taking->pictures, layer, g_steal_pointer(&own));
  if (++taking->n_there == taking->n_asked)
    record(task);
}

static void
ask_of(GTask *task, GListModel *layers, GPtrArray *wanted)
{
  Taking *taking = g_task_get_task_data(task);
  for (guint i = 0; layers && i < g_list_model_get_n_items(layers); i++) {
    g_autoptr(VtLayer) layer = g_list_model_get_item(layers, i);
    if (!vt_layer_get_stage(layer) || !vt_layer_get_seen(layer) || !vt_layer_has_data(layer))
      continue;
    g_signal_connect_swapped(layer, "data", G_CALLBACK(on_data), task);
    g_ptr_array_add(taking->layers, layer);
    g_ptr_array_add(wanted, g_steal_pointer(&layer));
  }
}

static void
ask_pictures(GTask *task)
{
  Taking *taking = g_task_get_task_data(task);
  g_autoptr(GPtrArray) wanted = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint i = 0; i < taking->layers->len; i++)
    g_signal_handlers_disconnect_by_data(taking->layers->pdata[i], task);
  g_ptr_array_set_size(taking->layers, 0);
  g_hash_table_remove_all(taking->pictures);
  taking->turn++;
  taking->n_there = 0;
  ask_of(task, taking->canvas->layers, wanted);
  if (vt_canvas_get_comparing(taking->canvas)) {
    ask_of(task, taking->canvas->wipe.layers, wanted);
    ask_of(task, taking->canvas->wipe.others, wanted);
  }
  taking->n_asked = wanted->len;
  const double per_screen = taking->scale / gtk_widget_get_scale_factor(GTK_WIDGET(taking->canvas));
  for (guint i = 0; i < wanted->len; i++) {
    Asked *asked = g_new(Asked, 1);
    *asked = (Asked){ g_object_ref(task), g_object_ref(wanted->pdata[i]), taking->turn };
    vt_layer_make_picture(asked->layer, &taking->sheet, per_screen, picture_made, asked);
  }
  if (wanted->len == 0)
    record(task);
}

/* --- tiles --- */

static void
on_tiles(GTask *task)
{
  Taking *taking = g_task_get_task_data(task);
  const int level = vt_tile_store_get_level(taking->store);
  const VtTileRange range = vt_tile_store_get_range(taking->store, &taking->view, level);
  guint n = 0, n_there = 0;
  for (gint64 row = range.first_row; row <= range.last_row; row++)
    for (gint64 col = range.first_col; col <= range.last_col; col++, n++)
      n_there += vt_tile_store_lookup(taking->store, level, col, row) != NULL;
  tell(task, n > 0 ? (double)n_there / n : 1);
  if (!vt_tile_store_get_sharp(taking->store))
    return;
  g_signal_handlers_disconnect_by_data(taking->store, task);
  ask_pictures(task);
}

static gboolean
on_cancelled(GCancellable *cancellable, gpointer task)
{
  stop(task);
  (void)g_task_return_error_if_cancelled(task);
  g_object_unref(task);
  return G_SOURCE_REMOVE;
}

static void
begin(GTask *task)
{
  Taking *taking = g_task_get_task_data(task);
  VtCanvas *self = taking->canvas;
  g_autoptr(VtColour) colour = vt_colour_new(&self->colour, vt_slide_get_colour_table(self->slide));
  g_autoptr(VtLayer) lowest = self->layers ? g_list_model_get_item(self->layers, 0) : NULL;
  if (g_task_get_cancellable(task)) {
    taking->cancel_source = g_cancellable_source_new(g_task_get_cancellable(task));
    g_source_set_callback(taking->cancel_source, G_SOURCE_FUNC(on_cancelled), task, NULL);
    g_source_attach(taking->cancel_source, NULL);
  }
  taking->store = vt_tile_store_new(self->slide);
  if (lowest && !vt_layer_get_seen(lowest) && !self->bare) {
    ask_pictures(task);
    return;
  }
  g_signal_connect_swapped(taking->store, "changed", G_CALLBACK(on_tiles), task);
  vt_tile_store_set_colour(taking->store, colour);
  vt_tile_store_set_view(taking->store, &taking->view);
  if (vt_tile_store_get_sharp(taking->store))
    on_tiles(task);
}

void
vt_canvas_take_shot_async(VtCanvas *self, const VtViewport *view, double scale, VtShotProgress progress,
                          gpointer progress_user, GCancellable *cancellable, GAsyncReadyCallback callback,
                          gpointer user)
{
  GTask *task = g_task_new(self, cancellable, callback, user);
  Taking *taking = g_new0(Taking, 1);
  taking->canvas = self; /* which the task holds */
  taking->slide = self->slide;
  taking->view = *view;
  vt_viewport_get_sheet(view, &taking->sheet);
  taking->scale = scale;
  taking->progress = progress;
  taking->progress_user = progress_user;
  taking->pictures = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)vt_painted_unref);
  taking->layers = g_ptr_array_new();
  g_task_set_task_data(task, taking, taking_free);
  if (!self->slide || view->width_px < 1 || view->height_px < 1) {
    g_task_return_new_error(task, VT_ERROR, VITRAIL_BAD_ARGUMENT, _("There is no slide in the view."));
    g_object_unref(task);
  } else if (MAX(view->width_px, view->height_px) > VT_SHOT_MOST_PX
             || view->width_px * view->height_px > VT_SHOT_MOST_PIXELS) {
    g_task_return_new_error(
      task, VT_ERROR, VITRAIL_BAD_ARGUMENT,
      _("A picture of %.0f × %.0f pixels is too large: choose a lower resolution, or a smaller window. At most %d "
        "million pixels are drawn at once."),
      view->width_px, view->height_px, VT_SHOT_MOST_PIXELS / 1000000);
    g_object_unref(task);
  } else {
    begin(task);
  }
}

VtShot *
vt_canvas_take_shot_finish(VtCanvas *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}

VtViewport
vt_canvas_enlarge_view(VtCanvas *self, double factor, double *scale)
{
  VtViewport view = self->view;
  view.downsample /= factor;
  view.width_px = round(view.width_px * factor);
  view.height_px = round(view.height_px * factor);
  *scale = gtk_widget_get_scale_factor(GTK_WIDGET(self)) * factor;
  return view;
}
