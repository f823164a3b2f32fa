#!/bin/bash
# lanes.sh [--jobs N] [--outputs M] [--megabytes G] [--json FILE]: whether small results wait for somebody's gigabyte. Starts the lab with
# a head and a region whose cable takes 25 MB/s each way (head.sh). N (40) jobs of one user with M (200) small outputs each end one after
# another, twice: with nothing else, and while G (1000) MB of results of another user's job come home and G MB of input of a third job
# go there. As root; needs what install.sh installs.
# Printed for each kind: the time from a run's last line until the last of its outputs is in its place at home, median (least to
# greatest), of the small ones also the ratio with and without the gigabyte. Exit code 1 if a small one waited for a big one: if with them
# the slowest took longer than the slowest without, by more than a third of what the gigabyte itself took; or if something is missing, or
# fewer than a quarter of the small ones ended while each of the big ones was on its way.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/head.sh"

jobs=40
outputs=200
megabytes=1000
json=
given=("$@")
while [ "$#" -gt 0 ]; do
  case $1 in
  --jobs) jobs=${2:?a number} ;;
  --outputs) outputs=${2:?a number} ;;
  --megabytes) megabytes=${2:?a number} ;;
  --json) json=$(realpath -m "${2:?a file}") ;;
  *) echo 'usage: lanes.sh [--jobs N] [--outputs M] [--megabytes G] [--json FILE]' >&2 && exit 64 ;;
  esac
  shift 2
done
if [ -z "$dir" ]; then
  outside "$(readlink -f "$0")" "${given[@]}"
  exit
fi

ledger=$dir/ledger
wrong=0
complain() { echo "WRONG: $*" && wrong=$((wrong + 1)); }

# script USER FOLDER OPTIONS LINES COMMANDS: a run writes down when it begins and when it ends, as FOLDER.begun and FOLDER.ended
script() {
  local at=/home/$1/$2
  install -d -o "$1" -g "$1" "$at"
  cat >"$at/job.sh" <<JOB
#!/bin/sh
#SBATCH --partition=west --time=20 --output=/dev/null $3
$4
date +%s.%N >$ledger/$2.begun
mkdir out
$5
date +%s.%N >$ledger/$2.ended
JOB
  chown "$1:$1" "$at/job.sh"
}
submit() { # USER FOLDER
  date +%s.%N >"$ledger/$2.asked"
  (cd "/home/$1/$2" && as "$1" sbatch --parsable job.sh >"$ledger/$2.job") || fail "$2: sbatch refused it"
}

