/* SPDX-License-Identifier: MIT
 *
 * bench.h: the parts of vitrail-bench. A case is one row of a table (cases-*.c): the images that it begins with, the call that
 * is timed, its sizes, and what its time is compared with. bench-image.c makes the images, bench-measure.c times a call,
 * bench-cancel.c cancels it, bench-print.c prints; bench-host.c is a host for whole runs of ops. */
#pragma once

#include "run/run.h"

enum { BENCH_MAX_IMAGES = 4, BENCH_MAX_RUNS = 201, BENCH_MAX_LIST = 4, BENCH_MAX_THREADS = 64, BENCH_SEED = 1 };

typedef struct Bench Bench;
typedef struct BenchCase BenchCase;

/* What is in an image to begin with (bench-image.c). */
typedef enum {
  BENCH_NONE, /* ends the list of a case */
  BENCH_OUT,  /* only written by the call */
  BENCH_MASK,
  BENCH_H_MAX,
  BENCH_SPARSE,
  BENCH_CORRIDOR,
  BENCH_CORRIDOR_START,
  BENCH_FOREGROUND,
  BENCH_ONE_BACKGROUND,
  BENCH_FEW_BACKGROUND,
  BENCH_NO_BACKGROUND,
  BENCH_DISC,
  BENCH_CORNER_DISC,
  BENCH_ZOOMED,
  BENCH_LEVELS,
  BENCH_SEEDS,
  BENCH_STAIN,
  BENCH_COLOUR,
  BENCH_TISSUE,
  BENCH_COLUMNS,     /* column distances of the foreground */
  BENCH_HEIGHT,      /* distances of the foreground */
  BENCH_FLOOD,       /* flood levels of the h-maxima of these, */
  BENCH_FLOOD_SEEDS, /* and their labels */
  BENCH_N_KINDS
} BenchKind;

enum { BENCH_N_LEVELS = 32 };

typedef struct BenchSpec {
  BenchKind kind;
  VtType type;
  int64_t layers; /* images of the size, one below the other; 0: one */
} BenchSpec;

struct BenchCase {
  const char *name, *what;
  BenchSpec images[BENCH_MAX_IMAGES];
  int answer;           /* the image that holds it; what is not BENCH_OUT is filled anew before each run */
  const char *sizes[2]; /* on the CPU and on CUDA, "2048,1920x1080"; NULL: not there */
  double bytes;         /* of a pixel, that no program can do without; 0: there is no copy to compare with */
  const char *against;  /* the case whose time is the measure; NULL: the first line of this one and its size */
  bool on_host;         /* the images stay in host memory, the call is no slot */
  int32_t number[2];    /* connectivity, radius, ... */
  bool by_erosion;
  uint32_t features, aggregates; /* of run lengths */
  const char *op;                /* of a whole run */
  uint64_t stages;               /* wanted of it */
  bool copies;                   /* layers are copied, as by a viewer that keeps them */
  double memory;                 /* its budget in bytes a pixel; 0: none */
  /* Algorithm or arrangement number i; NULL: there are no more. */
  const char *(*variant)(const Bench *bench, int i);
  bool (*prepare)(Bench *bench); /* NULL: only the images */
  void (*clear)(Bench *bench);
  VitrailStatus (*run)(Bench *bench, const VtCancel *cancel);
  uint64_t (*answer_of)(Bench *bench); /* NULL: the bytes of the image */
};

extern const BenchCase bench_kernel_cases[], bench_texture_cases[], bench_run_cases[]; /* end without a name */

typedef struct BenchLine {
  const BenchCase *at;
  const char *backend, *simd;
  char variant[64], note[256];
  uint32_t n_threads;
  int64_t width, height;
  double median, least, spread; /* ms; spread: between the quartiles, of the median */
  int n;
  double copy_ms, extra_bytes; /* of a copy of as many bytes, 0: none; peak beyond the images, < 0: not known */
  uint64_t answer;
  VitrailStatus status;
  bool right;
  const struct BenchLine *against; /* NULL: this is the first */
} BenchLine;

