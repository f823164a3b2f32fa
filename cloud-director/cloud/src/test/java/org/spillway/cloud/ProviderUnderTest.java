package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.OfferingId;

/** The provider behind a driver's contract, and the scaffolding that ends what a test has launched. */
abstract class ProviderUnderTest {
    /** Real services on a busy machine take their time. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** A look is a listing: what takes long is looked at less often. */
    private static final long LONGEST_PAUSE_MILLIS = 100;

    private static final AtomicInteger INTENTS = new AtomicInteger();
    static final Map<String, String> TAGS =
            Map.of("colour", "blue", Instance.TAG_OWNER, "alice", Instance.TAG_ROLE, "NODE");
    private final List<Site> opened = new ArrayList<>();
    /** Of cluster {@code contract}, named {@code here}; new for each test. */
    Site site;

    /** A site of the provider under test; its calls give up after about a second when {@code impatient}. */
    protected abstract Site open(String cluster, String siteName, boolean impatient);

    /** The driver with an endpoint at which nobody listens. */
    protected abstract Site openNowhere();

    /** Bad luck for the next call; {@link #clearFaults} ends what has not struck. */
    protected abstract void arrange(Luck luck) throws Exception;

    protected abstract void clearFaults() throws Exception;

    /** The roles that the driver says it has: of power, console, network, inventory. What is absent is tested as absent. */
    protected abstract Set<String> roles();

    /** An offering that boots quickly, with room for at least 3. */
    protected abstract OfferingId offering(String siteName);

    /** An offering that costs the provider next to nothing, for {@link #manyInstances()} at a time. */
    protected OfferingId cheapOffering(String siteName) {
        return offering(siteName);
    }

    /** As many as one call ends: fewer where each is a process of a real service. */
    protected int batch() {
        return 24;
    }

    /** More than one page of a listing. */
    protected int manyInstances() {
        return 3;
    }

    /** Another of the same market as {@link #offering}, with room for at least 3. */
    protected abstract OfferingId otherOffering(String siteName);

    /** An offering whose instances can be grouped on a fabric; empty when the driver declares that it has none. */
    protected abstract Optional<OfferingId> fabricOffering(String siteName);

    /** A reservation with room for one; empty when the driver declares that it knows none. */
    protected abstract Optional<Reserved> reserved(String siteName);

    /** @param offering of market RESERVED */
    public record Reserved(OfferingId offering, String reservation) {}

    /**
     * Leaves one thing of each kind that the inventory shows, as a crash in the middle or a person would have left it,
     * marked as that cluster's and of site {@code here} by tag or by name. Empty only without the role. A deletion that is
     * held up by another of them must throw with the thing's id in its message; it is repeated.
     */
    protected abstract List<Planted> plantOrphans(String cluster) throws Exception;

    /**
     * Leaves an instance of that cluster without its site's mark, as a person can make it. Empty where nobody can change
     * the marks of what is there.
     */
    protected abstract Optional<Planted> plantWithoutSite(String cluster) throws Exception;

    /** Whether the provider tells its time: then a finding {@code clock} compares it with ours. */
    protected boolean seesClock() {
        return true;
    }

    /** Whether it denies an id that it never gave; a parent says nothing of what its child has not bought. */
    protected boolean deniesStrangers() {
        return true;
    }

    /**
     * A site without a network of its own yet, for {@link Network}; by default one of another name.
     *
     * @param cluster {@code contract}, or a guest in that one's network
     */
    protected Site openForNetwork(String cluster) {
        return open(cluster, "made", false);
    }

    /** Of {@link #openForNetwork}. */
    protected OfferingId offeringInMadeNetwork() {
        return offering("made");
    }

    /** A provider's bad luck for a call. */
    public sealed interface Luck {
        /** Of the next launch, whatever it asks for. */
        record Refuse(Reason reason) implements Luck {}

        /** The next launch finds no capacity in it; in others it does. */
        record Short(OfferingId offering) implements Luck {}

        /** The next launch is accepted, and then it is said that there is no capacity. */
        record FailsLater() implements Luck {}

        record Partial(int count) implements Luck {}

        /** The launch happens, and nobody is told. */
        record LostAnswer() implements Luck {}

        /** The launch happens, and its answer takes longer than an impatient site waits. */
        record SlowAnswer() implements Luck {}

        /** The next launch's instances are not listed yet. */
        record LateListing(Duration time) implements Luck {}

        record FailingListing() implements Luck {}

        record RefusedListing(Reason reason) implements Luck {}

        /** A page of the next listing comes twice. */
        record RepeatedPage() implements Luck {}

        /** A page of the next listing is not the truth, and nothing in the answer says so. */
        record LyingListing(Lie lie) implements Luck {}

        /** The next console is not to be had yet, or breaks off. */
        record OddConsole(boolean torn) implements Luck {}

        /** The provider's clock is ahead until {@link #clearFaults}. */
        record Skew(Duration ahead) implements Luck {}
    }

    /** Listings that come with a good status and are wrong. */
    public enum Lie {
        /** No instance at all. */
        EMPTY,
        /** The first half, and no word of a further page. */
        HALF,
        /** A page that a deletion has moved: an instance is missing. */
        MOVED,
        /** As of ten minutes ago. */
        STALE,
        /** An instance that runs is said to have ended, or to be ending. */
        ENDED
    }

    @BeforeEach
    void openSite() {
        site = opened(open("contract", "here", false));
    }

    @AfterEach
    void endAll() throws Exception {
        clearFaults();
        for (Site each : opened) {
            eventually(() -> isCleared(each), cleared -> cleared);
        }
        opened.forEach(Site::close);
    }

    /** A site of a test may wait a second for an answer, and no longer. */
    private static boolean isCleared(Site each) {
        try {
            List<Instance> live = each.compute().list().stream()
                    .filter(i -> i.state().isLive())
                    .toList();
            each.compute().terminate(live.stream().map(Instance::id).toList());
            return true;
        } catch (CloudException late) {
            return false;
        }
    }

    Site opened(Site another) {
        opened.add(another);
        return another;
    }

    static LaunchRequest request(OfferingId offering, int count, String userData) {
        String intent = "intent-" + ProcessHandle.current().pid() + "-" + INTENTS.incrementAndGet();
        return LaunchRequest.of(intent, 1, offering, count)
                .withUserData(userData)
                .withTags(TAGS);
    }

    static LaunchRequest request(LaunchRequest like, List<OfferingId> alternatives, LaunchRequest.Placement placement) {
        return new LaunchRequest(
                like.intent(),
                like.attempt(),
                like.offering(),
                like.count(),
                like.image(),
                like.userData(),
                like.tags(),
                alternatives,
                placement);
    }

    LaunchRequest one() {
        return request(offering("here"), 1, "");
    }

    static List<Instance> listed(Site at, LaunchRequest request) throws CloudException {
        return at.compute().list().stream()
                .filter(instance -> instance.intent().equals(request.intent()))
                .toList();
    }

    static <T> T eventually(Callable<T> look, Predicate<T> good) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        T seen = look.call();
        for (long pause = 10; !good.test(seen); pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 3 / 2)) {
            assertThat(System.nanoTime()).as("still %s", seen).isLessThan(deadline);
            Thread.sleep(pause);
            seen = look.call();
        }
        return seen;
    }

    static Instance first(LaunchAnswer answer) {
        assertThat(answer.instances()).as("%s", answer.outcome()).isNotEmpty();
        return answer.instances().getFirst();
    }
}
