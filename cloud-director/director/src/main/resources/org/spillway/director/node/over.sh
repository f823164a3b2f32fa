# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# A job's folder as an upper layer over what is kept of its input (overlayfs, KEPT.tree of tree.sh): what the job reads lies in
# the kept tree, what it writes, renames or removes in its own folder. The mount is in a namespace of the attempt's runner: no other
# attempt sees it, and it goes with the last process of the attempt, however that ends, so none is ever left over. From outside
# the folder shows what the job has written, and a removal of it reaches no tree.

# In the gate: S/over gets what such a mount is told, or "no".
over_try() {
  NO_OVER='jobs could reach what is kept: they have no processes of their own'
  tried=no
  case ${ROOM:-} in
    *--pid*)
      # The folder dies with the machine: nothing in it is ever read by another life, so nobody waits for a disk (volatile).
      for OVER in redirect_dir=on,index=off,volatile redirect_dir=on,index=off; do
        over_probe && tried=$OVER && break
      done
      ;;
  esac
  rm -rf "$S/over.try" "$WORK/.over.try"
  echo "$tried" | put "$S/over"
  [ "$tried" != no ] || say "each job's folder gets a copy of its input, and no layer over it: $NO_OVER"
}

# A user changes a file, moves a folder by one rename, and removes; what is below stays as it was.
over_probe() {
  rm -rf "$S/over.try" "$WORK/.over.try"
  mkdir -p "$S/over.try/in/a/b" "$S/over.try/work" "$WORK/.over.try" && echo kept | tee "$S/over.try/in/a/b/c" >"$S/over.try/in/a/d" &&
    chown -R 65534:65534 "$S/over.try/in" "$WORK/.over.try" || { NO_OVER='no room to try it'; return 1; }
  # shellcheck disable=SC2016
  NO_OVER=$(unshare --mount sh -c 'cd "$0" && mount -t overlay -o "$1" spillway work/.over.try && cd work/.over.try && shift &&
    exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps=-all -- sh -c "$@"' "$DISK" \
    "lowerdir=spillway/over.try/in,upperdir=work/.over.try,workdir=spillway/over.try/work,$OVER" \
    'before=$(stat -c %i a) && mv a e && [ "$before" = "$(stat -c %i e)" ] || { echo "folders cannot be renamed"; exit 1; }
    before=$(stat -c %i e/b/c) && echo changed >>e/b/c && [ "$before" = "$(stat -c %i e/b/c)" ] && chmod 400 e/b/c && rm e/d && [ ! -e e/d ] &&
      exit 0; echo "files are not as they should be"; exit 1' sh 2>&1 | tail -n 1 | head -c 150)
  [ -z "$NO_OVER" ] || return 1
  [ "$(cat "$S/over.try/in/a/b/c" "$S/over.try/in/a/d" | tr '\n' ' ')" = 'kept kept ' ] && [ "$(tail -n 1 "$WORK/.over.try/e/b/c")" = changed ] && return 0
  NO_OVER='what is below was not left alone'
  return 1
}

# OVER: what such a mount is told; empty where there are none. Jobs of a workload manager work in folders of their users'.
over_find() {
  OVER=''
  { read -r OVER <"$S/over"; } 2>/dev/null
  [ "$OVER" != no ] && [ "${ISOLATION:-}" != off ] && [ ! -s "$S/slot" ] && [ "$(id -u)" -eq 0 ] || OVER=''
}

# JOB ATTEMPT: the runner begins once more, where what it mounts is its own.
own_mounts() {
  over_find
  [ -z "$OVER" ] || [ -n "${OWN_MOUNTS:-}" ] || {
    export OWN_MOUNTS=yes
    exec unshare --mount -- sh "$S/agent" job "$1" "$2"
  }
}

# TREE: an earlier release made all of it root's.
is_users() { [ "$(stat -c %u "$1.tree/in")" = "$uid" ]; }

# The layers of KEPT below the job's folder. Descriptor 9 keeps them as long as a process of the runner's has it.
lay_over() {
  own=spillway/inputs/$uid-$user
  below=$own/$sha.tree/in${base:+:$own/$base.tree/in}
  mkdir -p "$J/over" && why='it is not the user'\''s' && is_users "$KEPT" && why=$(cd "$DISK" && mount -t overlay \
    -o "lowerdir=$below,upperdir=work/$JOB.$ATTEMPT,workdir=spillway/jobs/$JOB.$ATTEMPT/over,$OVER" spillway "$D" 2>&1) && return 0
  say "its folder gets a copy of its input, and no layer over it: $(printf %s "$why" | tail -n 1 | head -c 200)"
  return 1
}
