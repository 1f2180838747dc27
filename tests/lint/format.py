#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clang-format 14 agrees with every C file (.clang-format); shellcheck, where installed, with every shell script."""
import shutil
import subprocess
import sys

import common


def main():
    problems = []
    version = ""
    if shutil.which("clang-format"):
        version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True).stdout
    if "version 14" in version:
        files = [n for n in common.c_files() if n.endswith((".c", ".h"))]
        out = subprocess.run(["clang-format", "--dry-run", "-Werror", *files], cwd=common.ROOT, capture_output=True, text=True)
        problems += [line for line in out.stderr.splitlines() if ": error:" in line]
    if shutil.which("shellcheck"):
        scripts = [n for n in common.all_files() if n in ("dev", ".ci/run") or n.endswith(".sh")]
        out = subprocess.run(["shellcheck", "-f", "gcc", *scripts], cwd=common.ROOT, capture_output=True, text=True)
        problems += out.stdout.splitlines()
    status = common.report("format", problems)
    if "version 14" not in version:
        print("clang-format 14 is not installed: the format of C is not checked")
        return status or 77
    return status


if __name__ == "__main__":
    sys.exit(main())
