/* SPDX-License-Identifier: MIT
 *
 * Changes of recipes: what each gives, sentences for what cannot be, and changes at random of every built-in recipe. */
#include <string.h>

#include "host-support.h"
#include "plugins/vt-recipe-edit.h"
#include "plugins/vt-recipe-readers.h"
#include "plugins/vt-recipe-sentences.h"

static const VitrailPlugin *plugin;

static const VitrailRecipe *
built_in(const char *id)
{
  for (guint i = 0; i < plugin->n_recipes; i++)
    if (g_str_equal(plugin->recipes[i]->id, id))
      return plugin->recipes[i];
  g_assert_not_reached();
}
#define NUCLEI built_in("nuclei-threshold")

/* NULL: a sentence, which is put into *sentence. */
static VtRecipe *
edit(const VitrailRecipe *recipe, VtRecipeEdit how, const char *stage, const char *step, char **sentence)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = vt_recipe_edit(recipe, plugin, how, stage, step,
                                         g_str_has_suffix(recipe->id, "-edited") ? NULL : "Nuclei (edited)", &error);
  g_assert_true((text != NULL) == (error == NULL));
  if (!text) {
    g_assert_true(g_str_has_suffix(error->message, "."));
    if (sentence)
      *sentence = g_strdup(error->message);
    return NULL;
  }
  VtRecipe *edited = vt_recipe_parse(text, "edited", plugin, &error);
  VitrailRecipeProblem problem = { .size = sizeof problem };
  g_assert_no_error(error);
  g_assert_cmpint(plugin->recipe_check(vt_recipe_get(edited), &problem), ==, VITRAIL_OK);
  return edited;
}

static VtRecipe *
edit_well(const VitrailRecipe *recipe, VtRecipeEdit how, const char *stage, const char *step)
{
  g_autofree char *sentence = NULL;
  VtRecipe *edited = edit(recipe, how, stage, step, &sentence);
  if (!edited)
    g_error("%s of %s: %s", vt_recipe_edit_get_id(how), stage, sentence);
  return edited;
}

static const VitrailRecipeNode *
find_node(const VitrailRecipe *recipe, const char *id)
{
  for (guint i = 0; i < recipe->n_nodes; i++)
    if (g_str_equal(recipe->nodes[i]->id, id))
      return recipe->nodes[i];
  return NULL;
}

static gboolean
has_param(const VitrailRecipe *recipe, const char *key)
{
  for (guint i = 0; i < recipe->n_params; i++)
    if (g_str_equal(recipe->params[i]->key, key))
      return TRUE;
  return FALSE;
}

static int
place_of(const VitrailRecipe *recipe, const char *stage)
{
  for (guint i = 0; i < recipe->n_stages; i++)
    if (g_str_equal(recipe->stages[i]->id, stage))
      return (int)i;
  return -1;
}

static void
test_bypass(void)
{
  g_autoptr(VtRecipe) off = edit_well(NUCLEI, VT_RECIPE_BYPASS, "filled", NULL);
  const VitrailRecipe *recipe = vt_recipe_get(off);
  const VitrailRecipeNode *node = find_node(recipe, "filled");
  g_assert_cmpstr(recipe->id, ==, "nuclei-threshold-edited");
  g_assert_cmpstr(recipe->title, ==, "Nuclei (edited)");
  g_assert_cmpstr(node->step, ==, "lower");
  g_assert_cmpstr(node->when, ==, "skip-filled");
  g_assert_cmpstr(node->inputs[0], ==, "mask");
  g_assert_true(has_param(recipe, "skip-filled"));
  g_assert_cmpuint(recipe->n_stages, ==, NUCLEI->n_stages);
  /* Once more: as it was. */
  g_autoptr(VtRecipe) on = edit_well(recipe, VT_RECIPE_BYPASS, "filled", NULL);
  g_assert_false(has_param(vt_recipe_get(on), "skip-filled"));
  g_assert_cmpuint(vt_recipe_get(on)->n_nodes, ==, NUCLEI->n_nodes);
  g_assert_cmpstr(find_node(vt_recipe_get(on), "filled")->step, ==, "not");
}

