#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What vitrail-batch refuses, what it leaves alone, and what it says about a run that is not quite what was asked for."""
import base64
import json
import os
import pathlib
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import batch

# Grey, 8 x 8.
JPEG = (
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2"
    "P/wAALCAAIAAgBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKB"
    "kaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpK"
    "Wmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/AMyv/9k="
)
POINT = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [5, 5]}}


def square(x, y, size=40, name="a"):
    ring = [[x, y], [x + size, y], [x + size, y + size], [x, y + size], [x, y]]
    return {"type": "Feature", "properties": {"name": name}, "geometry": {"type": "Polygon", "coordinates": [ring]}}


def expect(what, condition, detail=""):
    if not condition:
        sys.exit(f"{what}: {detail}")
    print("ok:", what)


def refused(what, word, *args, status=1):
    """Ends with a status and a sentence on stderr that holds a word."""
    result = batch.batch("run", *args)
    expect(what, result.problem((status,)) is None and word in result.err, f"{result.problem((status,))}; {result.err}")


def said(what, word, out, *args):
    """Succeeds; a warning that holds a word is on stderr and in the record."""
    result = batch.batch("run", *args, "--out", out)
    expect(what, result.problem((0,)) is None and word in result.err, f"{result.problem((0,))}; {result.err}")
    record = json.loads((out / "record.json").read_text())
    expect(what + ", in the record", any(word in text for text in record["warnings"]), record["warnings"])
    return record


