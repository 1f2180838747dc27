# SPDX-License-Identifier: MIT
"""Replays in the real window with real keys and clicks: a stage is played, scrubbed and stepped, its end is the result, marks are gone to, a click
shows where a value came from; what is out of date says so and is made again; a plugin in a process of its own tells the same.
usage: wavefront.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import pathlib
import subprocess
import sys

from desk import Display, Program, check, demo_slide, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def begin(display, slide, **env):
    program = Program(display, APP, "--op", "nuclei-threshold", "--live", "--zoom", "20", "--centre", "1000,1000", slide, **env)
    program.wait("the slide is analysed", lambda: program.events("run-done"))
    program.settle(0.5)
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1])
    return program, canvas


def open_wave(display, program, what, *do):
    before = len(program.events("player-wave"))
    display.do(*do)
    line = program.wait_more("player-wave", before, what)
    return line.split()[1:] if line else [""] * 10


def shown(program):
    return int(program.events("player-shown")[-1].split()[1])


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    slide = demo_slide(DEMO)
    display = Display("vitrail-wavefront")
    program, canvas = begin(display, slide)
    display.do("key", "alt+p")
    program.wait("without a replay there is nothing to play", lambda: any("Nothing is played" in e for e in program.events("error")))
    wave = open_wave(display, program, "Shift+A plays what is seen", "key", "shift+a")
    check(wave[0] == "labels" and wave[1] == "3", f"the objects come of a watershed {wave}")
    check(wave[5] == "0", "its end is the result")
    check(bool(program.labels("The end equals the result: yes")) and bool(program.labels("Replay, not a result")), "which the bar says")
    beside(display, program)
    play(display, program, int(wave[2]))
    way(display, program, canvas)
    stale(display, program, canvas)
    others(display, program, slide, wave)
    finish()


def beside(display, program):
    """Of two views the frame of the active one does not shine through the bar."""
    display.do("key", "ctrl+2")
    program.settle(0.5)
    place = program.find("Close the replay")
    picture = display.picture("beside")
    out = subprocess.run(["convert", str(picture), "-crop", f"1x1+{place[0]}+{place[3] - 2}", "-format", "%[fx:int(255*abs(u.r-u.b))]", "info:"],
                         capture_output=True, text=True, check=True).stdout
    check(int(out) < 12, f"the bar is as grey as the window, and not blue {out}")
    display.do("key", "ctrl+1")
    program.settle(0.5)


def play(display, program, n_ticks):
    program.wait("it begins at the beginning", lambda: program.events("player-shown") and shown(program) == 0)
    display.do("key", "alt+period", "key", "alt+period")
    program.wait("Alt+. goes on by one", lambda: shown(program) == 2)
    display.do("key", "alt+comma")
    program.wait("Alt+, goes back", lambda: shown(program) == 1)
    display.do("key", "alt+comma", "key", "alt+comma")
    program.wait("and no further than the beginning", lambda: shown(program) == 0)
    display.do("key", "ctrl+alt+period")
    program.wait("Ctrl+Alt+. goes to the next seeds that begin or meet", lambda: shown(program) > 0)
    at = shown(program)
    display.do("key", "alt+p")
    program.wait("Alt+P plays", lambda: shown(program) > at + 3)
    display.do("key", "alt+p")
    program.wait("and pauses", lambda: program.events("player-playing")[-1] == "player-playing 0")
    strip = program.find("Moment of the replay")
    for part, tick in ((1, n_ticks - 1), (0, 0)):
        display.do("mousemove", strip[2] + round(strip[4] * part) - (2 if part else -2), strip[3] + strip[5] + 20, "click", 1)
        program.wait(f"a click on the strip goes to the {'end' if part else 'beginning'}", lambda: shown(program) == tick)
    display.do("key", "alt+p")
    program.wait("Alt+P plays to the end", lambda: shown(program) == n_ticks - 1)
    program.wait("and stops there", lambda: program.events("player-playing")[-1] == "player-playing 0")
    display.picture("end")


def way(display, program, canvas):
    display.do("mousemove", canvas[0], canvas[1])
    for dx in range(0, 200, 9):  # until a pixel of a nucleus is met
        before = len(program.events("player-way"))
        display.do("mousemove", canvas[0] + dx, canvas[1], "sleep", 0.1, "click", 1, "sleep", 0.4)
        if len(program.events("player-way")) > before:
            break
    check(bool(program.events("player-way")), "a click shows the way to the seed")
    check(bool(program.labels("steps to its seed")), "which the bar says")
    display.picture("way")


def stale(display, program, canvas):
    program.action("set-parameter", "seed-depth=0.7")
    program.wait("another parameter puts it out of date", lambda: program.events("player-old"))
    check(bool(program.labels("Out of date")), "which the bar says")
    before = len(program.events("player-wave"))
    program.click(display, "Make Again")
    program.wait_more("player-wave", before, "its button makes it again")
    program.settle(0.5)
    display.do("mousemove", canvas[0], canvas[1], "key", "0")
    program.wait("more is seen than it is of, and it says so", lambda: program.events("player-beside") and program.events("player-beside")[-1].endswith("1"))
    display.do("key", "1")
    program.settle(0.5)



def region(display, program):
    """With a region selected the replay is of its rectangle, whatever is seen, and its end is the result there, too."""
    canvas = program.find("Slide")
    x, y = canvas[0], canvas[1]
    count = len(program.events("roi-added"))
    display.do("key", "shift+a")
    display.do("mousemove", x - 60, y - 60, "key", "r", "sleep", 0.3, "mousedown", 1)
    for step in range(1, 11):
        display.do("mousemove", x - 60 + 20 * step, y - 60 + 12 * step)
    display.do("mouseup", 1, "key", "Escape")
    program.wait_more("roi-added", count, "a region is drawn")
    program.settle(0.5)
    program.click(display, "ROI 1")
    program.settle(0.5)
    wave = open_wave(display, program, "it is played", "key", "shift+a")
    check(program.events("player-open")[-1].endswith(" in ROI 1"), f"by its name {program.events('player-open')[-1]}")
    width, height = (int(n) for n in wave[3].split("x"))
    check(abs(width - 200) <= 2 and abs(height - 120) <= 2 and wave[5] == "0", f"its rectangle, and its end is the result {wave}")
    check(bool(program.labels(" of 8 tiles")), "the bar says how many tiles are at work")
    beside = len(program.events("player-beside"))
    display.do("mousemove", x, y, "key", "0")
    program.settle(0.5)
    check(len(program.events("player-beside")) == beside and bool(program.labels("The end equals the result: yes")), "where one looks changes nothing")
    display.picture("region")


def others(display, program, slide, first):
    for stage, kind in (("distance", "1"), ("background", "0")):
        layer = {"distance": "Distance", "background": "Background"}[stage]
        display.do("key", "shift+a")
        program.wait("Shift+A closes it", lambda: program.events("player-closed"))
        while True:
            layers = program.events("layers")[-1]
            if layers == "layers " + stage:
                break
            display.do("key", "bracketright", "sleep", 0.3)
        program.settle(0.5)
        wave = open_wave(display, program, f"{layer} is played", "key", "shift+a")
        check(wave[:2] == [stage, kind] and wave[5] == "0", f"{layer}: its end is the result {wave}")
    display.picture("background")
    region(display, program)
    program.end()
    program, _ = begin(display, slide, VITRAIL_PLUGIN_WORKER="all")
    wave = open_wave(display, program, "a plugin in a process of its own is asked", "key", "shift+a")
    check(wave[:8] == first[:8], f"it tells the same {wave}")
    program.end()


main()
