# Runs on the instance of a child's head, from standard input (sh -s -- COMMAND), or from its own copy there when
# standard input is needed for something else. The login folder is the working directory.
set -eu
umask 077
mkdir -p spillway-head/lib spillway-head/director/lib spillway-head/tls spillway-head/state
# The workers of the child's users read the jars, and nothing else.
chmod 755 spillway-head spillway-head/lib
cd spillway-head
here=$(pwd -P)

# The pid of our head, if it lives. A pid that another process got later does not count.
living() {
    pid=$(cat head.pid 2>/dev/null) || return 1
    case $pid in '' | *[!0-9]*) return 1 ;; esac
    [ "$(readlink "/proc/$pid/cwd" 2>/dev/null)" = "$here" ] || return 1
    tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -q -x org.spillway.cli.Main
}

# A Slurm beside the head: where its users find it. Nothing for a cluster without.
slurm=$(sed -n 's/^# folder //p' slurm.conf 2>/dev/null || :)

# NAME: whether the process that we started as that lives.
beside() {
    pid=$(cat "slurm/$1.pid" 2>/dev/null) || return 1
    case $pid in '' | *[!0-9]*) return 1 ;; esac
    tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -q -x -F -e "${2:-$1}"
}

# NAME COMMAND...: a process of its own, with that name among its words.
aside() {
    name=$1
    shift
    setsid nohup "$@" >>slurm/start.log 2>&1 </dev/null &
    echo $! >"slurm/$name.pid.new"
    mv -f "slurm/$name.pid.new" "slurm/$name.pid"
}

# JAVA: sees that munged and slurmctld run. What takes time goes on behind.
slurm_start() {
    mkdir -p slurm/state "$slurm/etc"
    chmod 755 "$slurm" "$slurm/etc"
    if [ "$(readlink run)" != "$slurm" ]; then
        rm -rf run
        ln -s "$slurm" run
    fi
    if [ ! -s slurm/munge.key ]; then
        head -c 128 /dev/urandom >slurm/munge.key.new
        mv slurm/munge.key.new slurm/munge.key
    fi
    if beside starter "$here/head.sh" || { beside munged && beside slurmctld; }; then return; fi
    rm -f slurm/failed
    : >slurm/start.log
    aside starter sh -c 'cd .. && exec sh "$0" slurm "$1"' "$here/head.sh" "$1"
}

case $1 in
digests)
    for file in spillway.yaml slurm.conf head.sh passwd group host.pub director.jars tls/* lib/*; do
        if [ -f "$file" ]; then sha256sum "$file"; fi
    done
    ;;
publish)
    for file in *.new tls/*.new lib/*.new; do
        if [ -f "$file" ]; then mv -f "$file" "${file%.new}"; fi
    done
    # The director's jars are among the head's, and its role is taken by this machine: they are there already.
    (umask 077 && mkdir -p ../spillway-director/lib)
    while IFS= read -r jar; do
        test -f "lib/$jar"
        ln -sf "../../lib/$jar" "director/lib/$jar"
        ln -f "lib/$jar" "../spillway-director/lib/$jar"
    done <director.jars
    ;;
has-image)
    test -d image
    ;;
image)
    # A tar on standard input; whole or not there.
    rm -rf image.new
    mkdir image.new
    tar -xf - -C image.new --no-same-owner
    mv image.new image
    ;;
drop-image)
    rm -rf image image.new
    ;;
has-state)
    test -f state/journal.db
    ;;
begin)
    # A tar on standard input: what a head begins with that never ran. The journal is the last, so that it stands for all.
    rm -rf begin.new
    mkdir begin.new
    tar -xf - -C begin.new --no-same-owner
    mkdir -p state/secrets
    for file in begin.new/secrets/*; do
        # The head logs in to its own machine with a key of its own.
        if [ "${file##*/}" != ssh-client ]; then mv -f "$file" state/secrets/; fi
    done
    mv -f begin.new/journal.db state/journal.db
    rm -rf begin.new
    ;;
