package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobSubmission.ArrayRange;
import org.spillway.api.JobSubmission.Dependency;
import org.spillway.api.JobSubmission.Input;
import org.spillway.api.JobSubmission.Output;
import org.spillway.settings.ShellWords;
import picocli.CommandLine;

/** Options of a script and a command line together. */
final class ScriptOptionsTest {
    private final StringWriter err = new StringWriter();

    @TempDir
    Path folder;

    private JobSubmission submission(String script, String... commandLine) throws IOException {
        var options = new JobOptions();
        new CommandLine(options).parseArgs(commandLine);
        var file = Files.writeString(folder.resolve("job.sh"), script);
        return Submission.of(file.toString(), List.of("x"), options, new OwnProcess(), new PrintWriter(err, true));
    }

    @Test
    void theScriptSaysItsOptions() throws IOException {
        var asked = submission("""
                #!/bin/sh
                # trains

                #SPILLWAY --gpus 2 --gpu-model h100 --nodes 2   # a gang
                #SPILLWAY --name 'the "big" one' --in "my data.csv=in/"
                #SPILLWAY
                #SPILLWAY --site east,west --constraint cloud --after 7,8 --after-any 9 --array 0-9:3%2
                #SPILLWAY --no-requeue --project water --time 90s --mem 1GiB --priority -3
                #SPILLWAYS are many
                true
                """);
        assertThat(asked.gpus()).isEqualTo(2);
        assertThat(asked.gpuModel()).isEqualTo("h100");
        assertThat(asked.nodes()).isEqualTo(2);
        assertThat(asked.name()).isEqualTo("the \"big\" one");
        var here = Path.of("").toAbsolutePath();
        assertThat(asked.inputs()).containsExactly(new Input(here + "/my data.csv", "in/"));
        assertThat(asked.sites()).containsExactly("east", "west");
        assertThat(asked.constraint()).isEqualTo("cloud");
        assertThat(asked.after())
                .containsExactly(new Dependency("7", true), new Dependency("8", true), new Dependency("9", false));
        assertThat(asked.array()).isEqualTo(new ArrayRange(0, 9, 3, 2));
        assertThat(asked.requeue()).isFalse();
        assertThat(asked.project()).isEqualTo("water");
        assertThat(asked.walltimeSeconds()).isEqualTo(90);
        assertThat(asked.memoryBytes()).isEqualTo(1L << 30);
        assertThat(asked.priority()).isEqualTo(-3);
        assertThat(asked.outputs())
                .containsExactly(
                        new Output(".spillway/stdout", here + "/spillway-%A-%a.out", false, false),
                        new Output(".spillway/stderr", here + "/spillway-%A-%a.err", false, false));
        assertThat(asked.arguments()).containsExactly("x");
        assertThat(asked.scriptName()).isEqualTo("job.sh");
        assertThat(err.toString()).isEmpty();
    }

    /** An interval without anything to bring home would be a promise that nobody keeps. */
    @Test
    void outputsThatComeHomeWhileItRunsAreNamed() throws IOException {
        assertThat(submission("#SPILLWAY --sync 1m --out state/\n").syncSeconds())
                .isEqualTo(60);
        assertThat(submission("#SPILLWAY --sync 1m --out state/\n", "--sync", "90s")
                        .syncSeconds())
                .isEqualTo(90);
        assertThat(submission("#SPILLWAY --out state/\n").syncSeconds()).isZero();
        assertThatThrownBy(() -> submission("#SPILLWAY --sync 1m\n")).hasMessageContaining("there is no --out");
    }

    @Test
    void theCommandLineIsStrongerAndRepeatablesAddUp() throws IOException {
        var asked = submission(
                "#SPILLWAY --gpus 2 --in a --env K=1 --env L=1 --no-requeue\n#SPILLWAY --in b --gpus 3 --queue q\n",
                "--gpus",
                "4",
                "--in",
                "c",
                "--env",
                "K=2",
                "--requeue");
        assertThat(asked.gpus()).isEqualTo(4);
        assertThat(asked.queue()).isEqualTo("q");
        assertThat(asked.inputs()).extracting(Input::pattern).allMatch(path -> path.matches(".*/[abc]"));
        assertThat(asked.inputs()).hasSize(3);
        assertThat(asked.environment()).isEqualTo(Map.of("K", "2", "L", "1"));
        assertThat(asked.requeue()).isTrue();
    }

    @Test
    void theLastLineOfTheScriptWins() throws IOException {
        assertThat(submission("#SPILLWAY --gpus 2\n#SPILLWAY --gpus 3\n").gpus())
                .isEqualTo(3);
    }

