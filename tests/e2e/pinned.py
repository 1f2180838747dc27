# SPDX-License-Identifier: MIT
"""Two stages of an analysis pinned on the strip and seen on two sides of a line, and the pin that is paused, with real pointer and key events: each side
is, pixel by pixel, the stage alone, and a paused side keeps its picture.
usage: pinned.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import sys

from desk import TMP, Program, analysed, check, differing_pixels, finish, need
from wipe import press, same, sides, wipe

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def pins(program):
    events = program.events("stage-pins")
    return events[-1].split(" ", 1)[1] if events else ""


def walk(display, program, stage):
    """To one stage alone, by keys."""
    for _ in range(12):
        if program.events("layers")[-1:] == ["layers " + stage]:
            break
        count = len(program.events("layers"))
        display.do("key", "bracketright")
        program.wait_more("layers", count, "] goes on")
        program.settle(0.2)  # layers may be named twice for a key: the second one is not the next key's
    program.settle(0.3)


def main():
    need("Xvfb", "xdotool", "import", "convert", "compare", "dbus-run-session", "gdbus")
    display, program, slide = analysed("vitrail-pinned", APP, DEMO)
    display.do("key", "shift+s")
    program.wait("the strip is there", lambda: program.place("Stage 6 Distance"))
    program.settle(0.5)
    place = program.find("Slide")
    middle, above = place[4] // 2, place[5] // 2
    left, right = (middle - 160, 40, 60, above - 140), (middle + 130, 40, 60, above - 140)
    display.do("mousemove", place[2] + 40, place[3] + 60, "key", "alt+a")
    program.wait("with no stage alone it says what to do", lambda: program.labels("Look at one stage alone first"))
    background, distance = alone(display, program)
    by_keys(display, program, place, left, right, background, distance)
    values(display, program, place)
    by_menu(display, program, place)
    paused(display, program, place, left)
    beside(display, program)
    program.action("stage-unpin")
    program.wait("both are let go", lambda: pins(program) == "- -")
    of_a_pin(display, program, place, left)
    kept(display, program)
    finish()


def alone(display, program):
    pictures = []
    for stage in ("background", "distance"):
        walk(display, program, stage)
        pictures.append(display.picture(stage))
    return pictures


def by_keys(display, program, place, left, right, background, distance):
    walk(display, program, "background")
    press(display, program, "alt+a", "Alt+A pins the stage that is seen alone", lambda: pins(program) == "background -")
    check(not program.events("wipe"), "one stage is no comparison yet")
    walk(display, program, "distance")
    press(display, program, "alt+a", "another one", lambda: pins(program) == "background distance")
    program.wait("both are seen at once", lambda: wipe(program)[0] == 1)
    program.wait("with their names", lambda: sides(program) == "sides A: Background | B: Distance")
    program.wait("and the strip says which they are", lambda: {"A", "B"} <= set(program.labels("A") + program.labels("B")))
    program.settle(0.5)
    both = display.picture("both")
    same(background, both, place, left, "A is on the left")
    same(distance, both, place, right, "B is on the right")
    display.do("keydown", "b")
    program.wait("while B is held A is seen alone", lambda: wipe(program)[1] == 1)
    program.settle(0.3)
    same(background, display.picture("held"), place, right, "everywhere")
    display.do("keyup", "b")
    program.wait("no longer", lambda: wipe(program)[1] == 0)
    press(display, program, "ctrl+d", "Ctrl+D: their difference", lambda: wipe(program)[7] == 1)
    display.picture("difference")
    press(display, program, "ctrl+d", "and the line again", lambda: wipe(program)[7] == 0)


def values(display, program, place):
    """Under the pointer is the stage of its side."""
    for x, title in ((place[2] + place[4] // 2 - 130, "Background"), (place[2] + place[4] // 2 + 100, "Distance")):
        display.do("mousemove", x, place[3] + 100, "sleep", 0.1, "mousemove", x + 2, place[3] + 102)
        program.wait(f"the value of {title} is told on its side", lambda: any(f"{title} " in label for label in program.labels(title + " ")))


def by_menu(display, program, place):
    """Another stage takes B's place; Unpin lets one go, and the view is as it was."""
    x, y = program.find("Stage 4 Mask")[:2]
    display.do("mousemove", x, y, "click", 3)
    program.wait("the menu has it", lambda: program.place("Pin as B"))
    program.settle(0.5)
    display.picture("menu")
    program.click(display, "Pin as B")
    program.wait("the third one takes B's place", lambda: pins(program) == "background mask")
    program.wait("and is seen", lambda: sides(program) == "sides A: Background | B: Mask")
    program.click(display, "Stage 3 Residue")
    program.wait("a stage that is clicked is seen alone", lambda: wipe(program)[0] == 0 and program.events("layers")[-1] == "layers residue")
    check(pins(program) == "background mask", "and both stay pinned")
    display.do("mousemove", place[2] + 40, place[3] + 60, "sleep", 1)
    program.click(display, "Stage 3 Residue")
    program.wait("a click again: all as before", lambda: program.events("layers")[-1] == "layers objects")
    place = program.find("Slide")
    display.do("mousemove", place[2] + 40, place[3] + 60)
    press(display, program, "shift+w", "Shift+W shows both again", lambda: wipe(program)[0] == 1)
    x, y = program.find("Stage 2 Background")[:2]
    display.do("mousemove", x, y, "click", 3)
    program.wait("the menu unpins", lambda: program.place("Unpin"))
    program.settle(0.5)
    program.click(display, "Unpin")
    program.wait("the other one is A then", lambda: pins(program) == "mask -")
    program.wait("the line has gone", lambda: wipe(program)[0] == 0)
    check(program.events("layers")[-1] == "layers objects", "and the view is as it was")


