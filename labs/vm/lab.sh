#!/bin/bash
# lab.sh: to be sourced by main-job.sh and slurm-job.sh: a region whose every server is a real virtual machine, a head,
# and how it is judged at the end. Bash, as root. Wants $work, the folder of it all, and VM_IMAGE (build-image.sh).
#   lab_in DIR       $work and what the other scripts are told of it
#   region_up        bridge, OpenStack and its network `machines`
#   image_and_names  the nodes' software image and the home directory's passwd and group, with alice and physics
#   site_west        the site's part of spillway.yaml, on standard output
#   head_up          the head with $work/spillway.yaml, in the background: $head
#   all_released     releases everything; fails if something is left on the bill or a machine runs
#   lab_down         ends what is still there
# Environment: OPENSTACK_LAB (../openstack), and that of vm.sh.
vm_lab=$(cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")" && pwd)
root=$(cd "$vm_lab/../.." && pwd)
openstack_lab=${OPENSTACK_LAB:-$vm_lab/../openstack}
export LAB_HOOK=$vm_lab/hook-vm.sh LAB_IP=${LAB_IP:-127.0.0.77} LC_ALL=C.UTF-8 SPILLWAY_NO_BUILD=1
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY
head=
uid=64242

lab_in() {
  work=$1
  export VM_IMAGE=${VM_IMAGE:-$work/image} VM_RUN=$work/machines
}

say() { printf '%4d s  %s\n' "$SECONDS" "$*"; }

fail() {
  say "FAILED: $*"
  tail -n 15 "$work/head.log" 2>/dev/null
  for console in "$VM_RUN"/*/console.log; do
    [ ! -s "$console" ] || { echo "== $console" && tail -c 2000 "$console"; }
  done
  tail -n 5 "$work/openstack/servers/hook.log" 2>/dev/null
  exit 1
}

spillway() { "$root/spillway" "$@"; }

# A network of Neutron's whose addresses are on the bridge.
make_network() {
  export OS_AUTH_URL=http://$LAB_IP:5000/v3 OS_USERNAME=demo OS_PROJECT_NAME=demo OS_USER_DOMAIN_NAME=Default
  export OS_PROJECT_DOMAIN_NAME=Default OS_IDENTITY_API_VERSION=3 OS_REGION_NAME=RegionOne
  OS_PASSWORD=$(cat "$work/openstack/password") /usr/bin/python3 - <<'PY'
import os
import openstack
cloud = openstack.connect(load_yaml_config=False, load_envvars=True)
lan = cloud.network.create_network(name='machines')
cloud.network.create_subnet(network_id=lan.id, name='machines', ip_version=4, cidr='10.77.0.0/16', is_dhcp_enabled=False,
                            gateway_ip='10.77.0.1', allocation_pools=[{'start': '10.77.8.10', 'end': '10.77.8.250'}])
PY
}

region_up() {
  "$vm_lab/vm.sh" net-up || fail 'no bridge'
  "$openstack_lab/up.sh" "$work/openstack" >"$work/openstack.log" 2>&1 || { tail -n 20 "$work/openstack.log"; fail 'no OpenStack'; }
  make_network || fail 'no network'
  say 'OpenStack is up, each of its servers a virtual machine'
}

image_and_names() {
  mkdir -p "$work/image-tree/bin"
  printf '#!/bin/sh\necho "image tool"\n' >"$work/image-tree/bin/tool"
  chmod 755 "$work/image-tree/bin/tool"
  echo "alice:x:$uid:$uid:Alice:/home/alice:/bin/sh" >"$work/passwd"
  printf 'alice:x:%s:\nphysics:x:64300:alice\n' "$uid" >"$work/group"
}

site_west() {
  cat <<YAML
sites:
  west:
    driver: openstack
    maxNodes: 1
    registration: 20m
    director: { type: m1.tiny, idle: 15m }
    prices: { m1.tiny: "0.10" }
    options:
      endpoint: http://$LAB_IP:5000/v3
      region: RegionOne
      project: demo
      user: demo
      passwordFile: $work/openstack/password
      network: machines
      image: stock
      flavors: m1.tiny
YAML
}

head_up() {
  # Not by the function, whose shell would be ended and leave the head.
  "$root/spillway" serve --config "$work/spillway.yaml" >"$work/head.log" 2>&1 &
  head=$!
  for _ in $(seq 600); do
    grep -q 'is up' "$work/head.log" && return
    kill -0 "$head" 2>/dev/null || fail 'the head ended'
    sleep 0.2
  done
  fail 'the head does not come up'
}

machines_left() { find "$VM_RUN" -name qemu.pid 2>/dev/null | wc -l; }

all_released() {
  spillway stop --release --wait --timeout 2m --socket "$work/state/spillway.sock" | tail -n 1 | sed 's/^/        /'
  wait "$head"
  head=
  spillway audit --config "$work/spillway.yaml" --json >"$work/audit.json" || { cat "$work/audit.json"; fail 'something is left on the bill'; }
  [ "$(grep -c '"id"' "$work/audit.json")" -eq 0 ] || { cat "$work/audit.json"; fail 'the bill is not empty'; }
  [ "$(machines_left)" -eq 0 ] || fail "$(machines_left) machines are left"
  say 'the bill is empty, no machine is left'
}

lab_down() {
  if [ -n "$head" ]; then
    kill "$head" 2>/dev/null
    wait "$head" 2>/dev/null
  fi
  [ ! -d "$work/openstack" ] || "$openstack_lab/down.sh" "$work/openstack" --wipe
  "$vm_lab/vm.sh" sweep "$work"
  "$vm_lab/vm.sh" net-down
}