static void
test_remove(void)
{
  g_autoptr(VtRecipe) without = edit_well(NUCLEI, VT_RECIPE_REMOVE, "filled", NULL);
  const VitrailRecipe *recipe = vt_recipe_get(without);
  g_assert_cmpstr(find_node(recipe, "distance")->inputs[0], ==, "mask");
  g_assert_null(find_node(recipe, "filled"));
  g_assert_null(find_node(recipe, "hole-distance"));
  g_assert_false(has_param(recipe, "hole-radius"));
  g_assert_true(has_param(recipe, "pixel-size"));
  g_assert_cmpint(place_of(recipe, "filled"), ==, -1);
  /* What is certain was told of the labels, which stay. */
  g_assert_cmpint(place_of(recipe, "certain"), >=, 0);
  g_assert_null(recipe->stages[place_of(recipe, "certain")]->empty_param);
  g_autoptr(VtRecipe) bare = edit_well(recipe, VT_RECIPE_REMOVE, "objects", NULL);
  g_assert_cmpuint(vt_recipe_get(bare)->n_measurements, ==, 0);
  g_autoptr(VtRecipe) less = edit_well(vt_recipe_get(bare), VT_RECIPE_REMOVE, "labels", NULL);
  g_assert_cmpint(place_of(vt_recipe_get(less), "certain"), ==, -1);
  g_assert_cmpuint(vt_recipe_get(less)->n_certain, ==, 0);
  g_assert_null(find_node(vt_recipe_get(less), "pieces"));
  g_autoptr(VtRecipe) residue = edit_well(NUCLEI, VT_RECIPE_REMOVE, "residue", NULL);
  g_assert_cmpstr(find_node(vt_recipe_get(residue), "smoothed")->inputs[0], ==, "hematoxylin");
}

/* Channels are taken of normalised stains; without that stage the recipe is as it was. */
static void
test_normalize(void)
{
  static const char *const ops[] = { "nuclei-threshold", "nuclei", "morphology" };
  for (gsize i = 0; i < G_N_ELEMENTS(ops); i++) {
    const VitrailRecipe *from = built_in(ops[i]);
    g_autofree char *bypassed = NULL;
    g_autoptr(VtRecipe) edited = edit_well(from, VT_RECIPE_NORMALIZE, from->stages[0]->id, NULL);
    const VitrailRecipe *recipe = vt_recipe_get(edited);
    g_assert_cmpstr(find_node(recipe, "normalized")->inputs[0], ==, "pixels");
    for (guint k = 0; k < recipe->n_nodes; k++)
      if (g_str_equal(recipe->nodes[k]->step, "channel"))
        g_assert_cmpstr(recipe->nodes[k]->inputs[0], ==, "normalized");
    g_assert_cmpint(recipe->stages[0]->kind, ==, VITRAIL_STAGE_COLOUR);
    g_assert_cmpstr(vt_recipe_find_added(from, recipe), ==, "normalized");
    g_assert_true(has_param(recipe, "eosin-strength") && has_param(recipe, "reference-eosin"));
    g_assert_null(edit(recipe, VT_RECIPE_BYPASS, "normalized", NULL, &bypassed));
    g_assert_nonnull(strstr(bypassed, "remove it"));
    g_autoptr(VtRecipe) without = edit_well(recipe, VT_RECIPE_REMOVE, "normalized", NULL);
    const VitrailRecipe *again = vt_recipe_get(without);
    g_assert_cmpuint(again->n_nodes, ==, from->n_nodes);
    g_assert_cmpuint(again->n_stages, ==, from->n_stages);
    g_assert_false(has_param(again, "eosin-strength") || has_param(again, "reference-eosin"));
    for (guint k = 0; k < from->n_nodes; k++)
      g_assert_cmpstr(again->nodes[k]->inputs[0], ==, from->nodes[k]->inputs[0]);
  }
  for (guint i = 0; i < 2; i++) {
    const VitrailRecipe *from = built_in(i ? "glrlm-map" : "normalize");
    g_autofree char *sentence = NULL;
    g_assert_null(edit(from, VT_RECIPE_NORMALIZE, from->stages[0]->id, NULL, &sentence));
    g_assert_nonnull(strstr(sentence, i ? "by itself" : "already"));
  }
}

