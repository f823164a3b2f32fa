#!/bin/bash
# truth.sh [PART...]: whether Slurm's own words about jobs in the cloud are true, and whether anything is lost in silence. Starts the lab
# with a head and an empty region (head.sh), submits small scripts as an ordinary user, the same at home where a plain Slurm is the
# judge, and prints a line for each case: `ok CASE: what was seen` or `WRONG CASE: what was seen`. As root; needs what install.sh
# installs. Parts, all without any: slow outputs plain dependents numbers drained chdir restarted unbought away gpus off. Cases are named by the findings of docs/proven.md. Exit code 0 only if every case is ok but those of $known, and nothing is left on the bill.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/head.sh"

if [ -z "$dir" ]; then
  outside "$(readlink -f "$0")" "$@"
  exit
fi

work=/home/ann
wrong=0

parts=" $* "

wanted() { [ "$parts" = '  ' ] || [[ $parts == *" $1 "* ]]; }

ok() { echo "ok $1: $2"; }

# Cases that are not mended yet (ADR 43).
known=' '

wrong() {
  case $known in
    *" $1 "*) echo "WRONG (known) $1: $2" ;;
    *) echo "WRONG $1: $2" && wrong=$((wrong + 1)) ;;
  esac
}

# judge CASE WHAT CONDITION...
judge() {
  local name=$1 what=$2
  shift 2
  if "$@"; then ok "$name" "$what"; else wrong "$name" "$what"; fi
}

# script NAME LINES...: a script in a folder of its own at home
script() {
  local name=$1
  shift
  install -d -o ann -g ann "$work/$name" "$work/$name/logs"
  { printf '#!/bin/sh\n' && printf '%s\n' "$@"; } >"$work/$name/job.sh"
  chown ann:ann "$work/$name/job.sh"
}

# submit NAME OPTIONS...: the job's number in $job
submit() {
  local name=$1
  shift
  job=$(cd "$work/$name" && as ann sbatch --parsable -t 5 "$@" job.sh 2>"$dir/sbatch.err") || fail "$name: sbatch refused it: $(cat "$dir/sbatch.err")"
}

# refused CASE NAME OPTIONS...: what would lose lines is not taken
refused() {
  local name=$1 folder=$2
  shift 2
  if job=$(cd "$work/$folder" && as ann sbatch --parsable -p west -t 5 "$@" job.sh 2>"$dir/sbatch.err"); then
    wrong "$name" "sbatch $* is taken as job $job"
  else
    ok "$name" "$(head -n 1 "$dir/sbatch.err" | head -c 200)"
  fi
}

field() { # JOB KEY
  scontrol -o show job "$1" 2>/dev/null | head -n 1 | grep -oE " $2=[^ ]*" | head -n 1 | cut -d = -f 2
}

# Slurm does not list it any more, and has answered.
gone() {
  local listed
  listed=$(squeue -h -r -o '%A %F' 2>/dev/null) && ! grep -qw "$1" <<<"$listed"
}

settled() { # JOB SECONDS
  within "$2" gone "$1" || wrong lab "job $1 does not end: $(squeue -h -j "$1" -o '%T %r')"
}

runs() { [ "$(field "$1" JobState)" = RUNNING ]; }

is_here() { [ -e "$1" ]; }

# The names and contents of the outputs of a case, without what differs from job to job.
outputs() { # FOLDER JOB
  (cd "$work/$1" && find . -name '*.out' -type f | sort | while read -r file; do
    printf '%s: %s\n' "$file" "$(tr '\n' ' ' <"$file")"
  done) | sed -E -e 's/i-[0-9a-f]{17}/NODE/g' -e "s/$2/JOB/g" -e 's/home[12]/NODE/g' -e 's/west-large-[0-9]*/NODE/g' -e "s/_$(hostname -s)_/_NODE_/g; s/err-$(hostname -s)/err-NODE/g"
}

equally_many() { [ "$(outputs "$2-home" "$3" | wc -l)" = "$(outputs "$2-west" "$4" | wc -l)" ]; }

