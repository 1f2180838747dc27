#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No file over 600 lines, no function over 60, and the licence on the first line."""
import re
import sys

import common

MAX_FILE, MAX_FUNCTION = 600, 60


def functions(lines):
    """(name, number of lines) of every function: from the line of its name to the closing brace in column 1."""
    name, start, is_body = "", 0, False
    for number, line in enumerate(lines):
        if not is_body and re.match(r"^[A-Za-z_(].*\(", line) and not line.rstrip().endswith(";"):
            name, start = line.split("(")[0].split()[-1] if line.split("(")[0].split() else line.strip(), number
        elif line.startswith("{") and name:
            is_body = True
        elif line.startswith("}"):
            if is_body:
                yield name, number - start + 1
            name, is_body = "", False


def main():
    problems = []
    for path in common.c_files():
        lines = common.read(path).splitlines()
        if len(lines) > MAX_FILE:
            problems.append(f"{path}: {len(lines)} lines, {MAX_FILE} are allowed")
        if not lines or "SPDX-License-Identifier: MIT" not in lines[0]:
            problems.append(f"{path}: the first line does not name the licence")
        problems += [f"{path}: {name} has {n} lines, {MAX_FUNCTION} are allowed" for name, n in functions(lines)
                     if n > MAX_FUNCTION]
    return common.report("sizes", problems)


if __name__ == "__main__":
    sys.exit(main())
