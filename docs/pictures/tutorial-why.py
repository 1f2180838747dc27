# SPDX-License-Identifier: MIT
"""Makes the pictures of docs/tutorial-why.md and README.md: the real window on CMU-1-Small-Region.svs, with real keys and clicks.
usage: tutorial-why.py VITRAIL [SLIDE]     VITRAIL: build/viewer/app/vitrail
Without SLIDE it is looked for where the tests have it (VITRAIL_SHARED); where it is absent nothing is made."""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "e2e"))
from batch import shared  # noqa: E402
from desk import Display, Program, check, finish, need  # noqa: E402

NAME, WIDTH, COLOURS, MOST_BYTES = "CMU-1-Small-Region.svs", 720, 48, 150000
WINDOW = 1100, 700
FRONT = 1350, 850  # the window of README.md, whole


def find_slide():
    folder = shared()
    slide = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else folder / "slides" / "aperio" / NAME if folder else pathlib.Path(NAME)
    if not slide.exists():
        print(f"SKIP: {NAME} is not there; it is at https://openslide.cs.cmu.edu/download/openslide-testdata/Aperio/")
        sys.exit(77)
    return slide


def keep(display, program, name):
    """The part of the window that has the picture, small enough to stand in a page."""
    program.settle(0.7)
    x, y, left, top, width, height = program.find("Slide")
    file = HERE / f"tutorial-why-{name}.png"
    subprocess.run(["convert", str(display.picture(name)), "-crop", f"{width}x{height}+{left}+{top}", "+repage", "-resize", f"{WIDTH}x", "+dither",
                    "-colors", str(COLOURS), "-strip", "-define", "png:compression-level=9", str(file)], check=True)
    check(file.stat().st_size < MOST_BYTES, f"{file.name} has {file.stat().st_size} bytes")
    return x, y


def ask(display, program, x, y):
    """The maximum area that lets a candidate in: of the first one, the largest first, that is no larger than a nucleus and not hollow."""
    for _ in range(30):
        program.settle()
        asked, tried = len(program.events("why-ways")), len(program.events("why-trial"))
        display.do("mousemove", x - 3, y, "mousemove", x, y, "key", "y")
        program.wait_more("why-ways", asked, "2. why this one", 60)
        for trial in program.events("why-trial")[tried:]:
            _, setting, number = trial.split()
            key, area = setting.split("=")
            if key == "max-area" and int(number) > 0 and float(area) < 160:
                return area
        display.do("key", "Escape")
        display.do("key", "e")
    sys.exit("no candidate is let in by a larger maximum area")


def front(app, slide):
    """The window as it comes up for a stranger, with what was refused, and why a place in the middle is of no object."""
    display = Display("front", *FRONT)
    program = Program(display, app, "--live", "--zoom", "20", "--centre", "1160,1000", slide)
    program.wait("the slide is analysed", lambda: program.events("run-done"), 60)
    program.settle()
    display.do("mousemove", 524, 385, "key", "shift+e")
    program.wait("what was refused", lambda: program.events("refused-done"), 60)
    program.settle()
    display.do("mousemove", 523, 385, "mousemove", 524, 385, "key", "y")
    program.wait("why here", lambda: program.events("why-ways"), 60)
    program.settle(0.7)
    file = HERE.parents[1] / "data" / "screenshot.jpg"
    subprocess.run(["convert", str(display.picture("front")), "-strip", "-quality", "80", str(file)], check=True)
    check(file.stat().st_size < 2 * MOST_BYTES, f"{file.name} has {file.stat().st_size} bytes")
    program.end()


def main():
    need("Xvfb", "xdotool", "import", "convert", "dbus-run-session", "gdbus")
    slide = find_slide()
    app = pathlib.Path(sys.argv[1]).resolve()
    os.environ.setdefault("VITRAIL_PLUGIN_PATH", str(app.parents[2] / "plugin"))
    front(app, slide)
    display = Display("tutorial-why", *WINDOW)
    program = Program(display, app, "--op", "nuclei-threshold", "--set", "max-area=60", "--live", "--zoom", "40", "--centre", "900,1480", slide)
    program.wait("the slide is analysed", lambda: program.events("run-done"), 60)
    program.settle()
    program.action("sidebar")
    display.do("mousemove", WINDOW[0] // 2, WINDOW[1] // 2, "key", "shift+e")
    program.wait("1. what was refused", lambda: program.events("refused-done"), 60)
    x, y = keep(display, program, "1-missing")
    program.click(display, next(label for label in program.labels("Maximum area") if label.startswith("Maximum area")))
    change = ask(display, program, x, y)
    keep(display, program, "2-why")
    display.do("key", "shift+e")
    program.settle(0.5)
    display.do("key", "c")
    program.settle(0.5)
    compared = len(program.events("compared"))
    program.click(display, f"Maximum area: 60 → {change} µm²")
    program.wait_more("compared", compared, "3. what else changes", 60)
    program.wait_more("why-ways", 1, "and it is asked again", 60)
    display.do("key", "Escape")
    keep(display, program, "3-change")
    program.end()
    finish()


if __name__ == "__main__":
    main()
