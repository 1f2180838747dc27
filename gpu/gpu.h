/* SPDX-License-Identifier: MIT
 *
 * gpu.h: the entries of the CUDA backend. Slots have run when they return. */
#pragma once

#include "vt-backend.h"

#ifdef __cplusplus
extern "C" {
#endif

int32_t vt_gpu_probe(char *reason, size_t reason_size);
VitrailStatus vt_gpu_open(int32_t index, VtDevice **device, char *reason, size_t reason_size);
void vt_gpu_close(VtDevice *device);
const char *vt_gpu_device_name(VtDevice *device);
const char *vt_gpu_last_error(VtDevice *device);
VitrailStatus vt_gpu_alloc(VtDevice *device, size_t bytes, void **data);
void vt_gpu_free(VtDevice *device, void *data);
VitrailStatus vt_gpu_upload(VtDevice *device, const VtImage *dst, const VtImage *src);
VitrailStatus vt_gpu_download(VtDevice *device, const VtImage *dst, const VtImage *src);

/* Karas 2010: sweeps along rows, columns and (8-connected) diagonals until a whole round changes nothing. */
VitrailStatus vt_gpu_reconstruct_sr(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
/* Active tiles, brought to rest in shared memory; a neighbour is visited again only if one of its pixels can rise. */
VitrailStatus vt_gpu_reconstruct_tile(VtDevice *device, const VtReconstruct *args, const VtCancel *cancel);
/* Both passes of VtEdt; exact for every input, see distance/exact.cu. */
VitrailStatus vt_gpu_edt_columns(VtDevice *device, const VtEdt *args, const VtCancel *cancel);
VitrailStatus vt_gpu_edt_rows(VtDevice *device, const VtEdt *args, const VtCancel *cancel);

#ifdef __cplusplus
}
#endif
