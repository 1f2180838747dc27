/* SPDX-License-Identifier: MIT
 *
 * Why a pixel came to be what it is: asks the present analysis for the tests that it makes there, at the resolution and in the
 * rectangle of what is shown; then tries every change of one setting that is known to turn a test round, and tells what it
 * makes of the pixel; then from where the pixel has its values in the stages that come of something that spreads. Asked again whenever parameters or resolution change. Main thread only.
 *
 * Signal: "changed" (anything below). */
#pragma once
#include "analysis/vt-analysis.h"
#include "analysis/vt-way.h"
#include "run/vt-why.h"

typedef struct {
  guint verdict;       /* of the answer */
  guint param;         /* of the op */
  char *value;         /* C locale: what the parameter's row can show, at which the test comes out the other way */
  gboolean tried;      /* what follows is known */
  gboolean failed;     /* the run with it */
  gint64 object;       /* that the pixel is then of; 0: of none */
  gboolean is_of_hill; /* it gives the hill a seed of its own, or takes it away */
} VtChange;

#define VT_TYPE_WHY (vt_why_get_type())
G_DECLARE_FINAL_TYPE(VtWhy, vt_why, VT, WHY, GObject)

VtWhy *vt_why_new(VtAnalysis *analysis);
/* A level-0 pixel of the slide. */
void vt_why_ask(VtWhy *self, gint64 x_l0, gint64 y_l0);
/* Nobody asks any more: another slide, or the person closed it. */
void vt_why_forget(VtWhy *self);
/* FALSE: nobody asks. */
gboolean vt_why_get_place(VtWhy *self, gint64 *x_l0, gint64 *y_l0);
/* The last answer; borrowed, NULL: there is none yet, or it failed. */
const VtResult *vt_why_get_answer(VtWhy *self);
/* What was asked; borrowed, NULL: nothing was. */
const VtRunRequest *vt_why_get_request(VtWhy *self);
/* A sentence; NULL: it did not fail. */
const char *vt_why_get_failure(VtWhy *self);
/* The answer is of the present parameters. */
gboolean vt_why_is_current(VtWhy *self);
/* VtChange of the answer, in the order of the tests; borrowed. Empty where the op makes no objects. */
const GPtrArray *vt_why_get_changes(VtWhy *self);
/* Those that move the pixel into an object, or out of all, or part its hill from its neighbour's, or join them; the nearest first: by how many steps of its setting. Owned. */
GPtrArray *vt_why_dup_turning(VtWhy *self);
gboolean vt_why_is_trying(VtWhy *self);
/* Whether the values and ways are those of every step of the recipe, also of steps that no stage shows. It stays for later questions. */
void vt_why_set_steps(VtWhy *self, gboolean wanted);
gboolean vt_why_wants_steps(VtWhy *self);
/* The result whose stages have the values of the place: of every step where they are wanted and known, else the answer. Borrowed; NULL: there is none. */
const VtResult *vt_why_get_valued(VtWhy *self);
/* Why the steps can't be told: a sentence; NULL: they can, or nobody wants them. */
const char *vt_why_get_steps_failure(VtWhy *self);
/* VtWay of the place, in the order of the stages of that: from where it has its values. They come after the changes; borrowed. */
const GPtrArray *vt_why_get_ways(VtWhy *self);
gboolean vt_why_is_tracing(VtWhy *self);
