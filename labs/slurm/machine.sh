#!/bin/sh
# machine.sh boot|run COMMAND...: makes a machine of its own of a local-cloud's instance (`machine:` of a type in its
# configuration), as root, inside the namespace of a region. Each has its own network with the instance's address on the
# region's bridge `lan`, its own processes, host name, accounts, /run, /etc/hosts, spool and log of Slurm, and homes that are
# empty. What is here instead of a disk image is the rest of this machine's file system. It ends with all that runs in it
# when its first process does.
# /run/lab/stock has passwd and group of the image; /run/lab/tree, if it is there, names the tree (releases/install.sh) whose
# programs the image has.
set -eu
action=${1:?usage: machine.sh boot|run COMMAND...}
shift
disk=$SPILLWAY_INSTANCE_DIR
stock=/run/lab/stock

# The first process: cleans up after those that others left to it.
inside() {
  mount -t proc proc /proc
  hostname "$SPILLWAY_INSTANCE_ID"
  mkdir -p "$disk/etc"
  for name in passwd group; do
    [ -e "$disk/etc/$name" ] || cp "$stock/$name" "$disk/etc/$name"
    mount --bind "$disk/etc/$name" "/etc/$name"
  done
  printf '127.0.0.1 localhost\n%s %s\n' "$SPILLWAY_INSTANCE_ADDRESS" "$SPILLWAY_INSTANCE_ID" >"$disk/etc/hosts"
  mount --bind "$disk/etc/hosts" /etc/hosts
  # Nobody answers for names in a region. A server out of reach costs five seconds for each, and slurmd of 24.11 waits for
  # them one after the other.
  : >"$disk/etc/resolv.conf"
  mount --bind "$disk/etc/resolv.conf" /etc/resolv.conf
  # The folder that nodes have from home.
  shared=$(cat /run/lab/shared 2>/dev/null || true)
  if [ -s /run/lab/tree ]; then
    tree=$(cat /run/lab/tree)
    mount --bind "$tree/etc/ld.so.cache" /etc/ld.so.cache
    mount --bind "$tree/etc/alternatives" /etc/alternatives
    mount --rbind "$tree/usr" /usr
  fi
  mount -t tmpfs -o mode=755 machine /run
  for folder in /home /var/spool /var/log /etc/munge /etc/slurm; do
    [ ! -d "$folder" ] || [ "$folder" = "$shared" ] || mount -t tmpfs -o mode=755 machine "$folder"
  done
  ip link set lo up
  until ip link show eth0 >/dev/null 2>&1; do sleep 0.02; done
  ip addr add "$SPILLWAY_INSTANCE_ADDRESS/24" dev eth0
  ip link set eth0 up
  ip route add default via "${SPILLWAY_INSTANCE_ADDRESS%.*}.254"
  : >"$disk/machine.up"
  "$@" &
  wait "$!"
}

boot() {
  rm -f "$disk/machine.up"
  unshare --mount --net --uts --ipc --pid --fork --kill-child --propagation private sh "$0" inside "$@" &
  outer=$!
  until inner=$(pgrep -P "$outer"); do
    kill -0 "$outer"
    sleep 0.02
  done
  printf '%s\n' "$inner" >"$disk/machine.pid"
  # Names of devices are short: the last number of the address is unique in the region.
  port=n${SPILLWAY_INSTANCE_ADDRESS##*.}
  ip link del "$port" 2>/dev/null || true
  # A machine that had this address before may have been of the region itself.
  ip addr del "$SPILLWAY_INSTANCE_ADDRESS/32" dev lo 2>/dev/null || true
  ip link add "$port" type veth peer name eth0 netns "$inner"
  ip link set "$port" master lan up
  wait "$outer"
}

run() {
  tries=0
  until [ -e "$disk/machine.up" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 500 ] || { echo 'machine.sh: the machine does not come up' >&2; exit 1; }
    sleep 0.02
  done
  exec nsenter --target "$(cat "$disk/machine.pid")" --mount --net --uts --ipc --pid --wdns="$PWD" -- "$@"
}

case $action in
boot | run | inside) "$action" "$@" ;;
*) echo "machine.sh: no $action" >&2; exit 64 ;;
esac
