# SPDX-License-Identifier: MIT
"""Frame times of the window in a bundle (bundle.sh --window) on a machine with a GPU and without a display: a tour of random keys over a
slide with five layers live, then over the slide alone, drawn by OpenGL on Xvfb. Prints the probe of each tour: `paint` is the time of the
main thread from the start of a frame to its end, with what the X server takes to get the picture; of the frames since the first key, `own` the same
without that, and with the GPU's work, which the program is made to wait for (swap-times.c), and its two parts, `main` and `gpu`: a window
that is not measured makes the next frame meanwhile; and how many tiles of layers were made, each a texture of at most 1 MiB to upload, of how many that were shown. Last, small multiples
(Shift+G) of two parameters, of as many pixels as 1920 x 1080 has beside the panel.
GTK finds the marks of a window manager, as on a desktop: without them it asks the X server for one again and again, and waits.
usage: window-frames.py [--live] BUNDLE SLIDE [SECONDS [SIZE...]]; SIZE is 1920x1080; --live: with the five layers alone. Needs nothing but Python and the bundle."""
import contextlib
import ctypes
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

LIVE_ALONE = "--live" in sys.argv
ARGUMENTS = [a for a in sys.argv[1:] if a != "--live"]
BUNDLE, SLIDE = (pathlib.Path(p).resolve() for p in ARGUMENTS[:2])
SECONDS = float(ARGUMENTS[2]) if len(ARGUMENTS) > 2 else 60
SIZES = ARGUMENTS[3:] or ["1920x1080", "3840x2160"]
LAYERS = ("mask", "distance", "seeds", "labels", "objects")
MOVES = [("Right",), ("Left",), ("Up",), ("Down",), ("Shift_L", "Right"), ("Shift_L", "Down"), ("Shift_L", "Left"), ("Shift_L", "Up"),
         ("plus",), ("minus",), ("1",), ("Control_L", "r"), ("f",)]


def write_session(folder, layers):
    view = {"slide": str(SLIDE), "x": 1024, "y": 1024, "downsample": 1, "op": "nuclei-threshold", "live": bool(layers),
            "layers": [{"stage": name, "shown": name in layers} for name in LAYERS]}
    path = folder / "tour.vitrail"
    path.write_text(json.dumps({"vitrail-session": 1, "tabs": [{"active": 0, "linked": True, "views": [view]}]}))
    return path


def environment(folder, display):
    share = BUNDLE / "share"
    (folder / "fonts.conf").write_text(f'<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>{share}/fonts'
                                       f"</dir><cachedir>{folder}/fonts</cachedir></fontconfig>")
    svg = next((BUNDLE / "lib").glob("libpixbufloader*svg.so"))
    (folder / "loaders.cache").write_text(f'"{svg}"\n"svg" 6 "gdk-pixbuf" "SVG" "LGPL"\n"image/svg+xml" ""\n"svg" ""\n" <svg" "*    " 100\n\n')
    (folder / "gtk-4.0").mkdir()
    (folder / "gtk-4.0" / "settings.ini").write_text("[Settings]\ngtk-enable-animations=0\n")
    return {**os.environ, "DISPLAY": display, "GDK_BACKEND": "x11", "GDK_DEBUG": "gl-glx", "GSK_RENDERER": "gl", "GTK_A11Y": "none",
            "__GLX_VENDOR_LIBRARY_NAME": os.environ.get("__GLX_VENDOR_LIBRARY_NAME", "nvidia"), "__GL_SYNC_TO_VBLANK": "0", "LC_ALL": "C.UTF-8", "DBUS_SESSION_BUS_ADDRESS": "disabled:",
            "GSETTINGS_BACKEND": "memory", "GSETTINGS_SCHEMA_DIR": str(share / "schemas"), "FONTCONFIG_FILE": str(folder / "fonts.conf"),
            "GDK_PIXBUF_MODULE_FILE": str(folder / "loaders.cache"), "XDG_DATA_DIRS": str(share),
            **{f"XDG_{name}_HOME": str(folder) for name in ("CONFIG", "DATA", "STATE", "CACHE")},
            "VITRAIL_TEST_LOG": str(folder / "events.log"), "VITRAIL_PROBE": str(folder / "probe.json"), "GTK_PATH": str(BUNDLE / "lib"),
            "VITRAIL_SWAP_TIMES": str(folder / "swaps")}


