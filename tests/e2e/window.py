# SPDX-License-Identifier: MIT
"""The real window under Xvfb, driven by real pointer and key events: open, pan, zoom, live run, layers, ROI, table,
export; the exported bytes equal those of vitrail-batch. Pictures are kept beside the test.
usage: window.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR [SLIDE]"""
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

SKIP = 77
APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
SLOW = 4 if os.environ.get("VITRAIL_SANITIZED") else 1
WIDTH, HEIGHT = 1400, 900
ARTEFACTS = pathlib.Path(os.environ.get("VITRAIL_TEST_ARTEFACTS") or tempfile.gettempdir()) / "vitrail-window"
TMP = pathlib.Path(tempfile.mkdtemp(prefix="vitrail-window-"))
atexit.register(shutil.rmtree, TMP, ignore_errors=True)
failures = []


def check(ok, what):
    print(("ok - " if ok else "not ok - ") + what, flush=True)
    if not ok:
        failures.append(what)
    return ok


def need(*programs):
    missing = [p for p in programs if not shutil.which(p)]
    if missing:
        print("SKIP: not installed: " + ", ".join(missing))
        sys.exit(SKIP)


class Display:
    def __init__(self):
        for number in range(90, 190):
            if not os.path.exists(f"/tmp/.X{number}-lock"):
                break
        self.name = f":{number}"
        self.server = subprocess.Popen(["Xvfb", self.name, "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.server.kill)
        for _ in range(100):
            if os.path.exists(f"/tmp/.X11-unix/X{number}"):
                return
            time.sleep(0.1)
        sys.exit("Xvfb does not start")

    def do(self, *args):
        subprocess.run(["xdotool", *map(str, args)], check=True, env={**os.environ, "DISPLAY": self.name})

    def picture(self, name):
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        path = ARTEFACTS / (name + ".png")
        subprocess.run(["import", "-window", "root", str(path)], check=True,
                       env={**os.environ, "DISPLAY": self.name})
        print("picture: " + str(path), flush=True)
        return path


class Program:
    """The window, with its event log."""

    def __init__(self, display, *args):
        self.log = TMP / "events.log"
        self.log.write_text("")
        self.err = open(TMP / "stderr.log", "w+")
        bus = subprocess.Popen(["dbus-run-session", "--", "sh", "-c", "echo $DBUS_SESSION_BUS_ADDRESS; exec cat"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.err, text=True,
                               env={**os.environ, "DISPLAY": display.name})
        atexit.register(bus.stdin.close)
        self.env = {**os.environ, "DISPLAY": display.name, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo",
                    "GSETTINGS_BACKEND": "memory", "XDG_DATA_HOME": str(TMP), "VITRAIL_TEST_LOG": str(self.log),
                    "DBUS_SESSION_BUS_ADDRESS": bus.stdout.readline().strip(), "LC_ALL": "C.UTF-8"}
        self.env.pop("WAYLAND_DISPLAY", None)
        self.process = subprocess.Popen([str(APP), *map(str, args)], env=self.env, stdout=self.err, stderr=self.err)
        atexit.register(self.process.kill)

    def events(self, kind=None):
        lines = self.log.read_text(errors="replace").splitlines()
        return [l for l in lines if kind is None or l.split(" ")[0] == kind]

    def wait(self, what, condition, seconds=20):
        """The first true value of condition(); a failed check and None if none comes in time."""
        end = time.time() + seconds * SLOW
        while time.time() < end:
            value = condition()
            if value:
                check(True, what)
                return value
            if self.process.poll() is not None:
                self.err.seek(0)
                print(self.err.read()[-3000:])
                sys.exit(f"the program ended with status {self.process.returncode} while waiting: {what}")
            time.sleep(0.05)
        check(False, what)
        return None

    def wait_more(self, kind, count, what, seconds=20):
        """Waits until there are more than `count` events of a kind; the last one."""
        return self.wait(what, lambda: len(self.events(kind)) > count and self.events(kind)[-1], seconds)

    def settle(self):
        """Until nothing new has been logged for a while and the last run has ended."""
        last, since = None, time.time()
        end = time.time() + 30 * SLOW
        while time.time() < end:
            now = self.events()
            if now != last:
                last, since = now, time.time()
            starts = [e.split()[1] for e in now if e.startswith("run-start")]
            ends = [e.split()[1] for e in now if e.startswith(("run-done", "run-cancelled", "error"))]
            if time.time() - since > 1.0 * SLOW and (not starts or starts[-1] in ends):
                return
            time.sleep(0.1)

    def action(self, name, *args):
        """A window action over the session bus, as another program would call it."""
        values = "[" + ",".join(f"<'{a}'>" for a in args) + "]" if args else "@av []"
        subprocess.run(["gdbus", "call", "--session", "--dest", "io.github.vitrail.Vitrail", "--object-path",
                        "/io/github/vitrail/Vitrail/window/1", "--method", "org.gtk.Actions.Activate", name, values,
                        "@a{sv} {}"], check=True, env=self.env, stdout=subprocess.DEVNULL)

    def click(self, display, name):
        """A real click on the widget of that accessible name."""
        done = subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name("accessible.py")), name], env=self.env,
                              capture_output=True, text=True, timeout=60 * SLOW)
        if not check(done.returncode == 0, f"there is a widget called {name} {done.stderr.strip()[-200:]}"):
            return
        x, y = done.stdout.split()
        display.do("mousemove", x, y, "click", 1)

    def view(self):
        """x, y, width, height (level 0), downsample"""
        return [float(v) for v in self.events("view")[-1].split()[1:6]]


