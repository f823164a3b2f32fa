#!/bin/sh
# ldap-up.sh DIR [PORT [rfc2307bis]]: a site's own directory as it is at home: OpenLDAP with syncprov on 127.0.0.1:PORT (13890),
# suffix dc=lab, one group (science) and one user (alice, with a password that must not leave home). Everything is in
# DIR; started again with the same DIR it serves what was there. Stop it with ldap-down.sh DIR.
# With rfc2307bis: groups by member and uniqueMember, one in another in a loop, and whoever asks may read.
# Needs the packages slapd and ldap-utils; runs as any user.
set -eu
PATH=$PATH:/usr/sbin:/sbin
dir=${1:?usage: ldap-up.sh DIR [PORT]}
port=${2:-13890}
form=${3:-nis}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir/db"
dir=$(cd "$dir" && pwd)
url=ldap://127.0.0.1:$port/

for program in slapd ldapadd ldapsearch; do
  command -v "$program" >/dev/null || { echo "ldap-up.sh: $program is missing: apt-get install slapd ldap-utils" >&2; exit 69; }
done

module_path=/usr/lib/ldap
for candidate in /usr/lib64/openldap /usr/libexec/openldap; do
  [ -d "$candidate" ] && module_path=$candidate
done
schema=/etc/ldap/schema
[ -d "$schema" ] || schema=/etc/openldap/schema
users=$schema/nis.schema readers=users
[ "$form" = nis ] || { users=$here/$form.schema readers='*'; }

cat >"$dir/slapd.conf" <<CONF
include $schema/core.schema
include $schema/cosine.schema
include $users
include $schema/inetorgperson.schema
pidfile $dir/slapd.pid
argsfile $dir/slapd.args
modulepath $module_path
moduleload back_mdb
moduleload syncprov
sizelimit 500
database mdb
suffix "dc=lab"
rootdn "cn=admin,dc=lab"
rootpw secret
directory $dir/db
maxsize 268435456
dbnosync
index objectClass,entryCSN,entryUUID eq
index uid,uidNumber,gidNumber,memberUid eq
access to attrs=userPassword by anonymous auth by * none
access to * by $readers read
overlay syncprov
syncprov-checkpoint 100 10
syncprov-sessionlog 20000
CONF
chmod 600 "$dir/slapd.conf"

if ! { [ -s "$dir/slapd.pid" ] && kill -0 "$(cat "$dir/slapd.pid")" 2>/dev/null; }; then
  slapd -f "$dir/slapd.conf" -h "$url"
fi

tries=0
until ldapsearch -x -H "$url" -b '' -s base >/dev/null 2>&1; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || { echo "ldap-up.sh: slapd does not answer on $url" >&2; exit 1; }
  sleep 0.05
done

(umask 077 && printf %s secret >"$dir/admin.password")
admin() {
  "$@" -x -H "$url" -D cn=admin,dc=lab -y "$dir/admin.password"
}

admin ldapsearch -LLL -b dc=lab -s base dn >/dev/null 2>&1 || admin ldapadd >/dev/null <<LDIF
dn: dc=lab
objectClass: dcObject
objectClass: organization
o: lab
dc: lab

dn: ou=people,dc=lab
objectClass: organizationalUnit
ou: people

dn: ou=group,dc=lab
objectClass: organizationalUnit
ou: group

$(cat "$here/$form.ldif")

dn: uid=alice,ou=people,dc=lab
objectClass: account
objectClass: posixAccount
objectClass: shadowAccount
uid: alice
cn: Alice
uidNumber: 20001
gidNumber: 20000
homeDirectory: /home/alice
loginShell: /bin/bash
userPassword: ForbiddenFruit
LDIF
echo "$url"
