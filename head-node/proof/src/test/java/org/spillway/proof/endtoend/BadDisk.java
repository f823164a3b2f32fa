package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.spillway.api.JobState;
import org.spillway.api.SiteView;
import org.spillway.cli.CliFailure;

/** A head's disk of its own, in a mount namespace that ends with this process: it stands still, is full, is read-only. */
final class BadDisk {
    static final int UNABLE = 77;
    private static final int MEGABYTES = 96;

    private BadDisk() {}

    /** @param arguments an empty folder */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]).toRealPath();
        Path state = Files.createDirectories(folder.resolve("state"));
        Path image = folder.resolve("disk.img");
        make(image, state);
        try (var head = new HeadFixture(folder)) {
            try {
                head.start();
                standsStill(head);
                isFull(head);
                isReadOnly(head, image);
            } catch (CliFailure | AssertionError | IOException failed) {
                System.out.println(head.tail());
                throw failed;
            }
        } finally {
            new ProcessBuilder("umount", "-l", state.toString()).start().waitFor();
        }
        System.out.println("all is well");
        System.exit(0);
    }

    /** A new disk, mounted; ends the process where that cannot be done. */
    static void make(Path image, Path state) throws IOException, InterruptedException {
        try {
            TwoHeadsTest.run("truncate", "-s", MEGABYTES + "M", image.toString());
            TwoHeadsTest.run("mkfs.ext4", "-q", "-m", "0", image.toString());
            TwoHeadsTest.run("mount", "-o", "loop", image.toString(), state.toString());
        } catch (AssertionError unable) {
            System.out.println("no disk of its own here: " + unable.getMessage());
            System.exit(UNABLE);
        }
    }

    /** As an administrator would. A process that dies may hold the old one for a moment, which must not be repaired then. */
    static void repair(Path image, Path state) throws IOException, InterruptedException {
        TwoHeadsTest.run(
                "sh",
                "-c",
                "n=0; until umount \"$1\"; do n=$((n + 1)); [ $n -lt 300 ] || exit 1; sleep 0.1; done;"
                        + " while [ -n \"$(losetup -j \"$2\")\" ]; do n=$((n + 1)); [ $n -lt 600 ] || exit 1; sleep 0.1; done;"
                        + " fsck.ext4 -fy \"$2\"; mount -o loop \"$2\" \"$1\"",
                "sh",
                state.toString(),
                image.toString());
    }

    static void freeze(Path state) throws IOException, InterruptedException {
        TwoHeadsTest.run("fsfreeze", "-f", state.toString());
        try {
            Thread.sleep(6000);
        } finally {
            TwoHeadsTest.run("fsfreeze", "-u", state.toString());
        }
    }

    private static String submit(HeadFixture head, String name) {
        return head.submit(HeadFixture.submission(
                "#!/bin/sh\necho run >>" + head.folder().resolve(name + ".runs") + "\nsleep 4\necho " + name
                        + " >out\n",
                "",
                Map.of("out", head.folder().resolve(name))));
    }

    private static void done(HeadFixture head, String job, String name) throws IOException {
        assertThat(head.awaitEnd(job).job().state()).as(name + head.tail()).isEqualTo(JobState.DONE);
        assertThat(head.folder().resolve(name)).hasContent(name + "\n");
        assertThat(head.folder().resolve(name + ".runs")).hasContent("run\n");
    }

    private static void standsStill(HeadFixture head) throws Exception {
        String job = submit(head, "slow");
        head.await(job, one -> one.state() == JobState.RUNNING);
        // Needs a node of its own, whose launch is under way then.
        String coming = head.submit(HeadFixture.sized("", "#!/bin/sh\nsleep 1\n", 2, "", List.of()));
        freeze(head.state());
        done(head, job, "slow");
        assertThat(head.awaitEnd(coming).job().attempt()).isEqualTo(1);
        JobPair.noTwins(head, "a disk that stood still");
        assertThat(head.tail()).contains("a write of the journal took");
    }

    private static void isFull(HeadFixture head) throws Exception {
        String job = submit(head, "full");
        head.await(job, one -> one.state() == JobState.RUNNING);
        Path filler = head.state().resolve("filler");
        boolean given = Processes.eventually(HeadFixture.PATIENCE, () -> {
            fill(filler);
            // The journal's own file has room within it for a while.
            write(head);
            return !Files.exists(head.state().resolve("ballast"));
        });
        assertThat(given).as("the reserved room is given up").isTrue();
        assertThatThrownBy(() -> submit(head, "refused"))
                .isInstanceOf(CliFailure.class)
                .hasMessageContaining("the head's disk is full");
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE,
                        () -> head.client()
                                .list("/sites", "sites", SiteView.class)
                                .toString()
                                .contains("HEAD_DISK_FULL")))
                .isTrue();
        done(head, job, "full");
        Files.delete(filler);
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE, () -> Files.exists(head.state().resolve("ballast"))))
                .as("recovers by itself")
                .isTrue();
        // The head looks at its disk from time to time: the file is there a moment before it takes jobs again.
        List<String> after = new ArrayList<>();
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> {
                    try {
                        after.add(submit(head, "after"));
                        return true;
                    } catch (CliFailure full) {
                        assertThat(full).hasMessageContaining("full");
                        return false;
                    }
                }))
                .as("takes jobs again")
                .isTrue();
        done(head, after.getFirst(), "after");
    }

    static void write(HeadFixture head) {
        try {
            head.submit(HeadFixture.submission("#!/bin/sh\n# " + "x".repeat(50_000) + "\n", "", Map.of()));
        } catch (CliFailure full) {
            assertThat(full).hasMessageContaining("full");
        }
    }

    /** All that is left, in ever smaller pieces. */
    static void fill(Path filler) {
        try {
            new ProcessBuilder(
                            "sh",
                            "-c",
                            "for s in 1M 64K 4K; do dd if=/dev/zero bs=$s >>\"$1\" 2>/dev/null; done",
                            "sh",
                            filler.toString())
                    .start()
                    .waitFor(20, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void isReadOnly(HeadFixture head, Path image) throws Exception {
        String job = submit(head, "broken");
        head.await(job, one -> one.state() == JobState.RUNNING);
        TwoHeadsTest.run("mount", "-o", "remount,abort", head.state().toString());
        assertThat(head.running().waitFor(90, TimeUnit.SECONDS))
                .as("it stops rather than forget; " + head.tail())
                .isTrue();
        assertThat(head.tail()).contains("the head stops").doesNotContain(": make room on the disk and start");
        Process refused = head.begin(
                "org.spillway.cli.Main",
                "serve",
                "--config",
                head.folder().resolve("spillway.yaml").toString());
        assertThat(refused.waitFor(90, TimeUnit.SECONDS)).isTrue();
        assertThat(refused.exitValue()).isEqualTo(2);
        repair(image, head.state());
        head.start();
        done(head, job, "broken");
    }
}
