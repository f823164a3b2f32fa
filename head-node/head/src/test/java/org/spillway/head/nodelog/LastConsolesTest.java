package org.spillway.head.nodelog;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Console;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Site;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Offering;

/** The console comes before the end, and never instead of it. */
final class LastConsolesTest {
    private final Provider provider = new Provider();
    private final Map<String, String> kept = new ConcurrentHashMap<>();
    private Instant now = Instant.parse("2026-11-27T12:00:00Z");

    private static final class Provider implements Site, Compute, Console {
        private final Map<String, String> says = new ConcurrentHashMap<>();
        private final Collection<String> asked = new ConcurrentLinkedQueue<>();
        private final Collection<String> ended = new ConcurrentLinkedQueue<>();
        private final CountDownLatch never = new CountDownLatch(1);
        private final AtomicInteger atOnce = new AtomicInteger();
        private final AtomicInteger mostAtOnce = new AtomicInteger();
        private boolean hasConsole = true;

        @Override
        public String output(String instanceId) throws CloudException {
            mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            try {
                return said(instanceId);
            } finally {
                atOnce.decrementAndGet();
            }
        }

        private String said(String instanceId) throws CloudException {
            asked.add(instanceId);
            String said = says.getOrDefault(instanceId, "throttled");
            if (said.equals("hangs")) {
                try {
                    never.await();
                } catch (InterruptedException e) {
                    throw new CloudException(Reason.THROTTLED, "interrupted");
                }
            }
            if (said.equals("broken")) {
                throw new IllegalStateException("a driver's fault");
            }
            if (said.equals("throttled")) {
                throw new CloudException(Reason.THROTTLED, "ask later");
            }
            return said.equals("not ready") ? "" : said;
        }

        @Override
        public void terminate(Collection<String> instanceIds) {
            ended.addAll(instanceIds);
        }

        @Override
        public Compute compute() {
            return this;
        }

        @Override
        public Optional<Console> console() {
            return hasConsole ? Optional.of(this) : Optional.empty();
        }

        @Override
        public Diagnostics diagnostics() {
            return needs -> List.of();
        }

        @Override
        public List<Offering> offerings() {
            return List.of();
        }

        @Override
        public LaunchAnswer launch(LaunchRequest request) {
            throw new AssertionError();
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

    private LastConsoles site(Duration patience) {
        return new LastConsoles(
                "east",
                provider,
                (instance, text) -> {
                    assertThat(provider.ended).as("it is asked before the end").doesNotContain(instance);
                    kept.put(instance, text);
                },
                patience,
                () -> now);
    }

    @Test
    void theConsoleIsKeptBeforeTheEndAndAskedForOnce() throws Exception {
        provider.says.put("i-1", "panic");
        LastConsoles site = site(Duration.ofMinutes(3));
        site.compute().terminate(List.of("i-1"));
        site.compute().terminate(List.of("i-1"));
        assertThat(kept).containsExactly(Map.entry("i-1", "panic"));
        assertThat(provider.asked).containsExactly("i-1");
        assertThat(provider.ended).containsExactly("i-1", "i-1");
    }

    @Test
    void whateverTheProviderAnswersTheMachineEnds() throws Exception {
        provider.says.putAll(Map.of("i-1", "throttled", "i-2", "not ready", "i-3", "broken", "i-4", " \n"));
        LastConsoles site = site(Duration.ofMinutes(3));
        for (String each : List.of("i-1", "i-2", "i-3", "i-4")) {
            site.compute().terminate(List.of(each));
        }
        assertThat(kept).isEmpty();
        assertThat(provider.ended).containsExactly("i-1", "i-2", "i-3", "i-4");
        provider.hasConsole = false;
        site(Duration.ofMinutes(3)).compute().terminate(List.of("i-5"));
        assertThat(provider.ended).contains("i-5");
        assertThat(provider.asked).doesNotContain("i-5");
    }

    @Test
    void aConsoleThatHangsHoldsNoEndBackAndTheNextNotAtAll() throws Exception {
        provider.says.put("i-1", "hangs");
        provider.says.put("i-2", "fine");
        LastConsoles site = site(Duration.ofMillis(50));
        // The question would never return.
        site.compute().terminate(List.of("i-1"));
        assertThat(provider.ended).containsExactly("i-1");
        site.compute().terminate(List.of("i-2"));
        assertThat(provider.asked).as("a while of rest").doesNotContain("i-2");
        assertThat(provider.ended).containsExactly("i-1", "i-2");
        int number = 2;
        do {
            // A busy machine may not even begin to ask in that time.
            now = now.plus(Duration.ofMinutes(6));
            number++;
            site.ask(List.of("i-" + number));
        } while (!provider.asked.contains("i-" + number));
    }

    @Test
    void aCrowdThatHangsHoldsAFewCallsAndEndsAllTheSame() throws Exception {
        List<String> crowd = IntStream.range(0, 100).mapToObj(i -> "i-" + i).toList();
        crowd.forEach(each -> provider.says.put(each, "hangs"));
        site(Duration.ofMillis(50)).compute().terminate(crowd);
        assertThat(provider.ended).hasSize(100);
        assertThat(provider.mostAtOnce.get()).isLessThanOrEqualTo(4);
    }
}
