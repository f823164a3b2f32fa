# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# Attempts from outside: folder J for us, folder D where the job works. From inside is attempt.sh, which the director hands out.
tell() {
  frame job "$JOB" "$ATTEMPT" "$1" "$CODE" "$STARTED" "$ENDED" "$RAN_AS" "$2" >"$J/report.new"
  cat "$J/fetched" "$J/results" >>"$J/report.new" 2>/dev/null
  sync "$J/report.new"
  mv "$J/report.new" "$J/report"
}

attempt_facts() {
  JOB=$1 ATTEMPT=$2 CODE=- STARTED=0 ENDED=0 RAN_AS=node
  J=$S/jobs/$1.$2
  D=$WORK/$1.$2
}

# A node that goes says nothing of what it has not begun: its job begins elsewhere.
refuse() {
  ! off || exit 0
  [ ! -s "$J/stop" ] || set -- "$(cat "$J/stop") before it started"
  say "refused: $*"
  tell REFUSED "$*"
  renew
  exit 0
}

# The lock outlives the job's folder: an attempt starts at most once, whatever is said later.
start_job() {
  mkdir "$S/locks/$1.$2" 2>/dev/null || return 0
  attempt_facts "$1" "$2"
  mkdir -p "$J"
  tell ACCEPTED ''
  (setsid sh "$S/agent" job "$1" "$2" </dev/null >>"$J/log" 2>&1 &)
}

# A runner that died with the instance's power does not come back, and the attempt does not start again.
bury_lost_jobs() {
  for lost in "$S"/jobs/*/; do
    [ -d "$lost" ] || continue
    grep -Eq '^[0-9]+:job [^ ]+ [0-9]+ (ENDED|REFUSED)' "$lost/report" 2>/dev/null && continue
    alive "$lost/runner" && continue
    name=$(basename "$lost")
    attempt_facts "${name%.*}" "${name##*.}"
    uncage "$name"
    CODE=137
    tell ENDED 'its runner is gone'
  done
}

# A runner that was killed while the instance goes on can tell nothing, and the head would wait for its word for ever.
bury_dead_runners() {
  for J in "$S"/jobs/*/; do
    J=${J%/}
    [ -s "$J/runner" ] && ! alive "$J/runner" || continue
    # Read after it was seen to be gone: its last word may have been that it ended.
    grep -Eq '^[0-9]+:job [^ ]+ [0-9]+ (ENDED|REFUSED)' "$J/report" 2>/dev/null && continue
    name=${J##*/}
    attempt_facts "${name%.*}" "${name##*.}"
    read -r group 2>/dev/null <"$J/pid" && kill -KILL "-$group" 2>/dev/null
    uncage "$name"
    CODE=137
    tell ENDED 'its runner is gone'
  done
}

# FOLDER GRACE_SECONDS REASON: TERM, patience, KILL; also before it has a process. One that waits for its gang looks
# for the reason itself before it starts.
stop_job() {
  [ -e "$1/exit" ] && return 0
  [ -e "$1/stop" ] || printf '%s\n' "$3" | put "$1/stop"
  [ -e "$1/waiting" ] && return 0
  tries=0
  while [ ! -s "$1/pid" ] && [ ! -e "$1/go" ] && alive "$1/runner" && [ "$tries" -lt 50 ]; do
    tries=$((tries + 1))
    pause 1
  done
  # The workload manager's from here on; its runner shuts the gate, or waits for the end.
  [ -e "$1/go" ] && return 0
  if ! read -r group 2>/dev/null <"$1/pid"; then
    alive "$1/runner" && end_preparation "$1" "$3"
    return 0
  fi
  kill -TERM "-$group" 2>/dev/null
  tries=0
  while [ "$tries" -lt "$(($2 * 10))" ]; do
    [ ! -e "$1/exit" ] && kill -0 "-$group" 2>/dev/null || return 0
    tries=$((tries + 1))
    pause 1
  done
  # A process that waits for the user's home cannot be killed as long as that is there.
  { read -r line <"$1/reach/line" && grep -qszF "$1/reach" "/proc/$line/cmdline" && kill -KILL "$line"; } 2>/dev/null
  kill -KILL "-$group" 2>/dev/null
  : >"$1/killed"
}

# FOLDER REASON: what it fetches may be large.
end_preparation() {
  name=${1##*/}
  kill_runner "$1"
  ! off || return 0
  attempt_facts "${name%.*}" "${name##*.}"
  tell REFUSED "$2 before it started"
  renew
}

kill_runner() {
  kill -KILL "-$(cat "$1/runner")" 2>/dev/null
  (read -r user uid gid groups mine RAN_AS <"$1/who" && sweep "${1##*/}") 2>/dev/null
  uncage "${1##*/}"
}

# JOB.ATTEMPT: all that it began is ended, and its GPUs are others'.
uncage() {
  [ ! -s "$S/attempt" ] || (
    # shellcheck disable=SC1091
    . "$S/attempt"
    reach_end "$S/jobs/$1/reach"
    cage_find
    cage_end "$1"
    give_gpus "$1"
    room_end "$1"
  )
}

forget_job() {
  # Who has said its end is about to give back what others use, too.
  tries=0
  while [ -e "$1/gives" ] && [ "$tries" -lt 100 ] && alive "$1/runner" && grep -Eq '^[0-9]+:job [^ ]+ [0-9]+ (ENDED|REFUSED)' "$1/report" 2>/dev/null; do
    tries=$((tries + 1))
    pause 1
  done
  stop_job "$1" 2 'no longer ordered'
  name=$(basename "$1")
  alive "$1/runner" && kill_runner "$1"
  rm -rf "$1" "${WORK:?}/$name" "${WORK:?}/$name.image"
}

as_user() {
  if [ "$mine" -eq 0 ]; then
    setpriv --reuid="$uid" --regid="$gid" --groups="$groups" --no-new-privs --inh-caps=-all -- "$@"
  else
    "$@"
  fi
}

# JOB.ATTEMPT: who left the job's group still bears its mark. Killed with the user's rights: a mark can be forged.
sweep() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    left=$(grep -lszxF "SPILLWAY_TASK=$ID/$1" /proc/[0-9]*/environ)
    [ -n "$left" ] || return 0
    set -- "$1"
    for process in $left; do
      process=${process#/proc/}
      set -- "$@" "${process%/environ}"
    done
    as_user sh -c 'shift; kill -KILL "$@"' kill "$@" 2>/dev/null
    pause 1
  done
}