def mean_colours(picture, box):
    """How many different colours a part of a picture has: a canvas that draws has many."""
    out = subprocess.run(["convert", str(picture), "-crop", box, "+repage", "-format", "%k", "info:"],
                         capture_output=True, text=True, check=True)
    return int(out.stdout)


def differing_pixels(a, b):
    out = subprocess.run(["compare", "-metric", "AE", str(a), str(b), "null:"], capture_output=True, text=True)
    return float(re.match(r"[\d.e+]+", out.stderr).group())


def look_around(display, program):
    cx, cy = 450, 450
    display.do("mousemove", cx, cy)
    before = program.view()
    display.do("mousedown", 1)
    for step in range(1, 9):
        display.do("mousemove", cx - 20 * step, cy - 10 * step)
        time.sleep(0.03)
    display.do("mouseup", 1)
    program.wait("a drag pans", lambda: program.view()[0] > before[0] + 50 * before[4])
    program.settle()
    before = program.view()
    display.do("mousemove", cx, cy)
    display.do("click", 4)
    program.wait("the wheel zooms in", lambda: program.view()[4] < before[4] * 0.999)
    program.settle()
    before = program.view()
    display.do("key", "minus")
    program.wait("minus zooms out", lambda: program.view()[4] > before[4] * 1.001)
    program.settle()
    before = program.view()
    display.do("key", "Right")
    program.wait("an arrow key pans", lambda: program.view()[0] > before[0])
    display.do("key", "0")
    program.wait("0 fits the slide", lambda: program.view()[0] <= 0 and program.view()[1] <= 0)
    program.settle()
    display.picture("fit")
    display.do("key", "1")
    program.wait("1 shows 1:1", lambda: abs(program.view()[4] - 1) < 1e-6)
    program.settle()


def stale_work(display, program):
    """Views that follow each other quickly: what became stale never arrives after what is newer."""
    for key in ("Right", "Right", "Down", "Left", "Up", "Right"):
        display.do("key", key)
        time.sleep(0.16)
    program.settle()
    done = [int(e.split()[1]) for e in program.events("run-done")]
    started = [int(e.split()[1]) for e in program.events("run-start")]
    check(done == sorted(done), "results arrive in order")
    check(done and done[-1] == started[-1], "the last result is that of the last view")


def layers(display, program):
    off = display.picture("layers-before")
    count = len(program.events("run-done"))
    program.click(display, "Show Distance")
    program.wait("the distance layer is on", lambda: "distance" in program.events("layers")[-1])
    program.wait_more("run-done", count, "a layer that was not worked out is")
    program.settle()
    on = display.picture("layers-distance")
    check(differing_pixels(off, on) > 5000, "the picture changes with the layer")
    program.click(display, "Show Distance")
    program.wait("the distance layer is off", lambda: "distance" not in program.events("layers")[-1])
    program.settle()
    again = display.picture("layers-after")
    check(differing_pixels(off, again) < differing_pixels(off, on) / 10, "and goes back without it")


def rois(display, program):
    display.do("mousemove", 450, 450)
    display.do("key", "r")
    time.sleep(0.3)
    display.do("mousemove", 300, 250, "mousedown", 1)
    for step in range(1, 11):
        display.do("mousemove", 300 + 25 * step, 250 + 15 * step)
        time.sleep(0.03)
    display.do("mouseup", 1)
    program.wait("dragging with R makes a region", lambda: program.events("roi-added"))
    program.wait("the table has its features", lambda: any("1" in e.split()[1] for e in program.events("table")))
    program.settle()
    display.picture("roi-table")
    csv = TMP / "rois.csv"
    program.action("export-rois-to", csv)
    program.wait("the table is exported", csv.exists)
    time.sleep(0.2)
    lines = csv.read_text().splitlines()
    check(len(lines) == 2 and "GLRLM: SRE" in lines[0] and len(lines[1].split(",")) == len(lines[0].split(",")),
          "the CSV has a header and one row")
    display.do("key", "Escape")


