/* SPDX-License-Identifier: MIT
 *
 * Model files: refused with a sentence that has a line, or read, and then written to a text that reads to itself. */
#include <string.h>

#include "fuzz.h"
#include "run/vt-model.h"

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const guint8 red[3] = { 255, 0, 0 };
  const double values[] = { 1.5, -2e3 };
  const char *const names[] = { g_intern_static_string("Nucleus: Area µm^2"), g_intern_static_string("Score") };
  if (index > 0)
    return 0;
  g_autoptr(VtModel) model = vt_model_new("nuclei");
  vt_model_add_class(model, "Tumour", red, FALSE);
  vt_model_add_class(model, "None", red, TRUE);
  for (gint i = 0; i < 4; i++) {
    const VtObject object = {
      .centroid_x_l0 = i, .n_measurements = 2, .measurements = values, .measurement_names = names
    };
    vt_model_teach(model, "a.svs", &object, i % 2, NULL);
  }
  g_autofree char *text = vt_model_to_text(model);
  memcpy(data, text, strlen(text));
  return strlen(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(GError) error = NULL;
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK);
  g_autofree char *text = g_strndup((const char *)data, size);
  if (!g_utf8_validate(text, -1, NULL))
    return 0;
  g_autoptr(VtModel) model = vt_model_parse(text, "fuzz", &error);
  vt_fuzz_check((model != NULL) == (error == NULL), "neither read nor an error, or both", text);
  vt_fuzz_check(!error || strstr(error->message, "line "), "no line", error ? error->message : "");
  if (!model)
    return 0;
  g_autofree char *once = vt_model_to_text(model);
  g_autoptr(VtModel) again = vt_model_parse(once, "again", &error);
  vt_fuzz_check(again != NULL, "what was written cannot be read", once);
  g_autofree char *twice = vt_model_to_text(again);
  vt_fuzz_check(strcmp(once, twice) == 0, "written twice, and not the same", once);
  return 0;
}
