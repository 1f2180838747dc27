#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nuclei of the made-up slide against the truth, by `vitrail-batch score`: F1 at an intersection over union of at least 0.5. And why
a nucleus is one, by `vitrail-batch why`: at the value that it names the nucleus is none. And README.md's first command where there is no
display: `./dev run SLIDE` on what is built here."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import batch

LEAST = 0.6


def why(slide, at, *args):
    result = batch.batch("why", "nuclei-threshold", slide, "--at", at, "--json", *args)
    if problem := result.problem((0,)):
        sys.exit(f"vitrail-batch why: {problem}: {result.err}")
    return {(line["node"], line["test"], line.get("tested")): line for line in json.loads(result.out)["verdicts"]}


def check_why(slide, objects):
    """Of a nucleus, one that a limit refuses, and a pixel that is none."""
    x, y = objects["features"][0]["geometry"]["coordinates"][0][0]
    at = next(f"{int(x) + dx},{int(y) + 4}" for dx in (0, 3, -3, 6, -6) if ("labels", "at-most", "area") in why(slide, f"{int(x) + dx},{int(y) + 4}"))
    area = why(slide, at)["labels", "at-most", "area"]
    if not area["holds"] or area["parameter"] != "max-area":
        sys.exit(f"a nucleus that is no nucleus: {area}")
    refused = why(slide, at, "--set", f"max-area={area['critical']!r}")["labels", "at-most", "area"]
    if refused["holds"]:
        sys.exit(f"it is one still: {refused}")
    outside = batch.batch("why", "nuclei-threshold", slide, "--at", "9,9", "--region", "100,100,200,200")
    if outside.problem((1,)) or "outside the region" not in outside.err:
        sys.exit(f"a pixel outside of the region: {outside.err}")
    glass = batch.batch("why", "nuclei", slide, "--at", "150,150", "--region", "100,100,200,200")
    if glass.problem((0,)) or "no candidate region has a score here" not in glass.out:
        sys.exit(f"glass, which no region is a candidate of: {glass.out}{glass.err}")


def check_dev_run(folder):
    """A copy of ./dev, so that its out/ is nobody's; it finds everything installed, and built."""
    source, build, programs = (folder / name for name in ("source", "build", "bin"))
    for path in (source, build, programs):
        path.mkdir()
    shutil.copy(pathlib.Path(__file__).resolve().parents[2] / "dev", source)
    (build / "build.ninja").touch()
    for name in ("viewer", "plugin", "data"):
        (build / name).symlink_to(batch.BATCH.parents[1] / name)
    for name, text in (("ninja", "exit 0"), ("apt-get", "exit 1"), ("dpkg-query", "echo installed")):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    slide, _ = batch.demo_slide(folder, 512)
    env = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run([source / "dev", "run", slide], capture_output=True, text=True, timeout=120 * batch.SLOW, stdin=subprocess.DEVNULL,
                          env={**env, "BUILD": str(build), "PATH": f"{programs}:{env['PATH']}"})
    named = [pathlib.Path(path) for path in re.findall(r"\S+/out/demo-512/\S+", done.stdout)]
    missing = [path for path in named if not path.exists()]
    if done.returncode != 0 or "no display: analysing 512 x 512" not in done.stdout or len(named) < 5 or missing:
        sys.exit(f"./dev run without a display: status {done.returncode}, named {named}, missing {missing}: {done.stdout}{done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slide, truth = batch.demo_slide(folder, 2048)
        batch.run_op(folder / "out", "nuclei-threshold", slide)
        result = batch.batch("score", folder / "out" / "labels.tif", truth, "--json", folder / "score.json")
        if problem := result.problem((0,)):
            sys.exit(f"vitrail-batch score: {problem}: {result.err}")
        figures = json.loads((folder / "score.json").read_text())
        check_dev_run(folder)
        check_why(slide, json.loads((folder / "out" / "objects.geojson").read_text()))
    at_half = next(line for line in figures["iou"] if line["above"] == 0.5)
    print(at_half)
    return 0 if at_half["f1"] >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
