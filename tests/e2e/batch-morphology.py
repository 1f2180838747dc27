#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every operation of the op morphology against scikit-image and scipy, on rasters of every type."""
import pathlib
import sys
import tempfile

import batch
from images import EIGHT, FOUR, Checks, by_dilation, by_erosion, erode_disc, ndi, np, read

TYPES = {"u8": (8, 1, np.uint8, 255), "u16": (16, 1, np.uint16, 65535), "i32": (32, 2, np.int32, 100000),
         "f32": (32, 3, np.float32, 1000)}


def write(path, array, kind):
    bits, sample_format, dtype, _ = TYPES[kind]
    array = np.ascontiguousarray(array, dtype)
    batch.write_tiff(path, array.shape[1], array.shape[0], bits, sample_format, array.tobytes(), compression=8)
    return path


def hills(rng, shape, top):
    smooth = ndi.gaussian_filter(rng.random(shape), 3, mode="nearest")
    spread = smooth.max() - smooth.min()
    return np.floor((smooth - smooth.min()) / (spread if spread else 1) * top)


def opened(image, structure, radius):
    return by_dilation(erode_disc(image, radius), image, structure)


def closed(image, structure, radius):
    return -opened(-image, structure, radius)


def from_border(image):
    marker = np.full(image.shape, image.min(), float)
    for edge in (np.s_[0], np.s_[-1], np.s_[:, 0], np.s_[:, -1]):
        marker[edge] = image[edge]
    return marker


def extrema(image, structure):
    """Plateaus without a higher neighbour, by flooding each of them."""
    result = np.zeros(image.shape, bool)
    for value in np.unique(image):
        labels, n = ndi.label(image == value, structure)
        if n == 0:
            continue
        higher = ndi.maximum_filter(np.where(image > value, 1, 0), footprint=structure, mode="constant", cval=0)
        touched = ndi.maximum(higher, labels, np.arange(1, n + 1))
        result |= np.isin(labels, 1 + np.flatnonzero(touched == 0))
    return np.where(result, 255, 0)


def pieces(image, structure, threshold, lowest, highest):
    labels, _ = ndi.label(image > threshold, structure)
    areas = np.bincount(labels.ravel())
    keep = (areas >= lowest) & (areas <= highest)
    keep[0] = False
    return np.where(keep[labels], 255, 0)


def expected(image, structure, height, radius, threshold):
    """Operation by operation; those with discs are for 8 and 16 bits."""
    lower = np.maximum(image - height, 0) if image.min() >= 0 else image - height
    return {
        "opening-by-reconstruction": lambda: opened(image, structure, radius),
        "closing-by-reconstruction": lambda: closed(image, structure, radius),
        "top-hat": lambda: image - opened(image, structure, radius),
        "bottom-hat": lambda: closed(image, structure, radius) - image,
        "h-maxima": lambda: by_dilation(lower, image, structure),
        "h-minima": lambda: by_erosion(image + height, image, structure),
        "regional-maxima": lambda: extrema(image, structure),
        "regional-minima": lambda: extrema(-image, structure),
        "fill-holes": lambda: -by_dilation(from_border(-image), -image, structure),
        "clear-border": lambda: image - by_dilation(from_border(image), image, structure),
        "area-filter": lambda: pieces(image, structure, threshold, 20, 400),
    }


def check(checks, folder, rng, kind, shape):
    top = TYPES[kind][3]
    # Few levels, so that there are plateaus, and away from the type's ends, where heights would be cut.
    image = np.floor(hills(rng, shape, 24)) * (top // 48) + top // 4
    height, radius, threshold = 3 * (top // 48), 3, top // 2
    file = write(folder / "image.tif", image, kind)
    for name, structure in (("8", EIGHT), ("4", FOUR)):
        for operation, answer in expected(image, structure, height, radius, threshold).items():
            if kind in ("i32", "f32") and (operation.endswith("-hat") or "ing-by" in operation):
                continue
            batch.run_op(folder / "out", "morphology", f"image={file}", "--tile", 64, "--set", f"operation={operation}",
                         "--set", f"connectivity={name}", "--set", f"height={height}", "--set", f"radius={radius}",
                         "--set", f"threshold={threshold}", "--set", "min-area=20", "--set", "max-area=400")
            got = read(folder / "out" / "result.tif").astype(float)
            checks.equal(f"{operation} {kind} {shape}, {name} neighbours", got, answer().astype(float))


def main():
    checks, rng = Checks("morphology"), np.random.default_rng(5)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind in TYPES:
            for shape in ((97, 131), (1, 37), (1, 1)):
                check(checks, folder, rng, kind, shape)
        file = write(folder / "image.tif", np.ones((9, 9)), "f32")
        result = batch.batch("run", "morphology", f"image={file}", "--out", folder / "none")
        checks.true("discs need 8 or 16 bits", result.status == 1 and "8 or 16 bits" in result.err, result.err)
    print(f"{checks.n} checks, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
