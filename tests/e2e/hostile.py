# SPDX-License-Identifier: MIT
"""Slides that crash the library that reads them, readers that are killed, plugins that crash, preferences that make no sense: the window, its tabs and its regions stay.
usage: hostile.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR SLIDE-MUTATIONS [COUNT [FIRST]]   COUNT: damaged slides, from seed FIRST on"""
import os
import pathlib
import subprocess
import sys
import time

import batch
from desk import SLOW, TMP, Display, Program, check, demo_slide, finish, need

APP, BATCH, DEMO, MUTATIONS = (pathlib.Path(p).resolve() for p in sys.argv[1:5])
COUNT, FIRST = (int(sys.argv[at]) if len(sys.argv) > at else usual for at, usual in ((5, 15), (6, 0)))


def readers(program):
    """Process ids of the reader processes that the program has started."""
    done = subprocess.run(["pgrep", "-P", str(program.process.pid), "vitrail-reader"], capture_output=True, text=True)
    return done.stdout.split()


def draw_region(display, program):
    display.do("mousemove", 450, 450, "click", 1)
    program.settle(0.5)
    display.do("key", "r")
    display.do("mousemove", 300, 300, "mousedown", 1)
    for step in range(1, 9):
        display.do("mousemove", 300 + 20 * step, 300 + 12 * step)
        time.sleep(0.03)
    display.do("mouseup", 1)
    program.wait("a region is drawn", lambda: program.events("roi-added"))


def open_too(program, path):
    """As another start of the program does."""
    subprocess.run([str(APP), str(path)], env=program.env, check=True, timeout=30 * SLOW)


def hostile(display, program, shared):
    for name in ("tile-width-17.svs", "terabyte.svs"):
        opened = len(program.events("slide-open"))
        open_too(program, shared / "slides" / "hostile" / name)
        program.wait(f"{name} cannot be read, and that is said (or it opens: OpenSlide 4.0.1 reads terabyte.svs)",
                     lambda: any(f"{name} cannot be read" in e for e in program.events("error")) or len(program.events("slide-open")) > opened)
        if len(program.events("slide-open")) > opened:
            check(name == "terabyte.svs", f"{name} opens")
            program.action("close-tab")
        check(program.process.poll() is None, f"the window survives {name}")
    display.picture("refused")
    check(program.labels("demo.svs") and program.labels("ROI 1"), "the slide and its region are still there")


def among_others(slide):
    """Of several slides that are asked for together those that cannot be opened are told, though another one comes to the front after that."""
    broken = [TMP / "first.svs", TMP / "second.svs"]
    for path in broken:
        path.write_text("no slide")
    display = Display("vitrail-among-others")
    for slides in ([slide, *broken], [broken[0], slide, broken[1]]):
        program = Program(display, APP, *slides)
        program.wait("one of three slides opens", lambda: program.events("slide-open") and program.events("sharp"))
        program.wait("both others are named above it", lambda: program.labels("first.svs") and program.labels("second.svs"))
        program.settle(0.5)
        check(program.labels("first.svs") and program.labels("second.svs"), "and stay so")
        display.picture("among-others")
        program.end()


def answer(program, path):
    """What the window says to a slide that it is asked to open: the line of its log; None where nothing comes. The log may be long."""
    begin = program.log.stat().st_size
    program.action("open-uri", path.as_uri())
    end = time.time() + 40 * SLOW
    while time.time() < end and program.process.poll() is None:
        time.sleep(0.03)
        with open(program.log, errors="replace") as log:
            log.seek(begin)
            for line in log.read().split("\n")[:-1]:
                if line.startswith("slide-open ") or (line.startswith("error ") and path.name in line and line.endswith(".")):
                    return line
    return None


def damaged(program, shared):
    """Slides whose directories, bytes or ends are damaged, one after the other: a picture or a sentence that names the file."""
    folder, sound = TMP / "damaged", TMP / "sound"
    folder.mkdir()
    sound.mkdir()
    more = [shared / "slides" / "generic-tiff" / "boxes.tiff", shared / "slides" / "hamamatsu" / "test3-DAPI-2-387.ndpi"] if shared else []
    slides = [demo_slide(DEMO, 1024, sound), *(path for path in more if path.exists())]
    n_opened, n_refused, silent = 0, 0, []
    for seed in range(FIRST, FIRST + COUNT):
        subprocess.run([MUTATIONS, "--write", folder, "1", str(seed), *slides], check=True)
        for path in folder.iterdir():
            said = answer(program, path)
            if not said:
                silent.append(path.name)
            elif said.startswith("slide-open"):
                n_opened += 1
                time.sleep(0.2)  # tiles are read
                program.action("close-tab")
            else:
                n_refused += 1
            path.unlink()
        if program.process.poll() is not None:
            break
    check(program.process.poll() is None and not silent and n_opened + n_refused == COUNT,
          f"damaged slides from seed {FIRST}: {n_opened} opened, {n_refused} refused, without a word: {silent}")


