# SPDX-License-Identifier: MIT
"""Why a place is of no object, asked in the real window with real keys and clicks: the tests are those of vitrail-batch, a value
that is said to turn it round does so, its button sets it and can be undone, a change of the view or of a parameter is answered anew.
usage: why.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import math
import pathlib
import subprocess
import sys

from desk import TMP, Display, Program, analysed, check, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
MASK = "Mask: Yes. The tests it combines must all hold."
LIMIT = 40  # µm²: less than most nuclei have


def ask(display, program, what, *at):
    """The words of the answer, once every change has been tried: place, rectangle, µm per pixel, tests, object."""
    answers, tried = len(program.events("why-answer")), len(program.events("why-tried"))
    display.do("mousemove", at[0] - 3, at[1] - 3)
    display.do("mousemove", *at)
    display.do("key", "y")
    return wait_answer(program, what, answers, tried)


def wait_answer(program, what, answers, tried):
    line = program.wait_more("why-answer", answers, what)
    program.wait_more("why-tried", tried, "and the other values are tried")
    return line.split()[1:] if line else [""] * 5


def by_batch(slide, place, region):
    done = subprocess.run([str(BATCH), "why", "nuclei-threshold", str(slide), "--at", place, "--region", region, "--set",
                           f"max-area={LIMIT}", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def find_refused(slide, view):
    """A place in the view, in level-0 pixels, in a nucleus that is too large: from the objects without the limit."""
    out = TMP / "all"
    region = ",".join(str(int(v)) for v in view[:4])
    subprocess.run([str(BATCH), "run", "nuclei-threshold", str(slide), "--region", region, "--out", str(out)], capture_output=True, check=True)
    objects = json.loads((out / "objects.geojson").read_text())["features"]
    middle = view[0] + view[2] / 2, view[1] + view[3] / 2
    large = []
    for f in objects:
        measured = f["properties"]["measurements"]
        ring = f["geometry"]["coordinates"]
        ring = ring[0] if f["geometry"]["type"] == "Polygon" else ring[0][0]
        x, y = (sum(p[i] for p in ring[:-1]) / (len(ring) - 1) for i in (0, 1))
        if measured["Nucleus: Area µm^2"] > LIMIT + 20 and measured["Nucleus: Solidity"] > 0.95:
            large.append((abs(x - middle[0]) + abs(y - middle[1]), x, y))
    return min(large)[1:]


def in_two_views(display, program, canvas):
    """What stands at the top of a view leaves its name to be read, also below a sentence."""
    display.do("mousemove", canvas[0], canvas[1], "key", "alt+5", "key", "ctrl+2")
    program.wait("of two views each has its name", lambda: len(program.places("demo.svs")) > 2)
    program.settle(0.5)
    display.do("mousemove", canvas[2] + canvas[4] // 4, canvas[1], "key", "greater")
    program.wait("an object has a card", lambda: program.place("Next object (>)"))
    ask(display, program, "and so has a place", canvas[2] + canvas[4] // 4, canvas[1])
    program.action("close-message")
    program.settle(0.5)
    display.picture("two-views")

    def below_name():
        """How far below the top of the view its name ends, and how much lower the cards begin."""
        top = program.place("Slide")[3]
        _, y, _, height = next(p for p in program.places("demo.svs") if p[1] >= top)
        return y + height - top, min(program.place(card)[3] for card in ("Next object (>)", "Why Here")) - y - height
    before, between = below_name()
    check(between > 0, f"the cards begin below the name, by {between} pixels")
    program.action("import-regions-from", TMP / "gone.geojson")
    program.wait("a sentence comes above it", lambda: below_name()[0] >= before + 20)
    program.wait("and the cards stay below it, when it has come", lambda: below_name()[1] == between)
    display.picture("two-views-sentence")


def in_low_views(slide):
    """A view with a card, its name and a sentence may get lower than these are together: what has no room is out of sight, and GTK has nothing to say."""
    display = Display("vitrail-low", 1024, 700)
    program = Program(display, APP, "--op", "nuclei-threshold", "--zoom", 20, "--centre", "1000,1000", slide)
    program.wait("low views: sharp", lambda: program.events("sharp"))
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "F5")
    program.wait("the view is analysed", lambda: program.events("run-done"))
    for keys in ("ctrl+2", "greater"):
        display.do("mousemove", canvas[2] + 100, canvas[3] + 100, "key", keys)
        program.settle(0.5)
    program.action("gate-regions")
    program.wait("a sentence of some lines", lambda: program.labels("Select the regions"))
    display.do("key", "shift+p", "key", "shift+s")
    program.wait("classes and stages leave a view little height", lambda: program.place("By Examples") and program.place("Slide")[5] < 180)
    program.settle(0.5)
    display.picture("views")
    program.end()



def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    display, program, slide = analysed("vitrail-why", APP, DEMO, "--set", f"max-area={LIMIT}")
    view = program.view()
    refused = find_refused(slide, view)
    canvas = program.find("Slide")
    at = [canvas[2] + round(refused[0] - view[0]), canvas[3] + round(refused[1] - view[1])]
    place, region, pixel, n_tests, number = ask(display, program, "Y asks why", *at)
    check(max(abs(int(a) - b) for a, b in zip(place.split(","), refused)) <= 2, f"at the pointer {place} {refused}")
    check(pixel == "0.5" and number == "0", "it is in no object, at 0.5 µm a pixel")
    batch = by_batch(slide, place, region)
    tried = {e.split()[1]: int(e.split()[2]) for e in program.events("why-trial")}
    check(batch["object"] == 0 and len(batch["verdicts"]) == int(n_tests), "vitrail-batch makes the same tests")
    check(len(tried) == sum("critical" in v for v in batch["verdicts"]), f"and knows as many changes {tried}")
    change = next((t for t in tried if t.startswith("max-area=")), "max-area=")
    check(tried.get(change, 0) > 0, f"a larger limit puts it into an object {tried}")
    ways(display, program, slide, place, region)
    steps(display, program, slide, place, region)
    button = f"Maximum area: {LIMIT} → {change.split('=')[1]} µm²"
    display.picture("refused")
    answers, trials = len(program.events("why-answer")), len(program.events("why-tried"))
    program.click(display, button)
    line = wait_answer(program, "its button sets the limit, and it is asked again", answers, trials)
    check(line[0] == place and line[4] != "0", f"the place is of an object now {line}")
    check(bool(program.labels(f"In Object {line[4]}")), "which the card says")
    answers, trials = len(program.events("why-answer")), len(program.events("why-tried"))
    program.click(display, "Undo")
    line = wait_answer(program, "Undo takes it back", answers, trials)
    check(line[4] == "0" and bool(program.labels("In No Object")), "and it is in no object again")
    stage = program.events("layers")[-1]
    program.click(display, MASK)
    program.wait("a test shows its stage alone", lambda: program.events("layers")[-1] not in (stage, "layers "))
    program.click(display, MASK)
    program.wait("and all again", lambda: program.events("layers")[-1] == stage)
    lines(display, program)
    merged(display, program, slide, view, canvas)
    others(display, program, canvas)
    display.do("mousemove", canvas[0], canvas[1], "key", "0")
    program.settle(0.5)
    display.do("mousemove", canvas[2] + 12, canvas[1], "key", "y")
    program.wait("beside the slide there is nothing to ask about, which is said", lambda: program.labels("beside the slide"))
    in_two_views(display, program, canvas)
    program.end()
    in_a_low_window(slide)
    in_low_views(slide)
    finish()


def in_a_low_window(slide):
    """The card ends above the minimap, at twice the size of all."""
    display = Display("vitrail-why-low", 1280, 1000)
    program = Program(display, APP, "--op", "nuclei-threshold", "--live", "--zoom", "20", slide, GDK_SCALE="2")
    program.wait("a low window has the analysis", lambda: program.events("run-done"))
    canvas = program.find("Slide")
    ask(display, program, "and an answer", *canvas[:2])
    program.settle(0.5)
    card, minimap = program.place("Why Here"), program.place("Minimap")
    display.picture("low")
    check(card and minimap and card[3] + card[5] <= minimap[3], f"the card ends above the minimap {card} {minimap}")


def lines(display, program):
    """A line shows the pixels that it is about, also where no stage shows them, and has the slider of its limit beside it."""
    bright = next(iter(program.labels("Smoothed ")), "Smoothed")
    program.click(display, bright)
    program.wait("a line without a stage shows its pixels", lambda: [e for e in program.events("why-pixels") if e.startswith("why-pixels of")], 60)
    display.picture("pixels")
    n_pixels, answers, tried = len(program.events("why-pixels")), len(program.events("why-answer")), len(program.events("why-tried"))
    slider = program.find("Limit of this test: Threshold")
    display.do("mousemove", slider[0], slider[1], "click", 1)
    program.wait("a click on the slider beside it sets the limit", lambda: program.events("why-slid"))
    wait_answer(program, "which is answered", answers, tried)
    program.wait_more("why-pixels", n_pixels, "and the pixels are those of the new answer", 60)
    check(bool(program.place("Limit of this test: Threshold")), "the slider is still there")
    answers, tried = len(program.events("why-answer")), len(program.events("why-tried"))
    program.action("set-parameter", "threshold=0.1")
    wait_answer(program, "the limit goes back", answers, tried)


def merged(display, program, slide, view, canvas):
    """A hill that is merged with its neighbour: the saddle is told and drawn, and the depth of seeds that parts them."""
    features = json.loads((TMP / "all" / "objects.geojson").read_text())["features"]
    features.sort(key=lambda f: f["properties"]["measurements"]["Nucleus: Solidity"])
    told = []
    for feature in features:
        ring = feature["geometry"]["coordinates"]
        ring = ring[0] if feature["geometry"]["type"] == "Polygon" else ring[0][0]
        x, y = (int(sum(p[i] for p in ring[:-1]) / (len(ring) - 1)) for i in (0, 1))
        if told or not (view[0] + 80 < x < view[0] + view[2] / 2 and view[1] + 80 < y < view[1] + view[3] - 80):
            continue
        done = subprocess.run([str(BATCH), "why", "nuclei-threshold", str(slide), "--at", f"{x},{y}", "--region", f"{max(x - 150, 0)},{max(y - 150, 0)},300,300",
                               "--json"], capture_output=True, text=True)
        told = [(v, x, y) for v in json.loads(done.stdout or '{"verdicts": []}')["verdicts"] if v.get("tested") == "depth" and not v["holds"]]
    if not check(bool(told), "a hill is merged with its neighbour"):
        return
    verdict, x, y = told[0]
    ask(display, program, "it is asked about", canvas[2] + round(x - view[0]), canvas[3] + round(y - view[1]))
    words = program.wait("the card tells the saddle", lambda: program.labels("merged with its neighbour over the saddle at"))
    check(f"x {verdict['saddle-x']:.0f}, y {verdict['saddle-y']:.0f} px" in words[0], f"that of vitrail-batch {words} {verdict}")
    check(bool(program.labels("Parted from its neighbour: ")), "and the depth of seeds that parts them, as a button")
    program.click(display, words[0])
    program.settle(0.5)
    display.picture("saddle")


def ways(display, program, slide, place, region):
    """From where the values came, against the rasters that vitrail-batch writes of the same rectangle."""
    program.wait("the ways are told", lambda: program.events("why-ways"))
    told = {e.split()[1]: e.split()[2:] for e in program.events("why-way")}
    check(list(told) == ["labels", "seeds", "distance", "filled", "background"], f"of each stage that comes of something that spreads {told}")
    x, y = (int(n) for n in place.split(","))
    distance = told["distance"]
    check(abs(math.hypot(x + 0.5 - float(distance[3]), y + 0.5 - float(distance[4])) * 0.5 - float(distance[2])) < 1e-3,
          f"the nearest pixel outside is as far as the distance says {distance}")
    out = TMP / "ways"
    subprocess.run([str(BATCH), "run", "nuclei-threshold", str(slide), "--region", region, "--stages", "background,filled,distance,seeds", "--out", str(out)],
                   capture_output=True, check=True)
    left, top = (int(n) for n in region.split(",")[:2])

    def value(stage, at_x, at_y):
        done = subprocess.run(["convert", str(out / f"{stage}.tif"), "-crop", f"1x1+{int(float(at_x)) - left}+{int(float(at_y)) - top}", "+repage",
                               "-depth", "16", "txt:"], capture_output=True, text=True, check=True)
        return float(done.stdout.splitlines()[1].split("(")[1].split(",")[0].split(")")[0])
    check(value("seeds", *told["labels"][3:]) > 0, "the way of the labels ends in a seed")
    check(value("filled", *distance[3:]) == 0, "that of the distance outside of what is filled")
    check(value("background", *told["background"][3:]) >= value("background", x, y), "that of a reconstruction where it is at least as high")
    words = program.wait("the card lists them", lambda: program.labels("to the nearest pixel outside"))
    test = program.find(MASK)
    display.do("mousemove", test[0], test[1], "click", "--repeat", 30, "--delay", 30, 5)
    program.settle(0.5)
    display.picture("way-to-seed")
    program.click(display, f"Distance: {words[0]}.")
    program.wait("a click draws another way", lambda: program.events("why-way-drawn"))
    display.picture("way-outside")
    display.do("click", "--repeat", 30, "--delay", 30, 4)
    program.settle(0.5)


def steps(display, program, slide, place, region):
    """Every step, also those that no stage shows: the values of vitrail-batch, and the ways of all that spread."""
    done = subprocess.run([str(BATCH), "why", "nuclei-threshold", str(slide), "--at", place, "--region", region, "--set", f"max-area={LIMIT}", "--steps", "--json"],
                          capture_output=True, text=True, check=True)
    values = {s["step"]: s for s in json.loads(done.stdout)["steps"]}
    n_ways = len(program.events("why-ways"))
    display.do("key", "alt+y")
    program.wait_more("why-ways", n_ways, "Alt+Y tells every step, and from where its value came")
    told = [e.split()[1] for e in program.events("why-way")][-7:]
    check({"pieces", "level", "domes", "distance", "reached", "hole-distance", "background"} == set(told), f"also of steps that no stage shows {told}")
    check(len(program.events("why-steps")) == 1, "made once")
    shown = f"{values['level']['value']:.4g} {values['level']['unit']}"
    check(bool(program.labels(shown)), f"the card has the value of the flood level {shown}")
    n_ways = len(program.events("why-ways"))
    display.do("key", "alt+y")
    program.wait_more("why-ways", n_ways, "once more: stages alone")


def others(display, program, canvas):
    answers, tried = len(program.events("why-answer")), len(program.events("why-tried"))
    display.do("mousemove", canvas[0], canvas[1], "key", "0")
    line = wait_answer(program, "the whole slide in sight: it is asked at that resolution", answers, tried)
    check(float(line[2]) > 0.5 and bool(program.labels("Preview at")), f"which is a preview, and says so {line}")
    display.picture("preview")
    display.do("key", "Escape")
    program.wait("Escape ends it", lambda: program.events("why")[-1] == "why none")
    program.wait("the card is gone", lambda: not program.place("Close this answer (Escape)"))
    answers = len(program.events("why-answer"))
    display.do("mousemove", canvas[0], canvas[1], "click", 3)
    # Of an entry of a menu the name is in its label, which AT-SPI of newer GTK does not give.
    item = program.wait("a right click opens a menu", lambda: program.place("Why Here?") and program.place("Why Here?"))
    display.do("mousemove", item[0], item[1], "click", 1)
    program.wait_more("why-answer", answers, "the right click's menu asks, too")
    program.settle(0.5)
    display.do("key", "Escape")
    program.wait("and Escape ends it", lambda: program.events("why")[-1] == "why none")
    display.do("key", "1")
    program.settle(0.5)
    display.do("key", "greater")
    program.wait("an object is selected", lambda: program.events("selected") and program.events("selected")[-1] != "selected none")
    answers, tried = len(program.events("why-answer")), len(program.events("why-tried"))
    program.click(display, "Why is it an object?")
    line = wait_answer(program, "its card asks why it is one", answers, tried)
    check(line[4] != "0", f"at a pixel of it {line}")
    display.do("key", "Escape")
    program.wait("Escape closes the answer", lambda: program.events("why")[-1] == "why none")
    display.do("key", "alt+v")
    display.do("key", "1")
    program.settle(0.5)
    ask(display, program, "without Live it is asked as well", canvas[0] - 200, canvas[1])
    answers, tried = len(program.events("why-answer")), len(program.events("why-tried"))
    program.action("set-parameter", "threshold=0.3")
    wait_answer(program, "and again when a parameter changes", answers, tried)
    program.click(display, "Close this answer (Escape)")
    program.wait("its button closes it", lambda: program.events("why")[-1] == "why none")


main()
