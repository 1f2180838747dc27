#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every stage of `nuclei-threshold` against scipy and scikit-image, and the same bytes for any tiling and number of threads."""
import csv
import filecmp
import json
import pathlib
import sys
import tempfile

import batch
from images import EIGHT, FOUR, Checks, by_dilation, erode_disc, morphology, ndi, np, read


def check_background(checks, stage, record):
    hematoxylin, background = stage("hematoxylin"), stage("background")
    radius = int(batch.fact(record, "background-radius-px"))
    want = by_dilation(erode_disc(hematoxylin, radius), hematoxylin)
    checks.equal(f"background (disc of {radius} px)", background, want.astype(np.int64))
    checks.equal("residue", stage("residue"), np.maximum(hematoxylin - background, 0))


def smooth(image, sigma):
    """A Gaussian in whole numbers: weights that add up to 65536, columns first, each pass rounded."""
    radius = 0 if sigma < 0.1 else int(np.ceil(3 * sigma))
    bell = np.exp(-0.5 * np.arange(-radius, radius + 1) ** 2 / max(sigma, 0.1) ** 2)
    weights = np.floor(65536 * bell / bell.sum() + 0.5).astype(np.int64)
    weights[radius] += 65536 - weights.sum()
    for axis in (0, 1):
        image = (ndi.correlate1d(image.astype(np.int64), weights, axis=axis, mode="nearest") + 32768) >> 16
    return image


def check_mask(checks, stage, record):
    inner, outer = batch.fact(record, "sigma-inner-px"), batch.fact(record, "sigma-outer-px")
    stands_out = smooth(stage("hematoxylin"), inner) > smooth(stage("hematoxylin"), outer)
    want = (smooth(stage("residue"), inner) > batch.fact(record, "threshold-raw")) & stands_out
    checks.equal("mask", stage("mask"), want.astype(np.int64) * 255)


def check_holes(checks, mask, filled, um_per_px, radius):
    """What is farther than the radius from the mask is no hole, nor is what such a place reaches. 0: all holes are filled."""
    far = ndi.distance_transform_edt(~mask) * um_per_px > radius if radius > 0 else np.zeros_like(mask)
    far[[0, -1], :] = far[:, [0, -1]] = True
    reached = ndi.binary_propagation(far & ~mask, structure=FOUR, mask=~mask)
    checks.equal(f"filled up to {radius} µm", filled, np.where(reached, 0, 255))


def check_other_holes(checks, path, folder, extra, um_per_px, radius):
    out = folder / "wide"
    batch.run_op(out, "nuclei-threshold", path, *extra, "--set", f"hole-radius={radius}", "--stages", "mask,filled")
    check_holes(checks, read(out / "mask.tif") > 0, read(out / "filled.tif"), um_per_px, radius)


def check_distance(checks, stage, um_per_px):
    inside = stage("filled") > 0
    want = (ndi.distance_transform_edt(inside).astype(np.float32) * np.float32(um_per_px)).astype(np.float32)
    checks.equal("distance", stage("distance"), want)


def check_seeds(checks, stage, depth):
    inside, distance = stage("filled") > 0, stage("distance")
    # The background lies below every marker, so that each piece has a maximum.
    bounded = np.where(inside, distance, np.float32(-2 * depth - 1)).astype(np.float32)
    domes = by_dilation(bounded - np.float32(depth), bounded).astype(np.float32)
    want = morphology.local_maxima(domes, connectivity=2, allow_borders=True) & inside
    checks.equal("seeds", stage("seeds"), want.astype(np.int64) * 255)


def check_labels(checks, stage, record):
    labels, inside = stage("labels"), stage("filled") > 0
    n = int(labels.max())
    checks.true("there are objects", n > 10, n)
    checks.true("labels lie inside the filled mask", not np.any((labels > 0) & ~inside))
    ids, first = np.unique(labels.ravel(), return_index=True)
    first = first[ids > 0]
    checks.true("labels run from 1 without a gap", list(ids[ids > 0]) == list(range(1, n + 1)))
    checks.true("labels are numbered by their first pixel", bool(np.all(np.diff(first) > 0)))
    boxes = ndi.find_objects(labels)
    pieces = [ndi.label(labels[box] == i + 1, EIGHT)[1] for i, box in enumerate(boxes)]
    checks.true("each label is one piece", set(pieces) <= {1}, sum(p != 1 for p in pieces))
    seeds, n_seeds = ndi.label(stage("seeds") > 0, EIGHT)
    owners = [set(np.unique(labels[box][seeds[box] == i + 1])) for i, box in enumerate(ndi.find_objects(seeds))]
    checks.true("a seed has one label", all(len(o) == 1 for o in owners))
    counts = np.bincount([o.pop() for o in owners if len(o) == 1], minlength=n + 1)[1:]
    checks.true("a label has one seed", bool(np.all(counts == 1)), f"{n_seeds} seeds, {n} labels")
    areas = np.bincount(labels.ravel(), minlength=n + 1)[1:]
    low, high = batch.fact(record, "min-area-px"), batch.fact(record, "max-area-px")
    checks.true("areas are in range", areas.min() >= low and areas.max() <= high, (areas.min(), areas.max()))
    return areas


