# SPDX-License-Identifier: MIT
"""The review of objects in the real window: what is said to flip an object does so in a run of vitrail-batch, and one step less does not; keys
accept, reject and go on, verdicts are in the table's file and in the session.
usage: review.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import concurrent.futures
import csv
import json
import pathlib
import subprocess
import sys

from desk import TMP, Display, Program, analysed, check, exported_region, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


class Objects:
    """Of a run: the level-0 pixels whose centres are inside each, even-odd. Only of those near to what is asked for: few are."""

    def __init__(self, path):
        self.boxes = []
        for feature in json.loads(path.read_text())["features"]:
            geometry = feature["geometry"]
            rings = [r for p in ([geometry["coordinates"]] if geometry["type"] == "Polygon" else geometry["coordinates"]) for r in p]
            xs, ys = zip(*(corner for ring in rings for corner in ring))
            self.boxes.append((min(xs), min(ys), max(xs), max(ys), rings))

    def near(self, x0, y0, x1, y1):
        return (pixels(rings) for left, top, right, bottom, rings in self.boxes if left <= x1 and right >= x0 and top <= y1 and bottom >= y0)

    def has(self, one):
        """Some object has an intersection over union above 0.5 with it."""
        xs, ys = zip(*one)
        return any(2 * len(one & other) > len(one | other) for other in self.near(min(xs), min(ys), max(xs) + 1, max(ys) + 1))


def pixels(rings):
    rows = {}
    for ring in rings:
        for (x0, y0), (x1, y1) in zip(ring, ring[1:]):
            for y in range(int(min(y0, y1)), int(max(y0, y1))):  # upright edges of whole pixels, at this resolution
                rows.setdefault(y, []).append(x0 + (x1 - x0) * (y + 0.5 - y0) / (y1 - y0))
    return {(x, y) for y, xs in rows.items() for a, b in zip(sorted(xs)[::2], sorted(xs)[1::2]) for x in range(int(a), int(b))}


def run(slide, region, settings):
    out = TMP / "-".join(["run", *settings])
    command = [str(BATCH), "run", "nuclei-threshold", str(slide), "--region", region, "--stages", "objects", "--out", str(out)]
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True, capture_output=True)
    return Objects(out / "objects.geojson")


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    display, program, slide = analysed("vitrail-review", APP, DEMO)
    region = exported_region(program)
    canvas = program.find("Slide")
    program.action("review-accept")
    program.wait("without a review there is nothing to accept", lambda: any("no review" in e for e in program.events("error")))
    display.do("mousemove", canvas[0], canvas[1], "key", "shift+r")
    program.wait("Shift+R measures", lambda: program.events("review-measured"))
    program.wait("and goes to the first", lambda: program.events("review-at"))
    exact(program)
    items = [e.split()[1:] for e in program.events("review-item")]
    verdicts(display, program)
    facts(items, slide, region)  # after the window, which asks for exact values all the while
    in_a_low_window(slide)
    finish()


def exact(program):
    """Of all objects by and by, and first of that which the card is at: where a test tells it, else the step in which it flips."""
    item = program.events("review-item")[int(program.events("review-at")[-1].split()[1])].split()
    told = program.wait("the exact value is asked for", lambda: [e for e in program.events("review-exact") if e.split()[1:3] == item[1:3]])
    words = "between" if told[-1].endswith(" nan") else " at "
    count = len(program.events("review-exact"))
    program.wait_more("review-exact", count, "and without a key of the others, too")
    program.wait("of which the card counts how many", lambda: program.labels("exact values: "))
    program.wait("and the card has it, or between which values it lies", lambda: any(" step" in label and words in label for label in program.labels(" step")))


def facts(items, slide, region):
    ways = sorted({tuple(item[2:]) for item in items if int(item[2]) <= 8})[::2]
    needed = {(), *((f"{param}={value}",) for n, param, flips, less in ways for value in ([flips, less] if int(n) > 1 else [flips]))}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        runs = dict(zip(needed, pool.map(lambda settings: run(slide, region, settings), needed)))
    checked = wrong = 0
    for n, param, flips, less in ways:
        for x, y in [item[:2] for item in items if tuple(item[2:]) == (n, param, flips, less)][:6]:
            one = next(o for o in runs[()].near(int(x), int(y), int(x), int(y)) if (int(x), int(y)) in o)
            wrong += runs[f"{param}={flips}",].has(one)
            wrong += int(n) > 1 and not runs[f"{param}={less}",].has(one)
            checked += 1
    check(checked >= 12 and wrong == 0, f"{checked} objects flip at what is said and not one step before, {wrong} wrong, {len(needed)} runs")


def verdicts(display, program):
    first = program.events("review-item")[0].split()[1:3]
    display.do("key", "1")
    program.wait("1 accepts it", lambda: program.events("review-verdict") == [f"review-verdict {' '.join(first)} 1"])
    program.wait("and goes on", lambda: program.events("review-at")[-1].split()[1] == "1")
    display.do("key", "2")
    program.wait("2 rejects one", lambda: program.events("review-verdict")[-1].endswith(" 0") and program.events("review-at")[-1].split()[1] == "2")
    display.do("key", "j")
    program.wait("J goes on", lambda: program.events("review-at")[-1].split()[1] == "3")
    display.do("key", "shift+j", "key", "shift+j", "key", "shift+j")
    program.wait("Shift+J back", lambda: program.events("review-at")[-1].split()[1] == "0")
    program.wait("where it says that this one is accepted", lambda: program.labels("Accepted"))
    program.action("review-colour")
    program.wait("objects are coloured by it", lambda: program.events("measure")[-1:] and "Steps to flip" in program.events("measure")[-1])
    display.do("key", "shift+t")
    program.wait("the table has them", lambda: program.events("table-objects"))
    program.settle(0.5)
    display.picture("table")
    place = program.find("Filter of the objects")
    display.do("mousemove", place[0], place[1], "click", 1)
    display.do("type", "accepted >= 0")
    program.wait("judged ones are filtered", lambda: program.events("table-objects")[-1] == "table-objects 2")
    path = TMP / "rows.csv"
    program.action("export-objects-to", path)
    program.wait("the rows are saved", lambda: program.events("table-saved"))
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    check(sorted(r["Review: Accepted"] for r in rows) == ["0", "1"], "with the verdicts as a column")
    check({r["Review: Steps to flip (16: more than 8)"] for r in rows} == {"1"}, "and the steps")
    session = TMP / "a.vitrail"
    program.action("save-session-to", session)
    program.wait("the session is saved", session.exists)
    view = json.loads(session.read_text())["tabs"][0]["views"][0]
    check([v["accepted"] for v in view["verdicts"]] == [True, False], f"with both verdicts {view['verdicts']}")
    program.end()


def in_a_low_window(slide):
    """With the table open, at twice the size of all: the card ends above the legend of the objects' colours, and scrolls."""
    display = Display("vitrail-review-low", 1800, 1340)
    program = Program(display, APP, "--op", "nuclei-threshold", "--live", "--zoom", "20", slide, GDK_SCALE="2")
    program.wait("a low window has the analysis", lambda: program.events("run-done"))
    program.settle(0.5)
    x, y = program.find("Slide")[:2]
    display.do("mousemove", x, y, "key", "shift+r")
    runs = len(program.events("run-done"))
    program.wait("Shift+R measures", lambda: program.events("review-at"))
    live_waits(display, program, runs)
    program.action("review-colour")
    program.wait("objects are coloured by it", lambda: program.events("measure"))
    display.do("mousemove", x, y, "key", "shift+t")
    program.wait("the table is there", lambda: program.events("table-objects"))

    def ends_above():  # the program is never idle: exact values come all the while
        end, corner = (int(word) for word in program.events("cards-end")[-1].split()[1::2])
        return corner > 120 and end == program.place("Slide")[5] - corner  # 67 without the legend
    program.wait("the cards end above scale and legend", ends_above)
    display.picture("low")
    count = len(program.events("cards-end"))
    program.action("review-colour")
    program.wait_more("cards-end", count, "with a lower legend they have more room")
    runs = len(program.events("run-done"))
    program.action("review-end")
    program.wait_more("run-done", runs, "once the review is closed, the view is analysed live")
    program.end()


def live_waits(display, program, runs):
    """The view goes to an object at the edge, or away by hand: a result of the new view would end the review."""
    display.do("key", "shift+Right", "key", "shift+Down")
    program.wait("what was not analysed is said, and why", lambda: program.labels("Live runs wait") and program.labels("Part of this view"))
    count = len(program.events("review-at"))
    for _ in range(3):
        display.do("key", "j")
        count += 1
        program.wait("the next object", lambda: len(program.events("review-at")) == count)
    check(all(e.endswith(" 1") for e in program.events("review-at")), "each of them is there")
    check(len(program.events("run-done")) == runs, "no run took the place of what is under review")


main()