def write_interlaced(path, width, height):
    """A black PNG of seven passes."""
    passes = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
    n = sum((1 + -(-(width - x) // dx)) * -(-(height - y) // dy) for x, y, dx, dy in passes)
    write_chunks(path, width, height, zlib.compress(bytes(n)), interlace=1)


def write_chunks(path, width, height, data, interlace=0, color=0, more=b"", bits=8):
    def chunk(kind, text):
        return struct.pack(">I", len(text)) + kind + text + struct.pack(">I", zlib.crc32(kind + text))
    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, interlace)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + (chunk(b"eXIf", more) if more else b"") + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def peak():
    """Bytes of the largest process so far."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def check_images(folder):
    """A header alone takes no memory, and --memory binds images that are no slides."""
    path, before = folder / "large.png", peak()
    write_chunks(path, 2**31 - 1, 2**31 - 1, zlib.compress(bytes(100)))
    refused("a header of 2^31 - 1 squared", "more than the memory", "distance", f"image={path}", "--out", folder / "large")
    refused("the same with a budget", "more than is allowed", "distance", f"image={path}", "--memory", "200M", "--out",
            folder / "large")
    packer = zlib.compressobj(1)
    rows = [packer.compress(b"\0" + bytes([y % 256, 7, 99]) * 5000) for y in range(5000)]
    write_chunks(path, 5000, 5000, b"".join(rows) + packer.flush(), color=2)
    batch.run_op(folder / "part", "distance", f"image={path}", "--region=0,0,64,64", "--memory", "40M")
    expect("no more memory for colours than was allowed", batch.SLOW > 1 or max(before, peak()) < 80e6, peak())
    args = ("distance", f"image={path}", "--region=0,0,64,64")
    packer = zlib.compressobj(9)
    write_chunks(path, 12000, 12000, b"".join([packer.compress(bytes(1501)) for _ in range(12000)]) + packer.flush(), bits=1)
    expect("a file of a few KB", path.stat().st_size < 25000, path.stat().st_size)
    batch.run_op(folder / "part", *args, "--memory", "40M")
    expect("whose 144 MB take no more than was allowed either", batch.SLOW > 1 or max(before, peak()) < 80e6, peak())
    write_chunks(path, 2**31 - 1, 2**31 - 1, zlib.compress(bytes(100)), bits=1)
    begin = time.monotonic()
    for more in ((), ("--memory", "200M")):
        refused("a header of 2^31 - 1 squared of one bit", "more than", *args, *more, "--out", folder / "large")
    expect("at once", time.monotonic() - begin < 20 * batch.SLOW, time.monotonic() - begin)
    packer = zlib.compressobj(1)  # row by row: this process's memory would count as its children's
    rows = [packer.compress(b"\0" + bytes([y % 256]) * 9000) for y in range(9000)]
    write_chunks(path, 9000, 9000, b"".join(rows) + packer.flush())
    record = batch.run_op(folder / "part", *args, "--memory", "40M")
    expect("no more memory than was allowed", batch.SLOW > 1 or max(before, peak()) < 80e6, peak())
    whole = batch.run_op(folder / "whole", *args)
    expect("the same image", record["source"] == whole["source"], record["source"])
    expect("the same result", (folder / "part" / "result.tif").read_bytes() == (folder / "whole" / "result.tif").read_bytes())
    if batch.SLOW == 1:
        packer = zlib.compressobj(1)
        write_chunks(path, 30000, 30000, b"".join([packer.compress(bytes(30001)) for _ in range(30000)]) + packer.flush())
        before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        batch.run_op(folder / "part", *args, "--memory", "200M")
        seconds = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before
        # Two processes, the reader and the batch, neither larger than the largest one so far.
        expect("an image of 900 MB in 400 MB and less than a minute", 2 * peak() < 400e6 and seconds < 60, f"2 x {peak()} bytes, {seconds} s")
    write_interlaced(path, 3000, 3000)
    refused("an interlaced image that does not fit", "takes 8 MiB of memory to read", *args, "--memory", "20M", "--out",
            folder / "part")
    batch.run_op(folder / "part", *args, "--memory", "40M")


def exif(orientation):
    return struct.pack("<2sHIHHHIHHI", b"II", 42, 8, 1, 0x0112, 3, 1, orientation, 0, 0)


def write_pages(path, n, orientation):
    """A TIFF of n grey pages of 4 x 3 pixels."""
    pixels, data = bytes(range(12)), b""
    for page in range(n):
        tags = [(256, 4), (257, 3), (258, 8), (259, 1), (262, 1), (273, 8), (274, orientation), (277, 1), (278, 3), (279, 12)]
        data += struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHIHH", tag, 3, 1, value, 0) for tag, value in tags)
        data += struct.pack("<I", 20 + len(data) + 4 if page + 1 < n else 0)
    path.write_bytes(b"II*\0" + struct.pack("<I", 20) + pixels + data)


def write_channels(path, n):
    """A TIFF of 4 x 3 pixels of n channels that are no colours."""
    tags = [(256, 4), (257, 3), (258, 8), (259, 1), (262, 1), (273, 8), (277, n), (278, 3), (279, 12 * n), (338, 0)]
    data = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHIHH", tag, 3, n - 1 if tag == 338 else 1, value, 0) for tag, value in tags)
    path.write_bytes(b"II*\0" + struct.pack("<I", 8 + 12 * n) + bytes(range(12 * n)) + data + bytes(4))


def check_rest(folder, slide):
    """What of a file is not in the image that is analysed is said."""
    out, tiff, png, jpeg = folder / "rest", folder / "pages.tif", folder / "turned.png", folder / "turned.jpg"
    write_pages(tiff, 3, 1)
    said("pages beyond the first", "has 3 pages", out, "distance", f"image={tiff}")
    write_channels(tiff, 3)
    said("channels beyond the first", "has 2 more channels", out, "distance", f"image={tiff}")
    write_chunks(png, 4, 3, zlib.compress(bytes(3 * (1 + 4 * 6))), color=2, bits=16)
    said("colours of 16 bits", "has colours of 16 bits, which were read as 8", out, "distance", f"image={png}")
    write_pages(tiff, 1, 6)
    record = said("a TIFF that is to be turned", "(orientation 6)", out, "distance", f"image={tiff}")
    expect("it is as it is stored", [record["source"]["width"], record["source"]["height"]] == [4, 3], record["source"])
    write_chunks(png, 2, 1, zlib.compress(bytes(3)), more=exif(3))
    said("a PNG that is to be turned", "(orientation 3)", out, "distance", f"image={png}")
    segment = b"Exif\0\0" + exif(8)
    plain = base64.b64decode(JPEG)
    jpeg.write_bytes(plain)
    expect("a JPEG that is not", batch.run_op(out, "distance", f"image={jpeg}")["warnings"] == [])
    jpeg.write_bytes(plain[:2] + b"\xff\xe1" + struct.pack(">H", 2 + len(segment)) + segment + plain[2:])
    said("a JPEG that is to be turned", "(orientation 8)", out, "distance", f"image={jpeg}")
    said("a slide as a plain image", "without its pixel size of 0.5 µm", out, "distance", f"image={slide}", "--set",
         "threshold=3")
    batch.run_op(out, "distance", slide, "--set", "threshold=3")
    again = batch.run_op(folder / "again", "distance", f"image={out / 'result.tif'}")
    expect("reduced levels are no pages", not any("pages" in text for text in again["warnings"]), again["warnings"])


def check_regions(folder, image):
    out = folder / "regions"
    args = ("distance", f"image={image}")
    record = said("a region that begins outside is cut there", "reaches beyond", out, *args, "--region=-50,0,60,64")
    expect("the region as run", record["region"] == [0, 0, 10, 64], record["region"])
    refused("a region outside", "has nothing of the image", *args, "--region=-50,0,50,64", "--out", out)
    refused("a region outside", "has nothing of the image", *args, "--region=200,0,50,64", "--out", out)


def check_rois(folder, image):
    out, path = folder / "rois", folder / "rois.geojson"

    def write(*features):
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))

    args = ("glrlm-rois", f"image={image}", f"--rois={path}")
    write()
    refused("an empty collection", "holds no regions", *args, "--out", out)
    write(POINT)
    refused("nothing but a point", "no areas", *args, "--out", out)
    write(square(0, 0), POINT)
    said("a point beside a polygon", "1 point is not a region", out, *args)
    write(square(0, 0), square(5000, 0, name="far away"))
    refused("a region of interest outside", "“far away”", *args, "--out", out)
    write(square(-20, 0, name="half"))
    said("a region of interest that is partly outside", "“half”", out, *args)
    refused("regions of interest and a region", "leave one of them out", *args, "--region", "0,0,50,50", "--out", out, status=2)


def check_coarse(folder):
    slide, _ = batch.demo_slide(folder, 1024)
    record = said("a coarse grid", "Analysed at 11 µm per pixel, asked for 0.5", folder / "coarse", "nuclei-threshold", slide,
                  "--min-downsample", "22")
    expect("what was asked for is in the record", batch.fact(record, "asked-um-per-px") == 0.5, record)
    expect("sigma below a pixel is told", any("Sigma" in text for text in record["warnings"]), record["warnings"])
    record = batch.run_op(folder / "fine", "nuclei-threshold", slide)
    expect("no warning at the resolution asked for", record["warnings"] == [], record["warnings"])
    for op in ("nuclei-threshold", "nuclei"):
        record = batch.run_op(folder / "fine", op, slide, "--set", "min-area=500", "--region", "0,0,100,100")
        expect(f"{op}: areas that no object has are told", any("above the maximum" in text for text in record["warnings"]), record["warnings"])


def check_links(folder, image):
    """Scratch files are removed, what a link leads to never is."""
    out, other = folder / "links", folder / "other"
    scratch = out / ".vitrail-scratch"
    args = ("distance", f"image={image}", "--out", out)
    out.mkdir()
    other.mkdir()
    (other / "thesis.txt").write_text("years of work")
    scratch.symlink_to(other)
    for more in ((), ("--resume",)):
        refused("a scratch folder that is a link", "no folder of scratch files", *args, *more)
        expect("what is behind the link stays", os.listdir(other) == ["thesis.txt"], os.listdir(other))
    scratch.unlink()
    for more in ((), ("--resume",)):
        scratch.mkdir()
        (scratch / "inner").symlink_to(other)
        (scratch / "rows").symlink_to(other / "thesis.txt")
        result = batch.batch("run", *args, *more)
        expect("links in the scratch folder go", result.problem((0,)) is None and not scratch.exists(), result.err)
        expect("what they lead to stays", (other / "thesis.txt").read_text() == "years of work")
        for path in out.iterdir():
            path.unlink()


def check_launched(folder, image):
    """A program without MPI that is started several times together would write one folder as many times."""
    words = [sys.argv[3], "run", "distance", f"image={image}", "--out", folder / "launched"]
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("OMPI_", "PMI", "SLURM_"))}
    step = {"SLURM_PROCID": "0", "SLURM_STEP_ID": "0"}
    for more, status in (({}, 0), ({"OMPI_COMM_WORLD_SIZE": "2"}, 1), ({"PMI_SIZE": "3"}, 1), ({"PMIX_RANK": "1"}, 1),
                         ({**step, "SLURM_NTASKS": "4"}, 1), ({**step, "SLURM_STEP_NUM_TASKS": "4"}, 1),
                         ({"SLURM_PROCID": "2"}, 1), ({"OMPI_COMM_WORLD_SIZE": "1"}, 0), ({"PMIX_RANK": "0"}, 0),
                         ({"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}, 0)):
        done = subprocess.run(words, env={**plain, **more}, capture_output=True, text=True, timeout=60 * batch.SLOW)
        expect(f"without MPI, {more}", done.returncode == status and ("were started together" in done.stderr) == bool(status),
               done.stderr)


def check_reader(folder, slide):
    """A reader process that does not start is a warning: a damaged slide would end the program."""
    broken = folder / "broken"
    broken.mkdir()
    for name in ("vitrail-batch", "vitrail-plugin-probe", "vitrail-plugin-worker"):
        shutil.copy(batch.BATCH.parent / name, broken)
    (broken / "vitrail-reader").symlink_to(shutil.which("false"))
    done = subprocess.run([broken / "vitrail-batch", "run", "distance", slide, "--region=0,0,64,64", "--out", folder / "read-here"],
                          capture_output=True, text=True, timeout=60 * batch.SLOW)
    said_so = f"{slide.name} is read in the program itself: no process that reads it could be started"
    expect("a reader that does not start", done.returncode == 0 and said_so in done.stderr, done.stderr)
    record = json.loads((folder / "read-here" / "record.json").read_text())
    expect("in the record, too", any(said_so in text for text in record["warnings"]), record["warnings"])


def heard():
    """Where the tests themselves run under nohup, the program hears SIGHUP all the same."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def check_signals(folder, image):
    """The first signal asks, the second one ends a run that does not listen."""
    for signal_ in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        out = folder / f"hang-{signal_.name}"
        words = [batch.BATCH, "run", "fake", f"image={image}", "--set", "mode=hang", "--out", out]
        process = subprocess.Popen(words, env={**os.environ, "VITRAIL_PLUGIN_PATH": sys.argv[4]}, stderr=subprocess.PIPE,
                                   text=True, preexec_fn=heard)
        while not (out / ".vitrail-scratch" / "request").exists():
            expect("the run begins", process.poll() is None) if process.poll() is not None else time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal_)
        time.sleep(0.5)
        expect(f"{signal_.name} asks", process.poll() is None, process.returncode)
        process.send_signal(signal_)
        try:
            _, complaint = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            sys.exit(f"a second {signal_.name} is not heard")
        expect(f"{signal_.name} twice ends it", process.returncode == 128 + signal_ and "twice" in complaint, process.returncode)


def check_reading(folder):
    """A large image says how far it is, and a signal ends it while it is decoded."""
    path, out = folder / "slow.png", folder / "slow"
    batch.write_png(path, 30000, 30000, [bytes(3750)] * 30000, depth=1)
    process = subprocess.Popen([batch.BATCH, "run", "distance", f"image={path}", "--memory", "40M", "--progress", "--out", out], stderr=subprocess.PIPE, text=True,
                               preexec_fn=heard)
    first = process.stderr.readline()
    expect("how far it is", first.startswith("Reading slow.png: ") and first.endswith(" %\n"), first)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    complaint = process.communicate(timeout=60 * batch.SLOW)[1]
    expect("a signal ends it", process.returncode == 1 and "Interrupted while an image was read." in complaint and time.monotonic() - begin < 3 * batch.SLOW,
           f"{process.returncode} {complaint} {time.monotonic() - begin}")
    expect("it leaves nothing", not (out / "record.json").exists())


def check_changed(folder, slide):
    """A slide that somebody writes to during the run: no record says that its new bytes were analysed."""
    mine, out = folder / "changed.svs", folder / "changed"
    shutil.copy(slide, mine)
    process = subprocess.Popen([batch.BATCH, "run", "nuclei-threshold", mine, "--repeat", "30", "--out", out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not (out / ".vitrail-scratch" / "request").exists() and process.poll() is None:
        time.sleep(0.02)
    with open(mine, "ab") as file:
        file.write(b"more")
    complaint = process.communicate(timeout=120 * batch.SLOW)[1]
    expect("a slide that changes during the run is refused", process.returncode == 1 and "changed.svs has changed since it was opened" in complaint
           and not (out / "record.json").exists(), f"{process.returncode} {complaint}")


def check_ending_plugin(folder, image):
    """A plugin that crashes, or ends its process as if all were well, is a failure with a sentence; one that hangs is ended after a signal."""
    plugins = {**os.environ, "VITRAIL_PLUGIN_PATH": sys.argv[4]}
    words = [batch.BATCH, "run", "fake", f"image={image}", "--out", folder / "ended"]
    for mode, end in (("crash", ""), ("exit", "exit status 0"), ("lie", "makes no sense")):
        done = subprocess.run([*words, "--set", f"mode={mode}"], env=plugins, capture_output=True, text=True, timeout=60 * batch.SLOW)
        expect(f"a plugin ends: {mode}", done.returncode == 1 and "fake-plugin.so ended during the run: " in done.stderr
               and end in done.stderr, f"{done.returncode} {done.stderr}")
        expect("it leaves no record", not (folder / "ended" / "record.json").exists())
    process = subprocess.Popen([*words, "--set", "mode=hang"], env=plugins, stderr=subprocess.DEVNULL)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    expect("one signal ends a plugin that hangs", process.wait(timeout=20 * batch.SLOW) == 1)


def check_names(folder):
    """Names that no file can have, and things that are no files, as slides and as regions."""
    refused("an empty name of a folder", "run needs --out DIR.", "distance", "image=a.png", "--out", "", status=2)
    loop = folder / "loop.svs"
    loop.symlink_to(loop)
    os.mkfifo(folder / "pipe.svs")
    os.mkfifo(folder / "pipe.recipe.json")
    refused("a pipe as a recipe", "pipe.recipe.json is not an ordinary file.", folder / "pipe.recipe.json", "image=a.png", "--out", folder / "named")
    for name, word in (("", "its name is empty"), ("a" * 3000, "aaa…"), ("/a" * 50000, "cannot be opened: "), (folder, "is a folder, not a file."),
                       (loop, "loop.svs cannot be opened: "), (folder / "pipe.svs", "pipe.svs is not an ordinary file."), ("/dev/zero", "not an ordinary file")):
        for words in ((name,), (f"image={name}",), ("glrlm-rois", f"rois={name}")):
            op = () if words[0] == "glrlm-rois" else ("distance",)
            done = subprocess.run([batch.BATCH, "run", *op, *map(str, words), "--out", folder / "named"], capture_output=True, text=True, timeout=60 * batch.SLOW)
            expect(f"{str(words)[:60]} is refused by its name", done.returncode == 1 and word in done.stderr and done.stderr.count("\n") == 1
                   and len(done.stderr) < 400, f"{done.returncode} {done.stderr[:500]}")


def check_shown(folder, slide, image):
    """Names that would turn, break or colour what a terminal shows, of every kind of file: no sentence holds what makes them so."""
    odd = folder / "odd\u202egpj\x1b[31m\n"
    odd.mkdir()
    copy, text, taken = odd / "a\u202e.svs", odd / "b\u2066.json", odd / "c\r"
    shutil.copy(slide, copy)
    text.write_text("{")
    taken.write_text("no folder")
    recipe, out = odd / "d\x9b.recipe.json", odd / "out"
    recipe.write_text(batch.batch("recipe", "export", "distance").out)
    box, run = "--region=0,0,64,64", ("run", "distance")
    for what, status, *words in (
            ("a slide", 0, *run, copy, box, "--out", out), ("done before", 0, *run, copy, box, "--out", out, "--resume"),
            ("two slides, one broken", 1, *run, copy, text, box, "--out", odd / "many"),
            ("a slide that is none", 1, "info", text), ("an image that is none", 1, *run, f"image={text}", "--out", out),
            ("a folder that is none", 1, *run, f"image={image}", box, "--out", taken),
            ("an input twice", 2, *run, f"image={copy}", f"image={text}", "--out", out),
            ("regions", 1, *run, copy, f"rois={text}", "--out", out), ("a model", 1, "run", "nuclei-threshold", copy, "--model", text, "--out", out),
            ("a recipe", 0, "recipe", "check", recipe), ("a recipe that is none", 1, "recipe", "check", text),
            ("a record that is none", 1, "rerun", text), ("a truth", 1, "score", out / "result.tif", text),
            ("an option", 2, *run, copy, "--memory", odd.name, "--out", out), ("an op", 2, "run", odd.name, copy, "--out", out)):
        result = batch.batch(*words)
        lines = result.out + result.err
        expect(f"{what} of a name that can't be shown", result.problem((status,)) is None and "\ufffd" in lines
               and not any(c in lines for c in "\u202e\u2066\x1b\x9b\r"), repr(lines))


def check_twice(folder, slide, image):
    """Of two values where one is meant none is taken."""
    run = ("distance", slide, "--out", folder / "twice")
    refused("a parameter twice", "“threshold=9” comes after another value", *run, "--set", "threshold=3", "--set", "threshold=9", status=2)
    for words in (("--out", folder / "more"), ("-o", folder / "more"), ("--tile", "64", "--tile=128")):
        refused(f"{words[0]} twice", "is there twice, and takes one value", *run, *words, status=2)
    refused("an image twice", "image is there twice, as", "distance", f"image={image}", f"image={image}", "--out", folder / "twice", status=2)
    refused("an image and a slide", "image is there twice, as", *run, f"image={image}", status=2)
    areas = folder / "twice.geojson"
    areas.write_text(json.dumps(square(5, 5)))
    refused("regions twice", "rois is there twice, as", *run, f"rois={areas}", "--rois", areas, status=2)
    refused("no repetition", "--repeat is a whole number from 1", *run, "--repeat", "0", status=2)
    os.environ["SOURCE_DATE_EPOCH"] = "yesterday"
    refused("a date that is none", "SOURCE_DATE_EPOCH is “yesterday”", *run, status=2)
    del os.environ["SOURCE_DATE_EPOCH"]
    expect("nothing was made", not (folder / "twice").exists())


def names(out):
    return sorted(path.name for path in out.iterdir())


def check_folder(folder, image):
    """A folder has the files of one run, and files that no run made stay as they are."""
    out = folder / "used"
    distance = ("distance", f"image={image}", "--out", out)
    batch.run_op(out, "morphology", f"image={image}")
    before = names(out)
    (out / "notes.txt").write_text("mine")
    record = batch.run_op(out, "distance", f"image={image}")
    wanted = sorted([*record["files"], "record.json", "notes.txt"])
    expect("the files of the run before are gone", names(out) == wanted and before != wanted, names(out))
    refused("an input that would be removed", "is an input of this run", "morphology", f"image={out / 'result.tif'}", "--out", out)
    expect("it stays", names(out) == wanted, names(out))
    (out / "record.json").unlink()
    refused("results without a record", "no run is known to have left", *distance)
    (out / "record.json").write_text("[]")
    refused("a record of something else", "holds record.json", *distance)
    (out / "record.json").unlink()
    for path in out.iterdir():
        path.unlink()
    (out / "overlay.png").write_text("mine")
    refused("a file in the way", "holds overlay.png", *distance)
    expect("it is left alone", names(out) == ["overlay.png"] and (out / "overlay.png").read_text() == "mine", names(out))
    (out / "record.json").write_text('{"program": "vitrail", "files": ["../thesis.txt", ".hidden.tif", "result.tif"]}')
    (folder / "thesis.txt").write_text("years of work")
    (out / "overlay.png").rename(out / ".hidden.tif")
    batch.run_op(out, "distance", f"image={image}")
    expect("a record cannot name other files", (folder / "thesis.txt").exists() and (out / ".hidden.tif").exists())


def check_plugins(folder):
    """Files that are no plugins stop nothing: the good one runs, the others are named."""
    good, cache = os.environ["VITRAIL_PLUGIN_PATH"], folder / "cache"
    (folder / "text.so").write_text("no module")
    os.mkfifo(folder / "pipe.so")
    (folder / "part.so").write_bytes(next(pathlib.Path(good).glob("*.so")).read_bytes()[:5000])
    os.environ.update(VITRAIL_PLUGIN_PATH=f"{folder}:{good}", XDG_CACHE_HOME=str(cache), XDG_DATA_HOME=str(folder / "data"))
    for option in ([], [], ["--again"]):
        result = batch.batch("plugins", *option)
        lines = result.out.splitlines()
        expect("bad plugin files are refused by name, the good one is there", result.problem((0,)) is None and len(lines) == 4
               and "vitrail-analysis" in lines[0] and all(any(f"{n}.so" in l and l.startswith("refused: ") for l in lines[1:])
                                                          for n in ("text", "pipe", "part")), result.out + result.err)
    os.environ["VITRAIL_PLUGIN_PATH"] = ""
    own = folder / "data" / "vitrail" / "plugins"
    own.mkdir(parents=True)
    shutil.copy(next(pathlib.Path(good).glob("*.so")), own)
    expect("a person's own plugins are found", str(own) in batch.batch("plugins").out)
    os.environ["XDG_DATA_HOME"] = os.path.relpath(folder / "data")
    result = batch.batch("plugins")
    expect("but not where a path leads from wherever one is", str(own) not in result.out
           and "XDG_DATA_HOME is a relative path and is ignored." in result.err, result.out + result.err)
    os.environ.update(XDG_DATA_HOME=str(folder / "data"), TMPDIR=str(folder / "none"))
    result = batch.batch("plugins", "--again")
    expect("files are tried without a folder for temporary ones", result.problem((0,)) is None and "cannot be tried" not in result.out
           and str(own) in result.out, result.out + result.err)
    del os.environ["TMPDIR"]
    shutil.rmtree(own)
    for words in (["ops"], ["recipe", "steps"], ["recipe", "export", "nuclei-threshold"], ["run", "nuclei-threshold", "image=x.png", "--out", folder / "none"]):
        own.write_text("no folder")
        result = batch.batch(*words)
        hidden = batch.batch("plugins").out
        own.unlink()
        expect("a folder of plugins that cannot be read is told", f"{own} cannot be read" in hidden
               and f"{own} cannot be read" in result.err, hidden + result.err)
    check_kept(folder, cache / "vitrail" / "plugins.ini")
    os.environ["VITRAIL_PLUGIN_PATH"] = good


def check_kept(folder, kept):
    """What a plugin of others offers is kept between starts; where that is damaged, it is asked again."""
    os.environ["VITRAIL_PLUGIN_PATH"] = sys.argv[4]
    first = [batch.batch(words).out for words in ("plugins", "ops")]
    sound = kept.read_text()
    expect("what a plugin offers is kept", "told=" in sound and "fake" in first[1], sound)
    for text in (sound, sound.replace("told=A", "told=B"), sound.replace("told=", "told=%n"), sound.replace("seal=", "seal=0"), sound[:len(sound) // 2], "\xff[" * 50):
        kept.write_text(text, encoding="latin-1")
        expect("a cache that is damaged changes nothing", [batch.batch(words).out for words in ("plugins", "ops")] == first, text)


def processes(path):
    """The processes of a program, or with an argument, of that path."""
    found = set()
    for place in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found |= {place.parent.name} if os.fsencode(path) in place.read_bytes().split(b"\0") else set()
        except OSError:
            pass  # it has ended
    return found


def expect_orphans_end(what, path, n, words, env):
    """n processes of that path are there while words are at work, and none soon after these were killed."""
    program = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.time() + 20 * batch.SLOW
    while len(processes(path)) < n and time.time() < end:
        time.sleep(0.05)
    seen = processes(path)
    time.sleep(0.3)  # they hang by now
    program.kill()
    end = time.time() + 5 * batch.SLOW
    while processes(path) and time.time() < end:
        time.sleep(0.05)
    expect(f"{what} ends with the program", program.wait() == -signal.SIGKILL and len(seen) >= n and not processes(path), f"{seen} {processes(path)}")


def check_orphans(folder, slide):
    """Of a program that is killed nothing is left, whatever hangs in its helpers: a plugin on trial, with a child that has left its group, and a slide."""
    modules, own = pathlib.Path(sys.argv[4]).parent, folder / "orphans"
    own.mkdir()
    for at in (1, 3):
        module = own / f"child-{at}.so"
        shutil.copy(modules / f"trouble-child-{at}.so", module)
        expect_orphans_end(f"a plugin on trial, with its child, {at},", module, 3, [batch.BATCH, "plugins"],
                           {**os.environ, "VITRAIL_PLUGIN_PATH": str(module), "XDG_CACHE_HOME": str(own)})
    for name, program in (("vitrail-batch", batch.BATCH), ("vitrail-plugin-probe", batch.BATCH.parent / "vitrail-plugin-probe"),
                          ("vitrail-plugin-worker", batch.BATCH.parent / "vitrail-plugin-worker"), ("vitrail-reader", modules / "reader-trouble")):
        shutil.copy(program, own / name)
    tiles = own / "distance" / "result.tif"
    batch.run_op(tiles.parent, "distance", slide, "--region=0,0,300,300")
    expect_orphans_end("a reader that hangs", own / "vitrail-reader", 1, [own / "vitrail-batch", "run", "distance", f"image={tiles}", "--out", own / "out"],
                       {**os.environ, "TROUBLE": "still tiff 0"})


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        image = folder / "image.png"
        batch.write_png(image, 100, 80, [bytes((x * y) % 251 for x in range(100)) for y in range(80)])
        check_images(folder)
        slide = batch.demo_slide(folder, 1024)[0]
        check_rest(folder, slide)
        check_reader(folder, slide)
        check_regions(folder, image)
        check_rois(folder, image)
        check_coarse(folder)
        check_links(folder, image)
        check_names(folder)
        check_shown(folder, slide, image)
        check_twice(folder, slide, image)
        check_changed(folder, slide)
        check_folder(folder, image)
        check_launched(folder, image)
        check_signals(folder, image)
        check_reading(folder)
        check_ending_plugin(folder, image)
        check_plugins(folder)
        check_orphans(folder, slide)


if __name__ == "__main__":
    main()
