# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# The input of a job that this node may get, before it has it: what has come to the region is fetched while the rest comes.
# The part lies among what is kept (kept.sh) as ahead-JOB.part, is compared with an order's digest as all that is kept, and goes by the
# same rules. While it comes it is taken apart as well, as the user, in WORK/ahead.JOB; S/ahead/JOB.whole has the digest of what was, all of it.

# JOB
fetch_ahead() {
  JOB=$1
  mine=$(id -u)
  [ "$mine" -eq 0 ] || return 0
  refuse() { exit 0; }
  tidy_ahead
  tenths=1
  # The region may hear of it a moment later than we do.
  until told=$(call -f --max-time 10 "$URL/ahead/$JOB/facts" 2>/dev/null); do
    still_ahead || return 0
    pause "$tenths"
    [ "$tenths" -ge 10 ] || tenths=$((tenths * 2))
  done
  read -r uid gid bytes user <<FACTS
$told
FACTS
  case $uid/$gid/$bytes in /* | *//* | */ | *[!0-9/]*) return 0 ;; esac
  case $user in '' | *[!A-Za-z0-9._@\$-]*) return 0 ;; esac
  over_find
  part=$S/inputs/$uid-$user/ahead-$JOB.part
  ! nearly_here || { say "only what differs of the input of job $JOB from one that is here will come"; return 0; }
  mkdir -p "${part%/*}" "$S/ahead" && may_keep || return 0
  { true >>"$part" && command exec 9<"$part" && flock -n 9; } 2>/dev/null || return 0
  disk_left "$S"
  [ "$bytes" -le "$LEFT" ] || { rm -f "$part"; return 0; }
  [ -s "$part" ] || take_apart
  # The job may have begun, and have given the file another name: the rest is that job's.
  while [ /proc/self/fd/9 -ef "$part" ] && [ "$(stat -L -c %s "$part")" -lt "$bytes" ]; do
    still_ahead || return 0
    call -f -C - --speed-limit 1 --speed-time 60 -o "$part" "$URL/ahead/$JOB/input" 2>/dev/null && return 0
    pause 5
  done
}

# That is then had in no time, where a job's folder can be a layer over what is here.
nearly_here() {
  [ -n "$OVER" ] && KEPT=$part && of=$(bases) && [ -n "$of" ] && said=$(call -f --max-time 10 "$URL/ahead/$JOB/facts?of=$of" 2>/dev/null) &&
    [ "$said" = nearly ]
}

still_ahead() { ! off && grep -qxF "ahead $JOB" "$S/orders"; }

# In one go, or not: what breaks off is only fetched, and taken apart by its job.
take_apart() {
  ahead_tree
  disk_left "$WORK"
  [ "$((2 * bytes))" -le "$LEFT" ] && ! reflinks && find_user && command exec 7>"$S/ahead/$JOB.lock" && flock -n 7 || return 0
  marks=$S/ahead/$JOB
  rm -rf "$tree" "$marks.whole" "$marks.came" "$marks.sum" "$marks.pipe"
  new=$tree
  if [ -n "$OVER" ]; then begin_tree "$bytes"; else mkdir -m 700 "$tree" && chown "$uid:$gid" "$tree"; fi && mkfifo "$marks.pipe" || return 0
  digest <"$marks.pipe" >"$marks.sum" 7>&- 8<&- 9<&- &
  cd "$tree${OVER:+/in}" || return 0
  { call -f --speed-limit 1 --speed-time 600 "$URL/ahead/$JOB/input" && : >"$marks.came"; } 2>/dev/null | tee -a "$part" "$marks.pipe" |
    as_user timeout -k 5 21600 tar -xf - --no-same-owner --anchored --exclude=.spillway --exclude=./.spillway 7>&- 8<&- 9<&- 2>/dev/null &&
    wait "$!" && [ -e "$marks.came" ] && [ "$(stat -L -c %s /proc/self/fd/9)" -eq "$bytes" ] && mv "$marks.sum" "$marks.whole" || { kill "$!"; rm -rf "$tree"; } 2>/dev/null
  rm -f "$marks.came" "$marks.sum" "$marks.pipe"
}

# The job has come: what was fetched ahead for it is the beginning of its input, or all of it. Whoever fetches holds the lock.
take_ahead() {
  [ -n "$KEPT" ] && [ -e "${KEPT%/*}/ahead-$JOB.part" ] && ! is_kept && mv -nT "${KEPT%/*}/ahead-$JOB.part" "$KEPT.part" 2>/dev/null &&
    [ ! -e "${KEPT%/*}/ahead-$JOB.part" ] && ahead=yes
}

# The digest of the bytes that the tree was made of. Who moves the mark has the tree.
told_ahead() {
  [ -n "$ahead" ] && [ -z "${foreign:-}" ] && mv "$S/ahead/$JOB.whole" "$J/ahead" 2>/dev/null && ahead_tree && [ -d "$tree" ] && is_ahead && echo "$sha"
}

# Where it is taken apart: among what is kept, where a job's folder is to be a layer over it, else where the job will work.
ahead_tree() {
  tree=$WORK/ahead.$JOB
  [ -z "${OVER:-}" ] || tree=$S/inputs/$uid-$user/ahead-$JOB.tree.new
}

# The tree becomes what is kept. Where that fails the packed form has not been compared yet.
adopt_ahead() {
  is_ahead || return 1
  ahead_tree
  { mv -T "$tree" "$new" && command exec 8<"$new/lock" && flock 8; } 2>/dev/null && return 0
  rm -rf "$J/ahead" "$new"
  found=$(digest </proc/self/fd/9)
  [ "${found%% *}" = "$sha" ] || refuse 'what was kept of the input is not what it was'
  return 1
}

is_ahead() { [ -e "$J/ahead" ] && read -r made _ <"$J/ahead" && [ "$made" = "$sha" ]; }

# FOLDER: it gets what is in the tree. Where that fails the packed form has not been compared yet.
take_tree() {
  as_user find "$WORK/ahead.$JOB" -mindepth 1 -maxdepth 1 -exec mv -nt "$1" -- '{}' + 2>/dev/null && rmdir "$WORK/ahead.$JOB" 2>/dev/null && return 0
  found=$(digest </proc/self/fd/9)
  [ "${found%% *}" = "$sha" ] || refuse 'what was kept of the input is not what it was'
  return 1
}

# Trees whose jobs went elsewhere.
tidy_ahead() {
  for each in "$WORK"/ahead.* "$S"/inputs/*/ahead-*.tree.new; do
    which=${each##*/ahead?}
    which=${which%.tree.new}
    [ -d "$each" ] && ! grep -Eq "^(ahead|start) $which( |\$)" "$S/orders" || continue
    mv "$S/ahead/$which.whole" "$S/ahead/$which.gone" 2>/dev/null || { [ ! -d "$S/jobs" ] || ! ls -d "$S/jobs/$which".* >/dev/null 2>&1; } || continue
    (command exec 7>"$S/ahead/$which.lock" && flock -n 7 && rm -rf "$each" "$S/ahead/$which".*) 2>/dev/null
  done
}
