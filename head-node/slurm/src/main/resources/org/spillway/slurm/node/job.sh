# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# An order for a job that Slurm runs: its data and its gate, not its processes.
manager_order() {
  mkdir -p "$F/gate"
  printf '%s.%s\n' "$JOB" "$ATTEMPT" | put "$F/gate/$foreign"
}

manager_job() {
  [ -s "$F/grant" ] || refuse 'this node does not serve Slurm'
  [ "$mine" -eq 0 ] || refuse 'slurmd needs root'
  RAN_AS=user
  grep -q "^$user:x:$uid:" "$F/passwd" || getent passwd "$user" >/dev/null || slurm_names || refuse 'the directory does not answer'
  slurm_folder
  slurm_streams
  slurm_input
  slurm_peers
  : >"$J/prepared"
  slurm_adds
  slurm_streams_told
  printf '%s %s %s %s %s %s\n' "$user" "$uid" "$gid" "$groups" "$mine" "$RAN_AS" >"$J/who"
  wait_for_gang
  [ ! -e "$J/stop" ] || refuse 'stopped before it started'
  off && exit 0
  : >"$J/go"
  STARTED=$(date +%s%3N)
  tell RUNNING ''
  renew &
  wait_for_slurm
  CODE=0
  ENDED=$(date +%s%3N)
  echo "$CODE $STARTED $ENDED" | put "$J/exit"
  bundler=slurm_bundle
  collect
}

# Where its standard output (6) and error (7) will be, by Slurm's word. slurmd makes no folder for them: at home it is there.
slurm_streams() {
  [ ! -e /run/slurm/conf/slurm.conf ] || export SLURM_CONF=/run/slurm/conf/slurm.conf
  told=$(timeout 10 scontrol -o show job "$foreign" 2>/dev/null | grep "^JobId=$foreign " | sed "s, \$,,")
  stream_6=$(slurm_stream StdOut) stream_7=$(slurm_stream StdErr) sent_6=0 sent_7=0
  slurm_is_shared "$D" || for stream in "$stream_6" "$stream_7"; do
    case $stream in
      "$D"/*/*) ;;
      *) slurm_below "$stream" >/dev/null || continue ;;
    esac
    as_user mkdir -p -- "${stream%/*}" 2>/dev/null
  done
}

# A stream that lies below home and not in the job's folder, as a path in home.
slurm_below() {
  case $1 in "$D"/*) return 1 ;; "${home:-/dev/null}"/?*) printf '%s\n' "${1#"$home"/}" ;; *) return 1 ;; esac
}

# The way to home from the job's folder, by which what lies there is packed.
slurm_home_link() {
  below=$home
  [ -z "$HOME_AT" ] || below=/proc/self/fd/6
  as_user ln -sfn -- "$below" "$HERE/.spillway-home" 2>/dev/null
}

# The job's output there, whatever else is packed. What is added to such a file is not brought: nobody knows whose it is.
slurm_weigh_below() {
  [ -z "$adds" ] || return 0
  [ "$stream_7" != "$stream_6" ] || stream_7=
  for stream in "$stream_6" "$stream_7"; do
    name=$(slurm_below "$stream") && slurm_home_link || continue
    sizes=$(as_user timeout 5 stat -L -c '%s %b' -- "$HERE/.spillway-home/$name" 2>/dev/null) && printf '%s .spillway-home/%s\0' "$sizes" "$name"
  done
}

# Jobs that add to their output (SPILLWAY_OPEN_MODE) may share a file, one after the other and at one time. Each byte of it is one
# job's alone, whose runner was the first to look: it is in J/added.6 or .7 from then on, and the file's claim says how far that is.
slurm_adds() {
  adds=
  grep -qzx 'SPILLWAY_OPEN_MODE=append' "$J/environment" || return 0
  adds=yes
  mkdir -p "$F/claims"
  [ "$stream_7" != "$stream_6" ] || stream_7=
  for stream in "$stream_6" "$stream_7"; do
    slurm_shares_stream "$stream" || (
      # Of what is there nothing is this job's; of home's own file none is to come along, however long it is by then.
      exec 8>"$F/claims.lock" && flock -w 60 8
      # shellcheck disable=SC2016
      [ -z "$HOME_AT" ] || ! as_user test -f "$stream" || as_user sh -c ': >"$0"' "$stream" 2>/dev/null
      size=$(as_user timeout 5 stat -L -c %s -- "$stream" 2>/dev/null)
      echo "${size:-0}" >"$(slurm_claim_of "$stream")"
    )
  done
  : >"$J/added.6" && : >"$J/added.7"
}

# Whether a job that is here writes to that file.
slurm_shares_stream() {
  for other in "$F"/streams/*; do
    alive "$S/jobs/${other##*/}/runner" && [ "${other##*/}" != "$JOB.$ATTEMPT" ] && grep -qxF -- "$1" "$other" && return
  done
  return 1
}

