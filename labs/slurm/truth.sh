#!/bin/bash
# truth.sh: whether Slurm's own words about jobs in the cloud are true, and whether anything is lost in silence. Starts the lab
# with a head and an empty region (head.sh), submits small scripts as an ordinary user, the same at home where a plain Slurm is the
# judge, and prints a line for each case: `ok CASE: what was seen` or `WRONG CASE: what was seen`. As root; needs what install.sh
# installs. Cases are named by the findings of docs/proven.md. Exit code 0 only if every case is ok but those of $known, and nothing is left on the bill.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/head.sh"

if [ -z "$dir" ]; then
  outside "$(readlink -f "$0")" "$@"
  exit
fi

work=/home/ann
wrong=0

ok() { echo "ok $1: $2"; }

# Cases that are not mended yet (ADR 43).
known=' S2-home S5-afterok S5-strict S6-running S10-off '

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

gone() { [ -z "$(squeue -h -r -j "$1" 2>/dev/null)" ]; }

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
  script appended 'echo new'
  echo old >"$work/appended/app.out"
  chown ann:ann "$work/appended/app.out"
  submit appended -p home -c 1 --open-mode=append -o app.out
  appended=$job
  refused S3-append appended --open-mode=append -o app.out
  script array 'echo task $SLURM_ARRAY_TASK_ID'
  pair array -c 1 -J many --array=3,5 -o 'logs/%x-%A_%a.out'
  array_home=$at_home array_west=$in_cloud
  install -d -o ann -g ann "$work/elsewhere"
  script outside 'echo outside'
  refused S3-outside outside -o "$work/elsewhere/%j.out"
}

outputs_judged() {
  for each in "$nested_west" "$patterns_west" "$array_west" "$appended"; do settled "$each" 180; done
  same S3-folder nested "$nested_home" "$nested_west"
  same S3-patterns patterns "$patterns_home" "$patterns_west"
  same S3-array array "$array_home" "$array_west"
  judge S3-append-home "a plain node at home: $(tr '\n' ' ' <"$work/appended/app.out")" grep -q old "$work/appended/app.out"
}

# S1: a job whose results take longer to collect than anybody's patience. A lock of the node's holds its collecting up.
slow_submitted() {
  script slow 'echo results >z.bin' 'sleep 6'
  sed -i '1a #SPILLWAY out=z.bin' "$work/slow/job.sh"
  submit slow -p west -c 1 -o /dev/null
  slow=$job
  within 240 runs "$slow" || fail 'the job with slow results does not run'
  local place lock
  place=place.$(printf '%s' "$work/slow" | sha256sum | cut -c 1-16)
  within 60 sh -c "[ -n \"\$(find '$dir/clouds/west' -name '$place' 2>/dev/null)\" ]" || fail 'the node has no lock for the folder'
  lock=$(find "$dir/clouds/west" -name "$place" 2>/dev/null | head -n 1)
  flock "$lock" sleep 42 &
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
  judge S2-home "$(field "$plain" JobState) $(field "$plain" ExitCode), in ~/far: $(cat "$work/far/far.txt" 2>&1 | head -c 60)" \
    sh -c "[ -e '$work/far/far.txt' ] || [ '$(field "$plain" JobState)' != COMPLETED ]"
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
  script strict 'true'
  sed -i '1a #SPILLWAY out!=missing.txt' "$work/strict/job.sh"
  submit strict -p west -c 1 -o /dev/null
  strict=$job
}

dependents_judged() {
  settled "$second" 180
  settled "$strict" 180
  judge S5-afterok "afterok of a plain job reads: $(cat "$work/second/second.out" 2>&1)" grep -qx first "$work/second/second.out"
  judge S5-strict "out!= missing: $(field "$strict" JobState) $(field "$strict" ExitCode)" [ "$(field "$strict" JobState)" != COMPLETED ]
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
  judge S6-running "the output of a running job at home: $(cat "$work/talks/talks.out" 2>&1 | head -c 80)" grep -q 'first line' "$work/talks/talks.out"
  seen=$(as ann "$spillway" cancel "$talks" --socket "$dir/state/spillway.sock" 2>&1)
  settled "$talks" 180
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

# S10: nodes that are off look as they do with Slurm's own power saving.
off_judged() {
  within 60 scontrol show reservation spillway || wrong S10-off 'there is no reservation'
  seen=$(sinfo -h -p west -N -t powered_down -o %t | grep -v drain | sort | uniq -c | tr -s ' ' | tr '\n' ',')
  judge S10-off "nodes that are off are:$seen" grep -qE '^ [0-9]+ idle~,$' <<<"$seen"
}

MORE_CONF='SchedulerParameters=sched_interval=1,bf_interval=2,batch_sched_delay=0' IDLE=${IDLE:-2m} site_up 6 1
slow_submitted
outputs_submitted
plain_submitted
dependents_submitted
outputs_judged
plain_judged
dependents_judged
slow_judged
numbers_judged
drained_judged
off_judged
site_down || wrong lab 'something is left on the bill'
[ "$wrong" -eq 0 ] || { echo "$wrong wrong" && exit 1; }
