# The user's home as a read-only file system at FOLDER/all: the kernel's questions (FUSE, protocol 7.31 and earlier) are answered by what
# the director tells. Whoever ends this ends the file system, and the kernel tells all who read there. Names and attributes hold for ten
# seconds; a file's bytes are those of the state in which it was opened, or an error of that file alone.
use constant { LOOKUP => 1, FORGET => 2, GETATTR => 3, READ_LINK => 5, OPEN => 14, READ_FILE => 15, STATFS => 17, RELEASE => 18 };
use constant { FIRST => 26, OPEN_DIR => 27, READ_DIR => 28, RELEASE_DIR => 29, INTERRUPT => 36, FORGET_MANY => 42, READ_DIR_PLUS => 44 };
use constant { ENOENT => 2, EINTR_OF => 4, EIO => 5, EACCES => 13, ENODEV => 19, ENOSYS => 38, ESTALE => 116 };
# ASYNC_READ, AUTO_INVAL_DATA, DO_READDIRPLUS, PARALLEL_DIROPS, MAX_PAGES and CACHE_SYMLINKS of the first question.
use constant { WANTED => 1 | 1 << 12 | 1 << 13 | 1 << 18 | 1 << 22 | 1 << 23, MOST_PAGES => 128, AHEAD => 4_194_304 };
use constant { KEEP_CACHE => 2, NOTICE_OF_ATTRIBUTES => 2, FOLDER => 0040000, FILE_TYPE => 0170000 };
# Seconds; names that are asked for one by one before their folder is listed; entries of a folder that is kept for its names.
use constant { FRESH => 10, MISSING_FRESH => 5, ONE_BY_ONE => 2, MOST_LISTED => 5000, MOST_FOLDERS => 32 };
# Bytes of files that nobody has opened yet.
use constant MOST_BESIDE => 8_388_608;

my $fuse;
my $mounting = 0;
# What the kernel knows, by its numbers: path, times that it was told, attributes and until when they hold, state of the contents.
my %nodes = (1 => { path => '', n => 1 });
my %numbers = ('' => 1);
my ($last, $opened) = (1, 0);
my %open;
# Folders by path: all that is in them, and since when; how often a name of one was asked for; who waits for a listing.
my (%lists, %looks, %listing);
# Files that were told with one beside them, by path, in the order in which they came, and their bytes.
my (%beside, @beside);
my $held = 0;
# Questions of the kernel that wait, and those of them that it has taken back.
my (%waits, %taken_back);

sub reply {
  my ($unique, $body) = @_;
  delete $waits{$unique};
  delete $taken_back{$unique};
  syswrite $fuse, pack('L l Q', 16 + length $body, 0, $unique) . $body;
}

sub fail {
  my ($unique, $error) = @_;
  delete $waits{$unique};
  delete $taken_back{$unique};
  syswrite $fuse, pack 'L l Q', 16, -$error, $unique;
}

sub error_of { my ($code) = @_; return $code == NO_SUCH ? ENOENT : $code == DENIED ? EACCES : EIO }

# Of the kernel's question UNIQUE, which waits as long.
sub ask_for {
  my ($unique, $pid, $of) = @_;
  my $known = ask($of);
  $waits{$unique} = { pid => $pid, leave => sub { forget($known) } };
}

# Attributes as SFTP has them (length, owner, group, mode, time of change), packed, as they are many; and where in the bytes they end.
sub attributes {
  my ($bytes, $at) = @_;
  my ($flags, $size, $uid, $gid, $mode, undef, $modified) = unpack "x$at N Q> N N N N N", $bytes;
  given_up('the director told other attributes than it should') unless defined $modified && $flags == 15;
  return (pack('Q L4', $size, $uid, $gid, $mode, $modified), $at + 32);
}

sub kind_of { return unpack('x16 L', $_[0]) & FILE_TYPE }

sub attr {
  my ($id, $of) = @_;
  my ($size, $uid, $gid, $mode, $modified) = unpack 'Q L4', $of;
  return pack 'Q6 L10', $id, $size, int(($size + 511) / 512), $modified, $modified, $modified, 0, 0, 0, $mode, 1, $uid, $gid, 0, 4096, 0;
}

