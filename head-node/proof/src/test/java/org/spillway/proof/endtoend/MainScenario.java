package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.policy.Money;

/** A job with input and output, and everything given back; for whichever user runs it. */
final class MainScenario {
    private MainScenario() {}

    /** @param arguments an empty folder of this process's user */
    public static void main(String[] arguments) throws IOException {
        try (var head = new HeadFixture(Path.of(arguments[0]))) {
            head.start();
            runJob(head);
            release(head);
        }
        System.out.println("all is well");
    }

    static void runJob(HeadFixture head) throws IOException {
        Path input = Files.writeString(head.folder().resolve("in.txt"), "hello from home\n");
        Path result = head.folder().resolve("result.txt");
        Path ids = head.folder().resolve("ids.txt");
        String job = head.submit(HeadFixture.submission(
                "#!/bin/sh\ntool >out.txt\ntr a-z A-Z <in.txt >>out.txt\nid -u >ids.txt\nsleep 1\n",
                input.toString(),
                Map.of("out.txt", result, "ids.txt", ids)));
        JobDetail end = head.awaitEnd(job);
        assertThat(end.job().state()).as(end.toString()).isEqualTo(JobState.DONE);
        assertThat(result).hasContent("image tool\nHELLO FROM HOME\n");
        assertThat(ids).hasContent(Files.getAttribute(head.folder(), "unix:uid") + "\n");
        assertThat(end.timeline().stream().map(JobDetail.Moment::state))
                .containsExactly(
                        JobState.SUBMITTED,
                        JobState.STAGING_IN,
                        JobState.QUEUED,
                        JobState.RUNNING,
                        JobState.STAGING_OUT,
                        JobState.DONE);
        assertThat(end.timeline().stream().map(JobDetail.Moment::at)).isSorted();
        assertThat(end.job().cost().isMoreThan(Money.ZERO)).as("cost").isTrue();
        assertThat(end.job().attempt()).isEqualTo(1);
        assertThat(end.warnings()).isEmpty();
    }

    static void release(HeadFixture head) throws IOException {
        assertThat(head.command("stop", "--release", "--wait", "--timeout", "300s"))
                .contains("instances left: 0");
        assertThat(head.running().isAlive()).isFalse();
        assertThat(head.cloud().live()).isEmpty();
        assertThat(Processes.ofInstances(head.folder())).isEmpty();
    }
}
