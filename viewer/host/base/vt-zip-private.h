/* SPDX-License-Identifier: MIT
 *
 * What packing and unpacking share: little-endian numbers and the marks of records (APPNOTE 6.3.10). */
#pragma once
#include <glib.h>

enum {
  VT_ZIP_LOCAL = 0x04034b50,
  VT_ZIP_ENTRY = 0x02014b50,
  VT_ZIP_END = 0x06054b50,
  VT_ZIP_END64 = 0x06064b50,
  VT_ZIP_LOCATOR64 = 0x07064b50,
  VT_ZIP_LOCAL_BYTES = 30,
  VT_ZIP_ENTRY_BYTES = 46,
  VT_ZIP_END_BYTES = 22,
  VT_ZIP_END64_BYTES = 56,
  VT_ZIP_LOCATOR64_BYTES = 20,
  VT_ZIP_STORED = 0,
  VT_ZIP_DEFLATED = 8,
  VT_ZIP_UTF8 = 1 << 11,
  VT_ZIP_EXTRA64 = 1, /* the id of the extra field with sizes of 64 bits */
  VT_ZIP_BLOCK = 1 << 18,
};
#define VT_ZIP_IN_EXTRA 0xffffffffu /* a size that is there instead */

static inline guint64
vt_zip_get(const guint8 *bytes, guint n)
{
  guint64 value = 0;
  for (guint i = n; i-- > 0;)
    value = value << 8 | bytes[i];
  return value;
}

static inline void
vt_zip_put(GByteArray *bytes, guint64 value, guint n)
{
  for (guint i = 0; i < n; i++) {
    const guint8 byte = (guint8)(value >> (8 * i));
    g_byte_array_append(bytes, &byte, 1);
  }
}
