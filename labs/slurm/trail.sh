#!/bin/bash
# trail.sh [--json FILE]: the trail of a plain script with #SPILLWAY lines, submitted by an ordinary user with sbatch: once,
# as an array of 20, and with a requeue while it runs. Starts the lab with a head and an empty region (head.sh), prints
# each job's steps in seconds since its sbatch, from Slurm's own log, and ends all of it. As root; needs what install.sh installs.
# NODES_TREE names a tree of releases/install.sh for the nodes: an older Slurm than slurmctld's.
# Exit code 0 only if every job has done all steps in their order, data was staged in once for each job (also for one
# that ran twice) and went to the region once for the array, each result was published once, each log is whole, and nothing is left on the bill.
# The times: `process` is sbatch as its user sees it (cli_filter and slurm_bb_job_process); `stage-in`, `stage-out` and
# `teardown` are the calls of the hook, `allocated` is slurmctld's word, `run` the job's own. What crossed the cable to the
# region is counted by the kernel.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/head.sh"

json=
case ${1:-} in
--json) json=$(realpath -m "${2:?a file}") ;;
'') ;;
*) echo 'usage: trail.sh [--json FILE]' >&2 && exit 64 ;;
esac
if [ -z "$dir" ]; then
  outside "$(readlink -f "$0")" "$@"
  exit
fi

megabytes=8
tasks=20
work=/home/ann/trail
wrong=0

complain() {
  echo "WRONG: $*"
  wrong=$((wrong + 1))
}

now() { date +%s.%N; }

# A script as its user wrote it: NAME LINES_OF_SBATCH
script() {
  mkdir -p "$work/$1"
  head -c "${megabytes}M" /dev/urandom >"$work/$1/in.bin"
  cat >"$work/$1/job.sh" <<JOB
#!/bin/sh
#SBATCH --partition=west --time=5 --job-name=$1 --output=log-%j.txt
$2
#SPILLWAY in=in.bin out!=out-%j.txt
echo "said by run \${SLURM_RESTART_COUNT:-0}"
{
  date +'began %s.%N'
  echo "user \$(id -u)"
  echo "run \${SLURM_RESTART_COUNT:-0} on \$SLURMD_NODENAME"
  sha256sum <in.bin
  sleep 4
  date +'ended %s.%N'
} >out-\$SLURM_JOB_ID.txt
JOB
  chown -R ann:ann /home/ann
}

on_the_cable() { ip -s -j link show s-west | jq '.[0].stats64.tx.bytes'; }

# submit NAME OPTIONS...: the job's number in $job, sbatch's time in $asked and $answered
submit() {
  local name=$1
  shift
  cable=$(on_the_cable)
  asked=$(now)
  job=$(cd "$work/$name" && as ann sbatch --parsable "$@" job.sh) || fail "$name: sbatch refused it"
  answered=$(now)
  echo "$job" >>"$dir/submitted"
}

gone() { [ -z "$(squeue -h -r -j "$1" 2>/dev/null)" ]; }

# settled SECONDS: the job is over and its data at home; $crossed is what went to the region meanwhile
settled() {
  within "$1" gone "$job" || fail "job $job does not end: $(squeue -h -j "$job" -o '%T %r')"
  crossed=$(($(on_the_cable) - cable))
}

# numbers JOB: those of its tasks, or its own, with the index of the task
numbers() {
  scontrol -o show job "$1" | sed -n 's/^JobId=\([0-9]*\) ArrayJobId=[0-9]* ArrayTaskId=\([0-9]*\) .*/\1 \2/p; t; s/^JobId=\([0-9]*\) .*/\1 -/p' | sort -k 2n
}

# steps JOB: what slurmctld has written down of it, each line: step, begin, end
steps() {
  sed -n 's/^\[\([0-9-]*\)T\([0-9:.]*\)\] \(.*\)/\1 \2|\3/p' "$dir/log/slurm/slurmctld.log" | awk -F'|' -v job="$1" '
    function seconds(  parts) { split($1, parts, /[- :]/); split(parts[6], parts2, "."); return mktime(parts[1] " " parts[2] " " parts[3] " " parts[4] " " parts[5] " " parts2[1]) + ("0." parts2[2]) }
    function took(  at) { at = index($2, "usec="); return substr($2, at + 5) / 1000000 }
    $2 ~ ("JobId=([0-9]+_[0-9]+\\()?" job "([^0-9_]|$)") {
      at = seconds()
      if ($2 ~ /slurm_bb_data_in for .* ran for/) printf "stage-in %.3f %.3f\n", at - took(), at
      else if ($2 ~ /burst buffer state from staged-in to pre-run/) printf "allocated %.3f %.3f\n", at, at
      else if ($2 ~ /slurm_bb_data_out for .* ran for/) printf "stage-out %.3f %.3f\n", at - took(), at
      else if ($2 ~ /(Teardown|slurm_bb_job_teardown) for .* ran for/) printf "teardown %.3f %.3f\n", at - took(), at
    }'
}

