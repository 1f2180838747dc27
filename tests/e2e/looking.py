# SPDX-License-Identifier: MIT
"""Looking, with real pointer and key events: turning and mirroring.
usage: looking.py VITRAIL DEMO-SLIDE-GENERATOR"""
import pathlib
import subprocess
import sys

from desk import SLOW, TMP, Display, Program, check, differing_pixels, finish, need

APP, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
CANVAS = "900x600+20+110"  # of the picture, without panels, minimap and scale bar


def convert(*args):
    subprocess.run(["convert", *map(str, args)], check=True)


def cut(picture, *operations):
    path = picture.with_name(picture.stem + "-cut.png")
    convert(picture, "-crop", CANVAS, "+repage", *operations, path)
    return path


def show(display, program, key, what, condition):
    display.do("key", key)
    program.wait(what, condition)
    program.settle()


def turning(display, program):
    """What is drawn turned equals the turned picture of what was drawn upright."""
    show(display, program, "0", "the whole slide", lambda: program.view()[0] <= 0)
    show(display, program, "m", "the minimap is switched off", lambda: True)
    display.do("key", "1")
    program.settle()
    upright = display.picture("upright")
    show(display, program, "ctrl+r", "Ctrl+R turns by 90 degrees", lambda: program.view()[5] == 90)
    right = display.picture("turned-90")
    show(display, program, "ctrl+r", "and again", lambda: program.view()[5] == 180)
    half = display.picture("turned-180")
    check(differing_pixels(upright, right) > 50000, "turned by 90 degrees another picture is seen")
    return upright, half
