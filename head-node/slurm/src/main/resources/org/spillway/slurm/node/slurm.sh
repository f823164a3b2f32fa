# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# A node of a Slurm: munged and slurmd, kept alive.
DAEMON=slurmd
STANDARD_SOCKET=/run/munge/munge.socket.2
# Both names are matched by a pattern in slurm.conf that also matches /usr/bin/true: a Prolog that is nowhere fails.
PROGRAMS=/run/spillway

manager_serve() {
  mkdir -p "$F/gate" "$F/staged"
  until slurm_can; do
    off && return
    manager_gate failed "$DETAIL"
    pause 100
  done
  # An image's own daemons have another key, and the same socket.
  [ -z "$STOCK" ] || systemctl mask --now --runtime munge.service slurmd.service >/dev/null 2>&1
  slurm_programs
  turns=0
  until fetch_grant && slurm_names; do
    off && return
    turns=$((turns + 1))
    if [ "$turns" -lt 20 ]; then pause 2; else pause 10; fi
  done
  # A file system of others comes up after its node, and by itself.
  turns=0
  until slurm_shares; do
    off && return
    turns=$((turns + 1))
    [ "$turns" -lt 20 ] || manager_gate failed "$DETAIL"
    pause 10
  done
  version=$(slurmd -V 2>/dev/null | head -c 50)
  manager_gate ok "$version"
  rm -f "$F/space"
  keep space space_here &
  keep munged munged_here &
  keep slurmd slurmd_here &
  slot=$(fact slot "$F/grant")
  read -r _ _ turn <"$S/slot"
  while ! off; do
    pause 10
    slurm_reach_sweep
    wanted='' next=''
    read -r _ wanted next <"$S/slot"
    # Another slot: slurmd is another one's now.
    if [ "$wanted" != "$slot" ] && fetch_grant; then
      slot=$(fact slot "$F/grant") turn=$next
      slurm_host "$ADDRESS $slot"
      rm -f "$F/booted"
      alive "$F/slurmd.pid" && kill "$some"
    elif [ "$next" != "$turn" ] && slurm_mend "$next"; then
      turn=$next
    fi
    [ -z "$(find "$F/slurmd.pid" -mmin +1)" ] || ! alive "$F/slurmd.pid" || manager_gate ok "$version"
  done
}

# TURN: the second in which slurmctld was started, and how often the head has missed this node since. A slurmctld that was
# killed has forgotten what it did last. slurmd has not: it neither registers again nor asks the Prolog of a job that it has
# seen. So it is killed, which no process of a job feels, when it knows of something that slurmctld does not.
slurm_mend() {
  began=${1%%-*}
  [ ! -e /run/slurm/conf/slurm.conf ] || export SLURM_CONF=/run/slurm/conf/slurm.conf
  state=$(timeout 10 scontrol -o show node "$slot" 2>/dev/null | grep -o ' State=[^ ]*') || return 1
  # Before slurmctld is asked: what comes to slurmd meanwhile is nothing that slurmctld has forgotten.
  known=$(slurm_known)
  there=$(SLURM_TIME_FORMAT=%s timeout 10 squeue -h -a -w "$slot" -o '%A %S' 2>/dev/null) || return 1
  why=
  case $state in *POWERED_DOWN*) why='slurmctld takes this node for one that is off' ;; esac
  for job in $known; do
    since=$(printf '%s\n' "$there" | sed -n "s/^$job //p")
    # A job that was submitted after that start has come here for its first run; so has, for all that is known, one of which
    # slurmctld has not told its start: a loaded machine does not answer within slurm_since's patience.
    seen=
    { read -r seen <"$F/gate/$job.since"; } 2>/dev/null
    case $since in '' | *[!0-9]*) why="slurmctld has forgotten a run of job $job" ;; "$seen") ;; *) [ -z "$seen" ] || [ "$since" -lt "$began" ] || why="slurmctld has begun job $job anew" ;; esac
  done
  [ -z "$why" ] || { say "$why" && slurm_forget; }
}