slurm_claim_of() { printf '%s\n' "$F/claims/$uid.$(printf '%s' "$1" | digest | cut -c 1-32)"; }

# NUMBER STREAM [PLACE]: what is nobody's yet, from where that file is seen.
slurm_claim() (
  exec 8>"$F/claims.lock" && flock -w 10 8 || return
  size=$(as_user timeout 5 stat -L -c %s -- "${3:-$2}" 2>/dev/null) || return 0
  claim=$(slurm_claim_of "$2") claimed=0
  { read -r claimed <"$claim"; } 2>/dev/null
  # Somebody has begun it anew.
  [ "$size" -ge "${claimed:-0}" ] || claimed=0
  [ "$size" -gt "${claimed:-0}" ] || return 0
  as_user timeout 60 dd "if=${3:-$2}" bs=65536 "skip=$claimed" "count=$((size - claimed))" iflag=skip_bytes,count_bytes,nonblock status=none \
    >>"$J/added.$1" && echo "$size" >"$claim"
)

# The last of it, as files in the job's folder, by which its own parts take the place of the shared ones in what is packed.
slurm_added() {
  packed_as=
  [ -n "$adds" ] || return 0
  for each in 6 7; do
    if [ "$each" = 6 ]; then stream=$stream_6; else stream=$stream_7; fi
    case $stream in "$D"/*) name=${stream#"$D"/} ;; *) continue ;; esac
    slurm_claim "$each" "$stream" "$HERE/$name"
    own=.spillway-added.$JOB.$ATTEMPT.$each
    # shellcheck disable=SC2016
    as_user sh -c 'cat >"$0"' "$HERE/$own" <"$J/added.$each" || continue
    LC_ALL=C awk -v name="$name" 'BEGIN { RS = "\0" } { its = $0; sub(/^[0-9]+ [0-9]+ /, "", its); if (its != name) printf "%s%c", $0, 0 }' \
      "$J/weighed" >"$J/weighed.new" && mv "$J/weighed.new" "$J/weighed"
    printf '%s %s\0' "$(as_user stat -c '%s %b' -- "$HERE/$own")" "$own" >>"$J/weighed"
    packed_as="$packed_as;s,^$(printf '%s' "$own" | sed 's/\./\\./g')\$,$(printf '%s' "$name" | sed 's/[\\,&]/\\&/g'),"
  done
  packed_as=${packed_as#;}
}

# Others in the same folder do not take them for files of their own. Behind the mark of when this one began.
slurm_streams_told() {
  mkdir -p "$F/streams"
  for stream in "$stream_6" "$stream_7"; do printf '%s\n' "$stream"; done >"$F/streams/$JOB.$ATTEMPT"
}

# Of files by name in its folder (D), those that are no output of another job that has been here meanwhile.
slurm_not_theirs() {
  for other in "$F"/streams/*; do
    attempt=${other##*/}
    [ "$attempt" = "$JOB.$ATTEMPT" ] && continue
    [ "$other" -nt "$J/prepared" ] || { [ -d "$S/jobs/$attempt" ] && [ ! -e "$S/jobs/$attempt/exit" ]; } || continue
    cat "$other"
  done >"$J/theirs" 2>/dev/null
  LC_ALL=C awk -v theirs="$J/theirs" -v folder="$D/" -v home="$home/" -v own="$stream_6" -v other="$stream_7" 'BEGIN {
    while ((getline line <theirs) > 0) if (line != own && line != other) is_theirs[line] = 1
    # Streams of this job elsewhere are weighed by themselves.
    if (index(own, folder) != 1) is_theirs[own] = 1
    if (index(other, folder) != 1) is_theirs[other] = 1
    RS = "\0"
  } {
    path = index($0, ".spillway-home/") == 1 ? home substr($0, 16) : folder $0
    if (!(path in is_theirs)) printf "%s%c", $0, 0
  }'
}

