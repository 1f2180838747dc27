#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Spelling (codespell), words that have no place in a finished tree, and paths of one person's machine."""
import re
import shutil
import subprocess
import sys

import common

BINARY = (".png", ".jpg", ".svs", ".tif", ".tiff", ".gz", ".ico", ".ttf")
# In halves, so that this list does not find itself.
BANNED = [a + b for a, b in (("TO", "DO"), ("FIX", "ME"), ("XX", "X"), ("HA", "CK"))]
PATHS = [a + b for a, b in (("/ro", "ot/"), ("/ho", "me/"), ("/Use", "rs/"))]
SPELLING_IGNORED = "caf,thet,treshold,nd,te,ba,fo,gir,inout,ot,siz,ue,od,colour,grey"


def main():
    files = [n for n in common.all_files() if not n.endswith(BINARY)]
    words = re.compile(r"\b(" + "|".join(BANNED) + r")\b")
    paths = re.compile(r"(?<![\w.$}~*-])(" + "|".join(PATHS) + ")")
    problems = []
    for name in files:
        for number, line in enumerate(common.read(name).splitlines(), 1):
            for pattern in (words, paths):
                hit = pattern.search(line)
                if hit:
                    problems.append(f"{name}:{number}: \"{hit.group(0)}\"")
    if shutil.which("codespell"):
        english = [n for n in files if not n.endswith(".po")]
        out = subprocess.run(["codespell", "-L", SPELLING_IGNORED, *english], cwd=common.ROOT, capture_output=True, text=True)
        problems += out.stdout.splitlines()
    else:
        print("codespell is not installed: spelling is not checked")
    return common.report("words", problems)


if __name__ == "__main__":
    sys.exit(main())
