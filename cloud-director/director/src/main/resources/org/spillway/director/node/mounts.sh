# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034,SC2016
# Storage that a site gives its nodes: mounted at the gate, looked at by the health check, left with the node. S/mounts is the
# director's list, lines SECONDS TYPE PLACE SOURCE OPTIONS. Of each place S/mounts.d has .held (its line, and what the kernel's
# table and statfs said of it), and .begun while it is being mounted.

# The list is asked for once for each look at the gate.
no_mounts() {
  mkdir -p "$S/mounts.d"
  LISTED=no
  call -f --max-time 10 -o "$S/mounts.new" "$URL/mounts" && mv "$S/mounts.new" "$S/mounts" || return 1
  LISTED=yes
  set -- "$S"/mounts.d/*
  [ ! -s "$S/mounts" ] && [ ! -e "$1" ]
}

check_mounts() {
  DETAIL='no answer'
  [ "$LISTED" = yes ] || return 1
  find "$S" -maxdepth 1 -name 'mounts.[sw]*.*' -mmin +30 -exec rm -f {} +
  readlink /proc/self/ns/mnt >"$S/mounts.space"
  leave_mounts "$S/mounts"
  DETAIL='the agent is not root'
  [ ! -s "$S/mounts" ] || [ "$(id -u)" -eq 0 ] || return 1
  each_mount place_mount
}

# FUNCTION: for all lines at once, each in a process of its own, so that the slowest is what all take. DETAIL is what came of it.
each_mount() {
  function=$1 comma=
  set --
  rm -f "$S"/mounts.why."$$".*
  while read -r seconds type at from options; do
    place=$S/mounts.d/$(printf %s "$at" | tr / ,)
    ("$function") &
    set -- "$@" "$!"
  done <"$S/mounts"
  for process; do wait "$process"; done
  set -- "$S"/mounts.why."$$".*
  if [ -e "$1" ]; then
    DETAIL=$(cat "$@" | paste -sd ';' - | sed 's/;/; /g')
    return 1
  fi
  DETAIL=$(while read -r _ _ at from _; do
    printf '%s%s from %s' "$comma" "$at" "$from"
    comma=', '
    made=$(cat "$S/mounts.d/$(printf %s "$at" | tr / ,).made" 2>/dev/null)
    printf %s "${made:+ ($made)}"
  done <"$S/mounts")
}

lacks() { printf '%s: %.200s\n' "$at" "$(printf %s "$*" | tr ';\n' ', ')" >"$S/mounts.why.$$.${place##*/}"; }

# FILE: what a program said last, without mount's advice where to look further.
last_line() { grep -a -v -e '^ *$' -e 'dmesg(1)' "$1" | tail -n 1; }

# SECONDS COMMAND...: its exit code, 137 when its time is over; SAID is the file of its words. A process that the kernel does
# not let go is left behind: nobody waits for it.
bounded() {
  limit=$1
  shift
  SAID=$(mktemp "$S/mounts.said.XXXXXX") || return 1
  { timeout -s KILL "$limit" "$@" </dev/null >"$SAID" 2>&1; echo "$?" >"$SAID.code"; } >/dev/null 2>&1 &
  tries=0
  until [ -s "$SAID.code" ]; do
    [ "$tries" -lt "$((limit * 10 + 20))" ] || return 137
    tries=$((tries + 1))
    pause 1
  done
  read -r code <"$SAID.code"
  rm -f "$SAID.code"
  return "$code"
}

# PLACE: device, root, type, source and ro or rw of what lies on top there. The kernel's own table: no server is asked.
mounted_at() {
  awk -v at="$1" '$5 == at {
      for (i = 7; i < NF && $i != "-"; i++);
      line = $3 " " $4 " " $(i + 1) " " $(i + 2) " " substr($6, 1, 2) "/" substr($(i + 3), 1, 2)
    }
    END { if (line) print line }' /proc/self/mountinfo
}

# TYPE SOURCE PLACE OPTIONS PROGRAM WORDS, in a process that may be killed at any time. Of NFS a soft mount that nobody else sees
# comes first: a hard one of a server that does not answer would hold whoever looks at it. The last line is what statfs says.
mount_words='set -e
umask 022
type=$1 from=$2 at=$3 program=$5
options=nosuid,nodev
[ "$4" = - ] || options=$options,$4
mkdir -p -- "$at"
real=$(readlink -f -- "$at")
[ "$real" = "$at" ] || { echo "a link leads from there to $real"; exit 1; }
case $type in
  nfs | nfs4)
    [ -n "$program" ] || unshare -m sh -c '\''mount -t "$1" -o "$4,soft,timeo=50,retrans=1,retry=0" -- "$2" "$3" && stat -f -- "$3" >/dev/null'\'' \
      mount "$type" "$from" "$at" "$options"
    ;;
esac
if [ -n "$6" ]; then sh -c "$6" scratch "$from" "$at" -o "$options"
elif [ -n "$program" ]; then "$program" "$from" "$at" -o "$options"; else mount -t "$type" -o "$options" -- "$from" "$at"; fi
exec stat -f -c "%t %i" -- "$at"'

