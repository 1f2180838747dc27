# SPDX-License-Identifier: MIT
"""A display of its own, the window on it with its event log, real pointer and key events, pictures."""
import atexit
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from slides import copy_demo

SKIP = 77
SLOW = 4 if os.environ.get("VITRAIL_SANITIZED") else 1
PATIENCE = 20 * SLOW  # s in which the program has nothing to do, until what is waited for will not come
LONGEST = 240 * SLOW  # s, for what takes some of them on a machine that has nothing else to do
# By number: with newer keymaps xdotool holds Alt for a function key that it is given by name.
FUNCTION_KEYS = {f"F{n}": 66 + n for n in range(1, 11)}
TMP = pathlib.Path(tempfile.mkdtemp(prefix="vitrail-window-"))
atexit.register(shutil.rmtree, TMP, ignore_errors=True)
failures = []


def check(ok, what):
    print(("ok - " if ok else "not ok - ") + what, flush=True)
    if not ok:
        failures.append(what)
    return ok


def draw_rectangle(display, program, x, y, width=220, height=140):
    """With the pointer, on the tissue; until the table has its row."""
    count, tools = len(program.events("table")), len(program.events("tool"))
    display.do("mousemove", x, y, "key", "r")
    program.wait_more("tool", tools, "R is the tool for rectangles")
    display.do("mousemove", x, y, "mousedown", 1)
    for step in range(1, 9):
        display.do("mousemove", x + width * step // 8, y + height * step // 8)
        time.sleep(0.03)
    display.do("mouseup", 1)
    program.wait_more("table", count, "a region is drawn and measured")
    display.do("key", "Escape")


def need(*programs):
    missing = [p for p in programs if not shutil.which(p)]
    if missing:
        print("SKIP: not installed: " + ", ".join(missing))
        sys.exit(SKIP)
    try:
        import gi
        gi.require_version("Atspi", "2.0")
        gi.require_version("Gtk", "4.0")
    except (ImportError, ValueError):
        print("SKIP: not installed: the Python bindings of AT-SPI and GTK")
        sys.exit(SKIP)


def start_server(*command):
    """An X server that takes a free number itself; the display's name once it serves, None if it ends before."""
    ours, its = os.pipe()
    server = subprocess.Popen([*command, "-displayfd", str(its), "-nolisten", "tcp", "-noreset"], pass_fds=[its],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    atexit.register(server.terminate)  # killed, it would leave its lock behind
    os.close(its)
    with os.fdopen(ours) as pipe:
        number = pipe.readline().strip()
    return ":" + number if number else None


class Display:
    def __init__(self, artefacts, width=1400, height=900):
        self.artefacts = pathlib.Path(os.environ.get("VITRAIL_TEST_ARTEFACTS") or tempfile.gettempdir()) / artefacts
        self.name = start_server("Xvfb", "-screen", "0", f"{width}x{height}x24")
        if not self.name:
            sys.exit("Xvfb does not start")

    def do(self, *args):
        if args[0] == "mousemove" and "click" in args:  # as a hand comes: GTK loses the first motion after a list has closed
            x, y = args[1:3]
            args = ["mousemove", max(x - 3, 0), max(y - 3, 0), "sleep", 0.05, "mousemove", x, y, "sleep", 0.05, *args[3:]]
        args = ["+".join(str(FUNCTION_KEYS.get(key, key)) for key in str(arg).split("+")) for arg in args]
        subprocess.run(["xdotool", *args], check=True, env={**os.environ, "DISPLAY": self.name})

    def size(self, title):
        """Of a window, as xdotool tells it."""
        return subprocess.run(["xdotool", "search", "--onlyvisible", "--name", f"^{title}$", "getwindowgeometry"], check=True, capture_output=True, text=True,
                              env={**os.environ, "DISPLAY": self.name}).stdout

    def picture(self, name):
        self.artefacts.mkdir(parents=True, exist_ok=True)
        path = self.artefacts / (name + ".png")
        subprocess.run(["import", "-window", "root", "-quality", "10", str(path)], check=True,  # half the time, the same pixels
                       env={**os.environ, "DISPLAY": self.name})
        print("picture: " + str(path), flush=True)
        return path


class Program:
    """The window, with its event log."""

    def __init__(self, display, app, *args, **env):
        self.log = pathlib.Path(tempfile.mkdtemp(dir=TMP)) / "events.log"
        self.log.write_text("")
        self.err = open(self.log.with_name("stderr.log"), "w+")
        bus = subprocess.Popen(["dbus-run-session", "--", "sh", "-c", "echo $DBUS_SESSION_BUS_ADDRESS; exec cat"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.err, text=True,
                               env={**os.environ, "DISPLAY": display.name})
        atexit.register(bus.stdin.close)
        self.env = {**os.environ, "DISPLAY": display.name, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo",
                    "GSETTINGS_BACKEND": "memory", "XDG_DATA_HOME": str(TMP), "VITRAIL_TEST_LOG": str(self.log),
                    "DBUS_SESSION_BUS_ADDRESS": bus.stdout.readline().strip(), "LC_ALL": "C.UTF-8",
                    "XDG_CONFIG_HOME": str(self.log.parent), "XDG_STATE_HOME": str(self.log.parent),
                    "GSETTINGS_SCHEMA_DIR": str(pathlib.Path(app).resolve().parents[2] / "data"),
                    "GTK_PATH": str(pathlib.Path(app).resolve().parents[2] / "tests" / "support"), **env}  # witness.c, for place() and labels()
        self.env.pop("WAYLAND_DISPLAY", None)
        self.process = subprocess.Popen([str(app), *map(str, args)], env=self.env, stdout=self.err, stderr=self.err)
        atexit.register(self.process.kill)
        self.bus = None

    def events(self, kind=None):
        """Whole lines only: a reader sees the first half of one that is written across a page's end."""
        text = self.log.read_text(errors="replace")
        lines = text[:text.rfind("\n") + 1].splitlines()
        return [l for l in lines if kind is None or l.split(" ")[0] == kind]

    def wait(self, what, condition, patience=PATIENCE):
        """The first true value of condition(); a failed check and None if none comes, though the program is idle, or in LONGEST."""
        idle, now, end = 0, time.time(), time.time() + LONGEST
        while idle < patience and now < end:
            value = condition()
            if value:
                check(True, what)
                return value
            if self.process.poll() is not None:
                self.err.seek(0)
                print(self.err.read()[-3000:])
                sys.exit(f"the program ended with status {self.process.returncode} while waiting: {what}")
            time.sleep(0.05)
            before, now = now, time.time()
            idle += 0 if self.is_at_work() else now - before
        check(False, what)
        return None

    def wait_more(self, kind, count, what, patience=PATIENCE):
        """Waits until there are more than `count` events of a kind; the last one."""
        return self.wait(what, lambda: len(self.events(kind)) > count and self.events(kind)[-1], patience)

    def is_at_work(self):
        """Whether it, or a process of its own that reads slides, has a thread that runs or waits for a processor. Without /proc nobody can tell."""
        try:
            for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
                children = (task / "children").read_text().split() if (task / "children").exists() else []
                for stat in [task / "stat", *(path for child in children for path in pathlib.Path(f"/proc/{child}/task").glob("*/stat"))]:
                    if stat.read_text().rpartition(")")[2].split()[0] in "RD":
                        return True
        except OSError:  # one of them has just ended
            pass
        return False

    def settle(self, quiet=1.0):
        """Until nothing new has been logged for so many seconds, the last run has ended, and it hardly worked meanwhile: on a busy machine what was
        asked for may come seconds later."""
        last, since, busy = None, time.time(), []
        end = time.time() + LONGEST
        while time.time() < end:
            now = self.events()
            if now != last:
                last, since = now, time.time()
            busy = [*busy, self.is_at_work()][-10:]
            starts = [e.split()[1] for e in now if e.startswith("run-start")]
            ends = [e.split()[1] for e in now if e.startswith(("run-done", "run-cancelled", "error"))]
            if time.time() - since > quiet * SLOW and sum(busy) < 5 and len(busy) == 10 and (not starts or starts[-1] in ends):
                return
            time.sleep(0.05)

    def activate(self, path, name, *args):
        """An action over the session bus, as another program would call it."""
        from gi.repository import Gio, GLib
        if not self.bus:
            flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
            self.bus = Gio.DBusConnection.new_for_address_sync(self.env["DBUS_SESSION_BUS_ADDRESS"], flags, None, None)
            self.bus.set_exit_on_close(False)
        values = GLib.Variant("(sava{sv})", (name, [GLib.Variant("s", str(a)) for a in args], {}))
        self.bus.call_sync("io.github.vitrail.Vitrail", "/io/github/vitrail/Vitrail" + path, "org.gtk.Actions", "Activate", values,
                           None, Gio.DBusCallFlags.NONE, 1000 * LONGEST, None)

    def action(self, name, *args):
        """Of the window."""
        self.activate("/window/1", name, *args)

    def ask(self, question, what, answer):
        """The lines that the program logs up to its answer."""
        from gi.repository import GLib
        count, end = len(self.events()), time.time() + LONGEST
        try:
            self.activate("", question, what)
        except GLib.Error:  # it is not on the bus yet, or no more
            return []
        while time.time() < end:
            lines = self.events()[count:]
            if any(line.split(" ")[0] == answer for line in lines):
                return lines
            time.sleep(0.01)
        return []

    def accessible(self, *args):
        return subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name("accessible.py")), *map(str, args)],
                              env=self.env, capture_output=True, text=True, timeout=LONGEST)

    def find(self, name):
        """Middle x and y, left, top, width, height of the widget of that accessible name. AT-SPI, which walks through thousands of cells of a
        table for seconds, is asked last."""
        end = time.time() + 3 * SLOW
        place = self.place(name)
        while not place and time.time() < end:
            time.sleep(0.1)
            place = self.place(name)
        if place:
            check(True, f"there is a widget called {name}")
            return place
        done = self.accessible(name)
        if not check(done.returncode == 0, f"there is a widget called {name} {done.stderr.strip()[-200:]}"):
            return None
        return [int(n) for n in done.stdout.split()]

    def place(self, name):
        """The same from the program itself, which knows its shadow; None for what only AT-SPI has a name for."""
        words = ([line for line in self.ask("test-place", name, "place") if line.startswith("place ")] or ["place none"])[-1].split()
        if words[1] == "none":
            return None
        x, y, width, height = (int(n) for n in words[1:5])
        return [x + width // 2, y + height // 2, x, y, width, height]

    def places(self, text):
        """Left, top, width, height of each label of that text."""
        return [[int(n) for n in line.split()[1:5]] for line in self.ask("test-places", text, "places") if line.startswith("place ")]

    def labels(self, has):
        """Texts of the labels that are shown and have something in them."""
        return [line[len("label "):] for line in self.ask("test-labels", has, "labels") if line.startswith("label ")]

    def layouts(self):
        """In how many frames the window was laid out since this was asked for the first time."""
        return int((self.ask("test-layouts", "", "layouts") or ["layouts -1"])[-1].split()[1])

    def click(self, display, name):
        """A real click on it."""
        place = self.find(name)
        for _ in range(20):  # where it is when nothing moves any more
            time.sleep(0.1)
            before, place = place, self.place(name) or place
            if before == place:
                break
        if place:
            display.do("mousemove", place[0], place[1], "click", 1)

    def view(self):
        """x, y, width, height (level 0), downsample, angle, mirrored"""
        return [float(v) for v in self.events("view")[-1].split()[1:]]

    def kill(self):
        """Ends it as a crash would, once its journal, which is written each second, has what is open."""
        self.settle(2.5)
        self.process.kill()
        self.process.wait()

    def end(self):
        """Ends it; whatever it complained about on stderr is a failure."""
        self.process.terminate()
        self.process.wait(LONGEST)
        complaints = self.complaints()
        check(not complaints, "no complaint on stderr " + "; ".join(complaints[:5]))

    def complaints(self):
        """Lines on stderr that nobody should see."""
        text = self.log.with_name("stderr.log").read_text(errors="replace")
        return [l for l in text.splitlines()
                if re.search(r"CRITICAL|Gtk-WARNING|Adwaita-WARNING|Sanitizer|runtime error", l) and not known(l)]


def demo_slide(demo, size=2048, folder=TMP):
    slide = folder / "demo.svs"
    copy_demo(demo, size, slide)
    return slide


def analysed(artefacts, app, demo, *settings, zoom=20):
    """A small demo slide, its middle analysed live: the display, the program, the slide."""
    slide = demo_slide(demo)
    display = Display(artefacts)
    program = Program(display, app, "--op", "nuclei-threshold", "--live", "--zoom", zoom, "--centre", "1000,1000", *settings, slide)
    program.wait("the slide is analysed", lambda: program.events("run-done"))
    program.settle(0.5)
    return display, program, slide


def flat(features):
    """Features of GeoJSON, each before those that lie in it."""
    return [one for feature in features for one in [feature, *flat(feature.get("childObjects", []))]]


def exported_region(program):
    """The region that the window shows, as vitrail-batch takes it, by the record of what it exports."""
    folder = TMP / "window"
    program.action("export-results-to", folder)
    program.wait("the results are exported", (folder / "record.json").exists)
    return ",".join(map(str, json.loads((folder / "record.json").read_text())["region"]))


def known(complaint):
    """GTK 4.18 says this of each heading of libadwaita 1.7's message dialogs, which has room for it in the end; GTK 4.8 that, where a
    label that can be selected gets the focus of a window that had none."""
    from gi.repository import Gtk
    if "gtk_widget_is_ancestor: assertion 'GTK_IS_WIDGET (widget)' failed" in complaint:
        return Gtk.get_minor_version() == 8
    return Gtk.get_minor_version() == 18 and re.search(r"Trying to measure GtkLabel \w+ for width of \d+, but it needs", complaint)


def french():
    """The environment of a French user; newer C libraries translate nothing under C.UTF-8. Numbers stay English, for the log."""
    done = subprocess.run(["localedef", "-i", "fr_FR", "-f", "UTF-8", str(TMP / "fr_FR.UTF-8")], capture_output=True) \
        if shutil.which("localedef") else None
    own = {"LC_ALL": "", "LANG": "C.UTF-8", "LC_MESSAGES": "fr_FR.UTF-8", "LOCPATH": str(TMP)}
    return {"LANGUAGE": "fr", **(own if done and done.returncode == 0 else {})}


def mean_colours(picture, box):
    """How many different colours a part of a picture has: a canvas that draws has many."""
    out = subprocess.run(["convert", str(picture), "-crop", box, "+repage", "-format", "%k", "info:"],
                         capture_output=True, text=True, check=True)
    return int(out.stdout)


def differing_pixels(a, b, box=None):
    """All of two pictures, or of a part of them."""
    part = f"[{box}]" if box else ""
    out = subprocess.run(["compare", "-metric", "AE", str(a) + part, str(b) + part, "null:"], capture_output=True, text=True)
    return float(re.match(r"[\d.e+]+", out.stderr).group())


def finish():
    print(f"{len(failures)} failed")
    sys.exit(1 if failures else 0)