# at_home FOLDER FILES: when the last of its files came to its place, as the watcher saw it; nothing before all are there
at_home() {
  local at
  at=$(echo /home/*/"$1"/out)
  [ "$(find "$at" -type f 2>/dev/null | wc -l)" = "$2" ] || return 1
  grep -F " $at" "$dir/seen" | tail -n 1 | cut -d ' ' -f 1
}
all_home() { # PHASE
  local each
  for each in $(seq "$jobs"); do at_home "$1-$each" "$outputs" >/dev/null || return 1; done
}
minus() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a - b }'; }
least() { sort -n "$1" | head -n 1; }
most() { sort -n "$1" | tail -n 1; }
median() { sort -n "$1" | awk '{ a[NR] = $1 } END { printf "%.2f", NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }
# How many small ones of the phase ended between two moments.
between() { cat "$ledger/$1"-*.ended | awk -v a="$2" -v b="$3" '$1 >= a && $1 <= b' | wc -l; }

small() { # PHASE
  local each
  for each in $(seq "$jobs"); do
    script ann "$1-$each" '-c 1 --mem=500' '#SPILLWAY out!=out/' \
      "i=0; while [ \$i -lt $outputs ]; do i=\$((i + 1)); head -c 1000 /dev/urandom >out/\$i; done; sleep 1"
  done
}
times() { # PHASE: a number for each small job, in DIR/PHASE
  local each
  for each in $(seq "$jobs"); do minus "$(at_home "$1-$each" "$outputs")" "$(cat "$ledger/$1-$each.ended")" && echo; done >"$dir/$1"
}

MORE_CONF='SchedulerParameters=sched_interval=1,bf_interval=2,batch_sched_delay=0'
IDLE=30m WALLTIME=30m site_up 4 1
mkdir -m 1777 "$ledger"
small alone
small beside
script bob big-out '-c 4' '#SPILLWAY out!=out/' "head -c ${megabytes}M /dev/urandom >out/big"
script bob big-in '-c 4' '#SPILLWAY in=big.bin out!=out/' 'sha256sum <big.bin >out/sum'
head -c "${megabytes}M" /dev/urandom >/home/bob/big-in/big.bin
chown bob:bob /home/bob/big-in/big.bin
inotifywait -q -m -r -e moved_to -e create --format '%w%f' /home 2>"$dir/watch.log" | while read -r file; do echo "$EPOCHREALTIME $file"; done >"$dir/seen" &
tc qdisc add dev s-west root tbf rate 200mbit burst 1m latency 100ms || fail 'no rate for the cable'
tc -n s-west qdisc add dev wan root tbf rate 200mbit burst 1m latency 100ms || fail 'no rate for the cable'

# Four nodes come up, and stay.
for each in 1 2 3 4; do script ann "warm-$each" '-c 4' '#SPILLWAY out!=out/' 'echo >out/1; sleep 5' && submit ann "warm-$each"; done
for each in 1 2 3 4; do within 300 at_home "warm-$each" 1 || fail 'the nodes do not come up'; done

for each in $(seq "$jobs"); do submit ann "alone-$each"; done
within 600 all_home alone || complain 'without the gigabyte: not all results came home'
times alone

submit bob big-out
within 300 test -s "$ledger/big-out.ended" || fail 'the job with the gigabyte of results does not end'
submit bob big-in
for each in $(seq "$jobs"); do submit ann "beside-$each"; done
within 900 all_home beside || complain 'with the gigabyte: not all results came home'
within 900 at_home big-out 1 || complain 'the gigabyte of results is not at home'
within 900 at_home big-in 1 || complain 'the job with the gigabyte of input has not left its result'
times beside

out_took=$(minus "$(at_home big-out 1)" "$(cat "$ledger/big-out.ended")")
in_took=$(minus "$(cat "$ledger/big-in.begun")" "$(cat "$ledger/big-in.asked")")
in_home=$(minus "$(at_home big-in 1)" "$(cat "$ledger/big-in.ended")")
during_out=$(between beside "$(cat "$ledger/big-out.ended")" "$(at_home big-out 1)")
during_in=$(between beside "$(cat "$ledger/big-in.asked")" "$(cat "$ledger/big-in.begun")")
cmp -s /home/bob/big-in/out/sum <(sha256sum </home/bob/big-in/big.bin) || complain 'the gigabyte of input was not whole on its node'
[ "$(stat -c %s /home/bob/big-out/out/big)" = "$((megabytes * 1048576))" ] || complain 'the gigabyte of results is not whole'
echo "$jobs jobs of $outputs outputs alone: $(median "$dir/alone") s ($(least "$dir/alone") to $(most "$dir/alone"))"
echo "the same with $megabytes MB each way: $(median "$dir/beside") s ($(least "$dir/beside") to $(most "$dir/beside"))"
echo "$megabytes MB of results: $out_took s; $during_out small ones ended meanwhile"
echo "$megabytes MB of input: $in_took s from sbatch to the first line, its result $in_home s; $during_in small ones ended meanwhile"
ratio=$(awk -v a="$(median "$dir/beside")" -v b="$(median "$dir/alone")" 'BEGIN { printf "%.2f", a / b }')
echo "with the gigabyte a small one takes $ratio times as long (median)"
[ "$during_out" -ge "$((jobs / 4))" ] && [ "$during_in" -ge "$((jobs / 4))" ] || complain 'too few small ones ended while the gigabytes were on their way'
awk -v a="$(most "$dir/alone")" -v b="$(most "$dir/beside")" -v t="$out_took" 'BEGIN { exit !(b - a <= t / 3) }' || complain 'a small one waited for the gigabyte'
[ -z "$json" ] || jq -n --argjson alone "$(jq -s . "$dir/alone")" --argjson beside "$(jq -s . "$dir/beside")" --arg out "$out_took" --arg in "$in_took" \
  '{aloneSeconds: $alone, besideSeconds: $beside, resultsSeconds: ($out | tonumber), inputSeconds: ($in | tonumber)}' >"$json"
scancel -u ann,bob 2>/dev/null
within 120 sh -c '[ -z "$(squeue -h)" ]' || complain 'jobs are left'
site_down || wrong=$((wrong + 1))
[ "$wrong" -eq 0 ] || { echo "$wrong wrong" && exit 1; }
