#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recipes: a built-in one, exported and read back, makes the same files; a stranger's of eight steps runs in memory and in
pieces to the same bytes; a record runs again; what is wrong with a file is said with line and column."""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import batch
from images import read
from stranger import EIGHT

failed = []


def checks(name, ok, detail=""):
    failed.extend([] if ok else [name])
    print(f"{'ok' if ok else 'not ok'}: {name}{': ' + str(detail) if detail and not ok else ''}", flush=True)


RECIPES = pathlib.Path(__file__).resolve().parents[2] / "data" / "recipes"
REGION = "--region", "0,0,1100,900"


def changed(path, value):
    """The text of EIGHT with another value at a path; None: without it."""
    recipe = json.loads(json.dumps(EIGHT))
    *way, last = path
    at = recipe
    for key in way:
        at = at[key]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return json.dumps(recipe, indent=1)


# What is changed, and what the sentence says.
WRONG = [
    (("nodes", 2, "step"), "blur", "There is no step \"blur\""),
    (("nodes", 2, "inputs"), ["nothing"], "There is no step \"nothing\""),
    (("nodes", 3, "inputs"), ["opened"], "not made before"),
    (("nodes", 4, "inputs"), ["eroded"], "takes 2, not 1"),
    (("nodes", 2, "settings"), {"sigma": "1 /"}, "can't be read"),
    (("nodes", 2, "settings"), {"sigma": "(" * 500}, "nested too deeply"),
    (("nodes", 2, "settings"), {"sigma": "1 / mpp"}, "no such name"),
    (("nodes", 2, "settings"), {"radius": 3}, "no setting \"radius\""),
    (("nodes", 3, "settings"), {"radius": "infinity"}, "must be a whole number between 0 and 512"),
    (("nodes", 4, "settings"), {}, "must be one of the ends between 4 and 8"),
    (("nodes", 4, "id"), "eroded", "would never be made"),
    (("nodes", 1, "settings"), {"channel": "'violet'"}, "which it can't be"),
    (("nodes", 1, "settings"), {"channel": "'hematoxylin'"}, "needs the parameters"),
    (("nodes", 5, "inputs"), ["pixels", "pixels"], "can't take"),
    (("nodes", 2, "stage"), "density", "shown by two steps"),
    (("stages", 2, "kind"), "labels", "of another kind"),
    (("nodes", 5, "facts"), {"streamed": 1}, "the program's own"),
    (("nodes", 9, "inputs"), ["pieces"], "outlines what a step objects makes"),
    (("nodes", 5, "stage"), None, "No step shows the stage \"residue\""),
    (("nodes", 0, "steps"), [], "There is no key “steps” here"),
    (("nodes",), [], "has nodes and stages"),
    (("params", 1, "default"), -1, "not in its range"),
    (("params", 1, "type"), "length", "one of: float, int, bool, choice, vector"),
    (("params", 0), None, "\"pixel-size\" is missing"),
    (("inputs", 0, "primary"), False, "primary"),
    (("id",), "nuclei", "already"),
    (("id",), "No Id", "is no id"),
    (("vitrail-recipe",), 2, "not version 1"),
    (("measurements", 0, "quantity"), "circumference", "one of: area"),
]


def hashes(folder):
    """Of all files but those that hold names and times."""
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in sorted(pathlib.Path(folder).iterdir())
            if f.name not in ("record.json", "objects.geojson", "features.csv")}


def pixels(folder):
    """Of all rasters; the files of a run in pieces have another layout."""
    return {f.name: hashlib.sha256(read(f).tobytes()).hexdigest() for f in sorted(pathlib.Path(folder).glob("*.tif"))}


def outlines(folder):
    file = pathlib.Path(folder) / "objects.geojson"
    return [(f["geometry"], f["properties"].get("measurements")) for f in json.loads(file.read_text())["features"]] if file.exists() else None


# Beside their defaults.
SETTINGS = {"distance": ({"output": "squared", "cap": 3}, {"output": "nearest"}, {"algorithm": "danielsson"})}


def check_round_trip(tmp, slide):
    """Every op of the catalogue. Those of texture say why they can't be exported."""
    os.environ["VITRAIL_RECIPE_PATH"] = ""
    ops = [line.split(":")[0] for line in batch.batch("ops").out.splitlines() if line[0].isalpha() and ": " in line]
    checks("the catalogue is there", {"nuclei", "distance", "glrlm-map"} <= set(ops), ops)
    for op in ops:
        exported = batch.batch("recipe", "export", op)
        if op.startswith("glrlm-"):
            checks(f"{op} says why it is not exported", exported.status == 1 and "can't be exported: its one step" in exported.err, exported.err)
            continue
        checks(f"{op} is exported", exported.status == 0 and '"vitrail-recipe"' in exported.out, exported.err)
        file = tmp / f"{op}.recipe.json"
        file.write_text(exported.out)
        for i, settings in enumerate(({}, *SETTINGS.get(op, ()))):
            one, two = tmp / f"{op}{i or ''}", tmp / f"{op}{i or ''}-again"
            sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
            first = batch.run_op(one, op, slide, *REGION, *sets)
            record = batch.run_op(two, file, slide, *REGION, *sets)
            checks(f"{op} {settings}, read back, makes the same files", hashes(one) == hashes(two) and outlines(one) == outlines(two))
            checks(f"the record of {op} holds the recipe, and its facts",
                   record["recipe"] == json.loads(exported.out) and set(first["resolved"]) <= set(record["resolved"]),
                   set(first["resolved"]) ^ set(record["resolved"]))


