# SPDX-License-Identifier: MIT
"""A layer of the real window as an OME-TIFF: the same bytes as of vitrail-batch, read by tifffile with the size of a pixel; what has no pixels is refused.
usage: layer-export.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ET

from desk import TMP, analysed, check, exported_region, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
OME = "{http://www.openmicroscopy.org/Schemas/OME/2016-06}"


def read(path, record):
    try:
        import tifffile
    except ImportError:
        return
    with tifffile.TiffFile(path) as file:
        pixels = ET.fromstring(file.ome_metadata.encode()).find(OME + "Image").find(OME + "Pixels")
        x, y, width, height = record["region"]
        check(file.is_ome and len(file.series) == 1 and len(file.series[0].levels) > 1, "tifffile reads one image in several levels")
        check(abs(float(pixels.get("PhysicalSizeX")) * int(pixels.get("SizeX")) - 0.5 * width) < 1, f"of the size of the region in µm {pixels.attrib}")


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    display, program, slide = analysed("vitrail-layer-export", APP, DEMO)
    region = exported_region(program)
    record = json.loads((TMP / "window" / "record.json").read_text())
    program.action("next-stage")
    program.settle(0.5)
    path = TMP / "layer.ome.tif"
    program.action("export-layer-to", path)
    program.wait("the stage that is seen alone is exported", lambda: program.events("layer-saved"))
    out = TMP / "batch"
    subprocess.run([str(BATCH), "run", record["op"], str(slide), "--region", region, "--min-downsample", str(record.get("min-downsample", 1)),
                    "--format", "ome-tiff", "--out", str(out)], check=True, stdout=subprocess.DEVNULL)
    same = [file.name for file in out.glob("*.ome.tif") if file.read_bytes() == path.read_bytes()]
    check(len(same) == 1, f"the same bytes as vitrail-batch writes: {same}")
    read(path, record)
    display.picture("stage")
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "ctrl+alt+e")
    program.wait("the dialog asks where", lambda: program.labels("Name:"))
    display.picture("dialog")
    display.do("key", "ctrl+a", "type", str(TMP / "named.ome.tif"))
    display.do("key", "Return")
    program.wait("Ctrl+Alt+E asks for a name, under which it is saved", lambda: program.events("layer-saved")[1:])
    check((TMP / "named.ome.tif").read_bytes() == path.read_bytes(), "the same file")
    program.action("export-layer", "objects")
    program.wait("what has no pixels is refused", lambda: any("no pixels" in e for e in program.events("error")))
    program.end()
    finish()


if __name__ == "__main__":
    main()
