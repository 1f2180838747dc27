# SPDX-License-Identifier: MIT
"""A file that is dragged from another program's window onto the picture."""
import atexit
import pathlib
import subprocess
import sys
import time

from desk import SLOW, check

SOURCE = pathlib.Path(__file__).with_name("drop-source.py")


def hold(display, program, file):
    """Drags the file over the picture and keeps the button down until the view says that it would take it. `end` what it returns once
    the file has arrived."""
    env = {name: value for name, value in program.env.items() if name != "GTK_PATH"}  # a module under sanitizers ends a program without them
    source = subprocess.Popen([sys.executable, str(SOURCE), str(file)], env=env, stdout=subprocess.PIPE, stderr=program.err)
    atexit.register(source.kill)
    source.stdout.readline()  # it is drawn
    display.do("search", "--sync", "--name", "vitrail-drop-source", "windowmove", "--sync", 1150, 700)
    time.sleep(0.5 * SLOW)
    lit = program.events("drop-target").count("drop-target lit")
    display.do("mousemove", 1220, 760, "mousedown", 1)
    for x, y in ((1215, 755), (1200, 740), (1100, 650), (800, 500), (500, 420)):
        display.do("mousemove", x, y)
        time.sleep(0.1 * SLOW)
    for n in range(100):  # the two programs talk at each motion
        if program.events("drop-target").count("drop-target lit") > lit:
            break
        display.do("mousemove", 480 + n % 2, 410)
        time.sleep(0.1 * SLOW)
    check(n < 99, f"the view lights up while {pathlib.Path(file).name} is held over it")
    return source


def end(source):
    source.kill()
    source.wait()
