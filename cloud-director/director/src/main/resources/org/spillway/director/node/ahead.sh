# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# The input of a job that this node may get, before it has it: what has come to the region is fetched while the rest comes.
# It lies among what is kept (kept.sh) as ahead-JOB.part, is compared with an order's digest as all that is kept, and goes by the same rules.

# JOB
fetch_ahead() {
  JOB=$1
  mine=$(id -u)
  [ "$mine" -eq 0 ] || return 0
  tenths=1
  # The region may hear of it a moment later than we do.
  until told=$(call -f --max-time 10 "$URL/ahead/$JOB/facts" 2>/dev/null); do
    still_ahead || return 0
    pause "$tenths"
    [ "$tenths" -ge 10 ] || tenths=$((tenths * 2))
  done
  read -r uid user bytes rest <<FACTS
$told
FACTS
  case $uid$bytes in '' | *[!0-9]*) return 0 ;; esac
  case $user in '' | *[!A-Za-z0-9._@\$-]*) return 0 ;; esac
  [ -n "$bytes" ] || return 0
  part=$S/inputs/$uid-$user/ahead-$JOB.part
  mkdir -p "${part%/*}" && may_keep || return 0
  { true >>"$part" && command exec 9<"$part" && flock -n 9; } 2>/dev/null || return 0
  disk_left "$S"
  [ "$bytes" -le "$LEFT" ] || { rm -f "$part"; return 0; }
  # Its job may have begun, and have given the file another name: the rest is that job's.
  while [ /proc/self/fd/9 -ef "$part" ]; do
    call -f -C - --speed-limit 1 --speed-time 60 -o "$part" "$URL/ahead/$JOB/input" 2>/dev/null && return 0
    still_ahead || return 0
    pause 5
  done
}

still_ahead() { ! off && grep -qxF "ahead $JOB" "$S/orders"; }

# The job has come: what was fetched ahead for it is the beginning of its input, or all of it. Whoever fetches holds the lock.
take_ahead() {
  [ -n "$KEPT" ] && [ -e "${KEPT%/*}/ahead-$JOB.part" ] && ! is_kept && mv -nT "${KEPT%/*}/ahead-$JOB.part" "$KEPT.part" 2>/dev/null &&
    [ ! -e "${KEPT%/*}/ahead-$JOB.part" ] && ahead=yes
}
