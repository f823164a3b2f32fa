#!/bin/bash
# hook-vm.sh VERB UUID NAME JSON_FILE: LAB_HOOK of the OpenStack lab. Every Nova server becomes a virtual machine of
# vm.sh: its user data is the machine's, its address is the one that Neutron gave it (in the bridge's network), its UUID
# the machine's instance id. power_off and destroy end it; destroy removes its disk; power_on boots the same disk again.
# Environment: that of vm.sh, and VM_RUN (a directory for the machines, beside the JSON files by default).
set -u
verb=$1 uuid=$2 name=$3 json=$4
here=$(cd "$(dirname "$(realpath "$0")")" && pwd)
run=${VM_RUN:-$(dirname "$json")}
machine=$run/vm-$uuid
mkdir -p "$run"

boot() {
  local address status
  address=$(/usr/bin/python3 - "$json" "$run/$uuid.user-data" <<'PY'
import base64, json, os, sys
server = json.load(open(sys.argv[1]))
data = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
os.write(data, base64.b64decode(server.get('user_data') or ''))
os.close(data)
print((server.get('ips') or [''])[0])
PY
  ) || return 1
  "$here/vm.sh" start "$machine" "$uuid" "$(printf '%s' "$name" | tr -c 'A-Za-z0-9-' -)" "$address" "$run/$uuid.user-data"
  status=$?
  rm -f "$run/$uuid.user-data"
  echo "$(date +%T) $verb $uuid $name on $address: $status"
  return "$status"
}

case $verb in
  spawn | power_on) boot ;;
  power_off) "$here/vm.sh" stop "$machine" ;;
  destroy)
    "$here/vm.sh" wipe "$machine" && rm -f "$json"
    echo "$(date +%T) destroy $uuid $name"
    ;;
  console) tail -c 60000 "$machine/console.log" 2>/dev/null || true ;;
  *)
    echo "there is no $verb" >&2
    exit 64
    ;;
esac
