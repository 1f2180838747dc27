# SPDX-License-Identifier: MIT
"""Regions of any shape, lines and points in the real window, without and with results: drawn by clicks, by a hand, dropped, taken back; what crosses itself
is made valid, which is said; and what can be done to them afterwards, with undo.
usage: shapes.py drawn|edited|lines VITRAIL DEMO-SLIDE-GENERATOR"""
import csv
import json
import pathlib
import sys
import time

from desk import SLOW, TMP, Display, Program, check, demo_slide, finish, need

PART, (APP, DEMO) = sys.argv[1], (pathlib.Path(p).resolve() for p in sys.argv[2:4])


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
    key(display, "p")
    click(display, program, (320, 260), (470, 260), (600, 300))
    key(display, "BackSpace")
    click(display, program, (470, 400))
    display.do("mousemove", 330, 380)
    time.sleep(0.3 * SLOW)
    display.picture("shapes-open")
    key(display, "Return")
    program.wait("Return closes a polygon", lambda: added(program) == n + 1)
    click(display, program, (520, 260), (590, 260))
    program.settle(0.3)
    display.do("mousemove", 590, 330, "click", "--repeat", 2, "--delay", 80, 1)  # by one program: two would be too slow on a busy machine
    program.wait("a double click closes, too", lambda: added(program) == n + 2)


def dropped(display, program, what):
    n, vertices = added(program), len(program.events("vertices"))
    click(display, program, (320, 260), (470, 260), (470, 400))
    program.wait("three corners are set", lambda: len(program.events("vertices")) == vertices + 3)
    if what == "toast":  # libadwaita's overlay takes Escape for a toast that is shown
        save(program, "toast.geojson")
    key(display, "Escape")
    click(display, program, (620, 260))
    program.wait("and another is begun", lambda: len(program.events("vertices")) == vertices + 4)
    check(program.events("vertices")[vertices + 3:] == ["vertices 1"] and added(program) == n, f"Escape drops an open outline ({what}): {program.events('vertices')[vertices:]}")
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
    key(display, "o")
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
    titles = [name for name in ("Area µm²", "Perimeter µm", "Objects / mm²") if name in program.labels(name)]
    check(len(titles) == 3, f"the table says so, with units: {titles}")


def in_file(program, what):
    features = save(program, what.replace(" ", "-") + ".geojson")[-5:]
    measured(program, features, what)
    shapes = [f["geometry"] for f in features]
    check([s["type"] for s in shapes] == ["Polygon", "Polygon", "MultiPolygon", "Polygon", "Polygon"], "one of them has two parts")
    sizes = [len(s["coordinates"][0]) - 1 for s in shapes]
    check(sizes[:2] == [3, 3] and sizes[3] >= 7 and sizes[4] == 96, f"their outlines are in the file: {sizes}")


def names(features):
    return [f["properties"]["name"] for f in features]


def edited(display, program):
    """The selected region with Shift and Alt, another name, a class with its colour, a lock; all of it taken back and done again."""
    by_clicks(display, program)
    first = names(save(program, "edit-0.geojson"))[0]
    program.click(display, first)
    display.do("mousemove", 450, 300)
    key(display, "o")
    for how, modifier, box in ((0, "shift", ((400, 300), (450, 350), (520, 460))), (1, "alt", ((420, 320), (450, 350), (480, 380)))):
        count = len(program.events("roi-combined"))
        drag(display, *box, key=modifier)
        check(program.wait_more("roi-combined", count, f"{modifier} with an ellipse changes the region") == f"roi-combined {how}", "as it should")
    errors = len(program.events("error"))
    drag(display, (700, 520), (710, 530), (730, 550), key="alt")
    said = program.wait_more("error", errors, "what changes nothing is said")
    check(said and "outside" in said, f"so: {said}")
    key(display, "Escape")
    count = len(program.events("region-editor"))
    key(display, "F2")
    program.wait_more("region-editor", count, "F2 opens names and classes")
    display.do("key", "ctrl+a", "type", "Margin")
    key(display, "Return", "Tab")
    display.do("type", "Tumor")
    key(display, "Return")
    display.picture("shapes-editor")
    key(display, "Tab", "Tab", "Tab", "space", "Escape")
    program.settle()
    display.picture("shapes-edited")
    region = save(program, "edit-1.geojson")[0]
    about = region["properties"]
    check(about["name"] == "Margin" and about["classification"]["name"] == "Tumor" and about["color"] == about["classification"]["color"]
          and about.get("isLocked"), f"a file has all of it: {about['name']}, {about.get('classification')}, {about.get('isLocked')}")
    rings = region["geometry"]["coordinates"]
    check(len(rings) == 2 and area(rings[:1]) > 0 > area(rings[1:]), "and the hole")
    errors, count = len(program.events("error")), len(program.events("roi-deleted"))
    display.do("mousemove", 450, 300)
    key(display, "Delete")
    said = program.wait_more("error", errors, "a locked region is not deleted")
    check(said and "locked" in said and len(program.events("roi-deleted")) == count, f"which is said: {said}")
    key(display, *["ctrl+z"] * 5)
    check(names(save(program, "edit-2.geojson"))[0] == first, "five times Ctrl+Z: it is as it was drawn")
    key(display, *["ctrl+shift+z"] * 5)
    again = save(program, "edit-3.geojson")[0]
    check(again["geometry"] == region["geometry"] and again["properties"]["name"] == "Margin" and again["properties"].get("isLocked"),
          "and done again it is the same")
    key(display, *["ctrl+z"] * 7)
    program.settle()


