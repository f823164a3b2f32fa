# shellcheck shell=sh
# shellcheck disable=SC2154
# The output of a running job, and the results of an ended one.
watch_job() {
  now
  limit=$((NOW + walltime * 100))
  sent_6=0 sent_7=0 skip=0 turns=0
  while [ ! -e "$J/exit" ] && [ -d "$J" ]; do
    now
    if [ "$NOW" -ge "$limit" ]; then
      stop_job "$J" 10 'it reached its walltime' &
      limit=$((NOW + 100000000))
    fi
    pause 10
    turns=$((turns + 1))
    if [ "$skip" -gt 0 ]; then
      skip=$((skip - 1))
    else
      send_logs || skip=10
    fi
  done
  # Beside the collecting, which may take long. A short job's last words come with its results.
  [ "$turns" -lt 2 ] || send_logs
}

send_logs() {
  # shellcheck disable=SC2046
  set -- $(stat -L -c %s /proc/self/fd/6 /proc/self/fd/7)
  [ "$1" -le "$sent_6" ] || { send_log stdout 6 "$sent_6" "$1" && sent_6=$1; } || return 1
  [ "$2" -le "$sent_7" ] || { send_log stderr 7 "$sent_7" "$2" && sent_7=$2; }
}

# NAME DESCRIPTOR FROM END: the last 64 KiB of it.
send_log() {
  [ "$(($4 - $3))" -le 65536 ] || set -- "$1" "$2" "$(($4 - 65536))" "$4"
  dd "if=/proc/self/fd/$2" bs=65536 "skip=$3" "count=$(($4 - $3))" iflag=skip_bytes,count_bytes status=none \
    | call -f --max-time 3 -o /dev/null -X PUT --data-binary @- "$URL/jobs/$JOB/$ATTEMPT/log/$1?from=$3"
}

collect() {
  lost=
  if [ -s "$J/collect" ]; then
    { "${bundler:-bundle}"; whole; } || lost='its results were not collected'
    [ -n "$lost" ] || upload || lost='its results were not taken by the director'
  fi
  off && exit 0
  rm -f "$J/bundle"
  said=$(cat "$J/stop" "$J/caged" 2>/dev/null | awk 'NR > 1 { printf ", " } { printf "%s", $0 }')
  tell ENDED "$said${said:+${lost:+, }}$lost"
  renew
}

# Found and read with the user's rights, bounded in time: what is a file now may be a pipe when it is opened. One that
# vanishes, shrinks or cannot be read does not spoil the others, but a tar without an end is none.
bundle() {
  {
    printf '%s\0' . -regextype posix-extended -xtype f
    cat "$J/collect"
    printf '%s\0' -printf '%P\0'
  } >"$J/find"
  # shellcheck disable=SC2016
  set -- timeout -k 5 3600 env LC_ALL=C.UTF-8 sh -c 'xargs -0 -x -s 1100000 find |
    tar -chf - --hard-dereference --no-recursion --null -T -'
  # A link into its own /tmp leads there.
  if [ -n "${ROOM:-}" ] && [ -n "$(find "$J/own/tmp" "$J/own/var/tmp" -mindepth 1 -type f -print -quit 2>/dev/null)" ]; then
    set -- unshare --mount sh -c "$room_walls" "$J" "$DISK" "$S" '' '' '' '' "$D" \
      setpriv --reuid="$uid" --regid="$gid" --groups="$groups" --no-new-privs --inh-caps=-all -- "$@"
  else
    set -- as_user "$@"
  fi
  "$@" <"$J/find" >"$J/bundle" 2>/dev/null
}

whole() {
  size=$(wc -c <"$J/bundle")
  [ "$size" -gt 0 ] && [ "$((size % 10240))" -eq 0 ] && [ "$(tail -c 1024 "$J/bundle" | tr -d '\0' | wc -c)" -eq 0 ]
}

upload() {
  sha=$(digest <"$J/bundle")
  sha=${sha%% *}
  tenths=2
  conflicts=0
  while ! off && [ "$conflicts" -lt 20 ]; do
    status=$(call -o /dev/null -w '%{http_code}' --speed-limit 1 --speed-time 60 -H "X-Sha256: $sha" \
      -T "$J/bundle" "$URL/jobs/$JOB/$ATTEMPT/results")
    case $status in
      200)
        frame results "$JOB" "$ATTEMPT" "$size" "$sha" >"$J/results"
        return 0
        ;;
      403 | 404) return 1 ;;
      409) conflicts=$((conflicts + 1)) ;;
    esac
    pause "$tenths"
    [ "$tenths" -ge 50 ] || tenths=$((tenths * 2))
  done
  return 1
}
