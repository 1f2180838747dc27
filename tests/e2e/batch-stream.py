#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whole slides under a byte budget: the pixels of a run in memory, the same file after every interruption and for every
number of processes; many slides at once; a budget that can't be kept is refused."""
import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import batch
from images import Checks

# In a process of its own the module runs the same code: there only what goes through that process is looked at.
IS_APART = "VITRAIL_PLUGIN_WORKER" in os.environ
REGION = "--region", "0,0,2500,2100"
OPS = {
    "reconstruct": ("--set", "pixel-size=0.25", "--set", "channel=hematoxylin", "--set", "height=0.3"),
    "distance": ("--set", "pixel-size=0.25", "--set", "channel=hematoxylin", "--set", "threshold=0.3"),
    "glrlm-map": ("--set", "pixel-size=0.25", "--set", "stride=2"),
}
BUDGET = {"reconstruct": "8M", "distance": "40M", "glrlm-map": "8M"}
# Ops made of steps, and texture.
STEPS = {
    "nuclei-threshold": ("--set", "cell-expansion=5", "--set", "neighbours=yes"),
    "nuclei": ("--set", "min-score=0.3"),
    "morphology": ("--set", "operation=top-hat", "--set", "channel=hematoxylin"),
    "zones": ("--set", "channel=hematoxylin", "--set", "threshold=0.1", "--set", "seed-above=0.4"),
    "watershed": ("--set", "channel=hematoxylin", "--set", "threshold=0.2", "--set", "height=0.1"),
    "glrlm-rois": ("--set", "channel=hematoxylin", "--set", "own-range=yes"),
    "normalize": ("--set", "pixel-size=0.25", "--set", "eosin-strength=0.3"),
}


if IS_APART:  # one that spreads, one that has passes of its own, one of many steps, one of rows
    OPS = {op: OPS[op] for op in ("reconstruct", "distance")}
    STEPS = {op: STEPS[op] for op in ("nuclei-threshold", "glrlm-rois")}


def command(op, slides, out, *more):
    region = () if any(str(word).startswith("rois=") for word in more) else REGION
    return [sys.argv[1], "run", op, *map(str, slides), *{**OPS, **STEPS}[op], *region, "--out", str(out), *map(str, more)]


