#!/bin/bash
# main-job.sh [IMAGE_DIR]: the main job in a region whose every server is a real virtual machine. As root, on a built
# clone; see README.md for what it proves. Exit code 0 only if all of it was seen. What it starts it ends.
# Environment: OPENSTACK_LAB (../openstack), and that of vm.sh.
set -uo pipefail
here=$(cd "$(dirname "$(realpath "$0")")" && pwd)
root=$(cd "$here/../.." && pwd)
openstack_lab=${OPENSTACK_LAB:-$here/../openstack}
work=$(mktemp -d /tmp/spillway-vm-job.XXXXXX)
chmod 711 "$work"
export VM_IMAGE=${1:-$work/image} VM_RUN=$work/machines LAB_HOOK=$here/hook-vm.sh LAB_IP=${LAB_IP:-127.0.0.77}
export LC_ALL=C.UTF-8 SPILLWAY_NO_BUILD=1
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY
head=
uid=64242

say() { printf '%4d s  %s\n' "$SECONDS" "$*"; }

clean_up() {
  if [ -n "$head" ]; then
    kill "$head" 2>/dev/null
    wait "$head" 2>/dev/null
  fi
  [ ! -d "$work/openstack" ] || "$openstack_lab/down.sh" "$work/openstack" --wipe
  "$here/vm.sh" sweep "$work"
  "$here/vm.sh" net-down
  rm -rf "$work"
}
trap clean_up EXIT

fail() {
  say "FAILED: $*"
  tail -n 15 "$work/head.log" 2>/dev/null
  for console in "$VM_RUN"/*/console.log; do
    [ ! -s "$console" ] || { echo "== $console" && tail -c 2000 "$console"; }
  done
  tail -n 5 "$work/openstack/servers/hook.log" 2>/dev/null
  exit 1
}

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

write_configuration() {
  mkdir -p "$work/image-tree/bin" "$work/alice"
  printf '#!/bin/sh\necho "image tool"\n' >"$work/image-tree/bin/tool"
  chmod 755 "$work/image-tree/bin/tool"
  echo "alice:x:$uid:$uid:Alice:/home/alice:/bin/sh" >"$work/passwd"
  printf 'alice:x:%s:\nphysics:x:64300:alice\n' "$uid" >"$work/group"
  cat >"$work/spillway.yaml" <<YAML
cluster: machines
budget: { limit: 5.00, period: day }
directory: { source: file, passwd: passwd, group: group }
image: { tree: image-tree }
queues: { west: { sites: [west] } }
scaler: { settings: { idleTime: 15m } }
sites:
  west:
    driver: openstack
    maxNodes: 1
    registration: 10m
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
  printf 'hello from home\n' >"$work/alice/in.txt"
  cat >"$work/alice/job.sh" <<'JOB'
#!/bin/sh
tool >out.txt
tr a-z A-Z <in.txt >>out.txt
id >>out.txt
curl -s --noproxy '*' --max-time 2 http://169.254.169.254/ && echo 'metadata is open' >>out.txt
test -r /var/lib/cloud/instance/user-data.txt && echo 'user data is open' >>out.txt
uname -r >kernel.txt
JOB
  chown -R "$uid:$uid" "$work/alice"
}

spillway() { "$root/spillway" "$@"; }
as_alice() { (cd "$work/alice" && HOME=$work/alice setpriv --reuid="$uid" --regid="$uid" --clear-groups --no-new-privs "$@"); }

# Read as a whole before it begins.
main() {
  "$here/build-image.sh" "$VM_IMAGE" || fail 'no image of a stock Linux'
  say "a stock Linux: Debian 12, systemd, OpenSSH, cloud-init; no Java, nothing of Spillway"
  "$here/vm.sh" net-up || fail 'no bridge'
  "$openstack_lab/up.sh" "$work/openstack" >"$work/openstack.log" 2>&1 || { tail -n 20 "$work/openstack.log"; fail 'no OpenStack'; }
  make_network || fail 'no network'
  say 'OpenStack is up, each of its servers a virtual machine'
  write_configuration
  spillway serve --config "$work/spillway.yaml" >"$work/head.log" 2>&1 &
  head=$!
  for _ in $(seq 300); do
    grep -q 'is up' "$work/head.log" && break
    kill -0 "$head" 2>/dev/null || fail 'the head ended'
    sleep 0.2
  done
  job=$(as_alice "$root/spillway" submit --socket "$work/state/spillway.sock" --in in.txt --out out.txt --out kernel.txt job.sh) \
    || fail 'the job was not taken'
  say "job $job submitted"

  local told state=
  for _ in $(seq 480); do
    told=$(as_alice "$root/spillway" job --socket "$work/state/spillway.sock" "$job" 2>/dev/null | sed -n 's/^state *//p')
    told=${told%%:*}
    [ "$told" = "$state" ] || { state=$told && say "job: $state"; }
    case $state in DONE | FAILED | CANCELLED) break ;; esac
    kill -0 "$head" 2>/dev/null || fail 'the head ended'
    sleep 1
  done
  [ "$state" = DONE ] || fail "the job is ${state:-nowhere}"
  grep -E 'has no Java|has a Java|host key of|-> READY' "$work/head.log" | sed 's/^/        /'
  printf 'image tool\nHELLO FROM HOME\nuid=%s(alice) gid=%s(alice) groups=%s(alice),64300(physics)\n' "$uid" "$uid" "$uid" \
    | cmp - "$work/alice/out.txt" || { cat "$work/alice/out.txt"; fail 'the result is another'; }
  [ "$(cat "$work/alice/kernel.txt")" != "$(uname -r)" ] || fail 'the job ran on this machine'
  grep -q 'has no Java 25: it gets' "$work/head.log" || fail 'no Java was brought'
  say "the job ran on Linux $(cat "$work/alice/kernel.txt") as alice, with the names of the directory; metadata and user data were closed to it"
  spillway stop --release --wait --timeout 2m --socket "$work/state/spillway.sock" | tail -n 1 | sed 's/^/        /'
  wait "$head"
  head=
  spillway audit --config "$work/spillway.yaml" --json >"$work/audit.json" || { cat "$work/audit.json"; fail 'something is left on the bill'; }
  [ "$(grep -c '"id"' "$work/audit.json")" -eq 0 ] || { cat "$work/audit.json"; fail 'the bill is not empty'; }
  left=$(find "$VM_RUN" -name qemu.pid | wc -l)
  [ "$left" -eq 0 ] || fail "$left machines are left"
  say 'the bill is empty, no machine is left'
}
main
