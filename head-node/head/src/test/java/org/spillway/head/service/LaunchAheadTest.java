package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.NodeState;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Site;
import org.spillway.cloud.fleet.Intent;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.SqliteJournalStore;
import org.spillway.head.ondemand.Kids;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

final class LaunchAheadTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Kids.MADE);

    @TempDir
    Path folder;

    private final BlockingQueue<LaunchRequest> bought = new LinkedBlockingQueue<>();
    private final List<Offering> sold = new ArrayList<>(List.of(offering("small", "2"), offering("large", "1")));
    private final ClusterRecord child = withMachine(Kids.made(Duration.ofHours(1), "5"));

    private static ClusterRecord withMachine(ClusterRecord child) {
        return child.withHead(child.head().named("i-1", "192.0.2.7", 22, "10.0.0.7"));
    }

    private static Offering offering(String type, String price) {
        return Offering.of(
                new OfferingId("west", "a", type, Market.ON_DEMAND), Resources.of(2, 1L << 30, 0), Money.parse(price));
    }

    private LaunchAhead ahead(int unproven) {
        return new LaunchAhead(
                folder,
                (cluster, site) -> new Shop(),
                site -> Duration.ofMinutes(5),
                unproven,
                Market.STEADY,
                (id, request) -> {
                    assertThat(id).isEqualTo("main-c1");
                    bought.add(request);
                    return new LaunchAnswer(new LaunchOutcome.Launched(request.count()), List.of());
                },
                CLOCK);
    }

    private LaunchRequest next() throws InterruptedException {
        LaunchRequest request = bought.poll(30, TimeUnit.SECONDS);
        assertThat(request).as("what was bought").isNotNull();
        return request;
    }

    @Test
    void buysTheSameInEveryLife() throws Exception {
        assertThat(ahead(0).begin(child)).isPresent();
        LaunchRequest first = next();
        // A head that was killed finds what it had written down, even if prices have changed since.
        sold.set(0, offering("small", "3"));
        assertThat(ahead(0).begin(child)).isPresent();
        assertThat(next().token()).isEqualTo(first.token());
        assertThat(first.offering().instanceType()).isEqualTo("small");
        assertThat(first.count()).isEqualTo(2);
    }

    @Test
    void itsHeadBeginsAsOneThatWasKilledWhileItCalled() throws Exception {
        Path state = ahead(0).begin(child).orElseThrow();
        LaunchRequest request = next();
        SiteAuthority its = SiteAuthority.open(state, CLOCK);
        try (SqliteJournalStore store = SqliteJournalStore.open(state)) {
            Journal journal = new Journal(store, Kids.MADE);
            Intent intent = journal.intent(request.intent()).orElseThrow();
            assertThat(intent.state()).isEqualTo(Intent.State.CALLED);
            assertThat(journal.liveNodesUnder(intent.id()))
                    .hasSize(2)
                    .allMatch(node -> node.nodeState() == NodeState.LAUNCHING && node.role() == NodeRecord.Role.NODE);
            // The tokens that the nodes show when they join are derived from the secrets that the child gets; its
            // journal has none.
            assertThat(request.userData()).contains(its.joinToken(intent.id())).contains("10.0.0.7");
            assertThat(intent.request().userData()).doesNotContain(its.joinToken(intent.id()));
            assertThat(store.nextSequence()).isGreaterThan(1);
        }
    }

    /** All that is bought bears the state that it is of, and the child's head knows it for its own. */
    @Test
    void whatIsBoughtAheadBearsTheIdentityOfTheChildsState() throws Exception {
        Path state = ahead(0).begin(child).orElseThrow();
        String tag = next().tags().getOrDefault(Instance.TAG_STATE, "");
        assertThat(tag).matches("[0-9a-f]{12}\\.1\\.[0-9a-f]{8}");
        assertThat(state.resolve("ballast")).doesNotExist();
        try (SqliteJournalStore store = SqliteJournalStore.open(state, false, Kids.MADE.plusSeconds(300))) {
            assertThat(store.standing().quarantined()).isFalse();
            assertThat(store.standing().known()).contains(tag);
            assertThat(store.standing().isStrange(tag)).isFalse();
        }
    }

    @Test
    void buysNoMoreThanMayBeUnderWayUnproven() throws Exception {
        ahead(1).begin(child);
        assertThat(next().count()).isEqualTo(1);
    }

    @Test
    void leavesItToTheChildWhereNothingIsSold() throws Exception {
        sold.clear();
        assertThat(ahead(0).begin(child)).isEmpty();
        assertThat(folder).isEmptyDirectory();
        assertThat(bought).isEmpty();
    }

    @Test
    void keepsItsSecretsForItselfAndLetsThemGo() throws Exception {
        LaunchAhead ahead = ahead(0);
        Path state = ahead.begin(child).orElseThrow();
        next();
        assertThat(Files.getPosixFilePermissions(state.resolve("secrets/master-secret")))
                .hasSize(2);
        ahead.forget("main-c1");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aDamagedFolderIsSaid() throws Exception {
        Files.createDirectory(folder.resolve("main-c1"));
        assertThatThrownBy(() -> ahead(0).begin(child))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("there is no launch");
        assertThat(bought).isEmpty();
    }

    private final class Shop implements Site, Compute {
        @Override
        public Compute compute() {
            return this;
        }

        @Override
        public List<Offering> offerings() {
            return List.copyOf(sold);
        }

        @Override
        public Diagnostics diagnostics() {
            return needs -> List.of();
        }

        @Override
        public LaunchAnswer launch(LaunchRequest request) {
            throw new AssertionError("bought without asking");
        }

        @Override
        public void terminate(Collection<String> instanceIds) {
            throw new AssertionError("ended without asking");
        }

        @Override
        public List<Instance> list() {
            return List.of();
        }

        @Override
        public Optional<Lookup> lookup() {
            return Optional.empty();
        }

        @Override
        public Duration consistencyWindow() {
            return Duration.ZERO;
        }

        @Override
        public void close() {}
    }
}
