# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034,SC2046
# Whether this machine is fit for jobs: at the gate, after each job, and every five minutes. A site's own checks are programs
# in spillway/health.d of image and overlays, by the conventions of NHC: exit code 0 is well, else what they say is why.
HEALTH_SECONDS=30
# Xids by which the machine is at fault and not its job (NVIDIA's catalogue): memory that cannot be corrected or remapped,
# NVLink, fallen off the bus, an engine of the board that does not answer.
HEALTH_XIDS='48|63|64|74|79|94|95|119|120|140'

# Behind all other checks of the gate, each of a node that has passed those before.
last_checks() {
  busy='' idle=''
  for check in mounts root names forwards containers health; do
    [ "$passed" = yes ] || break
    case $check in mounts | root | forwards) ! "no_$check" || continue ;; esac
    judge
  done
}

check_health() {
  for ail in gpus xids mounts; do "ails_$ail" || return 1; done
  [ -n "$busy" ] || for ail in disk memory load; do "ails_$ail" || return 1; done
  read -r sha <"$S/image"
  own_checks "$IMAGES/$sha" || return 1
  [ -s "$S/overlays" ] || { DETAIL=well; return 0; }
  while read -r _ sha _; do own_checks "$IMAGES/$sha" || return 1; done <"$S/overlays"
  DETAIL=well
}

own_checks() {
  for own in "$1"/spillway/health.d/*; do
    [ -f "$own" ] && [ -x "$own" ] || continue
    # A check says 2 MiB at most.
    (ulimit -f 4096 && SPILLWAY_OVERLAY=$1 exec timeout -k 2 "$HEALTH_SECONDS" "$own") </dev/null >"$S/health.out" 2>&1
    code=$?
    [ "$code" -ne 0 ] || continue
    why=$(grep -a -m 1 '^ERROR' "$S/health.out" || grep -a -v '^ *$' "$S/health.out" | tail -n 1)
    case $code in 124 | 137) why="no answer in $HEALTH_SECONDS s" ;; esac
    DETAIL="health.d/${own##*/}: ${why:-exit code $code}"
    head -c 4096 "$S/health.out" >&2
    return 1
  done
}

# A pretended machine's hardware is in files of its folder: the memory and the load of the one below are not its own.
fact_file() {
  if [ -r "$DISK/$1" ]; then told=$DISK/$1; elif [ -n "$STOCK" ]; then told=/proc/$1; else return 1; fi
}

ails_gpus() {
  counted=0
  read -r counted <"$S/gpus.counted" || return 0
  [ "$counted" -gt 0 ] || return 0
  left=$counted
  if [ -r "$DISK/gpus" ]; then
    read -r left <"$DISK/gpus"
  elif command -v nvidia-smi >/dev/null; then
    left=$(timeout "$HEALTH_SECONDS" nvidia-smi -L | grep -c '^GPU ')
  fi
  DETAIL="gpus: $left of $counted are left"
  [ "${left:-0}" -ge "$counted" ]
}

ails_xids() {
  if [ -r "$DISK/kmsg" ]; then fatal=$(cat "$DISK/kmsg"); elif [ -n "$STOCK" ]; then fatal=$(dmesg 2>/dev/null); else return 0; fi
  fatal=$(printf '%s\n' "$fatal" | grep -E "NVRM: Xid .*: ($HEALTH_XIDS)(,|\$)" | tail -n 1)
  DETAIL="xids: $fatal"
  [ -z "$fatal" ]
}

# A disk that jobs have filled and that is full without them.
ails_disk() {
  set -- $(df -Pk "$WORK" 2>/dev/null | awk 'END { print $2, $4 }')
  [ "$#" -eq 2 ] || return 0
  DETAIL="disk: $(($2 / 1024)) MiB of $(($1 / 1024)) are free"
  [ "$2" -ge 1048576 ] || [ "$(($2 * 20))" -ge "$1" ]
}

ails_memory() {
  fact_file meminfo || return 0
  set -- $(awk '$1 == "MemTotal:" { all = $2 } $1 == "MemAvailable:" { left = $2 } END { print all, left }' "$told")
  [ "$#" -eq 2 ] || return 0
  DETAIL="memory: $(($2 / 1024)) MiB of $(($1 / 1024)) are free, and no job is here"
  [ "$(($2 * 10))" -ge "$1" ]
}

# Five minutes behind the last job its load is no longer among what the kernel averages.
ails_load() {
  [ "${idle:-0}" -ge 30000 ] && fact_file loadavg || return 0
  read -r load rest <"$told"
  DETAIL="load: $load, and no job has been here for five minutes"
  [ "${load%.*}" -lt "$(nproc)" ]
}

# A node that fails twice in a row says so in its report; the head drains it. A job that is here goes on.
watch_health() {
  jobs='' strikes=0 looks=true
  # An agent of an earlier release has no such part.
  grep -qs '^drift)' "$S/agent" || looks=false
  now
  last=$NOW since=$NOW
  while ! off; do
    ! "$looks" || beside drift
    pause 50
    now
    busy=
    for J in "$S"/jobs/*/; do [ ! -d "$J" ] || [ -e "$J/exit" ] || busy=yes; done
    set -- "$S"/jobs/*/exit
    [ -z "$busy" ] || since=$NOW
    idle=$((NOW - since))
    [ "$*" != "$jobs" ] || [ "$strikes" -gt 0 ] || [ "$((NOW - last))" -ge 30000 ] || [ -e "$S/unfit" ] || continue
    rm -f "$S/unfit"
    jobs=$* last=$NOW DETAIL=
    if check_health; then strikes=0; else strikes=$((strikes + 1)); fi
    [ "$strikes" -eq 1 ] || tell_health
  done
}

tell_health() {
  result=ok
  [ "$strikes" -eq 0 ] || result=failed
  tell_gate health "$result" "$DETAIL"
}

# CHECK RESULT DETAIL, of a node that serves: in the report from now on.
tell_gate() {
  line=$(frame gate "$1" "$2" "$(printf '%.300s' "$3")")
  {
    flock 8
    ! grep -qxF "$line" "$S/gate" || return 0
    { grep -v "^[0-9]*:gate $1 " "$S/gate"; printf '%s\n' "$line"; } >"$S/gate.$1"
    mv "$S/gate.$1" "$S/gate"
  } 8>"$S/gate.lock"
  say "$line"
  renew
}
