# shellcheck shell=sh
# shellcheck disable=SC2154,SC2016,SC2034,SC2153
# Sessions in the rooms of running jobs: a terminal, plain streams, ports (ADR 68). The director's orders name one that somebody
# waits for; the program that carries it comes with it, and outlives cuts of any connection.

# ID: once. Whoever asks for one that is over learns that.
open_session() {
  own=$S/sessions/$1
  mkdir -p "$S/sessions"
  state=$(
    flock 8
    find "$S/sessions" -mindepth 1 -maxdepth 1 -mmin +1440 -exec sh -c 'for each do
      [ -s "$each/pid" ] && read -r some <"$each/pid" && kill -0 "$some" || rm -rf "$each"; done' each {} + 2>/dev/null
    if mkdir "$own" 2>/dev/null; then
      echo "$$" >"$own/pid"
      echo new
    elif ! alive "$own/pid"; then
      echo over
    fi
  ) 8>"$S/sessions.lock"
  [ "$state" != over ] || refuse_session "$1" 'the session is over'
  [ "$state" = new ] || return 0
  if ! call -f --fail-early --max-time 20 -o "$own/program" "$URL/sessions/program" -o "$own/facts" "$URL/sessions/$1/facts"; then
    # Nobody knows of it: whoever still wants it has the orders say so again.
    rm -rf "$own"
    return 0
  fi
  read -r job attempt away most idle <"$own/facts"
  attempt_facts "$job" "$attempt"
  cage_find
  room_find
  # The head says that a job runs as soon as it has its nodes.
  waited=0
  until why=$(session_lacks) && [ "$why" != wait ]; do
    if off || { [ ! -d "$J" ] && [ "$waited" -gt 300 ]; }; then
      rm -rf "$own"
      return 0
    fi
    waited=$((waited + 1))
    pause 2
  done
  [ -z "$why" ] || {
    refuse_session "$1" "$why"
    return 0
  }
  read -r user uid gid groups mine RAN_AS <"$J/who"
  read -r process <"$J/pid"
  say "session $1 of job $job begins"
  carry_session "$1" "$away" </dev/null
  say "session $1 of job $job is over"
  rm -f "$own/program"
}

session_lacks() {
  case $away$most$idle in '' | *[!0-9]*) echo 'its terms are malformed' && return ;; esac
  running=0
  for each in "$S"/sessions/*/pid; do ! alive "$each" || running=$((running + 1)); done
  if [ "$running" -gt "$most" ]; then
    echo "this node has $most sessions already"
  elif ! command -v perl >/dev/null; then
    echo 'there is no perl on this node, which sessions need'
  elif version_lacks; then
    echo "the version in which the job lives has no $lacks, which sessions need"
  elif [ -e "$J/exit" ] || [ -e "$J/stop" ] || grep -Eqs '^[0-9]+:job [^ ]+ [0-9]+ (ENDED|REFUSED)' "$J/report"; then
    echo 'the job has ended here'
  elif [ ! -s "$J/who" ] || [ ! -s "$J/pid" ]; then
    echo wait
  fi
}

# Where the job's root is not this machine's, its programs carry a session on from the room's door. A version that is mounted for
# no new job any more is not looked into.
version_lacks() {
  { read -r lower _ <"$J/enter"; } 2>/dev/null || return 1
  tree=$S/${lower#lower=}
  [ -n "$(mounted_at "$tree")" ] || return 1
  for lacks in perl setpriv; do
    [ -x "$tree/usr/bin/$lacks" ] || return 0
  done
  return 1
}

# ID SECONDS: the words of the connection, and those that put a process where the job is: its cgroups, its namespaces, its rights.
carry_session() {
  name=${DIRECTOR#[}
  session=$1 patience=$2
  set -- perl -e "$inside_words" "$D"
  [ "$mine" -ne 0 ] || set -- setpriv --reuid="$uid" --regid="$gid" --groups="$groups" --no-new-privs --inh-caps=-all -- "$@"
  inner=-
  [ -z "$ROOM" ] || {
    inner=$process
    set -- nsenter --target "$process" --mount --ipc --uts --pid="/proc/$process/ns/pid_for_children" --wd=/ -- "$@"
  }
  set -- sh -c '{ echo 500 >/proc/self/oom_score_adj; } 2>/dev/null
    for door in $0; do echo 0 >"$door" || exit 125; done; exec "$@"' "$(cage_doors "$JOB.$ATTEMPT")" "$@"
  set -- openssl s_client -quiet -noservername -verify_quiet -verify_return_error -verify_ip "${name%]}" -CAfile "$S/ca.pem" -cert "$S/node.pem" \
    -bind "$ADDRESS:0" -connect "$DIRECTOR:$HTTPS_PORT" "$@"
  # A user decides what it holds: when memory is short it goes before the agent does.
  { echo 0 >/proc/self/oom_score_adj; } 2>/dev/null
  # A version need not know this machine's locale, and nobody wants to read that.
  PERL_BADLANG=0 perl "$own/program" "$session" "$J" "$patience" "$uid" "$gid" "$inner" "$D" "${idle:-0}" 16 "$@"
}

# With the user's rights, in the room: words come by an open file, and turn into an environment and a command. A terminal is
# taken there, where its session has a number.
inside_words='open my $file, "<&=", 9 or die "spillway: no words\n";
my ($terminal, $count, @words) = do { local $/; split /\0/, <$file>, -1 };
close $file;
pop @words;
%ENV = ();
for (1 .. $count) { my ($name, $value) = split /=/, shift @words, 2; $ENV{$name} = $value }
chdir $ARGV[0];
if ($terminal) {
require POSIX;
POSIX::setsid();
ioctl STDIN, 0x540E, 0;
}
my $image = -x ".spillway/in";
@words = !$image && -x "/bin/bash" ? "/bin/bash" : "/bin/sh" unless @words;
unshift @words, "./.spillway/in" if $image;
exec { $words[0] } @words;
print STDERR "spillway: $words[0]: $!\n";
exit($!{ENOENT} ? 127 : 126);'

# ID WORDS: to whoever waits for it.
refuse_session() {
  say "session $1 is refused: $2"
  printf '%s' "$2" | call --max-time 10 -o /dev/null --data-binary @- "$URL/sessions/$1/refused"
}
