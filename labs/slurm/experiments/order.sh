#!/bin/sh
# order.sh DIR [PART...]: who powers nodes up, and when does stage-in begin? As root; DIR must not exist.
#   own      ten jobs, Slurm's own power saving, no staging: submit to first line of the job
#   own-gate ten jobs, Slurm's own power saving, staging that is done at once
#   gate     ten jobs, staging holds the job (data_in) while somebody outside powers the node up; then it is released
#   hold     ten jobs, submitted held, node powered up from outside, released: the shortest there is
#   reserve  ten jobs without staging, every powered-down node reserved; a node is powered up from outside and leaves the reservation
#   both     the same with staging that is done at once: data_in does not wait for the node
#   choice   which node gets a job when some are up and some are not, with and without the reservation
#   start    which pending jobs get an estimated start, and with it stage-in: cloud nodes powered down, drained, reserved, ...
#   refuse   requests that no declared shape can serve
#   crowd    how many stage-ins run at once, and what slurmctld pays
#   requeue  what is called when a job runs again, loses its node, or is cancelled
#   thousand what a reservation of 1,000 nodes costs
#   restart  slurmctld ended during a stage-in; a stage-in that fails
# A node takes BOOT_SECONDS (2) to boot. Jobs come 3.3 s apart, each for a node of its own, so that nothing is warm.
set -u
top=${1:?usage: order.sh DIR [PART...]}
shift
here=$(cd "$(dirname "$0")" && pwd)
lab=$here/..
[ "$#" -gt 0 ] || set -- own own-gate gate hold reserve both choice start refuse crowd restart requeue thousand
[ ! -e "$top" ] || { echo "order.sh: $top exists" >&2; exit 64; }
dir=
# However it ends, its lab ends too.
trap '[ ! -e "$dir/lab.env" ] || "$lab/slurm-down.sh" "$dir"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$top"
chmod 755 "$top"
export NODES=10 BOOT_SECONDS=${BOOT_SECONDS:-2}

up() { cut -d' ' -f1 /proc/uptime; }
user() { (cd "$dir/jobs" && setpriv --reuid nobody --regid nogroup --clear-groups "$@"); }
reason() { squeue -h -j "$1" -o '%T %r %S' 2>/dev/null | head -n 1; }
median() { sort -n | awk '{ a[NR] = $1 } END { if (NR) printf "%.2f (%.2f to %.2f, %d)", NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2, a[1], a[NR], NR; else printf "-" }'; }

begin() {
  mkdir -p "$dir/stage" "$dir/bin"
  cat >"$dir/bin/stage-in" <<PROGRAM
#!/bin/sh
# what data_in waits for
: >$dir/stage/\$1.asked
tries=0
until [ -e $dir/stage/\$1.ready ] || [ -e $dir/stage/all.ready ]; do
  [ ! -e $dir/stage/\$1.failed ] || exit 1
  tries=\$((tries + 1))
  [ \$tries -lt 6000 ] || exit 1
  sleep 0.05
done
PROGRAM
  cat >"$dir/bin/stage-out" <<PROGRAM
#!/bin/sh
# what is known of a job when its results are asked for
export SLURM_CONF=$dir/etc/slurm.conf
echo "\$1: \$(scontrol -o show job \$1 | grep -oE '(JobState|Reason|Restarts|ExitCode)=[^ ]*' | tr '\n' ' ')" >>$dir/log/out.log
PROGRAM
  chmod 755 "$dir/bin/stage-in" "$dir/bin/stage-out"
  BURST_BUFFER_LUA=${lua-$here/order.lua} "$lab/slurm-up.sh" "$dir" >/dev/null || exit 1
  . "$dir/env.sh"
}

end() { "$lab/slurm-down.sh" "$dir"; }

# The job's script writes down when its first line runs.
script() { printf '#!/bin/sh\n%s\nread up rest </proc/uptime\necho "$up start $SLURM_JOB_ID $SLURMD_NODENAME" >>%s/jobs/starts\nsleep 1\n' "$1" "$dir" >"$dir/jobs/script"; }

