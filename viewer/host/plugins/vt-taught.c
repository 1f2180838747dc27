/* SPDX-License-Identifier: MIT */
#include "plugins/vt-taught.h"

VtTaught *
vt_taught_ref(VtTaught *taught)
{
  g_atomic_int_inc(&taught->ref_count);
  return taught;
}

void
vt_taught_unref(VtTaught *taught)
{
  if (!g_atomic_int_dec_and_test(&taught->ref_count))
    return;
  g_free(taught->hash);
  g_free(taught->text);
  g_free(taught->of);
  g_free(taught->numbers);
  g_free(taught);
}
