#!/bin/sh
# slurm-up.sh DIR: a site with Slurm: munged, slurmctld, two nodes at home, slurmrestd, and regions whose nodes are
# powered up when somebody asks for it. Everything is in DIR, nothing in /etc; stop it with slurm-down.sh DIR. As root.
#
# Settings, as environment variables:
#   BASE_PORT     17000  slurmctld listens on it plus 1, nodes on it plus 2, nodes at home on it plus 101 and 102
#   NET           213    the second number of the addresses 10.NET.x.y of regions
#   REGIONS       west   or "west east", or empty for none
#   NODES         4      nodes of each region, 1 to 99
#   WIRE          routed or `tunnel`, `ports`: see wire.sh
#   ADDRESSES     addresses, or `names`, `loopback`: what NodeAddr says of a region's nodes (the latter two for WIRE=ports)
#   SUSPEND_TIME  31536000 seconds until Slurm suspends idle nodes by itself; -1 or INFINITE would refuse power_up too
#   BOOT_SECONDS  0      what it takes a node to boot
#   SLURMD_TIMEOUT 60    seconds of silence until a node is DOWN
#   RESUME        yes    `no`: ResumeProgram and SuspendProgram do nothing, somebody else starts nodes
#   CTLD_PARAMETERS, SCHEDULER_PARAMETERS, EXTRA_CONF, EXTRA_NODES   more of slurm.conf (the latter replaces the regions' nodes)
#   BURST_BUFFER_LUA     a file to serve as burst_buffer.lua
set -eu
export PATH="$PATH:/usr/sbin:/sbin"
mkdir -p "${1:?usage: slurm-up.sh DIR}"
dir=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
base=${BASE_PORT:-17000}
net=${NET:-213}
regions=${REGIONS-west}
nodes=${NODES:-4}
wire=${WIRE:-routed}
addresses=${ADDRESSES:-addresses}
suspend_time=${SUSPEND_TIME:-31536000}

for program in munged slurmctld slurmd slurmrestd sbatch nft nsenter jq; do
  command -v "$program" >/dev/null || { echo "slurm-up.sh: $program is missing: run labs/slurm/install.sh, or install slurmctld slurmd slurm-client slurmrestd slurm-wlm-basic-plugins munge openssh-server iproute2 nftables jq" >&2; exit 69; }
done
[ "$(id -u)" = 0 ] || { echo "slurm-up.sh: only root may make namespaces and start slurmd" >&2; exit 77; }

for sub in etc run log state spool jobs bin dev nodes; do mkdir -p "$dir/$sub"; done
chmod 755 "$dir" "$dir/etc" "$dir/run" "$dir/log" "$dir/bin" "$dir/spool" "$dir/dev"
chmod 1777 "$dir/jobs"
tag=s$(printf %s "$dir" | cksum | cut -c1-5)
cat >"$dir/lab.env" <<ENV
dir=$dir
tag=$tag
base=$base
net=$net
regions="$regions"
nodes=$nodes
wire=$wire
unit_west=$((net % 100 * 2))
unit_east=$((net % 100 * 2 + 1))
srun_first=$((base + 401))
srun_last=$((base + 440))
ENV
cat >"$dir/env.sh" <<ENV
export SLURM_CONF=$dir/etc/slurm.conf
ENV

alive() { # PIDFILE NAME
  pid=$(cat "$1" 2>/dev/null) && cat "/proc/$pid/cmdline" 2>/dev/null | tr '\0' ' ' | grep -q "$2.*$dir"
}

until_true() { # SECONDS COMMAND...
  limit=$(($(date +%s) + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$(date +%s)" -le "$limit" ] || { echo "slurm-up.sh: not in time: $*" >&2; return 1; }
    sleep 0.05
  done
}

munge() {
  [ -s "$dir/etc/munge.key" ] || (umask 077 && head -c 128 /dev/urandom >"$dir/etc/munge.key")
  alive "$dir/run/munged.pid" munged && return
  rm -f "$dir/run/munge.sock" "$dir/run/munge.sock.lock"
  munged --socket="$dir/run/munge.sock" --key-file="$dir/etc/munge.key" --log-file="$dir/log/munged.log" \
    --pid-file="$dir/run/munged.pid" --seed-file="$dir/state/munged.seed" --num-threads=4
}

addresses_of() { # REGION CABLE LAN: how each side finds the other
  host=$(hostname)
  case $wire in
  routed) controller=10.$net.$2.254 ;;
  tunnel) controller=10.$net.$(($3 + 1)).1 ;;
  ports) controller=10.$net.$3.254 ;;
  esac
  echo "$controller:$((base + 1))" >"$dir/etc/conf-server-$1"
  {
    echo "127.0.0.1 localhost"
    echo "$controller $host"
    i=1
    while [ "$i" -le "$nodes" ]; do
      echo "10.$net.$3.$i $1$i"
      i=$((i + 1))
    done
  } >"$dir/etc/hosts-$1"
  i=1
  while [ "$i" -le "$nodes" ]; do
    echo "127.$net.$3.$i $1$i"
    i=$((i + 1))
  done >>"$dir/etc/hosts-home"
}

