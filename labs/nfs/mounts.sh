#!/bin/bash
# mounts.sh [GUEST_DIR]: the storage of a node (sites.NAME.nodes.mounts) on a real NFS server, by the kernel's own client in a
# virtual machine: the node's own programs mount there, look after it and leave it, while the server works, stands still, is killed
# and is another one. Prints `ok WHAT` or `WRONG WHAT` for each. As root; needs what install.sh installs. GUEST_DIR keeps the guest
# of build-guest.sh. VM_ACCEL=kvm where the machine has it. Exit code 0 only if nothing is WRONG.
set -uo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
for program in ganesha.nfsd qemu-system-x86_64 mmdebstrap cpio zstd; do
  PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || { echo "mounts.sh: $program is missing: run labs/nfs/install.sh" >&2; exit 69; }
done
[ "$(id -u)" = 0 ] || { echo 'mounts.sh: only root may serve files of others' >&2; exit 77; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/spillway-nfs.XXXXXX") || exit 1
guest_dir=$(realpath -m "${1:-$dir/guest}")
server='' guest='' wrong=0
# shellcheck source=labs/nfs/server.sh
. "$here/server.sh"
# shellcheck source=labs/nfs/guest.sh
. "$here/guest.sh"

leave() {
  [ -z "$guest" ] || { kill "$guest" && wait "$guest"; } 2>/dev/null
  [ -z "$server" ] || { kill -9 "$server" && wait "$server"; } 2>/dev/null
  umount "$dir/served" 2>/dev/null
  rm -rf --one-file-system "$dir"
}
trap leave EXIT
trap 'exit 130' INT TERM

# WHICH: a disk of the server's with a file that says which.
files() {
  mkdir -p "$dir/served"
  mount -t tmpfs -o size=16m "$1" "$dir/served" && install -d -m 1777 "$dir/served/open" && echo "$1" >"$dir/served/which" || fail 'no file system'
}

"$here/build-guest.sh" "$guest_dir" || fail 'no guest'
files one
server_up || fail 'no server'
programs || fail 'no programs of a node'
guest_up

as_alice='setpriv --reuid 20001 --regid 20000 --clear-groups'

listed() { guest "echo '$1 nfs4 /data 10.0.2.2:$2 vers=4.2,proto=tcp,port=$3' >/lab/list"; }

# A server that has just begun waits a moment for who knew it before; an emulated guest takes its time, too.
listed 30 /home "$port"
of_node gate
judge "the gate mounts it: $said" [ "$said" = 'ok /data from 10.0.2.2:/home' ]
guest "cat /data/which; grep -o ' /data nfs4 .*' /proc/mounts | grep -o -e hard -e nosuid -e nodev"
judge "a job reads, by a hard mount without setuid programs and devices: $said" [ "$said" = 'one nosuid nodev hard' ]
guest "$as_alice sh -c 'echo mine >/data/open/alice && chmod 640 /data/open/alice'"
judge "a user's file is there by numbers: $(stat -c '%u:%g %a' "$dir/served/open/alice")" [ "$(stat -c '%u:%g %a' "$dir/served/open/alice")" = '20001:20000 640' ]
guest 'echo x >/data/which'
judge "a node's root is nobody there: $said" [ "$(cat "$dir/served/which")" = one ]
of_node 'look; there'
judge "the health check: $said" [ "$said" = 'well there' ]

listed 6 /home "$port"
of_node gate
kill -STOP "$server"
of_node 'timed look'
judge "a server that stands still: $said" like 'sick mounts: /data: no answer in 6 s in ([6-9]|1[0-2]) s'
guest 'timeout -s KILL 3 ls /data/open; echo $?'
judge "who waits for it can be killed: $said" like '.*137'
of_node 'timed leave_mounts /dev/null; grep -c " /data " /proc/mounts'
judge "it is left without a word to its server: $said" like 'in [0-8] s 0'
of_node 'timed gate; there'
judge "the gate does not pass it: $said" like 'failed /data: no answer in 6 s in ([6-9]|1[0-2]) s refused .*'
kill -CONT "$server"
listed 30 /home "$port"
of_node 'gate; look'
judge "and does when the server goes on: $said" [ "$said" = 'ok /data from 10.0.2.2:/home well' ]

guest "$as_alice sh -c 'n=0; exec 5>>/data/open/lines; while [ \$n -lt 60 ]; do n=\$((n + 1)); echo \$n >&5 || : >/data/open/bad; sleep 0.2; done' >/dev/null 2>&1 & :"
within 30 [ -s "$dir/served/open/lines" ] || fail 'nobody writes'
server_down KILL
at=$(wc -l <"$dir/served/open/lines")
of_node look
judge "a server that was killed after $at lines: $said" like 'sick mounts: /data: .+'
server_up || fail 'no server again'
all_lines() { [ "$(wc -l <"$dir/served/open/lines")" -ge 60 ]; }
within 90 all_lines
judge "the writer went on behind it: $(wc -l <"$dir/served/open/lines") lines, $(sort -nu "$dir/served/open/lines" | wc -l) different" \
  [ "$(sort -nu "$dir/served/open/lines" | wc -l) $(wc -l <"$dir/served/open/lines")" = '60 60' ] && [ ! -e "$dir/served/open/bad" ]
of_node look
judge "and so did the node: $said" [ "$said" = well ]

server_down TERM
umount "$dir/served" || fail 'the first disk stays'
files two
server_up || fail 'no other server'
of_node 'timed look'
judge "other files at the same address: $said" like 'sick mounts: /data: .*'
of_node 'gate; cat /data/which'
judge "which are mounted only anew: $said" like 'failed /data: .*'
of_node 'leave_mounts /dev/null; gate; cat /data/which; look'
judge "and then are those: $said" [ "$said" = 'ok /data from 10.0.2.2:/home two well' ]

listed 20 /nothing "$port"
of_node 'timed gate; grep -c " /data " /proc/mounts'
judge "a folder that is not exported: $said" like 'failed /data: .* in [0-9]+ s 0'
listed 20 /home 1
of_node 'timed gate'
judge "a port where nobody listens: $said" like 'failed /data: .* in ([0-9]|1[0-2]) s'
[ "$wrong" -eq 0 ] || { echo "$wrong wrong" && exit 1; }
