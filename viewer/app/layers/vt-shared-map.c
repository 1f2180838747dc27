/* SPDX-License-Identifier: MIT */
#include "layers/vt-shared-map.h"

#include "base/vt-define.h"
#include "common/vt-test-log.h"

typedef struct {
  const VitrailStage *stage; /* resident */
  VtColoring coloring;
  const char *measure; /* interned; or NULL */
} Map;

static GPtrArray *followers; /* VtLayer, borrowed: of all views */
static GArray *maps;         /* Map: of the stages that have one */
static gboolean is_spreading;

static Map *
find_map(VtLayer *layer)
{
  VT_EACH_IN (Map, map, maps)
    if (map->stage == vt_layer_get_stage(layer))
      return map;
  return NULL;
}

static gboolean
has_map(VtLayer *layer, const Map *map)
{
  const VtColoring *own = vt_layer_get_coloring(layer);
  return own->map == map->coloring.map && own->min == map->coloring.min && own->max == map->coloring.max
         && own->shown_min == map->coloring.shown_min && own->shown_max == map->coloring.shown_max
         && g_strcmp0(vt_layer_get_measure(layer), map->measure) == 0 && vt_layer_has_own_range(layer);
}

static void
take_map(VtLayer *layer, const Map *map)
{
  if (has_map(layer, map))
    return;
  if (vt_layer_get_kind(layer) == VT_LAYER_OBJECTS)
    vt_layer_set_measure(layer, map->measure);
  g_object_set(layer, "colormap", map->coloring.map, NULL);
  vt_layer_set_range(layer, map->coloring.min, map->coloring.max);
  vt_layer_set_threshold(layer, map->coloring.shown_min, map->coloring.shown_max);
}

static void
spread(const VitrailStage *stage, const Map *map)
{
  is_spreading = TRUE;
  for (guint i = 0; i < followers->len; i++)
    if (vt_layer_get_stage(followers->pdata[i]) == stage)
      take_map(followers->pdata[i], map);
  is_spreading = FALSE;
}

/* Until a range is known, after another measurement is chosen, the others stay as they are. */
static void
on_data(VtLayer *layer)
{
  Map *map = find_map(layer);
  const VtColoring *own = vt_layer_get_coloring(layer);
  if (is_spreading || !map || has_map(layer, map) || (vt_layer_has_range(layer) && !(own->max > own->min)))
    return;
  map->coloring = *own;
  map->measure = vt_layer_get_measure(layer);
  const Map changed = *map;
  vt_test_log("shared-map %s %.9g %.9g", map->stage->id, map->coloring.min, map->coloring.max);
  spread(changed.stage, &changed);
}

static void
on_gone(gpointer none, GObject *layer)
{
  g_ptr_array_remove(followers, layer);
}

void
vt_shared_map_follow(VtLayer *layer)
{
  if (!vt_layer_get_stage(layer))
    return;
  if (!followers) {
    followers = g_ptr_array_new();
    maps = g_array_new(FALSE, FALSE, sizeof(Map));
  }
  g_ptr_array_add(followers, layer);
  g_object_weak_ref(G_OBJECT(layer), on_gone, NULL);
  g_signal_connect(layer, "data", G_CALLBACK(on_data), NULL);
  const Map *map = find_map(layer);
  if (map) {
    const Map taken = *map;
    is_spreading = TRUE;
    take_map(layer, &taken);
    is_spreading = FALSE;
  }
}

static void
tell_all(const VitrailStage *stage)
{
  for (guint i = 0; i < followers->len; i++)
    if (vt_layer_get_stage(followers->pdata[i]) == stage) {
      g_signal_emit_by_name(followers->pdata[i], "data");
      g_signal_emit_by_name(followers->pdata[i], "redraw");
    }
}

void
vt_shared_map_set(VtLayer *layer, gboolean is_shared)
{
  const VitrailStage *stage = vt_layer_get_stage(layer);
  if (!followers || is_shared == vt_shared_map_get(layer))
    return;
  vt_test_log("map-shared %s %d", stage->id, is_shared);
  if (is_shared) {
    const Map map = { stage, *vt_layer_get_coloring(layer), vt_layer_get_measure(layer) };
    g_array_append_val(maps, map);
    spread(stage, &map);
  } else {
    g_array_remove_index(maps, (guint)(find_map(layer) - (Map *)(gpointer)maps->data));
  }
  tell_all(stage);
}

gboolean
vt_shared_map_get(VtLayer *layer)
{
  return maps && find_map(layer) != NULL;
}

guint
vt_shared_map_count(VtLayer *layer)
{
  guint n = 0;
  for (guint i = 0; vt_shared_map_get(layer) && i < followers->len; i++)
    n += vt_layer_get_stage(followers->pdata[i]) == vt_layer_get_stage(layer);
  return n;
}
