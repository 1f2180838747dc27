#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Distances, markers, zones and watersheds against scipy, scikit-image and what their definitions say, literally."""
import json
import pathlib
import sys
import tempfile

import batch
from images import EIGHT, FOUR, Checks, by_dilation, by_erosion, ndi, np, read

TYPES = {"u8": (8, 1, np.uint8), "u16": (16, 1, np.uint16), "i32": (32, 2, np.int32), "f32": (32, 3, np.float32)}
SHAPES = ((1, 1), (1, 29), (31, 1), (43, 37), (97, 131))
# Every shape in one type, every type in a line and in a rectangle: a program starts for each.
CASES = [(kind, shape) for kind in TYPES for shape in SHAPES if kind == "u16" or shape in SHAPES[2:4]]


def write(path, array, kind):
    bits, sample_format, dtype = TYPES[kind]
    array = np.ascontiguousarray(array, dtype)
    batch.write_tiff(path, array.shape[1], array.shape[0], bits, sample_format, array.tobytes(), compression=8)
    return path


def hills(rng, shape, top, sigma=2.0):
    smooth = ndi.gaussian_filter(rng.random(shape), sigma, mode="nearest")
    spread = smooth.max() - smooth.min()
    return np.floor((smooth - smooth.min()) / (spread if spread else 1) * top)


def run(folder, op, inputs, **settings):
    """The results of an op, by stage."""
    out = folder / "out"
    for old in out.glob("*.tif"):
        old.unlink()
    words = [word for key, value in settings.items() for word in ("--set", f"{key.replace('_', '-')}={value}")]
    batch.run_op(out, op, *inputs, "--tile", 64, *words)
    return {path.stem: read(path) for path in out.glob("*.tif")}


# Distances


def nearest_first(image):
    """Number of the nearest background pixel, of equally near ones the smallest; by trying all."""
    sites = np.argwhere(image == 0)
    ys, xs = np.indices(image.shape)
    squared = (ys[..., None] - sites[:, 0]) ** 2 + (xs[..., None] - sites[:, 1]) ** 2
    return (sites[:, 0] * image.shape[1] + sites[:, 1])[np.argmin(squared, axis=2)]


def check_distance(checks, folder, rng):
    algorithms = batch.batch("ops", "--json").out
    for shape in SHAPES:
        for share in (0.5, 0.97):
            image = (rng.random(shape) < share).astype(np.uint8)
            image[rng.integers(shape[0]), rng.integers(shape[1])] = 0
            inputs = [f"image={write(folder / 'image.tif', image, 'u8')}"]
            euclidean, (ys, xs) = ndi.distance_transform_edt(image, return_indices=True)
            grid = np.indices(shape)
            squared = (ys - grid[0]) ** 2 + (xs - grid[1]) ** 2
            name = f"{shape}, {share} foreground"
            found = run(folder, "distance", inputs, output="squared")
            checks.equal(f"squared distance {name}", found["squared"], squared)
            checks.true(f"squared distance {name}: no other output", set(found) == {"squared", "certain"}, found.keys())
            found = run(folder, "distance", inputs, output="nearest")["nearest"]
            checks.equal(f"nearest {name}", found, nearest_first(image))
            capped = run(folder, "distance", inputs, output="squared", cap=2)["squared"]
            checks.equal(f"capped {name}", capped, np.minimum(squared, 4))
            far = run(folder, "distance", inputs, output="nearest", cap=2)["nearest"]
            checks.equal(f"nearest, capped {name}", far, np.where(squared > 4, -1, found))
            if "danielsson" not in algorithms:
                continue
            near = run(folder, "distance", inputs, algorithm="danielsson")
            error = near["result"] - euclidean.astype(np.float32)
            checks.true(f"danielsson {name}: never less, nor more than a pixel", bool(np.all((error >= 0) & (error < 1))),
                        error.max())
            checks.true(f"danielsson {name}: nothing is called certain", "certain" not in near, near.keys())
    inputs = [f"image={write(folder / 'image.tif', np.ones((9, 7)), 'u8')}"]
    for output in ("squared", "nearest"):
        found = run(folder, "distance", inputs, output=output)[output]
        checks.true(f"{output} without background is -1", bool(np.all(found == -1)))


