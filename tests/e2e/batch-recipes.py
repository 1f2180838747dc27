#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recipes: a built-in one, exported and read back, makes the same files; a stranger's of eight steps runs in memory and in
pieces to the same bytes; a record runs again; what is wrong with a file is said with line and column."""
import hashlib
import json
import os
import pathlib
import sys
import tempfile

import batch
from images import read
from stranger import EIGHT, normalised

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
    (("title",), "a\nb", "“title” is one line of text"), (("help",), "a\x1b[31mb", "“help” is one line of text"), (("help",), "a\0b", "the character \\u0000"),
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
    (("id",), "nuclei-threshold", "already"),
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


def rows(folder):
    """The table of an op without objects, whose tables hold names."""
    folder = pathlib.Path(folder)
    return (folder / "features.csv").read_bytes() if (folder / "features.csv").exists() and not (folder / "objects.geojson").exists() else None


# Beside their defaults.
SETTINGS = {"distance": ({"output": "squared", "cap": 3}, {"output": "nearest"}, {"algorithm": "danielsson"})}


def check_round_trip(tmp, slide):
    """Every op of the catalogue."""
    os.environ["VITRAIL_RECIPE_PATH"] = ""
    ops = [line.split(":")[0] for line in batch.batch("ops").out.splitlines() if line[0].isalpha() and ": " in line]
    checks("the catalogue is there", {"nuclei-threshold", "distance", "glrlm-map"} <= set(ops), ops)
    exported = batch.batch("recipe", "export", "file-objects")
    checks("what is no recipe is refused by name", "file-objects" in ops and exported.status == 2 and "file-objects" in exported.err, exported.err)
    for op in ops:
        if op == "file-objects":
            continue
        exported = batch.batch("recipe", "export", op)
        checks(f"{op} is exported", exported.status == 0 and '"vitrail-recipe"' in exported.out, exported.err)
        file = tmp / f"{op}.recipe.json"
        file.write_text(exported.out)
        for i, settings in enumerate(({}, *SETTINGS.get(op, ()))):
            one, two = tmp / f"{op}{i or ''}", tmp / f"{op}{i or ''}-again"
            sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
            first = batch.run_op(one, op, slide, *REGION, *sets)
            record = batch.run_op(two, file, slide, *REGION, *sets)
            checks(f"{op} {settings}, read back, makes the same files", hashes(one) == hashes(two) and outlines(one) == outlines(two) and rows(one) == rows(two))
            checks(f"the record of {op} holds the recipe, and its facts",
                   record["recipe"] == json.loads(exported.out) and set(first["resolved"]) <= set(record["resolved"]),
                   set(first["resolved"]) ^ set(record["resolved"]))


def caller(*nodes, **more):
    """A recipe that calls others: the inputs and parameters of EIGHT, nodes, and stages where objects and masks are shown."""
    stains = [{"key": key, "type": "vector", "min": -1, "max": 1, "default": vector}
              for key, vector in (("hematoxylin", [0.65, 0.70, 0.29]), ("eosin", [0.2159, 0.8012, 0.5581]))]
    return json.dumps({"vitrail-recipe": 1, "id": "caller", "inputs": EIGHT["inputs"], "params": EIGHT["params"] + stains, "nodes": nodes,
                       "stages": [{"id": "marked", "kind": "mask"}], **more}, indent=1)


IMAGE = EIGHT["inputs"][0]["id"]
CALL = {"id": "cells", "recipe": "nuclei-threshold", "inputs": [IMAGE], "settings": {"threshold": "rise * 1.5", "sigma": 1}, "stages": {"mask": "marked"}}
# What is changed in CALL, and what the sentence says.
WRONG_CALLS = [
    ({"recipe": "nucleus"}, "There is no recipe “nucleus” to call"),
    ({"recipe": "../b.json"}, "no file beside"), ({"recipe": "none.recipe.json"}, "there is no such file"),
    ({"recipe": "loop.recipe.json"}, "calls itself: caller.recipe.json → loop.recipe.json → loop.recipe.json"), ({"recipe": 1}, "“recipe” is a text"),
    ({"inputs": []}, "needs the input"), ({"inputs": [IMAGE, IMAGE]}, "takes 1 inputs, not 2"), ({"inputs": ["cells"]}, "no input \"cells\""),
    ({"settings": {"radius": 1}}, "has no parameter “radius”"), ({"settings": {"threshold": 99}}, "must lie between 0 and 6"),
    ({"settings": {"detection-image": "'violet'"}}, "which it can't be"), ({"settings": {"context": "'exact'"}}, "the whole run's"),
    ({"settings": {"threshold": "nothing"}}, "no such name"), ({"settings": {"threshold": "scale(cells.mask)"}}, "There is no “cells.mask”"),
    ({"stages": {"maske": "marked"}}, "has no stage “maske”"), ({"stages": {"mask": "other"}}, "no stage \"other\""),
    ({"step": "above"}, "There is no key “step” here"), ({"id": None}, "“id” is a text"),
]


def check_all_called(tmp, slide):
    """Every op that is exported, called with its defaults: what the op makes, but what is certain."""
    for exported in sorted(tmp.glob("*.recipe.json")):
        op, recipe = exported.name.split(".")[0], json.loads(exported.read_text())
        stages = [stage for stage in recipe["stages"] if stage["id"] != "certain"]
        call = {"id": "it", "recipe": op, "inputs": [i["id"] for i in recipe["inputs"] if not i.get("optional")],
                "stages": {stage["id"]: stage["id"] for stage in stages}}
        file = tmp / f"{op}-called.json"
        file.write_text(json.dumps({**{k: recipe[k] for k in ("vitrail-recipe", "inputs", "params")}, "id": "caller", "nodes": [call], "stages": stages}))
        batch.run_op(tmp / f"{op}-called", file, slide, *REGION)
        called, own = pixels(tmp / f"{op}-called"), pixels(tmp / op)
        checks(f"{op}, called, makes what it makes alone", (called or rows(tmp / op)) and rows(tmp / f"{op}-called") == rows(tmp / op)
               and called.items() <= own.items() and len(called) >= len(own) - 1, (called, own))
        shapes = [[geometry for geometry, _ in outlines(tmp / name) or ()] for name in (op, f"{op}-called")]
        checks(f"{op}, called, outlines the same objects", shapes[0] == shapes[1])


def check_calls(tmp, slide):
    """A recipe that is called gives the bytes of its nodes, pasted."""
    file, pasted = tmp / "caller.recipe.json", tmp / "pasted.recipe.json"
    inverse = {"id": "rest", "step": "not", "inputs": ["cells.mask"], "stage": "rest", "facts": {"rise-raw": "rise / scale(cells.residue)"}}
    more = {"stages": [{"id": "marked", "kind": "mask"}, {"id": "rest", "kind": "mask"}]}
    file.write_text(caller(CALL, inverse, **more))
    shown = batch.batch("recipe", "show", file)
    checks("a recipe that calls another is shown with its nodes", "cells-residue" in shown.out and "caller" in shown.out, shown.err + shown.out[-900:])
    record = batch.run_op(tmp / "caller", file, slide, *REGION)
    nuclei = batch.run_op(tmp / "called", "nuclei-threshold", slide, *REGION, "--set", f"threshold={record['params']['rise'] * 1.5!r}", "--set", "sigma=1",
                          "--set", f"pixel-size={record['params']['pixel-size']!r}")
    mask, own = read(tmp / "caller" / "marked.tif"), read(tmp / "called" / "mask.tif")
    checks("a called recipe makes what it makes alone", (mask == own).all() and mask.any() and nuclei["resolved"]["um-per-px"] > 0)
    checks("and the caller goes on from it", (read(tmp / "caller" / "rest.tif") == 255 - mask).all())
    checks("the record holds all nodes, and no call", not any("recipe" in node for node in record["recipe"]["nodes"]) and len(record["recipe"]["nodes"]) > 15)
    pasted.write_text(json.dumps({**record["recipe"], "id": "pasted"}))
    batch.run_op(tmp / "pasted", pasted, slide, *REGION)
    batch.run_op(tmp / "caller-again", tmp / "caller" / "record.json", slide, *REGION)
    checks("pasted, and from the record: the same bytes", hashes(tmp / "caller") == hashes(tmp / "pasted") == hashes(tmp / "caller-again"))
    outer = tmp / "outer.recipe.json"
    outer.write_text(caller({"id": "all", "recipe": file.name, "inputs": [IMAGE], "settings": {"rise": "rise"}, "stages": {"rest": "marked"}}))
    batch.run_op(tmp / "outer", outer, slide, *REGION)
    checks("a recipe in a file that calls another is called, too",
           (read(tmp / "outer" / "result.tif") == read(tmp / "caller" / "rest.tif")).all())
    (tmp / "loop.recipe.json").write_text(caller({**CALL, "recipe": "loop.recipe.json"}))
    for change, sentence in WRONG_CALLS:
        file.write_text(caller({**CALL, **change}))
        result = batch.batch("recipe", "check", file)
        checks(f"a call with {change} is refused", result.status == 1 and sentence in result.err and "caller.recipe.json, line " in result.err, result.err)
    file.write_text(caller(CALL, {**inverse, "id": "cells-mine"}, **more))
    result = batch.batch("recipe", "check", file)
    checks("ids of a call are its own", "“cells-mine” is taken" in result.err, result.err)
    file.write_text(caller(*({**CALL, "id": f"call{i}", "stages": {}} for i in range(9))))
    result = batch.batch("recipe", "check", file)
    checks("calls make 64 nodes at most", "more than 64 nodes" in result.err, result.err)
    for i in range(10):
        (tmp / f"deep{i}.recipe.json").write_text(caller({**CALL, "recipe": f"deep{i + 1}.recipe.json"}))
    result = batch.batch("recipe", "check", tmp / "deep0.recipe.json")
    checks("and are 8 deep at most", "more than 8 deep" in result.err, result.err)


def check_texture(tmp, slide):
    """Nuclei, two maps of grids of their own and a table in one recipe: as each alone, in memory, and in pieces but for the table's bands."""
    exported = {op: json.loads((tmp / f"{op}.recipe.json").read_text()) for op in ("glrlm-map", "glrlm-rois")}
    params = {p["key"]: p for recipe in exported.values() for p in recipe["params"]}
    call = {"id": "cells", "recipe": "nuclei-threshold", "inputs": ["image"], "stages": {"mask": "mask"}}
    texture = [{"id": "coarse", "recipe": "glrlm-map", "inputs": ["image"], "settings": {"stride": 7}, "stages": {"result": "coarse"}},
               {"id": "fine", "recipe": "glrlm-map", "inputs": ["image"], "settings": {"feature": "'re'"}, "stages": {"result": "fine"}},
               {"id": "table", "recipe": "glrlm-rois", "inputs": ["image"], "stages": {"features": "features"}}]
    stages = [{"id": "mask", "kind": "mask"}, {"id": "coarse", "kind": "scalar"}, {"id": "fine", "kind": "scalar"}, {"id": "features", "kind": "rows"}]
    recipe = {"vitrail-recipe": 1, "id": "all", "inputs": exported["glrlm-rois"]["inputs"], "params": list(params.values()), "nodes": [call, *texture],
              "stages": stages}
    file = tmp / "all.json"
    file.write_text(json.dumps(recipe))
    batch.run_op(tmp / "all", file, slide, *REGION)
    record = batch.run_op(tmp / "all-streamed", file, slide, *REGION, "--memory", "16M")["resolved"]
    for name, settings in (("coarse", ("stride=7",)), ("fine", ("feature=re",))):
        batch.run_op(tmp / name, "glrlm-map", slide, *REGION, "--set", *settings)
        for folder in ("all", "all-streamed"):
            checks(f"{folder}: {name} is what it is alone", (read(tmp / folder / f"{name}.tif") == read(tmp / name / "result.tif")).all())
    checks("the table is what it is alone", (tmp / "all" / "features.csv").read_bytes() == (tmp / "glrlm-rois" / "features.csv").read_bytes())
    checks("in pieces: the same pixels, and the same rows",
           pixels(tmp / "all") == pixels(tmp / "all-streamed") and record["streamed"] == 1
           and (tmp / "all" / "features.csv").read_bytes() == (tmp / "all-streamed" / "features.csv").read_bytes())
    checks("within the memory", record["memory-peak-bytes"] <= 16 << 20, record["memory-peak-bytes"])
    for change, sentence in (({"nodes": [*recipe["nodes"], {**texture[2], "id": "other", "stages": {"features": "rows"}}],
                               "stages": [*stages, {"id": "rows", "kind": "rows"}]}, "one stage of rows"),
                             ({"nodes": [*recipe["nodes"], {"id": "more", "step": "not", "inputs": ["cells.mask"], "facts": {"fine-width": 1}}]},
                              "the program's own"),
                             ({"stages": [*stages[:3], {"id": "features", "kind": "scalar"}]}, "of another kind"),
                             ({"inputs": [{**i, "primary": i["kind"] == "rois"} for i in recipe["inputs"]]}, "One image is the primary")):
        file.write_text(json.dumps({**recipe, **change}))
        result = batch.batch("recipe", "check", file)
        checks(f"refused: {sentence}", result.status == 1 and sentence in result.err, result.err)


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
    geometry, _ = outlines(tmp / "nuclei-threshold")[0]
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


