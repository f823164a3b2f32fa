# Questions for a user's home, as SFTP over a TLS stream to the director (ADR 75). A director may be killed and started again: what was
# asked is remembered until it is answered, and asked again over a new line. Nothing that changes anything is ever asked, so twice is as
# good as once. The name of an open file says which file it is and in which state, so any director reads on, or says that it is another
# by now. Needs nothing but perl-base and openssl.
use strict;
use warnings;
use Errno qw(EAGAIN EINTR);
use Fcntl;
use POSIX ();

# Types and words of SFTP, version 3. 7 is the director's word that home has not answered, and 4 that it could not read a file just now.
use constant { HELLO => 1, VERSION => 2, CLOSE => 4, READ => 5, LSTAT => 7, OPENDIR => 11, READDIR => 12, READLINK => 19, EXTENDED => 200 };
use constant { STATUS => 101, HANDLE => 102, DATA => 103, NAME => 104, ATTRS => 105, EXTENDED_REPLY => 201 };
use constant { LAST => 1, NO_SUCH => 2, DENIED => 3, FAILED => 4, UNANSWERED => 7, IO_ERROR => 100 };
# Fewer than the director answers at once.
use constant { MOST_SENT => 48, MOST_ASKED => 1024, MOST_PACKET => 600_000, PIECE => 262_144 };
# Seconds.
use constant { PING => 5, SILENT => 15, CONNECTING => 20 };

my ($folder, $attempt, $patience, @call) = @ARGV;

# From the director and to it.
my ($read, $write) = ('', '');
# The connection: 0 none, 1 the director has not answered, 2 carries packets.
my ($line, $from, $to, $client) = (0);
my ($heard, $pinged, $again, $pause, $served) = (0, 0, 0, 0.2, 0);
my @gone;
my $began = now();
# Questions without an answer by our numbers; those that wait to be sent, in order; those that are asked again in a moment.
my (%asked, @waiting, @later);
my ($number, $refused) = (0, 0);

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
  # A megabyte, for fewer turns of the two; less where that is not allowed.
  fcntl $from, 1031, 1_048_576;
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

# The head of the director's answer. Returns whether it is the first one that serves.
sub answered {
  my $end = index $read, "\r\n\r\n";
  return $end < 0 && length $read > 8192 ? drop_line() && 0 : 0 if $end < 0;
  my ($said, $code) = $read =~ m{^(HTTP/1\.1 (\d{3})[^\r]*)};
  substr $read, 0, $end + 4, '';
  if (($code // 0) != 200) {
    # A director that has just begun has no orders yet.
    $refused++;
    given_up('the director says ' . ($said // 'nothing')) if !$served && now() > $began + CONNECTING;
    drop_line();
    return 0;
  }
  ($line, $pause) = (2, 0.1);
  return !$served++;
}

sub given_up {
  print STDERR "$_[0]\n";
  exit 1;
}

# Asks TYPE with the rest of its packet; THEN is told the status (-1 for none), the type and the rest of the answer. What is PATIENT waits
# as long as there is a job.
sub ask {
  my ($of) = @_;
  $of->{until} = now() + $patience unless $of->{patient};
  $number = $number % 0xFFFFFFFF + 1;
  $asked{$number} = $of;
  push @waiting, $number;
  return $number;
}

sub forget {
  my ($known) = @_;
  delete $asked{$known};
  @waiting = grep { $_ != $known } @waiting;
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

# A line that is gone has taken what was open there with it.
sub close_there {
  my ($handle) = @_;
  $write .= packet(pack 'C N N/a', CLOSE, 0, $handle) if $line == 2;
}

sub from_director {
  my $at = 0;
  while (length($read) - $at >= 4) {
    my $length = unpack "x$at N", $read;
    return drop_line() if $length < 5 || $length > MOST_PACKET;
    last if length($read) - $at < 4 + $length;
    my ($type, $known) = unpack 'C N', substr $read, $at + 4, 5;
    my $rest = substr $read, $at + 9, $length - 5;
    $at += 4 + $length;
    my $of = $type == VERSION ? undef : $asked{$known};
    told($known, $of, $type, $rest) if $of;
  }
  substr $read, 0, $at, '' if $at;
}

sub told {
  my ($known, $of, $type, $rest) = @_;
  my $code = $type != STATUS ? -1 : length $rest < 4 ? IO_ERROR : unpack 'N', $rest;
  if ($of->{type} == OPENDIR && ($type == HANDLE || $type == NAME)) {
    if ($type == HANDLE) { $of->{at} = $rest } else { push @{ $of->{parts} }, $rest }
    $write .= packet(pack('C N', READDIR, $known) . $of->{at});
    return;
  }
  if ($code == UNANSWERED && $of->{patient}) {
    push @waiting, $known;
    return;
  }
  if ($code == FAILED && $of->{type} == READ && now() < ($of->{failing} //= now()) + $patience) {
    push @later, $known;
    return;
  }
  delete $asked{$known};
  $code = IO_ERROR if $of->{type} == OPENDIR && $type != STATUS;
  if ($of->{type} == OPENDIR && $code == LAST && defined $of->{at}) {
    $write .= packet(pack('C N', CLOSE, 0) . $of->{at});
    $code = -1;
  }
  $of->{then}->($code, $type, $rest, $of);
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

sub look_at_line {
  my ($time) = @_;
  push @waiting, splice @later;
  @gone = grep { waitpid($_, POSIX::WNOHANG) == 0 } @gone;
  for my $each (keys %asked) {
    my $of = $asked{$each} or next;
    next if !defined $of->{until} || $of->{until} > $time;
    forget($each);
    $of->{then}->(IO_ERROR, STATUS, '', $of);
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
