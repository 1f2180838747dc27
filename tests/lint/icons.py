#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Symbolic icons are our own drawings in ui/icons: those of an icon theme are missing on many machines, or in a form that
needs a reader of SVG. Every name that the window uses has a drawing, and every drawing is used."""
import re
import sys

import common

USED = re.compile(r"[a-z0-9-]+-symbolic\b")
texts = [n for n in common.all_files() if (n.startswith("viewer/app/") and n.endswith(".c")) or re.match(r"ui/[^/]+\.ui$", n)]
used = {}
for name in texts:
    for icon in USED.findall(common.read(name)):
        used.setdefault(icon, name)
drawn = {n[len("ui/icons/"):-len(".svg")] for n in common.all_files() if re.match(r"ui/icons/.*-symbolic\.svg$", n)}
listed = {f"vt-{n}-symbolic" for n in re.findall(r"'([^']+)'", re.search(r"icon_names = \[(.*?)\]", common.read("ui/meson.build"), re.S).group(1))}
problems = [f"{used[icon]}: {icon} is not drawn in ui/icons" for icon in sorted(set(used) - drawn)]
problems += [f"ui/icons/{icon}.svg: nobody uses it" for icon in sorted(drawn - set(used))]
problems += [f"ui/meson.build: {icon} is in the list or in ui/icons, not in both" for icon in sorted(drawn ^ listed)]
sys.exit(common.report("icons", problems))
