# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034,SC2016
# A version of a root file system, in which jobs live. S/roots/SHA256 has its file, "at", where that is mounted read only, once for
# all jobs, and "held", what the kernel's table said of it then. S/root is the one that jobs have: SHA256 VERSION NAME.

# NAME SHA256 BYTES SIGNATURE, and in $root VERSION VERITY DATA: the head's, verified by the digest of all of it before each mount.
root_obtain() {
  sha=$2 bytes=$3
  DETAIL='malformed manifest'
  read -r version verity data <<END_OF_ROOT
$root
END_OF_ROOT
  case $sha$version in *[!0-9a-f]*) return 1 ;; esac
  [ "${#sha}" -eq 64 ] && [ "${#version}" -eq 64 ] || return 1
  case ${bytes:-x}${data:-x} in *[!0-9]*) return 1 ;; esac
  case $verity in -) ;; *[!0-9a-f]* | '') return 1 ;; esac
  printf 'spillway-root-1\n%s\n%s\n%s\n%s\n%s %s\n' "$1" "$version" "$sha" "$bytes" "$verity" "$data" >"$S/signed"
  printf '%s\n' "$4" | openssl base64 -d -A >"$S/signature"
  DETAIL='the signature is not the head'\''s'
  openssl dgst -sha256 -verify "$S/image.key" -signature "$S/signature" "$S/signed" >/dev/null 2>&1 || return 1
  DETAIL='jobs cannot live in it: the agent is not root'
  [ "$(id -u)" -eq 0 ] || return 1
  own=$S/roots/$sha
  mkdir -p "$own/at"
  if [ -e "$own/drifted" ]; then
    root_renew || return 1
  else
    root_is_mounted || { root_fetch && root_prove && root_mount; } || return 1
  fi
  printf '%s %s %s\n' "$sha" "$version" "$1" | put "$S/root"
}

root_is_mounted() {
  is=$(mounted_at "$own/at")
  [ -n "$is" ] && [ "$is" = "$(cat "$own/held" 2>/dev/null)" ]
}

# A part that has come stays, and the rest is asked for.
root_fetch() {
  [ ! -e "$own/file" ] || return 0
  has=$(stat -c %s "$own/part" 2>/dev/null) || has=0
  [ "$has" -le "$bytes" ] || { rm -f "$own/part"; has=0; }
  disk_left "$S"
  [ "$((bytes - has))" -le "$LEFT" ] || { root_tidy; free_inputs "$((bytes - has))"; disk_left "$S"; }
  DETAIL="the version needs $((bytes / 1048576)) MiB, and this node has room for $((LEFT / 1048576)) MiB"
  [ "$((bytes - has))" -le "$LEFT" ] || return 1
  fetched=yes
  DETAIL='not fetched'
  [ "$has" -eq "$bytes" ] ||
    call -f -C - --speed-limit 1 --speed-time 60 --max-filesize "$bytes" -o "$own/part" "$URL/image/$sha" || return 1
  mv "$own/part" "$own/file"
}

# Rotten on this disk it goes, and comes anew; rotten as it comes, the director is to look at its own.
root_prove() {
  found=$(digest <"$own/file")
  [ "${found%% *}" != "$sha" ] || [ "$(stat -c %s "$own/file")" -ne "$bytes" ] || return 0
  DETAIL="the digest is ${found%% *}, not $sha"
  say "the version $version: $DETAIL"
  rm -f "$own/file"
  [ "$fetched" = no ] || call -o /dev/null --max-time 600 -X POST "$URL/image/$sha/suspect"
  return 1
}

# Set-user-id bits and devices in it are part of it, and of no use to a job. By dm-verity, where this machine can, each block is
# verified again when it is read; else the file is mounted, since Linux 6.12 by itself, by a loop device before that.
root_mount() {
  DETAIL=
  root_verity || DETAIL=$({ mount -i -t erofs -o ro,nosuid,nodev "$own/file" "$own/at" 2>/dev/null ||
    mount -t erofs -o ro,loop,nosuid,nodev "$own/file" "$own/at"; } 2>&1) || {
    DETAIL="not mounted: $(printf %s "$DETAIL" | head -n 1)"
    return 1
  }
  mounted_at "$own/at" | put "$own/held"
}

