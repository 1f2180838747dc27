/* SPDX-License-Identifier: MIT
 *
 * ways.h: one job, done in many ways: with any tiles, threads, memory, ranks, devices, faults, interruptions. */
#pragma once

#include "drawn-recipe.h"
#include "mini-host.h"

typedef struct {
  uint32_t tile, n_threads, n_ranks; /* 0: one */
  uint64_t order, budget;            /* budget 0: all at once */
  const char *device;                /* what the pretended one does; NULL: the CPU alone */
  uint32_t fault;                    /* which of its calls fails; 0: none */
  uint32_t n_stops;                  /* how often it is interrupted, and goes on */
  bool no_scratch;                   /* there is no folder for files */
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
/* Whether each label of one image goes with one label of the other, both ways; called for one pixel after the other. The lists, of one
 * entry for each label, begin as zeros. */
bool ways_pairs(int32_t *there_of, int32_t *here_of, int32_t here, int32_t there);
/* In one session; ranks, stops and devices of the way don't count. */
VitrailStatus ways_run_in(VitrailSession *session, const MiniJob *job, const Way *way, uint32_t flags,
                          MiniResult *result);
/* In sessions of its own. The result of several ranks is what a host puts together. The status is that on
 * which all ranks agree, else INTERNAL; of a cancelled one, CANCELLED. */
VitrailStatus ways_run(const MiniJob *job, const Way *way, MiniResult *result);
void ways_print(const MiniJob *job, const Way *way);
