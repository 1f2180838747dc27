/* SPDX-License-Identifier: MIT */
/* What nearly every file of the host includes. Precompiled, for builds with sanitizers alone: each file still includes what it needs. */
#define _GNU_SOURCE /* as some of them do, which is too late behind the headers of the system */
#include <gio/gio.h>
#include <json-glib/json-glib.h>