# Markers


def border(image, lowest):
    marker = np.full(image.shape, lowest)
    for edge in (np.s_[0], np.s_[-1], np.s_[:, 0], np.s_[:, -1]):
        marker[edge] = image[edge]
    return marker


def check_markers(checks, folder, rng):
    tops = {"u8": 255, "u16": 65535, "i32": 1_000_000, "f32": 1000}
    for kind, shape in CASES:
        mask = hills(rng, shape, tops[kind])
        inputs = [f"mask={write(folder / 'mask.tif', mask, kind)}"]
        for method, answer, peak in (("dilation", by_dilation, mask.argmax()), ("erosion", by_erosion, mask.argmin())):
            lowest = mask.min() if method == "dilation" else mask.max()
            one = np.full(shape, lowest)
            one.flat[peak] = mask.flat[peak]
            for connectivity, structure in (("8", EIGHT), ("4", FOUR)):
                settings = {"method": method, "connectivity": connectivity}
                name = f"{kind} {shape} by {method}, {connectivity} neighbours"
                found = run(folder, "reconstruct", inputs, marker_kind="one-pixel", **settings)
                # The marker's lowest value is that of the type, below the mask's; both grow to the same image but
                # where only the lowest arrives, which on a grid is nowhere.
                checks.equal(f"one pixel {name}", found["result"].astype(float), answer(one, mask, structure))
                checks.true(f"one pixel {name}: nothing is called certain", "certain" not in found, found.keys())
                found = run(folder, "reconstruct", inputs, marker_kind="border", **settings)["result"].astype(float)
                checks.equal(f"border {name}", found, answer(border(mask, lowest), mask, structure))


# Zones


def zones(seeds, mask, four):
    """Breadth first, wave by wave: (steps or NaN, label of the nearest seed, of equally near ones the smallest)."""
    steps, labels = np.full(mask.shape, np.nan), np.where(mask, seeds, 0)
    wave = [tuple(p) for p in np.argwhere(labels)]
    steps[labels > 0] = 0
    while wave:
        offers = {}
        for y, x in wave:
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    p = (y + dy, x + dx)
                    inside = 0 <= p[0] < mask.shape[0] and 0 <= p[1] < mask.shape[1]
                    if (dy and dx and four) or not inside or not mask[p] or labels[p]:
                        continue
                    offers[p] = min(offers.get(p, labels[y, x]), labels[y, x])
        for p, label in offers.items():
            labels[p], steps[p] = label, steps[wave[0]] + 1
        wave = list(offers)
    return steps, labels


def check_zones(checks, folder, rng):
    for kind, shape in CASES:
        image = hills(rng, shape, 200, 3)
        inputs = [f"image={write(folder / 'image.tif', image, kind)}"]
        for connectivity, structure in (("8", EIGHT), ("4", FOUR)):
            name = f"{kind} {shape}, {connectivity} neighbours"
            settings = {"threshold": 70, "seed_above": 140, "connectivity": connectivity}
            own = ndi.label(image > 140, structure)[0]
            found = run(folder, "zones", inputs, **settings)
            steps, labels = zones(own, image > 70, connectivity == "4")
            checks.equal(f"zones {name}", found["zones"], labels)
            checks.equal(f"steps {name}", found["distance"], steps.astype(np.float32))
            given = np.where(rng.random(shape) < 0.01, rng.integers(1, 250, shape), 0)
            seeds = f"seeds={write(folder / 'seeds.tif', given, kind if kind != 'f32' else 'i32')}"
            found = run(folder, "zones", [*inputs, seeds], **settings)
            steps, labels = zones(given, image > 70, connectivity == "4")
            checks.equal(f"zones of given seeds {name}", found["zones"], labels)
            checks.equal(f"steps of given seeds {name}", found["distance"], steps.astype(np.float32))


# Watershed


def around(shape, y, x):
    for ny in range(max(y - 1, 0), min(y + 2, shape[0])):
        for nx in range(max(x - 1, 0), min(x + 2, shape[1])):
            if (ny, nx) != (y, x):
                yield ny, nx


