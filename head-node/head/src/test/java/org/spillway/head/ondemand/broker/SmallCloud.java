package org.spillway.head.ondemand.broker;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Site;
import org.spillway.head.ondemand.ChildSites;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/**
 * A provider in memory that several clusters share. It knows no token, so that a repeated call makes a twin, and shows an
 * instance only after a while.
 */
final class SmallCloud implements ChildSites {
    static final Duration WINDOW = Duration.ofSeconds(10);
    static final OfferingId SMALL = new OfferingId("east", "a", "small", Market.ON_DEMAND);
    static final OfferingId LARGE = new OfferingId("east", "a", "large", Market.ON_DEMAND);
    private static final Map<OfferingId, Money> PRICES = Map.of(SMALL, Money.parse("1"), LARGE, Money.parse("4"));

    private final InstantSource clock;
    final Map<String, Instance> instances = new LinkedHashMap<>();
    /** Besides instances. */
    final Map<String, Billable> things = new LinkedHashMap<>();

    private final Map<String, Instant> seenFrom = new HashMap<>();
    /** Listings and bills come empty, with a good status. */
    boolean empty;

    int calls;
    int launches;
    /** The luck of the next launch. */
    Luck luck = Luck.NONE;
    /** Run when the provider has done what it was asked, before it answers. */
    Runnable beforeAnswer = () -> {};

    enum Luck {
        NONE,
        /** Done, and the answer is lost. */
        LOST,
        /** Not done, and nobody hears so. */
        VANISHED,
        REFUSED,
        /** The launch gives one instance less than asked for. */
        PARTIAL
    }

    SmallCloud(InstantSource clock) {
        this.clock = clock;
    }

    static LaunchRequest request(String intent, OfferingId offering, int count) {
        return LaunchRequest.of(intent, 1, offering, count).withUserData("#secret of " + intent);
    }

    List<Instance> live(String cluster) {
        return instances.values().stream()
                .filter(one -> one.state().isLive() && cluster.equals(one.tags().get(Instance.TAG_CLUSTER)))
                .toList();
    }

    @Override
    public Site of(String cluster, String site) {
        return new Site() {
            @Override
            public Compute compute() {
                return new Calls(cluster, site);
            }

            @Override
            public Diagnostics diagnostics() {
                return needs -> List.of();
            }

            @Override
            public Optional<Inventory> inventory() {
                return Optional.of(new Bill(cluster));
            }

            @Override
            public void close() {}
        };
    }

    private final class Calls implements Compute {
        private final String cluster;
        private final String site;

        Calls(String cluster, String site) {
            this.cluster = cluster;
            this.site = site;
        }

        @Override
        public List<Offering> offerings() {
            List<Offering> all = new ArrayList<>();
            PRICES.forEach((id, price) -> all.add(Offering.of(id, Resources.of(2, 1L << 30, 0), price)));
            return all;
        }

        @Override
        public LaunchAnswer launch(LaunchRequest request) {
            calls++;
            launches++;
            Luck now = luck;
            luck = Luck.NONE;
            if (now == Luck.REFUSED) {
                return new LaunchAnswer(
                        new LaunchOutcome.Refused(LaunchOutcome.Reason.CAPACITY, "none left"), List.of());
            }
            List<Instance> made = new ArrayList<>();
            int count = now == Luck.VANISHED ? 0 : now == Luck.PARTIAL ? request.count() - 1 : request.count();
            for (int i = 0; i < count; i++) {
                made.add(make(request));
            }
            beforeAnswer.run();
            return switch (now) {
                case LOST, VANISHED -> new LaunchAnswer(new LaunchOutcome.Unknown("no answer"), List.of());
                case PARTIAL ->
                    new LaunchAnswer(
                            count == 0
                                    ? new LaunchOutcome.Refused(LaunchOutcome.Reason.CAPACITY, "none left")
                                    : new LaunchOutcome.Partial(count, LaunchOutcome.Reason.CAPACITY, "none left"),
                            made);
                case NONE, REFUSED -> new LaunchAnswer(new LaunchOutcome.Launched(count), made);
            };
        }

        private Instance make(LaunchRequest request) {
            String id = "m-" + (instances.size() + 1);
            Map<String, String> tags = new HashMap<>(request.tags());
            tags.put(Instance.TAG_CLUSTER, cluster);
            tags.put(Instance.TAG_SITE, site);
            tags.put(Instance.TAG_INTENT, request.intent());
            tags.put(Instance.TAG_ATTEMPT, Integer.toString(request.attempt()));
            Instance made = Instance.of(id, request.offering(), Instance.State.RUNNING, clock.instant(), tags)
                    .at("10.0.0.1", 22);
            instances.put(id, made);
            seenFrom.put(id, clock.instant().plus(WINDOW.dividedBy(2)));
            return made;
        }

        @Override
        public void terminate(Collection<String> instanceIds) {
            calls++;
            for (String id : instanceIds) {
                Instance one = instances.get(id);
                if (one != null && cluster.equals(one.tags().get(Instance.TAG_CLUSTER))) {
                    instances.put(id, ended(one));
                }
            }
        }

        @Override
        public List<Instance> list() throws CloudException {
            return (empty ? List.<Instance>of() : instances.values())
                    .stream()
                            .filter(one -> cluster.equals(one.tags().get(Instance.TAG_CLUSTER)))
                            .filter(one -> site.equals(one.tags().get(Instance.TAG_SITE)))
                            .filter(one -> !clock.instant().isBefore(seenFrom.get(one.id())))
                            .toList();
        }

        @Override
        public Optional<Lookup> lookup() {
            return Optional.of(ids -> {
                Map<String, Look> all = new HashMap<>();
                for (String id : ids) {
                    Instance one = instances.get(id);
                    all.put(id, one == null ? new Look.Denied("NoSuchMachine") : new Look.Found(one));
                }
                return all;
            });
        }

        @Override
        public Duration consistencyWindow() {
            return WINDOW;
        }
    }

    private static Instance ended(Instance one) {
        return Instance.of(one.id(), one.offering(), Instance.State.TERMINATED, one.launchedAt(), one.tags());
    }

    private final class Bill implements Inventory {
        private final String cluster;

        Bill(String cluster) {
            this.cluster = cluster;
        }

        @Override
        public List<Billable> all() {
            List<Billable> all = new ArrayList<>();
            if (empty) {
                return all;
            }
            live(cluster).forEach(one -> all.add(Billable.tagged("instance", one.id(), Money.ZERO, one.tags())));
            things.values().stream()
                    .filter(one -> cluster.equals(one.tags().get(Instance.TAG_CLUSTER)))
                    .forEach(all::add);
            return all;
        }

        @Override
        public void delete(Billable thing) {
            things.remove(thing.id());
            new Calls(cluster, "east").terminate(List.of(thing.id()));
        }
    }
}
