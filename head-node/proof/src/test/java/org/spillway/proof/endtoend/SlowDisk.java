package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.spillway.cli.CliFailure;

/**
 * A head's disk of its own that the kernel lets write a few times a second and no more, so that whatever is written for
 * certain takes seconds: while a job runs, an input is sent, nodes are bought, a cluster on demand is made and used.
 */
final class SlowDisk {
    /** Of the kernel's groups, version 1: no other has a bound for all processes, and a file system's journal is none's. */
    private static final Path BOUND = Path.of("/sys/fs/cgroup/blkio/blkio.throttle.write_iops_device");

    /** A commit takes seconds then, and one that takes the journal together half a minute. */
    private static final int WRITES_PER_SECOND = 6;
    /** Of a write that is certain; ten times what it takes on a disk of today. */
    private static final int NOTICED_MILLIS = 100;
    /** Name of a file in the folder, which says what is bounded. */
    private static final String DEVICE = "slow-device";

    private SlowDisk() {}

    /** @param arguments an empty folder */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]).toRealPath();
        Path state = Files.createDirectories(folder.resolve("state"));
        Path image = folder.resolve("disk.img");
        BadDisk.make(image, state);
        String device = device(state);
        Files.writeString(folder.resolve(DEVICE), device);
        try (var head = new HeadFixture(folder)) {
            // What takes long here makes others wait, and a node is bought for them.
            Path config = folder.resolve("spillway.yaml");
            Files.writeString(config, Files.readString(config).replace("maxNodes: 2", "maxNodes: 4"));
            try {
                bound(device, WRITES_PER_SECOND);
                if (syncMillis(state) < NOTICED_MILLIS) {
                    unable("the kernel's bound does not slow this disk: writes take " + syncMillis(state) + " ms");
                }
                bound(device, 0);
                head.start();
                JobPair pair = JobPair.begin(head, "/jobs", "jobs");
                bound(device, WRITES_PER_SECOND);
                System.out.println("a write that is certain takes " + syncMillis(state) + " ms");
                pair.check("the disk is slow");
                JobPair.begin(head, "/jobs", "again").check("begun on a slow disk");
                OnDemand cluster = OnDemand.create(head, "kid");
                cluster.awaitState("RUNNING");
                JobPair.begin(head, cluster.jobs(), "child").check("its parent's disk is slow");
                cluster.delete();
                assertThat(head.log()).content().contains("a write of the journal took");
                assertThat(head.log()).content().doesNotContain("not heard from for longer");
            } catch (CliFailure | AssertionError | IOException failed) {
                System.out.println(head.tail());
                throw failed;
            } finally {
                bound(device, 0);
            }
        } finally {
            new ProcessBuilder("umount", "-l", state.toString()).start().waitFor();
        }
        System.out.println("all is well");
        System.exit(0);
    }

    /** The kernel keeps a bound for the next disk of that number, also when the process was killed that has set it. */
    static void release(Path folder) throws IOException {
        if (Files.exists(folder.resolve(DEVICE))) {
            bound(Files.readString(folder.resolve(DEVICE)), 0);
        }
    }

    private static void unable(String why) {
        System.out.println("no slow disk here: " + why);
        System.exit(BadDisk.UNABLE);
    }

    /** The device's numbers, as the kernel's groups name it. */
    private static String device(Path mounted) throws IOException {
        String numbers = Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                .map(line -> line.split(" "))
                .filter(words -> words[4].equals(mounted.toString()))
                .map(words -> words[2])
                .reduce((first, last) -> last)
                .orElseThrow();
        if (!Files.isWritable(BOUND)) {
            unable(BOUND + " cannot be written");
        }
        return numbers;
    }

    /** @param writesPerSecond 0 for no bound */
    private static void bound(String device, int writesPerSecond) throws IOException {
        Files.writeString(BOUND, device + " " + writesPerSecond + "\n");
    }

    private static long syncMillis(Path state) throws IOException {
        try (FileChannel file =
                FileChannel.open(state.resolve("probe"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            long begun = System.nanoTime();
            file.write(ByteBuffer.wrap(new byte[8192]));
            file.force(false);
            return Duration.ofNanos(System.nanoTime() - begun).toMillis();
        } finally {
            Files.delete(state.resolve("probe"));
        }
    }
}
