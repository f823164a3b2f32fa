#!/bin/bash
# workflows.sh [--json FILE] [WORKFLOW...]: workflows as users have them, unchanged, by an ordinary user, once on a plain node at home and
# once on nodes of ours in the cloud, which mount the users' homes (workload.slurm.shared): `snakemake` by its own Slurm executor, `nextflow`
# by its own, and `training`, batch scripts with a launch on two nodes that is requeued. Each has tasks that wait for others, an array or a
# scatter, one that fails and is tried again, one that its user cancels; snakemake and nextflow are then ended themselves while
# a task runs. Compared are all files that are left (name, kind, mode, bytes, but for names and numbers that differ from place to
# place), name, state, exit code and restarts of every job as Slurm says them, and what the tool says.
# A line for each: `equal NAME: …`, `DIFFERENT NAME` with both answers, or `skipped NAME: …`. As root; needs what install.sh and
# workflows/install.sh install. Exit code 0 only if none differs and nothing is left on the bill.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/head.sh"
here=${here:?}
export PATH=$PATH:/usr/sbin:/sbin

folder_of() { echo "/home/ann/w/$1-$2"; }

# In the user's process: run_NAME PLACE, in a folder of its own with the workflow in it.
until_file() { for _ in $(seq 600); do [ ! -s "$1" ] || return 0; sleep 0.5; done; return 1; }
is_over() { scontrol -o show job "$1" 2>/dev/null | grep -qE ' JobState=(COMPLETED|CANCELLED|FAILED|TIMEOUT|NODE_FAIL) '; }
settled() { for _ in $(seq 300); do ! is_over "$1" || return 0; sleep 1; done; return 1; }
cancels() { until_file running.cancelled && scancel "$(cat running.cancelled)"; }
# Snakemake 7 forgets its jobs while it asks for their states, and an interrupt then cancels none: from one question's end to the next.
asked() {
  for _ in $(seq 600); do ! pgrep -P "$1" >/dev/null || break; sleep 0.05; done
  for _ in $(seq 600); do pgrep -P "$1" >/dev/null || break; sleep 0.05; done
}
# ended NAME COMMAND...: a tool that its user ends with an interrupt while its task runs; the task goes with it.
ended() {
  # A program that is started in the background ignores interrupts otherwise.
  perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' -- "${@:2}" >"$1.out" 2>&1 &
  local tool=$!
  until_file running.long && "${before_interrupt:-true}" "$tool" && kill -INT "$tool"
  wait "$tool"
  echo "$1: interrupted, exit code $?"
  settled "$(cat running.long)" || echo "$1: its task goes on"
}
run_snakemake() {
  local before_interrupt=asked
  local tool=(/usr/bin/python3 -m snakemake --profile ./profile --nocolor)
  cancels &
  "${tool[@]}" >tool.out 2>&1
  echo "snakemake: exit code $?"
  wait
  ended long "${tool[@]}" long.txt
  # Numbers of jobs depend on the order in which names are hashed.
  grep -hoE '^(Finished job|Trying to restart job|Error in rule [a-z]*|.*SLURM status is: .[A-Z]*|[0-9]+ of [0-9]+ steps .* done|MissingOutputException.*|.*[Ll]atency.*)' tool.out |
    sed -E 's/SLURM-job .[0-9]+. failed/a job failed/; s/^[0-9]+ of ([0-9]+) steps.*/a step of \1/' | sort | uniq -c
  "${tool[@]}" --dry-run 2>&1 | grep -E 'Nothing to be done' | tail -n 1
}
run_nextflow() {
  export NXF_HOME=$PWD/.nxf NXF_OFFLINE=true NXF_ANSI_LOG=false NXF_DISABLE_CHECK_LATEST=true
  local tool=("$JAVA17" "${opens[@]}" -Xmx400m -cp "$NEXTFLOW/*" nextflow.cli.Launcher)
  cancels &
  "${tool[@]}" run main.nf >tool.out 2>&1
  echo "nextflow: exit code $?"
  wait
  mv .nextflow.log tool.log
  sort trace.txt
  mv trace.txt "$PWD/.trace"
  ended long "${tool[@]}" run main.nf --long
  rm -f trace.txt
  grep -hoE '(WARN|ERROR)  ?[A-Za-z.]+ - .*' tool.log | sed -E "s/ - .*(Unable|Failed|Missing|cannot)/ - \\1/" | sort | uniq -c
}
run_training() {
  ./launch.sh >tool.out 2>&1
  echo "launch.sh: exit code $?"
}
opens=()
for each in java.lang java.io java.nio java.net java.util java.util.concurrent.locks java.util.concurrent.atomic java.util.regex \
  sun.nio.ch sun.nio.fs sun.net.www.protocol.http sun.net.www.protocol.https sun.net.www.protocol.ftp sun.net.www.protocol.file jdk.internal.misc jdk.internal.vm; do
  opens+=("--add-opens=java.base/$each=ALL-UNNAMED")
