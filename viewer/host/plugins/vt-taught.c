/* SPDX-License-Identifier: MIT */
#include "plugins/vt-taught.h"

#include "base/vt-define.h"

static void
taught_clear(gpointer data)
{
  VtTaught *taught = data;
  g_free(taught->hash);
  g_free(taught->text);
  g_free(taught->of);
  g_free(taught->numbers);
}

VT_DEFINE_REF(VtTaught, vt_taught, taught_clear)
