#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A folder of results is one run's, entire, whatever happens while another run writes into it: killed at any call that changes a
file, on a disk that is full or broken, out of memory, or beside another writer. `batch-folder.py ... all` goes through every call that changes a file, and
through a thousand allocations; `... every` kills a small run at each of its system calls, whatever they do, and lets each of its allocations
fail; `... every calls` and `... every allocations` do one of both."""
import collections
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import pathlib

import batch
from images import Checks

CHECKS = Checks("folder")
FAKE, FAULT, KILLER = sys.argv[3:6]
ALL = sys.argv[6:] == ["all"]
EVERY = sys.argv[6:] if sys.argv[6:7] == ["every"] else []
HOLDER = ".vitrail-lock"


def names(out):
    return sorted(path.name for path in out.iterdir())


def digests(out):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.iterdir()
            if path.is_file() and path.name != "record.json"}


def is_entire(out, mine):
    """Whether there is a record that is true, and of one of those runs; no file of a run is there beside them."""
    record = json.loads((out / "record.json").read_text())
    return (digests_of_record(record) in mine
            and {n: d for n, d in digests(out).items() if not n.startswith(".") and n != "notes.txt"}
            == digests_of_record(record))


def digests_of_record(record):
    return {name: file["sha256"] for name, file in record["contents"].items()}


def attempt_any(words, out, **fault):
    env = {**os.environ, "LD_PRELOAD": FAULT, "FAULT_DIR": str(out), **{k: str(v) for k, v in fault.items()}}
    return subprocess.run([str(batch.BATCH), *map(str, words)], env=env, capture_output=True, text=True, timeout=60 * batch.SLOW)


def attempt(words, out, **fault):
    return attempt_any(["run", *words, "--out", out], out, **fault)


def check_starved(what, done):
    """Also where GLib and the C++ library end a program that has no memory for a thread, a lock or an exception. Nothing crashes; in which library it did, stderr says."""
    CHECKS.true(f"{what}: a sentence, or no harm", done.returncode == 0 or (done.returncode > 0 and re.search("^vitrail-batch: ", done.stderr, re.M)),
                f"{done.returncode} {done.stderr}")


class Case:
    """A run into the folder of another one."""

    def __init__(self, folder, name, old, new, steps):
        """steps: how many of the calls are tried."""
        self.steps = steps
        self.name, self.new, self.out, self.kept = name, new, folder / name / "out", folder / name / "old"
        batch.run_op(self.kept, *old)
        self.olds = digests(self.kept)
        (self.kept / "notes.txt").write_text("mine")
        batch.run_op(self.out, *new)
        self.news = digests(self.out)
        self.mixed = self.unheard = 0

    def restore(self):
        shutil.rmtree(self.out, ignore_errors=True)
        shutil.copytree(self.kept, self.out)

    def count(self, fault):
        self.restore()
        path = self.out.parent / "count"
        done = attempt(self.new, self.out, FAULT=fault, FAULT_COUNT=path)
        CHECKS.true(f"{self.name}: the files that stay are named", done.returncode == 0 and "stays: notes.txt" in done.stderr,
                    done.stderr)
        return int(path.read_text())

    def check_after(self, what, n):
        """The folder is the old result or the new one, or it has no record; then the next run puts that right."""
        if (self.out / "record.json").exists():
            CHECKS.true(f"{what}: one result, entire", is_entire(self.out, (self.olds, self.news)), names(self.out))
        else:
            self.mixed += 1
            CHECKS.true(f"{what}: without a record the new result waits", (self.out / ".vitrail-ready/record.json").exists(),
                        names(self.out))
        result = batch.batch("run", *self.new, "--out", self.out, *(["--resume"] if n % 2 else []))
        CHECKS.true(f"{what}: the next run ends well", result.problem((0,)) is None, result.err)
        CHECKS.true(f"{what}: with the right bytes and nothing else",
                    digests(self.out) == {**self.news, "notes.txt": digests(self.kept)["notes.txt"]}
                    and names(self.out) == sorted([*self.news, "notes.txt", "record.json"]), names(self.out))

    def check(self, fault):
        total = self.count(fault)
        starves = fault == "ENOMEM"
        stride = max(1, total // (1000 if ALL else 6)) if starves else 1 if ALL else max(1, total // self.steps)
        self.mixed = 0
        tried = {*range(1, total + 1, stride)}
        if fault == "kill":
            tried |= {*range(max(1, total - 40), total + 1, 2)}  # those that put files into their places
        for n in sorted(tried):
            self.restore()
            done = attempt(self.new, self.out, FAULT=fault, FAULT_AT=n)
            what = f"{self.name}, {fault} at call {n} of {total}"
            if starves:
                check_starved(what, done)
            elif fault == "kill":  # threads share calls out: the last ones may be missed
                CHECKS.true(f"{what}: killed, or done", done.returncode in (-signal.SIGKILL, 0), done.returncode)
            else:
                CHECKS.true(f"{what}: a sentence, or no harm", done.returncode == 0 or done.stderr.startswith("vitrail-batch: "),
                            f"{done.returncode} {done.stderr}")
            self.check_after(what, n)
        print(f"{self.name}: {fault} at {len(tried)} of {total} calls; without a record after {self.mixed}")


class EveryCall(Case):
    """A small run: what it is stopped at need not change anything, as a start of a thread or a look at the time."""

    def __init__(self, folder, image):
        super().__init__(folder, "every call", ("morphology", f"image={image}"), ("distance", f"image={image}", "--threads", "2"), 1)
        self.known, self.ends = set(), collections.Counter()

    def dup_state(self, n):
        """What the next run finds: equal for runs that were stopped with the same files there. Records differ by their times, and names by processes."""
        state = [n % 2]
        for path in sorted(self.out.rglob("*")):
            name = re.sub(r"\d+", "#", str(path.relative_to(self.out)))
            data = path.read_bytes() if path.is_file() and path.name != HOLDER else b""
            try:
                data = json.dumps(json.loads(data)["contents"]).encode() if path.name == "record.json" else data
            except (ValueError, KeyError):
                data = b"a part of a record"
            state.append((name, hashlib.sha256(data).hexdigest()))
        return tuple(state)

    def check_one(self, what, n):
        state = self.dup_state(n)
        if state not in self.known:
            self.known.add(state)
            self.check_after(what, n)

    def run_traced(self, n, **env):
        self.restore()
        return subprocess.run([KILLER, str(n), batch.BATCH, "run", *self.new, "--out", self.out], env={**os.environ, **env},
                              capture_output=True, text=True, timeout=60 * batch.SLOW)

    def kill_at_calls(self):
        path = self.out.parent / "count"
        done = self.run_traced(0, KILL_AT_COUNT=str(path))
        CHECKS.true("every call: a run that is watched ends well", done.returncode == 0, done.stderr)
        total = int(path.read_text())
        tried = range(1, total + 1, 1 if EVERY else max(1, total // 12))
        for n in tried:
            done = self.run_traced(n)
            what = f"killed at system call {n} of {total}"
            self.ends[done.returncode] += 1
            CHECKS.true(f"{what}: killed, or done", done.returncode in (-signal.SIGKILL, 0), done.returncode)
            self.check_one(what, n)
        CHECKS.true("every call: kills come through", self.ends[-signal.SIGKILL] > len(tried) * 3 // 4, self.ends)
        print(f"every call: killed at {len(tried)} of {total} system calls, ends {dict(self.ends)}, {len(self.known)} states, "
              f"without a record {self.mixed}", flush=True)

    def starve(self):
        total = self.count("ENOMEM")
        self.ends.clear()
        for n in range(1, total + 1):
            self.restore()
            done = attempt(self.new, self.out, FAULT="ENOMEM", FAULT_AT=n)
            said = re.findall("^vitrail-batch: (.*)", done.stderr, re.M)
            self.ends[done.returncode, re.sub(r"\d+|/\S+", "#", said[-1]) if said else ""] += 1
            check_starved(f"every call: ENOMEM at allocation {n} of {total}", done)
            self.check_one(f"every call: ENOMEM at allocation {n} of {total}", n)
        print(f"every call: {total} allocations, {len(self.known)} states")
        for (status, sentence), times in self.ends.most_common():
            print(f"  {times:6} × status {status} {sentence}", flush=True)


def check_lock(folder, image):
    """Two writers: the second one is refused, and what the first one has there stays."""
    out = folder / "lock"
    distance = ("distance", f"image={image}", "--out", out)
    batch.run_op(out, *distance[:2])
    before = digests(out)
    words = [batch.BATCH, "run", "fake", f"image={image}", "--set", "mode=hang", "--out", out]
    first = subprocess.Popen(words, env={**os.environ, "VITRAIL_PLUGIN_PATH": FAKE}, stderr=subprocess.DEVNULL)
    while first.poll() is None and not (out / ".vitrail-scratch" / "request").exists():
        time.sleep(0.02)
    inside = digests(out), names(out)
    for more in ((), ("--resume",)):
        result = batch.batch("run", *distance, *more)
        CHECKS.true("a second writer is refused", result.problem((1,)) is None and f"Process {first.pid} " in result.err,
                    result.err)
    if shutil.which("mpirun") and "libmpi" in subprocess.run(["ldd", batch.BATCH], capture_output=True, text=True).stdout:
        done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", batch.BATCH, "run", *distance],
                              capture_output=True, text=True, timeout=60 * batch.SLOW)
        CHECKS.true("so are several processes, in one sentence", done.returncode == 1 and done.stderr.count("vitrail-batch: ") == 1
                    and f"Process {first.pid} " in done.stderr, done.stderr)
    CHECKS.true("nothing changed", (digests(out), names(out)) == inside, names(out))
    first.kill()
    first.wait()
    CHECKS.true("the result is the old one", {n: d for n, d in digests(out).items() if n != HOLDER} == before, names(out))
    batch.run_op(out, *distance[:2])
    CHECKS.true("a lock of a process that died holds nobody up", HOLDER not in names(out), names(out))
    (out / HOLDER).write_text("17 some-other-computer 0-0 2026-01-01T00:00:00Z\n")
    result = batch.batch("run", *distance)
    CHECKS.true("a process of another computer is not taken for dead, and how to go on is said",
                result.problem((1,)) is None and "some-other-computer" in result.err and f"remove {out}/{HOLDER}" in result.err,
                result.err)
    for text in ("", "what?", f"17 {socket.gethostname()} 0-0 2026-01-01T00:00:00Z\n"):
        (out / HOLDER).write_text(text)
        result = batch.batch("run", *distance)
        CHECKS.true("a stale lock is taken over", result.problem((0,)) is None and HOLDER not in names(out), result.err)
    (out / HOLDER).symlink_to(folder / "thesis.txt")
    result = batch.batch("run", *distance)
    CHECKS.true("a lock that is a link is not followed", result.problem((1,)) is None and not (folder / "thesis.txt").exists(),
                result.err)


def check_leftovers(folder, image):
    """What runs that died have left, of any number of processes, goes with the next one."""
    out = folder / "leftovers"
    for name in (".vitrail-scratch-0-of-2", ".vitrail-scratch", ".vitrail-new"):
        (out / name).mkdir(parents=True)
        (out / name / "x.tif.17-0.tmp").write_text("half a file")
    record = batch.run_op(out, "distance", f"image={image}")
    (folder / "link").symlink_to(out)
    batch.run_op(folder / "link", "distance", f"image={image}")
    CHECKS.true("what dead runs left is gone, also behind a link to the folder", names(out) == sorted([*record["files"], "record.json"]), names(out))


def check_starved_commands(folder, slide):
    """Those that write no folder of results."""
    batch.run_op(folder / "scored", "nuclei-threshold", slide, "--region", "0,0,400,300")
    batch.run_op(folder / "truth", "nuclei-threshold", slide, "--region", "0,0,400,300", "--set", "min-area=40")
    recipes = pathlib.Path(__file__).resolve().parents[2] / "data" / "recipes"
    for words in (["score", folder / "scored" / "labels.tif", folder / "truth" / "objects.geojson"], ["rerun", folder / "scored" / "record.json"],
                  ["recipe", "check", recipes / "tissue.recipe.json"], ["why", "nuclei-threshold", slide, "--at", "200,200"], ["info", slide], ["ops"]):
        count = folder / "count"
        attempt_any(words, folder, FAULT="ENOMEM", FAULT_COUNT=count)
        total = int(count.read_text())
        tried = range(1, total + 1, max(1, total // (1000 if ALL else 5)))
        for n in tried:
            check_starved(f"{words[0]}, ENOMEM at call {n} of {total}", attempt_any(words, folder, FAULT="ENOMEM", FAULT_AT=n))
        print(f"{words[0]}: ENOMEM at {len(tried)} of {total} calls")


def interrupt(words, ready, **environment):
    """One signal to a run, once it is `ready`. Status, stderr and the seconds until it ended; None: it did not."""
    process = subprocess.Popen([batch.BATCH, "run", *words], env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not ready():
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    try:
        _, sentence = process.communicate(timeout=60 * batch.SLOW)
    except subprocess.TimeoutExpired:
        process.kill()
        return None, process.communicate()[1], time.monotonic() - begin
    return process.returncode, sentence, time.monotonic() - begin


def after(seconds):
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def check_gone(folder):
    """A drive that does not answer, with the slide or the results: one signal ends the run, and a folder that can be reached is anyone's again. With the drive back, the
    next run has the right bytes."""
    drive, gone, right = folder / "drive", folder / "gone", folder / "right"
    drive.mkdir()
    slide, _ = batch.demo_slide(drive, 1024)
    words = "nuclei-threshold", slide, "--region", "0,0,1000,1000", "--set", "pixel-size=0.25", "--threads", "2", "--memory", "8M"
    batch.run_op(right, *words)
    reached, away, lost = folder / "reached", folder / "away", folder / "lost"
    begun = lost / ".vitrail-scratch" / "request"
    for what, out, at, goes in (("slide", reached, drive, None), ("folder of results", away, away, None), ("folder that was there", lost, lost, begun)):
        batch.run_op(out, "distance", slide, "--region", "0,0,100,100")
        before = digests(out)
        if not goes:
            gone.touch()
        ready = (lambda path=goes: path.exists() and (gone.touch() or time.sleep(1) or True)) if goes else after(1)
        status, sentence, seconds = interrupt((*words, "--out", out), ready, LD_PRELOAD=FAULT, FAULT="waits", FAULT_DIR=str(at), FAULT_GONE=str(gone))
        gone.unlink()
        CHECKS.true(f"the {what} is gone: one signal ends the run", status == 1 and "ends at once" in sentence and seconds < 9 * batch.SLOW, f"{status} {seconds:.1f} s {sentence}")
        CHECKS.true("it leaves the result as it was, and no lock", digests(out) == before and is_entire(out, (before,)) and HOLDER not in names(out), names(out))
        batch.run_op(out, *words, "--resume")
        CHECKS.true("the drive is back, and so is the run", digests(out) == digests(right), names(out))


def check_at_work(folder, image):
    """One signal does not end what moves, nor what is being saved on a disk that is slow."""
    words = "fake", f"image={image}", "--set", "mode=toil", "--out", folder / "toil"
    status, sentence, seconds = interrupt(words, after(1), VITRAIL_PLUGIN_PATH=FAKE, VITRAIL_PLUGIN_WORKER="no")
    CHECKS.true("a run that is at work ends by itself", status == 1 and seconds > 6 and "A second signal ends it" in sentence
                and "the same command with --resume" in sentence, f"{status} {seconds:.1f} s {sentence}")
    out = folder / "late"
    status, sentence, seconds = interrupt(("distance", f"image={image}", "--out", out), (out / ".vitrail-new").exists,
                                          LD_PRELOAD=FAULT, FAULT="late", FAULT_DIR=str(out))
    CHECKS.true("what is being saved is saved", status == 0 and seconds > 6 and "A second signal ends it" in sentence and is_entire(out, (digests(out),))
                and HOLDER not in names(out), f"{status} {seconds:.1f} s {sentence} {names(out)}")


def check_faults(folder, image):
    slide, _ = batch.demo_slide(folder, 1024)
    nuclei = ("nuclei-threshold", slide, "--region", "0,0,400,300", "--threads", "2")
    large = ("nuclei-threshold", slide, "--region", "0,0,1000,1000", "--set", "pixel-size=0.25", "--threads", "2", "--memory", "8M")
    cases = [Case(folder, "in memory", ("morphology", f"image={image}"), nuclei, 14)]
    # Stores that are written to the disk make thousands of calls; those that fit are as many as in memory.
    cases += [Case(folder, "streamed", nuclei, (*nuclei, "--memory", "20M", "--set", "min-area=30"), 1) if ALL
              else Case(folder, "streamed, with little memory", nuclei, large, 4)]
    for case in cases:
        for fault in ("kill", "ENOSPC", "EIO"):
            case.check(fault)
    cases[0].check("ENOMEM")
    check_starved_commands(folder, slide)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        image = folder / "image.png"
        batch.write_png(image, 100, 80, [bytes((x * y) % 251 for x in range(100)) for y in range(80)])
        if not EVERY:
            check_lock(folder, image)
            check_leftovers(folder, image)
        if batch.SLOW == 1:  # sanitizers want to be the first that is preloaded
            every = EveryCall(folder, image)
            if "allocations" not in EVERY:
                every.kill_at_calls()
            if EVERY and "calls" not in EVERY:
                every.starve()
            if not EVERY:
                check_gone(folder)
                check_at_work(folder, image)
                check_faults(folder, image)
    print(f"{CHECKS.n} checks, {CHECKS.failed} failed")
    return CHECKS.failed > 0


if __name__ == "__main__":
    sys.exit(main())
