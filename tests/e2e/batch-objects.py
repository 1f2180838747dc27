#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Objects as FlatGeobuf: outlines and numbers of objects.geojson, read by GDAL's own programs; the same bytes streamed, by other tiles and
repeated; what can't be written is refused before the run, and a full disk leaves nothing. Argument 3: fault.so; 4: whether GDAL was there."""
import csv
import io
import json
import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import batch

FAULT, HAS_GDAL = sys.argv[3], sys.argv[4] == "gdal"
FORMAT = "--format", "flatgeobuf"
REGION = "--region", "300,200,1500,1101"
FAILED = []


def check(name, ok, detail=""):
    print(f"{'ok' if ok else 'not ok'}: {name}{f': {str(detail)[:600]}' if detail and not ok else ''}", flush=True)
    if not ok:
        FAILED.append(name)


def rings(text):
    """Polygons of WKT, each a list of rings of points."""
    text = re.sub(r"(-?[\d.e+-]+) (-?[\d.e+-]+)", r"[\1,\2]", text[text.index("("):]).replace("(", "[").replace(")", "]")
    return json.loads(text)


def read(path):
    """Rows of a table by their id, and the outline of each."""
    done = subprocess.run(["ogr2ogr", "-f", "CSV", "/vsistdout/", path, "-lco", "GEOMETRY=AS_WKT"], capture_output=True, text=True)
    csv.field_size_limit(1 << 30)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    check(f"{path.parent.name}: GDAL reads it", done.returncode == 0 and len({row['id'] for row in rows}) == len(rows), done.stderr)
    return {row["id"]: row for row in rows}


def is_same_number(text, value):
    """value: of GeoJSON, where what is no number is text; None: it is not there."""
    if value is None or text == "":
        return value is None and text == ""
    return math.isnan(float(text)) if value == "NaN" else math.isclose(float(text), float(value), rel_tol=1e-13)


def check_table(folder, names=None):
    """All of objects.geojson is in the table. names: of columns that have another one there."""
    features = json.loads((folder / "objects.geojson").read_text())["features"]
    rows, bad = read(folder / "objects.fgb"), []
    known = {name for feature in features for name in feature["properties"]["measurements"]}
    for feature in features:
        row, its = rows.get(feature["id"], {}), feature["properties"]
        numbers = all(is_same_number(row.get((names or {}).get(name, name), "none"), its["measurements"].get(name)) for name in known)
        text = (row.get("objectType"), row.get("name"), row.get("classification", ""), row.get("Region", ""))
        words = text == (its["objectType"], its["name"], its.get("classification", {}).get("name", ""), its.get("metadata", {}).get("Region", ""))
        kind, outline = feature["geometry"]["type"], feature["geometry"]["coordinates"]
        shape = row.get("WKT", "").startswith(kind.upper() + " (") and rings(row["WKT"]) == outline
        if not (numbers and words and shape):
            bad.append((feature["id"], numbers, words, shape, row, its))
    check(f"{folder.name}: {len(features)} objects as in GeoJSON", len(rows) == len(features) and not bad, bad[:1])
    return features, rows


def check_slide(folder, slide):
    plain, out, tiles, streamed = (folder / name for name in ("plain", "out", "tiles", "streamed"))
    words = "nuclei-threshold", slide, *REGION
    batch.run_op(plain, *words)
    record = batch.run_op(out, *words, "--format", "ome-tiff,flatgeobuf")
    check("the record says which, and by which GDAL", record.get("format") == "ome-tiff,flatgeobuf" and re.match(r"\d+\.\d+", record.get("gdal", ""))
          and record["contents"]["objects.fgb"]["bytes"] == (out / "objects.fgb").stat().st_size and "objects.fgb" in record["files"], record)
    check("rasters have their own format", (out / "labels.ome.tif").exists() and not (out / "labels.tif").exists())
    check("nothing else is left", not [p for p in out.iterdir() if p.name not in (*record["files"], "record.json")], list(out.iterdir()))
    for name in ("features.csv", "objects.geojson"):
        check(f"{name} is the same without", (plain / name).read_bytes() == (out / name).read_bytes())
    table = (out / "objects.fgb").read_bytes()
    batch.run_op(tiles, *words, *FORMAT, "--tile", "333", "--threads", "1")
    check("the same bytes by other tiles", (tiles / "objects.fgb").read_bytes() == table)
    record = batch.run_op(streamed, *words, *FORMAT, "--memory", "8M")
    check("the same bytes streamed", record["resolved"].get("streamed") == 1 and (streamed / "objects.fgb").read_bytes() == table)
    if shutil.which("ogr2ogr"):
        features, _ = check_table(out)
        check("there are objects", len(features) > 500, len(features))
        batch.run_op(folder / "more", *words, *FORMAT, "--neighbours", "--intensity", "Nucleus: Hematoxylin OD mean:0.2,0.4,0.6")
        _, rows = check_table(folder / "more")
        some = next(iter(rows.values()))
        check("neighbours and classes are columns", "Delaunay neighbours" in some and len({row["classification"] for row in rows.values()}) > 1, some)
    else:
        print("ogr2ogr is not there: what is in the files is not read")
    check_again(out, words)


