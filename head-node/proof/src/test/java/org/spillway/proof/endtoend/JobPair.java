package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobView;
import org.spillway.api.Submitted;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadClient;

/**
 * A job that runs and one that is on its way behind it, input and all, at a head or at that of a cluster on demand. Whatever
 * happens meanwhile, both are done at the first attempt, with whole results, and no machine was bought twice.
 *
 * @param path of the jobs below the API's base: {@code /jobs}, or a cluster's
 */
record JobPair(HeadFixture head, String path, String running, String coming, Path first, Path second, Path input) {
    /** @param name of its files, once in a folder */
    static JobPair begin(HeadFixture head, String path, String name) throws IOException {
        Path folder = head.folder();
        Path input = folder.resolve("in-" + name);
        byte[] bytes = new byte[8 << 20];
        new Random(name.hashCode()).nextBytes(bytes);
        Files.write(input, bytes);
        Path first = folder.resolve("first-" + name);
        Path second = folder.resolve("second-" + name);
        Path mark = folder.resolve("mark-" + name);
        String running = submit(
                head,
                path,
                HeadFixture.sized(
                        "", "#!/bin/sh\necho run >>" + mark + "\nsleep 6\ncat " + mark + " >out\n", 2, "", out(first)));
        await(head, path, running, job -> job.state() == JobState.RUNNING);
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> Files.exists(mark)))
                .isTrue();
        String coming = submit(
                head, path, HeadFixture.sized("", "#!/bin/sh\ncat in-* >out\n", 2, input.toString(), out(second)));
        return new JobPair(head, path, running, coming, first, second, input);
    }

    private static List<JobSubmission.Output> out(Path file) {
        return List.of(new JobSubmission.Output("out", file.toString(), false, false));
    }

    /** The head of a cluster may just be started again. */
    static String submit(HeadFixture head, String path, JobSubmission job) {
        String key = UUID.randomUUID().toString();
        String[] id = new String[1];
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> {
                    try {
                        id[0] = HeadClient.read(head.client().post(path, key, job), Submitted.class)
                                .id();
                        return true;
                    } catch (CliFailure away) {
                        assertThat(away).hasMessageContaining("does not answer");
                        return false;
                    }
                }))
                .as(head.tail())
                .isTrue();
        return id[0];
    }

    /** A head may be away meanwhile. */
    static JobDetail await(HeadFixture head, String path, String id, Predicate<JobView> condition) {
        JobDetail[] last = new JobDetail[1];
        boolean so = Processes.eventually(HeadFixture.PATIENCE, () -> {
            try {
                last[0] = head.client().get(path + "/" + id, JobDetail.class);
                return condition.test(last[0].job());
            } catch (CliFailure away) {
                return false;
            }
        });
        assertThat(so).as("job " + id + " is " + last[0] + head.tail()).isTrue();
        return last[0];
    }

    void check(String when) throws IOException {
        ended(running, when);
        assertThat(first).as(when + ": it ran once").hasContent("run\n");
        ended(coming, when);
        assertThat(Files.mismatch(input, second)).as(when + ": bytes").isEqualTo(-1);
        noTwins(head, when);
    }

    private void ended(String id, String when) {
        JobDetail job = await(head, path, id, one -> one.state().isTerminal());
        assertThat(job.job().state()).as(when + job + head.tail()).isEqualTo(JobState.DONE);
        assertThat(job.job().attempt()).as(when).isEqualTo(1);
    }

    static void noTwins(HeadFixture head, String when) {
        Set<String> intents = new HashSet<>();
        for (LocalCloudAdmin.Machine machine : head.cloud().live()) {
            assertThat(intents.add(machine.intent()))
                    .as(when + ": twins of " + machine)
                    .isTrue();
        }
    }
}
