/* SPDX-License-Identifier: MIT
 *
 * ways.h: one job, done in many ways: with any tiles, threads, memory, ranks, devices, faults, interruptions. */
#pragma once

#include "drawn-recipe.h"
#include "mini-host.h"

enum { WAYS_MOST_PARAMS = 40, WAYS_MOST_INPUTS = 4 };

typedef struct {
  const char *op;
  const Drawn *drawn; /* the recipe of that id, which a session is told first; NULL: a built-in one */
  VtImage images[WAYS_MOST_INPUTS];
  const char *inputs[WAYS_MOST_INPUTS];
  uint32_t n_inputs;
  double um_per_px;   /* 0: not known */
  double um_per_px_y; /* 0: pixels are square */
  VitrailParamValue params[WAYS_MOST_PARAMS];
  uint32_t n_params;
  int64_t x, y, width, height;
  uint64_t stages;
} Job;

typedef struct {
  uint32_t tile, n_threads, n_ranks; /* 0: one */
  uint64_t order, budget;            /* budget 0: all at once */
  const char *device;                /* what the pretended one does; NULL: the CPU alone */
  uint32_t fault;                    /* which of its calls fails; 0: none */
  uint32_t n_stops;                  /* how often it is interrupted, and goes on */
  int64_t cancel_after;              /* looks of one rank; -1: never */
} Way;

/* Scratch files are in a folder of its own, that ways_end() removes. False: it could not be made, or was not empty. */
extern char ways_scratch[];
bool ways_begin(void);
bool ways_end(void);
/* Removes what runs left there that keep their scratch files. */
void ways_clear(void);
/* Some value of a parameter that is no vector. */
double ways_draw_value(const VitrailParam *p);
/* A session that knows the job's recipe; NULL: it was refused, which is told as a comment. */
VitrailSession *ways_session(const Job *job);
/* In one session; ranks, stops and devices of the way don't count. */
VitrailStatus ways_run_in(VitrailSession *session, const Job *job, const Way *way, uint32_t flags, MiniResult *result);
/* In sessions of its own. The result of several ranks is what a host puts together, without a hash. The status is that on
 * which all ranks agree, else INTERNAL; of a cancelled one, CANCELLED. */
VitrailStatus ways_run(const Job *job, const Way *way, MiniResult *result);
void ways_print(const Job *job, const Way *way);
