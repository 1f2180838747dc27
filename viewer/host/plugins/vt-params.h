/* SPDX-License-Identifier: MIT
 *
 * Values of an op's parameters as a person sets them. */
#pragma once
#include <gio/gio.h>

#include "base/vt-error.h"
#include "plugins/vt-taught.h"
#include "raster/vt-file-objects.h"
#include "raster/vt-placed.h"

/* Most values that one parameter can have. */
#define VT_PARAMS_MOST_VALUES 16

typedef struct {
  const VitrailOp *op;    /* borrowed */
  gboolean calibrated;    /* lengths are in µm, else in pixels */
  double (*values)[4];    /* op->n_params entries */
  gboolean *is_set;       /* by a person; the others follow the default */
  VtTaught *taught;       /* owned; NULL: the score of the op is as it is */
  VtPlacedLabels *labels; /* owned; what its input of labels (vt_op_get_labels()) reads; or NULL */
  VtFileObjects *objects; /* owned; what its input of objects (vt_op_get_objects()) is; or NULL */
  guint
    n_listed; /* values of the parameter `listed`, each a setting of its own, whose columns stand beside one another; 0: each parameter has one value */
  guint listed;
  double list[VT_PARAMS_MOST_VALUES]; /* the first is in `values`, too */
} VtParams;

/* Defaults; `calibrated` decides which ones lengths take. */
VtParams *vt_params_new(const VitrailOp *op, gboolean calibrated);
VtParams *vt_params_copy(const VtParams *params);
void vt_params_free(VtParams *params);
/* Values and who set them; labels and objects stay where `from` has none. FALSE, and nothing: `from` is of another op, or has lengths in the other unit. */
gboolean vt_params_assign(VtParams *params, const VtParams *from);
/* TRUE: the same op with the same values; who set them does not matter. */
gboolean vt_params_equal(const VtParams *a, const VtParams *b);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtParams, vt_params_free)
/* "threshold=0.15", "hematoxylin=0.65,0.70,0.29", "split=true", "feature=sre"; "levels=8,16,32", of one parameter of an op whose stages are all rows. A sentence on failure that says what would
 * be right: the known keys, the range with unit, the choices. */
gboolean vt_params_set_from_string(VtParams *params, const char *key_value, GError **error);
/* It has this value alone then. */
gboolean vt_params_set(VtParams *params, guint index, const double v[4], GError **error);
/* Whether the parameter can have several values. */
gboolean vt_params_can_list(const VtParams *params, guint index);
gboolean vt_params_has_list(const VtParams *params, guint index);
/* The number-th of these settings, of one value each; of parameters without a list a copy. */
VtParams *vt_params_copy_setting(const VtParams *params, guint number);
/* Which of these settings the other parameters are; -1: none. Without a list it is 0, or none. */
int vt_params_find_setting(const VtParams *params, const VtParams *one);
/* Whether a parameter has other values in another set of the same op. */
gboolean vt_params_differ(const VtParams *a, const VtParams *b, guint index);
/* taught: NULL, or takes a reference. */
void vt_params_set_taught(VtParams *params, VtTaught *taught);
/* The same of labels. */
void vt_params_set_labels(VtParams *params, VtPlacedLabels *labels);
/* The same of objects. */
void vt_params_set_objects(VtParams *params, VtFileObjects *objects);
/* What a person set in `from`, parameters of the same op; not lengths, if they are in µm there and in pixels here, or the
 * other way round. */
void vt_params_take_over(VtParams *params, const VtParams *from);
/* Of parameters of another op with the same keys, types and units: their values, and whether a person set them. Others stay. */
void vt_params_follow(VtParams *params, const VtParams *from);
/* Whether two settings, KEY=VALUE, are of one parameter. */
gboolean vt_params_is_same_key(const char *setting, const char *other);
/* The first of such settings, of a command line, whose parameter another one gave before it, as it is in a list that ends with NULL or is NULL;
 * or NULL. Which of them is meant, nobody knows. */
const char *vt_params_find_repeated(const char *const *settings);
void vt_params_reset(VtParams *params, guint index);
/* C-locale text of a value, the same form that vt_params_set_from_string reads. */
char *vt_params_dup_text(const VtParams *params, guint index);
/* Unit that holds now ("µm" or "px"). */
const char *vt_params_get_unit(const VtParams *params, guint index);
/* As a person reads it, with its unit: "0.10 OD". Owned. */
char *vt_params_dup_shown(const VtParams *params, guint index);
/* As many decimals as its step and its default need. */
guint vt_param_count_digits(const VitrailParam *param);