node_lines() {
  for region in $regions; do
    case $region in west) lan=21 ;; *) lan=31 ;; esac
    case $addresses in
    addresses) place="NodeAddr=10.$net.$lan.[1-$nodes] " ;;
    loopback) place="NodeAddr=127.$net.$lan.[1-$nodes] " ;;
    names) place= ;;
    esac
    echo "NodeName=${region}[1-$nodes] ${place}Port=$((base + 2)) CPUs=4 RealMemory=8000 Gres=gpu:h100:2 Feature=cloud,$region State=CLOUD"
    echo "PartitionName=$region Nodes=${region}[1-$nodes] MaxTime=INFINITE State=UP"
  done
}

configuration() {
  # Nodes must find slurmctld by the same text: an address of the cable where there is one, otherwise a name that each side resolves.
  case $wire in
  routed) controller="($([ -n "$regions" ] && echo "10.$net.20.254" || echo 127.0.0.1))" ;;
  *) controller= ;;
  esac
  # Releases since 23.11 look for a cgroup that slurmd may write, unless they are told not to; 22.05 ends at that word.
  case $(slurmctld -V) in *' 22.'*) ;; *) echo CgroupPlugin=disabled >"$dir/etc/cgroup.conf" ;; esac
  cat >"$dir/etc/slurm.conf" <<CONF
ClusterName=lab
SlurmctldHost=$(hostname)$controller
SlurmctldPort=$((base + 1))
SlurmdPort=$((base + 2))
SrunPortRange=$((base + 401))-$((base + 440))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge.sock
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd-%n.log
SlurmctldDebug=${CTLD_DEBUG:-info}
SlurmdDebug=info
PlugStackConfig=$dir/etc/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SchedulerType=sched/backfill
SchedulerParameters=${SCHEDULER_PARAMETERS:-sched_interval=1,bf_interval=2,batch_sched_delay=0}
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=500
GresTypes=gpu
SlurmdParameters=config_overrides
ReturnToService=2
RebootProgram=/bin/true
SlurmctldTimeout=30
SlurmdTimeout=${SLURMD_TIMEOUT:-60}
MessageTimeout=10
TCPTimeout=2
KillWait=2
InactiveLimit=0
MinJobAge=300
SuspendProgram=$dir/bin/suspend
ResumeProgram=$dir/bin/resume
ResumeFailProgram=$dir/bin/resume-failed
SuspendTime=$suspend_time
SuspendTimeout=${SUSPEND_TIMEOUT:-5}
ResumeTimeout=${RESUME_TIMEOUT:-30}
ResumeRate=0
SuspendRate=0
SuspendExcNodes=onprem[1-2]
PrivateData=cloud
SlurmctldParameters=enable_configless,idle_on_node_suspend,power_save_interval=1,power_save_min_interval=0${CTLD_PARAMETERS-,cloud_dns}
TreeWidth=${TREE_WIDTH:-50}
MaxNodeCount=2048
NodeName=onprem[1-2] NodeAddr=127.$net.10.[1-2] Port=[$((base + 101))-$((base + 102))] CPUs=4 RealMemory=4000 Feature=onprem State=UNKNOWN
PartitionName=onprem Nodes=onprem[1-2] Default=YES MaxTime=INFINITE State=UP
${EXTRA_NODES-$(node_lines)}
${EXTRA_CONF-}
CONF
  # A GPU without a device file counts as none; a copy of /dev/null satisfies slurmd.
  for i in 0 1; do [ -e "$dir/dev/gpu$i" ] || mknod -m 666 "$dir/dev/gpu$i" c 1 3; done
  for region in $regions; do echo "NodeName=${region}[1-$nodes] Name=gpu Type=h100 File=$dir/dev/gpu[0-1]"; done >"$dir/etc/gres.conf"
  : >"$dir/etc/plugstack.conf"
  echo CgroupAutomount=no >"$dir/etc/cgroup.conf"
  if [ -n "${BURST_BUFFER_LUA-}" ]; then
    sed "s#@DIR@#$dir#g" "$BURST_BUFFER_LUA" >"$dir/etc/burst_buffer.lua"
    printf 'Directive=SPILLWAY\n%s\n' "${BURST_BUFFER_CONF-}" >"$dir/etc/burst_buffer.conf"
    echo BurstBufferType=burst_buffer/lua >>"$dir/etc/slurm.conf"
  fi
}

