# SPDX-License-Identifier: MIT
"""The strip of an analysis's stages, driven by real pointer and key events: thumbnails, times, one stage alone, all up to one, the bare
slide. Pictures are kept beside the test.
usage: rail.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import pathlib
import subprocess
import sys

from desk import TMP, Display, Program, check, differing_pixels, finish, need

APP, _, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
STAGES = "hematoxylin,background,residue,mask,filled,distance,seeds,labels,objects".split(",")  # and "certain", which is on no way to another one


def layers(program):
    """What is seen and there."""
    events = program.events("layers")
    return events[-1].split(" ", 1)[1] if events else ""


def info(program, stage):
    lines = [e.split(" ", 2)[2] for e in program.events("stage-info") if e.split()[1] == stage]
    return lines[-1] if lines else ""


def opened(display, program):
    """Every stage has a picture and says what it took."""
    display.do("key", "S")
    program.wait("every stage has a picture", lambda: {e.split()[1] for e in program.events("thumbnail")} == set(STAGES), 40)
    program.settle()
    check(info(program, "certain").startswith("not made"), "what is certain is not worked out for it: " + info(program, "certain"))
    check(layers(program) == "objects", f"the layers are as before: {layers(program)}")
    check(all(info(program, s).endswith(("local", "spreads", "sums up")) for s in STAGES),
          "each says how far it reaches: " + "; ".join(f"{s} {info(program, s)}" for s in STAGES))
    display.picture("open")


def parameter(display, program):
    """A parameter far down makes only what depends on it; what is above was kept."""
    runs = len(program.events("run-done"))
    thumbnails = len(program.events("thumbnail"))
    x, y = program.find("Reset Threshold")[:2]
    display.do("mousemove", x + 36, y, "click", 1, "key", "ctrl+a", "type", "0.2")
    display.do("key", "Return")
    program.wait_more("run-done", runs, "another run")
    program.wait_more("thumbnail", thumbnails, "and other pictures")
    program.settle()
    check(info(program, "background").startswith("kept"), "what does not depend on the parameter was kept: " + info(program, "background"))
    check(not info(program, "mask").startswith("kept"), "what does was made again: " + info(program, "mask"))


def click(display, program):
    program.click(display, "Stage 6 Distance")
    program.wait("a click: this stage alone", lambda: layers(program) == "distance")
    program.settle()
    display.picture("alone")
    display.do("mousemove", 450, 300, "mousemove", 460, 300, "sleep", 1)
    program.click(display, "Stage 6 Distance")
    program.wait("a click again: all as before", lambda: layers(program) == "objects")


def double_click(display, program):
    x, y = program.find("Stage 4 Mask")[:2]
    for wanted, what in (("stages-up-to mask", "a double click: all up to here"), ("stages-up-to none", "again: all as before")):
        display.do("mousemove", x, y, "sleep", 1, "click", "--repeat", 2, "--delay", 60, 1)
        program.wait(what, lambda: program.events("stages-up-to")[-1:] == [wanted])
        program.settle()
        shown = ",".join(STAGES[:4]) if wanted.endswith("mask") else "objects"
        program.wait(f"{shown} are shown", lambda: layers(program) == shown)
        display.picture(wanted.replace(" ", "-"))


def keys(display, program):
    display.do("mousemove", 450, 300)
    display.do("key", "bracketleft")
    program.wait("[ goes round to the last stage", lambda: layers(program) == "certain")
    display.do("key", "bracketright")
    program.wait("] after it: all as before", lambda: layers(program) == "objects")
    display.do("key", "u")
    program.wait("U with no stage alone says what to do", lambda: program.labels("Look at one stage alone first"))
    for stage in STAGES[:3]:
        display.do("key", "bracketright")
        program.wait(f"] walks to {stage}", lambda: layers(program) == stage)
    display.do("key", "u")
    program.wait("U: all up to it", lambda: layers(program) == ",".join(STAGES[:3]))
    display.do("key", "u")
    program.wait("and back", lambda: layers(program) == "objects")
    place = program.find("Stage 2 Background")
    check(place is not None, "a screen reader finds a tile by its name")


def bare(display, program):
    display.do("mousemove", 440, 300, "sleep", 0.2, "mousemove", 450, 300)
    program.settle()
    before = display.picture("before")
    display.do("keydown", "s")
    program.wait("S is held: the bare slide", lambda: program.events("bare")[-1:] == ["bare 1"])
    program.settle()
    check(differing_pixels(before, display.picture("bare")) > 20000, "nothing lies over it")
    display.do("keyup", "s")
    program.wait("and let go", lambda: program.events("bare")[-1:] == ["bare 0"])
    program.settle()
    check(differing_pixels(before, display.picture("after")) < 5000, "all is as before")  # the strip's scroll bar comes and goes


def stale(display, program):
    """What is out of date looks it."""
    display.do("key", "l")
    program.settle()
    x, y = program.find("Reset Threshold")[:2]
    display.do("mousemove", x + 36, y, "click", 1, "key", "ctrl+a", "type", "0.3")
    display.do("key", "Return")
    program.wait("stages say that they are out of date", lambda: all(info(program, s) == "out of date" for s in STAGES))
    program.settle()
    display.picture("stale")


def closed(display, program):
    program.action("stages")
    program.settle()
    check(not program.place("Stage 1 Hematoxylin"), "the strip is closed")


def main():
    need("Xvfb", "xdotool", "import", "compare", "dbus-run-session", "gdbus")
    slide = TMP / "demo.svs"
    subprocess.run([str(DEMO), str(slide), "--size", "2048"], check=True, stdout=subprocess.DEVNULL)
    display = Display("vitrail-rail")
    program = Program(display, APP, "--op", "nuclei", "--live", "--zoom", "20", slide)
    program.wait("live analysis comes to an end", lambda: program.events("run-done"), 40)
    program.settle()
    opened(display, program)
    parameter(display, program)
    click(display, program)
    double_click(display, program)
    bare(display, program)
    keys(display, program)
    stale(display, program)
    closed(display, program)
    program.end()
    finish()


if __name__ == "__main__":
    main()
