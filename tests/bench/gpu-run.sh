#!/bin/sh
# SPDX-License-Identifier: MIT
# Everything there is to run on a machine with an NVIDIA GPU, from the repository root: build, twins, sanitizer, bench.
# Needs nvcc, a C compiler, meson and ninja; no GLib. BUILD: build folder. OUT: a folder for gpu.log, if set.
# STEPS=bench: only the benches. Exit status 1 when a step failed; all steps run.
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

sanitize() { # TOOL PROGRAM
  rounds=0.1
  [ "$1" = racecheck ] && rounds=0.05
  step "$1-$(basename "$2")" 120 env VT_TWIN_ROUNDS=$rounds compute-sanitizer --tool "$1" --error-exitcode 9 "$build/tests/twin/$2"
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
  step twins 90 meson test -C "$build" --suite twin --print-errorlogs --no-rebuild
  if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck synccheck; do
      for program in $(cd "$build/tests/twin" && find . -maxdepth 1 -type f -name 'twin-*' -perm -1 | sort); do
        sanitize "$tool" "$program"
      done
    done
  else
    echo "== no compute-sanitizer here: skipped"
  fi
  benches
}

benches() {
  bench gpu-bench
  bench gpu-bench-edt
  bench gpu-bench-glrlm
  bench gpu-bench-nuclei
  bench gpu-bench-steps
  bench gpu-waves 4096
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