def connect(display):
    """libX11 and a connection, which lasts as long as this program."""
    x11 = ctypes.CDLL(str(next((BUNDLE / "lib").glob("libX11.so.*"))))
    x11.XOpenDisplay.restype = ctypes.c_void_p
    return x11, ctypes.c_void_p(x11.XOpenDisplay(display.encode()))


def stand_for_window_manager(display):
    """The marks by which GTK knows one. None of what it could be asked for is offered, so the window goes on doing that by itself."""
    x11, connection = connect(display)
    pointer, ulong = ctypes.c_void_p, ctypes.c_ulong
    x11.XDefaultRootWindow.restype = x11.XCreateSimpleWindow.restype = x11.XInternAtom.restype = ulong
    x11.XDefaultRootWindow.argtypes = x11.XFlush.argtypes = [pointer]
    x11.XInternAtom.argtypes = [pointer, ctypes.c_char_p, ctypes.c_int]
    x11.XCreateSimpleWindow.argtypes = [pointer, ulong, *[ctypes.c_int] * 2, *[ctypes.c_uint] * 3, ulong, ulong]
    x11.XChangeProperty.argtypes = [pointer, ulong, ulong, ulong, ctypes.c_int, ctypes.c_int, pointer, ctypes.c_int]
    root = x11.XDefaultRootWindow(connection)
    window = x11.XCreateSimpleWindow(connection, root, -10, -10, 1, 1, 0, 0, 0)
    check, name, supported, text = (x11.XInternAtom(connection, atom, 0) for atom in (b"_NET_SUPPORTING_WM_CHECK", b"_NET_WM_NAME", b"_NET_SUPPORTED", b"UTF8_STRING"))
    words, atoms = b"frames", (ulong * 2)(check, name)
    x11.XChangeProperty(connection, window, name, text, 8, 0, words, len(words))
    x11.XChangeProperty(connection, root, supported, 4, 32, 0, atoms, len(atoms))  # 4: XA_ATOM
    for marked in (window, root):
        x11.XChangeProperty(connection, marked, check, 33, 32, 0, (ulong * 1)(window), 1)  # 33: XA_WINDOW
    x11.XFlush(connection)


def make_keys(display):
    """Presses keys without a program started for each."""
    x11, connection = connect(display)
    xtst = ctypes.CDLL(str(next((BUNDLE / "lib").glob("libXtst.so.*"))))
    x11.XStringToKeysym.restype = ctypes.c_ulong
    x11.XKeysymToKeycode.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
    x11.XFlush.argtypes = [ctypes.c_void_p]
    xtst.XTestFakeKeyEvent.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]

    def press(*names):
        codes = [x11.XKeysymToKeycode(connection, x11.XStringToKeysym(n.encode())) for n in names]
        for down, order in ((1, codes), (0, reversed(codes))):
            for code in order:
                xtst.XTestFakeKeyEvent(connection, code, down, 0)
        x11.XFlush(connection)
    return press


def without_swaps(frames, path):
    """How long each frame took without the handing over of its picture to the X server: in order."""
    swaps = [tuple(map(float, line.split())) for line in path.read_text().splitlines()]
    own, i = [], 0
    for end, ms in frames:
        while i < len(swaps) and swaps[i][0] < end - ms:
            i += 1
        if i < len(swaps) and swaps[i][0] <= end:
            own.append((ms - swaps[i][2], swaps[i][1]))
    return sorted(t for t, _ in own), sorted(t - gpu for t, gpu in own), sorted(gpu for _, gpu in own)