# Slurm forgets a job a moment before it writes its last step down.
is_written_down() { [ "$(TZ=UTC steps "$1" | tail -n 1 | cut -d' ' -f1)" = teardown ]; }

# trail JOB NUMBER TASK: its steps in order, with the job's own word of when it ran, to DIR/trails/NUMBER
trail() {
  local out=$work/$1/out-$2.txt
  within 20 is_written_down "$2"
  {
    echo "process $asked $answered"
    TZ=UTC steps "$2"
    awk '/^began/ { b = $2 } /^ended/ { e = $2 } END { if (e) printf "run %.3f %.3f\n", b, e }' "$out"
  } | sort -s -k 2n >"$dir/trails/$2"
}

seconds() { awk -v a="$asked" -v t="$1" 'BEGIN { printf "%.2f", t - a }'; }

show() { # NUMBER
  while read -r step begin end; do
    if [ "$step" = allocated ]; then printf '  %-10s %8s\n' "$step" "$(seconds "$begin")"; else printf '  %-10s %8s to %8s\n' "$step" "$(seconds "$begin")" "$(seconds "$end")"; fi
  done <"$dir/trails/$1"
}

# is_over ID FILE: writes what the head says of it
is_over() { ask job "$1" --json >"$2" && jq -e '.job.state | IN("DONE", "FAILED", "CANCELLED")' "$2"; }

# check NAME NUMBER TASK STEPS RUNS: a job that has ended
check() {
  local out=$work/$1/out-$2.txt id seen shown
  # Asked for the array's number, which its last task has, Slurm shows all of it.
  shown=$(scontrol -o show job "$(if [ "$3" = - ]; then echo "$2"; else echo "${job}_$3"; fi)")
  id=$(ask queue --all --tasks --json | jq -r --arg like "^slurm-$(if [ "$3" = - ]; then echo "$2"; else echo "$job-$3"; fi)-[0-9]+\$" '.jobs[].id | select(test($like))')
  # Slurm may forget the end of a job for some seconds: the head waits for that with its own last word.
  within 120 is_over "$id" "$dir/trails/$2.json" || complain "$1 $2: for the head it is not over"
  seen=$(cut -d' ' -f1 "$dir/trails/$2" | tr '\n' ' ')
  [ "$seen" = "$4 " ] || complain "$1 $2: its steps are: $seen"
  grep -q 'JobState=COMPLETED Reason=None ' <<<"$shown" || complain "$1 $2: $(grep -oE '(JobState|Reason)=[^ ]*' <<<"$shown" | tr '\n' ' ')"
  [ "$(jq -r .job.state "$dir/trails/$2.json")" = DONE ] || complain "$1 $2: the head says $(jq -r '.job.state + " " + .job.reason' "$dir/trails/$2.json")"
  [ "$(jq '[.transfers[] | select(.direction == "in" and .state == "VERIFIED" and .movedBytes == .totalBytes)] | length' "$dir/trails/$2.json")" = 1 ] || complain "$1 $2: not one verified stage-in"
  grep -q '^user 20816$' "$out" || complain "$1 $2: it did not run as its user"
  grep -q "^run $(($5 - 1)) on west-large-" "$out" || complain "$1 $2: not the result of run $5: $(grep '^run' "$out")"
  grep -q "^$(sha256sum <"$work/$1/in.bin")" "$out" || complain "$1 $2: it had other data"
  [ "$(stat -c %U "$out")" = ann ] || complain "$1 $2: its result is not its user's"
  seen=$(grep -cFx "$out" "$dir/published")
  [ "$seen" = 1 ] || complain "$1 $2: $out was put into its place $seen times"
  # The log grows in its place while the job runs, and is whole in the end, with the words of the last run alone. Slurm itself
  # says there what it thinks of the lab's TMPDIR.
  [ "$(stat -c %U "$work/$1/log-$2.txt")" = ann ] || complain "$1 $2: its log is not its user's"
  [ "$(grep -v '^slurmstepd-' "$work/$1/log-$2.txt")" = "said by run $(($5 - 1))" ] || complain "$1 $2: its log is: $(head -c 200 "$work/$1/log-$2.txt")"
}

at_most() { # BYTES MEGABYTES WHAT
  [ "$1" -le "$(($2 * 1048576))" ] || complain "$3: $1 bytes went to the region, more than $2 MB"
}

