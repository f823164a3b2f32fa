#!/bin/bash
# registration.sh [--seeds N] [--seed S] [--megabytes M] [--batch-start SECONDS] [--kinds 'KIND...']: what a node's registration does to a job whose
# input is on the way to its node. Starts the lab with a head and one node at a time (head.sh), to which 12 MB come in a second. For each of N (12)
# seeds from S (1) on a job with M (500) MB of input is submitted; a drawn time after it was given its node one of these is struck: `scontrol reconfigure`, a restart of
# slurmctld, a kill of slurmd (or what KINDs say, in turn: also `requeue`, `down` for the node, `head` for a kill of the head that comes back
# after 5 s, `hang` for one that answers nobody for 20 s, and `cancel`). BatchStartTimeout is SECONDS, or what the head writes. As root; needs what install.sh installs.
# The judge is what each run writes down itself. Exit code 0 only if each job has come to its last line once and no more, with the whole
# of its input, its result is at home, Slurm and the head say so, and no run was broken off: each job has begun once (but after requeue, down
# and a kill of slurmd; such are counted). A job that is cancelled has ended within 20 s, and never began.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/../head.sh"

seeds=12
first=1
megabytes=500
batch_start=
kinds=(reconfigure restart slurmd)
given=("$@")
while [ "$#" -gt 0 ]; do
  case $1 in
  --seeds) seeds=${2:?a number} ;;
  --seed) first=${2:?a number} ;;
  --megabytes) megabytes=${2:?a number} ;;
  --batch-start) batch_start=${2:?seconds} ;;
  --kinds) read -r -a kinds <<<"${2:?kinds}" ;;
  *) echo 'usage: registration.sh [--seeds N] [--seed S] [--megabytes M] [--batch-start SECONDS] [--kinds KINDS]' >&2 && exit 64 ;;
  esac
  shift 2
done
if [ -z "$dir" ]; then
  outside "$(readlink -f "$0")" "${given[@]}"
  exit
fi

work=/home/ann/work
ledger=$dir/ledger
wrong=0
again=0

drawn() { echo $((16#$(printf '%s %s' "$1" "$2" | sha256sum | head -c 8) % $3)); }
ctld_up() { scontrol ping | grep -q 'is UP'; }
field() { scontrol -o show job "$1" 2>/dev/null | grep -oE " $2=[^ ]*" | head -n 1 | cut -d = -f 2; }
has_node() { squeue -h -j "$1" -o '%t' | grep -qxE 'CF|R'; }
gone() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
is_over_for_the_head() { ask job "$1" --json | jq -e '.job.state | IN("DONE", "FAILED", "CANCELLED")'; }
nodes_slurmd() { pgrep -f 'slurmd -D -L .* -N west-large-'; }

strike() {
  local pid
  case $1 in
  reconfigure) scontrol reconfigure ;;
  restart)
    pid=$(cat "$dir/slurm/slurmctld.pid")
    kill "$pid"
    within 30 sh -c "! kill -0 $pid"
    "$here/site.sh" "$dir" slurmctld
    ;;
  requeue) scontrol requeue "$job" ;;
  down) scontrol update nodename="$(squeue -h -j "$job" -o %N)" state=down reason='the power is gone' ;;
  cancel) as ann scancel "$job" ;;
  head)
    kill -KILL "$head"
    wait "$head" 2>/dev/null
    sleep 5
    (cd "$dir" && exec setsid "$spillway" serve --config spillway.yaml </dev/null >>"$dir/head.log" 2>&1) &
    head=$!
    ;;
  hang) kill -STOP "$head" && sleep 20 && kill -CONT "$head" ;;
  slurmd) for pid in $(nodes_slurmd); do kill -KILL "$pid"; done ;;
  esac
  within 30 ctld_up || fail 'slurmctld does not come up'
}

script() {
  install -d -o ann -g ann "$work"
  install -o ann -g ann /dev/null "$work/in.bin"
  mkdir -m 1777 "$ledger"
  cat >"$work/job.sh" <<JOB
#!/bin/sh
#SBATCH --partition=west --time=5 --requeue -c 4 --output=log-%j.txt
#SPILLWAY in=in.bin out!=out-%j.txt
run=$ledger/\$SLURM_JOB_ID-\$(date +%s%N)
echo began >\$run
sha256sum <in.bin >out-\$SLURM_JOB_ID.txt
sleep 3
echo ended >>\$run
JOB
  chown ann:ann "$work/job.sh"
}