def corners(display, program):
    """A corner of the selected region dragged, one more from the middle of an edge, one removed, one that would make the outline cross itself."""
    before = save(program, "corners-0.geojson")[-1]["geometry"]["coordinates"][0]
    program.click(display, names(save(program, "corners-0.geojson"))[-1])
    for what, places, n in (("a corner is dragged", ((760, 300), (765, 305), (780, 310)), 4), ("the middle of an edge becomes a corner", ((700, 305), (700, 290), (700, 260)), 5)):
        count = len(program.events("roi-reshaped"))
        drag(display, *places)
        check(program.wait_more("roi-reshaped", count, what) == f"roi-reshaped {n}", f"now there are {n}")
    display.do("mousemove", 400, 500)
    display.picture("shapes-corners")
    errors = len(program.events("error"))
    drag(display, (700, 260), (700, 400), (700, 520))
    said = program.wait_more("error", errors, "an outline that would cross itself is refused")
    check(said and "cross itself" in said, f"in a sentence: {said}")
    count = len(program.events("roi-reshaped"))
    display.do("mousemove", 690, 270)
    display.do("mousemove", 700, 261)
    key(display, "BackSpace")
    check(program.wait_more("roi-reshaped", count, "Backspace removes the corner under the pointer") == "roi-reshaped 4", "of which there are 4 again")
    check(not program.labels("would cross itself"), "and what was said of the outline of before goes")
    after = save(program, "corners-1.geojson")[-1]["geometry"]["coordinates"][0]
    check(sum(a != b for a, b in zip(before, after)) == 1, f"one is another than before: {before} {after}")
    display.do("mousemove", 400, 500)
    key(display, *["ctrl+z"] * 3)
    moved(display, program, before)
    check(save(program, "corners-2.geojson")[-1]["geometry"]["coordinates"][0] == before, "three times Ctrl+Z: it is as it was drawn")
    snapped(display, program, before)


def moved(display, program, ring):
    """All of it by the cross in its middle; its upper right corner is at (760, 300)."""
    xs, ys = [p[0] for p in ring], [p[1] for p in ring]
    x, y = 760 - round((max(xs) - min(xs)) / 2), 300 + round((max(ys) - min(ys)) / 2)
    count = len(program.events("roi-reshaped"))
    drag(display, (x, y), (x - 10, y + 10), (x - 40, y + 25))
    program.wait_more("roi-reshaped", count, "a region is moved by its cross")
    display.picture("shapes-moved")
    now = save(program, "moved.geojson")[-1]["geometry"]["coordinates"][0]
    shifts = {(a[0] - b[0], a[1] - b[1]) for a, b in zip(now, ring)}
    check(shifts == {(-40, 25)}, f"all of its corners by as much {shifts}")
    key(display, "ctrl+z")


