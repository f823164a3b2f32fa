#!/bin/sh
# install.sh: the Debian packages of this lab, as root. No service is started by them, and the machine's name service
# goes on without sss: only inside the lab it is asked.
set -eu
rule=/usr/sbin/policy-rc.d
ours=
if [ ! -e "$rule" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$rule"
  chmod 755 "$rule"
  ours=yes
fi
before=$(mktemp)
cp -p /etc/nsswitch.conf "$before"
trap 'cat "$before" >/etc/nsswitch.conf; rm -f "$before"; [ -z "$ours" ] || rm -f "$rule"' EXIT
export DEBIAN_FRONTEND=noninteractive
apt-get -q -o DPkg::Lock::Timeout=600 -y --no-install-recommends install \
  sssd-ldap sssd-common libnss-sss slapd ldap-utils util-linux iproute2 procps
