# SPDX-License-Identifier: MIT
"""The pin and what is shown now in one picture, with real pointer and key events: each side is, pixel by pixel, what it is alone.
usage: wipe.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import pathlib
import subprocess
import sys

from desk import TMP, analysed, check, differing_pixels, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def wipe(program):
    """on, key held, x, y, angle, share, swapped, difference, paused"""
    return [float(v) for v in program.events("wipe")[-1].split()[1:]]


def cut(picture, place, x, y, width, height):
    """A part of the canvas, by its own pixels."""
    path = TMP / f"{picture.stem}-{x}-{y}.png"
    subprocess.run(["convert", str(picture), "-crop", f"{width}x{height}+{place[2] + x}+{place[3] + y}", "+repage", str(path)],
                   check=True)
    return path


def same(one, other, place, box, what, expected=True):
    n = differing_pixels(cut(one, place, *box), cut(other, place, *box))
    check((n == 0) == expected, f"{what} ({n:.0f} pixels differ)")


def press(display, program, key, what, condition):
    display.do("key", key)
    program.wait(what, condition)
    program.settle(0.3)


def drag(display, program, x0, y0, x1, y1, what, condition):
    display.do("mousemove", x0 - 3, y0 - 3, "sleep", 0.1, "mousemove", x0, y0, "sleep", 0.1, "mousedown", 1)
    for step in range(1, 6):
        display.do("mousemove", x0 + (x1 - x0) * step // 5, y0 + (y1 - y0) * step // 5, "sleep", 0.05)
    display.do("mouseup", 1)
    program.wait(what, condition)
    program.settle(0.3)


def sides(program):
    return program.events("sides")[-1] if program.events("sides") else ""


def main():
    need("Xvfb", "xdotool", "import", "convert", "dbus-run-session", "gdbus")
    display, program, slide = analysed("vitrail-wipe", APP, DEMO)
    place = program.find("Slide")
    middle, above = place[4] // 2, place[5] // 2
    # Between the card, the handles, the labels, the scale bar and the minimap.
    left, right = (middle - 160, 40, 60, above - 120), (middle + 130, 40, 60, above - 120)
    display.do("mousemove", place[0], place[3] + 20, "key", "shift+w")
    program.wait("without a pin the wipe is a sentence", lambda: "There is no pin" in (program.events("error") or [""])[-1])
    program.action("close-message")
    display.do("mousemove", place[0], place[3] + 20, "key", "c")
    program.wait("C pins", lambda: program.events("compared"))
    program.action("set-parameter", "threshold=0.3")
    program.settle(0.7)
    in_place(display, program, place, left, right)
    by_key(display, program, place, left)
    under_the_pointer(display, program, place)
    by_hand(display, program, place)
    elsewhere(display, program, place)
    beside(display, program)
    program.action("compare-end")
    program.wait("the wipe ends with the pin", lambda: wipe(program)[0] == 0)
    program.end()
    finish()


def in_place(display, program, place, left, right):
    press(display, program, "shift+w", "Shift+W shows both", lambda: program.events("wipe") and wipe(program)[0] == 1)
    check("Pinned: Threshold 0.10 OD | Now: Threshold 0.30 OD" in sides(program), f"and says what they are {sides(program)}")
    both = display.picture("wipe")
    display.do("keydown", "x")
    program.wait("while X is held the pin is seen alone", lambda: wipe(program)[1] == 1)
    program.settle(0.3)
    pin = display.picture("pin")
    display.do("keyup", "x")
    program.wait("no longer", lambda: wipe(program)[1] == 0)
    press(display, program, "Return", "Return exchanges the sides", lambda: wipe(program)[6] == 1)
    swapped = display.picture("swapped")
    same(pin, both, place, left, "the pin is on the left")
    same(pin, both, place, right, "and not on the right", False)
    same(pin, swapped, place, right, "exchanged, it is on the right")
    same(pin, swapped, place, left, "and not on the left", False)
    press(display, program, "Return", "and back", lambda: wipe(program)[6] == 0)
    for _ in range(10):
        display.do("key", "ctrl+Down")
    program.wait("Ctrl and the down arrow dissolve the pin", lambda: wipe(program)[5] == 0)
    program.settle(0.3)
    none = display.picture("dissolved")
    same(none, swapped, place, left, "all gone, both sides are those of now")
    for _ in range(5):
        display.do("key", "ctrl+Up")
    program.wait("and bring it back", lambda: wipe(program)[5] == 0.5)
    program.settle(0.3)
    half = display.picture("half")
    same(half, pin, place, left, "half of it is neither the pin", False)
    same(half, none, place, left, "nor what is shown now", False)
    for _ in range(5):
        display.do("key", "ctrl+Up")
    program.wait("all of it", lambda: wipe(program)[5] == 1)


def by_key(display, program, place, left):
    """While the line is seen, Nuke's and Natron's keys: B shows the pin, Shift+F brings the line to the pointer, W ends; and the difference."""
    tool = program.events("tool")[-1:] if program.events("tool") else []
    display.do("keydown", "b")
    program.wait("while B is held the pin is seen alone", lambda: wipe(program)[1] == 1)
    display.do("keyup", "b")
    program.wait("no longer", lambda: wipe(program)[1] == 0)
    check((program.events("tool")[-1:] if program.events("tool") else []) == tool, "and it is not the brush")
    both = display.picture("before-difference")
    press(display, program, "ctrl+d", "Ctrl+D shows the difference", lambda: wipe(program)[7] == 1)
    difference = display.picture("difference")
    same(difference, both, place, left, "which is another picture", False)
    dark = subprocess.run(["convert", str(cut(difference, place, *left)), "-colorspace", "Gray", "-format", "%[fx:mean]", "info:"], capture_output=True, text=True,
                          check=True)
    check(float(dark.stdout) < 0.2, f"black where both are the same, which is most of it {dark.stdout}")
    press(display, program, "ctrl+d", "and the line again", lambda: wipe(program)[7] == 0)
    display.do("mousemove", place[2] + place[4] // 2 + 40, place[3] + place[5] // 2, "sleep", 0.2)
    press(display, program, "shift+f", "Shift+F brings the line to the pointer", lambda: abs(wipe(program)[2] * place[4] - place[4] // 2 - 40) < 3)
    display.do("mousemove", place[2] + place[4] // 2, place[3] + place[5] // 2, "sleep", 0.2)
    press(display, program, "shift+f", "and back", lambda: abs(wipe(program)[2] * place[4] - place[4] // 2) < 3)
    press(display, program, "w", "W ends the wipe", lambda: wipe(program)[0] == 0)
    press(display, program, "shift+w", "Shift+W begins it", lambda: wipe(program)[0] == 1)


def beside(display, program):
    """The pin in a second view, which moves with the first."""
    press(display, program, "ctrl+alt+w", "side by side", lambda: program.events("beside"))
    program.wait("there are two views", lambda: program.labels("The pin stands beside"))
    check(wipe(program)[0] == 0, "without the line")
    program.settle(1)
    display.picture("beside")
    display.do("key", "ctrl+1")
    program.settle(0.5)
    press(display, program, "shift+w", "one view again is that of now, with its pin", lambda: wipe(program)[0] == 1)


def under_the_pointer(display, program, place):
    """Values are those of now, so there are none where the pin is seen; nor can its objects be clicked."""
    valued = lambda: bool(program.labels("Objects #"))
    for step in range(20):
        display.do("mousemove", place[2] + place[4] // 2 + 60 + 7 * step, place[3] + place[5] // 2 - 60, "sleep", 0.05)
        if valued():
            break
    program.wait("on the side of now an object is under the pointer", valued)
    press(display, program, "Return", "exchanged, nothing is said of the pin's", lambda: not valued())
    cards = len(program.labels("Nucleus"))
    display.do("click", 1)
    program.settle(0.3)
    check(len(program.labels("Nucleus")) == cards, "and a click selects nothing there")
    press(display, program, "y", "and Y says which side it would answer for", lambda: "Here the pin is seen" in program.events("error")[-1])
    program.action("close-message")
    press(display, program, "Return", "until it is now's again", valued)


def by_hand(display, program, place):
    x, y = place[2] + place[4] // 2, place[3] + place[5] // 2
    view = program.view()
    drag(display, program, x, y, x + 100, y, "a hand moves the line", lambda: abs(wipe(program)[2] * place[4] - place[4] // 2 - 100) < 2)
    check(program.view() == view, "and not the slide")
    x += 100
    drag(display, program, x, y - 90, x + 90, y, "a hand turns it", lambda: wipe(program)[4] == 90)
    display.picture("turned")
    # The line is level now, its arc goes from the left to above.
    drag(display, program, x, y - 56, x - 40, y - 40, "a hand dissolves", lambda: abs(wipe(program)[5] - 0.5) < 0.03)
    press(display, program, "ctrl+Up", "a key, too", lambda: wipe(program)[5] > 0.55)
    for _ in range(5):
        display.do("key", "ctrl+Up")
    program.wait("until it is whole", lambda: wipe(program)[5] == 1)
    display.do("mousemove", x - 200, y + 60)
    press(display, program, "alt+w", "Alt+W brings it to the pointer", lambda: abs(wipe(program)[3] * place[5] - (y + 60 - place[3])) < 2)
    press(display, program, "ctrl+shift+Left", "keys turn it", lambda: wipe(program)[4] == 75)
    before = wipe(program)[2:4]
    press(display, program, "ctrl+Right", "and move it", lambda: wipe(program)[2:4] != before)
    leaning = display.picture("leaning")
    display.do("keydown", "x")
    program.wait("and the pin alone", lambda: wipe(program)[1] == 1)
    program.settle(0.3)
    display.do("mousemove", x - 200, y + 61)
    pin = display.picture("pin-beside-leaning")
    display.do("keyup", "x")
    program.wait("is a picture", lambda: wipe(program)[1] == 0)
    same(pin, leaning, place, (300, 10, 300, 60), "which is that of its side of a leaning line")
    press(display, program, "Escape", "Escape ends it", lambda: wipe(program)[0] == 0)


def elsewhere(display, program, place):
    press(display, program, "shift+w", "it comes back as it was", lambda: wipe(program)[0] == 1 and wipe(program)[4] == 75)
    count, runs = len(program.events("compared")), len(program.events("run-done"))
    display.do("key", "shift+Right")
    program.wait_more("run-done", runs, "where nothing was analysed yet, what is shown is analysed")
    program.wait_more("compared", count, "and the pin")
    program.wait("nothing is missing then", lambda: "working" not in sides(program))
    check(any("working" in s for s in program.events("sides")), "until then it says so")
    display.picture("elsewhere")


if __name__ == "__main__":
    main()
