# SPDX-License-Identifier: MIT
"""Objects corrected by hand in the real window: deleted, drawn, drawn anew, split along a line, joined, under review; counted, undone, kept by a
session, found again by another run, and in the files, which vitrail-batch reads.
usage: corrections.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import csv
import json
import pathlib
import signal
import subprocess
import sys
import time

from desk import SLOW, TMP, Program, analysed, check, demo_slide, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
UM = 0.5  # a pixel of the made-up slide


def exported(program, name):
    out = TMP / name
    program.action("export-results-to", out)
    program.wait("the results are exported", (out / "record.json").exists)
    with open(out / "features.csv", newline="", encoding="utf-8-sig") as f:
        rows = list(csv.DictReader(f))
    return out, rows, json.loads((out / "record.json").read_text()), json.loads((out / "objects.geojson").read_text())["features"]


def ring(feature):
    geometry = feature["geometry"]
    return (geometry["coordinates"] if geometry["type"] == "Polygon" else geometry["coordinates"][0])[0]


class Hand:
    """Clicks and drags at places of the slide."""

    def __init__(self, display, program):
        self.display, self.program = display, program
        self.canvas = program.find("Slide")

    def to_screen(self, x, y):
        x0, y0, _, _, per_px = self.program.view()[:5]
        return round(self.canvas[2] + (x - x0) / per_px), round(self.canvas[3] + (y - y0) / per_px)

    def click(self, x, y, key=None):
        count = len(self.program.events("selected"))
        if key:
            self.display.do("keydown", key)
        self.display.do("mousemove", *self.to_screen(x, y), "click", 1)
        if key:
            self.display.do("keyup", key)
        self.program.wait_more("selected", count, "a click selects an object")

    def drag(self, *places):
        """As of a window that is busy meanwhile: it hears of all places in one frame."""
        screen = [self.to_screen(*place) for place in places]
        self.display.do("mousemove", *screen[0], "mousedown", 1)
        self.program.process.send_signal(signal.SIGSTOP)
        for place in screen[1:]:
            self.display.do("mousemove", *place)
        self.display.do("mouseup", 1)
        self.program.process.send_signal(signal.SIGCONT)

    def key(self, *keys):
        self.display.do("key", *keys)

    def corrected(self, what, numbers):
        """Of the objects: how many there are, deleted, drawn, joined, split, lost."""
        line = "corrected " + " ".join(map(str, numbers))
        if not self.program.wait(what + f" ({line})", lambda: self.program.events("corrected")[-1:] == [line]):
            print(self.program.events("corrected")[-3:], self.program.events("error")[-2:])


def box_of(feature):
    xs, ys = zip(*ring(feature))
    return min(xs), min(ys), max(xs), max(ys)


def middles(features, view):
    """Objects that lie well inside of the picture, away from the cards on its left, those nearest to the middle first: x, y, their rings."""
    x0, y0, width, height = view[:4]
    found = []
    for feature in features:
        box = box_of(feature)
        if x0 + 0.55 * width < box[0] and box[2] < x0 + 0.92 * width and y0 + 0.1 * height < box[1] and box[3] < y0 + 0.7 * height:
            found.append(box)
    return sorted(found, key=lambda b: (b[0] + b[2] - 2 * x0 - 1.45 * width) ** 2 + (b[1] + b[3] - 2 * y0 - 0.8 * height) ** 2)


def middle(box):
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def empty_place(boxes, all_boxes, size):
    """Where a square meets no object."""
    x0, y0 = min(b[0] for b in boxes), min(b[1] for b in boxes)
    x1, y1 = max(b[2] for b in boxes), max(b[3] for b in boxes)
    for y in range(int(y0), int(y1 - size), 4):
        for x in range(int(x0), int(x1 - size), 4):
            if all(b[2] < x or b[0] > x + size or b[3] < y or b[1] > y + size for b in all_boxes):
                return x, y
    return None


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    display, program, slide = analysed("vitrail-corrections", APP, DEMO)
    program.action("live")  # what is looked at stays
    program.settle(0.5)
    _, rows, record, features = exported(program, "plain")
    check("Corrected" not in rows[0] and "corrections" not in record, "what nobody corrected says nothing of it")
    hand = Hand(display, program)
    n = len(features)
    boxes = middles(features, program.view())
    check(len(boxes) >= 6, f"{len(boxes)} of {n} objects lie in the free part of the picture")
    n = deleted(hand, boxes, n)
    made = drawn(hand, features, boxes, n)
    divided(hand, boxes, n)
    again(hand, boxes, n)
    in_files(hand, made, n)
    session = kept(hand)
    lost(hand, n)
    edited(hand)
    program.end()
    reopened(display, session, slide, n)
    taught(display)
    finish()


def deleted(hand, boxes, n):
    hand.key("Delete")
    hand.program.wait("Delete without a selected object says what to do", lambda: any("Select the object first" in e for e in hand.program.events("error")))
    hand.click(*middle(boxes[0]))
    hand.key("Delete")
    hand.corrected("Delete takes the selected object away", (n - 1, 1, 0, 0, 0, 0))
    hand.program.wait("a note has Undo", lambda: hand.program.labels("1 object deleted"))
    hand.key("ctrl+z")
    hand.program.wait("Ctrl+Z brings it back", lambda: hand.program.events("shown")[-1].endswith(f" {n}"))
    hand.key("ctrl+shift+z")
    hand.corrected("and Ctrl+Shift+Z deletes it again", (n - 1, 1, 0, 0, 0, 0))
    return n


def drawn(hand, features, boxes, n):
    size = 24
    all_boxes = [box_of(f) for f in features]
    place = empty_place(boxes[1:], all_boxes, size)
    check(place is not None, "there is room between objects")
    x, y = place
    hand.display.do("mousemove", hand.canvas[0] + 100, hand.canvas[1], "key", "shift+d")
    hand.program.wait("Shift+D opens the card", lambda: hand.program.events("correction-card")[-1:] == ["correction-card 1"])
    hand.drag((x + 3, y + 3), (x + size - 3, y + 3), (x + size - 3, y + size - 3), (x + 3, y + size - 3), (x + 3, y + 6))
    hand.corrected("an outline by hand is one more", (n, 1, 1, 0, 0, 0))
    hand.program.wait("its card says why numbers are missing", lambda: hand.program.labels("not measured of an outline that was made by hand"))
    hand.display.picture("drawn")
    hand.key("Escape")
    b = boxes[1]
    hand.click(*middle(b))
    hand.key("alt+d")
    for corner in ((b[0] + 1, b[1] + 1), (b[2] - 1, b[1] + 1), (b[2] - 1, b[3] - 1), (b[0] + 1, b[3] - 1)):
        count = len(hand.program.events("vertices"))
        hand.display.do("mousemove", *hand.to_screen(*corner), "click", 1)
        hand.program.wait_more("vertices", count, "a corner")
        time.sleep(0.4 * SLOW)  # no double click
    hand.key("Return")
    hand.corrected("the selected one is drawn anew", (n, 1, 2, 0, 0, 0))
    return place, size


def divided(hand, boxes, n):
    b = boxes[2]
    x, y = middle(b)
    hand.key("Escape", "shift+x")
    count = len(hand.program.events("error"))
    hand.drag((x, y + 1), (x, y - 2), (x, y - 6))
    said = hand.program.wait_more("error", count, "a line that ends inside divides none")
    check(said and "divides no object" in said, f"which is said: {said}")
    hand.drag((x, b[1] - 5), (x, y - 2), (x + 1, y + 2), (x + 1, b[3] + 5))
    hand.corrected("a line across an object makes two of it", (n + 1, 1, 2, 0, 1, 0))
    hand.key("Escape")
    hand.display.picture("split")


def again(hand, boxes, n):
    """The two parts are joined again: by Shift and a click, and by the keyboard."""
    b = boxes[2]
    x, y = middle(b)
    hand.key("shift+u")
    hand.program.wait("one object is not enough to join", lambda: any("then the others with Shift" in e for e in hand.program.events("error")))
    hand.click(b[0] + 3, y)
    hand.click(b[2] - 3, y, "shift")
    hand.program.wait("two are selected", lambda: hand.program.events("held")[-1:] == ["held 1"])
    hand.display.picture("two-selected")
    hand.key("shift+u")
    hand.corrected("they are joined", (n, 1, 2, 1, 1, 0))
    hand.key("shift+t")
    hand.program.wait("the table is open", lambda: hand.program.events("table-objects"))
    hand.program.wait("and says under it what was done", lambda: hand.program.labels("1 deleted by hand, 2 drawn by hand, 1 joined by hand, 1 split by hand"))
    hand.display.picture("table")
    hand.key("shift+t")
    hand.program.settle(0.5)


def in_files(hand, made, n):
    (x, y), size = made
    out, rows, record, features = exported(hand.program, "corrected")
    check(len(rows) == len(features) == n and record["objects"] == n, f"the files have {n} objects")
    check([r["Corrected"] for r in rows if r["Corrected"]] == ["drawn", "drawn", "joined"], f"with what was made by hand {[r['Corrected'] for r in rows if r['Corrected']]}")
    check(record["corrections"] == {"deleted": 1, "drawn": 2, "joined": 1, "split": 1, "met": 0, "lost": 0}, f"the record counts {record['corrections']}")
    words = [f["properties"].get("metadata", {}).get("Corrected") for f in features]
    check(words[-3:] == ["drawn", "drawn", "joined"] and not any(words[:-3]), "and GeoJSON has them as metadata")
    row = rows[-3]
    area, side = float(row["Nucleus: Area µm^2"]), size - 6
    check(abs(area - side * side * UM * UM) < side * UM * 2, f"the one drawn has an area of {area} µm²")
    stain = "Nucleus: Hematoxylin OD mean"
    check(float(row["Nucleus: Solidity"]) > 0.9 and 0 < float(row[stain]) < 1 and row["Nucleus: Background OD mean"] == "NaN", f"shape and stain {row[stain]}, and no background")
    check(features[-3]["properties"]["measurements"][stain] == float(row[stain]), "and GeoJSON has the same")
    score = TMP / "score.json"
    done = subprocess.run([str(BATCH), "score", str(out / "objects.geojson"), str(TMP / "plain" / "objects.geojson"), "--json", str(score)],
                          capture_output=True, text=True)
    check(done.returncode == 0, f"vitrail-batch score reads it {done.stderr}")


def kept(hand):
    session = TMP / "a.vitrail"
    hand.program.action("save-session-to", session)
    hand.program.wait("the session is saved", lambda: hand.program.events("session-saved"))
    view = json.loads(session.read_text())["tabs"][0]["views"][0]
    kinds = [(c["kind"], len(c.get("before", [])), len(c.get("after", []))) for c in view["corrections"]]
    check(kinds == [("deleted", 1, 0), ("drawn", 0, 1), ("drawn", 1, 1), ("split", 1, 2), ("joined", 2, 1)], f"with the corrections {kinds}")
    check(view["corrections-saved"] is True, "which it says are safe")
    return session


def lost(hand, n):
    """Parameters by which some objects of the corrections are none any more."""
    count = len(hand.program.events("run-done"))
    hand.program.action("set-parameter", "min-area=500")
    hand.program.wait_more("run-done", count, "another run with no small objects")
    line = hand.program.wait("says which find no object", lambda: hand.program.events("corrected")[-1].split()[6] == "3" and hand.program.events("corrected")[-1])
    check(line and line.split()[2:6] == ["0", "1", "0", "0"], f"what was drawn is there without any {line}")
    hand.program.wait("nothing is left to delete", lambda: hand.program.labels("1 correction is met without it"))
    hand.program.wait("the card tells them", lambda: hand.program.labels("These find their objects no more"))
    hand.display.picture("lost")
    hand.program.action("corrections-forget-lost")
    hand.program.wait("they can be forgotten", lambda: hand.program.events("corrected")[-1].split()[6] == "0")
    hand.program.action("undo")
    hand.program.wait("and are back by Undo", lambda: hand.program.events("corrected")[-1].split()[6] == "3")
    hand.program.action("set-parameter", "min-area=10")
    hand.corrected("with the parameters of before all of them are found", (n, 1, 2, 1, 1, 0))


def edited(hand):
    """The recipe is changed: what was corrected goes along, and is there when that is undone."""
    for stage in ("hematoxylin", "background", "residue", "mask", "filled"):
        hand.key("bracketright")
        hand.program.wait(f"] walks to {stage}", lambda: hand.program.events("layers")[-1:] == ["layers " + stage])
    hand.key("alt+x")
    hand.program.wait("a stage is bypassed", lambda: hand.program.events("recipe-edit"))
    for _ in range(5):
        hand.key("bracketleft")
    hand.program.settle(0.5)
    for key in (None, "ctrl+z"):
        if key:
            hand.key(key)
        hand.program.settle(0.5)
        count = len(hand.program.events("corrected"))
        hand.key("F5")
        line = hand.program.wait_more("corrected", count, "another run is corrected, too")
        check(line and line.split()[3:] == ["2", "1", "1", "0"], f"the corrections find their objects {line}")


def reopened(display, session, slide, n):
    program = Program(display, APP, session)
    program.wait("the session opens", lambda: program.events("session-restored") == ["session-restored 1"])
    program.settle(0.5)
    hand = Hand(display, program)
    display.do("mousemove", hand.canvas[0], hand.canvas[1], "key", "F5")
    hand.corrected("its corrections are of what a run makes anew", (n, 1, 2, 1, 1, 0))
    review(hand)
    hand.key("ctrl+q")
    program.wait("a correction that no session has is asked about", lambda: program.events("asks-corrections") == ["asks-corrections 1"])
    time.sleep(0.5 * SLOW)  # the review asks for exact values all the while
    display.picture("asked")
    hand.key("Escape")
    time.sleep(0.5 * SLOW)
    program.end()


def review(hand):
    hand.key("shift+r")
    hand.program.wait("Shift+R measures", lambda: hand.program.events("review-measured"))
    hand.program.wait("and goes to the first", lambda: hand.program.events("review-at"))
    x, y = hand.program.events("review-item")[0].split()[1:3]
    hand.key("3")
    hand.program.wait("3 is about to correct it", lambda: hand.program.labels("The next correction is of this object"))
    hand.display.picture("review")
    hand.key("space")  # on the first of the tools, which has the keyboard
    hand.program.wait("Space deletes it: one more", lambda: hand.program.events("corrected")[-1].split()[2] == "2")
    hand.program.wait("that is its verdict", lambda: hand.program.events("review-verdict") == [f"review-verdict {x} {y} 2"])
    hand.program.wait("and the review goes on", lambda: hand.program.events("review-at")[-1].split()[1] == "1")


def taught(display):
    """What is corrected while the lessons are on teaches the score of nuclei, and the view follows."""
    folder = TMP / "small"
    folder.mkdir()
    program = Program(display, APP, "--op", "nuclei", "--live", "--zoom", "20", "--centre", "512,512", demo_slide(DEMO, 1024, folder), XDG_STATE_HOME=str(TMP / "taught"))
    program.wait("nuclei are chosen by their score", lambda: program.events("run-done"))
    hand = Hand(display, program)
    _, _, _, features = exported(program, "chosen")
    boxes = middles(features, program.view())
    hand.click(*middle(boxes[0]))
    hand.key("Delete")
    program.wait("an object is deleted", lambda: program.events("corrected"))
    hand.key("alt+u")
    lessons(hand, "Alt+U calls it wrong", 0, 1)
    program.wait("and opens the lessons", lambda: program.events("gallery"))
    hand.key("ctrl+z")
    lessons(hand, "which is a step of undo", 0, 0)
    hand.key("ctrl+z")
    program.wait("before that of the correction", lambda: program.events("shown")[-1].endswith(f" {len(features)}"))
    program.settle(0.5)  # a preview has as many, and cannot be corrected
    split_until_learned(hand, boxes)
    display.picture("taught")
    hand.key("ctrl+z")
    lessons(hand, "undone, it teaches no more", 0, 0)
    hand.key("ctrl+shift+z")
    lessons(hand, "made again, it does", 2, 1)
    program.wait("and the card says that the run needs it no more", lambda: program.labels("1 correction is met without it"))
    hand.key("Escape", "shift+d")  # a preview may be there: what is only added can be drawn over it
    program.wait("Shift+D opens the card", lambda: program.events("correction-card")[-1:] == ["correction-card 1"])
    size = 20
    x, y = empty_place([b for b in boxes if b[0] > 750], [box_of(f) for f in features], size)  # the cards lie left of it
    hand.drag((x + 2, y + 2), (x + size, y + 2), (x + size, y + size), (x + 2, y + size), (x + 2, y + 5))
    if not program.wait("of an outline with which no candidate agrees it is said", lambda: any("The score learns nothing of 1 outline" in e for e in program.events("error"))):
        print(program.events("corrected")[-2:], program.events("lessons")[-2:], program.events("error")[-2:])
    program.end()


def split_until_learned(hand, boxes):
    """Large objects right of the cards are split, until the score makes one of the splits itself: it need not follow every example."""
    program, is_met = hand.program, False
    for box in sorted((b for b in boxes if b[0] > 750), key=lambda b: (b[3] - b[1]) * (b[0] - b[2]))[:8]:
        x, y = middle(box)
        hand.key("Escape", "shift+x")
        n_told = len(program.events("candidates"))
        hand.drag((x, box[1] - 4), (x, y), (x + 1, y + 2), (x + 1, box[3] + 4))
        lessons(hand, "of an object that is split while they are on the parts are right, and the whole is wrong", 2, 1)
        program.wait_more("candidates", n_told, "the view follows")
        program.settle(1)
        is_met = program.events("corrected")[-1].split()[2:] == ["0", "0", "0", "0", "0"]
        if is_met:
            break
        hand.key("ctrl+z")
        lessons(hand, "another one is tried", 0, 0)
        program.settle(0.5)
    check(is_met, f"and has the parts without the correction, which is not lost {program.events('corrected')[-1]}")


def lessons(hand, what, right, wrong):
    line = f"lessons {right} {wrong}"
    if not hand.program.wait(f"{what} ({line})", lambda: hand.program.events("lessons")[-1:] == [line]):
        print(hand.program.events("lessons")[-3:], hand.program.events("error")[-2:])


main()
