# shellcheck shell=sh
# shellcheck disable=SC2154
# The output of a running job, and the results of an ended one.
watch_job() {
  now
  limit=$((NOW + walltime * 100))
  sent_6=0 sent_7=0 skip=0 turns=0 ended=0
  while [ ! -e "$J/exit" ] && [ -d "$J" ]; do
    now
    if [ "$NOW" -ge "$limit" ]; then
      stop_job "$J" 10 'it reached its walltime' &
      limit=$((NOW + 100000000))
    fi
    pause 10
    turns=$((turns + 1))
    [ "$((turns % 10))" -ne 0 ] || spare_room
    # The script has ended, and the kernel waits for something of it that it cannot end.
    [ ! -s "$J/code" ] || {
      reach_end "$J/reach"
      ended=$((ended + 1))
      [ "$ended" -ne 30 ] || { read -r group <"$J/pid" && kill -KILL "-$group"; } 2>/dev/null
    }
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

# NAME DESCRIPTOR FROM END: the last 192 KiB of it, in pieces.
send_log() {
  from=$3
  [ "$(($4 - from))" -le 196608 ] || from=$(($4 - 196608))
  while [ "$from" -lt "$4" ]; do
    piece=$(($4 - from))
    [ "$piece" -le 65536 ] || piece=65536
    dd "if=/proc/self/fd/$2" bs=65536 "skip=$from" "count=$piece" iflag=skip_bytes,count_bytes status=none \
      | call -f --max-time 3 -o /dev/null -X PUT --data-binary @- "$URL/jobs/$JOB/$ATTEMPT/log/$1?from=$from" || return 1
    from=$((from + piece))
  done
}

collect() {
  P=$J
  lost='' behind=''
  if [ -s "$J/collect" ]; then
    { "${bundler:-bundle}"; whole; } || lost='its results were not collected'
    [ -n "$lost" ] || upload || lost='its results were not taken by the director'
  fi
  off && exit 0
  rm -f "$J/bundle"
  said=$({ cat "$J/stop" "$J/caged"; printf '%s\n%s\n%s\n' "$lost" "$behind" "${GONE:-}"; } 2>/dev/null | awk 'NF { printf "%s%s", n++ ? ", " : "", $0 }')
  tell ENDED "$said"
  renew
  tidy_inputs
}

# With the user's rights. A link into its own /tmp leads there.
inside() {
  if [ -n "${ROOM:-}" ] && [ -n "$(find "$J/own/tmp" "$J/own/var/tmp" -mindepth 1 -type f -print -quit 2>/dev/null)" ]; then
    unshare --mount sh -c "$room_walls" "$J" "$DISK" "$S" '' '' '' '' "$D" \
      setpriv --reuid="$uid" --regid="$gid" --groups="$groups" --no-new-privs --inh-caps=-all -- "$@"
  else
    as_user "$@"
  fi
}

# Found and read with the user's rights, bounded in time: what is a file now may be a pipe when it is opened. One that
# vanishes, shrinks or cannot be read does not spoil the others, but a tar without an end is none.
bundle() {
  weigh "$D" '%s %b %n\0' >"$J/weighed"
  behind_home=''
  [ -z "${HOME_AT:-}" ] || below_home
  pack
  behind=$behind${behind:+${behind_home:+, }}$behind_home
  # shellcheck disable=SC2016
  [ -z "${HOME_AT:-}" ] || as_user sh -c 'cd -- "$0" && for each in .spillway-home .spillway-at; do [ ! -L "$each" ] || rm -- "$each"; done' "$D"
}

# With the user's home within reach (descriptor 5: what the job has written there): as if it lay in the job's folder, where that has
# no file of the name; all else below .spillway-home, which is for what no output names. Hidden names at the top are caches and settings.
below_home() {
  # shellcheck disable=SC2016
  as_user sh -c 'cd -- "$0" && ln -sn /proc/self/fd/5 .spillway-home && ln -sn /proc/self/fd/5 .spillway-at' "$D" 2>/dev/null || {
    behind_home='its folder has a .spillway-home or a .spillway-at of its own, so nothing of what it wrote below its home was collected'
    return
  }
  : >"$J/unnamed"
  weigh /proc/self/fd/5 '%s %b %n\0' >"$J/named"
  ! grep -qzF spillway-home "$J/collect" || {
    printf '%s\0' .spillway-home/ -mindepth 1 -path '.spillway-home/.*' -prune -o -xtype f -printf '%p\0' >"$P/find"
    # shellcheck disable=SC2016
    inside timeout -k 5 3600 env LC_ALL=C.UTF-8 sh -c 'cd -- "$0" && xargs -0 -x -s 1100000 find |
      xargs -0 -r stat -L --printf "%s %b %n\0" --' "$D" <"$P/find" 2>/dev/null | head -c 200000000 >"$J/unnamed"
  }
  cp "$J/weighed" "$J/near"
  LC_ALL=C awk -v near="$J/near" -v named="$J/named" 'function split_name(line) {
    match(line, /^[0-9]+ [0-9]+ /)
    sizes = substr(line, 1, RLENGTH)
    name = substr(line, RLENGTH + 1)
  } BEGIN {
    RS = "\0"
    while ((getline line <near) > 0) { split_name(line); here[name] }
    while ((getline line <named) > 0) {
      split_name(line)
      if (name in here) continue
      taken[name]
      printf "%s.spillway-at/%s%c", sizes, name, 0
    }
  } { split_name($0); if (!(substr(name, 16) in taken)) printf "%s%c", $0, 0 }' "$J/unnamed" >>"$J/weighed"
}

