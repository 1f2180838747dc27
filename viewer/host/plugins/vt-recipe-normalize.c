/* SPDX-License-Identifier: MIT */
#include "plugins/vt-recipe-normalize.h"

#include <glib/gi18n.h>

#include "base/vt-json.h"

#define STEP "normalize"

/* The plugin's own recipe with that step. NULL: there is none. */
static VtRecipeDraft *
find_own(const VtRecipeDraft *d)
{
  for (guint i = 0; i < d->plugin->n_recipes; i++) {
    g_autoptr(VtRecipeDraft) own = vt_recipe_draft_new(d->plugin->recipes[i], d->plugin, NULL, NULL);
    if (vt_draft_find(own->nodes, "step", STEP) >= 0)
      return g_steal_pointer(&own);
  }
  return NULL;
}

static gboolean
is_channel(JsonObject *node)
{
  return g_str_equal(vt_draft_text(node, "step"), "channel");
}

static gboolean
takes(JsonObject *node, const char *id)
{
  JsonArray *inputs = vt_json_get_array(node, "inputs");
  /* The inputs of a node that reads are those of the recipe. */
  return inputs && vt_draft_has_text(inputs, id) && !g_str_equal(vt_draft_text(node, "step"), "read");
}

/* The id of what all channels are taken of. NULL and a sentence: another step takes it, too, or there is no channel. Borrowed. */
static const char *
find_read(const VtRecipeDraft *d, GError **error)
{
  const int place = vt_draft_find(d->nodes, "step", "read");
  const char *read = place >= 0 ? vt_draft_text(d->nodes->pdata[place], "id") : NULL;
  guint n_channels = 0;
  for (guint i = 0; read && i < d->nodes->len; i++) {
    JsonObject *node = d->nodes->pdata[i];
    const VitrailStep *step = vt_draft_find_step(d->plugin, vt_draft_text(node, "step"));
    if (!takes(node, read))
      continue;
    n_channels++;
    if (!is_channel(node)) {
      vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("“%s” reads the image by itself, as it is."),
                   step ? g_dgettext(NULL, step->title) : "");
      return NULL;
    }
  }
  if (n_channels == 0)
    vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("It takes no channel of the image: there are no stains to normalise."));
  return n_channels > 0 ? read : NULL;
}

static void
copy_missing_params(VtRecipeDraft *d, const VtRecipeDraft *own)
{
  for (guint i = 0; i < own->params->len; i++)
    if (vt_draft_find(d->params, "key", vt_draft_text(own->params->pdata[i], "key")) < 0)
      g_ptr_array_add(d->params, json_object_ref(own->params->pdata[i]));
}

gboolean
vt_recipe_normalize(VtRecipeDraft *d, GError **error)
{
  g_autoptr(VtRecipeDraft) own = find_own(d);
  if (!own)
    return vt_error_set(error, VITRAIL_UNSUPPORTED, _("There is no step “%s”."), STEP);
  if (vt_draft_find(d->nodes, "step", STEP) >= 0)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("Its stains are normalised already."));
  if (vt_draft_find(d->params, "key", "dab") >= 0)
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("DAB is measured: it is not normalised."));
  g_autofree char *read = g_strdup(find_read(d, error));
  JsonObject *node = own->nodes->pdata[vt_draft_find(own->nodes, "step", STEP)];
  const char *id = vt_draft_text(node, "id");
  const int stage = vt_draft_find(own->stages, "id", vt_draft_text(node, "stage"));
  if (!read)
    return FALSE;
  if (vt_draft_has_id(d, id))
    return vt_error_set(error, VITRAIL_BAD_ARGUMENT, _("There is a step “%s” already."), id);
  for (guint i = 0; i < d->nodes->len; i++)
    vt_draft_rename(d->nodes->pdata[i], read, id);
  vt_draft_rename(node, vt_draft_text(own->nodes->pdata[vt_draft_find(own->nodes, "step", "read")], "id"), read);
  g_ptr_array_insert(d->nodes, (int)vt_draft_find_end(d, read), json_object_ref(node));
  g_ptr_array_insert(d->stages, 0, json_object_ref(own->stages->pdata[stage]));
  copy_missing_params(d, own);
  return TRUE;
}
