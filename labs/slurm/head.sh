#!/bin/bash
# head.sh: to be sourced by trail.sh and side-by-side.sh: a site with Slurm, the region `west` and a head, made by site.sh in
# namespaces of its own (private.sh), so that nothing is seen outside and nothing stays. Bash.
#   outside SCRIPT ARGUMENTS...   runs the script again inside, in a folder of its own; returns with its exit code
#   site_up NODES SECONDS         all of it, with NODES declared nodes that boot in SECONDS; the region is empty
#   site_down                     releases everything; fails if something is left on the bill
# NODES_TREE: a tree of releases/install.sh whose Slurm the nodes of the region have; unset for that of slurmctld.
# HOMES: what the nodes of the region do about homes (`nodes.home`): reach, or unset for copy.
# Inside: $dir the folder, $spillway the command, users ann and bob. KEEP=yes leaves the folder.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
spillway=$here/../../spillway
dir=${SPILLWAY_LAB:-}
net=222
base=26000
head=

outside() {
  local script=$1 status=0 program
  shift
  for program in slurmctld slurmd sbatch munged sshd nft nsenter setpriv jq curl inotifywait; do
    PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null \
      || { echo "$script: $program is missing: run labs/slurm/install.sh" >&2; return 69; }
  done
  [ "$(id -u)" = 0 ] || { echo "$script: only root may make namespaces and run jobs of several users" >&2; return 77; }
  "$spillway" --version >/dev/null || return 69
  dir=$(mktemp -d "${TMPDIR:-/tmp}/spillway-slurm.XXXXXX")
  chmod 755 "$dir"
  trap '[ -n "${KEEP:-}" ] || rm -rf "$dir"' EXIT
  trap 'exit 130' INT TERM
  ${BEFORE_INSIDE:-true} || return
  SPILLWAY_LAB=$dir SPILLWAY_NO_BUILD=1 "$here/private.sh" "$script" "$@" || status=$?
  if [ "$status" -ne 0 ]; then
    for log in head.log log/slurm/slurmctld.log; do
      [ ! -s "$dir/$log" ] || { echo "== $log" && tail -n 25 "$dir/$log"; } >&2
    done
  fi
  return "$status"
}

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# within SECONDS COMMAND...: until it succeeds
within() {
  local limit=$(($(date +%s) + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$(date +%s)" -le "$limit" ] || return 1
    sleep 0.05
  done
}

# A head that has ended does not come up any more: nobody waits for it.
answered_or_ended() { ask sites || ! kill -0 "$head"; }
head_answers() { # SECONDS
  within "$1" answered_or_ended
  { kill -0 "$head" && ask sites; } >/dev/null 2>&1 || fail 'the head does not come up'
}

as() { # USER COMMAND...
  local user=$1
  shift
  setpriv --reuid="$user" --regid="$user" --init-groups -- env HOME="/home/$user" "$@"
}

ask() { "$spillway" "$@" --socket "$dir/state/spillway.sock"; }

site_files() { # NODES SECONDS
  mkdir -p "$dir/clouds" "$dir/etc" "$dir/image/bin"
  printf 'ann:x:20816:20816::/home/ann:/bin/sh\nbob:x:20817:20817::/home/bob:/bin/sh\n' >"$dir/passwd"
  printf 'ann:x:20816:\nbob:x:20817:\n' >"$dir/group"
  printf '#!/bin/sh\nexec sha256sum "$@"\n' >"$dir/image/bin/digest"
  chmod 755 "$dir/image/bin/digest"
  cat >"$dir/clouds/west.yaml" <<YAML
network: "@NETWORK@"
listen: "@LISTEN@"
zones: [a]
types:
  - { name: small, cpus: 1, memoryGiB: 2, pricePerHour: 0.06, bootSeconds: 0.3, machine: "@LAB@/director.sh" }
  - { name: large, cpus: 4, memoryGiB: 16, pricePerHour: 0.12, bootSeconds: $2, machine: "@LAB@/machine.sh" }
${MORE_TYPES:-}
YAML
  cat >"$dir/spillway.yaml" <<YAML
cluster: lab
budget: { limit: 20.00, period: day }
lease: ${LEASE:-60s}
directory: { source: file, passwd: ./passwd, group: ./group }
image: { name: tools, tree: ./image }
workload:
  manager: slurm
  slurm:
    conf: ./etc/slurm.conf
    controller: 10.$net.1.1:$((base + 1))
    mungeKey: ./etc/munge.key
    mungeSocket: /run/munge/munge.socket.2
${SHARED:+    shared: [$SHARED]}
    nodes:
      west: { large: $1${MORE_NODES:-} }
queues:
  west: { sites: [west], maxWalltime: ${WALLTIME:-10m}, default: true }
scaler: { tick: 500ms, settings: { idleTime: ${IDLE:-2m} } }
sites:
  west:
    driver: local
    maxNodes: $(($1 + 1))
    director: { type: small, idle: 10m }
${HOMES:+    nodes:}
${HOMES:+      home: $HOMES}
    options: { state: '$dir/clouds/west', config: '$dir/clouds/west.yaml', consistencySeconds: '1' }
YAML
}

# Slurm's own words: as the demo's.
slurm_conf() {
  # The head may be up before it has heard what the site offers.
  within "${PATIENCE:-240}" "$spillway" slurm config --config "$dir/spillway.yaml" --out "$dir/etc" || fail 'no configuration for Slurm'
  sed -e "s#@HOST@#$(hostname)#" -e "s#@HOME@#10.$net.1.1#" -e "s#@CONTROLLER_PORT@#$((base + 1))#" \
    -e "s#@NODE_PORT@#$((base + 2))#" -e "s#@HOME_NODES@#10.$net.1.[11-12]#" \
    -e "s#@HOME_PORTS@#$((base + 101))-$((base + 102))#" -e "s#@DIR@#$dir#" \
    "$here/../../head-node/proof/src/main/resources/org/spillway/proof/demo/slurm.conf" >"$dir/etc/slurm.conf"
  # Releases since 23.11 look for a cgroup that slurmd may write, unless they are told not to; 22.05 ends at that word.
  case $(slurmctld -V) in *' 22.'*) ;; *) echo CgroupPlugin=disabled >"$dir/etc/cgroup.conf" ;; esac
  [ -z "${MORE_CONF:-}" ] || printf '%s\n' "$MORE_CONF" >>"$dir/etc/slurm.conf"
}

