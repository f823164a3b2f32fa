package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final AtomicInteger INTENTS = new AtomicInteger();
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

    /** The roles that the driver says it has: of power, console, network, inventory. */
    protected abstract Set<String> roles();

    /** An offering that boots quickly, with room for at least 3. */
    protected abstract OfferingId offering(String siteName);

    /** One that costs the provider next to nothing, for {@link #manyInstances()} at a time. */
    protected OfferingId cheapOffering(String siteName) {
        return offering(siteName);
    }

    /** More than one page of a listing. */
    protected int manyInstances() {
        return 3;
    }

    /** What a provider can do to a call. */
    public sealed interface Luck {
        record Refuse(Reason reason) implements Luck {}

        record Partial(int count) implements Luck {}

        /** The launch happens, and nobody is told. */
        record LostAnswer() implements Luck {}

        /** The launch happens, and its answer takes longer than an impatient site waits. */
        record SlowAnswer() implements Luck {}

        /** What is launched next is not listed yet. */
        record LateListing(Duration time) implements Luck {}

        record FailingListing() implements Luck {}
    }

    @BeforeEach
    void openSite() {
        site = opened(open("contract", "here", false));
    }

    @AfterEach
    void endAll() throws Exception {
        clearFaults();
        for (Site each : opened) {
            List<Instance> live = each.compute().list().stream()
                    .filter(i -> i.state().isLive())
                    .toList();
            each.compute().terminate(live.stream().map(Instance::id).toList());
        }
        opened.forEach(Site::close);
    }

    Site opened(Site another) {
        opened.add(another);
        return another;
    }

    static LaunchRequest request(OfferingId offering, int count, String userData) {
        String intent = "intent-" + ProcessHandle.current().pid() + "-" + INTENTS.incrementAndGet();
        return new LaunchRequest(intent, 1, offering, count, "", userData, Map.of("colour", "blue"));
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
        while (!good.test(seen)) {
            assertThat(System.nanoTime()).as("still %s", seen).isLessThan(deadline);
            Thread.sleep(10);
            seen = look.call();
        }
        return seen;
    }

    static Instance first(LaunchAnswer answer) {
        assertThat(answer.instances()).as("%s", answer.outcome()).isNotEmpty();
        return answer.instances().getFirst();
    }
}