def watershed(height, seeds, mask):
    """The three steps of docs/nuclei-threshold.md, each until nothing changes."""
    shape = height.shape
    low = height.min() - 1
    bounded = np.where(mask, height, low)
    seeds = np.where(mask, seeds, 0)
    level = by_dilation(np.where(seeds > 0, bounded, low), bounded)
    distance = np.where(seeds > 0, 0, np.inf)
    pixels = [tuple(p) for p in np.argwhere(mask & (seeds == 0))]
    neighbours = {p: [q for q in around(shape, *p) if mask[q]] for p in pixels}
    changed = True
    while changed:
        changed = False
        for p in pixels:
            entered = any(level[q] > level[p] for q in neighbours[p])
            now = 1 if entered else 1 + min((distance[q] for q in neighbours[p] if level[q] == level[p]), default=np.inf)
            if now < distance[p]:
                distance[p], changed = now, True
    labels = seeds.copy()
    for p in sorted(pixels, key=lambda p: (-level[p], distance[p])):
        if np.isfinite(distance[p]):
            labels[p] = labels[min(neighbours[p], key=lambda q: (-level[q], distance[q], q))]
    return labels


def by_first_pixel(labels):
    numbers = {}
    flat = [numbers.setdefault(int(v), len(numbers) + 1) if v else 0 for v in labels.ravel()]
    return np.array(flat).reshape(labels.shape)


def peaks(height, mask, rise):
    """Regional maxima, inside the mask, of the height's domes."""
    low = height.min() - rise - 1
    bounded = np.where(mask, height, low)
    domes = by_dilation(np.where(mask, bounded - rise, low), bounded)
    result = np.zeros(height.shape, bool)
    for value in np.unique(domes[mask]):
        labels, _ = ndi.label(mask & (domes == value), EIGHT)
        higher = ndi.maximum_filter(np.where(mask & (domes > value), 1, 0), footprint=EIGHT, mode="constant", cval=0)
        touched = np.unique(labels[(higher > 0) & (labels > 0)])
        result |= (labels > 0) & ~np.isin(labels, touched)
    return result


def check_watershed(checks, folder, rng):
    for kind, shape in CASES:
        if shape != SHAPES[-1]:  # the definition, literally, takes its time
            image = hills(rng, shape, 60, 1.5)
            inputs = [f"image={write(folder / 'image.tif', image, kind)}"]
            for tone in ("bright", "dark"):
                name = f"{kind} {shape}, {tone} objects"
                height = image if tone == "bright" else -image
                mask = image > 20 if tone == "bright" else image < 30
                settings = {"objects": tone, "threshold": 20 if tone == "bright" else 30, "height": 5}
                found = run(folder, "watershed", inputs, **settings)["result"]
                own = ndi.label(peaks(height, mask, 5), EIGHT)[0]
                checks.equal(f"watershed {name}", found, by_first_pixel(watershed(height, own, mask)))
                given = np.where(rng.random(shape) < 0.01, rng.integers(1, 250, shape), 0)
                seeds = f"seeds={write(folder / 'seeds.tif', given, 'u8')}"
                found = run(folder, "watershed", [*inputs, seeds], **settings)["result"]
                checks.equal(f"watershed from given seeds {name}", found, watershed(height, given, mask))


# Nuclei by a trained score