# Patterns that scontrol leaves open in a name, as slurmd fills it in for a script.
slurm_stream() {
  printf '%s\n' "$told" | sed -n "s,.* $1=\(/.*\),\1,p" | sed 's, [A-Z][A-Za-z]*=.*,,' | awk -v job="$foreign" -v node="$(uname -n | cut -d . -f 1)" '{
    name = ""
    while (match($0, /%(%|[0-9]?[0-9]?[A-Za-z])/)) {
      word = substr($0, RSTART + 1, RLENGTH - 1)
      kind = substr(word, length(word))
      width = substr(word, 1, length(word) - 1) + 0
      is = kind == "%" ? "%" : kind == "N" ? node : kind == "s" ? "batch" : kind ~ /[jJ]/ ? sprintf("%0" width "d", job) : kind ~ /[nt]/ ? sprintf("%0" width "d", 0) : "%" word
      name = name substr($0, 1, RSTART - 1) is
      $0 = substr($0, RSTART + RLENGTH)
    }
    print name $0
  }'
}

# With the user's rights, as the user may make anything of these names; what was claimed is the node's own file.
slurm_reads() { if [ -z "$adds" ]; then as_user "$@"; else "$@"; fi; }

slurm_logs() {
  for each in 6 7; do
    if [ "$each" = 6 ]; then stream=$stream_6 sent=$sent_6 name=stdout; else stream=$stream_7 sent=$sent_7 name=stderr; fi
    case $stream in '' | /dev/*) continue ;; esac
    [ "$each.$stream_7" != "7.$stream_6" ] || continue
    [ -z "$adds" ] || { slurm_claim "$each" "$stream" && stream=$J/added.$each; } || continue
    size=$(slurm_reads timeout 5 stat -L -c %s -- "$stream" 2>/dev/null) || continue
    [ "$size" -gt "$sent" ] || continue
    from=$sent
    [ "$((size - from))" -le 196608 ] || from=$((size - 196608))
    while [ "$from" -lt "$size" ]; do
      piece=$((size - from))
      [ "$piece" -le 65536 ] || piece=65536
      slurm_reads timeout 5 dd "if=$stream" bs=65536 "skip=$from" "count=$piece" iflag=skip_bytes,count_bytes,nonblock status=none |
        call -f --max-time 3 -o /dev/null -X PUT --data-binary @- "$URL/jobs/$JOB/$ATTEMPT/log/$name?from=$from" || return 1
      from=$((from + piece))
    done
    if [ "$each" = 6 ]; then sent_6=$size; else sent_7=$size; fi
  done
}

# The names of the nodes that its steps may run on.
slurm_peers() {
  case $peers in *[!0-9a-fA-F.:]*) ;; *) return 0 ;; esac
  [ ! -e /run/slurm/conf/slurm.conf ] || export SLURM_CONF=/run/slurm/conf/slurm.conf
  names=$(timeout 10 squeue -h -j "$foreign" -o %N 2>/dev/null) && [ -n "$names" ] || return 0
  slurm_host "$(timeout 10 sinfo -h -a -N -n "$names" -o '%o %N' 2>/dev/null | grep -E '^[0-9a-fA-F.:]+ [a-z0-9-]+$' | sort -u)"
}

# The end is Slurm's to say, by the Epilog. Until the Prolog has passed, the gate can still be shut: by a stop, or when
# Slurm had ended the job before its order came and no Prolog follows.
wait_for_slurm() {
  turns=0
  until [ -e "$J/epilog" ] && [ -e "$J/claim/prolog" ]; do
    off && exit 0
    why=
    [ ! -e "$F/gate/$foreign.over" ] || [ "$turns" -lt 300 ] || why='Slurm had ended it before its order came'
    [ ! -e "$J/stop" ] || why='stopped before it started'
    [ -z "$why" ] || ! mkdir "$J/claim" 2>/dev/null || refuse "$why"
    turns=$((turns + 1))
    [ "$((turns % 2))" -ne 0 ] || [ ! -e "$J/claim/prolog" ] || slurm_logs
    pause 2
  done
}

# Root makes the user's own home, as the directory names it, and nothing else: what a job asks for is made with the
# user's rights, or has to be on the image. Else a job could own another one's home, or a folder that root looks into.
slurm_folder() {
  # Where jobs of this node have worked: what is there is theirs.
  grep -qxF -- "$D" "$F/folders" 2>/dev/null || printf '%s\n' "$D" >>"$F/folders"
  home=$(grep "^$user:x:$uid:" "$F/passwd" | head -n 1 | cut -d : -f 6)
  ! slurm_is_shared "$home" || home=
  case $home in
    */. | */.. | */./* | */../* | /dev/* | /etc/* | /proc/* | /root* | /run/* | /sys/* | /usr/* | /var/run/*) ;;
    /?*)
      # Two jobs of a new user may come at once: the second waits until the home is there and is its user's.
      exec 7>"$F/homes.lock"
      flock -w 60 7 || refuse 'another job has been making a home for a minute'
      as_user test -d "$home" 7>&- || place=$(make_path "$home" 2>&1) || refuse "the home was not made: $(printed "$place")"
      exec 7>&-
      ;;
  esac
  slurm_reach
  slurm_folder_there
  slurm_reach_folder
}

slurm_folder_there() {
  as_user test -d "$D" && return 0
  if slurm_is_shared "$D"; then
    [ ! -s "$J/inputs" ] || refuse 'its folder is not there'
    return 0
  fi
  place=$(umask 077 && as_user mkdir -p -- "$D" 2>&1) && return 0
  [ ! -s "$J/inputs" ] || refuse "its folder is not on this image, and its user may not make it: $(printed "$place")"
  # As at home, where slurmstepd goes to /tmp: there is nothing to bring, and nothing to collect.
  say "job $JOB: no folder $D: $(printed "$place")"
}

printed() { printf '%s' "$1" | head -c 200 | tr -c '[:print:]' ' '; }

# PATH: step by step from the top, never by a whole name. Each folder on the way can be changed by root alone, so
# nobody can put a link in the way of the next step.
make_path() {
  cd / || return 1
  rest=${1#/}
  while [ -n "$rest" ]; do
    case $rest in */*) step=${rest%%/*} rest=${rest#*/} ;; *) step=$rest rest= ;; esac
    case $step in '' | .) continue ;; ..) echo 'it leads upwards' && return 1 ;; esac
    # shellcheck disable=SC2046
    set -- $(stat -c '%u %a' .)
    case $1.$2 in 0.*[2367][0-7] | 0.*[2367]) echo "others may write in $(pwd -P)" && return 1 ;; 0.*) ;; *) echo "$(pwd -P) is not root's" && return 1 ;; esac
    if [ ! -d "$step" ]; then
      mkdir -m 755 -- "./$step" || return 1
      case $rest in *[!/]*) ;; *) chmod 700 "./$step" && chown -h "$uid:$gid" "./$step" || return 1 ;; esac
    fi
    cd -P -- "./$step" || return 1
  done
}

