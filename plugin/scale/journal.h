/* SPDX-License-Identifier: MIT
 *
 * journal.h: the list of finished steps in the scratch folder of a streamed run. A resumed run skips those steps. */
#pragma once

#include "scale/stream.h"

/* Reads the list of an interrupted run, if the request keeps scratch files and there is one that fits. */
VitrailStatus vt_journal_begin(VtStreamed *s);
/* Begins a step. False: an interrupted run finished it, so skip it. True: call vt_journal_leave() at its end, with a status that all
 * ranks agree on and what the step made beside stores (result; or NULL); it returns the status to go on with. Steps may nest. */
bool vt_journal_enter(VtStreamed *s);
VitrailStatus vt_journal_leave(VtStreamed *s, VitrailStatus status, const void *result, size_t bytes);
/* The result of the step that vt_journal_enter() just skipped; free() it. */
VitrailStatus vt_journal_result(VtStreamed *s, void **result, size_t *bytes);
/* Where a step writes instead of a store that it also reads; afterwards it takes the store's place. */
VitrailStatus vt_journal_shadow(VtStreamed *s, const VtStore *store, VtStore **shadow);
void vt_journal_replace(VtStreamed *s, VtStore *store, VtStore *shadow);
void vt_journal_emitted(VtStreamed *s, const VtStore *store);