def check_regions(checks, folder, _):
    """What the definition says of any choice: pieces that do not overlap, of one score each, of the size that was asked for."""
    slide = batch.demo_slide(folder, 512)[0]
    labels, score, um = check_regions_of(checks, folder, slide, "all")
    scores = np.unique(score[labels > 0])
    least = scores[len(scores) // 2 - 1 : len(scores) // 2 + 1].mean()
    best, other, _ = check_regions_of(checks, folder, slide, "best", "--set", f"min-score={least}", min_area=10)
    sizes = np.bincount(best.ravel()) * um * um
    checks.true("regions: the best have a higher score, and are of the size that was asked for",
                best.max() < labels.max() and other[best > 0].min() > least and sizes[1:].min() >= 10)
    refused = (best == 0) & (labels > 0)
    checks.true("regions: where they are refused, their score is still seen", (other >= score)[refused].all() and refused.any())


def check_preset(checks, folder, _):
    """The kind of image is chosen by a look at all of it, the record says which, and the answer is that of the same choice made by hand."""
    y, x = np.mgrid[0:256, 0:256]
    blobs = np.where((x % 32 - 16) ** 2 + (y % 32 - 16) ** 2 < 64, 200, 12)
    slide = batch.demo_slide(folder, 512)[0]
    dark = f"image={write(folder / 'dark.tif', blobs, 'u8')}"
    light = f"image={write(folder / 'light.tif', 255 - blobs, 'u8')}"
    for name, kind, image in (("dark", "fluorescence", dark), ("light", "cytology", light), ("demo", "tissue-small", slide)):
        own, given = (batch.run_op(folder / f"{name}-{preset}", "nuclei", image, "--set", f"preset={preset}", "--region", "0,0,200,200",
                                   "--stages", "labels") for preset in ("auto", kind))
        first, second = (read(folder / f"{name}-{preset}" / "labels.tif") for preset in ("auto", kind))
        checks.true(f"preset, {name}: the record says {kind}", own["resolved"]["preset"] == kind and "preset" not in given["resolved"])
        trained = "BBBC038v1 and CMU-1" if kind == "tissue-small" else "BBBC038v1,"
        checks.true(f"preset, {name}: and whose the score is", "CC0-1.0" in own["resolved"]["score-licence"] and trained in own["resolved"]["score-licence"])
        checks.true(f"preset, {name}: nuclei as of {kind}", first.max() > 0 and (first == second).all())
    by_hand = batch.batch("run", "nuclei", light, "--set", "preset=tissue", "--out", folder / "by-hand")
    checks.true("preset: one channel as tissue is refused, and the sentence names what would do",
                by_hand.status == 1 and "cytology or fluorescence" in by_hand.err)


def check_regions_of(checks, folder, slide, name, *settings, min_area=0):
    record = batch.run_op(folder / name, "nuclei", slide, "--tile", 100, "--set", f"min-area={min_area}", *settings)
    labels, score = (read(folder / name / f"{stage}.tif") for stage in ("labels", "score"))
    score = score / 65535
    objects = json.loads((folder / name / "objects.geojson").read_text())["features"]
    n, um = int(labels.max()), record["resolved"]["um-per-px"]
    checks.true(f"regions, {name}: some, and as many as the record says", 0 < n == record["resolved"]["objects"] == len(objects))
    checks.equal(f"regions, {name}: numbered by first pixels", labels, by_first_pixel(labels))
    checks.true(f"regions, {name}: each is one piece", all(ndi.label(labels == i, EIGHT)[1] == 1 for i in range(1, n + 1)))
    of = [score[labels == i] for i in range(1, n + 1)]
    checks.true(f"regions, {name}: each has one score", all(v.min() == v.max() > 0 for v in of))
    measured = [o["properties"]["measurements"] for o in objects]
    checks.true(f"regions, {name}: the score is measured",
                all(abs(m["Nucleus: Score"] - v.mean()) < 1e-9 for m, v in zip(measured, of)))
    checks.true(f"regions, {name}: and the area",
                all(abs(m["Nucleus: Area µm^2"] - len(v) * um * um) < 1e-6 for m, v in zip(measured, of)))
    return labels, score, um


# Algorithms


def check_algorithms(checks, folder, _):
    """One that only a GPU has is not left out without a word."""
    if "heap" not in batch.batch("ops", "--json").out:
        print("SKIP: built without the algorithms of papers")
        return
    slide = batch.demo_slide(folder, 512)[0]
    usual, other = (batch.run_op(folder / a, "morphology", slide, "--backend", "cpu", "--set", f"algorithm={a}") for a in ("auto", "heap"))
    checks.true("the usual algorithm: no warning", usual["warnings"] == [])
    checks.true("one that the CPU has not: the record says which took its place",
                len(other["warnings"]) == 1 and "“heap”" in other["warnings"][0].replace('"heap"', "“heap”"))
    first, second = ((folder / a / "result.tif").read_bytes() for a in ("auto", "heap"))
    checks.true("and the result is the same", first == second)


def main():
    rng, checks = np.random.default_rng(3), Checks("ops")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for check in (check_distance, check_markers, check_zones, check_watershed, check_regions, check_preset, check_algorithms):
            check(checks, folder, rng)
    print(f"{checks.n} checks, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