    @Test
    void linesBehindTheFirstCommandAreToldAndNotRead() throws IOException {
        assertThat(submission("set -e\n#SPILLWAY --gpus 2\n").gpus()).isZero();
        assertThat(err.toString())
                .isEqualTo("spillway: " + folder + "/job.sh:2: this #SPILLWAY line is not read: it stands behind the"
                        + " first command\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--gpu 1|Unknown option",
                "--gpus|Missing required parameter",
                "--gpus many|Invalid value for option '--gpus': 'many' is not an int",
                "--gpus -1|gpus: found -1",
                "--cpus 0|cpus: found 0",
                "--mem 4GB|--mem: '4GB' is not a size",
                "--site ,|--site: ',' has an empty place",
                "--site East|sites: found",
                "--constraint moon|constraint: found",
                "--array 9-0|--array: '9-0' is empty",
                "--array 1,2,4|--array: the indices of '1,2,4' are not at equal distances",
                "--array 0-9%0|--array: '0-9%0' lets no task run",
                "--array 0-10000|array: found",
                "--after a_b|after.job: found",
                "--out ../a|--out: '../a' is not a path in the job's folder",
                "--out [|--out: '[': ",
                "--in '[' |inputs.pattern: found",
                "--wait|Unknown option: '--wait'",
                "other.sh|Unmatched argument at index 0: 'other.sh'",
                "--name 'x|the quote ' at character",
            })
    void aMistakeInTheScriptIsToldWithItsPlace(String line, String message) {
        assertThatThrownBy(() -> submission("#!/bin/sh\n\n#SPILLWAY " + line + "\n"))
                .isInstanceOf(CliFailure.class)
                .hasMessageStartingWith(folder + "/job.sh:3: " + message);
    }

    @Test
    void nothingOfALineIsEvaluated() throws IOException {
        var words = ShellWords.split(" --in $HOME/`id`/*.csv  --name 'a'\"b \\\" \\n\"\\ c '' x#y\t# rest 'of");
        assertThat(words).containsExactly("--in", "$HOME/`id`/*.csv", "--name", "ab \" \\n c", "", "x#y");
        var failure = catchThrowableOfType(IllegalArgumentException.class, () -> ShellWords.split("a \\"));
        assertThat(failure).hasMessageContaining("backslash");
    }

    @ParameterizedTest
    @ValueSource(strings = {"3", "3,5,7", "7,3,5,5", "1-9:2%4", "0-0"})
    void arraysThatCanBeWritten(String text) {
        var range = Submission.array(text);
        assertThat(range.isNone()).isFalse();
        assertThat(range)
                .isEqualTo(
                        switch (text) {
                            case "3" -> new ArrayRange(3, 3, 1, 0);
                            case "1-9:2%4" -> new ArrayRange(1, 9, 2, 4);
                            case "0-0" -> new ArrayRange(0, 0, 1, 0);
                            default -> new ArrayRange(3, 7, 2, 0);
                        });
    }

    @Test
    void outputsComeHomeAsTheyWereAskedFor() throws IOException {
        var here = Path.of("").toAbsolutePath();
        var outputs = submission(
                        "true\n",
                        "--out",
                        "a/r.csv!",
                        "--out",
                        "l.txt!=" + folder + "/m.txt",
                        "--out",
                        "sums/*.csv=" + folder,
                        "--out",
                        "tree/",
                        "--stdout",
                        "/dev/null",
                        "--stderr",
                        "e/%j")
                .outputs();
        assertThat(outputs)
                .containsExactly(
                        new Output("a/r.csv", here + "/r.csv", false, true),
                        new Output("l.txt", folder + "/m.txt", false, true),
                        new Output("sums/*.csv", folder.toString(), true, false),
                        new Output("tree", here + "/tree", true, false),
                        new Output(".spillway/stderr", here + "/e/%j", false, false));
    }

    @Test
    void inputsFromOtherEndsKeepTheirOwnSigns() {
        Path here = Path.of("/home/u/run");
        assertThat(Submission.input("https://h/a.bin=in/b.bin", here))
                .isEqualTo(new Input("https://h/a.bin", "in/b.bin"));
        assertThat(Submission.input("https://h/a?id=7", here)).isEqualTo(new Input("https://h/a?id=7", ""));
        assertThat(Submission.input("s3://b/year=2024/=in/", here)).isEqualTo(new Input("s3://b/year=2024/", "in/"));
        assertThat(Submission.input("s3://b/year=2024/=", here)).isEqualTo(new Input("s3://b/year=2024/", ""));
        assertThat(Submission.input("urls:../list=seeds", here)).isEqualTo(new Input("urls:/home/u/list", "seeds"));
        assertThat(Submission.input("data:x", here)).isEqualTo(new Input("/home/u/run/data:x", ""));
        assertThatThrownBy(() -> Submission.input("ftp://me:hunter2@h/x", here))
                .isInstanceOf(CliFailure.class)
                .hasMessageContaining("https://HOST/PATH")
                .hasMessageNotContaining("hunter2");
    }
}
