#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hashes.py BATCH PLUGIN_FOLDER DEMO_SLIDE SLIDES [FAKE_GPU_FOLDER] > hashes.txt: a hash of everything that every op hands over, run in every way: on
one thread and on two, in tiles, streamed, on a pretended device. Two builds give the same bytes if their lists are the same:
diff before.txt after.txt. SLIDES is the folder of shared slides; sources that are missing are left out by name.
VITRAIL_HASHES, a regular expression, chooses among the runs ("demo nuclei .* streamed")."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BATCH, PLUGIN, DEMO, SLIDES = (pathlib.Path(word).resolve() for word in sys.argv[1:5])
FAKE = pathlib.Path(sys.argv[5]).resolve() if len(sys.argv) > 5 else None
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
sys.argv = [sys.argv[0]]
import batch  # noqa: E402
from images import np, read  # noqa: E402

# Name, file below SLIDES (None: made here), region, whether it has colours.
SOURCES = (
    ("demo", None, "2100,1900,700,600", True),
    ("demo-d2", None, "1000,1000,1500,1100", True),
    ("corner", None, "0,0,300,400", True),
    ("small-region", "aperio/CMU-1-Small-Region.svs", "300,500,900,800", True),
    ("generic", "generic-tiff/he-patch-3-levels.tif", "100,60,500,400", True),
    ("fluorescence", "hamamatsu/test3-DAPI-2-387.ndpi", "1600,2000,700,600", True),
    ("u8", None, None, False), ("u16", None, None, False), ("i32", None, None, False), ("f32", None, None, False),
)
COLOUR_ONLY = (
    ("nuclei-threshold", {}), ("nuclei-threshold", {"split": "false"}), ("nuclei-threshold", {"background-by-reconstruction": "false", "hole-radius": 3}),
    ("nuclei-threshold", {"sigma": 0, "background-radius": 0, "seed-depth": 0}), ("nuclei-threshold", {"context": "exact", "hole-radius": 5}),
    ("nuclei-threshold", {"detection-image": "od-sum", "max-background": 0.3, "algorithm": "fh"}),
    ("reconstruct", {"channel": "hematoxylin", "height": 0.2}),
    ("nuclei", {}), ("nuclei", {"preset": "tissue", "min-score": 0.2, "largest": 12}), ("nuclei", {"preset": "cytology"}),
    ("nuclei", {"context": "exact", "cell-expansion": 2}),
)
BYTES_ONLY = (("nuclei", {"preset": "fluorescence"}),)
MORPHOLOGY = ("opening-by-reconstruction", "closing-by-reconstruction", "top-hat", "bottom-hat", "h-maxima", "h-minima", "regional-maxima",
              "regional-minima", "fill-holes", "clear-border", "area-filter")
EVERYWHERE = (
    ("reconstruct", {}), ("reconstruct", {"method": "erosion", "connectivity": 4}), ("reconstruct", {"marker-kind": "border"}),
    ("reconstruct", {"marker-kind": "one-pixel", "algorithm": "sr"}), ("reconstruct", {"context": "exact"}),
    *(("morphology", {"operation": o, "threshold": 120, "connectivity": 4 if o == "fill-holes" else 8}) for o in MORPHOLOGY),
    ("morphology", {"operation": "top-hat", "context": "exact", "radius": 2}),
    ("morphology", {"operation": "area-filter", "threshold": 120, "context": "exact"}),
    ("distance", {"threshold": 150}), ("distance", {"threshold": 150, "output": "squared"}),
    ("distance", {"threshold": 150, "output": "nearest", "cap": 6}), ("distance", {"threshold": 120, "cap": 4}),
    ("distance", {"threshold": 120, "algorithm": "danielsson"}), ("distance", {"threshold": 150, "context": "exact"}),
    ("zones", {"threshold": 90, "seed-above": 180}), ("zones", {"threshold": 90, "seed-above": 180, "connectivity": 4}),
    ("zones", {"threshold": 120, "seed-above": 180, "context": "exact"}),
    ("watershed", {"threshold": 90}), ("watershed", {"objects": "dark", "threshold": 200, "height": 25}),
    ("watershed", {"threshold": 150, "context": "exact"}),
    ("glrlm-map", {}), ("glrlm-map", {"feature": "re", "aggregate": "merged", "window": 9, "stride": 3}),
    ("glrlm-map", {"binning": "fixed-width", "bin-width": 12, "window": 25, "stride": 7, "algorithm": "serial"}),
    ("glrlm-rois", {}), ("glrlm-rois", {"own-range": "true", "aggregate": "dir-1-1"}),
)
# Ops with a second image: labels of seeds, a marker, a mask.
SECOND = (("zones", "seeds", {"threshold": 60}), ("watershed", "seeds", {"threshold": 60}), ("glrlm-map", "mask", {}),
          ("glrlm-rois", "mask", {}), ("reconstruct", "marker", {}), ("reconstruct", "marker", {"method": "erosion"}))
WAYS = (("one-thread", ["--threads", "1"], False), ("two-threads", ["--threads", "2"], False),
        ("tiles", ["--threads", "2", "--tile", "96"], False), ("streamed", ["--threads", "2", "--memory", "12M"], False),
        ("device", ["--threads", "2", "--backend", "cuda"], True),
        ("device-streamed", ["--threads", "2", "--backend", "cuda", "--memory", "12M"], True))
