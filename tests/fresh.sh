#!/bin/sh
# SPDX-License-Identifier: MIT
# A bare Debian, and README.md's two commands in it, from a clean clone of what is committed here:
#   tests/fresh.sh SUITE [COMMAND...]     SUITE: bookworm, trixie, sid; COMMAND: in the clone, instead of the two
# Root only; needs debootstrap (Debian package: debootstrap), unshare (util-linux) and the network. The system is made in a
# folder below FRESH (/var/tmp/vitrail-fresh) and goes at the end; packages that were downloaded stay there for the next time.
# MIRROR: where Debian is. VITRAIL_SHARED: slides for the tests, mounted read only.
set -eu
suite=${1:?"usage: tests/fresh.sh SUITE [COMMAND...]"}
shift
source=$(cd "$(dirname "$0")/.." && pwd)
fresh=${FRESH:-/var/tmp/vitrail-fresh}
[ "$(id -u)" = 0 ] || { echo "fresh: only root can make a system of its own" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "fresh: install the package debootstrap first" >&2; exit 1; }

mkdir -p "$fresh/$suite-packages"
root=$(mktemp -d "$fresh/$suite-XXXXXX")
chmod 755 "$root" # not everyone in it is root
trap 'rm -rf --one-file-system "$root"' EXIT
echo "== a bare $suite in $root"
debootstrap --variant=minbase --cache-dir="$fresh/$suite-packages" "$suite" "$root" "${MIRROR:-http://deb.debian.org/debian}" \
  >"$root.log" 2>&1 || { tail -n 20 "$root.log"; exit 1; }
rm -f "$root.log"
# A mirror may lag behind its own date; what it gives is signed all the same.
echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90fresh"
cp /etc/resolv.conf "$root/etc/resolv.conf"
git clone -q --no-local "$source" "$root/srv/vitrail"
mkdir -p "$root/srv/shared"

[ $# -gt 0 ] || set -- sh -c './dev run --yes && ./dev test --yes'
# All mounts and processes are in a name space of their own and end with it.
# shellcheck disable=SC2016
unshare --mount --pid --fork --kill-child sh -c '
  set -eu
  root=$1 packages=$2 shared=$3
  shift 3
  mount --make-rprivate /
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/dev/shm"
  mount --bind "$packages" "$root/var/cache/apt/archives"
  [ -z "$shared" ] || { mount --bind "$shared" "$root/srv/shared"; mount -o remount,bind,ro "$root/srv/shared"; }
  cd "$root"
  exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM=dumb ${shared:+VITRAIL_SHARED=/srv/shared} \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c "cd /srv/vitrail && exec \"\$@\"" sh "$@"
' sh "$root" "$fresh/$suite-packages" "${VITRAIL_SHARED:-}" "$@"
