#!/bin/sh
# node.sh DIR start|stop|kill NODE...: the slurmd of a node, in the namespace of its machine if it is one of a region. As root.
# NODE@MACHINE is the node of that name on another node's machine: `gpu-2@west1`.
# A node of a region has no configuration of its own: it asks slurmctld for it (configless), and has an /etc/hosts and
# a /run of its own.
set -eu
dir=${1:?usage: node.sh DIR start|stop|kill NODE...}
action=${2:?start, stop or kill}
shift 2
. "$dir/lab.env"
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
# slurmctld starts its programs with SIGTERM blocked, and a slurmd that inherits that never ends.
unblocked='use POSIX; sigprocmask(SIG_SETMASK, POSIX::SigSet->new()); exec @ARGV or die "exec: $!"'

running() { # NODE: prints the pid of its slurmd
  pid=$(cat "$dir/run/slurmd-$1.pid" 2>/dev/null) && cat "/proc/$pid/cmdline" 2>/dev/null | tr '\0' ' ' | grep -q -- "slurmd .*-N $1 " && echo "$pid"
}

start() { # NODE MACHINE
  ! running "$1" >/dev/null || return 0
  mkdir -p "$dir/spool/$1" "$dir/nodes/$1/run"
  echo "$(date +%s.%N) start $1" >>"$dir/log/power.log"
  space=/run/netns/$tag-$2
  if [ ! -e "$space" ]; then
    perl -e "$unblocked" slurmd -b -f "$dir/etc/slurm.conf" -L "$dir/log/slurmd-$1.log" -N "$1"
    return
  fi
  region=${2%%[0-9]*}
  # The first question for the configuration is asked before it can say where munged is.
  mkdir -p "$dir/nodes/$1/run/munge"
  ln -sf "$dir/run/munge.sock" "$dir/nodes/$1/run/munge/munge.socket.2"
  # shellcheck disable=SC2016
  nsenter --net="$space" unshare --mount --propagation private sh -c '
    mount --bind "$1" /etc/hosts
    mount --bind "$2" /run
    shift 2
    exec "$@"' node "$dir/etc/hosts-$region" "$dir/nodes/$1/run" \
    perl -e "$unblocked" slurmd -b --conf-server "$(cat "$dir/etc/conf-server-$region")" -L "$dir/log/slurmd-$1.log" -N "$1"
}

stop() { # NODE MACHINE SIGNAL
  pid=$(running "$1") || return 0
  echo "$(date +%s.%N) stop $1" >>"$dir/log/power.log"
  kill "-$3" "$pid" 2>/dev/null || true
  tries=0
  while kill -0 "$pid" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -lt 40 ] || kill -KILL "$pid" 2>/dev/null || true
    sleep 0.05
  done
  # Processes on the machine end with it.
  if [ -e "/run/netns/$tag-$2" ]; then
    for process in $(ip netns pids "$tag-$2"); do kill -KILL "$process" 2>/dev/null || true; done
  fi
  rm -f "$dir/run/slurmd-$1.pid"
}

for node in "$@"; do
  case $action in
  start) start "${node%@*}" "${node#*@}" & ;;
  stop) stop "${node%@*}" "${node#*@}" TERM & ;;
  kill) stop "${node%@*}" "${node#*@}" KILL & ;;
  *) echo "node.sh: no $action" >&2; exit 64 ;;
  esac
done
wait