def run(*args, launcher=(), check=0):
    done = subprocess.run([*launcher, *args], capture_output=True, text=True, timeout=300)
    if done.returncode != check:
        raise SystemExit(f"{args}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def check_equal_to_memory(checks, folder, slide):
    for op in OPS:
        run(*command(op, [slide], folder / "whole"))
        text = run(*command(op, [slide], folder / op, "--memory", BUDGET[op], "--progress"))
        record = json.loads((folder / op / "record.json").read_text())["resolved"]
        same_files(checks, f"{op} streamed", folder / "whole", folder / op)
        checks.true(f"{op} was streamed, and kept its budget",
                    record["streamed"] == 1 and 0 < record["memory-peak-bytes"] <= int(BUDGET[op][:-1]) << 20)
        checks.true(f"{op} says how far it is", "100 %" in text)
        checks.true(f"{op} leaves no scratch files", not list((folder / op).glob(".vitrail*")))


def same_files(checks, what, whole, other):
    for path in sorted(whole.iterdir()):
        twin = other / path.name
        if path.name == "certain.tif":
            continue  # of a part of a slide that memory does not hold it can't be said
        if path.name != "record.json":
            checks.true(f"{what}: {path.name}", twin.read_bytes() == path.read_bytes())


LEAST = {"nuclei": "64M"}  # windows of all threads, with a wide halo, must fit


def check_steps(checks, folder, slide):
    """Every file is that of the run in memory: rasters, tables, outlines and overlay."""
    for op in STEPS:
        run(*command(op, [slide], folder / "whole" / op))
        budget = LEAST.get(op, "20M")
        text = run(*command(op, [slide], folder / op, "--memory", budget, "--progress"))
        whole_record = json.loads((folder / op / "record.json").read_text())
        record = whole_record["resolved"]
        same_files(checks, f"{op} streamed", folder / "whole" / op, folder / op)
        checks.true(f"{op} was streamed, and kept its budget",
                    record["streamed"] == 1 and 0 < record["memory-peak-bytes"] <= int(budget[:-1]) << 20)
        checks.true(f"{op} says how far it is, and what the process took",
                    "100 %" in text and whole_record["process-memory-peak-bytes"] > record["memory-peak-bytes"])
        checks.true(f"{op} leaves no scratch files", not list((folder / op).glob(".vitrail*")))


def steps_done(out):
    """Of a run in progress, by its list of finished steps, which is replaced at any time."""
    done = 0
    with contextlib.suppress(FileNotFoundError):
        for path in out.glob(".vitrail-scratch*/steps"):
            done = max(done, int(path.read_text().split()[4]))
    return done


def wait_for(process, condition, seconds=60):
    """Until it is true or the process has ended."""
    end = time.time() + seconds
    while time.time() < end and process.poll() is None and not condition():
        time.sleep(0.05)


def check_steps_resume(checks, folder, slide, launcher=(), how=(signal.SIGINT, signal.SIGKILL)):
    """Killed again and again, a run of steps goes on after the last one that was finished."""
    out = folder / f"again-nuclei-{len(launcher)}"
    words = command("nuclei-threshold", [slide], out, "--memory", "20M")
    for k, signal_ in enumerate(how):
        process = subprocess.Popen([*launcher, *words, *(["--resume"] if k else [])], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        wait_for(process, lambda: steps_done(out) > 6 * k + 3)  # some steps more than before
        children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(children[0]) if launcher and children else process.pid, signal_)
        process.wait(60)
    text = run(*words, "--resume", launcher=launcher)
    record = json.loads((out / "record.json").read_text())["resolved"]
    checks.true("nuclei went on after some step", record.get("resumed-steps", 0) > 3 or "done before" in text)
    for path in sorted((folder / "nuclei-threshold").iterdir()):
        if path.name != "record.json":
            checks.true(f"nuclei interrupted and resumed: {path.name}",
                        (out / path.name).read_bytes() == path.read_bytes())
    checks.true("nuclei resumed leaves no scratch files", not list(out.glob(".vitrail*")))


def check_full_disk(checks, folder, slide):
    """The reason is said, and when there is room the same command goes on."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    words = command("nuclei-threshold", [slide], folder / "full", "--memory", "20M")
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, preexec_fn=limit,
                          env={**os.environ, "LC_ALL": "C"})
    checks.true("a full disk ends in one sentence, which says so",
                done.returncode == 1 and done.stderr.count("\n") == 1 and "written or read: File too large. " in done.stderr)
    run(*words, "--resume")
    for path in sorted((folder / "nuclei-threshold").iterdir()):
        if path.name != "record.json":
            checks.true(f"nuclei after a full disk: {path.name}", (folder / "full" / path.name).read_bytes() == path.read_bytes())


def check_resume(checks, folder, slide):
    want = (folder / "reconstruct" / "result.tif").read_bytes()
    for how, seconds in ((signal.SIGINT, 0.5), (signal.SIGKILL, 0.9), (signal.SIGKILL, 1.4), (signal.SIGTERM, 1.8)):
        out = folder / "again"
        shutil.rmtree(out, ignore_errors=True)
        words = command("reconstruct", [slide], out, "--memory", BUDGET["reconstruct"])
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for(process, (out / ".vitrail-scratch" / "request").exists)
        time.sleep(seconds)
        process.send_signal(how)
        _, complaint = process.communicate(timeout=60)
        if how != signal.SIGKILL and process.returncode != 0:
            checks.true(f"{how.name}: one sentence", complaint.count("\n") <= 2 and "--resume" in complaint)
        run(*words, "--resume")
        checks.true(f"resumed after {how.name} at {seconds} s: the same file", (out / "result.tif").read_bytes() == want)
    checks.true("done before", "done before" in run(*words, "--resume"))
    changed = [word.replace("height=0.3", "height=0.2") for word in words]
    run(*changed, "--resume")
    checks.true("another request takes nothing up", (out / "result.tif").read_bytes() != want)


def check_regions(checks, folder, slide):
    """Other regions are another request, that takes nothing up."""
    out, tables = folder / "regions", []
    for k in (0, 1):
        x, y = 100 + 900 * k, 300
        ring = [[x, y], [x + 1200, y], [x + 1200, y + 1500], [x, y + 1500], [x, y]]
        rois = folder / "regions.geojson" if k == 0 else folder / "others.geojson"
        rois.write_text(json.dumps({"type": "Polygon", "coordinates": [ring]}))
        words = command("glrlm-rois", [slide], out, f"rois={rois}", "--memory", "20M", "--resume")
        run(*words)
        checks.true("done before", "done before" in run(*words))
        tables.append((out / "features.csv").read_text())
    checks.true("other regions take nothing up", tables[0] != tables[1])


def check_many(checks, folder, slide):
    broken = folder / "broken.svs"
    broken.write_bytes(slide.read_bytes()[:5000])
    text = run(*command("distance", [slide, broken, slide], folder / "many", "--memory", "40M"), check=1)
    checks.true("many slides: the broken one is named, the rest go on",
                "2 of 3 slides done" in text and "failed: " in text and "broken.svs" in text)
    want = (folder / "distance" / "result.tif").read_bytes()
    for name in (slide.name, slide.name + "-2"):
        checks.true(f"many slides: {name}", (folder / "many" / name / "result.tif").read_bytes() == want)


def check_refusals(checks, folder, slide):
    words = [sys.argv[1], "run", "glrlm-map", str(slide), "--out", str(folder / "small"), "--memory", "1M"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    checks.true("a budget that is too small is refused", done.returncode == 1 and "maps of this window need" in done.stderr)
    for value in ("lots", "0", "-1G", "5", "3X"):
        done = subprocess.run([*command("distance", [slide], folder / "small", "--memory", value)], capture_output=True,
                              text=True, timeout=60)
        checks.true(f"--memory {value}", done.returncode == 2 and "--memory" in done.stderr)


def has_mpi():
    done = subprocess.run(["ldd", sys.argv[1]], capture_output=True, text=True, timeout=60)
    return "libmpi" in done.stdout and shutil.which("mpirun")


def check_failing_rank(checks, folder, slide):
    """One of two processes can't write its scratch files: both end, soon, each with a sentence."""
    for op in ("nuclei-threshold", "zones"):
        words = [sys.argv[1], "run", op, str(slide), "--out", str(folder / "failing"), "--memory", "20M"]
        for failing in (0, 1):  # not "A : B", of which mpirun 5.0.7 itself dies; MPI's own files are smaller
            limited = f'[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" != {failing} ] || ulimit -f 50000; exec "$@"'
            done = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", "sh", "-c", limited, "sh", *words],
                                  capture_output=True, text=True, timeout=60, env={**os.environ, "LC_ALL": "C"})
            checks.true(f"{op}: a process that fails does not leave the other one waiting",
                        done.returncode == 1 and "File too large" in done.stderr and done.stderr.count("vitrail-batch: ") == 2
                        and done.stderr.count("could not be written") == 1)