# Numbers of jobs whose Prolog waits or has passed, and that have had no Epilog.
slurm_known() {
  for one in "$F"/gate/*; do
    id=${one##*/}
    case $id in
      *.waits) ! alive "$one" || printf '%s\n' "${id%.waits}" ;;
      *[!0-9]*) ;;
      *)
        read -r attempt <"$one" && [ -e "$S/jobs/$attempt/claim/prolog" ] && [ ! -e "$S/jobs/$attempt/epilog" ] && printf '%s\n' "$id"
        ;;
    esac
  done
}

# The record that slurmd has written of the jobs that it has seen lies beside the configuration that it has fetched.
slurm_forget() {
  alive "$F/slurmd.pid" && kill -KILL "$some"
  spool=$(readlink -f /run/slurm/conf)
  case $spool in /?*/conf-cache) rm -f "${spool%/*}"/cred_state* ;; esac
}

slurm_can() {
  DETAIL='slurmd needs root'
  [ "$(id -u)" -eq 0 ] || return 1
  for program in munged slurmd scontrol unshare nsenter mount mountpoint flock; do
    DETAIL="$program is not installed: the image for nodes of a Slurm needs the packages slurmd, slurm-client and munge"
    command -v "$program" >/dev/null || return 1
  done
  DETAIL='another munged listens on this machine'
  [ ! -S "$STANDARD_SOCKET" ] || [ -e "$F/munged.ours" ] || [ -n "$STOCK" ]
}

# Shared folders are mounted: else jobs would write into the image's own folder of that name, and lose it with the node.
slurm_shares() {
  for share in $(fact shared "$F/grant" | tr : ' '); do
    # An automounter mounts a folder when somebody looks into it.
    # A file server that is away holds whoever asks, and only SIGKILL ends that.
    timeout -k 5 30 sh -c 'ls -d "$1/." >/dev/null 2>&1 && mountpoint -q "$1"' mounted "$share" 2>/dev/null && continue
    case $? in
      124 | 137) DETAIL="$share does not answer within 30 s: its file server is away, or the way there is closed" ;;
      *) DETAIL="$share is not mounted here, and workload.slurm.shared says that nodes have it from home" ;;
    esac
    return 1
  done
}

