# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# The guest of this lab, and a node's own programs in it. Sourced by programs that have set $here, $dir (of their own) and $guest_dir.
node=$here/../../cloud-director/director/src/main/resources/org/spillway/director/node

fail() {
  echo "${0##*/}: $*" >&2
  tail -n 20 "$dir/console" >&2
  exit 1
}

within() { # SECONDS COMMAND...
  local limit=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -le "$limit" ] || return 1
    sleep 0.1
  done
}

# The serial line shows what the guest's kernel says; commands go by a pipe of their own, and nothing of the guest touches a disk.
guest_up() { # MORE OPTIONS OF QEMU...
  mkfifo "$dir/line.in" "$dir/line.out"
  exec 8<>"$dir/line.in" 9<>"$dir/line.out"
  qemu-system-x86_64 -accel "${VM_ACCEL:-tcg}" -cpu "${VM_CPU:-max}" -M q35 -m 1024 -nodefaults -no-user-config -display none -no-reboot \
    -serial "file:$dir/console" -kernel "$guest_dir/vmlinuz" -initrd "$dir/initrd" \
    -append 'console=ttyS0 quiet panic=-1 mitigations=off net.ifnames=0' \
    -netdev user,id=n -device virtio-net-pci,netdev=n,romfile= "$@" \
    -device virtio-serial-pci -chardev "pipe,id=line,path=$dir/line" -device virtconsole,chardev=line </dev/null >"$dir/qemu.log" 2>&1 &
  guest=$!
  answer 240 && [ "$code" = ready ] || fail 'the guest does not come up'
}

# SECONDS: until the guest has ended a command; $said is its output, $code its exit code.
answer() {
  local line
  said='' code=
  while IFS= read -r -t "$1" -u 9 line; do
    line=${line%$'\r'}
    case $line in
      'END '*) code=${line#END } && return 0 ;;
      *) said=$said${said:+ }$line ;;
    esac
  done
  return 1
}

guest() { # COMMAND, on one line
  printf '%s\n' "$1" >&8
  answer "${2:-60}" || fail "the guest does not answer: $1"
}

judge() { # WHAT COMMAND...
  local what=$1
  shift
  if "$@"; then echo "ok $what"; else echo "WRONG $what" && wrong=$((wrong + 1)); fi
}

# A node's own programs, with a director that answers by a file, behind the guest's own files.
programs() {
  local part
  mkdir -p "$dir/more/lab/s"
  for part in base gate lease mounts scratch health; do
    cp "$node/$part.sh" "$dir/more/lab/" || return 1
  done
  echo aa >"$dir/more/lab/s/image"
  : >"$dir/more/lab/s/overlays"
  cat >"$dir/more/lab/node.sh" <<'NODE'
for part in base gate lease mounts scratch health; do . "/lab/$part.sh"; done
S=/lab/s DISK=/lab IMAGES=/lab WORK=/lab URL=x STOCK= busy= idle=
set -u
call() { cat /lab/list >"$S/mounts.new"; }
gate() {
  DETAIL=
  no_mounts && { echo none; return; }
  if check_mounts; then echo "ok $DETAIL"; else echo "failed $DETAIL"; fi
}
look() { DETAIL=; if ails_mounts; then echo well; else echo "sick $DETAIL"; fi; }
there() { if mounts_there; then echo there; else echo "refused $DETAIL"; fi; }
timed() { begun=$(date +%s); "$@"; echo "in $(($(date +%s) - begun)) s"; }
NODE
  (cd "$dir/more" && find . | cpio -o -H newc --quiet) >"$dir/more.cpio"
  cat "$dir/more.cpio" "$guest_dir/initrd" >"$dir/initrd"
}

of_node() { guest ". /lab/node.sh; $1" "${2:-60}"; }
like() { [[ $said =~ ^$1$ ]]; }
