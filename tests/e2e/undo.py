# SPDX-License-Identifier: MIT
"""Undo in the real window: a parameter, another analysis, layers hidden by a key and by their button, in one row with a region; the palette
says which step is next, and how the view opened is no step.
usage: undo.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import sys

from desk import TMP, analysed, check, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def steps(program, back=False):
    kind = "step-back" if back else "step"
    return [e[len(kind) + 1:] for e in program.events(kind)]


def press(display, program, key, kind):
    """A key that makes, takes back or makes again a step: what that is called."""
    count = len(program.events(kind))
    display.do("key", key)
    line = program.wait_more(kind, count, f"{key}: {kind}")
    program.settle(0.3)
    return line[len(kind) + 1:] if line else None


def session_view(program, name):
    path = TMP / name
    program.action("save-session-to", path)
    program.wait(f"{name} is saved", path.exists)
    return json.loads(path.read_text())["tabs"][0]["views"][0]


def state(program, name):
    """What the session has of analysis and layers."""
    view = session_view(program, name)
    return view.get("analyses"), view.get("layers"), view["op"]


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    display, program, _ = analysed("vitrail-undo", APP, DEMO)
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1] + 100)
    display.do("key", "ctrl+z")
    program.settle(0.5)
    check(not steps(program, True), "how the slide opened is no step")
    states = [state(program, "0.vitrail")]
    program.action("set-parameter", "threshold=0.15")
    program.wait("a parameter is a step", lambda: steps(program)[-1:] == ["Threshold: 0.10 OD → 0.15 OD"])
    states.append(state(program, "1.vitrail"))
    check(press(display, program, "d", "step") == "Objects hidden", "a layer that is hidden by a key is one")
    states.append(state(program, "2.vitrail"))
    program.click(display, "Show Labels")
    program.wait("and one that is shown by its button", lambda: steps(program)[-1:] == ["Labels shown"])
    display.do("mousemove", canvas[0], canvas[1] + 100)
    program.settle(0.5)
    states.append(state(program, "3.vitrail"))
    display.do("key", "r", "mousemove", canvas[0] - 50, canvas[1] - 50, "mousedown", 1, "mousemove", canvas[0], canvas[1], "mousemove", canvas[0] + 50,
               canvas[1] + 50, "mouseup", 1, "key", "Escape")
    program.wait("a region is drawn", lambda: steps(program)[-1:] == ["ROI 1 added"])
    program.action("texture-settings")
    program.wait("another analysis is a step", lambda: "→" in steps(program)[-1])
    program.settle(0.5)
    palette(display, program)
    check("→" in steps(program, True)[-1], f"which takes back the choice of the analysis {steps(program, True)[-1:]}")
    check(state(program, "4.vitrail") == states[3], "analysis, parameters and layers are as before")
    check(press(display, program, "ctrl+z", "step-back") == "ROI 1 added", "then the region goes")
    for wanted, title in ((2, "Labels shown"), (1, "Objects hidden"), (0, "Threshold: 0.10 OD → 0.15 OD")):
        check(press(display, program, "ctrl+z", "step-back") == title, f"Ctrl+Z: {title}")
        check(state(program, f"back-{wanted}.vitrail") == states[wanted], "all as it was")
    display.do("key", "ctrl+z")
    program.settle(0.5)
    check(len(steps(program, True)) == 5, "and there is nothing more to undo")
    for wanted, title in ((1, "Threshold: 0.10 OD → 0.15 OD"), (2, "Objects hidden"), (3, "Labels shown")):
        check(press(display, program, "ctrl+shift+z", "step") == title, f"Ctrl+Shift+Z: {title}")
        check(state(program, f"again-{wanted}.vitrail") == states[wanted], "all as it was then")
    program.end()
    finish()


def palette(display, program):
    """It says what Undo would take back, and does it."""
    display.do("key", "ctrl+k")
    program.wait("Ctrl+K opens the palette", lambda: program.labels("Undo: "))
    display.do("type", "undo")
    program.settle(0.5)
    display.picture("palette")
    count = len(program.events("step-back"))
    display.do("key", "Return")
    program.wait_more("step-back", count, "its first row undoes")
    program.settle(0.5)


if __name__ == "__main__":
    main()
