# SPDX-License-Identifier: MIT
"""What the tests of vitrail-batch share. Each script is called with the paths of vitrail-batch and vitrail-demo-slide."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import zlib

from slides import copy_demo

SKIP = 77
SLOW = 5 if os.environ.get("VITRAIL_SANITIZED") else 1
BATCH = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
DEMO = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None


def shared():
    """The folder of shared test data, or None."""
    root = pathlib.Path(__file__).resolve().parents[2]
    folder = pathlib.Path(os.environ.get("VITRAIL_SHARED") or root / ".." / "shared").resolve()
    return folder if (folder / "slides").is_dir() else None


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def problem(self, allowed):
        """What is wrong with how the program ended, or None."""
        if self.status is None:
            return "hangs"
        if "Sanitizer" in self.err or "runtime error:" in self.err:
            return "sanitizer report: " + next(l for l in self.err.splitlines() if "Sanitizer" in l or "runtime error:" in l)
        if self.status < 0:
            return f"ended by signal {-self.status}"
        if self.status not in allowed:
            return f"exit status {self.status}: {self.err.strip()[-200:]}"
        if self.status == 1 and not self.err.strip():
            return "failed without a word"
        return None


def batch(*args, timeout=240):
    try:
        # Filling what a hostile header makes OpenSlide allocate (gigabytes) would take longer than the test may.
        done = subprocess.run([str(BATCH), *map(str, args)], capture_output=True, timeout=timeout * SLOW,
                              stdin=subprocess.DEVNULL, env={**os.environ, "MALLOC_PERTURB_": "0"})
    except subprocess.TimeoutExpired:
        return Result(None, "", "")
    return Result(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def run_op(out, op, *args, timeout=300):
    """Runs an op that must succeed; its record."""
    result = batch("run", op, *args, "--out", out, timeout=timeout)
    problem = result.problem((0,)) or ("GLib complains: " + result.err[:300] if "CRITICAL" in result.err else None)
    if problem:
        sys.exit(f"vitrail-batch run {op} {' '.join(map(str, args))}: {problem}")
    return json.loads((pathlib.Path(out) / "record.json").read_text())


def demo_slide(folder, size, seed=1):
    """Paths of a made-up slide and of the truth about its nuclei."""
    slide, truth = pathlib.Path(folder) / f"demo-{size}.svs", pathlib.Path(folder) / f"demo-{size}-truth.tif"
    copy_demo(DEMO, size, slide, truth, seed)
    return slide, truth


def fact(record, key):
    """A resolved fact, wherever the record keeps it."""
    found = [record]
    while found:
        node = found.pop()
        if isinstance(node, dict):
            if key in node and not isinstance(node[key], (dict, list)):
                return node[key]
            found += node.values()
        elif isinstance(node, list):
            found += node
    raise KeyError(key)


def write_png(path, width, height, rows, depth=8):
    """Grey PNG from an iterable of packed rows (16-bit rows big-endian)."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    raw = b"".join(b"\0" + bytes(row) for row in rows)
    header = struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0)
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw))
                                   + chunk(b"IEND", b""))


def write_tiff(path, width, height, bits, sample_format, data, compression=1):
    """One-channel little-endian TIFF of one strip; compression 1 (none) or 8 (deflate)."""
    data = zlib.compress(data) if compression == 8 else data
    tags = [(256, 4, width), (257, 4, height), (258, 3, bits), (259, 3, compression), (262, 3, 1), (273, 4, 8), (277, 3, 1),
            (278, 4, height), (279, 4, len(data)), (339, 3, sample_format)]
    data += b"\0" * (len(data) % 2)
    directory = struct.pack("<H", len(tags))
    for tag, kind, value in tags:
        directory += struct.pack("<HHI", tag, kind, 1) + struct.pack("<HH" if kind == 3 else "<I", value, *([0] if kind == 3 else []))
    pathlib.Path(path).write_bytes(b"II*\0" + struct.pack("<I", 8 + len(data)) + data + directory + b"\0\0\0\0")