# Another mount, of another file where that is not what was signed. Jobs that run keep the mount that they have; none begins before this
# is done. Whoever is killed in it leaves "drifted", and whoever wants the root next goes on.
root_renew() {
  : >"$own/drifted"
  {
    flock 7
    [ ! -e "$own/drifted" ] || root_again
  } 7>"$S/root.lock"
}

root_again() {
  tries=0
  while [ -n "$(mounted_at "$own/at")" ]; do
    tries=$((tries + 1))
    DETAIL='what is mounted there does not go'
    [ "$tries" -le 20 ] && umount -l "$own/at" || return 1
  done
  # The disk is asked, and not what the kernel has kept of it.
  [ ! -e "$own/file" ] || dd if="$own/file" of=/dev/null iflag=nocache count=0 2>/dev/null
  fetched=no anew=yes
  { root_fetch && root_prove; } || { root_fetch && root_prove; } || return 1
  root_mount && rm -f "$own/drifted"
}

# Of the root that S/root names, what the head has said of its file.
root_terms() {
  DETAIL='the manifest names another version by now'
  [ "$(fact sha256 "$S/manifest")" = "$sha" ] || return 1
  bytes=$(fact bytes "$S/manifest")
  read -r _ verity data <<END_OF_ROOT
$(fact root "$S/manifest")
END_OF_ROOT
}

# A local cloud's machines have one device mapper together, which outlives them: they read the file.
root_verity() {
  [ -n "$STOCK" ] && [ "$verity" != - ] && command -v veritysetup >/dev/null || return 1
  modprobe dm-verity 2>/dev/null
  mapped=spillway-$(printf %.16s "$sha")
  root_unmap
  # A device that jobs still have open is of the file before.
  while [ -n "${anew:-}" ] && [ -e "/dev/mapper/$mapped" ]; do mapped=$mapped.a; done
  why=$({ [ -e "/dev/mapper/$mapped" ] || veritysetup open "$own/file" "$mapped" "$own/file" "$verity" --hash-offset="$data"; } 2>&1 &&
    mount -t erofs -o ro,nosuid,nodev "/dev/mapper/$mapped" "$own/at" 2>&1) && return 0
  say "the version $version is read without dm-verity: $(printf %s "$why" | tail -n 1 | head -c 200)"
  root_unmap
  return 1
}

root_unmap() {
  for device in "/dev/mapper/$mapped"*; do
    [ ! -e "$device" ] || veritysetup close "${device##*/}" 2>/dev/null
  done
}

# Roots of no new job go. Jobs that run have theirs in mounts of their own.
root_tidy() {
  for other in "$S"/roots/*/; do
    other=${other%/}
    case $other in *"/*" | */"${sha:-none}") continue ;; esac
    [ -z "$(mounted_at "$other/at")" ] || umount -l "$other/at"
    [ -z "$(mounted_at "$other/at")" ] || continue
    # A device that jobs still have open is closed when this machine ends.
    mapped=spillway-$(printf %.16s "${other##*/}")
    [ -z "$STOCK" ] || root_unmap
    rm -rf "$other"
  done
}

# The manifest's word is that jobs live in this machine's own root.
no_root() {
  ! grep -q '^root ' "$S/manifest" || return 1
  rm -f "$S/root"
  sha=''
  root_tidy
}

# ROOTED: where the root of jobs is mounted, VERSION: its name; both empty where jobs live in this machine's own.
root_find() {
  ROOTED='' VERSION=''
  [ -s "$S/root" ] || return 0
  read -r sha version name <"$S/root"
  own=$S/roots/$sha
  ROOTED=$own/at VERSION=$name@$version
  [ ! -e "$own/drifted" ] || { root_terms && root_renew; } || return 1
  DETAIL='its root is not mounted as it was'
  root_is_mounted || return 1
  DETAIL='jobs live in a version, and this machine cannot give them rooms'
  [ -n "$ROOM" ]
}

