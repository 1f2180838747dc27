# SPDX-License-Identifier: MIT
"""Why a texture map has its value: the runs of grey levels through a pixel, in the real window, each lit on the tissue by the pointer, a click or the
keyboard. That they are the runs that the map counts the unit test host-trail shows.
usage: runs-through.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import subprocess
import sys

from desk import TMP, Display, Program, check, demo_slide, differing_pixels, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
NAMES = ("Run along its row", "Run along the falling diagonal", "Run along its column", "Run along the rising diagonal")


def lit(program):
    events = program.events("why-run-lit")
    return events[-1].split()[1] if events else "-1"


def in_batch(program, slide, runs):
    """The same runs, and in words."""
    place = ",".join(program.events("why")[-1].split()[1:3])
    command = [str(BATCH), "why", "glrlm-map", str(slide), "--at", place, "--set", "stride=1"]
    told = json.loads(subprocess.run([*command, "--json"], check=True, capture_output=True, text=True).stdout)["runs-through"]
    check([(str(told["level"]), str(run["length"])) for run in told["runs"]] == [(run[3], run[5]) for run in runs], f"vitrail-batch why tells the same runs {told}")
    words = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    check(f"dir-1-0: length {runs[0][5]}, from" in words, "and prints them")


def two_maps():
    """The recipe of the texture map, with a second map of small windows."""
    recipe = json.loads(subprocess.run([str(BATCH), "recipe", "export", "glrlm-map"], check=True, capture_output=True, text=True).stdout)
    recipe["id"], recipe["title"] = "two-maps", "Two maps"
    pixels, coarse = recipe["nodes"][0], recipe["nodes"][-1]
    fine = {**coarse, "id": "fine", "stage": "fine", "settings": {**coarse["settings"], "window": 5, "stride": 1}}
    recipe["nodes"] = [pixels, {**coarse, "when": "1"}, fine]
    recipe["inputs"] = recipe["inputs"][:1]
    recipe["stages"].append({**recipe["stages"][0], "id": "fine", "title": "Fine texture"})
    file = TMP / "two-maps.recipe.json"
    file.write_text(json.dumps(recipe))
    return file


def of_two(display, slide):
    """Each map's runs are those of its own windows, below its value; one line is lit at a time."""
    recipe = two_maps()
    program = Program(display, APP, "--op", "two-maps", "--set", "stride=1", "--live", "--zoom", 80, "--centre", "1000,1000", slide,
                      VITRAIL_RECIPE_PATH=str(TMP))
    program.wait("two textures are there", lambda: program.events("run-done"))
    program.settle(0.5)
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "y")
    program.wait("Y tells the runs of both", lambda: len(program.events("why-runs")) == 2)
    program.settle(0.5)
    runs = [e.split() for e in program.events("why-run")]
    check([r[7] for r in runs] == ["result"] * 4 + ["fine"] * 4, f"four of each {runs}")
    check(all(int(fine[5]) <= 5 for fine in runs[4:]), "none is longer than its window")
    program.wait("with the window of one", lambda: program.labels("in the window of 15 × 15 pixels"))
    program.wait("and of the other", lambda: program.labels("in the window of 5 × 5 pixels"))
    names = [f"{title}: {NAMES[0]}: length {run[5]} pixel{'s' * (run[5] != '1')}" for title, run in (("Texture", runs[0]), ("Fine texture", runs[4]))]
    for name in names:
        count = len(program.events("why-run-lit"))
        program.click(display, name)  # which lets go of the line of the other map, and that is told last
        program.wait(f"a click lights {name}", lambda: "why-run-lit 0" in program.events("why-run-lit")[count:])
        display.do("mousemove", canvas[2] + 20, canvas[3] + 100)
        program.settle(0.5)
        display.picture(name.split(":")[0].lower().replace(" ", "-"))
    place = ",".join(program.events("why")[-1].split()[1:3])
    command = [str(BATCH), "why", str(recipe), str(slide), "--at", place, "--set", "stride=1"]
    told = json.loads(subprocess.run([*command, "--json"], check=True, capture_output=True, text=True).stdout)["runs-through-maps"]
    check([(one["stage"], str(run["length"])) for one in told for run in one["runs"]] == [(run[7], run[5]) for run in runs], f"vitrail-batch why tells the same {told}")
    check([one["window-width"] for one in told] == [15, 5], "with both windows")
    words = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    check("     fine:\n     runs through the pixel: " in words, f"and prints them {words}")
    program.end()


def main():
    need("Xvfb", "xdotool", "import", "compare", "dbus-run-session", "gdbus")
    slide = demo_slide(DEMO)
    display = Display("vitrail-runs-through")
    program = Program(display, APP, "--op", "glrlm-map", "--set", "stride=1", "--live", "--zoom", 80, "--centre", "1000,1000", slide)
    program.wait("the texture is there", lambda: program.events("run-done"))
    program.settle(0.5)
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "y")
    program.wait("Y asks", lambda: program.events("why-answer"))
    program.wait("and has the runs", lambda: program.events("why-runs") == ["why-runs 1"])
    program.settle(0.5)
    runs = [e.split() for e in program.events("why-run")]
    check([r[1] for r in runs] == list("0123") and len({r[3] for r in runs}) == 1, f"one of each direction, of the pixel's level {runs}")
    in_batch(program, slide, runs)
    names = [f"{name}: length {run[5]} pixel{'s' * (run[5] != '1')}" for name, run in zip(NAMES, runs)]
    before = display.picture("before")
    for d in (0, 1):
        x, y = program.find(names[d])[:2]
        display.do("mousemove", x - 3, y - 3, "sleep", 0.05, "mousemove", x, y)
        program.wait(f"the pointer lights one: {names[d]}", lambda: lit(program) == str(d))
        program.settle(0.3)
        box = f"{canvas[4] // 2}x{canvas[5] // 2}+{canvas[2] + canvas[4] // 4}+{canvas[3] + canvas[5] // 4}"
        check(differing_pixels(before, display.picture(f"lit-{d}"), box) > 0, "on the tissue")
    display.do("click", 1, "sleep", 0.1, "mousemove", canvas[2] + 20, canvas[3] + 100)
    program.wait("a click keeps it", lambda: lit(program) == "1")
    program.settle(0.3)
    display.picture("pressed")
    display.do("key", "Tab")
    for _ in range(40):
        if lit(program) == "2":
            break
        display.do("key", "Tab")
    program.wait("the keyboard lights the next one", lambda: lit(program) == "2")
    display.do("key", "space")
    program.settle(0.3)
    count = len(program.events("why-runs"))
    program.action("set-parameter", "levels=8")
    program.wait_more("why-runs", count, "another number of levels: asked again")
    program.settle(0.5)
    check(lit(program) in ("2", "-1"), "and what was lit is no more")
    display.do("key", "Escape")
    program.wait("Escape closes the answer", lambda: program.events("why")[-1] == "why none")
    program.end()
    of_two(display, slide)
    finish()


if __name__ == "__main__":
    main()