identity)
    # The public line, then the private key, with which this head logs in to its director: to this very machine.
    if [ -f state/secrets/ssh-client ]; then exit 0; fi
    mkdir -p state/secrets ../.ssh
    IFS= read -r public
    cat >identity.new
    if ! grep -q -x -F -e "$public" ../.ssh/authorized_keys; then printf '%s\n' "$public" >>../.ssh/authorized_keys; fi
    mv -f identity.new state/secrets/ssh-client
    ;;
slurm-can)
    for program in slurmctld munged sbatch scontrol squeue sinfo curl; do
        PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || {
            echo "$program is not installed: the image of the head's machine needs the packages slurmctld, slurm-client, slurm-wlm-basic-plugins, munge and curl" >&2
            exit 69
        }
    done
    if [ "$(id -u)" -ne 0 ]; then echo 'a Slurm needs a head that is root on its machine' >&2; exit 77; fi
    ;;
slurm)
    # Started by slurm_start: what Slurm is told follows from what the site offers, which the head knows when it is up.
    PATH=$PATH:/usr/sbin:/sbin
    trap ': >slurm/failed' EXIT
    tries=0
    until living && grep -q ' is up, socket ' head.log; do
        tries=$((tries + 1))
        if [ "$tries" -gt 1200 ]; then echo 'the head is not up in time'; exit 1; fi
        sleep 0.1
    done
    printf '#!/bin/sh\nexec %s -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp "%s/lib/*" org.spillway.cli.Main "$@"\n' \
        "$2" "$here" >spillway.new
    chmod 700 spillway.new
    mv -f spillway.new spillway
    tries=0
    until [ -s "$slurm/etc/spillway.conf" ] || ./spillway slurm config --config spillway.yaml --spillway "$here/spillway" --out "$slurm/etc"; do
        tries=$((tries + 1))
        if [ "$tries" -gt 20 ]; then exit 1; fi
        sleep 0.5
    done
    sed -e "s#@HOST@#$(hostname)#" -e "s#@HERE@#$here#" slurm.conf >"$slurm/etc/slurm.conf.new"
    chmod 644 "$slurm/etc/slurm.conf.new"
    mv -f "$slurm/etc/slurm.conf.new" "$slurm/etc/slurm.conf"
    if ! beside munged; then
        (umask 022 && mkdir -p /run/munge && chmod 755 /run/munge)
        aside munged munged --foreground --force --num-threads=4 --socket=/run/munge/munge.socket.2 --key-file="$here/slurm/munge.key" \
            --log-file="$here/slurm/munged.log" --pid-file="$here/slurm/munged.own" --seed-file="$here/slurm/munged.seed"
        tries=0
        until munge -n >/dev/null 2>&1; do
            tries=$((tries + 1))
            if [ "$tries" -gt 100 ] || ! beside munged; then tail -n 5 slurm/munged.log; echo 'munged does not answer'; exit 1; fi
            sleep 0.1
        done
    fi
    export SLURM_CONF="$slurm/etc/slurm.conf"
    if ! beside slurmctld; then (umask 022 && aside slurmctld slurmctld -D -f "$SLURM_CONF"); fi
    tries=0
    until scontrol ping 2>/dev/null | grep -q 'is UP'; do
        tries=$((tries + 1))
        if [ "$tries" -gt 300 ] || ! beside slurmctld; then tail -n 10 slurm/slurmctld.log; echo 'slurmctld does not answer'; exit 1; fi
        sleep 0.1
    done
    trap - EXIT
    ;;
slurm-end)
    # In order: slurmctld writes down what it knows, and finds it again when the cluster is started.
    if [ -z "$slurm" ]; then exit 0; fi
    for name in slurmctld munged; do
        tries=0
        while beside "$name" && [ "$tries" -lt 100 ]; do
            [ "$tries" -ne 0 ] || kill "$pid" 2>/dev/null || :
            tries=$((tries + 1))
            sleep 0.1
        done
        ! beside "$name" || kill -KILL "$pid" 2>/dev/null || :
    done
    ;;
