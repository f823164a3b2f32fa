# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# An input of which another tree is here that is nearly the same: the director knows both, and gives what differs. That becomes a thin
# tree of its own, KEPT.tree with "base" in it, and is the upper of two layers. A base is a whole tree always, so there are no more.

take_changes() {
  [ -n "${OVER:-}" ] && [ -n "$KEPT" ] && [ -z "$ahead$asked" ] && ! is_kept || return 1
  asked=yes
  of=$(bases)
  [ -n "$of" ] && told=$(call -f --max-time 60 "$URL/jobs/$JOB/$ATTEMPT/changes?of=$of" 2>/dev/null) || return 1
  read -r base size mark <<TOLD
$told
TOLD
  case $base/$size in */ | *[!0-9a-f/]* | */*[!0-9]*) return 1 ;; esac
  case ,$of, in *",$base,"*) ;; *) return 1 ;; esac
  below=${KEPT%/*}/$base.tree
  { command exec 9<"$below/lock" && flock -s 9 && [ /proc/self/fd/9 -ef "$below/lock" ]; } 2>/dev/null && sound_tree "$below" || return 1
  disk_left "$S"
  [ "$((2 * size))" -le "$LEFT" ] && (bytes=$size && may_keep) || return 1
  new=$KEPT.tree.$JOB.$ATTEMPT
  rm -rf "$new"
  begin_tree "$size" && echo "$base" >"$new/base" &&
    call -f --speed-limit 1 --speed-time 60 -o "$new/changes" "$URL/jobs/$JOB/$ATTEMPT/layer?on=$base" &&
    came=$((came + size)) && found=$(digest <"$new/changes") && [ "${found%% *}" = "$mark" ] &&
    fill_tree <"$new/changes" && rm -f "$new/changes" && end_tree
  made=$?
  [ "$made" -eq 0 ] || rm -rf "$new"
  exec 8<&-
  return "$made"
}

# Whole trees of this user, those used last first, a few of them.
bases() {
  # shellcheck disable=SC2012
  ls -t "${KEPT%/*}"/*.tree/lock 2>/dev/null | while read -r each; do
    each=${each%.tree/lock}
    [ -e "$each.tree/base" ] || ! is_users "$each" || echo "${each##*/}"
  done | head -n 4 | paste -sd , -
}

# FOLDER: whether something is based on that tree.
has_layers() {
  whole=${1##*/}
  grep -qsxF "${whole%%.*}" "${1%/*}"/*.tree*/base
}
