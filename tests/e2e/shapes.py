# SPDX-License-Identifier: MIT
"""Regions of any shape in the real window, without and with results: drawn by clicks, by a hand, dropped, taken back; what crosses itself
is made valid, which is said.
usage: shapes.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import subprocess
import sys
import time

from desk import SLOW, TMP, Display, Program, check, finish, need

APP, _, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def click(display, program, *places):
    """Each adds a corner, or closes."""
    for x, y in places:
        count = len(program.events("vertices") + program.events("roi-added") + program.events("error"))
        display.do("mousemove", x, y, "click", 1)
        end = time.time() + 10 * SLOW
        while len(program.events("vertices") + program.events("roi-added") + program.events("error")) == count and time.time() < end:
            time.sleep(0.05)
        time.sleep(0.1 * SLOW)


def drag(display, *places, key=None):
    display.do("mousemove", *places[0])
    if key:
        display.do("keydown", key)
    display.do("mousedown", 1)
    for x, y in places[1:]:
        display.do("mousemove", x, y)
        time.sleep(0.05)
    display.do("mouseup", 1)
    if key:
        display.do("keyup", key)
    time.sleep(0.3 * SLOW)


def key(display, *keys):
    for one in keys:
        display.do("key", one)
        time.sleep(0.3 * SLOW)


def added(program):
    return len(program.events("roi-added"))


def save(program, name):
    """The features of the file that all regions are saved in."""
    count = len(program.events("exported"))
    path = TMP / name
    path.unlink(missing_ok=True)
    program.action("export-rois-to", path)
    program.wait_more("exported", count, f"the regions are saved as {name}")
    return json.loads(path.read_text())["features"]


def by_clicks(display, program):
    n = added(program)
    display.do("mousemove", 450, 300)
    key(display, "z")
    click(display, program, (320, 260), (470, 260), (600, 300))
    key(display, "BackSpace")
    click(display, program, (470, 400))
    display.do("mousemove", 330, 380)
    time.sleep(0.3 * SLOW)
    display.picture("shapes-open")
    key(display, "Return")
    program.wait("Return closes a polygon", lambda: added(program) == n + 1)
    click(display, program, (520, 260), (590, 260), (590, 330), (590, 330))
    program.wait("a double click closes, too", lambda: added(program) == n + 2)


def dropped(display, program, what):
    n, vertices = added(program), len(program.events("vertices"))
    click(display, program, (320, 260), (470, 260), (470, 400))
    if what == "toast":  # libadwaita's overlay takes Escape for a toast that is shown
        save(program, "toast.geojson")
    key(display, "Escape")
    click(display, program, (620, 260))
    check(program.events("vertices")[vertices + 3:] == ["vertices 1"] and added(program) == n, f"Escape drops an open outline ({what})")
    key(display, "Escape")


def made_valid(display, program):
    n, errors = added(program), len(program.events("error"))
    click(display, program, (320, 260), (470, 400), (470, 260), (320, 360), (320, 260))
    said = program.wait_more("error", errors, "an outline that crosses itself is made valid")
    check(said and "crosses itself" in said and "2 parts" in said and added(program) == n + 1, f"which is said: {said}")
    errors = len(program.events("error"))
    click(display, program, (320, 260), (470, 260))
    key(display, "Return")
    said = program.wait_more("error", errors, "a line is no region")
    check(said and "three corners" in said and added(program) == n + 1, f"which is said, too: {said}")


def by_hand(display, program):
    n = added(program)
    drag(display, (320, 420), (360, 420), (400, 430), (420, 460), (400, 490), (350, 490), (322, 460), (321, 440))
    program.wait("a hand draws one", lambda: added(program) == n + 1)
    key(display, "shift+z")
    drag(display, *((480 + 15 * step, 430 + 9 * step) for step in range(9)))
    program.wait("an ellipse is drawn", lambda: added(program) == n + 2)
    key(display, "Escape")


def area(rings):
    """Of outlines and holes, which run the other way; square pixels."""
    return sum(a[0] * b[1] - b[0] * a[1] for ring in rings for a, b in zip(ring, ring[1:])) / 2


def measured(program, features, what):
    """Areas by their coordinates; the objects in them only where there are any."""
    for feature in features:
        parts = feature["geometry"]["coordinates"]
        rings = [r for part in parts for r in part] if feature["geometry"]["type"] == "MultiPolygon" else parts
        values = feature["properties"]["measurements"]
        check(abs(values["Area µm^2"] - area(rings) / 4) < 0.01, f"the area of {feature['properties']['name']} is {values['Area µm^2']} µm²")
        if what == "with results":
            check(abs(values["Objects / mm^2"] * values["Area µm^2"] / 1e6 - values["Objects"]) < 1e-6, f"it has {values['Objects']} objects")
        else:
            check("Objects" not in values, "without a result no objects are counted")
    titles = program.labels("Area µm²") + program.labels("Perimeter µm") + program.labels("Objects / mm²")
    check(len(titles) == 3, f"the table says so, with units: {titles}")


def in_file(program, what):
    features = save(program, what.replace(" ", "-") + ".geojson")[-5:]
    measured(program, features, what)
    shapes = [f["geometry"] for f in features]
    check([s["type"] for s in shapes] == ["Polygon", "Polygon", "MultiPolygon", "Polygon", "Polygon"], "one of them has two parts")
    sizes = [len(s["coordinates"][0]) - 1 for s in shapes]
    check(sizes[:2] == [3, 3] and sizes[3] >= 7 and sizes[4] == 96, f"their outlines are in the file: {sizes}")


def all_shapes(display, program, what):
    by_clicks(display, program)
    dropped(display, program, what)
    dropped(display, program, "toast")
    made_valid(display, program)
    by_hand(display, program)
    program.settle()
    display.picture("shapes-" + what.replace(" ", "-"))
    in_file(program, what)
    display.do("mousemove", 450, 300)
    key(display, *["ctrl+z"] * 5)
    program.settle()


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    slide = TMP / "demo.svs"
    subprocess.run([str(DEMO), str(slide), "--size", "2048"], check=True, stdout=subprocess.DEVNULL)
    display = Display("vitrail-shapes")
    program = Program(display, APP, "--op", "nuclei", "--zoom", "20", slide)
    program.wait("the view gets sharp", lambda: program.events("sharp"))
    program.settle()
    all_shapes(display, program, "without results")
    count = len(program.events("run-done"))
    display.do("mousemove", 450, 300, "key", "F5")
    program.wait_more("run-done", count, "nuclei are found")
    program.settle()
    all_shapes(display, program, "with results")
    program.end()
    finish()


main()
