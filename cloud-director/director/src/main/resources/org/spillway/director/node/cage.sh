# shellcheck shell=sh
# shellcheck disable=SC2154,SC2034
# The cage of an attempt: groups of processes of the kernel's (cgroups), of version 2, of version 1, or of both where a
# machine has them mixed. What is in it has no more than it asked for, and can be ended whole, whatever it forked.

# Folders in which an attempt gets one of its name: TREE to end it, MEMORY, CPU, PIDS to bound it. Empty where this machine
# has none; NO_CAGE says why then. Named after the folder of this node, too: a local cloud has many on one machine. Few
# processes are begun here: this is part of each job's start.
cage_find() {
  TREE='' MEMORY='' CPU='' PIDS='' NO_CAGE='' two='' freezer='' old_memory='' old_cpu='' old_pids=''
  [ "$(id -u)" -eq 0 ] || { NO_CAGE='cgroups: the agent is not root'; return 1; }
  [ "${ISOLATION:-}" != off ] || { NO_CAGE=off; return 1; }
  [ -s "$S/cage.name" ] || printf %s "$S" | cksum | cut -d ' ' -f 1 | put "$S/cage.name"
  read -r cage <"$S/cage.name"
  cage=spillway/$ID-$cage
  while read -r _ place kind words _; do
    case $kind in
      cgroup2) two=${two:-$place} ;;
      cgroup)
        case ,$words, in *,memory,*) old_memory=$place ;; esac
        case ,$words, in *,cpu,*) old_cpu=$place ;; esac
        case ,$words, in *,pids,*) old_pids=$place ;; esac
        case ,$words, in *,freezer,*) freezer=$place ;; esac
        ;;
    esac
  done </proc/mounts
  [ -z "$two" ] || cage_above
  cage_place memory "$old_memory" && MEMORY=$folder
  cage_place cpu "$old_cpu" && CPU=$folder
  cage_place pids "$old_pids" && PIDS=$folder
  if [ -n "$two" ] && cage_folder "$two" || { [ -n "$freezer" ] && cage_folder "$freezer"; }; then TREE=$folder; fi
  [ -n "$MEMORY" ] || NO_CAGE="$NO_CAGE, no memory"
  [ -n "$CPU" ] || NO_CAGE="$NO_CAGE, no cpu"
  [ -n "$PIDS" ] || NO_CAGE="$NO_CAGE, no pids"
  [ -n "$TREE" ] || NO_CAGE="$NO_CAGE, no tree"
  [ -z "$NO_CAGE" ] || { NO_CAGE="cgroups here:${NO_CAGE#,}"; return 1; }
}

# CONTROLLER TREE_OF_VERSION_1
cage_place() {
  if [ -n "$2" ]; then cage_folder "$2"; else [ -n "$two" ] && cage_folder "$two" "$1"; fi
}

# In the tree of version 2: where groups may be made. Where systemd rules it gives a part away, and keeps off that.
cage_above() {
  # Files of that tree have no size.
  { [ -d /run/systemd/system ] && read -r above <"$two/cgroup.controllers" && [ -n "$above" ]; } 2>/dev/null || return 0
  above=
  { read -r above <"$S/cage.above"; } 2>/dev/null
  [ -n "$above" ] && [ -d "$above/keeper" ] || {
    # shellcheck disable=SC2016
    systemctl -q is-active spillway-jobs || systemd-run -q --unit=spillway-jobs -p Delegate=yes -p TasksMax=infinity \
      sh -c 'own=$0$(sed -n "s/^0:://p" /proc/self/cgroup); mkdir -p "$own/keeper" && echo 0 >"$own/keeper/cgroup.procs"
        exec sleep infinity' "$two" >&2
    above=$(systemctl show -p ControlGroup --value spillway-jobs)
    [ -n "$above" ] || return 0
    above=$two$above
    printf '%s\n' "$above" | put "$S/cage.above"
  }
  two=$above
}

