/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "steps/step.h"
#include "steps/steps.h"

const VtStep *
vt_step_find(const char *id)
{
  const struct {
    const VtStep *steps;
    uint32_t n;
  } files[] = { { vt_steps_input, vt_n_steps_input },    { vt_steps_pointwise, vt_n_steps_pointwise },
                { vt_steps_local, vt_n_steps_local },    { vt_steps_propagate, vt_n_steps_propagate },
                { vt_steps_labels, vt_n_steps_labels },  { vt_steps_regions, vt_n_steps_regions },
                { vt_steps_texture, vt_n_steps_texture } };
  for (size_t k = 0; k < VT_COUNT(files); k++)
    for (uint32_t i = 0; i < files[k].n; i++)
      if (strcmp(files[k].steps[i].id, id) == 0)
        return &files[k].steps[i];
  return NULL;
}