def paused(display, program, place, left):
    """A keeps its picture while parameters change and the slide moves."""
    walk(display, program, "labels")
    press(display, program, "alt+a", "another B", lambda: pins(program) == "mask labels" and wipe(program)[0] == 1)
    display.do("mousemove", place[2] + 40, place[3] + 60)
    program.settle(0.5)
    before = display.picture("before-pause")
    press(display, program, "p", "P pauses A", lambda: wipe(program)[8] == 1)
    program.wait("which it says", lambda: sides(program) == "sides A: Mask · paused | B: Labels")
    program.settle(0.3)
    same(before, display.picture("paused"), place, left, "and A is as it was")
    program.action("set-parameter", "threshold=0.3")
    program.settle(0.7)
    program.wait("with a parameter changed it says of what it is", lambda: sides(program) == "sides A: Mask · Threshold 0.10 OD · paused | B: Labels")
    changed = display.picture("paused-changed")
    same(before, changed, place, left, "and keeps its picture")
    same(before, changed, place, (left[0] + 290, *left[1:]), "while B has another one", False)
    runs = len(program.events("run-done"))
    display.do("key", "shift+Right")
    program.wait_more("run-done", runs, "where the slide moved on, B is analysed")
    program.wait("A says that it has no pixels there", lambda: "hatched where it has no pixels" in sides(program))
    program.settle(0.5)
    display.picture("paused-moved")
    display.do("key", "shift+Left")
    program.settle(0.7)
    same(before, display.picture("paused-back"), place, left, "where it has them it has the same ones")
    press(display, program, "p", "P lets it go on", lambda: wipe(program)[8] == 0)
    program.wait("it is of now", lambda: sides(program) == "sides A: Mask | B: Labels")
    program.settle(0.5)
    same(before, display.picture("goes-on"), place, left, "with another picture", False)
    press(display, program, "p", "P pauses again", lambda: wipe(program)[8] == 1)
    press(display, program, "Escape", "Escape ends the line", lambda: wipe(program)[0] == 0)
    check(wipe(program)[8] == 0, "and the pause with it")


def beside(display, program):
    press(display, program, "ctrl+alt+w", "side by side", lambda: program.events("beside"))
    program.wait("there are two views", lambda: program.labels("Stage A stands beside stage B"))
    program.settle(1)
    display.picture("beside")
    display.do("key", "ctrl+1")
    program.settle(0.5)


