# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# An attempt from inside, in a process of its own. The director hands this part out, with results.sh: user data has no room.
read_facts() {
  foreign='' of='' user='' uid='' gid='' walltime='' rank='' nodes='' peers='' names='' cpus=0 memory=0 gpus='' region='' checkpoint='' sync=0 reach='' container=''
  while read -r key value; do
    case $key in
      foreign) foreign=$value ;;
      manager) of=$value ;;
      user) user=$value ;;
      uid) uid=$value ;;
      gid) gid=$value ;;
      walltime) walltime=$value ;;
      rank) rank=$value ;;
      nodes) nodes=$value ;;
      peers) peers=$value ;;
      names) names=$value ;;
      cpus) cpus=$value ;;
      memory) memory=$value ;;
      gpus) gpus=$value ;;
      room) region=$value ;;
      checkpoint) checkpoint=$value ;;
      sync) sync=$value ;;
      reach) reach=$value ;;
      container) container=$value ;;
    esac
  done <"$J/facts"
  [ -n "$peers" ] || peers=$ADDRESS
  case $cpus$memory$gpus$region$sync in *[!0-9]*) refuse 'what it asked for is malformed' ;; esac
  case $user in '' | *[!A-Za-z0-9._@\$-]*) refuse 'the user name is malformed' ;; esac
}

find_user() {
  for tenths in 2 5 10 20 20 20 20; do
    known=
    found=$(directory "(|(&(objectClass=posixAccount)(|(uid=$user)(uidNumber=$uid)))(&(objectClass=posixGroup)(memberUid=$user)))" \
      uid,uidNumber,gidNumber) && known=$(printf '%s\n' "$found" | accounts) && [ -n "$known" ] && break
    pause "$tenths"
  done
  [ -n "$known" ] || refuse "user $user is not in the directory"
  [ "$(printf '%s\n' "$known" | wc -l)" -eq 1 ] ||
    refuse "user $user cannot be told apart in the directory: $(printf '%s\n' "$known" | cut -d ' ' -f 2- | paste -sd ';' - | sed 's/;/ and /g')"
  [ "${known%% *}" != - ] || refuse "uid $uid is another's in the directory, and not $user's"
  [ "${known%% *}" = "$uid" ] || refuse "user $user has uid ${known%% *} in the directory, not $uid"
  mine=$(id -u)
  groups=$(printf '%s\n' "$found" | values gidNumber | sort -u)
  printf '%s\n' "$groups" | grep -qxF "$gid" || refuse "gid $gid is no group of $user in the directory"
  groups=$(printf '%s\n' "$groups" | paste -sd , -)
  [ -z "${STOCK:-}" ] || free_number
  [ "$mine" -eq 0 ] || [ "$mine" -eq "$uid" ] || return 0
  RAN_AS=user
}

# Of LDIF: a line for each account, UID DN; instead of the number a dash where the login is another's, or a question mark
# for what is none. A value is the whole line, or it is another: what needs another form (uid::) is nobody's login.
accounts() {
  awk -v user="$user" '
    function told(i) {
      if (account && !n) number[n++] = "?"
      for (i = 0; i < n; i++) print own ? number[i] : "-", dn
      account = own = n = 0
    }
    /^dn:/ { told(); dn = $0; sub(/^dn:+ */, "", dn) }
    /^uid:/ { account = 1; own = own || $0 == "uid: " user }
    /^uidNumber:/ { number[n++] = /^uidNumber: [0-9]+$/ ? $2 : "?" }
    END { told() }'
}

# A stock image's first account often has the number of somebody at home, and may become root: it goes.
free_number() {
  owner=$(getent passwd "$uid" | cut -d: -f1)
  case $owner in '' | "$user") return 0 ;; esac
  userdel -f "$owner" 2>/dev/null
  [ -z "$(getent passwd "$uid")" ] || refuse "uid $uid is $owner's on this image"
}

# Where this machine has no name for the user's number, the directory's are put in its place, for this job alone.
name_user() {
  named=
  [ "$mine" -eq 0 ] && { [ -n "$ROOTED" ] || [ "$(id -nu "$uid" 2>/dev/null)" != "$user" ]; } && { [ -n "$ROOM" ] || unshare -m true 2>/dev/null; } || return 0
  own=$(directory "(&(objectClass=posixGroup)(|(gidNumber=$gid)(memberUid=$user)))" cn,gidNumber) || return 0
  { echo "$user:x:$uid:$gid::${HOME_AT:-$D}:/bin/sh" && cat "$ROOTED/etc/passwd"; } >"$J/passwd"
  {
    printf '%s\ndn:\n' "$own" | awk -v user="$user" '
      $1 == "cn:" { name = substr($0, 5) } $1 == "gidNumber:" { number = $2 }
      $1 == "dn:" { if (name ~ /^[A-Za-z0-9._@$ -]+$/ && number ~ /^[0-9]+$/) print name ":x:" number ":" user; name = number = "" }'
    cat "$ROOTED/etc/group"
  } >"$J/group"
  chmod 644 "$J/passwd" "$J/group"
  named=yes
}

