/* SPDX-License-Identifier: MIT
 *
 * The structs of vitrail-plugin.h as bytes, with all that they point to, for a process that runs the same build of this program. Functions and
 * reserved fields do not travel: they read as NULL. */
#pragma once
#include <glib.h>

#include "vitrail-plugin.h"

typedef struct VtAbiShape VtAbiShape;
extern const VtAbiShape vt_abi_plugin, vt_abi_op, vt_abi_recipe, vt_abi_request, vt_abi_object, vt_abi_row,
  vt_abi_verdict, vt_abi_wave, vt_abi_lengths, vt_abi_overlaps, vt_abi_backends;

/* What session_backends() tells. */
typedef struct {
  uint32_t size, n;
  const VitrailBackendInfo *const *infos;
} VtAbiBackends;

/* Appends a struct, of which no more is read than its own size. FALSE: a list is too long, or missing; `bytes` is then as it was. [any] */
gboolean vt_abi_pack(GByteArray *bytes, const VtAbiShape *shape, gconstpointer theirs);
/* The struct, in blocks of memory that are appended to `memory` (freed by g_free). Its lists and texts are whole, and nothing else of it is
 * checked. NULL: the bytes are no such struct. [any] */
gpointer vt_abi_unpack(const VtAbiShape *shape, const guint8 *data, gsize n, GPtrArray *memory);