def drag(display):
    display.do("mousemove", 800, 700, "mousedown", 1)
    for step in range(1, 9):
        display.do("mousemove", 800 - 80 * step, 700 - 60 * step)
        time.sleep(0.03)
    display.do("mouseup", 1)


def killed(display, program):
    for turn in range(2):
        before = readers(program)
        check(before, f"a process reads the slide {before}")
        subprocess.run(["kill", "-KILL", *before], check=True)
        count = len(program.events("sharp"))
        if turn == 0:
            display.do("mousemove", 500, 500, "key", "1")
        else:
            drag(display)
        program.wait_more("sharp", count, "after its reader's death the slide is read by another")
        program.settle(0.5)
    check(not program.labels("unreadable") and not program.events("error"), "and no tile is missing")


def large_image(display, program):
    """An image of 200 KB that takes long to decode: how far it is, a button that ends it, and its reader's end."""
    path, before = TMP / "large.png", set(readers(program))
    batch.write_png(path, 40000, 40000, [bytes(5000)] * 40000, depth=1)
    program.action("open-uri", path.as_uri())
    program.wait("how far it is", lambda: program.labels("Reading large.png"))
    time.sleep(0.4)  # the toast comes
    display.picture("large-image")
    decoding = set(readers(program)) - before
    program.action("cancel-reading")
    program.wait("it can be ended", lambda: any("large.png" in e for e in program.events("slide-cancelled")))
    program.wait("and so does what decodes it", lambda: decoding and not decoding & set(readers(program)))
    program.wait("nothing is on its way any more", lambda: not program.labels("Opening") and not program.labels("Reading"))
    check(not any("large.png" in e for e in program.events("error")), "which is no error")
    path.unlink()


def dead_drive(display, sound):
    """A slide on a drive that gives no answer: the window waits for it alone, and says so. `sound` lies elsewhere."""
    drive, flag, fault = TMP / "drive", TMP / "gone", BATCH.parents[1] / "tests" / "e2e" / "fault.so"
    if not fault.exists() or os.environ.get("VITRAIL_SANITIZED"):
        print("nothing that can be preloaded: a drive that is gone is skipped")
        return
    drive.mkdir()
    far, third = (demo_slide(DEMO, size, drive).rename(folder / name) for size, folder, name in ((8192, drive, "far.svs"), (1024, TMP, "third.svs")))
    program = Program(display, APP, sound, LD_PRELOAD=str(fault), FAULT_DIR=str(drive), FAULT_GONE=str(flag))
    program.wait("a slide opens", lambda: program.events("slide-open"))
    subprocess.run([str(APP), str(far)], env={**program.env, "LD_PRELOAD": ""}, check=True, timeout=30 * SLOW)  # not with the first one: it is to be in front
    program.wait("a slide of another drive opens", lambda: program.labels("far.svs"))
    program.settle()
    flag.touch()
    display.do("mousemove", 450, 450, "key", "1")
    program.wait("where the drive gives no answer, that is said", lambda: program.labels("Waiting"))
    display.picture("waiting")
    for path in (far, third):
        subprocess.run([str(APP), str(path)], env={**program.env, "LD_PRELOAD": ""}, check=True, timeout=30 * SLOW)
    program.wait("meanwhile another opens", lambda: any("third.svs" in e for e in program.events("slide-open")))
    check(program.labels("Opening"), "the one that does not is said to be on its way")
    display.do("key", "ctrl+Page_Up", "key", "ctrl+Page_Up")
    count = len(program.events("sharp"))
    display.do("mousemove", 450, 450, "key", "1")
    program.wait_more("sharp", count, "another tab goes on")
    display.do("key", "ctrl+Page_Down")
    count = len(program.events("tab-closed"))
    program.action("close-tab")
    program.wait_more("tab-closed", count, "the tab closes")
    program.wait("in the end it is said how long is waited", lambda: program.labels("up to ten minutes"))
    count = len(program.events("slide-open"))
    flag.unlink()
    program.wait_more("slide-open", count, "once the drive answers, the slide opens")
    program.wait("and is sharp", lambda: program.labels("Sharp"))
    check(not program.events("error"), "without a word of trouble")
    program.end()
    program = Program(display, APP, far, LD_PRELOAD=str(fault), FAULT_DIR=str(drive), FAULT_GONE=str(flag), FAULT="lost")
    program.wait("a slide of that drive opens", lambda: program.labels("far.svs"))
    program.settle()
    flag.touch()
    display.do("mousemove", 450, 450, "key", "1")
    program.wait("its drive is gone", lambda: program.labels("Waiting"))
    count = len(program.events("sharp"))
    flag.unlink()
    program.wait_more("sharp", count, "what was asked of it is lost, and asked again")
    check(not program.labels("unreadable") and not program.events("error"), "without a word of trouble, too")
    program.end()


