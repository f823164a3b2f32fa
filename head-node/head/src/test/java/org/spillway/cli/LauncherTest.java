package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.head.rest.FakeHead;
import picocli.CommandLine;

/** The launcher has the head run what is asked every minute, and says what a client in its own process would say. */
final class LauncherTest extends AskedHead {
    /** Options of which the launcher looks at the value. */
    private static final List<String> PLACES = List.of("--socket", "--out", "--stdout", "--stderr");

    private static final Path LAUNCHER = Path.of("../../spillway");
    private static final String OWN_PROCESS = "a process of its own: ";

    private record Ended(int code, String out, String err) {}

    /** In place of a Java: says that it was started. */
    @BeforeEach
    void install() throws IOException {
        Files.copy(LAUNCHER, folder.resolve("spillway"), StandardCopyOption.REPLACE_EXISTING);
        Files.createDirectories(folder.resolve("lib"));
        var java = Files.createDirectories(folder.resolve("java/bin")).resolve("java");
        Files.writeString(
                java,
                "#!/bin/sh\nwhile [ \"$1\" != org.spillway.cli.Main ]; do shift; done\nshift\necho \"" + OWN_PROCESS
                        + "$*\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(folder.resolve("java/release"), "JAVA_VERSION=\"25.0.1\"\n");
        Files.writeString(
                Files.createDirectories(Path.of("target")).resolve("launched.sh"),
                "#!/bin/sh\n#SPILLWAY --gpus 2\necho 'a&b'\n");
        HEAD.jobs.put("7", FakeHead.job("7", "naïve & 'quoted'", "ada", 1001, JobState.SUBMITTED));
    }

    private Ended launch(Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        var line = new ArrayList<>(List.of("sh", folder.resolve("spillway").toString()));
        line.addAll(List.of(arguments));
        return run(environment, line);
    }

    private Ended run(Map<String, String> environment, List<String> line) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(line)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().remove("SPILLWAY_CLIENT");
        builder.environment().remove("SPILLWAY_JAVA_OPTS");
        builder.environment().put("JAVA_HOME", folder.resolve("java").toString());
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("SPILLWAY_SOCKET", socket.toString());
        builder.environment().putAll(environment);
        var process = builder.start();
        try {
            assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Ended(
                process.exitValue(),
                Files.readString(folder.resolve("out"), StandardCharsets.UTF_8),
                Files.readString(folder.resolve("err"), StandardCharsets.UTF_8));
    }

    /** The words of a process of its own to the same head. */
    private Ended own(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        int code = ask(arguments);
        return new Ended(code, out.toString(), err.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "queue",
                "queue --json",
                "queue --all --queue east --state running",
                "queue --state asleep",
                "job 2",
                "job 2 --json",
                "job 99",
                "job ../1",
                "explain 2",
                "explain 99",
                "logs --stderr 2",
                "logs 99",
                "cancel 2",
                "cancel 7 99 2",
                "check target/launched.sh",
                "check --json --gpus 1 target/launched.sh --wait x",
                "submit target/launched.sh",
                "submit --json --name a&b target/launched.sh --help",
                "submit --gpus many target/launched.sh",
                "submit --gpus=2 --project=p --env A=B target/launched.sh",
                "submit --time soon target/launched.sh",
            })
    void saysWhatAProcessOfItsOwnSays(String line) throws IOException, InterruptedException {
        var arguments = line.split(" ", -1);
        var before = new LinkedHashMap<>(HEAD.jobs);
        var expected = own(arguments);
        var asked = Map.copyOf(HEAD.submissions);
        HEAD.jobs.clear();
        HEAD.jobs.putAll(before);
        HEAD.submissions.clear();
        var launched = launch(Map.of(), arguments);
        if (line.contains("many")) {
            // A mistake of the command line is explained by the client itself.
            assertThat(launched.out).startsWith(OWN_PROCESS);
            return;
        }
        assertThat(launched).isEqualTo(expected);
        assertThat(HEAD.submissions).isEqualTo(asked);
    }

