/* SPDX-License-Identifier: MIT */
#include "common/vt-params-words.h"

#include "common/vt-translate.h"

#define MAX_NAMED 3 /* parameters that a label on the picture has room for */

char *
vt_params_dup_changes(const VtParams *before, const VtParams *after)
{
  g_autoptr(GString) text = g_string_new(NULL);
  if (before->op != after->op)
    return g_strdup_printf("%s → %s", vt_translate(before->op->title), vt_translate(after->op->title));
  for (guint i = 0; i < before->op->n_params; i++) {
    g_autofree char *one = vt_params_dup_shown(before, i), *other = vt_params_dup_shown(after, i);
    if (!g_str_equal(one, other))
      g_string_append_printf(text, "%s%s: %s → %s", text->len ? "\n" : "", vt_translate(before->op->params[i]->title),
                             one, other);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

char *
vt_params_dup_side(const VtParams *own, const VtParams *other)
{
  g_autoptr(GString) text = g_string_new(NULL);
  guint n = 0;
  if (own->op != other->op)
    return g_strdup(vt_translate(own->op->title));
  for (guint i = 0; i < own->op->n_params; i++) {
    g_autofree char *here = vt_params_dup_shown(own, i), *there = vt_params_dup_shown(other, i);
    if (!g_str_equal(here, there) && ++n <= MAX_NAMED)
      g_string_append_printf(text, "%s%s %s", text->len ? ", " : "", vt_translate(own->op->params[i]->title), here);
  }
  if (n > MAX_NAMED)
    g_string_append_printf(text, g_dngettext(NULL, ", %u more", ", %u more", n - MAX_NAMED), n - MAX_NAMED);
  return g_string_free(g_steal_pointer(&text), FALSE);
}
