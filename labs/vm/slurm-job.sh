#!/bin/bash
# slurm-job.sh [IMAGE_DIR]: an ordinary user's sbatch to a real Slurm at home, run by slurmd in a real virtual machine that
# the head has bought for it. As root, on a built clone, with what install.sh here, in ../slurm and in ../openstack install;
# README.md says what it proves. Exit code 0 only if all of it was seen. All of it, also the bridge, is in namespaces of its
# own (../slurm/private.sh): nothing is seen outside, and nothing stays.
# IMAGE_DIR is one of `build-image.sh --with slurm`; without, it is made. KEEP=yes leaves the folder.
set -uo pipefail
me=$(realpath "$0")
. "$(dirname "$me")/../slurm/head.sh"
slurm_lab=$here
. "$(dirname "$me")/lab.sh"
SECONDS=${SPILLWAY_LAB_SECONDS:-0}
controller=10.77.0.1
slot=west-m1-tiny-1
folder=/home/alice/real

make_image() {
  export VM_IMAGE=${VM_IMAGE:-$dir/image}
  "$vm_lab/build-image.sh" "$VM_IMAGE" --with slurm || return
  say 'a stock Linux: Debian 12, systemd, OpenSSH, cloud-init, slurmd and munge; no Java, nothing of Spillway'
  export SPILLWAY_LAB_SECONDS=$SECONDS
}

# Home and the machines are routed (`routed` of ADR 12); of home they reach what docs/slurm.md opens and nothing else.
wire() {
  nft -f - <<'NFT'
table inet wire {
  chain in {
    type filter hook input priority 0; policy accept;
    iifname "spvm0" ct state established,related accept
    iifname "spvm0" tcp dport { 6817, 60001-60999 } accept
    iifname "spvm0" counter drop
  }
  chain out {
    type filter hook output priority 0; policy accept;
    oifname "spvm0" ct state established,related accept
    oifname "spvm0" tcp dport { 22, 6818 } accept
    oifname "spvm0" counter drop
  }
}
NFT
}

write_configuration() {
  mkdir -p "$dir/etc"
  # Text, to be found where it must not be.
  (umask 077 && head -c 48 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$dir/etc/munge.key")
  {
    cat <<YAML
cluster: machines
budget: { limit: 5.00, period: day }
directory: { source: file, passwd: passwd, group: group }
image: { tree: image-tree }
workload:
  manager: slurm
  slurm:
    conf: ./etc/slurm.conf
    controller: $controller:6817
    mungeKey: ./etc/munge.key
    nodes:
      west: { m1.tiny: 1 }
queues: { west: { sites: [west], maxWalltime: 10m, default: true } }
scaler: { settings: { idleTime: 1m } }
YAML
    site_west
  } >"$dir/spillway.yaml"
}

# As the administrator of this home wrote it: no machine at home runs jobs, and what slurmd finds in a machine counts.
slurm_files() {
  within 120 spillway slurm config --config "$dir/spillway.yaml" --out "$dir/etc" || fail 'no configuration for Slurm'
  cat >"$dir/etc/slurm.conf" <<CONF
ClusterName=home
SlurmctldHost=$(hostname)($controller)
SlurmctldPort=6817
SlurmdPort=6818
SlurmUser=slurm
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
StateSaveLocation=$dir/slurm
SlurmctldPidFile=$dir/slurm/slurmctld.pid
SlurmctldLogFile=$dir/log/slurm/slurmctld.log
SlurmdSpoolDir=/var/spool/slurmd
SlurmdPidFile=/run/slurmd.pid
SlurmdLogFile=/var/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=200
SchedulerParameters=sched_interval=1,bf_interval=2,batch_sched_delay=0
MinJobAge=3600
MessageTimeout=60
BatchStartTimeout=60
SrunPortRange=60001-60999
Include spillway.conf
CONF
}

slurm_up() {
  export SLURM_CONF=$dir/etc/slurm.conf SLURM_TIME_FORMAT=%s
  "$slurm_lab/site.sh" "$dir" daemons || fail 'Slurm does not come up'
  within 60 spillway slurm check --config "$dir/spillway.yaml" \
    || { spillway slurm check --config "$dir/spillway.yaml"; fail 'slurm check finds something'; }
}

script() {
  install -d -o alice -g alice "$folder"
  printf 'hello from home\n' >"$folder/in.txt"
  cat >"$folder/job.sh" <<'JOB'
#!/bin/sh
#SBATCH --partition=west --time=5 --job-name=real --output=log.txt
#SPILLWAY in=in.txt out!=out.txt out!=machine.txt
{
  tr a-z A-Z <in.txt
  id
  echo "step: $(srun sh -c 'echo $(id -un) $SLURM_PROCID of $SLURM_NPROCS on $SLURMD_NODENAME')"
  curl -s --noproxy '*' --max-time 2 http://169.254.169.254/ && echo 'metadata is open'
  test -r /var/lib/cloud/instance/user-data.txt && echo 'user data is open'
  find /etc/munge /var/lib/spillway-node /run/munge -name '*.key' -readable 2>/dev/null
  grep -s alice /etc/passwd | cut -d : -f 1,3,6
} >out.txt
{ uname -r && systemd-detect-virt && hostname; } >machine.txt
sleep 5
JOB
  chown -R alice:alice /home/alice
}

# Until Slurm has let go of the job, each state with the head's sentence about it.
followed() { # SECONDS
  local limit=$((SECONDS + $1)) told= state
  while [ "$SECONDS" -lt "$limit" ]; do
    kill -0 "$head" 2>/dev/null || fail 'the head ended'
    if state=$(squeue -h -j "$job" -O State:.20,Reason:.30,admin_comment:.120 2>/dev/null | tr -s ' '); then
      [ -n "$state" ] || return 0
      # Figures in a sentence change all the time.
      [ "${state//[0-9]/}" = "${told//[0-9]/}" ] || { told=$state && say "job $job:$state"; }
    fi
    sleep 1
  done
  return 1
}

# RAW FILE: when it was made, in nanoseconds, and its mode and owner, as the disk has it; nothing if it is not there.
on_disk() {
  /usr/sbin/debugfs -R "stat $2" "$1" 2>/dev/null | awk '
    / Mode: / { mode = $6 } /^User:/ { owner = $2 }
    /^ *crtime:/ { split($2, part, ":"); print part[1], part[2], mode, owner }' | {
    read -r seconds fraction mode owner || exit 0
    echo "$((seconds * 1000000000 + (0x$fraction >> 2))) $mode $owner"
  }
}

