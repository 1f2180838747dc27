# SPDX-License-Identifier: MIT
"""No pointer at all: a rectangle and a polygon are drawn, analysed, walked through in the table, a gate is made, similar objects are found,
the texture browser is opened, the session saved, and regions undone, by keys alone. What a screen reader is told is asked of AT-SPI.
usage: keys.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import re
import sys

from desk import TMP, Display, Program, check, demo_slide, finish, need

APP, _, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


class Keys:
    def __init__(self, display, program):
        self.display, self.program = display, program

    def press(self, *keys):
        self.display.do(*[word for key in keys for word in ("key", key)])

    def focus(self, wanted, what):
        """What has the keyboard, as role and name."""
        def has():
            words = self.program.accessible("--focused").stdout.strip().split(" ", 3)
            return len(words) == 4 and f"{words[0]} {words[3]}".startswith(wanted)
        return self.program.wait(f"the keyboard is at {wanted}: {what}", has)

    def expect(self, kind, what, *keys):
        count = len(self.program.events(kind))
        self.press(*keys)
        return self.program.wait_more(kind, count, what)


def regions(keys):
    """A corner at the middle of the view, under which the arrows move the slide by 64 pixels."""
    program = keys.program
    keys.press("i")
    program.wait("without a tool it says what to do", lambda: program.labels("Choose a tool first"))
    keys.expect("roi-added", "two corners are a rectangle", "r", "i", "Right", "Right", "Down", "i")
    line = program.wait_more("measures", 0, "which is measured").split()
    check(float(line[3]) == 128 * 64 / 4 and float(line[4]) == (128 + 64), f"of the size that the arrows went {line}")
    keys.press("i", "i")
    program.wait("two corners at one place are none", lambda: program.labels("no area between them"))
    keys.expect("roi-added", "Return closes a polygon", "p", "i", "Right", "i", "Down", "i", "Return")
    program.wait("a triangle", lambda: [float(e.split()[3]) for e in program.events("measures")][-1:] == [64 * 64 / 2 / 4])
    keys.display.picture("regions")


def table(keys):
    program = keys.program
    keys.expect("run-done", "G and F5 run on the regions", "g", "F5")
    n = int(program.events("shown")[-1].split()[4])
    check(n > 10, f"{n} objects lie in them")
    keys.expect("table-objects", "Shift+T opens the table", "shift+t")
    program.settle(0.3)
    keys.press("F6")
    keys.focus("table-row", "F6 goes to it from the slide")
    row = keys.expect("selected", "Down goes to the next row, and selects its object", "Down")
    check(row.split()[1] not in ("none", "0"), row)
    keys.focus("table-row Object ", "the row, which has a name")
    for key, wanted in (("alt+Page_Down", "0 rising"), ("alt+Page_Down", "1 rising"), ("alt+Home", "1 falling"), ("alt+Page_Up", "0 rising")):
        check(keys.expect("table-sorted", f"{key} sorts", key) == "table-sorted " + wanted, f"by {wanted} {program.events('table-sorted')[-1:]}")
    keys.focus("table-row Object ", "the rows keep the keyboard")
    keys.press("Tab")
    program.wait("Tab leaves the rows at once", lambda: "table-row" not in (program.accessible("--focused").stdout or "table-row"))
    keys.press("shift+Tab")
    keys.focus("table-row Object ", "and comes back to them")
    keys.press(*["shift+Tab"] * 6)
    keys.focus("text Filter of the objects", "what stands above the rows")
    keys.display.do("type", "area > 30")
    program.wait("a filter", lambda: program.labels(f" of {n} objects"))
    keys.press("alt+g")
    program.wait("a gate is made of it", lambda: program.events("gates-drawn")[-1:] == ["gates-drawn 1"])
    keys.press("shift+F6")
    keys.focus("image Slide", "Shift+F6 goes back")
    return n


def rest(keys, n):
    program, session = keys.program, TMP / "a.vitrail"
    keys.press("greater")
    similar = keys.expect("similar", "Shift+Y finds similar objects", "shift+y")
    check(0 < int(similar.split()[1]) <= n, similar)
    keys.expect("texture-now", "Alt+T opens the texture browser", "alt+t")
    keys.display.picture("texture")
    heard = set(program.accessible("--all").stdout.splitlines())
    for role_and_name in ("image Slide", "push-button Run", "text Filter of the objects", "page-tab Objects",
                          "label Area µm²", "level-bar", "image Run lengths of A", "label Analysis"):
        check(any(line.startswith(role_and_name) for line in heard), f"a screen reader hears: {role_and_name}")
    check(len({line for line in heard if re.fullmatch(r"label \d+\.\d", line)}) > 10, "and the cells of the table: centroids")
    check(heard & {"push-button Draw a rectangular region", "toggle-button Draw a rectangular region"}, "and the tools, which GTK 4.18 calls toggle buttons")
    keys.press("ctrl+s")
    program.wait("Ctrl+S asks for a name", lambda: program.labels("Name:"))
    keys.display.do("key", "ctrl+a", "type", session)
    keys.expect("session-saved", "Return saves the session", "Return")
    kept = json.dumps(json.loads(session.read_text())["tabs"])
    check("ROI 1" in kept and "ROI 2" in kept and "Gate 1" in kept, "with both regions and the gate")
    keys.press("alt+t", "ctrl+z", "ctrl+z", "ctrl+z")
    program.wait("Ctrl+Z takes gate and regions back", lambda: program.events("table")[-1:] == ["table 0-rows"])


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session")
    slide = demo_slide(DEMO)
    display = Display("vitrail-keys")
    program = Program(display, APP, "--op", "nuclei-threshold", "--zoom", "20", "--centre", "1000,1000", slide)
    program.wait("the slide is shown", lambda: program.events("sharp"))
    keys = Keys(display, program)
    keys.focus("image Slide", "at first")
    regions(keys)
    rest(keys, table(keys))
    program.end()
    finish()


main()