def check_normalised(tmp, slide):
    """In memory and in pieces, run again from the record, with eosin or DAB by the same vectors: the same bytes. A colour is no value."""
    file = tmp / "normalised.json"
    for second in ("eosin", "dab"):
        file.write_text(json.dumps(normalised(second)))
        batch.run_op(tmp / second, file, slide)
    small = batch.run_op(tmp / "pieces", file, slide, "--memory", "16M")
    checks("normalised: the second run works in pieces", "streamed" in small["resolved"], small["resolved"])
    checks("normalised: in pieces and in memory, and of DAB by the vectors of eosin, the same files",
           len(pixels(tmp / "dab")) == 3 and hashes(tmp / "eosin") == hashes(tmp / "dab") == hashes(tmp / "pieces"))
    again = batch.batch("rerun", tmp / "dab" / "record.json")
    checks("normalised: the record runs again", again.status == 0 and "every byte" in again.out, again.out + again.err)
    colour, mask = read(tmp / "dab" / "normal.tif"), read(tmp / "dab" / "mask.tif")
    checks("normalised: colours and a mask", colour.shape == (*mask.shape, 4) and 0.01 < (mask > 0).mean() < 0.9, (colour.shape, mask.shape))
    for strength in ("0.6", "1.2"):
        batch.run_op(tmp / f"alone{strength}", file, slide, *REGION, "--stages", "normal", "--set", f"hematoxylin-strength={strength}")
    one, two = hashes(tmp / "alone0.6"), hashes(tmp / "alone1.2")
    checks("normalised: another picture, which overlay.png has not", one["normal.tif"] != two["normal.tif"] and one["overlay.png"] == two["overlay.png"])
    told = batch.batch("why", file, slide, "--at", "700,600", "--steps")
    r, g, b, _ = colour[600, 700]
    checks("normalised: why tells the colour", f"Normalised stains: RGB {r} {g} {b}" in told.out, told.out + told.err)
    for change, sentence in (({"kind": "scalar"}, "of another kind"), ({"kind": "mask"}, "of another kind"), ({"kind": "color"}, "one of: scalar")):
        recipe = normalised("eosin")
        recipe["stages"][0].update(change)
        file.write_text(json.dumps(recipe))
        result = batch.batch("recipe", "check", file)
        checks(f"normalised: {change} is refused", result.status == 1 and sentence in result.err, result.err)


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
           steps.replace(", `'danielsson'`", "").replace(", `'primitives'`", "") in page)


with tempfile.TemporaryDirectory() as folder:
    tmp = pathlib.Path(folder)
    slide, _ = batch.demo_slide(tmp, 2048)
    check_round_trip(tmp, slide)
    check_all_called(tmp, slide)
    check_calls(tmp, slide)
    check_texture(tmp, slide)
    check_stranger(tmp, slide)
    check_margin(tmp, slide)
    check_normalised(tmp, slide)
    check_wrong(tmp)
    check_shipped()
sys.exit(1 if failed else 0)
