#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nuclei of the made-up slide against the truth, by `vitrail-batch score`: F1 at an intersection over union of at least 0.5."""
import json
import pathlib
import sys
import tempfile

import batch

LEAST = 0.6


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slide, truth = batch.demo_slide(folder, 2048)
        batch.run_op(folder / "out", "nuclei", slide)
        result = batch.batch("score", folder / "out" / "labels.tif", truth, "--json", folder / "score.json")
        if problem := result.problem((0,)):
            sys.exit(f"vitrail-batch score: {problem}: {result.err}")
        figures = json.loads((folder / "score.json").read_text())
    at_half = next(line for line in figures["iou"] if line["above"] == 0.5)
    print(at_half)
    return 0 if at_half["f1"] >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
