#!/bin/bash
# main-job.sh [IMAGE_DIR]: the main job in a region whose every server is a real virtual machine. As root, on a built
# clone; see README.md for what it proves. Exit code 0 only if all of it was seen. What it starts it ends.
# Environment: OPENSTACK_LAB (../openstack), and that of vm.sh.
set -uo pipefail
. "$(dirname "$(realpath "$0")")/lab.sh"
VM_IMAGE=${1:-}
lab_in "$(mktemp -d /tmp/spillway-vm-job.XXXXXX)"
chmod 711 "$work"

clean_up() {
  lab_down
  rm -rf "$work"
}
trap clean_up EXIT

write_configuration() {
  mkdir -p "$work/alice"
  image_and_names
  {
    cat <<YAML
cluster: machines
budget: { limit: 5.00, period: day }
directory: { source: file, passwd: passwd, group: group }
image: { tree: image-tree }
queues: { west: { sites: [west] } }
scaler: { settings: { idleTime: 15m } }
YAML
    site_west
  } >"$work/spillway.yaml"
  printf 'hello from home\n' >"$work/alice/in.txt"
  cat >"$work/alice/job.sh" <<'JOB'
#!/bin/sh
tool >out.txt
tr a-z A-Z <in.txt >>out.txt
id >>out.txt
curl -s --noproxy '*' --max-time 2 http://169.254.169.254/ && echo 'metadata is open' >>out.txt
test -r /var/lib/cloud/instance/user-data.txt && echo 'user data is open' >>out.txt
uname -r >kernel.txt
JOB
  chown -R "$uid:$uid" "$work/alice"
}

as_alice() { (cd "$work/alice" && HOME=$work/alice setpriv --reuid="$uid" --regid="$uid" --clear-groups --no-new-privs "$@"); }

# JOB: until its end; $state is what it ended as.
ended() {
  local told
  state=
  for _ in $(seq 480); do
    told=$(as_alice "$root/spillway" job --socket "$work/state/spillway.sock" "$1" 2>/dev/null | sed -n 's/^state *//p')
    told=${told%%:*}
    [ "$told" = "$state" ] || { state=$told && say "job $1: $state"; }
    case $state in DONE | FAILED | CANCELLED) return ;; esac
    kill -0 "$head" 2>/dev/null || fail 'the head ended'
    sleep 1
  done
  fail "job $1 is ${state:-nowhere}"
}

# The attempts of docs/escapes.md as an ordinary job, on the node that is there: cgroups of version 2, and systemd.
escapes() {
  {
    echo 'stat -f -c %T /sys/fs/cgroup >kind; test -d /run/systemd/system && echo systemd >>kind'
    cat "$root/cloud-director/director/src/test/resources/org/spillway/director/escape.sh"
  } >"$work/alice/escape.sh"
  printf 'head -c 400M /dev/zero | tail -c 300M >/dev/null\n' >"$work/alice/memory.sh"
  chown "$uid:$uid" "$work/alice"/*.sh
  local escape memory
  escape=$(as_alice "$root/spillway" submit --socket "$work/state/spillway.sock" --out kind --out results/table escape.sh) \
    || fail 'the attempts were not taken'
  memory=$(as_alice "$root/spillway" submit --socket "$work/state/spillway.sock" --mem 64MiB memory.sh) || fail 'the second was not taken'
  ended "$escape"
  [ "$state" = DONE ] || fail "the attempts ended as $state"
  printf 'cgroup2fs\nsystemd\n' | cmp - "$work/alice/kind" || fail 'not version 2 under systemd'
  [ -s "$work/alice/table" ] || fail 'the table is not at home'
  ! grep -v '|refused$' "$work/alice/table" || fail 'an attempt got out'
  sed 's/|refused$//; s/|/ | /g; s/.*/| & |/' "$work/alice/table" | diff - <(grep '^| ' "$root/docs/escapes.md" | grep -v '^| of |') \
    || fail 'the table is not that of docs/escapes.md'
  say "$(wc -l <"$work/alice/table") attempts to get out, all refused, with cgroups of version 2 under systemd"
  ended "$memory"
  as_alice "$root/spillway" job --socket "$work/state/spillway.sock" "$memory" | grep -q 'used more than its 64 MiB of memory' \
    || fail 'nobody said that it used too much memory'
  say 'a job over its memory was killed and told, and the node goes on'
}

# Read as a whole before it begins.
main() {
  "$vm_lab/build-image.sh" "$VM_IMAGE" || fail 'no image of a stock Linux'
  say "a stock Linux: Debian 12, systemd, OpenSSH, cloud-init; no Java, nothing of Spillway"
  region_up
  write_configuration
  head_up
  job=$(as_alice "$root/spillway" submit --socket "$work/state/spillway.sock" --in in.txt --out out.txt --out kernel.txt job.sh) \
    || fail 'the job was not taken'
  say "job $job submitted"

  ended "$job"
  [ "$state" = DONE ] || fail "the job is $state"
  grep -E 'has no Java|has a Java|host key of|-> READY' "$work/head.log" | sed 's/^/        /'
  printf 'image tool\nHELLO FROM HOME\nuid=%s(alice) gid=%s(alice) groups=%s(alice),64300(physics)\n' "$uid" "$uid" "$uid" \
    | cmp - "$work/alice/out.txt" || { cat "$work/alice/out.txt"; fail 'the result is another'; }
  [ "$(cat "$work/alice/kernel.txt")" != "$(uname -r)" ] || fail 'the job ran on this machine'
  grep -q 'has no Java 25: it gets' "$work/head.log" || fail 'no Java was brought'
  say "the job ran on Linux $(cat "$work/alice/kernel.txt") as alice, with the names of the directory; metadata and user data were closed to it"
  escapes
  all_released
}
main
