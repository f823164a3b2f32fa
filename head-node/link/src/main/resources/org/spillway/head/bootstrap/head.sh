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

# A workload manager beside the head, by a program of its own that says where its users find it; nothing for a cluster
# without.
manager='' environment=''
if [ -s manager.sh ]; then . ./manager.sh; fi

# NAME: whether the process that we started as that lives.
beside() {
    pid=$(cat "manager/$1.pid" 2>/dev/null) || return 1
    case $pid in '' | *[!0-9]*) return 1 ;; esac
    tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -q -x -F -e "${2:-$1}"
}

# NAME COMMAND...: a process of its own, with that name among its words.
aside() {
    name=$1
    shift
    setsid nohup "$@" >>manager/start.log 2>&1 </dev/null &
    echo $! >"manager/$name.pid.new"
    mv -f "manager/$name.pid.new" "manager/$name.pid"
}

# NAME: ended, by force after ten seconds.
end_beside() {
    tries=0
    while beside "$1" && [ "$tries" -lt 100 ]; do
        [ "$tries" -ne 0 ] || kill "$pid" 2>/dev/null || :
        tries=$((tries + 1))
        sleep 0.1
    done
    ! beside "$1" || kill -KILL "$pid" 2>/dev/null || :
}

# JAVA: sees that its daemons run. What takes time goes on behind.
manager_start() {
    mkdir -p manager "$manager"
    chmod 755 "$manager"
    if [ "$(readlink run)" != "$manager" ]; then
        rm -rf run
        ln -s "$manager" run
    fi
    manager_prepare
    if beside starter "$here/head.sh" || manager_runs; then return; fi
    rm -f manager/failed
    : >manager/start.log
    aside starter sh -c 'cd .. && exec sh "$0" manager "$1"' "$here/head.sh" "$1"
}

case $1 in
digests)
    for file in spillway.yaml *.conf manager.sh head.sh passwd group host.pub director.jars tls/* lib/*; do
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
manager)
    # Started by manager_start: what it is told follows from what the site offers, which the head knows when it is up.
    PATH=$PATH:/usr/sbin:/sbin
    trap ': >manager/failed' EXIT
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
    manager_bring
    trap - EXIT
    ;;
manager-end)
    if [ -n "$manager" ]; then manager_end; fi
    ;;
start)
    if [ -n "$manager" ]; then manager_start "$2"; fi
    living && exit 0
    if [ -f head.log ]; then mv -f head.log head.log.1; fi
    # A small head, and one that somebody waits for: the first compiler alone has it up with 3 s of CPU instead of 5.4.
    SPILLWAY_HOME=$here LC_ALL=C.UTF-8 setsid nohup "$2" -XX:+UseSerialGC -Xms16m -Xmx256m -XX:MinHeapFreeRatio=10 \
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
    elif [ -z "$manager" ]; then
        echo up
    elif [ -e manager/failed ]; then
        echo failed
    elif manager_runs && ! beside starter "$here/head.sh"; then
        echo up
    else
        echo starting
    fi
    ;;
commanded)
    # NUMBER of the head that speaks, 0 of one that only asks: answered with the highest that has spoken.
    known=$(cat commander 2>/dev/null) || known=0
    case $known in '' | *[!0-9]*) known=0 ;; esac
    if [ "$2" -gt "$known" ]; then
        known=$2
        printf '%s\n' "$known" >commander.new
        mv -f commander.new commander
    fi
    echo "$known"
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
line)
    # UID GID GROUPS: a connection to the head as that user, which standard input and output are the two ways of.
    uid=$2 gid=$3 groups=$4
    cd run
    set -- perl -e 'use Socket;
my $to; socket($to, PF_UNIX, SOCK_STREAM, 0) && connect($to, pack_sockaddr_un("sock")) or exit 1;
sub carry { my ($from, $into) = @_; while (sysread $from, my $bytes, 65536) { my $at = 0;
while ($at < length $bytes) { $at += syswrite($into, $bytes, length($bytes) - $at, $at) // exit 1 } } }
my $other = fork; defined $other or exit 1;
if (!$other) { carry($to, \*STDOUT); exit }
close STDOUT; carry(\*STDIN, $to); shutdown $to, 2; waitpid $other, 0;'
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
        PATH=/usr/local/bin:/usr/bin:/bin $environment sh -c 'cd "$HOME" 2>/dev/null || cd /; umask 022; exec "$@"' sh "$@"
    cd /
    if [ "$(id -u)" = "$uid" ]; then exec "$@" </dev/null; fi
    exec setpriv --reuid="$uid" --regid="$gid" --groups="$groups" --no-new-privs "$@" </dev/null
    ;;
log)
    if [ -e manager/failed ]; then tail -n 20 manager/start.log; fi
    tail -n 30 head.log 2>/dev/null || true
    ;;
*)
    echo "no such command: $1" >&2
    exit 64
    ;;
esac
