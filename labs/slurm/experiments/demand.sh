#!/bin/sh
# demand.sh DIR [JOBS [PARTITIONS]]: what it costs to ask slurmctld for 10,000 pending jobs in 50 partitions, by each way
# there is. As root; DIR must not exist; needs curl and jq. Prints per way: seconds (median of 5), bytes, CPU of slurmctld and of
# the one who asks, then which facts each way tells of one job that has them all.
set -u
dir=${1:?usage: demand.sh DIR [JOBS [PARTITIONS]]}
jobs=${2:-10000}
partitions=${3:-50}
here=$(cd "$(dirname "$0")" && pwd)
lab=$here/..
[ ! -e "$dir" ] || { echo "demand.sh: $dir exists" >&2; exit 64; }
# However it ends, its lab ends too.
trap '[ ! -e "$dir/lab.env" ] || "$lab/slurm-down.sh" "$dir"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$dir"
chmod 755 "$dir"

lines() {
  echo "NodeName=c[1-1000] NodeAddr=127.0.0.1 CPUs=64 RealMemory=256000 Gres=gpu:h100:4,gpu:a100:2 Feature=cloud,ib,zen4 State=CLOUD"
  for i in $(seq "$partitions"); do echo "PartitionName=p$i Nodes=c[$(((i - 1) * 1000 / partitions + 1))-$((i * 1000 / partitions))] MaxTime=INFINITE State=UP"; done
}
export EXTRA_NODES
EXTRA_NODES=$(lines)
REGIONS='' RESUME=no EXTRA_CONF="MaxJobCount=50000
MaxArraySize=5001
Licenses=matlab:10,ansys:5" "$lab/slurm-up.sh" "$dir" >/dev/null || exit 1
. "$dir/env.sh"
cd "$dir/jobs" || exit 1
ctld=$(cat "$dir/run/slurmctld.pid")

begun=$(date +%s)
# All wait for tomorrow, so that the scheduler's work does not blur the figures.
export partitions
seq "$jobs" | setpriv --reuid nobody --regid nogroup --clear-groups xargs -P 4 -n 50 sh -c '
  for i in "$@"; do
    sbatch -Q --begin=now+1day -p "p$((i % partitions + 1))" -t $((i % 7 * 60 + 10)) -N $((i % 4 + 1)) -n $((i % 4 * 8 + 8)) --mem=$((i % 5 * 1000 + 2000)) \
      --gres=gpu:h100:$((i % 4 + 1)) -C "ib&zen4" -J "name$i" -o /dev/null --wrap true
  done' submit
echo "submitted $jobs jobs in $(($(date +%s) - begun)) s"
user() { setpriv --reuid nobody --regid nogroup --clear-groups "$@"; }
first=$(user sbatch --parsable -H -p p1 --wrap true)
user sbatch -Q --begin=now+1day -p p1,p2 -N2-3 -n 16 -c 2 --mem-per-cpu=1500 --gres=gpu:h100:2,gpu:a100:1 -C '[ib|zen4]' -L matlab:2 -d "afterok:$first" --array=1-500%10 -t 90 --exclusive --comment=many --wrap true
user sbatch -Q --begin=now+1day -p p1 -N1 -t 5 : -p p2 -N2 --gres=gpu:2 --wrap true

ticks() { awk '{ print $14 + $15 }' "/proc/$ctld/stat"; }

ask() { # NAME COMMAND...
  name=$1
  shift
  rm -f "$dir/times"
  before=$(ticks)
  for i in 1 2 3 4 5; do
    bash -c 'TIMEFORMAT="%R %U %S"; time "$@"' ask "$@" >"$dir/answer" 2>>"$dir/times"
  done
  after=$(ticks)
  grep -E '^[0-9.]+ [0-9.]+ [0-9.]+$' "$dir/times" | sort -n | awk -v name="$name" -v bytes="$(wc -c <"$dir/answer")" -v rows="$(wc -l <"$dir/answer")" -v ticks="$((after - before))" \
    '{ wall[NR] = $1; cpu += $2 + $3 } END { printf "%-34s %6.2f s %9d bytes %6d lines, slurmctld %.2f s, asker %.2f s\n", name, wall[3], bytes, rows, ticks / 500, cpu / NR }'
  cp "$dir/answer" "$dir/answer-$(echo "$name" | tr -c 'a-z0-9\n' _)"
}

# A suffix instead of a width: nothing is padded or cut off, and no user's text can hold the separator of a field that is asked for.
unit=$(printf '\037')
fields=
for field in JobID ArrayJobID ArrayTaskID HetJobID HetJobOffset Partition StateCompact Reason NumNodes MaxNodes NumTasks NumCPUs cpus-per-task MinCpus MinMemory MinTmpDisk \
  tres-per-job tres-per-node tres-per-socket tres-per-task Feature Licenses Dependency TimeLimit PriorityLong QOS Account UserID GroupID Reservation OverSubscribe Requeue RestartCnt \
  ReqNodes SubmitTime EligibleTime StartTime BurstBuffer BurstBufferState NodeList; do
  fields=$fields${fields:+,}$field:$unit
done
ask "nothing (squeue -j $first)" squeue -h -j "$first"
ask "squeue -o, 14 fields by |" squeue -h -t PD -o '%A|%F|%K|%P|%r|%D|%C|%m|%b|%f|%W|%E|%l|%Q|%q|%a|%v|%h|%S|%V|%u'
ask "squeue -O, 40 fields by 0x1f" squeue -h -t PD -O "$fields"
ask "squeue --json" squeue --json
ask "scontrol -o show job" scontrol -o show job
ask "slurmrestd v0.0.38 jobs" setpriv --reuid nobody --regid nogroup --clear-groups curl -sS --unix-socket "$dir/run/rest/socket" http://slurm/slurm/v0.0.38/jobs
ask "sinfo --json" sinfo --json
ask "sinfo -N -O" sinfo -h -a -N -O NodeHost:40,StateComplete:60,CPUs:10,Memory:12,Gres:60,Features:60,Partition:40,Reason:60
ask "scontrol -o show node" scontrol -o show node
ask "scontrol show licenses" scontrol -o show licenses
rest=$(cat "$dir/run/slurmrestd.pid")
echo "slurmrestd resident: $(awk '/VmHWM/ { print $2 / 1024 }' "/proc/$rest/status") MB, slurmctld $(awk '/VmHWM/ { print $2 / 1024 }' "/proc/$ctld/status") MB"
echo "rows of the array of 500: json $(jq '[.jobs[] | select(.comment == "many")] | length' "$dir/answer-squeue___json"), -o $(squeue -h -o '%A %F %K %k' | grep -c ' many$'), scontrol $(scontrol -o show job | grep -c 'Comment=many')"
echo "--- one job that has it all, by each way"
many=$(squeue -h -o '%A %k' | awk '/ many$/ { print $1 }')
squeue --json | jq -c ".jobs[] | select(.job_id == $many)"
squeue -h -j "$many" -o '%A|%F|%K|%P|%r|%D|%C|%m|%b|%f|%W|%E|%l|%Q|%q|%a|%v|%h|%S|%V|%u'
squeue -h -j "$many" -O "$fields" | tr '\037' '|'
scontrol -o show job "$many"
"$lab/slurm-down.sh" "$dir"