# same CASE FOLDER JOB_AT_HOME JOB_IN_CLOUD: what the two left is the same
same() {
  local here there
  # Results are on their way for a moment when Slurm has done with a job (S5).
  within 30 equally_many "$@"
  here=$(outputs "$2-home" "$3")
  there=$(outputs "$2-west" "$4")
  if [ "$here" = "$there" ] && [ "$(field "$3" JobState)" = "$(field "$4" JobState)" ]; then
    ok "$1" "$(head -n 1 <<<"$there" | head -c 160)"
  else
    wrong "$1" "at home $(field "$3" JobState) $(tr '\n' ' ' <<<"$here"), in the cloud $(field "$4" JobState) $(tr '\n' ' ' <<<"$there")"
  fi
}

# pair NAME OPTIONS...: the script NAME at home and in the cloud; numbers in $at_home and $in_cloud
pair() {
  local name=$1
  shift
  for place in home west; do
    [ -d "$work/$name-$place" ] || cp -a "$work/$name" "$work/$name-$place"
    submit "$name-$place" -p "$place" "$@"
    if [ "$place" = home ]; then at_home=$job; else in_cloud=$job; fi
  done
}

# S3: outputs have the names that a plain Slurm gives them.
outputs_submitted() {
  script nested 'echo nested'
  pair nested -c 1 -J nested -o 'logs/%x-%j.out'
  nested_home=$at_home nested_west=$in_cloud
  script patterns 'echo patterns; echo errors >&2'
  pair patterns -c 1 -J words -o 'logs/%x_%j_%A_%J_%N_%n_%s_%t_%u_%%_%5j.out' -e 'logs/err-%N.out'
  patterns_home=$at_home patterns_west=$in_cloud
  # The first run is broken off by its user; both runs' lines stand behind what was there.
  script appended 'echo "run ${SLURM_RESTART_COUNT:-0}"' '[ -n "${SLURM_RESTART_COUNT:-}" ] || sleep 300'
  for each in home west; do
    echo old >"$work/appended/$each.out"
    chown ann:ann "$work/appended/$each.out"
    submit appended -p "$each" -c 1 --open-mode=append --requeue -o "$each.out"
    eval "appended_$each=\$job"
    broken_off "$job" "$work/appended/$each.out" &
  done
  script array 'echo task $SLURM_ARRAY_TASK_ID'
  pair array -c 1 -J many --array=3,5 -o 'logs/%x-%A_%a.out'
  array_home=$at_home array_west=$in_cloud
  install -d -o ann -g ann /tmp/elsewhere
  script outside 'echo outside'
  refused S3-outside outside -o '/tmp/elsewhere/%j.out'
}

# broken_off JOB FILE: requeued when it has said its first word at home, and begun again soon.
broken_off() {
  within 240 grep -q 'run 0' "$2" && as ann scontrol requeue "$1" || return 1
  for _ in $(seq 20); do
    sleep 1
    as ann scontrol update jobid="$1" starttime=now+4 2>/dev/null && return
  done
}

outputs_judged() {
  for each in "$nested_west" "$patterns_west" "$array_west"; do settled "$each" 180; done
  for each in "$appended_home" "$appended_west"; do settled "$each" 300; done
  same S3-folder nested "$nested_home" "$nested_west"
  same S3-patterns patterns "$patterns_home" "$patterns_west"
  same S3-array array "$array_home" "$array_west"
  for each in home west; do
    judge "S3-append-$each" "$(grep -v slurmstepd "$work/appended/$each.out" | tr '\n' ' ')" \
      [ "$(grep -v slurmstepd "$work/appended/$each.out" | tr '\n' ' ')" = 'old run 0 run 1 ' ]
  done
}

# S1: a job whose results take longer to collect than anybody's patience: the node's runner of it stands still.
slow_submitted() {
  script slow 'echo results >z.bin' 'sleep 6'
  sed -i '1a #SPILLWAY out=z.bin' "$work/slow/job.sh"
  submit slow -p west -c 1 -o /dev/null
  slow=$job
  within 240 runs "$slow" || fail 'the job with slow results does not run'
  within 60 pgrep -f "agent job slurm-$slow-" || fail 'the node has no runner for the job'
  local runner
  runner=$(pgrep -f "agent job slurm-$slow-" | head -n 1)
  { kill -STOP "$runner" && sleep 42 && kill -CONT "$runner"; } &
  holder=$!
}