wait_for_starts() {
  for i in $(seq 600); do
    [ "$(wc -l 2>/dev/null <"$dir/jobs/starts")" -lt "$1" ] 2>/dev/null || return 0
    sleep 0.1
  done
}

# outside: powers a node up as soon as its job asks for its data, and lets the job go when the node is idle
outside() {
  while [ ! -e "$dir/stop" ]; do
    for asked in "$dir"/stage/*.asked; do
      [ -e "$asked" ] || continue
      job=${asked##*/}
      job=${job%.asked}
      mv "$asked" "$dir/stage/$job.taken"
      node=$(squeue -h -j "$job" -o %j)
      scontrol update nodename="$node" state=power_up
      echo "$(up) power_up $job" >>"$dir/log/stage.log"
      (
        powered_up "$node"
        : >"$dir/stage/$job.ready"
        echo "$(up) idle $job" >>"$dir/log/stage.log"
      ) &
    done
    sleep 0.05
  done
}

report() { # FROM TO LABEL: the distance between two marks of each job
  awk -v from="$1" -v to="$2" '{ if ($2 == from && !(($3) in a)) a[$3] = $1; if ($2 == to && !(($3) in b)) b[$3] = $1 } END { for (j in a) if (j in b) printf "%.2f\n", b[j] - a[j] }' "$dir/log/stage.log" "$dir/jobs/starts" | median | sed "s/^/$part: $3: /"
  echo
}

reserve_all() { scontrol create reservation reservationname=spillway starttime=now duration=${RESERVED:-12:00:00} user=root flags="${FLAGS:-maint,ignore_jobs}" nodes="west[1-10]" >/dev/null; }

# sinfo hides the power state behind "maint" and "plnd"; scontrol tells all flags.
powered_up() { # NODE: waits
  for tries in $(seq 300); do
    case $(scontrol -o show node "$1" | grep -oE ' State=[^ ]*') in
    *POWER* | *NOT_RESPONDING* | *UNKNOWN*) sleep 0.1 ;;
    *) return ;;
    esac
  done
}

