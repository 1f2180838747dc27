# SPDX-License-Identifier: MIT
"""Beginning, with real pointer and key events: the empty window, the demo slide, tabs that are reused, plain images as slides
with the bytes of vitrail-batch, images that an analysis cannot read, a file held over a view, keys as in QuPath.
usage: opening.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import subprocess
import sys
import time

from desk import SLOW, TMP, Display, Program, check, demo_slide, differing_pixels, finish, need
from drag import end, hold

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
CACHE = TMP / "cache"
SEEN = "980x370+10+60"  # of the slide, above a toast


def make_images(slide):
    """A stained field, the same in grey, a white page, white on black."""
    convert = ["convert", str(TMP / "field.png")]
    subprocess.run(["openslide-write-png", str(slide), "600", "600", "0", "700", "500", str(TMP / "field.png")], check=True)
    for name, options in {"field.jpg": ["-alpha", "off", "-quality", "95"], "grey.png": ["-alpha", "off", "-colorspace", "gray"],
                          "strips.tif": ["-alpha", "off", "-compress", "lzw"],
                          "dark.png": ["-alpha", "off", "-colorspace", "gray", "-negate", "-level", "45%,100%"]}.items():
        kind = "PNG24:" if name.endswith("png") else ""
        subprocess.run([*convert, *options, kind + str(TMP / name)], check=True)
    subprocess.run(["convert", "-size", "500x400", "xc:#f4f3f4", "PNG24:" + str(TMP / "white.png")], check=True)


def start(display, program):
    program.wait("the window is there", lambda: program.place("Open the Demo Slide"))
    check(program.accessible("Analysis and layers").returncode == 0, "its buttons are there")
    check(not program.place("Run"), "no dead panel beside an empty view")
    display.picture("empty")
    for _ in range(3):
        display.do("key", "ctrl+t")
        time.sleep(0.3 * SLOW)
    check(len(program.labels("New tab")) <= 1, f"one empty tab is enough {program.labels('New tab')}")
    program.click(display, "Open the Demo Slide")
    program.wait("the demo slide is being made", lambda: "demo-slide making" in program.events())
    display.picture("making")


def refused_options(program):
    """To a window that runs, as another start of the program speaks to it."""
    for words, sentence in ((["--op", "nuclei-threshold", "--op=distance"], "--op is there twice, and takes one value."), (["--zoom", "20", "--zoom", "10"], "--zoom is there twice"),
                            (["--zoom", "nan"], "--zoom takes a number above 0"), (["--zoom=-3"], 'not "-3".'), (["--zoom", "0"], 'not "0".'), (["--zoom", "20x"], 'not "20x".'),
                            (["--centre", "nan,4"], "--centre takes two numbers"), (["--centre", "1e999,4"], "--centre takes two numbers"),
                            (["--set", "a=1", "--set", "a=2"], "--set gives a parameter twice")):
        done = subprocess.run([str(APP), *words], env=program.env, capture_output=True, text=True, timeout=20 * SLOW)
        check(done.returncode == 2 and sentence in done.stderr and done.stderr.count("\n") == 1, f"{' '.join(words)} is refused {done.returncode} {done.stderr}")


def made(display, program):
    program.wait("the demo slide opens", lambda: any("demo-1.svs" in e for e in program.events("slide-open")))
    check((CACHE / "vitrail" / "demo-1.svs").exists(), "and stays in the cache")
    program.wait("the panels are there with it", lambda: program.place("Run"))
    program.settle(0.5)
    display.do("key", "ctrl+t")
    time.sleep(0.6 * SLOW)
    check(len(program.labels("demo-1.svs")) >= 1, "the start page of a new tab lists it")
    display.picture("recent")
    tabs = len(program.events("slide-open"))
    display.do("key", "ctrl+w")
    time.sleep(0.5 * SLOW)
    return tabs


def exported(program, name):
    folder = TMP / ("window-" + name)
    program.action("export-results-to", folder)
    program.wait(f"{name}: results are exported", (folder / "record.json").exists)
    return folder


def plain_image(display, name, warning):
    """Opened from the shell; what it exports equals what vitrail-batch writes of the same file."""
    program = Program(display, APP, "--op", "nuclei-threshold", TMP / name)
    program.wait(f"{name} opens", lambda: program.events("slide-open"))
    program.wait(f"{name} is sharp", lambda: program.events("sharp"))
    display.do("key", "1")
    program.settle(0.5)
    display.do("key", "F5")
    program.wait(f"{name} is analysed", lambda: program.events("run-done"))
    program.settle(0.5)
    looks = program.events("look")
    check((looks[-1:] == [f"look {warning}"]) if warning else not looks, f"{name}: what is said of it {looks}")
    display.picture("plain-" + name.replace(".", "-"))
    window, out = exported(program, name), TMP / ("batch-" + name)
    stages = ",".join(s["id"] for s in json.loads((window / "record.json").read_text())["stages"] if s.get("emitted", True))
    given = [f"image={TMP / name}"] if name.endswith("tif") else [str(TMP / name)]
    done = subprocess.run([str(BATCH), "run", "nuclei-threshold", *given, "--stages", stages, "--out", str(out)], capture_output=True,
                          text=True)
    check(done.returncode == 0, f"{name}: vitrail-batch runs it {done.stderr}")
    for file in sorted(p.name for p in window.iterdir() if p.name != "record.json"):
        check((out / file).exists() and (window / file).read_bytes() == (out / file).read_bytes(),
              f"{name}: {file} of the window equals that of vitrail-batch")
    return program


def numbers(display):
    """A plain image of 16 bits: what is under the pointer is the number in the file."""
    subprocess.run(["convert", "-size", "600x400", "gradient:black-white", "-depth", "16", "-colorspace", "gray",
                    "-define", "quantum:format=unsigned", str(TMP / "numbers.tif")], check=True)
    program = Program(display, APP, "--zoom", "20", TMP / "numbers.tif")
    program.wait("an image of 16-bit numbers opens", lambda: program.events("sharp"))
    check(program.labels("--zoom is left out"), "without a pixel size there is no magnification, and that is said")
    display.do("mousemove", 400, 400)
    program.wait("its values are shown", lambda: any(float(t.split()[1]) > 255 for t in program.labels("Value ")))
    display.picture("numbers")
    program.end()


def unsuited(display):
    program = plain_image(display, "grey.png", 2)
    program.click(display, "Use Optical Density Sum")
    program.wait("the button changes the setting and runs", lambda: program.events("look")[-1] == "look 0")
    program.end()
    for name, look in (("dark.png", 1), ("white.png", 3)):
        plain_image(display, name, look).end()


def keys(display, slide):
    """As in QuPath: Space or M held moves the slide, F fills, A and D hide regions and objects."""
    program = Program(display, APP, "--op", "nuclei-threshold", "--live", "--zoom", "20", slide)
    program.wait("live analysis comes to an end", lambda: program.events("run-done"))
    program.settle(0.5)
    display.do("mousemove", 450, 450, "click", 1)
    program.settle(0.5)
    display.do("key", "r")
    for held in ("space", "m"):
        before, drawn = program.view(), len(program.events("roi-added"))
        display.do("mousemove", 500, 450, "keydown", held)
        time.sleep(0.2 * SLOW)
        display.do("mousedown", 1)
        for step in range(1, 9):
            display.do("mousemove", 500 - 15 * step, 450)
            time.sleep(0.03)
        display.do("mouseup", 1, "keyup", held)
        program.wait(f"{held} held moves the slide", lambda: program.view()[0] > before[0] + 50 * before[4])
        program.settle(0.5)
        check(len(program.events("roi-added")) == drawn, f"and {held} draws no region")
    display.do("mousemove", 400, 300, "mousedown", 1)
    for step in range(1, 9):
        display.do("mousemove", 400 + 20 * step, 300 + 12 * step)
        time.sleep(0.03)
    display.do("mouseup", 1)
    program.wait("let go, the rectangle draws again", lambda: program.events("roi-added"))
    program.settle(0.5)
    display.do("key", "a")
    program.wait("A hides the regions", lambda: program.events("regions-shown")[-1:] == ["regions-shown 0"])
    display.do("key", "a")
    program.wait("and shows them", lambda: program.events("regions-shown")[-1] == "regions-shown 1")
    display.do("mousemove", 3, 300)
    program.settle(0.5)
    plain = display.picture("outlined")
    display.do("key", "f")
    program.settle(0.5)
    filled = display.picture("filled")
    check(differing_pixels(plain, filled, SEEN) > 2000, "F fills the objects")
    display.do("key", "f")
    program.settle(0.5)
    check(differing_pixels(plain, display.picture("outlined-again"), SEEN) < 500, "and outlines them again")
    display.do("key", "d")
    program.wait("D hides the objects", lambda: "objects" not in program.events("layers")[-1])
    display.do("key", "d")
    program.wait("and shows them again", lambda: "objects" in program.events("layers")[-1])
    program.settle(0.5)
    next_object(display, program)
    held_over(display, program)
    program.end()


def next_object(display, program):
    """Each selected object is seen: neither outside nor under the minimap or its own card."""
    card = None
    display.do("mousemove", 450, 450, "click", 1, "key", "r", "key", "h")
    for _ in range(12):
        count = len(program.events("selected"))
        display.do("key", "greater")
        line = program.wait_more("selected", count, "the next object is selected")
        program.settle(0.3)
        view, x, y = program.view(), *(float(v) for v in line.split()[2:4])
        canvas, card = program.place("Slide"), program.place("Next object (>)")
        at_x, at_y = (x - view[0]) / view[4], (y - view[1]) / view[4]
        check(20 <= at_x < canvas[4] - 20 and 20 <= at_y < canvas[5] - 20, f"it is in the view {at_x:.0f},{at_y:.0f}")
        below = card and at_x < card[2] + card[4] + 30 - canvas[2] and at_y < 230
        check(not below, f"and not under its card {at_x:.0f},{at_y:.0f} {card}")
    display.picture("next-object")


def held_over(display, program):
    source = hold(display, program, TMP / "field.png")
    time.sleep(0.3 * SLOW)
    display.picture("drop-target")
    display.do("mouseup", 1)
    program.wait("a dropped image opens", lambda: any("field.png" in e for e in program.events("slide-open")))
    check(program.events("drop-target")[-1] == "drop-target dark", "and the light goes out")
    end(source)
    program.settle(0.5)


def main():
    need("Xvfb", "xdotool", "import", "convert", "compare", "dbus-run-session", "gdbus", "openslide-write-png")
    slide = demo_slide(DEMO)
    make_images(slide)
    shown = subprocess.run([str(APP), "--help"], capture_output=True, text=True)
    check(shown.returncode == 0 and "[SLIDE" in shown.stdout and "--op" in shown.stdout, "--help says how it is called")
    display = Display("vitrail-opening")
    program = Program(display, APP, XDG_CACHE_HOME=str(CACHE))
    start(display, program)
    refused_options(program)
    other = Display("vitrail-opening")  # meanwhile
    for name in ("field.png", "field.jpg", "strips.tif"):
        plain_image(other, name, 0).end()
    made(display, program)
    program.end()
    numbers(display)
    unsuited(display)
    keys(display, slide)
    finish()


if __name__ == "__main__":
    main()
