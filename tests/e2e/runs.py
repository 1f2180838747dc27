# SPDX-License-Identifier: MIT
"""What a run shows and where it works, with real pointer and key events: a coarse preview never looks final, Run gives what was
asked for, on the view, a region or the whole slide, streamed where memory does not hold it; what is stale says so.
usage: runs.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import subprocess
import sys
import time

from desk import SLOW, TMP, Display, Program, check, differing_pixels, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
SIZE = 2048


def shown(program):
    """What the layers show: "preview" or "final", its pixel size, the one asked for, the number of objects."""
    word, used, asked, n = program.events("shown")[-1].split()[1:]
    return word, float(used), float(asked), int(n)


def batch(slide, name, *args):
    out = TMP / name
    subprocess.run([str(BATCH), "run", "nuclei-threshold", str(slide), "--out", str(out), *args], check=True, stdout=subprocess.DEVNULL)
    return out


def n_objects(folder):
    return len(json.loads((folder / "objects.geojson").read_text())["features"])


def preview(display, program):
    """Live at low power."""
    display.do("mousemove", 450, 450, "key", "0")
    program.wait("the whole slide is in view", lambda: program.view()[0] <= 0)
    program.settle()
    word, used, asked, n = shown(program)
    check(word == "preview" and used > asked == 0.5, f"a live run of all of it is a preview: {word} {used} {asked}")
    words = f"Preview at {used:.3g} µm/px, asked for 0.5"
    program.wait("picture, status bar and panel say so", lambda: len(program.labels(words)) == 3)
    check(program.labels(f"about {n:,} pieces, preview") or program.labels(f"about {n} pieces, preview"),
          f"its {n} objects are pieces {program.labels('pieces')}")
    counts = [t for t in program.labels(str(n)) if "pieces" not in t]
    check(not counts, f"and nothing else says that there are so many objects {counts}")
    display.picture("preview")
    folder = TMP / "preview"
    for answer, keys in (("cancel", ["Escape"]), ("export", None)):
        n_asked = len(program.events("preview-question"))
        program.action("export-results-to", folder)
        program.wait_more("preview-question", n_asked, "before it is exported there is a question")
        time.sleep(0.7 * SLOW)
        display.picture("preview-question")
        if keys:
            display.do("key", *keys)
        else:
            program.click(display, "Export the Preview")
        program.wait(f"the answer is {answer}", lambda: program.events("preview-answer")[-1].endswith(answer))
        if keys:
            time.sleep(0.5 * SLOW)
            check(not folder.exists(), "and nothing was written")
    program.wait("the preview is exported", (folder / "record.json").exists)
    warnings = json.loads((folder / "record.json").read_text())["warnings"]
    check(any("asked for 0.5" in w for w in warnings), f"with a warning in its record {warnings}")


def run_view(display, program, slide):
    """F5 on what is seen, which is the whole slide."""
    done = len(program.events("run-done"))
    display.do("mousemove", 450, 450, "key", "F5")
    program.wait_more("run-done", done, "F5 runs")
    program.settle()
    word, used, asked, n = shown(program)
    expected = n_objects(batch(slide, "whole", "--stages", "objects"))
    check((word, used, n) == ("final", 0.5, expected), f"at what was asked for: {word} {used} {n}, batch has {expected}")
    check(not program.labels("Preview at"), "and nothing is a preview any more")
    program.wait("nor is what lies under a pointer that rests", lambda: "preview" not in program.events("probe")[-1])
    display.picture("full")
    folder = TMP / "full"
    program.action("export-results-to", folder)
    program.wait("it is exported without a question", (folder / "record.json").exists)
    check((folder / "objects.geojson").read_bytes() == (TMP / "whole" / "objects.geojson").read_bytes(), "as batch writes it")
    starts = len(program.events("run-start"))
    for key in ("plus", "plus", "Right", "Down", "1"):
        display.do("key", key)
        program.settle(0.5)
    check(len(program.events("run-start")) == starts and shown(program)[3] == n,
          "it stays while the view moves and goes closer, with Live on, too")
    display.picture("full-close")


def set_threshold(display, program, value):
    changes = len(program.events("param-changed"))
    place = program.find("Reset Threshold")  # the number stands right of it
    display.do("mousemove", place[0] + 36, place[1], "click", 1, "key", "ctrl+a")
    display.do("type", "--delay", 10, str(value))
    display.do("key", "Return")
    program.wait_more("param-changed", changes, f"the threshold is {value}")
    display.do("mousemove", 450, 450)


def stale(display, program):
    """Without Live a changed parameter makes what is seen out of date."""
    display.do("mousemove", 450, 450, "key", "alt+v")
    program.settle()
    time.sleep(0.5 * SLOW)
    before = display.picture("before-stale")
    set_threshold(display, program, 0.2)
    program.wait("what is seen is out of date", lambda: program.events("stale")[-1].startswith("stale 1"))
    program.wait("picture, status bar and panel say so", lambda: len(program.labels("Out of date")) == 3)
    time.sleep(0.5 * SLOW)
    check(differing_pixels(before, display.picture("stale")) > 2000, "and it is faded")
    set_threshold(display, program, 0.1)
    program.wait("with the former value it is not", lambda: program.events("stale")[-1].startswith("stale 0"))


def draw(display, program, x, y, width=200, height=120):
    count = len(program.events("roi-added"))
    display.do("mousemove", 450, 450, "click", 1)  # the keys are the picture's again
    time.sleep(0.3 * SLOW)
    display.do("key", "r")
    time.sleep(0.3 * SLOW)
    display.do("mousemove", x, y, "mousedown", 1)
    for step in range(1, 11):
        display.do("mousemove", x + width * step // 10, y + height * step // 10)
    display.do("mouseup", 1, "key", "Escape")
    program.wait_more("roi-added", count, "a region is drawn")
    program.settle()


def regions(display, program, slide):
    """Rectangles that were drawn, chosen as where Run works by the drop-down: all of them in one run, saved with their names."""
    display.do("mousemove", 450, 450, "click", 1, "key", "g", "key", "F5")
    program.wait("without regions there is nothing to run on", lambda: program.events("error"))
    check(program.labels("Regions (none drawn)"), "as the choice says")
    display.do("key", "v")
    program.wait("which nothing says of another choice", lambda: not program.labels("no regions to run on"))
    display.do("key", "g", "key", "F5")
    program.wait_more("error", 1, "it is said again")
    draw(display, program, 350, 300)
    program.wait("until there is one", lambda: not program.labels("no regions to run on"))
    display.do("key", "v")
    draw(display, program, 620, 470)
    view = program.view()
    display.do("mousemove", 1150, 650)
    for _ in range(60):
        display.do("click", 4)
    time.sleep(0.7 * SLOW)
    program.click(display, "Show Labels")
    program.settle()
    program.click(display, "Run on")
    time.sleep(0.5 * SLOW)
    display.do("key", "Down", "key", "Return")
    time.sleep(0.5 * SLOW)
    check(program.labels("Regions (2)"), "which are counted")
    done = len(program.events("run-done"))
    program.click(display, "Run")
    program.wait_more("run-done", done, "Run runs on them")
    check(program.events("run-on")[-1] == "run-on regions", "on regions")
    program.settle()
    folder = TMP / "regions"
    program.action("export-results-to", folder)
    program.wait("it is exported", (folder / "record.json").exists)
    record = json.loads((folder / "record.json").read_text())
    parts = record["regions"]
    check([p["name"] for p in parts] == ["ROI 1", "ROI 2"], "with both regions")
    check(all(abs(p["region"][2] - 200 * view[4]) <= 3 and abs(p["region"][3] - 120 * view[4]) <= 3 for p in parts),
          f"which are the rectangles {[p['region'] for p in parts]}")
    check(shown(program)[3] == record["objects"] == sum(p["objects"] for p in parts) == n_objects(folder) > 0,
          f"the objects of both are counted: {record['objects']}")
    rows = (folder / "features.csv").read_text().splitlines()[1:]
    check([sum(f",{p['name']},Polygon," in r for r in rows) for p in parts] == [p["objects"] for p in parts],
          "and the table has the region of each")
    for number, part in enumerate(parts, 1):
        alone = batch(slide, f"alone-{number}", "--region", ",".join(map(str, part["region"])))
        rasters = [n for n in part["files"] if n.endswith(".tif")]
        check(rasters and all((folder / n).read_bytes() == (alone / n.replace(f"-{number}.", ".")).read_bytes() for n in rasters),
              f"{part['name']} has the rasters that batch makes of it alone: {rasters}")
        check(json.loads((alone / "record.json").read_text())["resolved"]["um-per-px"] == part["resolved"]["um-per-px"], "on the same grid")
    display.picture("regions")
    display.do("mousemove", 450, 450, "click", 1, "key", "ctrl+z", "key", "ctrl+z")  # the layer that was shown is the last step
    says = lambda: [e for e in program.events("stale") if len(e.split()) == 3][-1]  # the table of regions has one, too
    program.wait("without one of its regions the result is out of date", lambda: says() == "stale 1 0")
    time.sleep(0.5 * SLOW)
    display.picture("regions-stale")
    display.do("key", "ctrl+shift+z", "key", "ctrl+shift+z")
    program.wait("with it again it is not", lambda: says() == "stale 0 0")


def streamed(display):
    """The whole slide where memory does not hold it: through files, with its stage, percentage and time. It is large enough for a fast
    machine to be at work for seconds."""
    slide = TMP / "large.svs"
    subprocess.run([str(DEMO), str(slide), "--size", str(3 * SIZE)], check=True, stdout=subprocess.DEVNULL)
    same = batch(slide, "stages", "--stages", "labels,objects", "--memory", "60M")
    program = Program(display, APP, "--op", "nuclei-threshold", "--zoom", "20", slide, VITRAIL_RUN_MB="60",
                      XDG_CACHE_HOME=str(TMP / "cache"))
    program.wait("the slide opens", lambda: program.events("slide-open"))
    program.settle()
    program.click(display, "Show Labels")
    display.do("mousemove", 450, 450, "click", 1, "key", "shift+v", "key", "F5")
    program.wait("W and F5 run on the whole slide", lambda: program.events("run-on") == ["run-on slide"])
    program.wait("stage, percentage and time left are said",
                 lambda: [e for e in program.events("progress") if "Whole slide: " in e and " % · " in e and e.endswith(" s left")])
    display.picture("streaming")
    display.do("key", "Right")
    program.wait("it comes to its end while the view moves", lambda: program.events("run-done"))
    program.settle()
    word, used, _, n = shown(program)
    check((word, used, n) == ("final", 0.5, n_objects(same)), f"with all objects: {word} {used} {n}")
    display.picture("streamed")
    folder = TMP / "streamed"
    program.action("export-results-to", folder)
    program.wait("it is exported", (folder / "record.json").exists)
    rasters = sorted(p.name for p in folder.glob("*.tif"))
    check(rasters == ["labels.tif"] and all((folder / n).read_bytes() == (same / n).read_bytes() for n in rasters),
          f"its rasters are the files that batch writes: {rasters}")
    done = len(program.events("run-done"))
    display.do("key", "F5")
    program.wait_more("run-start", 1, "it can be run again")
    display.do("key", "shift+F5")
    program.wait("and be cancelled", lambda: program.events("run-cancelled"))
    program.settle()
    check(len(program.events("run-done")) == done and shown(program)[3] == n, "what was shown stays")
    check(program.labels(f"{n:,} objects ·") or program.labels(f"{n} objects ·"), f"and what was said of it {program.labels(' objects')}")
    program.wait("no scratch files are left", lambda: {p.name for p in (TMP / "cache").glob("vitrail/*")} <= {"plugins.ini"})
    program.end()


def main():
    need("Xvfb", "xdotool", "import", "convert", "compare", "dbus-run-session", "gdbus")
    slide = TMP / "demo.svs"
    subprocess.run([str(DEMO), str(slide), "--size", str(SIZE)], check=True, stdout=subprocess.DEVNULL)
    display = Display("vitrail-runs")
    program = Program(display, APP, "--op", "nuclei-threshold", "--live", "--zoom", "20", slide)
    program.wait("live analysis comes to an end", lambda: program.events("run-done"))
    program.settle()
    check(shown(program)[0] == "final" and not program.labels("Preview at"), "at 20x it is no preview")
    preview(display, program)
    run_view(display, program, slide)
    stale(display, program)
    regions(display, program, slide)
    program.end()
    streamed(display)
    finish()


main()
