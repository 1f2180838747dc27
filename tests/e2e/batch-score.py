#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`vitrail-batch score`: files of every kind, regions, dots, what it refuses, and the figures of shared/tools/score-nuclei.py."""
import json
import pathlib
import random
import struct
import sys
import tempfile
import types

import batch

WIDTH, HEIGHT = 40, 30


def expect(what, condition, detail=""):
    if not condition:
        sys.exit(f"{what}: {detail}")
    print("ok:", what, flush=True)


def refused(what, words, *args, status=1):
    result = batch.batch("score", *args)
    expect(what, result.problem((status,)) is None and result.status == status and words in result.err
           and result.err.strip().endswith(".") and not result.out, f"{result.status}: {result.err}{result.out}")


def score(folder, *args, notes=()):
    """The figures; stderr holds the notes, and nothing else."""
    path = folder / "score.json"
    path.unlink(missing_ok=True)
    result = batch.batch("score", *args, "--json", path)
    problem = result.problem((0,))
    lines = result.err.strip().splitlines()
    if problem or len(lines) != len(notes) or any(n not in l for n, l in zip(notes, lines)):
        sys.exit(f"score {' '.join(map(str, args))}: {problem}: {result.err}")
    figures = json.loads(path.read_text())
    expect("the notes are in the JSON, too", len(figures["notes"]) == len(notes), figures["notes"])
    return figures, result.out


def blank():
    return [[0] * WIDTH for _ in range(HEIGHT)]


def fill(image, x, y, width, height, label):
    for j in range(y, y + height):
        image[j][x:x + width] = [label] * width
    return image


def write(path, image, kind="u16"):
    flat = [value for row in image for value in row]
    if path.suffix == ".png":
        code, depth = (">%dB", 8) if kind == "u8" else (">%dH", 16)
        batch.write_png(path, len(image[0]), len(image), [struct.pack(code % len(row), *row) for row in image], depth)
    else:
        code, bits, sample_format = {"u8": ("B", 8, 1), "u16": ("H", 16, 1), "i32": ("i", 32, 2), "f32": ("f", 32, 3)}[kind]
        batch.write_tiff(path, len(image[0]), len(image), bits, sample_format, struct.pack(f"<{len(flat)}{code}", *flat))
    return path


def feature(kind, coordinates):
    return {"type": "Feature", "properties": {}, "geometry": {"type": kind, "coordinates": coordinates}}


def box(x, y, width, height):
    return feature("Polygon", [[[x, y], [x + width, y], [x + width, y + height], [x, y + height], [x, y]]])


def write_json(path, *features):
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def check_kinds(folder):
    """The same objects in files of every kind: IoU 40/60, one missed, one extra."""
    truth_boxes, result_boxes = [(2, 2, 10, 5), (20, 20, 6, 6)], [(4, 2, 10, 5), (30, 2, 4, 4)]
    images = []
    for boxes in (truth_boxes, result_boxes):
        image = blank()
        for i, b in enumerate(boxes):
            fill(image, *b, 3 * i + 2)
        images.append(image)
    truths = [write_json(folder / "truth.geojson", *(box(*b) for b in truth_boxes))]
    results = [write_json(folder / "result.json", *(box(*b) for b in result_boxes))]
    for suffix, kind in ((".png", "u8"), (".png", "u16"), (".tif", "u8"), (".tif", "u16"), (".tif", "i32"), (".tif", "f32")):
        truths.append(write(folder / f"truth-{kind}{suffix}", images[0], kind))
        results.append(write(folder / f"result-{kind}{suffix}", images[1], kind))
    want = None
    for result in results:
        for truth in truths:
            got = score(folder, result, truth)[0]
            got = {k: v for k, v in got.items() if k not in ("result", "truth", "width", "height")}
            want = want or got
            expect(f"{result.name} against {truth.name}", got == want, got)
    expect("the figures", [m["matched"] for m in want["iou"]] == [1, 1, 0, 0, 0] and want["iou"][0]["f1"] == 0.5
           and abs(want["sq"] - 40 / 60) < 1e-12 and abs(want["aji"] - 40 / (60 + 36 + 16)) < 1e-12, want)
    expect("sizes are in pixels, and say so", want["area-unit"] == "px" and want["um2-per-px"] is None, want)
    in_um, text = score(folder, results[0], truths[0], "--mpp", "0.5", "--sizes", "10,20")
    expect("sizes in µm²", in_um["area-unit"] == "µm²" and [s["truth"] for s in in_um["sizes"]] == [1, 1, 0]
           and [s["from"] for s in in_um["sizes"]] == [0, 10, 20] and "By area in µm²" in text, in_um["sizes"])
    low = score(folder, results[0], truths[0], "--iou", "0.1,0.7")[0]
    expect("thresholds of one's own", [(m["above"], m["matched"]) for m in low["iou"]] == [(0.1, 1), (0.7, 0)], low["iou"])