# Machines may come and go meanwhile.
slow() {
  local port
  for port in $(ip -n s-west -o link show | grep -oE ' n[0-9]+' | sort -u); do
    tc -n s-west qdisc replace dev "$port" root tbf rate 100mbit burst 1m latency 200ms || fail "no rate for $port"
  done
}

cancelled() { # SEED STATE
  local since=$SECONDS
  within 60 gone "$job" || bad='; it does not end'
  since=$((SECONDS - since))
  [ "$since" -le 20 ] || bad="$bad; it took $since s"
  [ "$begun" != 0 ] || [ -z "$(find "$ledger" -name "$job-*")" ] || bad="$bad; it began"
  within 60 is_over_for_the_head "$job" || bad="$bad; for the head it is not over"
  if [ -z "$bad" ]; then echo "ok $1: cancel while $2: ended in $since s"; else echo "WRONG $1: cancel while $2$bad" && wrong=$((wrong + 1)); fi
}

one() { # SEED
  local kind wait job begun state says bad='' good
  kind=${kinds[$(($1 % ${#kinds[@]}))]}
  # While it comes, and a little longer.
  wait=$(drawn "$1" wait "$((megabytes * 90))")
  head -c "${megabytes}M" /dev/urandom >"$work/in.bin"
  chown ann:ann "$work/in.bin"
  slow
  job=$(cd "$work" && as ann sbatch --parsable job.sh 2>"$dir/sbatch.err") || fail "sbatch: $(cat "$dir/sbatch.err")"
  within 240 has_node "$job" || fail "job $job gets no node: $(squeue -h -j "$job" -o '%T %r')"
  sleep "$((wait / 1000)).$(printf %03d "$((wait % 1000))")"
  state=$(squeue -h -j "$job" -o '%T')
  begun=$(find "$ledger" -name "$job-*" | wc -l)
  strike "$kind"
  if [ "$kind" = cancel ]; then
    cancelled "$1" "$state"
    return
  fi
  within 420 gone "$job" || bad="it does not end: $(squeue -h -j "$job" -o '%T %r')"
  within 60 is_over_for_the_head "$job" || bad="$bad; for the head it is not over"
  says=$(ask job "$job" --json | jq -r .job.state)
  good=$(find "$ledger" -name "$job-*" -exec grep -lx ended {} + | wc -l)
  [ "$good" = 1 ] || bad="$bad; it came to its last line $good times"
  [ "$(field "$job" JobState)" = COMPLETED ] && [ "$says" = DONE ] || bad="$bad; Slurm says $(field "$job" JobState), the head $says"
  cmp -s "$work/out-$job.txt" <(sha256sum <"$work/in.bin") || bad="$bad; its result is not at home"
  if [ "$(field "$job" Restarts)" -gt 0 ]; then
    again=$((again + 1))
    case $kind in slurmd | requeue | down) ;; *) false ;; esac || bad="$bad; it was run again"
  fi
  if [ -z "$bad" ]; then state="ok $1: $kind while $state"; else state="WRONG $1: $kind while $state" wrong=$((wrong + 1)); fi
  echo "$state, $wait ms after its allocation$([ "$begun" = 0 ] || echo ', after its first line'); Restarts=$(field "$job" Restarts), first line $((\
    $(date -d "@$(find "$ledger" -name "$job-*" -printf '%f\n' | sort | tail -n 1 | sed 's/.*-//' | cut -c 1-10)" +%s) - \
    $(field "$job" StartTime))) s after its start${bad:+$bad}"
}

MORE_CONF="SchedulerParameters=sched_interval=1,bf_interval=2,batch_sched_delay=0
${batch_start:+BatchStartTimeout=$batch_start}"
IDLE=30m site_up 4 1
scontrol show config 2>/dev/null | grep BatchStartTimeout
script
job=$(cd "$work" && echo warm >in.bin && as ann sbatch --parsable job.sh 2>/dev/null) || fail 'sbatch refused it'
within 240 gone "$job" || fail 'no node comes up'
for seed in $(seq "$first" $((first + seeds - 1))); do one "$seed"; done
echo "$wrong of $seeds wrong, $again run again"
site_down || exit 1
[ "$wrong" -eq 0 ]
