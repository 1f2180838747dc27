/* SPDX-License-Identifier: MIT
 *
 * drawn-recipe.h: recipes drawn at random, well typed, of ten steps or a few more. */
#pragma once

#include "vitrail-plugin.h"

enum { DRAWN_MOST_NODES = 24, DRAWN_N_STAGES = 4 /* the last one says what is certain of the first */ };
/* RAW: labels without numbers. COLOURS: what was read, or its stains normalised. */
typedef enum { GRAY8, GRAY16, FLOAT, MASK, RAW, LABELS, N_KINDS, COLOURS = N_KINDS } DrawnKind;

/* Points into itself, so it stays where it was drawn. */
typedef struct {
  char ids[DRAWN_MOST_NODES][8], values[DRAWN_MOST_NODES][4][16];
  const char *inputs[DRAWN_MOST_NODES][4];
  VitrailRecipeSetting params[DRAWN_MOST_NODES][4];
  const VitrailRecipeSetting *settings[DRAWN_MOST_NODES][4];
  VitrailRecipeNode nodes[DRAWN_MOST_NODES];
  const VitrailRecipeNode *pointers[DRAWN_MOST_NODES];
  DrawnKind kinds[DRAWN_MOST_NODES];
  uint32_t n;
  char id[16];
  VitrailStage stages[DRAWN_N_STAGES];
  const VitrailStage *stage_list[DRAWN_N_STAGES];
  const char *certain;
  VitrailRecipe recipe;
} Drawn;

/* Each with an id of its own. The same sequence in every run of a program. */
void drawn_new(Drawn *d);
/* As comments of the Test Anything Protocol. */
void drawn_print(const VitrailRecipe *recipe);
VitrailRecipeSetting drawn_setting(const char *key, const char *value);
