package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Power;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** A provider with a listing that lags, answers that get lost, and instances that die. */
final class SimProvider implements Compute, Power {
    static final Duration WINDOW = Duration.ofSeconds(3);
    static final int CPUS = 4;
    /** Against which its usual machines count, where a story has one. */
    static final String QUOTA = "usual";
    /** Machines that have ended are shown for that long. */
    private static final Duration REMEMBERED = Duration.ofSeconds(20);

    /** An instance, with what is true of it whoever knows. */
    static final class Machine {
        final String id;
        final LaunchRequest request;
        final Instant launchedAt;
        final Instant bootedAt;
        final Instant visibleAt;
        final String address;

        @Nullable
        Instant endedAt;

        @Nullable
        Instant endsAt;

        /** The instance boots and is never heard of. */
        boolean deaf;

        /** The instance was accepted, and cannot be had. */
        boolean failed;

        /** The offering that the instance became. */
        OfferingId offering;

        Machine(
                String id,
                LaunchRequest request,
                Instant launchedAt,
                Instant bootedAt,
                Instant visibleAt,
                String address) {
            this.id = id;
            this.offering = request.offering();
            this.request = request;
            this.launchedAt = launchedAt;
            this.bootedAt = bootedAt;
            this.visibleAt = visibleAt;
            this.address = address;
        }

        private boolean stopped;

        boolean isStopped() {
            return isLive() && stopped;
        }

        /** Whether anything runs on it from then on. */
        boolean hasBooted(Instant now) {
            return isLive() && !failed && !now.isBefore(bootedAt);
        }

        boolean isLive() {
            return endedAt == null;
        }
    }

    final Map<String, Machine> machines = new LinkedHashMap<>();
    /** Told to end by the head, and not yet judged. */
    final List<Machine> toldToEnd = new ArrayList<>();

    private final Map<String, List<Machine>> byToken = new HashMap<>();
    private final String site;
    private final SimClock clock;
    private final Draw draw;
    private final boolean honoursTokens;
    /** The provider's API knows ids. */
    boolean canAskById = true;

    private final OfferingId offering;
    private final Money price;
    /** The provider lists, and does not say what it sells. */
    boolean unpriced;

    /** The provider never answers. */
    boolean mute;

    boolean faulty;

    /** The provider's compute nodes boot and are never heard of. */
    boolean deafNodes;

    int endsAsked;
    /** Why the provider ends nothing; empty while it does. */
    String lock = "";

    /** How many of the next instances are accepted and then fail. */
    int failing;

    /** The provider is short of its usual offering and gives a larger one instead. */
    boolean substitutes;
    /** The provider's usual offering is sold in two zones, and stands on a fabric in each. */
    boolean fabrics;
    /** The provider sells its usual offering as spot, too, for a quarter of the price. */
    boolean sellsSpot;

    /** Types of one size that the provider sells instead of its usual ones. */
    final SimTypes types = new SimTypes();

    /** Further time that compute nodes take to boot. */
    Duration boot = Duration.ZERO;
    /** Zones without room for anything. */
    final Set<String> shutZones = new HashSet<>();

    /** Zones in which nodes are sick, and do not get well. */
    final Set<String> sickZones = new HashSet<>();
    /** How many nodes a zone has room for; one that is missing has room for any number. */
    final Map<String, Integer> roomIn = new HashMap<>();

    @Nullable
    Instant refusesUntil;

    @Nullable
    Instant listingFailsUntil;

    private Lies.@Nullable Lie lie;
    private Instant liesUntil = Instant.MIN;

    SimProvider(String site, SimClock clock, Draw draw, Money price) {
        this.price = price;
        this.site = site;
        this.clock = clock;
        this.draw = draw;
        this.honoursTokens = draw.chance(0.5);
        this.offering = new OfferingId(site, "a", "std", Market.ON_DEMAND);
    }

    @Override
    public List<Offering> offerings() throws CloudException {
        answer();
        if (unpriced) {
            throw new CloudException(Reason.THROTTLED, "no prices");
        }
        if (types.any()) {
            return types.offerings(site);
        }
        if (fabrics) {
            return List.of(onFabric("a"), onFabric("b"));
        }
        Offering usual =
                Offering.of(offering, Resources.of(CPUS, 8L << 30, 0), price).withQuotaFamily(QUOTA);
        if (sellsSpot) {
            return List.of(usual, spot());
        }
        return substitutes ? List.of(usual, larger()) : List.of(usual);
    }

    private Offering spot() {
        OfferingId id = new OfferingId(site, "a", "std", Market.SPOT);
        return Offering.of(id, Resources.of(CPUS, 8L << 30, 0), new Money(price.micros() / 4));
    }

    private Offering onFabric(String zone) {
        OfferingId id = new OfferingId(site, zone, "std", Market.ON_DEMAND);
        return Offering.of(id, Resources.of(CPUS, 8L << 30, 0), price).withFeatures(Set.of("fabric:efa"));
    }

