# SPDX-License-Identifier: MIT
"""Each libFuzzer target for some time, one after the other, from its seeds and the inputs that are kept in the tree.
usage: libfuzzer.py SECONDS FOLDER-FOR-INPUTS TARGET... (ninja -C build-fuzz fuzz: a minute each, or FUZZ_SECONDS)"""
import os
import pathlib
import re
import subprocess
import sys

SECONDS = os.environ.get("FUZZ_SECONDS") or sys.argv[1]
# Interned names: GLib's table of them grows and leaves the smaller one, which other threads may read.
LEAKS_BY_DESIGN = {"intensity"}
KEPT = pathlib.Path(__file__).resolve().parent / "corpus"


def run(target, folder):
    """Whether it went well. What is new is kept in the build folder, for the next time."""
    name = target.name.removeprefix("fuzz-")
    corpus, found = folder / name, folder / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    subprocess.run([target, "--seeds", corpus], check=True, stderr=subprocess.DEVNULL)
    leaks = {"ASAN_OPTIONS": "detect_leaks=0"} if name in LEAKS_BY_DESIGN else {}
    kept = [KEPT / name] if (KEPT / name).is_dir() else []
    done = subprocess.run([target, f"-max_total_time={SECONDS}", "-timeout=20", "-rss_limit_mb=2048", "-max_len=65536", f"-artifact_prefix={found}/{name}-",
                           corpus, *kept], capture_output=True, text=True, errors="replace", env={**os.environ, **leaks})
    covered = re.findall(r"cov: (\d+)", done.stderr)
    runs = re.findall(r"Done (\d+) runs", done.stderr)
    if done.returncode == 0:
        print(f"{name}: {runs[-1] if runs else '?'} runs, {covered[-1] if covered else '?'} places reached", flush=True)
        return True
    log = found / f"{name}.log"
    log.write_text(done.stderr)
    why = re.findall(r"SUMMARY: .*|.*runtime error: .*|fuzz: .*", done.stderr)
    print(f"{name}: FAILED: {why[0] if why else 'status ' + str(done.returncode)}; {log}", flush=True)
    return False


def main():
    targets = [pathlib.Path(path).resolve() for path in sys.argv[3:]]
    bad = [target.name for target in targets if not run(target, pathlib.Path(sys.argv[2]))]
    print(f"{len(targets)} targets, {len(bad)} failed: {' '.join(bad)}" if bad else f"{len(targets)} targets, none failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
