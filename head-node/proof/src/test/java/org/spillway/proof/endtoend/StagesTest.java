package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.SiteView;
import org.spillway.api.StageOrder;
import org.spillway.api.StagedView;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadClient;

/** Files are brought to a region ahead of any job, and its stage-in sends nothing of them. */
@Tag("processes")
@Timeout(600)
final class StagesTest {
    private static final int BYTES = 300_000;
    /** A recipe, and the ends of packs. */
    private static final int LITTLE = 4096;

    @TempDir
    Path given;

    private static StagedView staged(HeadFixture head, String id) {
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE, () -> !view(head, id).state().equals("WAITING")))
                .as(head.tail())
                .isTrue();
        StagedView there = view(head, id);
        assertThat(there.state()).as(there.message()).isEqualTo("THERE");
        return there;
    }

    private static StagedView view(HeadFixture head, String id) {
        return head.client().get("/stages/" + id, StagedView.class);
    }

    private static void write(Path file, long seed) throws Exception {
        byte[] noise = new byte[BYTES];
        new Random(seed).nextBytes(noise);
        Files.write(file, noise);
    }

    @Test
    void whatWasBroughtAheadIsNotSentAgain() throws Exception {
        try (HeadFixture head = new HeadFixture(given).start()) {
            Path data = Files.createDirectories(head.folder().resolve("data"));
            for (int i = 0; i < 4; i++) {
                write(data.resolve("file" + i), i);
            }
            String site = head.client()
                    .list("/sites", "sites", SiteView.class)
                    .getFirst()
                    .name();
            var order = new StageOrder(
                    site, head.folder().toString(), List.of(new JobSubmission.Input(data.toString(), "")), 600);
            String id = HeadClient.read(head.client().post("/stages", order), StagedView.class)
                    .id();
            StagedView first = staged(head, id);
            assertThat(first.files()).isEqualTo(4);
            assertThat(first.moved().sentBytes()).isBetween(4L * BYTES, 4L * BYTES + LITTLE);
            assertThat(first.keptUntil()).isNotNull();

            String job = head.submit(HeadFixture.submission(
                    "#!/bin/sh\ncat data/* | wc -c >count\n",
                    data.toString(),
                    Map.of("count", head.folder().resolve("count"))));
            JobDetail done = head.awaitEnd(job);
            assertThat(done.job().state()).as(head.tail()).isEqualTo(JobState.DONE);
            assertThat(head.folder().resolve("count")).hasContent(4 * BYTES + "\n");
            assertThat(done.data().sentBytes()).isLessThan(LITTLE);
            assertThat(done.data().savedBytes()).isGreaterThan(4L * BYTES);
            assertThat(view(head, id).usedAt()).isNotNull();

            write(data.resolve("file2"), 99);
            assertThat(HeadClient.read(head.client().post("/stages", order), StagedView.class)
                            .id())
                    .isEqualTo(id);
            StagedView again = staged(head, id);
            assertThat(again.moved().sentBytes()).isBetween((long) BYTES, (long) BYTES + LITTLE);

            head.client().post("/stages/" + id + "/remove");
            assertThat(Processes.eventually(
                            HeadFixture.PATIENCE,
                            () -> head.client()
                                    .list("/stages", "stages", StagedView.class)
                                    .isEmpty()))
                    .as(head.tail())
                    .isTrue();
            assertThatThrownBy(() -> view(head, id)).isInstanceOf(CliFailure.class);
            assertThatThrownBy(() -> head.client()
                            .post("/stages", new StageOrder(site, "/tmp", order.inputs(), 365L * 24 * 3600)))
                    .hasMessageContaining("for longer than 7d");
        }
    }
}
