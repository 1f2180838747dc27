/* SPDX-License-Identifier: MIT
 *
 * A packed block is a list of parts: a word and how often it is repeated, and words as they are. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "scale/pack.h"

enum { LEAST_RUN = 8 /* words; a shorter one is as good as it is */ };

typedef struct {
  uint64_t word;
  uint32_t n_run, n_literal;
} Head;

enum { HEAD_WORDS = sizeof(Head) / sizeof(uint64_t) };

static size_t
find_end(const uint64_t *words, size_t at, size_t n)
{
  const uint64_t word = words[at];
  for (; at + 4 <= n; at += 4) {
    const uint64_t *w = words + at;
    if (((w[0] ^ word) | (w[1] ^ word) | (w[2] ^ word) | (w[3] ^ word)) != 0)
      break;
  }
  while (at < n && words[at] == word)
    at++;
  return at;
}

/* Where the next run begins, or n. Two equal words are looked for at places that no run is without. */
static size_t
find_run(const uint64_t *words, size_t at, size_t n)
{
  for (size_t i = at; i + 1 < n; i += LEAST_RUN - 1) {
    size_t begin = i;
    if (words[i] != words[i + 1])
      continue;
    while (begin > at && words[begin - 1] == words[i])
      begin--;
    if (begin + LEAST_RUN <= n && find_end(words, i, begin + LEAST_RUN) == begin + LEAST_RUN)
      return begin;
  }
  return n;
}

static bool
is_run(const uint64_t *words, size_t at, size_t n)
{
  return at + LEAST_RUN <= n && find_end(words, at, at + LEAST_RUN) == at + LEAST_RUN;
}

/* Images of 8 to 32 bits have words of equal halves; for these libc has the fastest loop of each processor. */
static void
fill(uint64_t *words, uint64_t word, size_t n)
{
  if (sizeof(wchar_t) == sizeof(uint32_t) && word >> 32 == (word & UINT32_MAX)) {
    wmemset((wchar_t *)words, (wchar_t)(word & UINT32_MAX), 2 * n);
    return;
  }
  for (size_t i = 0; i < n; i++)
    words[i] = word;
}

size_t
vt_pack(const void *from, size_t bytes, void *to, size_t room)
{
  const uint64_t *words = from;
  const size_t n = bytes / sizeof *words, n_room = room / sizeof *words;
  uint64_t *out = to;
  size_t used = 0;
  for (size_t at = 0, end; at < n; at = end) {
    if (n_room - used < HEAD_WORDS)
      return 0;
    const size_t most = n_room - used - HEAD_WORDS;
    const size_t literal = is_run(words, at, n) ? find_end(words, at, n) : at;
    /* No further than there is room for. */
    end = find_run(words, literal, n - literal > most + LEAST_RUN ? literal + most + LEAST_RUN : n);
    if (end - literal > most)
      return 0;
    const Head head = { words[at], (uint32_t)(literal - at), (uint32_t)(end - literal) };
    memcpy(&out[used], &head, sizeof head);
    memcpy(&out[used + HEAD_WORDS], words + literal, (end - literal) * sizeof *words);
    used += HEAD_WORDS + end - literal;
  }
  return used * sizeof *words;
}

bool
vt_unpack(const void *from, size_t n, void *to, size_t bytes)
{
  const uint64_t *in = from;
  uint64_t *words = to;
  size_t left = bytes / sizeof *words, n_in = n / sizeof *in;
  while (n_in > 0) {
    Head head;
    if (n_in < HEAD_WORDS)
      return false;
    memcpy(&head, in, sizeof head);
    const size_t n_words = (size_t)head.n_run + head.n_literal;
    if (head.n_literal > n_in - HEAD_WORDS || n_words > left)
      return false;
    fill(words, head.word, head.n_run);
    memcpy(words + head.n_run, in + HEAD_WORDS, head.n_literal * sizeof *words);
    words += n_words;
    left -= n_words;
    in += HEAD_WORDS + head.n_literal;
    n_in -= HEAD_WORDS + head.n_literal;
  }
  return left == 0;
}

bool
vt_transfer(int file, char *data, size_t bytes, int64_t at, bool writes)
{
  while (bytes > 0) {
    const ssize_t n = writes ? pwrite(file, data, bytes, at) : pread(file, data, bytes, at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0)
      errno = EIO;
    if (n <= 0)
      return false;
    data += n;
    bytes -= (size_t)n;
    at += n;
  }
  return true;
}
