#!/bin/sh
# SPDX-License-Identifier: MIT
# Everything there is to run on a machine with an NVIDIA GPU, from the repository root: build, twins, sanitizer, bench.
# Needs nvcc, a C compiler, meson and ninja; no GLib. BUILD: build folder. OUT: a folder for gpu.log, if set.
# STEPS=bench or STEPS=sanitize: only the benches, only the sanitizers. Exit status 1 when a step failed; all steps run.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build-gpu}
PATH=$PATH:/usr/local/cuda/bin
export PATH

failed=''
step() { # NAME SECONDS COMMAND...
  name=$1 limit=$2
  shift 2
  echo "== $name"
  begin=$(date +%s)
  timeout -k 10 "$limit" "$@"
  status=$?
  echo "== $name: status $status, $(($(date +%s) - begin)) s"
  case $status in 0|77) ;; *) failed="$failed $name" ;; esac
}

bench() { # STEP ARGUMENT...
  name=$1
  shift
  step "$name" 300 "$build/tests/bench/vitrail-bench" --backend cuda "$@"
}

main() {
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null
  nvcc --version | tail -n 1
  if [ ! -f "$build/build.ninja" ]; then
    step setup 60 meson setup "$build" -Dviewer=disabled -Dcuda=enabled
  fi
  step build 100 ninja -C "$build"
  if [ "${STEPS:-}" = bench ]; then
    benches
    return
  fi
  if [ "${STEPS:-}" = sanitize ]; then
    step sanitizers 300 tests/twin/sanitize.sh "$build"
    report
    return
  fi
  step twins 90 meson test -C "$build" --suite twin --print-errorlogs --no-rebuild
  step sanitizers 300 tests/twin/sanitize.sh "$build"
  benches
}

benches() {
  bench reconstruction --repeat 21 reconstruct
  bench distance --repeat 21 'distance*' edt
  bench texture --repeat 21 glrlm
  bench regions --backend cuda,cpu --threads 16 regions
  bench steps --repeat 25 stain erosion smoothing difference threshold regional regional-f32 components zones watershed numbering
  bench runs --backend cuda,cpu --repeat 25 --threads 16 --size 1920x1080 run-nuclei run-glrlm-map
  bench waves --repeat 5 wave
  bench devices --repeat 5 devices
  bench through --repeat 1 through
  bench cancel --cancel --size 8192 --moments 6 reconstruct-8-h-max reconstruct-8-corridor distance distance-one-background \
    glrlm-maps components regional zones run
  report
}

report() {
  if [ -n "$failed" ]; then
    echo "== failed:$failed"
    return 1
  fi
  echo "== all passed"
}

log=/dev/null
if [ -n "${OUT:-}" ]; then
  log=$OUT/gpu.log
fi
# A pipe hides the status of main, so main's goes by file.
result=$(mktemp)
{ main 2>&1; echo $? >"$result"; } | tee "$log"
status=$(cat "$result")
rm -f "$result"
exit "$status"