static void
test_add(void)
{
  g_autoptr(VtRecipe) in_the_way = edit_well(NUCLEI, VT_RECIPE_ADD, "mask", "sized");
  const VitrailRecipe *recipe = vt_recipe_get(in_the_way);
  g_assert_cmpstr(find_node(recipe, "sized")->inputs[0], ==, "mask");
  g_assert_cmpstr(find_node(recipe, "outside")->inputs[0], ==, "sized");
  g_assert_true(has_param(recipe, "sized-min-area") && has_param(recipe, "sized-connectivity"));
  g_assert_cmpint(place_of(recipe, "sized"), ==, place_of(recipe, "mask") + 1);
  g_assert_cmpstr(vt_recipe_find_added(NUCLEI, recipe), ==, "sized");
  g_autoptr(VtRecipe) again = edit_well(recipe, VT_RECIPE_ADD, "sized", "sized");
  g_assert_cmpstr(find_node(vt_recipe_get(again), "outside")->inputs[0], ==, "sized-2");
  /* Of another type: beside. */
  g_autoptr(VtRecipe) beside = edit_well(NUCLEI, VT_RECIPE_ADD, "hematoxylin", "above");
  g_assert_cmpstr(find_node(vt_recipe_get(beside), "above")->inputs[0], ==, "hematoxylin");
  g_assert_cmpstr(find_node(vt_recipe_get(beside), "eroded")->inputs[0], ==, "hematoxylin");
  g_autoptr(VtRecipe) further = edit_well(vt_recipe_get(beside), VT_RECIPE_ADD, "above", "components");
  g_assert_cmpstr(find_node(vt_recipe_get(further), "components")->step, ==, "number");
  g_assert_cmpstr(find_node(vt_recipe_get(further), "components-bare")->inputs[0], ==, "above");
}

static const VtRecipeChoice *
find_choice(GPtrArray *choices, const char *name)
{
  for (guint i = 0; i < choices->len; i++)
    if (g_str_equal(((VtRecipeChoice *)choices->pdata[i])->name, name))
      return choices->pdata[i];
  g_error("nothing of the name %s is offered", name);
}

/* What goes into a step can be chosen: stages before it, and channels; of another type, or later, they are offered with the reason. */
static void
test_inputs(void)
{
  g_autoptr(VtRecipe) other = edit_well(NUCLEI, VT_RECIPE_ADD, "seeds", "and:seeds,mask");
  const VitrailRecipeNode *node = find_node(vt_recipe_get(other), "and");
  g_assert_cmpstr(node->inputs[0], ==, "seeds");
  g_assert_cmpstr(node->inputs[1], ==, "mask");
  g_assert_cmpstr(find_node(vt_recipe_get(other), "numbered")->inputs[0], ==,
                  "and"); /* in the way, as the stage goes in */
  /* A channel of the image, with a node of its own, once; its range and unit are those of the parameter. */
  g_autoptr(VtRecipe) channel = edit_well(NUCLEI, VT_RECIPE_ADD, "mask", "above:@eosin");
  g_autoptr(VtRecipe) twice = edit_well(vt_recipe_get(channel), VT_RECIPE_ADD, "mask", "smooth:@eosin");
  const VitrailRecipe *recipe = vt_recipe_get(twice);
  g_assert_cmpstr(find_node(recipe, "channel-eosin")->settings[0]->value, ==, "'eosin'");
  g_assert_cmpstr(find_node(recipe, "above")->inputs[0], ==, "channel-eosin");
  g_assert_cmpstr(find_node(recipe, "smooth")->inputs[0], ==, "channel-eosin");
  g_assert_cmpstr(find_node(recipe, "outside")->inputs[0], ==, "mask"); /* beside */
  g_assert_cmpstr(recipe->stages[place_of(recipe, "smooth")]->unit, ==, "OD");
  guint n = 0;
  for (guint i = 0; i < recipe->n_nodes; i++)
    n += g_str_equal(recipe->nodes[i]->id, "channel-eosin");
  g_assert_cmpuint(n, ==, 1);
  g_autoptr(VtRecipe) red = edit_well(NUCLEI, VT_RECIPE_ADD, "mask", "widen:@red");
  g_autoptr(VtRecipe) smooth = edit_well(vt_recipe_get(red), VT_RECIPE_ADD, "widen", "smooth");
  g_assert_cmpstr(find_node(vt_recipe_get(smooth), "smooth")->inputs[0], ==, "widen");
  /* A marker of one's own. */
  g_autoptr(VtRecipe) marker = edit_well(NUCLEI, VT_RECIPE_ADD, "filled", "reconstruct:mask,filled");
  g_assert_cmpstr(find_node(vt_recipe_get(marker), "reconstruct")->inputs[0], ==, "mask");
}

