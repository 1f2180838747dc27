# SPDX-License-Identifier: MIT
"""A scripted tour through the real window: time to sharp after a jump against bare OpenSlide reading the same tiles on as many
threads, first pixels after opening, what a change of a parameter waits for, stalls of the main loop, resident memory. Prints a table and one
line of JSON.
usage: viewer-tour.py VITRAIL SLIDE [MINUTES]; 0 minutes: only jumps, openings and changes
       viewer-tour.py VITRAIL SLIDE tuning: how soon a change of a parameter is seen, and small multiples of the view, each beside its goal
       viewer-tour.py VITRAIL SLIDE lens: a lens of texture that moves over the slide at 20x and at 5x, where its tiles are not those of the view
       viewer-tour.py VITRAIL SLIDE objects [N]: the same tour without and with N objects (a million) in table and scatter plot, coloured
       by a measurement and some of them chosen; scrolling and sorting that table. The slide needs 8 x 8 pixels an object: vitrail-demo-slide --size 8192"""
import array
import ctypes
import ctypes.util
import json
import math
import os
import pathlib
import random
import statistics
import struct
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from desk import TMP, Display, Program, check, finish, need  # noqa: E402

APP, SLIDE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
ONLY = sys.argv[3] if sys.argv[3:4] in (["lens"], ["tuning"], ["objects"]) else None
RECIPES = pathlib.Path(__file__).resolve().parents[2] / "data" / "recipes"
MINUTES = float(sys.argv[3]) if len(sys.argv) > 3 and not ONLY else 0.5
TILE = 512
THREADS = max(2, min(4, os.cpu_count()))


# Looking for it starts other programs, which is no part of opening a slide.
LIBRARY = ctypes.CDLL(ctypes.util.find_library("openslide"))


