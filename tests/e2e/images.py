# SPDX-License-Identifier: MIT
"""Reading results, and answers of independent libraries. Exit status 77 where numpy, scipy or skimage is missing."""
import sys

try:
    import numpy as np
    import scipy.ndimage as ndi
    import skimage.morphology as morphology
    from PIL import Image
except ImportError as missing:
    print(f"{missing}: skipped")
    sys.exit(77)

Image.MAX_IMAGE_PIXELS = None
EIGHT = np.ones((3, 3), bool)
FOUR = ndi.generate_binary_structure(2, 1)


def read(path):
    with Image.open(path) as image:
        array = np.array(image)
    return array.astype(np.int64) if array.dtype.kind in "iu" else array.astype(np.float32)


def erode_disc(image, radius):
    """Minimum over {dx² + dy² <= radius²}, pixels outside ignored: row by row of the disc."""
    height = image.shape[0]
    best = np.full(image.shape, image.max(), image.dtype)
    for dy in range(-radius, radius + 1):
        half = int(np.sqrt(radius * radius - dy * dy) + 1e-9)
        row_min = ndi.minimum_filter1d(image, 2 * half + 1, axis=1, mode="nearest")
        lo, hi = max(0, -dy), min(height, height - dy)
        best[lo:hi] = np.minimum(best[lo:hi], row_min[lo + dy:hi + dy])
    return best


def by_dilation(marker, mask, structure=EIGHT):
    return morphology.reconstruction(marker.astype(np.float64), mask.astype(np.float64), "dilation", structure)


def by_erosion(marker, mask, structure=EIGHT):
    return morphology.reconstruction(marker.astype(np.float64), mask.astype(np.float64), "erosion", structure)


class Checks:
    def __init__(self, title):
        self.title, self.failed, self.n = title, 0, 0

    def true(self, name, ok, detail=""):
        self.n += 1
        self.failed += not ok
        print(f"{'ok' if ok else 'not ok'}: {self.title}: {name}{': ' + str(detail) if detail and not ok else ''}", flush=True)

    def equal(self, name, got, want):
        if got.shape != want.shape:
            return self.true(name, False, f"shape {got.shape}, expected {want.shape}")
        bad = np.argwhere(~((got == want) | (np.isnan(got) & np.isnan(want))))
        detail = ""
        if len(bad):
            y, x = bad[0]
            detail = f"{len(bad)} pixels differ, first at ({x},{y}): {got[y, x]!r}, expected {want[y, x]!r}"
        return self.true(name, not len(bad), detail)
