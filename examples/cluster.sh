#!/bin/sh
# A cluster of one's own on the local cloud: made, used, refused to another user, scaled, stopped, started, used again,
# deleted, and nothing left.
set -eu; spillway=$PWD/spillway; "$spillway" --version; cd "$(mktemp -d)"; chmod 755 .; mkdir image; touch head.log
cat >spillway.yaml <<END
cluster: main
budget: { limit: 20.00, period: day }
directory: { source: nss }
image: { tree: image }
queues: { west: { sites: [west] } }
sites:
  west: { driver: local, maxNodes: 4, director: { type: small }, prices: { small/stopped: 0.01 }, options: { state: $PWD/cloud } }
END
"$spillway" serve --config spillway.yaml 2>>head.log & trap 'kill $! $(cut -d" " -f2 cloud/endpoint) 2>/dev/null || :' EXIT
until grep -q 'is up' head.log; do kill -0 $!; sleep 0.2; done
echo 'hostname >where.txt; echo done >>where.txt' >job.sh
"$spillway" cluster create demo1 --site west --nodes 1 --ttl 1h --budget 5 --json >demo1.json
"$spillway" cluster show demo1
"$spillway" cluster submit demo1 --wait --out where.txt job.sh; tail -n 1 where.txt
if [ "$(id -u)" -eq 0 ]; then
    echo "what user 65534 hears of demo1:"
    setpriv --reuid=65534 --regid=65534 --clear-groups curl -sS --unix-socket state/spillway.sock http://localhost/api/v1/clusters/demo1
    echo
fi
"$spillway" cluster ssh demo1 -- id -u
"$spillway" cluster scale demo1 --nodes 2; "$spillway" cluster nodes demo1
"$spillway" cluster stop demo1; "$spillway" cluster list
"$spillway" cluster start demo1
"$spillway" cluster submit demo1 --wait --out where.txt job.sh; tail -n 1 where.txt; "$spillway" cluster queue demo1
"$spillway" cluster delete demo1; "$spillway" cluster list
"$spillway" audit; "$spillway" stop --wait
