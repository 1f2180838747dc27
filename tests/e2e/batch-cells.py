#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cells and neighbours of `nuclei-threshold` and `nuclei` against scipy and scikit-image, on the made-up slide: in memory, and streamed."""
import csv
import json
import math
import pathlib
import sys
import tempfile

import batch

try:
    import numpy as np
    from scipy import spatial
    from skimage import measure, segmentation
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(batch.SKIP)
from images import Checks, read

EXPANSION = 5.0  # µm
SETTINGS = "--set", f"cell-expansion={EXPANSION}", "--set", "neighbours=yes", "--region", "0,0,900,800"


def nearest(labels, limit):
    """Of each pixel the label of the nearest object, of equals the lowest, by looking at every pixel that is near enough."""
    reach = int(limit)
    best = np.full(labels.shape, np.iinfo(np.int64).max)
    found = np.zeros_like(labels)
    padded = np.pad(labels, reach)
    height, width = labels.shape
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            square = dx * dx + dy * dy
            there = padded[reach + dy : reach + dy + height, reach + dx : reach + dx + width]
            wins = (square <= limit * limit) & (there > 0) & ((square < best) | ((square == best) & (there < found)))
            best[wins] = square
            found[wins] = there[wins]
    return np.where(labels > 0, labels, found)


def check(checks, op, folder, slide):
    record = batch.run_op(folder / op, op, slide, *SETTINGS)
    um = batch.fact(record, "um-per-px")
    labels = read(folder / op / "labels.tif").astype(np.int64)
    rows = list(csv.DictReader((folder / op / "features.csv").open()))
    checks.true(f"{op}: there are objects", len(rows) > 50 and len(rows) == labels.max(), len(rows))
    cells = nearest(labels, EXPANSION / um)
    theirs = segmentation.expand_labels(labels, EXPANSION / um)
    checks.true(f"{op}: scikit-image differs where two nuclei are equally far, if at all", np.mean(theirs != cells) < 0.01 and np.array_equal(theirs > 0, cells > 0))
    column = lambda name: np.array([float(row[name]) for row in rows])
    near = lambda name, want: checks.true(f"{op}: {name}", np.allclose(column(name), want, rtol=1e-9, atol=1e-9), np.abs(column(name) - want).max())
    regions = measure.regionprops(cells)
    areas = np.array([r.area for r in regions])
    near("Cell: Area µm^2", areas * um * um)
    near("Nucleus/Cell area ratio", np.bincount(labels.ravel())[1:] / areas)
    near("Cell: Eccentricity", [r.eccentricity for r in regions])
    near("Cell: Crofton perimeter µm", [measure.perimeter_crofton(np.pad(r.image, 1), directions=4) * um for r in regions])
    height, width = labels.shape
    near("Cell: Touches border", [r.bbox[0] == 0 or r.bbox[1] == 0 or r.bbox[2] == height or r.bbox[3] == width for r in regions])
    if op == "nuclei-threshold":
        stain = read(folder / op / "hematoxylin.tif") * 1e-4
        for part, image in (("Cell", cells), ("Cytoplasm", np.where(labels > 0, 0, cells))):
            values = [stain[image == number] for number in range(1, len(rows) + 1)]
            for name, of in (("mean", np.mean), ("max", np.max), ("min", np.min), ("std dev", lambda v: np.std(v, ddof=1))):
                got = column(f"{part}: Hematoxylin OD {name}")
                want = np.array([of(v) if len(v) > 1 else math.nan for v in values])
                checks.true(f"{op}: {part}: {name}", np.allclose(got[~np.isnan(want)], want[~np.isnan(want)], rtol=1e-5, atol=1e-5))
    places = np.array([r.centroid for r in measure.regionprops(labels)]) * um
    tree = spatial.cKDTree(places)
    near("Nearest neighbour µm", tree.query(places, 2)[0][:, 1])
    for radius in (25, 50):
        near(f"Neighbours within {radius} µm", [len(found) - 1 for found in tree.query_ball_point(places, radius)])
    check_surroundings(checks, op, folder, slide)
    check_outlined(checks, op, folder, slide, cells)
    batch.run_op(folder / "streamed", op, slide, *SETTINGS, "--memory", "64M", "--threads", "1")
    for name in ("features.csv", "objects.geojson"):
        checks.true(f"{op}: streamed, {name}", (folder / "streamed" / name).read_bytes() == (folder / op / name).read_bytes())


