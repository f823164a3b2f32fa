#!/bin/sh
# cluster.sh [NODES]: a cluster on demand through a real OpenStack. Starts the lab with servers that run
# (hook_local_cloud.py), and a head with a project of it as its site; the child's head and nodes are servers of Nova's, with
# ports and a security group of Neutron's. Does the steps of ../clusters/steps.sh, checks what the services still know, and
# ends everything. Exit code 0 only when all of it was as promised. Needs install.sh before, and a built Spillway.
#   LAB_IP  where the lab listens (127.0.0.7)
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
nodes=${1:-2}
spillway=$root/spillway
export SPILLWAY_NO_BUILD=1
# shellcheck source=SCRIPTDIR/../clusters/steps.sh
. "$here/../clusters/steps.sh"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/sc.XXXXXX") || exit 1
# Jobs run under their own uid in folders below, and have to get through.
chmod 755 "$scratch"
lab=$scratch/lab
state=$lab/hypervisor/cloud
hypervisor=
head=
clean_up() {
  if [ -n "$head" ]; then
    kill "$head" 2>/dev/null
    wait "$head" 2>/dev/null
  fi
  "$here/down.sh" "$lab" || exit 1
  if [ -n "$hypervisor" ]; then
    kill "$hypervisor" 2>/dev/null
    wait "$hypervisor" 2>/dev/null
  fi
  # An instance outlives its cloud: what a failed demo left bears its folder.
  for process in /proc/[0-9]*; do
    if grep -qsz "^SPILLWAY_INSTANCE_DIR=$state/" "$process/environ"; then
      kill -KILL "${process#/proc/}" 2>/dev/null
    fi
  done
  rm -rf "$scratch"
}
trap 'exit 143' TERM INT
trap clean_up EXIT
fail() {
  echo "cluster.sh: $*"
  [ ! -e "$scratch/head.log" ] || tail -n 40 "$scratch/head.log"
  [ ! -e "$lab/servers/hook.log" ] || tail -n 20 "$lab/servers/hook.log"
  exit 1
}

mkdir -p "$lab/hypervisor"
chmod 711 "$lab" "$lab/hypervisor"
"$root/spillway" local-cloud --state "$state" --config "$here/hypervisor.yaml" >"$scratch/hypervisor.log" 2>&1 &
hypervisor=$!
LAB_IP=${LAB_IP:-127.0.0.7} LAB_HOOK="$here/hook_local_cloud.py" "$here/up.sh" "$lab" || fail 'the lab did not start'
tries=0
until [ -e "$state/endpoint" ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 300 ] && kill -0 "$hypervisor" 2>/dev/null || { cat "$scratch/hypervisor.log"; fail 'no local-cloud'; }
  sleep 0.2
done

cd "$scratch" || exit 1
mkdir image
cat >spillway.yaml <<YAML
cluster: main
budget: { limit: 20.00, period: day }
directory: { source: nss }
image: { tree: image }
queues: { os: { sites: [os] } }
sites:
  os:
    driver: openstack
    maxNodes: 4
    director: { type: m1.tiny }
    prices: { m1.tiny: 0.06, m1.small: 0.12 }
    options:
      endpoint: $(cat "$lab/endpoint")
      region: RegionOne
      project: demo
      user: demo
      passwordFile: lab/password
      image: stock
      network: lan
      adminCidr: 127.0.0.0/8
      sshPort: '2222'
      consistencySeconds: '5'
YAML
"$spillway" serve --config spillway.yaml >head.log 2>&1 &
head=$!
until grep -q 'is up' head.log; do
  kill -0 "$head" 2>/dev/null || fail 'the head does not start'
  sleep 0.2
done
SPILLWAY_SOCKET=$scratch/state/spillway.sock
export SPILLWAY_SOCKET
"$spillway" site create os --yes >site.out 2>&1 || { cat site.out; fail 'the site got no security group'; }
cluster_steps os "$nodes" || fail 'see above'
"$spillway" stop --release --wait >stop.out 2>&1 || { cat stop.out; fail 'the head did not release all'; }
head=
"$spillway" site delete os --yes --config spillway.yaml >site.out 2>&1 || { cat site.out; fail 'the group stayed'; }
"$spillway" audit --config spillway.yaml >audit.out 2>&1 || { cat audit.out; fail 'something is left'; }
sed 's/^/| /' audit.out
grep -q '^site os: 0 things' audit.out || fail 'the bill is not empty'
left=$(/usr/bin/python3 "$here/lib/left.py" "$(cat "$lab/endpoint")" "$lab/password") || fail 'Nova could not be asked'
[ "$left" = '0 servers, 0 ports of servers, 0 allocations' ] || fail "the real services still know $left"
launched=$(grep -c '"POST /v2.1/servers HTTP' "$lab/log/nova.log" 2>/dev/null)
echo "| OpenStack lab: a cluster on demand through real Keystone, Nova, Neutron and Glance ($launched launch calls); left: $left"
