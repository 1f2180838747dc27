# SPDX-License-Identifier: MIT
"""Looking, with real pointer and key events: turning and mirroring, several views that move together, tabs that give their
memory back, the command palette. Pictures are kept beside the test.
usage: looking.py turning|views VITRAIL DEMO-SLIDE-GENERATOR"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import time

from desk import SLOW, TMP, Display, Program, check, differing_pixels, finish, need

PART = sys.argv[1]
APP, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[2:4])
SIDE = 500


def key(display, program, keys, what, condition):
    display.do("key", keys)
    program.wait(what, condition)
    program.settle(0.4)


def middle(picture, place, *operations):
    """A square around the canvas' middle, well away from minimap and scale bar."""
    path = TMP / (picture.stem + "-middle.png")
    x, y = place[2] + (place[4] - SIDE) // 2, place[3] + (place[5] - SIDE) // 2
    subprocess.run(["convert", str(picture), "-crop", f"{SIDE}x{SIDE}+{x}+{y}", "+repage", *operations, str(path)],
                   check=True)
    return path


def turning(display, program):
    """What is drawn turned equals the turned picture of what was drawn upright."""
    display.do("mousemove", 3, 300)
    key(display, program, "1", "1 shows 1:1", lambda: program.view()[4] == 1)
    place = program.find("Slide")
    check(place[4] % 2 == 0 and place[5] % 2 == 0, f"the canvas has a middle {place}")
    upright = display.picture("upright")
    for n, quarter in enumerate((90, 180, 270)):
        key(display, program, "ctrl+r", f"Ctrl+R turns to {quarter} degrees", lambda: program.view()[5] == quarter)
        turned = display.picture(f"turned-{quarter}")
        expected = middle(upright, place, "-rotate", str(quarter))
        differing = differing_pixels(middle(turned, place), expected)
        check(differing == 0, f"pixel by pixel the turned picture ({differing:.0f} differ)")
    key(display, program, "ctrl+shift+r", "Ctrl+Shift+R turns back", lambda: program.view()[5] == 180)
    key(display, program, "shift+f", "Shift+F mirrors", lambda: program.view()[5:7] == [180, 1])
    mirrored = display.picture("mirrored-180")
    differing = differing_pixels(middle(mirrored, place), middle(upright, place, "-rotate", "180", "-flop"))
    check(differing == 0, f"pixel by pixel the mirror image ({differing:.0f} differ)")
    key(display, program, "ctrl+0", "Ctrl+0 is upright again", lambda: program.view()[5:7] == [0, 0])
    again = middle(display.picture("upright-again"), place)
    check(differing_pixels(again, middle(upright, place)) == 0, "as it was at first")
    key(display, program, "alt+Right", "Alt and the right arrow turn by 15 degrees", lambda: program.view()[5] == 15)
    key(display, program, "ctrl+0", "upright", lambda: program.view()[5:7] == [0, 0])
    x, y = place[0], place[1]
    display.do("mousemove", x + 300, y, "keydown", "ctrl", "mousedown", 1)
    for step in range(1, 11):
        display.do("mousemove", x + 300 - 6 * step, y + 20 * step)
    display.do("mouseup", 1, "keyup", "ctrl")
    program.wait("Ctrl and a drag turn", lambda: 35 < program.view()[5] < 45)
    program.settle(0.4)
    display.picture("turned-by-hand")
    key(display, program, "0", "0 fits the turned slide", lambda: program.view()[0:2] == [0, 0])
    display.picture("turned-fit")
    key(display, program, "ctrl+0", "upright", lambda: program.view()[5] == 0)


def steady(display, program):
    """What changes with the view and the pointer keeps its room: the second time that it is seen, nothing is laid out anew."""
    place = program.find("Slide")
    for _ in range(2):
        before = program.layouts()
        for keys in ("minus", "plus", "ctrl+r", "ctrl+shift+r"):
            count = len(program.events("view"))
            display.do("mousemove", place[2] + 200 + 10 * len(keys), place[3] + 200)
            key(display, program, keys, f"{keys} changes the view", lambda n=count: len(program.events("view")) > n)
    n = program.layouts() - before
    check(before >= 0 and n == 0, f"and the window is laid out {n} times for four views that were seen before")