SQUARE = ((200, 200), (700, 200), (700, 600), (200, 600))  # level-0 pixels


def to_border(x, y):
    """Signed distance of a level-0 point to the square's border."""
    (left, top), (right, bottom) = SQUARE[0], SQUARE[2]
    dx, dy = max(left - x, 0, x - right), max(top - y, 0, y - bottom)
    return math.hypot(dx, dy) if dx > 0 or dy > 0 else -min(x - left, right - x, y - top, bottom - y)


def check_surroundings(checks, op, folder, slide):
    """Delaunay neighbours and distances to a border, the same by `rerun`; nothing else changes."""
    square = folder / "square.geojson"
    square.write_text(json.dumps({"type": "Polygon", "coordinates": [[*SQUARE, SQUARE[0]]]}))
    record = batch.run_op(folder / "round", op, slide, *SETTINGS, "--neighbours", f"borders={square}")
    rows = list(csv.DictReader((folder / "round" / "features.csv").open()))
    names = ["Delaunay neighbours", "Signed distance to region border µm"]
    um = batch.fact(record, "um-per-px") / batch.fact(record, "downsample")
    places = np.array([[float(row["Centroid X µm"]), float(row["Centroid Y µm"])] for row in rows]) / um
    degrees = np.array([float(row[names[0]]) for row in rows])
    indptr, _ = spatial.Delaunay(places).vertex_neighbor_vertices
    checks.true(f"{op}: scipy counts the same Delaunay neighbours", np.array_equal(degrees, np.diff(indptr)), (degrees - np.diff(indptr)).tolist())
    want = np.array([to_border(x, y) * um for x, y in places])
    got = np.array([float(row[names[1]]) for row in rows])
    checks.true(f"{op}: distances to the border, below zero inside", np.allclose(got, want, atol=1e-6) and (want < 0).any() and (want > 0).any(), np.abs(got - want).max())
    former = list(csv.DictReader((folder / op / "features.csv").open()))
    checks.true(f"{op}: the other columns stay", [{k: v for k, v in row.items() if k not in names} for row in rows] == former)
    features = json.loads((folder / "round" / "objects.geojson").read_text())["features"]
    checks.true(f"{op}: GeoJSON has them", [[f["properties"]["measurements"][name] for name in names] for f in features] == np.column_stack([degrees, got]).tolist())
    checks.true(f"{op}: the record names them", record["surroundings"]["columns"] == names and record["surroundings"]["regions"] == 1)
    result = batch.batch("rerun", folder / "round" / "record.json", "--out", folder / "again")
    checks.true(f"{op}: rerun makes them again", not result.problem((0,)) and (folder / "again" / "features.csv").read_bytes() == (folder / "round" / "features.csv").read_bytes(), result.err)


def check_outlined(checks, op, folder, slide, cells):
    """The outlines are the cells', and no number changes."""
    batch.run_op(folder / "outlined", op, slide, *SETTINGS, "--set", "outline=cell")
    checks.true(f"{op}: outlined cells have the same measurements",
                [row[9:] for row in csv.reader((folder / "outlined" / "features.csv").open())] == [row[9:] for row in csv.reader((folder / op / "features.csv").open())])
    features = json.loads((folder / "outlined" / "objects.geojson").read_text())["features"]
    record = json.loads((folder / "outlined" / "record.json").read_text())
    grid = batch.fact(record, "downsample")

    def area(ring):
        return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:])) / 2

    geometries = [f["geometry"] for f in features]
    polygons = [p for g in geometries for p in ([g["coordinates"]] if g["type"] == "Polygon" else g["coordinates"])]
    total = sum(area(ring) for polygon in polygons for ring in polygon)
    checks.true(f"{op}: the outlines enclose the cells", abs(abs(total) / grid**2 - (cells > 0).sum()) < 0.01, total)


def main():
    checks = Checks("cells")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slide, _ = batch.demo_slide(folder, 1024)
        for op in ("nuclei-threshold", "nuclei"):
            check(checks, op, folder, slide)
    print(f"{checks.n} checks, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
