/* SPDX-License-Identifier: MIT
 *
 * What vt-analysis.c (settings, layers) and vt-analysis-run.c (runs and what they show) share. */
#pragma once
#include "analysis/vt-analysis.h"
#include "analysis/vt-pace.h"
#include "base/vt-progress.h"
#include "layers/vt-roi-item.h"
#include "analysis/vt-runner.h"

struct _VtAnalysis {
  GObject parent;
  GListModel *rois;
  GListStore *layers;
  GHashTable *kept_layers; /* VitrailOp -> GPtrArray of VtLayer: those of the ops that were chosen before */
  VtSlide *slide;
  const VitrailPlugin *plugin;
  const VitrailOp *op;
  GHashTable *kept_params; /* VitrailOp -> VtParams: of the ops that were chosen before, and of this one */
  VtParams *params;        /* borrowed from these */
  char *backend;
  VtViewport view;
  VtRunOn run_on;
  gboolean live, moving, has_view, wants_all, held;
  VtTrueObjects *truth; /* with which the objects will be compared; or NULL */
  guint64 pinned;       /* stages (bits) that runs hand over in any case */

  /* what runs */
  VtRunner *runner;
  VtPace pace;
  VtProgress progress;
  guint stage;   /* at work */
  guint tick_id; /* counts the time down */
  guint busy_id; /* it will be looked at whether it is busy */
  gboolean busy;
  guint settle_id;          /* a live run that is to come */
  guint prepare_id;         /* the pictures of a result are being made, and it is shown by then */
  gint64 asked_us;          /* when somebody asked for what runs now */
  gboolean is_asked;        /* by Run, with its first look; else it is live */
  VtRunRequest *next;       /* the run that Run is about, while its first look is made; or NULL */
  VtRunOn running_on;       /* of Run */
  VtParams *running_params; /* of what runs */
  gboolean coarse;          /* what runs is a first look */
  gint64 came_us,
    look_us;      /* when the last answer came, and when the last first look was handed over to a frame; 0: to none */
  gboolean again; /* parameters changed during it: it is shown, then comes another one */

  /* what is shown */
  VtResult *result;    /* of the last run that was no first look */
  VtResult *corrected; /* the same with the corrections, or itself */
  VtParams *result_params;
  VtRunOn result_on;
  GPtrArray *corrections; /* VtCorrection, of the op; NULL: none */
  gboolean is_correcting; /* a worker applies them */
  VtResult *shown;        /* what the layers show: the corrected result, or a first look */
  VtParams *shown_params;
  VtRunOn shown_on;
  gboolean stays;   /* Run made the result: live runs leave it alone where it answers them */
  gboolean stale;   /* the parameters are others than those of what is shown, or one of its regions is gone */
  gboolean partial; /* there is more in the present view, or there are more regions, than what is shown is of */
};

/* vt-analysis.c */
void vt_analysis_fail(VtAnalysis *self, const char *sentence);
void vt_analysis_log_layers(VtAnalysis *self);
void vt_analysis_notify_running(VtAnalysis *self);
void vt_analysis_set_busy(VtAnalysis *self, gboolean busy);
/* As it is, or with more measurements. */
gboolean vt_analysis_is_result_shown(VtAnalysis *self);
gboolean vt_analysis_takes_rois(VtAnalysis *self); /* its op, which there is */

/* vt-analysis-shown.c. A result, corrected or not, or a first look, and the parameters that it was made with; NULL: nothing. And one that Run or a live run
 * has made. */
void vt_analysis_show(VtAnalysis *self, VtResult *result, const VtParams *params);
void vt_analysis_take_result(VtAnalysis *self, VtResult *result);

/* vt-analysis-run.c */
void vt_analysis_init_runs(VtAnalysis *self);
void vt_analysis_dispose_runs(VtAnalysis *self);
/* Nothing is shown, nothing runs: another op or slide. */
void vt_analysis_forget(VtAnalysis *self);
/* After a change of the view, or of what a live run depends on: what runs now answers a question nobody asks any more. */
void vt_analysis_schedule(VtAnalysis *self);
/* The same of parameters, which change while a hand is on them: at once, and never so often that nothing would ever be seen. */
void vt_analysis_schedule_now(VtAnalysis *self);
/* After a change of parameters or of the view: whether what is shown is of the present ones. */
void vt_analysis_check_shown(VtAnalysis *self);
/* All that is visible of the slide lies in what a result is of; also if nothing is visible. */
gboolean vt_analysis_is_visible_inside(VtAnalysis *self, const VtResult *result);
/* Something of what a result is of is visible. */
gboolean vt_analysis_is_seen(VtAnalysis *self, const VtResult *result);
/* One of those that a result waits for was made. */
void vt_analysis_layer_prepared(VtAnalysis *self);
/* A layer without data is wanted. */
void vt_analysis_want_layer(VtAnalysis *self, VtLayer *layer);
