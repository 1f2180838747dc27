/* SPDX-License-Identifier: MIT */
#include "plugins/vt-recipe-trail.h"

#include <glib/gi18n.h>

#include "base/vt-define.h"
#include "base/vt-json.h"
#include "plugins/vt-recipe-draft.h"

#define SUFFIX "-steps"

enum { MOST_NODES = 64 }; /* of a recipe; as many stages do then, since nodes that read have none */

char *
vt_recipe_dup_step_title(const char *node)
{
  char *title = g_strdelimit(g_strdup(node), "-", ' ');
  title[0] = g_ascii_toupper(title[0]);
  return title;
}

static gboolean
has_step(JsonObject *node, const char *const *steps)
{
  return g_strv_contains(steps, vt_draft_text(node, "step"));
}

static int
get_made(const VtRecipeDraft *d, JsonObject *node)
{
  const VitrailStep *step = vt_draft_find_step(d->plugin, vt_draft_text(node, "step"));
  return step ? step->makes : VITRAIL_MAKES_NOTHING;
}

static const char *
get_first_input(JsonObject *node)
{
  JsonArray *inputs = vt_json_get_array(node, "inputs");
  return inputs && json_array_get_length(inputs) > 0 ? json_array_get_string_element(inputs, 0) : NULL;
}

/* --- units --- */

/* A stage's, or that of the first input, as far as steps keep it. To two members of a stage; none: not known. */
static void
set_unit(const VtRecipeDraft *d, JsonObject *stage, const char *id, guint depth)
{
  static const char *const keeping[] = { "subtract",  "shift-down",  "select", "complement", "lower",
                                         "float",     "widen",       "erode",  "smooth",     "border",
                                         "brightest", "reconstruct", NULL };
  static const char *const lengths[] = { "distance", "length", NULL }, *const stains[] = { "'od-sum'", "'hematoxylin'",
                                                                                           "'eosin'", "'dab'", NULL };
  for (guint i = 0; i < d->nodes->len && depth <= d->nodes->len; i++) {
    JsonObject *node = d->nodes->pdata[i];
    if (!g_str_equal(vt_draft_text(node, "id"), id))
      continue;
    const char *shown = vt_draft_text(node, "stage");
    const int at = shown ? vt_draft_find(d->stages, "id", shown) : -1;
    const char *unit = at >= 0 ? vt_draft_text(d->stages->pdata[at], "unit") : NULL;
    const char *unit_px = at >= 0 ? vt_draft_text(d->stages->pdata[at], "unit-uncalibrated") : NULL;
    const char *channel = vt_json_get_string(vt_json_get_object(node, "settings"), "channel");
    if (!unit && has_step(node, lengths)) {
      unit = "µm";
      unit_px = "px";
    } else if (!unit && channel && g_strv_contains(stains, channel)) {
      unit = "OD";
    }
    if (unit)
      json_object_set_string_member(stage, "unit", unit);
    if (unit_px)
      json_object_set_string_member(stage, "unit-uncalibrated", unit_px);
    if (!unit && at < 0 && has_step(node, keeping) && get_first_input(node))
      set_unit(d, stage, get_first_input(node), depth + 1);
    return;
  }
}

/* --- kinds --- */

/* All nodes of the id make masks. */
static gboolean
is_mask(const VtRecipeDraft *d, const char *id, guint depth)
{
  gboolean is_made = FALSE;
  VT_EACH_OF (JsonObject, node, d->nodes) {
    if (!g_str_equal(vt_draft_text(node, "id"), id))
      continue;
    const int made = get_made(d, node);
    const char *input = get_first_input(node);
    if (made != VITRAIL_U8
        && (made != VITRAIL_MAKES_LIKE_FIRST || depth > d->nodes->len || !input || !is_mask(d, input, depth + 1)))
      return FALSE;
    is_made = TRUE;
  }
  return is_made;
}

/* NULL: no stage can show it. Squares and numbers of nearest pixels have 64 bits; the step that makes them shorter tells them. */
static const char *
get_kind(const VtRecipeDraft *d, JsonObject *node)
{
  static const char *const numbered[] = { "objects", "number", "labels", NULL };
  JsonObject *settings = vt_json_get_object(node, "settings");
  const char *output = settings ? vt_draft_text(settings, "output") : NULL;
  const int made = get_made(d, node);
  if (g_str_equal(vt_draft_text(node, "step"), "read") || made == VITRAIL_MAKES_NOTHING || made == VITRAIL_MAKES_ROWS
      || (output && !g_str_equal(output, "0")))
    return NULL;
  if (made == VITRAIL_MAKES_LABELS)
    return has_step(node, numbered) ? "labels" : NULL;
  if (made == VITRAIL_RGBA8)
    return "colour";
  return is_mask(d, vt_draft_text(node, "id"), 0) ? "mask" : "scalar";
}

