#!/bin/sh
# A site whose director never comes up, on the local cloud: its machines never boot. What it costs until no more
# of them is bought, what sites and explain say of it meanwhile, and how it heals. Nothing is left of it.
set -eu; spillway=$PWD/spillway; "$spillway" --version; cd "$(mktemp -d)"; chmod 755 .; mkdir image; touch head.log
cat >cloud.yaml <<END
types:
  - { name: gate, cpus: 1, memoryGiB: 2, pricePerHour: 0.36, bootSeconds: 0.5 }
  - { name: node, cpus: 2, memoryGiB: 4, pricePerHour: 0.02, bootSeconds: 0.5 }
faults:
  - { kind: boots-never, type: gate, count: 1000 }
END
cat >spillway.yaml <<END
cluster: dark
budget: { limit: 20.00, period: day }
directory: { source: nss }
image: { tree: image }
queues: { east: { sites: [east] } }
sites:
  east:
    driver: local
    maxNodes: 2
    registration: 15s
    director: { type: gate, trialBudget: 0.005 }   # 0.0001 a second: 50 s of such machines
    options: { state: $PWD/cloud, config: $PWD/cloud.yaml }
END
say() { printf '\n== %s\n' "$*"; }
# until_it SECONDS COMMAND...
until_it() { left=$1; shift; until "$@" >/dev/null 2>&1; do left=$((left - 1)); [ $left -gt 0 ] || { echo "not within its time: $*"; return 1; }; sleep 1; done; }
says() { "$spillway" "$1" "$2" | grep -q "$3"; }
sweep() {
  kill $head $(cut -d' ' -f2 cloud/endpoint) 2>/dev/null || :
  grep -lsz "^SPILLWAY_INSTANCE_DIR=$PWD/" /proc/[0-9]*/environ | cut -d/ -f3 | xargs -r kill -9 2>/dev/null || :
}
bought() { grep -c ' launched .*director' head.log || :; }
export SPILLWAY_SOCKET="$PWD/state/spillway.sock"
"$spillway" serve --config spillway.yaml 2>>head.log & head=$!; trap sweep EXIT
until grep -q 'is up' head.log; do kill -0 $head; sleep 0.2; done
echo 'echo "it runs"' >job.sh; job=$("$spillway" submit --time 10m --stdout out.txt job.sh)

say 'While its directors are tried, one after the other'
sleep 30
"$spillway" sites; "$spillway" explain "$job"
say 'When their money is spent'
until_it 300 says breaker list 'director:east.*OPEN'
"$spillway" sites; "$spillway" explain "$job"; "$spillway" breaker list
say 'Half a minute later: nothing more was bought'
"$spillway" spend | tee spend.before; sleep 30; "$spillway" spend | tee spend.after
cmp spend.before spend.after && echo 'the bill is the same'
say 'The cause is taken away, and an administrator says so'
curl -sS -o cloud.out -X DELETE -H "Authorization: Bearer $(cat cloud/token)" "http://$(cut -d' ' -f1 cloud/endpoint)/admin/faults"
"$spillway" breaker close director:east
until_it 240 grep -q 'it runs' out.txt; cat out.txt; "$spillway" sites
"$spillway" stop --release --wait