VOLATILE = ("memory-peak-bytes", "scratch-bytes", "device-memory-peak-bytes", "tiles", "rounds", "ms", "bytes", "workers", "visits", "on-devices",
            "device", "steps-resumed", "times-over")


def digest(path):
    if path.suffix == ".tif":
        pixels = read(path)
        return hashlib.sha256(f"{pixels.dtype} {pixels.shape}".encode() + np.ascontiguousarray(pixels).tobytes()).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest()


def facts(record):
    """What the run said about itself, less what differs from run to run."""
    resolved = {k: v for k, v in record["resolved"].items() if not any(word in k for word in VOLATILE)}
    return hashlib.sha256(json.dumps([resolved, record["warnings"]], sort_keys=True).encode()).hexdigest()


def key_of(job):
    name, way, op, _, _, settings = job[:6]
    return f"{name} {op} {','.join(f'{k}={v}' for k, v in settings.items()) or '-'} {way}"


def lines(job):
    _, _, op, inputs, region, settings, options, fake = job
    key = key_of(job)
    with tempfile.TemporaryDirectory() as folder:
        words = [w for k, v in settings.items() for w in ("--set", f"{k}={v}")]
        words += ["--region", region] if region else []
        environment = {**os.environ, "VITRAIL_PLUGIN_PATH": str(FAKE if fake else PLUGIN), "MALLOC_PERTURB_": "0"}
        done = subprocess.run([BATCH, "run", op, *inputs, *words, *options, "--out", folder], capture_output=True, text=True, env=environment,
                              stdin=subprocess.DEVNULL, timeout=600)
        if done.returncode:
            return [f"{key} failed: {done.stderr.strip().replace(folder, '')}"]
        out = [f"{key} {path.name} {digest(path)}" for path in sorted(pathlib.Path(folder).iterdir())
               if path.is_file() and path.suffix in (".tif", ".csv", ".geojson")]
        return [*out, f"{key} record {facts(json.loads((pathlib.Path(folder) / 'record.json').read_text()))}"]


def raster(folder, kind, seed, top):
    rng = np.random.default_rng(seed)
    low = rng.random((62, 72))
    smooth = np.kron(low, np.ones((10, 10)))
    for axis in (0, 1):
        for _ in range(2):
            smooth = (smooth + np.roll(smooth, 3, axis) + np.roll(smooth, -5, axis)) / 3
    image = np.floor((smooth + rng.random(smooth.shape) / 20) * top)
    bits, sample_format, dtype = {"u8": (8, 1, np.uint8), "u16": (16, 1, np.uint16), "i32": (32, 2, np.int32), "f32": (32, 3, np.float32)}[kind]
    path = folder / f"{kind}-{seed}.tif"
    batch.write_tiff(path, image.shape[1], image.shape[0], bits, sample_format, np.ascontiguousarray(image, dtype).tobytes(), compression=8)
    return path, image


def seeds(folder):
    rng = np.random.default_rng(5)
    labels = np.where(rng.random((620, 720)) < 0.002, rng.integers(1, 200, (620, 720)), 0).astype(np.uint8)
    path = folder / "seeds.tif"
    batch.write_tiff(path, 720, 620, 8, 1, labels.tobytes(), compression=8)
    return path


def rois(folder):
    path = folder / "rois.geojson"
    box = lambda x, y, w, h: {"type": "Feature", "properties": {"name": f"r{x}"}, "geometry": {  # noqa: E731
        "type": "Polygon", "coordinates": [[[x, y], [x + w, y], [x + w, y + h], [x + 9, y + h + 30], [x, y]]]}}
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [box(110, 80, 60, 70), box(200, 90, 170, 200), box(140, 130, 300, 90)]}))
    return path


def jobs(folder):
    ways = [way for way in WAYS if FAKE or not way[2]]
    shapes = rois(folder)
    for name, path, region, has_colours in SOURCES:
        if path and not (SLIDES / path).exists():
            print(f"{name} is missing", file=sys.stderr)
            continue
        source = SLIDES / path if path else DEMO if has_colours else raster(folder, name, 1, 255)[0]
        for op, settings in (*(COLOUR_ONLY if has_colours else ()), *(BYTES_ONLY if has_colours or name == "u8" else ()), *EVERYWHERE):
            settings = {**settings, **({"pixel-size": 1} if name == "demo-d2" else {})}
            key = "mask" if op == "reconstruct" else "image"
            inputs = [source] if has_colours else [f"{key}={source}"]
            inputs += [f"rois={shapes}"] if op == "glrlm-rois" and name in ("generic", "u8", "u16") else []
            for way, options, fake in ways:
                yield name, way, op, inputs, region, settings, options, fake
    for kind in ("u8", "u16", "i32", "f32"):
        image, second = raster(folder, kind, 1, 255)[0], raster(folder, kind, 2, 100)[0]
        for op, what, settings in SECOND:
            key = "mask" if op == "reconstruct" else "image"
            other = {"seeds": seeds(folder), "mask": seeds(folder), "marker": second}[what]
            for way, options, fake in ways:
                yield kind + "+" + what, way, op, [f"{key}={image}", f"{what}={other}"], None, settings, options, fake


def main():
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ProcessPoolExecutor(2) as pool:
        chosen = [job for job in jobs(pathlib.Path(name)) if re.search(os.environ.get("VITRAIL_HASHES", ""), key_of(job))]
        found = [line for some in pool.map(lines, chosen, chunksize=8) for line in some]
    print("\n".join(sorted(found)))


if __name__ == "__main__":
    main()
