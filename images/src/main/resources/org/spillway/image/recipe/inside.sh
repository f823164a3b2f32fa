# inside ROOT KIND TEXT: a shell script in a tree, in a mount namespace of its own.
set -eu
root=$1 kind=$2 text=$3
mount --bind "$root" "$root"
[ "$kind" != smoke ] || mount -o remount,bind,ro "$root"
there() { [ -d "$root/$1" ] && [ ! -L "$root/$1" ]; }
# Programs see devices of a machine without any: no disk, no other's terminal.
if there dev; then
  mount -t tmpfs -o mode=755,nosuid dev "$root/dev"
  while read -r name minor; do
    mknod -m 666 "$root/dev/$name" c 1 "$minor"
  done <<END
null 3
zero 5
full 7
random 8
urandom 9
END
  mkdir "$root/dev/shm" "$root/dev/pts"
  ln -s /proc/self/fd "$root/dev/fd"
  ln -s /proc/self/fd/0 "$root/dev/stdin"
  ln -s /proc/self/fd/1 "$root/dev/stdout"
  ln -s /proc/self/fd/2 "$root/dev/stderr"
fi
! there proc || mount -t proc proc "$root/proc"
! there tmp || mount -t tmpfs -o mode=1777 tmp "$root/tmp"
! there run || mount -t tmpfs -o mode=755 run "$root/run"
inside() {
  env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" chroot "$root" "$@"
}
if [ "$kind" = packages ]; then
  # Names are those of the machine that builds; the tree has its own file again afterwards.
  names=$root/etc/resolv.conf made=''
  if [ ! -e "$names" ] && [ ! -L "$names" ]; then : >"$names" && made=$names; fi
  [ -L "$names" ] || mount --bind /etc/resolv.conf "$names"
  # No daemon is to start here.
  rule=$root/usr/sbin/policy-rc.d ours=''
  if [ ! -e "$rule" ]; then printf '#!/bin/sh\nexit 101\n' >"$rule" && chmod 755 "$rule" && ours=$rule; fi
  inside apt-get -q update
  # Words of the recipe, each a package's name.
  # shellcheck disable=SC2086
  inside apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0 install $text
  inside apt-get -q clean
  [ -z "$ours" ] || rm "$ours"
  [ -L "$names" ] || umount "$names"
  [ -z "$made" ] || rm "$made"
  # These say when, and not what.
  rm -rf "$root"/var/lib/apt/lists/* "$root"/var/log/apt "$root"/var/log/dpkg.log "$root"/var/log/alternatives.log \
    "$root"/var/cache/apt/*.bin "$root"/var/cache/ldconfig/aux-cache
  exit 0
fi
inside /bin/sh -eu -c "$text"
