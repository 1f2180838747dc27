/* SPDX-License-Identifier: MIT
 *
 * A recipe that is being changed, as JSON: what the files that edit recipes share. Ids, stages and keys are those of the recipe. */
#pragma once
#include <json-glib/json-glib.h>

#include "base/vt-error.h"

/* Of what an id stands for: a VitrailPixelType, VITRAIL_MAKES_LABELS, _NOTHING, _ROWS, or one of these. */
enum {
  VT_DRAFT_READ = -100, /* what was read of an input of the recipe */
  VT_DRAFT_UNKNOWN = -101,
};

typedef struct {
  const VitrailPlugin *plugin; /* whose steps the recipe is made of */
  JsonNode *root;
  JsonObject *recipe;                         /* of the root */
  GPtrArray *nodes, *stages, *params, *items; /* JsonObject; items: measurements. Each holds a reference */
} VtRecipeDraft;

/* Of a sound recipe. id, title: instead of its own; or NULL. */
VtRecipeDraft *vt_recipe_draft_new(const VitrailRecipe *recipe, const VitrailPlugin *plugin, const char *id,
                                   const char *title);
void vt_recipe_draft_free(VtRecipeDraft *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtRecipeDraft, vt_recipe_draft_free)
/* The text of the file. Owned. */
char *vt_recipe_draft_to_text(VtRecipeDraft *self);

/* Borrowed; NULL: there is none. */
const char *vt_draft_text(JsonObject *object, const char *member);
/* The object of a list whose member has this text: its number; -1: there is none. */
int vt_draft_find(GPtrArray *list, const char *member, const char *text);
/* Whether a node, its second output or a stage is called so. */
gboolean vt_draft_has_id(const VtRecipeDraft *self, const char *id);
/* The place after the last node of an id that is there. */
guint vt_draft_find_end(const VtRecipeDraft *self, const char *id);
/* Whether a node of the id shows a stage. */
gboolean vt_draft_is_shown(const VtRecipeDraft *self, const char *id);
/* "Mask", or the id of a stage that is not there. Borrowed. */
const char *vt_draft_get_title(const VtRecipeDraft *self, const char *stage);
/* The same in the language of who reads it. */
const char *vt_draft_get_shown_title(const VtRecipeDraft *self, const char *stage);
/* A node of one input. when, key (of a setting, with its value) and stage: or NULL. */
typedef struct {
  const char *id, *step, *when, *input, *key, *value, *stage;
} VtDraftNode;
JsonObject *vt_draft_new_node(const VtDraftNode *node);
const VitrailStep *vt_draft_find_step(const VitrailPlugin *plugin, const char *id);

gboolean vt_draft_has_text(JsonArray *array, const char *text);
/* Whether a node takes what an id stands for, as input or in an expression. */
gboolean vt_draft_reads(JsonObject *node, const char *id);
/* The id under which the stage's nodes stand; NULL: there are several. Borrowed. */
const char *vt_draft_get_stage_id(const VtRecipeDraft *self, const char *stage);
/* Set of ids: the nodes that show a stage, and those that are there for it alone. */
GHashTable *vt_draft_dup_block(const VtRecipeDraft *self, const char *stage);
gboolean vt_draft_is_in(GHashTable *block, JsonObject *node);
/* Ids that a block takes from outside, each once, in the order of its nodes. The texts are those of the recipe. */
GPtrArray *vt_draft_dup_inputs(const VtRecipeDraft *self, GHashTable *block);
int vt_draft_type(const VtRecipeDraft *self, const char *id);
/* "a mask of 8 bits", in the language of who reads it. */
const char *vt_draft_type_words(int type);

/* In a node or a measurement: takes another id in place of one. */
void vt_draft_rename(JsonObject *item, const char *from, const char *to);
/* The names of parameters that an item's expressions have, and those of the reference that a step knows by their keys, are added to a set, as owned texts. */
void vt_draft_add_names(JsonObject *item, GHashTable *names);
