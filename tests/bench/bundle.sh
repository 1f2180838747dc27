#!/bin/sh
# SPDX-License-Identifier: MIT
# bundle.sh [--window] BUILD FILE.tar.gz: vitrail-batch, its plugin, vitrail-demo-slide and the libraries they need, for a machine that has a
# GPU and none of these libraries. The C library stays out: it must be that machine's own, as new as this one's or newer.
# The module lies beside the programs as in a build, so that it runs in the program as there.
# There: tar -xzf FILE.tar.gz; vitrail/bin/vitrail-batch --version
# --window: also vitrail, with what GTK reads, and Xvfb with Mesa's software rendering, for window-frames.py. The X server reads files by
# absolute paths: there, as root, cp -r vitrail/share/X11 /usr/share/; cp vitrail/programs/xkbcomp /usr/bin/
set -eu
window=false
[ "$1" != --window ] || { window=true; shift; }
build=$1
target=$(realpath -m "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$folder/vitrail
mkdir -p "$root/bin" "$root/lib" "$root/programs" "$root/plugin"

programs="$build/viewer/vitrail-batch $build/viewer/vitrail-plugin-probe $build/viewer/vitrail-plugin-worker $build/viewer/vitrail-reader $build/data/vitrail-demo-slide"
modules=$build/plugin/vitrail-analysis.so
if $window; then
  ninja -C "$build" tests/bench/swap-times.so tests/support/immodules/libwitness.so >/dev/null
  programs="$programs $build/viewer/app/vitrail $(command -v Xvfb) $(command -v xkbcomp) $(command -v xdotool)"
  dri=$(find /usr/lib /usr/lib64 -name swrast_dri.so 2>/dev/null | head -n 1)
  svg=$(find /usr/lib /usr/lib64 -path '*gdk-pixbuf*' -name 'libpixbufloader*svg.so' 2>/dev/null | head -n 1)
  gl=$(ldconfig -p | awk '/x86-64/ && $1 ~ /^lib(GL|EGL|GLX|GLX_mesa|GLdispatch)\.so\.[0-9]$/ { print $NF }')
  modules="$modules $dri $svg $gl"
fi
for program in $programs; do
  install -s "$program" "$root/programs/"
done
install -s "$build/plugin/vitrail-analysis.so" "$root/plugin/"
# shellcheck disable=SC2086 # paths
ldd $programs $modules | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
  grep -Ev '/(libc|libm|libdl|libpthread|librt|libresolv|libcuda)\.so\.' | xargs cp -Lt "$root/lib/"

if $window; then
  mkdir -p "$root/lib/dri" "$root/share/schemas" "$root/share/icons"
  cp -L "$dri" "$root/lib/dri/"
  # shellcheck disable=SC2086 # paths
  cp -L $svg $gl "$build/tests/bench/swap-times.so" "$root/lib/"
  cp -r "$build/tests/support/immodules" "$root/lib/"
  cp -r /usr/share/X11 "$root/share/"
  cp -r /usr/share/fonts/truetype/dejavu "$root/share/fonts"
  cp -r /usr/share/icons/Adwaita "$root/share/icons/"
  cp /usr/share/glib-2.0/schemas/*.xml "$(dirname "$0")"/../../data/*.gschema.xml "$root/share/schemas/"
  glib-compile-schemas "$root/share/schemas"
fi

# Each name in bin/ starts the program of its name among these libraries.
cat >"$root/start" <<'END'
#!/bin/sh
here=$(dirname "$(realpath "$0")")
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" VITRAIL_PLUGIN_PATH="$here/plugin"
exec "$here/programs/$(basename "$0")" "$@"
END
chmod +x "$root/start"
for program in $programs; do
  ln -s ../start "$root/bin/$(basename "$program")"
done
tar -C "$folder" -czf "$target" vitrail
ls -l "$target"