slow_judged() {
  wait "$holder"
  settled "$slow" 180
  judge S1 "results took 40 s to collect: Restarts=$(field "$slow" Restarts) $(field "$slow" JobState), $(cat "$work/slow/z.bin" 2>&1)" \
    sh -c "[ '$(field "$slow" Restarts)' = 0 ] && [ -s '$work/slow/z.bin' ]"
}

# S2: a plain script that knows nothing of the head.
plain_submitted() {
  script plain 'mkdir -p results ~/far' 'echo near >results/near.txt' 'echo far >~/far/far.txt'
  submit plain -p west -c 1 -o plain.out
  plain=$job
  script dots 'mkdir -p ~/.cache/some && echo x >~/.cache/some/x' 'echo fine'
  submit dots -p west -c 1 -o dots.out
  dots=$job
}

plain_judged() {
  settled "$plain" 180
  near=$work/plain/spillway-$plain/results/near.txt
  within 15 is_here "$near"
  judge S2-folder "$(field "$plain" JobState), in its folder: $(cat "$near" 2>&1)" is_here "$near"
  far=$work/plain/spillway-$plain/HOME/far/far.txt
  judge S2-home "$(field "$plain" JobState) $(field "$plain" ExitCode), what it wrote to ~/far/far.txt: $(cat "$far" 2>&1 | head -c 60)" is_here "$far"
  judge S2-cache "a cache in ~/.cache: $(field "$dots" JobState)" [ "$(field "$dots" JobState)" = COMPLETED ]
}

# S5: who waits for a job finds its results, and what is lacking is a failure for Slurm, too.
dependents_submitted() {
  script first 'echo first'
  submit first -p west -c 1 -o first.out
  first=$job
  script second "cat $work/first/first.out"
  submit second -p home -c 1 -o second.out -d "afterok:$first"
  second=$job
  script lines 'echo lines >result.txt'
  sed -i '1a #SPILLWAY out=result.txt' "$work/lines/job.sh"
  submit lines -p west -c 1 -o /dev/null
  script third "cat $work/lines/result.txt"
  submit third -p home -c 1 -o third.out -d "afterok:$job"
  third=$job
  script strict 'true'
  sed -i '1a #SPILLWAY out!=missing.txt' "$work/strict/job.sh"
  submit strict -p west -c 1 -o /dev/null
  strict=$job
  script never 'true'
  submit never -p home -c 1 -o /dev/null -d "afterok:$strict"
  never=$job
  submit never -p home -c 1 -o /dev/null -d "afternotok:$strict"
  otherwise=$job
  # The judge: a job that fails by itself, at home and in the cloud.
  script fails 'exit 7'
  pair fails -c 1 -o /dev/null
  fails_home=$at_home fails_west=$in_cloud
}

dependents_judged() {
  for each in "$second" "$third" "$strict" "$fails_home" "$fails_west"; do settled "$each" 180; done
  judge S5-afterok "afterok of a plain job reads: $(cat "$work/second/second.out" 2>&1)" grep -qx first "$work/second/second.out"
  judge S5-lines "afterok of a job with lines reads: $(cat "$work/third/third.out" 2>&1)" grep -qx lines "$work/third/third.out"
  within 20 gone "$otherwise"
  judge S5-strict "out!= missing: $(field "$strict" JobState) $(field "$strict" ExitCode), afterok: $(field "$never" Reason), afternotok: $(field "$otherwise" JobState)" \
    grep -qE '^(FAILED|CANCELLED) 1:0 DependencyNeverSatisfied COMPLETED$' <<<"$(field "$strict" JobState) $(field "$strict" ExitCode) $(field "$never" Reason) $(field "$otherwise" JobState)"
  scancel "$never"
  judge S5-fails "exit 7: at home $(field "$fails_home" JobState) $(field "$fails_home" ExitCode), in the cloud $(field "$fails_west" JobState) $(field "$fails_west" ExitCode)" \
    [ "$(field "$fails_home" JobState) $(field "$fails_home" ExitCode)" = "$(field "$fails_west" JobState) $(field "$fails_west" ExitCode)" ]
}

