/* SPDX-License-Identifier: MIT
 *
 * What a plugin says of a recipe that it refuses, in the language of who reads it. A plugin knows no translations: sentences that are known are
 * taken apart at the names in them. */
#pragma once
#include <glib.h>

/* What is not known, or has no translation, stays as it is. Owned. */
char *vt_recipe_dup_sentence(const char *sentence);
