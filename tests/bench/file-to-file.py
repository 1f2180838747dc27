#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""file-to-file.py SLIDE PROGRAM...: the wall clock of "PROGRAM run OP SLIDE", for one or more builds of vitrail-batch, in turns.
Beside it the machine's floor: the slide's pixels read by bare OpenSlide on as many threads, and the bytes of the results copied.
Medians."""
import argparse
import contextlib
import ctypes
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

TILE = 512


def openslide():
    names = "libopenslide.so.1", "libopenslide.so.0", "libopenslide.1.dylib"
    for name in names:
        with contextlib.suppress(OSError):
            library = ctypes.CDLL(name)
            break
    else:
        raise SystemExit("OpenSlide is not found: " + ", ".join(names))
    library.openslide_open.restype = ctypes.c_void_p
    library.openslide_open.argtypes = [ctypes.c_char_p]
    library.openslide_close.argtypes = [ctypes.c_void_p]
    library.openslide_get_level0_dimensions.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_int64)]
    library.openslide_read_region.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int32,
                                              ctypes.c_int64, ctypes.c_int64]
    return library


def read_all(library, slide, n_threads):
    """Seconds for all pixels of level 0, a handle for each thread."""
    start = time.perf_counter()
    handles = [library.openslide_open(slide.encode()) for _ in range(n_threads)]
    width, height = ctypes.c_int64(), ctypes.c_int64()
    library.openslide_get_level0_dimensions(handles[0], width, height)
    places = iter([(x, y) for y in range(0, height.value, TILE) for x in range(0, width.value, TILE)])
    lock = threading.Lock()

    def work(handle):
        pixels = ctypes.create_string_buffer(4 * TILE * TILE)
        while True:
            with lock:
                place = next(places, None)
            if not place:
                return
            library.openslide_read_region(handle, pixels, *place, 0, min(TILE, width.value - place[0]), min(TILE, height.value - place[1]))

    workers = [threading.Thread(target=work, args=(handle,)) for handle in handles]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for handle in handles:
        library.openslide_close(handle)
    return time.perf_counter() - start


def copy_all(folder):
    start = time.perf_counter()
    subprocess.run(["cp", "-r", str(folder), str(folder) + "-copy"], check=True)
    seconds = time.perf_counter() - start
    shutil.rmtree(str(folder) + "-copy")
    return seconds


def run(program, op, slide, folder, options):
    """Seconds of the wall clock, and of the processors."""
    shutil.rmtree(folder, ignore_errors=True)
    before, start = os.times(), time.perf_counter()
    subprocess.run([program, "run", op, slide, "--out", str(folder), *options], check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, os.times()
    return wall, after.children_user - before.children_user, after.children_system - before.children_system


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("slide")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("-n", type=int, default=5)
    parser.add_argument("--op", default="nuclei-threshold")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--options", default="", help="of vitrail-batch, such as \"--stages objects\"")
    words = parser.parse_args()
    library = openslide()
    times = {name: [] for name in [*words.programs, "OpenSlide alone", "cp of the results"]}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "out"
        for _ in range(words.n):
            for program in words.programs:
                times[program].append(run(program, words.op, words.slide, folder, ["--threads", str(words.threads), *words.options.split()]))
            times["OpenSlide alone"].append((read_all(library, words.slide, words.threads),))
            times["cp of the results"].append((copy_all(folder),))
        n_bytes = sum(path.stat().st_size for path in folder.iterdir())
    for name, rows in times.items():
        median = [statistics.median(column) for column in zip(*rows)]
        processors = f", processors {median[1]:.2f} + {median[2]:.2f} s (user, system)" if len(median) > 1 else ""
        print(f"{name}: {median[0]:.2f} s{processors}; {' '.join(f'{row[0]:.2f}' for row in rows)}")
    print(f"{n_bytes / 1e6:.1f} MB of results by the last program, {words.threads} threads, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