# S6: the head takes Slurm's numbers.
numbers_judged() {
  script talks 'echo first line' 'sleep 300'
  submit talks -p west -c 1 -o talks.out
  talks=$job
  within 120 runs "$talks"
  within 30 sh -c "'$spillway' logs $talks --socket '$dir/state/spillway.sock' | grep -q 'first line'"
  for user in ann root; do
    for word in job explain logs; do
      seen=$(as "$user" "$spillway" "$word" "$talks" --socket "$dir/state/spillway.sock" 2>&1)
      judge "S6-$word" "as $user: $(head -n 1 <<<"$seen" | head -c 120)" grep -qE "$([ "$word" = logs ] && echo 'first line' || echo "slurm-$talks-|west")" <<<"$seen"
    done
  done
  within 30 grep -qs 'first line' "$work/talks/talks.out"
  judge S6-running "the output of a running job at home: $(cat "$work/talks/talks.out" 2>&1 | head -c 80)" grep -q 'first line' "$work/talks/talks.out"
  seen=$(as ann "$spillway" cancel "$talks" --socket "$dir/state/spillway.sock" 2>&1)
  settled "$talks" 180
  script told 'echo first' 'sleep 20' 'echo last'
  submit told -p west -c 1 -o told.out
  within 120 grep -qs first "$work/told/told.out"
  timeout 300 tail -f "$work/told/told.out" >"$dir/followed" 2>&1 &
  local follower=$!
  settled "$job" 180
  within 10 grep -q last "$dir/followed"
  judge S6-follow "tail -f from its first line to its end: $(tr '\n' ' ' <"$dir/followed" | head -c 120), at home $(tr '\n' ' ' <"$work/told/told.out" | head -c 60)" \
    [ "$(tr '\n' ' ' <"$dir/followed")" = 'first last ' ]
  kill "$follower"
  judge S6-cancel "$(head -n 1 <<<"$seen" | head -c 100): $(field "$talks" JobState)" [ "$(field "$talks" JobState)" = CANCELLED ]
}

# S4: a node that its administrator drains is away, and is theirs.
drained_judged() {
  script busy 'sleep 2'
  submit busy -p west -c 4 -o /dev/null
  settled "$job" 180
  # Only those that are up: what is off is idle, too, and is what may still be bought.
  for node in $(sinfo -h -p west -N -o '%N %t' | sed -n 's/ idle$//p'); do scontrol update nodename="$node" state=drain reason='under repair'; done
  drained=$(sinfo -h -p west -N -t drain -o %N | sort -u | tr '\n' ' ')
  submit busy -p west -c 4 -o /dev/null
  within 120 gone "$job"
  judge S4-bought "with ${drained}drained a job is $(field "$job" JobState) $(field "$job" Reason) on $(field "$job" NodeList)" \
    [ "$(field "$job" JobState)" = COMPLETED ]
  local undrained=
  for node in $drained; do scontrol -o show node "$node" | grep -q 'State=[^ ]*\(DRAIN\|POWER\)' || undrained=$undrained$node; done
  judge S4-theirs "undrained by nobody: ${undrained:-none}" [ -z "$undrained" ]
}

