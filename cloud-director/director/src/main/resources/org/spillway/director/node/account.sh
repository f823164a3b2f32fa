# shellcheck shell=sh
# shellcheck disable=SC2154
# Answers of this machine's own name service for the logins that the director asks for; nothing here is decided by it.
tell_accounts() {
  asked=$(call -f --max-time 10 "$URL/accounts") || return 0
  for login in $asked; do
    case $login in *[!A-Za-z0-9._@\$-]*) continue ;; esac
    name_service | call -f --max-time 10 --data-binary @- "$URL/accounts?login=$login"
  done
}

name_service() {
  found=$(timeout 10 getent passwd "$login")
  echo "status $?"
  [ -n "$found" ] || return 0
  printf '%s\n' "$found" | head -n 1 | cut -d: -f1,3,4 | sed 's/^/passwd /'
  numbers=$(timeout 10 id -G -- "$login") || return 0
  echo "groups $numbers"
  # shellcheck disable=SC2086
  timeout 10 getent group $numbers | cut -d: -f1,3 | sed 's/^/group /'
}
