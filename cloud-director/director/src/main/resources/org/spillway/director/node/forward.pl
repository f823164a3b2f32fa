# Services of home for one attempt of a job (ADR 77), behind frames.pl: listens on addresses of 127/8 that this attempt alone is told, and
# carries what its user connects there to the director. The kernel says whose each connection is. Whoever has used one service for the
# first time gets a process and a line for it, which go again when nothing is open. Needs root for nothing but ports below 1024.

# Seconds: for a service to answer, for a line to come back, of a line without connections, and until a refused user may ask again.
use constant { ANSWER => 30, AWAY => 120, UNUSED => 30, REFUSED => 10 };
use constant { ESTABLISHED => 1, CLOSE_WAIT => 8, TCP_INFO => 11 };
use constant { FIRST_CHANNEL => 16, OVER => 'the job has ended' };

# Each SERVICE is a word of "NAME HOST PORT,PORT"; without an attempt the addresses are only tried.
my ($folder, $attempt, $uid, $count) = splice @ARGV, 0, 4;
my @services = map { my ($name, $host, $ports) = split / /; { name => $name, host => $host, ports => [split /,/, $ports] } } splice @ARGV, 0, $count;
@call = @ARGV;

my $parent = $$;
my ($name, $host, %doors);
my ($next, $ended, $refused, $unsaid, $last, $gone) = (FIRST_CHANNEL, 0, 0, 0, 0, '');

sub say_so { print STDERR POSIX::strftime('%T', localtime), " job ", $attempt =~ s{/.*}{}r, ": @_\n" }

# A door at each port of a host, at one address that nobody else has; none where somebody has a port on all addresses.
sub doors_of {
  my (@ports) = @_;
  my $why = '';
  for (1 .. 50) {
    my $address = join '.', 127, 64 + int rand 128, int rand 256, 1 + int rand 254;
    my @doors;
    for my $port (@ports) {
      socket my $door, PF_INET, SOCK_STREAM, 0 or last;
      setsockopt $door, SOL_SOCKET, SO_REUSEADDR, 1;
      last unless bind($door, pack_sockaddr_in($port, inet_aton $address)) && listen $door, 64;
      quietly($door);
      push @doors, { door => $door, port => $port };
    }
    return ($address, @doors) if @doors == @ports;
    $why = "port $ports[@doors]: $!";
  }
  print "$why\n";
  exit 1;
}

