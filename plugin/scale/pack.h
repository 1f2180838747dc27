/* SPDX-License-Identifier: MIT
 *
 * pack.h: blocks of a store in fewer bytes, by runs of equal words: masks, labels and what is limited to objects are flat nearly
 * everywhere, and to write them costs more than to look for runs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Packs `bytes` (a multiple of 8, at most 2^31) into `to`, of `room` bytes; both on boundaries of 8. Returns how many it takes; 0: more
 * than there is room for. [any] */
size_t vt_pack(const void *from, size_t bytes, void *to, size_t room);
/* The `bytes` again; false: the n bytes are no packed block of that size, and `to` is undefined. [any] */
bool vt_unpack(const void *from, size_t n, void *to, size_t bytes);
/* Writes or reads all the bytes at a place of a file. false: errno says why. [any] */
bool vt_transfer(int file, char *data, size_t bytes, int64_t at, bool writes);