# ABOVE [CONTROLLER]: the folder for this node's attempts, with that controller of version 2 in it.
cage_folder() {
  folder=$1/$cage
  [ -d "$folder" ] || mkdir -p "$folder" 2>/dev/null || return 1
  [ "$#" -gt 1 ] || return 0
  for level in "$1" "$1/${cage%/*}" "$folder"; do
    has=
    { read -r has <"$level/cgroup.subtree_control"; } 2>/dev/null
    case " $has " in *" $2 "*) continue ;; esac
    { echo "+$2" >"$level/cgroup.subtree_control"; } 2>/dev/null || return 1
  done
}

# For whoever ends this machine from outside.
cage_note() {
  for up in "$TREE" "$MEMORY" "$CPU" "$PIDS"; do
    [ -z "$up" ] || printf '%s\n' "$up"
  done | sort -u | put "$S/cages"
}

# NAME: as much as $cpus and $memory say, 0 for no bound.
cage_make() {
  [ -z "$TREE$MEMORY$CPU$PIDS" ] || mkdir -p ${TREE:+"$TREE/$1"} ${MEMORY:+"$MEMORY/$1"} ${CPU:+"$CPU/$1"} ${PIDS:+"$PIDS/$1"} || return 1
  [ "$memory" -eq 0 ] || [ -z "$MEMORY" ] || {
    if [ -e "$MEMORY/$1/memory.max" ]; then
      echo "$memory" >"$MEMORY/$1/memory.max" && echo 1 >"$MEMORY/$1/memory.oom.group" || return 1
      [ ! -e "$MEMORY/$1/memory.swap.max" ] || echo 0 >"$MEMORY/$1/memory.swap.max"
    else
      echo "$memory" >"$MEMORY/$1/memory.limit_in_bytes" || return 1
      [ ! -e "$MEMORY/$1/memory.memsw.limit_in_bytes" ] || echo "$memory" >"$MEMORY/$1/memory.memsw.limit_in_bytes"
    fi
  }
  [ "$cpus" -eq 0 ] || [ -z "$CPU" ] || {
    if [ -e "$CPU/$1/cpu.max" ]; then
      echo "$((cpus * 100000)) 100000" >"$CPU/$1/cpu.max" || return 1
    else
      echo 100000 >"$CPU/$1/cpu.cfs_period_us" && echo "$((cpus * 100000))" >"$CPU/$1/cpu.cfs_quota_us" || return 1
    fi
  }
  # Enough for any honest job; a fork bomb leaves the node its own.
  [ -z "$PIDS" ] || echo "$((4096 + cpus * 1024))" >"$PIDS/$1/pids.max"
}

# NAME: the files that a process writes itself into.
cage_doors() {
  shown=
  for up in "$TREE" "$MEMORY" "$CPU" "$PIDS"; do
    [ -n "$up" ] && [ -d "$up/$1" ] || continue
    case $shown in *"|$up|"*) continue ;; esac
    shown="$shown|$up|"
    printf '%s\n' "$up/$1/cgroup.procs"
  done
}

# NAME: how many of its processes the kernel killed for want of memory.
cage_starved() {
  [ -n "$MEMORY" ] || return 0
  cat "$MEMORY/$1/memory.events" "$MEMORY/$1/memory.oom_control" 2>/dev/null | sed -n 's/^oom_kill //p' | head -n 1
}

# NAME: all of it is killed, and waited for until none has gone for ten seconds: what the kernel holds is counted in
# CAGE_LEFT. The groups go with the last.
cage_end() {
  CAGE_LEFT=0
  tries=0
  # Nothing forks any more, so nothing forks faster than it is killed.
  { [ -z "$PIDS" ] || echo 0 >"$PIDS/$1/pids.max"; } 2>/dev/null
  for up in "$TREE" "$PIDS" "$MEMORY" "$CPU"; do
    [ -n "$up" ] && [ -d "$up/$1" ] || continue
    least=99999999
    while CAGE_LEFT=$(wc -l <"$up/$1/cgroup.procs") && [ "$CAGE_LEFT" -gt 0 ] && [ "$tries" -lt 100 ]; do
      cage_kill "$up/$1"
      tries=$((tries + 1))
      # Fewer of them: those that are left are only slow.
      [ "$CAGE_LEFT" -ge "$least" ] || { [ "$tries" -lt 3 ] || tries=3; least=$CAGE_LEFT; }
      [ "$tries" -lt 3 ] || pause 1
    done 2>/dev/null
    rmdir "$up/$1" 2>/dev/null
  done
  [ "$CAGE_LEFT" -eq 0 ] || cage_watch "$1"
}