static void
test_choices(void)
{
  g_autoptr(GPtrArray) masks = vt_recipe_list_choices(NUCLEI, plugin, "filled", "and:filled", 1);
  g_assert_cmpstr(((VtRecipeChoice *)masks->pdata[0])->name, ==, "filled"); /* the nearest first */
  g_assert_null(find_choice(masks, "mask")->reason);
  g_assert_cmpstr(find_choice(masks, "residue")->reason, ==, "Its input “Mask” does not take 16 bits.");
  g_assert_cmpstr(find_choice(masks, "@eosin")->title, ==, "Channel: Eosin OD");
  g_assert_nonnull(find_choice(masks, "@eosin")->reason);
  /* The recipe has no vector of that stain, which the plugin says. */
  g_autoptr(GPtrArray) images = vt_recipe_list_choices(NUCLEI, plugin, "mask", "smooth", 0);
  g_assert_null(find_choice(images, "@od-sum")->reason);
  g_assert_nonnull(find_choice(images, "@dab")->reason);
  g_assert_cmpstr(find_choice(images, "mask")->reason, ==, "It does not take 8 bits (a mask).");
  g_autofree char *one = vt_recipe_dup_with_input("and", 1, "mask"), *two = vt_recipe_dup_with_input(one, 0, "@red");
  g_assert_cmpstr(one, ==, "and:,mask");
  g_assert_cmpstr(two, ==, "and:@red,mask");
}

static void
test_order(void)
{
  g_autoptr(VtRecipe) with = edit_well(NUCLEI, VT_RECIPE_ADD, "mask", "sized");
  g_autoptr(VtRecipe) later = edit_well(vt_recipe_get(with), VT_RECIPE_LATER, "sized", NULL);
  const VitrailRecipe *recipe = vt_recipe_get(later);
  g_assert_cmpstr(find_node(recipe, "outside")->inputs[0], ==, "mask");
  g_assert_cmpstr(find_node(recipe, "sized")->inputs[0], ==, "filled");
  g_assert_cmpstr(find_node(recipe, "distance")->inputs[0], ==, "sized");
  g_assert_cmpint(place_of(recipe, "sized"), ==, place_of(recipe, "filled") + 1);
  g_autoptr(VtRecipe) dragged = edit_well(vt_recipe_get(with), VT_RECIPE_PLACE, "sized", "filled");
  g_assert_cmpstr(vt_recipe_get_text(dragged), ==, vt_recipe_get_text(later));
  g_autoptr(VtRecipe) back = edit_well(recipe, VT_RECIPE_EARLIER, "sized", NULL);
  g_autoptr(JsonNode) of_back = vt_recipe_to_json(vt_recipe_get(back), NULL, NULL);
  g_autoptr(JsonNode) of_with = vt_recipe_to_json(vt_recipe_get(with), NULL, NULL);
  g_assert_true(json_node_equal(of_back, of_with));
}

