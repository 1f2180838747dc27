#!/bin/bash
# SPDX-License-Identifier: MIT
# sanitize.sh BUILD [TOOL...]: every twin of a build with CUDA that launches kernels under compute-sanitizer's tools (all four of them), and a run of
# the plugin under memcheck. Several at a time, 90 s each at most. Under these tools each launch and each access takes its
# time, so cases are few and small; that they still launch every kernel there is, is looked at first.
# Exit status 1: something was found, failed or took too long; 77: nothing to run it with.
set -u
build=$(cd "$1" && pwd) || exit 2
shift
tools=${*:-racecheck initcheck memcheck synccheck}
at_once=${AT_ONCE:-12}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
VITRAIL_TEST_PLUGIN=$(find "$build/plugin" -name 'vitrail-analysis.*' -type f | head -n 1)
export build work VITRAIL_TEST_PLUGIN

# Sets VT_ROUNDS and VT_TWIN_SIDE for a program: small where a case is many launches, one after the other.
profile() { # PROGRAM
  VT_ROUNDS=0.02 VT_TWIN_SIDE=300
  case $1 in
  twin-distance) VT_ROUNDS=0.0015 ;;
  twin-geodesic) VT_ROUNDS=0.01 ;;
  twin-glrlm-maps) VT_ROUNDS=0.15 VT_TWIN_SIDE=32 ;;
  twin-reconstruct) VT_ROUNDS=0.01 VT_TWIN_SIDE=40 ;;
  twin-region-slots) VT_ROUNDS=0.04 VT_TWIN_SIDE=130 ;;
  twin-wave) VT_TWIN_SIDE=16 ;;
  plugin-invariance) VT_ROUNDS=0.12 ;;
  esac
  export VT_ROUNDS VT_TWIN_SIDE
}

count() { # TWIN: which kernels it launches
  profile "$1"
  VT_TWIN_KERNELS=$work/$1.kernels timeout 60 "$build/tests/twin/$1" >"$work/$1.log" 2>&1 && return
  echo "not ok: $1, without a tool"
  grep -v '^ok' "$work/$1.log" | tail -n 20
}

sanitize() { # TOOL PROGRAM
  local log status begin=$SECONDS
  log=$work/$1-$(basename "$2").log
  profile "$(basename "$2")"
  timeout -k 5 90 compute-sanitizer --tool "$1" --error-exitcode 9 "${@:2}" >"$log" 2>&1
  status=$?
  if [ $status = 0 ]; then
    echo "ok: $1 $(basename "$2"), $((SECONDS - begin)) s"
  else
    echo "not ok: $1 $(basename "$2"), status $status after $((SECONDS - begin)) s"
    grep -E '^(=====|not ok|#)' "$log" | head -n 30
  fi
}
export -f profile count sanitize

command -v compute-sanitizer >/dev/null || { echo "no compute-sanitizer here"; exit 77; }
nvidia-smi -L >/dev/null 2>&1 || { echo "no NVIDIA GPU here"; exit 77; }
cd "$build/tests/twin" || exit 2
# The longest first.
twins=$(find . -maxdepth 1 -type f -name 'twin-*' -perm -1 -printf '%f\n' | sort)
first=$(for twin in twin-glrlm twin-reconstruct twin-distance twin-wave twin-geodesic; do echo "$twins" | grep -x "$twin"; done)
twins="$first $(echo "$twins" | grep -vxF "$first")"

{
  # shellcheck disable=SC2086
  printf '%s\n' $twins | xargs -P "$at_once" -I{} bash -c 'count {}'
  # A kernel counts for all twins that have it.
  cat "$work"/*.kernels | awk '{ n[$2 " " $3] += $1 } END { for (k in n) if (n[k] == 0) print "not ok: no twin launches " k }'
  cat "$work"/*.kernels | awk '{ k[$2 $3] = 1 } END { n = 0; for (i in k) n++; print "# kernels: " n }'
  # The tools can do nothing with a program that launches none (twin-regions).
  twins=$(for twin in $twins; do awk '$1 > 0 { n++ } END { exit !n }' "$work/$twin.kernels" 2>/dev/null && echo "$twin"; done)
  {
    echo "memcheck $build/tests/unit/plugin/plugin-invariance"
    for twin in $twins; do
      for tool in $tools; do
        echo "$tool $build/tests/twin/$twin"
      done
    done
  } | xargs -P "$at_once" -I{} bash -c 'sanitize {}'
} | tee "$work/all"
! grep -q '^not ok' "$work/all"
