# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# The input of an attempt, from descriptor 9 (kept.sh) into the folder where the job works.

# FOLDER: LEFT are the bytes that jobs may have where it lies, of SIZE. A twentieth of a disk, a GiB at most, is the node's own.
disk_left() {
  # shellcheck disable=SC2046
  set -- $(stat -f -c '%a %b %S' -- "$1")
  SIZE=$(($2 * $3))
  LEFT=$((SIZE / 20))
  [ "$LEFT" -lt 1073741824 ] || LEFT=1073741824
  LEFT=$(($1 * $3 - LEFT))
  [ "$LEFT" -gt 0 ] || LEFT=0
}

# BYTES FOLDER: of the input, packed or unpacked. What is kept for others makes room first.
input_fits() {
  disk_left "$2"
  [ "$1" -gt "$LEFT" ] || return 0
  free_inputs "$(($1 - LEFT))"
  disk_left "$2"
  [ "$1" -le "$LEFT" ] || refuse "the input needs $(($1 / 1048576)) MiB, and this node has room for $((LEFT / 1048576)) MiB"
}

# BYTES: that are still to come, and all that will be unpacked.
both_fit() {
  if [ "$(stat -c %d -- "$J")" = "$(stat -L -c %d -- "${HERE:-$D}")" ]; then
    input_fits "$(($1 + bytes))" "$J"
  else
    input_fits "$1" "$J"
    input_fits "$bytes" "${HERE:-$D}"
  fi
}

# Into a folder that is there already.
fetch_input() {
  take_input
  put_input
}

# The job's folder is nobody's yet: what is kept becomes the ground of it, where that can be.
take_input() {
  place='' LAID=''
  read -r bytes sha <"$J/inputs" || return 0
  case $bytes in '' | *[!0-9]*) refuse 'the input is malformed' ;; esac
  case $sha in *[!0-9a-f]*) refuse 'the input is malformed' ;; esac
  [ "${#sha}" -eq 64 ] || refuse 'the input is malformed'
  have_input
  place=$D
  [ -n "$APART" ] || return 0
  prove_tree "$KEPT.tree"
  [ -n "${OVER:-}" ] || return 0
  lay_over && LAID=yes && return 0
  # A tree that is only the difference from another one makes no copy.
  [ -z "$base" ] || { OVER='' && have_input; }
}

put_input() {
  [ -n "$place" ] && [ -z "$LAID" ] || return 0
  [ -n "$APART" ] && [ -z "${OVER:-}" ] || input_fits "$bytes" "${HERE:-$D}"
  # Other jobs may be reading files of these names in a folder that is the job's own at home: each is replaced at once, never half written.
  if [ -n "${foreign:-}" ]; then
    place=$D/.spillway-in.$JOB.$ATTEMPT
    as_user rm -rf -- "$place" && as_user mkdir -m 700 -- "$place" || refuse 'its folder takes no input'
  fi
  unpack_input 2>"$J/unpacked" &&
    { [ "$place" = "$D" ] || "${placer:-into_place}" "$place" "$D" 2>"$J/unpacked"; } ||
    refuse "the input was not unpacked: $(head -c 200 "$J/unpacked" | tr -c '[:print:]' ' ')"
  exec 9<&-
  rm -f "$J/input"
}

unpack_input() {
  [ -z "$APART" ] || { copy_tree "$place"; return; }
  ! is_ahead || ! take_tree "$place" || return 0
  as_user timeout -k 5 3600 tar -xf - -C "$place" --no-same-owner --anchored --exclude=.spillway --exclude=./.spillway \
    ${foreign:+-v --quoting-style=literal} </proc/self/fd/9 9<&- >"$J/members"
}

# FROM TO: folders are made, files are renamed into them; what was there under a name goes with the rename.
into_place() {
  # shellcheck disable=SC2016
  as_user timeout -k 5 3600 sh -c 'cd -- "$0" && exec find . -type d -exec sh -c "$2" "$1" {} +' "$1" "$2" \
    'for each; do
      [ -d "$0/$each" ] || { mkdir -p -- "$0/$each" && chmod --reference="$each" -- "$0/$each"; } || exit 1
      find "$each" -mindepth 1 -maxdepth 1 ! -type d -print0 | xargs -0 -r mv -f -t "$0/$each" -- || exit 1
    done' && as_user rm -rf -- "$1"
}