def check_regions(folder):
    truth = write(folder / "truth.png", fill(fill(blank(), 2, 2, 6, 6, 1), 16, 2, 8, 6, 2))
    result = write(folder / "result.png", fill(fill(fill(blank(), 2, 2, 6, 6, 1), 17, 2, 3, 6, 2), 30, 20, 5, 5, 3))
    regions = write_json(folder / "regions.geojson", box(0, 0, 20, 30))
    got = score(folder, result, truth, "--truth-regions", regions)[0]
    expect("only what lies whole inside counts", (got["n-result"], got["n-truth"], got["iou"][4]["f1"]) == (1, 1, 1), got)
    expect("what the edge cuts is ignored on both sides", (got["ignored-result"], got["ignored-truth"]) == (1, 1), got)
    outlines = write_json(folder / "wide.geojson", box(2, 2, 6, 6), box(16, 2, 8, 6), box(36, 25, 9, 3), box(90, 90, 5, 5))
    got = score(folder, result, outlines, notes=("1 of 4 outlines lie outside",))[0]
    expect("outlines that leave the image are ignored", (got["n-truth"], got["ignored-truth"]) == (2, 1), got)
    far = write_json(folder / "far.geojson", box(33, 2, 5, 5))
    refused("no true object in a region", "lies whole in what is compared", result, truth, "--truth-regions", far)
    refused("regions that are points", "only the truth may be points", result, truth, "--truth-regions",
            write_json(folder / "p.geojson", feature("Point", [1, 1])))
    refused("no regions", "holds no areas", result, truth, "--truth-regions", write_json(folder / "none.geojson"))


def check_dots(folder):
    result = write(folder / "result.png", fill(fill(fill(blank(), 2, 2, 6, 6, 1), 12, 2, 8, 6, 2), 30, 20, 5, 5, 3))
    dots = write_json(folder / "dots.geojson", feature("Point", [3.5, 3]), feature("MultiPoint", [[13, 3], [18, 7.9]]),
                      feature("Point", [5, 20]), feature("Point", [400, 3]))
    got, text = score(folder, result, dots, notes=("1 points lie outside", "counts as extra"))
    found = got["dots"]
    expect("dots", (found["found"], found["missed"], found["merged"], found["merging-objects"], found["extra"]) == (1, 1, 2, 1, 1),
           found)
    expect("dots in words", "dots that share an object" in text and "in the result, 4 true" in text, text)
    got = score(folder, result, dots, "--truth-regions", write_json(folder / "regions.geojson", box(0, 0, 10, 30)),
                notes=("1 points lie outside",))[0]
    expect("dots in regions", (got["n-result"], got["n-truth"], got["dots"]["f1"]) == (1, 2, 2 / 3), got)
    refused("a result of points", "only the truth may be points", dots, result)
    refused("points and areas", "one or the other", result,
            write_json(folder / "both.geojson", feature("Point", [3, 3]), box(2, 2, 4, 4)))


