package org.spillway.head.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;

/** Requests that a hostile launcher may send: the head sees its caller, and no file. */
final class CommandRouteTest {
    private static final String OWN = "spillway-command 1 own -\n.";
    private final FakeHead head = new FakeHead();
    private final Caller bob = new Caller("bob", 1002, 1002, false);
    private final Caller root = new Caller("root", 0, 0, true);

    @TempDir
    Path folder;

    @BeforeEach
    void jobs() {
        head.jobs.put("1", FakeHead.job("1", "train", "ada", 1001, JobState.SUBMITTED));
    }

    private String answer(Caller caller, byte[] body) {
        var route = new Routes(head)
                .all().stream()
                        .filter(one -> one.path().equals("/command"))
                        .findFirst()
                        .orElseThrow();
        var answer = route.handler().answer(new Routes.Call(caller, Map.of(), Map.of(), Map.of(), body));
        assertThat(answer.status()).isEqualTo(200);
        return new String(((CommandRoute.Text) answer.value()).bytes(), StandardCharsets.UTF_8);
    }

    private static byte[] told(String script, List<String> arguments) {
        var body = new ByteArrayOutputStream();
        for (var field : List.of("2", "/home/bob", script, Integer.toString(arguments.size()))) {
            body.writeBytes((field + "\0").getBytes(StandardCharsets.UTF_8));
        }
        arguments.forEach(word -> body.writeBytes((word + "\0").getBytes(StandardCharsets.UTF_8)));
        return body.toByteArray();
    }

    private static byte[] with(byte[] told, String script) {
        var body = new ByteArrayOutputStream();
        body.writeBytes(told);
        body.writeBytes(("&" + script).getBytes(StandardCharsets.UTF_8));
        return body.toByteArray();
    }

    @Test
    void theCallerSeesAndTouchesWhatIsTheCallers() {
        assertThat(answer(root, told("", List.of("queue")))).contains("train");
        assertThat(answer(bob, told("", List.of("queue", "--all")))).doesNotContain("train");
        for (var command : List.of("job", "explain", "cancel", "logs")) {
            assertThat(answer(bob, told("", List.of(command, "1"))))
                    .as(command)
                    .startsWith("spillway-command 1 1 ")
                    .contains("no job '1'")
                    .doesNotContain("train");
        }
        assertThat(head.jobs.get("1").state()).isEqualTo(JobState.SUBMITTED);
        answer(bob, with(told("job.sh", List.of("submit", "job.sh")), "true\n"));
        assertThat(head.jobs.values())
                .anyMatch(job -> job.uid() == 1002 && job.user().equals("bob"));
    }

    @Test
    void noPathIsOpened() throws Exception {
        var secret =
                Files.writeString(folder.resolve("secret"), "echo secret\n").toString();
        assertThat(answer(bob, told(secret, List.of("submit", secret)))).isEqualTo(OWN);
        assertThat(answer(bob, told("", List.of("check", secret)))).isEqualTo(OWN);
        assertThat(answer(bob, with(told("job.sh", List.of("submit", secret)), "true\n")))
                .isEqualTo(OWN);
        assertThat(answer(
                        bob, with(told("-", List.of("submit", "--stdout", "x", "-")), "#SPILLWAY --stdout y\ntrue\n")))
                .isEqualTo(OWN);
        assertThat(answer(bob, told("", List.of("queue", "@" + secret)))).isEqualTo(OWN);
        // The option is the client's: here it names nothing that is looked at.
        assertThat(answer(bob, told("", List.of("queue", "--config", secret)))).startsWith("spillway-command 1 0 -");
        assertThat(head.submissions).isEmpty();
    }

    @Test
    void nothingThatWaitsOrServesIsRun() {
        for (var line : List.of(
                List.of("serve", "--config", "x"),
                List.of("stop"),
                List.of("nodes"),
                List.of("web"),
                List.of("logs", "-f", "1"),
                List.of("queue", "--help"),
                List.<String>of())) {
            assertThat(answer(root, told("", line))).isEqualTo(OWN);
        }
        assertThat(answer(root, with(told("job.sh", List.of("submit", "--wait", "job.sh")), "true\n")))
                .isEqualTo(OWN);
        assertThat(head.submissions).isEmpty();
        assertThat(head.stopped).isFalse();
    }

    @Test
    void aLongListingIsReadElsewhere() {
        assertThat(answer(root, told("", List.of("queue")))).startsWith("spillway-command 1 0 -");
        for (int i = 0; i < 2000; i++) {
            head.jobs.put("9" + i, FakeHead.job("9" + i, "n".repeat(2000), "ada", 1001, JobState.SUBMITTED));
        }
        assertThat(answer(root, told("", List.of("queue")))).isEqualTo(OWN);
    }

    @Test
    void whatIsMalformedIsLeftAlone() {
        var good = told("", List.of("queue"));
        for (int length = 0; length < good.length; length++) {
            assertThat(answer(root, Arrays.copyOf(good, length))).isEqualTo(OWN);
        }
        for (var body : List.of(
                "1\0/\0UTC\0\0001\0queue\0",
                "2\0home\0\0001\0queue\0",
                "2\0/a/../b\0\0001\0queue\0",
                "2\0/\0\00099999\0queue\0",
                "2\0/\0\000-1\0queue\0",
                "2\0/\0\0001\0queue\0more")) {
            assertThat(answer(root, body.getBytes(StandardCharsets.UTF_8))).isEqualTo(OWN);
        }
        assertThat(answer(root, "2\0/\0\0001\0que\u00e9\0".getBytes(StandardCharsets.ISO_8859_1)))
                .isEqualTo(OWN);
        assertThat(answer(root, good)).startsWith("spillway-command 1 0 -\n");
    }
}
