/* SPDX-License-Identifier: MIT
 *
 * journal.h: what a run that was interrupted had done. */
#pragma once

#include "scale/stream.h"

/* Finds out what a run before has done. */
VitrailStatus vt_journal_begin(VtStreamed *s);
/* A step begins. False: it was done before, and there is nothing to do. Else vt_journal_leave() ends it, with a status that all
 * ranks agree on and what it made beside stores (result; or NULL), and returns the status to go on with. Steps may be made of steps. */
bool vt_journal_enter(VtStreamed *s);
VitrailStatus vt_journal_leave(VtStreamed *s, VitrailStatus status, const void *result, size_t bytes);
/* The result of the step that was just found done; free() it. */
VitrailStatus vt_journal_result(VtStreamed *s, void **result, size_t *bytes);
/* Where a step writes instead of a store that it also reads; afterwards it takes the store's place. */
VitrailStatus vt_journal_shadow(VtStreamed *s, const VtStore *store, VtStore **shadow);
void vt_journal_replace(VtStreamed *s, VtStore *store, VtStore *shadow);
void vt_journal_emitted(VtStreamed *s, const VtStore *store);
