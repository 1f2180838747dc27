# SPDX-License-Identifier: MIT
"""A user without a plan: actions, keys, clicks and drags drawn at random, in any state of the window. Whatever comes, the program
lives, answers, complains about nothing, and every run ends.
usage: chance.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR [SEED [STEPS]]; a failure prints the last steps"""
import collections
import os
import pathlib
import random
import sys
import time

from desk import SLOW, TMP, Display, Program, check, demo_slide, finish, need

APP, _, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 20
STEPS = int(sys.argv[5]) if len(sys.argv) > 5 else 250
WIDTH, HEIGHT = 1300, 850
PATIENCE = 20 * SLOW  # s until it has to answer
MOST_THREADS = 48
NAME, PATH = "io.github.vitrail.Vitrail", "/io/github/vitrail/Vitrail/window/1"
KEYS = ["Escape", "Return", "Tab", "shift+Tab", "space", "Delete", "BackSpace", "Left", "Right", "Up", "Down", "Home", "End", "Page_Up",
        "F5", "F6", "F9", "F10", "ctrl+z", "ctrl+shift+z", "ctrl+Tab", "ctrl+a", "Menu"]
SETTINGS = ["min-score=0.6", "max-area=200", "max-area=-1", "nonsense", "=", "", "min-score=", "min-score=NaN", "x=1", "opening=3", "radius=1e9"]


class Answers:
    """The window's actions over the session bus."""

    def __init__(self, program):
        from gi.repository import Gio
        self.bus = Gio.DBusConnection.new_for_address_sync(
            program.env["DBUS_SESSION_BUS_ADDRESS"],
            Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)

    def call(self, method, values=None):
        from gi.repository import Gio
        return self.bus.call_sync(NAME, PATH, "org.gtk.Actions", method, values, None, Gio.DBusCallFlags.NONE, int(PATIENCE * 1000), None)

    def describe(self):
        """Name: (enabled, parameter type)"""
        return {name: (enabled, kind) for name, (enabled, kind, _) in self.call("DescribeAll").unpack()[0].items()}

    def activate(self, name, kind, value):
        from gi.repository import GLib
        values = [GLib.Variant(kind, value)] if kind else []
        self.call("Activate", GLib.Variant("(sava{sv})", (name, values, {})))


class Wandered(Program):
    def complaints(self):
        """Not GTK's warnings: of lists whose rows change between press and release, or before they are laid out, it says that it
        miscounted presses, or scrolled nowhere."""
        return [l for l in super().complaints() if "Gtk-WARNING" not in l]


