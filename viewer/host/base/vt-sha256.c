/* SPDX-License-Identifier: MIT
 *
 * SHA-256 by the x86 instructions for it: a round of them takes two of the standard's, with the eight words in the order that they want (ABEF,
 * CDGH). */
#include <string.h>

#include "base/vt-sha256.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#define HAS_INSTRUCTIONS 1
#else
#define HAS_INSTRUCTIONS 0
#endif

enum { BLOCK = 64 };

struct VtSha256 {
  GChecksum *plain; /* NULL: by the instructions */
  guint32 state[8];
  guint8 block[BLOCK]; /* that is not full */
  gsize n_block;
  guint64 bytes;
};

#if HAS_INSTRUCTIONS
/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const guint32 rounds[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

__attribute__((target("sha,sse4.1,ssse3"))) static void
add_blocks(guint32 state[8], const guint8 *data, gsize n)
{
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8(abcd, efgh, 8), cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);
  for (; n > 0; n--, data += BLOCK) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i words[4]; /* the last 16 words of the schedule */
    for (int i = 0; i < 16; i++) {
      __m128i now;
      if (i < 4)
        now = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)data + i), swap);
      else {
        const __m128i before = words[(i + 3) & 3], seventh = _mm_alignr_epi8(before, words[(i + 2) & 3], 4);
        now = _mm_add_epi32(_mm_sha256msg1_epu32(words[i & 3], words[(i + 1) & 3]), seventh);
        now = _mm_sha256msg2_epu32(now, before);
      }
      words[i & 3] = now;
      const __m128i sum = _mm_add_epi32(now, _mm_loadu_si128((const __m128i *)rounds + i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static gboolean
has_instructions(void)
{
  unsigned int a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) && __builtin_cpu_supports("sse4.1")
         && __builtin_cpu_supports("ssse3");
}
#else
static void
add_blocks(guint32 state[8], const guint8 *data, gsize n)
{
  g_assert_not_reached();
}

static gboolean
has_instructions(void)
{
  return FALSE;
}
#endif

VtSha256 *
vt_sha256_new_plain(void)
{
  VtSha256 *self = g_new0(VtSha256, 1);
  self->plain = g_checksum_new(G_CHECKSUM_SHA256);
  return self;
}

VtSha256 *
vt_sha256_new(void)
{
  static const guint32 first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
  if (!has_instructions())
    return vt_sha256_new_plain();
  VtSha256 *self = g_new0(VtSha256, 1);
  memcpy(self->state, first, sizeof first);
  return self;
}

void
vt_sha256_free(VtSha256 *self)
{
  g_clear_pointer(&self->plain, g_checksum_free);
  g_free(self);
}

void
vt_sha256_update(VtSha256 *self, const guint8 *data, gsize bytes)
{
  if (self->plain) {
    g_checksum_update(self->plain, data, (gssize)bytes);
    return;
  }
  self->bytes += bytes;
  if (self->n_block > 0) {
    const gsize n = MIN(bytes, BLOCK - self->n_block);
    memcpy(self->block + self->n_block, data, n);
    self->n_block += n;
    data += n;
    bytes -= n;
    if (self->n_block < BLOCK)
      return;
    add_blocks(self->state, self->block, 1);
  }
  add_blocks(self->state, data, bytes / BLOCK);
  self->n_block = bytes % BLOCK;
  memcpy(self->block, data + bytes - self->n_block, self->n_block);
}

char *
vt_sha256_dup_digits(VtSha256 *self)
{
  static const guint8 end[BLOCK] = { 0x80 };
  if (self->plain)
    return g_strdup(g_checksum_get_string(self->plain));
  const guint64 bits = GUINT64_TO_BE(self->bytes * 8);
  vt_sha256_update(self, end, 1 + (2 * BLOCK - 9 - self->n_block) % BLOCK);
  vt_sha256_update(self, (const guint8 *)&bits, sizeof bits);
  GString *digits = g_string_new(NULL);
  for (int i = 0; i < 8; i++)
    g_string_append_printf(digits, "%08x", self->state[i]);
  return g_string_free(digits, FALSE);
}