    @Test
    void theZoneIsTheSameForAllUsers() throws IOException, InterruptedException {
        var far = launch(Map.of("TZ", "Pacific/Kiritimati"), "job", "2");
        var near = launch(Map.of("TZ", "UTC0"), "job", "2");
        assertThat(far.code).isZero();
        assertThat(far.out).isEqualTo(near.out).doesNotContain(OWN_PROCESS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "submit --wait target/launched.sh",
                "submit --many target/launched.sh",
                "submit --help",
                "submit -",
                "submit target/nothing-is-here.sh",
                "submit --stdout target target/launched.sh",
                "submit --out a.csv=target target/launched.sh",
                "submit --config x target/launched.sh",
                "submit --no-such-option target/launched.sh",
                "submit --key=k target/launched.sh",
                "submit",
                "queue --help",
                "queue --strange",
                "queue --socket target/nothing-is-here",
                "logs -f 2",
                "nodes",
                "--version",
            })
    void whatIsUnusualIsLeftToAProcessOfItsOwn(String line) throws IOException, InterruptedException {
        HEAD.submissions.clear();
        var launched = launch(Map.of(), line.split(" ", -1));
        assertThat(launched).isEqualTo(new Ended(0, OWN_PROCESS + line + "\n", ""));
        assertThat(HEAD.submissions).isEmpty();
    }

    @Test
    void aPlaceThatTheScriptNamesIsLookedAtByAProcessOfItsOwn() throws IOException, InterruptedException {
        var script = Files.writeString(folder.resolve("job.sh"), "#SPILLWAY --stdout results\ntrue\n");
        assertThat(launch(Map.of(), "submit", script.toString()).out).startsWith(OWN_PROCESS);
        assertThat(launch(Map.of("SPILLWAY_CLIENT", "jvm"), "queue").out).startsWith(OWN_PROCESS);
        assertThat(launch(Map.of("SPILLWAY_JAVA_OPTS", "-Xmx64m"), "queue").out).startsWith(OWN_PROCESS);
        assertThat(HEAD.submissions).isEmpty();
    }

    @Test
    void theFolderIsSaidWithoutItsSymbolicLinks() throws IOException, InterruptedException {
        HEAD.submissions.clear();
        var real = Files.createDirectories(folder.toRealPath().resolve("real"));
        Files.writeString(real.resolve("job.sh"), "true\n");
        var linked = Files.createSymbolicLink(folder.resolve("linked"), real);
        var launched = run(
                Map.of(),
                List.of(
                        "sh",
                        "-c",
                        "cd \"$1\" && exec sh \"$2\" submit job.sh",
                        "sh",
                        linked.toString(),
                        folder.resolve("spillway").toString()));
        assertThat(launched.err).isEmpty();
        assertThat(HEAD.submissions.values())
                .singleElement()
                .satisfies(job -> assertThat(job.folder()).isEqualTo(real.toString()));
    }

    @Test
    void whatCameHomeIsReadByAProcessOfItsOwn() throws IOException, InterruptedException {
        HEAD.outputs = List.of(new JobDetail.OutputView(Submission.STDOUT, folder + "/o", false, "published"));
        assertThat(launch(Map.of(), "logs", "1").out).isEqualTo(OWN_PROCESS + "logs 1\n");
    }

    /** An option without a value that is not named there would take the script for its value, and be slow. */
    @Test
    void theLauncherKnowsWhichOptionsHaveNoValueAndWhichAreNotForTheHead() throws IOException {
        var text = Files.readString(LAUNCHER);
        var word = text.substring(text.indexOf("submission_word()"), text.indexOf("question_word()"));
        for (var option : new CommandLine(new SubmitCommand()).getCommandSpec().options()) {
            for (var name : option.names()) {
                boolean value = option.arity().max() > 0;
                boolean rare = List.of("--help", "--wait", "--config", "--many", "--keep-going", "--key")
                        .contains(name);
                boolean terse = !name.startsWith("--");
                assertThat(Pattern.compile("(^|[ |])" + name + "( \\||\\))", Pattern.MULTILINE)
                                .matcher(word)
                                .find())
                        .as("%s by its name", name)
                        .isEqualTo(rare || (!value && !terse) || PLACES.contains(name));
                assertThat(word.contains(name + "=*")).as("%s=", name).isEqualTo(value && rare);
            }
        }
    }
}
