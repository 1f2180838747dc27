#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every broken or unreadable slide ends in one sentence and exit status 1: no crash, no hang."""
import concurrent.futures
import pathlib
import sys
import tempfile

import batch

# What of a slide is run on, where that is not all: round the tile that is damaged.
PARTS = {"Mirax2-Fluorescence-2.mrxs": ("--region", "10000,102000,2000,2000")}


def check(path, out):
    """The problems with one file."""
    problems = []
    result = batch.batch("info", path)
    problem = result.problem((0, 1))
    if problem:
        problems.append(f"info {path.name}: {problem}")
    result = batch.batch("run", "nuclei-threshold", path, *PARTS.get(path.name, ()), "--out", out)
    problem = result.problem((1,))
    lines = result.err.strip().splitlines()
    if problem:
        problems.append(f"run {path.name}: {problem}")
    elif len(lines) != 1 or not lines[0].rstrip().endswith("."):
        problems.append(f"run {path.name}: not one sentence: {lines}")
    print(f"{'not ok' if problems else 'ok'}: {path.name}: {lines[-1] if lines else ''}", flush=True)
    return problems


def main():
    shared = batch.shared()
    if not shared:
        print("no shared test data (VITRAIL_SHARED): skipped")
        return batch.SKIP
    files = sorted(p for kind in ("damaged", "unsupported") for p in (shared / "slides" / kind).iterdir() if p.is_file())
    with tempfile.TemporaryDirectory() as folder:
        # Otherwise all could be refused for a reason that has nothing to do with them.
        batch.run_op(pathlib.Path(folder) / "sound", "nuclei-threshold", batch.demo_slide(folder, 512)[0])
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda i: check(files[i], pathlib.Path(folder) / str(i)), range(len(files)))
        problems = [p for part in found for p in part]
    print(*problems, sep="\n")
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