def check_again(out, words):
    again = "run", *words, "--out", out, "--resume"
    result = batch.batch(*again, "--format", "flatgeobuf, ome-tiff")
    check("a whole result is believed", result.status == 0 and "done before" in result.out, result.out + result.err)
    result = batch.batch("rerun", out / "record.json")
    check("the same again", result.status == 0 and "same     objects.fgb" in result.out and "every byte" in result.out, result.out + result.err)
    path = out / "record.json"
    record = json.loads(path.read_text())
    record["contents"]["objects.fgb"]["sha256"], record["gdal"], record["build"]["libraries"]["geos"] = "0" * 64, "0.1", "0.3"
    other = out.parent / "other.json"
    other.write_text(json.dumps(record))
    result = batch.batch("rerun", other)
    check("another GDAL is named where bytes differ", result.status == 1 and "OTHER    objects.fgb" in result.out and "with GDAL 0.1" in result.err and "with GEOS 0.3" in result.err,
          result.out[-300:] + result.err)
    (out / "objects.fgb").write_bytes(b"broken")
    result = batch.batch(*again, "--format", "ome-tiff,flatgeobuf")
    check("a broken file is made again", result.status == 0 and "done before" not in result.out and "objects.fgb is not what" in result.err
          and (out / "objects.fgb").stat().st_size > 1000, result.out + result.err)
    result = batch.batch(*again, "--format", "ome-tiff")
    check("without it, it is another result, and the file goes", result.status == 0 and "done before" not in result.out
          and not (out / "objects.fgb").exists(), result.out + result.err)
    (out / "objects.fgb").write_text("mine")
    result = batch.batch("run", *words, "--out", out, *FORMAT)
    check("a file that no run has made is not overwritten", result.status == 1 and "objects.fgb" in result.err
          and (out / "objects.fgb").read_text() == "mine", result.out + result.err)


def square(x, y, size):
    return [[x, y], [x + size, y], [x + size, y + size], [x, y + size], [x, y]]


def write_objects(path, shapes):
    features = [{"type": "Feature", "geometry": {"type": "Polygon" if isinstance(outline[0][0][0], (int, float)) else "MultiPolygon", "coordinates": outline},
                 "properties": {"objectType": "detection", **({"classification": {"name": word}} if word else {}), "measurements": numbers}}
                for outline, word, numbers in shapes]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))


def check_shapes(folder, slide):
    """Holes, several polygons, classes, numbers that are none or not there, names that other columns have; regions; none at all."""
    path = folder / "shapes.geojson"
    write_objects(path, [([square(20, 20, 60), square(30, 30, 9)[::-1]], "Tumour", {"A µm": 1.5, "Name": 3}),
                         ([[square(120, 20, 30)], [square(170, 20, 30.25)]], "Immune \"x\", y", {"A µm": "NaN", "geometry": 4, "geometry_bbox": 5}),
                         ([square(400, 400, 50)], None, {"B": -1e-9})])
    words = "file-objects", slide, f"objects={path}"
    batch.run_op(folder / "shapes", *words, *FORMAT)
    batch.run_op(folder / "regions", *words, *FORMAT, "--region", "one=0,0,300,300", "--region", "two, or more=300,300,300,300")
    result = batch.batch("rerun", folder / "regions" / "record.json")
    check("regions: the same again", result.status == 0 and "same     objects.fgb" in result.out, result.out + result.err)
    batch.run_op(folder / "none", *words, *FORMAT, "--region", "900,900,20,20")
    check("without objects it is a file, too", (folder / "none" / "objects.fgb").stat().st_size > 8)
    if shutil.which("ogr2ogr"):
        renamed = {"Name": "measurement Name", "geometry": "measurement geometry", "geometry_bbox": "measurement geometry_bbox"}
        features, _ = check_table(folder / "shapes", renamed)
        kinds = sorted(feature["geometry"]["type"] for feature in features)
        check("two kinds of outlines, one with a hole", kinds == ["MultiPolygon", "Polygon", "Polygon"]
              and any(len(feature["geometry"]["coordinates"]) == 2 for feature in features), kinds)
        _, rows = check_table(folder / "regions", renamed)
        check("the region is a column", {row["Region"] for row in rows.values()} == {"one", "two, or more"}, rows)
        check("no objects, no rows", len(read(folder / "none" / "objects.fgb")) == 0)


