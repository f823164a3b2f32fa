#!/bin/bash
# build-image.sh DIR [--with slurm]: a guest as a cloud's stock image is one: Debian 12 with systemd, OpenSSH, sudo and
# the real cloud-init, which knows nothing of us. About a minute on 2 cores; packages come from where this machine gets its own.
# With slurm it also has what docs/stock-images.md says of nodes of a Slurm, as the packages leave it: munged starts at
# each boot, with a key that is nobody else's.
#   DIR/guest.qcow2         the disk, read-only base of the machines' own
#   DIR/vmlinuz, DIR/initrd booted directly: no boot loader, an initrd of 1.3 MB
# A guest that lies in DIR already is kept. Runs as root; needs the packages of install.sh.
set -euo pipefail
dir=$(realpath -m "${1:?usage: build-image.sh DIR [--with slurm]}")
stock=systemd-sysv,udev,dbus,netplan.io,openssh-server,sudo,cloud-init,curl,openssl,tar,ca-certificates,iproute2,kmod,procps
case "${2:-} ${3:-}" in
  ' ') packages=$stock ;;
  '--with slurm') packages=$stock,slurmd,slurm-client,munge ;;
  *)
    echo 'usage: build-image.sh DIR [--with slurm]' >&2
    exit 64
    ;;
esac
mkdir -p "$dir"
if [ -s "$dir/guest.qcow2" ]; then
  [ "$(cat "$dir/packages" 2>/dev/null || echo "$stock")" = "$packages" ] || {
    echo "$dir/guest.qcow2 was made of other packages: take another directory" >&2
    exit 65
  }
  echo "$dir/guest.qcow2 is there"
  exit 0
fi
work=$(mktemp -d "$dir/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
export DEBIAN_FRONTEND=noninteractive
mkdir "$work/packages" "$work/kernel" "$work/busybox"

# The kernel's package is unpacked and not installed: that saves its own initrd and most modules.
package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
version=${package#linux-image-}
(cd "$work/packages" && apt-get -q -o APT::Sandbox::User=root download "$package" busybox-static >/dev/null)
dpkg -x "$work"/packages/linux-image-*.deb "$work/kernel"
dpkg -x "$work"/packages/busybox-static_*.deb "$work/busybox"
cp "$work/kernel/boot/vmlinuz-$version" "$dir/vmlinuz"
modules=$work/kernel/lib/modules/$version
(
  cd "$modules/kernel"
  mkdir ../kept
  for part in fs/{ext4,jbd2,isofs,fat,nls,overlayfs,autofs} fs/mbcache.ko drivers/virtio drivers/cdrom \
    drivers/block/{virtio_blk,loop}.ko drivers/net/{virtio_net,net_failover}.ko drivers/char/{hw_random,virtio_console.ko} \
    drivers/scsi net/{core,packet,ipv4,ipv6,netfilter} lib crypto arch/x86/crypto drivers/ptp; do
    if [ -e "$part" ]; then cp -a --parents "$part" ../kept/; fi
  done
)
rm -rf "$modules/kernel"
mv "$modules/kept" "$modules/kernel"

make_initrd() {
  local root=$work/initrd loaded='' name file
  mkdir -p "$root"/{bin,dev,proc,sys,root,m}
  install -m 755 "$(find "$work/busybox" -path '*bin/busybox' -type f | head -n 1)" "$root/bin/busybox"
  for name in virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_blk \
    crc16 crc32c_generic libcrc32c mbcache jbd2 ext4; do
    file=$(find "$modules/kernel" -name "$name.ko" | head -n 1)
    [ -n "$file" ] || continue
    cp "$file" "$root/m/"
    loaded="$loaded $name"
  done
  cat >"$root/init" <<INIT
#!/bin/busybox sh
b=/bin/busybox
\$b mount -t proc p /proc; \$b mount -t sysfs s /sys; \$b mount -t devtmpfs d /dev
for m in$loaded; do \$b insmod /m/\$m.ko 2>/dev/null; done
n=0
until [ -b /dev/vda ] && \$b mount -t ext4 -o rw,noatime /dev/vda /root; do
  n=\$((n + 1)); [ \$n -le 50 ] || { echo 'no root file system'; \$b poweroff -f; }
  \$b usleep 100000
done
\$b mount --move /dev /root/dev; \$b umount /sys; \$b umount /proc
exec \$b switch_root /root /sbin/init
INIT
  chmod 755 "$root/init"
  ln -s busybox "$root/bin/sh"
  (cd "$root" && find . | LC_ALL=C sort | cpio -o -H newc --quiet) | lz4 -l -9 -q - >"$dir/initrd"
}
make_initrd

# The changes beside the packages: the modules, what only costs time in emulation, and what no image may bring along.
cat >"$work/hook.sh" <<'HOOK'
set -e
root=$1 modules=$2 version=$3
mkdir -p "$root/usr/lib/modules"
cp -a "$modules" "$root/usr/lib/modules/"
chroot "$root" depmod "$version"
echo '/dev/vda / ext4 rw,relatime 0 0' >"$root/etc/fstab"
: >"$root/etc/machine-id"
: >"$root/etc/resolv.conf"
echo stock >"$root/etc/hostname"
rm -f "$root"/etc/ssh/ssh_host_*
printf 'datasource_list: [NoCloud, ConfigDrive, OpenStack, Ec2, None]\n' >"$root/etc/cloud/cloud.cfg.d/90_lab.cfg"
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer fstrim.timer e2scrub_all.timer \
  e2scrub_reap.service man-db.timer systemd-pstore.service systemd-timesyncd.service getty@tty1.service \
  systemd-hwdb-update.service systemd-update-utmp.service systemd-binfmt.service; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
rm -rf "$root"/usr/share/{doc,man,locale,info,lintian}/* "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/*
HOOK
sources=/etc/apt/sources.list.d/debian.sources
[ -e "$sources" ] || sources=/etc/apt/sources.list
mmdebstrap --quiet --mode=root --variant=minbase --include="$packages" --aptopt='APT::Install-Recommends "false"' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --customize-hook="bash $work/hook.sh \"\$1\" $modules $version" bookworm "$work/root" "$sources"
mke2fs -q -t ext4 -E lazy_itable_init=1,no_copy_xattrs -m 0 -d "$work/root" "$work/guest.ext4" 3G
qemu-img convert -O qcow2 "$work/guest.ext4" "$work/guest.qcow2"
echo "$packages" >"$dir/packages"
mv "$work/guest.qcow2" "$dir/guest.qcow2"
echo "$dir/guest.qcow2: $(du -m "$dir/guest.qcow2" | cut -f 1) MB, kernel $version"
