#!/bin/bash
# cuts.sh [--seeds N] [--seed S]: whether a plain script that writes into ~/results in a region may lose anything in silence. Starts the
# lab with a head and an empty region (head.sh). For each of N (10) seeds from S (1) on two ordinary users submit by sbatch a script that knows
# nothing of Spillway, one of them with --no-requeue; at a moment drawn from the seed one of these is struck: the power of the job's node,
# its slurmd, the director, the head, the cable of the region, or the power of all its machines. The moments are in four phases: after
# sbatch, while the script runs, after its last line, after its end for Slurm.
# The judge is what each run has written down itself, outside of the region: each file with its digest when it was closed, and its last
# word. A job that Slurm shows as COMPLETED with exit code 0:0 has all files of one run that came to its last word at home, byte for byte, and
# no other; else Slurm and the head both say that it failed. (With --no-requeue Slurm takes only the exit code of a script that has ended
# back: COMPLETED 1:0.) Nothing is at home that no run has written, or of two runs. A line for each seed: `ok SEED: ...` or `WRONG SEED: ...`. As root; needs what install.sh installs.
# Exit code 0 only if all of it holds, and nothing is left on the bill.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/head.sh"

seeds=10
first=1
given=("$@")
while [ "$#" -gt 0 ]; do
  case $1 in
  --seeds) seeds=${2:?a number} ;;
  --seed) first=${2:?a number} ;;
  *) echo 'usage: cuts.sh [--seeds N] [--seed S]' >&2 && exit 64 ;;
  esac
  shift 2
done
case $seeds$first in *[!0-9]*) echo 'cuts.sh: seeds are numbers from 0 on' >&2 && exit 64 ;; esac
if [ -z "$dir" ]; then
  outside "$(readlink -f "$0")" "${given[@]}"
  exit
fi

users=(ann bob)
kinds=(node slurmd director head link region)
phases=(submitted runs ended over)
ledger=$dir/ledger
wrong=0

