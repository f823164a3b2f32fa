# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# The user's home within reach of a job: a read-only file system that the program of reach.pl is, over TLS streams to the director, in R.
# For a job of this program the mount is in the namespace of the attempt's runner, so it is nobody else's and goes with it. In the room it is the lower layer of
# the home; what the job writes there is in R/upper, on the node's disk, and results are taken from there.

# HOME_AT: where the job finds its home; empty where it is not within reach.
reach_home() {
  HOME_AT='' R=$J/reach INTO='' ALONE='' TABLE=/proc/self why=''
  [ -n "$reach" ] || return 0
  if [ -z "$ROOM" ] || [ -z "${OWN_MOUNTS:-}" ]; then
    why='jobs here have no rooms with layers'
  elif [ ! -c /dev/fuse ]; then
    why='there is no /dev/fuse here'
  elif ! command -v perl >/dev/null; then
    why='there is no perl here'
  else
    reach_place && reach_layer && reach_mount && reach_paths
  fi
  [ -z "$why" ] || {
    say "home is not within reach: $why"
    reach_end "$R"
    rm -f "$R/place"
    HOME_AT=''
  }
}

# Where the directory says that it is, unless the mount would hide what is the node's own.
reach_place() {
  HOME_AT=$(directory "(&(objectClass=posixAccount)(uid=$user))" homeDirectory | values homeDirectory)
  case $HOME_AT in
    *[!A-Za-z0-9._/@+-]* | *//* | */../* | */./* | */.. | */. | */) why='its path is malformed' ;;
    /bin | /bin/* | /dev | /dev/* | /etc | /etc/* | /lib* | /proc | /proc/* | /root | /root/* | /run/* | /sbin | /sbin/* | /sys | /sys/* | /usr | /usr/* | /var | /run | /tmp)
      why='its path is one of the system' ;;
    /?*) ;;
    *) why='its path is malformed' ;;
  esac
  case $DISK/ in "$HOME_AT"/*) why="this node's own files are below $HOME_AT" ;; esac
  # A file that a job writes there is safe there.
  case $(stat -f -c %T -- "$HOME_AT" 2>/dev/null) in
    nfs* | lustre | ceph | gpfs | panfs | smb* | cifs | afs | fuse*) why="this node mounts $HOME_AT by itself" ;;
  esac
  [ -z "$why" ]
}

# A folder for what is written, and where it may lie.
reach_layer() {
  read -r layers <"$S/over" && [ "$layers" != no ] || why='this machine takes no layers'
  mkdir -p "$R/all" "$R/below" "$R/work" && mkdir -m 700 "$R/upper" && chown "$uid:$gid" "$R/upper" || why='its folders could not be made'
  [ -z "$why" ]
}

# Home at R/all, in the namespace that the words of INTO lead into; TABLE has its mounts. ALONE: setsid, for what outlives its runner.
reach_mount() {
  printf '%s' "$reach_program" >"$R/program" || {
    why='its program could not be written'
    return 1
  }
  name=${DIRECTOR#[}
  # shellcheck disable=SC2086
  $ALONE $INTO perl "$R/program" "$R" "$JOB/$ATTEMPT" 120 openssl s_client -quiet -verify_quiet -verify_return_error -verify_ip "${name%]}" -CAfile "$S/ca.pem" -cert "$S/node.pem" \
    -bind "$ADDRESS:0" -connect "$DIRECTOR:$HTTPS_PORT" </dev/null >/dev/null 2>"$R/said" 3>&- 4>&- 6<&- 7<&- 9<&- &
  line=$!
  echo "$line" >"$R/line"
  tries=0
  until grep -q " $R/all fuse" "$TABLE/mounts"; do
    tries=$((tries + 1))
    kill -0 "$line" 2>/dev/null && [ "$tries" -lt 1500 ] || {
      why="no answer: $(tail -n 1 "$R/said" | head -c 200)"
      return 1
    }
    pause 1
  done
  # By what the kernel reads ahead a large file takes four times as long over a line of 40 ms.
  device=$(awk -v at="$R/all" '$5 == at { print $3 }' "$TABLE/mountinfo")
  { echo 4096 >"/sys/class/bdi/$device/read_ahead_kb"; } 2>/dev/null
  return 0
}

# Further folders, for the room.
reach_paths() {
  printf '%s %s\n' "$HOME_AT" "$layers" >"$R/place"
  printf '%s\n' "$reach_lay" >"$R/lay"
  set -f
  for each in $reach; do
    [ "$each" = '~' ] || echo "$each"
  done >"$R/paths"
  set +f
}

# Laid over HOME, in a namespace of its own or that of a manager's daemon: R HOME LAYERS. A file whose contents are still at home (metacopy) would be
# taken for a result of nothing but zeros; kernels that have no such files do not know the word.
reach_lay='set -e
cd "$0"
mount --bind "all$1" below
mount -t overlay -o "lowerdir=below,upperdir=upper,workdir=work,$2,metacopy=off" home "$1" 2>/dev/null ||
  mount -t overlay -o "lowerdir=below,upperdir=upper,workdir=work,$2" home "$1"'

# R: nothing of the job waits for home any more. What waits there cannot be killed before. A number that is another process's by now
# is known by its words.
reach_end() {
  for each in line call; do
    read -r process <"$1/$each" && grep -qszF "$S/node.pem" "/proc/$process/cmdline" && kill -KILL "$process"
    rm -f "$1/$each"
  done 2>/dev/null
}

# The job's files below its home are collected from where they lie, and copied nowhere (results.sh). Names that it removed there or
# changed are at home still, which is said: GONE.
reach_results() {
  GONE=''
  [ -n "$HOME_AT" ] || return 0
  reach_end "$R"
  umount -l "$R/all" 2>/dev/null
  exec 5<"$R/upper"
  reach_gone
}

# FIND WORDS: which of those marks in R/upper count; none for all.
# shellcheck disable=SC2120
reach_gone() {
  GONE=$(find "$R/upper" -xdev -type c "$@" -printf '%P\n' 2>/dev/null | LC_ALL=C tr -c '[:print:]\n' '?' | awk '
    NR <= 3 { names = names (NR > 1 ? ", " : "") substr($0, 1, 60) } END { if (NR) print NR ": " names (NR > 3 ? ", ..." : "") }')
  [ -z "$GONE" ] || GONE="removed or renamed below its home there, and at home as before: $GONE"
}