# All small parts over one connection.
fetch_order() {
  set --
  for part in facts script arguments environment inputs collect; do
    set -- "$@" -o "$J/$part" "$URL/jobs/$JOB/$ATTEMPT/$part"
  done
  fetch "$@"
}

# Patient, unless the order is gone (403).
fetch() {
  tenths=2
  while ! off; do
    call -f --fail-early --speed-limit 1 --speed-time 60 "$@" && return 0
    status=$(call -o /dev/null -w '%{http_code}' --max-time 5 "$URL/jobs/$JOB/$ATTEMPT/facts")
    [ "$status" != 403 ] && [ ! -e "$J/stop" ] || return 1
    pause "$tenths"
    [ "$tenths" -ge 20 ] || tenths=$((tenths * 2))
  done
  return 1
}

# The streams are opened before the folder becomes the user's, for writing (3, 4) and for reading (6, 7): whatever lies
# at their names later, these are the files. From then on all that touches the folder has the user's rights.
make_folder() {
  mkdir -p "$D/.spillway"
  cp "$J/script" "$D/.spillway/script" && chmod 700 "$D/.spillway/script"
  exec 3>"$D/.spillway/stdout" 4>"$D/.spillway/stderr" 6<"$D/.spillway/stdout" 7<"$D/.spillway/stderr"
  [ "$mine" -ne 0 ] || { chown -RhP "$uid:$gid" "$D/.spillway" && chown -h "$uid:$gid" "$D"; }
}

# The outputs that an earlier attempt left when its machine was taken back: beside the job's files and not among them, so that
# a script which knows nothing of them finds what it found then. Where they are gone the job begins anew.
fetch_checkpoint() {
  [ -n "$checkpoint" ] || return 0
  bytes=${checkpoint%% *} before=$D/.spillway/checkpoint
  case $bytes in '' | *[!0-9]*) refuse 'what its earlier attempt left is malformed' ;; esac
  input_fits "$((bytes * 2))" "$J"
  tenths=2
  until status=$(call -f -C - --speed-limit 1 --speed-time 60 -o "$J/checkpoint" -w '%{http_code}' \
    "$URL/jobs/$JOB/$ATTEMPT/checkpoint"); do
    case $status in 403 | 404) break ;; esac
    ! off && [ ! -e "$J/stop" ] || return 0
    pause "$tenths"
    [ "$tenths" -ge 20 ] || tenths=$((tenths * 2))
  done
  [ -e "$J/checkpoint" ] || : >"$J/checkpoint"
  found=$(digest <"$J/checkpoint")
  if [ "${found%% *}" = "${checkpoint##* }" ]; then
    as_user mkdir -m 700 -- "$before" &&
      as_user timeout -k 5 3600 tar -xf - -C "$before" --no-same-owner --anchored --exclude=.spillway <"$J/checkpoint" 2>"$J/unpacked" ||
      refuse "what its earlier attempt left was not unpacked: $(head -c 200 "$J/unpacked" | tr -c '[:print:]' ' ')"
  else
    say 'what its earlier attempt left is gone'
    checkpoint=
  fi
  rm -f "$J/checkpoint"
}

