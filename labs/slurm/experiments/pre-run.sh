#!/bin/sh
# pre-run.sh DIR [PART...]: what Slurm makes of a burst buffer's slurm_bb_pre_run that waits, and of what happens meanwhile.
# Slurm without a head, two nodes at home, a Prolog that writes down when it is called. As root; DIR must not exist.
# `releases/with.sh TREE experiments/pre-run.sh DIR` tries another release.
#   wait      pre_run takes longer than the job's time limit; then the job runs
#   cancel    scancel in pre_run (cancel-in: in data_in)
#   requeue   scontrol requeue in pre_run, which ends well 3 s later (requeue-fails: it says that it failed)
#   killed    slurmctld is killed with -9 and started again; term: ended by a signal; reconfigure: scontrol reconfigure
#   down      the job's node is set down, and pre_run ends well 4 s later (down-fails: it says that it failed)
#   fails     pre_run says that it failed; timeout: it takes longer than OtherTimeout
#   window    BatchStartTimeout=5 and a Prolog of 6 s, in which `scontrol reconfigure` comes: 20 s after the job's start
#   array     three tasks at once
#   het       a heterogeneous job of two parts
set -u
top=${1:?usage: pre-run.sh DIR [PART...]}
shift
here=$(cd "$(dirname "$0")" && pwd)
lab=$here/..
[ "$#" -gt 0 ] || set -- wait cancel cancel-in requeue requeue-fails killed term reconfigure down down-fails window fails timeout array het
[ ! -e "$top" ] || { echo "pre-run.sh: $top exists" >&2; exit 64; }
if [ -z "${PRIVATE:-}" ]; then
  PRIVATE=yes exec "$lab/private.sh" "$0" "$top" "$@"
fi
ip link set lo up
# A machine without any address of a network resolves none.
ip addr add 10.213.1.1/32 dev lo
dir=
trap '[ ! -e "$dir/lab.env" ] || "$lab/slurm-down.sh" "$dir"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$top"
chmod 755 "$top"
export REGIONS='' CTLD_DEBUG=verbose

up() { cut -d' ' -f1 /proc/uptime; }
# Jobs by root and SlurmUser get no burst buffer, and since 25 those of nobody are refused.
user() { (cd "$dir/jobs" && setpriv --reuid games --regid games --clear-groups "$@"); }

shown() { scontrol -o show job "$1" 2>/dev/null | grep -oE '(JobState|Reason|Restarts|StartTime|ExitCode|RunTime)=[^ ]*' | tr '\n' ' ' | sed "s/T\([0-9:]*\)/ \1/"; }
calls() { awk -v j="$1" '$3 == j { printf "%s ", $2 }' "$dir/log/stage.log" 2>/dev/null; }
count() { grep -c " $2 $1\$" "$dir/log/stage.log" 2>/dev/null; }
runs() { grep -c " start $1 " "$dir/jobs/starts" 2>/dev/null; }

