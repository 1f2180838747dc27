#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`vitrail-batch run --intensity` on a made-up slide in hematoxylin and DAB, whose nuclei's classes are known: classes, numbers, percent positive and H-score of
all files against counting here, of the whole slide and of regions of a file; the record makes it again; what is refused."""
import csv
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import batch

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPE = ROOT / "data" / "recipes" / "ihc-nuclei.recipe.json"
TISSUE = ROOT / "data" / "recipes" / "tissue.recipe.json"
THRESHOLDS = (0.2, 0.4, 0.6)
NAMES = ("Negative", "1+", "2+", "3+")
MEASUREMENT = "Nucleus: DAB OD mean"
INTENSITY = "DAB OD mean:0.2,0.4,0.6"


def check(what, is_so, details=""):
    print(f"{'ok' if is_so else 'NOT OK'}: {what}", details if not is_so else "", flush=True)
    if not is_so:
        sys.exit(1)


def table(path):
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def class_of(value):
    return sum(value >= t for t in THRESHOLDS)


def score(rows):
    """By hand, of rows of the table of objects."""
    values = [float(row[MEASUREMENT]) for row in rows if row[MEASUREMENT]]
    counts = [sum(class_of(v) == k for v in values) for k in range(4)]
    n = len(values)
    percent = 100 * sum(counts[1:]) / n if n else None
    h = sum(100 * k * counts[k] for k in range(4)) / n if n else None
    return n, counts, percent, h


def close(a, b):
    return a is not None and abs(a - b) < 1e-9


def check_row(row, rows, what):
    n, counts, percent, h = score(rows)
    check(f"{what}: {n} objects, {percent} % positive, H-score {h}",
          int(row["Objects scored"]) == n and [int(row[name]) for name in NAMES] == counts
          and (close(percent, float(row["Positive %"])) and close(h, float(row["H-score"])) if n else row["Positive %"] == row["H-score"] == "")
          and row["Measurement"] == MEASUREMENT and [float(row[f"{name} from"]) for name in NAMES[1:]] == list(THRESHOLDS), row)


def check_facts(facts, rows, what):
    n, counts, percent, h = score(rows)
    check(f"{what}: the record says the same", facts["n"] == n and [facts["counts"][name] for name in NAMES] == counts
          and (close(percent, facts["positive-percent"]) and close(h, facts["h-score"]) if n else "positive-percent" not in facts and "h-score" not in facts)
          and facts["measurement"] == MEASUREMENT and facts["thresholds"] == list(THRESHOLDS), facts)


def inside(ring, x, y):
    found = False
    for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1]):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            found = not found
    return found


def check_whole(folder, slide):
    out = folder / "whole"
    result = batch.batch("run", RECIPE, slide, "--intensity", INTENSITY, "--out", out, timeout=300)
    check("a run with --intensity", result.problem((0,)) is None, result.err)
    rows, record = table(out / "features.csv"), json.loads((out / "record.json").read_text())
    check("each object has its class", all(row["Classification"] == NAMES[class_of(float(row[MEASUREMENT]))] for row in rows))
    features = json.loads((out / "objects.geojson").read_text())["features"]
    check("GeoJSON, too", [f["properties"]["classification"]["name"] for f in features] == [row["Classification"] for row in rows])
    colours = {f["properties"]["classification"]["name"]: f["properties"]["classification"]["color"] for f in features}
    check("in QuPath's colours", colours == {"Negative": [90, 90, 180], "1+": [255, 215, 0], "2+": [225, 150, 50], "3+": [200, 50, 50]}, colours)
    scores = table(out / "intensity.csv")
    check("one row for the image", [row["Region"] for row in scores] == ["Image"], scores)
    check_row(scores[0], rows, "the image")
    check_facts(record["intensity"], rows, "the image")
    n, _, percent, h = score(rows)
    check("and what is printed", f"{percent:.1f} % positive" in result.out and f" of {n})" in result.out and f"H-score {h:.1f}; {MEASUREMENT} ≥ 0.2 / 0.4 / 0.6" in result.out, result.out)
    check("the file is in the record", "intensity.csv" in record["files"] and "intensity.csv" in record["contents"], record["files"])
    return rows


def check_truth(rows, classes):
    """Of nuclei that were found, the class is that with which they were drawn; and they are a fair sample."""
    truth = [(float(row["x"]) * 0.5, float(row["y"]) * 0.5, int(row["class"])) for row in table(classes)]
    n = right = positive = drawn = 0
    for row in rows:
        x, y = float(row["Centroid X µm"]), float(row["Centroid Y µm"])
        near = [t for t in truth if abs(t[0] - x) < 8 and abs(t[1] - y) < 8]
        near.sort(key=lambda t: (t[0] - x) ** 2 + (t[1] - y) ** 2)
        if not near or (near[0][0] - x) ** 2 + (near[0][1] - y) ** 2 > 1.5 ** 2:
            continue
        found = class_of(float(row[MEASUREMENT]))
        n += 1
        right += found == near[0][2]
        positive += found > 0
        drawn += near[0][2] > 0
    share = sum(t[2] > 0 for t in truth) / len(truth)
    print(f"{n} of {len(rows)} objects lie on one of {len(truth)} nuclei; {right} have its class; positive {positive}, drawn so {drawn}; of all nuclei {100 * share:.1f} %")
    check("nine tenths of the objects are nuclei that were drawn", n > 0.9 * len(rows) and n > 0.7 * len(truth))
    check("19 of 20 have the class that they were drawn with", right >= 0.95 * n)
    check("percent positive is that of the nuclei to 3 points", abs(score(rows)[2] - 100 * share) < 3, score(rows))


def check_regions(folder, slide):
    rings = {"left": [[100, 100], [900, 150], [500, 900]], "nothing": [[2, 2], [6, 2], [6, 6], [2, 6]], "right": [[1000, 200], [1900, 200], [1900, 1900], [1000, 1900]]}
    features = [{"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [ring + ring[:1]]}, "properties": {"name": name}} for name, ring in rings.items()]
    (folder / "rois.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    out = folder / "regions"
    record = batch.run_op(out, RECIPE, slide, f"rois={folder / 'rois.geojson'}", "--intensity", INTENSITY)
    rows, scores = table(out / "features.csv"), table(out / "intensity.csv")
    check("a row for each region and one for all", [row["Region"] for row in scores] == [*rings, "All regions"], scores)
    for (name, ring), row, region in zip(rings.items(), scores, record["regions"]):
        mine = [r for r in rows if r["Parent"] == name]
        check(f"{name}: {len(mine)} objects, all inside", all(inside(ring, float(r["Centroid X µm"]) / 0.5, float(r["Centroid Y µm"]) / 0.5) for r in mine))
        check_row(row, mine, name)
        check_facts(region["intensity"], mine, name)
    told = batch.batch("run", RECIPE, slide, f"rois={folder / 'rois.geojson'}", "--intensity", INTENSITY, "--out", folder / "told").out.splitlines()
    for name, ring in rings.items():
        n = sum(r["Parent"] == name for r in rows)
        area = abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1]))) / 2 * 0.25
        line = next((line for line in told if line.startswith(f"{name}: Area")), "")
        check(f"{name}: its area, its objects and how dense they lie, by class, are printed",
              line.startswith(f"{name}: Area µm^2 {area:.6g}, ") and f", Objects {n}, Objects / mm^2 {n / area * 1e6:.6g}," in line and "Objects: Negative" in line, line)
    check("of nothing there is no percentage", scores[1]["Objects scored"] == "0" and scores[1]["Positive %"] == "")
    check_row(scores[-1], rows, "all regions")
    for more in ((), ("--threads", "1")):
        again = batch.batch("rerun", out / "record.json", *more, timeout=300)
        check("the record makes it again", again.status == 0 and "every byte" in again.out and "intensity.csv" in again.out, again.out + again.err)
    result = batch.batch("run", RECIPE, slide, f"rois={folder / 'rois.geojson'}", "--region", "0,0,100,100", "--out", folder / "both")
    check("a file of regions and --region are too much", result.status == 2 and "leave --region or rois out" in result.err, result.err)


def check_tissue(folder, slide):
    """The pieces of tissue are regions like others, with their holes."""
    batch.run_op(folder / "tissue", TISSUE, slide)
    record = batch.run_op(folder / "inside", RECIPE, slide, f"rois={folder / 'tissue' / 'objects.geojson'}", "--intensity", "DAB OD mean:0.2")
    scores = table(folder / "inside" / "intensity.csv")
    check("one threshold makes two classes", [key for key in scores[0] if key in ("Negative", "Positive", "1+", "H-score")] == ["Negative", "Positive"], scores[0])
    check("in the tissue", record["intensity"]["n"] > 100, record["intensity"])


def write_colours(path, side, blocks):
    """White, with blocks of (left, top, width, height, colour)."""
    rows = [[(245, 245, 245)] * side for _ in range(side)]
    for left, top, width, height, colour in blocks:
        for row in rows[top:top + height]:
            row[left:left + width] = [colour] * width
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    raw = b"".join(b"\0" + bytes(c for pixel in row for c in pixel) for row in rows)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def check_pen(folder):
    """Green, blue and black lines are no tissue; eosin, hematoxylin, DAB and a red line are."""
    tissue = {"eosin": (205, 125, 175), "hematoxylin": (85, 75, 150), "dab": (130, 85, 50), "red pen": (200, 40, 50)}
    pens = {"green pen": (30, 140, 80), "blue pen": (40, 60, 160), "black pen": (25, 25, 30)}
    colours = {**tissue, **pens}
    places = {name: (100 + 450 * (i % 3), 100 + 450 * (i // 3)) for i, name in enumerate(colours)}
    write_colours(folder / "pen.png", 1500, [(*places[name], 250, 250, colour) for name, colour in colours.items()])
    for leaves, wanted in (("true", set(tissue)), ("false", set(colours))):
        batch.run_op(folder / "pen", TISSUE, f"image={folder / 'pen.png'}", "--set", f"leave-pen-out={leaves}")
        middles = [(float(row["Centroid X px"]), float(row["Centroid Y px"])) for row in table(folder / "pen" / "features.csv")]
        found = {name for name, (x, y) in places.items() if any(abs(mx - x - 125) < 40 and abs(my - y - 125) < 40 for mx, my in middles)}
        check(f"leave-pen-out={leaves}: tissue is {', '.join(sorted(wanted))}", found == wanted and len(middles) == len(wanted), (found, middles))


def check_same(folder, slide):
    for name, more in (("streamed", ("--memory", "60M")), ("threads", ("--threads", "1")), ("resumed", ("--resume",))):
        batch.run_op(folder / name, RECIPE, slide, "--intensity", INTENSITY, *more)
        for file in ("features.csv", "objects.geojson", "intensity.csv"):
            check(f"{name}: {file} is the same", (folder / name / file).read_bytes() == (folder / "whole" / file).read_bytes())
    result = batch.batch("run", RECIPE, slide, "--intensity", INTENSITY, "--resume", "--out", folder / "resumed", timeout=300)
    check("the same again is done before", "done before" in result.out, result.out)
    result = batch.batch("run", RECIPE, slide, "--intensity", "DAB OD mean:0.3", "--resume", "--out", folder / "resumed", timeout=300)
    check("other thresholds are another run", result.status == 0 and "done before" not in result.out, result.out)
    batch.run_op(folder / "resumed", RECIPE, slide, "--region", "0,0,512,512")
    check("what is not of the next result goes", not (folder / "resumed" / "intensity.csv").exists())


def refuse(folder, slide):
    for op, intensity, status, words in ((RECIPE, "DAB OD mean:0.4,0.2,0.6", 2, "must rise"),
                                         (RECIPE, "DAB OD mean:0.2,0.4", 2, "one threshold"), (RECIPE, "DAB OD mean", 2, "such as “DAB OD mean:0.2,0.4,0.6”"),
                                         (RECIPE, "DAB OD mean:high", 2, "such as"), (RECIPE, "Eosin OD mean:0.2", 1, "no measurement “Eosin OD mean”"),
                                         ("distance", INTENSITY, 2, "has no objects")):
        result = batch.batch("run", op, slide, "--region", "900,900,300,300", "--intensity", intensity, "--out", folder / "refused", timeout=120)
        check(f"{intensity}: {words}", result.problem((status,)) is None and words in result.err and not (folder / "refused" / "record.json").exists(), result.err)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slide, classes = folder / "ihc.svs", folder / "classes.csv"
        subprocess.run([batch.DEMO, slide, "--ihc", classes, "--size", "2048"], check=True, stdout=subprocess.DEVNULL, timeout=120 * batch.SLOW)
        rows = check_whole(folder, slide)
        check_truth(rows, classes)
        check_regions(folder, slide)
        check_tissue(folder, slide)
        check_pen(folder)
        check_same(folder, slide)
        refuse(folder, slide)
    return 0


if __name__ == "__main__":
    sys.exit(main())
