# SPDX-License-Identifier: MIT
"""How the window looks: light and dark, 100 and 200 %, small and large, and in French. The pictures are for people; what is
checked is that everything is there, translated, within the window, and without complaint.
usage: looks.py VITRAIL DEMO-SLIDE-GENERATOR LOCALE-FOLDER"""
import pathlib
import re
import subprocess
import sys
import time

from desk import SLOW, TMP, Display, Program, check, demo_slide, finish, french, need

APP, DEMO, LOCALES = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
LOOKS = {  # name: width, height, scale, environment
    "light-small": (800, 600, 1, {}),
    "light-large-200": (1920, 1200, 2, {}),
    "dark-small-200": (1600, 1200, 2, {"ADW_DEBUG_COLOR_SCHEME": "prefer-dark"}),
    "dark-large": (1920, 1200, 1, {"ADW_DEBUG_COLOR_SCHEME": "prefer-dark"}),
    "french": (1400, 900, 1, {**french(), "VITRAIL_LOCALE_DIR": str(LOCALES)}),
}
NAMES = {"french": ("Agrandir", "Montrer toute la lame", "Menu principal", "Déplacer la lame", "Grossissement",
                    "Réinitialiser Rayon du fond", "Montrer Étiquettes")}


def resize(display, program, menu, width, height, scale=1):
    """Until the main menu, at the right, is within it again."""
    def is_within():
        place = program.accessible(menu).returncode == 0 and program.place(menu)
        return place and place[2] + place[4] <= width / scale
    display.do("search", "--sync", "--onlyvisible", "--name", "demo.svs", "windowsize", width, height)
    program.wait(f"{width} x {height}", is_within)
    program.settle(0.5)


def wrapped(display, program):
    """What has no room above the table of objects is in the next line, not out of sight."""
    display.do("key", "shift+t")
    save = program.find("Save…")
    canvas = program.find("Slide")
    check(save[2] + save[4] <= canvas[2] + canvas[4], f"Save… is within the view {save[2:]} {canvas[2:]}")
    display.picture("dark-small-200-table")
    display.do("key", "shift+t")
    program.settle(0.5)


def look(name, slide):
    width, height, scale, env = LOOKS[name]
    display = Display("vitrail-looks", width, height)
    program = Program(display, APP, "--op", "nuclei-threshold", "--zoom", "10", slide, GDK_SCALE=str(scale), **env)
    program.wait(f"{name}: sharp", lambda: program.events("sharp"))
    resize(display, program, "Menu principal" if name == "french" else "Main menu", width, height, scale)
    display.do("mousemove", width // 4, height // 2)
    display.picture(name + "-window")
    for widget in NAMES.get(name, ("Zoom in", "Show the whole slide", "Main menu", "Move the slide", "Magnification")):
        place = program.find(widget)
        check(place and place[2] >= 0 and place[2] + place[4] <= width / scale, f"{name}: {widget} is within the window")
    if name == "dark-small-200":
        wrapped(display, program)
    display.do("key", "ctrl+2")
    program.settle(0.5)
    display.do("key", "ctrl+r")
    program.settle(0.5)
    display.picture(name + "-views")
    for keys, what in (("F10", "menu"), ("ctrl+k", "palette"), ("ctrl+p", "preferences"), ("ctrl+b", "colours"),
                       ("alt+Return", "properties"), ("ctrl+question", "shortcuts")):
        display.do("key", keys)
        time.sleep(0.9 * SLOW)
        display.picture(f"{name}-{what}")
        if what == "shortcuts":
            size = [int(n) / scale for n in re.search(r"(\d+)x(\d+)", display.size("(Keyboard Shortcuts|Raccourcis clavier)")).groups()]
            check(size[0] <= 640 and size[1] <= 720, f"{name}: the window of shortcuts has room on a small screen {size}")
        display.do("key", "Escape")
        time.sleep(0.4 * SLOW)
    program.end()


def kept(slide):
    """Preferences and the size of the window outlive the program."""
    display = Display("vitrail-kept", 1600, 1000)
    store = {"GSETTINGS_BACKEND": "keyfile", "XDG_CONFIG_HOME": str(TMP / "kept")}
    program = Program(display, APP, "--op", "nuclei-threshold", slide, **store)
    program.wait("kept: sharp", lambda: program.events("sharp"))
    resize(display, program, "Main menu", 1100, 760)
    display.do("key", "ctrl+comma")
    time.sleep(0.9 * SLOW)
    program.click(display, "The wheel moves the slide")
    time.sleep(0.5 * SLOW)
    display.do("key", "Escape", "mousemove", 400, 400)
    program.wait("the preferences are gone", lambda: not program.place("The wheel moves the slide"))
    display.do("key", "g")
    program.wait("Run works on regions, of which there are none", lambda: program.labels("Regions (none drawn)"))
    x, _, _, top = program.find("Parameters")[:4]
    display.do("mousemove", x + 100, top - 3, "mousedown", 1, "mousemove", x + 100, top - 30, "mousemove", x + 100, top - 63, "mouseup", 1)
    program.wait("the split is moved", lambda: abs(program.find("Parameters")[3] - top + 60) < 20)
    top = program.find("Parameters")[3]
    program.end()
    program = Program(display, APP, "--op", "nuclei-threshold", slide, **store)
    program.wait("kept: sharp again", lambda: program.events("sharp"))
    program.wait("the split between layers and parameters is where it was", lambda: abs(program.find("Parameters")[3] - top) < 3)
    size = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "demo.svs", "getwindowgeometry"],
                          env=program.env, capture_output=True, text=True, check=True).stdout
    check("1100x760" in size, "the window has its size again " + size.split()[-1])
    program.wait("Run works where it was told to, which may be nowhere", lambda: program.labels("Regions (none drawn)"))
    before = program.view()
    display.do("mousemove", 400, 400, "click", 5)
    program.wait("the wheel still moves the slide", lambda: program.view()[1] > before[1] and program.view()[4] == before[4])
    program.end()