static void
test_refused(void)
{
  static const struct {
    VtRecipeEdit edit;
    const char *stage, *step, *words;
  } cases[] = {
    { VT_RECIPE_BYPASS, "distance", NULL, "“Distance” makes floats, and nothing of that kind goes into it." },
    { VT_RECIPE_REMOVE, "labels", NULL, "“Labels” makes labels" },
    { VT_RECIPE_BYPASS, "certain", NULL, "made by steps of different names" },
    { VT_RECIPE_EARLIER, "hematoxylin", NULL, "No stage before “Hematoxylin” goes into it" },
    { VT_RECIPE_LATER, "objects", NULL, "No stage after “Objects” takes it" },
    { VT_RECIPE_EARLIER, "distance", NULL, "“Filled” makes 8 bits" },
    { VT_RECIPE_ADD, "mask", "smooth", "It does not take 8 bits (a mask)." },
    { VT_RECIPE_ADD, "mask", "wonder", "There is no step “wonder”." },
    { VT_RECIPE_ADD, "hematoxylin", "select", "It does not take 16 bits." },
    { VT_RECIPE_ADD, "filled", "and:filled,seeds", "“Seeds” is made later." },
    { VT_RECIPE_ADD, "filled", "not:filled,mask", "It does not take so many inputs." },
    { VT_RECIPE_ADD, "filled", "and:filled,wonder", "There is no stage “wonder”." },
    { VT_RECIPE_ADD, "certain", "not", "it is not made by one step" },
    { VT_RECIPE_PLACE, "filled", "objects", "“Filled” makes 8 bits" },
    { VT_RECIPE_PLACE, "filled", "wonder", "There is no stage “wonder”." },
    { VT_RECIPE_REMOVE, "wonder", NULL, "There is no stage “wonder”." },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *sentence = NULL;
    g_autoptr(VtRecipe) none = edit(NUCLEI, cases[i].edit, cases[i].stage, cases[i].step, &sentence);
    g_assert_null(none);
    if (!strstr(sentence, cases[i].words))
      g_error("%s of %s: %s", vt_recipe_edit_get_id(cases[i].edit), cases[i].stage, sentence);
  }
  g_autofree char *sentence = NULL;
  g_autoptr(VtRecipe) last = edit(built_in("zones"), VT_RECIPE_REMOVE, "certain", NULL, NULL);
  while (last && vt_recipe_get(last)->n_stages > 1) {
    VtRecipe *less = edit_well(vt_recipe_get(last), VT_RECIPE_REMOVE, vt_recipe_get(last)->stages[0]->id, NULL);
    vt_recipe_free(last);
    last = less;
  }
  g_autoptr(VtRecipe) none = edit(last ? vt_recipe_get(last) : built_in("zones"), VT_RECIPE_REMOVE,
                                  last ? vt_recipe_get(last)->stages[0]->id : "wonder", NULL, &sentence);
  g_assert_null(none);
}

