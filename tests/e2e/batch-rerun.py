#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A record repeats its run: every op of the catalogue, with parameters, regions and resolutions drawn at random, from a slide
and from a plain image; and a folder that is not what its record says is not believed."""
import hashlib
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import batch
from images import Checks

CHECKS = Checks("rerun")


def drawn(dice, param):
    """A value that an op takes, and that keeps it quick."""
    if param["type"] == "choice":
        return dice.choice(param["choices"])
    if param["type"] == "bool":
        return dice.choice(["true", "false"])
    if param["key"] in ("pixel-size", "context-limit", "largest") or param["type"] == "vector" or not param["default"]:
        return None
    near = param["default"] * dice.uniform(0.6, 1.3)
    near = min(max(near, param["min"]), param["max"])
    return str(round(near)) if param["type"] == "int" else repr(near)


def words_of(dice, op):
    words = []
    for param in op["params"]:
        value = drawn(dice, param) if dice.random() < 0.5 and param["key"] != "algorithm" else None
        words += ["--set", f"{param['key']}={value}"] if value else []
    stages = [stage["id"] for stage in op["stages"]]
    return words + ["--stages", ",".join(dice.sample(stages, dice.randint(1, len(stages)))),
                    "--min-downsample", dice.choice(["1", "1.7", "2"])]


def rois(folder, x, y):
    square = [[x, y], [x + 90, y], [x + 90, y + 70], [x, y + 70], [x, y]]
    path = folder / "rois.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"name": "a"}, "geometry": {"type": "Polygon", "coordinates": [square]}}]}))
    return path


def check_op(folder, dice, op, slide):
    x, y = dice.randint(0, 700), dice.randint(0, 700)
    words = words_of(dice, op) + ["--region", f"{x},{y},{dice.randint(120, 300)},{dice.randint(120, 300)}"]
    if any(i["kind"] == "rois" for i in op["inputs"]):
        words += ["--rois", rois(folder, x, y)]
    out, again = folder / "out", folder / "again"
    first = batch.batch("run", op["id"], slide, *words, "--out", out, timeout=120)
    if first.status != 0:  # parameters that do not go together are refused; nothing to repeat
        CHECKS.true(f"{op['id']}: refused in a sentence", first.problem((1, 2)) is None, first.err)
        return
    record = json.loads((out / "record.json").read_text())
    for name, file in record["contents"].items():
        data = (out / name).read_bytes()
        CHECKS.true(f"{op['id']}: size and hash of {name}",
                      [file["bytes"], file["sha256"]] == [len(data), hashlib.sha256(data).hexdigest()])
    CHECKS.true(f"{op['id']}: all files are in the record", sorted(record["contents"]) == sorted(record["files"]))
    result = batch.batch("rerun", out / "record.json", "--out", again, "--threads", dice.randint(1, 3), timeout=120)
    CHECKS.true(f"{op['id']} {' '.join(map(str, words))}: the same again", result.status == 0, result.out + result.err)


def check_doubts(folder, slide):
    out = folder / "doubts"
    run = ("run", "distance", slide, "--region", "0,0,200,150", "--stages", "result", "--out", out)
    batch.batch(*run)
    result = batch.batch(*run, "--resume")
    CHECKS.true("a whole result is believed", result.status == 0 and "done before" in result.out, result.out + result.err)
    for change in ("other", "gone"):
        if change == "gone":
            (out / "result.tif").unlink()
        else:
            (out / "result.tif").write_bytes((out / "result.tif").read_bytes() + b"x")
        result = batch.batch(*run, "--resume")
        CHECKS.true(f"a file that is {change}: the run is made again", result.status == 0 and "Made again" in result.err
                      and "done before" not in result.out and (out / "result.tif").exists(), result.out + result.err)
    record = json.loads((out / "record.json").read_text())
    record["contents"]["result.tif"]["sha256"] = "0" * 64
    (out / "record.json").write_text(json.dumps(record))
    result = batch.batch("rerun", out / "record.json")
    CHECKS.true("another hash is told", result.status == 1 and "OTHER    result.tif" in result.out, result.out + result.err)
    for text, words in (("{}", "no record of a run"), ("[", "cannot be read"), ('{"op": 1, "contents": 2}', ""),
                        ('{"op": "distance", "contents": {}, "regions": []}', "several regions"),
                        ('{"op": "distance", "contents": {}, "source": {"path": "/nowhere.svs", "kind": "slide"}, "inputs": [],'
                         ' "region": [0, 0, "a", null], "stages": [1, {}, null]}', "")):
        (folder / "bad.json").write_text(text)
        result = batch.batch("rerun", folder / "bad.json")
        CHECKS.true(f"{text[:40]}: refused in a sentence",
                      result.problem((1, 2)) is None and words in result.err and "CRITICAL" not in result.err, result.err)


def main():
    dice = random.Random(1)
    ops = json.loads(batch.batch("ops", "--json").out)["ops"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slide = folder / "demo.svs"
        subprocess.run([str(batch.DEMO), str(slide), "--size", "1024"], check=True)
        for op in ops:
            for _ in range(2):
                check_op(folder, dice, op, slide)
        check_doubts(folder, slide)
        image = folder / "doubts" / "overlay.png"
        batch.run_op(folder / "plain", "morphology", f"image={image}")
        result = batch.batch("rerun", folder / "plain" / "record.json")
        CHECKS.true("of a plain image, too", result.status == 0 and "every byte" in result.out, result.out + result.err)
    return CHECKS.failed > 0


if __name__ == "__main__":
    sys.exit(main())
