/* SPDX-License-Identifier: MIT */
#include "base/vt-sha256.h"

#include <gcrypt.h>

static gpointer
start(gpointer unused)
{
  gcry_check_version(NULL);
  gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
  gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  return NULL;
}

/* Without memory the program ends, as GLib's own do. */
VtSha256 *
vt_sha256_new(void)
{
  static GOnce once = G_ONCE_INIT;
  VtSha256 *self = NULL;
  g_once(&once, start, NULL);
  const gcry_error_t error = gcry_md_open(&self, GCRY_MD_SHA256, 0);
  if (error)
    g_error("failed to allocate a SHA-256: %s", gcry_strerror(error)); /* as vt-starved.c knows it */
  return self;
}

void
vt_sha256_free(VtSha256 *self)
{
  gcry_md_close(self);
}

void
vt_sha256_update(VtSha256 *self, const guint8 *data, gsize bytes)
{
  gcry_md_write(self, data, bytes);
}

char *
vt_sha256_dup_digits(VtSha256 *self)
{
  const guint8 *bytes = gcry_md_read(self, GCRY_MD_SHA256);
  GString *digits = g_string_new(NULL);
  for (guint i = 0; i < gcry_md_get_algo_dlen(GCRY_MD_SHA256); i++)
    g_string_append_printf(digits, "%02x", bytes[i]);
  return g_string_free(digits, FALSE);
}
