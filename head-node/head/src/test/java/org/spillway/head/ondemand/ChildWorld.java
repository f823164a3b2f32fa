package org.spillway.head.ondemand;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Power;
import org.spillway.cloud.Site;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.cause.ClusterCause.ClusterFact;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** A child as it is: its head's machine and process, its nodes, and what a parent can see and do of them. */
final class ChildWorld implements Children, ChildSites, Estate {
    static final Duration WINDOW = Duration.ofSeconds(20);
    static final Money PRICE = Money.parse("1");
    static final Money PRICE_OFF = Money.parse("0.10");
    static final OfferingId SMALL = new OfferingId("east", "a", "small", Market.ON_DEMAND);
    private static final int NODES = 2;

    private final Random random;
    /** Not every driver can. */
    final boolean switchesOff;

    Instant now;
    /** By id; those that are gone too. */
    final Map<String, Instance> machines = new LinkedHashMap<>();

    private final Map<String, Instant> boots = new LinkedHashMap<>();
    boolean installed;
    boolean headRuns;
    int nodes;
    /** The highest number of a head that commanded it. */
    long commander;
    /** The child's configuration, and what its head was told. */
    int wanted;
    /** From what it was last installed or told with. */
    boolean mayBuy;

    boolean reachable = true;
    /** Listings do not show its machine, which is there. */
    boolean hidden;
    /** No launch arrives. */
    boolean losesLaunches;
    /** Listings are empty, and whoever asks by id is told the truth. */
    boolean overlooked;
    /** Whether this head was told to end everything. */
    private boolean releasing;

    private Instant nodesGoneAt = Instant.EPOCH;
    private long secondsOn;
    private long secondsOff;

    ChildWorld(Random random, Instant begin) {
        this.random = random;
        this.switchesOff = random.nextInt(3) > 0;
        this.now = begin;
    }

    Offering offering() {
        return Offering.of(SMALL, Resources.of(2, 1L << 30, 0), PRICE);
    }

    Optional<Instance> machine() {
        return machines.values().stream().filter(one -> one.state().isLive()).findFirst();
    }

    boolean isEmpty() {
        return machine().isEmpty() && nodes == 0;
    }

    /** The true cost of the machine of its head. */
    Money cost() {
        Money off = PRICE_OFF.perHourFor(Duration.ofSeconds(secondsOff));
        return PRICE.perHourFor(Duration.ofSeconds(secondsOn)).plus(off);
    }

    private boolean isOn() {
        return machine().filter(one -> one.state() == Instance.State.RUNNING).isPresent();
    }

    /** @param allowed whether its parent's allowance is in force */
    void pass(int seconds, boolean allowed) {
        for (Instance one : List.copyOf(machines.values())) {
            if (one.state().isLive()) {
                boolean off = one.state() == Instance.State.STOPPED;
                secondsOn += off ? 0 : seconds;
                secondsOff += off ? seconds : 0;
            }
        }
        now = now.plusSeconds(seconds);
        boots.entrySet().removeIf(boot -> {
            Instance one = machines.get(boot.getKey());
            if (now.isBefore(boot.getValue()) || one == null) {
                return false;
            }
            if (one.state() == Instance.State.PENDING) {
                put(one, Instance.State.RUNNING);
            }
            return true;
        });
        mayBuy = allowed;
        if (headRuns && mayBuy && !releasing && nodes < wanted) {
            nodes++;
        } else if (headRuns && nodes > 0 && (releasing || nodes > wanted)) {
            loseNode();
        }
    }

    private void loseNode() {
        nodes--;
        nodesGoneAt = now;
    }

    private void put(Instance one, Instance.State state) {
        machines.put(
                one.id(),
                Instance.of(one.id(), one.offering(), state, one.launchedAt(), one.tags())
                        .at("192.0.2.1", 22));
        if (state != Instance.State.RUNNING) {
            headRuns = false;
        }
    }

    void killHead() {
        headRuns = false;
    }

    void cutPower() {
        machine().ifPresent(one -> put(one, Instance.State.STOPPED));
    }

    void loseMachine() {
        machine().ifPresent(one -> put(one, Instance.State.TERMINATED));
    }

    private void reach() throws IOException {
        if (!isOn() || !reachable || random.nextInt(10) == 0) {
            throw new IOException("it cannot be reached");
        }
    }

    /** Why there is no room; none while there is. */
    Cause vacancy = Cause.NONE;

    Optional<Estate.Refusal> refusal = Optional.empty();
    int wakes;

    @Override
    public Cause vacancy(ClusterRecord child) {
        return vacancy;
    }

    @Override
    public int instances(String cluster) {
        return nodes;
    }

    @Override
    public Optional<Estate.Refusal> refusal(String cluster) {
        return refusal;
    }

    @Override
    public void wake(ClusterRecord child) {
        wakes++;
    }

    @Override
    public String userData(ClusterRecord child) {
        return "";
    }

    @Override
    public void install(ClusterRecord child) throws IOException {
        reach();
        installed = true;
        wanted = child.spec().nodes();
    }

    @Override
    public void start(ClusterRecord child) throws IOException {
        reach();
        if (!installed) {
            throw new IOException("nothing is installed");
        }
        if (!headRuns) {
            releasing = false;
        }
        headRuns = true;
    }

    @Override
    public int readyNodes(ClusterRecord child) throws IOException {
        answer();
        return nodes;
    }

    private void answer() throws IOException {
        reach();
        if (!headRuns) {
            throw new IOException("no head answers");
        }
    }

    @Override
    public Cause keep(ClusterRecord child) throws IOException {
        start(child);
        wanted = child.spec().nodes();
        return nodes > wanted ? new ClusterCause.NodesToGo(nodes - wanted, nodes) : Cause.NONE;
    }

