package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.api.NodeView;
import org.spillway.cloud.aws.Planting;
import org.spillway.cloud.azure.ArmCloud;

/** Reserved capacity that a site names by its id is used first, by the site alone, for no more than it has room for, and ended last. */
@Tag("processes")
@Timeout(900)
final class ReservationsTest {
    private static final String CONFIG = """
            cluster: reserving
            state: ./state
            currency: USD
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { name: base, tree: ./image }
            queues: { east: { sites: [good], maxWalltime: 10m, default: true } }
            scaler: { tick: 1s, settings: { idleTime: 15s } }
            sites:
              good: { maxNodes: 3, %s }
            """;
    /** Until it is cancelled. */
    private static final String SCRIPT = "#!/bin/sh\nwhile :; do sleep 0.2; done\n";

    @TempDir
    Path given;

    @Test
    void ofAmazonByItsId() throws Exception {
        Path folder = given.toRealPath();
        try (Account account = Account.ec2(folder);
                Planting person = new Planting(account.cloud())) {
            String ours = person.targeted("t3.small", "us-east-1a", 1);
            String others = person.targeted("t3.small", "us-east-1a", 5);
            String site = site(account, "prices: { t3.small/reserved: 0 }", "reservations: '" + ours + "'");
            usedFirstAndEndedLast(folder, site, () -> person.inUse(ours), () -> person.inUse(others));
        }
    }

    @Test
    void ofAzureByItsGroup() throws Exception {
        Path folder = given.toRealPath();
        ArmCloud arm = Account.armCloud(folder);
        try (Account account = Account.arm(folder, arm)) {
            String ours = arm.reserved("ours", "small", "a", 1);
            String others = arm.reserved("others", "small", "a", 5);
            String site = site(account, "prices: { small/reserved: 0 }", "reservation: '" + ours + "'");
            usedFirstAndEndedLast(folder, site, () -> arm.inUse(ours), () -> arm.inUse(others));
        }
    }

    private static String site(Account account, String prices, String option) {
        return prices + ", "
                + String.valueOf(account.sites().get("good")).replace("options: { ", "options: { " + option + ", ");
    }

    private static NodeView node(HeadFixture head, String job) {
        String id = head.job(job).job().nodes().getFirst();
        return head.nodes().stream()
                .filter(node -> node.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static String start(HeadFixture head) {
        String job = head.submit(HeadFixture.sized("", SCRIPT, 2, "", List.of()));
        head.await(job, view -> view.state() == JobState.RUNNING);
        return job;
    }

    private static void cancel(HeadFixture head, String job) {
        head.client().post("/jobs/" + job + "/cancel");
        head.awaitEnd(job);
    }

    private void usedFirstAndEndedLast(Path folder, String site, Callable<Integer> ours, Callable<Integer> others)
            throws Exception {
        try (HeadFixture head = HeadFixture.complete(folder)) {
            Files.writeString(folder.resolve("spillway.yaml"), CONFIG.formatted(site));
            head.start();
            String first = start(head);
            assertThat(node(head, first).offering()).endsWith("/RESERVED");
            String second = start(head);
            NodeView dear = node(head, second);
            assertThat(dear.offering()).as("no more than is reserved").endsWith("/ON_DEMAND");
            assertThat(ours.call()).isEqualTo(1);
            assertThat(others.call()).as("nobody named it").isZero();

            cancel(head, second);
            cancel(head, first);
            String third = start(head);
            assertThat(node(head, third).offering()).endsWith("/RESERVED");
            assertThat(Processes.eventually(
                            HeadFixture.PATIENCE,
                            () -> head.nodes().stream()
                                    .noneMatch(node -> node.id().equals(dear.id())
                                            && !node.state().isTerminal())))
                    .as(head.tail())
                    .isTrue();
            assertThat(head.job(third).job().state()).isEqualTo(JobState.RUNNING);
            assertThat(ours.call()).isEqualTo(1);
            cancel(head, third);
            assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> inUse(ours) == 0))
                    .as(head.tail())
                    .isTrue();
            assertThat(others.call()).isZero();
        }
    }

    private static int inUse(Callable<Integer> count) {
        try {
            return count.call();
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }
}