# J: the layer that the job writes to, and what room.sh reads in the room.
root_make() {
  [ -n "$ROOTED" ] || return 0
  mkdir -p "$1/own/root/work" "$1/own/root/at" && mkdir -m 755 "$1/own/root/up" &&
    chown --reference="$ROOTED" "$1/own/root/up" && chmod --reference="$ROOTED" "$1/own/root/up" || return 1
  options=index=off
  { read -r options <"$S/over"; } 2>/dev/null
  [ "$options" != no ] || options=index=off
  { printf 'lower=%s options=%s\n' "${ROOTED#"$S"/}" "$options" && printf '%s\n' "$root_entry"; } >"$1/enter"
}

# Within room_walls, as root in mounts that nobody else has: all that the room has is put into the version, which then covers this
# machine's root. This process and those that it becomes still have the machine's, and its programs, until the last of them changes
# its root for the folder that it is in. Nothing here follows a link of the version's.
root_entry='at=$J/own/root/at up=${J#"$S"/}/own/root
door() {
  way=$at rest=${1#/}
  while [ -n "$rest" ]; do
    way=$way/${rest%%/*}
    [ ! -L "$way" ] || { echo "a link of the version lies in the way of $1" >>"$J/caged"; exit 125; }
    [ -d "$way" ] || mkdir -m 755 "$way"
    case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
  done
}
show() { [ "$at$1" -ef "$1" ] || { door "$1"; mount --rbind "$1" "$at$1"; }; }
cd "$S"
mount -t overlay -o "nosuid,nodev,lowerdir=$lower,upperdir=$up/up,workdir=$up/work,$options" root "$at"
for each in /dev /proc /sys /tmp /var/tmp; do show "$each"; done
door /etc
for each in hosts resolv.conf ${named:+passwd group}; do
  [ -r "/etc/$each" ] || continue
  rm -f -- "$at/etc/$each"
  cat "/etc/$each" >"$at/etc/$each"
  chmod 644 "$at/etc/$each"
done
[ ! -s "$J/reach/place" ] || {
  read -r each _ <"$J/reach/place"
  show "$each"
  while read -r each; do show "$each"; done <"$J/reach/paths"
}
show "$place"
[ ! -d "$place.image" ] || show "$place.image"
exec 8<"$at$place"
[ ! -s "$S/overlays" ] || show "$disk/images"
[ ! -s "$S/mounts" ] || while read -r _ _ each _; do show "$each"; done <"$S/mounts"
cd "$at"
mount --move "$at" /'

# FOLDER and the words of an environment and a command, by the version's own shell. As elsewhere, nobody needs a way to the folder.
root_words='{ cd -- "$0" 2>/dev/null || cd -P /proc/self/fd/8 || exit 126; } && exec 8<&- && exec env -i "$@"'

# The version that is mounted, and this kernel; judged when a job could begin in it.
check_root() {
  room_find
  root_find || return 1
  rm -rf "$S/room.try"
  room_make "$S/room.try" && root_make "$S/room.try"
  # shellcheck disable=SC2086
  DETAIL=$(unshare $ROOM sh -c "$room_walls" "$S/room.try" "$DISK" "$S" '' '' "$view" "$S/room.try/stop" "$WORK" \
    setpriv --no-new-privs --inh-caps=-all -- "$(command -v chroot)" --userspec=+65534:+65534 --groups=+65534 . /bin/sh -c \
    "$root_words" "$WORK" /bin/sh -c ': >/tmp/probe && : >/dev/null && [ ! -w /etc ] && echo in' 2>&1 | head -c 150)
  [ ! -e "$S/room.try/caged" ] || DETAIL=$(head -n 1 "$S/room.try/caged")
  rm -rf "$S/room.try"
  [ "$DETAIL" = in ] || {
    DETAIL="jobs cannot live in it: $DETAIL"
    return 1
  }
  root_tidy
  DETAIL="$version $(uname -r)"
}
