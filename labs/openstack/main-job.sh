#!/bin/sh
# main-job.sh [REPORT]: the main job through a real OpenStack. Starts the lab with servers that run (hook_local_cloud.py),
# writes two regions, each a project of it, runs `spillway demo` on them, checks the report and what Nova still knows, and
# ends everything. Exit code 0 only when all of it was as promised. Needs install.sh before, and a built Spillway.
#   LAB_IP  where the lab listens (127.0.0.7)
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
report=${1:-}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/spillway-job.XXXXXX") || exit 1
# Jobs run under their own uid in folders below, and have to get through.
chmod 711 "$scratch"
lab=$scratch/lab
state=$lab/hypervisor/cloud
hypervisor=
clean_up() {
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
  echo "main-job.sh: $*"
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

region() { # NAME PROJECT MAXNODES
  cat <<YAML
  $1:
    driver: openstack
    maxNodes: $3
    director: { type: m1.tiny, idle: 10m }
    prices: { m1.tiny: 0.06, m1.small: 0.12 }
    options:
      endpoint: $(cat "$lab/endpoint")
      region: RegionOne
      project: $2
      user: $2
      passwordFile: lab/password
      image: stock
      network: lan
      sshPort: '2222'
      consistencySeconds: '5'
YAML
}
{
  echo 'sites:'
  region os-demo demo 2
  region os-other other 3
} >"$scratch/regions.yaml"

TMPDIR=$scratch "$root/spillway" demo --regions "$scratch/regions.yaml" --patience "${LAB_PATIENCE:-60}" \
  --json "$scratch/report.json" >"$scratch/out" 2>"$scratch/err"
status=$?
[ -z "$report" ] || cp "$scratch/report.json" "$report"
sed 's/^/| /' "$scratch/out"
if [ "$status" -ne 0 ]; then
  cat "$scratch/err"
  tail -n 20 "$lab/servers/hook.log"
  fail "the demo ended with $status"
fi
for promise in '"equal" : true' '"left" : 0' '"replicated" : true' '"digestsEqual" : true'; do
  grep -q "$promise" "$scratch/report.json" || { cat "$scratch/report.json"; fail "the report does not say $promise"; }
done
for name in os-demo os-other; do
  grep -q "\"site\" : \"$name\"" "$scratch/report.json" || fail "no job ran in $name"
done
left=$(/usr/bin/python3 "$here/lib/left.py" "$(cat "$lab/endpoint")" "$lab/password") || fail 'Nova could not be asked'
[ "$left" = '0 servers, 0 ports of servers, 0 allocations' ] || fail "the real services still know $left"
launched=$(grep -c '"POST /v2.1/servers HTTP' "$lab/log/nova.log" 2>/dev/null)
echo "| OpenStack lab: the main job ran through real Keystone, Nova, Neutron and Glance ($launched launch calls); left: $left"
