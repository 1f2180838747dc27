/* SPDX-License-Identifier: MIT */
#include "plugins/vt-recipe-inputs.h"

#include <glib/gi18n.h>
#include <string.h>

#define TR(text) text /* of the recipe: to be translated by whoever shows it */

static const struct {
  const char *id, *title;
  gboolean is_density; /* 16 bits, in OD; else 8 bits */
} channels[] = {
  { "hematoxylin", TR("Hematoxylin OD"), TRUE },
  { "eosin", TR("Eosin OD"), TRUE },
  { "dab", TR("DAB OD"), TRUE },
  { "od-sum", TR("Optical density sum"), TRUE },
  { "luminance", TR("Luminance"), FALSE },
  { "brightness", TR("Brightness"), FALSE },
  { "red", TR("Red"), FALSE },
  { "green", TR("Green"), FALSE },
  { "blue", TR("Blue"), FALSE },
};

void
vt_recipe_source_clear(VtRecipeSource *source)
{
  g_clear_pointer(&source->id, g_free);
  g_clear_pointer(&source->like, json_object_unref);
}

/* --- channels --- */

static int
find_channel(const char *name)
{
  const char *id = g_str_has_prefix(name, VT_RECIPE_CHANNEL) ? name + strlen(VT_RECIPE_CHANNEL) : NULL;
  for (guint i = 0; id && i < G_N_ELEMENTS(channels); i++)
    if (g_str_equal(channels[i].id, id))
      return (int)i;
  return -1;
}

static JsonObject *
new_look(gboolean is_density)
{
  JsonObject *look = json_object_new();
  JsonArray *range = json_array_new();
  json_array_add_double_element(range, 0);
  json_array_add_double_element(range, is_density ? 1.5 : 255);
  json_object_set_string_member(look, "kind", "scalar");
  json_object_set_string_member(look, "unit", is_density ? "OD" : "");
  json_object_set_string_member(look, "colormap", is_density ? "magma" : "gray");
  json_object_set_array_member(look, "range", range);
  return look;
}

/* Right after the image, so that all that may come first can take it. */
static gboolean
find_channel_source(VtRecipeDraft *d, guint channel, VtRecipeSource *source, GError **error)
{
  const int read = vt_draft_find(d->nodes, "step", "read");
  source->id = g_strconcat("channel-", channels[channel].id, NULL);
  source->type = channels[channel].is_density ? VITRAIL_U16 : VITRAIL_U8;
  source->like = new_look(channels[channel].is_density);
  const int there = vt_draft_find(d->nodes, "id", source->id);
  if (there >= 0 && g_strcmp0(vt_draft_text(d->nodes->pdata[there], "step"), "channel") == 0)
    return TRUE;
  if (there >= 0)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("There is a step “%s” already."), source->id);
  if (read < 0)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("The recipe reads no image of which there are channels."));
  g_autofree char *word = g_strdup_printf("'%s'", channels[channel].id);
  const char *image = vt_draft_text(d->nodes->pdata[read], "id");
  const VtDraftNode node = { source->id, "channel", NULL, image, "channel", word, NULL };
  g_ptr_array_insert(d->nodes, read + 1, vt_draft_new_node(&node));
  return TRUE;
}

/* --- stages --- */

static gboolean
find_stage_source(const VtRecipeDraft *d, const char *stage, const char *name, VtRecipeSource *source, GError **error)
{
  const int place = vt_draft_find(d->stages, "id", name);
  if (place < 0)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("There is no stage “%s”."), name);
  if (place > vt_draft_find(d->stages, "id", stage))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("“%s” is made later."), vt_draft_get_shown_title(d, name));
  const char *id = vt_draft_get_stage_id(d, name);
  if (!id)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("No step takes “%s”: it is not made by one step."),
                        vt_draft_get_shown_title(d, name));
  source->id = g_strdup(id);
  source->type = vt_draft_type(d, id);
  source->like = json_object_ref(d->stages->pdata[place]);
  return TRUE;
}

static gboolean
find_source(VtRecipeDraft *d, const char *stage, const char *name, VtRecipeSource *source, GError **error)
{
  const int channel = find_channel(name);
  return channel >= 0 ? find_channel_source(d, (guint)channel, source, error)
                      : find_stage_source(d, stage, name, source, error);
}

