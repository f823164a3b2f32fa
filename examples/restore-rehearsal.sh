#!/bin/sh
# A rehearsal of the day on which the journal is lost, on the local cloud: a head is killed and gets a backup in which one job
# and its node are missing. Nothing that ran is ended, and no number is given twice. To be typed before it is needed.
set -eu; spillway=$PWD/spillway; "$spillway" --version; cd "$(mktemp -d)"; chmod 755 .; mkdir image beats; chmod 777 beats; touch head.log
cat >cloud.yaml <<END
types:
  - { name: head, cpus: 1, memoryGiB: 2, pricePerHour: 0.20, bootSeconds: 0.5 }
  - { name: node, cpus: 2, memoryGiB: 4, pricePerHour: 0.02, bootSeconds: 0.5 }
END
cat >spillway.yaml <<END
cluster: rehearsal
budget: { limit: 20.00, period: day }
directory: { source: nss }
image: { tree: image }
queues: { east: { sites: [east] } }
sites: { east: { driver: local, maxNodes: 4, director: { type: head }, options: { state: $PWD/cloud, config: $PWD/cloud.yaml } } }
END
say() { printf '\n== %s\n' "$*"; }
serve() {
  up=$(grep -c 'is up' head.log || :)
  "$spillway" serve --config spillway.yaml 2>>head.log & head=$!
  until [ "$(grep -c 'is up' head.log || :)" -gt "$up" ]; do kill -0 $head; sleep 0.2; done
}
beats() { stat -c %Y%y "beats/$1"; }
# A job that runs until it is told, and shows by a file that it does.
begin() {
  printf 'while [ ! -e %s/beats/stop ]; do echo >%s/beats/%s; sleep 0.2; done\n' "$PWD" "$PWD" "$1" >"$1.sh"
  job=$("$spillway" submit --cpus 2 --time 10m --stdout "$1.out" --stderr "$1.err" "$1.sh")
  until [ -e "beats/$1" ]; do kill -0 $head; sleep 0.2; done
  echo "job $job ($1) runs"
}
alive() {
  before=$(beats "$1"); tries=0
  until [ "$(beats "$1")" != "$before" ]; do tries=$((tries + 1)); [ $tries -lt 50 ] || { echo "job $1 runs no more"; return 1; }; sleep 0.2; done
  echo "job $1 still runs"
}
instances() { "$spillway" audit --json | grep -o '"id" : "i-[^"]*"' | sort -u; }

# Machines that the journal does not know are ended by nobody, so instances are killed here like machines whose plug is pulled.
pull() {
  kill $head $(cut -d' ' -f2 cloud/endpoint) 2>/dev/null || :
  grep -lsz "^SPILLWAY_INSTANCE_DIR=$PWD/" /proc/[0-9]*/environ | cut -d/ -f3 | xargs -r kill -9 2>/dev/null || :
}
serve; trap pull EXIT
say 'A job runs, and the journal is copied while it does'
begin known; "$spillway" backup copy.db; "$spillway" state check copy.db
say 'Another job, on another node, is in no copy'
begin unknown; last=$job; instances >before.txt
say 'The head is killed, and gets the older copy'
kill -9 $head; wait $head 2>/dev/null || :
"$spillway" state restore copy.db --config spillway.yaml --yes
serve; grep -o 'the journal .*quarantine.*' head.log
say 'Nothing that ran is ended'
alive known; alive unknown
instances >after.txt; [ -z "$(comm -23 before.txt after.txt)" ] && echo "all $(wc -l <before.txt) instances are there"
"$spillway" sites
say 'No number is given twice'
echo 'echo done' >next.sh; job=$("$spillway" submit --wait --cpus 2 --time 5m next.sh); "$spillway" queue --all
[ "$job" -gt "$last" ] && echo "the next job is $job, the last before was $last"
say 'What the journal does not know is shown, and taken back by choice'
"$spillway" recover
"$spillway" recover --adopt all --yes
"$spillway" recover; "$spillway" nodes
alive known; alive unknown
touch beats/stop; echo 'the rehearsal went well'
