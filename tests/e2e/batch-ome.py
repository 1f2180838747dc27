#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rasters as OME-TIFF, read by tifffile: the pixels of the TIFF of ours on every level, the size of a pixel only where it is known,
the place on the slide; the same file when it is streamed, of each region, resumed and repeated."""
import json
import pathlib
import sys
import tempfile
import xml.etree.ElementTree as xml

import batch

try:
    import numpy as np
    import tifffile
except ImportError as missing:
    print(f"{missing}: skipped")
    sys.exit(batch.SKIP)

OME = "{http://www.openmicroscopy.org/Schemas/OME/2016-06}"
TYPES = {"uint8": np.uint8, "uint16": np.uint16, "int32": np.int32, "float": np.float32}
REGION = "--region", "300,200,1500,1101"
FAILED = []


def check(name, ok, detail=""):
    print(f"{'ok' if ok else 'not ok'}: {name}{f': {detail}' if detail and not ok else ''}", flush=True)
    if not ok:
        FAILED.append(name)


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def check_levels(name, plain, ome):
    """One image in a container, each reduced level a SubIFD of it."""
    with tifffile.TiffFile(plain) as ours, tifffile.TiffFile(ome) as theirs:
        levels = theirs.series[0].levels
        check(f"{name}: one image of as many levels", theirs.is_ome and len(theirs.pages) == len(theirs.series) == 1
              and len(levels) == len(ours.pages), (theirs.is_ome, len(theirs.pages), len(levels), len(ours.pages)))
        for i, (page, level) in enumerate(zip(ours.pages, levels)):
            check(f"{name}: pixels of level {i}", same(page.asarray(), level.asarray()))
            check(f"{name}: level {i} is tiled and deflated", level.pages[0].is_tiled and level.pages[0].compression == 8
                  and level.pages[0].is_reduced == (i > 0))
        return theirs.ome_metadata, theirs.series[0].shape, theirs.series[0].dtype


def check_words(name, text, shape, dtype, title, mpp, corner, downsample):
    """The facts of the OME-XML. corner: of the first pixel, in level-0 pixels; mpp: of level 0, or None."""
    image = xml.fromstring(text.encode()).find(OME + "Image")
    pixels = image.find(OME + "Pixels")
    check(f"{name}: type and size", (pixels.get("SizeY"), pixels.get("SizeX")) == tuple(map(str, shape))
          and TYPES[pixels.get("Type")] == dtype and pixels.get("BigEndian") == str(sys.byteorder == "big").lower(), pixels.attrib)
    check(f"{name}: the channel has the title of the stage", pixels.find(OME + "Channel").get("Name") == title, title)
    label, plane = image.find(OME + "StageLabel"), pixels.find(OME + "Plane")
    check(f"{name}: place in level-0 pixels", [float(label.get(k)) for k in "XY"] == corner
          and label.get("XUnit") == label.get("YUnit") == "pixel", label.attrib)
    if not mpp:
        check(f"{name}: no µm where nobody knows them", "PhysicalSize" not in text and plane is None, text)
        return
    sizes = [float(pixels.get("PhysicalSize" + k)) for k in "XY"]
    check(f"{name}: size of a pixel", np.allclose(sizes, [m * downsample for m in mpp], rtol=1e-12)
          and pixels.get("PhysicalSizeXUnit") == pixels.get("PhysicalSizeYUnit") == "µm", pixels.attrib)
    at = [float(plane.get("Position" + k)) for k in "XY"]
    check(f"{name}: place in µm", np.allclose(at, np.multiply(corner, mpp), rtol=1e-12)
          and plane.get("PositionXUnit") == plane.get("PositionYUnit") == "µm", plane.attrib)


def titles_of(op):
    ops = json.loads(batch.batch("ops", "--json").out)
    ops = ops["ops"] if isinstance(ops, dict) else ops
    return {stage["id"]: stage["title"] for stage in next(o for o in ops if o["id"] == op)["stages"]}


def check_slide(folder, slide):
    plain, ome, streamed = folder / "plain", folder / "ome", folder / "streamed"
    words = "nuclei-threshold", slide, *REGION
    batch.run_op(plain, *words, "--format", "tiff")
    record = batch.run_op(ome, *words, "--format", "ome-tiff")
    mpp, titles = record["source"]["mpp"], titles_of("nuclei-threshold")
    rasters = sorted(path.stem for path in plain.glob("*.tif"))
    check("every raster is an OME-TIFF", len(rasters) > 4 and sorted(p.name for p in ome.glob("*.tif"))
          == [f"{name}.ome.tif" for name in rasters], rasters)
    for name in rasters:
        with tifffile.TiffFile(plain / f"{name}.tif") as ours:
            place = json.loads(ours.pages[0].description)
        corner = [place["origin_" + k + "_l0"] + place[k] * place["downsample"] for k in "xy"]
        text, shape, dtype = check_levels(name, plain / f"{name}.tif", ome / f"{name}.ome.tif")
        check_words(name, text, shape, dtype, titles[name], mpp, corner, place["downsample"])
    for name in ("features.csv", "objects.geojson", "overlay.png"):
        check(f"{name} is the same", (plain / name).read_bytes() == (ome / name).read_bytes())
    record = batch.run_op(streamed, *words, "--format", "ome-tiff", "--memory", "8M")
    check("a run was streamed", record["resolved"].get("streamed") == 1)
    for path in sorted(ome.glob("*.ome.tif")):
        if path.name != "certain.ome.tif":  # of a part of a slide that memory does not hold it can't be said
            check(f"streamed, the same file: {path.name}", path.read_bytes() == (streamed / path.name).read_bytes())
    check_again(ome, words)


def check_again(ome, words):
    """Resumed and repeated; another format is another request, and its files take the place of the old ones."""
    result = batch.batch("run", *words, "--format", "ome-tiff", "--out", ome, "--resume")
    check("a whole result is believed", "done before" in result.out, result.out + result.err)
    result = batch.batch("rerun", ome / "record.json")
    check("the same again", result.status == 0 and "every byte" in result.out and "same     labels.ome.tif" in result.out,
          result.out + result.err)
    result = batch.batch("score", ome / "labels.ome.tif", ome / "labels.ome.tif")
    check("labels can be an input again, with their place", result.status == 0, result.out + result.err)
    result = batch.batch("run", *words, "--out", ome, "--resume")
    check("another format is another result", result.status == 0 and "done before" not in result.out
          and (ome / "labels.tif").exists() and not list(ome.glob("*.ome.tif")), result.out + result.err)
    result = batch.batch("run", *words, "--out", ome, "--format", "zarr")
    check("an unknown format is refused in a sentence", result.status == 2 and "ome-tiff" in result.err, result.err)


def check_compression(folder, slide):
    """Other tiles of the same pixels, streamed or not; the record makes them again."""
    words = "nuclei-threshold", slide, *REGION
    zstd, streamed = folder / "zstd", folder / "zstd-streamed"
    record = batch.run_op(zstd, *words, "--compression", "zstd")
    check("the record says how tiles are compressed", record.get("compression") == "zstd", record.get("compression"))
    names = sorted(path.name for path in (folder / "plain").glob("*.tif"))
    with tifffile.TiffFile(zstd / "labels.tif") as file:
        check("every page is compressed by zstd", {int(page.compression) for page in file.pages} == {50000})
    sizes = [sum((out / name).stat().st_size for name in names) for out in (zstd, folder / "plain")]
    check("files are no larger", sizes[0] < 1.05 * sizes[1], sizes)
    batch.run_op(streamed, *words, "--compression", "zstd", "--memory", "8M")
    for name in names:
        if name != "certain.tif":
            check(f"zstd streamed: {name}", (zstd / name).read_bytes() == (streamed / name).read_bytes())
    for name in ("features.csv", "objects.geojson", "overlay.png"):
        check(f"zstd: {name}", (folder / "plain" / name).read_bytes() == (zstd / name).read_bytes())
    result = batch.batch("score", zstd / "labels.tif", folder / "plain" / "labels.tif", "--json", folder / "score.json")
    score = json.loads((folder / "score.json").read_text()) if result.status == 0 else result.err
    check("labels are read again, and are the same", result.status == 0 and score["aji"] == 1, score)
    for name in ("distance", "hematoxylin"):  # a raster of each kind as an input
        outs = folder / f"from-{name}", folder / f"from-zstd-{name}"
        for out, source in zip(outs, (folder / "plain", zstd), strict=True):
            batch.run_op(out, "distance", f"image={source / name}.tif")
        check(f"{name} is an input again", (outs[0] / "result.tif").read_bytes() == (outs[1] / "result.tif").read_bytes())
    result = batch.batch("rerun", zstd / "record.json")
    check("zstd: the same again", result.status == 0 and "every byte" in result.out, result.out + result.err)
    result = batch.batch("run", *words, "--out", zstd, "--compression", "lzw")
    check("another compression is refused in a sentence", result.status == 2 and "deflate or zstd" in result.err, result.err)


def check_colours(folder, slide):
    """Four samples a pixel."""
    words = "normalize", slide, *REGION
    batch.run_op(folder / "colours", *words)
    batch.run_op(folder / "ome-colours", *words, "--format", "ome-tiff")
    text, shape, _ = check_levels("colours", folder / "colours" / "normalized.tif", folder / "ome-colours" / "normalized.ome.tif")
    pixels = xml.fromstring(text.encode()).find(OME + "Image").find(OME + "Pixels")
    channel = pixels.find(OME + "Channel")
    check("colours: one channel of four samples", shape == (1101, 1500, 4) and pixels.get("SizeC") == "4" and pixels.get("Type") == "uint8"
          and channel.get("SamplesPerPixel") == "4" and channel.get("Name") == "Normalised stains", (shape, pixels.attrib))


def check_uncalibrated(folder):
    image = folder / "in.png"
    batch.write_png(image, 700, 300, [bytes((x * y // 7) % 251 for x in range(700)) for y in range(300)])
    words = "distance", f"image={image}", "--region", "100,50,520,200"
    batch.run_op(folder / "plain-image", *words)
    batch.run_op(folder / "ome-image", *words, "--format", "ome-tiff")
    text, shape, dtype = check_levels("image", folder / "plain-image" / "result.tif", folder / "ome-image" / "result.ome.tif")
    check_words("image", text, shape, dtype, titles_of("distance")["result"], None, [100, 50], 1)
    record = batch.run_op(folder / "regions", "distance", f"image={image}", "--region", "a=100,50,520,200", "--region",
                          "0,0,90,70", "--format", "ome-tiff")
    check("regions have files of their own", {"result-1.ome.tif", "result-2.ome.tif"} <= set(record["files"]), record["files"])
    check("a region is what it is alone", (folder / "regions" / "result-1.ome.tif").read_bytes()
          == (folder / "ome-image" / "result.ome.tif").read_bytes())
    result = batch.batch("rerun", folder / "regions" / "record.json")
    check("regions: the same again", result.status == 0 and "every byte" in result.out, result.out + result.err)
    again = folder / "ome-image" / "result.ome.tif"
    batch.run_op(folder / "chain", "distance", f"image={again}")
    batch.run_op(folder / "chain-plain", "distance", f"image={folder / 'plain-image' / 'result.tif'}")
    check("a raster can be an input again", (folder / "chain" / "result.tif").read_bytes()
          == (folder / "chain-plain" / "result.tif").read_bytes())


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slide, _ = batch.demo_slide(folder, 2048)
        check_slide(folder, slide)
        check_compression(folder, slide)
        check_colours(folder, slide)
        check_uncalibrated(folder)
    print(f"{len(FAILED)} failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
