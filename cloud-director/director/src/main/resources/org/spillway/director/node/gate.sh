# shellcheck shell=sh
# shellcheck disable=SC2154
# The admission gate: each check says what it found in DETAIL.
check_certificate() {
  DETAIL=$(openssl verify -CAfile "$S/ca.pem" "$S/node.pem" 2>&1) || return 1
  openssl x509 -in "$S/node.pem" -noout -pubkey >"$S/pub.cert" && openssl pkey -in "$S/node.pem" -pubout >"$S/pub.key" || return 1
  DETAIL='it is for another key'
  cmp -s "$S/pub.cert" "$S/pub.key" || return 1
  NODE=$(openssl x509 -in "$S/node.pem" -noout -subject -nameopt multiline | sed -n 's/.*commonName *= node://p')
  DETAIL=$NODE
  [ -n "$NODE" ] && printf '%s\n' "$NODE" >"$S/node"
}

fact() { sed -n "s/^$1 //p" "$2" | head -n 1; }

check_image() {
  DETAIL='no manifest'
  turn=
  call -f --max-time 10 -o "$S/manifest" "$URL/image/manifest" || return 1
  fetched=no
  root=$(fact root "$S/manifest")
  "${root:+root_}obtain" "$(fact name "$S/manifest")" "$(fact sha256 "$S/manifest")" "$(fact bytes "$S/manifest")" "$(fact signature "$S/manifest")" || return 1
  # The head had time to grant another one meanwhile.
  [ "$fetched" = no ] || { check_image; return; }
  turn=$(fact turn "$S/manifest")
  DETAIL=$sha
  printf '%s\n' "$sha" >"$S/image"
}

# NAME SHA BYTES SIGNATURE: a tree of the head's lies unpacked below IMAGES; nothing else gets there.
obtain() {
  sha=$2
  bytes=$3
  DETAIL='malformed manifest'
  case $sha in *[!0-9a-f]*) return 1 ;; esac
  case $bytes in '' | *[!0-9]*) return 1 ;; esac
  [ "${#sha}" -eq 64 ] || return 1
  printf 'spillway-image-1\n%s\n%s\n%s\n' "$1" "$sha" "$bytes" >"$S/signed"
  printf '%s\n' "$4" | openssl base64 -d -A >"$S/signature"
  DETAIL='the signature is not the head'\''s'
  openssl dgst -sha256 -verify "$S/image.key" -signature "$S/signature" "$S/signed" >/dev/null 2>&1 || return 1
  [ -d "$IMAGES/$sha" ] || fetch_image
}

fetch_image() {
  fetched=yes
  DETAIL='not fetched'
  call -f --speed-limit 1 --speed-time 60 --max-filesize "$bytes" -o "$S/archive" "$URL/image/$sha" || return 1
  found=$(digest <"$S/archive")
  DETAIL="the digest is ${found%% *}, not $sha"
  if [ "${found%% *}" != "$sha" ] || [ "$(wc -c <"$S/archive")" -ne "$bytes" ]; then
    rm -f "$S/archive"
    return 1
  fi
  # A member that leaves the folder spoils the whole; tar itself does not write through its own links.
  DETAIL='a member lies outside'
  if tar -tf "$S/archive" | grep -Eq '^/|(^|/)\.\.(/|$)'; then return 1; fi
  DETAIL='not unpacked'
  rm -rf "$IMAGES/new"
  mkdir "$IMAGES/new" && tar -xf "$S/archive" -C "$IMAGES/new" -o --no-same-permissions || return 1
  find "$IMAGES/new" -type f -perm /6000 -exec chmod a-s {} + && chmod -R a+rX "$IMAGES/new" || return 1
  mv "$IMAGES/new" "$IMAGES/$sha" && rm -f "$S/archive"
}

# Overlays are left before others are joined. A hook may run more than once: the node may die behind it.
check_turn() {
  sed -n 's/^overlay //p' "$S/manifest" >"$S/wanted"
  touch "$S/overlays"
  while read -r name sha rest; do
    grep -q "^$name $sha " "$S/wanted" || hook leave || return 1
  done <"$S/overlays"
  while read -r name sha bytes rest; do
    obtain "$name" "$sha" "$bytes" "$rest" || { DETAIL="overlay $name: $DETAIL"; return 1; }
    grep -q "^$name $sha " "$S/overlays" || hook join || return 1
  done <"$S/wanted"
  mv "$S/wanted" "$S/overlays"
  DETAIL=$turn
  printf '%s\n' "$turn" >"$S/turn"
}

# join or leave, of the overlay's tree; it has two minutes.
hook() {
  program=$IMAGES/$sha/spillway/$1
  [ ! -x "$program" ] || SPILLWAY_OVERLAY=$IMAGES/$sha timeout -k 5 120 "$program" </dev/null >>"$S/log" 2>&1 || {
    DETAIL="overlay $name: $1 ended with $?"
    return 1
  }
}

# FILTER ATTRIBUTES: entries as LDIF.
directory() { call -f --max-time 10 -G --data-urlencode "filter=$1" --data-urlencode "attributes=$2" "$URL/directory"; }

values() { sed -n "s/^$1: //p"; }

check_directory() {
  DETAIL='no answer'
  users=$(call -f --max-time 10 "$URL/directory?count=users") || return 1
  DETAIL='no users yet'
  [ "$users" != 0 ] || return 1
  DETAIL="$users users"
}

check_gpus() {
  count=0
  if [ -r "$DISK/gpus" ]; then
    read -r count <"$DISK/gpus" || count=0
  elif command -v nvidia-smi >/dev/null; then
    count=$(nvidia-smi -L | wc -l)
  else
    for device in /dev/nvidia[0-9]*; do [ ! -c "$device" ] || count=$((count + 1)); done
  fi
  echo "$count" >"$S/gpus.counted"
  DETAIL="$count counted"
}

# How attempts are run: of the director's release, and anew at each boot of the agent.
check_program() {
  DETAIL='no answer'
  call -f --max-time 20 -o "$S/attempt.new" "$URL/program" && mv "$S/attempt.new" "$S/attempt" || return 1
  DETAIL=fetched
}

check_isolation() {
  DETAIL='no program'
  # shellcheck disable=SC1091
  [ -s "$S/attempt" ] && . "$S/attempt" && isolation
}

check_workdir() {
  DETAIL="cannot write $WORK"
  : >"$WORK/.probe" && rm "$WORK/.probe" || return 1
  DETAIL=writable
}

judge() {
  DETAIL=
  result=ok
  "check_$check" || { result=failed; passed=no; }
  frame gate "$check" "$result" "$(printf '%.300s' "$DETAIL")"
}

# Writes all results; whether all passed is its status. The gate is asked again while the region is being made, and each look
# costs a busy machine seconds: checks that hold as long as this process lives are made until they have passed, and no more.
gate() {
  passed=yes
  [ "$settled" = yes ] || {
    for check in certificate program isolation; do judge; done >"$S/gate.settled"
    settled=$passed
  }
  {
    cat "$S/gate.settled"
    for check in image directory gpus workdir ${STOCK:+metadata}; do judge; done
    # Only a node that may be made another is told which turn it is.
    check=turn
    [ -z "$turn" ] || judge
    # The last, and of a node that is as it is to be: a site's own checks take their time. An older director has none.
    [ "$passed" = no ] || ! command -v last_checks >/dev/null || last_checks
  } >"$S/gate.new"
  mv "$S/gate.new" "$S/gate"
  printf '%s\n' "$passed" >"$S/ready"
  [ "$passed" = yes ]
}
