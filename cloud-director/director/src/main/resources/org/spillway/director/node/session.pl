# A session at a job's node (ADR 68): a shell in the job's room, or connections to its ports, for one client at home. Frames go over
# any number of connections, one after another; a cut loses and doubles no byte. Runs as root outside of the room; whatever it
# begins is put into the room and has the user's rights. Needs nothing but perl-base, openssl and util-linux.
use strict;
use warnings;
use Errno qw(EAGAIN EINTR EINPROGRESS);
use Fcntl;
use POSIX ();
use Socket;

# Bytes of one channel that its reader has not taken; what the client may have on its way, too.
use constant WINDOW => 131_072;
use constant PIECE => 16_384;
use constant MOST_FRAME => 65_536;
# Bytes for a client that takes none: no channel is read beyond the first, and nobody honest comes to the second.
use constant { FULL => 4_194_304, MOST_KEPT => 8_388_608 };
use constant MOST_CHANNELS => 256;
# Seconds.
use constant { PING => 5, SILENT => 15, LAST_WORDS => 60, GRACE => 5 };
# As Linux has them on x86 and ARM.
use constant { TIOCSWINSZ => 0x5414, TIOCGSID => 0x5429, TIOCGPTPEER => 0x5441, TIOCSPTLCK => 0x40045431 };

my ($id, $folder, $away, $uid, $gid, $process, $place, $idle, $calls) = splice @ARGV, 0, 9;
my @call = splice @ARGV, 0, $calls;
my @enter = @ARGV;

# The stream to the client: what was said from byte $base on, how much of it is on the line, and how much was heard of the other.
my ($kept, $base, $sent, $received, $acknowledged) = ('', 0, 0, 0, 0);
# The connection: 0 none, 1 the director has not answered, 2 carries frames.
my ($line, $from, $to, $client, $write, $read, $greeted) = (0, undef, undef, 0, '', '', 0);
my ($heard, $said, $again, $pause, @gone) = (0, 0, 0, 0.2);
my $records = '';
my %channels;
my ($child, $group, $code, $text, $pty, $opened, $ended, $hung, $told) = (0, 0, undef, '', undef, 0, 0, 0, 0);
my ($present, $reaped) = (now(), 0);
# When something was typed into the terminal, or shown there.
my $active = now();

# By a clock that nobody sets.
sub now {
  open my $file, '<', '/proc/uptime' or return time;
  my ($seconds) = split ' ', <$file>;
  return $seconds;
}

sub quietly {
  my ($handle) = @_;
  fcntl $handle, F_SETFL, fcntl($handle, F_GETFL, 0) | O_NONBLOCK;
}

# In the child that was forked: what the agent left to its processes is not the job's.
sub plain {
  $SIG{$_} = 'DEFAULT' for qw(PIPE CHLD HUP INT QUIT TERM TSTP TTIN TTOU);
}

sub frame {
  my ($type, $body) = @_;
  $write .= $type . substr(pack('N', length $body), 1) . $body;
  $said = now();
}

sub record {
  my ($kind, $channel, $body) = @_;
  $kept .= pack('a n n', $kind, $channel, length $body) . $body;
  broken('a client that takes nothing') if length $kept > MOST_KEPT;
}

sub connect_line {
  pipe(my $in, my $lines) or return;
  pipe(my $answers, my $out) or return;
  my $process = fork;
  return unless defined $process;
  if (!$process) {
    plain();
    POSIX::dup2(fileno $in, 0);
    POSIX::dup2(fileno $out, 1);
    exec @call or POSIX::_exit(127);
  }
  ($line, $from, $to, $client, $read, $greeted) = (1, $answers, $lines, $process, '', 0);
  quietly($_) for $from, $to;
  $write = "POST /v1/sessions/$id HTTP/1.1\r\nHost: director\r\nContent-Length: 1152921504606846976\r\n\r\n";
  $heard = now();
}

sub drop_line {
  return unless $line;
  $pause = $line == 2 ? 0.2 : $pause * 2 > 2 ? 2 : $pause * 2;
  close $from;
  close $to;
  kill 'KILL', $client;
  push @gone, $client;
  ($line, $greeted, $client) = (0, 0, 0);
  $again = now() + $pause;
}

