/* SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>

/* SHA-256 (FIPS 180-4) of bytes that come in parts, by the processor's own instructions where it has them, else by GLib. */
typedef struct VtSha256 VtSha256;
VtSha256 *vt_sha256_new(void);
/* By GLib. */
VtSha256 *vt_sha256_new_plain(void);
void vt_sha256_free(VtSha256 *self);
void vt_sha256_update(VtSha256 *self, const guint8 *data, gsize bytes);
/* 64 digits. Nothing can be added afterwards. */
char *vt_sha256_dup_digits(VtSha256 *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtSha256, vt_sha256_free)
