#!/bin/bash
# up.sh: a real Active Directory domain controller (samba-ad-dc), in a folder of its own, without systemd. As root, Debian 12.
# Packages: see README.md.
set -euo pipefail
. "$(dirname "$0")/lab.sh"
if pid_of samba >/dev/null; then echo "it is up"; exit 0; fi
mkdir -p "$LAB_DIR"
if [ ! -e "$LAB_DIR/provisioned" ]; then
  mkdir -p -m 700 "$LAB_DIR/tls"
  openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=lab-ca -keyout "$LAB_DIR/tls/ca.key" -out "$LAB_DIR/tls/ca.pem" 2>/dev/null
  openssl req -newkey rsa:2048 -nodes -subj "/CN=$host" -keyout "$LAB_DIR/tls/key.pem" -out "$LAB_DIR/tls/req.pem" 2>/dev/null
  openssl x509 -req -days 30 -in "$LAB_DIR/tls/req.pem" -CA "$LAB_DIR/tls/ca.pem" -CAkey "$LAB_DIR/tls/ca.key" -CAcreateserial \
    -extfile <(echo "subjectAltName=DNS:$host,DNS:lab.internal,IP:$AD_ADDRESS") -out "$LAB_DIR/tls/cert.pem" 2>/dev/null
  chmod 600 "$LAB_DIR"/tls/*key*
  # Not the machine's own smb.conf: provisioning copies all that it finds there.
  cat >"$LAB_DIR/smb.conf" <<C
[global]
  interfaces = $AD_ADDRESS/8
  bind interfaces only = yes
  server services = ldap, cldap
  tls keyfile = $LAB_DIR/tls/key.pem
  tls certfile = $LAB_DIR/tls/cert.pem
  tls cafile = $LAB_DIR/tls/ca.pem
  pid directory = $LAB_DIR/dc
  ncalrpc dir = $LAB_DIR/dc/ncalrpc
  log level = 1
C
  # Without a name of its own the controller takes this machine's, and without an address one of this machine's networks.
  samba-tool domain provision --targetdir="$LAB_DIR/dc" --realm=$realm --domain=LAB --host-name=dc1 --host-ip="$AD_ADDRESS" \
    --server-role=dc --dns-backend=NONE --use-rfc2307 --adminpass=$secret \
    --configfile="$LAB_DIR/smb.conf" >"$LAB_DIR/provision.log" 2>&1 || { tail "$LAB_DIR/provision.log" >&2; exit 1; }
  conf=$LAB_DIR/dc/etc/smb.conf
  /usr/bin/python3 "$here/people.py" "$conf" "$@"
  : >"$LAB_DIR/provisioned"
fi
samba -s "$LAB_DIR/dc/etc/smb.conf" -i --no-process-group -M single --debug-stdout </dev/null >>"$LAB_DIR/samba.log" 2>&1 &
remember samba $!
for _ in $(seq 100); do search -s base dn >/dev/null 2>&1 && break; pid_of samba >/dev/null || { tail "$LAB_DIR/samba.log" >&2; exit 1; }; sleep 0.1; done
search -s base dn >/dev/null
echo "up: ldaps://$AD_ADDRESS ($host), reader@lab.internal $secret, CA $LAB_DIR/tls/ca.pem"