    private int leftFor(LaunchRequest request) {
        String zone = request.offering().zone();
        long there = machines.values().stream()
                .filter(machine -> machine.isLive()
                        && isNode(machine.request)
                        && machine.offering.zone().equals(zone))
                .count();
        return isNode(request)
                ? (int) Math.max(0, roomIn.getOrDefault(zone, Integer.MAX_VALUE) - there)
                : Integer.MAX_VALUE;
    }

    private static boolean isNode(LaunchRequest request) {
        return "NODE".equals(request.tags().get(Instance.TAG_ROLE));
    }

    /** Dearer too, so that nobody asks for it first. */
    Offering larger() {
        OfferingId id = new OfferingId(site, "b", "large", Market.ON_DEMAND);
        return Offering.of(id, Resources.of(2 * CPUS, 16L << 30, 0), price.times(3));
    }

    @Override
    public LaunchAnswer launch(LaunchRequest request) {
        if (refusesUntil != null && clock.now().isBefore(refusesUntil)) {
            return new LaunchAnswer(new LaunchOutcome.Refused(Reason.CAPACITY, "no capacity"), List.of());
        }
        if (shutZones.contains(request.offering().zone())) {
            return new LaunchAnswer(new LaunchOutcome.Refused(Reason.CAPACITY, "no room in the zone"), List.of());
        }
        if (types.any()) {
            return types.launch(request, isNode(request), offering -> view(make(request, offering)));
        }
        if (faulty && draw.chance(0.05)) {
            return new LaunchAnswer(new LaunchOutcome.Unknown("never sent, but who knows"), List.of());
        }
        List<Machine> made = honoursTokens ? byToken.get(request.token()) : null;
        if (made == null) {
            made = new ArrayList<>();
            double partly = fabrics ? 0.4 : 0.1;
            int most = faulty && request.count() > 1 && draw.chance(partly) ? request.count() - 1 : request.count();
            int count = Math.min(most, leftFor(request));
            if (count == 0) {
                return new LaunchAnswer(new LaunchOutcome.Refused(Reason.CAPACITY, "no capacity"), List.of());
            }
            for (int i = 0; i < count; i++) {
                made.add(make(request, substitutes ? larger().id() : request.offering()));
            }
            byToken.put(request.token(), made);
        }
        if (faulty && draw.chance(0.15)) {
            return new LaunchAnswer(new LaunchOutcome.Unknown("the answer was lost"), List.of());
        }
        List<Instance> instances = made.stream().map(this::view).toList();
        if (substitutes) {
            LaunchOutcome all = new LaunchOutcome.Launched(made.size());
            return new LaunchAnswer(
                    all,
                    instances,
                    List.of(
                            new LaunchAnswer.Part(offering, new LaunchOutcome.Refused(Reason.CAPACITY, "short")),
                            new LaunchAnswer.Part(larger().id(), all)));
        }
        LaunchOutcome outcome = made.size() == request.count()
                ? new LaunchOutcome.Launched(made.size())
                : new LaunchOutcome.Partial(made.size(), Reason.CAPACITY, "no more");
        return new LaunchAnswer(outcome, instances);
    }

    private void answer() throws CloudException {
        if (mute) {
            throw new CloudException(Reason.THROTTLED, "no answer");
        }
    }

    private Machine make(LaunchRequest request, OfferingId became) {
        Instant now = clock.now();
        String id = site + "-m" + machines.size();
        Machine machine = new Machine(
                id,
                request,
                now,
                now.plusMillis(draw.between(200, 3000)).plus(isNode(request) ? boot : Duration.ZERO),
                now.plusMillis(draw.chance(0.5) ? 0 : draw.between(0, (int) WINDOW.toMillis() - 1)),
                "10." + site.charAt(site.length() - 1) + ".0." + machines.size());
        machine.deaf = (faulty && draw.chance(0.03)) || (deafNodes && isNode(request));
        machine.failed = failing-- > 0 || (faulty && draw.chance(0.03));
        machine.offering = became;
        machines.put(id, machine);
        return machine;
    }

    private Instance view(Machine machine) {
        Instant now = clock.now();
        Instance.State state = machine.endedAt != null
                ? Instance.State.TERMINATED
                : machine.endsAt != null
                        ? Instance.State.TERMINATING
                        : machine.stopped || (machine.failed && !now.isBefore(machine.bootedAt))
                                ? Instance.State.STOPPED
                                : now.isBefore(machine.bootedAt) ? Instance.State.PENDING : Instance.State.RUNNING;
        Map<String, String> tags = new HashMap<>(machine.request.tags());
        tags.put(Instance.TAG_INTENT, machine.request.intent());
        Instance seen = Instance.of(machine.id, machine.offering, state, machine.launchedAt, tags)
                .at(machine.address, 22);
        if (!machine.failed || state == Instance.State.PENDING) {
            return seen;
        }
        return seen.failing(new LaunchOutcome.Refused(Reason.CAPACITY, "no valid host"));
    }

