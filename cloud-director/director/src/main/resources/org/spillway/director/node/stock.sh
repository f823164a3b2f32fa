# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# The steps that only a stock image on a real cloud needs. Everything here runs as root.
stock_facts() {
  STOCK=yes
  DISK=/var/lib/spillway-node
  # Not on a disk: a machine made of this one's image is another one.
  known=/run/spillway-node
  [ -s "$known" ] || {
    tries=0
    until find_self; do
      tries=$((tries + 1))
      [ "$tries" -lt 60 ] || end_here 'neither cloud-init nor a metadata service says which instance this is'
      sleep 2
    done
    printf '%s %s\n' "$ID" "$ADDRESS" >"$known"
  }
  read -r ID ADDRESS <"$known"
}

meta() {
  path=$1
  shift
  curl -sf --noproxy '*' --connect-timeout 2 --max-time 5 "$@" "${SPILLWAY_METADATA:-http://169.254.169.254}/$path"
}

# ID as the provider lists it; ADDRESS is the one from which the director is reached.
find_self() {
  ID=
  host=${DIRECTOR#[}
  ADDRESS=$(ip -o route get "${host%]}" 2>/dev/null | sed -n 's/.* src \([^ ]*\).*/\1/p')
  [ -n "$ADDRESS" ] || return 1
  # Azure lists machines by name; what cloud-init knows there is another id. The tag is every Azure machine's.
  if grep -qs 7783-7084-3265-9085-8269-3286-77 /sys/class/dmi/id/chassis_asset_tag; then
    ID=$(meta 'metadata/instance/compute/name?api-version=2021-02-01&format=text' -H Metadata:true)
  elif ! ID=$(cat /var/lib/cloud/data/instance-id 2>/dev/null); then
    ID=$(meta openstack/latest/meta_data.json | sed -n 's/.*"uuid": *"\([^"]*\)".*/\1/p')
    [ -n "$ID" ] || {
      token=$(meta latest/api/token -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60') \
        && ID=$(meta latest/meta-data/instance-id -H "X-aws-ec2-metadata-token: $token")
    }
  fi
  case $ID in '' | *[!A-Za-z0-9._-]*) return 1 ;; esac
}

# The machine costs money and is of no use.
end_here() {
  say "$*"
  sync
  machine_off
  exit 1
}

# However this system does it; the last way needs nobody.
machine_off() {
  if poweroff || systemctl poweroff; then sleep 60; fi
  poweroff -ff
  echo o >/proc/sysrq-trigger
} 2>/dev/null

# The programs that a stock image may lack.
check_programs() {
  missing=
  for program in curl openssl setpriv setsid unshare tar gzip xargs find mount awk; do
    command -v "$program" >/dev/null || missing="$missing $program"
  done
  [ -z "$missing" ] || give_up "this image lacks:$missing"
}

# Of another life: clocks began again, and numbers of processes belong to others.
new_life() {
  read -r life </proc/sys/kernel/random/boot_id
  [ "$(cat "$S/life" 2>/dev/null)" = "$life" ] || {
    rm -f "$S/lease" "$S/off" "$S/end" "$S/ready" "$S/gate" "$S/boot" "$S/notice" "$S"/*.pid "$S"/jobs/*/runner "$S"/jobs/*/pid "$S"/manager/booted "$S"/manager/*.pid
    echo "$life" >"$S/life"
  }
}

# First boot: cloud-init goes on, and starts the agent in each later life itself.
settle() {
  hook=/var/lib/cloud/scripts/per-boot
  mkdir -p "$hook"
  printf '#!/bin/sh\nsetsid sh %s </dev/null >>%s 2>&1 &\n' "$S/agent" "$S/log" >"$hook/spillway-node"
  chmod 700 "$hook/spillway-node"
  chmod 600 /var/lib/cloud/instance/user-data.txt* /run/cloud-init/instance-data.json 2>/dev/null
  (setsid sh "$S/agent" </dev/null >>"$S/log" 2>&1 &)
}

# A job must not read user data or an instance's role. Name services may stay on these addresses.
shut_metadata() {
  for way in '-4 169.254.169.254 80' '-4 168.63.129.16 80' '-4 168.63.129.16 32526' \
    '-6 fd00:ec2::254 80' '-6 fe80::a9fe:a9fe 80'; do
    # shellcheck disable=SC2086
    set -- $way
    ip "$1" rule add pref 99 to "$2" ipproto tcp dport "$3" uidrange 1-4294967294 prohibit 2>/dev/null
  done
}

# Told and not judged: whether it matters is the site's to know.
check_metadata() {
  DETAIL='not reached by users'
  ! setpriv --reuid=65534 --regid=65534 --clear-groups curl -s --noproxy '*' -o "/dev/null" --max-time 1 \
    http://169.254.169.254/ || DETAIL='users can read it: ip rule with uidrange is not known here'
}