def focus(slide):
    """Tab goes through everything that is shown and comes back; nothing holds the keyboard."""
    display = Display("vitrail-focus", 1400, 900)
    program = Program(display, APP, "--op", "nuclei-threshold", slide)
    program.wait("focus: sharp", lambda: program.events("sharp"))
    program.settle(0.5)
    way = []
    for _ in range(100):
        display.do("key", "Tab")
        time.sleep(0.1 * SLOW)
        done = program.accessible("--focused")
        role, _, _, name = (done.stdout.rstrip("\n").split(" ", 3) + [""] * 4)[:4]
        if way and (role, name) == way[0]:
            break
        way.append((role, name))
    names = [name + (" itself" if role == "image" else "") for role, name in way]
    nameless = [n for n in names if not n or n.startswith(("Gtk", "Adw", "Vt"))]
    check(not nameless, f"everything that takes the keyboard has a name {nameless}")
    check(len(names) == len(set(names)) and len(names) < 100, f"{len(names)} steps of Tab come round, each at its own place")
    order = ["Analysis", "Device", "Run", "Show Objects", "Settings of Objects", "Show Labels", "Show Slide",
             "Requested pixel size", "Advanced (Parameters of the whole analysis)", "Magnification", "Recent slides", "Move the slide", "Main menu", "Slide itself"]
    places = [names.index(n) if n in names else -1 for n in order]
    check(-1 not in places and places == sorted(places), f"panel, header and slide follow each other {places}")
    program.end()


def heads(slide):
    """What a run says above the tables makes the view neither smaller nor larger: a live run would begin again, and say it again, for good. It might in
    a window that is a little wider than one in which all that stands there has one line."""
    display = Display("vitrail-heads", 1500, 900)
    program = Program(display, APP, "--op", "nuclei-threshold", "--live", "--zoom", "20", "--centre", "1000,1000", slide)
    program.wait("heads: the slide is analysed", lambda: program.events("run-done"))
    program.action("objects")
    program.wait("heads: a table", lambda: program.events("table-objects"))
    program.click(display, "Plot")  # beside which nothing has room to spare
    program.settle(0.5)

    window = subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--name", "demo.svs"], check=True, capture_output=True, text=True,
                            env=program.env).stdout.split()[0]  # once: a search fails where another window goes meanwhile

    def heights(width):
        count = len(program.events())
        display.do("windowsize", window, width, 800)
        time.sleep(0.8 * SLOW)
        return [event.split()[4] for event in program.events()[count:] if event.startswith("view ")]

    narrow, wide = 830, 1480
    while wide - narrow > 4:
        middle = (narrow + wide) // 2
        heights(middle)
        one_line = abs(program.place("Save…")[1] - program.place("Filter of the objects")[1]) < 5
        narrow, wide = (narrow, middle) if one_line else (middle, wide)
    check(840 < wide < 1470, f"heads: one line from {wide} pixels on")
    counts = {width: len(heights(width)) for width in range(narrow - 28, wide + 28, 7)}
    check(max(counts.values()) < 3, f"heads: a view has one height for each width {counts}")
    filtered(display, program)
    program.end()


def filtered(display, program):
    """So it is with what is wrong with a filter, which holds where there are objects."""
    height = program.view()[3]
    entry = program.find("Filter of the objects")
    display.do("mousemove", entry[0], entry[1], "click", 1, "type", "nonsense > 3")
    program.wait("a wrong filter is told", lambda: program.labels("no measurement is called “nonsense”"))
    program.settle(0.5)
    display.picture("wrong-filter")
    check(program.view()[3] == height, f"which takes no room from the view {height} {program.view()[3]}")


def main():
    need("Xvfb", "xdotool", "import", "convert", "dbus-run-session")
    slide = demo_slide(DEMO)
    # Slow programs are looked at in two ways: the others run the same code.
    for name in LOOKS if SLOW == 1 else ("dark-small-200", "french"):
        look(name, slide)
    kept(slide)
    heads(slide)
    focus(slide)
    finish()


main()
