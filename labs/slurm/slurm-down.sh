#!/bin/sh
# slurm-down.sh DIR: ends everything that slurm-up.sh and its nodes started in DIR, by pid, and takes its namespaces away.
# Logs and files stay. As root.
set -eu
dir=$(cd "${1:?usage: slurm-down.sh DIR}" && pwd)
[ -s "$dir/lab.env" ] || exit 0
. "$dir/lab.env"
here=$(cd "$(dirname "$0")" && pwd)
export PATH="$PATH:/usr/sbin:/sbin"

end() { # PIDFILE PROGRAM
  pid=$(cat "$1" 2>/dev/null) || return 0
  # A pid file outlives a crash: only a process of this directory is ours.
  if cat "/proc/$pid/cmdline" 2>/dev/null | tr '\0' ' ' | grep -q "$2.*$dir"; then
    kill "$pid" 2>/dev/null || true
    tries=0
    while kill -0 "$pid" 2>/dev/null; do
      tries=$((tries + 1))
      [ "$tries" -lt 100 ] || kill -KILL "$pid" 2>/dev/null || true
      sleep 0.05
    done
  fi
  rm -f "$1"
}

end "$dir/run/slurmrestd.pid" slurmrestd
end "$dir/run/slurmctld.pid" slurmctld
for file in "$dir"/run/slurmd-*.pid; do
  [ -e "$file" ] || continue
  node=${file##*/slurmd-}
  "$here/node.sh" "$dir" stop "${node%.pid}"
done
# A step that its slurmd left behind: its configuration names this directory.
for words in $(grep -lsF 'slurmstepd:' /proc/[0-9]*/cmdline || true); do
  process=${words%/cmdline}
  ! grep -qsz "^SLURM_CONF=$dir/" "$process/environ" || kill -KILL "${process#/proc/}" 2>/dev/null || true
done
for region in $regions; do
  "$here/wire.sh" "$dir" down "$region"
  "$here/region.sh" "$dir" down "$region"
done
end "$dir/run/munged.pid" munged