ten() { # DIRECTIVE OPTION|reserve
  script "$1"
  touch "$dir/jobs/starts"
  chmod 666 "$dir/jobs/starts"
  for i in 1 2 3 4 5 6 7 8 9 10; do
    before=$(up)
    job=$(user sbatch --parsable -t 5 -J "west$i" -w "west$i" -p west -o /dev/null ${2#reserve} script)
    echo "$before submit $job" >>"$dir/log/stage.log"
    if [ "$2" = reserve ]; then
      (
        scontrol update nodename="west$i" state=power_up
        echo "$(up) power_up $job" >>"$dir/log/stage.log"
        powered_up "west$i"
        echo "$(up) idle $job" >>"$dir/log/stage.log"
        # 22.05 takes no nodes-=: the whole list is said again, and the last node leaves with the reservation.
        if [ "$i" -lt 10 ]; then scontrol update reservationname=spillway nodes="west[$((i + 1))-10]" >/dev/null; else scontrol delete reservation=spillway; fi
      ) &
    elif [ -n "$2" ]; then
      (
        scontrol update nodename="west$i" state=power_up
        echo "$(up) power_up $job" >>"$dir/log/stage.log"
        powered_up "west$i"
        echo "$(up) idle $job" >>"$dir/log/stage.log"
        scontrol release "$job"
      ) &
    fi
    sleep 3.3
  done
  wait_for_starts 10
}

# pending NAME [sbatch options]: waits up to 8 s and says what became of it
pending() {
  name=$1
  shift
  script '#SPILLWAY in=a'
  job=$(user sbatch --parsable -t 5 -p west -o /dev/null "$@" script 2>&1)
  case $job in *[!0-9]*) echo "$part: $name: at submit: $job"; return ;; esac
  for i in $(seq 16); do
    sleep 0.5
    ! grep -q " data_in $job\$" "$dir/log/stage.log" || break
  done
  asked=no
  ! grep -q " data_in $job\$" "$dir/log/stage.log" || asked=$(awk -v j="$job" '$2 == "data_in" && $3 == j { print $1 }' "$dir/log/stage.log" | head -n 1 | awk -v n="$(up)" '{ printf "%.1f s ago", n - $1 }')
  echo "$part: $name: stage-in asked: $asked; $(reason "$job")"
  scancel "$job"
}

for part in "$@"; do
  dir=$top/$part
  case $part in
  own)
    lua='' begin
    ten '' ''
    report submit start "submit to first line"
    end
    ;;
  own-gate)
    begin
    touch "$dir/stage/all.ready"
    ten '#SPILLWAY in=a' ''
    report submit data_in "submit to data_in"
    report data_in_end start "data there to first line"
    report submit start "submit to first line"
    end
    ;;
  gate)
    begin
    outside &
    ten '#SPILLWAY in=a' ''
    touch "$dir/stop"
    report submit data_in "submit to data_in"
    report power_up idle "power_up to idle"
    report idle data_in_end "idle to end of data_in"
    report data_in_end pre_run "end of data_in to allocation"
    report data_in_end start "end of data_in to first line"
    report power_up start "power_up to first line"
    report submit start "submit to first line"
    echo "$part: resumed by Slurm itself: $(grep -c 'power_save: .*resum\|Resume' "$dir/log/slurmctld.log" || true)"
    end
    ;;
  hold)
    lua='' begin
    ten '' -H
    report submit start "submit to first line"
    report power_up start "power_up to first line"
    report idle start "release to first line"
    end
    ;;
  both)
    begin
    touch "$dir/stage/all.ready"
    reserve_all
    ten '#SPILLWAY in=a' reserve
    report submit data_in "submit to data_in"
    report power_up idle "power_up to idle"
    report idle start "out of the reservation to first line"
    report submit start "submit to first line"
    end
    ;;
  reserve)
    lua='' begin
    reserve_all
    ten '' reserve
    report submit start "submit to first line"
    report power_up idle "power_up to idle"
    report idle start "out of the reservation to first line"
    echo "$part: asked of ResumeProgram: $(grep -c ' resume ' "$dir/log/power.log")"
    end
    ;;
  choice)
    lua='' begin
    touch "$dir/jobs/starts"
    chmod 666 "$dir/jobs/starts"
    script ''
    scontrol update nodename="west[8-10]" state=power_up
    for i in 8 9 10; do powered_up "west$i"; done
    for i in 1 2 3; do user sbatch -Q -p west --exclusive -o /dev/null script; done
    sleep 5
    echo "$part: up: west8 to 10; three jobs went to $(awk '{ print $4 }' "$dir/jobs/starts" | sort | tr '\n' ' ')and Slurm resumed $(grep -c ' resume ' "$dir/log/power.log") times"
    reserve_all
    scontrol update reservationname=spillway nodes="west[1-7]" >/dev/null
    for i in 1 2 3 4; do user sbatch -Q -p west -J "n$i" --exclusive -o /dev/null script; done
    sleep 2
    echo "$part: reserved: four jobs: $(squeue -h -o '%j %T %r %N %S' | tr '\n' ';')"
    echo "$part: ResumeProgram was called $(grep -c ' resume ' "$dir/log/power.log") times, once by us; sinfo: $(sinfo -h -p west -o '%t %D' | tr '\n' ';')"
    begun=$(up)
    for i in $(seq 100); do scontrol update reservationname=spillway nodes="west[1-6]" >/dev/null; scontrol update reservationname=spillway nodes="west[1-7]" >/dev/null; done
    echo "$part: 200 changes of the reservation: $(awk -v a="$begun" -v b="$(up)" 'BEGIN { printf "%.2f", b - a }') s"
    end
    ;;
  start)
    begin
    pending "powered down"
    pending "held" -H
    pending "begin in 1 h" --begin=now+1hour
    scontrol update nodename="west[1-10]" state=drain reason=spillway
    pending "all drained"
    scontrol update nodename="west[1-10]" state=resume
    for state in down inactive drain; do
      scontrol update partitionname=west state=$state
      pending "partition $state"
    done
    scontrol update partitionname=west state=up
    scontrol create reservation reservationname=spillway starttime=now duration=1-0 user=root flags=maint,ignore_jobs nodes="west[1-10]" >/dev/null
    pending "all reserved for a day"
    scontrol update reservationname=spillway duration=30-0
    pending "all reserved for 30 days"
    scontrol update reservationname=spillway nodes="west[2-10]"
    pending "west1 out of the reservation"
    scontrol delete reservation=spillway
    pending "dependency" -d "afterok:$(user sbatch --parsable -H -p west -o /dev/null script)"
    pending "array of 20" --array=1-20
    sleep 3
    echo "$part: array: data_in calls $(grep -c ' data_in [0-9]' "$dir/log/stage.log")"
    echo "$part: resumed by Slurm itself: $(grep -c ' resume ' "$dir/log/power.log" || true)"
    end
    ;;
  refuse)
    begin
    for options in "-N11" "--mem=9000" "-c5" "--gres=gpu:3" "--gres=gpu:a100:1" "-C east" "-w north1" "-L matlab:1" "-H -N11" "--gres=gpu:h100:2 -N10" "-N2 --mem=8000"; do
      before=$(up)
      answer=$(user sbatch -t 5 -p west $options --wrap true 2>&1 | tr '\n' ' ')
      echo "$part: $options: $answer ($(awk -v a="$before" -v b="$(up)" 'BEGIN { printf "%.2f", b - a }') s)"
      scancel -u nobody
    done
    script '#SPILLWAY bad'
    echo "$part: bad line: $(user sbatch -p west script 2>&1 | tr '\n' ' ')"
    script '#SPILLWAY in=a'
    echo "$part: as SlurmUser: $(cd "$dir/jobs" && sbatch -p west script 2>&1 | tail -n 1)"
    end
    ;;
  crowd)
    begin
    ctld=$(cat "$dir/run/slurmctld.pid")
    script '#SPILLWAY in=a'
    for i in $(seq 200); do user sbatch --parsable -t 5 -p west -o /dev/null script; done >"$dir/ids"
    sleep 8
    echo "$part: 200 jobs: stage-ins at once: $(ls "$dir/stage" | grep -c asked); processes: $(pgrep -fc "$dir/bin/stage-in"); threads of slurmctld: $(ls "/proc/$ctld/task" | wc -l)"
    before=$(up)
    squeue -h >/dev/null
    echo "$part: squeue meanwhile: $(awk -v a="$before" -v b="$(up)" 'BEGIN { printf "%.2f", b - a }') s"
    echo "$part: with an estimated start: $(squeue -h -o %S | grep -vc N/A) of $(squeue -h | wc -l)"
    touch "$dir/stage/all.ready"
    sleep 5
    echo "$part: five seconds after all were let go: stage-ins begun $(grep -c ' data_in [0-9]' "$dir/log/stage.log")"
    end
    ;;
  restart)
    begin
    script '#SPILLWAY in=a'
    for signal in KILL TERM; do
      job=$(user sbatch --parsable -t 5 -p west -o /dev/null script)
      sleep 4
      kill -$signal "$(cat "$dir/run/slurmctld.pid")"
      sleep 2
      echo "$part: $signal: stage-in processes two seconds later: $(pgrep -fc "$dir/bin/stage-in")"
      slurmctld -f "$SLURM_CONF" -L "$dir/log/slurmctld.log"
      began=$(up)
      for i in $(seq 120); do
        sleep 0.5
        [ "$(grep -c " data_in $job\$" "$dir/log/stage.log")" -lt 2 ] || break
      done
      echo "$part: $signal: $(awk -v a="$began" -v b="$(up)" 'BEGIN { printf "%.1f", b - a }') s after the restart: calls of job $job: $(awk -v j="$job" '$3 == j { printf "%s ", $2 }' "$dir/log/stage.log"); $(reason "$job")"
      touch "$dir/stage/$job.ready"
      sleep 5
      echo "$part: $signal: let go: $(awk -v j="$job" '$3 == j { printf "%s ", $2 }' "$dir/log/stage.log"); $(reason "$job")"
      scancel "$job"
    done
    job=$(user sbatch --parsable -t 5 -p west -o /dev/null script)
    sleep 2
    touch "$dir/stage/$job.failed"
    sleep 4
    echo "$part: failed stage-in: $(reason "$job"); $(scontrol show job "$job" | grep -oE '(Admin|System)?Comment=.*|Reason=.* Dep|Priority=[0-9]+' | tr '\n' ' ')"
    rm "$dir/stage/$job.failed"
    touch "$dir/stage/$job.ready"
    scontrol release "$job"
    sleep 4
    echo "$part: released: $(reason "$job"); $(awk -v j="$job" '$3 == j { printf "%s ", $2 }' "$dir/log/stage.log")"
    end
    ;;
  requeue)
    begin
    touch "$dir/stage/all.ready"
    scontrol update nodename="west[1-2]" state=power_up
    powered_up west1
    powered_up west2
    script '#SPILLWAY in=a'
    sed -i 's/^sleep 1$/sleep 20/' "$dir/jobs/script"
    job=$(user sbatch --parsable -t 5 -p west --requeue -o /dev/null script)
    lost=$(user sbatch --parsable -t 5 -p west -w west2 --requeue -o /dev/null script)
    gone=$(user sbatch --parsable -t 5 -p west -w west1 -o /dev/null script)
    sleep 6
    touch "$dir/log/out.log"
    calls() { awk -v j="$1" '$3 == j { printf "%s ", $2 }' "$dir/log/stage.log"; }
    echo "$part: running: $(reason "$job"); $(calls "$job")"
    scontrol requeue "$job"
    "$lab/node.sh" "$dir" kill west2
    scontrol update nodename=west2 state=down reason="instance gone"
    scancel "$gone"
    sleep 30
    echo "$part: 30 s after requeue: $(reason "$job"); $(calls "$job")"
    echo "$part: 30 s after its node was declared down: $(reason "$lost"); $(calls "$lost")"
    echo "$part: cancelled while running: $(calls "$gone")"
    ended=$(user sbatch --parsable -t 5 -p west -w west1 -o /dev/null script)
    for i in $(seq 80); do
      ! grep -q "^$ended:" "$dir/log/out.log" || break
      sleep 0.5
    done
    echo "$part: what data_out sees: requeued $(grep "^$job:" "$dir/log/out.log"); node lost $(grep "^$lost:" "$dir/log/out.log"); cancelled $(grep "^$gone:" "$dir/log/out.log"); ended $(grep "^$ended:" "$dir/log/out.log")"
    waits=$(user sbatch --parsable -t 5 -p west -N10 --exclusive -o /dev/null script)
    sleep 2
    scancel "$waits"
    sleep 2
    echo "$part: cancelled while it waits: $(calls "$waits")"
    end
    ;;
  thousand)
    export EXTRA_NODES="NodeName=c[1-1000] NodeAddr=127.0.0.1 CPUs=64 RealMemory=256000 Gres=gpu:h100:4 Feature=cloud State=CLOUD
PartitionName=c Nodes=c[1-1000] State=UP"
    REGIONS='' RESUME=no lua='' begin
    begun=$(up)
    scontrol create reservation reservationname=spillway starttime=now duration=12:00:00 user=root flags=maint,ignore_jobs nodes="c[1-1000]" >/dev/null
    echo "$part: reservation of 1,000 nodes made: $(awk -v a="$begun" -v b="$(up)" 'BEGIN { printf "%.2f", b - a }') s"
    rest=$(seq -s, -f c%g 1 2 999)
    begun=$(up)
    for i in $(seq 20); do scontrol update reservationname=spillway nodes="$rest" >/dev/null; scontrol update reservationname=spillway nodes="c[1-1000]" >/dev/null; done
    echo "$part: one change, 500 names in full: $(awk -v a="$begun" -v b="$(up)" 'BEGIN { printf "%.3f", (b - a) / 40 }') s"
    end
    unset EXTRA_NODES
    ;;
  *) echo "order.sh: no part $part" >&2; exit 64 ;;
  esac
done
