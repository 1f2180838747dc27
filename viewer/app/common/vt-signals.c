/* SPDX-License-Identifier: MIT */
#include "common/vt-signals.h"

void
vt_signals_new(GType type, ...)
{
  va_list names;
  va_start(names, type);
  for (const char *name = va_arg(names, const char *); name; name = va_arg(names, const char *))
    g_signal_new(name, type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  va_end(names);
}

void
vt_signal_new(GType type, const char *name, ...)
{
  GType params[4];
  guint n = 0;
  va_list types;
  va_start(types, name);
  for (GType param = va_arg(types, GType); param != G_TYPE_NONE; param = va_arg(types, GType)) {
    g_assert(n < G_N_ELEMENTS(params));
    params[n++] = param;
  }
  va_end(types);
  g_signal_newv(name, type, G_SIGNAL_RUN_LAST, NULL, NULL, NULL, NULL, G_TYPE_NONE, n, params);
}
