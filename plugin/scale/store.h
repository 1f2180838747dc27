/* SPDX-License-Identifier: MIT
 *
 * store.h: rasters of any size under a byte budget. A store is cut into square blocks; blocks that don't fit the budget are
 * in a scratch file. Rectangles are copied in and out, so that no caller holds a block. All calls may come from any thread. */
#pragma once

#include "run/run.h"

/* The budget, shared by all stores of a run. What does not fit is refused; the budget is never exceeded. */
typedef struct VtStorePool VtStorePool;
typedef struct VtStore VtStore;

/* budget: bytes of blocks in memory, 0 = no limit. scratch_dir: where scratch files go; NULL: none, and a block beyond the
 * budget is VITRAIL_OUT_OF_MEMORY. keep: the files have names and outlive the run; a resumed run reads them. */
VtStorePool *vt_store_pool_new(uint64_t budget, const char *scratch_dir, bool keep);
void vt_store_pool_free(VtStorePool *pool);
/* Most bytes of blocks in memory, and in scratch files, so far. */
uint64_t vt_store_pool_peak(VtStorePool *pool);
uint64_t vt_store_pool_scratch(VtStorePool *pool);

/* VITRAIL_READ_FAILED, with the sentence that says why files of the pool could not be written or read. NULL: any others. */
VitrailStatus vt_scratch_failed(VtRun *run, VtStorePool *pool);

/* The edge of blocks, in pixels. Kept files whose blocks have another edge are not read. */
int64_t vt_store_pool_edge(const VtStorePool *pool);
/* Removes kept files of this name, of which no store is open. */
void vt_store_pool_forget(VtStorePool *pool, const char *name);

/* Pixels are zero until written. name: of the files, unique in the pool. */
VitrailStatus vt_store_new(VtStorePool *pool, const char *name, VtType type, int64_t width, int64_t height,
                           VtStore **store);
void vt_store_free(VtStore *store);
/* Two stores of one pool, size and type exchange their pixels and files; nobody may be using them. */
void vt_store_swap(VtStore *a, VtStore *b);
int64_t vt_store_width(const VtStore *store);
int64_t vt_store_height(const VtStore *store);
VtType vt_store_type(const VtStore *store);
/* Copies a rectangle inside the store. Pixels are copied one at a time from the view of other threads: a pixel that is
 * being written elsewhere is old or new. VITRAIL_OUT_OF_MEMORY, or VITRAIL_READ_FAILED when the scratch file fails. */
VitrailStatus vt_store_get(VtStore *store, VtRect rect, const VtImage *dst);
VitrailStatus vt_store_put(VtStore *store, VtRect rect, const VtImage *src);
/* From now on a label (I32) is read as table[label], of what was read before; what is not in the table is 0. Such a store is not written
 * to. */
VitrailStatus vt_store_relabel(VtStore *store, const int32_t *table, int64_t n_entries);
bool vt_store_is_relabelled(const VtStore *store);
/* True if every block that the rectangle touches was written back, by this run or by one that kept its files. */
bool vt_store_is_kept(VtStore *store, VtRect rect);
/* Writes back what was changed: one of n_parts equal shares of it, for as many threads. */
VitrailStatus vt_store_flush(VtStore *store, uint32_t part, uint32_t n_parts);
