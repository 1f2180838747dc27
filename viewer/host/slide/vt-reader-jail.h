/* SPDX-License-Identifier: MIT */
#pragma once
#include <glib.h>

/* What a decoder never needs is taken from this process for good, as far as the system can: writing files, other processes, the
 * network, all of the machine's memory. Threads that are made later are held, too; so call it first. */
void vt_reader_jail_enter(void);
