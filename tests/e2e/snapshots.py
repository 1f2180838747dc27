# SPDX-License-Identifier: MIT
"""Parameters kept by name in the real window: kept by a key, named, one of them compared with, taken over again and put back, deleted and brought
back, and all of them there in the session.
usage: snapshots.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import subprocess
import sys

from desk import TMP, Program, analysed, check, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    display, program, slide = analysed("vitrail-snapshots", APP, DEMO)
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1] + 100, "key", "alt+k")
    program.wait("without one, the next one is refused", lambda: any("No snapshot" in e for e in program.events("error")))
    display.do("key", "k")
    program.wait("K keeps what is set", lambda: program.events("snapshot")[-1:] == ["snapshot 0 Nuclei by a threshold"])
    for i in range(1, 12):
        program.action("set-parameter", f"threshold={0.1 + i * 0.02:.2f}")
        program.action("snapshot-keep")
    program.wait("twelve are kept, by what they have of their own",
                 lambda: program.events("snapshot")[-1:] == ["snapshot 11 Threshold 0.32 OD"])
    display.do("key", "k")
    program.wait("what is kept already is not kept twice", lambda: program.events("snapshot")[-2:] == ["snapshot 11 Threshold 0.32 OD"] * 2)
    program.settle(0.5)
    compare(display, program)
    take_over(display, program)
    stains(display, program, slide)
    session(display, program, slide)
    finish()


def compare(display, program):
    count = len(program.events("compared"))
    program.click(display, "Compare with Nuclei by a threshold")
    program.wait("its button makes the first one A", lambda: program.events("snapshot-a")[-1:] == ["snapshot-a 0"])
    line = program.wait_more("compared", count, "which was not worked out before, and is compared with")
    check(line and int(line.split()[2]) > 0, f"a higher threshold lost some {line}")
    check(bool(program.labels("Threshold: 0.10 OD → 0.32 OD")), "the difference is told in words")
    display.picture("compared")
    display.do("key", "shift+w")
    program.wait("the wipe has it", lambda: any("Pinned: Threshold 0.10 OD" in e for e in program.events("sides")))
    display.do("key", "alt+k")
    program.wait("Alt+K goes on to the next one", lambda: program.events("snapshot-a")[-1:] == ["snapshot-a 1"])
    display.do("key", "shift+w")
    program.click(display, "Stop comparing")
    program.wait("it ends", lambda: program.events("reference")[-1] == "reference none")


def take_over(display, program):
    count = len(program.events("param-changed"))
    program.click(display, "Take over Nuclei by a threshold")
    program.wait_more("param-changed", count, "its parameters are taken over")
    program.settle(0.5)
    check(bool(program.labels("Threshold 0.10 OD")), "which is said")
    count = len(program.events("param-changed"))
    program.click(display, "Undo")
    program.wait_more("param-changed", count, "and undone")
    place = program.find("Name of Nuclei by a threshold")
    display.do("mousemove", place[2] + 20, place[1], "click", 1)
    display.do("key", "ctrl+a", "type", "before lunch")
    display.do("key", "Return")
    program.wait("it is named", lambda: program.events("snapshot-named")[-1:] == ["snapshot-named 0 before lunch"])
    program.settle(0.3)
    program.click(display, "Delete before lunch")
    program.wait("it is deleted", lambda: program.events("snapshot-deleted")[-1:] == ["snapshot-deleted 0 11"])
    program.click(display, "Undo")
    program.wait("and brought back", lambda: program.events("snapshot")[-1:] == ["snapshot 11 before lunch"])


def get_settings(program, name):
    path = TMP / name
    program.action("save-session-to", path)
    program.wait("the settings are saved", path.exists)
    view = json.loads(path.read_text())["tabs"][0]["views"][0]
    return view.get("analyses", [{}])[0].get("settings", [])


def stains(display, program, slide):
    found = subprocess.run([str(BATCH), "info", "--stains", str(slide)], check=True, capture_output=True, text=True).stdout.split()[1::2]
    before, count = get_settings(program, "before.vitrail"), len(program.events("param-changed"))
    program.action("estimate-stains")
    program.wait_more("param-changed", count, "the stains of the slide are parameters")
    check(len(found) == 3 and set(found) <= set(get_settings(program, "stains.vitrail")), f"those that vitrail-batch finds {found}")
    program.settle(0.5)
    display.picture("stains")
    count = len(program.events("param-changed"))
    program.click(display, "Undo")
    program.wait_more("param-changed", count, "and undone")
    check(get_settings(program, "undone.vitrail") == before, "to what was there before")


def session(display, program, slide):
    path = TMP / "a.vitrail"
    program.action("save-session-to", path)
    program.wait("the session is saved", path.exists)
    view = json.loads(path.read_text())["tabs"][0]["views"][0]
    check(len(view["snapshots"]) == 12 and view["snapshots"][-1]["name"] == "before lunch", "with all of them")
    check(view["snapshots"][0]["settings"] == ["threshold=0.12"], f"and their parameters {view['snapshots'][0]}")
    program.end()
    again = Program(display, APP, path)
    again.wait("they are there again", lambda: again.events("snapshot")[-1:] == ["snapshot 11 before lunch"])
    again.settle(0.5)
    canvas = again.find("Slide")
    display.do("mousemove", canvas[0], canvas[1] + 100, "key", "shift+k")
    again.wait("Shift+K shows them", lambda: again.place("Take over before lunch"))
    display.picture("restored")
    again.end()


main()
