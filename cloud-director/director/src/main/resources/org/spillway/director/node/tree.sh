# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# Where files can share their blocks (reflinks of XFS, Btrfs), an input is kept taken apart, and a job's copy of it is blocks
# that are shared until somebody writes: KEPT.tree has "in", root's and read only; "lock", as long as the input; "list", which says what "in" was;
# "members". The way into "in" is a current directory that is handed to a program with the user's rights: no name leads there.

# Whether files of this node's own share blocks with those of jobs; asked once. Agents' programs must be out of jobs' sight, or
# what they have open is not: a workload manager's jobs are in no room.
reflinks() {
  case ${ROOM:-} in *--pid*) [ ! -s "$S/slot" ] || return 1 ;; *) return 1 ;; esac
  [ -s "$S/reflinks" ] || {
    answer=no
    echo reflink >"$S/reflink.$$"
    ! cp --reflink=always "$S/reflink.$$" "$WORK/.reflink.$$" 2>/dev/null || answer=yes
    rm -f "$S/reflink.$$" "$WORK/.reflink.$$"
    echo "$answer" | put "$S/reflinks"
  }
  read -r answer <"$S/reflinks" && [ "$answer" = yes ]
}

# From descriptor 9, which has been compared. It takes its name when all of it is there.
make_tree() {
  new=$KEPT.tree.$JOB.$ATTEMPT
  rm -rf "$new"
  { mkdir -p "$new/in" && truncate -s "$bytes" "$new/lock" && command exec 8<"$new/lock" && flock 8 && chown "$uid:$gid" "$new/in"; } 2>/dev/null || return 1
  (cd "$new/in" && as_user timeout -k 5 3600 tar -xvf - --quoting-style=literal --no-same-owner --anchored \
    --exclude=.spillway --exclude=./.spillway </proc/self/fd/9 8<&- 9<&- >"$new/members" 2>/dev/null) &&
    # A bundle with anything else in it is given as it always was.
    [ -z "$(find "$new/in" '(' ! -type f ! -type d -o -type f -links +1 -o ! -perm -400 -o -type d ! -perm -500 ')' -print -quit)" ] &&
    chown -RhP 0:0 "$new/in" && chmod -R go=u-w "$new/in" && tree_list "$new" && tree_digest "$new" >>"$new/list" &&
    mv -T "$new" "$KEPT.tree" 2>/dev/null
  made=$?
  [ "$made" -eq 0 ] || rm -rf "$new"
  exec 8<&-
  return "$made"
}

# FOLDER: names, modes, sizes and times, of which nobody can set the last one.
tree_names() { (cd "$1/in" && LC_ALL=C find . -printf '%y %m %s %T@ %C@ %p\0' | LC_ALL=C sort -z | digest); }

tree_digest() { (cd "$1/in" && LC_ALL=C find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r cat -- | digest); }

tree_list() { tree_names "$1" >"$1/list"; }

# FOLDER: all bytes are read up to a GiB of them, and of more once an hour.
tree_whole() {
  { read -r names _ && read -r contents _; } <"$1/list" || return 1
  found=$(tree_names "$1")
  [ "${found%% *}" = "$names" ] || return 1
  [ "$bytes" -gt 1073741824 ] && [ -n "$(find "$1/list" -mmin -60)" ] && return 0
  found=$(tree_digest "$1")
  [ "${found%% *}" = "$contents" ] && touch -c "$1/list"
}

# Descriptor 9 keeps it from being thrown away.
open_tree() {
  { command exec 9<"$KEPT.tree/lock" && flock -s 9; } 2>/dev/null || return 1
  [ /proc/self/fd/9 -ef "$KEPT.tree/lock" ] || return 1
  tree_whole "$KEPT.tree" && { touch -c "$KEPT.tree/lock"; return 0; }
  say "what was kept of an input of $user is not what it was: $sha"
  # Others may be copying from it, and one may have put another in its place.
  [ ! /proc/self/fd/9 -ef "$KEPT.tree/lock" ] || mv -T "$KEPT.tree" "$KEPT.tree.spoilt.$JOB.$ATTEMPT"
  return 1
}

# FOLDER: the job's own copy of it. Modes of groups and others are not there after tar, either.
copy_tree() {
  cp "$KEPT.tree/members" "$J/members"
  (cd "$KEPT.tree/in" && as_user timeout -k 5 3600 cp -R --reflink=auto --preserve=timestamps -- . "$1" 9<&-)
}