# S8: a machine that is sold with a GPU and has none: slurmd does not start there.
gpus_judged() {
  script gpus 'true'
  submit gpus -p west -c 1 --gres=gpu:1 -o /dev/null
  gpus=$job
  local bought
  within 120 sh -c "'$spillway' breaker list --socket '$dir/state/spillway.sock' | grep -q gpu"
  judge S8-breaker "$(ask breaker list 2>&1 | grep gpu | tr -s ' ' | head -c 200)" \
    sh -c "'$spillway' breaker list --socket '$dir/state/spillway.sock' | grep -q nvidia0"
  sleep 15
  bought=$(ask nodes --all 2>/dev/null | grep -c /gpu/)
  judge S8-once "nodes of that type that were bought: $bought" [ "$bought" = 1 ]
  seen=$(ask nodes --all 2>&1 | grep gpu | tr -s ' ' | head -n 1)
  judge S8-nodes "nodes: $seen" grep -q nvidia0 <<<"$seen"
  seen=$(as ann "$spillway" explain "$gpus" --socket "$dir/state/spillway.sock" 2>&1 | tr '\n' ' ')
  judge S8-explain "explain: $(head -c 200 <<<"$seen")" grep -q nvidia0 <<<"$seen"
  seen=$(scontrol -o show node 'west-gpu-[1-2]' | grep -o ' Reason=.*')
  judge S8-slurm "scontrol show node: $(head -c 160 <<<"$seen")" grep -q nvidia0 <<<"$seen"
  seen=$(scontrol -o show job "$gpus" | grep -o 'AdminComment=.*')
  # Every user of the machine may read it: no paths.
  judge S8-job "scontrol show job: $(head -c 200 <<<"$seen")" grep -q 'slurmd has ended: .*gres.conf' <<<"$seen"
}

# S10: nodes that are off look as they do with Slurm's own power saving, and nobody is told that they are hours away.
off_judged() {
  seen=$(sinfo -h -p west -N -t powered_down -o %t | grep -v drain | sort | uniq -c | tr -s ' ' | tr '\n' ',')
  judge S10-off "nodes that are off are:$seen" grep -qE '^ [0-9]+ idle~,$' <<<"$seen"
  local start
  [ -n "${gpus:-}" ] || { script gpus true && submit gpus -p west -c 1 --gres=gpu:1 -o /dev/null && gpus=$job && sleep 4; }
  # slurmctld says so when it has looked at the job once more.
  within 180 sh -c "squeue -h -j '$gpus' -o %S | grep -qE '^[0-9]+\$'"
  start=$(squeue -h -j "$gpus" -o %S)
  case $start in '' | *[!0-9]*) start="$(($(date +%s) + 86400))" ;; esac
  judge S10-start "a job that waits for a node is to start in $(((start - $(date +%s)) / 60)) minutes" [ "$start" -lt "$(($(date +%s) + 3600))" ]
  scancel "$gpus"
}

# S10: where a plain Slurm goes to /tmp a cloud node does, too.
chdir_judged() {
  script lost '[ "$(pwd)" = /tmp ]'
  for place in home west; do
    job=$(cd "$work/lost" && as ann sbatch --parsable -t 5 -p "$place" -c 1 --chdir=/no/such/place -o /dev/null "$work/lost/job.sh" 2>"$dir/sbatch.err") || fail "sbatch --chdir: $(cat "$dir/sbatch.err")"
    settled "$job" 180
    eval "lost_$place='$(field "$job" JobState) $(field "$job" ExitCode)'"
  done
  judge S10-chdir "at home $lost_home, in the cloud $lost_west" [ "$lost_home" = "$lost_west" ]
}

controller() { # stop|start
  if [ "$1" = start ]; then
    "$here/site.sh" "$dir" slurmctld && within 25 sh -c 'scontrol ping | grep -q "is UP"'
  else
    local pid
    pid=$(cat "$dir/slurm/slurmctld.pid")
    kill "$pid"
    within 30 sh -c "! kill -0 $pid"
  fi
}

# S9: jobs that are submitted when slurmctld has just been started again run once, also those that wait for their order when
# their node hears of the restart. RESTARTS says how often that is tried, twenty times for the whole: RESTARTS=20 truth.sh restarted
restarted_judged() {
  script again 'sleep 1'
  local all=0 twice='' jobs each
  submit again -p west -c 1 -o /dev/null
  settled "$job" 240
  for _ in $(seq "${RESTARTS:-2}"); do
    controller stop
    controller start
    jobs=
    for _ in $(seq 8); do
      submit again -p west -c 1 -o /dev/null
      jobs="$jobs $job"
      sleep 0.6
    done
    for each in $jobs; do
      settled "$each" 240
      all=$((all + 1))
      [ "$(field "$each" Restarts) $(field "$each" JobState)" = '0 COMPLETED' ] || twice="$twice $each"
    done
  done
  judge S9 "of $all jobs after ${RESTARTS:-2} orderly restarts of slurmctld run again or not completed:${twice:- none}" [ -z "$twice" ]
  # Whoever makes a job run again says so: a node that kills its slurmd, a slurmctld that misses a job.
  [ -z "$twice" ] || {
    grep -rhaoE 'slurmctld (has forgotten a run of job [0-9]+|has begun job [0-9]+ anew|takes this node for one that is off)' "$dir/clouds/west/instances" | sort | uniq -c
    grep -aE 'Requeuing|missing from|not responding|Killing' "$dir/log/slurm/slurmctld.log" | tail -n 20
  }
}

