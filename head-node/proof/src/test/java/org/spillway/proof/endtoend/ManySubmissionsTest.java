package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobView;
import org.spillway.cli.CliFailure;
import org.spillway.cli.Commands;

/** Submissions by the thousand to a real head: each answer means that the job is on disk, all or none, and none twice. */
@Tag("processes")
@Tag("long")
@Timeout(600)
final class ManySubmissionsTest {
    private static final int CLIENTS = 4;
    private static final int OF_A_CLIENT = 900;
    private static final int LINES = 6000;

    @TempDir
    Path folder;

    private HeadFixture head;
    private Path script = Path.of("");

    @BeforeEach
    void start() throws IOException {
        head = new HeadFixture(folder);
        // Without money nothing is bought, and every job waits.
        Path config = head.folder().resolve("spillway.yaml");
        Files.writeString(config, Files.readString(config).replace("limit: 50.00", "limit: 0.01"));
        script = Files.writeString(head.folder().resolve("job.sh"), "#!/bin/sh\ntrue\n");
        head.start();
    }

    @AfterEach
    void stop() throws IOException {
        head.close();
    }

    /** A command in this process, that may fail. */
    private int command(StringWriter out, StringWriter err, String... words) {
        var arguments = Stream.concat(
                        Stream.of(
                                words[0],
                                "--socket",
                                head.state().resolve("spillway.sock").toString()),
                        Stream.of(words).skip(1))
                .toArray(String[]::new);
        return new Commands()
                .commandLine(new HeadFixture.Root(), arguments)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    private List<String> jobs() {
        return head.client().list("/jobs?limit=10000", "jobs", JobView.class).stream()
                .map(JobView::id)
                .toList();
    }

    private static JobSubmission job(String key) {
        return HeadFixture.submission("#!/bin/sh\necho " + key + "\n", "", Map.of());
    }

    @Test
    void aHeadThatIsKilledHasEveryJobThatItAnsweredAndNoneTwice() throws Exception {
        Path file = Files.write(
                head.folder().resolve("jobs.txt"),
                IntStream.range(0, LINES).mapToObj(i -> script + " " + i).toList());
        Map<String, String> answered = new ConcurrentHashMap<>();
        var printed = new StringWriter();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> clients = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                String name = "client-" + client;
                clients.add(threads.submit(() -> submit(name, answered)));
            }
            Future<Integer> many = threads.submit(
                    () -> command(printed, new StringWriter(), "submit", "--many", file.toString(), "--key", "file"));
            assertThat(Processes.eventually(
                            HeadFixture.PATIENCE,
                            () -> answered.size() >= CLIENTS * 20
                                    && ids(printed).size() >= 1000))
                    .as("%s answered, %s printed", answered.size(), ids(printed).size())
                    .isTrue();
            head.kill();
            for (Future<?> client : clients) {
                client.get();
            }
            assertThat(many.get()).isNotZero();
        }
        assertThat(answered).hasSizeLessThan(CLIENTS * OF_A_CLIENT);
        assertThat(ids(printed)).hasSizeLessThan(LINES);

        head.start();
        List<String> there = jobs();
        assertThat(there).containsAll(answered.values()).containsAll(ids(printed));
        Map<String, String> again = new ConcurrentHashMap<>();
        for (int client = 0; client < CLIENTS; client++) {
            submit("client-" + client, again);
        }
        assertThat(again).hasSize(CLIENTS * OF_A_CLIENT).containsAllEntriesOf(answered);
        var whole = new StringWriter();
        assertThat(command(whole, new StringWriter(), "submit", "--many", file.toString(), "--key", "file"))
                .isZero();
        assertThat(ids(whole)).hasSize(LINES).startsWith(ids(printed).toArray(String[]::new));
        List<String> all = jobs();
        var expected = new HashSet<>(again.values());
        expected.addAll(ids(whole));
        assertThat(all).hasSize(CLIENTS * OF_A_CLIENT + LINES).containsExactlyInAnyOrderElementsOf(expected);
    }

    private void submit(String client, Map<String, String> answered) {
        for (int i = 0; i < OF_A_CLIENT; i++) {
            String key = client + "-" + i;
            try {
                answered.put(key, head.submit(job(key), key));
            } catch (CliFailure killed) {
                return;
            }
        }
    }

    /** Of whole lines. */
    private static List<String> ids(StringWriter printed) {
        var text = printed.toString();
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    }

    @Test
    void aFileIsSubmittedWholeOrNotAtAll() throws IOException {
        var lines = new ArrayList<>(
                IntStream.range(0, 1500).mapToObj(i -> script + " " + i).toList());
        lines.set(7, "--time 99h " + script);
        lines.set(1400, "--after 4711 " + script);
        Path file = Files.write(head.folder().resolve("jobs.txt"), lines);
        var out = new StringWriter();
        var err = new StringWriter();
        assertThat(command(out, err, "submit", "--many", file.toString())).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString())
                .contains("jobs.txt:8: walltime", "jobs.txt:1401: there is no job '4711'", "nothing was submitted");
        assertThat(jobs()).isEmpty();

        assertThat(command(out, err, "submit", "--keep-going", "--many", file.toString()))
                .isEqualTo(CliFailure.BAD_INPUT);
        assertThat(jobs()).hasSize(1498).containsExactlyInAnyOrderElementsOf(ids(out));
    }

    /** A repetition is an answer and no submission, however full the queue is. */
    @Test
    void whoHasAllTheJobsThatOneMayHaveCanStillRepeatThem() throws Exception {
        head.kill();
        Path config = head.folder().resolve("spillway.yaml");
        Files.writeString(config, Files.readString(config) + "submissions: { jobsPerUser: 1102 }\n");
        head.start();
        String first = head.submit(job("a"), "a");
        Path file = Files.write(
                head.folder().resolve("jobs.txt"),
                IntStream.range(0, 1100).mapToObj(i -> script + " " + i).toList());
        var out = new StringWriter();
        assertThat(command(out, new StringWriter(), "submit", "--many", file.toString(), "--key", "file"))
                .isZero();
        Files.writeString(file, Files.readString(file) + script + " more\n");
        var again = new StringWriter();
        assertThat(command(again, new StringWriter(), "submit", "--many", file.toString(), "--key", "file"))
                .isZero();
        assertThat(ids(again)).hasSize(1101).startsWith(ids(out).toArray(String[]::new));
        assertThat(head.submit(job("a"), "a")).isEqualTo(first);
        var err = new StringWriter();
        Files.writeString(file, Files.readString(file) + script + " too many\n");
        assertThat(command(new StringWriter(), err, "submit", "--many", file.toString(), "--key", "file"))
                .isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString()).contains("jobs.txt:1102: user ", "would have 1103 jobs", "nothing was submitted");
        assertThat(head.submit(job("a"), "a")).isEqualTo(first);
    }

    /** Together they are more than one user may have: each request alone would be let through. */
    @Test
    void theAllowanceIsOfTheWholeFile() throws IOException {
        Path large = Files.writeString(head.folder().resolve("large.sh"), "#".repeat(900_000) + "\ntrue\n");
        Path file = Files.write(
                head.folder().resolve("jobs.txt"),
                IntStream.range(0, 60).mapToObj(i -> large + " " + i).toList());
        var err = new StringWriter();
        assertThat(command(new StringWriter(), err, "submit", "--many", file.toString()))
                .isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString()).contains("jobs.txt:19: the 19 jobs that user ", "nothing was submitted");
        assertThat(jobs()).isEmpty();
    }
}