class OpenSlide:
    def __init__(self, path):
        lib = self.lib = LIBRARY
        lib.openslide_open.restype = ctypes.c_void_p
        lib.openslide_get_level_downsample.restype = ctypes.c_double
        lib.openslide_get_level_downsample.argtypes = [ctypes.c_void_p, ctypes.c_int]
        lib.openslide_get_level_count.argtypes = lib.openslide_close.argtypes = [ctypes.c_void_p]
        lib.openslide_get_level_dimensions.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
        lib.openslide_read_region.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int,
                                              ctypes.c_int64, ctypes.c_int64]
        self.handle = lib.openslide_open(str(path).encode())
        self.downsamples = [lib.openslide_get_level_downsample(self.handle, i)
                            for i in range(lib.openslide_get_level_count(self.handle))]

    def size(self, level):
        width, height = ctypes.c_int64(), ctypes.c_int64()
        self.lib.openslide_get_level_dimensions(self.handle, level, ctypes.byref(width), ctypes.byref(height))
        return width.value, height.value

    def read(self, level, x, y, width, height):
        buffer = ctypes.create_string_buffer(width * height * 4)
        ds = self.downsamples[level]
        self.lib.openslide_read_region(self.handle, buffer, int(x * ds), int(y * ds), level, width, height)

    def tiles(self, view):
        """Level and tiles that the window reads for a view."""
        x, y, width, height, downsample = view[:5]
        level = max([i for i, ds in enumerate(self.downsamples) if ds <= downsample * 1.01], default=0)
        side = TILE * self.downsamples[level]
        return level, {(c, r) for r in range(int(y // side), -int(-(y + height) // side))
                       for c in range(int(x // side), -int(-(x + width) // side))}

    def time(self, level, places):
        full = self.size(level)

        def one(place):
            x, y = place[0] * TILE, place[1] * TILE
            if x < full[0] and y < full[1]:
                self.read(level, x, y, min(TILE, full[0] - x), min(TILE, full[1] - y))
        start = time.monotonic()
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(one, sorted(places)))
        return (time.monotonic() - start) * 1000

    def close(self):
        self.lib.openslide_close(self.handle)


class Hands:
    """Keys and moves without a program started for each: its start and end would compete with what is measured."""

    def __init__(self, display):
        self.x11 = ctypes.CDLL(ctypes.util.find_library("X11"))
        self.xtst = ctypes.CDLL(ctypes.util.find_library("Xtst"))
        self.x11.XOpenDisplay.restype = ctypes.c_void_p
        self.x11.XStringToKeysym.restype = ctypes.c_ulong
        self.x11.XKeysymToKeycode.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
        self.x11.XFlush.argtypes = [ctypes.c_void_p]
        self.xtst.XTestFakeButtonEvent.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
        self.xtst.XTestFakeKeyEvent.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
        self.connection = self.x11.XOpenDisplay(display.name.encode())

    def press(self, *names):
        codes = [self.x11.XKeysymToKeycode(self.connection, self.x11.XStringToKeysym(n.encode())) for n in names]
        for code in codes:
            self.xtst.XTestFakeKeyEvent(self.connection, code, 1, 0)
        for code in reversed(codes):
            self.xtst.XTestFakeKeyEvent(self.connection, code, 0, 0)
        self.x11.XFlush(self.connection)

    def point(self, x, y):
        """Milliseconds of the clock when the pointer is sent there."""
        now = time.monotonic() * 1000
        self.xtst.XTestFakeMotionEvent(self.connection, -1, x, y, 0)
        self.x11.XFlush(self.connection)
        return now


    def click(self, button):
        """As above; 5 is a step of the wheel down."""
        now = time.monotonic() * 1000
        for is_down in (1, 0):
            self.xtst.XTestFakeButtonEvent(self.connection, button, is_down, 0)
        self.x11.XFlush(self.connection)
        return now


def parse(line):
    text, at = line.rsplit(" @", 1)
    return text.split(), float(at)


def resident_mb(program):
    status = pathlib.Path(f"/proc/{program.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def jumps(display, program, n=24):
    """Pages through the slide; each jump's new tiles are then read bare, in the same order of jumps."""
    bare, keys, ours, seen, theirs = OpenSlide(SLIDE), Hands(display), [], set(), []
    for i in range(n):
        before = len(program.events())
        keys.press("Shift_L", ("Right", "Down", "Left", "Down")[i % 4])
        end = time.time() + 10
        view = sharp = None
        while time.time() < end and not (view and sharp):
            for line in program.events()[before:]:
                words, at = parse(line)
                if words[0] == "view" and not view:
                    view = [float(w) for w in words[1:]], at
                if words[0] == "sharp" and view:
                    sharp = at
            time.sleep(0.01)
        program.settle(0.1)
        if not sharp:
            continue
        level, places = bare.tiles(view[0])
        new = {(level, *p) for p in places} - seen
        seen |= new
        if not new:
            continue
        ours.append(sharp - view[1])
        theirs.append(bare.time(level, {p[1:] for p in new}))
    bare.close()
    return ours, theirs


class Bus:
    """Window actions without a program started for each, which would compete with what is measured."""

    def __init__(self, program):
        from gi.repository import Gio, GLib
        self.glib, flags = GLib, Gio.DBusConnectionFlags
        self.connection = Gio.DBusConnection.new_for_address_sync(
            program.env["DBUS_SESSION_BUS_ADDRESS"],
            flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)

    def act(self, action, word):
        parameters = self.glib.Variant("(sava{sv})", (action, [self.glib.Variant("s", word)], {}))
        self.connection.call("io.github.vitrail.Vitrail", "/io/github/vitrail/Vitrail/window/1", "org.gtk.Actions",
                             "Activate", parameters, None, 0, -1, None, None)
        self.connection.flush_sync(None)


def first_pixels(program, bus, slide):
    start = time.monotonic()
    bare = OpenSlide(slide)
    level = len(bare.downsamples) - 1
    width, height = bare.size(level)
    bare.read(level, 0, 0, width, height)
    theirs = (time.monotonic() - start) * 1000
    bare.close()
    program.settle(0.3)
    before, painted, times = len(program.events()), len(program.events("first-painted")), {}
    bus.act("open-uri", slide.as_uri())
    time.sleep(0.2)
    program.wait_more("first-painted", painted, "and it is painted")
    for line in program.events()[before:]:
        words, at = parse(line)
        times.setdefault(words[0], at)
    return times["first-pixels"] - times["slide-asked"], theirs, times["first-painted"] - times["slide-asked"]


def processor_ms(program):
    """Of the main thread, and of all threads that are there."""
    tasks = pathlib.Path(f"/proc/{program.process.pid}/task")
    used = {}
    for task in tasks.iterdir():
        try:
            used[task.name] = int((task / "schedstat").read_text().split()[0]) / 1e6
        except FileNotFoundError:  # it ended in the meantime
            continue
    return used[str(program.process.pid)], sum(used.values())


# Sliders of an early, a middle and a late stage.
CHANGES = (("nuclei-threshold", "Background radius"), ("nuclei-threshold", "Threshold"), ("nuclei", "Least score"))


def change(display, program, x, y):
    """Milliseconds from a click on a slider to the first and the last frame with pixels that it changed, and of processors until then."""
    before, runs, used = len(program.events()), len(program.events("run-done")), processor_ms(program)
    display.do("mousemove", x, y, "click", 1)
    program.wait_more("run-done", runs, "the whole run follows", 60)
    program.settle(0.4)
    start, painted, drawn = None, 0, []
    for words, at in map(parse, program.events()[before:]):
        if words[0] == "param-changed":
            start = at
        painted += words[0] == "painted" and start is not None
        if words[0] == "layers-drawn" and painted:
            drawn.append(at)
    after = processor_ms(program)
    return drawn[0] - start, drawn[-1] - start, after[0] - used[0], after[1] - used[1]


def slider(display, program, title):
    """Its height, left end and width, once it is scrolled into sight."""
    _, top, _, _, _, _ = program.find("Parameters")
    for _ in range(20):
        x, y, left, _, width, _ = program.place("Slider of " + title)
        if top + 20 < y < 1200:
            break
        display.do("mousemove", x, 1150, "click", 5 if y >= 1200 else 4)
        time.sleep(0.2)
    return y, left, width


def live(display, config, op):
    """The window over as many pixels of the slide as 1920 x 1080 has, beside the panel, analysed live."""
    program = Program(display, APP, "--op", op, "--live", "--zoom", "20", SLIDE, VITRAIL_TEST_TIMES="1", XDG_CONFIG_HOME=str(config.parent))
    program.wait("it is analysed", lambda: program.events("run-done"), 60)
    display.do("search", "--onlyvisible", "--class", "itrail", "windowsize", 1920, 1300, "windowmove", 0, 0)
    program.settle()
    return program


def changes(config):
    """Rows of medians, with the layers that are shown by default over as many pixels as 1920 x 1080 has, beside the panel. The first three
    changes of each are those that the window learns from."""
    rows, display = [], Display("vitrail-tour", 1920, 1300)
    for op in dict.fromkeys(c[0] for c in CHANGES):
        program = live(display, config, op)
        for title in (c[1] for c in CHANGES if c[0] == op):
            y, left, width = slider(display, program, title)
            times = [change(display, program, left + width * (2 + i % 3) // 8, y) for i in range(12)][3:]
            rows.append([f"{op}: {title}"] + [round(statistics.median(t), 1) for t in zip(*times)] + [round(min(t[0] for t in times), 1)])
        program.end()
    return rows


def print_changes(rows):
    print("changed: first frame, last frame, main thread, all threads (ms, medians); first frame at best")
    for row in rows:
        print("{:32} {:7} {:7} {:7} {:7} {:7}".format(*row))


def small_multiples(config, n=5):
    """Milliseconds from Shift+G to the last of the nine pictures, each time at another place, of which nothing is kept but the present result."""
    display, times = Display("vitrail-tour", 1920, 1300), []
    program = live(display, config, "nuclei-threshold")
    for i in range(n):
        runs = len(program.events("run-done"))
        x, y = program.find("Slide")[:2]
        display.do("mousemove", x, y, "key", ("shift+Right", "shift+Down")[i % 2])
        program.wait_more("run-done", runs, "the next place is analysed")
        program.settle()
        count = len(program.events("grid-done"))
        display.do("key", "shift+g")
        words, _ = parse(program.wait_more("grid-done", count, "nine pictures are there"))
        times.append(float(words[2]))
        display.do("key", "Escape")
        program.settle(0.5)
    program.end()
    return times


def tuning(config):
    """The two goals: what a change of a slider waits for, and small multiples on two cores."""
    rows, times = changes(config), small_multiples(config)
    print_changes(rows)
    print(f"{SLIDE.name}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; ms: goal, median, worst or best")
    for row in rows:
        print(f"first look, {row[0]:32} 50 {row[1]:7} {row[5]:7} (best)")
    print(f"3 x 3, threshold and background radius      4000 {statistics.median(times):7.0f} {max(times):7.0f} (worst of {len(times)})")


def end_by_hand(program):
    """The probe writes what it saw when the window goes, which the second one of these does."""
    program.action("close-tab")
    time.sleep(1)
    program.action("close-tab")
    program.process.wait(30)


def tour(display, program):
    """Up and down, in and out, for so many minutes; resident memory at its tenths."""
    random.seed(1)
    memory, start = [], time.time()
    while time.time() < start + MINUTES * 60:
        display.do("key", random.choice(("Right", "Left", "Up", "Down", "shift+Right", "shift+Down", "shift+Left", "shift+Up",
                                         "plus", "minus", "1", "alt+4", "alt+5", "ctrl+r", "f")))
        time.sleep(0.15)
        if time.time() > start + len(memory) * MINUTES * 6:
            memory.append(resident_mb(program))
    return memory


def dress(display, program):
    """A tab that comes and goes, then four layers over the slide, and the keys back on the picture."""
    program.action("open-uri", SLIDE.as_uri())
    program.settle()
    program.action("close-tab")
    program.settle()
    for name in ("Mask", "Distance", "Seeds", "Labels", "Objects"):
        shown = program.events("layers")
        if len(shown[-1].split(" ")[1].split(",")) < 4 if shown else True:
            if not shown or name.lower() not in shown[-1]:
                program.click(display, "Show " + name)
                time.sleep(0.3)
    display.do("mousemove", 500, 500, "click", 1)
    print(program.events("layers")[-1])
    program.settle()


def stalls(display, config):
    """What a tour's probe has seen, and resident memory on the way."""
    probe = TMP / "probe.json"
    program = Program(display, APP, "--zoom", "20", "--live", SLIDE, VITRAIL_PROBE=str(probe),
                      XDG_CONFIG_HOME=str(config.parent))
    program.wait("sharp", lambda: program.events("sharp"))
    program.settle()
    dress(display, program)
    memory = tour(display, program)
    end_by_hand(program)
    return {name: seen for name, seen in json.loads(probe.read_text()).items() if name != "frames"}, memory


def used_by(program, reader):
    """Processor milliseconds: of the main thread, of other threads, of the process that decodes the slide."""
    main_thread, all_threads = processor_ms(program)
    return main_thread, all_threads - main_thread, sum(int(f.read_text().split()[0]) for f in pathlib.Path(f"/proc/{reader}/task").glob("*/schedstat")) / 1e6


def seen_after(sent, answers, frames):
    """Milliseconds of each move until the frame is drawn that has its numbers: the first one that ends after the answer."""
    waits = []
    for start, end in zip(sent, sent[1:] + [math.inf]):
        answered = [at for at in answers if start <= at < end]
        drawn = [at for at, _ in frames if answered and at > answered[-1]]
        waits.append(drawn[0] - start if drawn else math.inf)
    print(f"# {waits.count(math.inf)} of {len(waits)} moves had no answer: they lie beside the slide, or the next one came first")
    return [wait for wait in waits if wait < math.inf]


def lens(zoom, n=240):
    """A move every 60 ms along a curve: when its numbers are drawn, processor time of each, and of the answers how long they took from the question on."""
    display, probe = Display("vitrail-tour", 1400, 900), TMP / "lens.json"
    program = Program(display, APP, "--zoom", zoom, SLIDE, VITRAIL_TEST_TIMES="1", VITRAIL_PROBE=str(probe))
    program.wait("the slide is seen", lambda: program.events("sharp"))
    x, y = program.find("Slide")[:2]
    display.do("mousemove", x - 3, y, "sleep", 0.1, "mousemove", x, y, "sleep", 0.1, "key", "alt+t")
    program.wait("the lens looks", lambda: program.events("texture-now"))
    program.settle(0.5)
    x, y, _, _, width, height = program.find("Slide")
    reader = (pathlib.Path(f"/proc/{program.process.pid}/task/{program.process.pid}/children").read_text().split() or [program.process.pid])[0]
    count, moves, sent, hands = len(program.events("texture-now")), [], [], Hands(display)
    for k in range(n):
        before = used_by(program, reader)
        sent.append(hands.point(round(x + width * 0.3 * math.sin(k / 14)), round(y + height * 0.35 * math.sin(k / 9))))
        time.sleep(0.06)
        moves.append([b - a for a, b in zip(before, used_by(program, reader))])
    program.settle(0.3)
    answers = [parse(line) for line in program.events("texture-now")[count:]]
    end_by_hand(program)
    seen = seen_after(sent, [at for _, at in answers], json.loads(probe.read_text())["frames"])
    for name, values in (("move to its numbers drawn, ms", seen), ("main thread", [m[0] for m in moves]), ("workers", [m[1] for m in moves]),
                         ("reader of the slide", [m[2] for m in moves]), ("all, processor ms a move", [sum(m) for m in moves]),
                         ("plugin and reading, ms", [float(a[a.index("run") + 1]) for a, _ in answers]),
                         ("question to answer, ms", [float(a[a.index("ms") + 1]) for a, _ in answers])):
        values.sort()
        print(f"{zoom}x: {name:30} median {statistics.median(values):5.1f}   99 % {values[len(values) * 99 // 100]:5.1f}   worst {values[-1]:5.1f}")


PITCH = 8  # pixels of the label image from one object to the next; each is 6 x 6


def write_labels(path, n):
    """A TIFF of 32 bits with n objects in rows."""
    side = math.ceil(math.sqrt(n))
    width, strips = side * PITCH, []
    for row in range(side):
        line = array.array("I", bytes(4 * width))
        for column in range(side):
            label = row * side + column + 1
            line[column * PITCH:column * PITCH + 6] = array.array("I", [label if label <= n else 0] * 6)
        strips.append(zlib.compress(line.tobytes() * 6 + bytes(4 * width * (PITCH - 6)), 1))
    places = [8 + sum(map(len, strips[:i])) for i in range(len(strips))]
    end = places[-1] + len(strips[-1])
    lists = struct.pack(f"<{2 * side}I", *places, *map(len, strips))
    tags = [(256, 4, 1, width), (257, 4, 1, width), (258, 3, 1, 32), (259, 3, 1, 8), (262, 3, 1, 1), (273, 4, side, end), (277, 3, 1, 1),
            (278, 4, 1, PITCH), (279, 4, side, end + 4 * side), (339, 3, 1, 1)]
    path.write_bytes(b"II*\0" + struct.pack("<I", end + len(lists)) + b"".join(strips) + lists + struct.pack("<H", len(tags))
                     + b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4))


def choose(display, program, name, place):
    """That many below the present one in a list of choices."""
    program.click(display, name)
    program.settle(0.5)
    display.do(*["key", "Down"] * place, "key", "Return")


def dress_with_objects(display, program, n):
    """Labels as objects, which are measured; then the table, a scatter plot with a rectangle round all of them, and colours of a measurement."""
    file = TMP / "labels.tif"
    write_labels(file, n)
    program.action("import-regions-from", file)
    program.wait("it asks how they lie", lambda: program.events("labels-dialog"), 120)
    program.settle(0.5)
    choose(display, program, "Open as", 1)
    program.settle(0.5)
    runs = len(program.events("run-done"))
    display.do("key", "alt+o")
    program.wait_more("run-done", runs, "they are measured", 120)
    program.action("objects")
    program.wait("the table has them", lambda: any(line.startswith(f"table-objects {n} ") for line in program.events("table-objects")), 60)
    program.settle()
    program.click(display, "Plot")
    program.wait("the plot counts them", lambda: program.events("plot"), 60)
    program.settle(0.5)
    choose(display, program, "Plot of", 12)  # stains differ from place to place, shapes do not
    program.settle(0.5)
    choose(display, program, "Plotted against", 17)
    program.wait("a scatter plot has them", lambda: program.events("scatter"), 60)
    program.settle(0.5)
    _, _, x, y, width, height = program.find("Scatter plot of the objects")
    ends = (x + 80, y + 20), (x + width // 2, y + height // 2), (x + width - 20, y + height - 40)
    display.do("mousemove", ends[0][0] - 3, ends[0][1], "sleep", 0.1, "mousemove", *ends[0], "mousedown", 1, "sleep", 0.1, "mousemove", *ends[1], "sleep", 0.1,
               "mousemove", *ends[2], "sleep", 0.1, "mouseup", 1)
    program.wait("a rectangle chooses them", lambda: program.events("scatter-choice"), 30)
    program.click(display, "Settings of Objects")
    program.settle(0.5)
    choose(display, program, "What colours Objects", 1)
    program.wait("a measurement colours them", lambda: program.events("measure"), 30)
    display.do("key", "Escape")
    program.settle()
    chosen = int(program.events("scatter-choice")[-1].split()[2])
    check(chosen > n // 4, f"{chosen} of {n} are chosen on the plot")


def timed_tour(display, program):
    x, y = program.find("Slide")[:2]
    display.do("mousemove", x, y, "key", "0")
    program.settle()
    start = time.monotonic() * 1000
    tour(display, program)
    return start, time.monotonic() * 1000


def scroll_and_sort(display, program, hands, name):
    """Steps of the wheel over the table, 60 a second for ten seconds; then five clicks on a header: from each to the new order."""
    x, y = program.find(name)[:2]
    display.do("mousemove", x, y + 60)
    start = time.monotonic() * 1000
    for i in range(600):
        hands.click(5)
        time.sleep(max(start / 1000 + (i + 1) / 60 - time.monotonic(), 0))
    window, sorts = (start, time.monotonic() * 1000), []
    hands.point(x, y)
    for _ in range(5):
        program.settle()
        count = len(program.events("table-sorted"))
        clicked = hands.click(1)
        sorts.append(parse(program.wait_more("table-sorted", count, "it is sorted", 30))[1] - clicked)
    return window, sorts


def objects(n):
    global MINUTES
    MINUTES = 0.5
    display, probe = Display("vitrail-tour", 1920, 1080), TMP / "objects.json"
    program = Program(display, APP, "--zoom", "5", SLIDE, VITRAIL_TEST_TIMES="1", VITRAIL_PROBE=str(probe), VITRAIL_RECIPE_PATH=str(RECIPES))
    program.wait("the slide is seen", lambda: program.events("sharp"))
    program.settle()
    x, y = program.find("Slide")[:2]
    display.do("mousemove", x, y, "key", "shift+v")  # the whole slide
    windows = {"tour, no objects": timed_tour(display, program)}
    dress_with_objects(display, program, n)
    windows[f"tour, {n} objects"] = timed_tour(display, program)
    windows["table scrolls"], sorts = scroll_and_sort(display, program, Hands(display), "Area µm²")
    resident = resident_mb(program)
    end_by_hand(program)
    frames = json.loads(probe.read_text())["frames"]
    print(f"{SLIDE.name}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; resident {resident:.0f} MB")
    for name, (start, end) in windows.items():
        spent = sorted(ms for at, ms in frames if start <= at < end)
        print(f"{name:24} frames {len(spent):5}: median {statistics.median(spent):5.1f}   99 % {spent[len(spent) * 99 // 100]:6.1f}   worst {spent[-1]:6.1f} ms"
              f"   over 16.7 ms {sum(ms > 16.7 for ms in spent)}")
    print("click on a header to the new order, ms: " + ", ".join(f"{ms:.0f}" for ms in sorts))


def main():
    need("Xvfb", "xdotool", "dbus-run-session", "gdbus")
    if ONLY == "lens":
        lens("20")
        lens("5")
        finish()
    if ONLY == "objects":
        objects(int(sys.argv[4]) if len(sys.argv) > 4 else 1000000)
        finish()
    config = TMP / "config" / "gtk-4.0"
    config.mkdir(parents=True)
    (config / "settings.ini").write_text("[Settings]\ngtk-enable-animations=0\n")
    if ONLY == "tuning":
        tuning(config)
        finish()
    display = Display("vitrail-tour", 1920, 1080)
    program = Program(display, APP, "--zoom", "20", "--centre", "500,500", SLIDE, VITRAIL_TEST_TIMES="1",
                      XDG_CONFIG_HOME=str(config.parent))
    program.wait("sharp", lambda: program.events("sharp"))
    program.settle()
    ours, theirs = jumps(display, program)
    bus = Bus(program)
    opened = [first_pixels(program, bus, SLIDE) for _ in range(10)][1:]
    program.end()
    changed = changes(config)
    late, memory = stalls(display, config) if MINUTES > 0 else ({}, [])
    result = {
        "slide": SLIDE.name, "threads": THREADS, "jumps": len(ours),
        "sharp_ms": round(statistics.median(ours), 1), "openslide_ms": round(statistics.median(theirs), 1),
        "sharp_ratio": round(sum(ours) / sum(theirs), 2),
        "first_pixels_ms": round(statistics.median(o[0] for o in opened), 1),
        "openslide_first_ms": round(statistics.median(o[1] for o in opened), 1),
        "first_pixels_ratio": round(statistics.median(o[0] for o in opened) / statistics.median(o[1] for o in opened), 2),
        "first_painted_ms": round(statistics.median(o[2] for o in opened), 1),
        "changes": changed, "tour_minutes": MINUTES, **late, "memory_mb": [round(m) for m in memory],
    }
    print_changes(changed)
    for key, value in result.items():
        print(f"{key:20} {value}")
    print(json.dumps(result))
    check(result["jumps"] > 5, "the jumps were measured")
    finish()


main()
