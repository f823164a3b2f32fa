#!/bin/sh
# users.sh: as root, from a build: a head with `source: nss` on a machine that sssd serves, without and with enumeration. Its
# users are found, their jobs run as them with all their groups, and who has no job is not looked up where nobody is listed.
# Then a directory that has changed beside a cache that has not: `doctor --user` names the group. Ends with "all went well".
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "${1:-}" != inside ]; then
  dir=$(mktemp -d "${TMPDIR:-/tmp}/lab-sssd.XXXXXX")
  chmod 755 "$dir"
  status=0
  "$here/within.sh" "$dir" "$here/users.sh" inside || status=$?
  [ "$status" -eq 0 ] || tail -n 40 "$dir"/*/head.log >&2 || :
  rm -rf "$dir"
  exit "$status"
fi
spillway=$here/../../spillway
head=
trap 'stop' EXIT

# NAME DIRECTORY: a head of its own with one site.
start() {
  mkdir -p "$SSSD_LAB/$1/image" "$SSSD_LAB/$1/jobs"
  chmod 755 "$SSSD_LAB/$1"
  chmod 1777 "$SSSD_LAB/$1/jobs"
  cd "$SSSD_LAB/$1"
  cat >spillway.yaml <<CONF
cluster: $1
budget: { limit: 5.00, period: day }
directory: $2
image: { tree: image }
socket: $SSSD_LAB/$1/s.sock
socketMode: '666'
queues: { east: { sites: [east] } }
sites: { east: { driver: local, maxNodes: 1, director: { type: small }, options: { state: $SSSD_LAB/$1/cloud } } }
CONF
  SPILLWAY_SOCKET=$SSSD_LAB/$1/s.sock
  export SPILLWAY_SOCKET
  "$spillway" serve --config spillway.yaml >head.log 2>&1 </dev/null &
  head=$!
  tries=0
  until grep -q 'is up' head.log; do
    tries=$((tries + 1))
    kill -0 "$head" && [ "$tries" -lt 600 ] || { cat head.log >&2; exit 1; }
    sleep 0.2
  done
}

stop() {
  [ -n "$head" ] || return 0
  "$spillway" stop --release --wait >/dev/null 2>&1 || :
  kill "$head" 2>/dev/null || :
  head=
}

# LOGIN: a job of that user, as the user; prints what it is there.
job_of() {
  printf '{ id -u; id -g; id -G | tr " " "\\n" | sort -n; } >%s.out\n' "$1" >"jobs/$1.sh"
  (cd jobs && setpriv --reuid="$1" --regid="$(id -g "$1")" --init-groups --no-new-privs \
    "$spillway" submit --wait --out "$1.out" "$1.sh" >"$1.said" 2>&1) || { cat "jobs/$1.said" >&2; exit 1; }
  paste -sd ' ' "jobs/$1.out"
}

expect() {
  echo "$1: $2"
  [ "$2" = "$3" ] || { echo "expected: $3" >&2; exit 1; }
}

start silent '{ source: nss }'
[ -z "$(getent passwd | grep '^alice:')" ] || { echo 'sssd lists users, and shall not' >&2; exit 1; }
expect 'nobody listed, alice' "$(job_of alice)" '20001 20000 20000 20100'
[ -s state/directory.saved ] && ! grep -q '^uid: bob' state/directory.saved || { echo 'bob has no job, and is looked up' >&2; exit 1; }
"$spillway" doctor --user alice
stop
lab enumerate true
start listed '{ source: nss }'
expect 'all listed, bob' "$(job_of bob)" '20002 20000 20000 20100 20200'
stop
# The cache of sssd knows nothing of it for an hour and a half.
id alice >/dev/null
printf 'dn: cn=guests,ou=group,dc=lab\nchangetype: modify\nadd: memberUid\nmemberUid: alice\n' | lab ldapmodify >/dev/null
start differs "{ source: ldap, url: '$(cat "$SSSD_LAB/url")', base: 'dc=lab', bindDn: 'cn=admin,dc=lab', passwordFile: '$SSSD_LAB/ldap/admin.password' }"
expect 'by the directory, alice' "$(job_of alice)" '20001 20000 20000 20100 20200'
status=0
"$spillway" doctor --user alice >doctor.out || status=$?
cat doctor.out
[ "$status" -eq 1 ] && grep -q 'groups missing .*guests(20200)' doctor.out && [ "$(grep -c 'groups missing' doctor.out)" -eq 2 ]
stop
echo 'all went well'
