#!/bin/bash
# reach.sh: homes within reach of jobs of sbatch (ADR 67): a plain script that has declared nothing reads a file of its home in a cloud
# and writes below it. Starts the lab with a head and an empty region (head.sh) whose nodes have `home: reach`. As root; needs what
# install.sh installs. Prints a line for each case: `ok CASE: what was seen` or `WRONG CASE: what was seen`. Exit code 0
# only if the job has read what it should and nothing else, what it wrote is at home, what was at home is as it was, a second job on the
# same node finds home as it is then, and nothing is left on the bill.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/head.sh"

if [ -z "$dir" ]; then
  outside "$(readlink -f "$0")" "$@"
  exit
fi

work=/home/ann/plain
wrong=0

judge() { # CASE WHAT CONDITION...
  local name=$1 what=$2
  shift 2
  if "$@"; then echo "ok $name: $what"; else echo "WRONG $name: $what" && wrong=$((wrong + 1)); fi
}

submit() { # SCRIPT: the job's number in $job, the words of the filter in $told
  job=$(cd "$work" && as ann sbatch --parsable -p west -t 5 "$1" 2>"$dir/told") || fail "sbatch refused it: $(cat "$dir/told")"
  told=$(cat "$dir/told")
}

gone() { [ -z "$(squeue -h -r -j "$1" 2>/dev/null)" ]; }

settled() {
  within 240 gone "$1" || fail "job $1 does not end: $(squeue -h -j "$1" -o '%T %r')"
}

state() { scontrol -o show job "$1" | grep -oE 'JobState=[^ ]*'; }

is() { [ "$(cat "$1" 2>&1)" = "$2" ] || { echo "  $1: $(cat "$1" 2>&1)" && false; }; }

is_over() { ask job "$job" --json >"$dir/job.json" && jq -e '.job.state == "DONE"' "$dir/job.json"; }

says() { jq -e "$1" "$dir/job.json" >/dev/null; }

plain() {
  cat >"$work/plain.sh" <<'JOB'
#!/bin/sh
#SBATCH --job-name=plain
cat ~/data/x
sha256sum <~/data/large
mkdir ~/results && echo y >~/results/y
echo two >>~/log
rm ~/data/old
cat /home/bob/secret 2>/dev/null && echo "reads bob's"
ls -d ~/.ssh ~/.aws 2>/dev/null && echo 'sees keys'
cat ~/out-of-it 2>/dev/null && echo 'follows a link out'
{ echo into >/home/bob/into; } 2>/dev/null && echo "writes bob's"
echo near >near
JOB
  cat >"$work/again.sh" <<'JOB'
#!/bin/sh
cat ~/log ~/data/old
from=$(date +%s%3N)
tar c -C ~ many | tar t | grep -c small
echo "in $(($(date +%s%3N) - from)) ms"
JOB
}

HOMES=reach site_up 1 1
mkdir -p "$work" /home/ann/data /home/ann/many /home/ann/.ssh /home/ann/.aws
echo x >/home/ann/data/x
echo old >/home/ann/data/old
echo one >/home/ann/log
echo key | tee /home/ann/.ssh/id /home/ann/.aws/credentials >/dev/null
echo secret >/home/bob/secret
ln -s /home/bob/secret /home/ann/out-of-it
head -c 20M /dev/urandom >/home/ann/data/large
for ((i = 0; i < 2000; i++)); do echo "$i" >"/home/ann/many/small-$i"; done
plain
chown -Rh ann:ann /home/ann
chmod 755 /home/bob
chmod 644 /home/bob/secret

submit plain.sh
judge said "$told" grep -q 'reads it from home' <<<"$told"
settled "$job"
judge state "$(state "$job")" [ "$(state "$job")" = JobState=COMPLETED ]
judge read "what it declared nowhere, and nothing of others and of keys" \
  is "$work/slurm-$job.out" "$(printf 'x\n%s' "$(sha256sum </home/ann/data/large)")"
judge written 'below its home' is "$work/spillway-$job/HOME/results/y" y
judge changed 'the whole of a file of home, beside it' is "$work/spillway-$job/HOME/log" "$(printf 'one\ntwo')"
judge near 'in its folder' is "$work/spillway-$job/near" near
judge kept 'home is as it was' is /home/ann/log one
judge removed 'what it removed is at home' is /home/ann/data/old old
judge untouched 'nothing is new at home' [ ! -e /home/ann/results ]
within 120 is_over || fail 'for the head it is not over'
judge reason "$(jq -r .job.reason "$dir/job.json")" says '.job.reason | test("at home as before: 1: data/old")'
judge reads "$(jq -r '.warnings[]' "$dir/job.json")" says '.warnings[] | test("^HOME_READ: .* files? of its user.s home")'

submit again.sh
settled "$job"
judge again "$(tr '\n' ' ' <"$work/slurm-$job.out")" [ "$(grep -cxE 'one|old|2000' "$work/slurm-$job.out")" = 3 ]
judge left 'no mount is left on the node' [ "$(pgrep -fc 'perl .*/reach/[0-9]+/program')" = 0 ]

site_down || wrong=$((wrong + 1))
[ "$wrong" = 0 ] || { echo "$wrong wrong"; exit 1; }
echo 'all as it should be'
