#!/bin/bash
# disks.sh [GUEST_DIR]: scratch of a node (`type: scratch` of sites.NAME.nodes.mounts) on NVMe disks of a virtual machine: the node's
# own programs stripe two of them by the kernel's device-mapper, format and mount them, and leave alone what has anything on it. Prints
# `ok WHAT` or `WRONG WHAT` for each. As root; needs what install.sh installs. GUEST_DIR keeps the guest of build-guest.sh.
# VM_ACCEL=kvm where the machine has it. Exit code 0 only if nothing is WRONG.
set -uo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
for program in qemu-system-x86_64 mmdebstrap cpio zstd; do
  PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || { echo "disks.sh: $program is missing: run labs/nfs/install.sh" >&2; exit 69; }
done
[ "$(id -u)" = 0 ] || { echo 'disks.sh: only root may build the guest' >&2; exit 77; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/spillway-disks.XXXXXX") || exit 1
guest_dir=$(realpath -m "${1:-$dir/guest}")
guest='' wrong=0
# shellcheck source=labs/nfs/guest.sh
. "$here/guest.sh"

leave() {
  [ -z "$guest" ] || { kill "$guest" && wait "$guest"; } 2>/dev/null
  rm -rf --one-file-system "$dir"
}
trap leave EXIT
trap 'exit 130' INT TERM

# Two that are empty, of different sizes, and one that is somebody's.
truncate -s 1G "$dir/one"
truncate -s 1200M "$dir/two"
truncate -s 400M "$dir/theirs"
mkfs.ext4 -q -F -L theirs "$dir/theirs" || fail 'no file system'
theirs=$(sha256sum <"$dir/theirs")
disk() { printf '%s\n' -drive "if=none,id=$1,format=raw,cache=writeback,file=$dir/$1" -device "nvme,serial=spillway-$1,drive=$1"; }
mapfile -t disks < <(disk one; disk two; disk theirs)

"$here/build-guest.sh" "$guest_dir" || fail 'no guest'
programs || fail 'no programs of a node'
guest_up "${disks[@]}"

listed() { guest "echo '90 scratch /scratch $1 $2' >/lab/list"; }

guest 'lsblk -dno MODEL | sort -u'
judge "the disks are NVMe: $said" like 'QEMU NVMe Ctrl *'
guest 'for each in /dev/nvme*n1; do ln -s "$each" "/dev/by-$(cat /sys/block/${each#/dev/}/device/serial | tr -d " ")"; done; ls /dev/by-*'
listed '/dev/by-spillway-*' -
of_node 'gate; there' 240
judge "one in the way stops all: $said" like 'failed /scratch: /dev/nvme[0-9]n1 has data: ext4 refused .*'
listed nvme -
of_node gate 240
judge "none of them is a provider's instance storage: $said" [ "$said" = 'failed /scratch: this machine has no such disk' ]
guest 'rm /dev/by-spillway-theirs'
listed '/dev/by-spillway-*' noatime
of_node 'gate; there' 240
judge "the two are one: $said" [ "$said" = 'ok /scratch from /dev/by-spillway-* (2 disks, 2332 MB, xfs) there' ]
guest 'dmsetup table spillway-scratch; stat -c %a /scratch; grep -o "/scratch xfs rw,nosuid,nodev,noatime" /proc/mounts'
judge "in stripes of 512 KiB over both: $said" like '0 [0-9]+ striped 2 1024 .* 2048 .* 2048 1777 /scratch xfs rw,nosuid,nodev,noatime'
guest 'a=$(cat /sys/block/nvme[0-9]n1/stat | awk "{ print \$7 }" | tr "\n" " "); dd if=/dev/zero of=/scratch/large bs=1M count=40 conv=fsync status=none; b=$(cat /sys/block/nvme[0-9]n1/stat | awk "{ print \$7 }" | tr "\n" " "); echo "$a $b" | awk "{ n = NF / 2; for (i = 1; i <= n; i++) print int((\$(i + n) - \$i) / 2048) }" | sort -n | xargs' 240
judge "40 MiB are written half to each, in MiB by disk: $said" like '0 (19|2[0-9]) (19|2[0-9])'
of_node 'look; leave_mounts /dev/null; grep -c " /scratch " /proc/mounts; gate; ls /scratch' 240
judge "left, and made anew: $said" [ "$said" = 'well 0 ok /scratch from /dev/by-spillway-* (2 disks, 2332 MB, xfs)' ]
of_node 'exec 5>/scratch/open; leave_mounts /dev/null; gate' 240
judge "not while somebody has it open: $said" like 'failed /scratch: .*(in use|busy).*'
[ "$(sha256sum <"$dir/theirs")" = "$theirs" ]
judge "the third disk is as it was" [ "$?" -eq 0 ]
[ "$wrong" -eq 0 ] || { echo "$wrong wrong" && exit 1; }