def one_colour(path):
    """A tiled TIFF of one colour, many tiles large."""
    width, tile = 3072, bytes((200, 90, 150)) * (256 * 256)
    n = (width // 256) ** 2
    entries = [(256, 4, 1, width), (257, 4, 1, width), (258, 3, 3, None), (259, 3, 1, 1), (262, 3, 1, 2), (277, 3, 1, 3),
               (284, 3, 1, 1), (322, 4, 1, 256), (323, 4, 1, 256), (324, 4, n, None), (325, 4, n, None)]
    bits_at = 8 + 2 + 12 * len(entries) + 4
    offsets_at, counts_at = bits_at + 6, bits_at + 6 + 4 * n
    data_at = counts_at + 4 * n
    head = b"II*\0" + struct.pack("<IH", 8, len(entries))
    for tag, kind, count, value in entries:
        value = {258: bits_at, 324: offsets_at, 325: counts_at}.get(tag, value)
        head += struct.pack("<HHII", tag, kind, count, value)
    head += struct.pack("<I", 0) + struct.pack("<3H", 8, 8, 8)
    head += struct.pack(f"<{n}I", *(data_at for _ in range(n))) + struct.pack(f"<{n}I", *(len(tile) for _ in range(n)))
    path.write_bytes(head + tile)


def no_seams(display, program, flat):
    """One colour stays one colour at every angle: nothing shines through between tiles."""
    program.action("open-uri", flat.as_uri())
    program.wait("the slide of one colour opens", lambda: str(flat) in program.events("slide-open")[-1])
    program.settle(0.4)
    place = program.find("Slide")
    display.do("key", "2")
    program.settle(0.4)
    for angle in range(15, 105, 15):
        key(display, program, "alt+Right", f"turned to {angle} degrees", lambda: program.view()[5] == angle)
        picture = middle(display.picture("seams"), place)
        colours = subprocess.run(["convert", str(picture), "-format", "%[fx:minima] %[fx:maxima]", "info:"],
                                 capture_output=True, text=True, check=True).stdout.split()
        check(float(colours[1]) - float(colours[0]) < 0.9, f"no seams at {angle} degrees: {colours}")
    display.do("key", "ctrl+w")
    program.wait("its tab closes", lambda: program.events("tab-closed"))
    program.settle(0.4)


def views(program):
    """The last view of each pane, by its number."""
    last = {}
    for line in program.events("view"):
        numbers = [float(v) for v in line.split()[1:]]
        last[int(numbers[7])] = numbers[:7]
    return last


def together(display, program):
    key(display, program, "ctrl+2", "two views", lambda: len(views(program)) >= 2)
    panes = sorted(views(program))[-1:] + [int(program.view()[7])]
    first, second = sorted(views(program))[0], sorted(views(program))[-1]

    def equal():
        a, b = views(program)[first], views(program)[second]
        return all(abs(p - q) <= 1 for p, q in zip(a[:4], b[:4])) and a[4:] == b[4:]
    check(len(panes) > 0 and equal(), f"both show the same {views(program)}")
    key(display, program, "1", "both go to 1:1", lambda: views(program)[first][4] == views(program)[second][4] == 1)
    display.do("mousemove", 300, 400, "mousedown", 1)
    for step in range(1, 11):
        display.do("mousemove", 300 + 9 * step, 400 - 5 * step)
        time.sleep(0.02)
    display.do("mouseup", 1)
    program.settle(0.4)
    check(equal(), f"dragged together {views(program)}")
    key(display, program, "ctrl+r", "turned together", lambda: views(program)[second][5] == views(program)[first][5] == 90)
    key(display, program, "shift+f", "mirrored together", lambda: views(program)[second][6] == views(program)[first][6] == 1)
    check(equal(), "and still the same place")
    display.picture("two-views")
    display.do("mousemove", 300, 400)
    for _ in range(4):
        display.do("click", 4)
        time.sleep(0.05)
    for _ in range(4):
        display.do("click", 5)
        time.sleep(0.05)
    program.settle(0.4)
    check(equal(), "zoomed in and out together")
    display.do("key", "n")
    program.settle(0.4)
    display.do("key", "ctrl+l")
    program.settle(0.4)
    before = views(program)
    key(display, program, "plus", "N and Ctrl+L: the other one alone is enlarged",
        lambda: views(program)[second][4] < 0.9 * before[second][4])
    check(views(program)[first] == before[first], "and the first one stays")
    key(display, program, "ctrl+l", "linked again", equal)
    key(display, program, "ctrl+4", "four views", lambda: len(views(program)) >= 4)
    program.settle(0.4)
    display.picture("four-views")
    key(display, program, "ctrl+0", "all four upright", lambda: all(v[5:7] == [0, 0] for v in views(program).values()))
    display.do("key", "ctrl+1")
    program.settle(0.4)
    display.picture("one-view")


def palette(display, program):
    display.do("mousemove", 3, 300)
    before = program.view()
    display.do("key", "ctrl+k")
    time.sleep(0.7 * SLOW)
    display.do("type", "--delay", 25, "left 15")
    time.sleep(0.4 * SLOW)
    display.picture("palette")
    display.do("key", "Return")
    program.wait("the palette turns left by 15 degrees", lambda: program.view()[5] == (before[5] - 15) % 360)
    program.settle(0.4)
    key(display, program, "ctrl+0", "upright", lambda: program.view()[5] == 0)
    display.do("key", "ctrl+question")
    time.sleep(1.2 * SLOW)
    display.picture("shortcuts")
    size = re.search(r"(\d+)x(\d+)", display.size("Keyboard Shortcuts"))
    check(int(size[1]) <= 640 and int(size[2]) <= 720, f"the window of shortcuts has room on a small screen {size[0]}")
    check(program.labels("Open a slide") and program.place("Slides")[1] < program.place("Open a slide")[1], "and begins with its first keys")
    display.do("type", "zoom out")
    program.wait("its search leaves the keys that are looked for", lambda: program.labels("Zoom out") and not program.labels("Open a slide"))
    display.picture("shortcuts-found")
    display.do("key", "ctrl+a")
    display.do("type", "qqq")
    program.wait("and says when there are none", lambda: program.labels("No key does this."))
    display.do("key", "Escape")
    time.sleep(0.5 * SLOW)


def mean(picture):
    out = subprocess.run(["convert", str(picture), "-colorspace", "gray", "-format", "%[fx:mean]", "info:"],
                         capture_output=True, text=True, check=True)
    return float(out.stdout)


def colours(display, program):
    display.do("key", "1")
    program.settle(0.4)
    place = program.find("Slide")
    before = mean(middle(display.picture("colours-before"), place))
    display.do("key", "ctrl+b")
    time.sleep(0.6 * SLOW)
    display.do("key", "Right", "Right", "Right", "Right", "Right", "Right", "Right", "Right", "Right", "Right")
    program.wait("the arrow keys make it brighter", lambda: [e for e in program.events("colour") if e.split()[1] == "0.200"])
    display.picture("colours-panel")
    display.do("key", "Escape")
    program.settle(0.6)
    bright = mean(middle(display.picture("colours-bright"), place))
    check(bright > before + 0.1, f"the picture is brighter: {before:.3f}, then {bright:.3f}")
    display.do("key", "ctrl+b")
    time.sleep(0.6 * SLOW)
    display.do("key", "alt+a")
    time.sleep(0.6 * SLOW)
    display.do("key", "Escape")
    program.settle(0.6)
    after = mean(middle(display.picture("colours-reset"), place))
    check(abs(after - before) < 1e-6, f"and as scanned again: {after:.3f}")


def status_bar(display, program, slide):
    """Magnification, sharpness and the values under the pointer are those of the tab that is shown."""
    def bar(name):
        picture, path = display.picture(name), TMP / (name + "-bar.png")
        _, y, _, top, _, height = program.find("Magnification")
        subprocess.run(["convert", str(picture), "-crop", f"1320x{height - 4}+10+{top + 2}", "+repage", str(path)],
                       check=True)
        return path

    def texts():
        return [t for t in program.labels(" µm/px") if "objective" not in t]
    copy = TMP / "second.svs"
    shutil.copy(slide, copy)
    display.do("mousemove", 450, 450, "key", "alt+5")
    program.settle(0.4)
    display.do("mousemove", 3, 300)
    program.settle(0.4)
    first = bar("status-first")
    program.action("open-uri", copy.as_uri())
    program.wait("a second slide opens", lambda: "second.svs" in program.events("slide-open")[-1])
    key(display, program, "alt+4", "at another magnification", lambda: program.view()[4] == 2)
    second = bar("status-second")
    check(differing_pixels(first, second) > 20, "the bar of the second tab says so")
    check("10× · 1 µm/px" in texts(), f"each tab has its own magnification {texts()}")
    display.do("mousemove", 448, 448, "mousemove", 450, 450)
    time.sleep(0.5 * SLOW)
    places = program.labels(" px   (")
    check(len(places) == 1, f"one of them says where the pointer is {places}")
    check(differing_pixels(second, bar("status-pointer")) > 100, "that of the tab in sight")
    display.do("mousemove", 3, 300)
    time.sleep(0.5 * SLOW)
    check(not program.labels(" px   ("), "and none when it has left")
    display.do("key", "ctrl+Page_Up")
    program.settle(0.4)
    check(differing_pixels(first, bar("status-first-again")) == 0, "the first tab's bar is what it was")
    check("20× · 0.5 µm/px" in texts(), f"and says its own {texts()}")
    display.do("key", "ctrl+Page_Down", "key", "ctrl+w")
    program.wait("the second tab closes", lambda: program.events("tab-closed"))
    program.settle(0.4)


def tile_place(slide, column, row):
    """Where a stored tile of the finest level lies in a (classic, little-endian) TIFF file: offset, bytes."""
    data = slide.read_bytes()
    at, = struct.unpack_from("<I", data, 4)
    tags = {}
    for i in range(struct.unpack_from("<H", data, at)[0]):
        tag, kind, count, value = struct.unpack_from("<HHII", data, at + 2 + 12 * i)
        size = {3: "H", 4: "I"}.get(kind)
        if size:
            where = value if count * struct.calcsize(size) > 4 else at + 2 + 12 * i + 8
            tags[tag] = struct.unpack_from(f"<{count}{size}", data, where)
    number = row * -(-tags[256][0] // tags[322][0]) + column
    return tags[324][number], tags[325][number]


def reds(picture):
    """Pixels in the red of the hatching."""
    out = subprocess.run(["convert", str(picture), "-alpha", "off", "-fill", "black", "+opaque", "#bf1919", "-fill", "white",
                          "-opaque", "#bf1919", "-format", "%[fx:mean*w*h]", "info:"], capture_output=True, text=True, check=True)
    return float(out.stdout)


def unreadable(display, program, slide):
    """A tile that cannot be read is hatched, named and counted; when it can be, it is read again."""
    torn = TMP / "torn.svs"
    shutil.copy(slide, torn)
    offset, size = tile_place(torn, 8, 8)
    whole = torn.read_bytes()
    torn.write_bytes(whole[:offset] + bytes(size) + whole[offset + size:])
    errors = len(program.events("error"))
    program.action("open-uri", torn.as_uri())
    program.wait("a torn slide opens", lambda: "torn.svs" in program.events("slide-open")[-1])
    display.do("key", "1")
    sentence = program.wait_more("error", errors, "a tile that cannot be read is reported")
    check(sentence and "torn.svs: level 0, tile column 4, row 4 cannot be read" in sentence, f"by its name: {sentence}")
    program.settle(0.4)
    check(program.labels("unreadable") == ["1 unreadable tile"], "and counted in the status bar")
    hatched = reds(display.picture("hatched"))
    check(hatched > 1000, f"and hatched: {hatched:.0f} red pixels")
    torn.write_bytes(whole)
    program.click(display, "Retry")
    program.wait("when the file is whole it is read again", lambda: not program.labels("unreadable"))
    program.settle(0.4)
    left = reds(display.picture("hatched-no-more"))
    check(left < hatched / 100, f"and the tissue is there: {left:.0f} red pixels")
    display.do("key", "ctrl+w")
    program.wait("its tab closes", lambda: program.events("tab-closed"))
    program.settle(0.4)


def resident_mb(program):
    status = pathlib.Path(f"/proc/{program.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def tabs(display, program, slide):
    program.settle(0.4)
    before = resident_mb(program)
    for n in range(3):
        copy = TMP / f"tab-{n}.svs"
        shutil.copy(slide, copy)
        program.action("open-uri", copy.as_uri())
        program.wait(f"slide {n} opens in a tab", lambda: f"tab-{n}.svs" in program.events("slide-open")[-1])
        display.do("key", "1")
        program.settle(0.4)
        for direction in ("Right", "Down", "Right", "Down"):
            display.do("key", "shift+" + direction)
            program.settle(0.4)
    display.picture("tabs")
    full = resident_mb(program)
    for n in range(3):
        closed = len(program.events("tab-closed"))
        display.do("key", "ctrl+w")
        program.wait_more("tab-closed", closed, f"Ctrl+W closes a tab ({n})")
    time.sleep(2 * SLOW)
    after = resident_mb(program)
    check(after - before < 0.35 * (full - before),
          f"closed slides give their memory back: {before:.0f} MB, {full:.0f} with three more, {after:.0f} after")


def preferences(display, program):
    display.do("key", "ctrl+comma")
    time.sleep(1.2 * SLOW)
    display.picture("preferences")
    display.do("key", "Escape")
    time.sleep(0.5 * SLOW)


def main():
    need("Xvfb", "xdotool", "import", "convert", "compare", "dbus-run-session", "gdbus")
    slide, flat = TMP / "demo.svs", TMP / "flat.tif"
    subprocess.run([str(DEMO), str(slide), "--size", "4096"], check=True, stdout=subprocess.DEVNULL)
    display = Display("vitrail-looking", 1400, 900)
    program = Program(display, APP, slide)
    program.wait("the slide opens", lambda: program.events("slide-open"))
    program.wait("the view gets sharp", lambda: program.events("sharp"))
    program.settle(0.4)
    wide = program.find("Slide")[4]
    key(display, program, "F9", "the panel goes", lambda: program.place("Slide")[4] >= wide + 300)
    if PART == "turning":
        one_colour(flat)
        turning(display, program)
        steady(display, program)
        no_seams(display, program, flat)
    else:
        together(display, program)
        palette(display, program)
        colours(display, program)
        preferences(display, program)
        status_bar(display, program, slide)
        unreadable(display, program, slide)
        tabs(display, program, slide)
    program.end()
    finish()


main()
