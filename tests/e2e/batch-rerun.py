#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A record repeats its run: every op of the catalogue, with parameters, regions and resolutions drawn at random, from a slide
and from a plain image; and a folder that is not what its record says is not believed."""
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
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
    words = [f"objects={rois(folder, x, y)}"] if op["id"] == "file-objects" else []
    words += words_of(dice, op) + ["--region", f"{x},{y},{dice.randint(120, 300)},{dice.randint(120, 300)}"]
    if any(i["kind"] == "rois" and i["id"] == "rois" for i in op["inputs"]):
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
    for text, words in (("{}", "no record of a run"), ("[", "line 1, column 2: This can't be read as JSON"), ("[]", "no object in braces"),
                        ('{"op": 1,\n "o\\u0070": 2}', "line 2, column 2: This can't be read as JSON: this key is there twice"), ("[" * 100000, "nested too deeply"), ('{"op": 1, "contents": 2}', ""),
                        ('{"op": "distance", "contents": {}, "inputs": {}, "regions": []}', ""),
                        ('{"op": "distance", "contents": {}, "inputs": {}, "regions": [7, {"region": [1]}]}', ""),
                        ('{"op": "distance", "contents": {}, "inputs": {}, "drawn-rois-sha256": "00"}', "were drawn"),
                        ('{"op": "distance", "contents": {"../../doubts/record.json": {}}, "source": {"input": "image", "kind":'
                         ' "slide"}, "inputs": {"image": {"path": "/nowhere.svs"}, "mask": 1}, "region": [0, 0, "a", null],'
                         ' "stages": [1, {}, null]}', "does not say where each of the inputs is"),
                        ('{"op": "distance", "contents": {}, "source": {"input": "image", "kind": "slide"}, "inputs": {"image":'
                         ' {"path": "--help"}}, "region": [0, 0, 9, 9], "stages": []}', "--help: there is no such file"),
                        ('{"op": "distance", "contents": {}, "inputs": {"image": {"path": "/nowhere.svs"}}, "region": [0, 0, "a",'
                         ' null]}', "does not say which region it is of")):
        (folder / "bad.json").write_text(text)
        result = batch.batch("rerun", folder / "bad.json")
        CHECKS.true(f"{text[:40]}: refused in a sentence",
                      result.problem((1, 2)) is None and words in result.err and "CRITICAL" not in result.err, result.err)


def check_regions(folder, slide):
    """Two regions that overlap, in memory and streamed: each is what it is alone, and the record repeats them."""
    words = "distance", slide, "--region", "a=b=10,20,300,200", "--region", "200,100,310,290", "--set", "threshold=0.2"
    alone = ("10,20,300,200", "200,100,310,290")
    for more in ((), ("--memory", "1M")):
        out = folder / ("regions" + "".join(more))
        record = batch.run_op(out, *words, *more)
        CHECKS.true("regions are named", [r["name"] for r in record["regions"]] == ["a=b", "Region 2"], record["regions"])
        CHECKS.true("that they overlap is said", any("overlap" in w for w in record["warnings"]), record["warnings"])
        for k, region in enumerate(alone):
            batch.run_op(folder / "alone", "distance", slide, "--region", region, "--set", "threshold=0.2")
            CHECKS.true(f"region {k} {more}: as if it were alone",
                          (folder / "alone" / "result.tif").read_bytes() == (out / f"result-{k + 1}.tif").read_bytes())
        result = batch.batch("rerun", out / "record.json")
        CHECKS.true(f"regions {more}: the same again", result.status == 0 and "every byte" in result.out, result.out + result.err)
        result = batch.batch("run", *words, *more, "--out", out, "--resume")
        CHECKS.true("regions: a whole result is believed", "done before" in result.out, result.out + result.err)
    (folder / "own").mkdir()
    (folder / "own" / "result-2.tif").write_text("mine")
    result = batch.batch("run", *words, "--out", folder / "own")
    CHECKS.true("a file of somebody else is not overwritten", result.status == 1 and "result-2.tif" in result.err, result.err)


def check_settings(folder, slide):
    """Columns of several settings in one table: those of a run of each, digit for digit; the record repeats them. One parameter varies, and only in tables of regions."""
    words = "glrlm-rois", slide, "--region", "a=10,20,90,80", "--region", "200,100,120,90"
    for key, values in (("levels", ["8", "16", "32"]), ("bin-width", ["5", "20"]), ("pixel-size", ["0.5", "1"])):
        more = ("--set", "binning=fixed-width") if key == "bin-width" else ()
        out = folder / f"settings-{key}"
        record = batch.run_op(out, *words, *more, "--set", f"{key}={','.join(values)}")
        rows = [line.split(",") for line in (out / "features.csv").read_text().splitlines()]
        alone = []
        for value in values:
            batch.run_op(folder / "alone", *words, *more, "--set", f"{key}={value}")
            alone.append([line.split(",") for line in (folder / "alone" / "features.csv").read_text().splitlines()])
        want = [[f"{name} ({key} {value})" for value, table in zip(values, alone) for name in table[0][1:]]]
        want += [[field for table in alone for field in table[k][1:]] for k in (1, 2)]
        CHECKS.true(f"{key}: columns are those of a run of each", [row[1:] for row in rows] == want and len(want[0]) == 17 * len(values), rows)
        CHECKS.true(f"{key}: regions have the names of a run of one", all([row[0] for row in rows] == [row[0] for row in table] for table in alone), rows)
        CHECKS.true(f"{key}: the record has all values", [float(v) for v in values] == record["params"][key] == [s[key] for s in record["settings"]], record["params"])
        result = batch.batch("rerun", out / "record.json")
        CHECKS.true(f"{key}: the same again", result.status == 0 and "every byte" in result.out, result.out + result.err)
        result = batch.batch("run", *words, *more, "--set", f"{key}={','.join(values)}", "--out", out, "--resume")
        CHECKS.true(f"{key}: a whole result is believed", "done before" in result.out, result.out + result.err)
    for refused, sentence in ((("levels=8,16", "bin-width=1,2"), "One parameter at most"), (("levels=8,16,8",), "there twice"), (("levels=8,1000",), "from 2 to 256"),
                              (("levels=8,",), "from 2 to 256"), (("levels=" + ",".join(map(str, range(2, 19))),), "16 are the most")):
        result = batch.batch("run", *words, *(word for one in refused for word in ("--set", one)), "--out", folder / "refused")
        CHECKS.true(f"{refused}: refused in a sentence", result.problem((2,)) is None and sentence in result.err, result.err)
    result = batch.batch("run", "distance", slide, "--set", "threshold=0.1,0.2", "--out", folder / "refused")
    CHECKS.true("several values of an op of pictures: refused in a sentence", result.problem((2,)) is None and "makes no such table" in result.err, result.err)


def check_inputs(folder):
    """The record proves what went in; another file is told."""
    pixels = [bytes((7 * x * y) % 251 for x in range(40)) for y in range(30)]
    image, areas = folder / "in.png", rois(folder, 0, 0)
    batch.write_png(image, 40, 30, pixels)
    areas.write_text(areas.read_text().replace("90", "30").replace("70", "20"))
    record = batch.run_op(folder / "proof", "glrlm-rois", f"image={image}", f"rois={areas}")
    for name, path in (("image", image), ("rois", areas)):
        data = path.read_bytes()
        CHECKS.true(f"size and hash of the input {name}", record["inputs"][name] == {
            "path": str(path), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}, record["inputs"])
    CHECKS.true("pixels have a hash of their own", record["source"]["pixels-sha256"]
                == hashlib.sha256(b"".join(pixels)).hexdigest() and "quickhash-1" not in record["source"], record["source"])
    CHECKS.true("the build is named", record["build"]["id"] and record["build"]["libraries"]["openslide"], record["build"])
    areas.write_text(areas.read_text() + " ")
    result = batch.batch("rerun", folder / "proof" / "record.json")
    CHECKS.true("another file with the same regions", result.status == 0 and f"{areas} is another file" in result.err
                and str(image) not in result.err, result.err)
    image.unlink()
    result = batch.batch("rerun", folder / "proof" / "record.json")
    CHECKS.true("a file that is gone", result.problem((1,)) is None and "can't be said" in result.err, result.err)


def check_bytes(folder, slide):
    """A name that is no text is in the record byte for byte; a record from an editor of Windows is one."""
    odd, out = folder / os.fsdecode(b"caf\xe9 1%.svs"), folder / "odd"
    shutil.copy(slide, odd)
    batch.run_op(out, "distance", odd, "--region", "0,0,90,60")
    record = out / "record.json"
    record.write_bytes(b"\xef\xbb\xbf" + record.read_bytes())
    result = batch.batch("rerun", record)
    CHECKS.true("a slide whose name is no text: the same again", result.status == 0 and "every byte" in result.out, result.out + result.err)


def check_numbers(folder, slide):
    """In a country of decimal commas: the same bytes, and points where programs read."""
    if subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"], capture_output=True).returncode != 0:
        print("no German locale can be made here: skipped")
        return
    for name in ("nuclei-threshold", "glrlm-map"):
        batch.run_op(folder / "point", name, slide, "--region", "0,0,300,300", "--min-downsample", "1.5")
        os.environ.update({"LC_ALL": "de_DE.UTF-8", "LOCPATH": str(folder)})
        result = batch.batch("rerun", folder / "point" / "record.json")
        CHECKS.true(f"{name}: the same with decimal commas", result.status == 0 and "every byte" in result.out, result.out + result.err)
        CHECKS.true("numbers are printed with a point", not re.search(r"[0-9],[0-9]\n", result.out) and re.search(r"[0-9]\.[0-9]\n", result.out), result.out)
        result = batch.batch("run", name, slide, "--min-downsample", "1,5", "--out", folder / "point")
        CHECKS.true("and read with one", result.problem((2,)) is None, result.out + result.err)
        del os.environ["LC_ALL"], os.environ["LOCPATH"]


def check_context(folder, slide):
    """Context that memory has cut is cut at the same place again."""
    words = "distance", slide, "--region", "300,300,100,100", "--set", "context=exact", "--set", "threshold=3"
    reached = []
    for memory in ("1M", "8M", "500M"):
        out = folder / f"context-{memory}"
        record = batch.run_op(out, *words, "--memory", memory)
        reached.append(record["resolved"].get("context-px"))
        CHECKS.true("the budget is in the record", record["memory-bytes"] == int(memory[:-1]) * 7 / 8 * 2 ** 20, record)
        result = batch.batch("rerun", out / "record.json", "--memory", "500M")
        CHECKS.true(f"context of {memory}: the same again", result.status == 0, result.out + result.err)
    CHECKS.true("the budget decides how far context reaches", len(set(reached)) == 3, reached)
    result = batch.batch("rerun", folder / "context-500M" / "record.json", "--memory", "8M")
    CHECKS.true("less context is told", result.status == 1 and "The context of the region was" in result.err, result.err)


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
        check_regions(folder, slide)
        check_settings(folder, slide)
        check_inputs(folder)
        check_bytes(folder, slide)
        check_numbers(folder, slide)
        check_context(folder, slide)
        image = folder / "doubts" / "overlay.png"
        batch.run_op(folder / "plain", "morphology", f"image={image}")
        result = batch.batch("rerun", folder / "plain" / "record.json")
        CHECKS.true("of a plain image, too", result.status == 0 and "every byte" in result.out, result.out + result.err)
    return CHECKS.failed > 0


if __name__ == "__main__":
    sys.exit(main())