def children_of(pid):
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, timeout=60).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    near = [(int(child), args) for child, parent, args in rows if int(parent) == pid]
    return near + [below for child, _ in near for below in children_of(child)]


def start_ranks(words, n):
    run_ = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    ranks, end = [], time.time() + 60
    while len(ranks) < n and time.time() < end and run_.poll() is None:
        time.sleep(0.05)
        ranks = [pid for pid, args in children_of(run_.pid) if args.startswith(sys.argv[1])]
    return run_, ranks


def check_late_rank(checks, folder, slide):
    """The others wait for one that is only late: what they bring are numbers, not failures."""
    out = folder / "late"
    run_, ranks = start_ranks(["mpirun", "--oversubscribe", "-n", "3", *command("reconstruct", [slide], out, "--memory", BUDGET["reconstruct"])], 3)
    for seconds in (0.5, 4.3):
        time.sleep(seconds)
        os.kill(ranks[1], signal.SIGSTOP if seconds < 1 else signal.SIGCONT)
    text = run_.communicate(timeout=120)[0]
    checks.true(f"a process that is four seconds late: the same file {text if run_.returncode else ''}",
                run_.returncode == 0 and (out / "result.tif").read_bytes() == (folder / "reconstruct" / "result.tif").read_bytes())


def check_still_rank(checks, folder, slide):
    """One of three processes is stopped, or dies, also before they know each other, and where nobody beside it could see it: all end within ten
    seconds, and it is said which one stands still."""
    words = [sys.argv[1], "run", "nuclei-threshold", str(slide), "--out", str(folder / "still"), "--memory", "20M"]
    stops_itself = ["-x", "FAULT=still", "-x", f"LD_PRELOAD={sys.argv[3]}"]
    hangs = ["-x", "FAULT=hang", "-x", f"LD_PRELOAD={sys.argv[3]}"]
    in_mpi = ["-x", "FAULT=init", "-x", f"LD_PRELOAD={sys.argv[3]}"]
    alone = [*stops_itself, "sh", "-c", '"$@"; exit $?', "sh"]  # each has a parent of its own, as on computers of their own
    for what, wait, more in ((signal.SIGSTOP, 1, []), (signal.SIGKILL, 1, []), (signal.SIGSTOP, 0, []), (signal.SIGKILL, 0, []), (None, 0, stops_itself),
                             (None, 0, alone), (None, 0, hangs), (None, 0, in_mpi)):
        run_, ranks = start_ranks(["mpirun", "--oversubscribe", "-n", "3", *more, *words], 3)
        time.sleep(wait)
        if what:
            os.kill(ranks[1], what)
        since = time.time()
        try:
            text = run_.communicate(timeout=100)[0]
        except subprocess.TimeoutExpired:
            os.killpg(run_.pid, signal.SIGKILL)
            text = run_.communicate()[0]
        took = time.time() - since
        named = what == signal.SIGKILL or ("has not answered" in text if wait else "where it starts: all end." in text if more == hangs
                                           else "one hangs as MPI starts" in text if more == in_mpi
                                           else "is stopped: all end." in text)
        how = what.name if what else "no further than its start" if more == hangs else "no further than MPI's start" if more == in_mpi else "SIGSTOP as they meet" + (", alone" if more == alone else "")
        checks.true(f"a process that gets {how} after {wait} s: all end within 15 s, with a reason ({took:.1f} s)",
                    took < 15 and run_.returncode != 0 and named)


