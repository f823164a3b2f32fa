package org.spillway.director.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mounts of a node by its own program without a node: real ones, in a room of mounts that is the test's alone. */
final class MountProgramTest {
    @TempDir
    Path folder;

    @BeforeEach
    void mountingIsForRoot() throws Exception {
        assumeTrue(MountRoom.isPossible(), "mounting is for root: not looked at");
    }

    private String run(String planted) throws Exception {
        return MountRoom.run(folder, planted);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                // The gate.
                ": >list; gate=>none",
                "echo \"9 tmpfs $D fresh size=1m\" >list; gate; there; look=>ok ~/data from fresh;there;well",
                "echo \"9 none $D $PWD/kept bind,ro\" >list; gate; cat data/file; touch data/new 2>/dev/null || echo read-only"
                        + "=>ok ~/data from ~/kept;file;read-only",
                "echo \"9 nosuchtype $D x -\" >list; gate; there"
                        + "=>failed ~/data: mount: ~/data: special device x does not exist.;refused ~/data is not mounted as it was",
                "ln -s else data; mkdir else; echo \"9 tmpfs $D fresh -\" >list; gate"
                        + "=>failed ~/data: a link leads from there to ~/else",
                "program bin/mount 'sleep 100'; echo \"1 tmpfs $D fresh -\" >list; gate=>failed ~/data: no answer in 1 s",
                "program bin/mount \"trap '' TERM; sleep 100 & echo \\$! >pid; wait\"; echo \"1 tmpfs $D fresh -\" >list; gate"
                        + "; [ -n \"$({ tr -d '\\0' <\"/proc/$(cat pid)/cmdline\"; } 2>/dev/null)\" ] || echo ended=>failed ~/data: no answer in 1 s;ended",
                "program bin/mount 'exit 0'; echo \"9 tmpfs $D fresh -\" >list; gate=>failed ~/data: nothing is mounted there",
                "mkdir data; mount -t tmpfs -o size=1m other data; echo \"9 tmpfs $D fresh -\" >list"
                        + "; gate | sed 's/: [0-9:]* /: 0:0 /'=>failed ~/data: another file system is mounted there: 0:0 / tmpfs other rw/rw",
                "call() { return 22; }; gate=>failed no answer",
                "id() { echo 1000; }; echo \"9 tmpfs $D fresh -\" >list; gate=>failed the agent is not root",
                // Two at once: the slower one is what both take; each is named.
                "program bin/mount 'case $2 in slow) sleep 100 ;; esac; echo \"no route to $6\" >&2; exit 32'"
                        + "; printf '1 slow %s a -\\n9 quick %s b -\\n' \"$D\" \"$E\" >list; gate"
                        + "=>failed ~/data: no answer in 1 s; ~/else: no route to b",
                // NFS: never a hard mount of a server that does not answer.
                "program bin/mount 'echo \"$4\" >>said; case $4 in *soft*) exit 32 ;; esac'"
                        + "; echo \"9 nfs $D srv:/x vers=4.2,hard\" >list; gate; cat said"
                        + "=>failed ~/data: mount ended with 32;nosuid,nodev,vers=4.2,hard,soft,timeo=50,retrans=1,retry=0",
                "real=$(command -v mount); program bin/mount \"echo \\$4 >>said; exec $real -t tmpfs nfs \\$7\""
                        + "; echo \"9 nfs $D srv:/x vers=4.2\" >list; sed -i 's/\\$7/\\$7/' bin/mount; gate; cat said"
                        + "; grep -c \" $D \" /proc/self/mountinfo"
                        + "=>ok ~/data from srv:/x;nosuid,nodev,vers=4.2,soft,timeo=50,retrans=1,retry=0;nosuid,nodev,vers=4.2;1",
                // A type that image or overlay has a program for.
                "program bb/spillway/mount.lustre 'echo \"$@\" >called; exec mount -t tmpfs \"$1\" \"$2\"'"
                        + "; echo \"9 lustre $D mgs@tcp:/fs flock\" >list; gate; cat called"
                        + "=>ok ~/data from mgs@tcp:/fs;mgs@tcp:/fs ~/data -o nosuid,nodev,flock",
                // Twice is as good as once, also for an agent that died on the way.
                "echo \"9 tmpfs $D fresh -\" >list; gate; echo mine >data/mine; gate; cat data/mine"
                        + "=>ok ~/data from fresh;ok ~/data from fresh;mine",
                "echo \"9 tmpfs $D fresh -\" >list; gate; mv s/mounts.d/*.held s/begun; f=$(echo \"$D\" | tr / ,); : >\"s/mounts.d/$f.begun\""
                        + "; gate; grep -c \" $D \" /proc/self/mountinfo=>ok ~/data from fresh;ok ~/data from fresh;1",
                // Another list, none, and the end.
                "echo \"9 tmpfs $D fresh -\" >list; gate; echo \"9 tmpfs $D fresh size=2m\" >list; gate; df -m data | awk 'END { print $2 }'"
                        + "=>ok ~/data from fresh;ok ~/data from fresh;2",
                "echo \"9 tmpfs $D fresh -\" >list; gate; : >list; gate; gate; mountpoint -q data || echo gone=>ok ~/data from fresh;ok ;none;gone",
                "echo \"9 tmpfs $D fresh -\" >list; gate; exec 5>data/open; leave_mounts /dev/null; echo still >&5; mountpoint -q data || echo gone"
                        + "=>ok ~/data from fresh;gone",
                // While it serves.
                "echo \"9 tmpfs $D fresh -\" >list; gate; umount data; look; there"
                        + "=>ok ~/data from fresh;sick mounts: ~/data: it is not mounted any more;refused ~/data is not mounted as it was",
                "echo \"9 tmpfs $D fresh -\" >list; gate; mount -t tmpfs other data; look | sed 's/0:[0-9]*/0:0/g'; there"
                        + "=>ok ~/data from fresh;sick mounts: ~/data: another file system than at the gate: 0:0 / tmpfs other rw/rw, not 0:0 / tmpfs fresh rw/rw"
                        + ";refused ~/data is not mounted as it was",
                "echo \"9 tmpfs $D fresh -\" >list; gate; mount -o remount,ro data; look | sed 's/0:[0-9]*/0:0/g'"
                        + "=>ok ~/data from fresh;sick mounts: ~/data: another file system than at the gate: 0:0 / tmpfs fresh ro/ro, not 0:0 / tmpfs fresh rw/rw",
                "echo \"1 tmpfs $D fresh -\" >list; gate; program bin/stat 'sleep 100'; look; there"
                        + "=>ok ~/data from fresh;sick mounts: ~/data: no answer in 1 s;there",
                "echo \"9 tmpfs $D fresh -\" >list; gate; program bin/stat 'echo \"stat: Stale file handle\" >&2; exit 1'; look"
                        + "=>ok ~/data from fresh;sick mounts: ~/data: stat: Stale file handle",
                "echo \"9 tmpfs $D fresh -\" >list; gate; program bin/stat 'echo 1021994 7'; look | sed 's/not .*/not/'"
                        + "=>ok ~/data from fresh;sick mounts: ~/data: another file system than at the gate: 1021994 7, not",
            })
    void itIsThereOrSaysWhyItIsNot(String planted, String found) throws Exception {
        assertThat(run(planted).replace("\n", ";")).isEqualTo(found);
    }

    /** A process in the kernel's hands takes no signal: here it gets none. */
    @Test
    void whoeverNeverEndsHoldsUpNobody() throws Exception {
        String said = run("""
                timeout() { shift 3; "$@"; }
                program bin/mount 'echo $$ >pid; exec sleep 1000'
                echo "1 tmpfs $D fresh -" >list
                gate
                kill -9 "$(cat pid)"
                """);
        assertThat(said).isEqualTo("failed ~/data: no answer in 1 s");
    }
}
