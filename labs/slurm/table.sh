#!/bin/bash
# table.sh [--sample] [CASE...]: the same scripts on a plain node at home and on a node of ours in the cloud, as an ordinary user, each
# in a folder of its own: what sbatch and Slurm say of them (exit code, state), and each file that they leave (name, kind, whether
# it may be run, bytes, digest), are compared. Cases are the functions t_* of table/; table/known.txt has those that differ, each with the words of
# docs/slurm.md that say so (`CASE? words`: it depends on the moment). A line for each case: `ok CASE`, `documented CASE: …`, or `WRONG CASE` and both answers. --sample: every
# sixth of them. As root; needs what install.sh installs. Exit code 0 only if no case is wrong, and nothing is left on the bill.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/head.sh"
here=${here:?}
. "$here/table/cases-scripts.sh"
. "$here/table/cases-jobs.sh"

# Seconds that a job may take, more or less: more on a machine that has other things to do.
patience=${PATIENCE:-240}

# In the user's process: helpers of cases. A case's answers are what its function prints.
lines() { printf '%s\n' "$@" >job.sh; }
script() { lines '#!/bin/sh' "$@"; }
note() { echo "$job" >>.jobs; }
put() { # OPTIONS...: submits job.sh; the number in $job
  job=$(sbatch --parsable -t 5 "$@" job.sh 2>said.err) || { echo "refused with $?"; sed 's/^sbatch: //' said.err; job= && return 1; }
  note
}
field() { scontrol -o show job "$1" 2>/dev/null | grep -oE " $2=[^ ]*" | cut -d = -f 2 | sort | uniq -c | sed 's/^ *1 //'; }
first_state() { scontrol -o show job "$1" 2>/dev/null | grep -oE ' JobState=[^ ]*' | head -n 1 | cut -d = -f 2; }
within_state() { for _ in $(seq "$patience"); do [ "$(first_state "$job")" = "$1" ] && return; sleep 1; done; echo "never $1"; }
# A job runs when its script has said so: before that a signal meets whatever Slurm has come to.
# (The number of an array's last task is the array's.)
begins() { script 'scontrol update jobid="${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}" name=begun' "$@"; }
running() { # [JOB]: all of its tasks
  local said
  for _ in $(seq "$patience"); do
    said=$(scontrol -o show job "${1:-$job}" 2>/dev/null) && [ -n "$said" ] && ! grep -vq ' JobName=begun .*JobState=RUNNING ' <<<"$said" && return
    sleep 1
  done
  echo "never running: ${1:-$job}"
}
requeued() { for _ in $(seq "$patience"); do scontrol -o show job "$job" | grep -q ' Restarts=[1-9]' && return; sleep 1; done; echo 'never requeued'; }
# slurmctld may not have looked at the job yet.
state() {
  local reason
  for _ in $(seq 15); do sleep 2 && reason=$(scontrol -o show job "$job" | grep -oE ' Reason=[^ ]*' | head -n 1) && [ "$reason" != ' Reason=None' ] && break; done
  echo "$(first_state "$job") $reason"
}
# A requeued job need not wait for Slurm's two minutes; who says it too early is not heard.
soon() { for _ in $(seq 20); do sleep 1; scontrol update jobid="$job" starttime=now+4 2>/dev/null && return; done; }
# A slurmctld that does not answer says nothing, which is no end.
is_over() { local said; said=$(scontrol -o show job "$1" 2>/dev/null) && ! grep -qE ' JobState=(PENDING|CONFIGURING|RUNNING|COMPLETING|SUSPENDED|STAGE_OUT|STOPPED|REQUEUED|REQUEUE_HOLD|RESIZING|SIGNALING) ' <<<"$said"; }
over_one() { for _ in $(seq "$patience"); do is_over "$1" && return; sleep 1; done; echo "job does not end: $(squeue -h -j "$1" -o '%T %r' | head -n 2)"; scancel "$1"; }
over() { # all of the case's jobs have ended: state and exit code of each, tasks too
  local each
  for each in $(cat .jobs 2>/dev/null); do over_one "$each"; done
  for each in $(cat .jobs 2>/dev/null); do
    scontrol -o show job "$each" | grep -oE ' (ArrayTaskId|HetJobOffset|JobState|ExitCode|Restarts)=[^ ]*' | tr -d '\n' | sed 's/ ArrayTask/\n ArrayTask/g; s/ HetJobOff/\n HetJobOff/g' | grep . | sort
    echo
  done
}
run() { put "$@" && over; }
run_with() { shift; job=$(sbatch --parsable -t 5 -o with.out job.sh "$@") && note && over; }
run_wrap() { job=$(sbatch --parsable -t 5 -o wrap.out --wrap "$1") && note && over; }
run_stdin() { job=$(sbatch --parsable -t 5 -o stdin.out <job.sh) && note && over; }

