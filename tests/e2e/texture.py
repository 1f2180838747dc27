# SPDX-License-Identifier: MIT
"""The texture browser in the real window: a lens follows the pointer and a click holds it, its numbers are those of vitrail-batch, a click on a
cell draws its runs, a pin stands beside it, a drawn region takes its place; a plugin in a process of its own tells the same.
usage: texture.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import csv
import pathlib
import statistics
import subprocess
import sys
import time

from desk import SLOW, TMP, Display, Program, check, demo_slide, differing_pixels, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def begin(display, slide, **env):
    program = Program(display, APP, "--zoom", "20", "--centre", "1000,1000", slide, **env)
    program.wait("the slide is seen", lambda: program.events("first-painted"))
    program.settle(0.5)
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1])
    return program, canvas


def told(line):
    """{'px': '128x128', ...}, and the rectangle."""
    words = line.split()
    return {"region": words[1], **dict(zip(words[2::2], words[3::2]))}


def now(program):
    return told(program.events("texture-now")[-1])


def open_lens(display, program, canvas):
    count = len(program.events("texture-now"))
    display.do("mousemove", canvas[0] - 3, canvas[1], "sleep", 0.1, "mousemove", canvas[0], canvas[1], "sleep", 0.1, "key", "alt+t")
    program.wait_more("texture-now", count, "Alt+T looks at the texture under the pointer")
    program.settle(0.5)
    return program.find("Slide")  # the panel has taken its part


def follow(display, program, canvas):
    check(now(program)["px"] == "128x128" and now(program)["pixels"] == "16384", f"through a lens of 128 pixels {now(program)}")
    count = len(program.events("texture-now"))
    for step in range(60):
        display.do("mousemove", canvas[0] - 150 + 5 * step, canvas[1] - 40)
        time.sleep(0.012)
    program.settle(0.5)
    lines = program.events("texture-now")[count:]
    check(len(lines) > 20, f"which follows the pointer ({len(lines)} answers to 60 moves)")
    times = [float(told(line)["ms"]) for line in lines]
    runs = [float(told(line)["run"]) for line in lines]
    print(f"# ms from question to answer: median {statistics.median(times):.1f}, worst {max(times):.1f}; of the plugin: median {statistics.median(runs):.1f}")
    display.do("click", 1)
    program.wait("a click holds it", lambda: program.events("texture-held") == ["texture-held 1"])
    program.settle(0.5)
    count = len(program.events("texture-now"))
    display.do("mousemove", canvas[0], canvas[1] + 60)
    time.sleep(0.3 * SLOW)
    check(len(program.events("texture-now")) == count, "there it stays")


def by_batch(slide, region, *settings):
    out = TMP / "batch"
    done = subprocess.run([str(BATCH), "run", "glrlm-rois", str(slide), "--region", region, "--out", str(out), *settings],
                          capture_output=True, text=True)
    if not check(done.returncode == 0, "vitrail-batch measures the same rectangle " + done.stderr.strip()[-200:]):
        return None
    with open(out / "features.csv", newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))[0]


def same_as_batch(slide, line, *settings):
    row = by_batch(slide, line["region"], *settings)
    check(row and float(row["GLRLM: SRE"]) == float(line["sre"]) and float(row["GLRLM: RE"]) == float(line["re"])
          and row["Pixels"] == line["pixels"], f"with the same numbers {line}")


def cells(display, program):
    program.settle(0.3)
    before = display.picture("no-runs")
    place = program.find("Run lengths of A")
    display.do("mousemove", place[2] + 46 + 4, place[3] + place[5] // 2, "click", 1)
    program.wait("a click on a cell draws its runs", lambda: program.events("texture-runs"))
    program.settle(0.3)
    after = display.picture("runs")
    n = int(program.events("texture-runs")[-1].split()[1])
    check(differing_pixels(before, after) > 50, "on the slide")
    words = program.labels("of all")
    check(bool(words) and f"A: {n} run" in words[0], f"as many as its words say {words}")
    count = len(program.events("texture-runs"))
    display.do("key", "Right")
    program.wait_more("texture-runs", count, "an arrow key goes to the next cell")
    check(program.events("texture-cell")[-1].split()[2] == "2-2", "of longer runs")


def pin(display, program, canvas):
    count = len(program.events("texture-pinned"))
    display.do("key", "alt+b")
    program.wait_more("texture-pinned", count, "Alt+B pins what is looked at")
    check(told(program.events("texture-pinned")[-1])["sre"] == now(program)["sre"], "which is the same")
    program.find("Run lengths, A less B")
    display.do("mousemove", canvas[0], canvas[1] + 60, "click", 1)
    program.wait("a click lets the lens go", lambda: program.events("texture-held")[-1] == "texture-held 0")
    display.do("mousemove", canvas[0] + 160, canvas[1] - 60)
    program.settle(0.5)
    check(told(program.events("texture-pinned")[-1])["region"] != now(program)["region"], "and the pinned one stays where it was")
    display.picture("pinned")
    count = len(program.events("texture-now"))
    display.do("key", "alt+h")
    program.wait("Alt+H holds it, too", lambda: program.events("texture-held")[-1] == "texture-held 1")


def directions(display, program, slide):
    count = len(program.events("texture-now"))
    program.click(display, "Directions of the runs")
    time.sleep(0.4 * SLOW)
    display.do("key", "Down", "key", "Down", "key", "Return")
    program.wait_more("texture-now", count, "runs along one direction")
    same_as_batch(slide, now(program), "--set", "aggregate=dir-1-0")
    display.picture("directions")


def region(display, program, canvas):
    display.do("mousemove", canvas[0], canvas[1], "key", "r", "sleep", 0.3, "mousemove", canvas[0] - 120, canvas[1] - 60, "mousedown", 1)
    for step in range(1, 9):
        display.do("mousemove", canvas[0] - 120 + 25 * step, canvas[1] - 60 + 14 * step)
        time.sleep(0.03)
    count = len(program.events("table"))
    display.do("mouseup", 1)
    program.wait_more("table", count, "a region is drawn")
    display.do("key", "Escape")
    program.settle(0.5)
    program.click(display, "ROI 1")
    count = len(program.events("texture-now"))
    display.do("key", "alt+l")
    program.wait_more("texture-now", count, "without the lens the selected region is looked at")
    check(now(program)["px"] != "128x128" and program.events("texture-lens")[-1] == "texture-lens 0", f"all of it {now(program)}")
    display.picture("region")


def main():
    need("Xvfb", "xdotool", "import", "compare", "dbus-run-session", "gdbus")
    slide = demo_slide(DEMO)
    display = Display("vitrail-texture")
    program, canvas = begin(display, slide)
    canvas = open_lens(display, program, canvas)
    follow(display, program, canvas)
    held = now(program)
    same_as_batch(slide, held)
    cells(display, program)
    pin(display, program, canvas)
    directions(display, program, slide)
    region(display, program, canvas)
    display.do("mousemove", canvas[0] - 3, canvas[1], "sleep", 0.1, "mousemove", canvas[0], canvas[1], "sleep", 0.1, "key", "alt+t")
    program.wait("Alt+T closes it", lambda: program.events("texture-closed"))
    program.end()
    apart(display, slide)
    finish()


def apart(display, slide):
    program, canvas = begin(display, slide, VITRAIL_PLUGIN_WORKER="all")
    open_lens(display, program, canvas)
    line = now(program)
    check(line["px"] == "128x128", "a plugin in a process of its own is asked")
    same_as_batch(slide, line)
    program.end()


main()
