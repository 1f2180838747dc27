# SPDX-License-Identifier: MIT
"""What leaves the program as a document, by real keys and clicks: the picture of the view has the pixels of the screen, and sharper ones when asked; a
figure has all views at one scale; a report is one page with text that can be selected; refusals are sentences.
usage: documents.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import pathlib
import re
import struct
import subprocess
import sys

from desk import TMP, analysed, check, differing_pixels, draw_rectangle, finish, need
from pdf import Pdf

SWITCHES = ["Scale bar", "Legend", "Slide and place", "Parameters of the analysis"]
APP, _, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])


def png_size(path):
    return struct.unpack(">II", path.read_bytes()[16:24])


def saved(program, action, name, what):
    path = TMP / name
    count = len(program.events("document-saved"))
    program.action(action, path)
    program.wait_more("document-saved", count, what)
    check(path.exists() and not list(TMP.glob(name + ".*tmp")), f"{name} is there, and nothing beside it")
    return path


def choose(display, program, canvas, switches, size):
    """Ctrl+J, the switches of these names turned over, the resolution of that row; without a file."""
    count, chosen = len(program.events("picture-dialog")), len(program.events("picture-chosen"))
    display.do("mousemove", canvas[0], canvas[1], "key", "ctrl+j")
    program.wait_more("picture-dialog", count, "Ctrl+J asks what goes with the picture")
    program.settle(0.3)
    for name in switches:
        program.click(display, name)
    if size is not None:
        program.click(display, "Resolution of the picture")
        program.settle(0.3)
        display.do("key", "Home", *(["key", "Down"] * size), "key", "Return")
    display.picture("dialog")
    display.do("key", "alt+s")
    line = program.wait_more("picture-chosen", chosen, "and keeps it")
    program.settle(0.3)
    display.do("key", "Escape")  # the dialog of files
    program.settle(0.3)
    return line.split()[1:] if line else None


def main():
    need("Xvfb", "xdotool", "import", "convert", "compare", "dbus-run-session", "gdbus")
    display, program, slide = analysed("vitrail-documents", APP, DEMO)
    canvas = program.find("Slide")
    chosen = choose(display, program, canvas, SWITCHES, 0)
    check(chosen == ["0", "1"], f"nothing but the view, as on the screen {chosen}")
    plain(display, program, canvas)
    words(display, program, canvas)
    report(display, program, canvas)
    figure(display, program, canvas)
    cancelled(display, program, canvas)
    refusals(program)
    program.end()
    finish()


def crop(picture, box, name):
    path = TMP / name
    subprocess.run(["convert", str(picture), "-crop", box, "+repage", str(path)], check=True)
    return path


def plain(display, program, canvas):
    """The middle of the screen, where no card lies, and the same part of the file."""
    path = saved(program, "save-picture-to", "plain.png", "the view is saved")
    left, top, width, height = canvas[2:6]
    check(png_size(path) == (width, height), f"as large as on the screen {png_size(path)} {(width, height)}")
    program.settle(0.5)
    screen = display.picture("screen")
    box = (width // 2 - 150, height // 2 - 100)
    seen = crop(screen, f"300x200+{left + box[0]}+{top + box[1]}", "seen.png")
    kept = crop(path, f"300x200+{box[0]}+{box[1]}", "kept.png")
    n = differing_pixels(seen, kept)
    check(n == 0, f"pixel by pixel what is seen: {n} differ")
    display.do("mousemove", canvas[0], canvas[1], "key", "ctrl+r", "key", "shift+f")
    program.settle(0.7)
    turned = saved(program, "save-picture-to", "turned.png", "turned and mirrored")
    program.settle(0.5)
    seen = crop(display.picture("turned"), f"300x200+{left + box[0]}+{top + box[1]}", "seen-turned.png")
    n = differing_pixels(seen, crop(turned, f"300x200+{box[0]}+{box[1]}", "kept-turned.png"))
    check(n == 0, f"as it is seen, too: {n} differ")
    display.do("key", "ctrl+0")
    program.settle(0.7)


def words(display, program, canvas):
    chosen = choose(display, program, canvas, SWITCHES, 1)
    check(chosen == ["15", "2"], f"all of it, twice as fine {chosen}")
    path = saved(program, "save-picture-to", "all.pdf", "a PDF of the view")
    pdf = Pdf(path)
    text = pdf.text()
    check("demo.svs" in text and "20×" in text and "Threshold" in text, f"names slide, magnification and parameters: {text[:200]}")
    check(re.search(r"\d+ µm", text) is not None, "and a length")
    check(pdf.fonts() and all(pdf.fonts().values()), f"its fonts are in it {pdf.fonts()}")
    width, height = canvas[4:6]
    check(pdf.images() and pdf.images()[0] == (2 * width, 2 * height), f"the slide in twice the pixels {pdf.images()[:2]}")
    png = saved(program, "save-picture-to", "all.png", "a PNG of it")
    check(png_size(png)[0] == 2 * width and png_size(png)[1] > 2 * height + 40, f"with words below it {png_size(png)}")
    enlarged = TMP / "enlarged.png"
    subprocess.run(["convert", str(TMP / "plain.png"), "-scale", "200%", str(enlarged)], check=True)
    n = differing_pixels(crop(enlarged, "600x400+400+300", "a.png"), crop(png, "600x400+400+300", "b.png"))
    check(n > 10000, f"drawn again, not enlarged: {n} of 240000 pixels differ")
    svg = saved(program, "save-picture-to", "all.svg", "an SVG of it").read_text()
    check(svg.count("<image") == 1, f"one picture in it {svg.count('<image')}")


def report(display, program, canvas):
    x, y = canvas[0], canvas[1]
    draw_rectangle(display, program, x - 150, y - 100, 300, 200)
    program.settle(0.7)
    pdf = Pdf(saved(program, "save-report-to", "view.pdf", "a report of the view"))
    text = pdf.text()
    check(len(pdf.page_size()) == 1 and abs(pdf.page_size()[0][0] - 595) < 1, f"one page of A4 {pdf.page_size()}")
    check("What is seen" in text and "ROI 1" in text, f"with what is seen and the region in it: {text[:300]}")
    for word in ("Area", "Objects", "Threshold", "quickhash-1", "backend", "plugin"):
        check(word in text, f"the text has “{word}”")
    check(all(pdf.fonts().values()), "fonts are embedded")
    check(pdf.images()[0][0] > 1500, f"its picture is fine enough for print {pdf.images()[:1]}")
    objects = re.search(r"ROI 1\s+[\d.,]+\s+[\d.,]+\s+(\d+)", text)
    check(objects is not None and int(objects.group(1)) > 0, f"objects are counted in the region: {objects and objects.group(0)}")
    check("Not all of this picture" not in text, "all of it was analysed")
    partly(display, program, canvas)


def partly(display, program, canvas):
    """What was analysed is larger than the picture, or smaller: the page says so."""
    display.do("mousemove", canvas[0], canvas[1], "key", "shift+t")
    program.click(display, "Plot")
    program.wait("the plot is there", lambda: program.events("plot"))
    program.settle(0.5)
    display.do("mousemove", canvas[0], canvas[1] - 150, "key", "alt+v")
    for name, key, words in (("larger.pdf", "plus", "also of what lies beside the picture"), ("smaller.pdf", "minus", "Not all of this picture was analysed")):
        display.do("key", key, "key", key)
        program.settle(0.5)
        text = " ".join(Pdf(saved(program, "save-report-to", name, f"a report after {key}")).text().split())
        check(words in text, f"says: {words}")
        display.do("key", "minus" if key == "plus" else "plus", "key", "minus" if key == "plus" else "plus")
    program.click(display, "Plot")
    display.do("mousemove", canvas[0], canvas[1] - 150, "key", "shift+t", "key", "alt+v")
    program.settle(0.7)


def figure(display, program, canvas):
    display.do("mousemove", canvas[0], canvas[1], "key", "ctrl+2")
    program.settle(1)
    place = program.find("Slide")
    pdf = Pdf(saved(program, "save-figure-to", "figure.pdf", "a figure of two views"))
    text = pdf.text()
    check(" A " in f" {text} " and " B " in f" {text} ", f"panels are named: {text[:160]}")
    bars = re.findall(r"\b\d+ µm", text)
    check(len(bars) >= 2 and bars[0] == bars[1], f"with bars of one length {bars}")
    check(len(pdf.images()) >= 2 and place is not None, f"two pictures {pdf.images()}")
    display.do("mousemove", canvas[0], canvas[1], "key", "ctrl+1")
    program.settle(0.5)


def cancelled(display, program, canvas):
    """Of four times the pixels, which takes a while."""
    chosen = choose(display, program, canvas, [], 2)
    check(chosen == ["15", "4"], f"four times as fine {chosen}")
    program.action("save-picture-to", TMP / "large.png")
    display.do("sleep", 0.2, "key", "Escape")
    program.wait("Escape cancels it", lambda: program.events("document-cancelled"))
    check(not list(TMP.glob("large.png*")), "and nothing is there")


def refusals(program):
    count = len(program.events("error"))
    program.action("save-picture-to", TMP / "view.jpg")
    line = program.wait_more("error", count, "a name that says nothing is refused")
    check(line and "must end in" in line, f"in a sentence: {line}")
    program.action("save-picture-to", TMP / "no" / "such" / "view.png")
    line = program.wait_more("error", count + 1, "so is a folder that is not there")
    check(line and "cannot be written" in line, f"in a sentence: {line}")


if __name__ == "__main__":
    main()
