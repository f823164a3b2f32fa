#!/bin/sh
# down.sh DIR [--wipe]: ends what up.sh DIR started, by pid and time of birth, and nothing else; --wipe removes DIR too.
set -u
dir=${1:?usage: down.sh DIR [--wipe]}
[ -d "$dir" ] || exit 0
dir=$(cd "$dir" && pwd)

lives() { # PID BIRTH
  [ "$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20)" = "$2" ]
}
for file in "$dir"/run/*.pid; do
  [ -e "$file" ] || continue
  read -r pid birth <"$file"
  ! lives "$pid" "$birth" || kill "$pid"
done
left=0
for file in "$dir"/run/*.pid; do
  [ -e "$file" ] || continue
  read -r pid birth <"$file"
  tries=0
  while lives "$pid" "$birth" && [ "$tries" -lt 100 ]; do
    tries=$((tries + 1))
    [ "$tries" -ne 60 ] || kill -9 "$pid"
    sleep 0.1
  done
  if lives "$pid" "$birth"; then
    echo "down.sh: $pid does not end" >&2
    left=1
  else
    rm -f "$file"
  fi
done
if [ "${2:-}" = --wipe ] && [ "$left" -eq 0 ] && [ -e "$dir/etc/nova.conf" ]; then
  rm -rf "$dir"
fi
exit "$left"
