/* SPDX-License-Identifier: MIT
 *
 * What teaches the score by which an op chooses: examples of candidates, as a person called them. A parameter of the op like others. Immutable, counted,
 * any thread. vt-model.h makes it. */
#pragma once
#include <glib.h>

typedef struct {
  char *hash;      /* of the model: "sha256:..." */
  char *text;      /* its file */
  char *of;        /* the fact "score-model" of the runs that told the candidates */
  guint n_numbers; /* of all examples together */
  gint32 *numbers; /* as VitrailRequest.examples */
} VtTaught;
VtTaught *vt_taught_ref(VtTaught *taught);
void vt_taught_unref(VtTaught *taught);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtTaught, vt_taught_unref)
