/* SPDX-License-Identifier: MIT
 *
 * Sliding windows in plain C. */
#define VECTOR_BYTES 16
#define VARIANT vt_cpu_windows_baseline
#include "windows-impl.h"