def ring_area(ring):
    points = np.asarray(ring, float)
    x, y = points[:, 0], points[:, 1]
    return 0.5 * abs(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1]))


def polygon_area(geometry):
    polygons = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    return sum(ring_area(p[0]) - sum(ring_area(hole) for hole in p[1:]) for p in polygons)


def check_objects(checks, out, areas, downsample, um_per_px):
    features = json.loads((out / "objects.geojson").read_text())["features"]
    checks.true("one feature for each label", len(features) == len(areas), (len(features), len(areas)))
    want = areas * float(downsample) ** 2
    got = np.array([polygon_area(f["geometry"]) for f in features])
    checks.true("outlines enclose the labels' areas", got.shape == want.shape and np.allclose(got, want, atol=0.01))
    measured = [next(v for k, v in f["properties"]["measurements"].items() if "Area" in k) for f in features]
    checks.true("measured areas", np.allclose(measured, areas * um_per_px ** 2, rtol=1e-6))
    with open(out / "features.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    checks.true("one row for each label", len(rows) == len(areas) + 1, len(rows))


def check_slide(path, folder, extra):
    checks = Checks(path.name)
    out = folder / "one"
    record = batch.run_op(out, "nuclei-threshold", path, *extra)

    def stage(name):
        return read(out / f"{name}.tif")

    um_per_px, downsample = batch.fact(record, "um-per-px"), batch.fact(record, "downsample")
    check_background(checks, stage, record)
    check_mask(checks, stage, record)
    checks.true("holes are bounded unless somebody asks for all", record["params"]["hole-radius"] == 5)
    check_holes(checks, stage("mask") > 0, stage("filled"), um_per_px, 5)
    checks.true("most of a view is certain", np.mean(stage("certain") > 0) > 0.5, np.mean(stage("certain") > 0))
    for radius in (0, 0.4, 1):
        check_other_holes(checks, path, folder, extra, um_per_px, radius)
    check_distance(checks, stage, um_per_px)
    check_seeds(checks, stage, 0.5)
    areas = check_labels(checks, stage, record)
    check_objects(checks, out, areas, downsample, um_per_px)
    return checks


def check_tilings(path, folder, extra, options):
    checks = Checks(f"{path.name} again")
    first = folder / "one"
    for option in options:
        out = folder / "again"
        batch.run_op(out, "nuclei-threshold", path, *extra, *option)
        names = sorted(p.name for p in first.glob("*.tif")) + ["objects.geojson", "features.csv"]
        different = [n for n in names if not filecmp.cmp(first / n, out / n, shallow=False)]
        checks.true(f"same bytes with {' '.join(map(str, option))}", not different, different)
    return checks


def main():
    failed = n = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # Under the sanitizers a part will do.
        slides = [(batch.demo_slide(folder, 2048)[0], ["--region", "300,300,700,700"] if batch.SLOW > 1 else [])]
        if batch.shared():
            slide = batch.shared() / "slides/aperio/CMU-1-Small-Region.svs"
            slides.append((slide, ["--region", "900,700,700,700"] if batch.SLOW > 1 else []))
        else:
            print("no shared test data (VITRAIL_SHARED): the made-up slide alone")
        for slide, region in slides:
            extra = ["--set", "seed-depth=0.5", *region]
            options = [["--tile", 100], ["--threads", 1], *([["--tile", 64], ["--tile", 333], ["--threads", 2]] if slide == slides[0][0] else [])]
            for checks in (check_slide(slide, folder / slide.stem, extra), check_tilings(slide, folder / slide.stem, extra, options)):
                failed, n = failed + checks.failed, n + checks.n
    print(f"{n} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
