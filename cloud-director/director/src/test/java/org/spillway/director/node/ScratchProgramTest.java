package org.spillway.director.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The disks of a machine as one scratch file system (ADR 72): loop devices, each of 400 MB, of which nothing is written. */
final class ScratchProgramTest {
    private static final int BYTES = 400_000_000;

    @TempDir
    Path folder;

    private final List<String> disks = new ArrayList<>();

    @BeforeEach
    void disksAreForRoot() throws Exception {
        assumeTrue(MountRoom.isPossible(), "mounting is for root: not looked at");
        for (String program : List.of("mkfs.xfs", "mkfs.ext4", "mkfs.btrfs")) {
            assumeTrue(
                    Files.isExecutable(Path.of("/usr/sbin", program)),
                    program + " is missing (xfsprogs, e2fsprogs, btrfs-progs): not looked at");
        }
        for (String name : List.of("one", "two")) {
            try (var file = new RandomAccessFile(folder.resolve(name).toFile(), "rw")) {
                file.setLength(BYTES);
            }
            Process losetup = new ProcessBuilder(
                            "losetup", "-f", "--show", folder.resolve(name).toString())
                    .start();
            String disk = new String(losetup.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            assumeTrue(losetup.waitFor() == 0, "this machine makes no loop devices: not looked at");
            disks.add(disk);
            // A name that a pattern finds.
            Files.createSymbolicLink(folder.resolve("disk-" + name), Path.of(disk));
        }
    }

    @AfterEach
    void end() throws IOException, InterruptedException {
        for (String disk : disks) {
            new ProcessBuilder("losetup", "-d", disk).start().waitFor();
        }
    }

    /** A pattern of a configuration begins with /dev; the agent's own words take any. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "scratch $ONE -; gate; stat -c %a data; grep -o ' xfs rw,nosuid,nodev' /proc/self/mounts; there; look"
                        + "=>ok ~/data from ~/disk-one (1 disk, 400 MB, xfs);1777; xfs rw,nosuid,nodev;there;well",
                "scratch \"$BOTH\" noatime; gate; stat -c %a data; df -m data | awk 'END { print ($2 > 700) }'"
                        + "=>ok ~/data from ~/disk-* (2 disks, 800 MB, btrfs);1777;1",
                "hide mkfs.btrfs; scratch \"$BOTH\" -; gate"
                        + "=>failed ~/data: nothing here makes one of 2 disks: neither dmsetup nor mkfs.btrfs",
                "hide mkfs.xfs; scratch $ONE -; gate=>ok ~/data from ~/disk-one (1 disk, 400 MB, ext4)",
                // A disk with anything on it is never written to.
                "mkfs.ext4 -q -F $ONE; untouched 'has data: ext4'=>failed ~/data: DISK has data: ext4;the same",
                "mkfs.xfs -q -L spillways $ONE; untouched=>failed ~/data: DISK has data: xfs;the same",
                "mkswap -q $ONE; untouched=>failed ~/data: DISK has data: swap;the same",
                "printf '\\203\\0\\0\\0\\0\\010\\0\\0\\0\\020' | dd of=$ONE bs=1 seek=450 conv=notrunc status=none"
                        + "; printf '\\125\\252' | dd of=$ONE bs=1 seek=510 conv=notrunc status=none; untouched=>failed ~/data: DISK has data: dos;the same",
                "echo raw | dd of=$ONE bs=1 seek=1048000 conv=notrunc status=none; untouched"
                        + "=>failed ~/data: DISK has data of no known kind;the same",
                "mkfs.ext4 -q -F -L spillway $ONE; mkdir else; mount -o ro $ONE else; untouched=>failed ~/data: DISK is in use;the same",
                "mkfs.ext4 -q -F $TWO; scratch \"$BOTH\" -; gate >said; grep -c 'has data: ext4' said; blkid -p $ONE || echo empty=>1;empty",
                "scratch $PWD/disk-none -; gate=>failed ~/data: this machine has no such disk",
                "blockdev --setro $ONE; untouched; blockdev --setrw $ONE=>failed ~/data: DISK is read only;the same",
                // An earlier scratch is made anew.
                "scratch $ONE -; gate; echo old >data/old; leave_mounts /dev/null; gate; ls data"
                        + "=>ok ~/data from ~/disk-one (1 disk, 400 MB, xfs);ok ~/data from ~/disk-one (1 disk, 400 MB, xfs)",
                "scratch \"$BOTH\" -; gate; leave_mounts /dev/null; gate; scratch $TWO -; gate"
                        + "=>ok ~/data from ~/disk-* (2 disks, 800 MB, btrfs);ok ~/data from ~/disk-* (2 disks, 800 MB, btrfs)"
                        + ";ok ~/data from ~/disk-two (1 disk, 400 MB, xfs)",
                "scratch $ONE -; gate; exec 5>data/open; leave_mounts /dev/null; seen"
                        + "=>ok ~/data from ~/disk-one (1 disk, 400 MB, xfs);failed ~/data: DISK is in use",
                // Whoever dies on the way leaves disks that are still known.
                "program bin/wipefs 'case $2 in -n) ;; *) kill -9 $PPID ;; esac'; scratch \"$BOTH\" - 9; gate; rm bin/wipefs; scratch \"$BOTH\" -; gate"
                        + "=>failed ~/data: no answer in 9 s;ok ~/data from ~/disk-* (2 disks, 800 MB, btrfs)",
                "real=$(command -v mkfs.btrfs); program bin/mkfs.btrfs \"$real \\\"\\$@\\\"; echo ERROR: why; exit 1\"; scratch \"$BOTH\" -; seen; rm bin/mkfs.btrfs; gate"
                        + "=>failed ~/data: mkfs.btrfs on DISK: ERROR: why;ok ~/data from ~/disk-* (2 disks, 800 MB, btrfs)",
                "program bin/mkfs.xfs 'sleep 100'; scratch $ONE - 1; gate; rm bin/mkfs.xfs; scratch $ONE -; gate"
                        + "=>failed ~/data: no answer in 1 s;ok ~/data from ~/disk-one (1 disk, 400 MB, xfs)",
                // As much as was sold.
                "scratch \"$BOTH\" noatime,least=1GB; gate=>failed ~/data: 2 disks, 800 MB: less than 1GB",
                // Instance storage by its name; a volume that is kept is none.
                "models 'Amazon EC2 NVMe Instance Storage'; scratch nvme -; gate=>ok ~/data from nvme (1 disk, 400 MB, xfs)",
                "models 'Microsoft NVMe Direct Disk v2'; scratch nvme -; gate=>ok ~/data from nvme (1 disk, 400 MB, xfs)",
                "models 'Amazon Elastic Block Store'; scratch nvme -; gate=>failed ~/data: this machine has no such disk",
            })
    void itIsMadeOfWhatIsEmptyAndOfNothingElse(String planted, String found) throws Exception {
        String machine = """
                ONE=$PWD/disk-one TWO=$PWD/disk-two BOTH=$PWD/disk-*
                scratch() { echo "${3:-30} scratch $D $1 $2" >list; }
                PATH=$PATH:/usr/sbin:/sbin
                hide() {
                  scratch_words=$(printf %s "$scratch_words" | sed 's,:/usr/sbin:/sbin,,')
                  trap 'rm -rf only' EXIT
                  mkdir only && ln -s /usr/sbin/* only/ && ln -sf /usr/bin/* only/ && rm "only/$1" && PATH=$PWD/bin:$PWD/only
                }
                seen() { gate | sed 's,/dev/loop[0-9]*,DISK,g'; }
                as_it_is() { stat -c %b one; head -c 8000000 one | cksum; }
                untouched() {
                  as_it_is >before
                  scratch $ONE -
                  seen
                  as_it_is | cmp -s - before && echo the same || echo changed
                }
                models() {
                  mkdir dev
                  mount -t tmpfs dev dev
                  for each in null zero urandom; do : >dev/$each && mount --bind /dev/$each dev/$each; done
                  mknod dev/nvme9n1 b $(stat -L -c '%Hr %Lr' $ONE)
                  real=$(command -v lsblk)
                  program bin/lsblk "case \\$1 in -dnpo) echo '/dev/nvme9n1 $1' ;; *) exec $real \\"\\$@\\" ;; esac"
                  mount --rbind dev /dev
                }
                """;
        assertThat(MountRoom.run(folder, machine + planted).replace("\n", ";")).isEqualTo(found);
    }
}
