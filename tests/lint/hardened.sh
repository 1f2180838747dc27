#!/bin/sh
# SPDX-License-Identifier: MIT
# What the linker was told of hardening, read from the binaries: bound and read only before main (now, relro), loaded at a
# place of chance (PIE; modules are so by nature), stacks not executable, stacks guarded and copies checked. Of a library of
# objects (*.a): each one says that jumps and returns in it go only where they may. A whole program says so only if the C library's
# own objects do, and those of other languages; so it is not asked.
# usage: hardened.sh MARK FILE...    MARK: IBT, BTI; none: the compiler has no such thing
set -eu
status=0
mark=$1
shift
for file in "$@"; do
  case $file in *.a)
    n=$(readelf -n "$file" | grep -c '^File: ' || true)
    marked=$(readelf -n "$file" | grep -c "feature: .*$mark" || true)
    [ "$mark" = none ] || { [ "$n" -gt 0 ] && [ "$n" = "$marked" ]; } || { echo "$file: $marked of $n objects are marked $mark"; status=1; }
    continue
  esac
  dynamic=$(readelf -Wd "$file")
  headers=$(readelf -Wl "$file")
  symbols=$(readelf -W --dyn-syms "$file")
  problem() { echo "$file: $1"; status=1; }
  readelf -h "$file" | grep -q 'Type: *DYN' || problem "is not a position independent program (PIE)"
  echo "$headers" | grep -q GNU_RELRO || problem "has no RELRO"
  echo "$dynamic" | grep -qE 'BIND_NOW|FLAGS_1.*NOW' || problem "is not bound at once (-z now)"
  echo "$headers" | grep GNU_STACK | grep -q 'RWE' && problem "has an executable stack"
  echo "$symbols" | grep -q __stack_chk_fail || problem "has no guarded stacks (-fstack-protector-strong)"
  echo "$symbols" | grep -qE '__(mem|str|f?printf|s?n?printf|vsn?printf|vfprintf|read|fread)[a-z]*_chk' || problem "has no checked copies (_FORTIFY_SOURCE)"
done
echo "$# files read"
exit $status
