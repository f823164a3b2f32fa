# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034,SC2016
# The image that a job runs in (ADR 73). Its files are unpacked once for all jobs of a user on this node, with that user's rights:
# S/inputs/UID-LOGIN/SHA256.root has "in"; "list", what that was; "lock", as long as it is, by which it is thrown away like an input.
# In the job's folder .spillway-container is what came with its input, until it begins, and .spillway/in runs words in the image.

# TREE: PROGRAM is the first of those there that run an image without rights; PROGRAMS are all of them.
container_find() {
  PROGRAM='' PROGRAMS=''
  for each in apptainer podman ch-run; do
    for at in /usr/local/bin /usr/bin /bin; do
      [ -x "$1$at/$each" ] || continue
      # The runtime that podman has to have for a process which may gain no rights.
      [ "$each" != podman ] || [ -x "$1/usr/bin/crun" ] || [ -x "$1/usr/local/bin/crun" ] || break
      PROGRAM=${PROGRAM:-$at/$each} PROGRAMS="$PROGRAMS${PROGRAMS:+, }$each"
      break
    done
  done
  [ -n "$PROGRAM" ]
}

# Told, and judged by nobody: most jobs need none.
check_containers() {
  container_find "${ROOTED:-}" || PROGRAMS='none of apptainer, podman (with crun) and ch-run'
  DETAIL=$PROGRAMS
}

# After the input is in the job's folder, which is nobody's else yet.
take_container() {
  [ -n "$container" ] || return 0
  container_find "$ROOTED" ||
    refuse 'no runtime for its image: this node has none of apptainer, podman (with crun) and ch-run (charliecloud)'
  facts=$(as_user head -c 200 -- "$D/.spillway-container/image" 2>/dev/null)
  read -r sha size unpacked more <<END_OF_IMAGE
$facts
END_OF_IMAGE
  case ${sha:-x}$more in *[!0-9a-f]*) refuse 'its image did not come with its input' ;; esac
  case ${size:-x}${unpacked:-x} in *[!0-9]*) refuse 'its image did not come with its input' ;; esac
  [ "${#sha}" -eq 64 ] && [ "${#size}" -lt 16 ] && [ "${#unpacked}" -lt 16 ] || refuse 'its image did not come with its input'
  root=$S/inputs/$uid-$user/$sha.root
  mkdir -p "${root%/*}" || refuse 'its image has no room on this node'
  new=$root.$JOB.$ATTEMPT
  # Whoever makes room leaves alone what a job here names.
  printf '%s\n' "$root/in" "$new/in" | put "$J/container"
  {
    flock 8
    container_kept || container_unpack
  } 8>>"$root.turn"
  container_doors
  container_words
  # Outputs of all that there is are not to have it.
  as_user mv -- "$D/.spillway-container/environment" "$D/.spillway/environment" && as_user rm -rf -- "$D/.spillway-container" ||
    refuse 'its folder takes no files'
}

# Names, kinds, sizes and times of all files, of which nobody can set the last: those of folders change with places for mounts.
container_list() { (cd "$root/in" && LC_ALL=C find . ! -type d -printf '%y %m %s %T@ %C@ %l %p\0' | LC_ALL=C sort -z | digest); }

container_kept() {
  [ -e "$root/list" ] || return 1
  found=$(container_list)
  [ "$found" = "$(cat "$root/list" 2>/dev/null)" ] && touch -c "$root/lock" && return 0
  say "what was kept of an image of $user is not what it was: $sha"
  mv -T "$root" "$root.spoilt.$(date +%N)"
  return 1
}

# As the user in a folder to which no name leads, from an archive that has been compared. Links come last in it.
container_unpack() {
  input_fits "$unpacked" "$S"
  began=$(date +%s)
  rm -rf "$root" "$new"
  found=$(as_user cat -- "$D/.spillway-container/root.tar.gz" | digest)
  [ "${found%% *}" = "$sha" ] || refuse 'its image is not what was staged'
  mkdir "$new" && truncate -s "$unpacked" "$new/lock" && mkdir "$new/in" && chmod 755 "$new/in" && { [ "$mine" -ne 0 ] || chown "$uid:$gid" "$new/in"; } || refuse 'its image has no room on this node'
  as_user cat -- "$D/.spillway-container/root.tar.gz" | (cd "$new/in" && as_user sh -c 'umask 022
    exec timeout -k 5 3600 tar -xzpf - --no-same-owner' 8>&- 9<&-) 2>"$J/unpacked" || {
    rm -rf "$new"
    refuse "its image was not unpacked: $(head -c 200 "$J/unpacked" | tr -c '[:print:]' ' ')"
  }
  rm -f "$J/unpacked"
  mv -T "$new" "$root" && container_list | put "$root/list" || refuse 'its image has no room on this node'
  say "the image $container was unpacked for $user in $(($(date +%s) - began)) s"
}