struct Bench {
  /* what was asked for */
  const char *sizes, *algorithm, *folder, *picture;
  const VtBackend *backends[VT_MAX_BACKENDS];
  uint32_t n_backends, thread_counts[BENCH_MAX_LIST], n_thread_counts, n_cores;
  int simd[BENCH_MAX_LIST], n_simd; /* VtCpuSimd; none: as usual */
  int n_runs;
  double seconds;  /* for a line */
  uint64_t memory; /* bytes, instead of a case's own budget */
  bool json, cancels;
  double limit_ms, within_ms;
  int n_moments;
  /* what is at work */
  const BenchCase *at;
  const VtBackend *backend;
  VtDevice *device;
  VitrailSession *session;
  uint32_t n_threads;
  const char *simd_name;
  int variant;
  int64_t width, height;
  VtImage host[BENCH_MAX_IMAGES],
    images[BENCH_MAX_IMAGES]; /* the second ones are the device's, or (on_host) the first */
  int n_images;
  void *start;   /* what the answer's image begins with, in CUDA's memory; NULL: it is uploaded before each run */
  double own_ms; /* what the call says that it took; < 0: the clock's time counts */
  char note[256];
  void *data; /* of the case, between prepare and clear */
  /* what has been measured */
  BenchLine **lines;
  size_t n_lines;
  int n_bad;
};

/* bench-image.c: host memory, to be freed; no data where there is no memory. */
VtImage bench_image_new(Bench *bench, const BenchSpec *spec, int64_t width, int64_t height);
const char *bench_kind_name(BenchKind kind);
void bench_image_clear(void);
/* A grey picture (PGM, P5, 8 bits) that takes the place of the tissue, repeated; false: it cannot be read. */
bool bench_image_take_picture(const char *path);
/* Copies go as bytes, whatever the pixels are. */
VtImage bench_as_bytes(const VtImage *image);
size_t bench_image_bytes(const VtImage *image);

/* bench-measure.c */
bool bench_take_images(Bench *bench); /* makes the case's images, on the device, too */
void bench_drop_images(Bench *bench);
bool bench_refill(Bench *bench);        /* before a run */
void bench_time(Bench *bench);          /* the variant at work: a line */
double bench_median(double *ms, int n); /* which are sorted by this */
uint64_t bench_hash(uint64_t hash, const void *data, size_t n);

/* bench-cancel.c: cancels the variant at work and prints a line. Returns whether the call is through within_ms. */
bool bench_cancel(Bench *bench);
bool bench_is_through(Bench *bench); /* one run */

/* bench-print.c */
void bench_list(void);
void bench_print_head(const Bench *bench);
void bench_print(const Bench *bench, const BenchLine *line);
const char *bench_size_text(int64_t width, int64_t height, char text[32]);

/* bench-host.c: threads that stand by, as the viewer's do; the number of those that take part is *(uint32_t *)user. */
void bench_parallel(void *user, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user);
/* Rows by all threads of the machine. */
void bench_rows(Bench *bench, int64_t n, void (*job)(void *job_user, uint32_t y), void *job_user);
/* The same for a run that is being cancelled: what its threads do without a look is measured (bench-cancel.c). */
void bench_watched_parallel(Bench *bench, uint32_t n, void (*job)(void *job_user, uint32_t index), void *job_user);
VitrailStatus bench_run_op(Bench *bench, const VtCancel *cancel);
uint64_t bench_op_answer(Bench *bench);
/* A run's frame for drivers that are called without an op: on the device at work and the CPU. */
const VitrailPlugin *vitrail_plugin_entry(uint32_t host_major, uint32_t host_minor);
VtRun bench_driver_run(Bench *bench, const VtCancel *cancel);