# Whatever the peer says that nobody says ends the session: there is no going on from there.
sub broken {
  warn "session $id: $_[0]\n";
  $kept = '';
  hang_up();
  exit 1;
}

sub answered {
  my $end = index $read, "\r\n\r\n";
  return drop_line() if $end < 0 && length $read > 8192;
  return if $end < 0;
  my ($status) = $read =~ m{^HTTP/1\.1 (\d{3})};
  substr $read, 0, $end + 4, '';
  if (($status // 0) != 200) {
    # The job is not this node's any more: its end is seen in its folder.
    $pause = 0.2 if ($status // 0) == 504;
    return drop_line();
  }
  $line = 2;
  $pause = 0.1;
  frame('H', pack 'Q>', $received);
  $acknowledged = $received;
}

sub frames {
  while ($line == 2 && length $read >= 4) {
    my $type = substr $read, 0, 1;
    my $length = unpack 'N', "\0" . substr $read, 1, 3;
    broken('a frame that is too long') if $length > MOST_FRAME;
    return if length $read < 4 + $length;
    my $body = substr $read, 4, $length;
    substr $read, 0, 4 + $length, '';
    if ($type eq 'H' || $type eq 'A') {
      my $offset = $length == 8 ? unpack 'Q>', $body : -1;
      broken("an offset that cannot be: $offset") if $offset < $base || $offset > $base + length $kept;
      substr $kept, 0, $offset - $base, '';
      $base = $offset;
      if ($type eq 'H') {
        $greeted = 1;
        $sent = $base;
        $present = now();
      }
    } elsif ($type eq 'D' && $greeted) {
      $received += $length;
      $records .= $body;
      take();
    } elsif ($type ne 'P') {
      broken('a frame of no kind');
    }
  }
}

sub take {
  while (length $records >= 5) {
    my ($kind, $channel, $length) = unpack 'a n n', $records;
    return if length $records < 5 + $length;
    my $body = substr $records, 5, $length;
    substr $records, 0, 5 + $length, '';
    my $of = $channels{$channel};
    if ($kind eq 'd') {
      next unless $of;
      $of->{queue} .= $body;
      $active = now();
      broken('more than it may send') if length $of->{queue} > 2 * WINDOW;
      granted($channel, $length) unless $of->{write};
    } elsif ($kind eq 'e') {
      $of->{last} = 1 if $of;
    } elsif ($kind eq 'c') {
      $of->{may} += unpack 'N', $body if $of && $length == 4;
      $of->{may} = WINDOW if $of && $of->{may} > WINDOW;
    } elsif ($kind eq 'o') {
      open_shell($body);
    } elsif ($kind eq 'w') {
      ioctl $pty, TIOCSWINSZ, pack('S4', unpack('n n', $body), 0, 0) if $pty && $length == 4;
    } elsif ($kind eq 'n') {
      open_port($channel, $length == 2 ? unpack 'n', $body : 0);
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
}

# The client may send as much more on a channel.
sub granted {
  my ($channel, $bytes) = @_;
  record('c', $channel, pack 'N', $bytes) if $bytes;
}

sub channel {
  my ($channel, $in, $out) = @_;
  quietly($_) for grep { $_ } $in, $out;
  $channels{$channel} = { read => $in, write => $out, queue => '', may => WINDOW, last => 0, end => !$in };
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

sub leave {
  my ($channel) = @_;
  my $of = delete $channels{$channel} or return;
  close $_ for grep { $_ } @$of{qw(read write)};
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

# FILE's end comes once, and what is behind it never.
sub drain {
  my ($channel) = @_;
  my $of = $channels{$channel};
  my $most = $of->{may} < PIECE ? $of->{may} : PIECE;
  return 0 if $of->{end} || $most < 1 || length $kept > FULL;
  my $count = sysread($of->{read}, my $bytes, $most);
  return 0 if !defined $count && ($! == EAGAIN || $! == EINTR);
  if ($count) {
    $of->{may} -= $count;
    $active = now();
    record('d', $channel, $bytes);
    return 1;
  }
  $of->{end} = 1;
  record('e', $channel, '');
  leave($channel) if $of->{port} && $of->{last} && $of->{queue} eq '';
  return 0;
}

sub pour {
  my ($channel) = @_;
  my $of = $channels{$channel} or return;
  if ($of->{connecting}) {
    my $error = unpack 'i', getsockopt $of->{write}, SOL_SOCKET, SO_ERROR;
    if ($error) {
      $! = $error;
      record('r', $channel, "$!");
      return leave($channel);
    }
    $of->{connecting} = 0;
    record('k', $channel, '');
  }
  if ($of->{queue} ne '') {
    my $count = syswrite $of->{write}, $of->{queue}, PIECE;
    if ($count) {
      substr $of->{queue}, 0, $count, '';
      granted($channel, $count);
    } elsif (!defined $count && $! != EAGAIN && $! != EINTR) {
      return record('r', $channel, "$!"), leave($channel) if $of->{port};
      # Nobody reads any more; what comes is thrown away.
      granted($channel, length $of->{queue});
      $of->{queue} = '';
      undef $of->{write} unless $pty;
    }
  }
  if ($of->{queue} eq '' && $of->{last} && $of->{write}) {
    if ($of->{port}) {
      shutdown $of->{write}, 1;
      $of->{last} = 2;
      leave($channel) if $of->{end};
    } elsif (!$pty) {
      close $of->{write};
      undef $of->{write};
    } else {
      $of->{last} = 0;
    }
  }
}

sub wants_write {
  my ($of) = @_;
  return $of->{write} && ($of->{connecting} || $of->{queue} ne '' || $of->{last} == 1);
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

$SIG{PIPE} = 'IGNORE';
pipe(my $bell, my $ring) or die;
quietly($_) for $bell, $ring;
$SIG{CHLD} = sub { local $!; syswrite $ring, 'x' };
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
  drop_line() if $line == 2 && $time > $heard + SILENT;
  drop_line() if $line == 1 && $time > $heard + 60;
  connect_line() if !$line && $time >= $again;
  if ($line == 2) {
    if ($received > $acknowledged) {
      frame('A', pack 'Q>', $received);
      $acknowledged = $received;
    }
    while ($greeted && length $write < 2 * MOST_FRAME && $sent < $base + length $kept) {
      my $bytes = substr $kept, $sent - $base, PIECE;
      frame('D', $bytes);
      $sent += length $bytes;
    }
    frame('P', '') if $time > $said + PING;
  }
  my ($reads, $writes) = ('', '');
  vec($reads, fileno $bell, 1) = 1;
  vec($reads, fileno $from, 1) = 1 if $line;
  vec($writes, fileno $to, 1) = 1 if $line && $write ne '';
  for my $of (values %channels) {
    vec($reads, fileno $of->{read}, 1) = 1 if !$of->{end} && !$of->{connecting} && $of->{may} > 0 && length $kept <= FULL;
    vec($writes, fileno $of->{write}, 1) = 1 if wants_write($of);
  }
  my $ready = select $reads, $writes, undef, $line ? 0.5 : 0.1;
  next if $ready < 1;
  if (vec $reads, fileno $bell, 1) {
    sysread($bell, my $rung, 64);
    @gone = grep { waitpid($_, POSIX::WNOHANG) == 0 } @gone;
  }
  if ($line && vec $writes, fileno $to, 1) {
    my $count = syswrite $to, $write, MOST_FRAME;
    if ($count) {
      substr $write, 0, $count, '';
    } elsif (!defined $count && $! != EAGAIN && $! != EINTR) {
      drop_line();
    }
  }
  if ($line && vec $reads, fileno $from, 1) {
    my $count = sysread $from, $read, MOST_FRAME, length $read;
    if ($count) {
      $heard = now();
      answered() if $line == 1;
      frames();
    } elsif (defined $count || ($! != EAGAIN && $! != EINTR)) {
      drop_line();
    }
  }
  for my $channel (keys %channels) {
    my $of = $channels{$channel} or next;
    pour($channel) if wants_write($of) && vec $writes, fileno $of->{write}, 1;
    $of = $channels{$channel} or next;
    drain($channel) if !$of->{end} && !$of->{connecting} && vec $reads, fileno $of->{read}, 1;
  }
}
kill 'KILL', $client if $client;