plain() {
  script plain ''
  submit plain
  settled 600
  trail plain "$job" -
  printf '%s, job %s: %s of data, %s bytes to the region\n' "${1:-plain}" "$job" "$megabytes MB" "$crossed"
  show "$job"
  check plain "$job" - 'process stage-in allocated run stage-out teardown' 1
}

array() {
  script array "#SBATCH --array=1-$tasks"
  submit array
  settled 900
  echo "array of $tasks, job $job: $megabytes MB of data, $crossed bytes to the region"
  printf '  %-5s %-15s %-15s %-9s %-15s %-15s %s\n' task process stage-in allocated run stage-out teardown
  local number task
  while read -r number task; do
    trail array "$number" "$task"
    printf '  %-5s' "$task"
    for step in process stage-in allocated run stage-out teardown; do
      read -r begin end < <(sed -n "s/^$step //p" "$dir/trails/$number")
      if [ "$step" = allocated ]; then printf ' %-9s' "$(seconds "$begin")"; else printf ' %-15s' "$(seconds "$begin") - $(seconds "$end")"; fi
    done
    echo
    check array "$number" "$task" 'process stage-in allocated run stage-out teardown' 1
  done < <(numbers "$job")
  [ "$(numbers "$job" | wc -l)" = "$tasks" ] || complain "array: not $tasks tasks"
  # The input once; with what heads, directors and slurmds say to each other, half a megabyte for each task.
  at_most "$crossed" "$((megabytes * 5 / 4 + tasks / 2))" array
}

runs() { [ "$(squeue -h -j "$1" -o '%T %r')" = 'RUNNING None' ]; }

requeued() {
  local first
  script requeued '#SBATCH --requeue'
  submit requeued
  within 300 runs "$job" || fail 'the job to be requeued does not run'
  sleep 1.5
  first=$(($(on_the_cable) - cable))
  as ann scontrol requeue "$job" || fail 'scontrol requeue refused it'
  printf 'requeued by its user while it ran, %s s after its sbatch, job %s: %s MB of data, %s bytes to the region' \
    "$(seconds "$(now)")" "$job" "$megabytes" "$first"
  cable=$(on_the_cable)
  settled 900
  echo ", $crossed after the requeue"
  trail requeued "$job" -
  show "$job"
  # The first run left no word of its own, and its results are not published: that stage-out answers at once.
  check requeued "$job" - 'process stage-in allocated stage-out teardown stage-in allocated run stage-out teardown' 2
  scontrol -o show job "$job" | grep -q ' Restarts=1 ' || complain 'Slurm has not run it twice'
  at_most "$first" "$((megabytes * 5 / 4))" 'requeued, first run'
  at_most "$crossed" "$((megabytes / 4))" 'requeued, second run'
}

to_json() {
  for file in "$dir"/trails/*.json; do
    number=${file##*/}
    number=${number%.json}
    jq -R -s --arg job "$number" --slurpfile head "$file" '{job: $job, name: $head[0].job.name,
      steps: [split("\n")[] | select(. != "") | split(" ") | {step: .[0], begin: (.[1] | tonumber), end: (.[2] | tonumber)}],
      head: {id: $head[0].job.id, state: $head[0].job.state, attempt: $head[0].job.attempt, timings: $head[0].timings, transfers: $head[0].transfers, outputs: $head[0].outputs}}' \
      "$dir/trails/$number"
  done | jq -s --argjson left "$left" '{jobs: ., left: $left}' >"$json"
}

mkdir "$dir/trails"
MORE_CONF='SlurmctldDebug=verbose
DebugFlags=BurstBuffer
SchedulerParameters=sched_interval=1,bf_interval=2,batch_sched_delay=0' site_up 3 2
mkdir -p "$work"/{plain,array,requeued}
inotifywait -q -m -r -e moved_to --format '%w%f' "$work" >"$dir/published" 2>"$dir/watch.log" &
watch=$!
plain 'plain, nothing in the region yet'
plain 'plain, director and node are there'
echo "slurmctld $(sbatch --version | cut -d ' ' -f 2), slurmd of the nodes $(slurmd_of_nodes)"
[ -z "${NODES_TREE:-}" ] || [ "$(slurmd_of_nodes)" != "$(sbatch --version | cut -d ' ' -f 2)" ] || complain 'nodes have the release of slurmctld'
array
requeued
site_down || wrong=$((wrong + 1))
kill "$watch"
[ -z "$json" ] || to_json
[ "$wrong" -eq 0 ] || { echo "$wrong wrong" && exit 1; }
