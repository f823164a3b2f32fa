package org.spillway.head.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.policy.Money;

/** The sentences themselves, so that each change of one is read in a review. */
final class ExplanationTest {
    private static final Instant NOW = Instant.parse("2026-01-05T14:00:00Z");
    private static final Instant START = Instant.parse("2026-01-05T14:07:30Z");
    private static final Path GOLDEN = Path.of("src/test/resources/org/spillway/head/explain/sentences.txt");

    private static final class Facts {
        private final JobState state;
        private String reason = "";
        private boolean cancelled;
        private int nodes = 1;
        private long moved;
        private long total;
        private String waitsFor = "";
        private List<JobFacts.Refused> refused = List.of();
        private List<JobFacts.OneNode> coming = List.of();
        private @Nullable Instant start;
        private boolean stopping;
        private int attempt;
        private long home;
        private List<JobFacts.OnFabric> places = List.of();
        private JobFacts.@Nullable Results results;

        Facts(JobState state) {
            this.state = state;
        }

        String sentence() {
            JobFacts facts = new JobFacts(
                    new JobFacts.Life(state, NOW.minusSeconds(60), reason, cancelled, stopping, attempt),
                    "east",
                    nodes,
                    Duration.ofMinutes(30),
                    new JobFacts.Obstacles(waitsFor, refused, places),
                    coming,
                    start,
                    new JobFacts.Moved(moved, total, home, results));
            return Explanation.of(facts, NOW);
        }
    }

    private static Map<String, Facts> situations() {
        Map<String, Facts> all = new LinkedHashMap<>();
        Facts fresh = put(all, "just submitted", JobState.SUBMITTED);
        fresh.waitsFor = "";
        Facts depends = put(all, "depends on another", JobState.HELD);
        depends.waitsFor = "waits for job 12 (RUNNING)";
        Facts array = put(all, "array is limited", JobState.HELD);
        array.waitsFor = "array limit: 4 of its tasks at once";
        Facts nowhere = put(all, "nothing can take it", JobState.HELD);
        nowhere.reason = "no site can take it: site east has nothing that is large enough";
        Facts staged = put(all, "half staged, the offering is refused", JobState.STAGING_IN);
        staged.moved = 41_700_000;
        staged.total = 119_500_000;
        staged.refused = List.of(new JobFacts.Refused("gpu.large", "b", "refused for capacity", NOW.plusSeconds(300)));
        staged.start = START;
        Facts director = put(all, "the director is not there yet", JobState.STAGING_IN);
        director.total = 12_345;
        director.waitsFor = "the director of site east is not ready";
        director.start = START;
        Facts booting = put(all, "its node boots", JobState.QUEUED);
        booting.total = 900;
        booting.coming = List.of(node("east-7", NodeState.BOOTING));
        booting.waitsFor = "must not be said";
        booting.start = START;
        Facts gang = put(all, "three of four nodes of a gang are on the way", JobState.QUEUED);
        gang.nodes = 4;
        gang.coming = List.of(
                node("east-7-0", NodeState.JOINING),
                node("east-7-1", NodeState.LAUNCHING),
                node("east-7-2", NodeState.LAUNCHING));
        gang.waitsFor = "site east has 4 of 4 nodes, a gang needs 1 more";
        gang.start = START;
        Facts apart = put(all, "a gang has nodes on two fabrics", JobState.QUEUED);
        apart.nodes = 3;
        apart.refused = List.of(new JobFacts.Refused("gpu.large", "a", "refused for capacity", NOW.plusSeconds(90)));
        apart.places = List.of(new JobFacts.OnFabric("a", "efa", 2), new JobFacts.OnFabric("b", "efa", 1));
        Facts budget = put(all, "the budget is spent", JobState.QUEUED);
        budget.waitsFor = "budget: 0.10 left, one more gpu.large would commit 4.20";
        Facts soon = put(all, "it starts with the next tick", JobState.QUEUED);
        soon.start = NOW;
        soon.results = new JobFacts.Results(12_000_000, Money.parse("0.00108"));
        Facts tomorrow = put(all, "it waits for a long job", JobState.QUEUED);
        tomorrow.waitsFor = "site east has no free room, and no more may be bought";
        tomorrow.start = NOW.plus(Duration.ofHours(30));
        Facts running = put(all, "runs", JobState.RUNNING);
        running.attempt = 1;
        running.coming = List.of(node("east-7", NodeState.READY));
        Facts paid = put(all, "runs where what leaves the site is paid for", JobState.RUNNING);
        paid.attempt = 1;
        paid.coming = List.of(node("east-7", NodeState.READY));
        paid.results = new JobFacts.Results(5_000_000_000L, Money.parse("0.45"));
        Facts again = put(all, "runs again, on two nodes", JobState.RUNNING);
        again.attempt = 2;
        again.coming = List.of(node("east-7", NodeState.READY), node("east-8", NodeState.READY));
        Facts stopping = put(all, "one of its nodes was lost", JobState.RUNNING);
        stopping.stopping = true;
        stopping.coming = List.of(node("east-8", NodeState.READY));
        Facts cancelled = put(all, "is cancelled while it runs", JobState.RUNNING);
        cancelled.cancelled = true;
        cancelled.stopping = true;
        Facts full = put(all, "the disk at home is full", JobState.STAGING_OUT);
        full.home = 3_100;
        full.waitsFor = "its results could not be brought home, trying again: no space left on device";
        Facts leaving = put(all, "its results leave a site that takes money for it", JobState.STAGING_OUT);
        leaving.home = 3_100_000_000L;
        leaving.results = new JobFacts.Results(4_200_000_000L, Money.parse("0.378"));
        Facts done = put(all, "is done", JobState.DONE);
        done.reason = "";
        Facts failed = put(all, "has failed", JobState.FAILED);
        failed.reason = "its script ended with exit code 3";
        Facts cut = put(all, "was cut off", JobState.CANCELLED);
        cut.reason = "job 12, which it depends on, ended as FAILED";
        return all;
    }

    private static Facts put(Map<String, Facts> all, String name, JobState state) {
        Facts facts = new Facts(state);
        all.put(name, facts);
        return facts;
    }

    private static JobFacts.OneNode node(String id, NodeState state) {
        return new JobFacts.OneNode(id, "gpu.large", state, NOW.minusSeconds(120));
    }

    /** Written anew by -Dgolden.update=true. */
    @Test
    void saysWhatItSaidBefore() throws IOException {
        String sentences = situations().entrySet().stream()
                .map(entry -> entry.getKey() + "\n    " + entry.getValue().sentence() + "\n")
                .collect(Collectors.joining());
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(GOLDEN, sentences);
        }
        assertThat(sentences).isEqualTo(Files.readString(GOLDEN));
    }

    @Test
    void progressIsInTheUnitOfTheWholeAndNeverMoreThanIt() {
        assertThat(Explanation.progress(41_999_999, 120_000_000)).isEqualTo("41 of 120 MB");
        assertThat(Explanation.progress(5, 9_999)).isEqualTo("5 of 9999 bytes");
        assertThat(Explanation.progress(50_000, 20_000)).isEqualTo("20 of 20 kB");
    }
}