# drawn SEED WORD LIMIT: a number below LIMIT, always the same for these
drawn() { echo $((16#$(printf '%s %s' "$1" "$2" | sha256sum | head -c 8) % $3)); }
seconds() { printf '%d.%03d' "$(($1 / 1000))" "$(($1 % 1000))"; }

complain() { said="$said; $*" && bad=yes; }

# The script as its user wrote it, but for the lines that go to the ledger. Each run has a word of its own, which is in each line
# of each file. Whatever has the job's number in its name is of no other job.
script() { # USER FOLDER
  install -d -o "$1" -g "$1" "$2"
  cat >"$2/job.sh" <<JOB
#!/bin/sh
run=\$SLURM_JOB_ID-\${SLURM_RESTART_COUNT:-0}-\$(date +%s%N)
ledger=$ledger/\$run
echo "began \$(hostname)" >\$ledger
write() { # FILE LINES
  seq -f "\$run \$1 %08.0f" "\$2" >"\$1"
}
closed() { # FILE PLACE_AT_HOME
  echo "closed \$(sha256sum <"\$1" | cut -c 1-64) \$2" >>\$ledger
}
mkdir -p ~/results/deep/er steps
echo "\$run begins"
for n in 1 2 3 4 5 6; do
  (cd ~/results && write part-\$n.txt 5000)
  closed ~/results/part-\$n.txt HOME/results/part-\$n.txt
  (cd ~/results/deep/er && write "of \$SLURM_JOB_ID \$n.new" 300 && mv "of \$SLURM_JOB_ID \$n.new" "of \$SLURM_JOB_ID \$n.txt")
  closed ~/results/deep/er/"of \$SLURM_JOB_ID \$n.txt" "HOME/results/deep/er/of \$SLURM_JOB_ID \$n.txt"
  write steps/step-\$n.txt 500
  closed steps/step-\$n.txt steps/step-\$n.txt
  sleep 0.8
done
rm steps/step-1.txt
echo "removed - steps/step-1.txt" >>\$ledger
write large.txt 200000
closed large.txt large.txt
echo "\$run ends"
echo ended >>\$ledger
JOB
  chown "$1:$1" "$2/job.sh"
}

runs_of() { find "$ledger" -name "$1-*" | sort -t - -k 3n; }
began() { [ -n "$(runs_of "$1")" ]; }
has_ended() { grep -qsx ended $(runs_of "$1") /dev/null; }

field() { scontrol -o show job "$1" 2>/dev/null | grep -oE " $2=[^ ]*" | head -n 1 | cut -d = -f 2; }
is_over() { scontrol -o show job "$1" 2>/dev/null | grep -qE ' JobState=(COMPLETED|CANCELLED|FAILED|TIMEOUT|NODE_FAIL|OUT_OF_MEMORY|BOOT_FAIL|DEADLINE) '; }
# The head's word about Slurm's job: state, reason.
head_says() { ask job "$1" --json 2>/dev/null | jq -r '.job.state + " " + (.job.reason // "")'; }
is_over_for_the_head() { head_says "$1" | grep -qE '^(DONE|FAILED|CANCELLED) '; }

cloud() { # METHOD PATH [BODY]
  curl -sS -m 20 -X "$1" -H "Authorization: Bearer $(cat "$dir/clouds/west/token")" ${3:+-d "$3"} \
    "http://$(cut -d ' ' -f 1 "$dir/clouds/west/endpoint")$2"
}
machines() { # [ROLE]: those that have power
  cloud GET /admin/state | jq -r --arg role "${1:-}" '.instances[] | select(.state == "RUNNING") | select($role == "" or .tags["spillway-role"] == $role) | .id'
}
disk() { echo "$dir/clouds/west/instances/$1"; }
in_machine() { # MACHINE PROGRAM: pids
  local space pid
  space=$(readlink "/proc/$(cat "$(disk "$1")/machine.pid")/ns/pid") || return
  for pid in $(pgrep -x "$2"); do [ "$(readlink "/proc/$pid/ns/pid")" != "$space" ] || echo "$pid"; done
}

# The machine that runs the job or has run it, else one of those that are there.
nodes_machine() {
  local machine each
  machine=$(for each in $(runs_of "$1"); do sed -n '1s/^began //p' "$each"; done | tail -n 1)
  machines NODE | grep -x "${machine:-.*}" | head -n 1
}
node_is_there() { machine=$(nodes_machine "$1") && [ -n "$machine" ]; }
slurmd_is_there() { node_is_there "$1" && pids=$(in_machine "$machine" slurmd) && [ -n "$pids" ]; }
director_is_there() {
  machine=$(machines DIRECTOR | head -n 1) && pids=$(cat "$(disk "$machine")/home/spillway-director/director.pid") \
    && tr '\0' ' ' <"/proc/$pids/cmdline" | grep -q DirectorMain
}
any_machine() { [ -n "$(machines)" ]; }

serve() {
  (cd "$dir" && exec setsid "$spillway" serve --config spillway.yaml </dev/null >>"$dir/head.log" 2>&1) &
  head=$!
}

# strike KIND JOB SEED: $struck is what was done. Where there is nothing to strike yet it waits for that, and until the job is over.
strike() {
  local each long
  case $1 in
  node)
    within 60 node_is_there "$2" || { struck='no node left' && return; }
    cloud POST /admin/power-cut "{\"id\": \"$machine\"}" >/dev/null || fail "no power cut of $machine"
    struck="node $machine lost its power"
    ;;
  slurmd)
    within 60 slurmd_is_there "$2" || { struck='no slurmd left' && return; }
    for each in $pids; do kill -KILL "$each"; done
    struck="slurmd of $machine was killed"
    ;;
  director)
    within 60 director_is_there || { struck='no director left' && return; }
    kill -KILL "$pids"
    struck='director was killed'
    ;;
  head)
    long=$(drawn "$3" away 6000)
    kill -KILL "$head"
    wait "$head" 2>/dev/null
    sleep "$(seconds "$long")"
    serve
    struck="head was killed and away for $(seconds "$long") s"
    ;;
  link)
    # For less than the lease, or for longer.
    long=$((2000 + $(drawn "$3" cut 80000)))
    "$here/site.sh" "$dir" cut west
    (sleep "$(seconds "$long")" && exec "$here/site.sh" "$dir" heal west) &
    cutter=$!
    struck="cable was cut for $(seconds "$long") s"
    ;;
  region)
    within 60 any_machine || { struck='no machine left' && return; }
    struck='machines that lost their power:'
    for each in $(machines); do
      cloud POST /admin/power-cut "{\"id\": \"$each\"}" >/dev/null || fail "no power cut of $each"
      struck="$struck $each"
    done
    ;;
  esac
}

# The files of a job that are at home, as the ledger writes them: digest and place.
at_home() { # FOLDER JOB
  [ ! -d "$1/spillway-$2" ] || (cd "$1/spillway-$2" && find . ! -type d -printf '%P\n' | while IFS= read -r file; do
    printf '%s %s\n' "$(sha256sum <"$file" | cut -c 1-64)" "$file"
  done | sort -k 2)
}
# The files that a run has left by its own word.
left_by() { # LEDGER
  awk '$1 == "removed" { delete sum[substr($0, 11)] } $1 == "closed" { sum[substr($0, 73)] = $2 }
    END { for (file in sum) print sum[file], file }' "$1" | sort -k 2
}

