# Runs on the instance, from standard input: sh -s -- COMMAND. The login folder is the working directory.
set -eu
umask 077
mkdir -p spillway-director/lib spillway-director/tls spillway-director/java spillway-director/state
cd spillway-director
here=$(pwd -P)
# For the watch that the user data has set up: a head is there.
touch state/heard

# A line with the path of a Java of version 25 or later; or a failure.
find_java() {
    for home in "$1" "${JAVA_HOME:-}" "$here"/java/* /usr/lib/jvm/* /opt/java/* /usr/local/java/*; do
        if [ -n "$home" ] && [ -x "$home/bin/java" ] && is_new "$home/bin/java"; then
            echo "$home/bin/java"
            return 0
        fi
    done
    found=$(command -v java) || return 1
    is_new "$found" && echo "$found"
}

# The release file beside it tells the version; without one the JVM must be started to say it.
is_new() {
    real=$(readlink -f "$1") || return 1
    version=$(sed -n 's/^JAVA_VERSION="\([0-9][0-9]*\).*/\1/p' "${real%/bin/java}/release" 2>/dev/null | head -n 1)
    [ -n "$version" ] || version=$("$1" -version 2>&1 | sed -n '1s/.*version "\([0-9][0-9]*\).*/\1/p')
    [ "${version:-0}" -ge 25 ]
}

# The pid of our director, if it lives. A pid that another process got later does not count.
living() {
    pid=$(cat director.pid 2>/dev/null) || return 1
    case $pid in '' | *[!0-9]*) return 1 ;; esac
    [ "$(readlink "/proc/$pid/cwd" 2>/dev/null)" = "$here" ] || return 1
    tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -q -x org.spillway.director.DirectorMain
}

stop() {
    living || return 0
    kill "$pid" 2>/dev/null || true
    tries=0
    while living; do
        tries=$((tries + 1))
        if [ "$tries" -eq 50 ]; then kill -9 "$pid" 2>/dev/null || true; fi
        if [ "$tries" -eq 80 ]; then echo "process $pid does not end" >&2; return 1; fi
        sleep 0.1
    done
}

# NAME SHA256: its parts, in the order of their names, become a Java that was seen to run.
unpack() {
    found=$(cat "java/$1".part-* | sha256sum)
    if [ "${found%% *}" != "$2" ]; then
        rm -f "java/$1".part-*
        echo "the digest of what arrived is ${found%% *}" >&2
        return 1
    fi
    # Hidden from find_java until it is whole.
    rm -rf java/.new
    mkdir java/.new
    cat "java/$1".part-* | tar -xzf - -C java/.new -o
    java/.new/bin/java -version >/dev/null
    rm -rf "java/${1:?}"
    mv java/.new "java/$1"
    rm -f "java/$1".part-*
    echo "$here/java/$1/bin/java"
}

case $1 in
java)
    find_java "${2:-}"
    ;;
platform)
    if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then libc=glibc; else libc='another C library'; fi
    echo "$(uname -s) $(uname -m) $libc"
    ;;
parts)
    for file in "java/$2".part-*; do
        if [ -f "$file" ]; then sha256sum "$file"; fi
    done
    ;;
unpack)
    unpack "$2" "$3"
    ;;
digests)
    for file in director.json tls/* lib/*; do
        if [ -f "$file" ]; then sha256sum "$file"; fi
    done
    ;;
publish)
    for file in director.json.new tls/*.new lib/*.new; do
        if [ -f "$file" ]; then mv -f "$file" "${file%.new}"; fi
    done
    ;;
state)
    # The director prints that line when it can be called.
    if ! living; then echo ended; elif grep -q '^listening on ' director.log; then echo listening; else echo starting; fi
    ;;
start)
    living && exit 0
    if [ -f director.log ]; then mv -f director.log director.log.1; fi
    LC_ALL=C.UTF-8 setsid nohup "$2" -XX:+UseSerialGC -Xmx256m -XX:MinHeapFreeRatio=10 -XX:MaxHeapFreeRatio=30 \
        -XX:-ShrinkHeapInSteps -cp 'lib/*' org.spillway.director.DirectorMain --config director.json >>director.log 2>&1 </dev/null &
    echo $! >director.pid.new
    mv -f director.pid.new director.pid
    ;;
stop)
    stop
    ;;
log)
    tail -n 15 director.log 2>/dev/null || true
    ;;
*)
    echo "no such command: $1" >&2
    exit 64
    ;;
esac
