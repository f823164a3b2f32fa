package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.JobSubmission;
import org.spillway.api.Json;
import org.spillway.api.ManySubmissions.Mode;

/** {@code submit --many}: a line is what would follow {@code submit}; all of them or none; none twice. */
final class SubmitManyTest extends AskedHead {
    private Path script = Path.of("");
    private Path file = Path.of("");

    @BeforeEach
    void files() throws IOException {
        HEAD.submissions.clear();
        HEAD.jobs.clear();
        HEAD.keys.clear();
        HEAD.batches.clear();
        HEAD.aheads.clear();
        script = Files.writeString(folder.resolve("train.sh"), "#!/bin/sh\n#SPILLWAY --cpus 2 --gpus 1\ntrue\n");
        file = folder.resolve("jobs.txt");
    }

    private int many(List<String> lines, String... options) throws IOException {
        Files.write(file, lines);
        var arguments = new ArrayList<>(List.of("submit", "--many", file.toString()));
        arguments.addAll(List.of(options));
        return ask(arguments.toArray(String[]::new));
    }

    private List<JobSubmission> asked() {
        return List.copyOf(HEAD.submissions.values());
    }

    @Test
    void aLineIsWhatWouldFollowSubmit() throws IOException {
        int code = many(
                List.of(
                        "# learning rates",
                        "--name 'two words' --cpus 4 " + script + " --rate \"0.1 or so\" --gpus 9",
                        "",
                        script + "   # the usual"),
                "--gpus",
                "3",
                "--env",
                "A=b");
        assertThat(err.toString()).isEmpty();
        assertThat(code).isZero();
        assertThat(out.toString()).isEqualTo("1\n2\n");
        var first = asked().getFirst();
        assertThat(first.name()).isEqualTo("two words");
        assertThat(first.arguments()).containsExactly("--rate", "0.1 or so", "--gpus", "9");
        // A line's own option, then that of the command line, then the script's.
        assertThat(first.cpus()).isEqualTo(4);
        assertThat(first.gpus()).isEqualTo(3);
        assertThat(first.environment()).isEqualTo(Map.of("A", "b"));
        var second = asked().getLast();
        assertThat(second.name()).isEqualTo("train.sh");
        assertThat(second.cpus()).isEqualTo(2);
        assertThat(HEAD.batches).containsExactly(Mode.ALL);
    }

    @Test
    void everyMistakeIsToldByItsLineAndNothingIsSubmitted() throws IOException {
        int code = many(List.of(
                script.toString(),
                "--gpus many " + script,
                "'" + script,
                "--name only-options",
                folder.resolve("none.sh").toString(),
                "--time soon " + script,
                "-",
                "--queue nowhere " + script,
                "--cpus 0 " + script));
        assertThat(code).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(out.toString()).isEmpty();
        assertThat(HEAD.submissions).isEmpty();
        var said = err.toString();
        for (int line = 2; line <= 9; line++) {
            assertThat(said).contains("spillway: " + file + ":" + line + ": ");
        }
        assertThat(said)
                .doesNotContain(file + ":1:")
                .contains(file + ":3: the quote ' at character 1 is not closed")
                .contains(file + ":8: there is no queue 'nowhere'\n  queues: east")
                .contains(file + ":9: job.cpus: found 0")
                .endsWith("spillway: nothing was submitted\n");
    }

    @Test
    void onRequestTheRestIsSubmitted() throws IOException {
        int code =
                many(List.of(script.toString(), "--queue nowhere " + script, script + " x"), "--keep-going", "--json");
        assertThat(code).isEqualTo(CliFailure.BAD_INPUT);
        var answer = Json.tree(out.toString().getBytes(StandardCharsets.UTF_8));
        assertThat(answer.path("key").asText()).isNotEmpty();
        var lines = answer.path("lines");
        assertThat(lines.findValuesAsText("id")).containsExactly("1", "2");
        assertThat(lines.path(1).path("line").asInt()).isEqualTo(2);
        assertThat(lines.path(1).path("error").path("code").asText()).isEqualTo("UNKNOWN_QUEUE");
        assertThat(err.toString())
                .contains(
                        "2 of 3 lines are submitted",
                        "--key " + answer.path("key").asText());
    }