static gboolean
takes(const VitrailStepInput *input, int type, int first)
{
  if (input->takes & VITRAIL_TAKES_LIKE_FIRST && type == first && type != VT_DRAFT_UNKNOWN)
    return TRUE;
  return type == VITRAIL_MAKES_LABELS ? (input->takes & VITRAIL_TAKES_LABELS) != 0
         : type >= 0                  ? (input->takes >> type & 1) != 0
                                      : FALSE;
}

/* The nearest stage before the place that fits, else the stage itself. NULL: none does. */
static const char *
find_nearest(const VtRecipeDraft *d, const char *stage, const VitrailStepInput *input, int first)
{
  const int place = vt_draft_find(d->stages, "id", stage);
  for (int i = place - 1; i >= -1; i--) {
    const char *name = vt_draft_text(d->stages->pdata[i >= 0 ? i : place], "id"), *id = vt_draft_get_stage_id(d, name);
    if (id && takes(input, vt_draft_type(d, id), first))
      return name;
  }
  return NULL;
}

/* --- all inputs --- */

/* first NULL: this is the first. */
static gboolean
find_input(VtRecipeDraft *d, const char *stage, const VitrailStepInput *input, const char *chosen,
           const VtRecipeSource *first, VtRecipeSource *source, GError **error)
{
  const char *name = *chosen ? chosen : first ? find_nearest(d, stage, input, first->type) : stage;
  if (!name)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("No stage before it fits its input “%s”."),
                        g_dgettext(NULL, input->title));
  if (!find_source(d, stage, name, source, error))
    return FALSE;
  if (takes(input, source->type, first ? first->type : VT_DRAFT_UNKNOWN))
    return TRUE;
  return first
           ? vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("Its input “%s” does not take %s."),
                          g_dgettext(NULL, input->title), vt_draft_type_words(source->type))
           : vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("It does not take %s."), vt_draft_type_words(source->type));
}

JsonArray *
vt_recipe_find_inputs(VtRecipeDraft *draft, const char *stage, const VitrailStep *step, char **chosen,
                      VtRecipeSource *first, GError **error)
{
  g_autoptr(JsonArray) inputs = json_array_new();
  const guint n_chosen = g_strv_length(chosen);
  if (step->n_inputs == 0 || n_chosen > step->n_inputs)
    return vt_error_set_null(error, VITRAIL_BAD_ARGUMENT, _("It does not take so many inputs."));
  for (guint k = 0; k < step->n_inputs; k++) {
    const char *name = k < n_chosen ? chosen[k] : "";
    VtRecipeSource other = { 0 };
    if (k > 0 && !*name && (step->inputs[k]->flags & VITRAIL_INPUT_OPTIONAL))
      break;
    const gboolean fine =
      find_input(draft, stage, step->inputs[k], name, k > 0 ? first : NULL, k > 0 ? &other : first, error);
    if (fine)
      json_array_add_string_element(inputs, k > 0 ? other.id : first->id);
    vt_recipe_source_clear(&other);
    if (!fine)
      return NULL;
  }
  return g_steal_pointer(&inputs);
}

GPtrArray *
vt_recipe_list_sources(const VtRecipeDraft *draft, const char *stage)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  for (int i = vt_draft_find(draft->stages, "id", stage); i >= 0; i--)
    g_ptr_array_add(names, g_strdup(vt_draft_text(draft->stages->pdata[i], "id")));
  for (guint i = 0; vt_draft_find_step(draft->plugin, "channel") && i < G_N_ELEMENTS(channels); i++)
    g_ptr_array_add(names, g_strconcat(VT_RECIPE_CHANNEL, channels[i].id, NULL));
  return names;
}

char *
vt_recipe_dup_source_title(const VtRecipeDraft *draft, const char *name)
{
  const int channel = find_channel(name);
  return channel >= 0 ? g_strdup_printf(_("Channel: %s"), g_dgettext(NULL, channels[channel].title))
                      : g_strdup(vt_draft_get_shown_title(draft, name));
}
