#!/bin/sh
# tool.sh, as lab inside within.sh: ldapadd|ldapmodify|ldapdelete as the directory's administrator, from standard input;
# enumerate true|false starts sssd anew, and returns when it answers; forget empties its cache.
set -eu
case $1 in
  ldapadd | ldapmodify | ldapdelete)
    exec "$1" -x -H "$(cat "$SSSD_LAB/url")" -D cn=admin,dc=lab -y "$SSSD_LAB/ldap/admin.password"
    ;;
  enumerate)
    lab end
    (
      umask 077
      cat >/etc/sssd/sssd.conf <<CONF
[sssd]
services = nss
domains = lab
[nss]
filter_users = root
enum_cache_timeout = 1
[domain/lab]
id_provider = ldap
ldap_uri = $(cat "$SSSD_LAB/url")
ldap_search_base = dc=lab
ldap_schema = rfc2307
ldap_default_bind_dn = cn=admin,dc=lab
ldap_default_authtok = $(cat "$SSSD_LAB/ldap/admin.password")
enumerate = $2
CONF
    )
    rm -rf /var/lib/sss/db/* /var/lib/sss/mc/*
    sssd -i >"$SSSD_LAB/sssd.log" 2>&1 </dev/null &
    echo "$!" >"$SSSD_LAB/sssd.pid"
    tries=0
    until getent passwd alice >/dev/null && { [ "$2" != true ] || getent passwd | grep -q ^bob:; }; do
      tries=$((tries + 1))
      [ "$tries" -lt 300 ] || { echo 'lab: sssd does not answer' >&2; cat "$SSSD_LAB/sssd.log" /var/log/sssd/* >&2; exit 1; }
      sleep 0.1
    done
    ;;
  end)
    [ ! -s "$SSSD_LAB/sssd.pid" ] || { kill "$(cat "$SSSD_LAB/sssd.pid")" 2>/dev/null && sleep 1; } || :
    rm -f "$SSSD_LAB/sssd.pid" /run/sssd.pid
    ;;
  *)
    echo "lab: no such thing: $1" >&2
    exit 64
    ;;
esac
