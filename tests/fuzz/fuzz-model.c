/* SPDX-License-Identifier: MIT
 *
 * Model files: refused with a sentence that has a line, or read, and then written to a text that reads to itself. */
#include "fuzz-text.h"
#include "run/vt-model.h"

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const guint8 red[3] = { 255, 0, 0 };
  const double values[] = { 1.5, -2e3, 0, 7, 8 };
  const char *const names[] = { g_intern_static_string("Nucleus: Area µm^2"), g_intern_static_string("Score"),
                                g_intern_static_string("C"), g_intern_static_string("D"), g_intern_static_string("E") };
  if (index > 1)
    return 0;
  g_autoptr(VtModel) model =
    index == 0 ? vt_model_new("nuclei-threshold") : vt_model_new_score("nuclei-threshold", "sha256:1");
  if (index == 0) {
    vt_model_add_class(model, "Tumour", red, FALSE);
    vt_model_add_class(model, "None", red, TRUE);
  }
  for (gint i = 0; i < 4; i++) {
    const VtObject object = { .centroid_x_l0 = i,
                              .n_measurements = index == 0 ? 2 : G_N_ELEMENTS(values),
                              .measurements = values,
                              .measurement_names = names };
    vt_model_teach(model, "a.svs", &object, i % 2, NULL);
  }
  g_autofree char *text = vt_model_to_text(model);
  memcpy(data, text, strlen(text));
  return strlen(text);
}

static char *
rewrite(const char *text, GError **error)
{
  g_autoptr(VtModel) model = vt_model_parse(text, "fuzz", error);
  g_autoptr(VtTaught) taught = model && model->score ? vt_model_new_taught(model, NULL) : NULL;
  return model ? vt_model_to_text(model) : NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fuzz_text(data, size, rewrite);
  return 0;
}