# one CASE PLACE, as the user, in its folder
one() {
  export SBATCH_PARTITION=$2 SLURM_PARTITION=$2 SALLOC_PARTITION=$2 SBATCH_MEM_PER_CPU=100 SLURM_MEM_PER_CPU=100 SALLOC_MEM_PER_CPU=100
  cd "/home/ann/t/$1-$2" || exit
  "t_$1" >.answers 2>&1 </dev/null
  : >.done
}
[ "${1:-}" != --one ] || { one "$2" "$3" && exit; }

sample=
[ "${1:-}" != --sample ] || { sample=yes && shift; }
if [ -z "$dir" ]; then
  outside "$(readlink -f "$0")" ${sample:+--sample} "$@"
  exit
fi

all() { declare -F | sed -n 's/^declare -f t_//p'; }
chosen() {
  if [ "$#" -gt 0 ]; then printf '%s\n' "$@"; elif [ -n "$sample" ]; then all | grep -vE '^(time_limit|requeue|scancel_signal_goes)' | awk 'NR % 6 == 1'; else all; fi
}

# Names and numbers that differ from place to place, and what comes home beside the folder: that is documented.
plain() { # CASE PLACE FOLDER
  local index=0 each
  local edits=(-e "s#/home/ann/t/$1-$2#FOLDER#g" -e 's/i-[0-9a-f]{17}/NODE/g' -e 's/(home[12]|west-large-[0-9]+)/NODE/g' -e "s/\b$(hostname -s)\b/NODE/g; s/_$(hostname -s)_/_NODE_/g" -e 's/ AT [^ ]+ / AT TIME /' -e 's/\[20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+\]/[TIME]/g' -e "s/ $2 / PARTITION /g" -e "s/on $2\$/on PARTITION/")
  for each in $(sort -u "$3/.jobs" 2>/dev/null); do
    index=$((index + 1))
    edits+=(-e "s/(^|[^0-9])0*$each([^0-9]|\$)/\1JOB$index\2/g; s/(^|[^0-9])0*$each([^0-9]|\$)/\1JOB$index\2/g")
  done
  sed -E "${edits[@]}"
}

