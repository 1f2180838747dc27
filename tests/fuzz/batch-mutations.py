#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""1,000 truncations and byte flips of sound files, the same ones each time: vitrail-batch ends with status 0 or 1 and
a word about it, never with a signal, a sanitizer report or a hang.
Usage: batch-mutations.py BATCH DEMO-SLIDE [COUNT [FIRST]]"""
import concurrent.futures
import pathlib
import random
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import batch  # noqa: E402

SHARED_SLIDES = ("aperio/small.svs", "generic-tiff/boxes.tiff", "generic-tiff/tiff_tiled_ycbcr_jpeg_2x2_sampling.tif",
                 "generic-tiff/tiff_tiled_planar_lzw.tiff", "generic-tiff/tiff_tiled_cmyk_jpeg.tif",
                 "generic-tiff/tiff_16bit_RGB.tiff")


def sources(folder):
    """(path, how it is passed) of every sound file."""
    slide, truth = batch.demo_slide(folder, 512)
    grey = [bytes((x * 7 + y * 13) % 256 if (x // 9 + y // 11) % 2 else 0 for x in range(61)) for y in range(47)]
    png, png16 = folder / "grey.png", folder / "grey16.png"
    batch.write_png(png, 61, 47, grey)
    batch.write_png(png16, 61, 47, (b"".join(bytes((v, 255 - v)) for v in row) for row in grey), depth=16)
    plain, deflate = folder / "plain.tif", folder / "deflate.tif"
    batch.write_tiff(plain, 61, 47, 8, 1, b"".join(grey))
    batch.write_tiff(deflate, 47, 61, 8, 1, b"".join(grey), compression=8)
    found = [(slide, "slide"), (truth, "raster"), (png, "raster"), (png16, "raster"), (plain, "raster"), (deflate, "raster")]
    if batch.shared():
        for name in SHARED_SLIDES:
            path = batch.shared() / "slides" / name
            found += [(path, "slide"), (path, "raster")]
    else:
        print("no shared test data (VITRAIL_SHARED): only files made here are mutated")
    return found


def mutate(data, rng):
    if rng.random() < 0.3:
        return data[:rng.randrange(len(data))]
    data = bytearray(data)
    # Half of the flips go where the directories lie: the first and the last half kilobyte.
    for _ in range(rng.randint(1, 8)):
        near = min(len(data), 512)
        at = rng.choice((rng.randrange(len(data)), rng.randrange(near), len(data) - 1 - rng.randrange(near)))
        data[at] = rng.choice((0, 255, data[at] ^ 1 << rng.randrange(8), rng.randrange(256)))
    return bytes(data)


def one(index, files, contents, folder):
    """(problem or None, exit status) of one mutated file; the file of a problem is kept."""
    rng = random.Random(index)
    source, kind = files[index % len(files)]
    path, out = folder / f"{index}{source.suffix}", folder / f"out-{index}"
    path.write_bytes(mutate(contents[index % len(files)], rng))
    if kind == "slide":
        result = batch.batch("run", "nuclei-threshold", path, "--region", "0,0,256,256", "--threads", "1", "--out", out, timeout=30)
    else:
        result = batch.batch("run", "distance", f"image={path}", "--threads", "1", "--out", out, timeout=30)
    problem = result.problem((0, 1))
    if problem:
        kept = pathlib.Path.cwd() / f"mutation-{index}{source.suffix}"
        shutil.copy(path, kept)
        problem = f"{index} ({kind} of {source.name}, kept as {kept}): {problem}"
    path.unlink()
    shutil.rmtree(out, ignore_errors=True)
    return problem, result.status


def main():
    # Under sanitizers other ones, and fewer: each takes four times as long.
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000 if batch.SLOW == 1 else 250
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 0 if batch.SLOW == 1 else 1000
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(name)
        files = sources(folder)
        contents = [path.read_bytes() for path, _ in files]
        # Otherwise all could be refused for a reason of its own.
        batch.run_op(folder / "sound", "nuclei-threshold", files[0][0])
        batch.run_op(folder / "sound", "distance", f"image={files[2][0]}")
        results = list(pool.map(lambda i: one(i, files, contents, folder), range(first, first + count)))
    problems = [problem for problem, _ in results if problem]
    print(*problems, sep="\n")
    refused = sum(status == 1 for _, status in results)
    print(f"{count} mutations of {len(files)} files: {refused} refused, {count - refused} accepted, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
