# Compares the tree in which it begins with a manifest (ADR 55), and says what differs. Needs nothing but perl-base and coreutils.
# MANIFEST HOW SEED FROM BYTES PAUSE PROGRESS AGAIN. HOW: "whole" all of it; "quick" all names, of contents BYTES; "part" names and
# contents from the one that is FROM-th by the order of SEED, until BYTES have been read, and those of the file AGAIN. What differs
# is looked at again PAUSE seconds later.
# Out come "is LINE" (as it would be in a manifest), "gone PATH", "broken PATH", "mounted PATH", "more COUNT" and, last, "seen NAMES BYTES NEXT".
use strict;
use warnings;
use POSIX ();

use constant { FOLDER => 0040000, FILE => 0100000, LINK => 0120000, CHARACTER => 0020000, BLOCK => 0060000, TYPE => 0170000 };
# Names in one call of sha256sum, differences that are told, names of one look that begins behind another's end.
use constant { BATCH => 200, MOST => 1000, MOST_NAMES => 20_000 };
my %letters = (FOLDER, 'd', FILE, 'f', LINK, 'l', CHARACTER, 'c', BLOCK, 'b', 0010000, 'p', 0140000, 's');

my ($manifest, $how, $seed, $from, $most, $pause, $progress, $again) = @ARGV;
my ($done, $read, $all) = (0, 0, 0);
my (@wanted, %at, %first, %inode, %covered);

sub unescaped { my ($text) = @_; $text =~ s/\\x([0-9a-f]{2})/chr hex $1/ge; return $text }
sub escaped { my ($raw) = @_; $raw =~ s/([^\x21-\x5b\x5d-\x7e])/sprintf '\\x%02x', ord $1/ge; return $raw }
sub shown { return $_[0] eq '' ? '.' : escaped($_[0]) }

# By the kernel's numbers of calls, of which perl-base knows none: llistxattr, lgetxattr, fadvise64.
my %calls = ('x86_64' => [195, 192, 221], 'aarch64' => [12, 9, 223]);
my $calls = $calls{(POSIX::uname())[4]};
my $room = "\0" x 65_536;

sub attributes {
  my ($file) = @_;
  return '' unless $calls;
  my $length = syscall $calls->[0], $file, $room, length $room;
  return '' if $length <= 0;
  my $text = '';
  for my $name (sort split /\0/, substr $room, 0, $length) {
    next unless $name =~ /^(?:security\.capability|system\.posix_acl_(?:access|default)|user\..*|trusted\.(?!overlay\.).*)$/s;
    my $size = syscall $calls->[1], $file, $name, $room, length $room;
    $text .= ' x ' . escaped($name) . ' =' . unpack('H*', substr $room, 0, $size) if $size >= 0;
  }
  return $text;
}

# A file's line with a tab in place of its content; undef where nothing is there.
sub line {
  my ($path) = @_;
  my $file = $path eq '' ? '.' : "./$path";
  return '-' if $covered{$path};
  my (undef, $inode, $mode, undef, $uid, $gid, $number, $size) = lstat $file or return undef;
  $inode{$path} = $inode;
  my $type = $mode & TYPE;
  my $text = sprintf '%s %o %d %d %s', $letters{$type} // '?', $mode & 07777, $uid, $gid, shown($path);
  $text .= " $size \t" if $type == FILE;
  $text .= ' ' . escaped(readlink $file) if $type == LINK;
  $text .= sprintf ' %d:%d', $number >> 8 & 0xfff | $number >> 32 & ~0xfff, $number & 0xff | $number >> 12 & ~0xff
    if $type == CHARACTER || $type == BLOCK;
  return $text . attributes($file);
}

# Digests by path; a file that cannot be read has none.
sub digests {
  my %digests;
  while (my @some = splice @_, 0, BATCH) {
    my $child = open(my $from, '-|') // die "no process: $!\n";
    if (!$child) {
      open STDERR, '>', '/dev/null';
      exec 'sha256sum', '-z', '--', map { "./$_" } @some or POSIX::_exit(127);
    }
    local $/ = "\0";
    while (my $said = <$from>) {
      chomp $said;
      $digests{$2} = $1 if $said =~ m{^([0-9a-f]{64}) [ *]\./(.*)$}s;
    }
    close $from;
    die "no sha256sum\n" if $? >> 8 == 127;
  }
  return %digests;
}

# What the kernel keeps of a file is forgotten (POSIX_FADV_DONTNEED), so that its disk is asked: rot is found before a job reads it.
sub forget {
  my ($path) = @_;
  open my $file, '<', "./$path" or return;
  syscall $calls->[2], fileno $file, 0, 0, 4 if $calls;
}

sub tell_progress {
  open my $to, '>', "$progress.new" or return;
  print $to "$done $all $read\n";
  close $to and rename "$progress.new", $progress;
}