sub parts_of { my ($seconds) = @_; $seconds = 0 if $seconds < 0; return (int $seconds, int(($seconds - int $seconds) * 1e9)) }

# For the kernel, which counts how often it was told.
sub entry {
  my ($path, $of, $until) = @_;
  my $id = $numbers{$path};
  # What is another kind of thing by now is another node.
  undef $id if $id && $nodes{$id}{attr} && kind_of($nodes{$id}{attr}) != kind_of($of);
  $numbers{$path} = $id = ++$last unless $id;
  my $node = $nodes{$id} //= { path => $path, n => 0 };
  $node->{n}++;
  @$node{qw(attr until)} = ($of, $until);
  my ($seconds, $nanos) = parts_of($until - now());
  return pack('Q4 L2', $id, 0, $seconds, $seconds, $nanos, $nanos) . attr($id, $of);
}

sub absent {
  my ($unique, $until) = @_;
  my ($seconds, $nanos) = parts_of($until - now());
  reply($unique, pack('Q4 L2', 0, 0, $seconds, 0, $nanos, 0) . "\0" x 88);
}

sub forgotten {
  my ($id, $times) = @_;
  my $node = $nodes{$id} or return;
  $node->{n} -= $times;
  return if $id == 1 || $node->{n} > 0;
  delete $nodes{$id};
  delete $numbers{ $node->{path} } if ($numbers{ $node->{path} } // 0) == $id;
}

# A folder on the way to what is within reach is told by its name alone.
sub is_told {
  my (undef, $uid, undef, $mode, $modified) = unpack 'Q L4', $_[0];
  return $mode != (FOLDER | 0555) || $uid || $modified;
}

sub fresh_list {
  my ($path) = @_;
  my $list = $lists{$path};
  return $list && $list->{since} > now() - FRESH ? $list : undef;
}

# All of a folder; THEN is told an error or 0, and the listing. UNIQUE: whose question waits for it.
sub list {
  my ($unique, $pid, $path, $then) = @_;
  my $waiting = $listing{$path};
  $waits{$unique} = { pid => $pid, leave => sub { delete $listing{$path}{$unique} if $listing{$path} } };
  return $waiting->{$unique} = $then if $waiting;
  $listing{$path} = { $unique => $then };
  my $since = now();
  ask({ type => OPENDIR, rest => pack('N/a', $path eq '' ? '/' : $path), then => sub {
    my ($code, undef, undef, $of) = @_;
    my $list = $code < 0 ? listed($since, $of->{parts}) : undef;
    if ($list && @{ $list->{order} } <= MOST_LISTED) { $lists{$path} = $list } else { $looks{$path} = [now(), -1] }
    my $all = delete $listing{$path};
    $_->($code < 0 ? 0 : error_of($code), $list) for values %$all;
  } });
}

sub listed {
  my ($since, $parts) = @_;
  my (%names, @order);
  for my $part (@$parts) {
    my ($count, $at) = (unpack('N', $part), 4);
    while ($count-- > 0) {
      my ($name) = unpack "x$at N/a", $part;
      my ($long) = unpack 'x' . ($at + 4 + length $name) . ' N', $part;
      my ($of, $end) = attributes($part, $at + 8 + length($name) + $long);
      $names{$name} = $of;
      push @order, $name;
      $at = $end;
    }
  }
  return { since => $since, names => \%names, order => \@order };
}

# Whether a name of that folder is the third in a short time: a compiler looks for each header in each folder.
sub is_searched {
  my ($path) = @_;
  my $time = now();
  my $seen = $looks{$path};
  return 0 if $seen && $seen->[1] < 0;
  $seen = $looks{$path} = [$time, 0] if !$seen || $seen->[0] < $time - FRESH;
  return ++$seen->[1] > ONE_BY_ONE;
}

sub look_up {
  my ($unique, $id, $body, $pid) = @_;
  my $node = $nodes{$id} or return fail($unique, ESTALE);
  my ($above, $name) = ($node->{path}, unpack 'Z*', $body);
  my $told = fresh_list($above);
  return told_by($unique, $pid, $above, $name, $told) if $told;
  return alone($unique, $pid, "$above/$name") unless $listing{$above} || is_searched($above);
  list($unique, $pid, $above, sub {
    my ($error, $list) = @_;
    return fail($unique, $error) if $error == ENOENT;
    return $list ? told_by($unique, $pid, $above, $name, $list) : alone($unique, $pid, "$above/$name");
  });
}

sub told_by {
  my ($unique, $pid, $above, $name, $list) = @_;
  my $of = $list->{names}{$name};
  my $until = $list->{since} + FRESH;
  return absent($unique, $until) unless defined $of;
  return alone($unique, $pid, "$above/$name") unless is_told($of);
  reply($unique, entry("$above/$name", $of, $until));
}

# Whoever writes below home has its kernel look for the name first: that waits as long as there is a job. So do bytes, as below.
sub alone {
  my ($unique, $pid, $path) = @_;
  ask_for($unique, $pid, { type => LSTAT, rest => pack('N/a', $path), patient => 1, then => sub {
    my ($code, $type, $rest) = @_;
    return reply($unique, entry($path, (attributes($rest, 0))[0], now() + FRESH)) if $type == ATTRS;
    return $code == NO_SUCH ? absent($unique, now() + MISSING_FRESH) : fail($unique, error_of($code));
  } });
}

sub get_attributes {
  my ($unique, $id, undef, $pid) = @_;
  my $node = $nodes{$id} or return fail($unique, ESTALE);
  return tell_attributes($unique, $id, $node) if $node->{attr} && $node->{until} > now();
  ask_for($unique, $pid, { type => LSTAT, rest => pack('N/a', $id == 1 ? '/' : $node->{path}), patient => 1, then => sub {
    my ($code, $type, $rest) = @_;
    return fail($unique, error_of($code)) unless $type == ATTRS;
    my ($of) = attributes($rest, 0);
    return fail($unique, ESTALE) if $node->{attr} && kind_of($node->{attr}) != kind_of($of);
    @$node{qw(attr until)} = ($of, now() + FRESH);
    tell_attributes($unique, $id, $node);
  } });
}

sub tell_attributes {
  my ($unique, $id, $node) = @_;
  reply($unique, pack('Q L L', parts_of($node->{until} - now()), 0) . attr($id, $node->{attr}));
}

sub read_link {
  my ($unique, $id, undef, $pid) = @_;
  my $node = $nodes{$id} or return fail($unique, ESTALE);
  ask_for($unique, $pid, { type => READLINK, rest => pack('N/a', $node->{path}), patient => 1, then => sub {
    my ($code, $type, $rest) = @_;
    return $type == NAME ? reply($unique, unpack 'x4 N/a', $rest) : fail($unique, error_of($code));
  } });
}

# One question for the state of a file, and its bytes where they are few; none for one that was told with another a moment ago.
sub open_file {
  my ($unique, $id, undef, $pid) = @_;
  my $node = $nodes{$id} or return fail($unique, ESTALE);
  my $told = held($node->{path});
  return opened($unique, $id, $node, @$told{qw(attr state)}, '', $told->{bytes}) if $told && ($node->{attr} // '') eq $told->{attr};
  ask_for($unique, $pid, { type => EXTENDED, rest => pack('N/a N/a', 'open@spillway', $node->{path}), then => sub {
    my ($code, $type, $rest) = @_;
    return fail($unique, error_of($code)) unless $type == EXTENDED_REPLY;
    my ($of, $at) = attributes($rest, 0);
    my ($state, $handle, $bytes) = unpack "x$at N/a N/a N/a", $rest;
    $at += 12 + length($state) + length($handle) + length $bytes;
    hold_beside($node->{path} =~ s{[^/]*$}{}sr, $rest, $at) if length $rest > $at + 8;
    opened($unique, $id, $node, $of, $state, $handle, $bytes);
  } });
}

sub opened {
  my ($unique, $id, $node, $of, $state, $handle, $bytes) = @_;
  my $file = $open{ ++$opened } = { node => $node, attr => $of, state => $state, size => unpack('Q', $of), handle => $handle };
  $file->{bytes} = $bytes if $handle eq '';
  # The kernel asks for the length anew before it reads; it must not be told to look at pages here, as it would wait for us.
  if (($node->{attr} // '') ne $of) {
    syswrite $fuse, pack 'L l Q Q q q', 40, NOTICE_OF_ATTRIBUTES, 0, $id, -1, 0;
    my ($above, $name) = $node->{path} =~ m{^(.*)/([^/]*)$}s;
    $lists{$above}{names}{$name} = $of if $lists{$above};
  }
  my $same = ($node->{state} // '') eq $state;
  @$node{qw(attr until state)} = ($of, now() + FRESH, $state);
  reply($unique, pack 'Q L L', $opened, $same ? KEEP_CACHE : 0, 0);
}

# Files of the folder ABOVE that came with an answer; they hold as long as the listing of the director's that they are from.
sub hold_beside {
  my ($above, $told, $at) = @_;
  my ($left, $count) = unpack "x$at N N", $told;
  $at += 8;
  my $until = now() + $left / 1000;
  while ($count-- > 0) {
    my ($name) = unpack "x$at N/a", $told;
    my ($of, $end) = attributes($told, $at + 4 + length $name);
    my ($state, $bytes) = unpack "x$end N/a N/a", $told;
    $at = $end + 8 + length($state) + length $bytes;
    held("$above$name");
    push @beside, $beside{"$above$name"} = { path => "$above$name", attr => $of, state => $state, bytes => $bytes, until => $until };
    $held += length $bytes;
  }
  let_old_go(now());
}

# A file that was told; whoever has it has its bytes.
sub held {
  my ($path) = @_;
  my $told = delete $beside{$path} or return;
  my %copy = %$told;
  $held -= length $copy{bytes};
  @$told{qw(bytes gone)} = ('', 1);
  return $copy{until} > now() ? \%copy : undef;
}

sub let_old_go {
  my ($time) = @_;
  while (@beside && ($held > MOST_BESIDE || $beside[0]{until} <= $time || $beside[0]{gone})) {
    my $told = shift @beside;
    held($told->{path}) if ($beside{ $told->{path} } // 0) == $told;
  }
}

sub read_file {
  my ($unique, undef, $body, $pid) = @_;
  my ($handle, $at, $size) = unpack 'Q Q L', $body;
  my $file = $open{$handle};
  return fail($unique, EIO) unless $file && is_current($file);
  my $end = $at + $size < $file->{size} ? $at + $size : $file->{size};
  return reply($unique, '') if $at >= $end;
  return reply($unique, substr $file->{bytes}, $at, $end - $at) if defined $file->{bytes};
  read_on($unique, $pid, $file, $at, $end, '');
}

# The kernel's pages are those of whoever has the file open. When another one has opened it in another state, or the kernel was told other
# attributes, bytes of the former state would be taken for those of this one.
sub is_current {
  my ($file) = @_;
  return !$file->{bad} && $file->{node}{state} eq $file->{state} && $file->{node}{attr} eq $file->{attr};
}

# To the last byte: what is less than was asked for the kernel takes for zeros.
sub read_on {
  my ($unique, $pid, $file, $at, $end, $before) = @_;
  ask_for($unique, $pid, { type => READ, rest => pack('N/a Q> N', $file->{handle}, $at, $end - $at), patient => 1, then => sub {
    my (undef, $type, $rest) = @_;
    my $count = $type == DATA ? length($rest) - 4 : 0;
    # The file is another one by now, or for nobody any more.
    if ($count < 1 || $count > $end - $at || !is_current($file)) {
      $file->{bad} = 1;
      return fail($unique, EIO);
    }
    return read_on($unique, $pid, $file, $at + $count, $end, $before . substr $rest, 4) if $at + $count < $end;
    reply($unique, $before . substr $rest, 4);
  } });
}

sub release_file {
  my ($unique, undef, $body) = @_;
  my $file = delete $open{ unpack 'Q', $body };
  close_there($file->{handle}) if $file && $file->{handle} ne '';
  reply($unique, '');
}

sub open_folder {
  my ($unique, $id, undef, $pid) = @_;
  my $node = $nodes{$id} or return fail($unique, ESTALE);
  my $then = sub {
    my ($error, $list) = @_;
    return fail($unique, $error) unless $list;
    $open{ ++$opened } = { list => $list, above => $node->{path}, handle => '' };
    reply($unique, pack 'Q L L', $opened, 0, 0);
  };
  my $told = fresh_list($node->{path});
  return $told ? $then->(0, $told) : list($unique, $pid, $node->{path}, $then);
}

sub read_folder {
  my ($unique, $id, $body, $pid, $op) = @_;
  my ($handle, $at, $size) = unpack 'Q Q L', $body;
  my $folder = $open{$handle} or return fail($unique, EIO);
  my ($list, $told) = ($folder->{list}, '');
  my @order = ('.', '..', @{ $list->{order} });
  for my $place ($at .. $#order) {
    my $name = $order[$place];
    my $of = $place > 1 ? $list->{names}{$name} : pack 'Q L4', 0, 0, 0, FOLDER, 0;
    my $plus = $op == READ_DIR_PLUS ? 128 : 0;
    my $record = $plus + 24 + 8 * int((length($name) + 7) / 8);
    last if length($told) + $record > $size;
    my $known = $place > 1 && is_told($of);
    $told .= !$known ? "\0" x 128 : entry("$folder->{above}/$name", $of, $list->{since} + FRESH) if $plus;
    my $number = $known ? $numbers{"$folder->{above}/$name"} // 0xffffffff : $place ? 0xffffffff : $id;
    $told .= pack 'Q Q L L a' . ($record - $plus - 24), $number, $place + 1, length $name, kind_of($of) >> 12, $name;
  }
  reply($unique, $told);
}

sub agree {
  my ($unique, undef, $body) = @_;
  my (undef, $minor, $ahead, $flags) = unpack 'L4', $body;
  my $ours = $minor < 31 ? $minor : 31;
  my $told = pack 'L4 S S L L S S L8', 7, $ours, $ahead < AHEAD ? $ahead : AHEAD, $flags & WANTED, 64, 48, 4096, 1, MOST_PAGES, 0, (0) x 8;
  reply($unique, $minor < 23 ? substr $told, 0, 24 : $told);
}

sub is_killed {
  my ($pid) = @_;
  open my $file, '<', "/proc/$pid/status" or return 1;
  while (<$file>) {
    return 1 if /^(?:Sig|Shd)Pnd:\s*([0-9a-f]+)/ && hex(substr $1, -8) & 1 << 8;
  }
  return 0;
}

# Whoever is killed need not wait for home; of other signals programs expect no error of a file.
sub let_go {
  for my $unique (keys %taken_back) {
    my $of = $waits{$unique};
    delete $taken_back{$unique}, next unless $of;
    next unless $of->{pid} && is_killed($of->{pid});
    $of->{leave}->();
    fail($unique, EINTR_OF);
  }
}

my %does = (
  LOOKUP, \&look_up, GETATTR, \&get_attributes, READ_LINK, \&read_link, OPEN, \&open_file, READ_FILE, \&read_file,
  RELEASE, \&release_file, FIRST, \&agree, OPEN_DIR, \&open_folder, READ_DIR, \&read_folder, READ_DIR_PLUS, \&read_folder,
  RELEASE_DIR, \&release_file,
  STATFS, sub { reply($_[0], pack 'Q5 L10', 1 << 30, 1 << 29, 1 << 29, 1 << 30, 1 << 29, 4096, 255, 4096, (0) x 7) },
);

sub from_kernel {
  my ($question) = @_;
  my (undef, $op, $unique, $id, undef, undef, $pid) = unpack 'L L Q Q L L L', $question;
  my $body = substr $question, 40;
  return forgotten($id, unpack 'Q', $body) if $op == FORGET;
  if ($op == FORGET_MANY) {
    my ($count, @pairs) = unpack 'L x4 Q*', $body;
    forgotten(splice @pairs, 0, 2) while $count-- > 0 && @pairs > 1;
    return;
  }
  if ($op == INTERRUPT) {
    $taken_back{ unpack 'Q', $body } = 1;
    return let_go();
  }
  my $does = $does{$op} or return fail($unique, ENOSYS);
  $does->($unique, $id, $body, $pid, $op);
}

# The kernel's questions that are there. Without an answer of the director nothing is mounted, so there are none.
sub take_questions {
  for (1 .. 64) {
    last if keys %asked >= MOST_ASKED;
    my $count = sysread $fuse, my $question, 131_072;
    if (defined $count) {
      exit 0 unless $count;
      from_kernel($question);
    } else {
      exit 0 if $! == ENODEV;
      last if $! == EAGAIN;
    }
  }
}

# By the program of this name, in whose hands the kernel's file is for as long; the kernel's first question comes meanwhile.
sub mount_home {
  $mounting = fork // given_up("no process: $!");
  return if $mounting;
  fcntl $fuse, F_SETFD, 0;
  POSIX::dup2(2, 1);
  my $options = 'ro,nosuid,nodev,allow_other,default_permissions,rootmode=40000,user_id=0,group_id=0,fd=' . fileno $fuse;
  exec 'mount', '-i', '-n', '-t', 'fuse.spillway', '-o', $options, 'home', "$folder/all" or POSIX::_exit(127);
}

sub look_at_clock {
  my ($time) = @_;
  look_at_line($time);
  let_go();
  let_old_go($time);
  if ($mounting && waitpid($mounting, POSIX::WNOHANG) > 0) {
    given_up('home could not be mounted') if $?;
    $mounting = 0;
  }
  for my $path (keys %lists) { delete $lists{$path} if $lists{$path}{since} < $time - FRESH }
  my @oldest = sort { $lists{$a}{since} <=> $lists{$b}{since} } keys %lists;
  delete $lists{ shift @oldest } while @oldest > MOST_FOLDERS;
  for my $path (keys %looks) {
    my ($since, $times) = @{ $looks{$path} };
    delete $looks{$path} if $since < $time - ($times < 0 ? 60 * FRESH : FRESH);
  }
}

$SIG{PIPE} = 'IGNORE';
END { kill 'KILL', $client if $client }
sysopen $fuse, '/dev/fuse', O_RDWR | O_NONBLOCK or given_up("/dev/fuse: $!");
my $looked = 0;
while (1) {
  my $time = now();
  if ($time >= $looked + 0.5 || $line == 0) {
    look_at_clock($time);
    $looked = $time;
  }
  send_waiting();
  my ($readable, $writable) = ('', '');
  vec($readable, fileno $fuse, 1) = 1 if $served && keys %asked < MOST_ASKED;
  if ($line) {
    vec($readable, fileno $from, 1) = 1;
    vec($writable, fileno $to, 1) = 1 if $write ne '';
  }
  # Without a line and a question there is nothing to wait for but the kernel.
  my $idle = ($line == 2 || $served) && !%asked && !@gone && !$mounting && !%lists && !%looks && !@beside;
  my $found = select $readable, $writable, undef, $idle ? undef : $line == 0 ? 0.1 : 0.5;
  next if $found <= 0;
  take_questions() if vec $readable, fileno $fuse, 1;
  send_waiting();
  if ($line && vec $readable, fileno $from, 1) {
    if (take($from, \$read)) {
      ($heard, $pinged) = (now(), 0);
      mount_home() if $line == 1 && answered();
      from_director() if $line == 2;
      send_waiting();
    } else {
      drop_line();
    }
  }
  # At once, without another look whether there is room: most of the time there is.
  if ($line && $write ne '') { pour($to, \$write) or drop_line() }
}
