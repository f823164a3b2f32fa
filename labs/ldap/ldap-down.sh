#!/bin/sh
# ldap-down.sh DIR: stops the slapd that ldap-up.sh started in DIR, and waits for its end. Its data stays.
set -eu
dir=${1:?usage: ldap-down.sh DIR}
[ -s "$dir/slapd.pid" ] || exit 0
pid=$(cat "$dir/slapd.pid")
# A pid file outlives a crash: only a slapd that serves this directory is ours.
tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q "slapd .*$dir" || exit 0
kill "$pid"
tries=0
while kill -0 "$pid" 2>/dev/null; do
  tries=$((tries + 1))
  [ "$tries" -lt 200 ] || { echo "ldap-down.sh: slapd $pid does not end" >&2; exit 1; }
  sleep 0.05
done
