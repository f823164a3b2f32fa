# shellcheck shell=sh
# shellcheck disable=SC2034,SC2016
# The disks that come with a machine as one file system: type `scratch` of a mount, called as mount(8) calls its helpers. Its process may
# be killed at any time, and the next one begins anew.
#
# A disk is somebody's until the opposite is seen: one with partitions, a signature, a holder or anything but zeros in its first MiB
# is not written to, unless an earlier scratch has left its mark or label there. wipefs and mkfs open disks exclusively, so
# that the kernel refuses one which is in use anywhere on the machine.
scratch_words='set -u
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"
from=$1 at=$2 least= options= mark="spillway scratch 1" label=spillway name=spillway-scratch

fail() { echo "$*"; exit 1; }

IFS=,
for each in $4; do
  case $each in least=*) least=${each#least=} ;; *) options=$options,$each ;; esac
done
unset IFS

# Instance storage as AWS and Azure name it; what is paid for by itself and kept has other names.
named() {
  case $from in
    nvme) lsblk -dnpo NAME,MODEL | sed -n "s/^\(\/dev\/nvme[^ ]*\)  *\(Amazon EC2 NVMe Instance Storage\|Microsoft NVMe Direct Disk\).*/\1/p" ;;
    *) for disk in $from; do [ ! -b "$disk" ] || readlink -f "$disk"; done ;;
  esac | sort -u
}

# DISK: whether it may be written to; $why is why not.
is_ours() {
  [ "$(lsblk -nro NAME "$1" | wc -l)" -eq 1 ] || { why="has partitions, or is part of something"; return 1; }
  [ "$(blockdev --getro "$1")" = 0 ] || { why="is read only"; return 1; }
  wipefs -a -n "$1" >/dev/null 2>&1 || { why="is in use"; return 1; }
  found=$(blkid -p -o export "$1")
  case $? in
    0)
      printf "%s\n" "$found" | grep -qx "LABEL=$label" && return
      why="has data: $(printf "%s\n" "$found" | sed -n "s/^\(PT\)\{0,1\}TYPE=//p" | head -n 1)"
      return 1
      ;;
    2) ;;
    *) why="has data of several kinds"; return 1 ;;
  esac
  [ "$(head -c "${#mark}" "$1" | tr -d "\000")" != "$mark" ] || return 0
  why="has data of no known kind"
  [ "$(head -c 1048576 "$1" | tr -d "\000" | head -c 1 | wc -c)" -eq 0 ]
}

set --
for disk in $(named); do set -- "$@" "$disk"; done
[ "$#" -gt 0 ] || fail "this machine has no such disk"

! [ -e "/dev/mapper/$name" ] || dmsetup remove "$name" || fail "an earlier scratch is in use"
bytes=0 smallest=
for disk; do
  is_ours "$disk" || fail "$disk $why"
  size=$(blockdev --getsize64 "$disk") || fail "$disk does not say its size"
  bytes=$((bytes + size))
  if [ -z "$smallest" ] || [ "$size" -lt "$smallest" ]; then smallest=$size; fi
done
size="$((bytes / 1000000000)) GB"
[ "$bytes" -ge 10000000000 ] || size="$((bytes / 1000000)) MB"
said="$# disk$([ "$#" = 1 ] || echo s), $size"
[ -z "$least" ] || [ "$((bytes / 1000000000))" -ge "${least%GB}" ] || fail "$said: less than $least"

# A process that dies here leaves disks that are known by their mark or by their label.
for disk; do
  { printf "%s\n" "$mark"; head -c 4096 /dev/zero; } | head -c 4096 | dd of="$disk" bs=4096 iflag=fullblock conv=fsync status=none || fail "$disk cannot be written to"
  wipefs -a -q "$disk" || fail "$disk is in use"
done

# Stripes of 512 KiB behind the first MiB, which keeps the mark.
device=$1
kind=
if [ "$#" -gt 1 ]; then
  { modprobe dm-mod; } 2>/dev/null
  if dmsetup version >/dev/null 2>&1; then
    each=$(((smallest / 512 - 2048) / 1024 * 1024))
    table="0 $((each * $#)) striped $# 1024"
    for disk; do table="$table $disk 2048"; done
    dmsetup create "$name" --table "$table" || fail "the device-mapper makes no stripes of $*"
    device=/dev/mapper/$name
    [ -b "$device" ] || dmsetup mknodes "$name"
    # An earlier one was made at the same place.
    wipefs -a -q "$device" || fail "$device cannot be written to"
  elif command -v mkfs.btrfs >/dev/null; then
    kind=btrfs
  else
    fail "nothing here makes one of $# disks: neither dmsetup nor mkfs.btrfs"
  fi
fi
[ -n "$kind" ] || for kind in xfs ext4 none; do ! command -v "mkfs.$kind" >/dev/null || break; done
# Rented disks are empty: telling them so once more takes minutes.
case $kind in
  btrfs) set -- mkfs.btrfs -q -K -L "$label" -d raid0 -m raid0 "$@" ;;
  xfs) set -- mkfs.xfs -q -K -L "$label" "$device" ;;
  ext4) set -- mkfs.ext4 -q -m 0 -E nodiscard,lazy_itable_init=1,lazy_journal_init=1 -L "$label" "$device" ;;
  *) fail "there is no mkfs.xfs and no mkfs.ext4" ;;
esac
made=$("$@" 2>&1) || {
  why=$(printf "%s\n" "$made" | grep -i -m 1 error) || why=$(printf "%s\n" "$made" | grep -m 1 .)
  fail "$1 on $device: $why"
}
mount -t "$kind" -o "${options#,}" -- "$device" "$at" || exit 1
chmod 1777 "$at" && echo "$said, $kind"'