# until_true SECONDS COMMAND...
until_true() {
  limit=$(($(date +%s) + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$(date +%s)" -le "$limit" ] || return 1
    sleep 0.1
  done
}
called() { [ "$(count "$1" "$2")" -ge "${3:-1}" ]; }
started() { [ "$(runs "$1")" -ge "${2:-1}" ]; }
gone() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
ctld_up() { scontrol ping | grep -q 'is UP'; }

begin() {
  mkdir -p "$dir/stage" "$dir/bin" "$dir/log" "$dir/jobs"
  cat >"$dir/bin/wait" <<PROGRAM
#!/bin/sh
until [ -e $dir/stage/\$1.go ] || [ -e $dir/stage/all.go ]; do sleep 0.1; done
PROGRAM
  cat >"$dir/bin/prolog" <<PROGRAM
#!/bin/sh
read up rest </proc/uptime
echo "\$up prolog \$SLURM_JOB_ID" >>$dir/log/stage.log
[ ! -e $dir/stage/slow ] || sleep 6
PROGRAM
  cat >"$dir/bin/epilog" <<PROGRAM
#!/bin/sh
read up rest </proc/uptime
echo "\$up epilog \$SLURM_JOB_ID" >>$dir/log/stage.log
PROGRAM
  chmod 755 "$dir"/bin/*
  BURST_BUFFER_LUA=$here/pre-run.lua EXTRA_CONF="PrologFlags=Alloc
Prolog=$dir/bin/prolog
Epilog=$dir/bin/epilog
DebugFlags=BurstBuffer
$1" BURST_BUFFER_CONF=${2-} "$lab/slurm-up.sh" "$dir" >/dev/null || exit 1
  . "$dir/env.sh"
  printf '#!/bin/sh\n#SPILLWAY in=a\nread up rest </proc/uptime\necho "$up start $SLURM_JOB_ID ${SLURM_RESTART_COUNT:-0}" >>%s/jobs/starts\nsleep 1\n' "$dir" >"$dir/jobs/script"
  : >"$dir/jobs/starts"
  chmod 666 "$dir/jobs/starts"
}

end() { "$lab/slurm-down.sh" "$dir"; }

# A job that is in pre_run, as $job
job() {
  job=$(user sbatch --parsable -t 1 -p onprem -o /dev/null "$@" script) || exit 1
  until_true 40 called "$job" pre_run || { echo "$part: no pre_run: $(shown "$job"); $(calls "$job")"; tail -n 5 "$dir/log/slurmctld.log"; return 1; }
  sleep 1
  echo "$part: in pre_run: $(shown "$job")"
}
go() { : >"$dir/stage/$job.go"; }
say() { echo "$part: $*: $(shown "$job"); calls: $(calls "$job"); runs: $(runs "$job")"; }
restart() { slurmctld -f "$SLURM_CONF" -L "$dir/log/slurmctld.log" && until_true 30 ctld_up; }
# How it ends, and whether the job is ever let go.
ends() {
  until_true "${1:-30}" started "$job"
  until_true 20 gone "$job"
  sleep 2
  say 'in the end'
}
again() { scontrol update "jobid=$job" starttime=now+1 2>/dev/null; }

slurmctld -V
for part in "$@"; do
  dir=$top/$part
  case $part in
  wait)
    begin ''
    job || continue
    sleep 130
    say 'after 130 s, time limit 1 min'
    go
    ends
    ;;
  cancel)
    begin ''
    job || continue
    scancel "$job"
    sleep 10
    say '10 s after scancel'
    echo "$part: processes of pre_run left: $(pgrep -fc "$dir/bin/wait $job")"
    go
    sleep 3
    say 'pre_run has ended'
    grep "JobId=$job.*state from" "$dir/log/slurmctld.log" | tail -n 2 | sed "s/^.*burst buffer/$part: burst buffer/"
    ;;
  cancel-in)
    begin ''
    : >"$dir/stage/hold"
    job=$(user sbatch --parsable -t 1 -p onprem -o /dev/null script)
    until_true 40 called "$job" data_in
    sleep 1
    scancel "$job"
    sleep 5
    say '5 s after scancel'
    grep "JobId=$job.*state from" "$dir/log/slurmctld.log" | tail -n 2 | sed "s/^.*burst buffer/$part: burst buffer/"
    ;;
  requeue | requeue-fails)
    begin ''
    job --requeue || continue
    scontrol requeue "$job"
    [ "$part" = requeue ] || : >"$dir/stage/fail"
    sleep 3
    go
    until_true 10 called "$job" pre_run_end
    rm -f "$dir/stage/fail"
    sleep 2
    say 'requeued, and pre_run has ended'
    again
    ends 40
    grep "JobId=$job.*state from" "$dir/log/slurmctld.log" | tail -n 2 | sed "s/^.*burst buffer/$part: burst buffer/"
    ;;
  killed | term)
    begin ''
    job || continue
    sleep 6
    case $part in killed) signal=KILL ;; *) signal=TERM ;; esac
    pid=$(cat "$dir/run/slurmctld.pid")
    kill -$signal "$pid"
    until_true 20 sh -c "! kill -0 $pid"
    sleep 1
    echo "$part: processes of pre_run left: $(pgrep -fc "$dir/bin/wait $job")"
    restart || echo "$part: slurmctld does not come up"
    sleep 8
    say '8 s after the restart'
    go
    ends 60
    ;;
  reconfigure)
    begin ''
    job || continue
    scontrol reconfigure
    until_true 20 ctld_up
    sleep 8
    say '8 s after it'
    echo "$part: processes of pre_run left: $(pgrep -fc "$dir/bin/wait $job")"
    go
    ends 60
    ;;
  down | down-fails)
    begin ''
    job --requeue || continue
    scontrol update nodename="$(squeue -h -j "$job" -o %N)" state=down reason=gone
    sleep 4
    say '4 s after its node is down'
    [ "$part" = down ] || : >"$dir/stage/fail"
    go
    until_true 10 called "$job" pre_run_end
    rm -f "$dir/stage/fail"
    sleep 1
    again
    ends 40
    ;;
  window)
    begin 'BatchStartTimeout=5'
    : >"$dir/stage/slow"
    job || continue
    sleep 20
    go
    until_true 20 called "$job" prolog
    sleep 1
    scontrol reconfigure
    until_true 20 ctld_up
    sleep 2
    say 'in its Prolog, reconfigured 20 s after its start'
    again
    ends 40
    ;;
  fails)
    begin ''
    : >"$top/$part/stage/fail"
    job || continue
    go
    sleep 5
    say '5 s after it failed'
    ;;
  timeout)
    begin '' OtherTimeout=6
    job || continue
    sleep 10
    say 'OtherTimeout=6, after 11 s'
    ;;
  array)
    begin ''
    job=$(user sbatch --parsable -t 1 -p onprem -o /dev/null --array=1-3 script)
    sleep 8
    echo "$part: $(squeue -h -r -j "$job" -o '%A %T %r' | tr '\n' ';') calls of pre_run: $(grep -c ' pre_run ' "$dir/log/stage.log")"
    : >"$dir/stage/all.go"
    until_true 40 gone "$job"
    echo "$part: runs: $(wc -l <"$dir/jobs/starts"); $(squeue -h -r -j "$job" -o '%A %T %r' | tr '\n' ';')"
    ;;
  het)
    begin ''
    job=$(user sbatch --parsable -t 1 -p onprem -o /dev/null -n1 : -n1 script)
    sleep 8
    echo "$part: $(squeue -h -j "$job" -o '%i %T %r' | tr '\n' ';') calls of pre_run: $(grep -c ' pre_run ' "$dir/log/stage.log")"
    : >"$dir/stage/all.go"
    until_true 40 gone "$job"
    echo "$part: runs: $(wc -l <"$dir/jobs/starts"); $(squeue -h -j "$job" -o '%i %T %r' | tr '\n' ';')"
    ;;
  *) echo "pre-run.sh: no part $part" >&2; exit 64 ;;
  esac
  end
done