def snapped(display, program, ring):
    """A rectangle that begins near the lower right corner of the region, at (760, 440), begins at it."""
    n = added(program)
    display.do("mousemove", 450, 500)
    key(display, "alt+s", "r")
    program.wait("corners snap", lambda: program.events("snap") == ["snap 1"])
    drag(display, (765, 444), (790, 460), (820, 500))
    program.wait("a rectangle is drawn", lambda: added(program) == n + 1)
    new = save(program, "snapped.geojson")[-1]["geometry"]["coordinates"][0]
    corner, begin = [max(p[i] for p in ring) for i in (0, 1)], [min(p[i] for p in new) for i in (0, 1)]
    check(corner == begin, f"from the corner of the other region {corner} {begin}")
    display.do("mousemove", 450, 500)
    key(display, "alt+s", "ctrl+z", "Escape")
    check(program.events("snap")[-1] == "snap 0", "and snap no more")


def brush(display, program):
    n = added(program)
    display.do("mousemove", 450, 300)
    key(display, "b")
    display.do("mousemove", 330, 470, "mousedown", 1)
    for step in range(1, 9):
        display.do("mousemove", 330 + 20 * step, 470 + 20 * (step % 2))
        time.sleep(0.03)
    display.picture("shapes-brush")
    display.do("mouseup", 1)
    program.wait("a brush paints a region", lambda: added(program) == n + 1)
    program.settle(0.5)  # the table makes room for it, and the picture moves
    click(display, program, (600, 480))
    program.wait("a click is a dot", lambda: added(program) == n + 2)
    dot = save(program, "brush.geojson")[-1]["properties"]["measurements"]
    check(abs(dot["Area µm^2"] - 314.16) < 5, f"of 20 pixels of 0.5 µm round the pointer: {dot['Area µm^2']} µm²")
    key(display, "Escape")
    outlines(display, program)


def click_row(display, program, name):
    """At its beginning: a row reaches beyond the window, and has the name of its first cell."""
    _, y, left = program.find(name)[:3]
    display.do("mousemove", left + 12, y, "click", 1)


def outlines(display, program):
    """All regions become one of several pieces, a region for each again, with fewer corners; by the table's menu."""
    def press(*keys):
        display.do("mousemove", *program.find("Outlines")[:2], "click", 1)
        program.settle(0.5)
        key(display, *keys, "Return")

    before = save(program, "apart.geojson")
    click_row(display, program, names(before)[0])
    key(display, "ctrl+a")
    press()
    program.wait("they are joined", lambda: program.events("regions-joined") == [f"regions-joined {len(before)}"])
    joined = save(program, "joined.geojson")
    check(names(joined) == names(before)[:1] and joined[0]["geometry"]["type"] == "MultiPolygon", f"into the first of them {names(joined)}")
    click_row(display, program, names(joined)[0])
    press()  # one region cannot be joined: the keyboard is at the next entry
    program.wait("taken apart", lambda: program.events("regions-parted"))
    parts = save(program, "parts.geojson")
    check(len(parts) == len(joined[0]["geometry"]["coordinates"]) > 1 and names(parts)[1] == names(joined)[0] + " · 2",
          f"each piece is a region {names(parts)}")
    click_row(display, program, names(parts)[0])
    key(display, "ctrl+a")
    press("Down", "Down", "Down")
    program.wait("and simplified", lambda: program.events("regions-simplified"))
    fewer = [len(f["geometry"]["coordinates"][0]) for f in save(program, "simple.geojson")]
    check(sum(fewer) < sum(len(f["geometry"]["coordinates"][0]) for f in parts), f"corners: {fewer}")
    display.do("mousemove", 450, 300)
    key(display, *["ctrl+z"] * 3)
    check(names(save(program, "undone.geojson")) == names(before), "three steps back all is as it was")


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


def geometry(feature):
    return feature["geometry"]["type"], feature["geometry"]["coordinates"]


def lines(display, program):
    """A line by a drag and one by clicks, each with its length."""
    display.do("mousemove", 450, 300)
    key(display, "l")
    drag(display, (320, 260), (400, 250), (470, 260))
    program.wait("a drag is a line", lambda: added(program) == 1)
    program.settle(0.5)  # the table makes room for it
    click(display, program, (320, 300), (400, 340), (480, 300))
    key(display, "Return")
    program.wait("clicks and Return are one, too", lambda: added(program) == 2)
    features = save(program, "lines.geojson")
    check([geometry(f)[0] for f in features] == ["LineString"] * 2 and [len(geometry(f)[1]) for f in features] == [2, 3],
          f"both are in the file: {[geometry(f) for f in features]}")
    check([f["properties"]["measurements"] for f in features][0] == {"Length µm": 75}, "the first is 150 pixels of 0.5 µm long")


