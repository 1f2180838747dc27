#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The CPU kernels against other programs: one table, all of one run, one thread each unless a row says otherwise.

peers.py VITRAIL_BENCH OUT_PREFIX [--size SIDE] writes OUT_PREFIX.json and OUT_PREFIX.md and prints the table. VITRAIL_BENCH
times ours; it leaves its pictures and answers in a folder, and a peer whose answer should be ours is compared. A peer that is
not installed is named and left out. Exit status 1 when an answer differs.
"""
import argparse
import datetime
import json
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import numpy as np

WINDOW, LEVELS, CORNER = 15, 32, 160  # of the texture maps; the side of what ITK gets
SOME_ROWS = 62  # of windows: what the serial algorithm gets


def best_of(n, call):
    """The best milliseconds of n calls, and the last answer."""
    times = []
    for _ in range(n):
        before = time.perf_counter()
        answer = call()
        times.append((time.perf_counter() - before) * 1e3)
    return min(times), answer


def machine():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


class Run:
    """Our figures, our answers, and the rows of the table."""

    def __init__(self, program, size, folder):
        self.program, self.folder, self.size = program, pathlib.Path(folder), size
        self.ours, self.failed, self.copy = {}, False, 0
        greys = [f"reconstruct-{n}-{marker}" for n in (8, 4) for marker in ("h-max", "sparse")]
        self.bench(greys, "--write", folder, "--algorithm", "tile", "--threads", "1,2")
        self.bench(greys[2:], "--algorithm", "fh")
        self.bench(["distance"], "--write", folder, "--algorithm", "exact", "--threads", "1,2")
        self.bench(["distance", "distance-one-background"], "--algorithm", "exact", "--threads", "1,2", size=4 * size)
        self.bench(["glrlm-maps"], "--write", folder, "--algorithm", "fast", "--threads", "1,2")
        self.bench(["glrlm-maps"], size=f"{size}x{SOME_ROWS}")
        self.bench(["reconstruct-8-corridor"], size=min(size, 2048))
        self.rows, self.left_out, self.versions = [], [], {}

    def bench(self, cases, *options, size=None):
        """Times cases; the first run of a case and size is the one that stays."""
        command = [self.program, "--json", "--size", str(size or self.size), *options, *cases]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        self.failed |= done.returncode != 0
        for line in [json.loads(text) for text in done.stdout.splitlines()][1:]:
            self.ours[line["case"], line["variant"], line["threads"], line["width"], line["height"]] = line
            self.copy = self.copy or line["copy_gb_per_s"]

    def picture(self, name, kind=np.uint8):
        return np.fromfile(self.folder / name, kind).reshape(self.size, self.size)

    def mine(self, case, variant=None, threads=1, width=None, height=None):
        """The line of a case; without a variant the first one, which is what `auto` takes."""
        width = width or self.size
        for key, line in self.ours.items():
            if key[0] == case and variant in (None, key[1]) and key[2:] == (threads, width, height or width):
                return line
        return None

    def add(self, work, peer, line, peer_ms, must=None, aim=None, answers=None, most=None):
        """must, aim: least ratio peer / ours; most: greatest ratio ours / peer."""
        if line is None:
            self.left_out.append(f"{work}: not among our own lines")
            return
        ratio = peer_ms / line["least_ms"] if most is None else line["least_ms"] / peer_ms
        self.rows.append({"work": work, "ours": line["variant"], "ours_ms": line["least_ms"], "peer": peer, "peer_ms": peer_ms,
                          "ratio": ratio, "gb_per_s": line["gb_per_s"],
                          "of_copy": line["gb_per_s"] / (line["copy_gb_per_s"] or 1),
                          "must": must if most is None else -most, "aim": aim, "answers": answers})
        self.failed |= answers == "DIFFER"


def same(a, b):
    return "same" if np.array_equal(a, b) else "DIFFER"


def scikit_image(run):
    import skimage
    from skimage.morphology import reconstruction
    run.versions["scikit-image"] = skimage.__version__
    mask = run.picture("mask.u8")
    for marker in ("h-max", "sparse"):
        start = run.picture(f"{marker}.u8")
        ms, answer = best_of(1, lambda start=start: reconstruction(start, mask, footprint=np.ones((3, 3))))
        run.add(f"reconstruction u8 8-conn, {marker}", "scikit-image", run.mine(f"reconstruct-8-{marker}"), ms, 60, 120,
                same(answer.astype(np.uint8), run.picture(f"reconstruct-8-{marker}.u8")))


def itk_reconstruction(run):
    import itk
    itk.MultiThreaderBase.SetGlobalDefaultNumberOfThreads(1)
    itk.MultiThreaderBase.SetGlobalMaximumNumberOfThreads(1)
    run.versions["ITK"] = itk.Version.GetITKVersion()
    kind = itk.Image[itk.UC, 2]
    mask = itk.image_from_array(run.picture("mask.u8"))
    for connectivity in (8, 4):
        for marker in ("h-max", "sparse"):
            start = itk.image_from_array(run.picture(f"{marker}.u8"))

            def grow(start=start, full=connectivity == 8):
                grower = itk.ReconstructionByDilationImageFilter[kind, kind].New(MarkerImage=start, MaskImage=mask)
                grower.SetFullyConnected(full)
                grower.Update()
                return grower.GetOutput()

            ms, answer = best_of(2, grow)
            aims = (12, 20) if connectivity == 8 else (None, None)
            run.add(f"reconstruction u8 {connectivity}-conn, {marker}", "ITK ReconstructionByDilation",
                    run.mine(f"reconstruct-{connectivity}-{marker}"), ms, *aims,
                    same(itk.array_from_image(answer), run.picture(f"reconstruct-{connectivity}-{marker}.u8")))


def own_fh(run):
    for marker in ("h-max", "sparse"):
        fh = run.mine(f"reconstruct-4-{marker}", "fh")
        if fh:
            run.add(f"reconstruction u8 4-conn, {marker}", "own fh", run.mine(f"reconstruct-4-{marker}"), fh["least_ms"], 5, 8)
    side = min(run.size, 2048)
    fh = run.mine("reconstruct-8-corridor", "fh", width=side)
    if fh:
        run.add(f"a corridor one pixel wide, {side}²: ours / peer", "own fh", run.mine("reconstruct-8-corridor", width=side), fh["least_ms"], most=3)


def same_distance(answer, ours):
    """A root rounded to another float by one is the same distance."""
    off = np.abs(np.asarray(answer, np.float32).view(np.int32).astype(np.int64) - ours.view(np.int32))
    return "same" if off.max() == 0 else f"same but for {off.max()} ulp" if off.max() <= 4 else "DIFFER"


def opencv_distance(run):
    import cv2
    cv2.setNumThreads(1)
    run.versions["OpenCV"] = cv2.__version__
    source = run.picture("foreground.u8")
    ms, answer = best_of(3, lambda: cv2.distanceTransform(source, cv2.DIST_L2, cv2.DIST_MASK_PRECISE))
    answers = same_distance(answer, run.picture("distance.f32", np.float32))
    run.add("exact EDT to f32", "OpenCV precise", run.mine("distance"), ms, 5, 8,
            "the peer's is wrong" if answers == "DIFFER" else answers)


def scipy_distance(run):
    import scipy
    from scipy.ndimage import distance_transform_edt
    run.versions["SciPy"] = scipy.__version__
    ms, answer = best_of(1, lambda: distance_transform_edt(run.picture("foreground.u8")))
    run.add("exact EDT to f32", "SciPy", run.mine("distance"), ms, 20, 30,
            same_distance(answer, run.picture("distance.f32", np.float32)))


def own_distance(run):
    side = 4 * run.size
    usual, single = run.mine("distance", width=side), run.mine("distance-one-background", width=side)
    if usual and single:
        run.add(f"EDT, {side}², one background pixel: ours / peer", "own, usual picture", single, usual["least_ms"], most=6)


def own_serial(run):
    fast, serial = (run.mine("glrlm-maps", name, height=SOME_ROWS) for name in ("fast", "serial"))
    if serial and fast:
        run.add(f"GLRLM maps, 15x15, 32 levels, 11 features, {run.size}x{SOME_ROWS}", "own serial", fast, serial["least_ms"], 10, 30,
                "same" if serial["answer"] == fast["answer"] else "DIFFER")


def itk_texture(run):
    import itk
    if run.size < CORNER:
        return
    itk.MultiThreaderBase.SetGlobalDefaultNumberOfThreads(1)
    itk.MultiThreaderBase.SetGlobalMaximumNumberOfThreads(1)
    image = itk.image_from_array(np.ascontiguousarray(run.picture("levels.u8")[:CORNER, :CORNER]))
    kinds = itk.Image[itk.UC, 2], itk.Image[itk.Vector[itk.F, 10], 2]
    texture = itk.RunLengthTextureFeaturesImageFilter[kinds].New(
        Input=image, NumberOfBinsPerAxis=LEVELS, HistogramValueMinimum=1, HistogramValueMaximum=LEVELS + 1,
        HistogramDistanceMinimum=0, HistogramDistanceMaximum=LEVELS)
    radius = itk.Size[2]()
    radius.Fill(WINDOW // 2)
    texture.SetNeighborhoodRadius(radius)
    ms, _ = best_of(1, texture.Update)
    run.add("GLRLM maps of all windows, of which ITK makes 10", f"ITK RunLengthTextureFeatures ({CORNER}² windows, scaled)",
            run.mine("glrlm-maps"), ms * run.size**2 / CORNER**2, 50, 90)


PEERS = [scikit_image, itk_reconstruction, own_fh, opencv_distance, scipy_distance, own_distance, own_serial, itk_texture]


def threads(run):
    """What two threads gain."""
    for (case, variant, n, width, height), one in run.ours.items():
        two = run.ours.get((case, variant, 2, width, height))
        if n == 1 and two:
            yield {"work": f"{case} {width}²", "algorithm": variant, "one_ms": one["least_ms"], "two_ms": two["least_ms"],
                   "ratio": one["least_ms"] / two["least_ms"], "answers": "same" if one["answer"] == two["answer"] else "DIFFER"}


def memory(run):
    """Bytes a pixel beyond the images, on one thread."""
    for case, factor, must in (("reconstruct-8-h-max", 1, 3), ("reconstruct-8-sparse", 1, 3), ("reconstruct-4-h-max", 1, 3),
                               ("distance", 1, 4), ("distance", 4, 4), ("glrlm-maps", 1, None)):
        side = factor * run.size
        line = run.mine(case, width=side)
        if line:
            yield {"work": f"{case} {side}²", "bytes_per_pixel": line["extra_bytes"] / side**2, "must": must}


def number(value, form="{:.1f}"):
    return "" if value is None else form.format(value)


def bound(row):
    return "" if row["must"] is None else f"≤ {-row['must']}x" if row["must"] < 0 else f"{row['must']}x"


def markdown(run, record):
    yield "# The CPU kernels against other programs"
    yield ""
    yield f"{record['machine']}, {record['date']}. Benchmark picture of {run.size}², one thread each, one run; wall-clock time, the best of"
    yield f"a few. A copy of as many bytes: {run.copy:.1f} GB/s (read and written). Peers: " + (
        ", ".join(f"{name} {version}" for name, version in sorted(run.versions.items()))) + "."
    yield ""
    yield "| work | ours, ms | peer | peer, ms | ratio | GB/s | of a copy | must | aim | answers |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for row in record["peers"]:
        yield (f"| {row['work']} | {row['ours_ms']:.1f} ({row['ours']}) | {row['peer']} | {row['peer_ms']:.0f} | {row['ratio']:.1f}x "
               f"| {row['gb_per_s']:.2f} | {100 * row['of_copy']:.0f} % | {bound(row)} | {number(row['aim'], '{}x')} "
               f"| {row['answers'] or 'not compared'} |")
    yield ""
    yield "| work | one thread, ms | two, ms | ratio (must 1.7) | answers |"
    yield "| --- | --- | --- | --- | --- |"
    for row in record["threads"]:
        yield f"| {row['work']} ({row['algorithm']}) | {row['one_ms']:.1f} | {row['two_ms']:.1f} | {row['ratio']:.2f}x | {row['answers']} |"
    yield ""
    yield "| work | peak beyond the images, bytes a pixel | must |"
    yield "| --- | --- | --- |"
    for row in record["memory"]:
        yield f"| {row['work']} | {row['bytes_per_pixel']:.2f} | {number(row['must'], '≤ {}')} |"
    for what in record["left_out"]:
        yield ""
        yield f"Left out: {what}."


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("prefix")
    parser.add_argument("--size", type=int, default=4096)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(arguments.program, arguments.size, folder)
        for peer in PEERS:
            print(peer.__name__, file=sys.stderr, flush=True)
            try:
                peer(run)
            except ImportError as error:
                run.left_out.append(f"{peer.__name__}: {error}")
    record = {"date": datetime.date.today().isoformat(), "machine": machine(), "size": run.size, "copy_gb_per_s": run.copy,
              "versions": run.versions, "peers": run.rows, "threads": list(threads(run)), "memory": list(memory(run)),
              "left_out": run.left_out}
    text = "\n".join(markdown(run, record)) + "\n"
    pathlib.Path(arguments.prefix + ".json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    pathlib.Path(arguments.prefix + ".md").write_text(text)
    print(text)
    return 1 if run.failed or any(row["answers"] == "DIFFER" for row in record["threads"]) else 0


if __name__ == "__main__":
    sys.exit(main())
