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

bench() { # NAME ARGUMENT...
  name=$1
  shift
  step "$name" 150 env "VITRAIL_TEST_PLUGIN=$(find "$build/plugin" -name "*.so")" "$build/tests/bench/$name" "$@"
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
  bench gpu-bench
  bench gpu-bench-edt
  bench gpu-bench-glrlm
  bench gpu-bench-nuclei
  bench gpu-bench-steps
  bench gpu-waves 4096
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