answer() { # CASE PLACE
  local folder=/home/ann/t/$1-$2
  plain "$@" "$folder" <"$folder/.answers"
  (cd "$folder" && find . -mindepth 1 \( -name .answers -o -name .jobs -o -name .done -o -name said.err -o -path ./job.sh -o -name '.spillway-*' \) -prune -o -print0) | while IFS= read -r -d '' path; do
    local file=$folder/$path kind
    case ${path##*/} in spillway-[0-9]*) continue ;; esac
    path=$(sed -E 's#/spillway-[0-9_]+/#/#' <<<"$path")
    if [ -L "$file" ]; then kind="link $(readlink "$file")"; elif [ -d "$file" ]; then kind=folder; elif [ -f "$file" ]; then
      kind="$([ -x "$file" ] && echo program || echo file) $(plain "$@" "$folder" <"$file" | wc -c) $(plain "$@" "$folder" <"$file" | sha256sum | head -c 12)"
      [ "$(stat -c %s "$file")" -gt 300 ] || kind="$kind $(plain "$@" "$folder" <"$file" | tr '\n\0' '| ' | tr -c '[:print:]' '?')"
    else kind=other; fi
    printf '%s: %s\n' "$(plain "$@" "$folder" <<<"$path")" "$kind"
  done | sort -u
}

more_conf() {
  # Room for all cases at once: what a node at home has is what slurm.conf says.
  sed -i -E '/^NodeName=home/s/CPUs=2 RealMemory=8000/CPUs=16 RealMemory=64000/' "$dir/etc/slurm.conf"
  # Numbers of jobs are replaced in what is compared: nothing else looks like these.
  echo FirstJobId=700001 >>"$dir/etc/slurm.conf"
}
# head.sh takes one word as a command.
BEFORE_DAEMONS=more_conf
MORE_CONF='SchedulerParameters=sched_interval=1,bf_interval=2,batch_sched_delay=0'
IDLE=5m
site_up "${NODES:-4}" 1

install -d -o ann -g ann /home/ann/t
names=$(chosen "$@")
for name in $names; do declare -F "t_$name" >/dev/null || fail "no case is called $name: table/ has them as t_NAME"; done
count=$(wc -l <<<"$names")
began=$(date +%s)
for name in $names; do for place in home west; do install -d -o ann -g ann "/home/ann/t/$name-$place"; done; done
for name in $names; do printf '%s home\n%s west\n' "$name" "$name"; done |
  xargs -P "${AT_ONCE:-20}" -L 1 "$here/as-ann.sh" timeout "$((patience * 4))" "$(readlink -f "$0")" --one >"$dir/cases.log" 2>&1 &
cases=$!

is_done() { [ -e "/home/ann/t/$1-home/.done" ] && [ -e "/home/ann/t/$1-west/.done" ]; }
wrong=0 documented=0
for name in $names; do
  until is_done "$name" || ! kill -0 "$cases" 2>/dev/null; do sleep 1; done
  known=$(sed -n "s/^$name: //p" "$here/table/known.txt") moment=$(sed -n "s/^$name? //p" "$here/table/known.txt")
  home=$(answer "$name" home 2>&1) west=$(answer "$name" west 2>&1)
  if ! is_done "$name"; then
    wrong=$((wrong + 1))
    echo "WRONG $name did not come to an end"
  elif [ "$home" = "$west" ] && [ -z "$known" ]; then
    echo "ok $name: $(tr '\n' ' ' <<<"$west" | tr -s ' ' | head -c 140)"
  elif [ "$home" != "$west" ] && [ -n "$known$moment" ] && grep -qF -- "$known$moment" "$here/../../docs/slurm.md"; then
    documented=$((documented + 1))
    echo "documented $name: $known$moment"
  else
    wrong=$((wrong + 1))
    if [ "$home" = "$west" ]; then why='it does not differ any more'; elif [ -n "$known$moment" ]; then why='docs/slurm.md does not say so'; else why=; fi
    printf 'WRONG %s %s\n' "$name" "$why"
    diff <(echo "$home") <(echo "$west") | sed 's/^/  /' | head -n 30
  fi
done
wait "$cases"
# The bundles that results come home in go when these are in their places, a moment after Slurm was told.
hidden=
for _ in $(seq 60); do hidden=$(find /home/ann/t -name '.spillway-*' -print | head -n 3) && [ -n "$hidden" ] || break; sleep 1; done
[ -z "$hidden" ] || { wrong=$((wrong + 1)); echo "WRONG hidden files are left: $hidden"; }
echo "cases: $count, documented differences: $documented, wrong: $wrong, seconds: $(($(date +%s) - began))"
site_down || wrong=$((wrong + 1))
[ "$wrong" -eq 0 ]
