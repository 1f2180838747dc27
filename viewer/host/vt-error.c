/* SPDX-License-Identifier: MIT */
#include "vt-error.h"

G_DEFINE_QUARK(vt_error, vt_error)

const char *
vt_status_to_string(VitrailStatus status)
{
  switch (status) {
  case VITRAIL_OK: return "done";
  case VITRAIL_CANCELLED: return "cancelled";
  case VITRAIL_UNSUPPORTED: return "not supported";
  case VITRAIL_NO_DEVICE: return "no such device";
  case VITRAIL_OUT_OF_MEMORY: return "out of memory";
  case VITRAIL_BAD_ARGUMENT: return "bad argument";
  case VITRAIL_READ_FAILED: return "reading failed";
  case VITRAIL_INTERNAL: return "internal error";
  default: return "unknown status";
  }
}
