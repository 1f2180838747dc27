# SPDX-License-Identifier: MIT
"""Annotations of other programs in the real window: read as regions, with a sentence on what is none; a large file can be cancelled by its
button; a broken one is told with its line; an image of labels asks how it lies.
usage: imports.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import csv
import json
import os
import pathlib
import struct
import subprocess
import sys
import time
import zlib

from desk import SLOW, TMP, Display, Program, check, finish, flat, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
RECIPES = pathlib.Path(__file__).resolve().parents[2] / "data" / "recipes"
ASAP = """<?xml version="1.0"?>
<ASAP_Annotations><Annotations>
<Annotation Name="tumour" Type="Polygon" PartOfGroup="g" Color="#64FE2E"><Coordinates><Coordinate Order="0" X="100" Y="100"/>
<Coordinate Order="1" X="500" Y="100"/><Coordinate Order="2" X="500" Y="600"/></Coordinates></Annotation>
<Annotation Name="dot" Type="Dot" PartOfGroup="None" Color="#64FE2E"><Coordinates><Coordinate Order="0" X="3" Y="4"/></Coordinates></Annotation>
<Annotation Name="far" Type="Rectangle" PartOfGroup="None" Color="#64FE2E"><Coordinates><Coordinate Order="0" X="9000" Y="0"/>
<Coordinate Order="1" X="9100" Y="0"/><Coordinate Order="2" X="9100" Y="90"/><Coordinate Order="3" X="9000" Y="90"/></Coordinates></Annotation>
</Annotations></ASAP_Annotations>"""


def write_large(path, n):
    ring = [[20 + i % 7, 20 + i // 7] for i in range(40)]
    feature = json.dumps({"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [ring]}, "properties": {}})
    with path.open("w") as file:
        file.write("[" + feature)
        for _ in range(n):
            file.write("," + feature)
        file.write("]")


def write_labels(path, rows):
    """A grey PNG of 8 bits, a digit for each label."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    pixels = b"".join(b"\0" + bytes(int(c) for c in row) for row in rows)
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))


def set_number(display, program, name, value):
    place = program.find(name)
    display.do("mousemove", place[2] + 30, place[1], "click", 1)
    display.do("key", "ctrl+a")
    display.do("type", "--", str(value))


def labels(display, program):
    """Two labels, one of them in two pieces, on a slide of 1024 x 1024; the image is half as wide as high, so the place has to be said."""
    file = TMP / "labels.png"
    write_labels(file, ["0110", "0100", "0000", "1002", "1022", "0000", "0000", "0000"])
    count = len(program.events("imported"))
    program.action("import-regions-from", file)
    program.wait("a label image asks how it lies", lambda: program.events("labels-dialog"))
    check(program.events("labels-dialog")[-1] == "labels-dialog 2 3 0 0 1", program.events("labels-dialog")[-1])
    program.settle(0.5)
    set_number(display, program, "Left edge: x, in pixels of the slide", -9999)
    display.do("key", "Tab")
    program.wait("a place beside the slide is told", lambda: program.labels("It lies outside of the slide"))
    display.picture("labels-outside")
    display.do("key", "Return")
    time.sleep(0.5)
    check(len(program.events("labels-chosen")) == 0, "and cannot be opened")
    set_number(display, program, "Size of a pixel: In pixels of the slide", 100)
    set_number(display, program, "Left edge: x, in pixels of the slide", 200)
    set_number(display, program, "Upper edge: y, in pixels of the slide", 96)
    display.do("key", "Tab")
    program.wait("a place on the slide is told", lambda: program.labels("It covers x 200 to 600, y 96 to 896 of the slide"))
    display.picture("labels-dialog")
    program.click(display, "Each piece is an object")
    time.sleep(0.3)
    display.do("key", "Return")
    said = program.wait_more("imported", count, "its pieces are regions")
    check(said.startswith("imported 3 label image"), said)
    check(program.events("labels-chosen")[-1] == "labels-chosen 200 96 100 1", program.events("labels-chosen")[-1])
    program.settle(0.5)
    display.picture("labels-regions")
    bar, card = program.find("Close this message"), program.find("Against asap.xml")
    check(card[3] >= bar[3] + bar[5], f"the message stands above the card {bar} {card}")
    program.action("undo")
    program.action("import-regions-from", file)
    program.wait("and asks again", lambda: len(program.events("labels-dialog")) == 2)
    program.settle(0.5)
    display.do("key", "Escape")
    time.sleep(0.5)
    check(len(program.events("imported")) == count + 1, "Escape reads nothing")
    write_labels(file, ["000"])
    program.action("import-regions-from", file)
    program.wait("an image without labels is told", lambda: any("labels.png has no labels" in e for e in program.events("error")))
    compared = len(program.events("reference"))
    write_labels(file, ["12"])
    program.action("compare-with-file", file)
    program.wait("objects can be compared with labels", lambda: len(program.events("labels-dialog")) == 3)
    program.settle(0.5)
    display.do("key", "Return")
    program.wait("which are outlines", lambda: len(program.events("reference")) > compared and program.events("reference")[-1] == "reference labels.png 2")


