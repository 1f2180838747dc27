#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The ops on plain rasters against scipy, scikit-image, and run-length matrices counted the obvious way."""
import csv
import pathlib
import sys
import tempfile

import batch
from images import EIGHT, FOUR, Checks, by_dilation, by_erosion, ndi, np, read

TYPES = {"u8": (8, 1, np.uint8), "u16": (16, 1, np.uint16), "i32": (32, 2, np.int32), "f32": (32, 3, np.float32)}
SHAPES = ((1, 1), (1, 37), (53, 1), (97, 131), (257, 300))


def write(path, array, kind):
    bits, sample_format, dtype = TYPES[kind]
    array = np.ascontiguousarray(array, dtype)
    batch.write_tiff(path, array.shape[1], array.shape[0], bits, sample_format, array.tobytes(), compression=8)
    return path


def texture(rng, shape, top):
    smooth = ndi.gaussian_filter(rng.random(shape), 2, mode="wrap")
    spread = smooth.max() - smooth.min()
    return np.floor((smooth - smooth.min()) / (spread if spread else 1) * top)


def check_reconstruct(checks, folder, rng):
    for kind, top in (("u8", 255), ("u16", 65535), ("i32", 1_000_000), ("f32", 1000)):
        for shape in SHAPES:
            mask = texture(rng, shape, top)
            low = np.where(rng.random(shape) < 0.02, mask, np.floor(mask * rng.random(shape)))
            high = top - np.where(rng.random(shape) < 0.02, top - mask, np.floor((top - mask) * rng.random(shape)))
            mask_file = write(folder / "mask.tif", mask, kind)
            for method, marker, answer in (("dilation", low, by_dilation), ("erosion", high, by_erosion)):
                marker_file = write(folder / "marker.tif", marker, kind)
                for connectivity, structure in (("8", EIGHT), ("4", FOUR)):
                    batch.run_op(folder / "out", "reconstruct", f"mask={mask_file}", f"marker={marker_file}", "--tile", 64,
                                 "--set", f"method={method}", "--set", f"connectivity={connectivity}")
                    want = answer(marker, mask, structure).astype(TYPES[kind][2])
                    got = read(folder / "out" / "result.tif").astype(TYPES[kind][2])
                    checks.equal(f"reconstruct {kind} {shape} by {method}, {connectivity} neighbours", got, want)


def check_distance(checks, folder, rng):
    for shape in SHAPES:
        for share in (0.5, 0.97, 0.9999):
            image = (rng.random(shape) < share).astype(np.uint8)
            image[rng.integers(shape[0]), rng.integers(shape[1])] = 0
            batch.run_op(folder / "out", "distance", f"image={write(folder / 'image.tif', image, 'u8')}", "--tile", 64)
            want = ndi.distance_transform_edt(image).astype(np.float32)
            checks.equal(f"distance {shape}, {share} foreground", read(folder / "out" / "result.tif"), want)
    batch.run_op(folder / "out", "distance", f"image={write(folder / 'image.tif', np.ones((9, 7)), 'u8')}")
    checks.true("distance without background is infinite", bool(np.all(np.isinf(read(folder / "out" / "result.tif")))))


def runs(levels, dx, dy):
    """(level, length) of every run of equal non-zero levels along a direction."""
    height, width = levels.shape
    for y in range(height):
        for x in range(width):
            level = levels[y, x]
            px, py = x - dx, y - dy
            if level == 0 or (0 <= px < width and 0 <= py < height and levels[py, px] == level):
                continue
            length, nx, ny = 0, x, y
            while 0 <= nx < width and 0 <= ny < height and levels[ny, nx] == level:
                length, nx, ny = length + 1, nx + dx, ny + dy
            yield int(level), length


def features(found, n_pixels):
    """Galloway 1975 and IBSI, from (level, length) pairs."""
    i, j = np.array([r[0] for r in found], float), np.array([r[1] for r in found], float)
    n = len(found)
    p = np.unique(np.array(found), axis=0, return_counts=True)[1] / n
    by_level, by_length = np.bincount(i.astype(int)) ** 2.0, np.bincount(j.astype(int)) ** 2.0
    return {
        "SRE": np.mean(1 / j ** 2), "LRE": np.mean(j ** 2), "GLN": by_level.sum() / n, "RLN": by_length.sum() / n,
        "RP": n / n_pixels, "LGRE": np.mean(1 / i ** 2), "HGRE": np.mean(i ** 2), "SRLGE": np.mean(1 / (i * j) ** 2),
        "SRHGE": np.mean(i ** 2 / j ** 2), "LRLGE": np.mean(j ** 2 / i ** 2), "LRHGE": np.mean((i * j) ** 2),
        "GLNN": by_level.sum() / n ** 2, "RLNN": by_length.sum() / n ** 2, "GLV": np.var(i), "RV": np.var(j),
        "RE": -np.sum(p * np.log2(p)),
    }


def expected(levels, aggregate):
    directions = [list(runs(levels, dx, dy)) for dx, dy in ((1, 0), (1, 1), (0, 1), (-1, 1))]
    n_pixels = int(np.count_nonzero(levels))
    if aggregate == "merged":
        return features([r for d in directions for r in d], 4 * n_pixels)
    each = [features(d, n_pixels) for d in directions]
    return {name: np.mean([f[name] for f in each]) for name in each[0]}


def check_glrlm(checks, folder, rng):
    levels = np.clip(texture(rng, (61, 45), 9), 0, 8).astype(np.uint8)
    image = write(folder / "levels.tif", levels, "u8")
    for aggregate in ("mean", "merged"):
        for tile in (16, 64):
            batch.run_op(folder / "out", "glrlm-rois", f"image={image}", "--tile", tile, "--set", "binning=as-is",
                         "--set", f"aggregate={aggregate}")
            with open(folder / "out" / "features.csv", newline="", encoding="utf-8") as file:
                row = next(csv.DictReader(file))
            for name, want in expected(levels, aggregate).items():
                got = float(next(v for k, v in row.items() if k.split(" ")[-1] == name))
                checks.true(f"glrlm-rois {aggregate} {name}, tiles of {tile}", abs(got - want) <= 1e-9 * max(1, abs(want)),
                            (got, want))
    batch.run_op(folder / "out", "glrlm-map", f"image={image}", "--set", "binning=as-is", "--set", "window=15",
                 "--set", "stride=1", "--set", "feature=lre", "--set", "aggregate=mean", "--tile", 16)
    got = read(folder / "out" / "result.tif")
    checks.true("glrlm-map has the size of the image", got.shape == levels.shape, got.shape)
    for y, x in ((30, 20), (7, 7), (0, 0), (60, 44), (12, 40)):
        window = levels[max(0, y - 7):y + 8, max(0, x - 7):x + 8]
        want = np.float32(expected(window, "mean")["LRE"])
        checks.true(f"glrlm-map LRE at ({x},{y})", abs(got[y, x] - want) <= 1e-5 * want, (got[y, x], want))


def main():
    rng = np.random.default_rng(1)
    checks = Checks("rasters")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_reconstruct(checks, folder, rng)
        check_distance(checks, folder, rng)
        check_glrlm(checks, folder, rng)
    print(f"{checks.n} checks, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