/* An op that no list has, found by its id; the values of the op before it stay; saved, they are the defaults. */
static void
test_draft(void)
{
  VtPluginHost *host = vt_plugin_host_get();
  const VitrailOp *nuclei = vt_plugin_host_find_op(host, "nuclei-threshold", NULL);
  const VitrailPlugin *of = NULL;
  g_autoptr(GError) error = NULL;
  g_assert_true(vt_plugin_host_find_recipe(host, nuclei, &of) == NUCLEI && of == plugin);
  g_autofree char *text = vt_recipe_edit(NUCLEI, plugin, VT_RECIPE_BYPASS, "filled", NULL, "Nuclei (edited)", &error);
  const VitrailOp *draft = vt_plugin_host_open_draft(host, text, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(vt_op_is_draft(draft) && !vt_op_is_draft(nuclei));
  g_assert_true(vt_plugin_host_open_draft(host, text, "other", &error) == draft);
  g_assert_true(vt_plugin_host_find_op(host, "nuclei-threshold-edited", &of) == draft && of == plugin);
  g_assert_false(g_ptr_array_find(vt_plugin_host_get_ops(host), draft, NULL));
  g_assert_cmpstr(vt_recipe_get_bypass(draft, "filled")->key, ==, "skip-filled");
  g_assert_null(vt_recipe_get_bypass(draft, "mask"));

  /* Another one of the same id has a number, and the same title. */
  g_autofree char *further = vt_recipe_edit(vt_plugin_host_find_recipe(host, draft, NULL), plugin, VT_RECIPE_REMOVE,
                                            "residue", NULL, NULL, &error);
  const VitrailOp *next = vt_plugin_host_open_draft(host, further, NULL, &error);
  g_assert_cmpstr(next->id, ==, "nuclei-threshold-edited-2");
  g_assert_cmpstr(next->title, ==, "Nuclei (edited)");
  g_assert_null(vt_plugin_host_open_draft(host, "{\"vitrail-recipe\": 1}", NULL, &error));
  g_assert_nonnull(error);

  g_autoptr(VtParams) before = vt_params_new(nuclei, TRUE), after = vt_params_new(draft, TRUE);
  g_assert_true(vt_params_set_from_string(before, "threshold=0.25", NULL));
  vt_params_follow(after, before);
  const int threshold = vt_op_find_param(draft, "threshold"), sigma = vt_op_find_param(draft, "sigma");
  g_assert_cmpfloat(after->values[threshold][0], ==, 0.25);
  g_assert_true(after->is_set[threshold] && !after->is_set[sigma]);
  g_autofree char *saved =
    vt_recipe_dup_text_with(vt_plugin_host_find_recipe(host, draft, NULL), after, "mine", "Mine");
  g_autoptr(VtRecipe) read = vt_recipe_parse(saved, "saved", plugin, NULL);
  g_assert_cmpstr(vt_recipe_get(read)->id, ==, "mine");
  g_assert_cmpfloat(vt_recipe_get(read)->params[threshold]->initial[0], ==, 0.25);
}

/* Each parameter stands at the stage that has to do with it first. */
static void
test_first_stage(void)
{
  static const struct {
    const char *recipe, *param, *stage; /* NULL: of the whole */
  } cases[] = {
    { "nuclei-threshold", "threshold", "mask" },
    { "nuclei-threshold", "sigma", "mask" },
    { "nuclei-threshold", "background-radius", "background" },
    { "nuclei-threshold", "background-by-reconstruction", "background" },
    { "nuclei-threshold", "detection-image", "hematoxylin" },
    { "nuclei-threshold", "eosin", "hematoxylin" },
    { "nuclei-threshold", "white", "hematoxylin" },
    { "nuclei-threshold", "hole-radius", "filled" },
    { "nuclei-threshold", "seed-depth", "seeds" },
    { "nuclei-threshold", "split", "labels" },
    { "nuclei-threshold", "min-area", "labels" },
    { "nuclei-threshold", "cell-expansion", "objects" },
    { "nuclei-threshold", "neighbours", "objects" },
    { "nuclei-threshold", "pixel-size", NULL },
    { "nuclei-threshold", "context", NULL },
    { "morphology", "radius", "result" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    const VitrailRecipe *recipe = built_in(cases[i].recipe);
    const int stage = vt_recipe_find_first_stage(recipe, cases[i].param);
    if (g_strcmp0(stage >= 0 ? recipe->stages[stage]->id : NULL, cases[i].stage) != 0)
      g_error("%s: %s is of %s", cases[i].recipe, cases[i].param, stage >= 0 ? recipe->stages[stage]->id : "the whole");
  }
  /* A parameter of a step that was added is of that stage. */
  g_autoptr(VtRecipe) with = edit_well(NUCLEI, VT_RECIPE_ADD, "mask", "sized");
  const VitrailRecipe *recipe = vt_recipe_get(with);
  g_assert_cmpint(vt_recipe_find_first_stage(recipe, "sized-min-area"), ==, place_of(recipe, "sized"));
}

static char *
dup_sources(const VitrailRecipe *recipe, const char *stage)
{
  const guint64 sources = vt_recipe_find_sources(recipe, stage, NULL);
  g_autoptr(GString) ids = g_string_new(NULL);
  for (guint i = 0; i < recipe->n_stages; i++)
    if (sources >> i & 1)
      g_string_append_printf(ids, "%s%s", ids->len > 0 ? "," : "", recipe->stages[i]->id);
  return g_string_free(g_steal_pointer(&ids), FALSE);
}

/* Up to the nearest stages and not beyond, through steps that no stage shows. */
static void
test_sources(void)
{
  static const char *const cases[][2] = {
    { "hematoxylin", "" },
    { "background", "hematoxylin" },
    { "residue", "hematoxylin,background" },
    { "mask", "hematoxylin,residue" },
    { "distance", "filled" },
    { "seeds", "filled,distance" },
    { "objects", "hematoxylin,labels" },
    { "nothing", "" },
  };
  const VitrailRecipe *recipe = NUCLEI;
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *sources = dup_sources(recipe, cases[i][0]);
    g_assert_cmpstr(sources, ==, cases[i][1]);
  }
}

static char *
dup_steps(const VitrailRecipe *recipe, const char *stage)
{
  guint64 steps = 0;
  vt_recipe_find_sources(recipe, stage, &steps);
  g_autoptr(GString) ids = g_string_new(NULL);
  for (guint i = 0; i < recipe->n_nodes; i++)
    if (steps >> i & 1)
      g_string_append_printf(ids, "%s%s", ids->len > 0 ? "," : "", recipe->nodes[i]->id);
  return g_string_free(g_steal_pointer(&ids), FALSE);
}

static void
test_steps_between(void)
{
  static const char *const cases[][2] = {
    { "distance", "distance" },
    { "mask", "smoothed,mask,bright,inner,outer,band,standing-out,mask" }, /* one of two ways to the mask */
    { "nothing", "" },
  };
  const VitrailRecipe *recipe = NUCLEI;
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *steps = dup_steps(recipe, cases[i][0]);
    g_assert_cmpstr(steps, ==, cases[i][1]);
  }
}