def wand(display, program):
    """A region is the object under the pointer, the label, or grows on a stain, the farther the hand is dragged."""
    place, rois = (577, 460), TMP / "wand.geojson"
    display.do("mousemove", *place)
    for of in ["Objects", "Labels", "Hematoxylin"]:
        for _ in range(5 if of != "Objects" else 0):
            if program.events("layers")[-1] == "layers " + of.lower():
                break
            display.do("key", "bracketleft")
            program.settle(0.3)
        display.do("key", "w")
        count = len(program.events("roi-added"))
        display.do("mousemove", *place, "mousedown", 1)
        if of == "Hematoxylin":
            display.do("mousemove", place[0] + 60, place[1], "sleep", 0.2, "mousemove", place[0] + 120, place[1])
            time.sleep(0.5)
            display.picture("wand")
        display.do("mouseup", 1)
        program.wait_more("roi-added", count, "the wand makes a region on " + of)
        check(program.events("wand")[-1].startswith(f"wand {of} "), program.events("wand")[-1])
    check(abs(float(program.events("wand")[-1].split()[-1]) - 1.5 * 120 / 400) < 0.02, "a drag says how unlike values may be")
    program.action("export-rois-to", rois)
    program.wait("the regions are saved", rois.exists)
    drawn = [f for f in flat(json.loads(rois.read_text())["features"]) if f["properties"]["name"].startswith("ROI ")]
    shapes = [f["geometry"] for f in sorted(drawn, key=lambda f: int(f["properties"]["name"].split()[1]))][-3:]
    square = [[512, 640], [768, 640], [768, 896], [512, 896]]
    check(all(sorted(map(list, s["coordinates"][0][:-1])) == sorted(square) for s in shapes[:2]), f"object and label have that one's pixels {shapes[:2]}")
    for _ in range(3):
        program.action("undo")
    for _ in range(5):
        if program.events("layers")[-1] == "layers objects":
            break
        display.do("key", "bracketright")
        program.settle(0.3)


