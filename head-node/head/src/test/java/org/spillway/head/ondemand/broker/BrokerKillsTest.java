package org.spillway.head.ondemand.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.head.journal.DelegatedRecord;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.ondemand.Allowance;
import org.spillway.policy.Money;

/**
 * A parent that is killed between any two of journal, call and answer, with a provider that loses answers and knows no
 * token, and a child that asks for more than its share and repeats itself. Hundreds of stories for each seed.
 */
final class BrokerKillsTest {
    private static final Instant BEGIN = Instant.parse("2026-11-22T08:00:00Z");
    private static final Money BUDGET = Money.parse("4");
    private static final int MOST_NODES = 6;
    private static final int STORIES = 300;
    private static final int STEPS = 40;

    /** No {@link RuntimeException}: nothing may take it for a failure that one goes on from. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    private static final class Story {
        final Random random;
        final MemoryJournalStore store = new MemoryJournalStore();
        final SmallCloud cloud = new SmallCloud(this::now);
        final List<LaunchRequest> asked = new ArrayList<>();
        Instant now = BEGIN;
        int killIn = Integer.MAX_VALUE;
        BookOfOne book;
        Delegations delegations;
        Optional<Allowance> allowance = Optional.of(
                new Allowance("home-c1", "east", MOST_NODES, BUDGET, BEGIN.plus(Duration.ofHours(2)), Set.of()));

        Story(long seed) {
            this.random = new Random(seed);
            cloud.beforeAnswer = this::mayDie;
            start();
        }

        Instant now() {
            return now;
        }

        private void start() {
            killIn = Integer.MAX_VALUE;
            book = new BookOfOne(store, this::now, this::mayDie, this::mayDie);
            delegations = new Delegations(cloud, book, this::now, Duration.ofMinutes(10));
        }

        private void mayDie() {
            if (--killIn < 0) {
                throw new Killed();
            }
        }

        void step() throws Exception {
            if (random.nextInt(4) == 0) {
                killIn = random.nextInt(6);
            }
            try {
                switch (random.nextInt(6)) {
                    case 0, 1 -> launch(newRequest());
                    case 2 -> launch(asked.isEmpty() ? newRequest() : asked.get(random.nextInt(asked.size())));
                    case 3 -> delegations.sight("home-c1", "east", "");
                    case 4 -> end();
                    default -> now = now.plusSeconds(random.nextInt(400));
                }
            } catch (Killed killed) {
                start();
            }
            judge();
        }

        private LaunchRequest newRequest() {
            LaunchRequest request = SmallCloud.request(
                    "i" + asked.size(),
                    random.nextBoolean() ? SmallCloud.SMALL : SmallCloud.LARGE,
                    1 + random.nextInt(4));
            asked.add(request);
            return request;
        }

        private void launch(LaunchRequest request) {
            SmallCloud.Luck[] all = SmallCloud.Luck.values();
            cloud.luck = random.nextBoolean() ? SmallCloud.Luck.NONE : all[random.nextInt(all.length)];
            Money spent = delegations.spent("home-c1", now);
            int launches = cloud.launches;
            delegations.launch(allowance.orElseThrow(), () -> allowance, request, now.plusSeconds(30));
            if (cloud.launches > launches) {
                assertThat(delegations.spent("home-c1", now))
                        .as("after a launch was let through, with %s spent before", spent)
                        .isLessThanOrEqualTo(BUDGET);
            }
        }

        private void end() throws Exception {
            List<String> seen = delegations.list(allowance.orElseThrow()).stream()
                    .filter(one -> one.state().isLive() && random.nextBoolean())
                    .map(Instance::id)
                    .toList();
            cloud.of("home-c1", "east").compute().terminate(delegations.own(allowance.orElseThrow(), seen));
        }

        /** The provider's truth is in the books, and no more of it than was allowed. */
        private void judge() {
            List<Instance> live = cloud.live("home-c1");
            assertThat(live.size()).isLessThanOrEqualTo(MOST_NODES);
            for (Instance one : live) {
                DelegatedRecord record = book.journal().delegations("home-c1").stream()
                        .filter(each -> Sightings.isOf(each, one))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(one + " is in no book"));
                boolean named = record.machines().stream()
                        .anyMatch(machine -> machine.id().equals(one.id()) && machine.goneAt() == null);
                assertThat(named || record.isOpen())
                        .as("%s is paid for by %s", one, record)
                        .isTrue();
            }
            for (LaunchRequest request : asked) {
                long twins = cloud.instances.values().stream()
                        .filter(one -> one.state().isLive() && one.intent().equals(request.intent()))
                        .count();
                assertThat(twins).as(request.intent()).isLessThanOrEqualTo(request.count());
            }
        }

        void remove() throws Exception {
            allowance = Optional.empty();
            Instant taken = now;
            Brokered.Removed pass = new Brokered.Removed(false, "");
            for (int i = 0; i < 100 && !pass.proven(); i++) {
                if (random.nextInt(5) == 0) {
                    killIn = random.nextInt(3);
                }
                try {
                    pass = Removal.pass(delegations, cloud.of("home-c1", "east"), "home-c1", "east", taken);
                } catch (Killed killed) {
                    start();
                }
                now = now.plusSeconds(3);
            }
            assertThat(pass.proven()).as(pass.what()).isTrue();
            assertThat(cloud.live("home-c1")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void nothingIsBoughtThatIsNotInTheBooksOrBeyondTheBudget(long seed) throws Exception {
        for (int i = 0; i < STORIES; i++) {
            long each = seed * 1_000_003 + i;
            Story story = new Story(each);
            try {
                for (int step = 0; step < STEPS; step++) {
                    story.step();
                }
                story.remove();
            } catch (AssertionError wrong) {
                throw new AssertionError("seed " + each, wrong);
            }
        }
    }
}
