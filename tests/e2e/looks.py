# SPDX-License-Identifier: MIT
"""How the window looks: light and dark, 100 and 200 %, small and large, and in French. The pictures are for people; what is
checked is that everything is there, translated, within the window, and without complaint.
usage: looks.py VITRAIL DEMO-SLIDE-GENERATOR LOCALE-FOLDER"""
import pathlib
import subprocess
import sys
import time

from desk import SLOW, TMP, Display, Program, check, finish, need

APP, DEMO, LOCALES = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
LOOKS = {  # name: width, height, scale, environment
    "light-small": (800, 600, 1, {}),
    "dark-large-200": (1920, 1200, 2, {"ADW_DEBUG_COLOR_SCHEME": "prefer-dark"}),
    "french": (1400, 900, 1, {"LANGUAGE": "fr", "VITRAIL_LOCALE_DIR": str(LOCALES)}),
}
NAMES = {"french": ("Agrandir", "Montrer toute la lame", "Menu principal", "Déplacer la lame", "Grossissement")}


def look(name, slide):
    width, height, scale, env = LOOKS[name]
    display = Display("vitrail-looks", width, height)
    program = Program(display, APP, "--zoom", "10", slide, GDK_SCALE=str(scale), **env)
    program.wait(f"{name}: sharp", lambda: program.events("sharp"))
    display.do("search", "--sync", "--onlyvisible", "--name", "demo.svs", "windowsize", width, height)
    program.settle(0.5)
    display.do("mousemove", width // 4, height // 2)
    display.picture(name + "-window")
    for widget in NAMES.get(name, ("Zoom in", "Show the whole slide", "Main menu", "Move the slide", "Magnification")):
        place = program.find(widget)
        check(place and place[2] >= 0 and place[2] + place[4] <= width / scale, f"{name}: {widget} is within the window")
    display.do("key", "ctrl+2")
    program.settle(0.5)
    display.do("key", "ctrl+r")
    program.settle(0.5)
    display.picture(name + "-views")
    for keys, what in (("F10", "menu"), ("ctrl+k", "palette"), ("ctrl+p", "preferences"), ("b", "colours"),
                       ("alt+Return", "properties")):
        display.do("key", keys)
        time.sleep(0.9 * SLOW)
        display.picture(f"{name}-{what}")
        display.do("key", "Escape")
        time.sleep(0.4 * SLOW)
    program.end()


def main():
    need("Xvfb", "xdotool", "import", "convert", "dbus-run-session")
    slide = TMP / "demo.svs"
    subprocess.run([str(DEMO), str(slide), "--size", "2048"], check=True, stdout=subprocess.DEVNULL)
    for name in LOOKS:
        look(name, slide)
    finish()


main()
