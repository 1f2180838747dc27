# SPDX-License-Identifier: MIT
"""What the lint tests share: the list of our files."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(os.environ.get("VITRAIL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
FOLDERS = ("plugin", "viewer", "gpu", "cpu", "learn", "ui", "tests", "data")
C_SUFFIXES = {".c", ".h", ".cu", ".cuh"}


def all_files():
    """Paths below the root: what git tracks or would track; without git, what lies in our folders."""
    try:
        out = subprocess.run(["git", "-c", "safe.directory=*", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others",
                              "--exclude-standard"], capture_output=True, check=True).stdout
        names = [n for n in out.decode().split("\0") if n]
    except (OSError, subprocess.CalledProcessError):
        names = [str(p.relative_to(ROOT)) for f in FOLDERS for p in (ROOT / f).rglob("*")]
        names += [p.name for p in ROOT.iterdir()]
    return sorted(n for n in set(names) if (ROOT / n).is_file())


def c_files():
    return [n for n in all_files() if pathlib.Path(n).suffix in C_SUFFIXES and n.split("/")[0] in FOLDERS]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def report(title, problems):
    """Exit status: 0 = none, 1 = some, all of them printed."""
    for problem in problems:
        print(problem)
    print(f"{title}: {len(problems)} problems")
    return 1 if problems else 0
