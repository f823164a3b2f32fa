# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# Inputs as this node has fetched them, packed, for the next job of the same user: S/inputs/UID-LOGIN/SHA256. Only we get
# there, and each job has a copy of its own taken out of them. All is compared at each use, so that neither a cut nor a disk
# that lies makes a wrong one. What is read or fetched is locked, by descriptors that are for reading only.

# Of $bytes and $sha: descriptor 9 has the input, whole and compared; or keeps it, where it is taken apart already (APART).
# The bytes that came for this job are told.
have_input() {
  KEPT=$S/inputs/$uid-$user/$sha APART='' MADE='' came=0 whole='' ahead='' asked=''
  # Where the agent is not root a job could write what we keep.
  [ "$mine" -eq 0 ] && mkdir -p "${KEPT%/*}" || KEPT=
  take_ahead
  for tries in 1 2 3 4 5; do
    had=$bytes
    part=$KEPT
    [ -z "$KEPT" ] || ! open_tree || { APART=yes whole=yes; break; }
    ! take_changes || continue
    if [ -z "$KEPT" ] || ! open_kept; then
      [ -n "$KEPT" ] && may_keep && lock_part || own_part
      # Whom it waited for has it now.
      [ -z "$KEPT" ] || ! is_kept || continue
      fetch_part
    fi
    found=$(told_ahead || digest </proc/self/fd/9)
    if [ "${found%% *}" != "$sha" ] || [ "$(stat -L -c %s /proc/self/fd/9)" -ne "$bytes" ]; then
      rm -f "$part"
      [ "$had" -gt 0 ] || break
      say "what was kept of an input of $user is not what it was: $sha"
      continue
    fi
    [ "$part" != "$KEPT.part" ] || ! apart || ! make_tree || { rm -f "$part"; continue; }
    [ -z "$KEPT" ] || { [ "$part" = "$KEPT" ] || mv "$part" "$KEPT"; touch -c "$KEPT"; }
    whole=yes
    break
  done
  [ -n "$whole" ] || refuse 'the input is not what was staged'
  # Tries in vain count, too, up to all of the input.
  [ -z "$ahead" ] && [ "$came" -le "$bytes" ] || came=$bytes
  frame fetched "$JOB" "$ATTEMPT" "$came" >"$J/fetched"
}

is_kept() { [ -e "$KEPT" ] || [ -e "$KEPT.tree/lock" ]; }

open_kept() { { command exec 9<"$KEPT" && flock -s 9; } 2>/dev/null; }

# A quarter of the disk is for them all.
may_keep() {
  disk_left "$S"
  most=$((SIZE / 4 - bytes))
  [ "$most" -ge 0 ] || return 1
  free_inputs "$(($(kept_bytes) - most))"
  [ "$(kept_bytes)" -le "$most" ]
}

# The unfinished file is ours alone, or somebody has finished it. Another's fetch is waited for as long as it comes further.
lock_part() {
  part=$KEPT.part
  was=-1 idle=0
  while ! is_kept; do
    { true >>"$part" && command exec 9<"$part"; } 2>/dev/null || return 1
    # Thrown away between two looks, it is nobody's.
    ! flock -w 0.5 9 || [ ! /proc/self/fd/9 -ef "$part" ] || break
    now_is=$(stat -L -c %s /proc/self/fd/9)
    idle=$((idle + 1))
    [ "$now_is" -eq "$was" ] || idle=0
    was=$now_is
    # A minute; an hour for one that has come, and is being compared.
    [ "$idle" -lt "${PATIENCE:-120}" ] || { [ "$now_is" -ge "$bytes" ] && [ "$idle" -lt 7200 ]; } || return 1
  done
}

# Nobody's but this job's: nothing is to be kept.
own_part() {
  KEPT='' part=$J/input
  { true >>"$part" && command exec 9<"$part"; } 2>/dev/null || refuse 'the input has no room on this node'
}

# The rest of an input: its beginning has come for another job, or before a cut.
fetch_part() {
  had=$(stat -L -c %s /proc/self/fd/9)
  [ "$had" -le "$bytes" ] || return 0
  came=$((bytes - had))
  both_fit "$came"
  [ "$had" -gt 0 ] && [ "$had" -eq "$bytes" ] ||
    fetch -C - -o "$part" "$URL/jobs/$JOB/$ATTEMPT/input" || refuse 'the input was not fetched'
}

# A line for each, the longest unused first: seconds since 1970, bytes, name.
kept_inputs() { find "$S/inputs" -mindepth 2 -maxdepth 3 -type f ! -name 'list*' ! -name members ! -name base ! -name changes -printf '%T@ %s %p\n' 2>/dev/null | sort -n; }

kept_bytes() { kept_inputs | awk '{ sum += $2 } END { printf "%.0f", sum }'; }

# BYTES: so many fewer, if there are as many that nobody uses. What was not used for a week goes all the same, and what
# nobody has finished for ten minutes.
free_inputs() {
  [ -d "$S/inputs" ] || return 0
  for each in "$S"/inputs/*/*.tree* "$S"/inputs/*/*.root*; do
    # A removal was cut off.
    [ ! -d "$each" ] || [ -e "$each/lock" ] || rm -rf "$each"
  done
  kept_inputs | {
    over=$1
    time=$(date +%s)
    while read -r used size each; do
      age=$((time - ${used%.*}))
      case $each in *.part | *.tree.*) age=$((age * 1008)) ;; esac
      [ "$over" -gt 0 ] || [ "$age" -gt 604800 ] || continue
      (exec 8<"$each" && flock -n 8 && remove_input "$each") 2>/dev/null && over=$((over - size))
    done
  }
}

# FILE: it, or the whole of which it is the lock.
remove_input() {
  case $1 in
    */lock) ! has_layers "${1%/lock}" && ! container_used "${1%/lock}" && rm -f "$1" && rm -rf "${1%/lock}" ;;
    *) rm -f "$1" ;;
  esac
}

# A job that writes gets the room of what is only kept: a twentieth of the disk, 10 GiB at most, is left to it.
spare_room() {
  [ -d "$S/inputs" ] || return 0
  disk_left "$S"
  least=$((SIZE / 20))
  [ "$least" -lt 10737418240 ] || least=10737418240
  [ "$LEFT" -ge "$least" ] || free_inputs "$((least - LEFT))"
}

# After a job, when nobody waits.
tidy_inputs() {
  [ -d "$S/inputs" ] || return 0
  disk_left "$S"
  free_inputs "$(($(kept_bytes) - SIZE / 4))"
  tidy_ahead
}
