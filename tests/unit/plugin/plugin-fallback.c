/* SPDX-License-Identifier: MIT
 *
 * Whatever becomes of the device, the job ends with the CPU's bytes, and the user is told once. */
#include <stdlib.h>
#include <string.h>

#include "mini-host.h"
#include "vt-test.h"

static VtImage tissue;

static VitrailStatus
run_on(const char *mode, const char *backend, MiniResult *result, char *absent, size_t absent_size)
{
  setenv("FAKE_GPU", mode, 1);
  const VitrailPlugin *plugin = mini_plugin();
  VitrailSession *session = NULL;
  if (plugin->session_open(&session) != VITRAIL_OK)
    return VITRAIL_INTERNAL;
  const VitrailBackendInfo *const *infos;
  uint32_t n = plugin->session_backends(session, &infos);
  snprintf(absent, absent_size, "%s", n > 1 && infos[1]->reason ? infos[1]->reason : "");
  VitrailInput input = { .size = sizeof input,
                         .id = "image",
                         .type = VITRAIL_RGBA8,
                         .width_l0 = tissue.width,
                         .height_l0 = tissue.height,
                         .mpp_x = 0.5,
                         .mpp_y = 0.5 };
  const VitrailInput *inputs[] = { &input };
  VitrailRequest request = { .size = sizeof request,
                             .op_id = "nuclei",
                             .backend = backend,
                             .width_l0 = tissue.width,
                             .height_l0 = tissue.height,
                             .n_inputs = 1,
                             .inputs = inputs };
  MiniHost mini = { .images = { &tissue }, .n_threads = 2, .cancel_after = -1 };
  VitrailStatus status = mini_run(&mini, session, &request, result);
  plugin->session_close(session);
  return status;
}

int
main(void)
{
  static const struct {
    const char *mode, *absent, *warning;
  } cases[] = {
    { "works", "", "" },
    { "absent", "No device was found.", "" },
    { "unopened", "The driver is too old.", "" },
    { "memory", "", "out of memory" },
    { "lost", "", "The device was lost." },
    { "missing", "", "it has no such kernel" },
  };
  tissue = mini_tissue_new(211, 173, 11);
  MiniResult reference, result;
  char absent[256], where[64];
  vt_ok(run_on("works", "cpu", &reference, absent, sizeof absent) == VITRAIL_OK, "the CPU runs");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    VitrailStatus status = run_on(cases[i].mode, "auto", &result, absent, sizeof absent);
    bool equal = mini_result_equal(&reference, &result, where, sizeof where);
    vt_ok(status == VITRAIL_OK && equal, "%s: the CPU's bytes", cases[i].mode);
    vt_ok(strcmp(absent, cases[i].absent) == 0, "%s: why it is absent: \"%s\"", cases[i].mode, absent);
    vt_ok(cases[i].warning[0] ? strstr(result.warnings, cases[i].warning) != NULL : !result.warnings[0],
          "%s: what is said: \"%s\"", cases[i].mode, result.warnings);
    mini_result_clear(&result);
  }
  vt_ok(run_on("absent", "cuda", &result, absent, sizeof absent) == VITRAIL_NO_DEVICE && result.message[0],
        "asked for by name it must be there: \"%s\"", result.message);
  mini_result_clear(&result);
  mini_result_clear(&reference);
  free(tissue.data);
  return vt_test_done();
}
