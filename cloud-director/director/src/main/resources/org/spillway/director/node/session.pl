# A session at a job's node (ADR 68), behind frames.pl: a shell in the job's room, or connections to its ports, for one client at home. Runs as root outside
# of the room; whatever it begins is put into the room and has the user's rights. Needs nothing but perl-base, openssl and util-linux.
# Seconds.
use constant { LAST_WORDS => 60, GRACE => 5 };
# As Linux has them on x86 and ARM.
use constant { TIOCSWINSZ => 0x5414, TIOCGSID => 0x5429, TIOCGPTPEER => 0x5441, TIOCSPTLCK => 0x40045431 };

my ($id, $folder, $away, $uid, $gid, $process, $place, $idle, $calls) = splice @ARGV, 0, 9;
@call = splice @ARGV, 0, $calls;
my @enter = @ARGV;
$path = "/v1/sessions/$id";

my ($child, $group, $code, $text, $opened, $ended, $hung, $told) = (0, 0, undef, '', 0, 0, 0, 0);
my $reaped = 0;

# The job is not this node's any more: its end is seen in its folder.
sub declined { }

sub told {
  my ($kind, $channel, $body) = @_;
  if ($kind eq 'o') {
    open_shell($body);
  } elsif ($kind eq 'w') {
    ioctl $pty, TIOCSWINSZ, pack('S4', unpack('n n', $body), 0, 0) if $pty && length $body == 4;
  } elsif ($kind eq 'n') {
    open_port($channel, length $body == 2 ? unpack 'n', $body : 0);
  } elsif ($kind eq 'u') {
    open_socket($channel, $body);
  } elsif ($kind eq 'r') {
    leave($channel);
  } elsif ($kind eq 'h') {
    $told = 1;
    hang_up();
  } else {
    broken('a record of no kind');
  }
}

# The environment that the job's own process was given, and no more.
sub environment {
  open my $file, '<', "$folder/command" or return;
  local $/;
  my @words;
  for my $word (split /\0/, <$file>) {
    last unless $word =~ /^[A-Za-z_][A-Za-z0-9_]*=/;
    push @words, $word;
  }
  return @words;
}

# The words go by a file that is open and has no name: arguments of a process are everybody's.
sub words {
  my ($terminal, @command) = @_;
  my @environment = (environment(), $terminal ne '' ? "TERM=$terminal" : ());
  my $name = "$folder/session.$id";
  sysopen my $file, $name, O_RDWR | O_CREAT | O_EXCL, 0600 or return;
  unlink $name;
  syswrite $file, join "\0", $terminal eq '' ? 0 : 1, scalar @environment, @environment, @command, '';
  sysseek $file, 0, 0;
  return $file;
}

sub open_shell {
  my ($body) = @_;
  return if $opened++;
  my ($wants, $rows, $columns, $terminal, @command) = split /\0/, $body, -1;
  pop @command;
  $terminal = 'dumb' unless ($terminal // '') =~ /^[A-Za-z0-9._+-]{1,64}$/;
  my $file = words($wants ? $terminal : '', @command) or return over(125, 'its words could not be written');
  my ($slave, @inner);
  if ($wants) {
    my $multiplexer = $process ne "-" ? "/proc/$process/root/dev/pts/ptmx" : '/dev/ptmx';
    sysopen $pty, $multiplexer, O_RDWR | O_NOCTTY or return over(125, "no terminal could be had: $!");
    my $number = pack 'i', 0;
    ioctl $pty, TIOCSPTLCK, $number;
    my $other = ioctl $pty, TIOCGPTPEER, O_RDWR | O_NOCTTY or return over(125, "no terminal could be had: $!");
    open $slave, '+<&=', $other + 0 or return over(125, "no terminal could be had: $!");
    chown $uid, -1, $slave;
    ioctl $pty, TIOCSWINSZ, pack('S4', $rows || 24, $columns || 80, 0, 0);
    channel(0, $pty, $pty);
  } else {
    my @outer;
    pipe $inner[0], $outer[0] or return over(125, "no pipe could be had: $!");
    pipe $outer[$_], $inner[$_] or return over(125, "no pipe could be had: $!") for 1, 2;
    chown $uid, $gid, @inner;
    channel(0, $outer[1], $outer[0]);
    channel(1, $outer[2], undef);
  }
  $child = fork;
  return over(125, "no process could be had: $!") unless defined $child;
  $group = $child;
  if (!$child) {
    plain();
    POSIX::setsid();
    @inner = ($slave) x 3 if $slave;
    POSIX::dup2(fileno $inner[$_], $_) for 0 .. 2;
    fcntl $file, F_SETFD, 0 if fileno $file == 9;
    POSIX::dup2(fileno $file, 9);
    exec @enter or POSIX::_exit(126);
  }
}

# With the user's number, so that rules for users of this machine hold for it.
sub open_port {
  my ($channel, $port) = @_;
  if ($channels{$channel} || keys %channels >= MOST_CHANNELS || $port < 1) {
    return record('r', $channel, 'too many connections');
  }
  my $socket;
  my $root = $> == 0 && $uid != 0;
  if ($root) { $) = "$gid $gid"; $> = $uid; }
  my $made = socket $socket, PF_INET, SOCK_STREAM, 0;
  if ($made) {
    quietly($socket);
    $made = connect($socket, pack_sockaddr_in($port, INADDR_LOOPBACK)) || $! == EINPROGRESS;
  }
  my $error = $!;
  if ($root) { $> = 0; $) = '0 0'; }
  return record('r', $channel, "$error") unless $made;
  channel($channel, $socket, $socket);
  @{ $channels{$channel} }{qw(connecting port)} = (1, $port);
}

