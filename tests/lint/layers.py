#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The law of dependencies (ARCHITECTURE.md): every #include of ours is read; a breach fails."""
import os.path
import re
import sys

import common

LIBC = set("""assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg
stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype""".split())
LIBC = {f"{name}.h" for name in LIBC} | {"fcntl.h", "pthread.h", "sched.h", "unistd.h"}
CPU = {"immintrin.h", "malloc.h", "sys/mman.h"}  # the compiler's vectors; pages for scratch, and how large it is
PLUGIN = {"malloc.h", "sys/mman.h"}  # how large a raster is; to give its pages back
LIBCXX = set("""algorithm array atomic cassert cfloat chrono climits cmath cstddef cstdint cstdio cstdlib cstring limits memory
mutex new numeric string tuple type_traits utility vector""".split())
CUDA = re.compile(r"^(cuda|cub/|thrust/|cooperative_groups|device_|math_constants|nvtx3/|sm_)")
GTK = re.compile(r"^(gtk/|gdk/|gsk/|adwaita\.h|graphene)")
GLIB = re.compile(r"^(glib|gio/|gobject/|gmodule|json-glib/|openslide|tiff|png)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
ROOTS = {"cpu": ("cpu",), "gpu": ("gpu",), "data": ("data",), "viewer": ("viewer", "viewer/app", "viewer/host")}
SHOWN_RAW = re.compile(r"\bg_filename_display_")
HAVE_CUDA = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*CUDA", re.M)


def resolve(name, target, here):
    """The file of ours that a quoted include means, or None."""
    for folder in (os.path.dirname(name), *ROOTS.get(name.split("/")[0], ()), "plugin", "plugin/abi", "plugin/contract", ""):
        path = os.path.normpath(os.path.join(folder, target))
        if path in here:
            return path
    return None


def kernel_rule(top, name, quote, target, path):
    """cpu/ and gpu/: libc (and CUDA), their own headers, and the contract; cpu/ also what learns. learn/: libc, and its own."""
    if path:
        if top == "learn":
            return path.startswith("learn/")
        return path.split("/")[0] == top or path.startswith(("plugin/contract/", "plugin/abi/")) or (top == "cpu" and path.startswith("learn/"))
    is_cuda = top == "gpu" and (CUDA.match(target) or target in LIBCXX)
    return target in LIBC or bool(is_cuda) or (top == "cpu" and target in CPU)


# The rooms of a house, from the lowest up: a file includes its own room and those below.
HOUSES = {
    "plugin/": ("abi", "contract", "run", "devices", "drivers", "scale", "executors", "steps", "engine", "recipes"),
    "viewer/host/": ("base", "raster", "slide", "plugins", "run", "results"),
    "viewer/app/": ("common", "layers", "documents", "canvas", "analysis", "panels", "dialogs", "window"),
}
IN_NO_ROOM = {"plugin/entry.c"}  # above all rooms


def house_of(name):
    return next((house for house in HOUSES if name.startswith(house)), None)


def height(name):
    """The place of a file's room in its house; files beside the rooms are on top."""
    rooms = HOUSES[house_of(name)]
    room = name.removeprefix(house_of(name)).split("/")[0]
    return rooms.index(room) if room in rooms else len(rooms)


def points_up(name, path):
    return house_of(name) is not None and house_of(name) == house_of(path) and height(path) > height(name)


def plugin_rule(name, quote, target, path):
    if not path:
        return target in LIBC | PLUGIN
    return path.startswith("plugin/")


def cycles(files, here):
    """Files of a house that include themselves by way of others."""
    edges = {name: {resolve(name, target, here) for quote, target in INCLUDE.findall(common.read(name)) if quote == '"'} - {None}
             for name in files if house_of(name)}
    for name in edges:
        seen, todo = set(), list(edges[name])
        while todo:
            path = todo.pop()
            if path not in seen:
                seen.add(path)
                todo += edges.get(path, ())
        if name in seen:
            yield f"{name}: includes itself by way of others"


def viewer_rule(name, quote, target, path):
    if path:
        top = path.split("/")[0]
        if top == "viewer":
            return name.split("/")[1] != "host" or path.startswith("viewer/host/")
        return path == "plugin/abi/vitrail-plugin.h" or (path.startswith("learn/") and not name.startswith("viewer/app/"))
    if CUDA.match(target):
        return False
    if GTK.match(target):
        return name.startswith("viewer/app/")
    return True


def breaches(name, here):
    top = name.split("/")[0]
    text = common.read(name)
    for quote, target in INCLUDE.findall(text):
        path = resolve(name, target, here) if quote == '"' else None
        if quote == '"' and not path and not target.endswith(("-resources.h", "config.h")):
            yield f"{name}: includes \"{target}\", which is no file of ours"
            continue
        ok = True
        if top in ("cpu", "gpu", "learn"):
            ok = kernel_rule(top, name, quote, target, path)
        elif top == "plugin":
            ok = plugin_rule(name, quote, target, path)
        elif top == "viewer":
            ok = viewer_rule(name, quote, target, path)
        elif top == "data":
            ok = path.startswith("data/") if path else not GTK.match(target) and not CUDA.match(target)
        if not ok or (path and points_up(name, path)):
            yield f"{name}: must not include {target}"
    if top == "viewer" and HAVE_CUDA.search(text):
        yield f"{name}: a preprocessor condition on CUDA; the viewer does not know it"
    if top == "viewer" and SHOWN_RAW.search(text) and name != "viewer/host/base/vt-error.c":
        yield f"{name}: a path is shown by vt_error_dup_path(), the name of a file by vt_error_dup_name()"
    if top == "ui":
        yield f"{name}: ui/ holds no code"


LEFT_OUT = re.compile(r"^#ifdef VT_PAPERS\b.*?^#(?:else|endif)", re.M | re.S)


def left_out(files):
    """An expression of a recipe that compares a choice with an algorithm of papers: where those are left out, as in packages, it can't be read."""
    texts = {name: common.read(name) for name in files if name.startswith("plugin/recipes/")}
    keys = {key for text in texts.values() for call in re.findall(r'PAPERS\((".*?")\)', text, re.S) for key in re.findall(r'"([^"]+)"', call)}
    for name, text in texts.items():
        for key in sorted(keys):
            if f"'{key}'" in LEFT_OUT.sub("", text):
                yield f"{name}: '{key}' stands outside #ifdef VT_PAPERS"


def main():
    files = common.c_files()
    here = set(files)
    found = [b for name in files if not name.startswith("tests/") for b in breaches(name, here)]
    found += [f"{name}: lies in no room (tests/lint/layers.py)" for name in files
              if house_of(name) and height(name) == len(HOUSES[house_of(name)]) and name not in IN_NO_ROOM]
    return common.report("layers", found + list(cycles(files, here)) + list(left_out(files)))


if __name__ == "__main__":
    sys.exit(main())
