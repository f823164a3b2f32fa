# shellcheck shell=sh
# shellcheck disable=SC2154
# A key that never leaves, and a certificate for it. The token travels in a file: argv is for everyone to read.
join_site() {
  [ -s "$S/node.pem" ] && return 0
  if [ ! -s "$S/node.csr" ]; then
    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=spillway-node \
      -keyout "$S/node.key" -out "$S/csr.new" 2>/dev/null && mv "$S/csr.new" "$S/node.csr"
  fi
  printf 'Authorization: Bearer %s\n' "$JOIN_TOKEN" >"$S/token"
  tenths=1
  while ! off; do
    status=$(call -o "$S/answer" -w '%{http_code}' --max-time 10 -H "@$S/token" \
      --data-urlencode "intent=$INTENT" --data-urlencode "instance=$ID" \
      --data-urlencode "csr@$S/node.csr" "$URL/join" 2>"$S/why")
    clock_told || cat "$S/why" >&2
    case $status in
      200)
        cat "$S/node.key" "$S/answer" | put "$S/node.pem"
        rm -f "$S/token"
        return 0
        ;;
      400 | 403)
        give_up "not admitted: $(head -c 200 "$S/answer")"
        return 1
        ;;
    esac
    pause "$tenths"
    tenths=$((tenths + (tenths + 1) / 2))
    # A director that is not there yet is a minute away: a question in three seconds is often enough.
    [ "$tenths" -le 30 ] || tenths=30
  done
  return 1
}

# A certificate that looks old may be young, and the clock wrong. Once.
clock_told() {
  grep -Eq 'has expired|not yet valid' "$S/why" || return 1
  [ -e "$S/clock" ] || say "the director's certificate is not of this time by this machine's clock, $(date -u +%FT%TZ): is that right?"
  : >"$S/clock"
}

use_certificate() {
  grep -q '^cert ' "$S/curl" || printf 'cert = "%s"\nkey = "%s"\n' "$S/node.pem" "$S/node.pem" >>"$S/curl"
}