def same_bytes(program, slide):
    program.settle()
    window = TMP / "window"
    program.action("export-results-to", window)
    program.wait("results are exported", (window / "record.json").exists)
    record = json.loads((window / "record.json").read_text())
    check(record["op"] == "nuclei", "the record is that of the nuclei")
    out = TMP / "batch"
    region = ",".join(str(int(v)) for v in record["region"])
    stages = ",".join(s["id"] for s in record["stages"] if s.get("emitted", True))
    command = [str(BATCH), "run", "nuclei", str(slide), "--region", region, "--stages", stages, "--out", str(out)]
    if record.get("min-downsample", 1) > 1:
        command += ["--min-downsample", repr(record["min-downsample"])]
    done = subprocess.run(command, capture_output=True, text=True)
    if not check(done.returncode == 0, "vitrail-batch runs the same: " + done.stderr.strip()):
        return
    for file in sorted(p.name for p in window.iterdir() if p.name != "record.json"):
        check((out / file).exists() and (window / file).read_bytes() == (out / file).read_bytes(),
              f"{file} of the window equals that of vitrail-batch")


def drop_a_file(display, program, slide):
    """Drags a file from another window onto the canvas."""
    copy = TMP / "dropped.svs"
    shutil.copy(slide, copy)
    source = subprocess.Popen([sys.executable, str(pathlib.Path(__file__).with_name("drop-source.py")), str(copy)],
                              env=program.env, stdout=program.err, stderr=program.err)
    atexit.register(source.kill)
    display.do("search", "--sync", "--name", "vitrail-drop-source", "windowmove", 1150, 700)
    time.sleep(1 * SLOW)
    display.do("mousemove", 1220, 760, "mousedown", 1)
    for x, y in ((1215, 755), (1200, 740), (1100, 650), (800, 500), (500, 420), (480, 410), (478, 409)):
        display.do("mousemove", x, y)
        time.sleep(0.1 * SLOW)
    display.do("mouseup", 1)
    program.wait("a dropped file opens", lambda: any("dropped.svs" in e for e in program.events("slide-open")))
    source.kill()
    program.settle()


def open_by_dialog(display, program, slide):
    copy = TMP / "chosen.svs"
    shutil.copy(slide, copy)
    display.do("mousemove", 450, 450, "key", "ctrl+o")
    time.sleep(2 * SLOW)
    display.do("key", "ctrl+l")
    display.do("type", "--delay", 20, str(copy))
    time.sleep(0.5 * SLOW)
    display.do("key", "Return")
    time.sleep(0.5 * SLOW)
    if not any("chosen.svs" in e for e in program.events("slide-open")):
        display.do("key", "Return")
    program.wait("a file chosen in the dialog opens",
                 lambda: any("chosen.svs" in e for e in program.events("slide-open")))
    program.settle()


def failures_are_sentences(display, program, slide):
    count = len(program.events("error"))
    bad = TMP / "broken.svs"
    bad.write_bytes(b"not a slide at all" * 50)
    subprocess.run([str(APP), str(bad)], env=program.env, timeout=30 * SLOW, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    sentence = program.wait_more("error", count, "a file that is no slide is refused with a sentence")
    check(sentence and "broken.svs" in sentence, f"which names the file: {sentence}")
    check(program.process.poll() is None, "and the program goes on")
    time.sleep(0.5)
    display.picture("error")


def main():
    need("Xvfb", "xdotool", "import", "convert", "compare", "dbus-run-session", "gdbus")
    try:
        import gi
        gi.require_version("Atspi", "2.0")
        gi.require_version("Gtk", "4.0")
    except (ImportError, ValueError):
        print("SKIP: not installed: the Python bindings of AT-SPI and GTK")
        sys.exit(SKIP)
    if len(sys.argv) > 4:
        slide = pathlib.Path(sys.argv[4]).resolve()
    else:
        slide = TMP / "demo.svs"
        subprocess.run([str(DEMO), str(slide), "--size", "2048"], check=True, stdout=subprocess.DEVNULL)
    display = Display()
    program = Program(display, "--op", "nuclei", "--live", "--zoom", "20", slide)
    program.wait("the slide opens", lambda: program.events("slide-open"))
    program.wait("the view gets sharp", lambda: program.events("sharp"))
    program.wait("live analysis comes to an end", lambda: program.events("run-done"), 40)
    program.settle()
    picture = display.picture("opened")
    check(mean_colours(picture, "700x500+100+150") > 500, "tissue is drawn")
    look_around(display, program)
    stale_work(display, program)
    layers(display, program)
    same_bytes(program, slide)
    rois(display, program)
    drop_a_file(display, program, slide)
    open_by_dialog(display, program, slide)
    failures_are_sentences(display, program, slide)
    program.process.terminate()
    program.err.flush()
    program.err.seek(0)
    complaints = [l for l in program.err.read().splitlines() if re.search(r"CRITICAL|Gtk-WARNING|Sanitizer|runtime error", l)]
    check(not complaints, "no complaint on stderr " + "; ".join(complaints[:5]))
    print(f"{len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