# Files replace what is there. Which they are is written down, so that they do not come home as results of this job or
# of another one in the same folder. Nobody waits for anybody: results have the way free while an input comes.
slurm_input() {
  placer=slurm_place
  fetch_input
}

# FROM TO: before files come into their places it is said which they are, and afterwards when they came. Who looks for
# results in between finds the one or the other.
slurm_place() {
  told=$F/staged/$uid.$JOB.$ATTEMPT
  slurm_upper find "$HERE/${1#"$D"/}" -type f -printf '%D:%i: \n' 2>/dev/null | grep -xE '[0-9]+:[0-9]+: ' >"$told.new"
  mv "$told.new" "$told.comes"
  into_place "$1" "$2" || return
  # shellcheck disable=SC2016
  [ ! -s "$J/members" ] || sed 's,^,./,' "$J/members" | tr '\n' '\0' | slurm_upper sh -c 'cd -- "$0" && exec xargs -0 -r sh -c "$1" find' "$HERE" \
    'exec find "$@" -maxdepth 0 -type f -printf "%D:%i:%C@ \n"' 2>/dev/null |
    grep -xE '[0-9]+:[0-9]+:[0-9.]+ ' >"$told.new"
  mv "$told.new" "$told"
  rm -f "$told.comes"
}

# Of files as find tells them, those that were not staged: known are ID: while they come and ID:TIME when they have.
slurm_own() {
  LC_ALL=C awk -v known="$J/known" 'BEGIN {
    while ((getline line <known) > 0) { sub(/ $/, "", line); staged[line] = 1 }
    RS = "\0"
  } {
    at = index($0, " ")
    word = substr($0, 1, at - 1)
    coming = word
    sub(/[^:]*$/, "", coming)
    if (!(word in staged) && !(coming in staged)) printf "%s%c", substr($0, at + 1), 0
  }'
}

