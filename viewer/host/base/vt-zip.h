/* SPDX-License-Identifier: MIT
 *
 * Folders as one file (ZIP, with ZIP64 where 4 GiB do not do), and back. What comes from elsewhere is not trusted: every name stays inside, and nothing is
 * larger than it said. Blocking, any thread. */
#pragma once
#include <gio/gio.h>

#define VT_ZIP_SUFFIX ".zip"

/* A part of all bytes, 0 to 1. */
typedef void (*VtZipProgress)(double part, gpointer user);
/* Everything in the folder, by names relative to it, in their order. The file must not be there; it is whole, or not there. */
gboolean vt_zip_pack(const char *folder, const char *path, VtZipProgress progress, gpointer user,
                     GCancellable *cancellable, GError **error);
/* Makes the folder, which must not be there: all of it, or nothing and a sentence. Refused are archives that are damaged, encrypted, in parts or packed in
 * another way than "stored" and "deflated"; names that lead out of the folder, that are there twice, or are links; what overlaps; and more than the disk
 * has room for. */
gboolean vt_zip_unpack(const char *path, const char *folder, VtZipProgress progress, gpointer user,
                       GCancellable *cancellable, GError **error);
