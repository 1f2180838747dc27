# SPDX-License-Identifier: MIT
"""Gates in the real window: made of a range and a rectangle by Alt+G, counted as the exported rows say, chosen by a click and by arrow keys, named,
deleted and brought back, written as GatingML; they and the table are kept by a killed program's journal and by a session.
usage: gates.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import xml.etree.ElementTree as ET

from desk import TMP, Display, Program, check, finish, need
from pdf import Pdf

APP, _, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
AREA = "Nucleus: Area µm^2"
STATE = TMP / "state"
GATING = "{http://www.isac-net.org/std/Gating-ML/v2.0/gating}"
DATA = "{http://www.isac-net.org/std/Gating-ML/v2.0/datatypes}"


def drag(display, x0, y0, x1, y1):
    display.do("mousemove", x0 - 3, y0, "sleep", 0.05, "mousemove", x0, y0, "mousedown", 1, "sleep", 0.05, "mousemove", (x0 + x1) // 2,
               (y0 + y1) // 2, "sleep", 0.05, "mousemove", x1, y1, "sleep", 0.05, "mouseup", 1)


def click(display, program, name):
    """By the place that the program itself knows: asking AT-SPI takes most of a second."""
    place = program.place(name) or program.find(name)
    display.do("mousemove", place[0], place[1], "click", 1)


def saved_rows(program, name):
    path = TMP / name
    program.action("export-objects-to", path)
    program.wait(f"{name} is saved", lambda: any(str(path) in event for event in program.events("table-saved")))
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def gates(program):
    """What was counted last: name -> objects, of how many."""
    lines = program.events()
    last = max(i for i, line in enumerate(lines) if line.startswith("gates-counted "))
    found = {}
    for line in lines[last + 1:last + 1 + int(lines[last].split()[1])]:
        _, n, of, name = line.split(" ", 3)
        found[name] = (int(n), int(of))
    return found


def wait_gates(program, what, condition):
    return program.wait(what, lambda: program.events("gates-counted") and condition(gates(program)))


def analyse(display, program, canvas):
    """The whole slide: other views have the same objects."""
    count = len(program.events("run-done"))
    display.do("mousemove", canvas[0], canvas[1], "key", "shift+v", "key", "F5")
    program.wait_more("run-done", count, "the slide is analysed")
    program.settle(0.5)


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    slide = TMP / "demo.svs"
    subprocess.run([str(DEMO), str(slide), "--size", "2048"], check=True, stdout=subprocess.DEVNULL)
    display = Display("vitrail-gates")
    program = Program(display, APP, "--op", "nuclei-threshold", "--zoom", "20", "--centre", "1000,1000", slide, XDG_STATE_HOME=str(STATE))
    program.wait("the slide is sharp", lambda: program.events("sharp"))
    canvas = program.find("Slide")
    for key, sentence in (("shift+t", "No objects here. Either"), ("ctrl+g", "No objects here that gates could choose. Either"), ("ctrl+g", "No objects here. Either")):
        display.do("mousemove", canvas[0], canvas[1], "key", key)
        program.wait(f"{key} before any analysis: {sentence}", lambda: program.labels(sentence))
        display.picture(f"empty-{key}")
    display.do("mousemove", canvas[0], canvas[1], "key", "greater")
    program.wait("and whoever asks for the next object is told", lambda: any("No objects here. Either" in e for e in program.events("error")))
    program.click(display, "Plot")
    program.wait("so does the plot", lambda: program.labels("No objects here to plot. Either"))
    program.click(display, "Plot")
    program.wait("and goes", lambda: not program.labels("No objects here to plot. Either"))
    display.do("mousemove", canvas[0], canvas[1], "key", "shift+t")
    analyse(display, program, canvas)
    display.do("mousemove", canvas[0], canvas[1], "key", "ctrl+g")
    program.wait("Ctrl+G shows the table with its gates", lambda: program.labels("Choose objects on the plot"))
    program.click(display, "Plot")
    program.wait("the plot counts", lambda: program.events("plot"))
    display.do("mousemove", canvas[0], canvas[1], "key", "alt+g")
    program.wait("nothing is chosen: said", lambda: any("Choose objects first" in e for e in program.events("error")))
    everything = saved_rows(program, "all.csv")
    areas = [float(row[AREA]) for row in everything]
    low, high = of_range(display, program, areas)
    of_rectangle(display, program, canvas)
    moved(display, program)
    coloured(display, program)
    boxes(display, program)
    chosen(display, program, areas, low, high)
    edited(display, program)
    classed(display, program)
    undone(display, program)
    written(program)
    kept(display, program)
    finish()


def of_range(display, program, areas):
    x, y, left, _, width, _ = program.find("Histogram of the objects")
    drag(display, left + width // 4, y, x, y)
    program.wait("a range is chosen", lambda: program.events("plot-range"))
    program.settle(0.4)
    low, high = (float(v) for v in program.events("plot-range")[-1].split()[1:3])
    want = sum(low <= area <= high for area in areas)
    display.do("key", "alt+g")
    wait_gates(program, f"Alt+G makes a gate of its {want} objects", lambda g: g == {"Gate 1": (want, len(areas))})
    program.wait("which is drawn on the plot", lambda: program.events("gates-drawn")[-1] == "gates-drawn 1")
    program.wait("its part of all is said", lambda: program.labels(f"{100 * want / len(areas):.1f} %"))
    display.picture("range")
    return low, high


def of_its_end(display, program, n):
    """The chosen gate's upper end, which is in the middle of the histogram, by hand, and back."""
    before = len(program.events("gate-moved"))
    x, y, left, _, width, _ = program.find("Histogram of the objects")
    display.picture("ends")
    drag(display, x, y, x - width // 8, y)
    program.wait_more("gate-moved", before, "an end is moved on the histogram")
    wait_gates(program, "and the gate has fewer objects", lambda g: g["Gate 1"][0] < n)
    display.picture("end-moved")
    display.do("key", "ctrl+z")
    wait_gates(program, "Ctrl+Z moves it back", lambda g: g["Gate 1"][0] == n)
    program.settle(0.5)


def of_rectangle(display, program, canvas):
    """A gate inside of the one that is chosen by a click."""
    n = gates(program)["Gate 1"][0]
    count = len(program.events("table-objects"))
    click(display, program, "Gate 1")
    program.wait("a click chooses it", lambda: program.events("gate-chosen") == ["gate-chosen Gate 1"])
    program.wait_more("table-objects", count, "the table follows")
    program.settle(0.5)
    check(program.events("table-objects")[-1] == f"table-objects {n}", f"with its {n} objects")
    check(program.labels("in “Gate 1”"), "which is said")
    of_its_end(display, program, n)
    x, y = program.find("Plotted against")[:2]
    display.do("mousemove", x, y, "click", 1)
    program.settle(0.5)
    # Histogram, parallel axes, boxes, number, x, y, area, perimeter, circularity; newer GTK begins above the list: any of the last two.
    display.do("key", *["Down", "key"] * 8, "Return")
    line = program.wait_more("scatter", 0, "against a second measurement")
    check(int(line.split()[3]) == n, f"the gate's {n} objects: {line}")
    program.settle(0.5)
    _, _, left, top, width, height = program.find("Scatter plot of the objects")
    drag(display, left + 90, top + 60, left + width * 3 // 5, top + height - 60)
    program.wait("a rectangle is drawn", lambda: program.events("scatter-rectangle"))
    program.settle(0.4)
    want, of = (int(v) for v in program.events("scatter-choice")[-1].split()[2:])
    display.do("key", "alt+g")
    wait_gates(program, f"Alt+G makes a gate of {want} of {of} in it", lambda g: g.get("Gate 2") == (want, n) and of == n)
    program.wait("drawn with the one it lies in, if that is of both numbers", lambda: program.events("gates-drawn")[-1] == "gates-drawn 2")
    display.picture("rectangle")


def moved(display, program):
    """The chosen gate by its upper right corner, and back."""
    before = gates(program)
    click(display, program, "Gate 2")
    program.wait("it is chosen", lambda: program.events("gate-chosen")[-1] == "gate-chosen Gate 2")
    program.settle(0.5)
    _, _, left, top, width, height = program.find("Scatter plot of the objects")
    display.picture("handles")
    drag(display, left + width * 3 // 5, top + 60, left + width * 3 // 5 - 40, top + 90)
    line = program.wait("its corner is moved", lambda: program.events("gate-moved"))
    wait_gates(program, f"it has fewer objects {line}", lambda g: g["Gate 2"][0] < before["Gate 2"][0] and g["Gate 1"] == before["Gate 1"])
    display.picture("moved")
    display.do("key", "ctrl+z")
    wait_gates(program, "Ctrl+Z moves it back", lambda g: g == before)


def coloured(display, program):
    """Each object has one colour: that of the innermost gate."""
    found = gates(program)
    click(display, program, "Colours")
    program.wait("objects take the colours of the gates", lambda: len(program.events("gate-colour")) == 2)
    want = [f"gate-colour {found['Gate 1'][0] - found['Gate 2'][0]} Gate 1", f"gate-colour {found['Gate 2'][0]} Gate 2"]
    check(program.events("gate-colour") == want, f"as many as are in each alone: {want}")
    program.settle(0.5)
    display.picture("coloured")
    click(display, program, "Gate 1")


def choose_boxes(display, program):
    x, y = program.find("Plotted against")[:2]
    count = len(program.events("boxes"))
    display.do("mousemove", x, y, "click", 1, "sleep", 0.5, "type", "Boxes")
    program.settle(0.5)
    display.do("key", "Down", "key", "Return")
    program.wait_more("boxes", count, "box plots by gate")
    program.settle(0.5)


def boxes(display, program):
    """By gate: as many in each as the gate has, with the quantiles of the saved rows."""
    click(display, program, "All objects")
    program.wait("a click on all objects shows them all", lambda: program.events("gate-chosen")[-1] == "gate-chosen ")
    choose_boxes(display, program)
    rows = saved_rows(program, "boxes.csv")
    for line in program.events("box")[-2:]:
        _, n, median, high, name = line.split(" ", 4)
        values = sorted(float(row[AREA]) for row in rows if name in row["Gates"])
        at = 0.95 * (len(values) - 1)
        want = values[int(at)] + (at - int(at)) * (values[min(int(at) + 1, len(values) - 1)] - values[int(at)])
        check(int(n) == len(values) == gates(program)[name][0], f"{name}: {n} objects")
        check(abs(float(median) - statistics.median(values)) < 1e-6 and abs(float(high) - want) < 1e-6, f"{name}: median {median}, 95 % {high}")
    display.picture("boxes")


def chosen(display, program, areas, low, high):
    """The column and the filter say the same as the counts; arrow keys walk."""
    found = gates(program)
    rows = saved_rows(program, "gated.csv")
    check(len(rows) == len(areas), "the table has all")
    check(all(("Gate 1" in row["Gates"]) == (low <= float(row[AREA]) <= high) for row in rows), "a saved table has the gates of each")
    check(sum(row["Gates"] == "Gate 1, Gate 2" for row in rows) == found["Gate 2"][0], "also of those in two")
    click(display, program, "All objects")
    display.do("key", "Down", "sleep", 0.3, "key", "Down")
    program.wait("arrow keys walk through them", lambda: program.events("gate-chosen")[-1] == "gate-chosen Gate 2")
    click(display, program, "All objects")
    click(display, program, "Filter of the objects")
    display.do("type", 'gate = "gate 1" and not gate = "gate 2"')
    n = found["Gate 1"][0] - found["Gate 2"][0]
    program.wait(f"a filter asks for gates: {n}", lambda: program.events("table-objects")[-1] == f"table-objects {n}")
    display.do("key", "alt+g")
    wait_gates(program, "and becomes one", lambda g: g.get("Gate 3") == (n, len(areas)))
    display.do("key", "ctrl+a", "key", "BackSpace")
    program.settle(0.6)


def edited(display, program):
    before = gates(program)
    click(display, program, "Gate 1")
    program.settle(0.3)
    display.do("key", "F2")
    program.wait("F2 opens what it is", lambda: program.events("gate-editor"))
    program.settle(0.3)
    display.do("key", "ctrl+a", "type", "Mid size")
    display.do("key", "Return")
    want = {name.replace("Gate 1", "Mid size"): n for name, n in before.items()}
    wait_gates(program, "it has another name, for those that ask for it, too", lambda g: g == want)
    display.picture("editor")
    display.do("key", "ctrl+a", "type", "Gate 3")
    display.do("key", "Return")
    program.wait("a name that is taken is refused", lambda: program.labels("There is a gate “Gate 3” already."))
    display.do("key", "Escape")
    program.settle(0.5)


def classed(display, program):
    """The innermost gate of each object is its class, in the table, the panel and the files; one step of undo."""
    click(display, program, "All objects")
    program.wait("all objects are shown", lambda: program.events("gate-chosen")[-1] == "gate-chosen ")
    n = len(saved_rows(program, "unclassed.csv"))
    program.action("gate-classes")
    program.wait("gates give the classes", lambda: program.events("by-gates")[-1:] == ["by-gates 1"])
    program.wait("each object has one", lambda: f"column Gate class {n}" in program.events("column"))
    program.wait("the panel of classes says how many are in none", lambda: program.labels("In no gate"))
    display.picture("classed")
    program.action("gates")
    program.wait("the table has the column", lambda: program.labels("Class by gates"))
    program.settle(0.5)
    counts = {line.split(" ", 2)[2]: int(line.split()[1]) for line in program.events("gate-colour")[-3:]}
    rows = saved_rows(program, "classed.csv")
    found = {name: sum(row["Gate class"] == name for row in rows) for name in counts}
    check(found == counts and sum(counts.values()) < n, f"a saved table has them: {counts}")
    folder = TMP / "classed"
    program.action("export-results-to", folder)
    program.wait("the results are exported", (folder / "record.json").exists)
    features = json.loads((folder / "objects.geojson").read_text())["features"]
    names = [f["properties"].get("classification", {}).get("name") for f in features]
    check({name: names.count(name) for name in counts} == counts, "GeoJSON has them as classes")
    with open(folder / "features.csv", newline="", encoding="utf-8-sig") as file:
        check([row["Classification"] for row in csv.DictReader(file)] == [name or "" for name in names], "and so has the table of cells")
    record = json.loads((folder / "record.json").read_text())["gates"]
    check({one["name"]: one["objects"] for one in record["classes"]} == counts and all(one["filter"] for one in record["classes"]),
          f"the record says by which filters {record}")
    program.action("save-report-to", TMP / "classed.pdf")
    program.wait("a report is saved", lambda: program.events("document-saved"))
    text = " ".join(Pdf(TMP / "classed.pdf").text().split())
    check(all(f"{name} " in text for name in counts) and "Classes by gates" in text and "%" in text,
          f"a report counts them, and says by which filters {text[-400:]}")
    program.action("undo")
    program.wait("one step of undo ends it", lambda: program.events("by-gates")[-1:] == ["by-gates 0"])
    program.action("redo")
    program.wait("and of redo", lambda: program.events("by-gates")[-1:] == ["by-gates 1"])
    program.action("undo")
    program.wait("it is off", lambda: program.events("by-gates")[-1:] == ["by-gates 0"])
    program.wait("the column is gone", lambda: not program.labels("Class by gates"))
    program.settle(0.5)


def undone(display, program):
    before = gates(program)
    click(display, program, "Gate 3")
    program.settle(0.3)
    display.do("key", "Delete")
    program.wait("Delete deletes it", lambda: program.events("gates")[-1] == "gates 2")
    click(display, program, "Mid size")
    display.do("key", "Delete")
    program.wait("and what lies in one with it", lambda: program.events("gates")[-1] == "gates 0")
    display.do("key", "ctrl+z")
    program.wait("Ctrl+Z brings them back", lambda: program.events("gates")[-1] == "gates 2")
    display.do("key", "ctrl+z")
    wait_gates(program, "all of them", lambda g: g == before)
    click(display, program, "All objects")
    program.settle(0.5)


def written(program):
    """GatingML, read by what it says."""
    path = TMP / "gates.xml"
    program.action("export-gates-to", path)
    program.wait("they are written", lambda: program.events("gates-saved") == [f"gates-saved 0 {path}"])
    root = ET.parse(path).getroot()
    found = {gate.get(GATING + "id"): gate for gate in root}
    rows = saved_rows(program, "for-xml.csv")

    def passes(name, row):
        gate = found[name]
        parent = gate.get(GATING + "parent_id")
        if parent and not passes(parent, row):
            return False
        if gate.tag == GATING + "BooleanGate":
            return all(passes(r.get(GATING + "ref"), row) != (r.get(GATING + "use-as-complement") == "true") for r in gate.find(GATING + "and"))
        return all(float(d.get(GATING + "min", "-inf")) <= float(row[d[0].get(DATA + "name")]) < float(d.get(GATING + "max", "inf"))
                   for d in gate.iter(GATING + "dimension"))

    counted = gates(program)
    for name in counted:
        n = sum(passes(name.replace(" ", "_"), row) for row in rows)
        check(n == counted[name][0], f"{name} by GatingML: {n} of {counted[name]}")


def arranged(display, program):
    """The table as no table is to begin with: another order of columns, one hidden, sorted, filtered, a gate, a logarithmic axis of boxes."""
    program.wait("the list of columns opens", lambda: click(display, program, "Columns") or program.place("Nucleus: Circularity"))
    click(display, program, "Nucleus: Circularity")
    click(display, program, "Percentile bars")
    click(display, program, "Nucleus: Crofton perimeter µm")  # which hides it: by keys it is shown again, and goes before its neighbour
    display.do("key", "space", "alt+Left", "Escape")
    program.wait("a column is hidden", lambda: not program.labels("Circularity"))
    count = len(program.events("table-sorted"))
    click(display, program, "Number")
    program.wait_more("table-sorted", count, "the rows go by number")
    choose_boxes(display, program)
    click(display, program, "Logarithmic axis")
    click(display, program, "Mid size")
    program.wait("gated", lambda: program.labels("in “Mid size”"))
    program.settle(0.3)
    count = len(program.events("table-objects"))
    click(display, program, "Filter of the objects")
    display.do("type", "number < 900")
    program.wait_more("table-objects", count, "and filtered")
    program.settle(0.3)


def table(program, name):
    """What a session that is saved now has of the table."""
    path = TMP / name
    program.action("save-session-to", path)
    program.wait(f"{name} is saved", path.exists)
    return json.loads(path.read_text())["tabs"][0]["views"][0]["table"][0]


def differences(a, b):
    return [(key, a.get(key), b.get(key)) for key in {**a, **b} if a.get(key) != b.get(key)]


def same(program, what, before, objects):
    """Once there are objects again; boxes by gates come as soon as gates are counted."""
    program.wait(f"{what}: the same objects", lambda: program.events("table-objects")[-1:] == [objects])
    program.wait(f"{what}: in the same boxes", lambda: program.events("boxes"))
    program.wait(f"{what}: in the same order", lambda: program.events("table-sorted")[-1:] and "rising" in program.events("table-sorted")[-1])
    others = differences(before, table(program, what + ".vitrail"))
    check(not others, f"{what}: columns, filter, gate and plot are as they were {others}")


def kept(display, program):
    """By the journal of a program that is killed, before and after there are objects again, and by a file."""
    arranged(display, program)
    before, now, objects = gates(program), table(program, "before.vitrail"), program.events("table-objects")[-1]
    check(now["columns"].index("Nucleus: Crofton perimeter µm") < now["columns"].index("Nucleus: Area µm^2") and now["hidden"] and now["sort"] == "Object number" and now["filter"] == "number < 900"
          and now["gate"] == "Mid size" and now["plot-against"] == "Gates" and now["log-of"] and now["page"] == "objects" and now["bars"],
          f"the session has what was chosen {now}")
    program.kill()
    program = Program(display, APP, XDG_STATE_HOME=str(STATE))
    program.wait("the next start offers what was open", lambda: program.events("restore-offered"))
    program.action("restore-last")
    program.wait("it comes back", lambda: program.events("session-restored"))
    program.wait("with its gates", lambda: program.events("sharp"))
    others = differences(now, table(program, "early.vitrail"))
    check(not others, f"without objects the table forgets nothing {others}")
    canvas = program.find("Slide")
    analyse(display, program, canvas)
    wait_gates(program, "they count the same objects", lambda g: g == before)
    same(program, "journal", now, objects)
    display.picture("kept")
    program.end()
    program = Program(display, APP, TMP / "before.vitrail")
    program.wait("the file opens", lambda: program.events("sharp"))
    analyse(display, program, program.find("Slide"))
    same(program, "reopened", now, objects)
    program.end()


if __name__ == "__main__":
    main()
