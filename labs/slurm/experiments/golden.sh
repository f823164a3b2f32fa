#!/bin/sh
# golden.sh DIR OUT: writes what a real Slurm says of jobs, nodes and licences of every kind to OUT, as inputs for the parser's tests.
# As root; DIR must not exist. The questions are those of org.spillway.slurm.manager.
set -eu
dir=${1:?usage: golden.sh DIR OUT}
out=${2:?usage: golden.sh DIR OUT}
here=$(cd "$(dirname "$0")" && pwd)
lab=$here/..
[ ! -e "$dir" ] || { echo "golden.sh: $dir exists" >&2; exit 64; }
# However it ends, its lab ends too.
trap '[ ! -e "$dir/lab.env" ] || "$lab/slurm-down.sh" "$dir"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$dir" "$out"
chmod 755 "$dir"
export EXTRA_NODES="NodeName=west[1-4] NodeAddr=127.0.0.1 CPUs=64 RealMemory=256000 Gres=gpu:h100:4 Feature=cloud,west,ib State=CLOUD
NodeName=east[1-2] NodeAddr=127.0.0.1 CPUs=32 RealMemory=128000 Gres=gpu:a100:2 Feature=cloud,east,zen4 State=CLOUD
PartitionName=west Nodes=west[1-4] MaxTime=INFINITE State=UP
PartitionName=east Nodes=east[1-2] MaxTime=INFINITE State=UP
PartitionName=cloud Nodes=west[1-4],east[1-2] MaxTime=INFINITE State=UP
PartitionName=closed Nodes=east[1-2] MaxTime=INFINITE State=DOWN"
REGIONS='' RESUME=no EXTRA_CONF="EnforcePartLimits=ALL
Licenses=matlab:10,ansys:5" BURST_BUFFER_LUA=$here/order.lua "$lab/slurm-up.sh" "$dir" >/dev/null
. "$dir/env.sh"
printf '#!/bin/sh\nsleep 600\n' >"$dir/bin/stage-in"
chmod 755 "$dir/bin/stage-in"
scontrol create reservation reservationname=spillway starttime=now duration=12:00:00 user=root flags=maint,ignore_jobs nodes="west[1-4],east[1-2]" >/dev/null
scontrol create reservation reservationname=course starttime=now+1day duration=1:00:00 users=games nodes=onprem1 >/dev/null
cd "$dir/jobs"
user() { setpriv --reuid games --regid games --clear-groups "$@"; }
job() { user sbatch --parsable -o /dev/null -t 10 "$@" --wrap 'sleep 60'; }
unit=$(printf '\037')
held=$(job -p west -H)
job -p west -N2 -n16 -c4 --mem-per-cpu=2G --gres=gpu:h100:2 -C 'ib&cloud' -L matlab:2,ansys:1 >/dev/null
job -p west,east -N1-3 --mem=100G -t 1-02:03:04 --exclusive --no-requeue >/dev/null
job -p cloud -n8 --gpus=8 --cpus-per-gpu=4 -C '[west|east]' >/dev/null
job -p cloud -n4 --gpus-per-task=h100:1 -A physics >/dev/null
job -p cloud -N2 --array=1-500:2%10 -t UNLIMITED >/dev/null
job -p west -d "afterok:$held,afterany:$held" >/dev/null
job -p west --begin=now+1day >/dev/null
job -p closed >/dev/null
job -p onprem --reservation=course >/dev/null
job -p west -w west3 -A "odd${unit}account
of two lines" >/dev/null
user sbatch --parsable -p west -t 5 -N1 : -p east -t 5 -N2 --gres=gpu:1 --wrap true >/dev/null
printf '#!/bin/sh\n#SPILLWAY in=data out=results\ntrue\n' >script
user sbatch --parsable -p west -t 5 script >/dev/null
job -p onprem -N2 --exclusive >/dev/null
sleep 1
job -p onprem -N1 >/dev/null
sleep 6
fields() { # NONCE NAME...: each name with the separator as its suffix, the last one with the end of a row
  end=$(printf '\036')$1
  shift
  list=
  while [ "$#" -gt 1 ]; do
    list=$list$1:$unit,
    shift
  done
  printf '%s%s:%s' "$list" "$1" "$end"
}
apart=--array-unique
squeue "$apart" --version >/dev/null 2>&1 || apart=--array
sharing=Exclusive
[ -z "$(squeue -h -n nobody -O "$sharing" 2>&1)" ] || sharing=OverSubscribe
squeue -a -h "$apart" -O "$(fields 0123456789abcdef JobID ArrayJobID ArrayTaskID HetJobID HetJobOffset Partition StateCompact Reason NumNodes MaxNodes NumTasks NumCPUs cpus-per-task MinMemory tres-per-job tres-per-node tres-per-socket tres-per-task Feature Licenses Dependency TimeLimit PriorityLong QOS Account UserID GroupID Reservation "$sharing" Requeue RestartCnt ReqNodes SubmitTime EligibleTime StartTime BurstBufferState NodeList)" >"$out/squeue.txt"
sinfo -a -h -N -O "$(fields 0123456789abcdef NodeList StateComplete CPUs Memory AllocMem CPUsState Gres GresUsed Features Partition Available NodeAddr Reason)" >"$out/sinfo.txt"
scontrol -o show licenses >"$out/licenses.txt"
scontrol -o show node >"$out/nodes.txt"
scontrol show partition -o >"$out/partitions.txt"
"$lab/slurm-down.sh" "$dir"
