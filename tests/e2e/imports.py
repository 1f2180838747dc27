# SPDX-License-Identifier: MIT
"""Annotations of other programs in the real window: read as regions, with a sentence on what is none; a large file can be cancelled by its
button; a broken one is told with its line.
usage: imports.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import subprocess
import sys

from desk import TMP, Display, Program, check, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
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


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    slide, asap, broken, large = TMP / "demo.svs", TMP / "asap.xml", TMP / "broken.geojson", TMP / "large.geojson"
    subprocess.run([str(DEMO), str(slide), "--size", "1024"], check=True, stdout=subprocess.DEVNULL)
    asap.write_text(ASAP)
    broken.write_text('[\n{"type":"Polygon","coordinates":[[[0,0],[1,"x"],[2,2]]]}]')
    write_large(large, 300000)
    display = Display("vitrail-imports")
    program = Program(display, APP, "--op", "nuclei", slide)
    program.wait("the slide is there", lambda: program.labels("demo.svs"))
    program.action("import-regions-from", asap)
    program.wait("regions are read", lambda: program.events("imported"))
    said = program.events("imported")[-1]
    check(said.startswith("imported 1 ASAP XML") and "1 point of asap.xml is not a region." in said
          and "1 region lies outside" in said, said)
    program.settle(0.5)
    display.picture("regions-of-asap")
    check(program.events("error")[-1].startswith("error 1 point of asap.xml is not a region.")
          or program.events("error")[-1].startswith("1 point"), "and the window says so")
    program.action("import-regions-from", broken)
    program.wait("a broken file is told with its line", lambda: any("broken.geojson, line 2:" in e for e in program.events("shapes-failed")))
    program.action("import-regions-from", large)
    program.wait("a large file is told while it is read", lambda: program.events("reading"), 30)
    program.wait("and refused as regions", lambda: any("5000 regions at most" in e for e in program.events("error")), 30)
    count = len(program.events("shapes-failed"))
    program.action("import-regions-from", large)
    program.action("cancel-reading")
    program.wait("reading it can be ended", lambda: len(program.events("shapes-failed")) > count)
    check(len(program.events("imported")) == 1, "nothing of it is taken")
    program.action("compare-with-file", asap)
    program.wait("outlines of it can be compared with", lambda: program.events("reference") and program.events("reference")[-1] == "reference asap.xml 2")
    program.end()
    program = Program(display, APP, "--op", "nuclei", slide, asap)
    program.wait("a file that is opened with its slide waits for it", lambda: program.events("imported"))
    program.end()
    finish()


main()
