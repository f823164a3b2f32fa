# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# The user's home within reach of a job: sshfs, read-only, over a TLS stream to the director. The mount is in the namespace of
# the attempt's runner, so it is nobody else's and goes with it. In the room it is the lower layer of the home; what the job
# writes there is in R/upper, on the node's disk.

# HOME_AT: where the job finds its home; empty where it is not within reach.
reach_home() {
  HOME_AT='' R=$J/reach why=''
  [ -n "$reach" ] || return 0
  if [ -z "$ROOM" ] || [ -z "${OWN_MOUNTS:-}" ]; then
    why='jobs here have no rooms with layers'
  elif [ ! -c /dev/fuse ] || ! command -v sshfs >/dev/null; then
    why='there is no /dev/fuse or no sshfs here'
  else
    reach_place && reach_mount
  fi
  [ -z "$why" ] || {
    say "home is not within reach: $why"
    reach_end "$J"
    rm -f "$R/place"
    HOME_AT=''
  }
}

# Where the directory says that it is, unless the mount would hide what is the node's own.
reach_place() {
  HOME_AT=$(directory "(&(objectClass=posixAccount)(uid=$user))" homeDirectory | values homeDirectory)
  case $HOME_AT in
    *[!A-Za-z0-9._/@+-]* | *//* | */../* | */./* | */.. | */. | */) why='its path is malformed' ;;
    /bin | /bin/* | /dev | /dev/* | /etc | /etc/* | /lib* | /proc | /proc/* | /sbin | /sbin/* | /sys | /sys/* | /usr | /usr/* | /var | /run | /tmp)
      why='its path is one of the system' ;;
    /?*) ;;
    *) why='its path is malformed' ;;
  esac
  case $DISK/ in "$HOME_AT"/*) why="this node's own files are below $HOME_AT" ;; esac
  # What a job writes there is safe there.
  case $(stat -f -c %T -- "$HOME_AT" 2>/dev/null) in
    nfs* | lustre | ceph | gpfs | panfs | smb* | cifs | afs | fuse*) why="this node mounts $HOME_AT by itself" ;;
  esac
  [ -z "$why" ]
}

reach_mount() {
  read -r layers <"$S/over"
  mkdir -p "$R/all" "$R/below" "$R/work" && mkdir -m 700 "$R/upper" && chown "$uid:$gid" "$R/upper" && mkfifo "$R/up" "$R/down" || {
    why='its folders could not be made'
    return 1
  }
  name=${DIRECTOR#[}
  openssl s_client -quiet -verify_quiet -verify_return_error -verify_ip "${name%]}" -CAfile "$S/ca.pem" -cert "$S/node.pem" \
    -bind "$ADDRESS:0" -connect "$DIRECTOR:$HTTPS_PORT" <"$R/up" >"$R/down" 2>"$R/said" 3>&- 4>&- 6<&- 7<&- 9<&- &
  echo "$!" >"$R/line"
  reach_session 6<&- 7<&- 9<&- &
  session=$!
  echo "$session" >"$R/session"
  tries=0
  until grep -q " $R/all fuse" /proc/self/mounts; do
    tries=$((tries + 1))
    kill -0 "$session" 2>/dev/null && [ "$tries" -lt 200 ] || {
      why="no answer: $(tail -n 1 "$R/said" | head -c 200)"
      return 1
    }
    pause 1
  done
  rm -f "$R/up" "$R/down"
  # By what the kernel reads ahead a large file takes four times as long over a line of 40 ms.
  device=$(awk -v at="$R/all" '$5 == at { print $3 }' /proc/self/mountinfo)
  { echo 4096 >"/sys/class/bdi/$device/read_ahead_kb"; } 2>/dev/null
  printf '%s %s\n' "$HOME_AT" "$layers" >"$R/place"
  set -f
  for each in $reach; do
    [ "$each" = '~' ] || echo "$each"
  done >"$R/paths"
  set +f
}

# The answer's head must have come before: sshfs would mount what nobody serves.
reach_session() {
  exec 3>"$R/up" 4<"$R/down"
  printf 'POST /v1/jobs/%s/%s/reach HTTP/1.1\r\nHost: director\r\nContent-Length: 1152921504606846976\r\n\r\n' "$JOB" "$ATTEMPT" >&3
  end=$(printf '\r')
  IFS= read -r line <&4
  case $line in 'HTTP/1.1 200'*) ;; *) echo "the director says $line" >>"$R/said" && exit 1 ;; esac
  while IFS= read -r line <&4 && [ "$line" != "$end" ]; do :; done
  links=''
  ! sshfs --help 2>&1 | grep -q no_contain_symlinks || links=,no_contain_symlinks
  exec sshfs -f -o "passive,ro,allow_other,default_permissions,nosuid,nodev,auto_cache$links" \
    -o dcache_timeout=10,attr_timeout=10,entry_timeout=10,negative_timeout=5 :/ "$R/all" <&4 >&3 2>>"$R/said" 3>&- 4<&-
}

# FOLDER: nothing of the job waits for home any more. What waits there cannot be killed before.
reach_end() {
  for each in "$1/reach/session" "$1/reach/line"; do
    read -r process <"$each" && kill -KILL "$process"
    rm -f "$each"
  done 2>/dev/null
}

# What it has written below its home, to where results are looked for.
reach_results() {
  [ -n "$HOME_AT" ] || return 0
  reach_end "$J"
  umount -l "$R/all" 2>/dev/null
  (cd "$R/upper" && as_user cp -an . "$D" 2>/dev/null)
  rm -rf "$R"
}
