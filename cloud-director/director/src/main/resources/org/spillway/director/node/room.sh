# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034,SC2016
# The room of an attempt, made of namespaces of the kernel's: its own /tmp, /var/tmp, /dev and /dev/shm, and a view of its
# own processes only. Few processes are begun here: this is part of each job's start.

# ROOM: what unshare is told, as the gate found it; empty where this machine lets nobody build one.
room_find() {
  ROOM=''
  { [ "${ISOLATION:-}" = off ] || read -r ROOM <"$S/room"; } 2>/dev/null
  room_view
}

# Where processes cannot have a numbering of their own (and a /proc with it), those of others are hidden.
room_view() {
  case $ROOM in *--pid*) view='' ;; *) view=,hidepid=2 ;; esac
}

# The first process in a new room, as root: J DISK S DEVICES NAMED VIEW STOP PLACE, and its command. What a local cloud has
# its disks in stays, where that is below /tmp.
room_walls='trap '\''echo "its room could not be built" >>"$J/caged"; exit 125'\'' EXIT
set -e
J=$0 disk=$1 S=$2 devices=$3 named=$4 view=$5 stop=$6 place=$7
shift 7
mount -t tmpfs -o nosuid,mode=755 dev "$J/own/dev"
tar -xpf "$S/room.tar" -C "$J/own/dev"
[ -z "$devices" ] || {
  cd "$S/pretended" 2>/dev/null || cd /dev
  cp -dpR --parents -- $devices "$J/own/dev"
}
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,nosuid,noexec devpts "$J/own/dev/pts"
mount --move "$J/own/dev" /dev
[ ! -e "$J/hosts" ] || mount --bind "$J/hosts" /etc/hosts
[ -z "$named" ] || { mount --bind "$J/passwd" /etc/passwd && mount --bind "$J/group" /etc/group; }
[ -z "$view" ] || mount -t proc -o "nosuid,nodev,noexec$view" proc /proc
for own in /var/tmp /tmp; do
  top=
  case $disk/ in "$own"/?*) top=${disk#"$own"/} top=$own/${top%%/*} && exec 8<"$top" ;; esac
  mount --bind "$J/own$own" "$own"
  [ -z "$top" ] || { mount -c -o X-mount.mkdir=711 --rbind /proc/self/fd/8 "$top" && exec 8<&-; }
done
[ ! -s "$J/reach/place" ] || {
  read -r home layers <"$J/reach/place"
  (umask 022 && mkdir -p "$home")
  sh -c "$(cat "$J/reach/lay")" "$J/reach" "$home" "$layers"
  cd "$J/reach"
  while read -r each; do
    (umask 022 && mkdir -p "$each")
    mount --bind "all$each" "$each"
  done <paths
}
cd "$place"
[ -z "$stop" ] || [ ! -e "$J/walls" ] || . "$J/walls"
[ -z "$stop" ] || [ ! -e "$J/enter" ] || . "$J/enter"
[ -z "$stop" ] || [ ! -e "$stop" ] || { trap - EXIT; exit 143; }
exec 9<&-
exec "$@"'

# J: its folders on this machine; what is put there is bounded by the disk alone, as before.
room_make() {
  mkdir -p -m 1777 "$1/own/tmp" "$1/own/var/tmp" "$1/own/dev"
}

# Devices that every job has; those that a machine lacks are left out.
room_template() {
  rm -rf "$S/room.dev" "$S/pretended"
  set --
  for each in null zero full random urandom tty fd stdin stdout stderr infiniband fuse gdrdrv knem xpmem; do
    [ ! -e "/dev/$each" ] && [ ! -L "/dev/$each" ] || set -- "$@" "$each"
  done
  mkdir -m 755 "$S/room.dev" "$S/room.dev/pts" && mkdir -m 1777 "$S/room.dev/shm" && ln -s pts/ptmx "$S/room.dev/ptmx" &&
    tar -cf "$S/room.tar" -C /dev "$@" -C "$S/room.dev" pts shm ptmx || return 1
  rm -rf "$S/room.dev"
  # A local cloud's GPUs are files.
  [ ! -r "$DISK/gpus" ] || {
    mkdir -m 755 "$S/pretended" && read -r count <"$DISK/gpus" || return 1
    while [ "${count:-0}" -gt 0 ]; do
      count=$((count - 1))
      echo "$count" >"$S/pretended/nvidia$count" && chmod 666 "$S/pretended/nvidia$count" || return 1
    done
  }
}

# Rooms are built and looked at, the strictest first.
room_try() {
  : >"$S/room"
  NO_ROOM='own files, processes and devices: the agent is not root'
  [ "$(id -u)" -eq 0 ] || return 1
  NO_ROOM='own devices: they cannot be copied'
  room_template || return 1
  for ROOM in '--mount --ipc --pid --fork --kill-child=KILL --mount-proc' '--mount --ipc'; do
    room_view
    rm -rf "$S/room.try"
    room_make "$S/room.try"
    # shellcheck disable=SC2086
    NO_ROOM="own files, processes and devices: $(unshare $ROOM sh -c "$room_walls" "$S/room.try" "$DISK" "$S" '' '' "$view" '' "$DISK" \
      setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps=-all -- \
      sh -c ': >/tmp/probe && : >/dev/shm/probe && : >/dev/null && [ ! -e "$0/agent" ] && {
        [ "$$" -eq 1 ] || [ ! -e /proc/1/exe ]; } && exit 0; echo "not as they should be"; exit 1' "$S" 2>&1 | head -c 150)"
    [ -e "$S/room.try/own/tmp/probe" ] && [ ! -e "$S/room.try/caged" ] && case $NO_ROOM in *'devices: ') true ;; *) false ;; esac && {
      printf '%s\n' "$ROOM" | put "$S/room"
      rm -rf "$S/room.try"
      return 0
    }
  done
  rm -rf "$S/room.try"
  return 1
}

