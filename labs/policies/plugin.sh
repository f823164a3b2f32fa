#!/bin/bash
# plugin.sh: policies as one file of Java, dropped while a head runs: one that takes effect, one that is changed, one that is
# refused, one that hangs, eats memory and exits; the head's own figures of its ticks beside; a head killed and started again;
# and the decisions replayed. On a built clone, as root or any user; see README.md. Exit code 0 only if all of it was seen.
# The script ends all that it starts.
set -uo pipefail
root=$(cd "$(dirname "$(realpath "$0")")/../.." && pwd)
spillway=$root/spillway
work=$(mktemp -d "${TMPDIR:-/tmp}/spillway-plugin.XXXXXX")
chmod 711 "$work"
export SPILLWAY_SOCKET=$work/state/spillway.sock
# Long enough that a loop which waited for a policy would be seen by its ticks, whatever else the machine does.
deadline_seconds=5
head=
passed=0

say() { printf '%4d s  %s\n' "$SECONDS" "$*"; }
seen() { passed=$((passed + 1)) && say "seen: $*"; }

clean_up() {
  if [ -n "$head" ]; then
    timeout 90 "$spillway" stop --release --wait >/dev/null 2>&1
    kill "$head" 2>/dev/null
    wait "$head" 2>/dev/null
  fi
  [ ! -e "$work/cloud/endpoint" ] || kill "$(cut -d' ' -f2 "$work/cloud/endpoint")" 2>/dev/null
  rm -rf "$work"
}
trap clean_up EXIT

fail() {
  say "FAILED: $*"
  "$spillway" policy list 2>&1
  grep -v ' DEBUG ' "$work/head.log" 2>/dev/null | tail -n 30
  exit 1
}

# until_true SECONDS WHAT COMMAND...
until_true() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    kill -0 "$head" 2>/dev/null || fail "the head has ended before $what"
    [ "$SECONDS" -lt "$end" ] || fail "waited in vain until $what"
    sleep 0.1
  done
}

logged() { grep -qF -- "$1" "$work/head.log"; }
logged_times() { [ "$(grep -cF -- "$2" "$work/head.log")" -ge "$1" ]; }
explained() { "$spillway" explain "$1" 2>/dev/null | grep -qF -- "$2"; }
decides() { "$spillway" policy list --json 2>/dev/null | grep -q "\"deciding\" : \"$1\""; }
ticks() { "$spillway" policy list | tail -n 1; }
micros() { "$spillway" policy list --json | sed -n "s/.*\"$1\" : \\([0-9]*\\).*/\\1/p"; }

start_head() {
  "$spillway" serve --config "$work/spillway.yaml" >>"$work/head.log" 2>&1 &
  head=$!
  until_true 120 "it is up" logged_times "$1" 'is up'
}

# source_of NAME CLASS STATEMENTS: what answers is in wishes.
source_of() {
  cat <<END
import java.util.ArrayList;
import java.util.List;
import org.spillway.policy.*;

public final class $2 implements ScalingPolicy<$2.Settings> {
    public record Settings(@Setting("what is told to those who wait") String sentence) {}

    static final List<byte[]> KEPT = new ArrayList<>();

    @Override
    public String name() {
        return "$1";
    }

    @Override
    public Settings defaults() {
        return new Settings("by default");
    }

    @Override
    public List<Wish> decide(ClusterSnapshot now, Settings settings, Planner planner) {
        List<Wish> wishes = new ArrayList<>();
        $3
        return wishes;
    }
}
END
}

# drop FILE: from standard input, complete at once, as by mv.
drop() {
  cat >"$work/next" && chmod 644 "$work/next" && mv "$work/next" "$work/policies.d/$1"
}

hold_all='for (Demand demand : now.demands()) wishes.add(new Wish.Hold(demand.shape(), "VERSION, " + settings.sentence()));'
buy='for (Planner.Bought bought : planner.pack(now.demands(), now.nodes(), now.offerings()).bought())
            wishes.add(new Wish.Provision(bought.shapes(), bought.offerings(), bought.count(), "bought by the third version"));'
wild='for (Demand demand : now.demands()) {
            if (demand.queue().equals("hang")) while (now != null) { }
            if (demand.queue().equals("memory")) while (now != null) KEPT.add(new byte[1_000_000]);
            if (demand.queue().equals("exit")) System.exit(7);
            wishes.add(new Wish.Hold(demand.shape(), "held by wild"));
        }'

[ -d "$root/head-node/target/dist/lib" ] || [ -d "$root/lib" ] || { echo "build the clone first: $spillway --version"; exit 2; }
mkdir "$work/image" "$work/policies.d" && chmod 755 "$work/policies.d"
cat >"$work/spillway.yaml" <<END
cluster: plugins
budget: { limit: 5.00, period: day }
directory: { source: nss }
image: { tree: image }
web: { enabled: false }
queues:
  east: { sites: [east], default: true }
  held: { sites: [east] }
  hang: { sites: [east] }
  memory: { sites: [east] }
  exit: { sites: [east] }
scaler:
  policyDeadline: ${deadline_seconds}s
  policyMemory: 64MiB
  settings: { moody: { sentence: as its section says } }
