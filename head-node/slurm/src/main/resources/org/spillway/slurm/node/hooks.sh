# shellcheck shell=sh
# shellcheck disable=SC2154
# A site's own Prolog and Epilog: slurm.conf names them, and this node's image may have them or not. For slurmd and all that
# descends from it our gate lies over that path, and calls behind it what is there.

# slurmctld is asked, as slurmd will be: Slurm's own words for them, one line for each, as KIND PATTERN.
slurm_hooks_named() {
  controller=$(fact controller "$F/grant")
  printf 'ClusterName=spillway\nSlurmctldHost=%s\nSlurmctldPort=%s\nSlurmUser=%s\n' "${controller%:*}" "${controller##*:}" \
    "$(fact user "$F/grant")" >"$F/ask.conf"
  # scontrol also looks whether slurmctld answers, which is not what was asked.
  SLURM_CONF=$F/ask.conf timeout 20 scontrol show config >"$F/config.new" 2>&1 || grep -q '^TaskProlog ' "$F/config.new" || {
    grep -v '^$' "$F/config.new" | tail -n 1
    return 1
  }
  sed -n 's/^Prolog\(\[[0-9]*\]\)\{0,1\}  *= \(\/.*\)$/prolog \2/p; s/^Epilog\(\[[0-9]*\]\)\{0,1\}  *= \(\/.*\)$/epilog \2/p' "$F/config.new" >"$F/hooks"
}

# In slurmd's namespace, each time before it starts.
slurm_hooks_here() {
  rm -f "$PROGRAMS/covered-prolog.new" "$PROGRAMS/covered-epilog.new"
  while IFS=' ' read -r kind pattern; do
    slurm_cover "$kind" "$pattern" || {
      echo "slurm.conf says $kind $pattern, where this node cannot put its gate"
      return 1
    }
  done <"$F/hooks"
  for kind in prolog epilog; do
    [ ! -e "$PROGRAMS/covered-$kind.new" ] || mv "$PROGRAMS/covered-$kind.new" "$PROGRAMS/covered-$kind"
  done
}

# KIND PATTERN: slurmd takes a pattern that matches nothing for a failure, so that there has to be something.
slurm_cover() {
  matches=0
  # Split at nothing but what the pattern matches.
  IFS='
'
  for path in $2; do
    [ -e "$path" ] || continue
    matches=$((matches + 1))
    ! [ "$path" -ef "$PROGRAMS/slurm-$1" ] || return 0
  done
  [ "$matches" -gt 0 ] || slurm_absent "$2" || return 1
  # slurmd of 22.05 runs the last of them first.
  order=
  for path in $2; do
    [ -e "$path" ] || return 1
    slurm_cover_path "$path" || return 1
    order="$path
$order"
  done
  printf '%s' "$order" >>"$PROGRAMS/covered-$1.new"
}

# PATH: what it was is found below $PROGRAMS/site from now on, by the name that no link leads to.
slurm_cover_path() {
  ! [ "$1" -ef "$PROGRAMS/slurm-hook" ] || return 0
  own=$PROGRAMS/site$(readlink -f "$1")
  if [ -s "$1" ]; then
    mkdir -p "${own%/*}" && : >"$own" && mount --bind "$1" "$own" || return 1
  fi
  mount --bind "$PROGRAMS/slurm-hook" "$1"
}

# PATTERN: a file that it matches.
slurm_absent() {
  absent=$(printf '%s\n' "$1" | awk '{
    for (i = 1; i <= length($0); i++) {
      c = substr($0, i, 1)
      if (c == "*") out = out "spillway"
      else if (c == "?") out = out "s"
      else if (c == "[") { close_at = index(substr($0, i + 2), "]"); out = out substr($0, i + 1, 1); i += close_at + 1 }
      else out = out c
    }
    print out
  }')
  (umask 022 && mkdir -p "${absent%/*}" && : >"$absent" && chmod 755 "$absent")
}

# PATH: slurmd runs what lies over it. Of several the first does all.
slurm_hook() {
  at=$1
  read -r first <"$PROGRAMS/covered-$hook" || exit 1
  [ "$at" = "$first" ] || exit 0
  ("slurm_$hook") || exit
  # As slurmd would: with its environment, which has no PATH, and until one fails.
  while read -r path; do
    own=$PROGRAMS/site$(readlink -f "$path")
    [ ! -e "$own" ] || env -u PATH "$own" </dev/null || exit
  done <"$PROGRAMS/covered-$hook"
  exit 0
}
