# SPDX-License-Identifier: MIT
"""A canvas in a window: two fingers, inertia, tiles out of sight, toasts: runs app-touch on a display of its own, at 100 and at 200 %.
usage: touch.py APP-TOUCH DEMO-SLIDE-GENERATOR SCHEMA-FOLDER"""
import os
import pathlib
import subprocess
import sys

from desk import SLOW, TMP, Display, check, demo_slide, finish, need

TOUCH, DEMO, SCHEMAS = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def main():
    need("Xvfb", "xdotool", "dbus-run-session")
    slide = demo_slide(DEMO)
    for scale in (1, 2):
        display = Display("vitrail-touch", 1700, 1300)
        env = {**os.environ, "DISPLAY": display.name, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GDK_SCALE": str(scale),
               "GSETTINGS_BACKEND": "memory", "GSETTINGS_SCHEMA_DIR": str(SCHEMAS), "XDG_CONFIG_HOME": str(TMP)}
        env.pop("WAYLAND_DISPLAY", None)
        done = subprocess.run(["dbus-run-session", "--", str(TOUCH), str(slide)], env=env, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=100 * SLOW)
        print(done.stdout)
        check(done.returncode == 0 and "\nok 7" in done.stdout, f"gestures at {scale}00 %")
    finish()


main()
