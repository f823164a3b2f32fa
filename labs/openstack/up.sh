#!/bin/sh
# up.sh DIR: a real OpenStack on the loopback interface, everything of it in DIR: Keystone, Placement, Glance, Neutron,
# Nova and Cinder of Debian 12, with a hypervisor that is none (lib/nova_serve.py). Started again with the same DIR it serves what
# was there. End it with down.sh DIR.
#   LAB_IP    where it listens (127.0.0.1): several labs side by side
#   LAB_HOOK  program that makes servers real: PROGRAM spawn|destroy|power_on|power_off|console UUID NAME JSONFILE
#   LAB_HOSTS NAME:VCPUS:MEMORY_MIB:DISK_GIB:GPUS,... (three hosts, one with 4 GPUs)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:?usage: up.sh DIR}
ip=${LAB_IP:-127.0.0.1}
paste=${SPILLWAY_LAB_PASTE:-/var/lib/spillway-openstack-lab}
python=/usr/bin/python3
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
begun=$(date +%s)
export PYTHONPATH="$here/lib" PYTHONDONTWRITEBYTECODE=1 LAB_DIR="$dir" LC_ALL=C.UTF-8
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY OS_CLOUD

fail() {
  echo "up.sh: $*" >&2
  "$here/down.sh" "$dir"
  exit 1
}
[ -e "$paste/cinder-api-paste.ini" ] || fail "not installed: run $here/install.sh as root"
for pid in "$dir"/run/*.pid; do
  [ ! -e "$pid" ] || { echo "up.sh: it is up, or was not ended: run $here/down.sh $dir" >&2; exit 1; }
done
$python - "$ip" <<'P' || fail "a port of $ip is taken"
import socket, sys
for port in (5000, 8774, 8776, 8778, 9292, 9696):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((sys.argv[1], port))
    s.close()
P

(umask 077 && mkdir -p "$dir/fernet" "$dir/credentials" "$dir/etc" "$dir/db" "$dir/servers")
mkdir -p "$dir/log" "$dir/run" "$dir/lock" "$dir/images" "$dir/state/staging" "$dir/state/tasks" "$dir/state/coordination" "$dir/faults"
etc=$dir/etc
database=sqlite:///$dir/db
options='?timeout=30'
fresh=no
[ -e "$dir/db/seeded" ] || fresh=yes
[ -s "$dir/password" ] || (umask 077 && head -c 18 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$dir/password")
password=$(cat "$dir/password")

authenticated() { # AS: how a service checks its callers' tokens
  cat <<CONF
[keystone_authtoken]
www_authenticate_uri = http://$ip:5000/v3
$(login "$1")
service_token_roles_required = true
CONF
}
login() { # AS: how a service logs in itself
  cat <<CONF
auth_url = http://$ip:5000/v3
auth_type = password
username = $1
password = $password
user_domain_name = Default
project_name = service
project_domain_name = Default
CONF
}
client() { # SECTION AS
  echo "[$1]"
  login "$2"
  echo 'region_name = RegionOne'
}

cat >"$etc/keystone.conf" <<CONF
[DEFAULT]
log_file = $dir/log/keystone.log
public_endpoint = http://$ip:5000
[database]
connection = $database/keystone.db$options
sqlite_synchronous = false
[token]
provider = fernet
expiration = 14400
[fernet_tokens]
key_repository = $dir/fernet
[credential]
key_repository = $dir/credentials
[identity]
password_hash_rounds = 4
[cache]
enabled = true
backend = dogpile.cache.memory_pickle
expiration_time = 600
CONF
cat >"$etc/placement.conf" <<CONF
[DEFAULT]
log_file = $dir/log/placement.log
[placement_database]
connection = $database/placement.db$options
sqlite_synchronous = false
[api]
auth_strategy = keystone
$(authenticated placement)
CONF
cat >"$etc/glance-api.conf" <<CONF
[DEFAULT]
log_file = $dir/log/glance.log
bind_host = $ip
bind_port = 9292
workers = 0
enabled_backends = fs:file
transport_url = fake://
node_staging_uri = file://$dir/state/staging
[database]
connection = $database/glance.db$options
sqlite_synchronous = false
[glance_store]
default_backend = fs
[fs]
filesystem_store_datadir = $dir/images
[os_glance_staging_store]
filesystem_store_datadir = $dir/state/staging
[os_glance_tasks_store]
filesystem_store_datadir = $dir/state/tasks
[paste_deploy]
flavor = keystone
config_file = $etc/glance-api-paste.ini
[oslo_concurrency]
lock_path = $dir/lock
$(authenticated glance)
CONF
cat >"$etc/neutron.conf" <<CONF
[DEFAULT]
log_file = $dir/log/neutron.log
bind_host = $ip
bind_port = 9696
api_workers = 0
core_plugin = ml2
service_plugins = router
transport_url = fake://
auth_strategy = keystone
state_path = $dir/state/neutron
api_paste_config = $etc/neutron-api-paste.ini
notify_nova_on_port_status_changes = false
notify_nova_on_port_data_changes = true
dhcp_agent_notification = false
[database]
connection = $database/neutron.db$options
sqlite_synchronous = false
[oslo_concurrency]
lock_path = $dir/lock
[ml2]
type_drivers = local,flat,vxlan
tenant_network_types = vxlan
mechanism_drivers = spillway_lab
extension_drivers = port_security
[ml2_type_flat]
flat_networks = *
[ml2_type_vxlan]
vni_ranges = 1:200
[securitygroup]
enable_security_group = true
[quotas]
quota_port = -1
$(client nova nova)
$(authenticated neutron)
CONF
# max_limit is small, so that a listing of a few servers has several pages.
cat >"$etc/nova.conf" <<CONF
[DEFAULT]
log_file = $dir/log/nova.log
transport_url = fake://
state_path = $dir/state/nova
host = ctl
my_ip = $ip
enabled_apis = osapi_compute
osapi_compute_listen = $ip
osapi_compute_listen_port = 8774
osapi_compute_workers = 1
compute_driver = spillway_lab.LabDriver
vif_plugging_is_fatal = false
vif_plugging_timeout = 0
reserved_host_memory_mb = 0
initial_cpu_allocation_ratio = 1.0
initial_ram_allocation_ratio = 1.0
initial_disk_allocation_ratio = 1.0
heal_instance_info_cache_interval = 600
force_config_drive = false
[api]
auth_strategy = keystone
max_limit = 5
[wsgi]
api_paste_config = $etc/nova-api-paste.ini
[api_database]
connection = $database/nova_api.db$options
sqlite_synchronous = false
[database]
connection = $database/nova.db$options
sqlite_synchronous = false
[filter_scheduler]
enabled_filters = ComputeFilter,ComputeCapabilitiesFilter,ImagePropertiesFilter,ServerGroupAntiAffinityFilter,ServerGroupAffinityFilter,PciPassthroughFilter
[pci]
device_spec = {"vendor_id":"10de","product_id":"2330"}
device_spec = {"vendor_id":"15b3","product_id":"101e","physical_network":null}
alias = {"vendor_id":"10de","product_id":"2330","device_type":"type-PCI","name":"h100"}
[vnc]
enabled = false
[oslo_concurrency]
lock_path = $dir/lock
[glance]
region_name = RegionOne
[cinder]
catalog_info = volumev3::publicURL
os_region_name = RegionOne
$(authenticated nova)
$(client placement placement)
$(client neutron neutron)
$(client service_user nova)
send_service_user_token = true
CONF
cat >"$etc/cinder.conf" <<CONF
[DEFAULT]
log_file = $dir/log/cinder.log
transport_url = fake://
state_path = $dir/state/cinder
host = ctl
my_ip = $ip
osapi_volume_listen = $ip
osapi_volume_listen_port = 8776
osapi_volume_workers = 1
auth_strategy = keystone
api_paste_config = $etc/cinder-api-paste.ini
resource_query_filters_file = $etc/no-filters.json
enabled_backends = files
glance_api_servers = http://$ip:9292
default_volume_type = plain
scheduler_driver_init_wait_time = 1
quota_volumes = 100
[files]
volume_driver = cinder.volume.drivers.spillway_lab.LabVolumes
volume_backend_name = files
[database]
connection = $database/cinder.db$options
sqlite_synchronous = false
[oslo_concurrency]
lock_path = $dir/lock
[coordination]
backend_url = file://$dir/state/coordination
$(authenticated cinder)
$(client nova nova)
CONF
echo '{}' >"$etc/no-filters.json"
cp "$paste"/*.ini "$etc/"

# Written down with its time of birth, as a pid alone may be another's later.
start() { # NAME COMMAND...
  name=$1
  shift
  "$@" >"$dir/log/$name.out" 2>&1 </dev/null &
  echo "$! $(sed 's/.*) //' "/proc/$!/stat" | cut -d' ' -f20)" >"$dir/run/$name.pid"
}
await() { # NAME URL
  tries=0
  until curl -s -o "$dir/run/answer" --max-time 5 "$2"; do
    kill -0 "$(cut -d' ' -f1 "$dir/run/$1.pid")" 2>/dev/null || { tail -n 20 "$dir/log/$1.out" >&2; fail "$1 has ended"; }
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || fail "$1 does not answer, see $dir/log"
    sleep 0.2
  done
}
manage() { # PROGRAM CONF ARGUMENTS: a service's command, which has no file of its own without its daemon
  program=$1
  conf=$2
  shift 2
  $python -c "import sys; sys.argv[0] = '$program-manage'; from $program.cmd.manage import main; sys.exit(main())" \
    --config-file "$conf" "$@"
}

keystone_schema() {
  set -e
  OS_KEYSTONE_CONFIG_DIR=$etc
  export OS_KEYSTONE_CONFIG_DIR
  me=$(id -un)
  mine=$(id -gn)
  for step in db_sync "fernet_setup --keystone-user $me --keystone-group $mine" \
    "credential_setup --keystone-user $me --keystone-group $mine"; do
    # shellcheck disable=SC2086
    /usr/bin/keystone-manage --config-file "$etc/keystone.conf" $step
  done
  OS_BOOTSTRAP_PASSWORD=$password /usr/bin/keystone-manage --config-file "$etc/keystone.conf" bootstrap \
    --bootstrap-admin-url "http://$ip:5000/v3/" --bootstrap-internal-url "http://$ip:5000/v3/" \
    --bootstrap-public-url "http://$ip:5000/v3/" --bootstrap-region-id RegionOne
}
nova_schema() {
  set -e
  manage nova "$etc/nova.conf" api_db sync
  manage nova "$etc/nova.conf" cell_v2 map_cell0 --database_connection "$database/nova_cell0.db$options"
  manage nova "$etc/nova.conf" db sync
  manage nova "$etc/nova.conf" cell_v2 create_cell --name cell1 --transport-url fake:// \
    --database_connection "$database/nova.db$options"
}
other_schemas() {
  set -e
  /usr/bin/placement-manage --config-file "$etc/placement.conf" db sync
  manage glance "$etc/glance-api.conf" db_sync
  $python "$here/lib/neutron_schema.py" "$database/neutron.db"
  manage cinder "$etc/cinder.conf" db sync
}
if [ "$fresh" = yes ]; then
  (keystone_schema) >"$dir/log/schema-keystone.out" 2>&1 &
  first=$!
  (nova_schema) >"$dir/log/schema-nova.out" 2>&1 &
  second=$!
  (other_schemas) >"$dir/log/schema-others.out" 2>&1 &
  third=$!
  bad=no
  for each in $first $second $third; do
    wait "$each" || bad=yes
  done
  [ "$bad" = no ] || fail "a schema could not be made, see $dir/log/schema-*.out"
  for file in "$dir"/db/*.db; do
    $python -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("PRAGMA journal_mode=WAL")' "$file"
  done
fi

start keystone env "OS_KEYSTONE_CONFIG_FILES=$etc/keystone.conf" $python "$here/lib/wsgi_serve.py" keystone "$ip" 5000
start placement env "OS_PLACEMENT_CONFIG_DIR=$etc" $python "$here/lib/wsgi_serve.py" placement "$ip" 8778
start glance $python -c 'import sys; sys.argv[0] = "glance-api"; from glance.cmd.api import main; main()' \
  --config-file "$etc/glance-api.conf"
start neutron $python "$here/lib/neutron_serve.py" --config-file "$etc/neutron.conf"
await keystone "http://$ip:5000/v3"
[ "$fresh" = no ] || $python "$here/lib/seed.py" identity "$ip" "$dir/password" || fail "Keystone could not be filled"
await placement "http://$ip:8778/"
start nova $python "$here/lib/nova_serve.py" --config-file "$etc/nova.conf"
start cinder $python "$here/lib/cinder_serve.py" --config-file "$etc/cinder.conf"
await glance "http://$ip:9292/"
await neutron "http://$ip:9696/"
await nova "http://$ip:8774/"
await cinder "http://$ip:8776/"
if [ "$fresh" = yes ]; then
  $python "$here/lib/seed.py" resources "$ip" "$dir/password" || fail "flavors, image and networks could not be made"
  : >"$dir/db/seeded"
fi
echo "http://$ip:5000/v3" >"$dir/endpoint"
echo "up.sh: OpenStack at http://$ip:5000/v3 after $(($(date +%s) - begun)) s; users demo and other, password in $dir/password"
