package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Other processes, kill -9, and disks without room. */
@Timeout(600)
final class JournalBadLuckTest {
    private static final int WRITES = 1_000_000;

    @TempDir
    Path folder;

    @Test
    void aSecondHeadInAnotherProcessIsRefusedUntilTheFirstIsKilled() throws Exception {
        Process holder = start(List.of(), 0, 0);
        try (BufferedReader lines = reader(holder)) {
            assertThat(next(lines)).isEqualTo("open");
            assertThatThrownBy(() -> SqliteJournalStore.open(state()))
                    .isInstanceOf(JournalFailure.class)
                    .hasMessage("another head uses the state directory " + state()
                            + ": stop it first, or give this one its own 'state:'");
            holder.destroyForcibly().waitFor();
        } finally {
            holder.destroyForcibly();
        }
        SqliteJournalStore.open(state()).close();
    }

    @Test
    void whatWasToldAsCommittedIsThereAfterAKill() throws Exception {
        Process writer = start(List.of(), WRITES, 100);
        List<String> told = new ArrayList<>();
        try (BufferedReader lines = reader(writer)) {
            for (int i = 0; i < 150; i++) {
                told.add(next(lines));
            }
            // By its handle: that leaves the pipe open, and what was printed and not read yet was promised too.
            writer.toHandle().destroyForcibly();
            told.addAll(rest(lines));
        } finally {
            writer.destroyForcibly();
        }
        assertThat(told.removeFirst()).isEqualTo("open");
        assertWholeBatches(told.size());
        List<Long> numbers = told.stream()
                .map(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .toList();
        assertThat(numbers).isSorted().doesNotHaveDuplicates();
        try (SqliteJournalStore store = SqliteJournalStore.open(state())) {
            assertThat(store.nextSequence()).isGreaterThan(numbers.getLast());
        }
    }

    @Test
    void aFullDiskIsToldAndNothingIsHalfWritten() throws Exception {
        assumeTrue(runs("prlimit", "--version"), "there is no prlimit here");
        Process writer = start(List.of("prlimit", "--fsize=" + (3 << 20)), WRITES, 60_000);
        List<String> told = told(writer);
        assertThat(told.removeFirst()).isEqualTo("open");
        assertFailure(told);
    }

    @Test
    void aDiskThatIsReallyFullIsToldToo() throws Exception {
        Path mount = Files.createDirectories(state());
        String script = "mount -t tmpfs -o size=1m none \"$1\" || exit 77; shift; exec \"$@\"";
        List<String> before =
                List.of("unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", mount.toString());
        assumeTrue(
                runs("unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", mount.toString(), "true"),
                "this user may not mount a file system of its own here");
        Process writer = start(before, WRITES, 20_000);
        List<String> told = told(writer);
        assertThat(told.removeFirst()).isEqualTo("open");
        assertThat(told).hasSizeGreaterThan(2);
        assertThat(told.removeLast())
                .startsWith("failure the journal cannot be written: ")
                .contains("full")
                .endsWith("make room on the disk and start it again");
        assertThat(told).allMatch(line -> line.startsWith("committed "));
    }

    /** Room that is reserved for the journal is given up: nothing new is taken, and what runs can be ended. */
    @Test
    void aFullDiskLeavesRoomForEnds() throws Exception {
        Path mount = Files.createDirectories(state());
        String script = "mount -t tmpfs -o size=40m none \"$1\" || exit 77; shift; exec \"$@\"";
        List<String> before =
                List.of("unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", mount.toString());
        assumeTrue(
                runs("unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", mount.toString(), "true"),
                "this user may not mount a file system of its own here");
        List<String> told = told(start(before, WRITES, 20_000, "head"));
        assertThat(told.removeFirst()).isEqualTo("open");
        assertThat(told.removeLast()).startsWith("failure the journal cannot be written: ");
        int givenUp = told.indexOf("short");
        assertThat(givenUp).isPositive();
        assertThat(told.size() - givenUp).as("commits after the disk was full").isGreaterThan(50);
    }

    private void assertFailure(List<String> told) {
        assertThat(told).hasSizeGreaterThan(5);
        assertThat(told.removeLast())
                .startsWith("failure the journal cannot be written: ")
                .contains("the head stops rather than forget: ")
                .endsWith("make room on the disk and start it again");
        assertWholeBatches(told.size());
        try (SqliteJournalStore store = SqliteJournalStore.open(state())) {
            assertThat(store.job("a" + told.size())).isEmpty();
        }
    }

    /** Every batch that was told is there whole; of the next ones each is there whole or not at all. */
    private void assertWholeBatches(int told) {
        try (SqliteJournalStore store = SqliteJournalStore.open(state())) {
            // The latest are the ones at risk; of the many before them every tenth will do.
            for (int i = 0; i < told; i += i < told - 200 ? 10 : 1) {
                assertThat(store.job("a" + i))
                        .as("job a%d, told as committed", i)
                        .isPresent();
                assertThat(store.job("c" + i))
                        .as("job c%d, told as committed", i)
                        .isPresent();
            }
            for (int i = told; i < told + 10; i++) {
                assertThat(store.job("b" + i).isPresent())
                        .isEqualTo(store.job("a" + i).isPresent());
                assertThat(store.job("c" + i).isPresent())
                        .isEqualTo(store.job("a" + i).isPresent());
            }
            store.write(Entries.NOW, JournalWriter.batch(WRITES, ""), List.of());
        }
    }

    private Path state() {
        return folder.resolve("state");
    }

    private Process start(List<String> before, int commits, int scriptBytes, String... more) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xmx128m"));
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", JournalWriter.class.getName()));
        command.addAll(List.of(state().toString(), Integer.toString(commits), Integer.toString(scriptBytes)));
        command.addAll(List.of(more));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        Map<String, String> environment = builder.environment();
        environment.put("CLASSPATH", System.getProperty("java.class.path"));
        return builder.start();
    }

    private static List<String> told(Process writer) throws IOException {
        try (BufferedReader lines = reader(writer)) {
            return rest(lines);
        } finally {
            writer.destroyForcibly();
        }
    }

    /** The next line that the writer told; empty when it tells nothing any more. */
    private static String next(BufferedReader lines) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(JournalWriter.MARK)) {
                return line.substring(JournalWriter.MARK.length());
            }
        }
        return "";
    }

    private static List<String> rest(BufferedReader lines) throws IOException {
        List<String> rest = new ArrayList<>();
        for (String line = next(lines); !line.isEmpty(); line = next(lines)) {
            rest.add(line);
        }
        return rest;
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static boolean runs(String... command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            boolean ended = process.waitFor(180, TimeUnit.SECONDS);
            process.destroyForcibly();
            return ended && process.exitValue() == 0;
        } catch (IOException notThere) {
            return false;
        }
    }
}
