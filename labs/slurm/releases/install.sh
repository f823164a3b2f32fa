#!/bin/bash
# install.sh trixie|sid TREE: Slurm of another Debian (24.11, 26.05), from its own packages, in a folder TREE that holds a
# whole /usr. As root. Of this machine nothing changes but mmdebstrap, which is installed where it is missing. A TREE that is
# complete stays as it is. Prints the release.
set -euo pipefail
usage='usage: install.sh trixie|sid TREE'
suite=${1:?$usage}
tree=$(realpath -m "${2:?$usage}")
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# The programs that the lab's scripts call, besides Slurm itself.
packages=slurmctld,slurmd,slurm-client,slurmrestd,slurm-wlm-basic-plugins,munge,systemd-standalone-sysusers
packages+=,iproute2,nftables,openssh-server,openssh-client,procps,curl,openssl,ca-certificates,jq,inotify-tools,perl-base,gawk

case $suite in trixie | sid) ;; *) echo "$usage" >&2 && exit 64 ;; esac
[ "$(id -u)" = 0 ] || { echo 'install.sh: only root may make a tree' >&2; exit 77; }
release() { dpkg-query --admindir="$tree/var/lib/dpkg" -W -f '${Version}\n' slurmctld; }

if [ -e "$tree/.complete" ]; then
  echo "$suite: $(release), already there"
  exit
fi
[ ! -e "$tree" ] || rmdir "$tree" || { echo "install.sh: $tree is there, and was not made by this" >&2; exit 73; }
# The archive that this machine's own packages come from, without that of security updates.
mirror=$(sed -n -e 's/^URIs: *\([^ ]*\).*/\1/p' -e 's/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' \
  /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null | grep -E '/debian/?$' | head -n 1)
[ -n "$mirror" ] || { echo 'install.sh: no archive of Debian in the sources of apt' >&2; exit 69; }
command -v mmdebstrap >/dev/null \
  || DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 -y --no-install-recommends install mmdebstrap >/dev/null

# A mirror that stands still has a sid that is past its date. Its signature is checked all the same.
options=()
[ "$suite" != sid ] || options=(--aptopt='Acquire::Check-Valid-Until "false"')
made=$tree.new
trap 'rm -rf --one-file-system "$made"' EXIT
trap 'exit 130' INT TERM
rm -rf --one-file-system "$made"
mkdir -p "$(dirname "$tree")"
# shellcheck disable=SC2016
unshare --mount --propagation slave mmdebstrap --quiet --variant=minbase --components=main --include="$packages" "${options[@]}" \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --essential-hook='printf "#!/bin/sh\nexit 101\n" >"$1/usr/sbin/policy-rc.d" && chmod 755 "$1/usr/sbin/policy-rc.d"' \
  "$suite" "$made" "deb [signed-by=$keyring] $mirror $suite main"
# The place where with.sh puts this machine's Java.
mkdir -p "$made/usr/lib/jvm"
: >"$made/.complete"
mv "$made" "$tree"
echo "$suite: $(release)"
