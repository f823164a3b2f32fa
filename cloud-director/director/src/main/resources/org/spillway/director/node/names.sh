# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034,SC2016
# Names of a job's nodes: in its room /etc/hosts has the machine's own lines, then those of the job's nodes and of the director.
# A job without a room finds addresses in SPILLWAY_PEERS, and no names.

# NAMES PEERS, by rank and with commas: the whole file. What this machine's own file has a name for is left as it is there.
hosts_text() {
  awk -v names="$1" -v peers="$2" -v director="$DIRECTOR" '
    function line(address, own, rank) {
      text = ""
      if (!(tolower(own) in taken)) text = text " " own
      if (rank != "" && !(rank in taken)) text = text " " rank
      if (text != "") print address text
    }
    { print; sub(/#.*/, ""); for (i = 2; i <= NF; i++) taken[tolower($i)] = 1 }
    END {
      all = split(names, name, ",")
      split(peers, peer, ",")
      for (n = 1; n <= all; n++) line(peer[n], name[n], "rank-" (n - 1))
      gsub(/[][]/, "", director)
      line(director, "spillway-director", "")
    }' /etc/hosts
}

# NAMES: what the job finds there. A service of home is found before what this machine knows by that name.
hosts_file() {
  { cat "$J/forwards" 2>/dev/null; hosts_text "$1" "$peers"; } >"$J/hosts" && chmod 644 "$J/hosts"
}

# NAMES: those that the job finds by name; empty where it has no names.
name_peers() {
  NAMES=
  [ -n "$ROOM" ] && [ -e /etc/hosts ] || return 0
  read -r own <"$S/node"
  [ "$nodes" -gt 1 ] || names=$own
  # Until all of a gang are ordered: it does not start before.
  until [ -n "$names" ]; do
    ! off && [ ! -e "$J/stop" ] || return 0
    pause 5
    call -f --max-time 10 -o "$J/facts.new" "$URL/jobs/$JOB/$ATTEMPT/facts" && names=$(fact names "$J/facts.new")
  done
  case $names in - | *[!A-Za-z0-9,-]*)
    [ ! -e "$J/forwards" ] || hosts_file ''
    return
    ;;
  esac
  hosts_file "$names" || return 1
  NAMES=$names
  # As the gate found it.
  [ ! -e "$S/uts" ] || echo "$own" >"$J/hostname"
}

# A FILE with a name, and a command. The name is given to whoever unshare --uts has just begun this for, and never to the machine.
name_words='read -r name <"$0" && echo "$name" 2>/dev/null >/proc/sys/kernel/hostname; exec "$@"'

# Names as a job finds them, there and back. Judged where rooms are required; a workload manager has names of its own.
check_names() {
  read -r own <"$S/node"
  names_try && return 0
  [ "${ISOLATION:-}" != required ]
}

names_try() {
  room_find
  rm -f "$S/uts"
  DETAIL='jobs have none: they have no room'
  [ -n "$ROOM" ] || return 1
  DETAIL='jobs have none: this machine has no /etc/hosts'
  [ -e /etc/hosts ] || return 1
  DETAIL='jobs have none: they could not be written'
  hosts_text "$own" "$ADDRESS" >"$S/hosts.try" && chmod 644 "$S/hosts.try" || return 1
  [ "$(unshare --uts sh -c "$name_words" "$S/node" uname -n 2>/dev/null)" != "$own" ] || : >"$S/uts"
  DETAIL='not looked at: no getent'
  command -v getent >/dev/null || return 0
  wrong=$(timeout -s KILL 10 unshare -m sh -c 'mount --bind "$0" /etc/hosts || exit 1
    for each; do getent hosts "$each" >/dev/null || { echo "$each"; exit; }; done' "$S/hosts.try" "$own" "$ADDRESS" spillway-director 2>&1)
  code=$?
  DETAIL="$own, spillway-director"
  [ "$code" -ne 0 ] || [ -n "$wrong" ] || return 0
  DETAIL="jobs do not find ${wrong:-$own} by /etc/hosts: is it asked before other services here (nsswitch.conf, nscd)?"
  return 1
}