# PATH: whether it lies in one of them. What there is of it is the site's to make.
slurm_is_shared() {
  for share in $(fact shared "$F/grant" | tr : ' '); do
    case $1/ in "$share"/*) return 0 ;; esac
  done
  return 1
}

slurm_programs() {
  mkdir -p "$PROGRAMS" && chmod 755 "$PROGRAMS"
  # Debian mounts /run so that nothing in it can be executed.
  mountpoint -q "$PROGRAMS" || mount -t tmpfs -o nosuid,nodev,mode=755,size=256k spillway "$PROGRAMS"
  for each in prolog.tru1 epilog.tru2; do
    name=slurm-${each%.*}
    {
      printf '#!/bin/sh\nexport PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n'
      printf "S='%s'\n" "$(printf '%s' "$S" | sed "s/'/'\\\\''/g")"
      printf '. "$S/manager/program"\nslurm_%s\n' "${each%.*}"
    } >"$PROGRAMS/$name.new"
    chmod 755 "$PROGRAMS/$name.new"
    mv "$PROGRAMS/$name.new" "$PROGRAMS/$name"
    ln -sf "$name" "$PROGRAMS/${each#*.}"
  done
  {
    # Whoever is no slurmd gets what was there: a site may name /bin/true.
    printf '#!/bin/sh\ncase ${SLURM_SCRIPT_CONTEXT:-} in prolog_slurmd) hook=prolog ;; epilog_slurmd) hook=epilog ;; *)\n'
    printf '  exec "%s/site$(readlink -f "$0")" "$@" ;;\nesac\n' "$PROGRAMS"
    sed -n '2,3p' "$PROGRAMS/slurm-prolog"
    printf '. "$S/manager/program"\nslurm_hook "$0"\n'
  } >"$PROGRAMS/slurm-hook.new"
  chmod 755 "$PROGRAMS/slurm-hook.new"
  mv "$PROGRAMS/slurm-hook.new" "$PROGRAMS/slurm-hook"
}

# slurmd asks at the standard place until it knows the configuration, which may name another.
munged_here() {
  : >"$F/munged.ours"
  # The image's own munged leaves it to its own user, and this one trusts nobody but root there.
  mkdir -p "${STANDARD_SOCKET%/*}" && chown 0:0 "${STANDARD_SOCKET%/*}" && chmod 755 "${STANDARD_SOCKET%/*}"
  socket=$(fact socket "$F/grant")
  if [ "$socket" != "$STANDARD_SOCKET" ] && { [ -L "$socket" ] || [ ! -e "$socket" ]; }; then
    (umask 022 && mkdir -p "${socket%/*}")
    ln -sfn "$STANDARD_SOCKET" "$socket"
  fi
  exec munged --foreground --socket="$STANDARD_SOCKET" --key-file="$F/munge.key" --log-file="$F/munged.log" \
    --pid-file="$F/munged.own" --seed-file="$F/munged.seed"
}

# A mount namespace with the users' names, for slurmd and all that descends from it. This process holds it.
space_here() {
  [ ! -e /etc/hosts ] || [ -e "$F/hosts" ] || { : >"$F/hosts" && chmod 644 "$F/hosts"; }
  slurm_host "$ADDRESS $(fact slot "$F/grant")"
  # shellcheck disable=SC2016
  exec unshare -m sh -c 'mount --bind "$0/passwd" /etc/passwd && mount --bind "$0/group" /etc/group || exit
    [ ! -e "$0/hosts" ] || mount --bind "$0/hosts" /etc/hosts || exit
    : >"$0/space"; while :; do sleep 1000; done' "$F"
}

# LINES: ADDRESS NAME. srun knows the nodes of its job from what slurmctld told the job when it began, and a slurmctld that
# was started again meanwhile tells nothing (22.05): then it asks for the names here.
slurm_host() {
  [ -e "$F/hosts" ] || return 0
  (
    flock 9
    {
      cat "$F/hosts.ours" 2>/dev/null
      printf '%s\n' "$1"
    } | awk 'NF == 2 { at[$2] = $1 } END { for (name in at) print at[name], name }' | sort >"$F/hosts.new" &&
      mv "$F/hosts.new" "$F/hosts.ours"
    # In place, as a mount shows this file and no other of its name.
    cat /etc/hosts "$F/hosts.ours" >"$F/hosts.new" && { cmp -s "$F/hosts.new" "$F/hosts" || cat "$F/hosts.new" >"$F/hosts"; }
  ) 9>"$F/hosts.lock"
}

slurmd_here() {
  tries=0
  until { [ -S "$STANDARD_SOCKET" ] && [ -e "$F/space" ]; } || [ "$tries" -ge 50 ]; do
    tries=$((tries + 1))
    pause 1
  done
  slurm_hooks_named || exit 1
  # shellcheck disable=SC2016
  nsenter -m -t "$(cat "$F/space.pid")" -- sh -c 'S=$1 && . "$S/manager/program" && slurm_hooks_here' hooks "$S" || exit 1
  set -- slurmd -D -L "$F/daemon.log" --conf-server "$(fact controller "$F/grant")" -N "$(fact slot "$F/grant")"
  # Once in a life: a node that was powered up must have booted, but jobs are lost with each boot.
  [ -e "$F/booted" ] || { : >"$F/booted" && set -- "$@" -b; }
  umask 022
  exec nsenter -m -t "$(cat "$F/space.pid")" -- "$@"
}

# GRACE_SECONDS: slurmd, and then what is left of its steps: whatever is in their namespace.
manager_stop() {
  alive "$F/slurmd.pid" && kill "$some"
  tries=0
  while alive "$F/slurmd.pid" && [ "$tries" -lt "$(($1 * 10))" ]; do
    tries=$((tries + 1))
    pause 1
  done
  alive "$F/slurmd.pid" && kill -KILL "$some"
  alive "$F/munged.pid" && kill "$some"
  # Only when it certainly is the one that we made, and has this folder among its words.
  alive "$F/space.pid" && grep -qzxF "$F" "/proc/$some/cmdline" || return 0
  holder=$some
  space=$(readlink "/proc/$holder/ns/mnt")
  for _ in 1 2 3 4 5; do
    left=$(find /proc -maxdepth 3 -path '/proc/[0-9]*/ns/mnt' -lname "$(printf '%s' "$space" | sed 's/[][]/\\&/g')" 2>/dev/null |
      cut -d / -f 3 | grep -vx "$holder")
    [ -n "$left" ] || break
    # shellcheck disable=SC2086
    kill -KILL $left 2>/dev/null
    pause 1
  done
  kill -KILL "$holder" 2>/dev/null
}

