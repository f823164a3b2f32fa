# shellcheck shell=sh
# shellcheck disable=SC2154
# Slurm's Prolog and Epilog, in processes of slurmd's. What they read of the environment is slurmd's own word.
slurm_job_id() {
  id=${SLURM_JOB_ID:-}
  case $id in
    '' | *[!0-9]*)
      echo 'spillway: SLURM_JOB_ID is not a number' >&2
      return 1
      ;;
  esac
  G=$F/gate
}

# The attempt that was ordered last for this job: J is its folder, PHASE how far it is.
slurm_attempt() {
  attempt='' PHASE=''
  { read -r attempt <"$G/$id"; } 2>/dev/null
  [ -n "$attempt" ] || return 1
  J=$S/jobs/$attempt
  { read -r _ _ _ PHASE _ _ _ _ REASON <"$J/report"; } 2>/dev/null
  [ -n "$PHASE" ]
}

# Slurm waits for the Prolog of a job that was cancelled, too, and tells nobody. Only the state is asked for: the other
# words about a job are its user's.
slurm_has_ended() {
  command -v squeue >/dev/null || return 1
  case $(timeout 10 squeue -h -j "$id" -o '%A %T' 2>/dev/null | sed -n "s/^$id //p") in
    COMPLETING | COMPLETED | CANCELLED | FAILED | TIMEOUT | NODE_FAIL | PREEMPTED | DEADLINE | OUT_OF_MEMORY | BOOT_FAIL) return 0 ;;
  esac
  return 1
}

# Slurm's own process of each step outlives slurmd, and bears the job's number.
slurm_runs() {
  grep -lsza "^slurmstepd: \[$id\." /proc/[0-9]*/cmdline >/dev/null
}

# A slurmd that was killed has forgotten what it was to start when this Prolog has passed. Slurm would find that out at the
# next registration, minutes later. Nobody waits for this process any more.
slurm_orphan() {
  # The name of the program may have blanks in it, and a bracket.
  read -r parent <"/proc/$$/stat" && parent=${parent##*) ? } && [ "${parent%% *}" = "$PPID" ] && return
  rm -f "$G/$id.waits"
  tries=0
  case ${SLURMD_NODENAME:-} in '' | *[!A-Za-z0-9-]*) exit 1 ;; esac
  until there=$(timeout 10 squeue -h -a -w "$SLURMD_NODENAME" -o %A 2>/dev/null) || [ "$tries" -ge 60 ]; do
    tries=$((tries + 1))
    sleep 1
  done
  ! printf '%s\n' "$there" | grep -qx "$id" || timeout 10 scontrol requeue "$id"
  exit 1
}

# The second in which slurmctld began this run: a slurmctld that was started again may have forgotten it and begin another,
# or have begun it itself (slurm_mend).
slurm_since() {
  for tries in 1 2 3; do
    since=$(SLURM_TIME_FORMAT=%s timeout 5 squeue -h -j "$id" -o '%A %S' 2>/dev/null | sed -n "s/^$id //p")
    case $since in
      '' | *[!0-9]*) sleep 0.5 ;;
      *)
        printf '%s\n' "$since" >"$G/$id.since"
        return
        ;;
    esac
  done
}

# Waits for the order as long as it takes: the head may be away. Whoever makes the claim decides: this, or a stop.
slurm_prolog() {
  slurm_job_id || exit 1
  rm -f "$G/$id.over"
  printf '%s\n' "$$" >"$G/$id.waits"
  trap 'rm -f "$G/$id.waits"' EXIT
  slurm_since &
  turns=0
  while [ ! -e "$S/off" ] && [ ! -e "$S/end" ]; do
    slurm_orphan
    if slurm_attempt; then
      case $PHASE in
        RUNNING)
          # A slurmd that was killed has forgotten that the job has passed, and asks again before its next step. A run whose
          # processes are gone is another one: its order is still to come.
          [ ! -e "$J/claim/prolog" ] || [ -e "$J/epilog" ] || ! slurm_runs || exit 0
          # Nobody would collect the results of a runner that is gone.
          if read -r runner <"$J/runner" && kill -0 "$runner" && mkdir "$J/claim"; then
            : >"$J/claim/prolog"
            wait
            exit 0
          fi 2>/dev/null
          ;;
        REFUSED | ENDED)
          if [ ! -e "$J/claim/prolog" ]; then
            rm -f "$G/$id"
            slurm_has_ended && exit 0
            echo "spillway: ${REASON:-refused}" >&2
            exit 1
          fi
          ;;
      esac
    fi
    turns=$((turns + 1))
    [ "$((turns % 30))" -ne 0 ] || ! slurm_has_ended || exit 0
    sleep 0.1
  done
  # Slurm holds a job whose Prolog fails. slurmd is ended in a moment, and what descends from it: then it is requeued.
  echo 'spillway: this node is being ended' >&2
  sleep 120
  exit 1
}

# Until the results are in their places, but not for ever: who waits for a good end of this job in Slurm begins when this
# returns, and reads them. The head takes the order back when they are there, and with it the attempt's folder. A node that
# hangs must not keep a job.
slurm_epilog() {
  slurm_job_id || exit 0
  if ! slurm_attempt || [ "$PHASE" = REFUSED ] || { [ "$PHASE" = ENDED ] && [ ! -e "$J/claim/prolog" ]; }; then
    # For an order that comes too late.
    : >"$G/$id.over"
    exit 0
  fi
  ours=$attempt
  # Still being prepared, or open and not used.
  [ -e "$J/claim/prolog" ] || { echo 'Slurm ended it' >"$J/stop.$$" && mv "$J/stop.$$" "$J/stop"; }
  { : >"$J/epilog"; } 2>/dev/null
  turns=0
  while [ "$turns" -lt 36000 ] && [ ! -e "$S/off" ] && [ ! -e "$S/end" ]; do
    sleep 0.1
    turns=$((turns + 1))
    slurm_attempt && [ "$attempt" = "$ours" ] && [ "$PHASE" != REFUSED ] || break
  done
  { read -r attempt <"$G/$id"; } 2>/dev/null
  [ "$attempt" != "$ours" ] || rm -f "$G/$id"
  exit 0
}
