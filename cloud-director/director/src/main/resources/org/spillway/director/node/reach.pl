# The line between sshfs and the director (ADR 67). sshfs ends with its stream, and a director may be killed and started again: SFTP's
# requests are remembered until they are answered, and asked again by a new line. Nothing that changes anything is ever asked, so
# twice is as good as once. sshfs (3.7) takes an error of a read, and the end of its stream, for bytes of zeros or the end of a file:
# it is never told of either, but killed, which its readers are told of. The name of an open file says which file it is and in which
# state, so any director reads on, or says that it is another by now; a folder is listed to its end before sshfs hears of it. Needs
# nothing but perl-base and openssl.
use strict;
use warnings;
use Errno qw(EAGAIN EINTR);
use Fcntl;
use POSIX ();

# Types and words of SFTP, version 3. 7 is the director's word that home has not answered, and 4 that it could not read a file just now.
use constant { HELLO => 1, VERSION => 2, CLOSE => 4, READ => 5, LSTAT => 7, OPENDIR => 11, READDIR => 12, STAT => 17, READLINK => 19 };
use constant { STATUS => 101, HANDLE => 102, NAME => 104 };
use constant { OK => 0, LAST => 1, FAILED => 4, UNANSWERED => 7, IO_ERROR => 100 };
# Fewer than the director answers at once.
use constant { MOST_SENT => 48, MOST_ASKED => 1024, MOST_PACKET => 300_000, PIECE => 131_072 };
# Seconds.
use constant { PING => 5, SILENT => 15, CONNECTING => 20 };

my ($folder, $attempt, $patience, @call) = @ARGV;

# From sshfs and to it; from the director and to it.
my ($in, $out, $read, $write) = ('', '', '', '');
# The connection: 0 none, 1 the director has not answered, 2 carries packets.
my ($line, $from, $to, $client) = (0);
my ($heard, $pinged, $again, $pause, $served) = (0, 0, 0, 0.2, 0);
my @gone;
my $began = now();
# Requests without an answer by our numbers; those that wait to be sent, in order; those that are asked again in a moment; folders
# that are open at sshfs.
my (%asked, @waiting, @later, %folders);
my ($number, $opened, $refused) = (0, 0, 0);

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

sub packet { my ($body) = @_; return pack('N', length $body) . $body }
sub status { my ($id, $code) = @_; return packet(pack 'C N N N N', STATUS, $id, $code, 0, 0) }

# The attempt for which this line was made, or another one of that user that is here by now.
sub attempts {
  my %names = ($attempt => 1);
  if (opendir my $jobs, "$folder/jobs") {
    /^(.+)\.(\d+)$/ and $names{"$1/$2"} = 1 for readdir $jobs;
  }
  return sort keys %names;
}

sub connect_line {
  pipe(my $words, my $lines) or return;
  pipe(my $answers, my $said) or return;
  my $process = fork;
  return unless defined $process;
  if (!$process) {
    $SIG{PIPE} = 'DEFAULT';
    POSIX::dup2(fileno $words, 0);
    POSIX::dup2(fileno $said, 1);
    exec @call or POSIX::_exit(127);
  }
  ($line, $from, $to, $client, $read) = (1, $answers, $lines, $process, '');
  if (open my $file, '>', "$folder/call") { print $file "$process\n" }
  quietly($_) for $from, $to;
  my @names = attempts();
  my $name = $served || $refused ? $names[$refused % @names] : $attempt;
  $write = "POST /v1/jobs/$name/reach HTTP/1.1\r\nHost: director\r\nContent-Length: 1152921504606846976\r\n\r\n";
  ($heard, $pinged) = (now(), 0);
}

# What was asked is asked again, in the order in which it came.
sub drop_line {
  $pause = $line == 2 ? 0.2 : $pause * 2 > 2 ? 2 : $pause * 2;
  close $from;
  close $to;
  kill 'KILL', $client;
  push @gone, $client;
  ($line, $client, $pinged) = (0, 0, 0);
  $again = now() + $pause;
  @waiting = sort { $a <=> $b } keys %asked;
  @later = ();
}

