#!/bin/sh
# within.sh DIR COMMAND...: runs it, as root, where sssd answers for the users of the ldap lab. Network, processes, mounts,
# /etc/nsswitch.conf, /etc/sssd, /var/lib/sss and /run are its own: nothing of the machine's is changed, and all ends with it.
# SSSD_ENUMERATE=true lets sssd list its users; without it, as is its default, it lists nobody and knows each by name.
# For COMMAND: ldap-url, ldap (an ldapadd or ldapmodify as the directory's administrator), enumerate true|false.
set -eu
[ "$#" -gt 1 ] || { echo 'usage: within.sh DIR COMMAND...' >&2; exit 64; }
[ "$(id -u)" = 0 ] || { echo 'within.sh: only root may make namespaces' >&2; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
[ -x /usr/sbin/sssd ] || { echo "within.sh: sssd is not installed: $here/install.sh" >&2; exit 69; }
mkdir -p "$1"
SSSD_LAB=$(cd "$1" && pwd) here=$here
export SSSD_LAB here
shift
# shellcheck disable=SC2016
exec unshare --mount --net --pid --ipc --fork --mount-proc --kill-child --propagation private sh -eu -c '
  ip link set lo up
  mount -t tmpfs -o mode=755 private /run
  mkdir -p "$SSSD_LAB/etc" "$SSSD_LAB/bin" "$SSSD_LAB/ldap"
  sed -e "/^passwd:/s/\$/ sss/" -e "/^group:/s/\$/ sss/" -e "/^initgroups:/d" /etc/nsswitch.conf >"$SSSD_LAB/nsswitch.conf"
  mount --bind "$SSSD_LAB/nsswitch.conf" /etc/nsswitch.conf
  mount -t tmpfs -o mode=700 private /etc/sssd
  mount -t tmpfs -o mode=755 private /var/lib/sss
  mkdir -p /var/lib/sss/db /var/lib/sss/mc /var/lib/sss/pipes/private /var/lib/sss/pubconf /var/lib/sss/secrets /run/nscd
  mount -t tmpfs -o mode=755 private /var/log/sssd
  url=$("$here/../ldap/ldap-up.sh" "$SSSD_LAB/ldap" 13890)
  printf "%s" "$url" >"$SSSD_LAB/url"
  install -m 755 "$here/tool.sh" "$SSSD_LAB/bin/lab"
  PATH=$SSSD_LAB/bin:$PATH
  export PATH
  lab ldapadd <"$here/people.ldif" >/dev/null
  lab enumerate "${SSSD_ENUMERATE:-false}"
  "$@" &
  child=$!
  trap "kill $child 2>/dev/null" TERM INT HUP
  until wait "$child"; status=$?; ! kill -0 "$child" 2>/dev/null; do :; done
  exit "$status"' within "$@"