start)
    if [ -n "$slurm" ]; then slurm_start "$2"; fi
    living && exit 0
    if [ -f head.log ]; then mv -f head.log head.log.1; fi
    # A small head, and one that somebody waits for: the first compiler alone has it up with 3 s of CPU instead of 5.4.
    SPILLWAY_HOME=$here LC_ALL=C.UTF-8 setsid nohup "$2" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xms16m -Xmx256m -XX:MinHeapFreeRatio=10 \
        -XX:MaxHeapFreeRatio=30 -Xshare:auto --enable-native-access=ALL-UNNAMED -cp 'lib/*' \
        org.spillway.cli.Main serve --config spillway.yaml >>head.log 2>&1 </dev/null &
    echo $! >head.pid.new
    mv -f head.pid.new head.pid
    ;;
state)
    if ! living; then
        echo ended
    elif ! grep -q ' is up, socket ' head.log; then
        echo starting
    elif [ -z "$slurm" ]; then
        echo up
    elif [ -e slurm/failed ]; then
        echo failed
    elif beside munged && beside slurmctld && ! beside starter "$here/head.sh"; then
        echo up
    else
        echo starting
    fi
    ;;
ask)
    # UID GID GROUPS; the rest is on standard input: method, path and key, a line each, then the body.
    IFS= read -r method
    IFS= read -r path
    IFS= read -r key
    uid=$2 gid=$3 groups=$4
    # By a relative name: the user need not be able to enter the folders above.
    cd run
    set -- curl -q -g -sS --max-time 25 --unix-socket sock -X "$method" -H 'Content-Type: application/json' \
        -w '\n%{http_code}'
    if [ -n "$key" ]; then set -- "$@" -H "Idempotency-Key: $key"; fi
    if [ "$method" != GET ]; then set -- "$@" --data-binary @-; fi
    set -- "$@" "http://localhost/api/v1$path"
    if [ "$(id -u)" = "$uid" ]; then exec "$@"; fi
    exec setpriv --reuid="$uid" --regid="$gid" --groups="$groups" --no-new-privs "$@"
    ;;
pack)
    # UID GID GROUPS; the path of a result is on standard input, which becomes a tar, as far as that user may read it.
    IFS= read -r path
    uid=$2 gid=$3 groups=$4
    set -- tar -chf - --hard-dereference -C "$(dirname -- "$path")" -- "$(basename -- "$path")"
    cd /
    if [ "$(id -u)" = "$uid" ]; then exec "$@"; fi
    exec setpriv --reuid="$uid" --regid="$gid" --groups="$groups" --no-new-privs "$@"
    ;;
run)
    # SECONDS UID GID GROUPS; on standard input the user's name and home, then the command, a word a line.
    seconds=$2 uid=$3 gid=$4 groups=$5
    IFS= read -r name
    IFS= read -r home
    set --
    while IFS= read -r word; do set -- "$@" "$word"; done
    set -- timeout -k 5 "$seconds" env -i "USER=$name" "LOGNAME=$name" "HOME=$home" LC_ALL=C.UTF-8 \
        PATH=/usr/local/bin:/usr/bin:/bin ${slurm:+SLURM_CONF="$slurm/etc/slurm.conf"} sh -c 'cd "$HOME" 2>/dev/null || cd /; umask 022; exec "$@"' sh "$@"
    cd /
    if [ "$(id -u)" = "$uid" ]; then exec "$@" </dev/null; fi
    exec setpriv --reuid="$uid" --regid="$gid" --groups="$groups" --no-new-privs "$@" </dev/null
    ;;
log)
    if [ -e slurm/failed ]; then tail -n 20 slurm/start.log; fi
    tail -n 30 head.log 2>/dev/null || true
    ;;
*)
    echo "no such command: $1" >&2
    exit 64
    ;;
esac