site_up() {
  site_files "$1" "$2"
  # The machines of nodes keep these folders (machine.sh).
  [ -z "${SHARED:-}" ] || echo "$SHARED" >/run/lab/shared
  if [ -n "${NODES_TREE:-}" ]; then
    [ -e "$NODES_TREE/.complete" ] || fail "$NODES_TREE is no tree of releases/install.sh"
    realpath "$NODES_TREE" >/run/lab/tree
  fi
  REGIONS=west LAUNCHER=$spillway "$here/site.sh" "$dir" network || fail 'no network'
  (cd "$dir" && exec setsid "$spillway" serve --config spillway.yaml </dev/null >"$dir/head.log" 2>&1) &
  head=$!
  head_answers "${PATIENCE:-240}"
  slurm_conf
  export SLURM_CONF="$dir/etc/slurm.conf" SLURM_TIME_FORMAT=%s
  ${BEFORE_DAEMONS:-true}
  "$here/site.sh" "$dir" daemons || fail 'Slurm does not come up'
  within "${PATIENCE:-240}" sh -c 'sinfo -h -p west -o %a | grep -qx up' || fail "the head does not reach Slurm"
}

# The release of the slurmd of a node that is up, by Slurm's own word.
slurmd_of_nodes() { scontrol -o show node | sed -n 's/.*NodeName=west-.* Version=\([^ ]*\).*/\1/p' | sort -u | head -n 1; }

site_down() {
  ask stop --release --wait --timeout 2m | tail -n 1
  wait "$head"
  "$spillway" audit --config "$dir/spillway.yaml" --json >"$dir/audit.json" || { cat "$dir/audit.json" >&2; return 1; }
  left=$(grep -c '"id"' "$dir/audit.json")
  echo "on the bill: $left"
  [ "$left" -eq 0 ]
}
