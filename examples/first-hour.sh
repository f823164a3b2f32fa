#!/bin/sh
# A user's first hour on the local cloud, with what goes wrong in it: mistakes in a submission, an output that cannot be
# written, a cluster on a site that is full, a job without --time in it, a guest's job, a policy's check on a busy machine,
# one's own policy on a log, and check, explain, queue and sites beside each other. As root in two minutes at most; as another
# user without the guest. Leaves no process, however it ends.
set -eu; spillway=$PWD/spillway; "$spillway" --version; cd "$(mktemp -d)"; chmod 755 .; mkdir image results; touch head.log
spillway() { "$spillway" "$@"; }
say() { printf '\n== %s\n' "$*"; }
# A thing to be refused, with its exit code.
refused() { code=0; "$spillway" "$@" 2>&1 || code=$?; echo "(exit code $code)"; [ "$code" = 2 ]; }
# until_it SECONDS COMMAND...
until_it() { left=$(($1 * 5)); shift; until "$@" >/dev/null 2>&1; do left=$((left - 1)); [ $left -gt 0 ] || { echo "not within its time: $*"; return 1; }; sleep 0.2; done; }
busy=''
sweep() {
  trap '' EXIT INT TERM HUP
  kill $head $busy $(cut -d' ' -f2 cloud/endpoint 2>/dev/null) 2>/dev/null || :
  grep -lsz "^SPILLWAY_INSTANCE_DIR=$PWD/" /proc/[0-9]*/environ | cut -d/ -f3 | xargs -r kill -9 2>/dev/null || :
}
cat >cloud.yaml <<END
types:
  - { name: head, cpus: 1, memoryGiB: 2, pricePerHour: 0.20, bootSeconds: 0.5 }
  - { name: node, cpus: 2, memoryGiB: 4, pricePerHour: 0.10, bootSeconds: 0.5 }
END
cat >spillway.yaml <<END
cluster: first
budget: { limit: 20.00, period: day }
directory: { source: nss, minUid: 1 }   # everybody of this machine, for a guest below is 'daemon'; from 1000 on without it
image: { tree: image }                  # an empty folder will do: nodes are this machine
queues: { west: { sites: [west] } }
scaler: { policy: queue-depth, settings: { idleTime: 5s } }
sites: { west: { driver: local, maxNodes: 2, director: { type: head }, options: { state: $PWD/cloud, config: $PWD/cloud.yaml } } }
END
say 'The two files that a head needs'
head -n 99 cloud.yaml spillway.yaml
export SPILLWAY_SOCKET="$PWD/state/spillway.sock"
head=''; trap sweep EXIT; trap 'exit 130' INT; trap 'exit 143' TERM HUP
"$spillway" serve --config spillway.yaml 2>>head.log & head=$!
until grep -q 'is up' head.log; do kill -0 $head; sleep 0.2; done
printf '#!/bin/sh\nsleep 4; hostname >out.txt\n' >job.sh; printf '{"script": "true"}\n' >job.json

say 'Mistakes are said before anything runs'
refused submit job.json
refused queue --queue nosuch
refused submit --time 48h job.sh
refused submit --time 1m --out "out.txt=$PWD/job.sh/out.txt" job.sh

say 'check, explain, queue and sites beside each other: two nodes, three jobs of a node each'
spillway check --time 10m --cpus 2 job.sh
for _ in 1 2 3; do last=$(spillway submit --time 10m --cpus 2 --out out.txt job.sh); done
spillway explain "$last"; spillway queue; spillway sites
until_it 60 grep -q 'launching 2 x' head.log
echo; spillway explain "$last"; spillway queue; spillway sites
spillway job "$last" --json | grep -Eo '"(account|expectedStart)" : .*'; spillway sites --json | grep -Eo '"(nodes|maxNodes|accrued|left)" : .*'

say 'A cluster on the site that is full now: a short wait, and its reason'
guests=''; if [ "$(id -u)" = 0 ]; then guests='--users daemon'; chown daemon results; fi
as_guest() { setpriv --reuid=daemon --regid="$(id -g daemon)" --clear-groups "$spillway" "$@"; }
spillway cluster create mine --site west --nodes 1 --type node --ttl 20m --budget 1 $guests

say 'A job without --time in it'
spillway cluster submit mine --wait --out out.txt job.sh
if [ -n "$guests" ]; then
  say "A guest's job in it, as the owner sees it"
  (cd results && as_guest cluster submit mine --time 5m --out out.txt ../job.sh >../guest.id); cat guest.id
  spillway cluster queue mine; spillway cluster explain mine "$(cat guest.id)"
  until_it 60 test -s results/out.txt
  spillway cluster job mine "$(cat guest.id)" | head -n 12
fi
spillway cluster show mine; spillway cluster delete mine

say 'An output whose folder is gone when the job has ended: the others come home, and cancel ends it'
mkdir sums; printf '#!/bin/sh\necho I have run; sleep 3; echo 42 >sum.txt; echo fine >other.txt\n' >late.sh
late=$(spillway submit --time 1m --out "sum.txt=$PWD/sums/sum.txt" --out other.txt --stdout late.out late.sh)
rmdir sums; touch sums
until_it 90 grep -q 'I have run' late.out
until_it 20 sh -c "'$spillway' explain $late | grep -q cancel"
cat late.out other.txt; spillway explain "$late"
spillway cancel "$late"; until_it 20 sh -c "'$spillway' job $late | grep -Eq '^state +(CANCELLED|FAILED|DONE)'"
spillway job "$late" | sed -n '/^OUTPUT/,$p'

say 'A policy of ones own: its check on a busy machine, and what it would have cost'
spillway policy new night-shift
for _ in 1 2 3 4 5 6 7 8; do (while :; do :; done) & busy="$busy $!"; done
spillway policy check NightShift.java; kill $busy; busy=''
{ echo timestamp,duration,num_gpus,gpu_time,cluster
  i=0; while [ $i -lt 40 ]; do i=$((i + 1)); echo "2017-10-09 07:$((i + 10)):00,3600,8,28800,a"; done; } >log.csv
spillway simulate --log log.csv --home-nodes 4 --policy NightShift.java:idleTime=10m 2>/dev/null
sed 's/List<Wish> wishes/List<Wish> wish/; s/NightShift/Broken/g' NightShift.java >Broken.java
refused simulate --log log.csv --policy Broken.java
spillway policy list

say 'The end'
spillway queue --all
spillway stop --release --wait
echo 'the first hour went well'
