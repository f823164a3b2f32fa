# shellcheck shell=sh
# shellcheck disable=SC2154
# One attempt: folder J for us, folder D where the job works.
tell() {
  printf 'job %s %s %s %s %s %s %s %s\n' "$JOB" "$ATTEMPT" "$1" "$CODE" "$STARTED" "$ENDED" "$RAN_AS" "$2" >"$J/report.new"
  cat "$J/collected" >>"$J/report.new" 2>/dev/null
  sync "$J/report.new"
  mv "$J/report.new" "$J/report"
}

attempt_facts() {
  JOB=$1 ATTEMPT=$2 CODE=- STARTED=0 ENDED=0 RAN_AS=node
  J=$S/jobs/$1.$2
  D=$WORK/$1.$2
}

refuse() {
  say "refused: $*"
  tell REFUSED "$*"
  renew
  exit 0
}

# The lock outlives the job's folder: an attempt starts at most once, whatever is said later.
start_job() {
  mkdir "$S/locks/$1.$2" 2>/dev/null || return 0
  attempt_facts "$1" "$2"
  mkdir -p "$J"
  tell ACCEPTED ''
  (setsid sh "$S/agent" job "$1" "$2" </dev/null >>"$J/log" 2>&1 &)
}

# A runner that died with the instance's power does not come back, and the attempt does not start again.
bury_lost_jobs() {
  for lost in "$S"/jobs/*/; do
    [ -d "$lost" ] || continue
    grep -Eq '^job [^ ]+ [0-9]+ (ENDED|REFUSED)' "$lost/report" 2>/dev/null && continue
    alive "$lost/runner" && continue
    name=$(basename "$lost")
    attempt_facts "${name%.*}" "${name##*.}"
    CODE=137
    tell ENDED 'its runner is gone'
  done
}

# FOLDER GRACE_SECONDS REASON: TERM, patience, KILL; also before it has a process.
stop_job() {
  [ -e "$1/exit" ] && return 0
  [ -e "$1/stop" ] || printf '%s\n' "$3" | put "$1/stop"
  tries=0
  while [ ! -s "$1/pid" ] && alive "$1/runner" && [ "$tries" -lt 50 ]; do
    tries=$((tries + 1))
    pause 1
  done
  read -r group 2>/dev/null <"$1/pid" || return 0
  kill -TERM "-$group" 2>/dev/null
  tries=0
  while [ "$tries" -lt "$(($2 * 10))" ]; do
    [ ! -e "$1/exit" ] && kill -0 "-$group" 2>/dev/null || return 0
    tries=$((tries + 1))
    pause 1
  done
  kill -KILL "-$group" 2>/dev/null
}

forget_job() {
  stop_job "$1" 2 'no longer ordered'
  name=$(basename "$1")
  alive "$1/runner" && kill -KILL "-$(cat "$1/runner")" 2>/dev/null
  rm -rf "$1" "${WORK:?}/$name"
}

find_user() {
  user=$(fact user "$J/facts") uid=$(fact uid "$J/facts") gid=$(fact gid "$J/facts")
  case $user in '' | *[!A-Za-z0-9._-]*) refuse 'the user name is malformed' ;; esac
  for tenths in 2 5 10 20 20 20 20; do
    known=
    found=$(directory "(|(&(objectClass=posixAccount)(uid=$user))(&(objectClass=posixGroup)(memberUid=$user)))" \
      uidNumber,gidNumber) && known=$(printf '%s\n' "$found" | values uidNumber) && [ -n "$known" ] && break
    pause "$tenths"
  done
  [ -n "$known" ] || refuse "user $user is not in the directory"
  [ "$known" = "$uid" ] || refuse "user $user has uid $known in the directory, not $uid"
  mine=$(id -u)
  groups=$({ echo "$gid" && printf '%s\n' "$found" | values gidNumber; } | sort -u | paste -sd , -)
  [ "$mine" -eq 0 ] || [ "$mine" -eq "$uid" ] || return 0
  RAN_AS=user
}

as_user() {
  if [ "$mine" -eq 0 ]; then
    setpriv --reuid="$uid" --regid="$gid" --groups="$groups" --no-new-privs --inh-caps=-all -- "$@"
  else
    "$@"
  fi
}

# All small parts over one connection.
fetch_order() {
  set --
  for part in facts script arguments environment inputs outputs; do
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

fetch_inputs() {
  while read -r index bytes sha path; do
    mkdir -p "$D/$(dirname -- "$path")"
    fetch -o "$D/$path" "$URL/jobs/$JOB/$ATTEMPT/input/$index" </dev/null || refuse "input $path was not fetched"
    # curl makes no file of an empty body
    [ -e "$D/$path" ] || : >"$D/$path"
    found=$(sha256sum <"$D/$path")
    if [ "${found%% *}" != "$sha" ] || [ "$(wc -c <"$D/$path")" -ne "$bytes" ]; then
      refuse "input $path is not what was staged"
    fi
  done <"$J/inputs"
}

# One list of words, divided by NUL: never text that a shell reads again.
command_line() {
  image=$IMAGES/$(cat "$S/image")
  printf 'HOME=%s\0USER=%s\0LOGNAME=%s\0' "$D" "$user" "$user"
  printf 'PATH=%s\0' "$image/bin:$image/usr/bin:/usr/local/bin:/usr/bin:/bin"
  cat "$J/environment"
  printf 'SPILLWAY_JOB_ID=%s\0SPILLWAY_ATTEMPT=%s\0' "$JOB" "$ATTEMPT"
  printf 'SPILLWAY_NODE=%s\0SPILLWAY_IMAGE=%s\0SPILLWAY_INSTANCE_ID=%s\0' "$(cat "$S/node")" "$image" "$ID"
  printf '%s\0' /bin/sh -c 'trap : TERM; "$@"; c=$?; echo "$c" >.spillway/code; exit "$c"' job
  [ "$(head -c 2 "$D/.spillway/script")" = '#!' ] || printf '/bin/sh\0'
  printf './.spillway/script\0'
  cat "$J/arguments"
}

run_job() {
  attempt_facts "$1" "$2"
  echo "$$" >"$J/runner"
  : >"$J/collected"
  fetch_order || refuse 'the order was taken back'
  for part in script arguments environment inputs outputs; do [ -e "$J/$part" ] || : >"$J/$part"; done
  find_user
  mkdir -p "$D/.spillway"
  fetch_inputs
  cp "$J/script" "$D/.spillway/script" && chmod 700 "$D/.spillway/script"
  command_line >"$J/command"
  [ ! -e "$J/stop" ] || refuse "$(cat "$J/stop") before it started"
  off && exit 0
  printf '%s %s %s %s %s %s\n' "$user" "$uid" "$gid" "$groups" "$mine" "$RAN_AS" >"$J/who"
  sh "$S/agent" execute "$JOB" "$ATTEMPT" </dev/null
  [ -e "$J/exit" ] || { CODE=127; tell ENDED 'it could not be started'; renew; exit 0; }
  read -r CODE STARTED ENDED <"$J/exit"
  collect
}

execute() {
  attempt_facts "$1" "$2"
  read -r user uid gid groups mine RAN_AS <"$J/who"
  cd "$D" || exit 0
  # Opened before the folder becomes the user's: nobody can have laid a link there.
  exec 3>"$D/.spillway/stdout" 4>"$D/.spillway/stderr"
  [ "$mine" -ne 0 ] || chown -RhP "$uid:$gid" .
  STARTED=$(date +%s%3N)
  # What a user passes to a job is nobody else's: the words of a process are for everyone to read, so they are read
  # from a file that was opened with our rights, and turn into an environment at once.
  words=$(tr -dc '\0' <"$J/command" | wc -c)
  rm -f "$D/.spillway/code"
  if [ "$mine" -eq 0 ]; then
    setsid setpriv --reuid="$uid" --regid="$gid" --groups="$groups" --no-new-privs --inh-caps=-all -- \
      xargs -0 -x -n "$words" env -i <"$J/command" >&3 2>&4 3>&- 4>&- &
  else
    setsid xargs -0 -x -n "$words" env -i <"$J/command" >&3 2>&4 3>&- 4>&- &
  fi
  child=$!
  exec 3>&- 4>&-
  echo "$child" >"$J/pid.new" && mv "$J/pid.new" "$J/pid"
  tell RUNNING ''
  renew &
  guard_walltime &
  wait "$child"
  CODE=$?
  # A signal to the group ends xargs at once; the script may still be clearing up, and has its own last word.
  while [ ! -s "$D/.spillway/code" ] && kill -0 "-$child" 2>/dev/null; do pause 1; done
  told=$(as_user head -c 4 "$D/.spillway/code" 2>/dev/null)
  case $told in '' | *[!0-9]*) ;; *) [ "$told" -gt 255 ] || CODE=$told ;; esac
  ENDED=$(date +%s%3N)
  kill -KILL "-$child" 2>/dev/null
  echo "$CODE $STARTED $ENDED" | put "$J/exit"
}

guard_walltime() {
  now
  limit=$((NOW + $(fact walltime "$J/facts") * 100))
  while [ ! -e "$J/exit" ] && [ -d "$J" ]; do
    now
    [ "$NOW" -lt "$limit" ] || { stop_job "$J" 10 'it reached its walltime'; return; }
    pause 5
  done
}

# Read with the user's rights: an output may be a link to something that only root may see.
collect() {
  cd "$D" || exit 0
  while read -r index path; do
    # Bounded in time: what is a file now may be a pipe when it is opened.
    if as_user test -f "$path"; then
      as_user timeout 3600 cat -- "$path" >"$J/output"
      upload "$index" </dev/null || break
    else
      printf 'output %s %s %s missing\n' "$JOB" "$ATTEMPT" "$index" >>"$J/collected"
    fi
  done <"$J/outputs"
  off && exit 0
  rm -f "$J/output"
  tell ENDED "$(cat "$J/stop" 2>/dev/null)"
  renew
}

upload() {
  sha=$(sha256sum <"$J/output")
  bytes=$(wc -c <"$J/output")
  tenths=2
  conflicts=0
  while ! off && [ "$conflicts" -lt 20 ]; do
    status=$(call -o /dev/null -w '%{http_code}' --speed-limit 1 --speed-time 60 -H "X-Sha256: ${sha%% *}" \
      -T "$J/output" "$URL/jobs/$JOB/$ATTEMPT/output/$1")
    case $status in
      200)
        printf 'output %s %s %s %s %s\n' "$JOB" "$ATTEMPT" "$1" "$bytes" "${sha%% *}" >>"$J/collected"
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