    @Override
    public Cause quiesce(ClusterRecord child) throws IOException {
        reach();
        if (!headRuns) {
            return Cause.NONE;
        }
        releasing = true;
        headRuns = nodes > 0;
        return headRuns ? new ClusterCause.NodesEnding(nodes) : ClusterFact.HEAD_ENDING;
    }

    @Override
    public Answer ask(ClusterRecord child, ClusterRecord.@Nullable User user, Question question) throws IOException {
        answer();
        return new Answer(200, new byte[0]);
    }

    @Override
    public Ran run(ClusterRecord child, ClusterRecord.User user, List<String> command) throws IOException {
        reach();
        return new Ran(0, "", "");
    }

    @Override
    public void pack(ClusterRecord child, ClusterRecord.User user, String path, java.io.OutputStream sink)
            throws IOException {
        reach();
    }

    @Override
    public long commanded(ClusterRecord child, long number) throws IOException {
        reach();
        commander = Math.max(commander, number);
        return commander;
    }

    @Override
    public String log(ClusterRecord child) {
        return "";
    }

    @Override
    public void close(String id) {}

    @Override
    public void forget(String id) {}

    @Override
    public boolean removed(String cluster, String site, Instant lastCall) {
        machine().ifPresent(one -> put(one, Instance.State.TERMINATED));
        if (nodes > 0) {
            loseNode();
            return false;
        }
        return machine().isEmpty() && !now.isBefore(lastCall.plus(WINDOW)) && boots.isEmpty();
    }

    @Override
    public Cause emptied(String cluster, String site, String head) {
        if (nodes > 0) {
            loseNode();
            return new ClusterCause.NodesEnding(nodes);
        }
        return now.isBefore(nodesGoneAt.plus(WINDOW))
                ? new ClusterCause.NotEmpty("a node may still appear")
                : Cause.NONE;
    }

    @Override
    public Money spent(String cluster, Instant at) {
        return Money.ZERO;
    }

    @Override
    public void closed(String cluster) {}

    @Override
    public Site of(String cluster, String site) {
        return new Site() {
            @Override
            public Compute compute() {
                return new Calls();
            }

            @Override
            public Optional<Power> power() {
                return switchesOff ? Optional.of(new Switch()) : Optional.empty();
            }

            @Override
            public Diagnostics diagnostics() {
                return needs -> List.of();
            }

            @Override
            public void close() {}
        };
    }

    private void mayFail() throws CloudException {
        if (random.nextInt(10) == 0) {
            throw new CloudException(LaunchOutcome.Reason.THROTTLED, "not now");
        }
    }

    private final class Calls implements Compute {
        @Override
        public List<Offering> offerings() {
            return List.of(offering());
        }

        @Override
        public LaunchAnswer launch(LaunchRequest request) {
            if (losesLaunches) {
                return new LaunchAnswer(new LaunchOutcome.Unknown("no answer"), List.of());
            }
            int luck = random.nextInt(6);
            if (luck == 0) {
                return new LaunchAnswer(
                        new LaunchOutcome.Refused(LaunchOutcome.Reason.CAPACITY, "none left"), List.of());
            }
            Instance made = null;
            if (luck != 1) {
                String id = "m-" + (machines.size() + 1);
                made = Instance.of(
                        id,
                        SMALL,
                        Instance.State.PENDING,
                        now,
                        Map.of(Instance.TAG_INTENT, request.intent(), Instance.TAG_ROLE, "HEAD"));
                machines.put(id, made);
                boots.put(id, now.plusSeconds(random.nextInt(10)));
            }
            return made == null || luck == 2
                    ? new LaunchAnswer(new LaunchOutcome.Unknown("no answer"), List.of())
                    : new LaunchAnswer(new LaunchOutcome.Launched(1), List.of(made));
        }

        @Override
        public void terminate(Collection<String> ids) {
            ids.forEach(
                    id -> Optional.ofNullable(machines.get(id)).ifPresent(one -> put(one, Instance.State.TERMINATED)));
        }

        @Override
        public List<Instance> list() throws CloudException {
            mayFail();
            return hidden || overlooked ? List.of() : new ArrayList<>(machines.values());
        }

        @Override
        public Optional<Lookup> lookup() {
            return Optional.of(this::look);
        }

        private Map<String, Look> look(Collection<String> ids) throws CloudException {
            mayFail();
            Map<String, Look> all = new HashMap<>();
            for (String id : ids) {
                Instance one = machines.get(id);
                all.put(id, one == null || hidden ? new Look.Denied("NoSuchMachine") : new Look.Found(one));
            }
            return all;
        }

        @Override
        public Duration consistencyWindow() {
            return WINDOW;
        }
    }

    private final class Switch implements Power {
        @Override
        public void stop(Collection<String> ids) throws CloudException {
            mayFail();
            turn(ids, Instance.State.STOPPED);
        }

        @Override
        public void start(Collection<String> ids) throws CloudException {
            mayFail();
            turn(ids, Instance.State.RUNNING);
        }

        private void turn(Collection<String> ids, Instance.State state) {
            for (String id : ids) {
                Instance one = machines.get(id);
                if (one != null && one.state().isLive()) {
                    put(one, state);
                }
            }
        }
    }

    static int nodes() {
        return NODES;
    }

    /** The loop's part for clusters over this world. @param priceOff of a stopped machine; empty where none is sold so */
    Clusters clusters(Journal journal, DrawnEffects wire, Optional<Money> priceOff) {
        return new Clusters(
                journal,
                wire,
                this,
                this,
                this,
                site -> Optional.of(new Clusters.HeadOffer(offering(), "")),
                request -> request,
                (site, type) -> priceOff,
                child -> true,
                () -> now);
    }
}