# judge USER FOLDER JOB: adds to $said, and says what is wrong there
judge() {
  local state code says run words complete='' log
  state=$(field "$3" JobState) code=$(field "$3" ExitCode) says=$(head_says "$3")
  at_home "$2" "$3" >"$dir/got"
  words=$(find "$2/spillway-$3" -type f -exec cut -d ' ' -f 1 {} + 2>/dev/null | sort -u)
  for run in $(runs_of "$3"); do
    if grep -qx ended "$run" && left_by "$run" | cmp -s - "$dir/got"; then complete=${run##*/}; fi
  done
  said="$said; $1's $3: $state $code, head ${says%% *}, $(runs_of "$3" | wc -l) runs, $(wc -l <"$dir/got") files at home"
  [ "${says%% *}" = DONE ] || said="$said (${says#* })"
  [ "$(wc -w <<<"$words")" -le 1 ] || complain "files of several runs: $(tr '\n' ' ' <<<"$words")"
  for run in $words; do [ -e "$ledger/$run" ] || complain "a file of no run of this job: $run"; done
  log=$(grep -v -e '^slurmstepd' -e '^slurmd' "$2/slurm-$3.out" 2>/dev/null)
  if [ "$state $code" = 'COMPLETED 0:0' ]; then
    [ -n "$complete" ] || complain "COMPLETED, and not all files of a run are at home: $(lacking "$3" "$words")"
    [ "${says%% *}" = DONE ] || complain "the head says $says"
    [ -z "$complete" ] || [ "$log" = "$complete begins
$complete ends" ] || complain "COMPLETED, and its output at home is: $(head -c 200 <<<"$log" | tr '\n' ',')"
  else
    case $state in
    FAILED | CANCELLED | NODE_FAIL | BOOT_FAIL) ;;
    # Slurm takes the state of a script that has ended back from nobody without a requeue (docs/slurm.md).
    COMPLETED) [ "$(field "$3" Requeue)" = 0 ] || complain 'COMPLETED with an exit code' ;;
    *) complain 'not over for Slurm' ;;
    esac
    case $says in FAILED* | CANCELLED*) ;; *) complain "the head says $says" ;; esac
  fi
}

# Files that are not there, and that the run whose files are at home has closed; of the last run if there are none.
lacking() { # JOB WORDS
  local run=${2%%[[:space:]]*}
  [ -e "$ledger/${run:-none}" ] && run=$ledger/$run || run=$(runs_of "$1" | tail -n 1)
  [ -n "$run" ] || { echo 'it never ran' && return; }
  diff <(left_by "$run") "$dir/got" | sed -nE 's/^([<>]) [0-9a-f]+ /\1 /p' | tr '\n' ' ' | head -c 300
}

one() { # SEED
  local seed=$1 kind phase after begun=$SECONDS jobs=() folders=() cutter='' each job said='' bad='' struck='' machine='' pids=''
  kind=${kinds[$((seed % ${#kinds[@]}))]}
  # Of 24 seeds in a row each has another pair of kind and phase.
  phase=${phases[$(((seed + seed % 24 / 6) % ${#phases[@]}))]}
  case $phase in
  submitted) after=$(drawn "$seed" moment 4000) ;;
  runs) after=$(drawn "$seed" moment 6000) ;;
  ended) after=$(drawn "$seed" moment 1500) ;;
  over) after=$(drawn "$seed" moment 4000) ;;
  esac
  for each in "${users[@]}"; do
    folders+=("/home/$each/s$seed")
    script "$each" "/home/$each/s$seed"
    jobs+=("$(cd "/home/$each/s$seed" && as "$each" sbatch --parsable -p west -c 1 -t 5 $([ "$each" = ann ] || echo --no-requeue) job.sh 2>"$dir/sbatch.err")") \
      || fail "seed $seed: sbatch refused it: $(cat "$dir/sbatch.err")"
  done
  job=${jobs[$(drawn "$seed" job "${#users[@]}")]}
  case $phase in
  runs) within 300 began "$job" ;;
  ended) within 300 has_ended "$job" ;;
  over) within 300 is_over "$job" ;;
  esac || fail "seed $seed: job $job does not come so far: $(squeue -h -j "$job" -o '%T %r')"
  sleep "$(seconds "$after")"
  strike "$kind" "$job" "$seed"
  struck="$(seconds "$after") s after $job $phase: $struck"
  [ -z "$cutter" ] || wait "$cutter"
  for each in "${jobs[@]}"; do
    within 600 is_over "$each" && within 120 is_over_for_the_head "$each"
  done
  # Slurm may take a state back that it has shown.
  sleep 1
  for each in "${!users[@]}"; do judge "${users[$each]}" "${folders[$each]}" "${jobs[$each]}"; done
  if [ -z "$bad" ]; then
    echo "ok $seed: $struck$said; $((SECONDS - begun)) s"
  else
    wrong=$((wrong + 1))
    echo "WRONG $seed: $struck$said; $((SECONDS - begun)) s"
  fi
}

MORE_CONF='SchedulerParameters=sched_interval=1,bf_interval=2,batch_sched_delay=0'
LEASE=${LEASE:-60s} IDLE=10m site_up 3 1
install -d -m 1777 "$ledger"
for seed in $(seq "$first" "$((first + seeds - 1))"); do one "$seed"; done
site_down || { echo 'WRONG: something is left on the bill' && wrong=$((wrong + 1)); }
echo "$seeds seeds, $wrong wrong"
[ "$wrong" -eq 0 ]
