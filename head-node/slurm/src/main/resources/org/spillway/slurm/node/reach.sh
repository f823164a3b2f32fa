# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034,SC2016
# The user's home within reach of jobs of a Slurm: slurmd's processes are in one namespace, so that home is mounted there once for
# all jobs of a user that are on this node at one time, in R=$F/reach/UID. What they write below it is in R/upper, and goes with the
# last of them: the next one finds home as it is then. Not below what lies at home's path on this machine, which is of nobody's.

# HERE: where the job's folder is seen from outside. From here to the collecting as_user is in slurmd's namespace.
slurm_reach() {
  HERE=$D R=$F/reach/$uid HOME_AT='' why=''
  [ -n "$reach" ] && [ -n "$home" ] && slurm_reach_begin || return 0
  : >"$J/gives"
  trap 'slurm_reach_leave; last_word' EXIT
  slurm_inside
}

slurm_inside() {
  as_user() { $INTO setpriv --reuid="$uid" --regid="$gid" --groups="$groups" --no-new-privs --inh-caps=-all -- "$@"; }
}

# Where the layer is a folder like any other, with HERE for D.
slurm_outside() {
  as_user() { setpriv --reuid="$uid" --regid="$gid" --groups="$groups" --no-new-privs --inh-caps=-all -- "$@"; }
}

slurm_upper() { (slurm_outside && as_user "$@"); }

slurm_reach_begin() {
  exec 7>"$F/reach.lock"
  if ! command -v perl >/dev/null || [ ! -c /dev/fuse ]; then
    why='there is no /dev/fuse or no perl here'
  elif ! flock -w 120 7; then
    why='another job has been asking for it for two minutes'
  elif ! alive "$F/space.pid"; then
    why='slurmd is not there'
  else
    slurm_reach_words
    reach_place && if slurm_reach_others; then slurm_reach_join; else slurm_reach_new; fi
  fi
  [ -n "$why" ] || : >"$R/jobs/$JOB.$ATTEMPT"
  exec 7>&-
  [ -n "$why" ] || return 0
  say "home is not within reach of job $JOB: $why"
  HOME_AT=
  return 1
}

slurm_reach_words() {
  read -r space <"$F/space.pid"
  INTO="nsenter --wd=. -m -t $space --" TABLE=/proc/$space ALONE=setsid
}

# Other attempts of this user whose runners are alive. Who was killed has left its name here.
slurm_reach_others() {
  others=no
  for each in "$R"/jobs/*; do
    [ -e "$each" ] || continue
    if [ "${each##*/}" != "$JOB.$ATTEMPT" ] && alive "$S/jobs/${each##*/}/runner"; then others=yes; else rm -f "$each"; fi
  done
  [ "$others" = yes ]
}

slurm_reach_new() {
  slurm_reach_undo
  mkdir -p "$F/reach" && chmod 700 "$F/reach" && mkdir -p "$R/jobs" && reach_layer && slurm_reach_lay || {
    slurm_reach_undo
    return 1
  }
}

slurm_reach_lay() {
  echo "$HOME_AT" >"$R/at"
  reach_mount && why=$($INTO sh -c "$reach_lay" "$R" "$HOME_AT" "$layers" 2>&1) && why='' ||
    { why="${why:-it could not be laid over $HOME_AT}"; return 1; }
}

# A line that is gone does not come back. What the jobs have written stays where it is, below a new one.
slurm_reach_join() {
  slurm_reach_serves && return 0
  say "home of $user is asked for anew: its line was gone"
  slurm_reach_down
  rm -rf "$R/work"
  mkdir "$R/work" && read -r layers <"$S/over" && slurm_reach_lay
}

slurm_reach_serves() {
  alive "$R/line" && grep -qszF "$S/node.pem" "/proc/$some/cmdline" && grep -q " $R/all fuse" "$TABLE/mounts"
}

slurm_reach_down() {
  reach_end "$R"
  for each in "$HOME_AT" "$R/below" "$R/all"; do $INTO umount -l "$each" 2>/dev/null; done
}

slurm_reach_undo() {
  [ -d "$R" ] || return 0
  slurm_reach_down
  rm -rf --one-file-system "$R"
}

# Layers of users whose runners have all gone: who was killed on the way out has left its own. A job that comes has its name there
# under the same lock.
slurm_reach_sweep() (
  JOB='' ATTEMPT=''
  for R in "$F"/reach/*/jobs; do
    R=${R%/jobs}
    [ -d "$R/jobs" ] && exec 7>"$F/reach.lock" && flock -n 7 || continue
    slurm_reach_words
    slurm_reach_others || {
      say "a layer of home was left: ${R##*/}"
      read -r HOME_AT <"$R/at"
      slurm_reach_undo
    }
    exec 7>&-
  done
)

slurm_reach_leave() {
  exec 6<&- 7>"$F/reach.lock"
  flock -w 60 7
  rm -f "$R/jobs/$JOB.$ATTEMPT"
  slurm_reach_others || slurm_reach_undo
  exec 7>&-
}

# The job's folder is in the upper layer from now on: inputs are put there, and its files are found there by its user, who comes to
# it by a descriptor of the layer and no other way.
slurm_reach_folder() {
  [ -n "$HOME_AT" ] || return 0
  exec 6<"$R/upper"
  at=$(as_user sh -c 'cd -P -- "$0" && mkdir -- "$1" && rmdir -- "$1" && pwd -P' "$D" ".spillway-in.$JOB.$ATTEMPT" 2>/dev/null)
  case $at/ in "$HOME_AT"/*) HERE=/proc/self/fd/6${at#"$HOME_AT"} ;; esac
}