/* --- stages --- */

/* Takes id. Of the nodes, second outputs and stages nobody has it. */
static char *
make_free(const VtRecipeDraft *d, char *id)
{
  g_autofree char *base = id;
  char *made = g_strdup(base);
  for (guint n = 2; vt_draft_has_id(d, made); n++) {
    g_free(made);
    made = g_strdup_printf("%s-%u", base, n);
  }
  return made;
}

/* Of what `id` makes. */
static void
give_stage(VtRecipeDraft *d, JsonObject *node, const char *stage, const char *id, const char *kind)
{
  g_autofree char *title = vt_recipe_dup_step_title(id);
  JsonObject *made = json_object_new();
  json_object_set_string_member(made, "id", stage);
  json_object_set_string_member(made, "kind", kind);
  json_object_set_string_member(made, "title", title);
  if (g_str_equal(kind, "scalar"))
    set_unit(d, made, id, 0);
  json_object_set_string_member(node, "stage", stage);
  g_ptr_array_add(d->stages, made);
}

/* Under the step's own name, if no stage has it. Nodes of one id and kind share a stage: one of them is there at most. */
static void
show_node(VtRecipeDraft *d, guint i)
{
  JsonObject *node = d->nodes->pdata[i];
  const char *id = vt_draft_text(node, "id"), *kind = get_kind(d, node);
  if (!kind || vt_draft_text(node, "stage"))
    return;
  for (guint k = 0; k < i; k++) {
    JsonObject *other = d->nodes->pdata[k];
    const char *stage = g_str_equal(vt_draft_text(other, "id"), id) ? vt_draft_text(other, "stage") : NULL;
    const int at = stage ? vt_draft_find(d->stages, "id", stage) : -1;
    if (at >= 0 && g_str_equal(vt_draft_text(d->stages->pdata[at], "kind"), kind)) {
      json_object_set_string_member(node, "stage", stage);
      return;
    }
  }
  g_autofree char *stage = g_strdup(id);
  if (vt_draft_find(d->stages, "id", id) >= 0) {
    g_free(stage);
    stage = make_free(d, g_strconcat(id, "-step", NULL));
  }
  give_stage(d, node, stage, id, kind);
}

/* --- steps that are added --- */

/* When one of the nodes of an id is there; NULL: always. Owned. */
static char *
dup_when(const VtRecipeDraft *d, const char *id)
{
  g_autoptr(GString) when = g_string_new(NULL);
  for (guint i = 0; i < d->nodes->len; i++) {
    if (!g_str_equal(vt_draft_text(d->nodes->pdata[i], "id"), id))
      continue;
    const char *own = vt_draft_text(d->nodes->pdata[i], "when");
    if (!own)
      return NULL;
    g_string_append_printf(when, "%s(%s)", when->len > 0 ? " or " : "", own);
  }
  return g_strdup(when->str);
}

typedef struct {
  const char *id, *title;  /* of the node and its stage; what the stage is named after */
  const char *step, *kind; /* of the node; of the stage */
  const char *input, *key, *value;
} Added;

/* After node *i. Takes `when`, which may be NULL. */
static void
add_node(VtRecipeDraft *d, guint *i, const Added *added, char *when)
{
  g_autofree char *taken = when;
  g_autofree char *id = make_free(d, g_strdup(added->id));
  if (d->nodes->len >= MOST_NODES)
    return;
  const VtDraftNode own = { id, added->step, when, added->input, added->key, added->value, NULL };
  JsonObject *node = vt_draft_new_node(&own);
  *i += 1;
  g_ptr_array_insert(d->nodes, (int)*i, node);
  give_stage(d, node, vt_draft_find(d->stages, "id", added->title) < 0 ? added->title : id, added->title, added->kind);
}

/* Colours each by itself, if the image has some. */
static void
add_colours(VtRecipeDraft *d, guint *i, const char *id)
{
  static const char *const colours[] = { "red", "green", "blue" };
  for (guint k = 0; k < G_N_ELEMENTS(colours); k++) {
    g_autofree char *name = g_strconcat(id, "-", colours[k], NULL), *channel = g_strdup_printf("'%s'", colours[k]);
    const Added added = { name, name, "channel", "scalar", id, "channel", channel };
    add_node(d, i, &added, g_strdup_printf("type(%s) == 'rgba'", id));
  }
}

