/* SPDX-License-Identifier: MIT
 *
 * Recipes as texts: read, checked, added to a session and run on a small image. Whatever a file says, it is refused with a
 * sentence that has a line, or it runs, or its run is refused. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mini-host.h"
#include "plugins/vt-recipe.h"

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const char small[] = "{\"vitrail-recipe\":1,\"id\":\"r\",\"inputs\":[{\"id\":\"image\",\"primary\":true}],"
                              "\"params\":[{\"key\":\"pixel-size\","
                              "\"type\":\"float\",\"min\":1,\"max\":9,\"default\":1}],\"nodes\":[{\"id\":\"p\","
                              "\"step\":\"read\",\"inputs\":[\"image\"]},{"
                              "\"id\":\"c\",\"step\":\"channel\",\"inputs\":[\"p\"],\"settings\":{\"channel\":\"'red'"
                              "\"}},{\"id\":\"m\",\"step\":\"above\","
                              "\"inputs\":[\"c\"],\"settings\":{\"threshold\":\"2 * 30 + "
                              "um-per-px\"},\"stage\":\"m\",\"facts\":{\"n\":\"count(m)\"}}],"
                              "\"stages\":[{\"id\":\"m\",\"kind\":\"mask\"}]}";
  static const char calling[] =
    "{\"vitrail-recipe\":1,\"id\":\"r\",\"inputs\":[{\"id\":\"image\",\"primary\":true}],"
    "\"params\":[{\"key\":\"pixel-size\","
    "\"type\":\"float\",\"min\":1,\"max\":9,\"default\":1}],\"nodes\":[{\"id\":\"a\","
    "\"recipe\":\"morphology\",\"inputs\":[\"image\"],\"settings\":{\"channel\":\"'red'\","
    "\"radius\":\"2 * pixel-size\",\"operation\":\"'top-hat'\"}},{\"id\":\"m\",\"step\":\"above\","
    "\"inputs\":[\"a.result\"],\"settings\":{\"threshold\":\"0.1 / scale(a.result)\"},"
    "\"stage\":\"m\"}],\"stages\":[{\"id\":\"m\",\"kind\":\"mask\"}]}";
  const VitrailPlugin *plugin = mini_plugin();
  if (index < 2) {
    const char *text = index == 0 ? small : calling;
    memcpy(data, text, strlen(text));
    return strlen(text);
  }
  if (index - 2 >= plugin->n_recipes)
    return 0;
  g_autoptr(JsonNode) root = vt_recipe_to_json(plugin->recipes[index - 2], "mine", NULL);
  g_autofree char *text = json_to_string(root, TRUE);
  const size_t size = MIN(strlen(text), VT_FUZZ_MAX_SIZE);
  memcpy(data, text, size);
  return size;
}

static void
run_on(const VitrailOp *op, VitrailSession *session, VtType type)
{
  VtImage image = mini_image_new(type, 40, 30);
  VitrailInput inputs[8];
  const VitrailInput *list[8];
  MiniHost mini = { .images = { &image, &image, &image, &image }, .n_threads = 2, .cancel_after = -1 };
  MiniResult result;
  VitrailRequest request = {
    .size = sizeof request, .op_id = op->id, .backend = "cpu", .width_l0 = 40, .height_l0 = 30, .inputs = list
  };
  for (uint32_t i = 0; i < op->n_inputs && i < 4; i++) {
    inputs[i] = (VitrailInput){ .size = sizeof *inputs,
                                .handle = i,
                                .id = op->inputs[i]->id,
                                .type = type,
                                .width_l0 = 40,
                                .height_l0 = 30,
                                .mpp_x = 0.5,
                                .mpp_y = 0.5 };
    list[request.n_inputs++] = &inputs[i];
  }
  const VitrailStatus status = mini_run(&mini, session, &request, &result);
  vt_fuzz_check((status == VITRAIL_OK) == (result.message[0] == '\0'), "a failure without a sentence, or one without",
                op->id);
  mini_result_clear(&result);
  free(image.data);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const VitrailPlugin *plugin = mini_plugin();
  const VitrailOp *op = NULL;
  VitrailSession *session = NULL;
  VitrailRecipeProblem problem = { .size = sizeof problem };
  g_autoptr(GError) error = NULL;
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK);
  g_autofree char *text = g_strndup((const char *)data, size);
  if (!g_utf8_validate(text, -1, NULL))
    return 0;
  g_autoptr(VtRecipe) recipe = vt_recipe_parse(text, "fuzz", plugin, &error);
  vt_fuzz_check((recipe != NULL) == (error == NULL), "neither read nor an error, or both", text);
  vt_fuzz_check(!error || strstr(error->message, "line "), "no line", error ? error->message : "");
  if (!recipe)
    return 0;
  const VitrailStatus status = plugin->recipe_check(vt_recipe_get(recipe), &problem);
  vt_fuzz_check((status == VITRAIL_OK) == (problem.sentence[0] == '\0'), "checked without a sentence, or with one",
                text);
  vt_fuzz_check(plugin->session_open(&session) == VITRAIL_OK, "session", NULL);
  if (plugin->session_add_recipe(session, vt_recipe_get(recipe), &op, &problem) == VITRAIL_OK) {
    vt_fuzz_check(status == VITRAIL_OK, "added, though it is wrong", text);
    run_on(op, session, VITRAIL_RGBA8);
    run_on(op, session, VITRAIL_U16);
  }
  plugin->session_close(session);
  return 0;
}
