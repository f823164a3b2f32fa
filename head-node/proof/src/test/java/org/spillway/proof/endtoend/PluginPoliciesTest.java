package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.PoliciesView;
import org.spillway.api.PolicyDetail;
import org.spillway.api.PolicyView;

/** Policies dropped beside a head that runs: a good one decides; one that hangs, one that eats memory and one that exits do not. */
@Tag("processes")
@Tag("long")
final class PluginPoliciesTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final String SCALER =
            "scaler: { tick: 1s, policy: mine, policies: ./policies.d, policyMemory: 64MiB," + " policyDeadline: 5s }";
    private static final String POLICY = """
            import java.util.ArrayList;
            import java.util.List;
            import org.spillway.policy.*;

            public final class Mine implements ScalingPolicy<Mine.Settings> {
                public record Settings() {}
                private static final List<long[]> KEPT = new ArrayList<>();

                @Override public String name() { return "mine"; }
                @Override public Settings defaults() { return new Settings(); }

                @Override
                public List<Wish> decide(ClusterSnapshot now, Settings settings, Planner planner) {
                    int waiting = now.demands().stream()
                            .filter(demand -> demand.queue().equals("east")).mapToInt(Demand::jobs).sum();
                    if (waiting >= %d) { %s }
                    List<Wish> wishes = new ArrayList<>();
                    for (Planner.Bought bought : planner.pack(now.demands(), now.nodes(), now.offerings()).bought()) {
                        wishes.add(new Wish.Provision(bought.shapes(), bought.offerings(), bought.count(), "%s"));
                    }
                    return wishes;
                }
            }
            """;

    @TempDir
    Path folder;

    private void drop(int waiting, String statement, String reason) throws IOException {
        Path policies = folder.resolve("policies.d");
        Files.createDirectories(policies);
        Files.setPosixFilePermissions(policies, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path next = folder.resolve("next");
        Files.writeString(next, POLICY.formatted(waiting, statement, reason));
        Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-r--r--"));
        Files.move(next, policies.resolve("Mine.java"), StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    @Timeout(900)
    void goodOnesDecideAndBadOnesAreContained() throws Exception {
        try (var head = new HeadFixture(folder)) {
            Path config = folder.resolve("spillway.yaml");
            Files.writeString(config, Files.readString(config).replaceFirst("(?m)^scaler: .*$", SCALER));
            head.start();
            assertThat(all(head).deciding()).isEqualTo("queue-depth");
            var answers = new Answers(head);
            answers.start();

            drop(1000, "", "mine says so, first");
            taken(head, "", "deciding");
            submit(head, 6);
            logged(head, "mine says so, first");

            bad(
                    head,
                    20,
                    "while (true) java.util.concurrent.locks.LockSupport.park();",
                    24,
                    "did not answer within 5000 ms of its own time, and was ended");
            bad(head, 50, "while (true) KEPT.add(new long[1 << 16]);", 30, "used up its 64m of memory");
            bad(head, 80, "System.exit(9);", 30, "ended itself with status 9");

            assertThat(head.command("plan")).contains("queue-depth");
            String mineBefore = mine(head).digest();
            drop(1000, "", "mine says so, again");
            taken(head, mineBefore, "deciding");
            var versions =
                    head.client().get("/policies/mine", PolicyDetail.class).versions();
            assertThat(versions)
                    .hasSize(5)
                    .filteredOn(one -> one.until() == null)
                    .hasSize(1);
            assertThat(versions.subList(1, 4)).allMatch(one -> one.strikes() > 0);
            answers.end();
        }
    }

    /** A policy that passes its check, and is asked about more jobs then. */
    private void bad(HeadFixture head, int waiting, String statement, int more, String sentence) throws Exception {
        String before = mine(head).digest();
        drop(waiting, statement, "mine says so, until " + waiting);
        taken(head, before, "deciding");
        submit(head, more);
        logged(head, sentence);
        Processes.eventually(LONG, () -> all(head).deciding().equals("queue-depth"));
        assertThat(all(head).deciding()).isEqualTo("queue-depth");
        // In all: those in a row are forgotten when a policy that was started again has answered once.
        assertThat(Processes.eventually(
                        LONG,
                        () -> head.client().get("/policies/mine", PolicyDetail.class).versions().stream()
                                .anyMatch(one -> one.until() == null && one.strikes() > 0)))
                .isTrue();
    }

    private static void submit(HeadFixture head, int jobs) {
        for (int i = 0; i < jobs; i++) {
            head.submit(HeadFixture.sized("", "sleep 600", 2, "", List.of()));
        }
    }

    private static PoliciesView all(HeadFixture head) {
        return head.client().get("/policies", PoliciesView.class);
    }

    private static PolicyView mine(HeadFixture head) {
        return all(head).policies().stream()
                .filter(one -> one.file().equals("Mine.java"))
                .findFirst()
                .orElse(new PolicyView("mine", "", "", "", null, 0, ""));
    }

    private static void taken(HeadFixture head, String before, String state) {
        boolean done = Processes.eventually(LONG, () -> {
            PolicyView now = mine(head);
            return !now.digest().equals(before) && now.state().equals(state);
        });
        assertThat(done).as("%s; the head's log:%n%s", mine(head), head.tail()).isTrue();
    }

    private static void logged(HeadFixture head, String sentence) {
        boolean done = Processes.eventually(LONG, () -> {
            try {
                return Files.readString(head.log()).contains(sentence);
            } catch (IOException unreadable) {
                return false;
            }
        });
        assertThat(done)
                .as("'%s' in the head's log:%n%s", sentence, head.tail())
                .isTrue();
    }

    /** How long the head's loop takes to answer all the while: what it answers, it answers between its ticks. */
    private static final class Answers extends Thread {
        private final HeadFixture head;
        private final AtomicBoolean ended = new AtomicBoolean();
        private final AtomicLong count = new AtomicLong();
        private final ConcurrentSkipListSet<Long> longest = new ConcurrentSkipListSet<>();

        Answers(HeadFixture head) {
            this.head = head;
            setDaemon(true);
        }

        @Override
        public void run() {
            while (!ended.get()) {
                long begin = System.nanoTime();
                head.client().get("/plan");
                longest.add((System.nanoTime() - begin) / 1_000_000 * 1_000_000 + count.incrementAndGet());
            }
        }

        /** No stricter than a tick and the deadline, and only for what is usual: this machine does other things too. */
        void end() throws InterruptedException {
            ended.set(true);
            join();
            List<Long> millis = longest.stream().map(one -> one / 1_000_000).toList();
            long median = millis.get(millis.size() / 2);
            System.out.println("plugins: the loop answered " + millis.size() + " times, median " + median
                    + " ms, longest " + millis.getLast() + " ms");
            assertThat(median).isLessThan(5000);
        }
    }
}
