#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed.py OUTPUT NAME=FILE...: a C file with the bytes of each file as `const unsigned char vt_rg_NAME[]`, and their SHA-256."""
import hashlib
import sys

with open(sys.argv[1], "w", encoding="ascii") as out:
    for pair in sys.argv[2:]:
        name, path = pair.split("=", 1)
        with open(path, "rb") as file:
            data = file.read()
        out.write(f"extern const unsigned char vt_rg_{name}[];\nextern const unsigned long vt_rg_{name}_size;\n")
        out.write(f"const unsigned char vt_rg_{name}[] = {{\n")
        for i in range(0, len(data), 64):
            out.write(",".join(map(str, data[i:i + 64])) + ",\n")
        out.write(f"}};\nconst unsigned long vt_rg_{name}_size = {len(data)};\n")
        out.write(f"extern const char vt_rg_{name}_hash[];\n"
                  f"const char vt_rg_{name}_hash[] = \"sha256:{hashlib.sha256(data).hexdigest()}\";\n")