# Nobody buys while no head runs, and slurmctld gives no job a node then: not after its start, nor when the reservation has run
# out; and a head that comes goes on with what waits.
unbought_judged() {
  script unbought 'echo bought'
  # A node that is up, as idle ones are for two minutes, would be given away rightly; one that was drained stays up for ever.
  for node in ${drained:-}; do scontrol update nodename="$node" state=resume; done
  within 240 sh -c '! sinfo -h -N -p west -o %t | grep -qv "~"' || fail "nodes of west stay up: $(sinfo -h -N -p west -o %N=%t | tr '\n' ' ')"
  kill -STOP "$head"
  controller stop
  controller start
  submit unbought -p west -c 1 -o unbought.out
  sleep 8
  judge unbought-start "no head since slurmctld was started: $(field "$job" JobState) $(field "$job" Reason), $(sinfo -h -p west -o %a | head -n 1)" \
    grep -qE '^PENDING (PartitionDown|ReqNodeNotAvail.*) down$' <<<"$(field "$job" JobState) $(field "$job" Reason) $(sinfo -h -p west -o %a | head -n 1)"
  # As when a head that was killed has been away for longer than its reservation lasts.
  scontrol delete reservation=spillway
  scontrol update partitionname=west state=up minnodes=1
  within 60 sh -c 'sinfo -h -p west -o %a | grep -qx down'
  sleep 2
  judge unbought-late "Slurm gave nodes away: $(field "$job" JobState), requeued $(field "$job" Restarts) times, $(sinfo -h -p west -o %a | head -n 1)" \
    [ "$(field "$job" JobState) $(sinfo -h -p west -o %a | head -n 1)" = 'PENDING down' ]
  kill -CONT "$head"
  settled "$job" 240
  judge unbought-after "when the head runs again: $(field "$job" JobState), $(cat "$work/unbought/unbought.out" 2>&1)" \
    [ "$(field "$job" JobState)" = COMPLETED ]
}

# S10: nobody reads a log in which one thing is said twice a second.
away_judged() {
  local before after began=$SECONDS
  before=$(grep -c ' WARN ' "$dir/head.log")
  controller stop
  sleep 20
  after=$(grep -c ' WARN ' "$dir/head.log")
  controller start
  judge S10-log "slurmctld away for $((SECONDS - began)) s: $((after - before)) WARN, the last: $(grep ' WARN ' "$dir/head.log" | tail -n 1 | cut -c 1-150)" \
    [ "$((after - before))" -le "$((1 + (SECONDS - began) / 60))" ]
}

MORE_CONF='SchedulerParameters=sched_interval=1,bf_interval=2,batch_sched_delay=0'
IDLE=${IDLE:-2m}
# A machine that is sold with a GPU has none: nothing in the machine is at /dev/nvidia0.
MORE_TYPES='  - { name: gpu, cpus: 4, memoryGiB: 16, gpus: 1, pricePerHour: 1.00, bootSeconds: 1, machine: "@LAB@/machine.sh" }' MORE_NODES=', gpu: 2' \
  site_up 6 1
for part in slow outputs plain dependents; do ! wanted "$part" || "${part}_submitted"; done
for part in outputs plain dependents slow numbers drained chdir restarted unbought away gpus off; do ! wanted "$part" || "${part}_judged"; done
site_down || wrong lab 'something is left on the bill'
[ "$wrong" -eq 0 ] || { echo "$wrong wrong" && exit 1; }