def measured(display, program):
    """The labels of another program as objects, on a grid of their own: with shape, stains and the file's numbers, in a table and in a session."""
    file, folder, session = TMP / "measured.png", TMP / "of-labels", TMP / "labels.vitrail"
    write_labels(file, ["00000000", "01100700", "01100770", "00000000", "00000000", "00009900", "00009900", "00000000"])
    dialogs = len(program.events("labels-dialog"))
    program.action("import-regions-from", file)
    program.wait("it asks how they lie", lambda: len(program.events("labels-dialog")) > dialogs)
    check(program.events("labels-dialog")[-1] == "labels-dialog 3 3 0 0 128", "all over the slide: " + program.events("labels-dialog")[-1])
    program.settle(0.5)
    program.click(display, "Open as")
    time.sleep(SLOW)  # a list of choices has no event
    display.do("key", "Down", "Return")
    time.sleep(SLOW)
    display.picture("labels-as-objects")
    runs = len(program.events("run-done"))
    display.do("key", "alt+o")
    program.wait("they are to be measured", lambda: program.events("labels-measured") == ["labels-measured label-objects 3"])
    program.wait_more("run-done", runs, "and are")
    program.action("objects")
    program.settle(0.5)
    display.picture("labels-measured")
    wand(display, program)
    program.action("export-results-to", folder)
    program.wait("the results are exported", (folder / "record.json").exists)
    table = list(csv.DictReader((folder / "features.csv").open()))
    areas = [(row["Label"], float(row["Object: Area µm^2"])) for row in table]
    pixel = 64 ** 2  # of 128 level-0 pixels of 0.5 µm
    check(areas == [("1", 4 * pixel), ("7", 3 * pixel), ("9", 4 * pixel)], f"with the area of their pixels and their numbers {areas}")
    check(all(float(row["Object: Hematoxylin OD mean"]) > 0 for row in table), "and stains")
    check(json.loads((folder / "record.json").read_text())["inputs"]["labels"]["place"] == [0, 0, 128], "the record says where they lie")
    done = subprocess.run([str(BATCH), "rerun", str(folder / "record.json")], capture_output=True, text=True, env={**os.environ, "VITRAIL_RECIPE_PATH": str(RECIPES)})
    check("every byte is the same" in done.stdout, "and makes the same files again " + done.stdout[-300:] + done.stderr[-300:])
    program.action("save-session-to", session)
    program.wait("the session is saved", lambda: program.events("session-saved"))
    program.end()
    program = Program(display, APP, session, VITRAIL_RECIPE_PATH=str(RECIPES))
    program.wait("a session has the labels again", lambda: program.events("labels-restored") == ["labels-restored label-objects"])
    program.settle(0.5)
    program.action("run")
    program.wait("and measures them", lambda: program.events("run-done"))
    file.unlink()
    program.end()
    program = Program(display, APP, session, VITRAIL_RECIPE_PATH=str(RECIPES))
    program.wait("a file that is gone is told", lambda: any("measured.png: there is no such file" in e for e in program.events("error")))
    program.settle(0.5)
    program.action("run")
    program.wait("and nothing is measured without one", lambda: program.labels("Open a label image first"))
    return program


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    slide, asap, broken, large = TMP / "demo.svs", TMP / "asap.xml", TMP / "broken.geojson", TMP / "large.geojson"
    subprocess.run([str(DEMO), str(slide), "--size", "1024"], check=True, stdout=subprocess.DEVNULL)
    asap.write_text(ASAP)
    broken.write_text('[\n{"type":"Polygon","coordinates":[[[0,0],[1,"x"],[2,2]]]}]')
    write_large(large, 300000)
    display = Display("vitrail-imports")
    program = Program(display, APP, "--op", "nuclei-threshold", slide, VITRAIL_RECIPE_PATH=str(RECIPES))
    program.wait("the slide is there", lambda: program.labels("demo.svs"))
    program.action("import-regions-from", asap)
    program.wait("regions are read", lambda: program.events("imported"))
    said = program.events("imported")[-1]
    check(said.startswith("imported 2 ASAP XML") and "1 region lies outside" in said, f"and a point {said}")
    program.settle(0.5)
    display.picture("regions-of-asap")
    check(program.events("error")[-1].startswith("error 1 region lies outside"), "and the window says so")
    program.action("import-regions-from", broken)
    program.wait("a broken file is told with its line", lambda: any("broken.geojson, line 2:" in e for e in program.events("shapes-failed")))
    program.action("compare-with-file", large)
    program.wait("a large file is told while it is read", lambda: program.events("reading"))
    program.wait("and read to its end", lambda: program.events("reference")[-1:] == ["reference large.geojson 300001"])
    count = len(program.events("shapes-failed"))
    program.action("import-regions-from", large)
    program.action("cancel-reading")
    program.wait("reading it can be ended", lambda: len(program.events("shapes-failed")) > count)
    check(len(program.events("imported")) == 1, "nothing of it is taken")
    program.action("compare-with-file", asap)
    program.wait("outlines of it can be compared with", lambda: program.events("reference") and program.events("reference")[-1] == "reference asap.xml 2")
    labels(display, program)
    program = measured(display, program)
    program.end()
    program = Program(display, APP, "--op", "nuclei-threshold", slide, asap)
    program.wait("a file that is opened with its slide waits for it", lambda: program.events("imported"))
    program.end()
    finish()


main()
