#!/bin/sh
# A user's first hour on the local cloud, with what goes wrong in it: an output that cannot be written, a cluster on a site that
# is full, a job without --time in it, a policy's check on a busy machine, one's own policy on a log, guests' jobs, and
# explain, check and queue beside each other. Takes about a minute.
set -eu; spillway=$PWD/spillway; "$spillway" --version; cd "$(mktemp -d)"; chmod 755 .; mkdir image home; touch head.log
spillway() { "$spillway" "$@"; }
say() { printf '\n== %s\n' "$*"; }
# A command that is to be refused, with its exit code.
refused() { code=0; "$spillway" "$@" 2>&1 || code=$?; echo "(exit code $code)"; [ "$code" = 2 ]; }
cat >cloud.yaml <<END
types:
  - { name: head, cpus: 1, memoryGiB: 2, pricePerHour: 0.20, bootSeconds: 0.5 }
  - { name: node, cpus: 2, memoryGiB: 4, pricePerHour: 0.10, bootSeconds: 0.5 }
END
cat >spillway.yaml <<END
cluster: first
budget: { limit: 20.00, period: day }
directory: { source: nss }
image: { tree: image }                  # an empty folder will do: nodes are this machine
queues: { west: { sites: [west] } }
scaler: { policy: queue-depth, settings: { idleTime: 5s } }
sites: { west: { driver: local, maxNodes: 2, director: { type: head }, options: { state: $PWD/cloud, config: $PWD/cloud.yaml } } }
END
spillway serve --config spillway.yaml 2>>head.log & trap 'kill $! $(cut -d" " -f2 cloud/endpoint) 2>/dev/null || :' EXIT
until grep -q 'is up' head.log; do kill -0 $!; sleep 0.2; done
printf '#!/bin/sh\nsleep 3; hostname >out.txt\n' >job.sh; printf '{"script": "true"}\n' >job.json

say 'Mistakes are said before anything runs'
refused submit job.json
refused queue --queue nosuch
refused submit --time 48h job.sh
say 'So is an output that cannot be written'
refused submit --time 1m --out "out.txt=$PWD/job.sh/out.txt" job.sh

say 'check, explain and queue beside each other: two nodes, three jobs of a node each'
spillway check --time 10m --cpus 2 job.sh
for _ in 1 2 3; do last=$(spillway submit --time 10m --cpus 2 --out out.txt job.sh); done
sleep 2; spillway explain "$last"; spillway check --time 10m --cpus 2 job.sh; spillway queue; spillway sites

say 'A cluster on the site that is full now: a short wait, and its reason'
spillway cluster create mine --site west --nodes 1 --type node --ttl 20m --budget 1 --results home
say 'A job without --time in it'
spillway cluster submit mine --wait --out out.txt job.sh
spillway cluster queue mine; spillway cluster show mine
spillway cluster delete mine

say 'A policy of ones own: its check on a busy machine, and what it would have cost'
spillway policy new night-shift
for _ in 1 2 3 4 5 6 7 8; do (while :; do :; done) & busy="${busy:-} $!"; done
spillway policy check NightShift.java; kill $busy
{ echo timestamp,duration,num_gpus,gpu_time,cluster
  i=0; while [ $i -lt 40 ]; do i=$((i + 1)); echo "2017-10-09 07:$((i + 10)):00,3600,8,28800,a"; done; } >log.csv
spillway simulate --log log.csv --home-nodes 4 --policy NightShift.java:idleTime=10m 2>/dev/null
sed 's/List<Wish> wishes/List<Wish> wish/' NightShift.java >Broken.java; sed -i 's/NightShift/Broken/g' Broken.java
refused simulate --log log.csv --policy Broken.java
spillway policy list
spillway stop --release --wait
