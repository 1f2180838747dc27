#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""squares.py SLIDE GEOJSON FOLDER: cuts the squares "Annotated" of a slide out, with what a run looks at around them, for regions-train:
FOLDER/square-NN.png and square-NN-dots.txt, with the dots "Nucleus" in them. Squares of 64 pixels that lie in an outline "Keratin" and apart from each other and
from the others, 24 at most, drawn at random with a fixed seed, are squares without dots: keratin-NN. Needs openslide-python and Pillow."""
import json
import pathlib
import random
import sys

import openslide

HALO = 128  # vt_regions_reach(72) and some
SIDE, MOST, TRIES, SEED = 64, 24, 4000, 5
LEFT, TOP, RIGHT, BOTTOM = 1, 2, 4, 8


def is_inside(ring, x, y):
    edges = zip(ring, ring[1:])
    return sum((a[1] > y) != (b[1] > y) and x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0] for a, b in edges) % 2 == 1


def cut(slide, folder, name, x, y, side, dots):
    width, height = slide.dimensions
    x0, y0, x1, y1 = max(0, x - HALO), max(0, y - HALO), min(width, x + side + HALO), min(height, y + side + HALO)
    slide.read_region((x0, y0), 0, (x1 - x0, y1 - y0)).convert("RGB").save(folder / f"{name}.png")
    edges = LEFT * (x0 == 0) + TOP * (y0 == 0) + RIGHT * (x1 == width) + BOTTOM * (y1 == height)
    lines = [f"{x - x0} {y - y0} {side} {edges}"] + [f"{a - x0} {b - y0}" for a, b in dots if x <= a < x + side and y <= b < y + side]
    (folder / f"{name}-dots.txt").write_text("\n".join(lines) + "\n")


def draw_squares(ring, taken):
    draw, found = random.Random(SEED), []
    xs, ys = ([int(point[k]) for point in ring] for k in (0, 1))
    for _ in range(TRIES):
        x, y = draw.randrange(min(xs), max(xs) - SIDE), draw.randrange(min(ys), max(ys) - SIDE)
        corners = ((x + a, y + b) for a in range(0, SIDE + 1, 8) for b in range(0, SIDE + 1, 8))
        is_free = all(x >= u + w or u >= x + SIDE or y >= v + w or v >= y + SIDE for u, v, w in taken + found)
        if is_free and all(is_inside(ring, *corner) for corner in corners):
            found.append((x, y, SIDE))
    return found[:MOST]


def main():
    slide, folder = openslide.OpenSlide(sys.argv[1]), pathlib.Path(sys.argv[3])
    folder.mkdir(exist_ok=True)
    kinds = {}
    for feature in json.loads(pathlib.Path(sys.argv[2]).read_text())["features"]:
        kinds.setdefault(feature["properties"]["classification"]["name"], []).append(feature["geometry"]["coordinates"])
    dots = [dot for group in kinds["Nucleus"] for dot in group]
    squares = [(ring[0][0], ring[0][1], ring[2][0] - ring[0][0]) for (ring,) in kinds["Annotated"]]
    for i, (x, y, side) in enumerate(squares):
        cut(slide, folder, f"square-{i:02}", x, y, side, dots)
    empty = [square for (ring,) in kinds.get("Keratin", []) for square in draw_squares(ring, squares)]
    for i, (x, y, side) in enumerate(empty):
        cut(slide, folder, f"keratin-{i:02}", x, y, side, [])


if __name__ == "__main__":
    main()