def ends_while_saving(display, slide):
    """What is open is on its way to the disk when the program is closed."""
    state, fault = TMP / "late", BATCH.parents[1] / "tests" / "e2e" / "fault.so"
    if not fault.exists() or os.environ.get("VITRAIL_SANITIZED"):
        print("nothing that can be preloaded: a session that is slowly written is skipped")
        return
    program = Program(display, APP, slide, LD_PRELOAD=str(fault), FAULT_DIR=str(state), FAULT="late", XDG_STATE_HOME=str(state))
    program.wait("what is open is being written", lambda: any(path.suffix not in (".lock", ".vitrail") for path in state.glob("vitrail/open-*")))
    display.do("key", "ctrl+q")
    program.process.wait(20 * SLOW)
    left = [path.name for path in state.glob("vitrail/open-*")]
    check(not left, f"nothing of it is left by a program that was closed meanwhile: {left}")


def nonsense_preferences():
    """A folder of settings that nobody's hand has made: too large, negative, of another type, unknown."""
    folder = TMP / "nonsense" / "glib-2.0" / "settings"
    folder.mkdir(parents=True)
    (folder / "keyfile").write_text("""[io/github/vitrail/Vitrail]
window-width=65536\nwindow-height=-5\nlayers-height='high'\ntile-budget=uint32 0\npicture-budget=uint32 65536\nrun-on='moon'
colour-scheme=7\nwheel-pans=maybe\npicture-factor=uint32 9\npicture-parts=uint32 4294967295\nunknown=[(1, {2})\n""")
    return folder.parents[1]


def unprotected(display, slide):
    program = Program(display, APP, slide, VITRAIL_READER="no", GSETTINGS_BACKEND="keyfile", XDG_CONFIG_HOME=str(nonsense_preferences()))
    program.wait("without readers a slide opens, too", lambda: program.events("sharp"))
    check(program.labels("Unprotected"), "and the status bar says that it is not protected")
    check(not readers(program), "no reader runs")
    display.do("key", "ctrl+p")
    program.wait("preferences that make no sense are those of a first start", lambda: any(" of 512 MiB in use" in text for text in program.labels("512 MiB")))
    display.picture("unprotected")
    program.end()


def ending_plugin(display, slide):
    """A plugin that crashes during a run, and is heard again in the next. Five that never answer hold up neither it nor the window."""
    modules = BATCH.parents[1] / "tests" / "unit"
    hanging = [modules / f"trouble-{name}.so" for name in ("hang-1", "hang-2", "hang-3", "child-1", "child-2")]
    begin = time.time()
    program = Program(display, APP, "--op", "fake", "--set", "mode=crash", "--live", slide, XDG_CACHE_HOME=str(TMP / "untried"),
                      VITRAIL_PLUGIN_PATH=":".join(str(path) for path in [*hanging, modules / "fake-plugin.so"]))
    program.wait("the window opens, and says which plugins are tried",
                 lambda: any("Being tried" in text and "trouble-child-2.so" in text for text in program.labels("trouble-hang-1.so")))
    check(time.time() - begin < 25 * SLOW, f"before they have had their 30 s: {time.time() - begin:.1f} s")
    program.wait("a plugin that crashes is a sentence", lambda: any("fake-plugin.so ended during the run" in e for e in program.events("error")))
    display.picture("ended-plugin")
    program.action("set-parameter", "mode=fail")
    program.wait("the next run starts it again", lambda: any("because it was told to" in e for e in program.events("error")))
    check(program.labels("demo.svs"), "and the slide is still there")
    program.end()


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus", "pgrep")
    slide = demo_slide(DEMO, 4096)
    among_others(slide)
    display = Display("vitrail-hostile")
    program = Program(display, APP, slide)
    program.wait("a slide opens", lambda: program.events("sharp"))
    program.settle()
    check(not program.labels("Unprotected"), "it is read by a process of its own")
    killed(display, program)
    draw_region(display, program)
    large_image(display, program)
    shared = batch.shared()
    if shared:
        hostile(display, program, shared)
    else:
        print("no shared test data (VITRAIL_SHARED): slides that crash the library are skipped")
    damaged(program, shared)
    check(program.labels("demo.svs") and program.labels("ROI 1"), "the slide and its region are still there")
    pids = readers(program)
    program.end()
    end = time.time() + 5 * SLOW
    while any(os.path.exists("/proc/" + pid) for pid in pids) and time.time() < end:
        time.sleep(0.05)
    check(not any(os.path.exists("/proc/" + pid) for pid in pids), "with the window its readers end")
    dead_drive(display, slide)
    ends_while_saving(display, slide)
    unprotected(display, slide)
    ending_plugin(display, slide)
    finish()


if __name__ == "__main__":
    main()