# Programs that Slurm itself calls. They answer at once; a boot takes its time behind their back.
programs() {
  for action in resume suspend; do
    cat >"$dir/bin/$action" <<PROGRAM
#!/bin/sh
export SLURM_CONF=$dir/etc/slurm.conf PATH=/usr/sbin:/usr/bin:/sbin:/bin
echo "\$(date +%s.%N) $action \$1" >>$dir/log/power.log
[ "${RESUME:-yes}" = yes ] || exit 0
nodes=\$(scontrol show hostnames "\$1")
if [ $action = resume ]; then
  (sleep ${BOOT_SECONDS:-0}; exec $here/node.sh $dir start \$nodes) </dev/null >>$dir/log/node.log 2>&1 &
else
  exec $here/node.sh $dir stop \$nodes </dev/null >>$dir/log/node.log 2>&1
fi
PROGRAM
  done
  printf '#!/bin/sh\necho "$(date +%%s.%%N) failed $1" >>%s/log/power.log\n' "$dir" >"$dir/bin/resume-failed"
  chmod 755 "$dir/bin/resume" "$dir/bin/suspend" "$dir/bin/resume-failed"
}

# Where nodes are known by name, this side knows other addresses than theirs.
home() {
  cat >"$dir/bin/home" <<PROGRAM
#!/bin/sh
# home COMMAND...: runs it where this site's names are known
export SLURM_CONF=$dir/etc/slurm.conf
$(if [ "$addresses" = names ]; then echo "exec unshare --mount --propagation private sh -c 'mount --bind $dir/etc/hosts-home /etc/hosts; exec \"\$@\"' home \"\$@\""; else echo 'exec "$@"'; fi)
PROGRAM
  chmod 755 "$dir/bin/home"
}

rest() {
  alive "$dir/run/slurmrestd.pid" slurmrestd && return
  # The command refuses root and SlurmUser.
  install -d -o nobody -g nogroup -m 755 "$dir/run/rest"
  rm -f "$dir/run/rest/socket"
  # Without slurmdbd it starts only with plugins that need none.
  case $(slurmrestd -V) in *' 22.'*) rest=openapi/v0.0.38 ;; *) rest=slurmctld ;; esac
  setsid setpriv --reuid nobody --regid nogroup --clear-groups env SLURM_CONF="$dir/etc/slurm.conf" \
    slurmrestd -f "$dir/etc/slurm.conf" -a rest_auth/local -s "$rest" "unix:$dir/run/rest/socket" \
    </dev/null >"$dir/log/slurmrestd.log" 2>&1 &
  echo $! >"$dir/run/slurmrestd.pid"
}

export SLURM_CONF="$dir/etc/slurm.conf"
{
  echo "127.0.0.1 localhost"
  echo "127.0.0.1 $(hostname)"
} >"$dir/etc/hosts-home"
case " $regions " in *" west "*) addresses_of west 20 21 ;; esac
case " $regions " in *" east "*) addresses_of east 30 31 ;; esac
munge
configuration
programs
home
for region in $regions; do
  "$here/region.sh" "$dir" up "$region"
  "$here/wire.sh" "$dir" up "$region"
done
alive "$dir/run/slurmctld.pid" slurmctld || "$dir/bin/home" slurmctld -f "$SLURM_CONF" -L "$dir/log/slurmctld.log"
until_true 60 sh -c 'scontrol ping | grep -q "is UP"'
"$here/node.sh" "$dir" start onprem1 onprem2
rest
until_true 60 sh -c '[ "$(sinfo -h -n onprem1,onprem2 -p onprem -t idle,alloc,mix -o %D)" = 2 ]'
until_true 60 test -S "$dir/run/rest/socket"
echo "export SLURM_CONF=$SLURM_CONF"