done
if [ "${1:-}" = --run ]; then
  export PATH=/usr/local/bin:/usr/bin:/bin SBATCH_PARTITION=$3
  cd "$(folder_of "$2" "$3")" || exit
  began=$(date +%s)
  "run_$2" >.answers 2>&1 </dev/null
  echo $(($(date +%s) - began)) >.seconds
  exit
fi

json=
given=("$@")
[ "${1:-}" != --json ] || { json=$(realpath -m "${2:?a file}") && shift 2; }
names=("$@")
[ "$#" -gt 0 ] || names=(snakemake nextflow training)
for name in "${names[@]}"; do [ -d "$here/workflows/$name" ] || { echo "workflows.sh: no workflow $name" >&2 && exit 64; }; done
export NEXTFLOW=${NEXTFLOW:-$here/workflows/nextflow/target/lib}
JAVA17=$(ls /usr/lib/jvm/java-17-openjdk-*/bin/java 2>/dev/null | head -n 1)
export JAVA17
if [ -z "$dir" ]; then
  outside "$(readlink -f "$0")" "${given[@]}"
  exit
fi

# missing NAME: why it cannot be run here; empty when it can
missing() {
  case $1 in
  snakemake) /usr/bin/python3 -c 'import snakemake' 2>/dev/null || echo "Debian's package snakemake is not installed (workflows/install.sh)" ;;
  nextflow)
    if [ -z "$JAVA17" ]; then echo 'Nextflow 24.10 needs a Java before 25: openjdk-17-jre-headless is not installed (workflows/install.sh)'
    elif ! ls "$NEXTFLOW"/nextflow-[0-9]*.jar >/dev/null 2>&1; then echo "its jars are not in $NEXTFLOW (workflows/install.sh)"; fi
    ;;
  *) ;;
  esac
}

begin() { # NAME PLACE
  local folder
  folder=$(folder_of "$1" "$2")
  mkdir -p "$folder"
  (cd "$here/workflows/$1" && find . -path ./target -prune -o -type f ! -name pom.xml -print0 | xargs -0 cp --parents -t "$folder")
  find "$folder" -type f \( -name '*.yaml' -o -name '*.config' \) -exec sed -i "s/@PARTITION@/$2/" {} +
  chown -R ann:ann /home/ann/w
  "$here/as-ann.sh" "$(readlink -f "$0")" --run "$1" "$2" >"$dir/$1-$2.log" 2>&1
}

# Names and numbers that differ from place to place, and the last word of a shell whose command was ended, which it says or not.
plain() { # NAME PLACE
  sed -E -e '/^Terminated$/d' -e "s#$(folder_of "$1" "$2")#FOLDER#g" -e 's#\b[0-9a-f]{2}/[0-9a-f]{30}\b#HASH#g; s#\b[0-9a-f]{2}/[0-9a-f]{6}\b#HASH#g' \
    -e 's/i-[0-9a-f]{17}/NODE/g; s/(home[12]|west-large-[0-9]+)/NODE/g' -e "s/\b7[0-9]{5}\b/JOB/g" -e "s/\b(partition|queue|-p) ?[=:]? ?'?$2\b/\1 PARTITION/g" \
    -e 's/ AT [0-9T:-]+ / AT TIME /' -e 's/(snakejob[._][a-z]+[._])[0-9]+/\1N/g; s/-[0-9a-f]{20,}/-ID/g'
}

# What Slurm says of the jobs that worked below its folder.
jobs_of() { # NAME PLACE
  scontrol -o show job | grep -E " WorkDir=$(folder_of "$1" "$2")(/| |\$)" |
    sed -nE 's/^JobId=[0-9]+ .*JobName=([^ ]+) .*JobState=([A-Z_]+) Reason=([^ ]+) .*Restarts=([0-9]+) .*ExitCode=([0-9:]+) .*/\1 \2 \3 \5 restarts \4/p' | plain "$@" | sort
}

