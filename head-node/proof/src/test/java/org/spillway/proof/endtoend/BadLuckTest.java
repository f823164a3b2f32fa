package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bad luck of the machine, while a job runs and the next one's input and node are on their way. After each: both jobs are
 * done at the first attempt, their results are whole, no machine was bought twice, and the log names the cause.
 */
@Tag("processes")
@Tag("long")
@Timeout(900)
final class BadLuckTest {
    /** Less than the lease; {@link FiveMinutesTest} has the times of a real one. */
    private static final long STOPPED_MILLIS = 10_000;

    private static final String LEASE = "lease: 60s\n";

    @TempDir
    Path given;

    private Path folder = Path.of("");
    private int jobs;

    private JobPair begin(HeadFixture head) throws IOException {
        return JobPair.begin(head, "/jobs", Integer.toString(++jobs));
    }

    private HeadFixture head() throws IOException {
        folder = given.toRealPath();
        HeadFixture head = new HeadFixture(folder);
        Path config = folder.resolve("spillway.yaml");
        Files.writeString(config, LEASE + Files.readString(config));
        return head;
    }

    @Test
    @Tag("luck")
    void aClockThatIsAnHourOffInEitherDirection() throws Exception {
        assumeTrue(Boolean.getBoolean("spillway.luck.all"), "takes minutes: -Dspillway.luck.all=true runs it");
        try (HeadFixture head = head()) {
            OddClock clock = OddClock.make(folder, "clock");
            // The provider has a clock of its own, which is right.
            head.start().kill();
            head.under(List.of(), clock.environment()).start();
            for (long hour : List.of(3600L, -3600L)) {
                JobPair pair = begin(head);
                clock.set(hour);
                pair.check("set by " + hour);
                assertThat(head.log()).content().contains("this machine's clock was set");
                JobPair over = begin(head);
                head.kill();
                head.start();
                over.check("started again at " + hour);
            }
            assertThat(head.log()).content().contains("before the last step in the journal");
            assertThat(head.log()).content().doesNotContain("not heard from for longer");
        }
    }

    @Test
    void everyProcessStandsStillForLessThanALease() throws Exception {
        try (HeadFixture head = head()) {
            head.start();
            for (String what : List.of("head", "director", "node", "cloud", "worker", "policy")) {
                JobPair pair = begin(head);
                List<Long> struck = processes(head, what);
                if (!what.equals("policy")) {
                    assertThat(struck).as(what).isNotEmpty();
                }
                for (long pid : struck) {
                    TwoHeadsTest.run("kill", "-STOP", Long.toString(pid));
                }
                try {
                    Thread.sleep(STOPPED_MILLIS);
                } finally {
                    for (long pid : struck) {
                        new ProcessBuilder("kill", "-CONT", Long.toString(pid))
                                .start()
                                .waitFor();
                    }
                }
                pair.check(what + " stood still");
            }
        }
    }

    static List<Long> processes(HeadFixture head, String what) throws IOException {
        return switch (what) {
            case "head" -> List.of(head.running().pid());
            case "cloud" -> List.of(head.cloud().pid());
            case "director" ->
                Processes.ofInstances(head.folder()).stream()
                        .filter(pid -> Processes.commandLine(pid).contains("DirectorMain"))
                        .toList();
            case "node" ->
                Processes.ofInstances(head.folder()).stream()
                        .filter(pid -> !Processes.commandLine(pid).contains("DirectorMain")
                                && !Processes.commandLine(pid).contains("sleep"))
                        .toList();
            default ->
                head.running()
                        .descendants()
                        .filter(child -> Processes.commandLine(child.pid())
                                .contains(what.equals("worker") ? "stage.worker" : "policyhost"))
                        .map(ProcessHandle::pid)
                        .toList();
        };
    }

    @Test
    void fewDescriptorsAndNoNames() throws Exception {
        folder = given.toRealPath();
        Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.1 localhost\n");
        Path none = Files.writeString(folder.resolve("none"), "");
        Path only = Files.writeString(folder.resolve("nsswitch"), "passwd: files\ngroup: files\nhosts: files dns\n");
        String script = "mount --bind \"$1\" /etc/hosts && mount --bind \"$2\" /etc/resolv.conf"
                + " && mount --bind \"$3\" /etc/nsswitch.conf || exit 77; shift 3; exec prlimit --nofile=256:256 \"$@\"";
        List<String> before = List.of(
                "unshare", "--mount", "sh", "-c", script, "sh", hosts.toString(), none.toString(), only.toString());
        assumeTrue(runs(before), "this user may not mount anything here");
        try (HeadFixture head = head()) {
            head.under(before, Map.of()).start();
            begin(head).check("256 descriptors, no names");
            assertThat(head.log()).content().contains("this process may have 256 files open");
        }
    }

    @Test
    void aTornJournalIsOpenedAndAnOlderOneIsTold() throws Exception {
        try (HeadFixture head = head()) {
            head.start();
            JobPair pair = begin(head);
            head.kill();
            tear(head.state().resolve("journal.db-wal"));
            head.start();
            pair.check("torn");
            assertThat(head.command("nodes")).contains("east");
        }
    }

    /** The last page's write was cut in the middle. */
    static void tear(Path wal) throws IOException {
        try (var file = new RandomAccessFile(wal.toFile(), "rw")) {
            long torn = file.length() - 2000;
            assertThat(torn).isPositive();
            file.seek(torn);
            file.write(new byte[1500]);
        }
    }

    @Test
    void aDiskThatIsFullOrReadOnlyOrStandsStill() throws Exception {
        onADiskOfItsOwn(BadDisk.class, given.toRealPath());
    }

    @Test
    @Tag("luck")
    void aDiskThatIsSlow() throws Exception {
        assumeTrue(Boolean.getBoolean("spillway.luck.all"), "takes minutes: -Dspillway.luck.all=true runs it");
        try {
            onADiskOfItsOwn(SlowDisk.class, given.toRealPath());
        } finally {
            SlowDisk.release(given.toRealPath());
        }
    }

    /** In a mount namespace of its own, from a folder that is its only argument. */
    static void onADiskOfItsOwn(Class<?> scenario, Path folder) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("unshare", "--mount"));
        assumeTrue(
                runs(List.of(
                        "unshare",
                        "--mount",
                        "sh",
                        "-c",
                        "test -e /dev/loop-control && command -v mkfs.ext4 && shift; exec \"$@\"",
                        "sh",
                        "")),
                "there are no loop devices here");
        command.addAll(Installation.shared().java(scenario.getName(), folder.resolve("disk.jsa")));
        command.add(folder.toString());
        Path out = folder.resolve("disk.out");
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment()
                .put(Installation.HOME, Installation.shared().home().toString());
        builder.environment().put("HOME", folder.toString());
        Process process = builder.start();
        try {
            boolean ended = process.waitFor(600, TimeUnit.SECONDS);
            String said = Files.readString(out, StandardCharsets.UTF_8);
            assertThat(ended).as(said).isTrue();
            assumeTrue(process.exitValue() != BadDisk.UNABLE, said);
            assertThat(process.exitValue()).as(said).isZero();
        } finally {
            process.destroyForcibly();
            Processes.ofRun(folder).forEach(Processes::kill);
        }
    }

    static boolean runs(List<String> before) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(before);
        command.add("true");
        return new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }
}
