#!/bin/bash
# install.sh: the packages of this lab on Debian 12, as root. Starts no service.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
# Their own scripts would start the kernel's NFS client and a server with a configuration of their own.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi
apt-get -q update
apt-get -q -y --no-install-recommends install nfs-ganesha nfs-ganesha-vfs qemu-system-x86 mmdebstrap cpio zstd