# The means of this machine to keep jobs apart: told, and judged where the head wants it.
isolation() {
  DETAIL='off, as configured'
  [ "${ISOLATION:-}" != off ] || return 0
  missing=
  cage_find && cage_note && cage_try || missing=$NO_CAGE
  room_try || missing="$missing${missing:+; }$NO_ROOM"
  over_try
  DETAIL='memory, CPUs, number of processes, and their end; own files, processes and devices'
  [ -n "$missing" ] || return 0
  DETAIL=$missing
  [ "${ISOLATION:-}" = required ] && return 1
  # Told, and judged by nobody.
  check=isolation-lacks
}

# DEVICES: the files of the GPUs that the attempt was given; all, where it has the node for itself.
room_devices() {
  DEVICES=''
  [ -n "$ROOM" ] && [ "${gpus:-all}" != 0 ] || return 0
  if [ -d "$S/pretended" ]; then
    wanted=$(cd "$S/pretended" && echo nvidia*)
    [ -z "$gpus" ] || wanted=nvidia$(printf %s "$TAKEN" | sed 's/,/ nvidia/g')
    DEVICES=$wanted
    return 0
  fi
  # By their place on the bus, as the drivers count them.
  index=0
  cards=$(cat /proc/driver/nvidia/gpus/*/information 2>/dev/null | sed -n 's/^Device Minor:[^0-9]*//p')
  for card in $cards; do room_wants "nvidia$card"; done
  index=0
  for card in /dev/dri/renderD*; do room_wants "${card#/dev/}"; done
  [ -z "$DEVICES" ] || for each in /dev/nvidiactl /dev/nvidia-* /dev/kfd; do
    [ ! -e "$each" ] || DEVICES="$DEVICES ${each#/dev/}"
  done
}

room_wants() {
  case ${gpus:+,$TAKEN,} in '' | *,$index,*) [ ! -c "/dev/$1" ] || DEVICES="$DEVICES $1" ;; esac
  index=$((index + 1))
}

# JOB: what it left in its own folders.
room_end() { rm -rf "$S/jobs/$1/own"; }
