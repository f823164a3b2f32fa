# shellcheck shell=sh
# The functions that every part uses. Rendered behind the settings; comments and indentation do not travel.
set -u
umask 077

# Who this instance is: the local cloud says so, a real one is asked.
instance_facts() {
  STOCK=
  if [ -n "${SPILLWAY_INSTANCE_ID:-}" ]; then
    ID=$SPILLWAY_INSTANCE_ID
    ADDRESS=$SPILLWAY_INSTANCE_ADDRESS
    # shellcheck disable=SC2153
    DISK=$SPILLWAY_INSTANCE_DIR
  else
    stock_facts
  fi
  # S: only ours. WORK and IMAGES: users pass through.
  S=$DISK/spillway
  WORK=$DISK/work
  IMAGES=$DISK/images
  URL=https://$DIRECTOR:$HTTPS_PORT/v1
}

# Also on the console of a real machine, where the provider shows it when nobody can log in.
say() {
  printf '%s %s\n' "$(date +%T)" "$*" >&2
  [ -z "$STOCK" ] || (printf 'spillway: %s\n' "$*" >/dev/console) 2>/dev/null
}

# NOW: hundredths of a second by a clock that nobody sets.
now() {
  read -r up _ </proc/uptime
  NOW=$((${up%.*} * 100 + 1${up#*.} - 100))
}

# WORDS: a record of a report behind its length. What others said ends none: a line break in it is a space by then.
frame() {
  # Plain words, which are nearly all, cost no process.
  case $* in
    *[!A-Za-z0-9\ ._:/@,+=%\(\)-]*) set -- "$(printf '%s' "$*" | LC_ALL=C tr -c '[:print:]' ' ')" ;;
    *) set -- "$*" ;;
  esac
  [ "${#1}" -le 1000 ] || set -- "$(printf '%.1000s' "$1")"
  printf '%s:%s\n' "${#1}" "$1"
}

# Standard input becomes a file at once or not at all, and is on disk then.
put() { cat >"$1.$$" && sync "$1.$$" && mv "$1.$$" "$1"; }

call() { curl -g -K "$S/curl" "$@"; }

# SHA-256 of standard input, in front of a blank: by the processor's instructions, which sha256sum may not use.
digest() { openssl dgst -sha256 -r; }

# Tenths of a second.
pause() { sleep "$(($1 / 10)).$(($1 % 10))"; }

alive() { [ -s "$1" ] && read -r some <"$1" && kill -0 "$some" 2>/dev/null; }

off() { [ -e "$S/off" ] || [ -e "$S/end" ]; }

# The watchdog reads this and powers off.
give_up() {
  say "$*"
  printf '%s\n' "$*" | put "$S/end"
}
