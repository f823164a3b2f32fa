#!/bin/sh
set -eu; spillway=$PWD/spillway; "$spillway" --version; cd "$(mktemp -d)"; mkdir image; touch head.log
cat >spillway.yaml <<END
cluster: first
budget: { limit: 5.00, period: day }
directory: { source: nss }
image: { tree: image }
queues: { east: { sites: [east] } }
sites: { east: { driver: local, maxNodes: 1, director: { type: small }, options: { state: $PWD/cloud } } }
END
seq 1000 >numbers.txt; echo 'awk "{ sum += \$1 } END { print sum }" numbers.txt >sum.txt' >job.sh
"$spillway" serve --config spillway.yaml 2>>head.log & trap 'kill $! $(cut -d" " -f2 cloud/endpoint) 2>/dev/null || :' EXIT
until grep -q 'is up' head.log; do kill -0 $!; sleep 0.2; done
job=$("$spillway" submit --wait --in numbers.txt --out sum.txt job.sh)
cat sum.txt; "$spillway" job "$job"; "$spillway" stop --release --wait