# The head of the director's answer.
sub answered {
  my $end = index $read, "\r\n\r\n";
  return $end < 0 && length $read > 8192 ? drop_line() : undef if $end < 0;
  my ($said, $code) = $read =~ m{^(HTTP/1\.1 (\d{3})[^\r]*)};
  substr $read, 0, $end + 4, '';
  if (($code // 0) != 200) {
    # A director that has just begun has no orders yet.
    $refused++;
    given_up('the director says ' . ($said // 'nothing')) if !$served && now() > $began + CONNECTING;
    return drop_line();
  }
  ($line, $pause) = (2, 0.1);
  $out .= "200\n" unless $served++;
}

# Without an answer to what it waits for.
sub end_sshfs {
  open my $file, '<', "$folder/session" or return;
  my ($process) = (<$file> // '') =~ /^(\d+)$/ or return;
  open my $words, '<', "/proc/$process/cmdline" or return;
  kill 'KILL', $process if index(<$words> // '', "$folder/all") >= 0;
}

sub given_up {
  print STDERR "$_[0]\n";
  exit 1;
}

sub ask {
  my ($of) = @_;
  $of->{until} = now() + $patience unless $of->{patient};
  $number = $number % 0xFFFFFFFF + 1;
  $asked{$number} = $of;
  push @waiting, $number;
}

sub from_sshfs {
  while (length $in >= 4) {
    my $length = unpack 'N', $in;
    given_up("$length bytes are no request") if $length < 5 || $length > MOST_PACKET;
    return if length $in < 4 + $length;
    my ($type, $id) = unpack 'x4 C N', $in;
    my $rest = substr $in, 9, $length - 5;
    substr $in, 0, 4 + $length, '';
    my $name = $length > 8 ? substr $rest, 4 : '';
    if ($type == HELLO) {
      $out .= packet(pack 'C N', VERSION, 3);
    } elsif ($type == OPENDIR) {
      ask({ type => OPENDIR, id => $id, rest => $rest });
    } elsif ($type == READDIR && $folders{$name}) {
      my $part = shift @{ $folders{$name} };
      $out .= defined $part ? packet(pack('C N', NAME, $id) . $part) : status($id, LAST);
    } elsif ($type == CLOSE) {
      # A line that is gone has taken what was open there with it.
      $write .= packet(pack('C N', CLOSE, 0) . $rest) if !delete $folders{$name} && $line == 2;
      $out .= status($id, OK);
    } else {
      # Whoever writes below home has its kernel look for the name first: that waits as long as there is a job. So do bytes, as below.
      my $patient = $type == READ || $type == LSTAT || $type == STAT || $type == READLINK;
      ask({ type => $type, id => $id, rest => $rest, patient => $patient });
    }
  }
}

# As many as the director answers at once, so that it always reads.
sub send_waiting {
  while ($line == 2 && @waiting && keys(%asked) - @waiting - @later < MOST_SENT) {
    my $next = shift @waiting;
    my $of = $asked{$next} or next;
    @$of{qw(at parts)} = (undef, []);
    $write .= packet(pack('C N', $of->{type}, $next) . $of->{rest});
  }
}

sub from_director {
  while (length $read >= 4) {
    my $length = unpack 'N', $read;
    return drop_line() if $length < 5 || $length > MOST_PACKET;
    return if length $read < 4 + $length;
    my ($type, $known) = unpack 'x4 C N', $read;
    my $rest = substr $read, 9, $length - 5;
    substr $read, 0, 4 + $length, '';
    my $of = $type == VERSION ? undef : $asked{$known};
    next unless $of;
    my $code = $type == STATUS && length $rest >= 4 ? unpack 'N', $rest : -1;
    if ($of->{type} == OPENDIR && ($type == HANDLE || $type == NAME)) {
      if ($type == HANDLE) { $of->{at} = $rest } else { push @{ $of->{parts} }, $rest }
      $write .= packet(pack('C N', READDIR, $known) . $of->{at});
      next;
    }
    if ($code == UNANSWERED && $of->{patient}) {
      push @waiting, $known;
      next;
    }
    if ($code == FAILED && $of->{type} == READ && now() < ($of->{failing} //= now()) + $patience) {
      push @later, $known;
      next;
    }
    given_up("a file that a job had open cannot be read on: it is another one at home by now ($code)")
      if $of->{type} == READ && $code > LAST;
    delete $asked{$known};
    if ($of->{type} == OPENDIR && $code == LAST && defined $of->{at}) {
      $write .= packet(pack('C N', CLOSE, 0) . $of->{at});
      my $name = 'folder ' . ++$opened;
      $folders{$name} = $of->{parts};
      $out .= packet(pack 'C N N/a', HANDLE, $of->{id}, $name);
    } elsif ($code == UNANSWERED) {
      $out .= status($of->{id}, IO_ERROR);
    } else {
      $out .= packet(pack('C N', $type, $of->{id}) . $rest);
    }
  }
}

# Reads what is there. Returns nothing at the end.
sub take {
  my ($handle, $to) = @_;
  my $count = sysread $handle, $$to, PIECE, length $$to;
  return $count || (!defined $count && ($! == EAGAIN || $! == EINTR));
}

sub pour {
  my ($handle, $what) = @_;
  my $count = syswrite $handle, $$what, PIECE;
  substr $$what, 0, $count, '' if $count;
  return defined $count || $! == EAGAIN || $! == EINTR;
}

sub look_at_clock {
  my $time = now();
  push @waiting, splice @later;
  @gone = grep { waitpid($_, POSIX::WNOHANG) == 0 } @gone;
  for my $each (keys %asked) {
    my $until = $asked{$each}{until};
    next if !defined $until || $until > $time;
    my $of = delete $asked{$each};
    @waiting = grep { $_ != $each } @waiting;
    $out .= status($of->{id}, IO_ERROR);
  }
  if ($line == 0) {
    given_up('the director does not answer') if !$served && $time > $began + $patience;
    connect_line() if $time >= $again && (%asked || !$served);
  } elsif ($line == 1) {
    drop_line() if $time > $heard + CONNECTING;
  } elsif ($pinged) {
    drop_line() if $time > $pinged + SILENT;
  } elsif (%asked && $time > $heard + PING) {
    $write .= packet(pack 'C N', HELLO, 3);
    $pinged = $time;
  }
}

# The line is a child, and each of the two sees the other's end. The parent, too, holds the streams open.
pipe my $parent, my $lives or exit 1;
my $child = fork // exit 1;
if ($child) {
  close $parent;
  waitpid $child, 0;
  end_sshfs();
  exit $? >> 8;
}
close $lives;
$SIG{PIPE} = 'IGNORE';
END { kill 'KILL', $client if $client }
quietly($_) for \*STDIN, \*STDOUT;
my $looked = 0;
while (1) {
  my $idle = $line == 2 && !%asked && !@gone;
  my $time = now();
  if ($time >= $looked + 0.5 || $line == 0) {
    look_at_clock();
    $looked = $time;
  }
  send_waiting();
  my ($readable, $writable) = ('', '');
  vec($readable, 0, 1) = 1 if keys %asked < MOST_ASKED && length $out < 8 * MOST_PACKET;
  vec($readable, fileno $parent, 1) = 1;
  vec($writable, 1, 1) = 1 if $out ne '';
  if ($line) {
    vec($readable, fileno $from, 1) = 1 if length $out < 8 * MOST_PACKET;
    vec($writable, fileno $to, 1) = 1 if $write ne '';
  }
  # Without a line and a question there is nothing to wait for but sshfs.
  my $wait = $idle || ($line == 0 && $served && !%asked && !@gone) ? undef : $line == 0 ? 0.1 : 0.5;
  my $found = select $readable, $writable, undef, $wait;
  next if $found <= 0;
  if (vec $readable, fileno $parent, 1) {
    end_sshfs();
    exit 1;
  }
  if (vec $readable, 0, 1) {
    take(\*STDIN, \$in) or exit 0;
    from_sshfs();
    send_waiting();
  }
  if ($line && vec $readable, fileno $from, 1) {
    if (take($from, \$read)) {
      ($heard, $pinged) = (now(), 0);
      answered() if $line == 1;
      from_director() if $line == 2;
      send_waiting();
    } else {
      drop_line();
    }
  }
  # At once, without another look whether there is room: most of the time there is.
  if ($line && $write ne '') { pour($to, \$write) or drop_line() }
  if ($out ne '') { pour(\*STDOUT, \$out) or exit 0 }
}
