# SPDX-License-Identifier: MIT
"""The tree of annotations in the real window: drawn, folded by keys, moved, split along a line, deleted, undone, kept by a session and by GeoJSON.
usage: region-tree.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import sys
import time

from desk import SLOW, TMP, Display, Program, check, demo_slide, finish, flat, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def drag(display, tool, *places):
    display.do("mousemove", *places[0], "key", tool)
    time.sleep(0.3 * SLOW)
    display.do("mousedown", 1)
    for x, y in places[1:]:
        display.do("mousemove", x, y)
        time.sleep(0.05)
    display.do("mouseup", 1)
    time.sleep(0.3 * SLOW)


def draw(display, program, tool, *places):
    count = len(program.events("roi-added"))
    drag(display, tool, *places)
    program.wait_more("roi-added", count, f"{tool}: it is drawn")
    display.do("key", "Escape")
    program.settle(0.3)


def tree(features):
    """"ROI 1(ROI 2,ROI 3)", in the order of the file."""
    return ",".join(f["properties"]["name"] + (f"({tree(f['childObjects'])})" if "childObjects" in f else "") for f in features)


def saved(program, name):
    count = len(program.events("exported"))
    program.action("export-rois-to", TMP / name)
    program.wait_more("exported", count, f"{name} is saved")
    return json.loads((TMP / name).read_text())["features"]


def click_row(display, program, name):
    """At the end of the name: the arrow before it folds, and a row reaches beyond the window."""
    _, y, left = program.find(name)[:3]
    display.do("mousemove", left + 60, y, "click", 1)
    program.settle(0.3)


def folded(display, program):
    """What lies in a region is folded away with it, by keys and by the arrow, and is there again."""
    click_row(display, program, "ROI 1")
    display.do("key", "shift+Left")
    program.wait("Shift and Left fold the row", lambda: program.events("rows-folded")[-1:] == ["rows-folded 1 1"])
    program.settle(0.5)
    check(program.place("ROI 2") is None and program.place("ROI 4") is not None, "what lies in it is out of sight, the others are not")
    display.do("key", "shift+Right")
    program.wait("Shift and Right unfold it", lambda: program.events("rows-folded")[-1:] == ["rows-folded 0 1"])
    program.wait("its children are there again", lambda: program.place("ROI 2"))
    _, y, left, _, _, height = program.find("ROI 1")
    display.do("mousemove", left + 10, y, "click", 1)
    program.wait("so does its arrow", lambda: program.place("ROI 2") is None)
    display.do("click", 1)
    program.wait("and back", lambda: program.place("ROI 2"))
    program.settle(0.3)


def split(display, program):
    draw(display, program, "l", (250, 260), (400, 262), (720, 265))
    count = len(program.events("error"))
    click_row(display, program, "Line 5")
    program.action("regions-split")
    program.wait_more("error", count, "a line over several regions, of which none is selected, is refused")
    check("divides 3 regions" in program.events("error")[-1], "in a sentence: " + program.events("error")[-1])
    click_row(display, program, "ROI 2")
    display.do("mousemove", *program.find("Outlines")[:2], "click", 1)
    program.settle(0.5)
    display.picture("menu")
    program.click(display, "Split Along the Line")
    program.wait("the selected one is split, from the menu", lambda: program.events("regions-split")[-1:] == ["regions-split 2"])
    program.settle(0.5)
    display.picture("split")
    check(tree(saved(program, "split.geojson")) == "ROI 1(ROI 2 · 1,ROI 2 · 2,ROI 3),ROI 4", "both parts lie where it did, and the line is gone")
    display.do("mousemove", 450, 400, "key", "ctrl+z")
    program.wait("one step back", lambda: program.place("Line 5"))
    display.do("key", "ctrl+z")
    program.wait("the line goes, too", lambda: program.place("Line 5") is None)
    check(tree(saved(program, "whole.geojson")) == "ROI 1(ROI 2,ROI 3),ROI 4", "all as before")


def deleted(display, program):
    click_row(display, program, "ROI 1")
    display.do("key", "Delete")
    program.wait("the parent is deleted", lambda: program.events("roi-deleted")[-1:] == ["roi-deleted 1"])
    program.settle(0.5)
    check(tree(saved(program, "orphans.geojson")) == "ROI 2,ROI 3,ROI 4", "what lay in it stays")
    display.do("mousemove", 450, 400, "key", "ctrl+z")
    program.wait("and Ctrl+Z brings it back round them", lambda: program.place("ROI 1"))
    program.settle(0.5)
    check(tree(saved(program, "again.geojson")) == "ROI 1(ROI 2,ROI 3),ROI 4", "as it was")


def counted(display, program):
    """What lies in a child lies in its parent, too."""
    count = len(program.events("run-done"))
    display.do("mousemove", 450, 400, "key", "F5")
    program.wait_more("run-done", count, "nuclei are found")
    program.settle()
    parent = saved(program, "counted.geojson")[0]
    own = parent["properties"]["measurements"]["Objects"]
    children = [f["properties"]["measurements"]["Objects"] for f in parent["childObjects"]]
    check(own > sum(children) > 0, f"a region has the objects of its children, and more: {own}, {children}")


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    slide, display = demo_slide(DEMO), Display("vitrail-region-tree")
    program = Program(display, APP, "--op", "nuclei-threshold", "--zoom", "20", slide)
    program.wait("the view gets sharp", lambda: program.events("sharp"))
    program.settle()
    draw(display, program, "r", (280, 200), (500, 300), (680, 470))
    draw(display, program, "r", (350, 230), (400, 250), (450, 300))
    draw(display, program, "r", (500, 230), (550, 250), (600, 300))
    draw(display, program, "r", (640, 420), (700, 450), (740, 500))
    check(tree(saved(program, "tree.geojson")) == "ROI 1(ROI 2,ROI 3),ROI 4", "what lies in a region is its child, what reaches out of it is none")
    display.picture("tree")
    folded(display, program)
    split(display, program)
    deleted(display, program)
    counted(display, program)
    session = TMP / "tree.vitrail"
    program.action("save-session-to", session)
    program.wait("the session is saved", session.exists)
    before = saved(program, "before.geojson")
    program.end()
    program = Program(display, APP, session)
    program.wait("it opens", lambda: program.events("session-restored"))
    program.wait("with the rows", lambda: program.place("ROI 2"))
    program.settle()
    after = saved(program, "after.geojson")
    check(tree(after) == tree(before) and [f["geometry"] for f in flat(after)] == [f["geometry"] for f in flat(before)], "and the same tree")
    program.end()
    finish()


if __name__ == "__main__":
    main()