def check_notes(folder):
    truth = write(folder / "truth.png", fill(blank(), 2, 2, 6, 6, 7))
    mask = write(folder / "mask.png", fill(fill(blank(), 2, 2, 6, 6, 255), 20, 2, 6, 6, 255), "u8")
    score(folder, mask, truth, notes=("if it is a mask",))
    got = score(folder, write(folder / "empty.png", blank()), truth, notes=("holds no objects",))[0]
    expect("nothing found scores 0", got["iou"][0]["f1"] == got["aji"] == got["pq"] == 0 and got["n-truth"] == 1, got)
    score(folder, write_json(folder / "over.geojson", box(2, 2, 6, 6), box(5, 2, 6, 6)), truth, notes=("18 pixels count for the first",))
    score(folder, write_json(folder / "tiny.geojson", box(2, 2, 6, 6), box(20.1, 20.1, 0.2, 0.2)), truth,
          notes=("1 outlines hold the centre of no pixel",))
    score(folder, write_json(folder / "line.geojson", box(2, 2, 6, 6), feature("LineString", [[0, 0], [4, 4]])), truth,
          notes=("1 line is not a region",))


def check_refusals(folder):
    good = write(folder / "good.png", fill(blank(), 2, 2, 6, 6, 7))
    refused("sizes differ", "only images of one size", good, write(folder / "small.png", [[1, 0], [0, 0]]))
    refused("an empty truth", "holds no objects, so there is nothing to score", good, write(folder / "empty.png", blank()))
    refused("an empty truth of outlines", "holds no objects", good, write_json(folder / "none.geojson"))
    refused("two empty files", "hold no objects", folder / "none.geojson", folder / "none.geojson")
    (folder / "notes.txt").write_text("nuclei: many")
    refused("another kind of file", "neither GeoJSON nor XML", folder / "notes.txt", good)
    refused("no such file", "no such file", folder / "absent.png", good)
    (folder / "bad.geojson").write_text("{")
    refused("damaged GeoJSON", "not JSON", good, folder / "bad.geojson")
    write_json(folder / "bad-dot.geojson", feature("Point", [1]))
    refused("a point of one number", "two sensible numbers", good, folder / "bad-dot.geojson")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(20))
    refused("a JPEG", "JPEG", folder / "photo.jpg", good)
    for name, value in (("negative", -3), ("fraction", 0.5), ("nan", float("nan")), ("much", 2.0 ** 25)):
        path = write(folder / f"{name}.tif", fill(blank(), 2, 2, 3, 3, value), "i32" if value == -3 else "f32")
        refused(f"a label that is none ({name})", "no label", path, good)
    refused("one file", "a result and a truth", good, status=2)
    for option in ("--iou=1", "--iou=0.5,0.4", "--iou=x", "--sizes=0", "--mpp=-1", "--mpp=nan"):
        refused(option, "takes", good, good, option, status=2)
    (folder / "there.json").write_text("mine")
    refused("a file that is there", "not replaced", good, good, "--json", folder / "there.json")
    expect("it is as it was", (folder / "there.json").read_text() == "mine")


def check_colour(folder):
    slide, truth = batch.demo_slide(folder, 512)
    out = folder / "out"
    batch.run_op(out, "nuclei-threshold", slide, "--region", "128,64,300,280")
    refused("a picture in colour", "in colour", out / "overlay.png", truth)
    refused("a region of a slide against the whole", "only images of one size", out / "labels.tif", truth)
    got, text = score(folder, out / "labels.tif", out / "objects.geojson")
    expect("the outlines of a run are its labels", got["aji"] == got["pq"] == 1 and got["n-truth"] > 5, got)
    expect("the record says the pixel size", got["area-unit"] == "µm²" and got["um2-per-px"] == 0.25, got)
    record = (out / "record.json").read_text()
    (out / "record.json").write_text(record[:-20])
    got = score(folder, out / "labels.tif", out / "objects.geojson", notes=["It says no pixel size, then."])[0]
    expect("a record that cannot be read says none, and that is told", got["area-unit"] == "px", got)
    (out / "record.json").write_text(record)
    batch.run_op(folder / "coarse", "nuclei-threshold", slide, "--region", "128,64,300,280", "--set", "pixel-size=1")
    got = score(folder, folder / "coarse" / "labels.tif", folder / "coarse" / "objects.geojson")[0]
    expect("so they are on a coarser grid", got["aji"] == 1 and got["um2-per-px"] == 1, got)
    batch.run_op(folder / "beside", "nuclei-threshold", slide, "--region", "100,64,300,280")
    refused("regions of one size at two places", "different places", out / "labels.tif", folder / "beside" / "labels.tif")


