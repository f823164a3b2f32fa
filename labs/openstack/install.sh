#!/bin/sh
# install.sh: the Debian 12 packages of the OpenStack lab (Zed), as root. Libraries only: no daemon of them is installed
# or started, no account is made. About 87 MB to load, 445 MB on disk.
set -eu
export DEBIAN_FRONTEND=noninteractive
where=${SPILLWAY_LAB_PASTE:-/var/lib/spillway-openstack-lab}

# The packages that python3-nova brings along (udev, open-iscsi) must not start a service either.
rule=/usr/sbin/policy-rc.d
ours=no
if [ ! -e "$rule" ]; then
  ours=yes
  printf '#!/bin/sh\nexit 101\n' >"$rule"
  chmod 755 "$rule"
fi
scratch=$(mktemp -d)
chmod 755 "$scratch"
clean_up() {
  [ "$ours" = no ] || rm -f "$rule"
  rm -rf "$scratch"
}
trap clean_up EXIT

apt-get -q -o DPkg::Lock::Timeout=600 update
apt-get -q -y -o DPkg::Lock::Timeout=600 --no-install-recommends install \
  python3-keystone python3-nova python3-placement python3-glance python3-neutron python3-cinder \
  python3-openstackclient python3-neutronclient python3-glanceclient python3-novaclient \
  python3-memcache python3-waitress curl

# The services' paste files lie in packages with daemons: those are unpacked, not installed.
mkdir -p "$where"
(
  cd "$scratch"
  apt-get -q download nova-common glance-common neutron-common cinder-common
  for package in *.deb; do
    dpkg -x "$package" tree
  done
)
cp "$scratch/tree/usr/share/nova-common/api-paste.ini" "$where/nova-api-paste.ini"
cp "$scratch/tree/usr/share/glance-common/glance-api-paste.ini" "$where/glance-api-paste.ini"
cp "$scratch/tree/usr/share/neutron-common/api-paste.ini" "$where/neutron-api-paste.ini"
cp "$scratch/tree/usr/share/cinder-common/api-paste.ini" "$where/cinder-api-paste.ini"
chmod -R a+rX "$where"
/usr/bin/python3 -c 'import keystone, nova, placement, glance, neutron, cinder, waitress'
echo "install.sh: the OpenStack lab can be started"
