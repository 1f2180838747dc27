# SPDX-License-Identifier: MIT
"""The histogram beside the table of objects: a drag selects a range, whose words and numbers are those of the exported file; the
others are faint on the slide; it is moved, narrowed by keys and dropped.
usage: plots.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import csv
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import time
import xml.etree.ElementTree

from desk import TMP, Program, analysed, check, differing_pixels, finish, need

APP, _, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
AREA = "Nucleus: Area µm^2"
PLOT = "Histogram of the objects"


def exported_rows(program):
    """Of what is seen: the plot takes room from the view, which is analysed again, more than once while it finds its place."""
    out = TMP / "results"

    def is_of_view():
        program.settle(0.3)
        shutil.rmtree(out, ignore_errors=True)
        program.action("export-results-to", out)
        while not (out / "record.json").exists() and program.process.poll() is None:
            time.sleep(0.05)
        region = json.loads((out / "record.json").read_text())["region"]
        return all(abs(a - b) <= 1 for a, b in zip(region, program.view()))

    program.wait("the results are of the view", is_of_view)
    with open(out / "features.csv", newline="", encoding="utf-8-sig") as f:
        return list(csv.DictReader(f))


def drag(display, x0, x1, y):
    display.do("mousemove", x0 - 3, y, "sleep", 0.05, "mousemove", x0, y, "mousedown", 1, "sleep", 0.05, "mousemove", (x0 + x1) // 2, y,
               "sleep", 0.05, "mousemove", x1, y, "sleep", 0.05, "mouseup", 1)


def in_range(program, areas, count, what):
    """The range as it was said, and that it was said rightly."""
    program.wait_more("plot-range", count, what)
    program.settle(0.3)
    low, high, n, of = (float(v) for v in program.events("plot-range")[-1].split()[1:])
    want = sum(low <= area <= high for area in areas)
    check((n, of) == (want, len(areas)), f"{n:.0f} of {of:.0f} from {low} to {high}, in the file {want} of {len(areas)}")
    words = f"{low:.7g} – {high:.7g} · {n:.0f} of {of:.0f} objects"
    check(program.labels(words), f"it says: {words}")
    return low, high


def main():
    need("Xvfb", "xdotool", "import", "compare", "convert", "dbus-run-session", "gdbus")
    display, program, slide = analysed("vitrail-plots", APP, DEMO)
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "shift+t")
    program.wait("Shift+T shows the table", lambda: program.events("table-objects")[1:])
    program.settle(0.5)
    program.click(display, "Plot")
    program.wait("the plot counts them", lambda: program.events("plot"))
    rows = exported_rows(program)
    areas = [float(row[AREA]) for row in rows]
    program.wait("all of them", lambda: program.events("plot")[-1] == f"plot 3 {len(areas)} 0")
    before = display.picture("all")
    heights = [event.split()[4] for event in program.events("view")]
    check(len(set(heights)) == sum(a != b for a, b in zip(heights, heights[1:])) + 1, f"what the panel says takes no room from the view and gives it back: {heights}")
    ranges(display, program, areas, before)
    filtered(display, program, areas)
    scatter(display, program, rows)
    parallel(display, program)
    program.end()
    reopened(display)
    finish()


def ranges(display, program, areas, before):
    x, y, left, top, width, _ = program.find(PLOT)
    drag(display, left + width // 4, x, y)
    low, high = in_range(program, areas, 0, "a drag selects a range")
    check(differing_pixels(before, display.picture("range")) > 500, "the others are faint on the slide")
    count = len(program.events("plot-range"))
    drag(display, left + width // 4 + (x - left - width // 4) // 2, x + 20, y)
    moved = in_range(program, areas, count, "it is moved by its middle")
    check(moved[0] > low and moved[1] > high, f"to larger ones {moved}")
    count = len(program.events("plot-range"))
    display.do("key", "Left")
    shorter = in_range(program, areas, count, "Left moves its upper end")
    check(shorter[0] == moved[0] and shorter[1] < moved[1], f"alone {shorter}")
    count = len(program.events("plot-range"))
    display.do("key", "shift+Right")
    narrower = in_range(program, areas, count, "Shift+Right the lower one")
    check(narrower[0] > shorter[0] and narrower[1] == shorter[1], f"alone {narrower}")
    display.picture("narrower")
    display.do("key", "Escape")
    program.wait("Escape drops it", lambda: program.labels(f": {len(areas)} objects"))
    program.settle(0.5)


def filtered(display, program, areas):
    """What the filter leaves is what is counted."""
    left = [area for area in areas if area > 40]
    program.click(display, "Filter of the objects")
    display.do("type", "area > 40")
    program.wait("a filter is counted, too", lambda: program.events("plot")[-1] == f"plot 3 {len(left)} 0")
    count = len(program.events("plot-range"))
    x, y, at, _, width, _ = program.find(PLOT)
    drag(display, at + width // 4, at + width - 60, y)
    in_range(program, left, count, "a range of what the filter leaves")
    display.picture("filtered")
    display.do("mousemove", at + width - 13, y, "click", 1)
    program.wait("a click beside it drops it", lambda: program.labels(f": {len(left)} objects"))
    program.click(display, "Log")
    program.settle(0.5)
    program.wait("a logarithmic axis has them all", lambda: program.events("plot")[-1] == f"plot 3 {len(left)} 0")
    display.picture("log")


def scatter(display, program, rows):
    """Area, filtered, against the second measurement: a rectangle, a line drawn by hand, a mark, a file."""
    names = [name for name in rows[0] if name.startswith("Nucleus: ")]
    x, y = program.find("Plotted against")[:2]
    display.do("mousemove", x, y, "click", 1)
    program.settle(0.5)
    display.do(*["key", "Down"] * 7, "key", "Return")
    line = program.wait_more("scatter", 0, "a second measurement makes a scatter plot")
    of = int(line.split()[2]) - 3
    check(0 <= of < len(names), f"of a measurement: {line}")
    left = [(float(row[AREA]), float(row[names[of]])) for row in rows if float(row[AREA]) > 40]
    check(int(line.split()[3]) == len(left), f"of {len(left)} objects that the filter leaves: {line}")
    program.settle(0.5)
    _, _, at, top, width, height = program.find("Scatter plot of the objects")
    drag_to(display, at + 80, top + 60, at + width - 40, top + height - 60)
    program.wait_more("scatter-rectangle", 0, "a drag selects a rectangle")
    program.settle(0.4)
    x0, x1, y0, y1 = (float(v) for v in program.events("scatter-rectangle")[-1].split()[1:])
    want = sum(x0 <= a <= x1 and y0 <= b <= y1 for a, b in left)
    said = program.events("scatter-choice")[-1]
    check(said == f"scatter-choice rectangle {want} {len(left)}", f"{said}, in the file {want} of {len(left)}")
    display.picture("rectangle")
    count = len(program.events("scatter-choice"))
    display.do("key", "shift+Up")
    program.wait_more("scatter-choice", count, "Shift+Up moves its upper right corner")
    display.do("key", "plus")
    program.settle(0.4)
    _, y, header, _, _, _ = program.find("Area µm²")
    drag_to(display, header - 6, y, header + 40, y)
    program.settle(0.4)
    wider = program.find("Area µm²")[2]
    check(wider > header + 30, f"a drag at the end of a header makes its column wider: {header}, {wider}")
    program.click(display, "Columns")
    program.click(display, "Keep “Nucleus: Area µm²” in sight, left of all columns that scroll")
    program.settle(0.3)
    display.picture("pinned")
    display.do("key", "Escape")
    program.settle(0.5)
    headers.extend(program.find(name)[2] for name in ("Area µm²", "Number", "Centroid Y, px"))
    check(headers == sorted(headers), f"a column is pinned: it is the first {headers}")
    drag_to(display, headers[1] + 20, y, headers[0] + 10, y)
    program.settle(0.4)
    check(program.find("Area µm²")[2] == headers[0], "and stays the first when another one is dragged there")
    display.do("mousemove", headers[1] + 20, y + 40, "keydown", "shift", "click", 5, "sleep", 0.1, "click", 5, "keyup", "shift")
    program.settle(0.5)
    after = [program.find(name)[2] for name in ("Area µm²", "Centroid Y, px")]
    check(after[0] == headers[0] and after[1] < headers[2] - 20, f"it stays in sight while the others scroll sideways {headers} {after}")
    count = len(program.events("selected"))
    display.do("mousemove", headers[0] + 10, y + 40, "click", 1)
    first = program.wait_more("selected", count, "a click on it selects its row")
    display.do("key", "Down")
    program.wait("from which the keys go on", lambda: program.events("selected")[-1] not in (first, "selected none"))
    program.settle(0.5)
    display.picture("pinned-scrolled")
    display.do("mousemove", headers[1] + 20, y + 40, "keydown", "shift", "click", 4, "sleep", 0.1, "click", 4, "keyup", "shift")
    program.settle(0.5)
    kept = session(program, "scatter.vitrail")
    check("plot-choice" in kept and "plot-view" in kept and kept["widths"][0]["column"].startswith("Centroid Y") and kept["pinned"] == [AREA], f"the session has what is chosen and seen of the plot, the width and the pin: {kept}")
    expected.append(program.events("scatter-rectangle")[-1])
    program.click(display, "Scatter plot of the objects")
    display.do("key", "Home", "key", "Escape")
    program.wait("Escape drops it", lambda: not program.labels(": 0 of"))


def parallel(display, program):
    """Five axes: a drag along one chooses a range, as the filter of the table does; two ranges are one choice; a file; keys; Escape."""
    rows = [row for row in exported_rows(program) if float(row[AREA]) > 40]
    x, y = program.find("Plotted against")[:2]
    display.do("mousemove", x, y, "click", 1, "sleep", 0.5, "type", "Parallel")
    program.settle(0.5)
    display.do("key", "Down", "key", "Return")
    line = program.wait_more("parallel", 0, "parallel axes")
    check(line.split()[1:4] == ["5", str(len(rows)), str(len(rows))], f"of all that the filter leaves: {line}")
    program.settle(1.5)  # the list of plots takes the pointer while it closes
    _, _, left, top, width, height = program.find("Parallel axes of the objects")
    gap = (width - 2 * 44) // 4 // 2 * 2
    for n, (axis, low, high) in enumerate(((0, 0.15, 0.5), (2, 0.2, 0.9))):
        count, bottom = len(program.events("parallel-range")), top + height - 22
        drag_to(display, left + 44 + axis * gap, bottom - round((height - 88) * low), left + 44 + axis * gap, bottom - round((height - 88) * high))
        program.wait_more("parallel-range", count, f"a drag along an axis chooses a range, number {n + 1}")
    program.settle(0.5)
    display.picture("parallel")
    names = [name for name in rows[0] if name.startswith("Nucleus: ")][:5]
    ranges = {}
    for event in program.events("parallel-range"):
        axis, low, high = event.split()[1:]
        ranges[int(axis)] = float(low), float(high)
    want = sum(all(low <= float(row[names[axis]]) <= high for axis, (low, high) in ranges.items()) for row in rows)
    check(len(ranges) == 2 and 0 < want < len(rows) and program.events("parallel")[-1].split()[3] == str(want),
          f"{program.events('parallel')[-1]}, in the file {want} of {len(rows)} in {ranges}")
    check(program.labels(f"5 axes: {want} of {len(rows)} objects"), "which it says")
    for name in ("plot.svg", "plot.png", "plot.pdf", "plot.txt"):
        saved(display, program, name, width, height)
    session(program, "parallel.vitrail")
    expected.append(want)
    program.click(display, "Parallel axes of the objects")  # the middle, where no axis is: the keyboard goes there
    count = len(program.events("parallel-range"))
    display.do("key", "shift+Up")
    program.wait_more("parallel-range", count, "Shift+Up moves the lower end of the range")
    display.do("key", "Escape")
    program.wait("Escape drops them", lambda: program.events("parallel")[-1].split()[3] == str(len(rows)))
    display.picture("parallel-all")


headers, expected = [], []


def session(program, name):
    """What a session keeps of the table and its plot."""
    program.action("save-session-to", TMP / name)
    program.wait("the session is saved", (TMP / name).exists)
    return json.loads((TMP / name).read_text())["tabs"][0]["views"][0]["table"][0]


def reopened(display):
    """What is chosen on a plot, what is seen of it, and the width of a column come back; a part that is of something else is told."""
    program = Program(display, APP, TMP / "scatter.vitrail")
    program.wait("the rectangle comes back", lambda: program.events("scatter-rectangle"))
    program.settle(0.5)
    check(program.events("scatter-rectangle")[-1] == expected[0], f"to the digit {program.events('scatter-rectangle')[-1]} {expected[0]}")
    there = [program.find(name)[2] for name in ("Area µm²", "Number", "Centroid Y, px")]
    check(all(abs(a - b) <= 2 for a, b in zip(there, headers)), f"columns are where they were, and as wide {there} {headers}")
    again, before = session(program, "again.vitrail"), json.loads((TMP / "scatter.vitrail").read_text())["tabs"][0]["views"][0]["table"][0]
    check(again == before, f"and the session is the same {again} {before}")
    display.picture("reopened")
    program.end()
    wrong = json.loads((TMP / "parallel.vitrail").read_text())
    wrong["tabs"][0]["views"][0]["table"][0]["plot-view"] = '"Number" >= 3'
    (TMP / "parallel.vitrail").write_text(json.dumps(wrong))
    program = Program(display, APP, TMP / "parallel.vitrail")
    program.wait("ranges on parallel axes come back", lambda: program.events("parallel") and program.events("parallel")[-1].split()[3] == str(expected[1]))
    check(any("not of what is plotted" in e for e in program.events("error")) and program.labels("not of what is plotted"), "what is of another plot is told")
    program.end()


def saved(display, program, name, width, height):
    """By the button and the name that a person types. A picture in each format, a sentence where the ending is of none."""
    path, count = TMP / name, len(program.events("plot-saved"))
    program.click(display, "Save the plot as a picture (SVG, PDF, PNG)")
    program.wait("the dialog asks where", lambda: program.labels("Name:"))
    display.do("key", "ctrl+a", "type", path)
    display.do("key", "Return")
    said = program.wait_more("plot-saved", count, f"{name} is written or refused")
    kind = path.suffix[1:]
    if kind == "txt":
        check(said.startswith("plot-saved 0") and not path.exists() and program.labels(".png, .pdf or .svg"), f"a sentence says why not: {said}")
        return
    check(said == f"plot-saved 1 {path}" and program.labels(f"The plot is in {path}"), said)
    picture = path.read_bytes()
    if kind == "png":  # twice its size, with the sentence below it
        wide, high = struct.unpack(">II", picture[16:24])
        check(wide == 2 * width and high > 2 * height, f"{wide} × {high} for {width} × {height}")
        check(1000 < differing_from_white(path) < 0.9 * wide * high, "lines, titles and axes on white")
    elif kind == "svg":
        check(xml.etree.ElementTree.fromstring(picture).tag.endswith("svg") and b"<image" in picture and picture.count(b"<use") > 100, "cells are an image, words are glyphs")
    else:
        check(picture.startswith(b"%PDF-") and picture.rstrip().endswith(b"%%EOF"), "a whole PDF")


def differing_from_white(path):
    done = subprocess.run(["convert", str(path), "-fuzz", "2%", "-fill", "black", "+opaque", "white", "-format", "%[fx:(1-mean)*w*h]", "info:"],
                          capture_output=True, text=True, check=True)
    return float(done.stdout)


def drag_to(display, x0, y0, x1, y1):
    display.do("mousemove", x0 - 3, y0, "sleep", 0.05, "mousemove", x0, y0, "mousedown", 1, "sleep", 0.05, "mousemove", (x0 + x1) // 2,
               (y0 + y1) // 2, "sleep", 0.05, "mousemove", x1, y1, "sleep", 0.05, "mouseup", 1)


main()
