#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nuclei of the made-up slide against the truth: F1 at an intersection over union of at least 0.5."""
import pathlib
import sys
import tempfile

import batch
from images import np, read

LEAST = 0.6


def f1(found, truth, least_overlap=0.5):
    """Above one half, an object of one side overlaps at most one of the other so much: no matching is needed."""
    width = int(truth.max()) + 1
    pairs, shared = np.unique(found.astype(np.int64) * width + truth, return_counts=True)
    area_found, area_truth = np.bincount(found.ravel()), np.bincount(truth.ravel())
    i, j = pairs // width, pairs % width
    union = area_found[i] + area_truth[j] - shared
    hits = int(np.sum((i > 0) & (j > 0) & (shared > least_overlap * union)))
    n_found, n_truth = int(np.count_nonzero(area_found[1:])), int(np.count_nonzero(area_truth[1:]))
    return 2 * hits / (n_found + n_truth), hits, n_found, n_truth


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slide, truth = batch.demo_slide(folder, 2048)
        batch.run_op(folder / "out", "nuclei", slide)
        score, hits, n_found, n_truth = f1(read(folder / "out" / "labels.tif"), read(truth))
    print(f"F1 {score:.3f} at IoU 0.5: {n_truth} nuclei, {n_found} found, {hits} rightly")
    return 0 if score >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
