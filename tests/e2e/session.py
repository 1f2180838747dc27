# SPDX-License-Identifier: MIT
"""Session files: saved, opened, moved; what a killed program had open is offered and comes back as it was.
usage: session.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import shutil
import sys
import time

from desk import SLOW, TMP, Display, Program, check, demo_slide, differing_pixels, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
STATE, CRASHED = TMP / "state", TMP / "crashed"
CANVAS = "980x370+10+60"  # without the minimap, the times that runs took, and toasts


def arrange(display, program):
    """A view, a region, a parameter, a layer that no default has."""
    program.wait("the slide is sharp", lambda: program.events("sharp"))
    display.do("mousemove", 450, 450, "key", "alt+4")
    program.settle(0.3)
    display.do("key", "ctrl+r")
    program.settle(0.3)
    display.do("mousemove", 450, 450, "click", 1)
    program.settle(0.3)
    display.do("key", "r", "mousemove", 350, 250, "mousedown", 1)
    for step in range(1, 9):
        display.do("mousemove", 350 + 20 * step, 250 + 12 * step)
        time.sleep(0.03)
    display.do("mouseup", 1)
    program.wait("a region is drawn", lambda: program.events("roi-added"))
    display.do("key", "Escape")
    program.action("set-parameter", "threshold=0.23")
    program.wait("a run with another threshold ends", lambda: program.events("run-done"))
    program.click(display, "Show Mask")
    run_again(display, program)  # it was no part of a run that took long
    program.wait("the mask is shown", lambda: "mask" in program.events("layers")[-1])
    at_rest(display, program)


def at_rest(display, program):
    display.do("mousemove", 3, 300)
    program.settle(0.7)


def run_again(display, program):
    """Results are not kept: Run makes them."""
    count = len(program.events("run-done"))
    display.do("mousemove", 450, 300, "key", "F5")
    program.wait_more("run-done", count, "what was restored runs")
    at_rest(display, program)


def same(display, program, before, name):
    run_again(display, program)
    after = display.picture(name)
    differing = differing_pixels(before, after, CANVAS)
    check(differing == 0, f"{name}: the picture is as it was: {differing:.0f} pixels differ")


def saved_and_opened(display, slide):
    program = Program(display, APP, "--op", "nuclei-threshold", slide, XDG_STATE_HOME=str(STATE))
    arrange(display, program)
    before = display.picture("before")
    file = TMP / "there" / "tissue.vitrail"
    file.parent.mkdir()
    program.action("save-session-to", file)
    program.wait("the session is saved", lambda: program.events("session-saved"))
    session = json.loads(file.read_text())
    view = session["tabs"][0]["views"][0]
    check(view["slide"] == "../demo.svs" and len(view["hash"]) == 64, "it names the slide from where it lies, and its hash")
    check(view["regions"][0]["saved"] is True and view["op"] == "nuclei-threshold", "and holds region and analysis")
    display.do("key", "ctrl+q")
    program.process.wait(20 * SLOW)
    check(program.process.returncode == 0, "a region that the session has is asked about no more")
    check(not list(STATE.glob("vitrail/open-*")), "a program that ends leaves nothing to be restored")
    program = Program(display, APP, file, XDG_STATE_HOME=str(STATE))
    program.wait("the session opens", lambda: program.events("session-restored") == ["session-restored 1"])
    program.wait("its slide is sharp", lambda: program.events("sharp"))
    same(display, program, before, "reopened")
    program.end()
    return file, before


def moved(display, file):
    """With its slide beside it in another place; alone; with another slide in its place; of a newer program."""
    other = TMP / "other"
    (other / "there").mkdir(parents=True)
    shutil.copy(TMP / "demo.svs", other / "demo.svs")
    copy = shutil.copy(file, other / "there" / "tissue.vitrail")
    program = Program(display, APP, copy)
    program.wait("moved with its slide it opens that", lambda: any(str(other) in e for e in program.events("slide-open")))
    program.end()
    demo_slide(DEMO, 1024, other)
    program = Program(display, APP, copy)
    program.wait("another slide in its place is told", lambda: any("is not the file that it was" in e for e in program.events("error")))
    program.end()
    text = file.read_text()
    for name, broken, words in (("newer", text.replace('"vitrail-session": 1', '"vitrail-session": 2'), "version 2"),
                                ("unknown", text.replace('"linked"', '"tied"'), "“tied” is not known"),
                                ("gone", text.replace("../demo.svs", "nowhere.svs").replace("demo.svs", "none.svs"), "no such file")):
        bad = other / (name + ".vitrail")
        bad.write_text(broken)
        program = Program(display, APP, bad)
        program.wait(f"{name}: told", lambda: any(words in e for e in program.events("error")))
        if name == "gone":
            program.action("save-session")
            time.sleep(SLOW)
            check(bad.read_text() == broken and not program.events("session-saved"), "what could not be restored is not saved away")
            display.do("key", "Escape")
        program.end()


def shared(display, file):
    """Two programs have one session: the second to save asks before it replaces what the first one saved."""
    program = Program(display, APP, file)
    program.wait("the session opens", lambda: program.events("session-restored"))
    program.settle()
    program.action("save-session")
    program.wait("nobody else has saved: so it is saved", lambda: program.events("session-saved"))
    theirs = file.read_text() + " "
    file.write_text(theirs)
    program.action("save-session")
    program.wait("somebody else has: so it asks", lambda: any("which is not as this window left it" in e for e in program.events("asks")))
    time.sleep(0.5 * SLOW)
    display.picture("shared")
    display.do("key", "Return")
    program.wait("both are kept", lambda: program.events("session-saved")[-1].endswith("tissue-2.vitrail"))
    check(file.read_text() == theirs, "theirs is as it was")
    program.action("save-session")
    program.wait("and from then on the new one is saved", lambda: len(program.events("session-saved")) == 3)
    program.end()


def killed(display, slide):
    program = Program(display, APP, "--op", "nuclei-threshold", slide, XDG_STATE_HOME=str(CRASHED))
    arrange(display, program)
    before = display.picture("before-kill")
    program.kill()
    left = list(CRASHED.glob("vitrail/open-*.vitrail"))
    check(len(left) == 1, f"a killed program leaves its session {left}")
    program = Program(display, APP, XDG_STATE_HOME=str(CRASHED))
    program.wait("the next start offers it", lambda: program.events("restore-offered") == ["restore-offered 1"])
    time.sleep(0.7 * SLOW)
    display.picture("offered")
    program.end()
    program = Program(display, APP, XDG_STATE_HOME=str(CRASHED))
    program.wait("the window is there", lambda: program.place("Open the Demo Slide"))
    time.sleep(SLOW)
    check(not program.events("restore-offered"), "what was overlooked is not offered twice")
    program.action("restore-last")
    program.wait("but the menu has it", lambda: program.events("session-restored") == ["session-restored 1"])
    program.wait("its slide is sharp", lambda: program.events("sharp"))
    same(display, program, before, "restored")
    program.wait("the journal is there", lambda: list(CRASHED.glob("vitrail/open-*.vitrail")))
    program.end()
    check(list(CRASHED.glob("vitrail/open-*.vitrail")), "a program that was told to end with a region in no file leaves that")


def main():
    need("Xvfb", "xdotool", "import", "compare", "dbus-run-session", "gdbus")
    slide = demo_slide(DEMO)
    display = Display("vitrail-session")
    file, _ = saved_and_opened(display, slide)
    moved(display, file)
    shared(display, file)
    killed(display, slide)
    finish()


if __name__ == "__main__":
    main()
