#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""huge-slide.py SLIDE.svs OUT.tif SIDE: a slide of SIDE x SIDE pixels, all of whose tiles are those of a made-up slide, again
and again. The file is small, since a tile may be named many times; reading it costs what reading a real one does."""
import pathlib
import struct
import sys

WIDTH, LENGTH, BITS, COMPRESSION, PHOTOMETRIC, DESCRIPTION, SAMPLES = 256, 257, 258, 259, 262, 270, 277
PLANAR, SUBFILE, TILE_WIDTH, TILE_LENGTH, OFFSETS, COUNTS, TABLES, SUBSAMPLING = 284, 254, 322, 323, 324, 325, 347, 530
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 7: 1, 16: 8}
FORMS = {1: "B", 3: "H", 4: "I", 16: "Q"}


def directories(data):
    """Tags of every image of a little-endian classic TIFF."""
    at = struct.unpack_from("<I", data, 4)[0]
    while at:
        n = struct.unpack_from("<H", data, at)[0]
        tags = {}
        for k in range(n):
            tag, kind, count = struct.unpack_from("<HHI", data, at + 2 + 12 * k)
            if kind not in SIZES:
                continue
            place = at + 2 + 12 * k + 8
            if SIZES[kind] * count > 4:
                place = struct.unpack_from("<I", data, place)[0]
            raw = data[place:place + SIZES[kind] * count]
            tags[tag] = list(struct.unpack(f"<{count}{FORMS[kind]}", raw)) if kind in FORMS and tag != TABLES else raw
        yield tags
        at = struct.unpack_from("<I", data, at + 2 + 12 * n)[0]


def repeated(tags, side, shift):
    """Where the tiles of the large image lie, and how long they are."""
    edge = tags[TILE_WIDTH][0]
    # Whole tiles of the small image only: the last ones may be cut.
    columns, whole = (tags[WIDTH][0] + edge - 1) // edge, max(tags[WIDTH][0] // edge, 1)
    n = (side + edge - 1) // edge
    index = [(row % whole) * columns + column % whole for row in range(n) for column in range(n)]
    return [tags[OFFSETS][i] + shift for i in index], [tags[COUNTS][i] for i in index]


def write_directory(out, tags, side, shift, is_last):
    offsets, counts = repeated(tags, side, shift)
    entries = {SUBFILE: (4, [0 if WIDTH not in tags else tags.get(SUBFILE, [0])[0]]), WIDTH: (4, [side]), LENGTH: (4, [side]),
               BITS: (3, [8, 8, 8]), COMPRESSION: (3, tags[COMPRESSION]), PHOTOMETRIC: (3, tags[PHOTOMETRIC]), SAMPLES: (3, [3]),
               PLANAR: (3, [1]), TILE_WIDTH: (4, tags[TILE_WIDTH]), TILE_LENGTH: (4, tags[TILE_LENGTH]), OFFSETS: (16, offsets),
               COUNTS: (4, counts)}
    for tag in (TABLES, SUBSAMPLING, DESCRIPTION):
        if tag in tags:
            entries[tag] = (3, tags[tag]) if tag == SUBSAMPLING else (7 if tag == TABLES else 2, tags[tag])
    begin = out.tell()
    body = begin + 8 + 20 * len(entries) + 8
    head, tail = struct.pack("<Q", len(entries)), b""
    for tag in sorted(entries):
        kind, values = entries[tag]
        raw = bytes(values) if kind in (2, 7) else struct.pack(f"<{len(values)}{FORMS[kind]}", *values)
        count = len(raw) // SIZES[kind]
        if len(raw) <= 8:
            field = raw.ljust(8, b"\0")
        else:
            field = struct.pack("<Q", body + len(tail))
            tail += raw + b"\0" * (-len(raw) % 8)
        head += struct.pack("<HHQ", tag, kind, count) + field
    out.write(head + struct.pack("<Q", 0 if is_last else body + len(tail)) + tail)


def main():
    source, target, side = pathlib.Path(sys.argv[1]).read_bytes(), sys.argv[2], int(sys.argv[3])
    if source[:4] != b"II*\0":
        sys.exit("the slide is not a little-endian TIFF")
    levels = [tags for tags in directories(source) if TILE_WIDTH in tags]
    full = levels[0][WIDTH][0]
    header = 16
    shift = header
    with open(target, "wb") as out:
        first = header + len(source) + (-len(source) % 8)
        out.write(struct.pack("<2sHHHQ", b"II", 43, 8, 0, first) + source + b"\0" * (-len(source) % 8))
        for k, tags in enumerate(levels):
            write_directory(out, tags, side * tags[WIDTH][0] // full, shift, k == len(levels) - 1)


main()
