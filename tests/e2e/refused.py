# SPDX-License-Identifier: MIT
"""Candidates that an op refused, in the real window: as many of each reason as vitrail-batch has more objects without that limit; a click and a key
walk through them; they follow a parameter, and go.
usage: refused.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import subprocess
import sys

from desk import TMP, analysed, check, differing_pixels, exported_region, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def areas(slide, region, *settings):
    out = TMP / "-".join(("run",) + settings).replace("=", "-")
    command = [str(BATCH), "run", "nuclei-threshold", str(slide), "--region", region, "--stages", "objects", "--out", str(out)]
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True, capture_output=True)
    return [f["properties"]["measurements"]["Nucleus: Area µm^2"] for f in json.loads((out / "objects.geojson").read_text())["features"]]


def counts(program):
    """How many of each reason, in the last answer."""
    events = [e.split() for e in program.events() if e.startswith("refused")]
    last = len(events) - 1 - next(i for i, e in enumerate(reversed(events)) if e[0] == "refused-done")
    n = int(events[last][1])
    return {e[1]: int(e[3]) for e in events[last - n:last]}


def main():
    need("Xvfb", "xdotool", "import", "compare", "dbus-run-session", "gdbus")
    display, program, slide = analysed("vitrail-refused", APP, DEMO, "--set", "max-area=60")
    region = exported_region(program)
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "e")
    program.wait("without them there is no next one", lambda: any("No refused" in e for e in program.events("error")))
    before = display.picture("before")
    display.do("key", "shift+e")
    program.wait("Shift+E looks for them", lambda: program.events("refused-done"))
    program.settle(0.5)
    found, all_areas = counts(program), areas(slide, region, "min-area=0", "max-area=1e9")
    want = {"max-area": sum(a > 60 for a in all_areas), "min-area": sum(a < 10 for a in all_areas)}
    check(all(found[k] == v for k, v in want.items()) and want["max-area"] > 10, f"as many as there are without the limit {found} {want}")
    check(differing_pixels(before, display.picture("refused")) > 1000, "they are drawn")
    check(bool(program.labels("Maximum area: 60 µm²")), "with the reason")
    walk(display, program, found)
    told = program.labels("Maximum area: 60 µm²")
    layers = program.events("layers")[-1]
    display.do("key", "bracketright")
    program.wait("a stage is seen alone, without objects", lambda: program.events("layers")[-1] != layers)
    program.settle(0.7)
    check(told and program.labels("Maximum area: 60 µm²") == told and not program.events("refused-failed"), "what was refused stays")
    display.do("key", "bracketleft")
    program.wait("and all stages again", lambda: program.events("layers")[-1] == layers)
    program.settle(0.7)
    count = len(program.events("refused-done"))
    program.action("set-parameter", "max-area=400")
    program.wait_more("refused-done", count, "another limit is answered anew")
    check(counts(program)["max-area"] < found["max-area"], f"fewer are refused {counts(program)}")
    program.click(display, "Hide the refused candidates")
    program.wait("they go", lambda: program.events("refused")[-1] == "refused none")
    done = len(program.events("run-done"))
    program.action("set-parameter", "threshold=6")
    program.wait_more("run-done", done, "with a threshold that nothing passes there are no objects")
    program.settle(0.5)
    display.do("mousemove", canvas[0], canvas[1], "key", "shift+e")
    program.wait("nor any to ask, which is said as it is", lambda: any("the analysis found none" in e for e in program.events("error")))
    program.end()
    finish()


def walk(display, program, found):
    program.click(display, f"Maximum area: 60 µm²: {found['max-area']}")
    first = program.wait("a click on a reason goes to one", lambda: program.events("refused-at"))
    program.wait("which is in view", lambda: program.view()[0] < float(first[0].split()[2]) < program.view()[0] + program.view()[2])
    display.do("key", "e")
    program.wait("E to the next one", lambda: len(program.events("refused-at")) == 2 and program.events("refused-at")[1] != first[0])
    program.settle(0.7)
    display.do("mousemove", *program.find("Slide")[:2], "click", 1)
    program.wait("a click on it asks why", lambda: program.events("why-ways"))
    display.do("key", "Escape")
    program.settle(0.5)
    alone = display.picture("alone")
    program.click(display, "All Reasons")
    program.settle(0.5)
    check(differing_pixels(alone, display.picture("all")) > 100, "that reason was drawn alone, and all are again")


main()