    @Override
    public void terminate(Collection<String> ids) throws CloudException {
        endsAsked++;
        if (!lock.isEmpty()) {
            throw new CloudException(Reason.CREDENTIALS, lock);
        }
        if (faulty && draw.chance(0.1)) {
            throw new CloudException(Reason.THROTTLED, "try later");
        }
        for (String id : ids) {
            Machine machine = machines.get(id);
            if (machine != null && machine.isLive() && machine.endsAt == null) {
                toldToEnd.add(machine);
                machine.endsAt = clock.now().plusMillis(draw.between(0, 2000));
            }
        }
        if (faulty && draw.chance(0.1)) {
            throw new CloudException(Reason.THROTTLED, "the answer was lost");
        }
    }

    @Override
    public List<Instance> list() throws CloudException {
        answer();
        if (listingFailsUntil != null && clock.now().isBefore(listingFailsUntil)) {
            throw new CloudException(Reason.THROTTLED, "only the first page came");
        }
        Instant now = clock.now();
        List<Instance> truth = machines.values().stream()
                .filter(machine -> !now.isBefore(machine.visibleAt))
                .filter(machine -> !isForgotten(machine))
                .map(this::view)
                .toList();
        return lie == null || !now.isBefore(liesUntil) ? truth : told(truth, lie, now);
    }

    void lies(Lies.Lie which, Instant until) {
        lie = which;
        liesUntil = until;
    }

    /** The latest machine that lives is lied about: older ones have ended more often. */
    private static List<Instance> told(List<Instance> truth, Lies.Lie lie, Instant now) {
        List<Instance> live = truth.stream().filter(one -> one.state().isLive()).toList();
        Instance last = live.isEmpty() ? null : live.getLast();
        return switch (lie) {
            case EMPTY -> List.of();
            case HALF -> truth.subList(0, truth.size() / 2);
            case MOVED -> truth.stream().filter(one -> !one.equals(last)).toList();
            case STALE ->
                truth.stream()
                        .filter(one -> one.launchedAt().isBefore(now.minus(WINDOW.multipliedBy(10))))
                        .toList();
            case ENDED -> with(truth, last, Instance.State.TERMINATED);
            case ENDING -> with(truth, last, Instance.State.TERMINATING);
            case OFF -> with(truth, last, Instance.State.STOPPED);
        };
    }

    private static List<Instance> with(List<Instance> truth, @Nullable Instance which, Instance.State state) {
        return truth.stream()
                .map(one -> !one.equals(which)
                        ? one
                        : Instance.of(one.id(), one.offering(), state, one.launchedAt(), one.tags())
                                .at(one.address(), one.sshPort()))
                .toList();
    }

    @Override
    public Optional<Lookup> lookup() {
        return canAskById ? Optional.of(this::look) : Optional.empty();
    }

    private Map<String, Look> look(Collection<String> ids) throws CloudException {
        answer();
        Map<String, Look> all = new LinkedHashMap<>();
        for (String id : ids) {
            Machine machine = machines.get(id);
            all.put(
                    id,
                    machine == null || isForgotten(machine)
                            ? new Look.Denied("NoSuchMachine")
                            : new Look.Found(view(machine)));
        }
        return all;
    }

    private boolean isForgotten(Machine machine) {
        return machine.endedAt != null && !clock.now().isBefore(machine.endedAt.plus(REMEMBERED));
    }

    @Override
    public Duration consistencyWindow() {
        return WINDOW;
    }

    @Override
    public void stop(Collection<String> ids) {
        ids.forEach(id -> power(id, true));
    }

    @Override
    public void start(Collection<String> ids) throws CloudException {
        if (refusesUntil != null && clock.now().isBefore(refusesUntil)) {
            throw new CloudException(Reason.CAPACITY, "no capacity");
        }
        ids.forEach(id -> power(id, false));
    }

    private void power(String id, boolean off) {
        Machine machine = machines.get(id);
        if (machine != null) {
            machine.stopped = off;
        }
    }

    void step() {
        for (Machine machine : machines.values()) {
            if (machine.isLive() && machine.endsAt != null && !clock.now().isBefore(machine.endsAt)) {
                machine.endedAt = machine.endsAt;
            }
        }
    }

    /** The instance ends at once, by itself. */
    void end(Machine machine) {
        if (machine.isLive()) {
            machine.endedAt = clock.now();
        }
    }

    Money pricePerHour() {
        return price;
    }

    Money cost() {
        Money sum = Money.ZERO;
        for (Machine machine : machines.values()) {
            Instant end = machine.endedAt == null ? clock.now() : machine.endedAt;
            sum = sum.plus(price.perHourFor(Duration.between(machine.launchedAt, end)));
        }
        return sum;
    }
}