def of_a_pin(display, program, place, left):
    """A result that is pinned is paused, too: it is not worked out for another place."""
    place = program.find("Slide")
    for _ in range(12):
        if program.events("layers")[-1:] == ["layers objects"]:
            break
        count = len(program.events("layers"))
        display.do("key", "bracketright")
        program.wait_more("layers", count, "] goes on")
    display.do("mousemove", place[2] + 40, place[3] + 60)
    press(display, program, "c", "C pins", lambda: program.events("compared"))
    program.action("set-parameter", "threshold=0.2")
    program.settle(0.7)
    press(display, program, "shift+w", "Shift+W shows both", lambda: wipe(program)[0] == 1)
    program.settle(0.5)
    before = display.picture("pin-before-pause")
    tool = program.events("tool")[-1:]
    press(display, program, "p", "P pauses the pin", lambda: wipe(program)[8] == 1)
    check(program.events("tool")[-1:] == tool, "and is not the tool that draws")
    program.wait("which it says", lambda: "Threshold 0.30 OD · paused |" in sides(program))
    runs, starts = len(program.events("run-done")), len(program.events("sides"))
    display.do("key", "shift+Right")
    program.wait_more("run-done", runs, "elsewhere what is shown now is analysed")
    program.settle(1)
    check(not any("working" in s.split("|")[0] for s in program.events("sides")[starts:]), "and the pin is not worked out")
    check("hatched where it has no pixels" in sides(program), f"which it says {sides(program)}")
    display.picture("pin-moved")
    display.do("key", "shift+Left")
    program.settle(0.7)
    same(before, display.picture("pin-back"), place, left, "back there it is as it was")
    press(display, program, "p", "P lets it go on", lambda: wipe(program)[8] == 0)
    display.do("key", "shift+Right")
    program.settle(0.5)
    program.wait("and then it is worked out elsewhere", lambda: "working" not in sides(program) and "hatched" not in sides(program))


def kept(display, program):
    """A session brings pins and line back, and so does the journal of a killed program, which says that a paused side follows what is analysed now."""
    program.action("compare-end")
    place = program.find("Slide")
    display.do("mousemove", place[2] + 40, place[3] + 60)
    for which, stage in enumerate(("background", "distance")):
        walk(display, program, stage)
        press(display, program, "alt+a", f"{stage} is pinned", lambda: stage in pins(program).split()[which])
    for key in ("ctrl+Right", "ctrl+shift+Right", "ctrl+Down", "ctrl+Down", "Return"):
        count = len(program.events("wipe"))
        display.do("key", key)
        program.wait_more("wipe", count, f"{key} changes the line")
    program.settle(0.5)
    line, before = wipe(program), display.picture("kept-before")
    file = TMP / "pinned.vitrail"
    program.action("save-session-to", file)
    program.wait("the session is saved", lambda: program.events("session-saved"))
    stored = json.loads(file.read_text())["tabs"][0]["views"][0]["pinned-stages"][0]
    check(stored["stages"] == ["background", "distance"] and stored["shown"] and stored["swapped"], f"with the pins and the line {stored}")
    press(display, program, "p", "P pauses A", lambda: wipe(program)[8] == 1)
    state = program.env["XDG_STATE_HOME"]
    program.kill()
    opened(display, Program(display, APP, file), line, before, place)
    program = Program(display, APP, XDG_STATE_HOME=state)
    program.wait("the next start offers what was open", lambda: program.events("restore-offered"))
    program.action("restore-last")
    program.wait("the journal's pins are there", lambda: pins(program) == "background distance")
    program.wait("and it says that A is paused no more", lambda: program.labels("Stage A was paused"))
    check(wipe(program)[:9] == line, "the line, too")
    display.picture("kept-paused")
    program.end()


def opened(display, program, line, before, place):
    program.wait("the session opens", lambda: program.events("session-restored"))
    program.wait("its pins are there", lambda: pins(program) == "background distance")
    program.wait("it is analysed", lambda: program.events("run-done"))
    program.wait("the line stands where it stood", lambda: wipe(program) == line)
    program.wait("between the same sides", lambda: sides(program) == "sides A: Background | B: Distance")
    check(program.events("layers")[-1] == "layers distance", "and below it the stage that was seen alone is so again")
    display.do("mousemove", place[2] + 40, place[3] + 60)
    program.settle(1)
    same(before, display.picture("kept-after"), place, (40, 40, place[4] - 300, 200), "with the same picture")
    display.do("key", "Escape")
    program.wait("Escape ends the line", lambda: wipe(program)[0] == 0)
    program.end()


if __name__ == "__main__":
    main()