# Tools keep their own account below hidden folders: of some of it only the names say the same.
files_of() { # NAME PLACE
  cd "$(folder_of "$1" "$2")" && find . -mindepth 1 \( -name .answers -o -name .seconds -o -name .trace -o -name '.nextflow*' -o -name .nxf -o -name tool.out \
    -o -name tool.log -o -name long.out -o -name 'running.*' -o -name jobs.txt -o -path './.snakemake/log' -o -path './.snakemake/tmp.*' -o -path './.snakemake/metadata' \
    -o -path './.snakemake/slurm_logs' -o -path ./profile -o -name nextflow.config \) -prune -o -print0 | sort -z | while IFS= read -r -d '' path; do
    if [ -L "$path" ]; then kind="link $(readlink "$path")"
    elif [ -d "$path" ]; then kind=folder
    else
      case $path in
      # Files that Slurm's submission or the moment is part of.
      */.command.run | */.command.begin | */.command.trace | ./logs/*.err) kind=file ;;
      *) kind="file $(plain "$@" <"$path" | wc -c) $(plain "$@" <"$path" | sha256sum | head -c 16)" ;;
      esac
    fi
    printf '%s %s %s %s\n' "$path" "$(stat -c %A "$path")" "$(stat -c %U "$path")" "$kind"
  done | plain "$@" | grep -vE '^\./work/[0-9a-f]{2} ' | sort
  # A file for each result, and each job's own output.
  find .snakemake/metadata .snakemake/incomplete .snakemake/locks -type f 2>/dev/null | sort
  find .snakemake/slurm_logs -type f 2>/dev/null | sed -E 's#/[0-9]+\.log#/JOB.log#' | sort
}

answer() { # NAME PLACE
  plain "$@" <"$(folder_of "$@")/.answers"
  jobs_of "$@" | sed 's/^/job /'
  (files_of "$@") | sed 's/^/left /'
}

more_conf() {
  # Room for all at home at once, and numbers that nothing else looks like.
  sed -i -E '/^NodeName=home/s/CPUs=2 RealMemory=8000/CPUs=16 RealMemory=64000/' "$dir/etc/slurm.conf"
  echo FirstJobId=700001 >>"$dir/etc/slurm.conf"
  # A site's nodes know each other by name.
  { cat /etc/hosts && printf '10.%s.1.11 home1\n10.%s.1.12 home2\n' "$net" "$net"; } >"$dir/etc/hosts"
  mount --bind "$dir/etc/hosts" /etc/hosts
}
BEFORE_DAEMONS=more_conf
MORE_CONF='SchedulerParameters=sched_interval=1,bf_interval=2,batch_sched_delay=0'
IDLE=5m
SHARED=/home
began=$(date +%s)
site_up "${NODES:-4}" 1
install -d -o ann -g ann /home/ann/w
here_now=()
for name in "${names[@]}"; do [ -n "$(missing "$name")" ] || here_now+=("$name"); done
pids=()
for name in "${here_now[@]}"; do
  for place in home west; do begin "$name" "$place" & pids+=("$!"); done
done
wait "${pids[@]}"

equal=0 different=0 skipped=0
: >"$dir/results"
for name in "${names[@]}"; do
  why=$(missing "$name")
  if [ -n "$why" ]; then
    skipped=$((skipped + 1))
    echo "skipped $name: $why"
    printf '{"name": "%s", "result": "skipped"}\n' "$name" >>"$dir/results"
    continue
  fi
  for place in home west; do answer "$name" "$place" >"$dir/$name-$place.answer" 2>&1; done
  home=$(cat "$(folder_of "$name" home)/.seconds") west=$(cat "$(folder_of "$name" west)/.seconds")
  jobs=$(grep -c '^job ' "$dir/$name-west.answer") files=$(grep -c '^left ' "$dir/$name-west.answer")
  states=$(sed -nE 's/^job [^ ]+ ([A-Z_]+) .*/\1/p' "$dir/$name-west.answer" | sort | uniq -c | tr -s ' \n' ' ')
  if cmp -s "$dir/$name-home.answer" "$dir/$name-west.answer" && [ "$jobs" -gt 0 ]; then
    equal=$((equal + 1)) result=equal
    echo "equal $name: $jobs jobs ($(sed 's/^ //; s/ $//' <<<"$states")), $files files, $home s at home, $west s in the cloud"
  else
    different=$((different + 1)) result=different
    echo "DIFFERENT $name: $jobs jobs, $files files, $home s at home, $west s in the cloud"
    diff "$dir/$name-home.answer" "$dir/$name-west.answer" | sed 's/^/  /' | head -n "${LINES_OF_DIFFERENCE:-40}"
  fi
  printf '{"name": "%s", "result": "%s", "jobs": %s, "files": %s, "secondsAtHome": %s, "secondsInTheCloud": %s}\n' "$name" "$result" "$jobs" "$files" "$home" "$west" >>"$dir/results"
done
left=0
site_down || different=$((different + 1))
echo "workflows: ${#names[@]}, equal: $equal, different: $different, skipped: $skipped, seconds: $(($(date +%s) - began))"
[ -z "$json" ] || jq -s --argjson left "$left" '{workflows: ., left: $left}' "$dir/results" >"$json"
[ "$different" -eq 0 ]
