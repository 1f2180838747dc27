# SPDX-License-Identifier: MIT
"""Every translation is complete: each string of the program occurs in it, translated, not fuzzy, with the same formats."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("VITRAIL_SOURCE", "."))
PO = ROOT / "ui" / "po"
if not all(shutil.which(p) for p in ("xgettext", "msgmerge", "msgattrib", "msgfmt")):
    print("SKIP: gettext is not installed")
    sys.exit(77)
failed = 0
listed = set((PO / "POTFILES").read_text().split())
used = set()
for path in [p for pattern in ("plugin/**/*.[ch]", "viewer/app/**/*.c", "viewer/host/**/*.c", "ui/*.ui") for p in sorted(ROOT.glob(pattern))]:
    if re.search(r'\bN?_\("|\bTR\(\s*"|ngettext\(|translatable="yes"', path.read_text()):
        used.add(str(path.relative_to(ROOT)))
    # gettext reads the source: of a string that goes on with a macro it would know a part only.
    for broken in re.findall(r'\b(?:N?_|TR)\((?:\s*"(?:[^"\\]|\\.)*")+\s*[A-Z]\w*', path.read_text()):
        failed += 1
        print(f"{path.relative_to(ROOT)}: a macro in a string for translation: {broken}")
for name in sorted(used ^ listed):
    failed += 1
    print(f"{name}: {'not listed in' if name in used else 'without strings, but listed in'} ui/po/POTFILES")
with tempfile.TemporaryDirectory() as folder:
    pot = pathlib.Path(folder) / "vitrail.pot"
    subprocess.run(["xgettext", "--from-code=UTF-8", "-k_", "-kN_", "-kg_dngettext:2,3", "-kTR", "-f", str(PO / "POTFILES"), "-D",
                    str(ROOT), "-o", str(pot)], check=True, cwd=ROOT)
    for language in (PO / "LINGUAS").read_text().split():
        merged = pathlib.Path(folder) / (language + ".po")
        subprocess.run(["msgmerge", "--quiet", "--no-fuzzy-matching", "-o", str(merged), str(PO / (language + ".po")), str(pot)],
                       check=True)
        done = subprocess.run(["msgfmt", "--check", "-o", "/dev/null", str(PO / (language + ".po"))], capture_output=True,
                              text=True)
        if done.returncode:
            failed += 1
            print(done.stderr)
        for what in ("--untranslated", "--only-fuzzy"):
            rest = subprocess.run(["msgattrib", what, "--no-obsolete", "--no-wrap", str(merged)], capture_output=True,
                                  text=True, check=True).stdout
            for entry in re.findall(r'^msgid "(.+)"', rest, re.M):
                failed += 1
                print(f"ui/po/{language}.po: {what[2:]}: {entry}")
print(f"{failed} failed")
sys.exit(1 if failed else 0)
