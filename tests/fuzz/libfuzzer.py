# SPDX-License-Identifier: MIT
"""Each libFuzzer target for some time, as many at once as there are processors, from its seeds and the inputs that are kept in the tree.
usage: libfuzzer.py SECONDS FOLDER-FOR-INPUTS TARGET... (ninja -C build-fuzz fuzz: a minute each, or FUZZ_SECONDS)"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

SECONDS = os.environ.get("FUZZ_SECONDS") or sys.argv[1]
# Interned names: GLib's table of them grows and leaves the smaller one, which other threads may read.
LEAKS_BY_DESIGN = {"intensity", "model"}
# A gate goes the same way each time; by hand each time looks elsewhere.
SEED = ["-seed=1"] if os.environ.get("CI") else []
MANY = 500  # inputs of a target; what reaches nothing that the others do not reach goes
KEPT = pathlib.Path(__file__).resolve().parent / "corpus"


def merge(target, corpus):
    """The same places with fewer inputs."""
    small = corpus.with_name(corpus.name + ".small")
    shutil.rmtree(small, ignore_errors=True)
    small.mkdir()
    if subprocess.run([target, "-merge=1", small, corpus], stderr=subprocess.DEVNULL).returncode == 0:
        shutil.rmtree(corpus)
        small.rename(corpus)


def run(target, folder):
    """Whether it went well. What is new is kept in the build folder, for the next time."""
    name = target.name.removeprefix("fuzz-")
    corpus, found = folder / name, folder / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    if len(os.listdir(corpus)) > MANY:
        merge(target, corpus)
    subprocess.run([target, "--seeds", corpus], check=True, stderr=subprocess.DEVNULL)
    leaks = {"ASAN_OPTIONS": "detect_leaks=0"} if name in LEAKS_BY_DESIGN else {}
    kept = [KEPT / name] if (KEPT / name).is_dir() else []
    done = subprocess.run([target, f"-max_total_time={SECONDS}", "-timeout=20", "-rss_limit_mb=2048", "-max_len=65536", f"-artifact_prefix={found}/{name}-",
                           *SEED, corpus, *kept], capture_output=True, text=True, errors="replace", env={**os.environ, **leaks})
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
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        well = list(pool.map(lambda target: run(target, pathlib.Path(sys.argv[2])), targets))
    print(f"{sum(well)} passed, {len(well) - sum(well)} failed, 0 skipped")
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
