#!/bin/bash
# vm.sh: real virtual machines; one of them is one directory with its disk, its seed and its qemu. Runs as root.
#   vm.sh net-up | net-down               the bridge on which all of them are, with an address of this machine
#   vm.sh start DIR ID NAME ADDRESS [USER_DATA_FILE]   makes the machine, or boots it again from its disk
#   vm.sh stop DIR                        ends qemu and removes its interface; the disk stays
#   vm.sh wipe DIR                        and the disk
#   vm.sh alive DIR                       by its exit code
#   vm.sh sweep DIR                       stops every machine whose directory lies below
# A machine that powers itself off ends its qemu. First-boot data is a NoCloud seed, read by the guest's own cloud-init.
# Environment: VM_IMAGE (directory of build-image.sh), VM_MEMORY_MIB (768), VM_CPUS (1), VM_ACCEL (tcg),
# VM_BRIDGE (spvm0), VM_GATEWAY (10.77.0.1/16: this machine on the bridge)
set -euo pipefail
bridge=${VM_BRIDGE:-spvm0}
gateway=${VM_GATEWAY:-10.77.0.1/16}

# A pid counts only with the time at which its process began.
began() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }
alive() {
  local pid since
  [ -s "$1/qemu.pid" ] && read -r pid since <"$1/qemu.pid" && [ -n "$since" ] && [ "$(began "$pid")" = "$since" ]
}

tap_of() { printf 'vm%s' "$(printf '%s' "$1" | md5sum | cut -c 1-12)"; }

seed() {
  local dir=$1 id=$2 name=$3 address=$4 data=$5 mac=$6 seed=$1/seed
  mkdir -p "$seed"
  printf 'instance-id: %s\nlocal-hostname: %s\n' "$id" "$name" >"$seed/meta-data"
  printf 'version: 2\nethernets:\n  e0:\n    match: {macaddress: "%s"}\n    addresses: [%s/%s]\n    gateway4: %s\n' \
    "$mac" "$address" "${gateway#*/}" "${gateway%/*}" >"$seed/network-config"
  if [ -n "$data" ]; then cp "$data" "$seed/user-data"; else : >"$seed/user-data"; fi
  xorriso -as mkisofs -quiet -V cidata -J -r -o "$dir/seed.iso" "$seed" 2>/dev/null
  rm -rf "$seed"
  chmod 600 "$dir/seed.iso"
}

start() {
  local dir=$1 id=$2 name=$3 address=$4 data=${5:-} mac tap digest pid
  local image=${VM_IMAGE:?the directory that build-image.sh has filled}
  mkdir -p -m 700 "$dir"
  dir=$(cd "$dir" && pwd -P)
  if alive "$dir"; then return 0; fi
  digest=$(printf '%s' "$address" | md5sum)
  mac=52:54:00:${digest:0:2}:${digest:2:2}:${digest:4:2}
  if [ ! -e "$dir/disk.qcow2" ]; then
    seed "$dir" "$id" "$name" "$address" "$data" "$mac"
    qemu-img create -q -f qcow2 -b "$(realpath "$image/guest.qcow2")" -F qcow2 "$dir/disk.qcow2"
  fi
  tap=$(tap_of "$dir")
  ip link show "$tap" >/dev/null 2>&1 || ip tuntap add "$tap" mode tap
  ip link set "$tap" master "$bridge" up
  # Detached: it outlives whoever asked for it.
  setsid qemu-system-x86_64 -name "$name" -accel "${VM_ACCEL:-tcg,thread=multi}" -cpu max -M q35 \
    -m "${VM_MEMORY_MIB:-768}" -smp "${VM_CPUS:-1}" -nodefaults -no-user-config -display none -no-reboot \
    -kernel "$image/vmlinuz" -initrd "$image/initrd" \
    -append 'console=ttyS0 quiet net.ifnames=0 mitigations=off panic=-1' -serial "file:$dir/console.log" \
    -drive "if=none,id=disk,file=$dir/disk.qcow2,format=qcow2,cache=unsafe" -device virtio-blk-pci,drive=disk \
    -drive "if=none,id=seed,file=$dir/seed.iso,format=raw,readonly=on" -device virtio-blk-pci,drive=seed \
    -netdev "tap,id=net,ifname=$tap,script=no,downscript=no" -device "virtio-net-pci,netdev=net,mac=$mac" \
    -object rng-random,id=rng,filename=/dev/urandom -device virtio-rng-pci,rng=rng \
    </dev/null >"$dir/qemu.log" 2>&1 &
  pid=$!
  echo "$pid $(began "$pid")" >"$dir/qemu.pid"
  sleep 0.2
  if ! alive "$dir"; then
    cat "$dir/qemu.log" >&2
    return 1
  fi
}

stop() {
  local dir tries pid
  dir=$(cd "$1" 2>/dev/null && pwd -P) || return 0
  if alive "$dir"; then
    read -r pid _ <"$dir/qemu.pid"
    kill "$pid"
    for tries in $(seq 50); do
      alive "$dir" || break
      [ "$tries" -ne 30 ] || kill -KILL "$pid"
      sleep 0.1
    done
  fi
  rm -f "$dir/qemu.pid"
  ip link del "$(tap_of "$dir")" 2>/dev/null || true
}

case ${1:-} in
  net-up)
    ip link show "$bridge" >/dev/null 2>&1 || {
      ip link add "$bridge" type bridge
      ip link set "$bridge" up
      ip addr add "$gateway" dev "$bridge"
    }
    ;;
  net-down) ip link del "$bridge" 2>/dev/null || true ;;
  start) shift && start "$@" ;;
  stop) stop "$2" ;;
  wipe)
    stop "$2"
    # Nothing but a machine's directory.
    if [ -e "$2/disk.qcow2" ]; then rm -rf "$2"; fi
    ;;
  alive) alive "$2" ;;
  sweep)
    find "$2" -maxdepth 3 -name qemu.pid 2>/dev/null | while read -r file; do stop "$(dirname "$file")"; done
    ;;
  *)
    sed -n '2,12s/^# //p' "$0"
    exit 64
    ;;
esac
