# SPDX-License-Identifier: MIT
"""Classes by thresholds in the real window, on a made-up slide in hematoxylin and DAB: a threshold is dragged on the histogram, typed, refused, undone; the
slide, the filter, the table of regions and exported files follow and agree with counting here; it comes back after a crash; tissue becomes regions.
usage: intensity.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import csv
import json
import pathlib
import subprocess
import sys
import time

from desk import TMP, Display, Program, check, finish, need
from pdf import Pdf

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
RECIPES = pathlib.Path(__file__).resolve().parents[2] / "data" / "recipes"
STATE = TMP / "state"
MEASUREMENT = "Nucleus: DAB OD mean"
NAMES = ("Negative", "1+", "2+", "3+")


def table(path):
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def graded(program):
    """Negative, 1+, 2+, 3+ as the program says."""
    return [int(word) for word in program.events("graded")[-1].split()[1:5] if word != "none"]


def counts(values, *thresholds):
    found = [sum(value >= t for t in thresholds) for value in values]
    return [found.count(k) for k in range(4)]


def score(values, *thresholds):
    n = counts(values, *thresholds)
    return 100 * sum(n[1:]) / len(values), 100 * (n[1] + 2 * n[2] + 3 * n[3]) / len(values)


def export(program, name):
    program.action("export-results-to", TMP / name)
    program.wait("the results are exported", (TMP / name / "record.json").exists)
    return table(TMP / name / "features.csv")


def spoken(program, values, *thresholds):
    percent, h = score(values, *thresholds)
    return program.labels(f"Positive {percent:.1f} %   H-score {h:.0f}")


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    slide = TMP / "ihc.svs"
    subprocess.run([str(DEMO), str(slide), "--ihc", str(TMP / "classes.csv"), "--size", "2048"], check=True, stdout=subprocess.DEVNULL)
    display = Display("vitrail-intensity")
    program = Program(display, APP, "--op", "ihc-nuclei", "--zoom", "20", "--centre", "1000,1000", slide, XDG_STATE_HOME=str(STATE),
                      VITRAIL_RECIPE_PATH=str(RECIPES))
    program.wait("the window opens", lambda: program.events("view"))
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "F5")
    program.wait("the slide is analysed", lambda: program.events("run-done"))
    program.settle(0.5)
    display.do("key", "shift+i")
    program.wait("Shift+I shows the classes by thresholds", lambda: program.events("graded") and "none" not in program.events("graded")[-1])
    rows = export(program, "first")
    values = [float(row[MEASUREMENT]) for row in rows]
    check(graded(program) == counts(values, 0.2, 0.4, 0.6) and min(graded(program)) > 5, f"the classes are counted right {graded(program)}")
    check(all(row["Classification"] == NAMES[sum(float(row[MEASUREMENT]) >= t for t in (0.2, 0.4, 0.6))] for row in rows), "and in the file")
    check(spoken(program, values, 0.2, 0.4, 0.6), "percent positive and H-score are said")
    check(program.labels(f"n = {len(values)} in a part of the slide · {MEASUREMENT} ≥ 0.2 / 0.4 / 0.6"), f"with n, of what, measurement and thresholds {program.labels('n = ')}")
    display.picture("thresholds")
    dragged = drag(display, program, values)
    typed(display, program, values, dragged)
    filtered(display, program, values)
    one(display, program, values)
    regions(display, program, rows)
    again(display, program)
    finish()


def drag(display, program, values):
    """The first line, to the right; the classes follow."""
    time.sleep(5)  # a toast lies over the panel
    x, y, left, top, width, height = program.find("Histogram of the measurement, with the thresholds")
    program.wait("the histogram is there", lambda: program.events("cut-place"))
    at, y = left + float(program.events("cut-place")[-1].split()[1]), top + 40
    count = len(program.events("graded"))
    display.do("mousemove", at, y, "sleep", 0.2, "mousedown", 1, "mousemove", at + 8, y, "sleep", 0.1, "mousemove", at + 22, y, "sleep", 0.3)
    program.wait_more("graded", count, "classes follow while the hand is on the line")
    display.do("mouseup", 1)
    program.settle(0.5)
    first = float(program.events("thresholds")[-1].split()[1])
    check(0.25 < first < 0.4, f"the threshold is a higher one {first}")
    check(graded(program) == counts(values, first, 0.4, 0.6) != counts(values, 0.2, 0.4, 0.6), f"and the classes are those {graded(program)}")
    check(spoken(program, values, first, 0.4, 0.6), "and the H-score")
    display.picture("dragged")
    return first


def enter(display, program, name, text):
    """The number right of that label."""
    x, y = program.find(name)[:2]
    display.do("mousemove", x + 60, y, "click", 1, "key", "ctrl+a", "type", text)
    display.do("key", "Return")


def typed(display, program, values, first):
    enter(display, program, "2+ from", "0.9")
    program.wait("a second threshold above the third is refused", lambda: program.labels("The thresholds must rise"))
    check(graded(program) == counts(values, first, 0.4, 0.6), "and nothing changes")
    display.picture("refused")
    enter(display, program, "2+ from", "0.5")
    program.wait("another one is taken", lambda: graded(program) == counts(values, first, 0.5, 0.6))
    check(not program.labels("The thresholds must rise"), "and the sentence goes")
    program.click(display, "Undo")
    program.wait("Undo takes it back", lambda: graded(program) == counts(values, first, 0.4, 0.6))
    program.action("intensity-undo")
    program.wait("and the drag as one", lambda: graded(program) == counts(values, 0.2, 0.4, 0.6))
    program.action("set-intensity", "DAB OD mean:0.6,0.4,0.2")
    program.wait("wrong ones of another program are refused", lambda: any("thresholds must rise" in event for event in program.events("error")))


def filtered(display, program, values):
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1] - 100, "key", "shift+t")
    program.wait("the table has the column", lambda: program.place("Intensity"))
    program.click(display, "Filter of the objects")
    n = counts(values, 0.2, 0.4, 0.6)[2]
    display.do("type", 'intensity = "2+"')
    program.wait(f"{n} objects pass", lambda: program.labels(f"{n} of {len(values)} objects"))
    display.picture("filtered")
    program.click(display, "Filter of the objects")
    display.do("key", "ctrl+a", "key", "BackSpace", "key", "Escape")


def one(display, program, values):
    """One threshold: no H-score. A measurement that there is not: no classes, and a sentence."""
    program.action("set-intensity", "DAB OD mean:0.4")
    program.wait("two classes", lambda: graded(program)[2:] == [0, 0])
    positive = sum(value >= 0.4 for value in values)
    check(graded(program)[:2] == [len(values) - positive, positive], f"negative and positive {graded(program)}")
    program.wait("without an H-score", lambda: program.labels(f"Positive {100 * positive / len(values):.1f} %") and not program.labels("   H-score"))
    program.action("set-intensity", "Eosin OD mean:0.4")
    program.wait("what the objects have not is said", lambda: program.labels("no measurement “Eosin OD mean”"))
    check(program.events("graded")[-1] == "graded none", "and there are no classes")
    program.action("set-intensity", f"{MEASUREMENT}:0.2,0.4,0.6")
    program.wait("back to three", lambda: graded(program) == counts(values, 0.2, 0.4, 0.6))


def regions(display, program, rows):
    """A region in the view has the figures of its objects, in the table and its file; tissue makes regions, which are undone."""
    canvas = program.find("Slide")
    x, y = canvas[0], canvas[1]
    display.do("mousemove", x - 200, y - 100, "key", "t", "key", "r", "mousemove", x - 150, y - 90, "mousedown", 1, "mousemove", x - 100, y - 50, "mousemove",
               x + 150, y + 60, "mouseup", 1)
    program.wait("a region is measured", lambda: program.events("measures"))
    program.settle(0.5)
    program.wait("its score is in the table", lambda: program.labels("H-score ≥ 0.2 / 0.4 / 0.6"))
    display.picture("regions")
    program.action("export-rois-to", TMP / "rois.csv")
    program.wait("it is saved", lambda: (TMP / "rois.geojson").exists() and (TMP / "rois.csv").exists())
    row = table(TMP / "rois.csv")[0]
    left, top, width, height = (float(row[f"{name} px"]) for name in ("Left", "Top", "Width", "Height"))
    mine = [float(r[MEASUREMENT]) for r in rows
            if left <= float(r["Centroid X µm"]) / 0.5 < left + width and top <= float(r["Centroid Y µm"]) / 0.5 < top + height]
    percent, h = score(mine, 0.2, 0.4, 0.6)
    check(int(float(row["Objects scored"])) == len(mine) and abs(float(row["Positive %"]) - percent) < 1e-9 and abs(float(row["H-score"]) - h) < 1e-9,
          f"n, percent positive and H-score are those of its objects {len(mine)} {percent} {h} {row}")
    check(row["Intensity"] == f"{MEASUREMENT}:0.2,0.4,0.6", "with measurement and thresholds")
    properties = json.loads((TMP / "rois.geojson").read_text())["features"][0]["properties"]
    check(abs(properties["measurements"]["H-score"] - h) < 1e-9 and properties["metadata"]["Intensity"] == row["Intensity"], f"GeoJSON, too {properties}")
    program.action("save-report-to", TMP / "graded.pdf")
    program.wait("a report is saved", lambda: program.events("document-saved"))
    text = " ".join(Pdf(TMP / "graded.pdf").text().split())
    here = text[text.find("ROI 1 0."):]
    check(f"Classes by thresholds: {row['Intensity']}" in text and all(f"{name} {n} " in here for name, n in zip(NAMES, counts(mine, 0.2, 0.4, 0.6))),
          f"a report counts the classes of the region, and says by which thresholds {here[:400]}")
    check(f"Positive % {len(mine)} {percent:.1f} H-score {h:.1f}" in here, "with percent positive and H-score")
    before = len(program.events("tissue"))
    display.do("mousemove", x, y - 150, "key", "alt+r")
    program.wait_more("tissue", before, "Alt+R finds tissue")
    n = int(program.events("tissue")[-1].split()[1])
    check(n > 0, f"{n} regions of it")
    program.settle(0.5)
    check(program.labels("Tissue 1"), "they are in the table")
    display.picture("tissue")
    display.do("mousemove", x, y - 150, "key", "ctrl+z")
    program.wait("Ctrl+Z takes them back in one step", lambda: not program.labels("Tissue 1") and program.labels("ROI 1"))


def again(display, program):
    """What was set is in the session, and by it the same objects have the same classes."""
    program.kill()
    program = Program(display, APP, XDG_STATE_HOME=str(STATE), VITRAIL_RECIPE_PATH=str(RECIPES))
    program.wait("the next start offers what was open", lambda: program.events("restore-offered"))
    program.action("restore-last")
    program.wait("it comes back", lambda: program.events("session-restored"))
    program.settle(0.5)
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1] - 100, "key", "F5")
    program.wait("it is analysed again", lambda: program.events("run-done"))
    check(program.events("by")[-1:] == ["by thresholds"] and program.events("thresholds")[-1] == "thresholds 0.2 0.4 0.6", "by the same thresholds")
    program.settle(0.5)
    rows = export(program, "again")
    check(len(rows) > 100 and all(row["Classification"] == NAMES[sum(float(row[MEASUREMENT]) >= t for t in (0.2, 0.4, 0.6))] for row in rows),
          f"{len(rows)} objects have their classes")
    program.end()


if __name__ == "__main__":
    main()
