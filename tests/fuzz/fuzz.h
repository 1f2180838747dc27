/* SPDX-License-Identifier: MIT
 *
 * fuzz.h: what the fuzz targets share. A target is LLVMFuzzerTestOneInput and a few sound inputs to start from; it runs
 * under libFuzzer (-Dfuzzers=true, clang) or under fuzz-main.c; under both, --seeds DIR writes the inputs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VT_FUZZ_MAX_SIZE = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Writes sound input `index` into data (VT_FUZZ_MAX_SIZE bytes) and returns its size; 0 when there are no more. */
size_t vt_fuzz_seed(unsigned index, uint8_t *data);

/* Writes all of them into the folder: a corpus for libFuzzer to start from. EXIT_SUCCESS or EXIT_FAILURE. */
int vt_fuzz_write_seeds(const char *folder);

/* Ends the process as a sanitizer would, unless `holds`. */
void vt_fuzz_check(bool holds, const char *what, const char *detail);
/* Path of a file in memory with these bytes; the next call replaces it. */
const char *vt_fuzz_file(const uint8_t *data, size_t size);
/* Bytes of the file of the last vt_fuzz_file(), as others have written it, into data (VT_FUZZ_MAX_SIZE bytes). */
size_t vt_fuzz_file_get(uint8_t *data);
