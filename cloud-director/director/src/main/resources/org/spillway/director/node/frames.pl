# Streams over any number of connections to the director, one after another: a cut loses and doubles no byte (ADR 68). Carries the
# channels of session.pl and forward.pl, which say what else is told on them. Needs nothing but perl-base and openssl.
use strict;
use warnings;
use Errno qw(EAGAIN EINTR EINPROGRESS);
use Fcntl;
use POSIX ();
use Socket;

# Bytes of one channel that its reader has not taken; what the other end may have on its way, too.
use constant WINDOW => 131_072;
use constant PIECE => 16_384;
use constant MOST_FRAME => 65_536;
# Bytes for another end that takes none: no channel is read beyond the first, and nobody honest comes to the second.
use constant { FULL => 4_194_304, MOST_KEPT => 8_388_608 };
use constant MOST_CHANNELS => 256;
# Seconds.
use constant { PING => 5, SILENT => 15 };

# The name of the stream at the director, and the words of a connection.
my ($path, @call);
# The stream to the other end: what was said from byte $base on, how much of it is on the line, and how much was heard of the other.
my ($kept, $base, $sent, $received, $acknowledged) = ('', 0, 0, 0, 0);
# The connection: 0 none, 1 the director has not answered, 2 carries frames.
my ($line, $from, $to, $client, $write, $read, $greeted) = (0, undef, undef, 0, '', '', 0);
my ($heard, $said, $again, $pause, @gone) = (0, 0, 0, 0.2);
my $records = '';
my %channels;
# A terminal is both ends of channel 0.
my $pty;
# When both ends were there, and when bytes passed.
my ($present, $active) = (now(), now());
my ($bell, $ring);

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
  $write = "POST $path HTTP/1.1\r\nHost: director\r\nContent-Length: 1152921504606846976\r\n\r\n";
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
  warn "$path: $_[0]\n";
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
    $pause = 0.2 if ($status // 0) == 504;
    drop_line();
    return declined($status // 0, $read);
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
    } else {
      told($kind, $channel, $body);
    }
  }
}

# The other end may send as much more on a channel.
sub granted {
  my ($channel, $bytes) = @_;
  record('c', $channel, pack 'N', $bytes) if $bytes;
}

sub channel {
  my ($channel, $in, $out) = @_;
  quietly($_) for grep { $_ } $in, $out;
  $channels{$channel} = { read => $in, write => $out, queue => '', may => WINDOW, last => 0, end => !$in };
}

sub leave {
  my ($channel) = @_;
  my $of = delete $channels{$channel} or return;
  close $_ for grep { $_ } @$of{qw(read write)};
}

# FILE's end comes once, and what is behind it never.
sub drain {
  my ($channel) = @_;
  my $of = $channels{$channel};
  my $most = $of->{may} < PIECE ? $of->{may} : PIECE;
  return 0 if $of->{end} || $most < 1 || length $kept > FULL;
  my $count = sysread($of->{read}, my $bytes, $most);
  return 0 if !defined $count && ($! == EAGAIN || $! == EINTR);
  if (!defined $count && $of->{port}) {
    record('r', $channel, "$!");
    leave($channel);
    return 0;
  }
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

# Has a child's end heard.
sub listen_for_children {
  $SIG{PIPE} = 'IGNORE';
  pipe($bell, $ring) or die;
  quietly($_) for $bell, $ring;
  $SIG{CHLD} = sub { local $!; syswrite $ring, 'x' };
}

# Waits for something to carry, and carries it. Returns which of the given handles can be read.
sub carry_on {
  my ($time, @others) = @_;
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
  vec($reads, fileno $_, 1) = 1 for @others;
  for my $of (values %channels) {
    vec($reads, fileno $of->{read}, 1) = 1 if !$of->{end} && !$of->{connecting} && $of->{may} > 0 && length $kept <= FULL;
    vec($writes, fileno $of->{write}, 1) = 1 if wants_write($of);
  }
  my $ready = select $reads, $writes, undef, $line ? 0.5 : 0.1;
  return '' if $ready < 1;
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
  return $reads;
}