/* No line passes a stage that it does not go into, and no two lines lie upon each other. */
static void
check_lanes(const guint64 *sources, guint n)
{
  guint lanes[64], first[64], last[64];
  const guint n_lanes = vt_recipe_place_lanes(sources, n, lanes);
  g_assert_cmpuint(n_lanes, <=, n);
  for (guint i = 0; i < n; i++) {
    first[i] = last[i] = i;
    for (guint k = 0; k < n; k++) {
      first[i] = (sources[k] >> i & 1) ? MIN(first[i], k) : first[i];
      last[i] = (sources[k] >> i & 1) ? MAX(last[i], k) : last[i];
    }
    g_assert_cmpuint(lanes[i], <, n_lanes);
  }
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < n; k++) {
      const gboolean meet = i != k && lanes[i] == lanes[k] && first[i] <= last[k] && first[k] <= last[i];
      g_assert_true(!meet || (last[i] == k && first[k] == k) || (last[k] == i && first[i] == i));
    }
}

/* As the built-in recipes say it of themselves. */
static void
test_reach(void)
{
  static const char *const nuclei[] = {
    "hematoxylin", "background", "residue", "mask", "distance", "labels", "certain"
  };
  for (guint i = 0; i < G_N_ELEMENTS(nuclei); i++)
    g_assert_cmpint(vt_recipe_find_reach(NUCLEI, nuclei[i]), ==, NUCLEI->stages[place_of(NUCLEI, nuclei[i])]->reach);
  g_assert_cmpint(vt_recipe_find_reach(built_in("nuclei"), "labels"), ==, VITRAIL_REACH_LOCAL);
  g_assert_cmpint(vt_recipe_find_reach(built_in("glrlm-rois"), built_in("glrlm-rois")->stages[0]->id), ==,
                  VITRAIL_REACH_REDUCE);
  /* Left out in a file. */
  const VitrailOp *tissue = vt_plugin_host_find_op(vt_plugin_host_get(), "tissue", NULL);
  g_assert_cmpint(tissue->stages[vt_op_find_stage(tissue, "density")]->reach, ==, VITRAIL_REACH_LOCAL);
  g_assert_cmpint(tissue->stages[vt_op_find_stage(tissue, "tissue")]->reach, ==, VITRAIL_REACH_PROPAGATE);
}

static void
test_lanes(void)
{
  static const struct {
    const char *recipe;
    guint n_lanes, lanes[10];
  } cases[] = {
    { "nuclei-threshold",
      5,
      { 0, 1, 2, 2, 2, 3, 4, 1, 0, 0 } }, /* what is certain is made from nothing here, and alone */
    { "nuclei", 1, { 0, 0, 0, 0 } },
    { "distance", 2, { 0, 1, 1, 0 } }, /* of the result are both its squares and the nearest pixels */
  };
  guint64 sources[64];
  guint lanes[64];
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    const VitrailRecipe *recipe = built_in(cases[i].recipe);
    for (guint k = 0; k < recipe->n_stages; k++)
      sources[k] = vt_recipe_find_sources(recipe, recipe->stages[k]->id, NULL);
    g_assert_cmpuint(vt_recipe_place_lanes(sources, recipe->n_stages, lanes), ==, cases[i].n_lanes);
    for (guint k = 0; k < recipe->n_stages; k++)
      g_assert_cmpuint(lanes[k], ==, cases[i].lanes[k]);
    check_lanes(sources, recipe->n_stages);
  }
  for (guint i = 0; i < 2000; i++) { /* in any order of the declaration */
    const guint n = (guint)g_test_rand_int_range(1, 13);
    for (guint k = 0; k < n; k++)
      sources[k] = (guint64)(g_test_rand_int() & g_test_rand_int()) & (((guint64)1 << n) - 1) & ~((guint64)1 << k);
    check_lanes(sources, n);
  }
  g_assert_cmpuint(vt_recipe_place_lanes(sources, 0, lanes), ==, 0);
}

/* Sentences of the plugin are taken apart at their names and come together again, here in the same language. */
static void
test_sentences(void)
{
  static const char *const sentences[] = {
    "The step \"smooth\" takes what a step read gives, and not \"mask\".",
    "The step \"a\" of nuclei-threshold-edited has no input \"b\".",
    "The step \"a\" of nuclei-threshold-edited has no input \"b\". And more.",
    "The step \"a",
    "Something else.",
    "",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(sentences); i++) {
    g_autofree char *shown = vt_recipe_dup_sentence(sentences[i]);
    g_assert_cmpstr(shown, ==, sentences[i]);
  }
}