sites: { east: { driver: local, maxNodes: 1, director: { type: small }, options: { state: $work/cloud } } }
# Whoever decides, nothing is bought for these: they go on waiting.
limits:
  - { queue: held, nodes: 0 }
  - { queue: hang, nodes: 0 }
  - { queue: memory, nodes: 0 }
  - { queue: exit, nodes: 0 }
END
echo 'echo ran >result.txt' >"$work/job.sh"
cd "$work" || exit 2

start_head 1
until_true 20 "containment is said" logged 'a policy from a file '
seen "$("$spillway" policy list | grep '^from ' | sed 's/^from [^:]*: //')"

say 'a policy is dropped while the head runs'
source_of moody Moody "${hold_all/VERSION/first version}" | drop Moody.java
until_true 60 "it has passed" logged 'policy moody of Moody.java passed its check'
"$spillway" policy enable moody || fail 'it cannot be enabled'
until_true 60 "moody decides" decides moody
job=$("$spillway" submit --queue held job.sh) || fail 'no job'
until_true 120 "job $job is held by it" explained "$job" 'first version, as its section says'
seen "it decides, with its own section of scaler.settings: $("$spillway" explain "$job" | grep -F 'first version' | head -n 1 | sed 's/^ *//')"

source_of moody Moody "${hold_all/VERSION/second version}" | drop Moody.java
until_true 60 "the second version has passed" logged_times 2 'policy moody of Moody.java passed its check'
begun=$(date +%s%N)
until_true 10 "job $job is held by the second version" explained "$job" 'second version'
seen "a changed file takes effect $((($(date +%s%N) - begun) / 1000000)) ms after it has passed, with the time of the command that looks"

say 'one that does not end is refused with its line'
source_of loop Loop 'while (now != null) { }' | drop Loop.java
until_true 60 "it is refused" logged 'policy file Loop.java is not taken'
seen "$(grep -oF 'Loop.java is not taken' head.log | head -n 1): $(grep -o 'Loop.java:[0-9]*: .*' head.log | head -n 1)"
rm policies.d/Loop.java

source_of wild Wild "$wild" | drop Wild.java
until_true 60 "wild has passed" logged 'policy wild of Wild.java passed its check'
"$spillway" policy enable wild || fail 'it cannot be enabled'
until_true 60 "wild decides" decides wild
say "before: $(ticks)"
for what in hang memory exit; do
  case $what in
    hang) does="did not answer within ${deadline_seconds}000 ms of its own time, and was ended" ;;
    memory) does='used up its 64m of memory, and was ended' ;;
    exit) does='ended itself with status 7' ;;
  esac
  bad=$("$spillway" submit --queue "$what" job.sh) || fail "no job in queue $what"
  until_true 120 "it is seen that it does: $what" logged "policy wild $does"
  say "during $what: $(ticks)"
  "$spillway" cancel "$bad" >/dev/null || fail "job $bad cannot be cancelled"
  seen "$(grep -oF "policy wild $does" head.log | head -n 1); queue-depth decides meanwhile"
  "$spillway" policy enable wild >/dev/null
  until_true 120 "wild decides again after $what" decides wild
done
for figure in mostMicros lateMicros; do
  [ "$(micros "$figure")" -lt "${deadline_seconds}000000" ] || fail "a tick waited for the policy: $figure is $(micros "$figure")"
done
seen "no tick waited: of the last ones the longest took $(($(micros mostMicros) / 1000)) ms and the latest came $(($(micros lateMicros) / 1000)) ms late, of ${deadline_seconds}000 ms that the policy hung"

say 'the head is killed, and the file is broken before it comes back'
"$spillway" policy enable moody >/dev/null
until_true 60 "moody decides" decides moody
# The launcher becomes the JVM.
left=$(grep -l "^$head " /tmp/spillway-policies-*/owner 2>/dev/null | head -n 1)
[ -n "$left" ] || fail "no folder of policies of process $head"
left=${left%/owner}
kill -KILL "$head" && wait "$head" 2>/dev/null
echo 'class Broken {' | drop Moody.java
start_head 2
until_true 60 "moody's last good version decides" decides moody
[ ! -e "$left" ] || fail "$left was left"
until_true 30 "job $job is held by the last good version" explained "$job" 'second version'
seen 'after the restart its last good version decides, and what the killed head had left is removed'

job=$("$spillway" submit --out result.txt job.sh) || fail 'no job'
source_of moody Moody "$buy" | drop Moody.java
until_true 180 "job $job is done" grep -qs ran result.txt
until_true 30 "job $job has ended" sh -c "'$spillway' job $job | grep -Eq '^state +DONE\$'"
seen "the third version buys, and the job runs: $("$spillway" job "$job" | grep '^state')"
"$spillway" replay --all >replay.out 2>&1 || { cat replay.out; fail 'a decision is another one now'; }
grep -Eq '^[1-9][0-9]* decisions?: [1-9][0-9]* identical, 0 differ$' replay.out || { cat replay.out; fail 'not replayed'; }
seen "replayed by the kept version: $(cat replay.out)"
echo "passed: $passed of 11"
[ "$passed" -eq 11 ]