# FOLDER FORMAT: of what the job was to make there, as stat prints it. A job with a file .spillway/since has said that of its files
# only those are results that have changed after it.
weigh() {
  {
    printf '%s\0' . -regextype posix-extended -xtype f
    [ "$1" != "$D" ] || ! as_user test -f "$D/.spillway/since" ||
      printf '%s\0' '(' -path './.spillway/*' -o -newercc "$D/.spillway/since" ')'
    cat "$J/collect"
    printf '%s\0' -printf '%P\0'
  } >"$P/find"
  # shellcheck disable=SC2016
  inside timeout -k 5 3600 env LC_ALL=C.UTF-8 sh -c 'cd -- "$0" && xargs -0 -x -s 1100000 find |
    xargs -0 -r stat -L --printf "$1" --' "$1" "$2" <"$P/find" 2>/dev/null | head -c 200000000
}

# Weighed files (bytes, blocks of 512, name) become the bundle, as many as there is room for. Where a file system's blocks
# say less than what tar reads, once more with whole sizes.
pack() {
  for dense in 0 1; do
    # shellcheck disable=SC2034
    for tries in 1 2 3; do
      : >"$P/bundle"
      choose
      # Nothing stays behind for what is only kept.
      [ "$over" -eq 0 ] || [ "$full" -eq 1 ] || [ "$where" != 'this node has room' ] || { free_inputs "$SIZE" && choose; }
      # Room that others who pack at the same time do not have; a file system that cannot keep it refuses each time.
      fallocate -n -l "$total" "$P/bundle" 2>/dev/null && break
    done
    # shellcheck disable=SC2016
    inside timeout -k 5 3600 env LC_ALL=C.UTF-8 sh -c 'cd -- "$0" && ulimit -f "$1" && shift && exec tar "$@"' "$D" \
      "$((total / 512))" -chf - ${HOME_AT:+"--transform=flags=r;s,^\.spillway-at/,,"} ${packed_as:+"--transform=flags=r;$packed_as"} ${sparse:+-S --format=posix} --hard-dereference --no-recursion --null -T - \
      <"$P/chosen" >>"$P/bundle" 2>/dev/null
    [ -n "$sparse" ] && ! whole || return 0
  done
}

# Small files before large ones, what it printed before all: a file that is too large costs itself and no other. Of one
# with holes its blocks travel. One bundle has no more files than those at home take.
choose() {
  disk_left "$J"
  where='this node has room'
  [ -z "$region" ] || [ "$LEFT" -le "$region" ] || LEFT=$region where='its region has room'
  : >"$P/chosen"
  # shellcheck disable=SC2016
  LC_ALL=C awk -v dense="$dense" 'BEGIN { RS = "\0" } {
    name = substr($0, length($1) + length($2) + 3)
    holes = $2 * 512 < $1 && !dense
    need = (holes ? $2 * 512 : $1) + 2048 + 2 * length(name)
    printf "%.0f %.0f %d %s%c", name ~ /^\.spillway\// ? 0 : need, need, holes, name, 0 }' "$P/weighed" |
    LC_ALL=C sort -z -n | LC_ALL=C awk -v left="$LEFT" -v chosen="$P/chosen" '
    BEGIN { RS = "\0"; total = 20480 }
    {
      name = substr($0, length($1) + length($2) + length($3) + 4)
      if (files < 300000 && total + $2 <= left) {
        files++; total += $2
        if ($3) sparse = "yes"
        printf "%s%c", name, 0 >chosen
        next
      }
      lost++; need = $2; which = name
    }
    END { printf "%.0f %s %d %d %.0f %s\n", total, (sparse ? sparse : "no"), (files >= 300000), lost, need, which }' |
    LC_ALL=C tr -c '[:print:]\n' '?' >"$P/choice"
  read -r total sparse full over need which <"$P/choice" || total=20480 sparse=no over=0
  [ "$sparse" = yes ] || sparse=
  behind=
  [ "$over" -gt 0 ] || return 0
  behind="of its results left behind: $over, the largest $(printf %s "$which" | head -c 200) of $((need / 1048576)) MiB"
  if [ "$full" -eq 1 ]; then
    behind="$behind: a bundle has 300000 files at most"
  else
    behind="$behind: $where for $((LEFT / 1048576)) MiB"
  fi
}

whole() {
  size=$(wc -c <"$P/bundle")
  [ "$size" -gt 0 ] && [ "$((size % 10240))" -eq 0 ] && [ "$(tail -c 1024 "$P/bundle" | tr -d '\0' | wc -c)" -eq 0 ]
}

upload() {
  give results || return 1
  frame results "$JOB" "$ATTEMPT" "$size" "$sha" >>"$J/results"
}

# NAME: the bundle under that name of the order, unless it is refused.
give() {
  sha=$(digest <"$P/bundle")
  sha=${sha%% *}
  tenths=2
  conflicts=0
  while ! off && [ "$conflicts" -lt 20 ]; do
    status=$(call -o /dev/null -w '%{http_code}' --speed-limit 1 --speed-time 60 -H "X-Sha256: $sha" \
      -T "$P/bundle" "$URL/jobs/$JOB/$ATTEMPT/$1")
    case $status in
      200) return 0 ;;
      403 | 404 | 413) return 1 ;;
      409) conflicts=$((conflicts + 1)) ;;
    esac
    pause "$tenths"
    [ "$tenths" -ge 50 ] || tenths=$((tenths * 2))
  done
  return 1
}
