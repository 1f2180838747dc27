# SPDX-License-Identifier: MIT
"""The layer panel of the real window, driven by real pointer and key events: order, solo, lock, blending, colours, range,
threshold, values under the pointer, statistics, objects. Nothing of it may need another run, and every number is compared
with the exported files. Pictures are kept beside the test.
usage: layers.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import re
import subprocess
import sys
import time

from desk import SKIP, SLOW, TMP, Display, Program, check, demo_slide, differing_pixels, finish, need

APP, _, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def last(program, kind):
    events = program.events(kind)
    return events[-1] if events else ""


def look(program, stage):
    """opacity, blend, map, min, max, from, to, outline: as the layer was changed last"""
    lines = [e.split() for e in program.events("look") if e.split()[1] == stage]
    return lines[-1][2:] if lines else [""] * 8


def place(program, name):
    """The middle of a widget in the window."""
    return (program.find(name) or (0, 0))[:2]


def type_into(display, program, name, text):
    program.click(display, name)
    display.do("key", "ctrl+a")
    display.do("type", "--delay", 10, text)
    display.do("key", "Return")


def choose(display, program, name, entry):
    """By the pointer: where the keyboard begins in an opened list differs between versions of GTK."""
    program.click(display, name)
    program.click(display, entry)


def hover(display, program, x, y):
    """Where on the slide a point of the window lies, and what the layers say there."""
    display.do("mousemove", x - 3, y - 3)
    time.sleep(0.1)
    count = len(program.events("probe"))
    display.do("mousemove", x, y)
    program.wait("the pointer says where it is", lambda: len(program.events("probe")) > count)
    time.sleep(0.3 * SLOW)
    words = last(program, "probe").split(" ", 3)
    return float(words[1]), float(words[2]), words[3] if len(words) > 3 else ""


def order(display, program):
    program.click(display, "Objects")
    display.do("key", "alt+Down")
    program.wait("Alt+Down takes a layer down", lambda: last(program, "order").endswith("objects,labels,certain"))
    display.do("key", "alt+Up")
    program.wait("Alt+Up takes it up again", lambda: last(program, "order").endswith("labels,objects,certain"))
    (x0, y0), (x1, y1) = place(program, "Move Objects"), place(program, "Move Distance")
    display.do("mousemove", x0, y0, "mousedown", 1)
    for step in range(1, 11):
        display.do("mousemove", x0 + (x1 - x0) * step // 10 + 1, y0 + (y1 - y0) * step // 10)
        time.sleep(0.05 * SLOW)
    display.do("mouseup", 1)
    program.wait("a row that is dragged goes where it is dropped",
                 lambda: last(program, "order").endswith("objects,distance,seeds,labels,certain"))


def look_without_run(display, program):
    runs = len(program.events("run-start"))
    before = display.picture("before")
    choose(display, program, "Colours of Distance", "Cividis")
    program.wait("another colour map", lambda: look(program, "distance")[2] == "cividis")
    choose(display, program, "Blending of Distance", "Multiply")
    program.wait("multiply", lambda: look(program, "distance")[1] == "1")
    program.settle()
    multiplied = display.picture("multiply")
    check(differing_pixels(before, multiplied) > 5000, "the picture follows")
    type_into(display, program, "Most of the range of Distance", "2")
    program.wait("the range is what was typed", lambda: look(program, "distance")[4] == "2")
    program.settle()
    ranged = display.picture("range")
    check(differing_pixels(multiplied, ranged) > 2000, "the picture follows the range")
    program.click(display, "Threshold of Distance")
    type_into(display, program, "Show Distance from", "1")
    program.wait("the threshold is what was typed", lambda: look(program, "distance")[5] == "1")
    program.settle()
    limited = display.picture("threshold")
    check(differing_pixels(ranged, limited) > 2000, "the picture follows the threshold")
    for number, blend in (("2", "Screen"), ("3", "Difference")):
        choose(display, program, "Blending of Distance", blend)
        program.wait(f"{blend} is chosen", lambda: look(program, "distance")[1] == number)
        program.settle()
        display.picture(blend.lower())
    program.click(display, "Lock Distance")
    time.sleep(0.3)
    program.click(display, "Distance")
    display.do("key", "alt+Up")
    time.sleep(0.5 * SLOW)
    check(last(program, "order").endswith("objects,distance,seeds,labels,certain"), "a locked layer keeps its place")
    program.click(display, "Lock Distance")
    program.click(display, "Threshold of Distance")
    program.click(display, "Reset the range of Distance")
    program.wait("the range is that of the data again", lambda: look(program, "distance")[4] != "2")
    program.settle()
    check(len(program.events("run-start")) == runs, "nothing of this needed another run")
    times = [float(e.split()[2]) for e in program.events("painted") if e.split()[1] == "distance"]
    print("distance is coloured again in (ms): " + " ".join(f"{t:.1f}" for t in times))


def seen_together(program):
    """A threshold and what it does."""
    places = [program.find(name) for name in ("Show Objects", "Show Seeds", "Show Mask", "Threshold", "Slider of Threshold")]
    check(all(p and 0 <= p[3] and p[3] + p[5] <= 860 for p in places), f"threshold and layers are in sight {places}")
    parameters = program.find("Parameters")
    check(places[2][3] + places[2][5] <= parameters[3] < places[3][3], "layers above, parameters below the handle")


def split(display, program):
    """The handle between layers and parameters."""
    x, _, _, top = program.find("Parameters")[:4]
    display.do("mousemove", x + 120, top - 3, "mousedown", 1)
    for step in range(1, 11):
        display.do("mousemove", x + 120, top - 3 + 10 * step)
        time.sleep(0.03 * SLOW)
    display.do("mouseup", 1)
    time.sleep(0.3 * SLOW)
    after = program.find("Parameters")[3]
    check(abs(after - top - 100) < 30, f"the handle follows the pointer {top} {after}")


def solo(display, program):
    program.settle(0.5)
    rows = [place(program, name) for name in ("Show Certain", "Show Distance", "Show Mask")]
    x, y = rows[1]
    display.do("mousemove", x, y, "keydown", "alt", "click", 1, "keyup", "alt")
    program.wait("Alt and the eye: one layer alone", lambda: last(program, "layers") == "layers distance")
    program.wait("it is worked out", lambda: any("distance" in e for e in program.events("painted")))
    program.settle()
    display.picture("solo")
    now = [place(program, name) for name in ("Show Certain", "Show Distance", "Show Mask")]
    check(all(abs(a - b) <= 1 for old, new in zip(rows, now) for a, b in zip(old, new)), f"rows stay where they are {rows} {now}")
    program.click(display, "Solo: Distance — show all")
    program.wait("the others are back", lambda: last(program, "layers") == "layers objects")
    display.do("mousemove", x, y, "keydown", "alt", "click", 1, "keyup", "alt")
    program.wait("and alone again", lambda: last(program, "layers") == "layers distance")
    program.click(display, "Solo: Distance — show all")
    program.wait("and back again", lambda: last(program, "layers") == "layers objects")
    display.do("mousemove", x + 80, y, "click", 3)
    program.wait("the row has a menu", lambda: program.place("Only This Layer"))
    display.do("mousemove", *program.place("Only This Layer")[:2], "click", 1)
    program.wait("the row's menu has it, too", lambda: last(program, "layers") == "layers distance")
    program.click(display, "Solo: Distance — show all")
    program.wait("and back from there", lambda: last(program, "layers") == "layers objects")
    program.click(display, "Show Distance")
    program.wait("the eye shows a layer beside the others", lambda: "distance" in last(program, "layers"))
    program.settle()


def settings(display, program):
    """A row that is opened comes into sight with all that it shows then, or from its top where that is too much."""
    program.click(display, "Settings of Distance")
    program.wait("statistics are there", lambda: program.place("Histogram of Distance"))

    def in_sight():
        (_, _, _, row, _, height), parameters = program.place("Distance"), program.place("Parameters")[3]
        return row >= program.place("Layers")[3] and (row + height <= parameters or row <= program.place("Layers")[3] + 60)
    program.wait("its settings are in sight", in_sight)
    display.picture("settings")


def focused(program):
    return program.accessible("--focused").stdout.strip().split(" ", 3)[-1]


def keys(display, program):
    """A number that was edited gives the keys back to the picture."""
    changes, before = len(program.events("param-changed")), program.view()
    x, y = place(program, "Reset Threshold")
    display.do("mousemove", x + 36, y, "click", 1)  # the number stands right of it
    program.wait("the number has the keys", lambda: focused(program) == "Threshold")
    display.do("key", "ctrl+a")
    display.do("type", "3")
    display.do("key", "Escape")
    program.wait("Escape: the picture has the keys", lambda: focused(program) == "Slide")
    display.do("key", "Left")
    program.wait("and the arrows move it", lambda: program.view()[0] < before[0])
    check(len(program.events("param-changed")) == changes, "Escape leaves the number as it was")
    display.do("key", "Right")
    program.settle()
    display.do("mousemove", x + 36, y, "click", 1)
    program.wait("the number has the keys again", lambda: focused(program) == "Threshold")
    display.do("key", "ctrl+a")
    display.do("type", "0.2")
    display.do("key", "Return")
    program.wait("Enter: so has the picture", lambda: focused(program) == "Slide")
    check(len(program.events("param-changed")) > changes, "and the number is taken")
    display.do("mousemove", x + 36, y, "click", 1)
    program.wait("once more", lambda: focused(program) == "Threshold")
    display.do("key", "ctrl+a")
    display.do("type", "99")
    display.do("key", "Return")
    program.wait("a number out of range is said", lambda: program.events("out-of-range") == ["out-of-range 99 is out of range: 0 to 6"])
    display.picture("out-of-range")
    program.settle()
    display.do("mousemove", x + 36, y, "click", 1)
    program.wait("and again", lambda: focused(program) == "Threshold")
    before = len(program.events("param-changed"))
    display.do("key", "ctrl+a")
    display.do("type", "0.1x")
    display.do("key", "Return")
    program.wait("what is no number is said", lambda: program.events("out-of-range")[-1] == "out-of-range “0.1x” is no number")
    program.settle()
    check(len(program.events("param-changed")) == before, "and nothing of it is taken")
    changes = len(program.events("param-changed"))
    x, y, left, _, width, _ = program.find("Slider of Threshold")
    x = left + round(0.39 * width)  # 0.1 of 0 to 6, logarithmic
    display.do("mousemove", x, y, "mousedown", 1)
    for step in range(1, 6):
        display.do("mousemove", x + 8 * step, y)
        time.sleep(0.1 * SLOW)
    program.wait("a slider works while it is dragged", lambda: len(program.events("param-changed")) > changes + 1)
    display.do("mouseup", 1)
    check(focused(program) == "Slide", "the slider leaves the keys with the picture")
    program.click(display, "Reset Threshold")
    program.settle()


def set_threshold(display, program, value):
    runs, changes = len(program.events("run-done")), len(program.events("param-changed"))
    x, y = place(program, "Reset Threshold")
    display.do("mousemove", x + 36, y, "click", 1, "key", "ctrl+a")
    display.do("type", "--delay", 10, str(value))
    display.do("key", "Return")
    program.wait("a parameter was changed", lambda: len(program.events("param-changed")) > changes)
    program.wait_more("run-done", runs, "the full run follows")
    program.settle()


def first_look(display, program):
    """A slow run is shown coarsely before, at once after a parameter changed; only the full one is a result."""
    coarse = len(program.events("coarse-done"))
    set_threshold(display, program, 0.12)
    if len(program.events("coarse-done")) > coarse:
        kinds = [e.split()[0] for e in program.events() if e.startswith(("coarse-done", "run-done", "param-changed"))]
        check(kinds[-1] == "run-done" and "coarse-done" in kinds[kinds.index("param-changed"):],
              "the first look came before the full run")
        print("shown after (ms): " + " ".join(f"{e.split()[1]} {e.split()[2]}" for e in program.events("shown-after")))


def choose_op(display, program, key):
    """The next or previous one of the drop-down under the heading. On a busy machine a press right after a run may do nothing."""
    program.settle()
    x, y = place(program, "Analysis")
    for turn in range(3):
        print("a press was lost\n" if turn else "", end="")
        display.do("mousemove", x + 40, y + 38, "click", 1)
        end = time.time() + 5 * SLOW
        while time.time() < end and not program.place("Watershed"):
            time.sleep(0.1)
        if program.place("Watershed"):
            break
    program.wait("the list of ops is open", lambda: program.place("Watershed"))
    time.sleep(0.4 * SLOW)
    for pressed in (key, "Return"):
        display.do("key", pressed)
        time.sleep(0.1 * SLOW)


def another_op(display, program):
    """What was set for an op, its parameters and its layers, is there again when the op is."""
    set_threshold(display, program, 0.13)
    program.click(display, "Lock Distance")
    display.do("mousemove", 450, 450)
    program.settle()
    before, placed = display.picture("op-before"), last(program, "order")
    runs = len(program.events("run-done"))
    choose_op(display, program, "Up")
    program.wait("another op is run", lambda: program.events("run-start")[-1].endswith("nuclei"))
    program.wait_more("run-done", runs, "and comes to an end")
    runs = len(program.events("run-done"))
    choose_op(display, program, "Down")
    program.wait("the first one is back", lambda: program.events("run-start")[-1].endswith("nuclei-threshold"))
    program.wait_more("run-done", runs, "and is run again")
    display.do("mousemove", 450, 450)
    program.settle()
    after = display.picture("op-after")
    seen = [crop(picture, "750x700+10+80") for picture in (before, after)]
    check(differing_pixels(*seen) == 0, "everything looks as before")
    folder = export(program, "again")
    record = json.loads((folder / "record.json").read_text())
    check(record["params"]["threshold"] == 0.13, f"the parameter is what it was {record['params']}")
    program.click(display, "Distance")
    display.do("key", "alt+Up")
    time.sleep(0.5 * SLOW)
    check(last(program, "order") == placed, "the lock is kept")
    program.click(display, "Settings of Distance")
    time.sleep(0.5 * SLOW)
    program.click(display, "Lock Distance")
    program.click(display, "Distance")
    display.do("key", "alt+Up")
    program.wait("and opens", lambda: last(program, "order") != placed)
    display.do("key", "alt+Down")
    program.wait("the order was kept, too", lambda: last(program, "order") == placed)
    return folder


def crop(picture, box):
    path = picture.with_name(picture.stem + "-part.png")
    subprocess.run(["convert", str(picture), "-crop", box, "+repage", str(path)], check=True)
    return path


def export(program, name):
    program.settle()
    folder = TMP / name
    program.action("export-results-to", folder)
    program.wait("results are exported", (folder / "record.json").exists)
    return folder


def read_tiff(path):
    import numpy
    from PIL import Image, TiffImagePlugin
    image = Image.open(path)
    note = json.loads(image.tag_v2[TiffImagePlugin.IMAGEDESCRIPTION])
    return numpy.array(image), note


def numbers(display, program):
    import numpy
    folder = export(program, "numbers")
    values, note = read_tiff(folder / "distance.tif")
    record = json.loads((folder / "record.json").read_text())
    left, top, width, height = record["region"]
    pixel = width / values.shape[1]
    for x, y in ((300, 300), (520, 410), (610, 555)):
        x_l0, y_l0, said = hover(display, program, x, y)
        value = values[int((y_l0 - top) / pixel), int((x_l0 - left) / pixel)] * note.get("scale", 1) + note.get("offset", 0)
        match = re.search(r"Distance=([-\d.e+]+)", said)
        check(match and abs(float(match.group(1)) - value) <= abs(value) * 1e-3 + 1e-9,
              f"the value under the pointer is that of the file: {said} {value:.4g}")
    program.wait("statistics are shown", lambda: any(" distance " in e for e in program.events("stats")))
    said = [e.split() for e in program.events("stats") if " distance " in e][-1]
    counted = values[values != 0] if int(said[3]) < int(said[2]) else values.ravel()
    real = counted.astype(numpy.float64) * note.get("scale", 1) + note.get("offset", 0)
    expected = [real.size, real.min(), real.max(), real.mean(), real.std(),
                numpy.percentile(real, 50, method="inverted_cdf")]
    shown = [float(v) for v in said[3:9]]
    check(int(said[2]) == values.size and numpy.allclose(shown, expected, rtol=1e-6),
          f"statistics are those of the file: {shown} {expected}")


def objects(display, program, folder):
    features = json.loads((folder / "objects.geojson").read_text())["features"]
    program.settle()
    x_l0, y_l0, _ = hover(display, program, 450, 450)
    scale = program.view()[4]
    middles = []
    for number, feature in enumerate(features, 1):
        ring = feature["geometry"]["coordinates"][0]
        ring = ring[0] if isinstance(ring[0][0], list) else ring
        x, y = (sum(p[i] for p in ring) / len(ring) for i in (0, 1))
        middles.append((number, 450 + (x - x_l0) / scale, 450 + (y - y_l0) / scale))
    number, x, y = min(middles, key=lambda m: abs(m[1] - 450) + abs(m[2] - 400))
    display.do("mousemove", round(x), round(y), "click", 1)
    program.wait("a click selects the object under it", lambda: last(program, "selected").startswith(f"selected {number} "))
    before = last(program, "selected").split()
    check(int(before[4]) >= 3, "with its measurements")
    time.sleep(0.5 * SLOW)
    display.picture("selected")
    display.do("key", "greater")
    program.wait("a full stop selects the next one", lambda: last(program, "selected").split()[1] == str(number + 1))
    display.do("key", "less")
    program.wait("< goes back", lambda: last(program, "selected").split()[1] == str(number))
    display.do("key", "Right")
    program.settle()
    display.do("key", "plus")
    program.settle()
    after = last(program, "selected").split()
    check(abs(float(after[2]) - float(before[2])) < 4 and abs(float(after[3]) - float(before[3])) < 4,
          f"it stays selected while the view moves: {before} {after}")
    display.picture("selected-moved")
    display.do("key", "alt+2")
    program.settle()
    display.picture("density")
    _, _, said = hover(display, program, 480, 420)
    check(re.search(r"Objects=(≈ )?[\d.]+ per mm²", said), f"far away it is said how dense objects lie: {said}")
    program.click(display, "Unselect the object")
    program.wait("nothing is selected", lambda: last(program, "selected") == "selected none")


def measured(display, program):
    """Objects in the colours of a measurement, those of a range alone, and all in one colour again."""
    program.click(display, "Settings of Objects")
    count = len(program.events("painted"))
    choose(display, program, "What colours Objects", "Nucleus: Area µm²")
    program.wait("a measurement is chosen", lambda: last(program, "measure") == "measure objects Nucleus: Area µm^2")
    program.wait("with a range", lambda: look(program, "objects")[2] == "viridis" and float(look(program, "objects")[3]) < float(look(program, "objects")[4]))
    program.wait_more("painted", count, "it is painted anew")
    program.settle(0.5)
    shown = int(last(program, "table-objects").split()[1]) if program.events("table-objects") else None
    counted = program.wait("the legend has a histogram", lambda: program.events("legend-bins"))
    check(int(counted[-1].split()[1]) > 0 and shown in (None, 0, int(counted[-1].split()[1])), f"of all objects {counted[-1]}")
    display.picture("measured")
    program.action("save-picture-to", TMP / "measured.svg")
    program.wait("a picture with its legend is saved", lambda: program.events("document-saved"))
    grey = [path for path in re.findall(r'<path[^>]* d="[^"]*"', (TMP / "measured.svg").read_text())
            if re.search(r"rgb\(4[45](\.\d*)?%|rgb\(115", path) and path.count("Z") + path.count("z") > 8]
    check(len(grey) == 1, f"bars stand above its colour map {len(grey)}")
    program.action("same-map")
    program.wait("the map is that of all slides", lambda: last(program, "map-shared") == "map-shared objects 1")
    program.settle(0.5)
    display.picture("same-map")
    type_into(display, program, "Most of the range of Objects", "60")
    program.wait("its range is set", lambda: float(look(program, "objects")[4]) == 60)
    program.wait("for all of them", lambda: last(program, "shared-map").split()[3:] == ["60"])
    path = TMP / "shared.vitrail"
    program.action("save-session-to", path)
    program.wait("the session is saved", path.exists)
    stored = [layer for layer in json.loads(path.read_text())["tabs"][0]["views"][0]["layers"] if layer.get("stage") == "objects"]
    check(stored[0]["same-in-all"] and stored[0]["range"][1] == 60, f"and has it {stored}")
    program.action("same-map")
    program.wait("each has its own again", lambda: last(program, "map-shared") == "map-shared objects 0")
    choose(display, program, "What colours Objects", "One colour")
    program.wait("and one colour again", lambda: last(program, "measure") == "measure objects none" and look(program, "objects")[2] == "mint")
    program.click(display, "Settings of Objects")
    program.settle(0.5)


def main():
    need("Xvfb", "xdotool", "import", "convert", "compare", "dbus-run-session", "gdbus")
    try:
        import numpy
        import PIL
    except ImportError:
        print("SKIP: not installed: numpy, Pillow")
        sys.exit(SKIP)
    slide = demo_slide(DEMO)
    display = Display("vitrail-layers")
    program = Program(display, APP, "--op", "nuclei-threshold", "--live", "--zoom", "20", slide)
    program.wait("live analysis comes to an end", lambda: program.events("run-done"))
    program.settle()
    seen_together(program)
    measured(display, program)
    keys(display, program)
    order(display, program)
    solo(display, program)
    split(display, program)
    settings(display, program)
    numbers(display, program)
    look_without_run(display, program)
    folder = another_op(display, program)
    objects(display, program, folder)
    display.do("mousemove", 450, 450, "key", "1")
    program.settle()
    first_look(display, program)
    program.end()
    finish()


if __name__ == "__main__":
    main()
