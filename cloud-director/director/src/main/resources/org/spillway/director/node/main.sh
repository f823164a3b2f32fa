# shellcheck shell=sh
# shellcheck disable=SC2154
orders() {
  version=none
  tenths=2
  while ! off; do
    if call -f --max-time 30 -o "$S/orders" "$URL/orders?after=$version" 2>/dev/null; then
      tenths=2
      next=$(fact version "$S/orders")
      [ "$next" = "$version" ] || follow_orders
      version=$next
    else
      pause "$tenths"
      [ "$tenths" -ge 20 ] || tenths=$((tenths * 2))
    fi
  done
}

follow_orders() {
  while read -r verb job attempt more; do
    case $job$attempt$more in *[!A-Za-z0-9-]*) continue ;; esac
    case $verb in
      start) start_job "$job" "$attempt" ;;
      serve)
        printf '%s\n' "$job $attempt $more" | put "$S/slot"
        beside manager
        ;;
      certificate) beside renewal ;;
      account | ahead | session | drift) (setsid sh "$S/agent" "$verb" "$job" </dev/null >>"$S/log" 2>&1 &) ;;
      turn) [ "$job" = "$(cat "$S/turn" 2>/dev/null)" ] || become_another ;;
      stop)
        # Also when it never came here: the head waits for an end.
        if mkdir "$S/locks/$job.$attempt" 2>/dev/null; then
          attempt_facts "$job" "$attempt"
          mkdir -p "$J"
          tell REFUSED 'cancelled before it started'
          renew
        elif [ -d "$S/jobs/$job.$attempt" ]; then
          (stop_job "$S/jobs/$job.$attempt" 10 cancelled &)
        fi
        ;;
    esac
  done <"$S/orders"
  for J in "$S"/jobs/*/; do
    [ -d "$J" ] || continue
    name=$(basename "$J")
    grep -Eq "^(start|stop) ${name%.*} ${name##*.}\$" "$S/orders" || forget_job "${J%/}"
  done
}

# Out of service at once, and through the gate again as what the manifest names now.
become_another() {
  say 'the head makes another of this node'
  echo no >"$S/ready"
  renew
  exec sh "$S/agent" </dev/null
}

# NAME: a loop of its own that survives this process, once: two that ask at the same time get one. Its pid is written here
# and nowhere else; setsid keeps it, as what a script puts into the background leads no group.
beside() {
  alive "$S/$1.pid" && return
  {
    flock 8
    alive "$S/$1.pid" || (setsid sh "$S/agent" "$1" </dev/null >>"$S/log" 2>&1 8>&- & echo "$!" >"$S/$1.pid")
  } 8>"$S/beside.lock"
}

# The program for the workload manager comes from the director: user data has no room for it.
manager_parts() {
  [ -s "$S/slot" ] && read -r manager _ <"$S/slot" || return 1
  mkdir -p "$S/manager"
  program=$S/manager/program
  [ -s "$program" ] || { call -f --max-time 20 -o "$program.$$" "$URL/manager/program" && mv "$program.$$" "$program"; }
  # shellcheck disable=SC1090
  [ -s "$program" ] && . "$program"
}

# A pretended machine mounts where only its own processes see it: the machine below has other uses.
own_space() {
  [ -z "$STOCK" ] && [ -z "${OWN_SPACE:-}" ] || return 0
  export OWN_SPACE=yes
  set -- unshare -m --propagation slave
  ! "$@" true 2>/dev/null || exec "$@" sh "$S/agent"
}

# Settings as they are in the user data, and the body that was packed there.
unpack_agent() {
  mkdir -p "$S/jobs" "$S/locks" "$WORK" "$IMAGES"
  chmod 711 "$WORK" "$IMAGES"
  [ -z "$STOCK" ] || chmod 711 "$DISK"
  { sed '/^BODY=/,$d' "$0" && printf '%s\n' "$BODY"; } | put "$S/agent" || exit 1
  [ -n "$STOCK" ] || start_with_power
}

# A local cloud runs what lies there whenever it powers this instance on again; its boots are not the kernel's.
start_with_power() {
  mkdir -p "$DISK/per-boot"
  printf '#!/bin/sh\nrm -f %s/life\nexec sh %s/agent </dev/null >>%s/log 2>&1\n' "$S" "$S" "$S" >"$DISK/per-boot/spillway-node"
}

boot() {
  { echo -900 >/proc/self/oom_score_adj; } 2>/dev/null
  printf '%s\n' "$CA_PEM" >"$S/ca.pem"
  printf '%s\n' "$IMAGE_KEY_PEM" >"$S/image.key"
  [ -s "$S/curl" ] || printf 'silent\nshow-error\nconnect-timeout = 10\nnoproxy = "*"\ncacert = "%s"\ninterface = "%s"\n' \
    "$S/ca.pem" "$ADDRESS" >"$S/curl"
  new_life
  [ -e "$S/ready" ] || echo no >"$S/ready"
  [ -e "$S/image" ] || echo - >"$S/image"
  touch "$S/gate"
  # Until the first lease: admission takes no longer than this.
  patience=$LEASE_SECONDS
  [ "$patience" -ge 60 ] || patience=60
  now
  [ -s "$S/lease" ] || echo "$((NOW + patience * 100))" >"$S/lease"
  beside watchdog
  [ -z "$STOCK" ] || { check_programs; shut_metadata; }
  join_site || exit 1
  use_certificate
  bury_lost_jobs
  beside lease
  beside said
  settled=no
  tenths=3
  until gate; do
    off && exit 1
    renew
    pause "$tenths"
    [ "$tenths" -ge 20 ] || tenths=$((tenths * 2))
  done
  renew
  beside notices
  beside health
  orders
}

instance_facts
case ${1:-boot} in
  boot)
    [ "$0" = "$S/agent" ] || unpack_agent
    if [ -n "$STOCK" ] && [ "$0" != "$S/agent" ]; then settle; else own_space && boot; fi
    ;;
  watchdog)
    watchdog
    ;;
  lease)
    lease_loop
    ;;
  manager)
    . "$S/attempt"
    until manager_parts; do
      off && exit
      pause 20
    done
    manager_serve
    ;;
  renewal)
    . "$S/attempt"
    renew_certificate
    ;;
  account)
    . "$S/attempt"
    tell_accounts
    ;;
  ahead)
    . "$S/attempt"
    fetch_ahead "$2"
    ;;
  session)
    . "$S/attempt"
    open_session "$2"
    ;;
  drift)
    . "$S/attempt"
    if [ "$#" -eq 1 ]; then watch_drift; else drift_asked "$2"; fi
    ;;
  said)
    until [ -s "$S/attempt" ]; do
      off && exit
      pause 20
    done
    . "$S/attempt"
    say_on "${2:-}"
    ;;
  health)
    . "$S/attempt"
    watch_health
    ;;
  notices)
    . "$S/attempt"
    hear_notices
    ;;
  job)
    # shellcheck disable=SC1091
    . "$S/attempt"
    run_job "$2" "$3"
    ;;
esac