def check_ranks(checks, folder, slide):
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
    os.environ.update(root)
    for op, numbers in (("reconstruct", (3,) if IS_APART else (1, 2, 5)), ("distance", (3,)), ("glrlm-map", (5,))):
        for n in numbers if op in OPS else ():
            out = folder / f"{op}-{n}"
            run(*command(op, [slide], out, "--memory", BUDGET[op]), launcher=("mpirun", "--oversubscribe", "-n", str(n)))
            same = (out / "result.tif").read_bytes() == (folder / op / "result.tif").read_bytes()
            checks.true(f"{op} on {n} processes: the same file", same)
    for op, numbers in (("nuclei-threshold", (3,) if IS_APART else (2, 5)), ("nuclei", (3,)), ("morphology", (2,)), ("zones", (3,)), ("watershed", (5,)), ("glrlm-rois", (3,))):
        for n in numbers if op in STEPS else ():
            out = folder / f"{op}-{n}"
            run(*command(op, [slide], out, "--memory", "20M"), launcher=("mpirun", "--oversubscribe", "-n", str(n)))
            for path in sorted((folder / op).iterdir()):
                if path.name != "record.json":
                    checks.true(f"{op} on {n} processes: {path.name}",
                                (out / path.name).read_bytes() == path.read_bytes())
    launcher = "mpirun", "--oversubscribe", "-n", "2"
    check_steps_resume(checks, folder, slide, launcher, (signal.SIGKILL, signal.SIGTERM))
    check_failing_rank(checks, folder, slide)
    if not IS_APART:
        check_late_rank(checks, folder, slide)
        check_still_rank(checks, folder, slide)
    text = run(*command("distance", [slide, slide, slide], folder / "dealt", "--memory", "40M"), launcher=launcher)
    checks.true("slides dealt to two processes", "3 of 3 slides done" in text)
    broken = folder / "broken.svs"
    done = subprocess.run([*launcher, *command("distance", [broken], folder / "none")], capture_output=True, text=True, timeout=60)
    checks.true("a failure ends all processes, with a sentence", done.returncode != 0 and "broken.svs" in done.stderr)


def main():
    checks = Checks("streamed")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        slide, _ = batch.demo_slide(folder, 4096)
        check_equal_to_memory(checks, folder, slide)
        check_steps(checks, folder, slide)
        check_steps_resume(checks, folder, slide)
        check_full_disk(checks, folder, slide)
        check_resume(checks, folder, slide)
        check_many(checks, folder, slide)
        if not IS_APART:
            check_regions(checks, folder, slide)
            check_refusals(checks, folder, slide)
        if has_mpi():
            check_ranks(checks, folder, slide)
        else:
            print("# several processes: built without MPI")
    print(f"{checks.n} checks, {checks.failed} failed")
    return checks.failed > 0


sys.exit(main())