class Chance:
    def __init__(self, display, program, rng):
        self.display, self.program, self.rng = display, program, rng
        self.answers = Answers(program)
        self.last = collections.deque(maxlen=25)
        self.files = [path.as_uri() for path in (TMP / "demo.svs", TMP / "broken.svs", TMP / "gone.svs", TMP / "notes.txt")]

    def value(self, name, kind):
        rng = self.rng
        if kind == "s":
            known = {"open-uri": self.files, "set-parameter": SETTINGS, "tool": ["hand", "rectangle", "spoon"],
                     "run-on": ["view", "regions", "slide", "moon"]}
            return rng.choice(known.get(name, [str(TMP / "out" / f"{rng.randrange(4)}.csv"), "", "/", "no/such/place", "stain"]))
        if kind in ("i", "u"):
            return rng.choice([1, 2, 4, 0, 3, 2 ** 31 - 1] + ([-1] if kind == "i" else []))
        if kind == "d":
            return rng.choice([0.0, 1.0, -90.0, 15.0, 40.0, 1e300, -1e300, float("nan"), float("inf")])
        return {"b": rng.random() < 0.5, "(dd)": (rng.uniform(-100, 9000), rng.uniform(-100, 9000))}.get(kind)

    def act(self):
        actions = self.answers.describe()
        name = self.rng.choice(sorted(actions))
        enabled, kind = actions[name]
        if name == "close-tab" and self.rng.random() < 0.7:
            return None
        value = self.value(name, kind)
        if kind and value is None:
            return None
        self.last.append(f"{name} {value if kind else ''} {'' if enabled else '(off)'}")
        self.answers.activate(name, kind, value)
        return name

    def point(self):
        x, y = self.rng.randrange(4, WIDTH - 4), self.rng.randrange(60, HEIGHT - 4)
        u, v = min(max(x + self.rng.randrange(-200, 200), 4), WIDTH - 4), min(max(y + self.rng.randrange(-200, 200), 60), HEIGHT - 4)
        how = self.rng.choice([("click", 1), ("click", 1), ("click", 3), ("click", "--repeat", 2, "--delay", 40, 1), ("click", 4), ("click", 5),
                               ("mousedown", 1, "mousemove", u, v, "sleep", 0.02, "mouseup", 1)])
        self.last.append(f"pointer {x} {y} {how}")
        self.display.do("mousemove", x, y, "sleep", 0.01, *how)

    def press(self):
        key = self.rng.choice(KEYS) if self.rng.random() < 0.5 else self.rng.choice("abcdefghlmnprstuvwxy0123456789")
        self.last.append(f"key {key}")
        self.display.do("key", key)

    def come_back(self):
        """Out of dialogs, to a slide with an analysis: else most of the way leads through menus."""
        self.last.append("come back")
        self.display.do("key", "Escape", "key", "Escape", "key", "Escape")
        self.answers.activate("open-uri", "s", self.files[0])

    def step(self):
        self.rng.choices([self.act, self.point, self.press], [5, 3, 3])[0]()

    def look(self):
        """What must hold at any time."""
        complaints = self.program.complaints()
        if complaints:
            return f"it complains: {complaints[0]}"
        since = time.time()
        self.answers.describe()
        threads = len(os.listdir(f"/proc/{self.program.process.pid}/task"))
        if threads > MOST_THREADS:
            return f"{threads} threads"
        return f"it answered after {time.time() - since:.1f} s" if time.time() - since > PATIENCE / 2 else None


def wander(chance):
    for i in range(STEPS):
        try:
            (chance.step if i % 40 else chance.come_back)()
            wrong = chance.look() if i % 5 == 4 else None
        except Exception as error:  # pylint: disable=broad-except
            wrong = f"{error}"
        if wrong:
            time.sleep(1)
            if chance.program.process.poll() == 0:  # a click on "Quit", or on the window's cross
                check(not chance.program.complaints(), f"seed {SEED}: it was closed at step {i}")
                return
            chance.program.err.seek(0)
            print("\n".join(["# the last steps:", *("#   " + step for step in chance.last), chance.program.err.read()[-3000:]]))
            check(False, f"seed {SEED}, step {i}: {wrong}, status {chance.program.process.returncode}")
            return
    check(runs_end(chance.program), f"seed {SEED}: {STEPS} steps, and every run ends")
    check(chance.look() is None, "at the end it lives and answers")
    chance.program.end()


def runs_end(program):
    program.settle()
    ended = {event.split()[1] for event in program.events() if event.startswith(("run-done", "run-cancelled", "error"))}
    return {event.split()[1] for event in program.events("run-start")} <= ended


def main():
    need("Xvfb", "xdotool", "dbus-run-session", "gdbus")
    demo_slide(DEMO, 1024)
    (TMP / "broken.svs").write_bytes((TMP / "demo.svs").read_bytes()[:4000])
    (TMP / "notes.txt").write_text("no slide")
    (TMP / "out").mkdir()
    os.chdir(TMP)  # names without a folder are files of the program's own folder
    display = Display("vitrail-chance", WIDTH, HEIGHT)
    program = Wandered(display, APP, "--op", "nuclei-threshold", "--live", TMP / "demo.svs")
    program.wait("a slide is analysed", lambda: program.events("run-done"))
    chance = Chance(display, program, random.Random(SEED))
    wander(chance)
    finish()


main()
