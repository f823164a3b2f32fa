#!/bin/bash
# install.sh: the packages of this lab on Debian 12, as root. Starts no service.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q -y --no-install-recommends install qemu-system-x86 qemu-utils mmdebstrap e2fsprogs xorriso lz4 cpio \
  python3 iproute2
