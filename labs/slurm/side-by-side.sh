#!/bin/bash
# side-by-side.sh [--json FILE] [--jobs N]: from sbatch to a job's first line, on a node that is not there yet and takes 2 s
# to boot: by Spillway's scaler, and by Slurm's own power saving, in one run, under one slurmctld, N (10) jobs each, one
# after another, each on a node of its own. As root; needs what install.sh installs. Prints medians (least to greatest), and
# their ratio.
#   spillway  a plain script; its director is there: the head buys a machine of the region's local-cloud, which makes a
#             namespace, joins with a certificate, passes the gate, gets the munge key and starts slurmd; the job waits at the
#             gate for its order
#   staged    the same with #SPILLWAY lines and 1 MB of data
#   own       ResumeProgram of Slurm starts the slurmd of a declared CLOUD node 2 s after it was called. Nothing else is made or
#             checked, which is less than any cloud takes. All its periods are as short as they can be
# Exit code 1 if Spillway's median is above Slurm's own; above 4 s is said.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/head.sh"

jobs=10
json=
given=("$@")
while [ "$#" -gt 0 ]; do
  case $1 in
  --json) json=$(realpath -m "${2:?a file}") ;;
  --jobs) jobs=${2:?a number} ;;
  *) echo 'usage: side-by-side.sh [--json FILE] [--jobs N]' >&2 && exit 64 ;;
  esac
  shift 2
done
if [ -z "$dir" ]; then
  outside "$(readlink -f "$0")" "${given[@]}"
  exit
fi

boot=2
now() { date +%s.%N; }

# The nodes of Slurm's own power saving: nodes of this machine whose slurmd is started when it asks for them.
own_conf() {
  local last=$((20 + jobs))
  for i in $(seq 21 "$last"); do ip addr add "10.$net.1.$i/32" dev lo; done
  cat <<CONF
SchedulerParameters=sched_interval=1,bf_interval=2,batch_sched_delay=0
NodeName=own-[1-$jobs] NodeAddr=10.$net.1.[21-$last] Port=[$((base + 121))-$((base + 120 + jobs))] CPUs=4 RealMemory=15000 Feature=own State=CLOUD
PartitionName=own Nodes=own-[1-$jobs] MaxTime=INFINITE State=UP
CONF
}

# Slurm has one ResumeProgram, and SlurmUser may start nothing here: the names of its own nodes go to `machines`.
own_programs() {
  local action
  mkdir -m 1777 "$dir/asked" "$dir/times"
  for action in resume suspend; do
    mv "$dir/etc/spillway-$action" "$dir/etc/ours-$action"
    cat >"$dir/etc/spillway-$action" <<PROGRAM
#!/bin/sh
case \$1 in
own-*) for node in \$(SLURM_CONF=$dir/etc/slurm.conf scontrol show hostnames "\$1"); do : >"$dir/asked/$action.\$node"; done ;;
*) exec "$dir/etc/ours-$action" "\$1" ;;
esac
PROGRAM
    chmod 755 "$dir/etc/spillway-$action"
  done
  machines &
}

machines() {
  local asked
  while :; do
    for asked in "$dir"/asked/resume.*; do
      [ -e "$asked" ] || continue
      rm -f "$asked"
      (sleep "$boot" && exec slurmd -b -f "$SLURM_CONF" -N "${asked##*/resume.}") </dev/null >>"$dir/log/own.log" 2>&1 &
    done
    sleep 0.05
  done
}

# The job writes down when its first line runs, on this machine's file system, and keeps its node: until the last is measured,
# also on a slow machine, or a later one gets no new node.
script() { # NAME LINE
  mkdir -p "/home/ann/$1"
  head -c 1M /dev/urandom >"/home/ann/$1/in.bin"
  printf '#!/bin/sh\n%s\ndate +%%s.%%N >%s/times/%s.$SLURM_JOB_ID\nsleep 3500\n' "$2" "$dir" "$1" >"/home/ann/$1/job.sh"
  chown -R ann:ann /home/ann
}

# measure NAME PARTITION: one number for each job, in seconds, in DIR/NAME
measure() {
  local name=$1 begun job first
  for i in $(seq "$jobs"); do
    begun=$(now)
    job=$(cd "/home/ann/$name" && as ann sbatch --parsable -p "$2" -t 60 -c 4 --no-requeue -o /dev/null job.sh) || fail "$name: sbatch refused it"
    within 120 test -s "$dir/times/$name.$job" || fail "$name: job $job does not start: $(squeue -h -j "$job" -o '%T %r')"
    awk -v a="$begun" '{ printf "%.2f\n", $1 - a }' "$dir/times/$name.$job" | tee -a "$dir/$name" | tr '\n' ' '
    # At another moment of the periods of both.
    sleep "1.$((i * 37 % 10))"
  done
  echo "  ($name)"
}

warm() {
  script warm ''
  local job
  job=$(cd /home/ann/warm && as ann sbatch --parsable -p west -t 60 -c 4 -o /dev/null job.sh) || fail 'sbatch refused it'
  within 180 test -s "$dir/times/warm.$job" || fail 'the region does not come up'
}

median() { sort -n "$dir/$1" | awk '{ a[NR] = $1 } END { printf "%.2f", NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }

say() { printf '%-9s median %6.2f s (%s to %s, %s jobs)\n' "$1" "$(median "$1")" "$(sort -n "$dir/$1" | head -n 1)" "$(sort -n "$dir/$1" | tail -n 1)" "$(wc -l <"$dir/$1")"; }

MORE_CONF=$(own_conf) || fail 'no addresses'
BEFORE_DAEMONS=own_programs IDLE=10m WALLTIME=1h site_up "$((2 * jobs + 1))" "$boot"
script spillway ''
script staged '#SPILLWAY in=in.bin out=none.txt'
script own ''
warm
measure own own
measure spillway west
measure staged west
for name in own spillway staged; do say "$name"; done
load=$(cut -d' ' -f1-3 /proc/loadavg)
ratio=$(awk -v a="$(median own)" -v b="$(median spillway)" 'BEGIN { printf "%.2f", a / b }')
echo "Slurm's own power saving takes $ratio times as long as Spillway; load $load on $(nproc) cores"
resumed=$(grep -c 'slurm resume' "$dir/head.log")
[ "$resumed" -eq 0 ] || echo "Slurm has asked for the head's nodes $resumed times"
scancel -u ann
within 60 sh -c '[ -z "$(squeue -h)" ]' || echo 'jobs are left'
site_down || exit 1
numbers() { jq -s . "$dir/$1"; }
[ -z "$json" ] || jq -n --argjson own "$(numbers own)" --argjson spillway "$(numbers spillway)" --argjson staged "$(numbers staged)" \
  --arg ratio "$ratio" --arg load "$load" --argjson boot "$boot" --argjson left "$left" \
  '{bootSeconds: $boot, ownSeconds: $own, spillwaySeconds: $spillway, stagedSeconds: $staged, ownToSpillway: ($ratio | tonumber), load: $load, left: $left}' >"$json"
awk -v m="$(median spillway)" -v s="$(median staged)" 'BEGIN { if (m > 4) printf "above the target of 4 s: %.2f\n", m; if (s > 4) printf "staged above the target of 4 s: %.2f\n", s }'
awk -v a="$(median own)" -v m="$(median spillway)" -v s="$(median staged)" 'BEGIN { exit !(m <= a && s <= a) }'
