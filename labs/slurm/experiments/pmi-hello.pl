#!/usr/bin/perl
# pmi-hello.pl: what an MPI program needs of its launcher, without MPI: ranks publish an address through PMI, meet at the
# barrier, then each calls its neighbour over TCP and is called. Prints one line; run it with srun --mpi=pmi2.
use strict;
use warnings;
use IO::Socket::INET;
$| = 1;
alarm 60;
my ($rank, $size) = @ENV{qw(PMI_RANK PMI_SIZE)};
open my $pmi, '+<&=', $ENV{PMI_FD} or die "no PMI: $!";
sub ask {
    my ($question, $key) = @_;
    syswrite $pmi, "$question\n" or die "PMI: $!";
    my $answer = '';
    while ($answer !~ /\n/) { sysread $pmi, $answer, 4096, length $answer or die "PMI ended"; }
    die "PMI said $answer" if $answer =~ /rc=(?!0)/;
    return $key && $answer =~ /\b$key=(\S+)/ ? $1 : '';
}
ask('cmd=init pmi_version=1 pmi_subversion=1');
my $space = ask('cmd=get_my_kvsname', 'kvsname');
my ($address) = split ' ', `hostname -I`;
my $server = IO::Socket::INET->new(Listen => 1, LocalAddr => $address) or die "listen: $!";
ask("cmd=put kvsname=$space key=rank$rank value=$address:" . $server->sockport);
ask('cmd=barrier_in');
my $neighbour = ask("cmd=get kvsname=$space key=rank" . ($rank + 1) % $size, 'value');
my $call = IO::Socket::INET->new(PeerAddr => $neighbour, Timeout => 5) or die "call $neighbour: $!";
print $call "$rank\n";
$call->flush;
my $from = $server->accept->getline;
chomp $from;
ask('cmd=barrier_in');
ask('cmd=finalize');
print "rank $rank of $size at $address heard $from\n";
