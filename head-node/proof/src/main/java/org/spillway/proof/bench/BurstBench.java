package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.spillway.api.NodeState;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.IntentRecord;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.journal.JournalStore.Transition;
import org.spillway.head.journal.SqliteJournalStore;

/**
 * From the moment when a job is eligible to the moment when the provider is about to be called, both as journalled: with
 * nothing bought it is the call for a director, with a director and a full node the call for one more node.
 */
final class BurstBench {
    private static final int ROUNDS = 3;
    private static final int BURST = 20;
    private static final String LONG = "#!/bin/sh\nsleep 300\n";

    private final Path launcher;

    BurstBench(Path launcher) {
        this.launcher = launcher;
    }

    List<Figure> measure() throws IOException, InterruptedException {
        List<Double> cold = new ArrayList<>();
        List<Double> warm = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            try (var head = HeadUnderTest.start(launcher)) {
                String first = Benchmarks.run(head).job().id();
                HeadUnderTest.await("the node is idle", Benchmarks.JOB_LIMIT, () -> Benchmarks.isIdleWithNode(head));
                List<String> burst = new ArrayList<>();
                for (int job = 0; job < BURST; job++) {
                    burst.add(head.submit(LONG).id());
                }
                HeadUnderTest.await("a further node is asked for", Benchmarks.JOB_LIMIT, () -> isAskedFor(head));
                head.stop();
                try (JournalStore store = SqliteJournalStore.open(head.state())) {
                    cold.add(seconds(store, List.of(first)));
                    warm.add(seconds(store, burst));
                }
            }
        }
        return List.of(
                Figure.below(
                        1,
                        "burst.cold",
                        Samples.of(cold).median(),
                        "s",
                        "eligible to the call for a director, nothing bought before, median of " + ROUNDS),
                Figure.below(
                        1,
                        "burst.warm",
                        Samples.of(warm).median(),
                        "s",
                        "eligible to the call for a further node, " + BURST + " jobs on a full one, median of "
                                + ROUNDS));
    }

    private static boolean isAskedFor(HeadUnderTest head) {
        return head.liveNodes().stream()
                        .filter(node -> node.state() != NodeState.REQUESTED)
                        .count()
                == 3;
    }

    /** From when the first of the jobs might have been given a node to the first call after that. */
    private static double seconds(JournalStore store, List<String> jobs) throws IOException {
        Instant eligible = jobs.stream()
                .flatMap(job -> store.timeline("job", job).stream())
                .filter(line -> line.to().equals("STAGING_IN") || line.to().equals("QUEUED"))
                .map(Transition::at)
                .min(Comparator.naturalOrder())
                .orElseThrow(() -> new IOException("no job became eligible"));
        Instant called = store.load(Instant.EPOCH).stream()
                .filter(IntentRecord.class::isInstance)
                .map(Entry::id)
                .flatMap(intent -> store.timeline("intent", intent).stream())
                .filter(line -> line.to().equals("CALLED") && !line.at().isBefore(eligible))
                .map(Transition::at)
                .min(Comparator.naturalOrder())
                .orElseThrow(() -> new IOException("no provider was called"));
        return Duration.between(eligible, called).toNanos() / 1e9;
    }
}
