# SPDX-License-Identifier: MIT
"""The demo slide, made once for all tests of a build: it is the same each time for a size and a seed."""
import os
import pathlib
import shutil
import subprocess
import tempfile


def copy_demo(program, size, slide, truth=None, seed=1):
    """Puts the slide there, and if wanted the truth about its nuclei. What was made lies beside the program, until that is built anew."""
    kept = pathlib.Path(program).resolve().parent / "demo-slides" / f"{size}-{seed}"
    if not (kept / "slide.svs").exists() or kept.stat().st_mtime < pathlib.Path(program).stat().st_mtime:
        kept.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as name:
            made = pathlib.Path(name)
            subprocess.run([program, made / "slide.svs", "--truth", made / "truth.tif", "--size", str(size), "--seed", str(seed)],
                           check=True, stdout=subprocess.DEVNULL)
            kept.mkdir(exist_ok=True)
            for file in ("truth.tif", "slide.svs"):  # another test may make the same ones: each is replaced as a whole
                os.replace(made / file, kept / file)
            os.utime(kept)
    shutil.copyfile(kept / "slide.svs", slide)
    if truth:
        shutil.copyfile(kept / "truth.tif", truth)