/* What was read; node *i reads it. Whether an image that may be left out has colours can't be asked where it is. */
static void
add_read(VtRecipeDraft *d, guint *i, const char *id)
{
  JsonArray *inputs = json_object_get_array_member(d->recipe, "inputs");
  const char *input = get_first_input(d->nodes->pdata[*i]);
  gboolean is_image = FALSE;
  for (guint k = 0; k < json_array_get_length(inputs); k++) {
    JsonObject *one = json_array_get_object_element(inputs, k);
    is_image |= g_strcmp0(vt_draft_text(one, "id"), input) == 0 && g_strcmp0(vt_draft_text(one, "kind"), "image") == 0;
  }
  g_autofree char *when = dup_when(d, id), *name = g_strconcat(id, "-value", NULL);
  const Added added = { name, id, "channel", "scalar", id, "channel", "'luminance'" };
  if (is_image && !when)
    add_colours(d, i, id);
  add_node(d, i, &added, is_image && !when ? g_strdup_printf("type(%s) != 'rgba'", id) : g_steal_pointer(&when));
}

static gboolean
is_last(const VtRecipeDraft *d, guint i)
{
  for (guint k = i + 1; k < d->nodes->len; k++)
    if (g_str_equal(vt_draft_text(d->nodes->pdata[k], "id"), vt_draft_text(d->nodes->pdata[i], "id")))
      return FALSE;
  return TRUE;
}

/* After the last node of an id: what shows the pixels that it has read, its labels, its second output. */
static void
add_nodes(VtRecipeDraft *d, guint *i)
{
  JsonObject *node = d->nodes->pdata[*i];
  const char *id = vt_draft_text(node, "id"), *also = vt_draft_text(node, "also");
  if (!is_last(d, *i))
    return;
  if (g_str_equal(vt_draft_text(node, "step"), "read"))
    add_read(d, i, id);
  if (get_made(d, node) == VITRAIL_MAKES_LABELS && !vt_draft_is_shown(d, id)) {
    g_autofree char *name = g_strconcat(id, "-numbered", NULL);
    add_node(d, i, &(Added){ name, id, "number", "labels", id, NULL, NULL }, dup_when(d, id));
  }
  g_autofree char *title = also ? vt_recipe_dup_step_title(also) : NULL;
  if (also && vt_draft_find(d->stages, "title", title) < 0) { /* else a stage has it, and says so */
    g_autofree char *name = g_strconcat(also, "-value", NULL);
    add_node(d, i, &(Added){ name, also, "lower", "scalar", also, "by", "0" }, dup_when(d, id));
  }
}

/* --- all of it --- */

static void
add_once(GPtrArray *list, JsonObject *object)
{
  if (!g_ptr_array_find(list, object, NULL))
    g_ptr_array_add(list, json_object_ref(object));
}

/* As their nodes are; what no node shows, such as what is certain, comes last. */
static void
sort_stages(VtRecipeDraft *d)
{
  GPtrArray *sorted = g_ptr_array_new_with_free_func((GDestroyNotify)json_object_unref);
  for (guint i = 0; i < d->nodes->len; i++) {
    const char *stage = vt_draft_text(d->nodes->pdata[i], "stage");
    if (stage)
      add_once(sorted, d->stages->pdata[vt_draft_find(d->stages, "id", stage)]);
  }
  for (guint i = 0; i < d->stages->len; i++)
    add_once(sorted, d->stages->pdata[i]);
  g_ptr_array_unref(d->stages);
  d->stages = sorted;
}

const VitrailOp *
vt_recipe_open_trail(VtPluginHost *host, const VitrailOp *op, GError **error)
{
  const VitrailPlugin *plugin = NULL;
  const VitrailRecipe *recipe = vt_plugin_host_find_recipe(host, op, &plugin);
  if (!recipe)
    return vt_error_set_null(error, VITRAIL_UNSUPPORTED, _("“%s” is no recipe, and does not tell its steps."),
                             op->title);
  g_autofree char *id = g_strconcat(op->id, SUFFIX, NULL);
  g_autoptr(VtRecipeDraft) d = vt_recipe_draft_new(recipe, plugin, id, op->title);
  for (guint i = 0; i < d->nodes->len; i++)
    show_node(d, i);
  for (guint i = 0; i < d->nodes->len; i++)
    add_nodes(d, &i);
  sort_stages(d);
  g_autofree char *text = vt_recipe_draft_to_text(d);
  return vt_plugin_host_open_draft(host, text, NULL, error);
}
