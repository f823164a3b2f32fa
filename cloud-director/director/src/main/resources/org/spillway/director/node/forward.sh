# shellcheck shell=sh
# shellcheck disable=SC2154
# Services of home for jobs (ADR 77): facts have a line NAME HOST PORT,PORT for each. In the job's room the host's name is an address of
# this machine at which the program of forward.pl listens for this attempt alone; it goes with the attempt.

# Before the room has its names. Without a service that it may need a job starts all the same, and its node's log says why.
forwards_begin() {
  sed -n 's/^forward //p' "$J/facts" >"$J/forward.list"
  [ -s "$J/forward.list" ] || return 0
  why=$(forwards_lack)
  [ -n "$why" ] || forwards_listen || why=$(head -c 200 "$J/forward.said")
  [ -z "$why" ] || say "services of home cannot be reached: $why" 2>>"$S/log"
}

forwards_lack() {
  if [ -z "$ROOM" ] || [ ! -e /etc/hosts ]; then
    echo 'jobs here have no names of their own'
  elif ! command -v perl >/dev/null; then
    echo 'there is no perl here'
  fi
}

forwards_listen() {
  printf '%s' "$forward_program" >"$J/forward.program" || return 1
  set --
  while read -r each; do set -- "$@" "$each"; done <"$J/forward.list"
  name=${DIRECTOR#[}
  # A user decides what it holds: when memory is short it goes before the agent does.
  sh -c '{ echo 0 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$@"' forward \
    perl "$J/forward.program" "$J" "$JOB/$ATTEMPT" "$uid" "$#" "$@" openssl s_client -quiet -noservername -verify_quiet -verify_return_error \
    -verify_ip "${name%]}" -CAfile "$S/ca.pem" -cert "$S/node.pem" -bind "$ADDRESS:0" -connect "$DIRECTOR:$HTTPS_PORT" \
    </dev/null >"$J/forward.said" 2>>"$S/log" 3>&- 4>&- 6<&- 7<&- 9<&- &
  echo "$!" >"$J/forward"
  tries=0
  until [ -e "$J/forwards" ]; do
    tries=$((tries + 1))
    alive "$J/forward" && [ "$tries" -lt 200 ] || return 1
    pause 1
  done
}

# A number that is another process's by now is known by its words.
forwards_end() {
  read -r process <"$J/forward" && grep -qsF "$J/forward.program" "/proc/$process/cmdline" && kill -TERM "$process"
  rm -f "$J/forward"
} 2>/dev/null

# The services of the site, as nodes of it are to have them.
no_forwards() {
  FORWARDS=no
  call -f --max-time 10 -o "$S/forwards.new" "$URL/forwards" && mv "$S/forwards.new" "$S/forwards" || return 1
  FORWARDS=yes
  [ ! -s "$S/forwards" ]
}

# Ports that a program of this machine has on all addresses cannot be had. Judged where rooms are required, as names are.
check_forwards() {
  DETAIL='no answer'
  [ "$FORWARDS" = yes ] || return 1
  room_find
  DETAIL=$(forwards_lack)
  [ -z "$DETAIL" ] && forwards_try && return 0
  DETAIL="services of home cannot be reached: $DETAIL"
  [ "${ISOLATION:-}" != required ]
}

forwards_try() {
  printf '%s' "$forward_program" >"$S/forward.program"
  set --
  while read -r each; do set -- "$@" "$each"; done <"$S/forwards"
  DETAIL=$(perl "$S/forward.program" - '' 0 "$#" "$@" 2>&1 | head -c 200)
  [ -z "$DETAIL" ] || return 1
  DETAIL=$(cut -d ' ' -f 1,2 "$S/forwards" | tr '\n' ',' | sed 's/,$//; s/,/, /g')
}