def quantiles(times):
    return {"n": len(times), **{f"p{q}_ms": round(times[len(times) * q // 100], 2) for q in (50, 99)}, "max_ms": round(times[-1], 2), "over_16.7_ms": sum(t > 16.7 for t in times)} if times else None


@contextlib.contextmanager
def window(size, layers):
    """The window in that size, its folder, and what presses keys in it; ended by a key."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vitrail-frames-"))
    ours, its = os.pipe()
    server = subprocess.Popen([BUNDLE / "bin" / "Xvfb", "-displayfd", str(its), "-screen", "0", size + "x24", "-nolisten", "tcp"],
                              pass_fds=[its], stderr=subprocess.DEVNULL, env={**os.environ, "LIBGL_DRIVERS_PATH": str(BUNDLE / "lib" / "dri")})
    os.close(its)
    with os.fdopen(ours) as pipe:
        display = ":" + pipe.readline().strip()
    stand_for_window_manager(display)
    env = environment(folder, display)
    log = folder / "events.log"
    log.write_text("")
    with open(folder / "stderr", "w+") as err:
        program = subprocess.Popen([BUNDLE / "bin" / "vitrail", write_session(folder, layers)], env={**env, "LD_LIBRARY_PATH": str(BUNDLE / "lib"), "LD_PRELOAD": str(BUNDLE / "lib" / "swap-times.so")}, stderr=err)
        try:
            wait_for(log, "run-done" if layers else "sharp", 1, program)
        except TimeoutError:
            server.terminate()
            sys.exit("the window does not come up: " + (folder / "stderr").read_text()[-2000:])
        xdotool = [BUNDLE / "bin" / "xdotool"]
        ids = subprocess.run([*xdotool, "search", "--onlyvisible", "--class", "itrail"], env=env, capture_output=True, text=True).stdout.split()
        subprocess.run([*xdotool, "windowsize", ids[0], *size.split("x")], env=env, check=True)
        subprocess.run([*xdotool, "windowmove", ids[0], "0", "0"], env=env, check=True)
        time.sleep(2)
        width, height = map(int, size.split("x"))
        subprocess.run([*xdotool, "mousemove", str(width // 3), str(height // 2), "click", "1"], env=env, check=True)
        press = make_keys(display)
        yield folder, press
        press("Control_L", "q")
        program.wait(30)
    server.terminate()


def wait_for(log, word, count, program=None, seconds=30):
    """The words of the event of that name, once there are so many."""
    end = time.time() + seconds
    while time.time() < end and (program is None or program.poll() is None):
        lines = [line for line in log.read_text().splitlines() if line.startswith(word)]
        if len(lines) >= count:
            return lines[-1].split()
        time.sleep(0.02)
    raise TimeoutError(word)


def tour(size, layers):
    with window(size, layers) as (folder, press):
        random.seed(1)
        first_key = time.monotonic() * 1e3
        end = time.time() + SECONDS
        while time.time() < end:
            press(*random.choice(MOVES))
            time.sleep(0.15)
    events = (folder / "events.log").read_text().splitlines()
    tiles = [e.split()[3:6:2] for e in events if e.startswith("painted")]
    made, shown = (sum(int(t[i]) for t in tiles) for i in (0, 1))
    probe = json.loads((folder / "probe.json").read_text())
    own, main, gpu = without_swaps([f for f in probe.pop("frames") if f[0] - f[1] > first_key], folder / "swaps")
    probe |= {"own": quantiles(own), "main": quantiles(main), "gpu": quantiles(gpu)}
    print(size, f"{made} of {shown} tiles made", [e for e in events if e.startswith("layers")][-1:], sum(e.startswith("run-done") for e in events), "runs",
          json.dumps(probe), flush=True)


def small_multiples(size, n=5):
    """Milliseconds from the key to the last of the nine pictures, each time at another place, of which nothing is kept but the present result."""
    times = []
    with window(size, LAYERS) as (folder, press):
        log = folder / "events.log"
        for i in range(n):
            runs = sum(line.startswith("run-done") for line in log.read_text().splitlines())
            press("Shift_L", ("Right", "Down")[i % 2])
            wait_for(log, "run-done", runs + 1)
            time.sleep(1)
            press("Shift_L", "g")
            times.append(round(float(wait_for(log, "grid-done", i + 1)[2])))
            press("Escape")
            time.sleep(1)
    print(size, "3 x 3 small multiples, ms:", sorted(times), flush=True)


for window_size in SIZES:
    tour(window_size, LAYERS)
    if not LIVE_ALONE:
        tour(window_size, ())
if not LIVE_ALONE:
    small_multiples("1920x1300")