# The node's own disk tells in which order things came to it; the director's has no key.
key_came_last() {
  local machine raw=$dir/disk.raw key certificate image found=0 node=/var/lib/spillway-node/spillway
  for machine in "$VM_RUN"/vm-*/; do
    qemu-img convert -U -O raw "$machine/disk.qcow2" "$raw" || fail "no copy of the disk of $machine"
    /usr/sbin/e2fsck -fy "$raw" >"$dir/fsck.log" 2>&1
    read -r certificate _ < <(on_disk "$raw" "$node/node.pem")
    read -r key mode owner < <(on_disk "$raw" "$node/manager/munge.key")
    if [ -z "${certificate:-}" ]; then
      ! grep -aqFf "$dir/etc/munge.key" "$raw" || fail "the munge key lies on the director's disk"
    else
      read -r image _ < <(on_disk "$raw" "$node/image")
      [ -n "${key:-}" ] || fail "the node has no munge key on its disk"
      [ "$mode $owner" = '0400 0' ] || fail "the munge key has mode $mode and is of $owner"
      [ "$key" -gt "$certificate" ] && [ "$key" -gt "$image" ] || fail "the munge key came before the gate: $key $certificate $image"
      found=$((found + 1))
      say "the munge key came to the node last: $(((key - certificate) / 1000000)) ms after its certificate, $(((key - image) / 1000000)) ms after its software"
    fi
    rm -f "$raw"
    unset certificate key image
  done
  [ "$found" -eq 1 ] || fail "$found nodes have a disk"
  ! grep -aqFf "$dir/etc/munge.key" "$VM_RUN"/vm-*/seed.iso "$VM_RUN"/vm-*/console.log "$dir/head.log" || fail 'the munge key lies in user data or a log'
}

as_expected() {
  cat >"$dir/expected" <<OUT
HELLO FROM HOME
uid=$uid(alice) gid=$uid(alice) groups=$uid(alice),64300(physics)
step: alice 0 of 1 on $slot
alice:$uid:/home/alice
OUT
  diff "$dir/expected" "$folder/out.txt" || fail 'the result is another'
  [ "$(stat -c %U "$folder/out.txt")" = alice ] || fail "the result is not alice's"
  {
    read -r kernel
    read -r virtual
    read -r machine
  } <"$folder/machine.txt"
  [ "$kernel" != "$(uname -r)" ] && [ "$virtual" = qemu ] && [ "$machine" != "$(hostname)" ] || fail 'the job ran on this machine'
  scontrol -o show job "$job" | grep -q 'JobState=COMPLETED Reason=None ' || fail "$(scontrol -o show job "$job")"
  say "it ran on Linux $kernel in $machine ($virtual), slot $slot of Slurm, as alice with the names of the directory; its results are at home"
}

powered_down() { scontrol -o show node "$slot" | grep -q ' State=[^ ]*POWERED_DOWN'; }
node_gone() { [ "$(machines_left)" -le 1 ] && powered_down; }

# Read as a whole before it begins.
main() {
  ip link set lo up
  image_and_names
  "$slurm_lab/site.sh" "$dir" accounts || fail 'no accounts'
  region_up
  wire || fail 'no filter'
  write_configuration
  head_up
  slurm_files
  slurm_up
  say 'Slurm is up at home, with no node but those that may be bought'
  script
  job=$(cd "$folder" && as alice sbatch --parsable job.sh) || fail 'sbatch refused it'
  say "job $job submitted by alice with sbatch"
  followed 1200 || fail "job $job does not end"
  grep -E 'has no Java|has a Java|host key of|-> READY' "$dir/head.log" | sed 's/^/        /'
  as_expected
  key_came_last
  within 420 node_gone || fail "the node stays: $(sinfo -h -n "$slot" -o '%t %E'), $(machines_left) machines"
  say "nobody needed it any more: Slurm has $slot powered down, its machine is gone"
  nft list table inet wire | sed -n 's/.*iifname "spvm0" counter packets \([0-9]*\).*/        \1 packets from machines to home were dropped/p'
  all_released
}

if [ -z "$dir" ]; then
  [ -z "${1:-}" ] || export VM_IMAGE=$1
  BEFORE_INSIDE=make_image outside "$me"
  exit
fi
lab_in "$dir"
trap lab_down EXIT
main
