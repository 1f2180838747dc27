#!/bin/sh
# SPDX-License-Identifier: MIT
# exports.sh module FILE: exports its entry and nothing else.
# exports.sh needs FILE PATTERN...: none of the libraries that FILE needs matches a pattern.
set -eu
kind=$1
file=$2
case $kind in
module)
  names=$(nm -D --defined-only "$file" | awk '{ print $NF }' | sed 's/@.*//' | sort | tr '\n' ' ')
  echo "$file exports: $names"
  [ "$names" = "vitrail_plugin_entry " ] || { echo "expected vitrail_plugin_entry alone"; exit 1; }
  ;;
needs)
  shift 2
  libraries=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  status=0
  for library in $libraries; do
    for pattern in "$@"; do
      # shellcheck disable=SC2254
      case $library in $pattern) echo "$file needs $library"; status=1 ;; esac
    done
  done
  echo "$file needs" "$(echo "$libraries" | wc -w)" "libraries"
  exit $status
  ;;
*) echo "usage: exports.sh module FILE | exports.sh needs FILE PATTERN..."; exit 2 ;;
esac
