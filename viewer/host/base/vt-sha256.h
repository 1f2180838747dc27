/* SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>

/* SHA-256 (FIPS 180-4) of bytes that come in parts, by libgcrypt: it uses the processor's instructions for it, and takes a third of GLib's time. [any] thread, one at a time. */
typedef struct gcry_md_handle VtSha256;
VtSha256 *vt_sha256_new(void);
void vt_sha256_free(VtSha256 *self);
void vt_sha256_update(VtSha256 *self, const guint8 *data, gsize bytes);
/* 64 digits. Nothing can be added afterwards. */
char *vt_sha256_dup_digits(VtSha256 *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtSha256, vt_sha256_free)
