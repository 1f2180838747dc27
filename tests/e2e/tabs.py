# SPDX-License-Identifier: MIT
"""Many slides at once: threads belong to the program, a tab out of sight gives back what its pictures took, and one that comes
back is there with its first frames.
usage: tabs.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR [TABS]; figures of more tabs are printed"""
import pathlib
import subprocess
import sys

from desk import TMP, Display, Program, check, differing_pixels, finish, need

APP, _, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
TABS = int(sys.argv[4]) if len(sys.argv) > 4 else 11
MOST_THREADS = 40  # of any number of tabs: those of GTK, the readers, the painters, the runs (one for each processor, and each view)
MOST_HIDDEN = 24 << 20  # what the last view of a tab showed, at one pixel of the slide for one of the screen
KEPT_VIEWS = 8  # so many tabs out of sight keep that, the others the coarsest level of their slides, of at most a tile
TILE = 1 << 20
CANVAS = "700x500+100+200"


def status(program, key):
    text = pathlib.Path(f"/proc/{program.process.pid}/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith(key)).split()[1])


def look_around(display, program):
    """At the whole slide, then at one of its places, live."""
    for key in ("f", "1"):
        display.do("key", key)
        program.settle(0.3)


def crop(picture, name):
    path = TMP / (name + ".png")
    subprocess.run(["convert", str(picture), "-crop", CANVAS, "+repage", str(path)], check=True)
    return path


def open_all(display, program):
    for i in range(1, TABS):
        (TMP / f"demo-{i}.svs").symlink_to(TMP / "demo.svs")
        n_open, n_hidden = len(program.events("slide-open")), len(program.events("tiles-hidden"))
        program.action("open-uri", (TMP / f"demo-{i}.svs").as_uri())
        if not program.wait_more("slide-open", n_open, f"slide {i + 1} opens"):
            return
        program.wait_more("tiles-hidden", n_hidden, "the one before is out of sight")
        look_around(display, program)
        print(f"# {i + 1} tabs: {status(program, 'Threads:')} threads, {status(program, 'VmRSS:') // 1024} MiB", flush=True)


def turn_to(display, program, key, kind, what):
    n, n_views = len(program.events(kind)), len(program.events("view"))
    display.do("key", key)
    program.wait_more("view", n_views, "the tabs are changed")
    at_once = display.picture("at-once-" + kind)
    program.wait_more(kind, n, what)
    program.settle(0.5)
    return at_once


def far_off(a, b):
    """How many pixels have quite another colour."""
    out = subprocess.run(["compare", "-metric", "AE", "-fuzz", "30%", str(a), str(b), "null:"], capture_output=True, text=True)
    return float(out.stderr.split()[0])


def come_back(display, program):
    """To the first tab, round the end; to the second, and to the first again."""
    turn_to(display, program, "ctrl+Tab", "painted", "the first tab comes back")
    before = crop(display.picture("before"), "before")
    turn_to(display, program, "ctrl+Tab", "view", "the second, too")
    at_once = turn_to(display, program, "ctrl+shift+Tab", "painted", "the first one again: its layers are painted anew")
    n_other = far_off(before, crop(at_once, "at-once"))
    check(n_other < 700 * 500 * 0.2, f"it was there at once, but for the finest of its layers {n_other}")
    after = crop(display.picture("back"), "after")
    check(differing_pixels(before, after) == 0, f"and every pixel is as it was {differing_pixels(before, after)}")


def handed(display, n=12):
    """Slides that come in one go: the first one is shown, and stays, while the others get tabs behind it."""
    program = Program(display, APP, TMP / "demo.svs")
    program.wait("a slide is there", lambda: program.events("sharp"))
    program.settle(0.3)
    n_hidden = len(program.events("tiles-hidden"))
    names = [f"handed-{i}.svs" for i in range(n)]
    for name in names:
        (TMP / name).symlink_to(TMP / "demo.svs")
    subprocess.run([str(APP), *(str(TMP / name) for name in names)], env=program.env, check=True, timeout=120)
    program.wait(f"{n} slides that are handed over open", lambda: len(program.events("slide-open")) == n + 1)
    program.settle(0.5)
    front = pathlib.Path(program.events("slide-open")[1].split(" ", 1)[1]).name
    check(len(program.events("tiles-hidden")) - n_hidden <= 1, f"only the one before went out of sight {program.events('tiles-hidden')[n_hidden:]}")
    check(front in program.labels("handed-") and not program.labels("Opening"), f"{front} is in front {program.labels('handed-')}")
    program.wait("its tab is in sight, as its title is", lambda: program.labels(front).count(front) == 2)
    display.picture("handed")
    (TMP / "one.svs").symlink_to(TMP / "demo.svs")
    subprocess.run([str(APP), str(TMP / "one.svs")], env=program.env, check=True, timeout=60)
    program.wait("one that comes alone is shown", lambda: program.labels("one.svs")[1:])  # its tab, and the title
    program.end()


def main():
    need("Xvfb", "xdotool", "dbus-run-session", "gdbus", "convert", "compare")
    subprocess.run([str(DEMO), str(TMP / "demo.svs")], check=True)
    display = Display("vitrail-tabs", 1400, 900)
    program = Program(display, APP, "--op", "nuclei-threshold", "--live", "--zoom", "20", TMP / "demo.svs")
    program.wait("a slide is analysed", lambda: program.events("run-done"))
    display.do("mousemove", 3, 300)
    look_around(display, program)
    open_all(display, program)
    n_threads = status(program, "Threads:")
    check(n_threads <= MOST_THREADS, f"{TABS} tabs have {n_threads} threads")
    hidden = [int(line.split()[1]) for line in program.events("tiles-hidden")]
    check(hidden and max(hidden) <= MOST_HIDDEN, f"what a tab out of sight keeps of its slide is bounded {max(hidden)}")
    n_forgotten = sum(size <= TILE for size in hidden)
    check(n_forgotten >= TABS - 1 - KEPT_VIEWS > 0, f"and those that are longest out of sight keep less than others {n_forgotten}")
    check(program.events("layer-thinned"), "and it keeps thinned pictures of its layers")
    come_back(display, program)
    program.end()
    handed(display)
    finish()


main()
