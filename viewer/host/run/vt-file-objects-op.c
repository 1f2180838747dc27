/* SPDX-License-Identifier: MIT */
#include "run/vt-file-objects-op.h"

#include "run/vt-run-private.h"

#define TICK 4096 /* objects */
#define TR(text) text

static const VitrailInputSpec image = { .size = sizeof image,
                                        .kind = VITRAIL_INPUT_IMAGE,
                                        .id = "image",
                                        .title = "Image",
                                        .help = "The slide on which the objects lie.",
                                        .flags = VITRAIL_INPUT_PRIMARY };
static const VitrailInputSpec objects = { .size = sizeof objects,
                                          .kind = VITRAIL_INPUT_ROIS,
                                          .id = "objects",
                                          .title = "Objects",
                                          .help = "A file of outlines with measurements, as QuPath exports them." };
static const VitrailInputSpec *const inputs[] = { &image, &objects };
static const VitrailStage stage = { .size = sizeof stage,
                                    .kind = VITRAIL_STAGE_OBJECTS,
                                    .id = "objects",
                                    .title = "Objects",
                                    .help = TR("The outlines of the file."),
                                    .unit = "",
                                    .colormap = "mint",
                                    .reach = VITRAIL_REACH_LOCAL,
                                    .flags = VITRAIL_STAGE_SHOWN };
static const VitrailStage *const stages[] = { &stage };
static const VitrailOp op = { .size = sizeof op,
                              .reach = VITRAIL_REACH_LOCAL,
                              .id = VT_FILE_OBJECTS_OP,
                              .title = TR("Objects of a file"),
                              .help = TR("Shows objects that another program found, with its measurements. Nothing is "
                                         "worked out here."),
                              .n_inputs = G_N_ELEMENTS(inputs),
                              .n_stages = G_N_ELEMENTS(stages),
                              .inputs = inputs,
                              .stages = stages };
static const VitrailOp *const ops[] = { &op };

static VitrailStatus
session_open(VitrailSession **session)
{
  static char one;
  *session = (VitrailSession *)(gpointer)&one; /* there is nothing to keep */
  return VITRAIL_OK;
}

static void
session_close(VitrailSession *session)
{
}

static uint32_t
session_backends(VitrailSession *session, const VitrailBackendInfo *const **infos)
{
  static const VitrailBackendInfo cpu = {
    .size = sizeof cpu, .available = true, .id = "cpu", .title = "CPU", .device = "CPU"
  };
  static const VitrailBackendInfo *const all[] = { &cpu };
  *infos = all;
  return G_N_ELEMENTS(all);
}

static VitrailStatus
emit(const VitrailHost *host, const VtFileObjects *from, guint index)
{
  const VtFileObject *object = &g_array_index(from->objects, VtFileObject, index);
  const VtFileObject *former = index > 0 ? object - 1 : NULL;
  const guint64 ring = former ? former->rings : 0, point = former ? former->points : 0;
  const VitrailObject told = { .size = sizeof told,
                               .id = (gint64)index + 1,
                               .n_rings = (guint32)(object->rings - ring),
                               .n_measurements = from->names->len,
                               .ring_sizes = (const guint32 *)(gpointer)from->ring_sizes->data + ring,
                               .points = (const double *)(gpointer)from->points->data + 2 * point,
                               .centroid_x_l0 = object->centroid_x_l0,
                               .centroid_y_l0 = object->centroid_y_l0,
                               .measurement_names = (const char *const *)from->names->pdata,
                               .measurements = from->values + (gsize)index * from->names->len };
  return host->emit_object(host->user, &told);
}

static void
tell_outside(const VitrailHost *host, const VtFileObjects *from, guint n_outside)
{
  g_autofree char *file = vt_error_dup_name(from->path);
  g_autofree char *sentence =
    n_outside == 1 ? g_strdup_printf("1 object of %s lies outside of the image and was left out.", file)
                   : g_strdup_printf("%u objects of %s lie outside of the image and were left out.", n_outside, file);
  host->log(host->user, VITRAIL_LOG_WARNING, sentence);
}

static VitrailStatus
run(VitrailSession *session, const VitrailRequest *request, const VitrailHost *host, char *message, size_t message_size)
{
  const VtRunState *state = host->user; /* it runs nowhere else */
  const VtFileObjects *from = state->request->params->objects;
  const VitrailInput *slide = request->inputs[0];
  const double left = (double)request->x_l0, top = (double)request->y_l0;
  const double right = left + (double)request->width_l0, bottom = top + (double)request->height_l0;
  guint n_outside = 0;
  if (!from) {
    g_strlcpy(message, "There is no file of objects: objects=FILE names one.", message_size);
    return VITRAIL_BAD_ARGUMENT;
  }
  host->record(host->user, "backend", "cpu", 0);
  host->record(host->user, "device", "CPU", 0); /* what session_backends tells */
  const gint64 start = g_get_monotonic_time();
  for (guint i = 0; i < from->objects->len; i++) {
    const VtFileObject *object = &g_array_index(from->objects, VtFileObject, i);
    const double x = object->centroid_x_l0, y = object->centroid_y_l0;
    if (i % TICK == 0) {
      if (host->is_cancelled(host->user))
        return VITRAIL_CANCELLED;
      host->progress(host->user, 0, (double)i / (double)from->objects->len);
    }
    n_outside += x < 0 || y < 0 || x >= (double)slide->width_l0 || y >= (double)slide->height_l0;
    if (x < left || y < top || x >= right || y >= bottom)
      continue;
    const VitrailStatus status = emit(host, from, i);
    if (status != VITRAIL_OK)
      return status;
  }
  if (from->note)
    host->log(host->user, VITRAIL_LOG_WARNING, from->note);
  if (n_outside > 0)
    tell_outside(host, from, n_outside);
  host->stage_done(host->user, 0, (double)(g_get_monotonic_time() - start) / 1000);
  return VITRAIL_OK;
}

void
vt_file_objects_op_offer(void)
{
  static const VitrailPlugin plugin = { .size = sizeof plugin,
                                        .abi_major = VITRAIL_ABI_MAJOR,
                                        .id = "vitrail-files",
                                        .title = "Files of other programs",
                                        .version = VT_VERSION,
                                        .licence = "MIT",
                                        .n_ops = G_N_ELEMENTS(ops),
                                        .ops = ops,
                                        .session_open = session_open,
                                        .session_close = session_close,
                                        .session_backends = session_backends,
                                        .run = run };
  vt_plugin_host_set_own(&plugin);
}
