#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`vitrail-batch run --model`: a model written here, with the hash of its text, taught on one half of a made-up slide, gives the
objects of another slide classes: the same files for any order of its examples, any threads, and where the run streams."""
import csv
import hashlib
import json
import pathlib
import sys
import tempfile

import batch

CLASSES = [{"name": "Pale, small", "colour": "#e01b24"}, {"name": "Dark", "colour": "#1a5fb4"}, {"name": "Not a nucleus", "colour": "#5e5c64", "left-out": True}]


def class_of(row):
    """What a person would say: by two measurements."""
    if float(row["Nucleus: Solidity"]) < 0.9:
        return 2
    return int(float(row["Nucleus: Hematoxylin OD mean"]) > 0.55)


def model_text(rows, features, params=()):
    """As vitrail writes it, values in the digits of the table."""
    examples = sorted(rows, key=lambda row: (float(row["y"]), float(row["x"])))
    listed = ",\n".join(f'    {{"name": {json.dumps(c["name"])}, "colour": "{c["colour"]}", "left-out": {json.dumps(c.get("left-out", False))}}}' for c in CLASSES)
    lines = ",".join(f'\n    {{"image": "a.svs", "x": {row["x"]}, "y": {row["y"]}, "class": {class_of(row)}, "values": [' + ", ".join(row[f] or "null" for f in features) + "]}" for row in examples)
    texts = lambda list_: ", ".join(json.dumps(t, ensure_ascii=False) for t in list_)
    body = (f'{{\n  "vitrail-model": 1,\n  "op": "nuclei-threshold",\n  "params": [{texts(params)}],\n  "features": [{texts(features)}],\n'
            f'  "classes": [\n{listed}\n  ],\n  "examples": [{lines}\n  ]')
    return body + f',\n  "hash": "sha256:{hashlib.sha256(body.encode()).hexdigest()}"\n}}\n'


def fail(sentence):
    sys.exit(sentence)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        taught, _ = batch.demo_slide(folder, 1024, seed=1)
        slide, _ = batch.demo_slide(folder, 2048, seed=2)
        batch.run_op(folder / "taught", "nuclei-threshold", taught)
        rows = list(csv.DictReader((folder / "taught" / "features.csv").open()))
        features = [key for key in rows[0] if key.startswith("Nucleus: ")]
        for number, row in enumerate(rows):
            row["x"], row["y"] = str(number), str(number * 7 % 100)
        print("examples:", [sum(class_of(row) == k for row in rows) for k in range(3)])
        model = folder / "model.json"
        model.write_text(model_text(rows, features))
        backwards = json.loads(model.read_text())
        backwards["examples"].reverse()
        (folder / "backwards.json").write_text(json.dumps(backwards))
        batch.run_op(folder / "plain", "nuclei-threshold", slide)
        record = batch.run_op(folder / "first", "nuclei-threshold", slide, "--model", model)
        for other, *args in (("backwards", folder / "backwards.json", "--threads", "1"), ("streamed", model, "--memory", "20M")):
            batch.run_op(folder / other, "nuclei-threshold", slide, "--model", *args)
            for file in ("features.csv", "objects.geojson"):
                if (folder / other / file).read_bytes() != (folder / "first" / file).read_bytes():
                    fail(f"{other}: {file} is another")
        found = list(csv.DictReader((folder / "first" / "features.csv").open()))
        right = sum(row["Classification"] == CLASSES[class_of(row)]["name"] for row in found)
        features_of = json.loads((folder / "first" / "objects.geojson").read_text())["features"]
        print(f"{right} of {len(found)} objects of another slide have the class that a person would give them;", record["model"])
        if right < 0.95 * len(found):
            fail("the classes are wrong")
        for row, feature in zip(found, features_of):
            properties = feature["properties"]
            if properties["classification"]["name"] != row["Classification"] or abs(properties["measurements"]["Classification margin"] - float(row["Classification margin"])) > 1e-12:
                fail(f"the files say different things: {row}, {properties}")
        plain = list(csv.DictReader((folder / "plain" / "features.csv").open()))
        if [{**row, "Classification": ""} for row in found] != [{**row, "Classification margin": more["Classification margin"]} for row, more in zip(plain, found)]:
            fail("a model changes measurements")
        left_out = sum(row["Classification"] == "Not a nucleus" for row in found)
        if record["model"]["objects-left-out"] != left_out or record["model"]["hash"] != json.loads(model.read_text())["hash"]:
            fail(f"the record: {record['model']}")
        refuse(folder, slide, model, rows, features)
    return 0


def refuse(folder, slide, model, rows, features):
    broken = folder / "broken.json"
    for row in rows:
        row["Nucleus: Nothing"] = "1"
    lacking = model_text(rows, [*features, "Nucleus: Nothing"])
    changed = model.read_text().replace('"class": 1', '"class": 0', 1)
    for text, op, sentence in ((changed, "nuclei-threshold", "hash is not that"), (model.read_text(), "nuclei", "taught on objects of nuclei"),
                               (lacking, "nuclei-threshold", "no measurement “Nucleus: Nothing”"),
                               ("{", "nuclei-threshold", "line 1, column"), (model_text(rows, features, ["sigma=-1"]), "nuclei-threshold", "sigma")):
        broken.write_text(text)
        result = batch.batch("run", op, slide, "--model", broken, "--out", folder / "none", "--region", "0,0,900,900")
        if result.status not in (1, 2) or sentence not in result.err:
            fail(f"not refused with “{sentence}”: {result.status} {result.err}")


if __name__ == "__main__":
    sys.exit(main())
