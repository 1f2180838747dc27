# SPDX-License-Identifier: MIT
"""The real window under Xvfb, driven by real pointer and key events: open, pan, zoom, live run, layers, ROI, table,
export; the exported bytes equal those of vitrail-batch. Pictures are kept beside the test.
usage: window.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR [SLIDE]"""
import csv
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import time

from desk import SLOW, TMP, Display, Program, check, demo_slide, differing_pixels, finish, mean_colours, need
from drag import end, hold

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


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
    table = TMP / "rois.csv"
    program.action("export-rois-to", table)
    program.wait("the table is exported", table.exists)
    time.sleep(0.2)
    lines = list(csv.reader(table.read_text(encoding="utf-8").splitlines()))
    check(len(lines) == 2 and "GLRLM: SRE" in lines[0] and len(lines[1]) == len(lines[0]), "the CSV has a header and one row")
    display.do("key", "Escape")


def same_bytes(program, slide):
    program.settle()
    window = TMP / "window"
    program.action("export-results-to", window)
    program.wait("results are exported", (window / "record.json").exists)
    record = json.loads((window / "record.json").read_text())
    check(record["op"] == "nuclei-threshold", "the record is that of the nuclei")
    out = TMP / "batch"
    region = ",".join(str(int(v)) for v in record["region"])
    stages = ",".join(s["id"] for s in record["stages"] if s.get("emitted", True))
    command = [str(BATCH), "run", "nuclei-threshold", str(slide), "--region", region, "--stages", stages, "--out", str(out)]
    if record.get("min-downsample", 1) > 1:
        command += ["--min-downsample", repr(record["min-downsample"])]
    done = subprocess.run(command, capture_output=True, text=True)
    if not check(done.returncode == 0, "vitrail-batch runs the same: " + done.stderr.strip()):
        return
    for file in sorted(p.name for p in window.iterdir() if p.name != "record.json"):
        check((out / file).exists() and (window / file).read_bytes() == (out / file).read_bytes(),
              f"{file} of the window equals that of vitrail-batch")


def limited_files(program):
    """A file that may not grow is a sentence; the program goes on."""
    program.settle()
    most = max(p.stat().st_size for p in (TMP / "window").iterdir())
    limits = resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE)
    limit = program.log.stat().st_size + 65536  # the log still grows
    if not check(limit < most, f"a file is larger than the limit {limit} {most}"):
        return
    resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (limit, limits[1]))
    count = len(program.events("error"))
    program.action("export-results-to", TMP / "limited")
    program.wait("that a file can't grow is said", lambda: len(program.events("error")) > count)
    resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, limits)
    check("too large" in program.events("error")[-1].lower(), "with the reason " + program.events("error")[-1])


def drop_a_file(display, program, slide):
    """Drags a file from another window onto the canvas."""
    copy = TMP / "dropped.svs"
    shutil.copy(slide, copy)
    source = hold(display, program, copy)
    display.do("mouseup", 1)
    program.wait("a dropped file opens", lambda: any("dropped.svs" in e for e in program.events("slide-open")))
    end(source)
    program.settle()


def open_by_dialog(display, program, slide):
    copy = TMP / "chosen.svs"
    shutil.copy(slide, copy)
    display.do("mousemove", 450, 450, "key", "ctrl+o")
    time.sleep(2 * SLOW)
    display.do("key", "ctrl+l")
    display.do("type", "--delay", 20, str(copy))
    time.sleep(0.5 * SLOW)
    display.do("key", "shift+End", "Delete")  # what the dialog completes: newer GTK leaves some of it behind
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
    if len(sys.argv) > 4:
        slide = pathlib.Path(sys.argv[4]).resolve()
    else:
        slide = demo_slide(DEMO)
    display = Display("vitrail-window")
    program = Program(display, APP, "--op", "nuclei-threshold", "--live", "--zoom", "20", slide)
    program.wait("the slide opens", lambda: program.events("slide-open"))
    program.wait("the view gets sharp", lambda: program.events("sharp"))
    program.wait("live analysis comes to an end", lambda: program.events("run-done"))
    program.settle()
    picture = display.picture("opened")
    check(mean_colours(picture, "700x500+100+150") > 500, "tissue is drawn")
    look_around(display, program)
    stale_work(display, program)
    layers(display, program)
    same_bytes(program, slide)
    limited_files(program)
    rois(display, program)
    drop_a_file(display, program, slide)
    open_by_dialog(display, program, slide)
    failures_are_sentences(display, program, slide)
    program.end()
    finish()


if __name__ == "__main__":
    main()