/* Ids stand for edits in actions and files of tests. */
static void
test_ids(void)
{
  for (VtRecipeEdit i = 0; i < VT_RECIPE_N_EDITS; i++)
    g_assert_cmpint(vt_recipe_edit_from_id(vt_recipe_edit_get_id(i)), ==, i);
  g_assert_cmpint(vt_recipe_edit_from_id("wonder"), ==, VT_RECIPE_N_EDITS);
  static const char *const origins[][2] = { { "nuclei-threshold", "nuclei-threshold" },
                                            { "nuclei-threshold-edited", "nuclei-threshold" },
                                            { "nuclei-threshold-edited-12", "nuclei-threshold" },
                                            { "nuclei-threshold-edited-mine", "nuclei-threshold-edited-mine" },
                                            { "nuclei-threshold-edited-", "nuclei-threshold-edited-" } };
  for (gsize i = 0; i < G_N_ELEMENTS(origins); i++)
    g_assert_cmpstr(vt_recipe_get_origin(origins[i][0]), ==, origins[i][1]);
}

static void
test_random(gconstpointer number)
{
  const VitrailRecipe *from = plugin->recipes[GPOINTER_TO_UINT(number)];
  g_autoptr(GRand) dice = g_rand_new_with_seed(7 + GPOINTER_TO_UINT(number));
  guint n_edits = 0, n_refused = 0;
  for (guint walk = 0; walk < 6; walk++) {
    g_autoptr(VtRecipe) now = NULL;
    for (guint i = 0; i < 20; i++) {
      const VitrailRecipe *recipe = now ? vt_recipe_get(now) : from;
      const VtRecipeEdit how = (VtRecipeEdit)g_rand_int_range(dice, 0, VT_RECIPE_N_EDITS);
      const char *stage = recipe->stages[g_rand_int_range(dice, 0, (gint32)recipe->n_stages)]->id;
      const char *step = plugin->steps[g_rand_int_range(dice, 0, (gint32)plugin->n_steps)]->id;
      const char *other = recipe->stages[g_rand_int_range(dice, 0, (gint32)recipe->n_stages)]->id;
      VtRecipe *edited = edit(recipe, how, stage, how == VT_RECIPE_PLACE ? other : step, NULL);
      n_edits += edited != NULL;
      n_refused += edited == NULL;
      if (!edited)
        continue;
      g_clear_pointer(&now, vt_recipe_free);
      now = edited;
    }
  }
  g_test_message("%s: %u edits, %u refused", from->id, n_edits, n_refused);
  g_assert_true(n_edits > 0 || g_str_has_prefix(from->id, "glrlm")); /* whose one stage is all of it */
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  GPtrArray *plugins = vt_plugin_host_get_plugins(vt_plugin_host_get());
  g_assert_cmpuint(plugins->len, ==, 1);
  plugin = plugins->pdata[0];
  g_test_add_func("/recipe-edit/bypass", test_bypass);
  g_test_add_func("/recipe-edit/remove", test_remove);
  g_test_add_func("/recipe-edit/normalize", test_normalize);
  g_test_add_func("/recipe-edit/add", test_add);
  g_test_add_func("/recipe-edit/inputs", test_inputs);
  g_test_add_func("/recipe-edit/choices", test_choices);
  g_test_add_func("/recipe-edit/order", test_order);
  g_test_add_func("/recipe-edit/refused", test_refused);
  g_test_add_func("/recipe-edit/draft", test_draft);
  g_test_add_func("/recipe-edit/first-stage", test_first_stage);
  g_test_add_func("/recipe-edit/sources", test_sources);
  g_test_add_func("/recipe-edit/steps-between", test_steps_between);
  g_test_add_func("/recipe-edit/reach", test_reach);
  g_test_add_func("/recipe-edit/lanes", test_lanes);
  g_test_add_func("/recipe-edit/sentences", test_sentences);
  g_test_add_func("/recipe-edit/ids", test_ids);
  for (guint i = 0; i < plugin->n_recipes; i++) {
    g_autofree char *name = g_strconcat("/recipe-edit/random/", plugin->recipes[i]->id, NULL);
    g_test_add_data_func(name, GUINT_TO_POINTER(i), test_random);
  }
  return g_test_run();
}
