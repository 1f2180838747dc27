# SPDX-License-Identifier: MIT
"""Regions in the real window: rows of other settings are marked and made anew, what is saved can be measured again, nothing is
replaced without a question, and nothing that was drawn is lost.
usage: regions.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import time

from desk import SLOW, TMP, Display, Program, check, demo_slide, draw_rectangle, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def is_enabled(program, action):
    done = subprocess.run(["gdbus", "call", "--session", "--dest", "io.github.vitrail.Vitrail", "--object-path",
                           "/io/github/vitrail/Vitrail/window/1", "--method", "org.gtk.Actions.Describe", action],
                          check=True, env=program.env, capture_output=True, text=True)
    return done.stdout.startswith("((true")


def options(program, *args):
    """As another call of the program: it hands them to the window that is there."""
    subprocess.run([str(APP), *args], env=program.env, timeout=90 * SLOW, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def save(program, path):
    count = len(program.events("exported"))
    program.action("export-rois-to", path)
    program.wait_more("exported", count, f"the regions are saved as {path.name}")
    return read(path)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def same_by_batch(slide, path, rows, feature="GLRLM: SRE"):
    """What lies beside the table measures the same again."""
    record = json.loads(path.with_suffix(".record.json").read_text())
    check(record["files"] == [path.name, path.with_suffix(".geojson").name], "the record names the files")
    features = json.loads(path.with_suffix(".geojson").read_text())["features"]
    check([f["id"] for f in features] == [r["Object ID"] for r in rows]
          and [f["properties"]["name"] for f in features] == [r["ROI"] for r in rows], "ids and names are those of the table")
    check(all(f["properties"]["measurements"][feature] == float(r[feature]) for f, r in zip(features, rows)),
          "and so are the measurements")
    command = [str(BATCH), "run", record["op"], str(slide), f"rois={path.with_suffix('.geojson')}", "--out", str(TMP / "batch")]
    for name, value in rows[0].items():
        if name.startswith("Setting: "):
            command += ["--set", name[len("Setting: "):] + "=" + value]
    done = subprocess.run(command, capture_output=True, text=True)
    if not check(done.returncode == 0, "vitrail-batch takes the outlines and the settings: " + done.stderr.strip()):
        return
    with open(TMP / "batch" / "features.csv", newline="", encoding="utf-8") as file:
        again = list(csv.DictReader(file))
    check(again == [{name: row[name] for name in again[0]} for row in rows], "and measures the same numbers")
    check(json.loads((TMP / "batch" / "record.json").read_text())["params"] == record["params"], "with the same parameters")


def saved_again(program, slide):
    path = TMP / "regions.csv"
    rows = save(program, path)
    check([r["ROI"] for r in rows] == ["ROI 1", "ROI 2"], "the table has both regions")
    check(all(r["Image"] == slide.name and len(r["Hash"]) == 64 and r["Pixel width µm"] == "0.5" and r["Setting: levels"] == "32"
              and r["Used: range-to"] == "255" and r["Used: um-per-px"] == "0.5" and r["Setting: channel"] == "luminance"
              and r["Geometry WKT px"].startswith("POLYGON ((") and float(r["Width px"]) > 0 for r in rows),
          "and says of what image, where, and with which settings")
    same_by_batch(slide, path, rows)


def questions(display, program):
    path = TMP / "regions.csv"
    before = path.read_bytes()
    for button, answer in (("Cancel", "cancel"), ("Keep Both", "keep"), ("Replace", "replace")):
        count, answers = len(program.events("asks")), len(program.events("answered"))
        program.action("export-rois-to", path)
        holds = program.wait_more("asks", count, "a table that is there is not replaced without a question")
        check(holds and "Texture of regions" in holds and "2 regions" in holds and "demo.svs" in holds, f"which says what it is: {holds}")
        time.sleep(0.5 * SLOW)
        if answer == "cancel":
            display.picture("regions-replace")
        program.click(display, button)
        check(program.wait_more("answered", answers, "it is answered") == "answered " + answer, f"by {button}")
        time.sleep(0.5 * SLOW)
        check((TMP / "regions-2.csv").exists() == (TMP / "regions-2.geojson").exists() == (answer != "cancel"), "only Keep Both takes a number")
        check(answer == "replace" or path.read_bytes() == before, "and leaves what was there")


def results(display, program):
    folder, count = TMP / "results", len(program.events("run-done"))
    options(program, "--op", "nuclei-threshold")
    display.do("mousemove", 450, 300, "key", "F5")
    program.wait_more("run-done", count, "nuclei are found")
    program.settle()
    program.action("export-results-to", folder)
    program.wait("results are exported", (folder / "record.json").exists)
    n = json.loads((folder / "record.json").read_text())["objects"]
    count = len(program.events("asks"))
    time.sleep(0.5 * SLOW)
    program.action("export-results-to", folder)
    holds = program.wait_more("asks", count, "a folder with results is not written over without a question")
    check(holds and f"of demo.svs, {n} objects, 20" in holds, f"which says what is in it: {holds}")
    time.sleep(0.5 * SLOW)
    display.picture("results-replace")
    display.do("key", "Return")
    program.wait("Return keeps both", (TMP / "results-2" / "record.json").exists)
    strange(display, program)


def strange(display, program):
    """Folders in which nothing can be replaced, or nothing is."""
    count, other = len(program.events("asks")), TMP / "other"
    other.mkdir()
    for name in ("result.tif", "notes.txt"):
        (other / name).write_text("not of a run")
    program.action("export-results-to", other)
    program.wait("files of other names are no question", (other / "record.json").exists)
    check(len(program.events("asks")) == count and (other / "result.tif").read_text() == "not of a run", "and stay")
    stuck, file = TMP / "stuck", TMP / "file"
    (stuck / "overlay.png").mkdir(parents=True)
    (stuck / "objects.geojson").write_text("{}")
    file.write_text("no folder")
    cases = [(stuck, "“overlay.png” is a folder"), (file, "“file” is no folder")]
    if os.geteuid() != 0:  # who may write anywhere
        (TMP / "locked").mkdir()
        (TMP / "locked" / "overlay.png").write_text("")
        (TMP / "locked").chmod(0o555)
        cases.append((TMP / "locked", "Nothing may be written into the folder “locked”"))
    for path, why in cases:
        count, answers = len(program.events("asks")), len(program.events("answered"))
        time.sleep(0.5 * SLOW)
        program.action("export-results-to", path)
        asks = program.wait_more("asks", count, f"{path.name}: what cannot be replaced is said")
        check(asks and why in asks, f"with the reason: {asks}")
        time.sleep(0.5 * SLOW)
        buttons = program.labels("")
        check("Replace" not in buttons and "Keep Both" in buttons, "and is not offered")
        display.picture(f"results-{path.name}")
        display.do("key", "Escape")
        program.wait_more("answered", answers, "it is answered")


def sre(program, path):
    return [float(r["GLRLM: SRE"]) for r in save(program, path)]


def stale(display, program):
    first = [r["GLRLM: SRE"] for r in save(program, TMP / "first.csv")]
    check(len(program.labels("GLRLM · 32 levels · 0.5 µm/px · Luminance · Mean of four directions")) == 1,
          "the settings stand above the table")
    options(program, "--op", "glrlm-rois", "--set", "levels=8")
    program.wait("rows of other settings are known as such", lambda: program.events("stale")[-1] == "stale 2")
    check(len(program.labels("outdated")) == 2, "and say so")
    check(len(program.labels("2 rows of other settings")) == 1, "and how to mend it")
    check(len(program.labels("GLRLM · 8 levels")) == 1, "the line above the table has the present settings")
    display.picture("regions-stale")
    count = len(program.events("table"))
    display.do("mousemove", 450, 300, "key", "F5")
    program.wait_more("table", count, "F5 measures anew")
    program.wait("then no row is stale", lambda: program.events("stale")[-1] == "stale 0")
    second = save(program, TMP / "second.csv")
    check(first != [r["GLRLM: SRE"] for r in second] and {r["Setting: levels"] for r in second} == {"8"}, "with the new settings")
    options(program, "--op", "nuclei-threshold")
    program.settle()
    check(len(program.labels("GLRLM · 8 levels")) == 1 and program.events("stale")[-1] == "stale 0",
          "they stay when another analysis is chosen")
    draw_rectangle(display, program, 500, 420, 100, 60)
    third = save(program, TMP / "third.csv")
    check({r["Setting: levels"] for r in third} == {"8"} and [r["GLRLM: SRE"] for r in third[:2]] == [r["GLRLM: SRE"] for r in second],
          "and a new region is measured with them")
    options(program, "--op", "glrlm-rois", "--set", "levels=16")
    program.wait("a save of stale rows is a save of new ones", lambda: program.events("stale")[-1] == "stale 3")
    check({r["Setting: levels"] for r in save(program, TMP / "fourth.csv")} == {"16"}, "which measures first")
    options(program, "--live")
    program.settle()
    count = len(program.events("table"))
    options(program, "--set", "levels=64")
    program.wait_more("table", count, "with Live on, rows are made anew at once")
    check({r["Setting: levels"] for r in save(program, TMP / "fifth.csv")} == {"64"}, "with the new settings, too")


def bring(display, program, name):
    """Turns the wheel over the parameters until the middle of it is between their heading and the status bar."""
    x, top = program.find("Parameters")[:2]
    for _ in range(30):
        y = program.place(name)[1]
        if top + 30 < y < top + 150:
            return
        display.do("mousemove", x, top + 100, "click", 5 if y >= top + 150 else 4)
        time.sleep(0.2 * SLOW)


def type_values(display, program, text):
    program.click(display, "Values of Grey levels, with commas between")
    display.do("key", "ctrl+a", "type", "--delay", 20, text)
    display.do("key", "Return")


def n_stale(program):
    """Rows; the line of the layers has two numbers."""
    return [int(e.split()[1]) for e in program.events("stale") if len(e.split()) == 2][-1]


def several(display, program, slide):
    """Levels 8, 16 and 64 beside one another: the columns are those of each alone, and those of batch."""
    alone = {levels: [r["GLRLM: SRE"] for r in save(program, TMP / name)] if name == "alone.csv" else [r["GLRLM: SRE"] for r in read(TMP / name)]
             for levels, name in (("8", "third.csv"), ("16", "fourth.csv"), ("64", "alone.csv"))}
    display.do("mousemove", 450, 300, "key", "alt+v")  # Live is off
    program.click(display, "Settings of the texture")
    bring(display, program, "Several values of Grey levels")
    program.click(display, "Several values of Grey levels")
    type_values(display, program, "8, 16, 8")
    program.wait("a value that is there twice is refused", lambda: program.labels("is there twice"))
    check(n_stale(program) == 0, "and nothing is taken")
    type_values(display, program, "8, 16, 64")
    program.wait("three values are taken: what was measured with one is stale", lambda: n_stale(program) == 3)
    check(program.labels("Grey levels: 8, 16, 64"), "the line above the table says which")
    count = len(program.events("table"))
    display.do("mousemove", 450, 300, "key", "F5")
    program.wait_more("table", count, "F5 measures with each")
    check(program.events("feature-columns")[-1:] == ["feature-columns 51"], "each has all columns")
    program.settle()
    check(program.labels("SRE (levels 8)") and program.labels("RE (levels 64)"), "with the value in their titles")
    display.picture("regions-several")
    path = TMP / "several.csv"
    rows = save(program, path)
    for levels, values in alone.items():
        check([r[f"GLRLM: SRE (levels {levels})"] for r in rows] == values, f"of {levels} levels they are those of {levels} levels alone, digit for digit")
    check({(r["Setting: levels"], r["Used: levels"], r["Used: um-per-px"]) for r in rows} == {("8,16,64", "8,16,64", "0.5")}, "the file says with what")
    same_by_batch(slide, path, rows, "GLRLM: SRE (levels 16)")
    program.action("save-session-to", TMP / "several.vitrail")
    program.wait("a session is saved", (TMP / "several.vitrail").exists)
    check("levels=8,16,64" in (TMP / "several.vitrail").read_text(), "it has the values")
    one_again(display, program)


def one_again(display, program):
    display.do("mousemove", 450, 300, "click", 1, "key", "ctrl+z")
    program.wait("Ctrl+Z takes them back", lambda: program.labels("GLRLM · 64 levels"))
    program.wait("the columns of three settings are out of date then", lambda: n_stale(program) == 3)
    display.do("key", "ctrl+shift+z")
    program.wait("and Ctrl+Shift+Z brings them again", lambda: n_stale(program) == 0)
    program.click(display, "Values of Grey levels, with commas between")
    display.do("key", "ctrl+alt+v")
    program.wait("the key takes the first one alone", lambda: program.labels("GLRLM · 8 levels"))
    count = len(program.events("table"))
    display.do("mousemove", 450, 300, "key", "F5")
    program.wait_more("table", count, "F5 measures with one")
    program.wait("which has its columns alone", lambda: program.events("feature-columns")[-1] == "feature-columns 17")


def settings(display, program):
    options(program, "--op", "nuclei-threshold")
    program.click(display, "Settings of the texture")
    time.sleep(0.5 * SLOW)
    check(program.labels("Grey level run length features of each region"), "the line above the table leads to its settings")
    count = len(program.events("run-done"))
    options(program, "--op", "glrlm-map", "--set", "feature=lre")
    display.do("mousemove", 450, 300, "key", "F5")
    program.wait_more("run-done", count, "a texture map is made")
    program.wait("its layer is named by the feature", lambda: program.labels("Long run emphasis (LRE)"))


def deletion(display, program):
    check(not is_enabled(program, "delete-roi"), "without a selection there is nothing to delete")
    program.click(display, "ROI 2")
    time.sleep(0.3 * SLOW)
    check(is_enabled(program, "delete-roi"), "with one there is")
    display.do("key", "Delete")
    program.wait("a region is deleted", lambda: program.events("roi-deleted")[-1:] == ["roi-deleted 1"])
    time.sleep(0.5 * SLOW)
    display.picture("regions-deleted")
    display.do("mousemove", 450, 300, "key", "ctrl+z")
    program.settle()
    names = [r["ROI"] for r in save(program, TMP / "undone.csv")]
    check(names == ["ROI 1", "ROI 2", "ROI 3"], f"Ctrl+Z brings it back to its place: {names}")
    program.click(display, "ROI 2")
    display.do("key", "ctrl+a", "key", "Delete")
    program.wait("all are deleted", lambda: program.events("roi-deleted")[-1] == "roi-deleted 3")
    time.sleep(1.5 * SLOW)  # it has come
    count = len(program.events("table"))
    program.click(display, "Undo")
    program.wait_more("table", count, "the toast's button brings them back")
    program.settle()
    check([r["ROI"] for r in save(program, TMP / "undone-2.csv")] == names, "names and order, too")


def order(display, program):
    program.click(display, "SRE")
    time.sleep(0.5 * SLOW)
    y = {name: program.find(name)[1] for name in ("ROI 1", "ROI 2", "ROI 3")}
    values = dict(zip(y, sre(program, TMP / "sorted.csv")))
    check(sorted(y, key=y.get) == sorted(y, key=values.get), "a click on a header sorts by it")
    display.picture("regions-sorted")
    program.click(display, "SRE")
    time.sleep(0.5 * SLOW)
    y = {name: program.find(name)[1] for name in y}
    check(sorted(y, key=y.get) == sorted(y, key=values.get, reverse=True), "another one the other way round")


def closing(display, program):
    draw_rectangle(display, program, 200, 300, 90, 60)
    for key, say in (("Escape", "cancel"), ("Return", "save")):
        count, answers = len(program.events("asks-unsaved")), len(program.events("answered"))
        display.do("mousemove", 450, 300, "key", "ctrl+w")
        what = program.wait_more("asks-unsaved", count, "a slide with a region in no file is not closed without a question")
        check(what == "asks-unsaved 1", f"which counts it alone: {what}")
        time.sleep(0.5 * SLOW)
        display.picture("regions-closing")
        display.do("mousemove", 150, 90, "key", key)
        check(program.wait_more("answered", answers, "it is answered") == "answered " + say, f"by {key}: {say}")
        time.sleep(0.5 * SLOW)
        check(not program.events("tab-closed"), "the slide is still there")
    time.sleep(1.5 * SLOW)
    display.do("key", "ctrl+a")
    display.do("type", "--delay", 20, str(TMP / "closing"))
    time.sleep(0.5 * SLOW)
    display.do("key", "Return")
    program.wait("what is saved first is closed then", lambda: program.events("tab-closed"))
    check((TMP / "closing.csv").exists() and (TMP / "closing.geojson").exists(), "and is in its files")


def quitting(display, program, slide):
    count = len(program.events("sharp"))
    options(program, str(slide))
    program.wait_more("sharp", count, "a slide is opened again")
    program.settle()
    draw_rectangle(display, program, 300, 250)
    for button in ("Cancel", "Discard"):
        count = len(program.events("asks-unsaved"))
        display.do("mousemove", 450, 300, "key", "ctrl+q")
        program.wait_more("asks-unsaved", count, "Ctrl+Q asks, too")
        time.sleep(0.5 * SLOW)
        check(program.process.poll() is None, "and the program waits")
        program.click(display, button)
        time.sleep(0.5 * SLOW)
    try:
        program.process.wait(10 * SLOW)
    except subprocess.TimeoutExpired:
        pass
    check(program.process.poll() == 0, "Discard ends it")


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    slide = demo_slide(DEMO)
    display = Display("vitrail-regions")
    program = Program(display, APP, "--op", "nuclei-threshold", "--zoom", "20", slide)
    program.wait("the view gets sharp", lambda: program.events("sharp"))
    program.settle()
    check(not is_enabled(program, "delete-roi") and not is_enabled(program, "undo"), "an empty table has nothing to delete")
    draw_rectangle(display, program, 300, 250)
    draw_rectangle(display, program, 620, 200, 120, 240)
    saved_again(program, slide)
    questions(display, program)
    stale(display, program)
    several(display, program, slide)
    deletion(display, program)
    order(display, program)
    settings(display, program)
    results(display, program)
    closing(display, program)
    quitting(display, program, slide)
    program.end()
    finish()


if __name__ == "__main__":
    main()