def points(display, program):
    """Clicks make one set, which is selected; a locked place in the table is none of theirs."""
    key(display, "period")
    for n, place in enumerate(((340, 400), (380, 420), (420, 400)), 1):
        count = len(program.events("point-added"))
        display.do("mousemove", *place, "click", 1)
        check(program.wait_more("point-added", count, f"a click is a point, number {n}") == f"point-added {n}", "in the same set")
    display.picture("shapes-points")
    key(display, "ctrl+z")
    kind, coordinates = geometry(save(program, "points.geojson")[-1])
    check(kind == "MultiPoint" and len(coordinates) == 2, f"one step back they are two: {coordinates}")
    errors = len(program.events("error"))
    key(display, "r")
    drag(display, (330, 380), (380, 400), (400, 430), key="shift")
    said = program.wait_more("error", errors, "what has no area takes none")
    check(said and "no area" in said, f"in a sentence: {said}")
    key(display, "Escape")
    count = len(program.events("roi-reshaped"))
    drag(display, (340, 400), (345, 410), (350, 440))
    check(program.wait_more("roi-reshaped", count, "a point is moved") == "roi-reshaped 2", "by a drag")


def line_corners(display, program):
    """The middle point of the second line goes; the cross above its first point moves all of it; no analysis runs on it."""
    program.click(display, names(save(program, "corners.geojson"))[1])
    before = geometry(save(program, "line-0.geojson")[1])[1]
    key(display, "l", "Escape")  # the toast of the file is shown, and the keyboard is in the table: the tool goes first
    drag(display, (320, 276), (330, 280), (340, 296))
    after = geometry(save(program, "line-1.geojson")[1])[1]
    check([[b[0] - a[0], b[1] - a[1]] for a, b in zip(before, after)] == [[20, 20]] * 3, f"the cross moves the line {before} {after}")
    count = len(program.events("roi-reshaped"))
    display.do("mousemove", 422, 350)
    display.do("mousemove", 420, 360)
    key(display, "BackSpace")
    check(program.wait_more("roi-reshaped", count, "Backspace takes a point of a line") == "roi-reshaped 2", "two are left")
    errors = len(program.events("error"))
    program.action("run-on", "regions")
    key(display, "F5")
    said = program.wait_more("error", errors, "no analysis runs on lines and points")
    check(said and "no area" in said, f"which is said: {said}")
    key(display, "r")
    drag(display, (500, 300), (550, 330), (560, 360))
    runs = len(program.events("run-done"))
    key(display, "F5")
    program.wait("a run on the region beside them says that it leaves them out", lambda: program.labels("Lines and points have no area"))
    program.wait_more("run-done", runs, "and is done")
    table, count = TMP / "all.csv", len(program.events("exported"))
    program.action("export-rois-to", table)
    program.wait_more("exported", count, "their table is saved")
    rows = list(csv.DictReader(table.open(newline="")))
    check([r["Geometry WKT px"].split(" ")[0] for r in rows] == ["LINESTRING", "LINESTRING", "MULTIPOINT", "POLYGON"]
          and [bool(r["GLRLM: SRE"]) for r in rows] == [False] * 3 + [True] and rows[0]["Length µm"] == "75"
          and rows[2]["Num points"] == "2" and not rows[0]["Perimeter µm"], f"each is a row of it: {[list(r.values())[:1] for r in rows]}")


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    slide = demo_slide(DEMO)
    display = Display("vitrail-shapes-" + PART)
    program = Program(display, APP, "--op", "nuclei-threshold", "--zoom", "20", slide)
    program.wait("the view gets sharp", lambda: program.events("sharp"))
    program.settle()
    if PART == "lines":
        lines(display, program)
        points(display, program)
        line_corners(display, program)
    elif PART == "drawn":
        all_shapes(display, program, "without results")
        count = len(program.events("run-done"))
        display.do("mousemove", 450, 300, "key", "F5")
        program.wait_more("run-done", count, "nuclei are found")
        program.settle()
        all_shapes(display, program, "with results")
    else:
        edited(display, program)
        display.do("mousemove", 450, 300)
        key(display, "r")
        drag(display, (620, 300), (650, 330), (700, 400), (760, 440))
        key(display, "Escape")
        corners(display, program)
        brush(display, program)
    program.end()
    finish()


main()
