#!/bin/sh
# site.sh DIR network|accounts|daemons|cut REGION|heal REGION|slurmctld|forgotten: the site of `spillway demo --workload slurm`, inside private.sh.
#   network    home's addresses, accounts, the users' homes, and the regions `west` and `east`, each a namespace with a
#              local-cloud in it and only the wire WIRE open. Prints nothing when all is well
#   accounts   of these the accounts and homes only
#   daemons    munged, slurmctld with the files in DIR/etc, and the slurmds of the nodes at home
#   slurmctld  starts it (again)
#   forgotten  what an administrator does for the nodes at home after a slurmctld was killed: jobs that it takes for running
#              there, and that are over, run again
#   cut, heal  the cable of a region, without telling anybody
# Stand-ins: this namespace is the site's network with its head node; /home its home file system; a region's
# namespace is its director's machine, which is the only one of the region that the cable reaches; a local-cloud is the
# provider, reached over the cable because providers are; an instance of a type with machine.sh is a machine behind the director.
# Settings, as environment variables:
#   BASE_PORT  26000  slurmctld listens on it plus 1, slurmds on it plus 2
#   NET        222    the second number of the addresses 10.NET.x.y
#   WIRE       tunnel or `routed`: see wire.sh
#   REGIONS    west east
#   LAUNCHER   the spillway command, for `network`
#   NAMES      the names that regions have for the head, by default theirs
set -eu
dir=$(cd "${1:?usage: site.sh DIR ACTION}" && pwd)
action=${2:?network, accounts, daemons, slurmctld, forgotten, cut or heal}
here=$(cd "$(dirname "$0")" && pwd)
export PATH="$PATH:/usr/sbin:/sbin"

until_true() { # SECONDS COMMAND...
  limit=$(($(date +%s) + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$(date +%s)" -le "$limit" ] || { echo "site.sh: not in time: $*" >&2; return 1; }
    sleep 0.05
  done
}

# The images of machines have no users of this site; whoever is to be known there comes from the director.
accounts() {
  cp /etc/passwd /etc/group /run/lab/stock/
  mkdir -p "$dir/etc" "$dir/home"
  for name in passwd group; do
    cat "/run/lab/stock/$name" "$dir/$name" >"$dir/etc/$name"
    chmod 644 "$dir/etc/$name"
    mount --bind "$dir/etc/$name" "/etc/$name"
  done
  mount --bind "$dir/home" /home
  while IFS=: read -r user _ uid gid _ home _; do
    case $home in /home/*) install -d -o "$uid" -g "$gid" -m 755 "$home" ;; esac
  done <"$dir/passwd"
}

network() {
  base=${BASE_PORT:-26000}
  net=${NET:-222}
  tag=s
  cat >"$dir/lab.env" <<ENV
dir=$dir
tag=$tag
base=$base
net=$net
regions="${REGIONS:-west east}"
nodes=0
wire=${WIRE:-tunnel}
unit_west=0
unit_east=1
home=10.$net.1.1
api=$((base + 3))
ENV
  . "$dir/lab.env"
  mkdir -p "$dir/bin" "$dir/log" "$dir/run" "$dir/clouds"
  ip link set lo up
  for last in 1 11 12; do ip addr add "10.$net.1.$last/32" dev lo; done
  accounts
  (umask 077 && head -c 128 /dev/urandom >"$dir/etc/munge.key")
  for region in $regions; do
    "$here/region.sh" "$dir" up "$region"
    "$here/wire.sh" "$dir" up "$region"
    cloud "$region"
  done
  for region in $regions; do until_true "${PATIENCE:-240}" test -s "$dir/clouds/$region/endpoint"; done
}

cloud() {
  case $1 in west) cable=20 ;; *) cable=30 ;; esac
  lan=$((cable + 1))
  mkdir -p "$dir/clouds/$1"
  sed -e "s#@NETWORK@#10.$net.$lan#" -e "s#@LISTEN@#10.$net.$cable.1#" -e "s#@LAB@#$here#" "$dir/clouds/$1.yaml" >"$dir/clouds/$1.yaml.new"
  mv "$dir/clouds/$1.yaml.new" "$dir/clouds/$1.yaml"
  SPILLWAY_NO_BUILD=1 setsid nsenter --net="/run/netns/$tag-$1" "$LAUNCHER" local-cloud --state "$dir/clouds/$1" \
    --config "$dir/clouds/$1.yaml" --port "$api" </dev/null >"$dir/clouds/$1.log" 2>&1 &
}

munge() {
  install -d -o munge -g munge -m 755 /run/munge
  munged --key-file="$dir/etc/munge.key" --socket=/run/munge/munge.socket.2 --pid-file=/run/munge/munged.pid \
    --log-file="$dir/log/munged.log" --seed-file=/run/munge/seed --num-threads=4 --force
}

controller() {
  setsid setpriv --reuid slurm --regid slurm --init-groups /usr/sbin/slurmctld -f "$dir/etc/slurm.conf" </dev/null >>"$dir/log/slurmctld.out" 2>&1
}

daemons() {
  export SLURM_CONF="$dir/etc/slurm.conf"
  mkdir -p "$dir/log"
  install -d -o slurm -g slurm -m 755 "$dir/slurm" "$dir/log/slurm"
  mount -t tmpfs -o mode=755 site /var/spool
  munge
  controller
  until_true "${PATIENCE:-25}" sh -c 'scontrol ping | grep -q "is UP"'
  for node in $(sinfo -h -p home -N -o %N); do
    slurmd -f "$SLURM_CONF" -N "$node"
  done
  until_true "${PATIENCE:-25}" sh -c '[ -z "$(sinfo -h -p home -N -o %t | grep -v idle)" ]'
}

# slurmctld would find it out when it asks the nodes the next time, or at the job's time limit.
forgotten() {
  export SLURM_CONF="$dir/etc/slurm.conf"
  until_true "${PATIENCE:-25}" sh -c 'scontrol ping | grep -q "is UP"'
  for job in $(squeue -h -p home -t R -o %A); do
    pgrep -f "^slurmstepd: \\[$job\\." >/dev/null || { scontrol requeue "$job" && scontrol update "jobid=$job" starttime=now+2; }
  done
}

cut_cable() { "$here/region.sh" "$dir" cut "$1"; }
heal() { "$here/region.sh" "$dir" heal "$1"; }

case $action in
network | accounts | daemons) "$action" ;;
slurmctld) controller ;;
forgotten) forgotten ;;
cut) cut_cable "${3:?a region}" ;;
heal) heal "${3:?a region}" ;;
*) echo "site.sh: no $action" >&2; exit 64 ;;
esac
