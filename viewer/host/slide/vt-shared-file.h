/* SPDX-License-Identifier: MIT */
#pragma once
#include <stdio.h>

/* As fopen(path, "rb"), but streams of one path share a descriptor, and small reads the blocks that were read before. What such a stream gives is at most
 * 0.1 s older than what fopen() would. fileno() of it fails with EBADF. What is no regular file, or an empty one, as those of /proc are, is opened as ever.
 * NULL, and errno is fopen()'s. Any thread. */
FILE *vt_shared_file_open(const char *path);
/* Forgets all paths and blocks. Descriptors that no stream uses are closed: a drive can be taken away. Any thread. */
void vt_shared_file_forget_all(void);
