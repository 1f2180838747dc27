/* SPDX-License-Identifier: MIT */
#include "plugins/vt-taught.h"

#include "base/vt-define.h"

VT_DEFINE_CLEAR(taught_clear, VtTaught, VT_FREES(g_free, hash, text, of, numbers))

VT_DEFINE_REF(VtTaught, vt_taught, taught_clear)
