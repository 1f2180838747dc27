/* SPDX-License-Identifier: MIT */
#include "plugins/vt-worker-private.h"
#include "raster/vt-raster.h"

#define MOST_PX ((gint64)1 << 28)
#define ALIGN 16

gsize
vt_worker_wave_place(VitrailWave *wave, gsize n_packed, VtWorkerPart parts[VT_WORKER_WAVE_PARTS])
{
  const gboolean is_sane = wave->width >= 1 && wave->height >= 1 && wave->width <= MOST_PX / wave->height
                           && wave->n_ticks <= MOST_PX && vt_pixel_size(wave->type) > 0;
  const gsize n = is_sane ? (gsize)(wave->width * wave->height) : 0,
              values = is_sane ? n * vt_pixel_size(wave->type) : 0;
  const VtWorkerPart all[VT_WORKER_WAVE_PARTS] = {
    { (const void **)&wave->ticks, 0, n * sizeof *wave->ticks },
    { &wave->begin, 0, wave->kind == VITRAIL_WAVE_RECONSTRUCTION ? values : 0 },
    { &wave->end, 0, values },
    { &wave->made, 0, values },
    { (const void **)&wave->levels, 0, wave->kind == VITRAIL_WAVE_WATERSHED ? wave->n_ticks * sizeof(float) : 0 },
  };
  gsize at = n_packed;
  for (guint i = 0; i < VT_WORKER_WAVE_PARTS; i++) {
    parts[i] = all[i];
    parts[i].at = (at + ALIGN - 1) / ALIGN * ALIGN;
    at = parts[i].at + parts[i].bytes;
  }
  return is_sane ? at : 0;
}