# A list of words, divided by NUL: never text that a shell reads again.
command_line() {
  image=$IMAGES/$(cat "$S/image")
  own=$image/bin:$image/usr/bin:
  [ -z "$ROOTED" ] || own='' image=/
  over=
  trees=
  if [ -e "$S/overlays" ]; then
    while read -r _ sha _; do
      over=$over$IMAGES/$sha/bin:$IMAGES/$sha/usr/bin:
      trees=$trees${trees:+:}$IMAGES/$sha
      # NAME=VALUE, a line each.
      grep -E '^[A-Za-z_][A-Za-z0-9_]*=' "$IMAGES/$sha/spillway/environment" | tr '\n' '\0'
    done <"$S/overlays" 2>/dev/null
  fi
  printf '%s\0' "HOME=${HOME_AT:-$D}" "USER=$user" "LOGNAME=$user"
  # An image has programs at places of its own.
  [ -n "$container" ] || printf '%s\0' "PATH=$over$own/usr/local/bin:/usr/bin:/bin"
  cat "$J/environment"
  # An empty list hides all: of a node with GPUs a job that asked for none sees none.
  [ -z "$gpus" ] || [ "$gpus$all" = 00 ] || {
    seen=$TAKEN
    # Drivers count those whose files they see.
    [ -z "$DEVICES" ] || seen=$(seq -s , 0 "$((gpus - 1))")
    printf '%s\0' CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$seen" "ROCR_VISIBLE_DEVICES=$seen" "SPILLWAY_GPUS=$TAKEN"
  }
  printf 'SPILLWAY_%s\0' "JOB_ID=$JOB" "ATTEMPT=$ATTEMPT" "NODE=$(cat "$S/node")" "IMAGE=$image" ${VERSION:+"IMAGE_VERSION=$VERSION"} ${trees:+"OVERLAYS=$trees"} "INSTANCE_ID=$ID" \
    "TASK=$ID/$JOB.$ATTEMPT" "RANK=$rank" "NODES=$nodes" "PEERS=$peers" "MASTER=${peers%%,*}" ${NAMES:+"NAMES=$NAMES"}
  [ -z "$checkpoint" ] || printf '%s\0' "SPILLWAY_CHECKPOINT=$D/.spillway/checkpoint"
  printf '%s\0' /bin/sh -c 'trap : TERM; "$@" 5>&-; c=$?; echo "$c" >&5; exit "$c"' job
  [ -z "$container" ] || printf './.spillway/in\0'
  [ "$(head -c 2 "$J/script")" = '#!' ] || printf '/bin/sh\0'
  printf './.spillway/script\0'
  cat "$J/arguments"
}

# Until all nodes of a gang have come here. The director answers at once when the last one does.
wait_for_gang() {
  [ "$nodes" -gt 1 ] || return 0
  : >"$J/waiting"
  while ! off && [ ! -e "$J/stop" ]; do
    case $(call -o /dev/null -w '%{http_code}' --max-time 30 -X POST "$URL/jobs/$JOB/$ATTEMPT/prepared") in
      200) break ;;
      202) ;;
      403) refuse 'the order was taken back' ;;
      409) refuse 'cancelled before it started' ;;
      *) pause 3 ;;
    esac
  done
  rm -f "$J/waiting"
}

run_job() {
  attempt_facts "$1" "$2"
  echo "$$" >"$J/runner"
  own_mounts "$1" "$2"
  cage_find
  room_find
  trap 'last_word' EXIT
  fetch_order || refuse 'the order was taken back'
  for part in script arguments environment inputs collect; do [ -e "$J/$part" ] || : >"$J/$part"; done
  read_facts
  mounts_there || await_mounts
  root_find || refuse "$DETAIL"
  [ -z "$foreign" ] || {
    D=$(fact folder "$J/facts")
    manager_parts && [ "$manager" = "$of" ] || refuse "this node does not serve $of"
    manager_order
  }
  find_user
  [ -z "$foreign" ] || {
    manager_job
    exit 0
  }
  mkdir -p "$D"
  take_input
  make_folder
  put_input
  fetch_checkpoint
  reach_home
  name_user
  take_container
  cage_make "$JOB.$ATTEMPT" || refuse 'its cgroup could not be made'
  [ -z "$ROOM" ] || { room_make "$J" && root_make "$J"; } || refuse 'its own folders could not be made'
  forwards_begin
  name_peers || refuse 'its names could not be written'
  own_gpus
  room_devices
  command_line >"$J/command"
  printf '%s %s %s %s %s %s\n' "$user" "$uid" "$gid" "$groups" "$mine" "$RAN_AS" >"$J/who"
  wait_for_gang
  [ ! -e "$J/stop" ] || refuse 'stopped before it started'
  off && exit 0
  execute
  reach_results
  collect
}

# However this process ends, the head is not left waiting.
last_word() {
  off || [ ! -d "$J" ] || grep -Eq '^[0-9]+:job [^ ]+ [0-9]+ (ENDED|REFUSED)' "$J/report" || {
    [ "$CODE" != - ] || CODE=127
    tell ENDED 'its runner failed'
    renew
  }
  reach_end "$J/reach"
  forwards_end
  container_end
  cage_end "$JOB.$ATTEMPT"
  give_gpus "$JOB.$ATTEMPT"
  room_end "$JOB.$ATTEMPT"
}