# A path leads there where the job sees it, and with its user's rights: so a process in the room goes it, and carries what comes.
my $carries = 'use Socket;
my $to; socket($to, PF_UNIX, SOCK_STREAM, 0) && connect($to, pack_sockaddr_un($ARGV[0])) or exit 1;
sub carry { my ($from, $into) = @_; while (sysread $from, my $bytes, 65536) { my $at = 0;
while ($at < length $bytes) { $at += syswrite($into, $bytes, length($bytes) - $at, $at) // exit 1 } } shutdown $into, 1 }
my $other = fork; defined $other or exit 1;
$other ? carry(\*STDIN, $to) : carry($to, \*STDOUT);
waitpid $other, 0 if $other;';

sub open_socket {
  my ($channel, $path) = @_;
  if ($channels{$channel} || keys %channels >= MOST_CHANNELS || $path !~ m{^/[^\0]{1,106}$}) {
    return record('r', $channel, 'too many connections, or no path of a socket');
  }
  my $file = words('', '/usr/bin/perl', '-e', $carries, $path) or return record('r', $channel, "$!");
  socketpair my $ours, my $its, AF_UNIX, SOCK_STREAM, PF_UNSPEC or return record('r', $channel, "$!");
  my $process = fork;
  return record('r', $channel, "$!") unless defined $process;
  if (!$process) {
    plain();
    POSIX::setsid();
    open my $nothing, '>', '/dev/null';
    POSIX::dup2(fileno $its, $_) for 0, 1;
    POSIX::dup2(fileno $nothing, 2);
    fcntl $file, F_SETFD, 0 if fileno $file == 9;
    POSIX::dup2(fileno $file, 9);
    exec @enter or POSIX::_exit(126);
  }
  push @gone, $process;
  channel($channel, $ours, $ours);
  $channels{$channel}{port} = 1;
  record('k', $channel, '');
}

# Whoever is left in the session of a terminal learns it by the terminal's end.
sub hang_up {
  $hung ||= now();
  if ($pty) {
    # The terminal's session began in the room, and has another number there.
    my $number = pack 'i', 0;
    my $found = ioctl($pty, TIOCGSID, $number) ? unpack 'i', $number : 0;
    $group = $found if $found > 1;
  }
  if ($group) {
    kill 'HUP', -$group;
    kill 'CONT', -$group;
  }
  leave($_) for keys %channels;
  undef $pty;
  over(129, $text) unless $child;
}

sub over {
  ($code, $text) = @_ unless defined $code;
}

sub job_is_over {
  return -e "$folder/exit" || -e "$folder/stop" || !-d $folder || ($process ne '-' && !defined readlink "/proc/$process/root");
}

# Whether some of what was hung up is still to be ended.
sub lingers {
  my ($time) = @_;
  return $group && $hung && $time <= $hung + 2 * GRACE && kill 0, -$group;
}

# The end of the shell: everything that it wrote goes first.
sub look_at_child {
  # Whoever of it does not heed a hang-up would keep a job that has no terminal.
  if ($hung && now() > $hung + GRACE) {
    kill 'KILL', -$group if $group;
    kill 'KILL', -$child if $child;
  }
  return unless $child;
  my $found = waitpid $child, POSIX::WNOHANG;
  if ($found == $child) {
    my $status = $?;
    $child = 0;
    my $killed = $status & 127;
    $reaped = now();
    over($killed ? 128 + $killed : $status >> 8, $text);
  }
}

sub last_record {
  return if $ended || !defined $code;
  # A room's processes are killed a moment before the job's end can be seen.
  if ($code == 137 && $text eq '' && !$hung) {
    return if !job_is_over() && now() < $reaped + 2;
    $text = 'the job has ended' if job_is_over();
  }
  for my $channel (sort keys %channels) {
    my $of = $channels{$channel};
    next if $of->{port};
    1 while drain($channel);
    # Without a window left there may be more.
    return if !$of->{end} && ($of->{may} < 1 || length $kept > FULL) && !$hung;
  }
  record('x', 0, pack('C', $code) . $text);
  $ended = now();
}

sub look_at_job {
  return if $hung || (-d $folder && !-e "$folder/exit");
  return if $child && !$ended && !defined $code && over_soon();
  $text = 'the job has ended';
  hang_up();
}

# The job of a terminal ends because its terminal has: its last words come first.
my $late;
sub over_soon {
  $late ||= now() + GRACE;
  return now() < $late;
}

listen_for_children();
$SIG{TERM} = sub { hang_up(); exit 1 };
while (1) {
  my $time = now();
  look_at_child();
  look_at_job();
  last_record();
  last if $ended && ($kept eq '' || $told || $time > $ended + LAST_WORDS) && !lingers($time);
  if ($greeted) {
    $present = $time;
  } elsif ($time > $present + $away && !$hung) {
    warn "session $id: nobody has been at its other end for $away s\n";
    $text = "nobody was there for $away s";
    hang_up();
  }
  if ($idle && $pty && !$hung && $time > $active + $idle) {
    warn "session $id: nothing was typed or shown for $idle s\n";
    $text = "nothing was typed or shown for $idle s";
    hang_up();
  }
  carry_on($time);
}
kill 'KILL', $client if $client;
