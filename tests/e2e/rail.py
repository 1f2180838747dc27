# SPDX-License-Identifier: MIT
"""The strip of an analysis's stages, driven by real pointer and key events: thumbnails, times, one stage alone, all up to one, the bare
slide. Pictures are kept beside the test.
usage: rail.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import subprocess
import sys

from desk import TMP, Display, Program, check, differing_pixels, exported_region, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
STAGES = "hematoxylin,background,residue,mask,filled,distance,seeds,labels,objects".split(",")  # and "certain", which is on no way to another one


def layers(program):
    """What is seen and there."""
    events = program.events("layers")
    return events[-1].split(" ", 1)[1] if events else ""


def info(program, stage):
    lines = [e.split(" ", 2)[2] for e in program.events("stage-info") if e.split()[1] == stage]
    return lines[-1] if lines else ""


def opened(display, program):
    """Every stage has a picture and says what it took."""
    display.do("key", "S")
    program.wait("every stage has a picture", lambda: {e.split()[1] for e in program.events("thumbnail")} == set(STAGES))
    program.settle(0.5)
    check(info(program, "certain").startswith("not made"), "what is certain is not worked out for it: " + info(program, "certain"))
    check(layers(program) == "objects", f"the layers are as before: {layers(program)}")
    check(program.events("stage-lanes")[-1:] == ["stage-lanes 0 1 2 2 2 3 4 1 0 0"], f"branches have lanes of their own: {program.events('stage-lanes')}")
    check(all(info(program, s).endswith(("local", "spreads", "sums up")) for s in STAGES),
          "each says how far it reaches: " + "; ".join(f"{s} {info(program, s)}" for s in STAGES))
    display.picture("open")


def parameter(display, program):
    """A parameter far down makes only what depends on it; what is above was kept."""
    runs = len(program.events("run-done"))
    thumbnails = len(program.events("thumbnail"))
    x, y = program.find("Reset Threshold")[:2]
    display.do("mousemove", x + 36, y, "click", 1, "key", "ctrl+a", "type", "0.2")
    display.do("key", "Return")
    program.wait_more("run-done", runs, "another run")
    program.wait_more("thumbnail", thumbnails, "and other pictures")
    program.settle(0.5)
    check(info(program, "background").startswith("kept"), "what does not depend on the parameter was kept: " + info(program, "background"))
    check(not info(program, "mask").startswith("kept"), "what does was made again: " + info(program, "mask"))


def click(display, program):
    program.click(display, "Stage 6 Distance")
    program.wait("a click: this stage alone", lambda: layers(program) == "distance")
    program.settle(0.5)
    display.picture("alone")
    told = program.events("stage-origin")
    check(told and told[-1] == "stage-origin distance: Made from Filled · goes into Seeds, Labels · steps: Distance", f"and what it is made from: {told[-1:]}")
    display.do("mousemove", 450, 300, "mousemove", 460, 300, "sleep", 1)
    program.click(display, "Stage 6 Distance")
    program.wait("a click again: all as before", lambda: layers(program) == "objects")


def own_parameters(display, program):
    """The parameters of the stage that is seen alone stand beside its tile, and there alone."""
    top = program.find("Stage 4 Mask")[3]
    left = program.find("Parameters")[2] - 5
    check(program.place("Slider of Threshold")[2] > left, "with no stage alone the threshold is in the list of parameters")
    display.do("mousemove", 450, 300)
    for stage in STAGES[:4]:
        display.do("key", "bracketright")
        program.wait(f"] walks to {stage}", lambda: program.events("stage-params")[-1:] == [f"stage-params {stage} {int(stage != 'residue')}"])
    program.settle(0.5)
    tile, slider = program.find("Stage 4 Mask"), program.find("Slider of Threshold")
    check(slider[3] >= top and tile[2] + tile[4] - 5 < slider[2] < left, f"the threshold stands beside its tile {tile} {slider}")
    check(len(program.labels("In the strip of stages")) == 1, "where it stood the list says so")
    display.picture("own-parameters")
    runs = len(program.events("run-done"))
    display.do("key", "alt+e")
    display.do("key", "ctrl+a", "type", "0.15")
    display.do("key", "Return")
    program.wait_more("run-done", runs, "Alt+E: the keyboard is at its first parameter")
    program.settle(0.5)
    check(any(e == "layers mask" for e in program.events("layers")[-1:]), "the stage stays alone")
    display.do("key", "bracketleft")
    program.wait("[ goes on at once: the picture has the keys", lambda: program.events("stage-params")[-1:] == ["stage-params residue 0"])
    display.do("key", "alt+e")
    program.wait("a stage without parameters says so", lambda: program.labels("“Residue” has no parameters of its own."))
    for _ in STAGES[:3]:
        display.do("key", "bracketleft")
    program.wait("all as before", lambda: layers(program) == "objects")
    program.settle(0.5)
    check(program.place("Slider of Threshold")[2] > left, "and the threshold is back in the list")


def double_click(display, program):
    x, y = program.find("Stage 4 Mask")[:2]
    for wanted, what in (("stages-up-to mask", "a double click: all up to here"), ("stages-up-to none", "again: all as before")):
        display.do("mousemove", x, y, "sleep", 1, "click", "--repeat", 2, "--delay", 60, 1)
        program.wait(what, lambda: program.events("stages-up-to")[-1:] == [wanted])
        program.settle(0.5)
        shown = ",".join(STAGES[:4]) if wanted.endswith("mask") else "objects"
        program.wait(f"{shown} are shown", lambda: layers(program) == shown)
        display.picture(wanted.replace(" ", "-"))


def keys(display, program):
    display.do("mousemove", 450, 300)
    display.do("key", "bracketleft")
    program.wait("[ goes round to the last stage", lambda: layers(program) == "certain")
    display.do("key", "bracketright")
    program.wait("] after it: all as before", lambda: layers(program) == "objects")
    display.do("key", "u")
    program.wait("U with no stage alone says what to do", lambda: program.labels("Look at one stage alone first"))
    for stage in STAGES[:3]:
        display.do("key", "bracketright")
        program.wait(f"] walks to {stage}", lambda: layers(program) == stage)
    display.do("key", "u")
    program.wait("U: all up to it", lambda: layers(program) == ",".join(STAGES[:3]))
    display.do("key", "u")
    program.wait("and back", lambda: layers(program) == "objects")
    place = program.find("Stage 2 Background")
    check(place is not None, "a screen reader finds a tile by its name")


def bare(display, program):
    display.do("mousemove", 440, 300, "sleep", 0.2, "mousemove", 450, 300)
    program.settle(0.5)
    before = display.picture("before")
    for key in ("s", "space"):
        display.do("keydown", key)
        program.wait(f"{key} is held: the bare slide", lambda: program.events("bare")[-1:] == ["bare 1"])
        program.settle(0.5)
        check(differing_pixels(before, display.picture("bare")) > 20000, "nothing lies over it")
        display.do("keyup", key)
        program.wait("and let go", lambda: program.events("bare")[-1:] == ["bare 0"])
    program.settle(0.5)
    check(differing_pixels(before, display.picture("after")) < 5000, "all is as before")  # the strip's scroll bar comes and goes


def edits(program):
    return [e.rstrip() for e in program.events("recipe-edit")]


def by_hand(display, program):
    """The recipe is changed at the strip: from the menu, by keys, from the list of steps, by dragging; undone and made again."""
    program.wait("the note that lies over the strip goes", lambda: not program.labels("Look at one stage alone first"))
    x, y = program.find("Stage 5 Filled")[:2]
    display.do("mousemove", x, y, "click", 3)
    program.wait("a right click opens the menu", lambda: program.place("Bypass"))
    program.settle(0.5)
    display.picture("menu")
    program.click(display, "Bypass")
    program.wait("the stage is bypassed", lambda: edits(program)[-1:] == ["recipe-edit bypass filled"] and info(program, "filled") == "bypassed")
    check(bool(program.labels("Ctrl+Z takes it back")), "which the strip says")
    program.settle(0.5)
    check(info(program, "residue").startswith("kept"), "what comes before it was kept: " + info(program, "residue"))
    check(len(program.labels("Nuclei by a threshold (edited)")) >= 1, "the list of analyses has the changed one")
    check(layers(program) == "objects", f"the layers are as before: {layers(program)}")
    display.picture("bypassed")
    for key, op in (("ctrl+z", "nuclei-threshold"), ("ctrl+shift+z", "nuclei-threshold-edited"), ("ctrl+z", "nuclei-threshold")):
        display.do("key", key)
        program.wait(f"{key}: {op}", lambda: program.events("recipe-shown")[-1:] == ["recipe-shown " + op])
        program.settle(0.5)
    check(not info(program, "filled").startswith("bypassed"), "undone: " + info(program, "filled"))
    check(not program.labels("Ctrl+Z takes it back"), "and what the strip said of it has gone")
    for stage in STAGES[:4]:
        display.do("key", "bracketright")
        program.wait(f"] walks to {stage}", lambda: layers(program) == stage)
        if stage == "hematoxylin":
            program.click(display, "Advanced (Parameters of Hematoxylin)")
            program.wait("the advanced parameters of a stage are unfolded", lambda: program.place("Background colour"))
            display.do("mousemove", 450, 300)
    display.do("key", "alt+Insert")
    program.wait("Alt+Insert lists the steps", lambda: program.events("stage-steps"))
    program.settle(0.5)
    display.picture("steps")
    display.do("type", "right size")
    program.settle(0.5)
    display.picture("steps-found")
    program.click(display, "Sized")
    program.wait("a step is added", lambda: edits(program)[-1:] == ["recipe-edit add mask sized"])
    program.wait("and seen alone", lambda: layers(program) == "sized")
    program.settle(0.5)
    check(program.place("Background colour") is not None, "what was unfolded stays so while other stages come")
    check(program.events("stage-lanes")[-1:] == ["stage-lanes 0 1 2 2 2 2 3 4 1 0 0"], f"the new stage is on its way {program.events('stage-lanes')[-1:]}")
    display.picture("added")
    display.do("key", "alt+bracketright")
    program.wait("Alt+] moves it on", lambda: edits(program)[-1:] == ["recipe-edit later sized"])
    program.settle(0.5)
    check(program.find("Stage 6 Sized") is not None, "past the next stage")
    drag(display, program, "Stage 6 Sized", "Stage 8 Seeds", "held")
    check(edits(program)[-1:] == ["recipe-edit later sized"], "what does not fit takes no tile")
    drag(display, program, "Stage 6 Sized", "Stage 5 Filled")
    program.wait("a tile is dragged to its place", lambda: edits(program)[-1:] == ["recipe-edit place sized filled"])
    program.settle(0.5)
    display.do("key", "alt+Delete")
    program.wait("Alt+Delete removes it", lambda: edits(program)[-1:] == ["recipe-edit remove sized"])
    display.do("key", "ctrl+z")
    program.settle(0.5)


def drag(display, program, name, other, picture=None):
    """A tile onto another one."""
    x, y = program.find(name)[:2]
    display.do("mousemove", x, y, "mousedown", 1)
    for i in range(1, 5):
        display.do("mousemove", x + 5 * i, y, "sleep", 0.05)
    program.settle(0.5)
    to_x, to_y = program.find(other)[:2]  # parameters that stood between are out of the way now
    for i in range(1, 11):
        display.do("mousemove", x + (to_x - x) * i // 10, y + (to_y - y) * i // 10, "sleep", 0.05)
    display.do("mousemove", to_x + 2, to_y, "sleep", 0.3)
    if picture:
        display.picture(picture)
        program.wait("while it is held there it says why", lambda: [e for e in program.events("stage-over") if "seeds: “Sized” makes 8 bits" in e])
    display.do("mouseup", 1)
    program.settle(0.5)


def refused(display, program):
    """What cannot be is told, and nothing changes."""
    n = len(edits(program))
    check(layers(program) == "sized", "the stage that was removed and brought back is seen alone: " + layers(program))
    for stage in STAGES[3::-1]:
        display.do("key", "bracketleft")
        program.wait(f"[ walks to {stage}", lambda: layers(program) == stage)
    display.do("key", "alt+bracketleft")
    program.wait("a sentence says why not", lambda: [e for e in program.events("error") if "No stage before “Hematoxylin” goes into it" in e])
    check(len(edits(program)) == n, "and nothing has changed")
    display.do("key", "bracketleft")


def inputs(display, program):
    """What goes into a step that is added is chosen; the nearest that fits stands there first."""
    for stage in STAGES[:4] + ["sized"]:
        display.do("key", "bracketright")
        program.wait(f"] walks to {stage}", lambda: layers(program) == stage)
    display.do("key", "alt+Insert")
    program.wait("Alt+Insert lists the steps", lambda: len(program.events("stage-steps")) > 1)
    display.do("type", "both masks")
    program.settle(0.5)
    program.click(display, "Choose what goes into “And”")
    program.wait("what fits of itself is chosen", lambda: program.events("stage-inputs")[-1:] == ["stage-inputs and:sized,mask 1"])
    program.settle(0.5)
    display.picture("inputs")
    program.click(display, "Add the Step")
    program.wait("and it is added", lambda: edits(program)[-1:] == ["recipe-edit add sized and"])
    program.settle(0.5)
    display.do("key", "ctrl+z")
    program.settle(0.5)
    display.do("key", "bracketleft", "key", "bracketleft", "key", "bracketleft", "key", "bracketleft", "key", "bracketleft")
    program.wait("all as before", lambda: layers(program) == "objects")


def saved(display, program, slide):
    """The changed recipe as a file runs in batch to the same bytes."""
    file, out = TMP / "mine.recipe.json", TMP / "batch"
    program.action("save-recipe-to", file)
    program.wait("the recipe is saved", lambda: program.events("recipe-saved"))
    for path, words in ((TMP / "none" / "a.recipe.json", "The recipe was not saved: "), (TMP / "mine", "There is a file “mine.recipe.json” already")):
        program.action("save-recipe-to", path)
        program.wait("it is told: " + words, lambda: any(words in e for e in program.events("error")))
    done = subprocess.run([str(BATCH), "recipe", "check", str(file)], capture_output=True, text=True)
    check(done.returncode == 0, "vitrail-batch finds it sound: " + (done.stdout + done.stderr).strip())
    display.do("mousemove", 450, 300, "key", "F5")
    program.settle(0.5)
    region, window = exported_region(program), TMP / "window"
    record = json.loads((window / "record.json").read_text())
    check(any(n["step"] == "sized" for n in record["recipe"]["nodes"]), "the record has the changed recipe")
    stages = ",".join(s["id"] for s in record["stages"] if s.get("emitted", True))
    done = subprocess.run([str(BATCH), "run", str(file), str(slide), "--region", region, "--stages", stages, "--out", str(out)],
                          capture_output=True, text=True)
    check(done.returncode == 0, "and runs it " + done.stderr)
    names = sorted(p.name for p in window.iterdir() if p.name != "record.json")
    check("sized.tif" in names, f"files of the window: {names}")
    for name in names:
        check((out / name).exists() and (window / name).read_bytes() == (out / name).read_bytes(), f"{name} equals that of vitrail-batch")


def undone(display, program):
    """All of it, once the session is saved."""
    session = TMP / "edited.vitrail"
    program.action("save-session-to", session)
    program.wait("the session is saved", session.exists)
    for _ in range(30):  # parameters that were changed, and layers, are steps, too
        count = len(program.events("step-back"))
        display.do("key", "ctrl+z")
        program.wait_more("step-back", count, "a step is taken back")
        if program.events("recipe-shown")[-1] == "recipe-shown nuclei-threshold":
            break
    check(program.events("recipe-shown")[-1:] == ["recipe-shown nuclei-threshold"], "all of it is taken back")
    program.wait("and made once more", lambda: [e for e in program.events() if e.startswith(("recipe-shown", "run-done"))][-1].startswith("run-done"))


def restored(display):
    """The session has the changed recipe."""
    broken = TMP / "broken.vitrail"
    broken.write_text((TMP / "edited.vitrail").read_text().replace('\\"lower\\"', '\\"wonder\\"').replace('\\"sized\\"', '\\"wonder\\"'))
    program = Program(display, APP, broken)
    program.wait("a recipe of a session that makes no sense is told", lambda: any("There is no step" in e for e in program.events("error")))
    program.end()
    program = Program(display, APP, TMP / "edited.vitrail")
    program.wait("the session brings it back", lambda: any("nuclei-threshold-edited" in e for e in program.events("run-start")))
    program.settle(0.5)
    check(len(program.labels("Nuclei by a threshold (edited)")) >= 1, "by its title in the list")
    program.end()


def stale(display, program):
    """What is out of date looks it."""
    display.do("key", "alt+v")
    program.settle(0.5)
    x, y = program.find("Reset Threshold")[:2]
    display.do("mousemove", x + 36, y, "click", 1, "key", "ctrl+a", "type", "0.3")
    display.do("key", "Return")
    program.wait("stages say that they are out of date", lambda: all(info(program, s) == "out of date" for s in STAGES))
    program.settle(0.5)
    display.picture("stale")


def closed(display, program):
    program.action("stages")
    program.settle(0.5)
    check(not program.place("Stage 1 Hematoxylin"), "the strip is closed")


def main():
    need("Xvfb", "xdotool", "import", "compare", "dbus-run-session", "gdbus")
    slide = TMP / "demo.svs"
    subprocess.run([str(DEMO), str(slide), "--size", "2048"], check=True, stdout=subprocess.DEVNULL)
    display = Display("vitrail-rail")
    program = Program(display, APP, "--op", "nuclei-threshold", "--live", "--zoom", "20", slide)
    program.wait("live analysis comes to an end", lambda: program.events("run-done"))
    program.settle(0.5)
    opened(display, program)
    parameter(display, program)
    click(display, program)
    double_click(display, program)
    bare(display, program)
    keys(display, program)
    own_parameters(display, program)  # by keys alone: meanwhile the note goes that lies over the strip
    by_hand(display, program)
    refused(display, program)
    inputs(display, program)
    saved(display, program, slide)
    undone(display, program)
    stale(display, program)
    closed(display, program)
    program.end()
    restored(display)
    finish()


if __name__ == "__main__":
    main()
