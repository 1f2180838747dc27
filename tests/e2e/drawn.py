# SPDX-License-Identifier: MIT
"""Five layers drawn by OpenGL and by Cairo look the same after another result, also where a pixel of the slide is several of the screen; and that
makes only those tiles of its layers that it changed.
usage: drawn.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import subprocess
import sys

from desk import SKIP, TMP, Display, Program, check, demo_slide, differing_pixels, finish, need

APP, DEMO = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[3]).resolve()
STAGES = ("mask", "distance", "seeds", "labels", "objects")
CANVAS = "800x400+20+100"
OPEN_GL = {"GSK_RENDERER": "gl", "GDK_DEBUG": "gl-glx", "LIBGL_ALWAYS_SOFTWARE": "1"}
OLD_GL = {**OPEN_GL, "MESA_EXTENSION_OVERRIDE": "-GL_ARB_buffer_storage"}  # it cannot read textures from a buffer by itself: GTK sends them


def is_drawn(program):
    kinds = [e.split()[0] for e in program.events() if e.startswith(("painted", "layers-drawn"))]
    return kinds and kinds[-1] == "layers-drawn"


def open_window(display, slide, downsample, angle=0, **env):
    session = TMP / "view.vitrail"
    view = {"slide": str(slide), "x": 900.5, "y": 700, "downsample": downsample, "angle": angle, "op": "nuclei-threshold", "live": True,
            "layers": [{"stage": stage, "shown": True} for stage in STAGES]}
    session.write_text(json.dumps({"vitrail-session": 1, "tabs": [{"active": 0, "linked": True, "views": [view]}]}))
    program = Program(display, APP, session, **env)
    program.wait("the layers are there", lambda: {e.split()[1] for e in program.events("painted")} >= set(STAGES)
                 and program.events("run-done"), 40)
    display.do("mousemove", 3, 450)
    program.settle(0.7)
    program.wait("and drawn", lambda: is_drawn(program))
    return program


def picture(display, name):
    whole, part = display.picture(name), TMP / (name + ".png")
    subprocess.run(["convert", str(whole), "-crop", CANVAS, "+repage", str(part)], check=True)
    return part


def same_picture(display, slide, downsample, angle, gl):
    pictures = []
    for name, env in (("cairo", {}), ("gl", gl)):
        program = open_window(display, slide, downsample, angle, **env)
        runs = len(program.events("run-done"))
        program.action("set-parameter", "threshold=0.13")
        program.wait_more("run-done", runs, "another threshold")
        program.settle(0.7)
        program.wait("is drawn, whose tiles take more than one frame to the graphics card", lambda: is_drawn(program))
        by_card = (program.events("magnified-by-card") or ["magnified-by-card 0"])[-1] == "magnified-by-card 1"
        pictures.append(picture(display, f"{name}-{downsample}-{angle}"))
        program.end()
        if name == "gl" and not by_card:
            print("SKIP: there is no OpenGL on this display")
            sys.exit(SKIP)
    off = subprocess.run(["compare", "-metric", "AE", "-fuzz", "2%", *map(str, pictures), "null:"], capture_output=True, text=True)
    n_off = float(off.stderr.split()[0])
    check(n_off < 0.002 * 800 * 400, f"1:{downsample}, {angle}°: OpenGL draws what Cairo does, but for {n_off} pixels {differing_pixels(*pictures)}")


def fewer_tiles(display, slide):
    """How many tiles of each layer are made, of how many, after a change of the last stage, whether a preview came between or not."""
    program = open_window(display, slide, 1)
    n, runs = len(program.events("painted")), len(program.events("run-done"))
    program.action("set-parameter", "min-area=25")
    program.wait_more("run-done", runs, "another smallest area")
    program.settle(0.7)
    made = {}
    for words in (e.split() for e in program.events("painted")[n:]):
        made[words[1]] = (int(words[3]), int(words[5]))
    print("# tiles made: " + ", ".join(f"{stage} {new} of {all}" for stage, (new, all) in made.items()))
    for stage in ("mask", "distance", "seeds"):
        check(stage in made and made[stage][0] == 0 < made[stage][1], f"{stage} keeps all of its tiles {made.get(stage)}")
    check(made.get("objects", (0, 0))[0] > 0, "the tiles of the objects are made")
    program.end()


def main():
    need("Xvfb", "xdotool", "import", "convert", "compare", "dbus-run-session", "gdbus")
    slide = demo_slide(DEMO)
    display = Display("vitrail-drawn", 1200, 700)
    fewer_tiles(display, slide)
    for downsample, angle, gl in ((0.5, 0, OPEN_GL), (0.5, 90, OPEN_GL), (1, 0, OLD_GL)):
        same_picture(display, slide, downsample, angle, gl)
    finish()


main()