def load_reference(path):
    """score() of the script, which reads with scikit-image where that is there."""
    import numpy as np
    from PIL import Image
    if "skimage" not in sys.modules:
        io = types.ModuleType("skimage.io")
        io.imread = lambda name: np.array(Image.open(name))
        sys.modules.update({"skimage": types.ModuleType("skimage"), "skimage.io": io})
    text = path.read_text().replace("main(sys.argv[1:])", "")
    names = {}
    exec(compile(text, str(path), "exec"), names)
    return lambda result, truth: names["score"](names["imread"](result), names["imread"](truth))


def move(labels, rng, np):
    """A result as it might be: moved, with pieces cut off, two objects merged, and some lost."""
    labels = np.roll(labels, (rng.randrange(-3, 4), rng.randrange(-3, 4)), (0, 1)).copy()
    for _ in range(6):
        a, b = rng.choice(np.unique(labels)), rng.choice(np.unique(labels))
        labels[(labels == a) & (a > 0)] = rng.choice((0, b))
    labels[::rng.randrange(5, 15)] = 0
    return labels


def check_reference(folder):
    shared = batch.shared()
    tool = shared / "tools" / "score-nuclei.py" if shared else None
    try:
        import numpy as np
        from PIL import Image
    except ImportError as missing:
        print(f"not compared with score-nuclei.py: {missing}")
        return
    if not tool or not tool.is_file() or not (shared / "nuclei").is_dir():
        print("not compared with score-nuclei.py: the shared data are not here (VITRAIL_SHARED)")
        return
    reference, rng = load_reference(tool), random.Random(7)
    truths = sorted((shared / "nuclei").glob("*/*-labels.png"))
    expect("there are fields", len(truths) > 40, len(truths))
    different = []
    for truth in truths:
        result = folder / "moved.png"
        Image.fromarray(move(np.array(Image.open(truth)), rng, np).astype(np.uint16)).save(result)
        got = score_quietly(folder, result, truth)
        f5, f7, aji, dice, n_result, n_truth = reference(result, truth)
        pairs = ((got["iou"][0]["f1"], f5), (got["iou"][2]["f1"], f7), (got["aji"], aji), (got["dice"], dice),
                 (got["n-result"], n_result), (got["n-truth"], n_truth))
        different += [(truth.name, a, b) for a, b in pairs if abs(a - b) > 1e-9]
    expect(f"F1, AJI and Dice of {len(truths)} fields are those of score-nuclei.py", not different, different[:3])


def score_quietly(folder, *args):
    path = folder / "field.json"
    path.unlink(missing_ok=True)
    result = batch.batch("score", *args, "--json", path)
    if result.problem((0,)):
        sys.exit(result.err)
    return json.loads(path.read_text())


def main():
    with tempfile.TemporaryDirectory() as name:
        for check in (check_kinds, check_regions, check_dots, check_notes, check_refusals, check_colour, check_reference):
            folder = pathlib.Path(name) / check.__name__
            folder.mkdir()
            check(folder)
    help_text = batch.batch("score", "--help").out
    expect("--help", "RESULT TRUTH" in help_text and "--truth-regions" in help_text, help_text)
    expect("only run says what a signal does to it", "143" in batch.batch("run", "--help").out and "143" not in help_text)
    expect("the list of commands", "vitrail-batch score" in batch.batch("--help").out)


if __name__ == "__main__":
    sys.exit(main())
