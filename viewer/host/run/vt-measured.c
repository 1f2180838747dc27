/* SPDX-License-Identifier: MIT */
#include "run/vt-measured.h"

#include <math.h>

#include "base/vt-define.h"

VtMeasured *
vt_measured_new(const VtMeasuredNumber *numbers, guint n)
{
  VtMeasured *self = g_atomic_rc_box_alloc(sizeof *self + n * sizeof *numbers);
  self->n = n;
  for (guint i = 0; i < n; i++)
    self->numbers[i] = (VtMeasuredNumber){ g_ref_string_acquire(numbers[i].name), numbers[i].value };
  return self;
}

static void
clear(gpointer data)
{
  const VtMeasured *self = data;
  for (guint i = 0; i < self->n; i++)
    g_ref_string_release(self->numbers[i].name);
}

VT_DEFINE_REF(VtMeasured, vt_measured, clear)

const double *
vt_measured_find(const VtMeasured *self, const char *name)
{
  for (guint i = 0; self && i < self->n; i++)
    if (self->numbers[i].name == name)
      return &self->numbers[i].value;
  return NULL;
}

gboolean
vt_measured_parse_word(const char *text, double *value)
{
  static const struct {
    const char *word;
    double value;
  } words[] = { { "NaN", NAN }, { "Infinity", INFINITY }, { "-Infinity", -INFINITY } };
  for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
    if (g_str_equal(text, words[i].word)) {
      *value = words[i].value;
      return TRUE;
    }
  return FALSE;
}

char *
vt_measured_dup_name(const char *name, GHashTable *taken)
{
  char *own = g_strdup(name);
  for (guint i = 1; g_hash_table_contains(taken, own); i++) {
    g_free(own);
    own = i == 1 ? g_strdup_printf("%s (read)", name) : g_strdup_printf("%s (read %u)", name, i);
  }
  g_hash_table_add(taken, g_strdup(own));
  return own;
}