# Whose connection this is, and nobody's once its other end is closed: the kernel's table, IPv6 with such an address too. The number of a
# socket's user is that of whoever made it, and is looked up while both ends are there: a port that is another's by then is not taken for his.
sub owner_of {
  my ($socket) = @_;
  my $peer = getpeername $socket or return;
  my ($port, $address) = unpack_sockaddr_in $peer;
  my ($own_port, $own) = unpack_sockaddr_in getsockname $socket;
  my ($theirs, $ours) = map { sprintf '%08X:%04X', unpack('L', $_->[0]), $_->[1] } [$address, $port], [$own, $own_port];
  my $mapped = '0' x 16 . sprintf '%08X', unpack 'L', pack 'N', 0xffff;
  my $owner;
  for my $table (['tcp', ''], ['tcp6', $mapped]) {
    open my $file, '<', "/proc/net/$table->[0]" or next;
    while (my $row = <$file>) {
      next unless $row =~ /^\s*\d+: \Q$table->[1]$theirs $table->[1]$ours\E /;
      my @words = split ' ', $row;
      $owner = $words[7] if $words[9] != 0;
    }
  }
  my ($state) = unpack 'C', getsockopt($socket, getprotobyname('tcp') // 6, TCP_INFO) || "\0";
  return $state == ESTABLISHED || $state == CLOSE_WAIT ? $owner : undef;
}

# Ends a connection so that its client sees no end of a stream in it.
sub reset_it {
  my ($socket) = @_;
  setsockopt $socket, SOL_SOCKET, SO_LINGER, pack 'i i', 1, 0;
  close $socket;
}

# A line for each refusal, but for a client that tries again and again.
sub refuse {
  my ($socket, $why, $what) = @_;
  reset_it($socket);
  return $unsaid++ if now() < $last + 1;
  $what //= 'is refused';
  say_so("a connection to $name ($host) $what: $why" . ($unsaid ? " (and $unsaid more)" : ''));
  ($last, $unsaid) = (now(), 0);
}

sub cut {
  my ($channel, $why) = @_;
  my $of = delete $channels{$channel} or return;
  return reset_it($of->{read}) if $why eq OVER;
  refuse($of->{read}, $why, $of->{stands} ? 'was ended' : 'is refused');
}

sub hang_up {
  cut($_, $gone || 'its line is over') for keys %channels;
  kill 'KILL', $client if $client;
}

sub declined {
  my ($status, $said) = @_;
  # The order may not have come, and the head may come in a moment.
  return if !$status || $status >= 500;
  ($gone) = ($said // '') =~ /^([ -~]{1,300})/;
  $gone ||= "the director says $status";
  $refused = now();
  $kept = '';
  hang_up();
}

sub told {
  my ($kind, $channel, $body) = @_;
  my $of = $channels{$channel};
  if ($kind eq 'k') {
    $of->{stands} = 1 if $of;
  } elsif ($kind eq 'r') {
    cut($channel, $body =~ s/[^ -~]/?/gr || 'the service ended it');
  } else {
    broken('a record of no kind');
  }
}

sub opened {
  my ($socket, $port) = @_;
  my $owner = owner_of($socket);
  return reset_it($socket) unless defined $owner;
  return refuse($socket, "it is of uid $owner, and not of the job's user") if $owner != $uid;
  return refuse($socket, $gone) if $refused;
  return refuse($socket, 'there are ' . keys(%channels) . ' already') if keys %channels >= MOST_CHANNELS;
  setsockopt $socket, getprotobyname('tcp') // 6, 1, 1;
  $next = FIRST_CHANNEL if $next > 60_000;
  $next++ while $channels{$next};
  record('n', $next, pack 'n', $port);
  channel($next, $socket, $socket);
  @{ $channels{$next} }{qw(port asked stands)} = ($port, now(), 0);
  $next++;
}

sub job_is_over { return -e "$folder/exit" || !-d $folder }

# Carries all that the user opens to one service, until nothing of it is open.
sub serve {
  listen_for_children();
  $SIG{TERM} = sub { $gone = OVER; hang_up(); POSIX::_exit(0) };
  open my $file, '<', '/dev/urandom' or POSIX::_exit(1);
  sysread $file, my $bytes, 16;
  $path = "/v1/forwards/$attempt/$name/" . unpack 'H*', $bytes;
  my ($used, $left) = (now(), 0);
  while (1) {
    my $time = now();
    $present = $time if $greeted;
    if (getppid != $parent || job_is_over()) {
      $gone = OVER;
      last;
    }
    if ($time > $present + AWAY) {
      $gone = 'home was out of reach for ' . AWAY . ' s';
      last;
    }
    for my $channel (keys %channels) {
      my $of = $channels{$channel};
      next if $of->{stands} || $time < $of->{asked} + ANSWER;
      record('r', $channel, 'nobody waits for it any more');
      cut($channel, 'home has not answered in ' . ANSWER . ' s');
    }
    $used = $time if %channels;
    last if $refused && $time > $refused + REFUSED;
    if (!$left && !$refused && $time > $used + UNUSED) {
      record('h', 0, '');
      $left = $time;
    }
    last if $left && ($kept eq '' || !$line || $time > $left + PING);
    my @open = $left ? () : @{ $doors{$name} };
    my $reads;
    if ($refused) {
      $reads = '';
      vec($reads, fileno $_->{door}, 1) = 1 for @open;
      select $reads, undef, undef, 0.5;
    } else {
      $reads = carry_on($time, map { $_->{door} } @open);
    }
    for my $door ($reads eq '' ? () : @open) {
      next unless vec $reads, fileno $door->{door}, 1;
      opened($_, $door->{port}) for accepted($door->{door});
    }
  }
  say_so("$unsaid more connections to $name were refused") if $unsaid;
  hang_up();
}

sub accepted {
  my ($door) = @_;
  my @all;
  while (@all < 64) {
    accept my $socket, $door or last;
    push @all, $socket;
  }
  return @all;
}

my (%ports, %at);
push @{ $ports{ $_->{host} } }, @{ $_->{ports} } for @services;
for my $each (sort keys %ports) {
  my ($address, @doors) = doors_of(@{ $ports{$each} });
  $at{$each} = $address;
  for my $service (grep { $_->{host} eq $each } @services) {
    my %its = map { $_ => 1 } @{ $service->{ports} };
    $doors{ $service->{name} } = [grep { $its{ $_->{port} } } @doors];
  }
}
exit 0 if $attempt eq '';
open my $hosts, '>', "$folder/forwards.new" or die "its names cannot be written: $!\n";
print $hosts "$at{$_} $_\n" for sort keys %at;
close $hosts;
rename "$folder/forwards.new", "$folder/forwards" or die "its names cannot be written: $!\n";

# Whoever uses a service first has a process begun for it, which takes its doors until it is over.
my ($runner, %carriers) = (getppid);
$SIG{TERM} = sub { kill 'TERM', keys %carriers; exit 0 };
until (getppid != $runner || job_is_over()) {
  while ((my $over = waitpid -1, POSIX::WNOHANG) > 0) { delete $carriers{$over} }
  my %busy = map { $_ => 1 } values %carriers;
  my @free = grep { !$busy{ $_->{name} } } @services;
  my $reads = '';
  for my $service (@free) { vec($reads, fileno $_->{door}, 1) = 1 for @{ $doors{ $service->{name} } } }
  next if select($reads, undef, undef, 0.5) < 1;
  for my $service (@free) {
    next unless grep { vec $reads, fileno $_->{door}, 1 } @{ $doors{ $service->{name} } };
    my $process = fork;
    next unless defined $process;
    if ($process) {
      $carriers{$process} = $service->{name};
      next;
    }
    ($name, $host) = @$service{qw(name host)};
    for my $other (grep { $_->{name} ne $name } @services) { close $_->{door} for @{ $doors{ $other->{name} } } }
    %carriers = ();
    $present = now();
    serve();
    POSIX::_exit(0);
  }
}
kill 'TERM', keys %carriers;