    @Test
    void withTheSameKeyALineIsSubmittedOnce() throws IOException {
        assertThat(many(List.of(script + " a", script + " b"), "--key", "nightly-7"))
                .isZero();
        assertThat(HEAD.keys.keySet()).allMatch(key -> key.matches("\\d+/nightly-7:[12]"));
        assertThat(many(List.of(script + " a", script + " b", script + " c"), "--key", "nightly-7"))
                .isZero();
        assertThat(out.toString()).isEqualTo("1\n2\n1\n2\n3\n");
        assertThat(HEAD.submissions).hasSize(3);
        assertThat(many(List.of(script + " z"), "--key", "nightly-7")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString()).contains(":1: this key was used for another job");
        assertThat(many(List.of(script + " a"))).isZero();
        assertThat(HEAD.submissions).hasSize(4);
    }

    /** Lines that were submitted before are among the user's jobs: counted once more, the new ones would be refused. */
    @Test
    void aRepeatedFileIsAheadOfItselfByWhatIsNewOnly() throws IOException {
        var lines = new ArrayList<>(
                IntStream.range(0, 2500).mapToObj(i -> script + " " + i).toList());
        assertThat(many(lines.subList(0, 1500), "--key", "k")).isZero();
        HEAD.aheads.clear();
        assertThat(many(lines, "--key", "k")).isZero();
        assertThat(HEAD.submissions).hasSize(2500);
        assertThat(HEAD.aheads.subList(0, 3)).extracting(one -> one.jobs()).containsExactly(0, 0, 500);
    }

    @Test
    void whatDoesNotFitIntoOneRequestIsCheckedBeforeTheFirstIsSubmitted() throws IOException {
        var lines = new ArrayList<>(
                IntStream.range(0, 2500).mapToObj(i -> script + " " + i).toList());
        lines.set(2400, "--queue nowhere " + script);
        assertThat(many(lines)).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(HEAD.batches).containsExactly(Mode.CHECK, Mode.CHECK, Mode.CHECK);
        assertThat(HEAD.aheads.get(2).jobs()).isEqualTo(2000);
        assertThat(HEAD.submissions).isEmpty();
        lines.set(2400, script.toString());
        HEAD.batches.clear();
        assertThat(many(lines)).isZero();
        assertThat(HEAD.batches).containsExactly(Mode.CHECK, Mode.CHECK, Mode.CHECK, Mode.ALL, Mode.ALL, Mode.ALL);
        assertThat(out.toString().lines()).hasSize(2500).startsWith("1", "2").endsWith("2500");
    }

    @Test
    void aRequestHasAsManyJobsAndBytesAsTheHeadTakes() throws IOException {
        var large = Files.writeString(folder.resolve("large.sh"), "#".repeat(700_000) + "\ntrue\n");
        assertThat(many(List.of(large + " 1", large + " 2", large + " 3", large + " 4"), "--keep-going"))
                .isZero();
        assertThat(HEAD.batches).containsExactly(Mode.EACH, Mode.EACH);
        HEAD.batches.clear();
        assertThat(many(List.of("--array 0-599 " + script, "--array 0-599 " + script), "--keep-going"))
                .isZero();
        assertThat(HEAD.batches).containsExactly(Mode.EACH, Mode.EACH);
    }

    @Test
    void linesComeFromStandardInput() throws IOException {
        var before = System.in;
        try {
            System.setIn(new ByteArrayInputStream((script + "\n").getBytes(StandardCharsets.UTF_8)));
            assertThat(ask("submit", "--many", "-")).isZero();
        } finally {
            System.setIn(before);
        }
        assertThat(out.toString()).isEqualTo("1\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--wait|--many does not wait",
                "train.sh|with --many each line names its script",
                "--key a/b|--key: 'a/b' is not usable",
            })
    void whatMakesNoSenseIsRefused(String more, String message) throws IOException {
        assertThat(many(List.of(script.toString()), more.split(" ", -1))).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString()).contains(message);
        assertThat(HEAD.submissions).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n# nothing\n"})
    void aFileWithoutASubmissionIsAMistake(String text) throws IOException {
        assertThat(many(List.of(text))).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString()).contains("has no submission");
        Files.delete(file);
        assertThat(ask("submit", "--many", file.toString())).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(ask("submit", "--keep-going", script.toString())).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(ask("submit")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(HEAD.submissions).isEmpty();
    }

    @Test
    void aHeadThatDoesNotAnswerIsToldWithTheKeyToGoOn() throws IOException {
        HEAD.broken = true;
        try {
            assertThat(many(List.of(script.toString()), "--key", "k7")).isEqualTo(CliFailure.FAILED);
        } finally {
            HEAD.broken = false;
        }
        assertThat(err.toString()).contains("0 of 1 lines are submitted for certain", "repeat it with --key k7");
    }
}
