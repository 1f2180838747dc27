/* SPDX-License-Identifier: MIT
 *
 * Runs what is shown in other ways (tiles, threads, backends) and compares every byte of every stage. Main thread only. */
#pragma once
#include "analysis/vt-analysis.h"

typedef struct _VtProof VtProof;

/* `line`: "tiles of 64 px: the same · 0.21 s". `end`: a sentence; `holds`: all were the same. */
typedef struct {
  void (*line)(const char *text, gpointer user);
  void (*end)(gboolean holds, const char *sentence, gpointer user);
} VtProofCallbacks;

/* NULL and a sentence: there is nothing to run. */
VtProof *vt_proof_start(VtAnalysis *analysis, const VtProofCallbacks *callbacks, gpointer user, GError **error);
/* Ends it; no callback comes after it. */
void vt_proof_free(VtProof *proof);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtProof, vt_proof_free)
