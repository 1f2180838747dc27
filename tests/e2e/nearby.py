# SPDX-License-Identifier: MIT
"""What lies round the objects, and what regions are like, in the real window: columns of neighbours and of distances to borders, regions of like texture, objects
like the mean of those in a region.
usage: nearby.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import csv
import hashlib
import json
import math
import pathlib
import subprocess
import sys

from desk import TMP, analysed, check, draw_rectangle, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
NEIGHBOURS, BORDER, SIMILAR = "Delaunay neighbours", "Signed distance to region border µm", "Similarity: Difference (sd)"
UM = 0.5  # a pixel of the made-up slide


def saved_rows(program, name):
    count = len(program.events("table-saved"))
    program.action("export-objects-to", TMP / name)
    program.wait_more("table-saved", count, "the rows are saved")
    with open(TMP / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def to_segment(x, y, a, b):
    dx, dy = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dy * dy
    t = min(1, max(0, ((x - a[0]) * dx + (y - a[1]) * dy) / square)) if square else 0
    return math.hypot(a[0] + t * dx - x, a[1] + t * dy - y)


def regions(program):
    path = TMP / "regions.geojson"
    path.unlink(missing_ok=True)
    program.action("export-rois-to", path)
    program.wait("the regions are saved", path.exists)
    return [f["geometry"]["coordinates"][0] for f in json.loads(path.read_text())["features"]]


def to_border(rings, x, y):
    inside = any(min(p[0] for p in ring) < x < max(p[0] for p in ring) and min(p[1] for p in ring) < y < max(p[1] for p in ring) for ring in rings)
    return (-1 if inside else 1) * min(to_segment(x, y, a, b) for ring in rings for a, b in zip(ring, ring[1:]))


def surroundings(display, program, rings):
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "shift+t")
    program.wait("Shift+T shows the table", lambda: program.events("table-objects")[1:])
    program.click(display, "Columns")
    program.settle(0.3)
    program.click(display, "Neighbours and borders")
    display.do("key", "Escape")
    program.wait("neighbours and borders are columns", lambda: program.events("surroundings"))
    program.settle(0.5)
    rows = saved_rows(program, "round.csv")
    degrees = [int(row[NEIGHBOURS]) for row in rows]
    check(sum(degrees) % 2 == 0 and 5 < sum(degrees) / len(rows) < 6, f"each edge counts at both ends, and most have six {sum(degrees) / len(rows):.2f}")
    x, y = next(name for name in rows[0] if name.startswith("Centroid X")), next(name for name in rows[0] if name.startswith("Centroid Y"))
    worst = max(abs(float(row[BORDER]) - UM * to_border(rings, float(row[x]), float(row[y]))) for row in rows)
    inside = sum(float(row[BORDER]) < 0 for row in rows)
    check(worst < 0.01 and 0 < inside < len(rows), f"distances to the nearest border, below zero of {inside} inside: off by {worst:.2g} µm at most")
    display.picture("columns")


def exported(program, rings):
    """Results have the columns of the table; the regions lie beside them, are an input of the record, and `rerun` makes the same bytes of it."""
    folder = TMP / "exported"
    for turn in ("first", "again"):
        count = len(program.events("exported"))
        program.action("export-results-to", folder / turn)
        program.wait_more("exported", count, f"results are exported with what lies round the objects, {turn}")
    with open(folder / "again" / "features.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = saved_rows(program, "shown.csv")
    pairs = sorted((row[NEIGHBOURS], row[BORDER]) for row in rows)
    check(pairs == sorted((row[NEIGHBOURS], row[BORDER]) for row in table), f"the columns of {len(rows)} objects are those of the table, digit for digit")
    record = json.loads((folder / "again" / "record.json").read_text())
    file = folder / "again" / "borders.geojson"
    check(record["surroundings"] == {"columns": [NEIGHBOURS, BORDER], "regions": len(rings)}, f"the record names them {record.get('surroundings')}")
    check(record["inputs"]["borders"] == {"path": str(file), "bytes": file.stat().st_size, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
          and "borders.geojson" in record["files"] and "borders.geojson" not in record["contents"], f"the regions are an input {record['inputs']}")
    done = subprocess.run([BATCH, "rerun", folder / "again" / "record.json"], capture_output=True, text=True, check=False)
    check(done.returncode == 0 and "every byte is the same" in done.stdout, f"rerun makes the same bytes {done.stdout} {done.stderr}")


def like_regions(display, program):
    program.action("regions")
    program.settle(0.5)
    program.click(display, "ROI 1")
    display.do("key", "alt+shift+y")
    line = program.wait("Alt+Shift+Y looks for regions of like texture", lambda: program.events("similar-regions"))
    program.settle(0.5)
    check(line[-1].split()[1:] == ["2", "3"], f"it and the nearest of three pass, and are selected {line[-1]}")
    said = program.labels("most alike in ")
    check(said and " of 3 regions" in said[0], f"what makes them alike is said {said}")
    check(program.labels("Difference, sd"), "how much each differs is a column")
    check(program.labels("0.00"), "of itself 0")
    display.picture("regions")
    program.click(display, "Look for similar objects no more")
    program.wait("the column is gone", lambda: not program.labels("Difference, sd"))


def like_tiles(display, program):
    """Tiles as large as a region are regions, so that they are measured and compared like these; one step takes them back."""
    program.click(display, "ROI 1")
    program.settle(0.3)
    display.do("key", "alt+q")
    n = int(program.wait("Alt+Q cuts what is seen into tiles", lambda: program.events("regions-tiled"))[-1].split()[1])
    program.settle(1)
    first = regions(program)
    boxes = [(min(p[0] for p in ring), min(p[1] for p in ring), max(p[0] for p in ring), max(p[1] for p in ring)) for ring in first]
    own, tiles = boxes[0], boxes[3:]
    width, height = own[2] - own[0], own[3] - own[1]
    check(n > 8 and len(tiles) == n, f"{n} of them, each a region")
    check(all(abs(t[2] - t[0] - width) < 0.01 and abs(t[3] - t[1] - height) < 0.01 for t in tiles), "as large as the region")
    steps = {(round((t[0] - own[0]) / width, 3), round((t[1] - own[1]) / height, 3)) for t in tiles}
    check(len(steps) == n and all(x % 1 == 0 and y % 1 == 0 for x, y in steps) and (0, 0) not in steps, "side by side from it on, and not on it")
    program.wait("and measured", lambda: f"table {n + 3}-rows" in program.events("table"))
    program.click(display, "ROI 1")
    program.settle(1)
    count = len(program.events("similar-regions"))
    display.do("key", "alt+shift+y")
    line = program.wait_more("similar-regions", count, "those like it are found among them")
    check(int(line.split()[2]) == n + 3, f"and the three regions {line}")
    display.picture("tiles")
    program.click(display, "Look for similar objects no more")
    display.do("key", "ctrl+z")
    program.settle(1)
    check(len(regions(program)) == 3, "one step takes all of them back")


def like_objects(display, program):
    program.click(display, "ROI 1")
    program.settle(0.3)
    display.do("key", "ctrl+shift+y")
    program.wait("Ctrl+Shift+Y looks for objects like those of the region", lambda: program.events("similar"))
    program.settle(0.5)
    check(program.labels("Like the mean of the "), "which says of how many")
    rows = saved_rows(program, "like.csv")
    differences = [float(row[SIMILAR]) for row in rows]
    check(len(rows) == int(program.events("similar")[-1].split()[1]) and differences == sorted(differences) and differences[0] > 0,
          f"{len(rows)} rows, the nearest first {differences[:3]}")
    display.picture("objects")


def refused(display, program):
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "alt+shift+y")
    program.wait("without one region: said", lambda: any("Select one region" in e for e in program.events("error")))


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    display, program, _ = analysed("vitrail-nearby", APP, DEMO)
    refused(display, program)
    draw_rectangle(display, program, 250, 200, 220, 140)
    draw_rectangle(display, program, 560, 180, 120, 200)
    draw_rectangle(display, program, 720, 220, 160, 160)
    rings = regions(program)
    surroundings(display, program, rings)
    exported(program, rings)
    like_regions(display, program)
    like_tiles(display, program)
    like_objects(display, program)
    program.end()
    finish()


if __name__ == "__main__":
    main()
