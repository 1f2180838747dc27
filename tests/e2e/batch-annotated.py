#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`nuclei` on a real slide. cmu-1-small-region.geojson has a dot in every nucleus of 29 squares of 96 pixels, drawn at random where
tissue is, and the outline of the keratin, all of CMU-1-Small-Region.svs (OpenSlide's test data, CC0-1.0). The dots are placed by hand from the
magnified squares by an author of this program, who is no pathologist, before any result was laid over them; five more squares were left out, since folds, ink or debris hid their
nuclei; the last 14 squares lie outside of the keratin. CC0-1.0 like the slide. The score that ships was trained on these squares: regions-train tells
what it finds in those that it has not seen (docs/nuclei.md)."""
import json
import pathlib
import sys
import tempfile

import batch

HERE = pathlib.Path(__file__).parent
PRECISION, RECALL, ON_KERATIN, RAGGED = 0.9, 0.8, 0.03, 0.02


def part(folder, features, name):
    path = folder / f"{name}.geojson"
    chosen = [feature for feature in features if feature["properties"]["classification"]["name"] == name]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": chosen}))
    return path


def is_inside(polygon, x, y):
    edges = zip(polygon, polygon[1:])
    return sum((a[1] > y) != (b[1] > y) and x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0] for a, b in edges) % 2 == 1


def middle(feature):
    ring = feature["geometry"]["coordinates"][0]
    ring = ring[0] if feature["geometry"]["type"] == "MultiPolygon" else ring
    return [sum(point[k] for point in ring[1:]) / (len(ring) - 1) for k in (0, 1)]


def figures(folder, slide):
    features = json.loads((HERE / "cmu-1-small-region.geojson").read_text())["features"]
    dots, squares, keratin = (part(folder, features, name) for name in ("Nucleus", "Annotated", "Keratin"))
    batch.run_op(folder / "out", "nuclei", slide)
    result = batch.batch("score", folder / "out" / "objects.geojson", dots, "--truth-regions", squares, "--json", folder / "score.json")
    if problem := result.problem((0,)):
        sys.exit(f"vitrail-batch score: {problem}: {result.err}")
    objects = json.loads((folder / "out" / "objects.geojson").read_text())["features"]
    polygon = json.loads(keratin.read_text())["features"][0]["geometry"]["coordinates"][0]
    ragged = sum(feature["properties"]["measurements"]["Nucleus: Solidity"] < 0.8 for feature in objects)
    return json.loads((folder / "score.json").read_text())["dots"], sum(is_inside(polygon, *middle(feature)) for feature in objects) / len(objects), ragged / len(objects)


def main():
    slide = batch.shared() / "slides" / "aperio" / "CMU-1-Small-Region.svs" if batch.shared() else None
    if not slide or not slide.is_file():
        print("skipped: CMU-1-Small-Region.svs is not there")
        return 77
    with tempfile.TemporaryDirectory() as name:
        score, on_keratin, ragged = figures(pathlib.Path(name), slide)
    print(json.dumps(score), f"on keratin {on_keratin:.4f}, solidity below 0.8: {ragged:.4f}")
    return 0 if score["precision"] >= PRECISION and score["recall"] >= RECALL and on_keratin < ON_KERATIN and ragged < RAGGED else 1


if __name__ == "__main__":
    sys.exit(main())
