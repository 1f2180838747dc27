# SPDX-License-Identifier: MIT
"""Objects in the real window against those that were pinned, and against a file: the figures are those of vitrail-batch score, a pin
is there wherever one looks, a click goes to the next difference.
usage: compare.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import os
import pathlib
import subprocess
import sys

from desk import TMP, Program, analysed, check, exported_region, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
FATES = ("new", "lost", "split", "merged", "changed", "same", "cut")


def compared(program, what, count):
    """How many of each fate, F1 at 0.5 and at 0.7."""
    line = program.wait_more("compared", count, what)
    words = line.split()[1:] if line else [0] * 9
    return dict(zip(FATES, map(int, words))), float(words[7]), float(words[8])


def by_batch(slide, region, name, *settings):
    out = TMP / name
    command = [str(BATCH), "run", "nuclei-threshold", str(slide), "--region", region, "--stages", "objects", "--out", str(out)]
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True, capture_output=True)
    return out / "objects.geojson"


def score(present, reference):
    subprocess.run([str(BATCH), "score", str(present), str(reference), "--json", str(TMP / "score.json")], check=True,
                   capture_output=True)
    figures = json.loads((TMP / "score.json").read_text())
    (TMP / "score.json").unlink()
    return {m["above"]: m["f1"] for m in figures["iou"]}


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    display, program, slide = analysed("vitrail-compare", APP, DEMO)
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0] + 100, canvas[1] + 100, "key", "c")
    fates, f1, _ = compared(program, "C pins the objects", 0)
    check(fates["same"] > 100 and sum(fates.values()) == fates["same"] and f1 == 1, f"nothing is different yet {fates}")
    count = len(program.events("compared"))
    program.action("set-parameter", "threshold=0.3")
    fates, f1, f1_70 = compared(program, "another threshold is compared", count)
    check(fates["lost"] > 0 and fates["changed"] > 0 and f1 < 1, f"and does something {fates}")
    check(bool(program.labels("Threshold: 0.10 OD → 0.30 OD")), "the card says what was changed")
    display.picture("since-the-pin")
    region = exported_region(program)
    before, after = by_batch(slide, region, "before"), by_batch(slide, region, "after", "threshold=0.3")
    expected = score(after, before)
    check(abs(expected[0.5] - f1) < 1e-4 and abs(expected[0.7] - f1_70) < 1e-4, f"F1 is that of vitrail-batch {expected} {f1} {f1_70}")
    walk(display, program, canvas, fates)
    files(display, program, before)
    sweep(display, program)
    proof(display, program)
    program.click(display, "Stop comparing")
    program.wait("it ends", lambda: program.events("reference")[-1] == "reference none")
    program.end()
    liar(display, slide)
    finish()


def walk(display, program, canvas, fates):
    count, view = len(program.events("compared")), program.view()
    program.click(display, f"Lost: {fates['lost']}")
    program.wait("a click goes to the largest that is lost", lambda: program.view()[:2] != view[:2])
    compared(program, "and compares what is in view there: the pin is worked out for it", count)
    program.settle(0.5)
    display.picture("lost")


def sweep(display, program):
    program.settle(0.5)
    place = program.find("Slide")
    display.do("mousemove", place[0], place[1], "key", "alt+j")
    program.wait("without a parameter Alt+J says what to do", lambda: program.labels("Take the keyboard to a parameter first"))
    program.click(display, "Curve of Threshold")
    program.wait("the threshold is tried all along its slider", lambda: program.events("sweep-done"))
    points = [(float(v), int(n), float(f1)) for _, v, n, f1 in map(str.split, program.events("sweep"))]
    check(len(points) == int(program.events("sweep-done")[-1].split()[1]) and all(0 <= p[2] <= 1 for p in points),
          f"with a score for each value {points}")
    check(len({p[1] for p in points}) > 3, "and another number of objects for some")
    display.picture("curve")
    words = program.accessible("--description", "Objects along Threshold").stdout.strip()
    check(len(words.split("; ")) == len(points) and f": {points[0][1]} object" in words, f"and a screen reader hears the numbers of the curve: {words[:200]}")
    display.do("key", "alt+j")
    program.wait("Alt+J takes the curve away", lambda: not program.place("Objects along Threshold"))
    done = len(program.events("sweep-done"))
    display.do("key", "alt+j")
    program.wait_more("sweep-done", done, "and draws it again")
    place, count = program.find("Objects along Threshold"), len(program.events("param-changed"))
    display.do("mousemove", place[2] + place[4] // 2, place[1] + 20, "click", 1)
    program.wait_more("param-changed", count, "a click on the curve sets the value")
    program.settle(0.5)
    program.action("set-parameter", f"threshold={points[2][0]}")
    program.settle(0.5)
    out = TMP / "swept"
    program.action("export-results-to", out)
    program.wait("the value in the middle is exported", (out / "record.json").exists)
    n = len(json.loads((out / "objects.geojson").read_text())["features"])
    check(n == points[2][1], f"with as many objects as the curve has there {n} {points[2]}")
    program.click(display, "Curve of Threshold")


def proof(display, program):
    program.click(display, "Prove")
    line = program.wait("the view is run in other ways", lambda: program.events("proof"))
    check(bool(line) and line[0].split()[1] == "0" and int(line[0].split()[2]) >= 6, f"which all give the same bytes {line}")
    check(bool(program.labels("The Same Answer")) and bool(program.labels("tiles of 64 px: the same")), "as the dialog says")
    display.picture("proof")
    program.click(display, "Done")
    program.wait("the dialog is gone", lambda: not program.labels("tiles of 64 px"))


def liar(display, slide):
    """A plugin whose bytes depend on the tiles, and one that leaves a stage out with some: both are named."""
    fake = BATCH.parents[1] / "tests" / "unit" / "fake-no-rois.so"
    for mode, way, stage in (("by-tiles", "100 px", "Copy"), ("absent", "64 px", "Labels")):
        program = Program(display, APP, slide, "--op", "fake-no-rois", "--set", f"mode={mode}", "--live", "--zoom", "20",
                          VITRAIL_PLUGIN_PATH=f"{os.environ['VITRAIL_PLUGIN_PATH']}:{fake}")
        program.wait("the liar runs", lambda: program.events("run-done"))
        program.settle(0.3)
        program.action("prove")
        line = program.wait("and is asked for a proof", lambda: program.events("proof"))
        check(bool(line) and line[0].split()[1] == "1", f"one way gives others {line}")
        check([e for e in program.events("proof-way") if "OTHER" in e][0].startswith(f"proof-way tiles of {way}: OTHER BYTES in {stage}"), "which is named")
        check(bool(program.labels("Not Shown to Be the Same")), "as the dialog says")
        program.process.kill()


def files(display, program, truth):
    broken = TMP / "broken.geojson"
    broken.write_text('{"type": "FeatureCollection", "features": [')
    program.action("compare-with-file", broken)
    program.wait("a broken file is a sentence", lambda: "broken.geojson" in (program.events("error") or [""])[-1])
    check(not program.events("reference")[1:], "and the pin stays")
    count = len(program.events("compared"))
    program.action("compare-with-file", truth)
    compared(program, "a file is compared with", count)
    program.wait("the card says so, with the score", lambda: program.labels("Against objects.geojson") and program.labels("F1 "))
    check(bool(program.labels("Missed")) and bool(program.labels("Extra")), "in words for a truth")
    check(bool(program.labels("25–50")), "and by classes of area")
    display.picture("against-a-file")
    dots(display, program, truth)


def dots(display, program, truth):
    """A dot in each object; then inside a region alone; then of all that was analysed."""
    features = json.loads(truth.read_text())["features"]
    rings = [f["geometry"]["coordinates"][0] if f["geometry"]["type"] == "Polygon" else f["geometry"]["coordinates"][0][0] for f in features]
    points = [[sum(p[i] for p in r[:-1]) / (len(r) - 1) for i in (0, 1)] for r in rings]
    path = TMP / "dots.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": p}} for p in points]}))
    count = len(program.events("compared"))
    program.action("compare-with-file", path)
    fates, f1, _ = compared(program, "points are compared with, a dot each", count)
    check(fates["changed"] == 0 and fates["split"] == 0 and fates["same"] > 100 and 0.5 < f1 <= 1, f"found, missed, extra and merged {fates} {f1}")
    check(bool(program.labels(" dots")), "which the card says")
    errors = len(program.events("error"))
    program.action("compare-within")
    program.wait("without a region a truth is complete nowhere: a sentence", lambda: "There is no region" in (program.events("error")[errors:] or [""])[-1])
    program.action("close-message")
    x, y, width, height = program.view()[:4]
    part = TMP / "part.geojson"
    half = [[x, y], [x + width / 2, y], [x + width / 2, y + height], [x, y + height], [x, y]]
    part.write_text(json.dumps({"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [half]}}))
    program.action("import-regions-from", part)
    program.wait("a region is there", lambda: program.events("imported"), 20)
    count = len(program.events("compared"))
    program.action("compare-within")
    inside, _, _ = compared(program, "the truth is complete in the region alone", count)
    program.settle(0.5)
    display.picture("dots-inside")
    check(0 < inside["same"] < fates["same"] and inside["new"] <= fates["new"], f"so fewer count {inside}")
    count = len(program.events("compared"))
    program.action("compare-within")
    again, _, _ = compared(program, "and everywhere again", count)
    check(again == fates, f"as before {again}")
    count = len(program.events("compared"))
    program.action("compare-all")
    everything, _, _ = compared(program, "all that was analysed is compared", count)
    check(everything["same"] >= fates["same"], f"{everything}")
    program.action("compare-all")
    program.action("compare-with-points")
    program.wait("without points drawn: a sentence", lambda: "There are no points" in program.events("error")[-1])
    program.action("close-message")


main()
