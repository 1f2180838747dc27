#!/bin/sh
# SPDX-License-Identifier: MIT
# bundle.sh BUILD FILE.tar.gz: vitrail-batch, its plugin, vitrail-demo-slide and the libraries they need, for a machine that has a
# GPU and none of these libraries. The C library stays out: it must be that machine's own, as new as this one's or newer.
# The module lies beside the programs as in a build, so that it runs in the program as there.
# There: tar -xzf FILE.tar.gz; vitrail/bin/vitrail-batch devices
set -eu
build=$1
target=$(realpath -m "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/vitrail/bin" "$folder/vitrail/lib" "$folder/vitrail/programs" "$folder/vitrail/plugin"

programs="$build/viewer/vitrail-batch $build/viewer/vitrail-plugin-probe $build/viewer/vitrail-plugin-worker $build/viewer/vitrail-reader $build/data/vitrail-demo-slide"
for program in $programs; do
  install -s "$program" "$folder/vitrail/programs/"
done
install -s "$build/plugin/vitrail-analysis.so" "$folder/vitrail/plugin/"
# shellcheck disable=SC2086 # three paths
ldd $programs "$build/plugin/vitrail-analysis.so" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
  grep -Ev '/(libc|libm|libdl|libpthread|librt|libresolv|libcuda)\.so\.' | xargs cp -Lt "$folder/vitrail/lib/"

# Each name in bin/ starts the program of its name among these libraries.
cat >"$folder/vitrail/start" <<'END'
#!/bin/sh
here=$(dirname "$(realpath "$0")")
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" VITRAIL_PLUGIN_PATH="$here/plugin"
exec "$here/programs/$(basename "$0")" "$@"
END
chmod +x "$folder/vitrail/start"
for program in $programs; do
  ln -s ../start "$folder/vitrail/bin/$(basename "$program")"
done
tar -C "$folder" -czf "$target" vitrail
ls -l "$target"