# NAME: whether something of it is left.
cage_busy() {
  for up in "$TREE" "$PIDS" "$MEMORY" "$CPU"; do
    { [ -n "$up" ] && read -r some <"$up/$1/cgroup.procs"; } 2>/dev/null && return 0
  done
  return 1
}

# NAME: what the kernel does not end keeps its GPUs, and the node says so, for as long as it is there. The head gives a node
# that says it no more jobs. In a process of its own: its runner may be ended.
cage_watch() {
  line=$(frame gate isolation-left failed "$CAGE_LEFT processes of ${1%.*} cannot be ended")
  grep -qxF "$line" "$S/gate" && return 0
  printf '%s\n' "$line" >>"$S/gate"
  setsid sh -c 'NAME=$1 line=$2 S=$3 ID=$4
    off() { [ -e "$S/off" ] || [ -e "$S/end" ]; }
    pause() { sleep "$(($1 / 10)).$(($1 % 10))"; }
    . "$S/attempt"
    cage_find
    while cage_busy "$NAME"; do
      ! off || exit
      pause 20
    done
    grep -vxF "$line" "$S/gate" >"$S/gate.left"
    mv "$S/gate.left" "$S/gate"
    cage_end "$NAME"
    give_gpus "$NAME"' watch "$1" "$line" "$S" "$ID" </dev/null >&2 2>&1 &
}

cage_kill() {
  if [ -e "$1/cgroup.kill" ]; then
    echo 1 >"$1/cgroup.kill"
    return
  fi
  # Held still while it is killed: a fork would be faster.
  [ ! -e "$1/freezer.state" ] || echo FROZEN >"$1/freezer.state"
  xargs -r kill -KILL <"$1/cgroup.procs"
  [ ! -e "$1/freezer.state" ] || echo THAWED >"$1/freezer.state"
} 2>/dev/null

# A process is put into a cage and does not outlive it: what the gate believes.
cage_try() {
  cpus=1 memory=16777216
  NO_CAGE='cgroups here take no process'
  cage_make probe || return 1
  cage_doors probe >"$S/doors"
  rm -f "$S/trapped"
  sh -c 'while read -r door; do echo 0 >"$door" || exit 1; done; : >"$0"; exec sleep 60' "$S/trapped" <"$S/doors" &
  trapped=$!
  tries=0
  while [ ! -e "$S/trapped" ] && kill -0 "$trapped" 2>/dev/null && [ "$tries" -lt 100 ]; do
    tries=$((tries + 1))
    pause 1
  done
  cage_end probe
  [ "$CAGE_LEFT" -eq 0 ] && ! kill -0 "$trapped" 2>/dev/null
  tried=$?
  kill -KILL "$trapped" 2>/dev/null
  wait "$trapped"
  [ "$?" -eq 137 ] && [ "$tried" -eq 0 ]
}

# NAME COUNT: gives that many GPUs that no other attempt here has; TAKEN are their indices, divided by commas.
take_gpus() {
  TAKEN=
  left=$2
  all=0
  read -r all 2>/dev/null <"$S/gpus.counted"
  [ "$left" -gt 0 ] || return 0
  mkdir -p "$S/taken"
  (
    flock 9
    index=0
    while [ "$index" -lt "$all" ] && [ "$left" -gt 0 ]; do
      holder=$(cat "$S/taken/$index" 2>/dev/null)
      if [ -z "$holder" ] || [ "$holder" = "$1" ] || { ! alive "$S/jobs/$holder/runner" && ! cage_busy "$holder"; }; then
        echo "$1" >"$S/taken/$index"
        left=$((left - 1))
      fi
      index=$((index + 1))
    done
    [ "$left" -eq 0 ]
  ) 9>"$S/taken.lock" || { give_gpus "$1"; return 1; }
  TAKEN=$(grep -lxF "$1" "$S"/taken/* 2>/dev/null | sed 's|.*/||' | sort -n | paste -sd , -)
}

give_gpus() {
  ! cage_busy "$1" || return 0
  for each in $(grep -lxF "$1" "$S"/taken/* 2>/dev/null); do rm -f "$each"; done
}
