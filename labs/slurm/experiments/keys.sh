#!/bin/bash
# keys.sh DIR: what root of a rented node can do with what Slurm gives it there. Slurm alone: slurmctld and one node; `rented` is a second
# folder with a slurm.conf, in which only lies what a node has. As root; DIR must not exist. For 24.11 and later:
# `releases/with.sh TREE experiments/keys.sh DIR`; with 22.05 the part `munge` alone is tried.
#   munge   nodes have the munge key                slurm   auth/slurm: nodes have slurm.key
#   jwt     nodes have a token of one user          none    a key of its own, as in a Slurm of its own
# For each: whether slurmd serves with it, and what root there is allowed: another user's job (submitted as that user, cancelled), a node
# (drained), by Slurm's own answers.
set -u
dir=${1:?usage: keys.sh DIR}
here=$(cd "$(dirname "$0")" && pwd)
[ -n "${PRIVATE:-}" ] || { [ ! -e "$dir" ] || { echo "keys.sh: $dir exists" >&2; exit 64; }; PRIVATE=yes exec "$here/../private.sh" "$0" "$dir"; }
ip link set lo up
ip addr add 10.213.1.1/32 dev lo
mkdir -p "$dir"
chmod 755 "$dir"
dir=$(cd "$dir" && pwd)
base=17000
pids=()
trap 'kill "${pids[@]}" 2>/dev/null' EXIT

# Two users of the site, which is all that the names of accounts are for here.
alice=games
within() { # SECONDS COMMAND...
  local limit=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do [ "$SECONDS" -le "$limit" ] || return 1; sleep 0.1; done
}
say() { echo "$part: $*"; }
# The words of a command that was refused, or that it was done.
answer() { local said; if said=$("$@" 2>&1); then echo "done${said:+ ($said)}"; else echo "refused ($(tail -n 1 <<<"$said" | cut -c 1-120))"; fi; }
as() { setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"; }

conf() { # FOLDER PLUGIN MORE
  mkdir -p "$dir/$part/$1"/{etc,state,spool,log,run}
  chmod 755 "$dir/$part" "$dir/$part/$1" "$dir/$part/$1/etc" "$dir/$part/$1/run"
  case $(slurmctld -V) in *' 22.'*) ;; *) echo CgroupPlugin=disabled >"$dir/$part/$1/etc/cgroup.conf" ;; esac
  cat >"$dir/$part/$1/etc/slurm.conf" <<CONF