# An attempt that ended a moment ago may be giving its own back.
own_gpus() {
  TAKEN=
  for tenths in 5 10 20 0; do
    [ -n "$gpus" ] || return 0
    take_gpus "$JOB.$ATTEMPT" "$gpus" && return 0
    pause "$tenths"
  done
  refuse "$gpus of the $all GPUs here are not free"
}

execute() {
  cd "$D" || exit 1
  # A user's words to a job are nobody else's: the words of a process are for everyone to read, so they are read
  # from a file that was opened with our rights, and turn into an environment at once.
  words=$(tr -dc '\0' <"$J/command" | wc -c)
  # A job may fill this disk; how it ended is told all the same.
  : >"$J/code"
  { fallocate -n -l 64 "$J/code" && fallocate -l 1048576 "$J/spare"; } 2>/dev/null
  exec 5>>"$J/code"
  STARTED=$(date +%s%3N)
  set -- xargs -0 -x -s 500000 -n "$words" env -i
  [ "$mine" -ne 0 ] || set -- setpriv --reuid="$uid" --regid="$gid" --groups="$groups" --no-new-privs --inh-caps=-all -- "$@"
  [ -z "$ROOTED" ] || set -- setpriv --no-new-privs --inh-caps=-all -- env -i "PATH=$PATH" xargs -0 -x -s 500000 -n "$words" \
    "$(command -v chroot)" --userspec="+$uid:+$gid" --groups="+$(printf %s "$groups" | sed 's/,/,+/g')" . /bin/sh -c "$root_words" "$D"
  # shellcheck disable=SC2016
  [ -n "$ROOM" ] || [ -z "$named" ] || set -- unshare -m sh -c \
    'mount --bind "$0/passwd" /etc/passwd && mount --bind "$0/group" /etc/group; exec "$@"' "$J" "$@"
  # shellcheck disable=SC2016
  [ -n "$ROOM" ] || [ ! -e "$J/walls" ] || set -- unshare -m sh -c \
    'set -e; J=$0 place=$1; shift; . "$J/walls"; exec "$@"' "$J" "$D" "$@"
  # shellcheck disable=SC2086
  [ -z "$ROOM" ] || set -- unshare $ROOM sh -c "$room_walls" "$J" "$DISK" "$S" "$DEVICES" "$named" "$view" "$J/stop" "$D" "$@"
  [ ! -s "$J/hostname" ] || set -- unshare --uts sh -c "$name_words" "$J/hostname" "$@"
  doors=$(cage_doors "$JOB.$ATTEMPT")
  # When memory is short, the job goes and not the agent; with its rights it cannot take that back.
  # shellcheck disable=SC2016
  set -- sh -c '{ echo 500 >/proc/self/oom_score_adj; } 2>/dev/null
    for door in $0; do echo 0 >"$door" || exit 125; done; exec "$@"' "$doors" "$@"
  setsid "$@" <"$J/command" >&3 2>&4 3>&- 4>&- 6<&- 7<&- &
  child=$!
  exec 3>&- 4>&- 5>&-
  echo "$child" >"$J/pid.new" && mv "$J/pid.new" "$J/pid"
  tell RUNNING ''
  # The job comes first: this machine may have no core to spare.
  { pause 1; renew; } &
  watch_job &
  sync_outputs &
  syncing=$!
  wait "$child"
  CODE=$?
  rm -f "$J/spare"
  reach_end "$J/reach"
  # A signal to the group ends xargs at once; the script may still be clearing up, and has its own last word.
  late=0
  while [ ! -s "$J/code" ] && [ "$late" -lt 100 ] && kill -0 "-$child" 2>/dev/null; do
    pause 1
    [ ! -e "$J/killed" ] || late=$((late + 1))
  done
  told=$(head -c 4 "$J/code")
  case $told in '' | *[!0-9]*) ;; *) [ "$told" -gt 255 ] || CODE=$told ;; esac
  ENDED=$(date +%s%3N)
  kill -KILL "-$child" 2>/dev/null
  echo "$CODE $STARTED $ENDED" | put "$J/exit"
  forwards_end
  end_sync "$syncing"
  starved=$(cage_starved "$JOB.$ATTEMPT")
  [ "${starved:-0}" -eq 0 ] ||
    echo "it used more than its $((memory / 1048576)) MiB of memory: the kernel killed $starved of its processes" >>"$J/caged"
  sweep "$JOB.$ATTEMPT"
  cage_end "$JOB.$ATTEMPT"
  [ "$CAGE_LEFT" -eq 0 ] || echo "$CAGE_LEFT of its processes cannot be ended" >>"$J/caged"
  give_gpus "$JOB.$ATTEMPT"
}
