#!/bin/bash
# with.sh TREE COMMAND...: runs it with the programs and libraries of a TREE of install.sh in the place of this machine's, in a
# mount namespace of its own. Paths, accounts, processes, networks and Java are this machine's.
set -euo pipefail
usage='usage: with.sh TREE COMMAND...'
tree=$(realpath "${1:?$usage}")
shift
[ "$#" -gt 0 ] || { echo "$usage" >&2; exit 64; }
[ -e "$tree/.complete" ] || { echo "with.sh: $tree is no tree of install.sh" >&2; exit 66; }
[ -L /bin ] && [ -L /lib ] || { echo 'with.sh: /bin and /lib of this machine must lie in /usr' >&2; exit 69; }
# shellcheck disable=SC2016
exec unshare --mount --propagation slave bash -c '
  set -e
  tree=$1
  shift
  mount --bind /usr/lib/jvm "$tree/usr/lib/jvm"
  mount --bind "$tree/etc/ld.so.cache" /etc/ld.so.cache
  mount --bind "$tree/etc/alternatives" /etc/alternatives
  mount --rbind "$tree/usr" /usr
  exec "$@"' with "$tree" "$@"
