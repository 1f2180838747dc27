/* SPDX-License-Identifier: MIT */
#pragma once
#include <glib.h>

/* Appends one line to the file that VITRAIL_TEST_LOG names, and flushes it; nothing without that variable. End-to-end
 * tests wait for these lines instead of sleeping. Main thread only. */
void vt_test_log(const char *format, ...) G_GNUC_PRINTF(1, 2);
