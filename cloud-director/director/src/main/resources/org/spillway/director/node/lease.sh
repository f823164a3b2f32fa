# shellcheck shell=sh
# shellcheck disable=SC2154
# Says all that is known here and asks for more time. The time counts from before the question was sent. Several of one
# process may be under way, that a job began and that it ended: none leans on a file that another one clears away.
renew() {
  now
  asked=$NOW
  told=$({
    # Readiness before the gate: what is read in between is of the same turn, or said to be not ready.
    echo 'spillway-report 2'
    for word in ready image; do
      value=
      read -r value <"$S/$word"
      frame "$word" "$value"
    done
    cat "$S/gate" "$S/notice" "$S"/jobs/*/report
  } 2>/dev/null | call -f --max-time 10 --data-binary @- "$URL/lease" 2>/dev/null) || told=
  case $told in
    'lease '*[!0-9]*) return 1 ;;
    'lease '*)
      granted=${told#lease }
      # Under a name of its own: the watchdog takes an empty file for the end.
      due=$((asked + granted / 10))
      # In its place where a full disk takes no other file.
      { term=$(mktemp "$S/lease.XXXXXX") && echo "$due" >"$term" && mv "$term" "$S/lease"; } || {
        rm -f "$term"
        echo "$due" 1<>"$S/lease"
      }
      ;;
    'end '*) give_up "${told#end }" ;;
    *) return 1 ;;
  esac
}

lease_loop() {
  granted=0
  while ! off; do
    tenths=5
    (bury_dead_runners)
    [ ! -s "$S/slot" ] || beside manager
    # A network service that starts again may have taken the rule away.
    [ -z "${STOCK:-}" ] || shut_metadata
    if renew; then
      # A twentieth of the lease, but 0.5 to 15 seconds, and never all nodes at once.
      tenths=$((granted / 2000))
      [ "$tenths" -ge 5 ] || tenths=5
      [ "$tenths" -le 150 ] || tenths=150
      tenths=$((tenths - tenths * (asked % 256) / 1024))
    fi
    pause "$tenths"
  done
}

# The only one who powers off. It trusts no one: when the lease file does not move, the end comes.
watchdog() {
  while [ ! -e "$S/off" ]; do
    now
    read -r until <"$S/lease" || until=0
    if [ -e "$S/end" ]; then
      power_off 2 "$(cat "$S/end")"
    elif [ "$NOW" -ge "$until" ]; then
      power_off 10 'the lease is over'
    else
      pause 5
    fi
  done
}

power_off() {
  say "powering off: $2"
  printf '%s\n' "$2" >"$S/off"
  # A node's last words; a director that cannot hear them in five seconds does not hear them.
  [ ! -s "$S/attempt" ] || timeout 5 sh "$S/agent" said once </dev/null >>"$S/log" 2>&1 &
  for J in "$S"/jobs/*/; do
    [ -d "$J" ] && { stop_job "${J%/}" "$1" "$2" & }
  done
  [ ! -s "$S/manager/program" ] || { manager_parts && manager_stop "$1"; }
  wait
  for J in "$S"/jobs/*/; do
    [ ! -d "$J" ] || uncage "$(basename "$J")"
  done
  # shellcheck disable=SC1091
  [ ! -s "$S/mounts" ] || (. "$S/attempt" && leave_mounts /dev/null)
  if [ -n "$STOCK" ]; then machine_off; else poweroff || poweroff -f; fi
}
