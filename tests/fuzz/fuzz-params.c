/* SPDX-License-Identifier: MIT
 *
 * The first byte chooses the op, the rest is what a person types after --set: a value inside its range that reads back to
 * itself, or one sentence. */
#include <string.h>

#include "fuzz.h"
#include "mini-host.h"
#include "plugins/vt-params.h"

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const char *const seeds[] = {
    "0threshold=0.15",  "0hematoxylin=0.65,0.70,0.29",
    "0split=true",      "0background-radius=7.5e0",
    "0pixel-size=1",    "1method=erosion",
    "1height=12.25",    "3threshold=-1e9",
    "6feature=srlge",   "6window=15",
    "6stride=4 ",       "7aggregate=dir-m1-1",
    "7levels=256",      "7own-range=1",
    "0split",           "2operation=top-hat",
    "4seed-above=0.5",  "5objects=dark",
    "0algorithm= auto",
  };
  if (index >= G_N_ELEMENTS(seeds))
    return 0;
  memcpy(data, seeds[index], strlen(seeds[index]));
  return strlen(seeds[index]);
}

static void
check_set(const VitrailOp *op, const VtParams *params, const char *text)
{
  for (guint i = 0; i < op->n_params; i++) {
    g_autoptr(VtParams) again = vt_params_new(op, params->calibrated);
    g_autofree char *value = vt_params_dup_text(params, i);
    g_autofree char *key_value = g_strdup_printf("%s=%s", op->params[i]->key, value);
    if (!params->is_set[i])
      continue;
    vt_fuzz_check(vt_params_set_from_string(again, key_value, NULL), "does not read back", key_value);
    vt_fuzz_check(memcmp(again->values[i], params->values[i], sizeof again->values[i]) == 0, "reads back differently",
                  text);
  }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const VitrailPlugin *plugin = mini_plugin();
  g_autoptr(GError) error = NULL;
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK);
  if (size == 0)
    return 0;
  const VitrailOp *op = plugin->ops[data[0] % 16 % plugin->n_ops];
  g_autoptr(VtParams) params = vt_params_new(op, data[0] & 128);
  g_autofree char *text = g_strndup((const char *)data + 1, size - 1);
  const gboolean done = vt_params_set_from_string(params, text, &error);
  vt_fuzz_check(done == (error == NULL), "neither done nor an error, or both", text);
  if (error)
    vt_fuzz_check(g_str_has_suffix(error->message, "."), "not a sentence", error->message);
  else
    check_set(op, params, text);
  return 0;
}
