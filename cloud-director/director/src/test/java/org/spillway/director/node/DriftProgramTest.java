package org.spillway.director.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Looks of a node's own program at the root of its jobs, without a node: real file systems, in a room of mounts that is the test's alone. */
final class DriftProgramTest {
    private static final String MACHINE = """
            . "$0/root.sh"; . "$0/drift.sh"; drift_program=$(cat "$0/drift.pl")
            umask 022
            mkdir -p tree/etc tree/opt s/drift
            echo hi >tree/etc/motd; ln tree/etc/motd tree/etc/motd2; ln -s data tree/opt/link
            { head -c 70000 /dev/urandom; printf MARKED; head -c 90000 /dev/urandom; } >tree/opt/data
            sum() { sha256sum <"$1" | cut -c 1-64; }
            {
              printf 'spillway-tree-1\\nd 755 0 0 .\\nd 755 0 0 etc\\nf 644 0 0 etc/motd 3 %s\\nh etc/motd2 etc/motd\\n' "$(sum tree/etc/motd)"
              printf 'd 755 0 0 opt\\nf 644 0 0 opt/data 160006 %s\\nl 777 0 0 opt/link data\\n' "$(sum tree/opt/data)"
            } >list.good
            mkfs.erofs --quiet -zlz4hc -T0 good tree >/dev/null
            sha=$(sum good) version=$(sum list.good) own=$S/roots/$(sum good)
            V=$version
            mkdir -p "$own/at"; cp good "$own/file"
            bytes=$(stat -c %s good)
            printf 'sha256 %s\\nbytes %s\\nroot %s - %s\\n' "$sha" "$bytes" "$version" "$bytes" >s/manifest
            echo "$sha $version compute" >s/root; echo yes >s/ready; : >s/gate
            verity=- data=$bytes
            root_mount
            D=$S/drift ROOM=x policy=report offered=list.good
            call() {
              out='' last=''
              for each in "$@"; do
                [ "$last" != -o ] || out=$each
                case $each in x/*) url=$each ;; esac
                last=$each
              done
              case $url in
                x/drift) printf 'policy %s\\nperiod 5\\n' "$policy" >"$out" ;;
                x/drift\\?look=*) case $* in *--data-binary*) cat >>answers ;; *) echo 'look whole' >"$out" ;; esac ;;
                */suspect) echo suspected ;;
                x/image/$V) cp "$offered" "$out" 2>/dev/null ;;
                x/image/*) [ -e kept/good ] || cp good "$out" ;;
              esac
            }
            renew() { :; }
            disk_left() { LEFT=100000000; }
            look() { drift_root && drift_terms && drift_part 2>log; sed "s/$V/V/" s/gate | sed -E 's/^[0-9]*:gate drift //;s/[0-9]{10}/T/g;s/ $//'; }
            rot() { printf X | dd of="$own/file" bs=1 seek="$(grep -obUa MARKED "$own/file" | cut -d : -f 1)" conv=notrunc 2>/dev/null; }
            there() {
              if root_find 2>log && cmp -s "$ROOTED/opt/data" tree/opt/data; then echo there; else echo "refused $DETAIL"; fi
            }
            """;

    @TempDir
    Path folder;

    @BeforeEach
    void mountingIsForRoot() throws Exception {
        assumeTrue(
                MountRoom.isPossible() && Files.isExecutable(Path.of("/usr/bin/mkfs.erofs")),
                "mounting is for root, and erofs-utils make the file system: not looked at");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "look; there=>ok same T;there",
                "rot; look; look=>failed differs 1 /opt/data;failed differs 1 /opt/data",
                // A difference is told from then on, whatever part is next, until it is gone.
                "DRIFT_BYTES=1; rot; until look | grep -q differs; do :; done; look; cp good \"$own/file\"; look | sed 's/ .*//'"
                        + "=>failed differs 1 /opt/data;ok",
                // A pass sees all, in no more looks than there are names.
                "DRIFT_BYTES=1; n=0; until look | grep -q 'same T'; do n=$((n + 1)); done; [ \"$n\" -lt 7 ] && [ \"$n\" -gt 0 ] && echo all=>all",
                "policy=repair; rot; look; there=>ok same - repaired T 1 /opt/data;there",
                "policy=repair; rot; : >kept/good; look; there; rm kept/good; there; look"
                        + "=>failed unrepaired 1 /opt/data: not fetched;refused not fetched;there;ok same T",
                // An agent that was killed in its repair.
                "rot; : >\"$own/drifted\"; there; [ ! -e \"$own/drifted\" ] && echo done=>there;done",
                "umount \"$own/at\"; : >\"$own/drifted\"; there=>there",
                "umount \"$own/at\"; rm \"$own/file\"; : >\"$own/drifted\"; policy=repair; look; there=>ok same T;there",
                // Another file system over the root, one below it, or none at all.
                "mkdir -p up/etc work; echo evil >up/etc/motd; mount -t overlay -o \"lowerdir=$own/at,upperdir=up,workdir=work\" x \"$own/at\""
                        + "; look; there; policy=repair; look; there"
                        + "=>failed differs 3 /;refused its root is not mounted as it was;ok same - repaired T 3 /;there",
                "mount --bind kept/file \"$own/at/etc/motd\"; look=>failed differs 1 /etc/motd",
                "umount \"$own/at\"; look; there=>failed differs 1 /;refused its root is not mounted as it was",
                // Never the same by saying so.
                "offered=none; look; offered=list.good; look"
                        + "=>failed unknown the manifest of compute@V is not here;ok same T",
                "offered=kept/file; look"
                        + "=>suspected;failed unknown what came as the manifest of compute@V is another text",
                "look >log; echo more >>\"$own/manifest\"; offered=none; look=>failed unknown the manifest of compute@V is not here",
                "command() { [ \"$2\" != perl ]; }; look=>failed unknown perl is not installed here",
                "program bin/perl 'echo no room >&2; exit 1'; look=>failed unknown the look was not ended: no room",
                // Whoever asks.
                "rot; drift_asked 0123 2>log; grep -v running answers | sed \"s/$V/V/;s/$(sum \"$own/at/opt/data\")/X/\""
                        + "=>done V;is f 644 0 0 opt/data 160006 X;seen 7 160012 0",
                "offered=none; drift_asked 0123 2>log; grep -v running answers | sed \"s/$V/V/\""
                        + "=>unknown the manifest of compute@V is not here",
                "rm s/root; drift_asked 0123; cat answers=>unknown its jobs live in its own root",
            })
    void aRootIsItsVersionOrSaysWhatIsNot(String planted, String found) throws Exception {
        assertThat(MountRoom.run(folder, MACHINE + planted).replace("\n", ";")).isEqualTo(found);
    }
}