# The machine's names and the directory's. What the machine knows already stays as it is; below 1000 it is right,
# above the directory is. Written over the files that are seen in slurmd's namespace.
slurm_names() {
  (
    flock 9
    attributes=uid,cn,uidNumber,gidNumber,homeDirectory,loginShell,memberUid
    filter='(|(objectClass=posixAccount)(objectClass=posixGroup))'
    call -f --max-time 60 -o "$F/directory" -G --data-urlencode "filter=$filter" --data-urlencode "attributes=$attributes" \
      "$URL/directory" || exit 1
    directory_lines
    merge_names passwd && merge_names group
  ) 9>"$F/lock"
}

directory_lines() {
  { cat "$F/directory" && echo dn:; } | awk -v people="$F/people" -v groups="$F/groups" '
    function flush() {
      good = "^[A-Za-z0-9_][A-Za-z0-9._@$-]*$"
      if (gid ~ /^[0-9]+$/) {
        if (uid ~ good && number ~ /^[0-9]+$/) print uid ":x:" number ":" gid "::" home ":" shell >people
        else if (number == "" && cn ~ good) print cn ":x:" gid ":" members >groups
      }
      uid = cn = number = gid = members = ""; home = "/"; shell = "/bin/sh"
    }
    BEGIN { printf "" >people; printf "" >groups; flush() }
    { at = index($0, ": "); key = substr($0, 1, at - 1); value = substr($0, at + 2) }
    /^dn:/ { flush(); next }
    key == "uid" && uid == "" { uid = value }
    key == "cn" && cn == "" { cn = value }
    key == "uidNumber" { number = value }
    key == "gidNumber" { gid = value }
    key == "homeDirectory" && value ~ /^\/[^:]*$/ { home = value }
    key == "loginShell" && value ~ /^\/[^: ]*$/ { shell = value }
    key == "memberUid" && value ~ /^[A-Za-z0-9_][A-Za-z0-9._@$-]*$/ { members = members (members == "" ? "" : ",") value }'
}

# passwd or group
merge_names() {
  case $1 in passwd) from=$F/people ;; group) from=$F/groups ;; esac
  cut -d : -f 1 "$from" | xargs -r getent "$1" >"$F/known"
  awk -F : '
    FILENAME == ARGV[1] { known[$1 ":" $3] = 1; next }
    FILENAME == ARGV[2] {
      own[++count] = $0; name[count] = $1; number[count] = $3
      if ($3 < 1000 || $3 == 65534) { names[$1] = 1; numbers[$3] = 1 }
      next
    }
    !(($1 ":" $3) in known) && !($1 in names) && !($3 in numbers) { names[$1] = 1; numbers[$3] = 1; line[++more] = $0 }
    END {
      for (i = 1; i <= count; i++)
        if (number[i] < 1000 || number[i] == 65534 || !(name[i] in names) && !(number[i] in numbers)) print own[i]
      for (i = 1; i <= more; i++) print line[i]
    }' "$F/known" "/etc/$1" "$from" >"$F/$1.new" || return 1
  # In place, as a mount shows this file and no other of its name; in one piece, as it is being read.
  [ -e "$F/$1" ] || : >"$F/$1"
  cmp -s "$F/$1.new" "$F/$1" || {
    dd "if=$F/$1.new" "of=$F/$1" bs=64M conv=notrunc status=none && truncate -s "$(wc -c <"$F/$1.new")" "$F/$1"
  }
  chmod 644 "$F/$1"
}
