/* SPDX-License-Identifier: MIT
 *
 * step.h: what recipes are made of. A step is declared once: what it takes and makes, its parameters, and how it runs by the
 * functions of an executor. It does not know which executor that is. */
#pragma once

#include "drivers/channel.h"
#include "executors/executor.h"

enum { VT_STEP_IN = 4, VT_STEP_PARAMS = 12 };

/* What a node of a recipe makes. */
typedef struct {
  VtImage image;             /* in the executor's memory */
  VtType type;               /* of its pixels, known before there are any */
  bool is_labels;            /* 0: none; I32 */
  bool is_raw;               /* labels that are any numbers: each way of running makes others */
  bool is_normalised;        /* colours with the reference's stains (the step normalize) */
  double scale;              /* the physical value of one raw unit */
  const VitrailInput *input; /* not NULL: its pixels as they are */
  VtObjectStats *stats;      /* of labels that are numbered objects; free() it */
  int64_t n;                 /* how many labels or objects there are; -1: not known */
} VtValue;

typedef struct {
  double number;
  const char *word; /* of a choice; NULL: none */
} VtParamOf;

/* One node that is about to run, or about which something is asked. */
typedef struct VtCall {
  VtRun *run;
  VtValue *in[VT_STEP_IN];          /* NULL: not given */
  VtValue *out, *also;              /* also: the second output, if somebody wants it */
  VtParamOf params[VT_STEP_PARAMS]; /* in the order of the step's settings (info.c); 0: not given */
  VtChannel *channel;               /* for a step that makes one */
  const VitrailInput *primary;      /* whose grid the run has */
  int32_t stage;                    /* that shows it; -1: none */
} VtCall;

typedef enum { VT_ON_DEVICE, VT_STREAMED, VT_BOUNDED } VtWay;

typedef struct {
  const char *id;
  uint8_t passes;                /* over streamed images, about; 0: one */
  uint8_t n_optional;            /* inputs, the last ones */
  bool has_also;                 /* there is a second output */
  bool by_algorithm;             /* the op's parameter `algorithm` chooses how it is done */
  bool makes_raw, makes_numbers; /* labels that are any numbers; numbers in the order of first pixels */
  bool has_objects;              /* the output's labels are numbers of objects that were counted */
  bool is_sink;                  /* there is nothing to run: the engine hands over what comes in */
  bool hands_over;            /* so is this, but it runs: it reads its inputs in parts and hands over what it makes */
  VitrailStageKind shown_as;  /* of a sink: what its stage is */
  const char *const *columns; /* of one that hands over rows; the last is NULL */
  uint8_t reads;              /* bits of inputs that are what a step `read` gives */
  bool or_colours;            /* or colours that a step made */
  uint8_t bytes_per_px;       /* of one that hands over: what it holds for a pixel of the region */
  int8_t over;        /* the input, from 1, whose place the output takes: it is copied if others want it; 0: none */
  int8_t may_replace; /* bits of inputs whose place the output may take, if nobody wants them */
  uint32_t takes[VT_STEP_IN]; /* bits of types, VT_TAKES_..., of each input */
  int32_t makes, makes_also;  /* a type, VT_LIKE_FIRST, or VT_MAKES_LABELS */
  uint8_t late;               /* the setting, from 1, of which only the end depends (VtRun.scored); 0: none */
  bool keeps_scale;           /* the output's unit is that of the first input */
  bool by_pixel;              /* a pixel depends on that pixel of the inputs alone */
  uint32_t not_on_device;     /* bits of types: a first input of such a type is no device's work */
  /* Beside the types: fills in what else is known of the output; refuses parameters with a sentence. NULL: nothing. */
  VitrailStatus (*infer)(const VtCall *call);
  VitrailStatus (*run)(VtExec *x, const VtCall *call);
  /* Facts for the record, once a run, also where what the node makes was kept. NULL: none. */
  void (*record)(const VtCall *call);
  /* The sentence with which the user is told that there is no such thing; NULL where it can. `record`: what the record says
   * where certainty is not asked for but missing. The function is NULL where the step runs in every way. */
  const char *(*cannot)(const VtCall *call, VtWay way, const char **record);
} VtStep;

enum {
  VT_TAKES_U8 = 1u << VITRAIL_U8,
  VT_TAKES_U16 = 1u << VITRAIL_U16,
  VT_TAKES_I32 = 1u << VITRAIL_I32,
  VT_TAKES_F32 = 1u << VITRAIL_F32,
  VT_TAKES_RGBA8 = 1u << VITRAIL_RGBA8,
  VT_TAKES_LABELS = 1u << 16,
  VT_TAKES_SCALARS = VT_TAKES_U8 | VT_TAKES_U16 | VT_TAKES_I32 | VT_TAKES_F32,
  VT_TAKES_LIKE_FIRST = 1u << 17,
  VT_TAKES_I64 = 1u << 18,
  VT_TAKES_ANY = VT_TAKES_SCALARS | VT_TAKES_RGBA8 | VT_TAKES_LABELS | VT_TAKES_I64,
};
enum { VT_LIKE_FIRST = -1, VT_MAKES_LABELS = -2 };

/* How many inputs there are, with the optional ones. */
static inline int
vt_step_n_in(const VtStep *step)
{
  int n = 0;
  while (n < VT_STEP_IN && step->takes[n])
    n++;
  return n;
}
/* NULL: there is none. */
const VtStep *vt_step_find(const char *id);
