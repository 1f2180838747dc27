/* SPDX-License-Identifier: MIT
 *
 * What follows --intensity: thresholds that rise and read back to themselves, or one sentence. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "run/vt-intensity.h"

size_t
vt_fuzz_seed(unsigned index, uint8_t *data)
{
  static const char *const seeds[] = {
    "DAB OD mean:0.2,0.4,0.6",      "Nucleus: DAB OD mean:0.2", "a:-1e9 ,0x1p-3, 1e300", "a:1,2", ":1",
    "µ:0.1,0.2,0.30000000000000004"
  };
  if (index >= G_N_ELEMENTS(seeds))
    return 0;
  memcpy(data, seeds[index], strlen(seeds[index]));
  return strlen(seeds[index]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = g_strndup((const char *)data, size);
  VtIntensity intensity, again;
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK);
  const gboolean done = vt_intensity_parse(text, &intensity, &error);
  vt_fuzz_check(done == (error == NULL), "neither done nor an error, or both", text);
  if (!done)
    return 0;
  vt_fuzz_check(intensity.n == 1 || intensity.n == VT_INTENSITY_MOST, "another number of thresholds", text);
  for (guint i = 0; i < intensity.n; i++)
    vt_fuzz_check(isfinite(intensity.thresholds[i])
                    && (i == 0 || intensity.thresholds[i] > intensity.thresholds[i - 1]),
                  "they do not rise", text);
  g_autofree char *written = vt_intensity_to_text(&intensity);
  vt_fuzz_check(vt_intensity_parse(written, &again, NULL), "does not read back", written);
  vt_fuzz_check(vt_intensity_equal(&intensity, &again), "reads back differently", written);
  return 0;
}
