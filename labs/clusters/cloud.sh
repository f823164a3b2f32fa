#!/bin/sh
# cloud.sh aws|azure|openstack [NODES]: a cluster on demand through a vendor's SDK, on a local cloud that wears the vendor's
# API. Starts cloud and head, makes the site's network, does the steps of steps.sh, removes the network, looks for anything
# left, and ends what it started. Exit code 0 only when all of it was as promised. Needs a built Spillway.
set -u
here=$(cd "$(dirname "$0")" && pwd)
spillway=$(cd "$here/../.." && pwd)/spillway
cloud=${1:-}
nodes=${2:-2}
export SPILLWAY_NO_BUILD=1
case $cloud in
aws) api=ec2 zone=us-east-1a small=t3.small large=t3.medium ;;
azure) api=arm zone=1 small=Standard_B1ms large=Standard_D4s_v5 ;;
openstack) api=nova zone=nova small=m1.small large=m1.large ;;
*) echo 'usage: cloud.sh aws|azure|openstack [NODES]' >&2; exit 2 ;;
esac
# shellcheck source=SCRIPTDIR/steps.sh
. "$here/steps.sh"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/spillway-cluster.XXXXXX") || exit 1
# Jobs run under their own uid in folders below, and have to get through.
chmod 755 "$scratch"
head='' emulated=''
clean_up() {
  for process in $head $emulated; do
    kill "$process" 2>/dev/null && wait "$process" 2>/dev/null
  done
  # An instance outlives its cloud: what a failure left bears its folder.
  for process in /proc/[0-9]*; do
    if grep -qsz "^SPILLWAY_INSTANCE_DIR=$scratch/" "$process/environ"; then
      kill -KILL "${process#/proc/}" 2>/dev/null
    fi
  done
  rm -rf "$scratch"
}
trap 'exit 143' TERM INT
trap clean_up EXIT
fail() {
  echo "cloud.sh: $*"
  tail -n 40 "$scratch/head.log"
  tail -n 20 "$scratch/cloud/requests.log"
  exit 1
}
await() { # PID FILE PATTERN
  until grep -q "$3" "$2" 2>/dev/null; do
    kill -0 "$1" 2>/dev/null || fail "it ended before $2 said $3"
    sleep 0.2
  done
}

cd "$scratch" || exit 1
mkdir image
cat >catalogue.yaml <<YAML
zones: ['$zone']
types:
  - { name: $small, cpus: 1, memoryGiB: 2, pricePerHour: 0.06, bootSeconds: 0.5 }
  - { name: $large, cpus: 4, memoryGiB: 16, pricePerHour: 0.12, bootSeconds: 0.5 }
YAML
"$spillway" local-cloud --api "$api" --state "$scratch/cloud" --config catalogue.yaml >cloud.log 2>&1 &
emulated=$!
until [ -e cloud/endpoint ]; do
  kill -0 "$emulated" 2>/dev/null || { cat cloud.log; fail 'no local-cloud'; }
  sleep 0.2
done
endpoint=$(cat cloud/api-endpoint)
options() {
  case $cloud in
  aws) cat <<YAML ;;
      region: us-east-1
      endpoint: '$endpoint'
      pricingEndpoint: '$endpoint'
      credentialsFile: '$scratch/cloud/api/ec2/credentials'
      image: ami-00000000000000001
      types: '$small,$large'
YAML
  azure) cat <<YAML ;;
      subscription: 7e4a7000-0000-4000-8000-000000000000
      resourceGroup: spillway
      location: local
      tenant: 7e4a7000-0000-4000-8000-000000000001
      clientId: 7e4a7000-0000-4000-8000-000000000002
      clientSecretFile: '$scratch/cloud/api/arm/client-secret'
      caFile: '$scratch/cloud/api/arm/ca.pem'
      endpoint: '$endpoint'
      authority: '$endpoint'
      pricesEndpoint: '$endpoint/api/retail/prices'
YAML
  openstack) cat <<YAML ;;
      endpoint: '$endpoint/v3'
      user: spillway
      project: demo
      passwordFile: '$scratch/cloud/api/nova/password'
      image: stock
YAML
  esac
}
cat >spillway.yaml <<YAML
cluster: main
budget: { limit: 20.00, period: day }
currency: USD
directory: { source: nss }
image: { tree: image }
queues: { cloud: { sites: [cloud] } }
sites:
  cloud:
    driver: $cloud
    maxNodes: 4
    director: { type: $small }
    prices: { $small: 0.06, $large: 0.12 }
    options:
$(options)
      adminCidr: 127.0.0.0/8
      sshPort: '2222'
      consistencySeconds: '1'
YAML
"$spillway" serve --config spillway.yaml >head.log 2>&1 &
head=$!
await "$head" head.log 'is up'
# Another user reaches the socket as far as the file system goes; who may do what is the head's to say.
SPILLWAY_SOCKET=$scratch/state/spillway.sock
export SPILLWAY_SOCKET
"$spillway" site create cloud --yes >site.out 2>&1 || { cat site.out; fail 'the site got no network'; }
cluster_steps cloud "$nodes" || fail "$cloud: see above"
"$spillway" stop --release --wait >stop.out 2>&1 || { cat stop.out; fail 'the head did not release all'; }
"$spillway" site delete cloud --yes --config spillway.yaml >site.out 2>&1 || { cat site.out; fail 'the network stayed'; }
"$spillway" audit --config spillway.yaml >audit.out 2>&1 || { cat audit.out; fail 'something is left'; }
sed 's/^/| /' audit.out
grep -q '^site cloud: 0 things' audit.out || fail 'the bill is not empty'
left=$(grep -lsz "^SPILLWAY_INSTANCE_DIR=$scratch/" /proc/[0-9]*/environ)
[ -z "$left" ] || fail "instances are left: $left"
echo "| $cloud: a cluster on demand came and went, and the bill is empty"