# FOLDER: whether a job here has it as its root, or begins to.
container_used() { grep -qsxF "$1/in" "$S"/jobs/*/container; }

# Places of this machine that the job has in its image, too, besides those that every runtime brings.
container_places() {
  printf '%s\n' "$D" /var/tmp
  [ ! -s "$J/reach/place" ] || {
    read -r each _ <"$J/reach/place"
    printf '%s\n' "$each"
    cat "$J/reach/paths"
  }
  [ ! -s "$S/mounts" ] || while read -r _ _ each _; do printf '%s\n' "$each"; done <"$S/mounts"
}

# Folders on which places are mounted, made as the user. No link of the image is followed: it would lead out of it.
container_doors() {
  container_places >"$J/places"
  while read -r each; do
    (cd "$root/in" && as_user sh -c 'way=. rest=${1#/}
      while [ -n "$rest" ]; do
        way=$way/${rest%%/*}
        [ ! -L "$way" ] && { [ -d "$way" ] || mkdir -m 755 -- "$way"; } || exit 1
        case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
      done' door "$each" 8>&- 9<&-) || refuse "something of its image lies in the way of $each"
  done <"$J/places"
}

# The folder of this attempt in the image goes.
container_end() {
  rmdir "$D.image" 2>/dev/null
  { read -r each <"$J/container" && (cd "$each" && as_user rmdir -- ".$D"); } 2>/dev/null
}

# The user's own files by which words are run there; and what is done in the room before, as root (room.sh).
container_words() {
  at=$root/in
  [ "$mine" -ne 0 ] || { at=$D.image && mkdir -m 755 "$at"; } || refuse 'its image has no room on this node'
  {
    printf '%s\n%s\n%s\n' "$PROGRAM" "$at" "$uid:$gid"
    cat "$J/places"
  } | as_user sh -c 'umask 077; cat >"$0"' "$D/.spillway/container" || refuse 'its folder takes no files'
  printf '%s\n' "$container_in" | as_user sh -c 'umask 077; cat >"$0" && chmod 700 "$0"' "$D/.spillway/in"
  printf '%s\n' "$container_inside" | as_user sh -c 'umask 077; cat >"$0"' "$D/.spillway/inside"
  for each in passwd group; do
    {
      [ "$each" = passwd ] && printf '%s:x:%s:%s::%s:/bin/sh\n' "$user" "$uid" "$gid" "${HOME_AT:-$D}" || printf '%s:x:%s:\n' "$user" "$gid"
      (cd "$root/in" && as_user cat "etc/$each")
    } | as_user sh -c 'umask 022; cat >"$0"' "$D/.spillway/$each"
  done
  [ "$mine" -ne 0 ] || printf '%s\n' "$container_walls" >"$J/walls"
}

# As root in mounts that nobody else has, on a folder that is root's: of a path that is the user's any part may be a link by now.
# Where the kernel's trees of cgroups are mixed, crun takes none; and nobody can gain the further numbers of users that a machine may
# have given to a user.
container_walls='read -r each <"$J/container"
mount --bind "$each" "$place.image"
mount -o remount,bind,ro,nosuid,nodev "$place.image"
for each in /etc/subuid /etc/subgid; do [ ! -s "$each" ] || mount --bind /dev/null "$each"; done
[ ! -d /sys/fs/cgroup/unified ] || mount --bind /sys/fs/cgroup/unified /sys/fs/cgroup'

# With the rights of the job. Its variables come by a file, since runtimes change them.
container_in='#!/bin/sh
# WORDS: run in the image of the job.
own=$(cd -- "${0%/*}" && pwd -P) || exit 126
mask=$(umask)
umask 077
export -p >"$own/given.$$" || exit 126
umask "$mask"
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
unset LD_PRELOAD LD_LIBRARY_PATH
set -- /bin/sh "$own/inside" "$own/given.$$" "${own%/.spillway}" "$@"
{
  read -r program && read -r root && read -r who || exit 126
  case ${program##*/} in
    podman) set -- --rootfs "$root" "$@" ;;
    apptainer) set -- "$root" "$@" ;;
    *) set -- "$root" -- "$@" ;;
  esac
  while read -r each; do
    case ${program##*/} in
      podman) set -- --volume "$each:$each" "$@" ;;
      *) set -- --bind "$each:$each" "$@" ;;
    esac
  done
} <"$own/container"
case ${program##*/} in
  apptainer)
    [ ! -e /dev/kfd ] || set -- --rocm "$@"
    [ ! -e /dev/nvidiactl ] || set -- --nv "$@"
    exec "$program" --silent exec --userns --no-home --no-mount home,cwd,tmp,bind-paths --bind /tmp --bind /etc/hosts --cwd / "$@"
    ;;
  podman)
    work=$(mktemp -d /tmp/.spillway-podman.XXXXXX) || exit 126
    export HOME="$work" XDG_RUNTIME_DIR="$work" XDG_CONFIG_HOME="$work" XDG_DATA_HOME="$work"
    [ ! -t 0 ] || set -- --tty "$@"
    trap : TERM INT HUP
    "$program" --log-level fatal --root "$work/a" --runroot "$work/b" --tmpdir "$work/c" --storage-driver vfs --cgroup-manager cgroupfs \
      --events-backend none --runtime crun run --rm --interactive --log-driver none --cgroups no-conmon --cgroupns host --network host --pid host \
      --ipc none --uts host --no-hosts --read-only --read-only-tmpfs=false --cap-drop all --security-opt label=disable \
      --security-opt seccomp=unconfined --uidmap "${who%:*}:0:1" --gidmap "${who#*:}:0:1" --user "$who" --workdir / \
      --volume /dev:/dev --volume /tmp:/tmp --volume /etc/hosts:/etc/hosts:ro --volume /etc/resolv.conf:/etc/resolv.conf:ro \
      --volume "$own/passwd:/etc/passwd:ro" --volume "$own/group:/etc/group:ro" "$@"
    code=$?
    rm -rf "$work"
    exit "$code"
    ;;
  *) exec "$program" --no-passwd --bind "$own/passwd:/etc/passwd" --bind "$own/group:/etc/group" "$@" ;;
esac'

# In the image. Its word on a variable counts where the job says nothing.
container_inside='unset PATH LD_LIBRARY_PATH
. "$1"
. "$2/.spillway/environment"
[ -n "${PATH+x}" ] || PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
rm -f -- "$1"
cd -- "$2" || exit 126
shift 2
exec "$@"'
