#!/bin/sh
# SPDX-License-Identifier: MIT
# An nvcc that cannot compile: with cuda=auto the build goes on for the CPU and says why, with cuda=enabled it stops and says why.
# usage: cuda-probe.sh MESON SOURCE
set -eu
meson=$1
source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
reason='unsupported GNU version! gcc versions later than 9 are not supported!'
printf '#!/bin/sh\necho "%s" >&2\nexit 1\n' "$reason" >"$folder/nvcc"
chmod +x "$folder/nvcc"
PATH=$folder:$PATH
export PATH

setup() { # VALUE
  "$meson" setup "$folder/build-$1" "$source" -Dcuda="$1" -Dviewer=disabled -Dtests=false >"$folder/$1.log" 2>&1
}

setup auto || { cat "$folder/auto.log"; echo "a broken nvcc breaks the build"; exit 1; }
grep -q "CUDA backend.*NO, because.*$reason" "$folder/auto.log" || { cat "$folder/auto.log"; echo "no reason is given"; exit 1; }
if setup enabled; then echo "cuda=enabled goes on without CUDA"; exit 1; fi
grep -q "no CUDA backend:.*$reason" "$folder/enabled.log" || { cat "$folder/enabled.log"; echo "no reason is given"; exit 1; }
echo "a broken nvcc: CPU only, with the reason"
