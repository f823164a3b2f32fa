#!/bin/sh
# private.sh COMMAND...: runs it with a network, processes, mounts and a /run of its own, as root. Nothing that it makes
# there is seen from outside: namespaces, devices and mounts go, and every process ends, when the command does or is killed.
set -eu
[ "$#" -gt 0 ] || { echo 'usage: private.sh COMMAND...' >&2; exit 64; }
[ "$(id -u)" = 0 ] || { echo 'private.sh: only root may make namespaces' >&2; exit 77; }
# The first process cleans up after daemons, whose parents have gone; Java does not.
# shellcheck disable=SC2016
exec unshare --mount --net --pid --ipc --fork --mount-proc --kill-child --propagation private sh -c '
  mount -t tmpfs -o mode=755 private /run
  mkdir -p /run/netns /run/lab/stock /run/sshd /run/lock
  "$@" &
  child=$!
  trap "kill $child 2>/dev/null" TERM INT HUP
  until wait "$child"; status=$?; ! kill -0 "$child" 2>/dev/null; do :; done
  exit "$status"' private "$@"
