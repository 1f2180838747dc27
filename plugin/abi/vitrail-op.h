/* SPDX-License-Identifier: MIT
 *
 * vitrail-op.h: what an op declares. A part of the interface of vitrail-plugin.h, which has its rules and includes it. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One list of outcomes from kernel to toast. The numbers are pinned. */
typedef int32_t VitrailStatus;
enum {
  VITRAIL_OK = 0,
  VITRAIL_CANCELLED = 1,
  VITRAIL_UNSUPPORTED = 2,
  VITRAIL_NO_DEVICE = 3,
  VITRAIL_OUT_OF_MEMORY = 4,
  VITRAIL_BAD_ARGUMENT = 5,
  VITRAIL_READ_FAILED = 6,
  VITRAIL_INTERNAL = 7,
};

typedef int32_t VitrailPixelType;
enum {
  VITRAIL_U8 = 0,
  VITRAIL_U16 = 1,
  VITRAIL_I32 = 2,
  VITRAIL_F32 = 3,
  VITRAIL_RGBA8 = 4, /* bytes R G B A, opaque: the host has laid it over the slide's background */
};

/* --- What an op declares: widgets, command line, record and documentation are all made from this. --- */

typedef int32_t VitrailParamType;
enum {
  VITRAIL_PARAM_FLOAT = 0,
  VITRAIL_PARAM_INT = 1,
  VITRAIL_PARAM_BOOL = 2,   /* 0 or 1 */
  VITRAIL_PARAM_CHOICE = 3, /* index into `choices` */
  VITRAIL_PARAM_VECTOR = 4, /* three numbers, e.g. the optical densities of a stain */
};

typedef struct VitrailParam {
  uint32_t size;
  VitrailParamType type;
  const char *key;   /* stable, [a-z0-9-]+ */
  const char *title; /* for people */
  const char *help;  /* one or two sentences */
  const char *group; /* heading of the run panel it stands under */
  const char *unit;  /* "µm", "µm²", "OD", "" ... */
  double min, max;   /* inclusive; for every component of a vector */
  double initial[4]; /* the default; a vector uses three */
  double step;       /* a sensible increment for a widget; 0 = host's choice */
  /* For lengths and areas: an image without a pixel size reads the number in pixels and starts from this default instead. NULL unit_px: it is none. */
  const char *unit_px;
  double initial_px;
  uint32_t n_choices;
  uint32_t flags;             /* VITRAIL_PARAM_ADVANCED */
  const char *const *choices; /* keys of the choices, [a-z0-9-]+ */
  const char *const *choice_titles;
  void *reserved[4];
} VitrailParam;
enum { VITRAIL_PARAM_ADVANCED = 1u << 0 };

typedef int32_t VitrailReach;
enum { VITRAIL_REACH_LOCAL = 0, VITRAIL_REACH_PROPAGATE = 1, VITRAIL_REACH_REDUCE = 2 };

typedef int32_t VitrailStageKind;
enum {
  VITRAIL_STAGE_SCALAR = 0,  /* raster of a quantity */
  VITRAIL_STAGE_MASK = 1,    /* raster, 0 or 255 */
  VITRAIL_STAGE_LABELS = 2,  /* raster, 0 = none, 1.. = object number */
  VITRAIL_STAGE_OBJECTS = 3, /* emit_object */
  VITRAIL_STAGE_ROWS = 4,    /* emit_row */
  VITRAIL_STAGE_COLOUR = 5,  /* since 1.10: raster of RGBA8 */
};

typedef struct VitrailStage {
  uint32_t size;
  VitrailStageKind kind;
  const char *id;      /* "hematoxylin": also the file name of the stage */
  const char *title;   /* "Hematoxylin" */
  const char *help;    /* what is seen here, one sentence */
  const char *unit;    /* of the physical value, "OD", "µm", "" */
  const char *unit_px; /* unit when the image has no pixel size; NULL: the same */
  /* Suggestion: "gray", "viridis", "magma", "cividis"; "labels"; of masks and objects one colour: "mask" (orange), "mint", "crimson", "blue", "black". */
  const char *colormap;
  VitrailReach reach;
  uint32_t flags;
  double display_min, display_max; /* suggested range in physical units; equal: use the data's own */
  /* Both or none: while the op's parameter of this key is 0 the stage shows next to nothing, and why, for people. */
  const char *empty_param, *empty_reason;
  void *reserved[2];
} VitrailStage;
enum {
  VITRAIL_STAGE_SHOWN = 1u << 0,      /* a host switches this layer on by itself */
  VITRAIL_STAGE_ZERO_EMPTY = 1u << 1, /* raw value 0 means that nothing is there: the tissue shows through */
};

typedef int32_t VitrailInputKind;
enum {
  VITRAIL_INPUT_IMAGE = 0,  /* RGBA8 or one channel U8, U16, I32, F32 */
  VITRAIL_INPUT_SCALAR = 1, /* one channel only */
  VITRAIL_INPUT_ROIS = 2,   /* polygons, VitrailRequest.rois */
};

typedef struct VitrailInputSpec {
  uint32_t size;
  VitrailInputKind kind;
  const char *id; /* "image", "marker", "mask", "rois" */
  const char *title, *help;
  uint32_t flags, reserved0; /* VITRAIL_INPUT_OPTIONAL, VITRAIL_INPUT_PRIMARY */
  void *reserved[2];
} VitrailInputSpec;
enum {
  VITRAIL_INPUT_OPTIONAL = 1u << 0,
  VITRAIL_INPUT_PRIMARY = 1u << 1, /* the one a slide is given to when only a slide is given */
};

typedef struct VitrailOp {
  uint32_t size;
  VitrailReach reach; /* the widest reach of its stages */
  const char *id;     /* "nuclei" */
  const char *title, *help;
  uint32_t n_inputs, n_params, n_stages, n_columns; /* at most 64 stages */
  const VitrailInputSpec *const *inputs;
  const VitrailParam *const *params;
  const VitrailStage *const *stages;
  const char *const *columns; /* of emit_row, if a stage has rows; the first column is text */
  void *reserved[4];
} VitrailOp;

#ifdef __cplusplus
}
#endif
