/* SPDX-License-Identifier: MIT
 *
 * A plugin of others runs in a process of its own (vitrail-plugin-worker), never in the program. What stands for it here is a table like that of any
 * plugin, and a session whose functions ask the process. */
#pragma once
#include "base/vt-error.h"

typedef struct VtWorker VtWorker;

/* The program that runs plugins. For tests; before the first plugin. */
void vt_worker_set_program(const char *path);

/* Loads the file in a process. NULL and a sentence that names `path`. */
VtWorker *vt_worker_new(const char *path, GError **error);
/* The same of a file on which there is a verdict, from what is kept beside it (vt-plugin-probe.h): the process starts when its session is opened. What is
 * not kept, or makes no sense, is asked for and kept. */
VtWorker *vt_worker_find(const char *path, GError **error);
/* What its process has told: as bytes, and a worker of such bytes, which need not make sense (NULL). */
GBytes *vt_worker_dup_told(const VtWorker *self);
VtWorker *vt_worker_new_told(const char *path, GBytes *told);
void vt_worker_free(VtWorker *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(VtWorker, vt_worker_free)
/* Its table, checked. It lives as long as the program, and so must the worker, which then is never freed. Its session_open and recipe_check don't
 * know which process to ask: vt_worker_open(), vt_worker_check_recipe(). NULL and a sentence. */
const VitrailPlugin *vt_worker_check(VtWorker *self, GError **error);
/* Opens the session, once, and starts the process if there is none. The session is the worker's. `error` is set if the process cannot be had. */
VitrailStatus vt_worker_open(VtWorker *self, VitrailSession **session, GError **error);
/* VitrailPlugin.recipe_check, by another process: this one may be at work. [any] */
VitrailStatus vt_worker_check_recipe(VtWorker *self, const VitrailRecipe *recipe, VitrailRecipeProblem *problem);
