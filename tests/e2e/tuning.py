# SPDX-License-Identifier: MIT
"""Small pictures over two parameters, and the search for the best ones, in the real window: counts and scores are those of vitrail-batch, a
click takes values over and can be undone, the same seed gives the same tries, and nothing runs that nobody asked for.
usage: tuning.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import subprocess
import sys

from desk import TMP, analysed, check, exported_region, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def by_batch(slide, region, name, *settings):
    out = TMP / name
    command = [str(BATCH), "run", "nuclei-threshold", str(slide), "--region", region, "--stages", "objects", "--out", str(out)]
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True, capture_output=True)
    return out / "objects.geojson"


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    display, program, slide = analysed("vitrail-tuning", APP, DEMO)
    region = exported_region(program)
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1])
    grid(display, program, slide, region)
    display.do("mousemove", canvas[0], canvas[1], "key", "shift+b")
    program.wait("without a truth there is nothing to search for", lambda: any("no truth" in e for e in program.events("error")))
    program.wait("which stands over the view", lambda: program.place("Close this message"))
    display.do("key", "n")
    program.wait("and goes after the next action, though not before it can be read", lambda: not program.place("Close this message"))
    truth = by_batch(slide, region, "truth", "threshold=0.3")
    search(display, program, slide, region, truth)
    program.end()
    finish()


def grid(display, program, slide, region):
    display.do("key", "shift+g")
    done = program.wait("Shift+G shows nine", lambda: program.events("grid-done"))
    check(done and done[-1].split()[1] == "9", f"all of them {done}")
    print(done[-1].split()[2] + " ms")
    cells = [e.split()[1:] for e in program.events("grid-cell")]
    display.picture("nine")
    place, across, down, n, _ = cells[8]
    start = program.events("grid-start")[-1].split()
    file = by_batch(slide, region, "cell", f"{start[1]}={across}", f"{start[2]}={down}")
    want = len(json.loads(file.read_text())["features"])
    check(int(n) == want, f"the count of the last one is that of vitrail-batch {n} {want}")
    count, other = len(program.events("param-changed")), program.events("grid-cell")[0].split()
    words = program.labels(f"{float(other[2]):.2f} OD · {float(other[3]):.1f} µm")
    check(len(words) == 1, f"it says its values {words}")
    program.click(display, f"{float(other[2]):.2f} OD · {float(other[3]):.1f} µm {int(other[4]):,} objects".replace(",", ""))
    program.wait_more("param-changed", count, "a click takes the values over")
    program.settle(0.5)
    count = len(program.events("param-changed"))
    program.click(display, "Undo")
    program.wait_more("param-changed", count, "which can be undone")
    program.settle(0.5)


def search(display, program, slide, region, truth):
    count = len(program.events("compared"))
    program.action("compare-with-file", truth)
    program.wait_more("compared", count, "a truth is open")
    display.do("key", "shift+b")
    program.wait("Shift+B asks", lambda: program.place("Search"))
    check(not program.events("search-start"), "nothing runs yet")
    program.click(display, "Search")
    done = program.wait("it comes to its end", lambda: program.events("search-done"))
    n, best, second = (int(v) for v in done[-1].split()[1:])
    tries = [[float(v) for v in e.split()[3:]] for e in program.events("search-try")]
    check(len(tries) == n and tries[best] == max(tries) and tries[best][0] > tries[0][0], f"the best of {n} is better than the first {tries[best]}")
    others = tries[:best] + tries[best + 1:]
    check(tries[second] == max(others), "the runner-up is the next one")
    check(program.events("compared")[-1].split()[8] == f"{tries[0][0]:.4f}", "the first is what the window says of now")
    check([e.split()[1] for e in program.events("snapshot")] == ["0", "1"], "both are kept")
    check(bool(program.labels("of the field that was tuned on")), "it says what the scores are of")
    display.picture("search")
    before = [e.split()[3:] for e in program.events("search-try")]
    program.click(display, "Search")
    program.wait("it is asked once more", lambda: len(program.events("search-done")) > 1)
    after = [e.split()[3:] for e in program.events("search-try")][n:]
    check(after == before, "the same seed gives the same tries")
    program.click(display, "Search")
    program.wait("once more", lambda: len(program.events("search-try")) > 2 * n + 2)
    program.click(display, "Stop")
    stopped = program.wait("and it is stopped", lambda: len(program.events("search-done")) > 2 and program.events("search-done")[-1])
    check(int(stopped.split()[1]) < n, f"before its end {stopped}")
    program.click(display, "Wipe Best and Runner-Up")
    program.wait("the wipe compares them", lambda: program.events("wipe"))
    program.settle(0.5)
    display.picture("wipe")
    count = len(program.events("compared"))
    program.click(display, "Stop comparing")
    program.wait("when that ends, the truth is there again", lambda: "objects.geojson" in program.events("reference")[-1])


main()