def check_full_disk(folder, slide):
    """The files of an earlier result stay. GDAL's writer leaves failed writes of the index unnoticed."""
    path, out = folder / "combs.geojson", folder / "full"
    teeth = [[x, 10 + 80 * (x // 2 % 2)] for x in range(10, 90)]
    write_objects(path, [([[*teeth, [89, 95], [10, 95], teeth[0]]], None, {})] * 300)  # longer in FlatGeobuf than in GeoJSON
    words = "run", "file-objects", slide, f"objects={path}", "--region", "0,0,100,100", "--out", out
    first = batch.batch(*words)
    before = files(out)
    done = batch.batch(*words[:-1], folder / "room", *FORMAT)
    size = (folder / "room" / "objects.fgb").stat().st_size
    others = max(p.stat().st_size for p in (folder / "room").iterdir() if p.name != "objects.fgb")
    check("the table is the largest file", first.status == done.status == 0 and size > others + 20000, (size, others, done.err))
    for limit in sorted({others + 1, (others + size) // 2, *range(size - 16000, size - 1, 3000), size - 1}):
        done = subprocess.run([str(batch.BATCH), *map(str, words), *FORMAT], capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        check_refused(f"a file may have {limit} of {size} bytes", done, out, before)
    for fault in ("ENOSPC", "EIO") if batch.SLOW == 1 else ():  # nothing can be loaded before a sanitizer
        for n in (1, 2, 3, 4, 5, 6, 200, 300, 302, 304, 306):
            env = {**os.environ, "LD_PRELOAD": FAULT, "FAULT": fault, "FAULT_DIR": ".fgb", "FAULT_AT": str(n)}
            done = subprocess.run([str(batch.BATCH), *map(str, words), *FORMAT], capture_output=True, text=True, env=env)
            check_refused(f"{fault} at call {n}", done, out, before)


def files(folder):
    """Of a result, and what would be left of files that were being made."""
    return {p.name: p.read_bytes() if p.is_file() else sorted(p.iterdir()) for p in folder.iterdir() if p.name not in (".vitrail-scratch", ".vitrail-lock")}


def check_refused(what, done, out, before):
    after = files(out)
    check(f"{what}: a sentence, and the earlier result", done.returncode == 1 and re.search(r"^vitrail-batch: .*objects\.fgb", done.stderr)
          and after == before, (done.returncode, done.stderr, sorted(after)))


def check_refusals(folder, slide):
    """Before the run, and with nothing left."""
    out = folder / "refused"

    def refused(what, status, *words, says, program=batch.BATCH, drivers=None):
        environment = dict(os.environ, GDAL_DRIVER_PATH=str(drivers)) if drivers else None
        done = subprocess.run([str(program), "run", *map(str, words), "--out", str(out)], capture_output=True, text=True, env=environment)
        check(f"{what}: refused in a sentence", done.returncode == status and says in done.stderr and done.stderr.count("\n") == 1
              and not out.exists(), (done.returncode, done.stderr))

    for text in ("", "zarr", "flatgeobuf,", "flatgeobuf,flatgeobuf", "tiff,ome-tiff"):
        refused(f"--format “{text}”", 2, "nuclei-threshold", slide, "--format", text, says="--format is tiff or ome-tiff, and flatgeobuf")
    alone = folder / "alone" / "bin"
    alone.mkdir(parents=True)
    shutil.copy(batch.BATCH, alone / "vitrail-batch")
    refused("without the module", 1, "nuclei-threshold", slide, *FORMAT, says="FlatGeobuf here. vitrail-objects-gdal.so, which writes other formats, is not here",
            program=alone / "vitrail-batch")
    version = subprocess.run([str(alone / "vitrail-batch"), "--version"], capture_output=True, text=True)
    check("--version says why it can't be", version.returncode == 0 and "vitrail-objects-gdal.so" in version.stdout, version.stdout)
    (alone / "vitrail-objects-gdal.so").write_text("no module")
    refused("a module that can't be loaded", 1, "nuclei-threshold", slide, *FORMAT, says="vitrail-objects-gdal.so cannot be loaded",
            program=alone / "vitrail-batch")
    shutil.copy(FAULT, alone / "vitrail-objects-gdal.so")
    refused("a module of another version", 1, "nuclei-threshold", slide, *FORMAT, says="vitrail-objects-gdal.so is of another version",
            program=alone / "vitrail-batch")
    if not HAS_GDAL:
        return
    refused("an op without objects", 2, "distance", slide, *FORMAT, says="distance has no objects")
    version = batch.batch("--version")
    check("--version says what can be written", "FlatGeobuf" in version.out and "GDAL" in version.out, version.out)
    if "GeoParquet" not in version.out:
        refused("a GDAL without the driver", 1, "nuclei-threshold", slide, "--format", "parquet", says="has no driver Parquet.")
        (folder / "drivers").mkdir()
        (folder / "drivers" / "ogr_Parquet.so").write_text("no driver")
        refused("a driver that can't be loaded", 1, "nuclei-threshold", slide, "--format", "parquet", drivers=folder / "drivers",
                says="has no driver Parquet, and could not load one: ")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slide, _ = batch.demo_slide(folder, 2048)
        check_refusals(folder, slide)
        if HAS_GDAL:
            check_slide(folder, slide)
            check_shapes(folder, slide)
            check_full_disk(folder, slide)
    if not FAILED and not HAS_GDAL:
        print("built without GDAL: only what is refused was looked at")
        return batch.SKIP
    print(f"{len(FAILED)} failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
