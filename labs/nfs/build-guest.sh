#!/bin/bash
# build-guest.sh DIR: Debian 12 with nfs-common, the kernel's NFS client, its NVMe and its device-mapper as DIR/vmlinuz and DIR/initrd, which is the whole of
# the guest: it lies in memory. What is in DIR already is kept. As root; packages come from where this machine gets its own.
set -euo pipefail
dir=$(realpath -m "${1:?usage: build-guest.sh DIR}")
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
mkdir -p "$dir"
if [ -s "$dir/initrd" ]; then
  echo "$dir/initrd is there"
  exit 0
fi
work=$(mktemp -d "$dir/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
export DEBIAN_FRONTEND=noninteractive
mkdir "$work/kernel"
package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
version=${package#linux-image-}
(cd "$work" && apt-get -q -o APT::Sandbox::User=root download "$package" >/dev/null)
dpkg -x "$work"/linux-image-*.deb "$work/kernel"
cp "$work/kernel/boot/vmlinuz-$version" "$dir/vmlinuz"
sources=/etc/apt/sources.list.d/debian.sources
[ -e "$sources" ] || sources=/etc/apt/sources.list
mmdebstrap --quiet --mode=root --variant=minbase --include=nfs-common,netbase,kmod,iproute2,mawk,procps,dmsetup,xfsprogs \
  --aptopt='APT::Install-Recommends "false"' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --customize-hook='rm -rf "$1"/var/cache/apt "$1"/var/lib/apt/lists "$1"/usr/share/* "$1"/etc/resolv.conf' \
  bookworm "$work/tree" "$sources"
cp -a "$work/kernel/lib/modules" "$work/tree/usr/lib/"
chroot "$work/tree" depmod "$version"
# Of the kernel's modules only those that the client, its network and scratch on its disks need.
for module in virtio_pci virtio_net virtio_console nfsv4 overlay nvme dm_mod xfs; do
  chroot "$work/tree" modprobe -S "$version" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
done | awk '!seen[$0]++' >"$work/modules"
grep -q nfsv4 "$work/modules"
mkdir "$work/tree/modules"
while read -r file; do
  install -m 644 "$work/tree$file" "$work/tree/modules/"
  basename "$file"
done <"$work/modules" >"$work/tree/modules/list"
rm -rf "$work/tree/usr/lib/modules"
install -m 755 "$here/guest-init" "$work/tree/init"
(cd "$work/tree" && find . | LC_ALL=C sort | cpio -o -H newc --quiet) | zstd -q -3 -f -o "$work/initrd"
mv "$work/initrd" "$dir/initrd"