def check_stranger(tmp, slide):
    file = tmp / "strange.recipe.json"
    file.write_text(json.dumps(EIGHT))
    whole = batch.run_op(tmp / "whole", file, slide, "--set", "rise=0.08")
    small = batch.run_op(tmp / "small", file, slide, "--set", "rise=0.08", "--memory", "16M")
    checks("the second run works in pieces", "streamed" in small["resolved"] and "streamed" not in whole["resolved"],
           small["resolved"])
    checks("in pieces and in memory: the same pixels", pixels(tmp / "whole") == pixels(tmp / "small"))
    checks("and the same objects", outlines(tmp / "whole") == outlines(tmp / "small") and len(outlines(tmp / "whole")) > 10)
    again = batch.run_op(tmp / "again", tmp / "whole" / "record.json", slide)
    checks("a record runs again, with its parameters",
           again["params"]["rise"] == 0.08 and hashes(tmp / "whole") == hashes(tmp / "again"))
    checks("its facts are in the record", again["resolved"]["radius-px"] == 8 and again["resolved"]["objects"] > 10,
           again["resolved"])


def check_margin(tmp, slide):
    """As if memory had ended the margin: nuclei as the round trip exported them, and the limit in the record raised."""
    geometry, _ = outlines(tmp / "nuclei")[0]
    x, y = (int(v) for v in geometry["coordinates"][0][0])
    part = "--region", f"{x},{y},100,100"
    first = batch.run_op(tmp / "narrow", tmp / "nuclei.recipe.json", slide, *part, "--set", "context=exact",
                         "--set", "context-limit=8")
    checks("a narrow margin leaves something open",
           first["resolved"]["context-px"] == 8 and first["resolved"]["uncertain-px"] > 0, first["resolved"])
    record = tmp / "narrow" / "record.json"
    first["params"]["context-limit"] = 4096
    record.write_text(json.dumps(first))
    again = batch.run_op(tmp / "narrow-again", record, slide, *part)
    checks("a record runs again with the margin that was reached",
           again["resolved"]["context-px"] == 8 and hashes(tmp / "narrow") == hashes(tmp / "narrow-again"), again["resolved"])
    wider = batch.run_op(tmp / "wider", record, slide, *part, "--set", "context-limit=64")
    checks("or with another one that is asked for", wider["resolved"]["context-px"] == 64, wider["resolved"])


def check_wrong(tmp):
    for path, value, sentence in WRONG:
        file = tmp / "wrong.recipe.json"
        file.write_text(changed(path, value))
        result = batch.batch("recipe", "check", file)
        checks(f"{path} = {str(value)[:40]} is refused", result.status == 1 and sentence in result.err
               and "wrong.recipe.json, line " in result.err and ", column " in result.err, result.err)
    file.write_text(changed(("nodes", 2, "settings"), {"sigma": "1 /"}))
    line = 1 + next(i for i, text in enumerate(file.read_text().splitlines()) if '"sigma"' in text)
    result = batch.batch("recipe", "check", file)
    checks("the line is the expression's", f"line {line}, column 5:" in result.err, result.err)
    for text, sentence in (("{", "JSON"), ("[" * 100000, "nested too deeply"), ('{"id":"a",\n "id":"b"}', "line 2, column 2: "),
                           ("", "JSON"), ("[1]", "no recipe"), ('{"op": 1}', "“vitrail-recipe”")):
        file.write_text(text)
        result = batch.batch("recipe", "check", file)
        checks(f"{text[:20]!r} is refused", result.status == 1 and sentence in result.err and "line " in result.err, result.err)


def check_shipped():
    os.environ["VITRAIL_RECIPE_PATH"] = str(RECIPES)
    listed = batch.batch("ops")
    for file in sorted(RECIPES.glob("*.recipe.json")):
        checks(f"{file.name} is sound", batch.batch("recipe", "check", file).status == 0)
        checks(f"{file.name} is listed", file.name.split(".")[0] + ": " in listed.out, listed.err)
    steps = batch.batch("recipe", "steps").out
    checks("the steps are listed", "| `reconstruct` |" in steps and "| `outlines` |" in steps)
    page = (RECIPES.parents[1] / "docs" / "recipes.md").read_text()
    checks("docs/recipes.md has the table of steps (vitrail-batch recipe steps), less what release packages leave out",
           steps.replace(", `'danielsson'`", "") in page)


with tempfile.TemporaryDirectory() as folder:
    tmp = pathlib.Path(folder)
    slide = tmp / "demo.svs"
    subprocess.run([batch.DEMO, slide], check=True)
    check_round_trip(tmp, slide)
    check_stranger(tmp, slide)
    check_margin(tmp, slide)
    check_wrong(tmp)
    check_shipped()
sys.exit(1 if failed else 0)