# The paths of a list of [PATH, whether its content is read], compared: path and what is said of it.
sub differing {
  my %said;
  my $last = time;
  while (my @some = splice @_, 0, BATCH) {
    my (%lines, @files);
    for my $one (@some) {
      my ($path, $deep) = @$one;
      my $line = $lines{$path} = line($path);
      my $wanted = $at{$path};
      if (defined $line && $line =~ /^f/) {
        my ($size) = $line =~ /^f \d+ \d+ \d+ \S+ (\d+) /;
        # Of a file that looks as it is to be and is not to be read, the content is taken as it is to be.
        if (!$deep && defined $wanted && $wanted =~ /^(f \d+ \d+ \d+ \S+ \d+ )([0-9a-f]{64})(.*)$/ && $line eq "$1\t$3") {
          $lines{$path} = $wanted;
        } else {
          push @files, $path;
          $read += $size;
        }
      }
    }
    forget($_) for @files;
    my %digests = digests(@files);
    for my $one (@some) {
      my ($path) = @$one;
      $done++;
      my ($line, $wanted) = ($lines{$path}, $at{$path});
      if (!defined $line) {
        $said{$path} = 'gone ' . shown($path) if defined $wanted;
      } elsif ($line eq '-') {
        $said{$path} = 'mounted ' . shown($path);
      } else {
        my $digest = $digests{$path} // '';
        if ($line =~ /\t/ && $digest eq '') {
          $said{$path} = 'broken ' . shown($path);
          next;
        }
        $line =~ s/\t/$digest/;
        my $name = $first{$path};
        my $other = defined $name && !$covered{$name} && ($inode{$path} // -1) != ((lstat "./$name")[1] // -2);
        $said{$path} = "is $line" if !defined $wanted || $line ne $wanted || $other;
      }
    }
    if (time != $last) { $last = time; tell_progress() }
  }
  return %said;
}

# Places below at which something is mounted: jobs do not see that, and nothing behind it is looked at.
my $here = readlink '/proc/self/cwd';
open my $mounts, '<', '/proc/self/mountinfo' or die "no mounts: $!\n";
while (my $mount = <$mounts>) {
  my $place = (split / /, $mount)[4];
  $place =~ s/\\([0-7]{3})/chr oct $1/ge;
  $covered{substr $place, 1 + length $here} = 1 if index($place, "$here/") == 0;
}
close $mounts;

open my $lines, '<', $manifest or die "no manifest: $!\n";
(<$lines> // '') eq "spillway-tree-1\n" or die "no manifest\n";
while (my $text = <$lines>) {
  chomp $text;
  my @words = split / /, $text;
  my $further = $words[0] eq 'h';
  my $path = $further ? $words[1] : $words[4];
  $path = $path eq '.' ? '' : unescaped($path);
  if ($further) {
    $first{$path} = unescaped($words[2]);
    ($text = $at{$first{$path}}) =~ s/^(\S+ \d+ \d+ \d+) \S+/"$1 " . shown($path)/e;
  }
  $at{$path} = $text;
  push @wanted, $path;
}
close $lines;

my @chosen;
my $next = 0;
if ($how eq 'whole') {
  @chosen = map { [$_, 1] } @wanted;
} else {
  my @order = (0 .. $#wanted);
  srand $seed;
  for (my $i = $#order; $i > 0; $i--) {
    my $j = int rand $i + 1;
    @order[$i, $j] = @order[$j, $i];
  }
  my ($bytes, $names) = (0, 0);
  my %deep;
  my $last = $how eq 'quick' ? 0 : $from;
  while ($last <= $#order && ($bytes < $most || !$names) && $names < ($how eq 'quick' ? @order : MOST_NAMES)) {
    my $path = $wanted[$order[$last++]];
    $names++;
    $bytes += $1 if $at{$path} =~ /^f \d+ \d+ \d+ \S+ (\d+)/ && !defined $first{$path};
    $deep{$path} = 1;
  }
  if ($how eq 'quick') {
    @chosen = map { [$_, $deep{$_}] } @wanted;
  } else {
    $next = $last > $#order ? 0 : $last;
    if (open my $before, '<', $again) {
      while (my $path = <$before>) {
        chomp $path;
        $deep{$path eq '.' ? '' : unescaped($path)} = 1;
      }
    }
    @chosen = map { [$_, 1] } sort keys %deep;
  }
}

# Names that no manifest has, in the folders that are looked at; what is in them is not named.
my %folders = map { ($_->[0], 1) } grep { ($at{$_->[0]} // '') =~ /^d/ } @chosen;
my @extra;
for my $folder (sort keys %folders) {
  my $place = $folder eq '' ? '.' : "./$folder";
  next if $covered{$folder};
  opendir my $names, $place or next;
  for my $name (sort readdir $names) {
    next if $name eq '.' || $name eq '..';
    my $path = $folder eq '' ? $name : "$folder/$name";
    push @extra, [$path, 1] unless defined $at{$path} || @extra > MOST;
  }
}
$all = @chosen + @extra;
tell_progress();
my %once = differing(@chosen, @extra);
my @twice = sort keys %once;
my $left = @twice > MOST ? @twice - MOST : 0;
splice @twice, MOST if $left;
if (@twice) {
  select undef, undef, undef, $pause;
  my ($before, $had) = ($done, $read);
  my %again = differing(map { [$_, 1] } @twice);
  ($done, $read) = ($before, $had);
  print map { "$again{$_}\n" } sort keys %again;
  print "more $left\n" if $left;
}
print "seen $done $read $next\n";