# Files that the job changed below its home, elsewhere than where jobs work: through a link in its folder. Hidden ones are caches and settings.
slurm_below_home() {
  # By the end of what the head asks for: all of it, and not one file there.
  grep -qzF 'spillway-home)(/.*)?' "$J/collect" && [ -n "$home" ] || return 0
  case $home/ in "$D"/*) return 0 ;; esac
  slurm_home_link || return 0
  {
    printf '%s\0' .spillway-home/ -mindepth 1 -regextype posix-extended -path '.spillway-home/.*' -prune
    while IFS= read -r folder; do
      case $folder in "$home"/*) printf '%s\0' -o -path ".spillway-home/$(printf '%s' "${folder#"$home"/}" | sed 's/[][*?\\]/\\&/g')" -prune ;; esac
    done <"$F/folders"
    printf '%s\0' -o -xtype f -newerct "@$(stat -c %.9Z "$J/prepared")" -printf '%D:%i:%C@ %p\0'
  } >"$J/find"
  # shellcheck disable=SC2016
  as_user timeout -k 5 3600 env LC_ALL=C.UTF-8 sh -c 'cd -- "$0" && exec xargs -0 -x -s 1100000 find' "$HERE" <"$J/find" 2>/dev/null
}

# The files that the job changed since: by the time that nobody can set, and not as it was staged.
slurm_bundle() {
  mkdir -p "$F/streams" && touch "$F/streams/$JOB.$ATTEMPT"
  slurm_outside
  GONE=''
  [ -z "$HOME_AT" ] || reach_gone -newerct "@$(stat -c %.9Z "$J/prepared")"
  as_user test -d "$HERE" || { tar -cf "$J/bundle" -T /dev/null; return; }
  # shellcheck disable=SC2012
  oldest=$(ls -tr "$S"/jobs/*/prepared | head -n 1)
  find "$F/staged" "$F/streams" -type f ! -name '*.comes' ! -newer "$oldest" -delete
  {
    printf '%s\0' . -name '.spillway-in.*' -prune -o -regextype posix-extended -xtype f -newerct "@$(stat -c %.9Z "$J/prepared")"
    cat "$J/collect"
    printf '%s\0' -printf '%D:%i:%C@ %P\0'
  } >"$J/find"
  # shellcheck disable=SC2016
  as_user timeout -k 5 3600 env LC_ALL=C.UTF-8 sh -c 'cd -- "$0" && exec xargs -0 -x -s 1100000 find' "$HERE" <"$J/find" 2>/dev/null >"$J/seen"
  slurm_below_home >>"$J/seen"
  # Made by processes of that user: nobody else's results are judged by it. What comes is read before what has come.
  cat "$F"/staged/"$uid".*.comes >"$J/known" 2>/dev/null
  cat "$F"/staged/"$uid".* >>"$J/known" 2>/dev/null
  slurm_own <"$J/seen" | slurm_not_theirs >"$J/found"
  # shellcheck disable=SC2016
  as_user timeout -k 5 3600 sh -c 'cd -- "$0" && exec xargs -0 -r stat -L --printf "%s %b %n\0" --' "$HERE" \
    <"$J/found" 2>/dev/null | head -c 200000000 >"$J/weighed"
  slurm_weigh_below >>"$J/weighed"
  slurm_added
  D=$HERE
  pack
  [ -z "$adds" ] || as_user rm -f -- "$D/.spillway-added.$JOB.$ATTEMPT.6" "$D/.spillway-added.$JOB.$ATTEMPT.7"
}