# A type that the image or an overlay has a program for is mounted by that, called as mount(8) calls its helpers; scratch is
# always the agent's own.
own_mount() {
  program='' words=''
  [ "$type" != scratch ] || words=$scratch_words
  read -r sha <"$S/image"
  for tree in $sha $(awk '{ print $2 }' "$S/overlays" 2>/dev/null); do
    [ ! -x "$IMAGES/$tree/spillway/mount.$type" ] || program=$IMAGES/$tree/spillway/mount.$type
  done
}

# A file system that is there by the same line stays. Somebody else's is left alone, and is a mistake.
place_mount() {
  wanted="$type $from $options"
  is=$(mounted_at "$at")
  if [ -n "$is" ]; then
    held=
    { read -r held && read -r was; } 2>/dev/null <"$place.held"
    [ "$held" != "$wanted" ] || [ "$is" != "$was" ] || { look_at_mount; return; }
    if [ -e "$place.begun" ] || { [ -n "$held" ] && [ "$is" = "$was" ]; }; then
      detach "$at"
    else
      lacks "another file system is mounted there: $is"
      return
    fi
  fi
  rm -f "$place.held"
  : >"$place.begun"
  own_mount
  bounded "$seconds" sh -c "$mount_words" mount "$type" "$from" "$at" "$options" "$program" "$words"
  code=$?
  rm -f "$place.made"
  [ -z "$words" ] || tail -n 2 "$SAID" | head -n 1 >"$place.made"
  last=$(last_line "$SAID")
  is=$(mounted_at "$at")
  if [ "$code" -eq 0 ] && [ -n "$is" ]; then
    printf '%s\n' "$wanted" "$is" "$last" | put "$place.held"
  else
    case $code in
      0) last='nothing is mounted there' ;;
      137) last="no answer in $seconds s" ;;
    esac
    lacks "${last:-mount ended with $code}"
    [ -z "$is" ] || detach "$at"
  fi
  rm -f "$place.begun" "$SAID"
}

# The same file system as at the gate, and it answers.
look_at_mount() {
  { read -r held && read -r was && read -r fs; } 2>/dev/null <"$place.held" || { lacks 'it is not mounted'; return; }
  is=$(mounted_at "$at")
  [ -n "$is" ] || { lacks 'it is not mounted any more'; return; }
  [ "$is" = "$was" ] || { lacks "another file system than at the gate: $is, not $was"; return; }
  bounded "$seconds" stat -f -c '%t %i' -- "$at"
  code=$?
  last=$(last_line "$SAID")
  case $code in
    0) [ "$last" = "$fs" ] || lacks "another file system than at the gate: $last, not $fs" ;;
    137) lacks "no answer in $seconds s" ;;
    *) lacks "${last:-stat ended with $code}" ;;
  esac
  rm -f "$SAID"
}

# PLACE: gone from here at once, and for who has files open there with the last of them. No server is asked.
detach() {
  bounded 5 umount -l -c -i -- "$1"
  rm -f "$SAID"
}

# LIST: whatever is mounted here by us and is on none of its lines.
leave_mounts() {
  for held in "$S"/mounts.d/*.held "$S"/mounts.d/*.begun; do
    [ -e "$held" ] || continue
    at=${held##*/}
    at=$(printf %s "${at%.*}" | tr , /)
    awk -v at="$at" '$3 == at { found = 1 } END { exit !found }' "$1" && continue
    is=$(mounted_at "$at")
    was=$(sed -n 2p "$held")
    [ -z "$is" ] || { [ "$is" != "$was" ] && [ "${held%.begun}" = "$held" ]; } || detach "$at"
    rm -f "$held" "${held%.*}.made"
  done
}

# In each look at this machine's health. A process in another room of mounts than the gate's sees nothing of them.
ails_mounts() {
  [ -s "$S/mounts" ] && [ "$(readlink /proc/self/ns/mnt)" = "$(cat "$S/mounts.space" 2>/dev/null)" ] || return 0
  each_mount look_at_mount && return 0
  DETAIL="mounts: $DETAIL"
  return 1
}

# Of each job before its start, by the kernel's table alone: an empty folder is no storage.
mounts_there() {
  [ ! -s "$S/mounts" ] || while read -r _ _ at _; do
    was=$(sed -n 2p "$S/mounts.d/$(printf %s "$at" | tr / ,).held" 2>/dev/null)
    DETAIL="$at is not mounted as it was"
    [ -n "$was" ] && [ "$(mounted_at "$at")" = "$was" ] || return 1
  done <"$S/mounts"
}

# A job that finds its node without its storage does not fail for that. The node is sick now, and is looked at; behind the other
# jobs that are here it ends itself, and this one begins elsewhere.
await_mounts() {
  : >"$J/unmounted"
  : >"$S/unfit"
  say "$DETAIL"
  looks=0
  until mounts_there; do
    [ ! -e "$J/stop" ] || refuse 'stopped before it started'
    ! off || exit 0
    looks=$((looks + 1))
    grep -q '^[0-9]*:gate health failed ' "$S/gate" || [ "$looks" -gt 30 ] && alone_here && give_up "$DETAIL"
    pause 20
  done
  rm -f "$J/unmounted"
}

# No job is here but those that cannot start.
alone_here() {
  for other in "$S"/jobs/*/; do
    [ -e "$other/unmounted" ] || [ -e "$other/exit" ] || ! alive "$other/runner" || return 1
  done
}
