# SPDX-License-Identifier: MIT
"""Measurements that another program left in its annotations: columns beside ours, sorted, exported, kept by a session and by what a killed program
leaves; gone with an outline that a hand changes, and back with undo. Many annotations are objects, with rows, colours, gates and files of theirs.
usage: annotations.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import csv
import json
import pathlib
import subprocess
import sys
import time

from desk import SLOW, TMP, Display, Program, check, finish, flat, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
STATE = TMP / "state"
BOXES = {"inner": (300, 300, 700, 700), "outer": (100, 100, 900, 900), "aside": (920, 20, 1000, 90)}
MEASURED = {
    "inner": {"Area µm^2": 40000.5, "Num Detections": 12, "Score": "NaN"},
    "outer": {"Area µm^2": 160000.5, "Num Detections": 7, "Score": 0.25},
    "aside": [{"name": "Num Detections", "value": 30}, {"name": "Remark", "value": "good"}],
}


def feature(name):
    x0, y0, x1, y1 = BOXES[name]
    ring = [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]
    return {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [ring]},
            "properties": {"objectType": "annotation", "name": name, "measurements": MEASURED[name]}}


def exported(program, name):
    path = TMP / name
    program.action("export-rois-to", path)
    program.wait("the regions are exported", path.exists)
    time.sleep(0.3 * SLOW)
    return {f["properties"]["name"]: f["properties"]["measurements"] for f in flat(json.loads(path.read_text())["features"])}


def as_read(measurements):
    """Whether they have what the file had, beside ours."""
    inner, outer, aside = (measurements[name] for name in ("inner", "outer", "aside"))
    return (inner["Area µm^2 (read)"] == 40000.5 and inner["Area µm^2"] == 40000 and inner["Score"] == "NaN" and outer["Score"] == 0.25
            and outer["Num Detections"] == 7 and aside["Num Detections"] == 30 and "Score" not in aside and "Remark" not in aside)


def rows(program):
    places = {name: program.find(name)[1] for name in BOXES}
    return sorted(places, key=places.get)


def changed(display, program):
    """By hand: the numbers were of the former outline."""
    row = program.find("inner")
    display.do("mousemove", row[2] + 60, row[1], "click", 1)  # its middle is out of sight
    count = len(program.events("roi-combined"))
    time.sleep(0.5 * SLOW)
    display.do("mousemove", 520, 300, "key", "r")
    time.sleep(0.3 * SLOW)
    display.do("keydown", "alt", "mousemove", 500, 300, "mousedown", 1, "mousemove", 530, 320, "sleep", 0.1, "mousemove", 560, 350, "sleep", 0.1,
               "mouseup", 1, "keyup", "alt")
    program.wait_more("roi-combined", count, "a piece of a region is cut off")
    display.do("key", "Escape")
    check(program.events("measurements-gone") == ["measurements-gone 1"], f"its measurements go {program.events('measurements-gone')}")
    program.wait("and the window says so", lambda: any("of the former outline of 1 region" in e for e in program.events("error")))
    program.settle(0.5)
    display.picture("measurements-gone")
    after = exported(program, "changed.geojson")
    check("Score" not in after["inner"] and "Area µm^2 (read)" not in after["inner"] and after["inner"]["Area µm^2"] < 40000,
          f"none of them is exported {[m for m in after['inner'] if 'GLRLM' not in m]}")
    check(after["aside"]["Num Detections"] == 30, "those of other regions are")
    program.action("undo")
    program.settle(0.5)
    check(as_read(exported(program, "undone.geojson")), "undo brings them back")


def many(program):
    """More than the table has columns for: all are kept."""
    path = TMP / "many.geojson"
    one = feature("aside")
    one["properties"]["measurements"] = {f"m{i}": i for i in range(130)}
    path.write_text(json.dumps([one]))
    program.action("import-regions-from", path)
    program.wait("a file with many measurements is read", lambda: len(program.events("imported")) == 2)
    check("Of 130 measurements the table shows the first 60" in program.events("imported")[-1], program.events("imported")[-1])
    program.settle(0.5)
    check(program.events("read-columns")[-1] == "read-columns 60 133", program.events("read-columns")[-1])
    path.unlink()
    measurements = [f["properties"]["measurements"] for f in flat(json.loads(export_text(program, "many-out.geojson"))["features"])]
    check(any(m.get("m129") == 129 for m in measurements), "and all of them are exported")
    program.action("undo")
    program.settle(0.5)


def export_text(program, name):
    exported(program, name)
    return (TMP / name).read_text()


def write_objects(path, n):
    """Octagons of 8 pixels side by side."""
    features = []
    for i in range(n):
        x, y = i % 100 * 10 + 6, i // 100 * 10 + 6
        ring = [[x + dx, y + dy] for dx, dy in ((-4, -2), (-2, -4), (2, -4), (4, -2), (4, 2), (2, 4), (-2, 4), (-4, 2), (-4, -2))]
        measurements = {"Nucleus: Area µm^2": 50 + i % 90, "Nucleus: DAB OD mean": i * 37 % 1000 / 1000}
        if i % 3 == 0:
            measurements["Seen"] = i
        features.append({"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [ring]},
                         "properties": {"objectType": "detection", "measurements": measurements,
                                        "classification": {"name": "Tumor" if i % 4 else "Stroma", "color": [200, i % 4, 0]}}})
    features.append({"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {}})
    features = [{**feature("outer"), "childObjects": features[:10]}, *features[10:]]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))


def asked_of(display, program):
    """The card of an object has its class above its numbers, and Why says what it can."""
    program.action("objects")
    program.action("next-object")
    program.wait("an object is selected", lambda: program.events("selected"))
    program.settle(0.5)
    of_class, of_place = program.find("Class of the file"), program.find("Centroid X, px")
    check(of_class[1] < of_place[1], f"its class stands above its numbers {of_class} {of_place}")
    program.click(display, "Why is it an object?")
    program.wait("nothing could be set otherwise", lambda: program.labels("no parameter that could change it"))
    display.picture("object-of-file")
    program.action("why-close")
    program.action("unselect-object")
    program.action("objects")
    program.settle(0.5)


def objects(display, slide, small):
    many, out, batch, session, state = TMP / "cells.geojson", TMP / "out", TMP / "batch", TMP / "cells.vitrail", TMP / "state-of-objects"
    write_objects(many, 6000)
    program = Program(display, APP, "--op", "nuclei-threshold", slide, XDG_STATE_HOME=str(state))
    program.wait("the slide is there", lambda: program.events("sharp"))
    program.action("import-regions-from", many)
    program.wait("more annotations than regions can be are objects", lambda: program.events("objects-read") == ["objects-read 6000 3"])
    program.wait("which are shown", lambda: program.events("run-done"))
    program.action("objects")
    program.wait("with a row each", lambda: program.events("table-objects")[-1:] == ["table-objects 6000"])
    program.settle(0.5)
    check(program.events("file-classes") == ["file-classes 2"] and program.labels("Class of the file"), "their classes are a column")
    check(program.labels("Objects of a file") and program.labels("cells.geojson"), "the analysis says what they are, and of which file")
    check(not program.place("Parameters"), "and has no place for parameters, of which it has none")
    check(program.labels("what is no object, as annotations, lines and points: 2"), "and what is no object")
    check(program.events("imported")[-1:] == ["imported 2 GeoJSON "], f"which are annotations {program.events('imported')}")
    display.picture("objects-of-file")
    asked_of(display, program)
    for action, rows in (("undo", 0), ("redo", 6000)):
        for _ in range(2):  # the annotations are a step of their own
            program.action(action)
        program.wait(f"{action}: {rows} objects, without Run", lambda: program.events("table-objects")[-1] == f"table-objects {rows}")
        program.settle(0.5)
        display.picture(f"objects-of-file-{action}")
    check("→ Objects of a file" in program.events("step-back")[-1], f"the choice of the analysis was taken back {program.events('step-back')}")
    program.action("export-results-to", out)
    program.wait("they are exported", (out / "record.json").exists)
    rows = list(csv.DictReader((out / "features.csv").open()))
    check(len(rows) == 6000 and rows[7]["Nucleus: Area µm^2"] == "57" and rows[7]["Nucleus: DAB OD mean"] == "0.259" and rows[7]["Seen"] == "NaN"
          and rows[9]["Seen"] == "9", f"with their measurements {len(rows)} {rows[7]}")
    check([row["Classification"] for row in rows[:5]] == ["Stroma", "Tumor", "Tumor", "Tumor", "Stroma"], "and classes")
    done = subprocess.run([str(BATCH), "run", "file-objects", str(slide), f"objects={many}", "--out", str(batch)], capture_output=True, text=True)
    check(done.returncode == 0 and all((batch / f).read_bytes() == (out / f).read_bytes() for f in ("features.csv", "objects.geojson")),
          "vitrail-batch makes the same files " + done.stderr[-300:])
    done = subprocess.run([str(BATCH), "rerun", str(out / "record.json")], capture_output=True, text=True)
    check("every byte is the same" in done.stdout, "and so does rerun " + done.stdout[-300:] + done.stderr[-300:])
    program.action("save-session-to", session)
    program.wait("the session is saved", lambda: program.events("session-saved"))
    program.kill()
    program = Program(display, APP, XDG_STATE_HOME=str(state))
    program.wait("what a killed program had is offered", lambda: program.events("restore-offered"))
    program.action("restore-last")
    program.wait("with its objects", lambda: program.events("objects-restored") == ["objects-restored 6000"])
    program.wait("all of which are shown again", lambda: program.events("table-objects")[-1:] == ["table-objects 6000"])
    program.action("review")
    program.wait("what needs parameters is refused with a sentence", lambda: any("no number to vary" in e for e in program.events("error")))
    program.action("import-objects-from", small)
    program.wait("a small file is objects where that is asked for", lambda: program.events("objects-read") == ["objects-read 3 3"])
    check(not program.events("imported") and not program.labels("aside"), "and no regions")
    program.settle(0.5)
    program.end()
    many.unlink()
    program = Program(display, APP, session)
    program.wait("a file that is gone is told", lambda: any("cells.geojson: there is no such file" in e for e in program.events("error")))
    program.settle(0.5)
    program.action("run")
    program.wait("and nothing is shown without one", lambda: program.labels("Open a file of objects first"))
    program.end()


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    slide, file, session = TMP / "demo.svs", TMP / "qupath.geojson", TMP / "measured.vitrail"
    subprocess.run([str(DEMO), str(slide), "--size", "1024"], check=True, stdout=subprocess.DEVNULL)
    file.write_text(json.dumps({"type": "FeatureCollection", "features": [feature(name) for name in BOXES]}))
    display = Display("vitrail-annotations")
    program = Program(display, APP, "--op", "nuclei-threshold", slide, file, XDG_STATE_HOME=str(STATE))
    program.wait("annotations are read", lambda: program.events("imported"))
    said = program.events("imported")[-1]
    check(said.startswith("imported 3 GeoJSON") and "1 measurement has no name or is no number" in said, said)
    program.wait("their measurements are columns", lambda: program.events("read-columns"))
    check(program.events("read-columns")[-1] == "read-columns 3 3", program.events("read-columns")[-1])
    program.action("regions")
    program.settle(0.5)
    display.picture("measurements")
    check(program.labels("Area µm^2 (read)") and program.labels("40000.5"), "the one that has a name of ours is told apart")
    program.click(display, "Num Detections")
    program.settle(0.5)
    check(rows(program)[-1] == "aside", f"a click on a header sorts by it {rows(program)}")
    program.click(display, "Num Detections")
    program.settle(0.5)
    check(rows(program)[0] == "aside", f"another one the other way round {rows(program)}")
    check(as_read(exported(program, "first.geojson")), "GeoJSON has them beside ours")
    program.action("export-rois-to", TMP / "table.csv")
    program.wait("a table is exported", (TMP / "table.csv").exists)
    table = {row["ROI"]: row for row in csv.DictReader((TMP / "table.csv").open())}
    check([table[n]["Num Detections"] for n in ("inner", "outer", "aside")] == ["12", "7", "30"] and table["aside"]["Score"] == ""
          and table["inner"]["Area µm^2 (read)"] == "40000.5", "and so has the table")
    changed(display, program)
    many(program)
    program.action("save-session-to", session)
    program.wait("the session is saved", lambda: program.events("session-saved"))
    program.kill()
    small = file.with_name("small.geojson")
    file.rename(small)
    program = Program(display, APP, XDG_STATE_HOME=str(STATE))
    program.wait("what a killed program had is offered", lambda: program.events("restore-offered"))
    program.action("restore-last")
    program.wait("and comes back", lambda: program.events("session-restored"))
    program.wait("with its columns", lambda: program.events("read-columns") == ["read-columns 3 3"])
    program.settle(0.5)
    check(as_read(exported(program, "restored.geojson")), "and numbers")
    program.end()
    program = Program(display, APP, session)
    program.wait("a session has the columns, too", lambda: program.events("read-columns") == ["read-columns 3 3"])
    program.settle(0.5)
    check(as_read(exported(program, "session.geojson")), "and the numbers")
    program.end()
    objects(display, slide, small)
    finish()


main()
