# SPDX-License-Identifier: MIT
"""What is handed on: a replay as numbered pictures with a text, and a folder for a colleague that opens where it was moved to, with its slide and without.
usage: handing.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import shutil
import struct
import sys
import zipfile

from desk import TMP, Program, analysed, check, finish, need

APP, _, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def size(path):
    return struct.unpack(">II", path.read_bytes()[16:24])


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    display, program, slide = analysed("vitrail-handing", APP, DEMO, "--set", "threshold=0.12", zoom=40)  # a quarter of the pixels
    canvas = program.find("Slide")
    x, y = canvas[0], canvas[1]
    display.do("mousemove", x - 150, y - 100, "key", "r", "mousedown", 1, "mousemove", x, y, "mousemove", x + 150, y + 100, "mouseup", 1,
               "key", "m")
    program.settle(0.5)
    replay(display, program, canvas)
    moved = bundle(display, program, canvas)
    program.end()
    packed(display)
    opened(display, slide, moved)
    finish()


def replay(display, program, canvas):
    program.action("save-replay-to", TMP / "none")
    program.wait("without a replay there is nothing to save", lambda: any("Nothing is played" in e for e in program.events("error")))
    display.do("mousemove", canvas[0], canvas[1], "key", "shift+a")
    line = program.wait("Shift+A plays", lambda: program.events("player-wave") and program.events("player-wave")[-1])
    n_ticks, (width, height) = int(line.split()[3]), (int(v) for v in line.split()[4].split("x"))
    folder = TMP / "replay"
    program.action("save-replay-to", folder)
    done = program.wait("its pictures are saved", lambda: program.events("replay-saved"))
    frames = sorted(folder.glob("frame-*.png"))
    text = (folder / "replay.txt").read_text()
    check(done and len(frames) == int(done[-1].split()[1]) > 1, f"{len(frames)} of {n_ticks} moments")
    check(len({size(f) for f in frames}) == 1 and size(frames[0])[0] == width and size(frames[0])[1] > height, f"all of one size {size(frames[0])}")
    check(frames[0].read_bytes() != frames[-1].read_bytes(), "which differ")
    rows = [r.split("\t") for r in text.splitlines() if r.startswith("frame-")]
    check(len(rows) == len(frames) and rows[0][1] == "0" and rows[-1][1] == str(n_ticks - 1), f"from the first to the last {rows[-1]}")
    for word in ("demo.svs", "Threshold", "Time:", "Unit of the time", "not a result", "equals the result"):
        check(word in text, f"the text has “{word}”")
    count = len(program.events("error"))
    program.action("save-replay-to", folder)
    line = program.wait_more("error", count, "they are not replaced")
    check(line and "is there already" in line, f"in a sentence {line}")
    display.artefacts.mkdir(parents=True, exist_ok=True)
    shutil.copy(frames[len(frames) // 2], display.artefacts / "frame.png")
    display.do("mousemove", canvas[0], canvas[1], "key", "shift+a")
    program.settle(0.5)


def bundle(display, program, canvas):
    count = len(program.events("bundle-question"))
    program.action("export-bundle")
    line = program.wait_more("bundle-question", count, "a folder for a colleague: the slides' size is said")
    check(line and line.split()[1] == "1" and int(line.split()[2]) > 100000, f"of one slide {line}")
    display.picture("question")
    display.do("key", "Escape")
    program.settle(0.3)
    for name, action in (("thin", "export-bundle-to"), ("whole", "export-bundle-slides-to")):
        count = len(program.events("bundle-saved"))
        program.action(action, TMP / name)
        program.wait_more("bundle-saved", count, f"a folder, {name}")
    thin, whole = TMP / "thin", TMP / "whole"
    check((whole / "slides" / "demo.svs").exists() and not (thin / "slides").exists(), "the slide is in the one, not in the other")
    check("the slide demo.svs: put it at slides/demo.svs" in (thin / "README.txt").read_text(), "which says so")
    check(list(whole.glob("results/*/record.json")) and list(whole.glob("results/*/objects.geojson")), "results are in it")
    view = json.loads((whole / "session.vitrail").read_text())["tabs"][0]["views"][0]
    check(view["slide"] == "slides/demo.svs" and str(TMP) not in (whole / "session.vitrail").read_text(), "no path leads out of it")
    count = len(program.events("error"))
    program.action("export-bundle-to", whole)
    line = program.wait_more("error", count, "nothing is replaced")
    check(line and "is not an empty folder" in line, f"in a sentence {line}")
    count = len(program.events("bundle-saved"))
    program.action("export-bundle-slides-to", TMP / "one.zip")
    program.wait_more("bundle-saved", count, "and all of it as one file")
    with zipfile.ZipFile(TMP / "one.zip") as archive:
        inside = {str(f.relative_to(whole)) for f in whole.rglob("*") if f.is_file()}
        check(archive.testzip() is None and set(archive.namelist()) == inside, "which another program reads, with the same files")
        check(archive.read("slides/demo.svs") == (whole / "slides" / "demo.svs").read_bytes(), "and the same slide")
    return thin, whole


def packed(display):
    """The file alone, in another place; one that another program packed, with a folder in it; and what is none."""
    place, bad = TMP / "packed", TMP / "packed" / "bad.zip"
    place.mkdir()
    shutil.move(TMP / "one.zip", place / "one.zip")
    program = Program(display, APP, place / "one.zip")
    program.wait("the file opens elsewhere", lambda: program.events("session-restored") == ["session-restored 1"])
    check(program.events("unpacked") == [f"unpacked {place / 'one'}"] and any(str(place / "one") in e for e in program.events("slide-open")), f"unpacked beside it {program.events('unpacked')}")
    program.end()
    with zipfile.ZipFile(place / "other.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in (place / "one").rglob("*"):
            archive.write(file, pathlib.Path("of") / file.relative_to(place / "one"))
    (place / "other").mkdir()
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("../escaped.txt", "x")
        archive.writestr("session.vitrail", "{}")
    program = Program(display, APP, place / "other.zip")
    program.wait("one that another program packed opens, too", lambda: program.events("session-restored") == ["session-restored 1"])
    check(program.events("unpacked") == [f"unpacked {place / 'other-2'}"], f"beside the folder of its name {program.events('unpacked')}")
    program.action("open-uri", bad.as_uri())
    program.wait("a name that leads out is refused", lambda: any("no name that stays in its folder" in e for e in program.events("error")))
    check(not (TMP / "escaped.txt").exists() and not (place / "bad").exists(), "and nothing of it is there")
    display.picture("refused-zip")
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("a.txt", "x")
    program.action("open-uri", bad.as_uri())
    program.wait("one without a session is none", lambda: any("holds no session.vitrail" in e for e in program.events("error")))
    check(not (place / "bad").exists(), "and nothing of it is left")
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("session.vitrail", '{"vitrail-session": 1, "tabs": [], "moon": 1}')
        archive.writestr("slides/a.svs", "x" * 1000)
    program.action("open-uri", bad.as_uri())
    program.wait("one whose session is refused says why", lambda: any("“moon” is not known here" in e for e in program.events("error")))
    check(not (place / "bad").exists(), "and nothing of it is left, either")
    program.end()


def opened(display, slide, moved):
    """Where nothing of what it was made from is any more."""
    slide.unlink()
    for folder in moved:
        place = TMP / "elsewhere" / ("of-" + folder.name)
        place.parent.mkdir(exist_ok=True)
        shutil.move(folder, place)
        program = Program(display, APP, place / "session.vitrail")
        if folder.name == "thin":
            program.wait("without the slide it says so", lambda: program.events("session-restored"))
            check(program.events("session-restored")[-1] == "session-restored 0" and program.events("error"), f"in a sentence {program.events('error')}")
        else:
            program.wait("the folder opens elsewhere", lambda: program.events("session-restored") == ["session-restored 1"])
            check(any(str(place) in e for e in program.events("slide-open")), f"with its own slide {program.events('slide-open')}")
            program.wait("and runs as it did", lambda: program.events("run-done"))
            program.settle(0.5)
            check(bool(program.labels("ROI 1")), "with its region")
            display.picture("elsewhere")
        program.end()


if __name__ == "__main__":
    main()
