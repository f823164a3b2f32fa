#!/bin/sh
# A cluster of one's own on the local cloud: made, used, looked at, deleted, and nothing left.
set -eu; spillway=$PWD/spillway; "$spillway" --version; cd "$(mktemp -d)"; chmod 755 .; mkdir image; touch head.log
cat >spillway.yaml <<END
cluster: main
budget: { limit: 20.00, period: day }
directory: { source: nss }
image: { tree: image }
queues: { west: { sites: [west] } }
sites: { west: { driver: local, maxNodes: 4, director: { type: small }, options: { state: $PWD/cloud } } }
END
"$spillway" serve --config spillway.yaml 2>>head.log & trap 'kill $! $(cut -d" " -f2 cloud/endpoint) 2>/dev/null || :' EXIT
until grep -q 'is up' head.log; do kill -0 $!; sleep 0.2; done
echo 'hostname >where.txt; echo done >>where.txt' >job.sh
"$spillway" cluster create demo1 --site west --nodes 2 --ttl 1h --budget 5
"$spillway" cluster submit demo1 --wait --out where.txt job.sh; tail -n 1 where.txt
"$spillway" cluster list; "$spillway" cluster show demo1; "$spillway" cluster nodes demo1
"$spillway" cluster delete demo1; "$spillway" cluster list
"$spillway" audit; "$spillway" stop --wait