ClusterName=lab
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$((base + 1))
SlurmUser=root
AuthType=auth/$2
CredType=$(if [ "$2" = slurm ]; then echo auth/slurm; else echo cred/munge; fi)
StateSaveLocation=$dir/$part/site/state
SlurmdSpoolDir=$dir/$part/$1/spool
SlurmctldPidFile=$dir/$part/$1/run/slurmctld.pid
SlurmdPidFile=$dir/$part/$1/run/slurmd.pid
SlurmctldLogFile=$dir/$part/$1/log/slurmctld.log
SlurmdLogFile=$dir/$part/$1/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
ReturnToService=2
NodeName=n1 NodeAddr=127.0.0.1 Port=$((base + 2)) CPUs=4 RealMemory=4000
PartitionName=p Nodes=ALL Default=YES State=UP
$3
CONF
}
key() { (umask 077 && head -c 1024 /dev/urandom >"$1"); }
munge() { # KEY SOCKET
  install -d -o root -m 755 "$(dirname "$2")"
  munged --key-file="$1" --socket="$2" --pid-file="$2.pid" --log-file="$2.log" --seed-file="$2.seed" --num-threads=2 --force
  pids+=("$(cat "$2.pid")")
}
rented() { SLURM_CONF=$dir/$part/rented/etc/slurm.conf "$@"; }
home() { SLURM_CONF=$dir/$part/site/etc/slurm.conf "$@"; }
# The site's own Slurm, and a job of alice that waits.
site() {
  home slurmctld -f "$dir/$part/site/etc/slurm.conf" || { say "slurmctld does not start"; return 1; }
  within 30 home scontrol ping && sleep 2
  # Programs at home, such as this one, have the site's key.
  job=$(cd /tmp && as $alice env SLURM_CONF="$dir/$part/site/etc/slurm.conf" sbatch --parsable -H -o /dev/null --wrap true 2>&1)
}
serves() {
  rented slurmd -f "$dir/$part/rented/etc/slurm.conf" -N n1 2>"$dir/$part/slurmd.err"
  if within 12 sh -c "SLURM_CONF=$dir/$part/site/etc/slurm.conf sinfo -h -N -o %t | grep -qx idle"; then say 'slurmd serves with it'; else say "slurmd does not serve: $(grep -hoE '(error|fatal): .*' "$dir/$part/slurmd.err" "$dir/$part/rented/log/slurmd.log" 2>/dev/null | head -n 1 | cut -c 1-140)"; fi
}
# A command on the node: auth/slurm asks the daemon of its machine for a credential, and slurmctld's socket is on another one.
node() {
  # shellcheck disable=SC2016
  [ -d /run/slurmctld ] && set -- unshare --mount --propagation private sh -c 'mount -t tmpfs node /run/slurmctld && exec "$@"' node "$@"
  "$@"
}
tries() { # ENVIRONMENT...
  say "a job as alice: $(cd /tmp && answer node setpriv --reuid $alice --regid $alice --clear-groups env SLURM_CONF="$dir/$part/rented/etc/slurm.conf" "$@" sbatch -H -o /dev/null --wrap true)"
  say "alice's job $job cancelled by root of the node: $(answer node env SLURM_CONF="$dir/$part/rented/etc/slurm.conf" "$@" scancel "$job")"
  say "whose jobs: $(home squeue -h -o '%i %u' | tr '\n' ';')"
  say "a node of the site drained by it: $(answer node env SLURM_CONF="$dir/$part/rented/etc/slurm.conf" "$@" scontrol update nodename=n1 state=drain reason=x)"
}
end() {
  for each in site rented; do for daemon in slurmd slurmctld; do kill "$(cat "$dir/$part/$each/run/$daemon.pid" 2>/dev/null)" 2>/dev/null; done; done
  [ "${#pids[@]}" -eq 0 ] || kill "${pids[@]}" 2>/dev/null
  pids=()
  sleep 3
}

slurmctld -V
part=munge
conf site munge "AuthInfo=socket=$dir/$part/site/run/munge"
conf rented munge "AuthInfo=socket=$dir/$part/rented/run/munge"
key "$dir/$part/key"
munge "$dir/$part/key" "$dir/$part/site/run/munge"
munge "$dir/$part/key" "$dir/$part/rented/run/munge"
site && serves && tries
end

part=none
conf site munge "AuthInfo=socket=$dir/$part/site/run/munge"
conf rented munge "AuthInfo=socket=$dir/$part/rented/run/munge"
key "$dir/$part/key"
key "$dir/$part/other"
munge "$dir/$part/key" "$dir/$part/site/run/munge"
munge "$dir/$part/other" "$dir/$part/rented/run/munge"
site && serves && tries
end
case $(slurmctld -V) in *' 22.'*) exit ;; esac

part=slurm
conf site slurm ''
conf rented slurm ''
key "$dir/$part/site/etc/slurm.key"
cp -p "$dir/$part/site/etc/slurm.key" "$dir/$part/rented/etc/slurm.key"
# Commands ask a daemon on their machine for a credential: slurmctld's, or slurmd's, or sackd's.
site && serves && tries
end

part=jwt
for each in site rented; do
  conf $each munge "AuthInfo=socket=$dir/$part/$each/run/munge
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=$dir/$part/site/state/jwt.key"
done
key "$dir/$part/key"
(umask 077 && head -c 32 /dev/urandom >"$dir/$part/site/state/jwt.key")
munge "$dir/$part/key" "$dir/$part/site/run/munge"
if site; then
  token=$(home scontrol token username=daemon lifespan=600 | sed 's/^SLURM_JWT=//')
  # The token is daemon's. On the node there is neither a munge key nor that of the tokens.
  sed -i '/^AuthAltParameters/d; /^AuthInfo/d' "$dir/$part/rented/etc/slurm.conf"
  serves
  tries SLURM_JWT="$token"
fi
end
