#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What vitrail-batch does where the system gives it little: small files alone, little memory, no stdin, stdout or stderr."""
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile

import batch


def expect(what, condition, detail=""):
    if not condition:
        sys.exit(f"{what}: {detail}")
    print("ok:", what)


def run_limited(limit, *words, **environment):
    """With files of at most so many bytes."""
    return subprocess.run([batch.BATCH, "run", *words], capture_output=True, text=True, timeout=60 * batch.SLOW, env={**os.environ, **environment},
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1])))


def check_signal():
    """Whoever starts a reader, a file that may not grow does not end it."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen([batch.BATCH.parent / "vitrail-reader"], preexec_fn=lambda: os.dup2(its.fileno(), 3), pass_fds=(3,))
    its.close()
    expect("a reader says that it is there", len(ours.recv(1 << 16)) > 0)
    ignored = int(re.search(r"SigIgn:\s*(\w+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())[1], 16)
    ours.close()
    expect("and hears no SIGXFSZ", ignored >> (signal.SIGXFSZ - 1) & 1, f"{ignored:x}")
    process.wait(timeout=60)


def check_file_size(folder, slide, image):
    """Files that may not grow are a failure with a sentence. Memory that processes share counts as one: then slides are read in the program itself, and that is said."""
    done = run_limited(1000, "distance", f"image={image}", "--out", folder / "limited")
    expect("a limit of file sizes", done.returncode == 1 and done.stderr.count("\n") == 1, f"{done.returncode} {done.stderr}")
    expect("no record of what was not written", not (folder / "limited" / "record.json").exists())
    words = "distance", slide, "--region=0,0,100,100", "--out"
    done = run_limited(1 << 17, *words, folder / "exposed")
    record = json.loads((folder / "exposed" / "record.json").read_text())
    expect("a slide under a limit of file sizes", done.returncode == 0 and len(record["warnings"]) == 1
           and "read in the program itself" in record["warnings"][0] and "at most 131072 bytes here" in record["warnings"][0], f"{done.returncode} {record['warnings']}")
    expect("it says so", record["warnings"][0] in done.stderr, done.stderr)
    done = run_limited(1 << 17, *words, folder / "no-tables", VITRAIL_PLUGIN_WORKER="all")
    expect("a plugin whose tables cannot be shared", done.returncode != 0 and "cannot tell what is in it (out of memory)" in done.stderr, done.stderr)
    large = folder / "large.png"
    batch.write_png(large, 17000, 17000, [bytes(2125)] * 17000, depth=1)
    done = run_limited(1 << 28, "distance", f"image={large}", "--out", folder / "large")
    expect("an image that cannot be shared", done.returncode == 1 and "and files may have at most 268435456 here" in done.stderr and done.stderr.count("\n") == 1, done.stderr)


def check_little_memory(folder, image):
    """Of whatever part of the memory that it needs: done, or a sentence. Before it begins others end it as they do: the loader with its own, or a library whose first
    steps take memory for given (pixman's do)."""
    if batch.SLOW > 1:
        print("skipped: a sanitizer needs terabytes of addresses")
        return
    ends = []
    for mib in range(60, 200, 2):
        told = folder / f"loader-{mib}"  # the loader says there, for each process, when it gives the program its turn
        done = subprocess.run([batch.BATCH, "run", "distance", f"image={image}", "--out", folder / f"little-{mib}"], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": told},
                              preexec_fn=lambda size=mib << 20: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
        if any(f"transferring control: {batch.BATCH}" in of.read_text() for of in folder.glob(f"{told.name}.*")):
            ends.append(done.returncode)
            if done.returncode != 0 and not (done.returncode == 1 and "vitrail-batch: " in done.stderr):
                expect(f"{mib} MiB of addresses", False, f"{done.returncode} {done.stderr[-2000:]}")
        else:
            expect(f"{mib} MiB of addresses: too little to begin", done.returncode != 0, done.stderr[-2000:])
    expect("too little memory ends with a sentence", 1 in ends and 0 in ends, ends)


def check_closed(folder, slide):
    """Where stdin, stdout or stderr are closed, no file of the run takes their place, and processes start all the same."""
    words = [batch.BATCH, "run", "distance", slide, "--region=-10,-10,300,300"]
    for closed in ((0,), (2,), (0, 1, 2)):
        out = folder / f"closed-{len(closed)}-{closed[-1]}"
        done = subprocess.run([*words, "--out", out], preexec_fn=lambda: [os.close(fd) for fd in closed], capture_output=True, timeout=60 * batch.SLOW)
        record = json.loads((out / "record.json").read_text())
        expect(f"closed: {closed}", done.returncode == (1 if 1 in closed else 0) and len(record["warnings"]) == 1
               and batch.batch("rerun", out / "record.json").status == 0, f"{done.returncode} {record['warnings']}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        image = folder / "image.png"
        batch.write_png(image, 100, 80, [bytes((x * y) % 251 for x in range(100)) for y in range(80)])
        slide = batch.demo_slide(folder, 1024)[0]
        check_signal()
        check_file_size(folder, slide, image)
        check_little_memory(folder, image)
        check_closed(folder, slide)


if __name__ == "__main__":
    main()
