# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# An input is kept taken apart where a job's folder can be made of it without writing: as a layer over it (over.sh), or where files
# can share their blocks (reflinks of XFS, Btrfs), as blocks that are shared until somebody writes. KEPT.tree has "in"; "lock", as long as the
# input; "list", which says what "in" was; "members" where blocks are shared; "base" if it is only what is other than in that tree.
# The way into "in" is a current directory that is handed to a program with the user's rights: no name leads there.

apart() { [ -n "${OVER:-}" ] || reflinks; }

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

# From descriptor 9, which has been compared, or from what was taken apart as it came. It takes its name when all of it is there.
make_tree() {
  new=$KEPT.tree.$JOB.$ATTEMPT
  rm -rf "$new"
  { adopt_ahead || { begin_tree "$bytes" && fill_tree </proc/self/fd/9; }; } && end_tree
  made=$?
  [ "$made" -eq 0 ] || rm -rf "$new"
  exec 8<&-
  return "$made"
}

# BYTES: what it counts for. Descriptor 8 has its lock.
begin_tree() {
  { mkdir -p "$new/in" && truncate -s "$1" "$new/lock" && command exec 8<"$new/lock" && flock 8 && chown "$uid:$gid" "$new/in"; } 2>/dev/null
}

fill_tree() {
  (cd "$new/in" && as_user timeout -k 5 3600 tar -xvf - --quoting-style=literal --no-same-owner --anchored \
    --exclude=.spillway --exclude=./.spillway 8<&- 9<&- >"$new/members" 2>/dev/null)
}

# A bundle with anything else in it is given as it always was. Below a layer files are already whose they are in jobs.
end_tree() {
  [ -z "$(find "$new/in" '(' ! -type f ! -type d ! -type c -o -type f -links +1 -o -type f ! -perm -400 -o -type d ! -perm -500 ')' -print -quit)" ] &&
    { [ -n "${OVER:-}" ] || { chown -RhP 0:0 "$new/in" && chmod -R go=u-w "$new/in"; }; } &&
    tree_names "$new" >"$new/list" && mv -T "$new" "$KEPT.tree" 2>/dev/null && MADE=$KEPT
}

# FOLDER: names, modes, sizes and times, of which nobody can set the last one.
tree_names() { (cd "$1/in" && LC_ALL=C find . -printf '%y %m %s %T@ %C@ %p\0' | LC_ALL=C sort -z | digest); }

tree_digest() {
  (cd "$1/in" && LC_ALL=C find . -type f -print0 | LC_ALL=C sort -z | ${light:-} xargs -0 -r cat -- | ${light:-} openssl dgst -sha256 -r)
}

# FOLDER: names are compared at each use; the bytes of all files once an hour, and at the first use in each life of this
# machine: a loss of power takes bytes and leaves times.
tree_whole() {
  { read -r names _ && { read -r contents _ || contents=''; }; } <"$1/list" || return 1
  found=$(tree_names "$1")
  [ "${found%% *}" = "$names" ] || return 1
  [ -z "$(find "$1/list" -newer "$S/life" 2>/dev/null)" ] || { [ -n "$contents" ] && [ -z "$(find "$1/list" -mmin -60)" ]; } || return 0
  [ -n "$contents" ] || return 1
  found=$(tree_digest "$1")
  [ "${found%% *}" = "$contents" ] && touch -c "$1/list"
} 2>/dev/null

# FOLDER: the digest of its bytes is written down while the job that brought them begins: they are in memory still, as they were
# verified. It has no weight beside jobs. Without it the tree is made anew in the next life of this machine.
prove_tree() {
  [ "$(wc -l <"$1/list")" -lt 2 ] || return 0
  (light='nice -n 19' proof=$(tree_digest "$1") && { head -n 1 "$1/list" && echo "$proof"; } >"$1/list.$$" && mv "$1/list.$$" "$1/list") 2>/dev/null &
}

# FOLDER
sound_tree() {
  tree_whole "$1" && return 0
  say "what was kept of an input of $user is not what it was: ${1##*/}"
  return 1
}

# Descriptor 9 keeps it from being thrown away, and it keeps what it is based on.
open_tree() {
  { command exec 9<"$KEPT.tree/lock" && flock -s 9; } 2>/dev/null || return 1
  [ /proc/self/fd/9 -ef "$KEPT.tree/lock" ] || return 1
  base=''
  { read -r base <"$KEPT.tree/base"; } 2>/dev/null
  if [ -n "$base" ] && [ -z "${OVER:-}" ]; then
    say 'what is kept is of use to layers only'
  elif [ "$MADE" = "$KEPT" ] || { sound_tree "$KEPT.tree" && { [ -z "$base" ] || sound_tree "${KEPT%/*}/$base.tree"; }; }; then
    touch -c "$KEPT.tree/lock" ${base:+"${KEPT%/*}/$base.tree/lock"}
    return 0
  fi
  # Others may be working above it, and one may have put another in its place.
  [ ! /proc/self/fd/9 -ef "$KEPT.tree/lock" ] || mv -T "$KEPT.tree" "$KEPT.tree.spoilt.$(date +%N)"
  return 1
}

# FOLDER: the job's own copy of it. Modes of groups and others are not there after tar, either.
copy_tree() {
  [ ! -e "$KEPT.tree/members" ] || cp "$KEPT.tree/members" "$J/members"
  (cd "$KEPT.tree/in" && as_user timeout -k 5 3600 cp -R --reflink=auto --preserve=timestamps -- . "$1" 9<&-)
}
