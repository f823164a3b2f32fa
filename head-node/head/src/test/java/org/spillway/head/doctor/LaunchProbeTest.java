package org.spillway.head.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Console;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Site;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** A machine that is launched to look at it: what it costs at most, what it finds, and that nothing stays. */
final class LaunchProbeTest {
    @TempDir
    Path state;

    private final Provider provider = new Provider();
    private Instant now = Instant.parse("2026-11-26T20:00:00Z");
    private boolean answersSsh = true;
    private boolean usable = true;
    private boolean interrupted;

    private final class Provider implements Site, Compute, Console {
        final Map<String, Instance> machines = new LinkedHashMap<>();
        final List<LaunchRequest> asked = new ArrayList<>();
        final List<Offering> sold = new ArrayList<>();
        String console = "boot\nspillway-probe: route=yes dns=yes out=no\n";
        boolean losesAnswers;
        /** A new machine is listed after so long. */
        Duration window = Duration.ZERO;

        /** The id of a machine that does not end. */
        String neverEnds = "";

        boolean fails;
        /** The provider buys one more than it says. */
        boolean twins;

        int listings;

        void sells(String type, Market market, String price) {
            sold.add(Offering.of(
                    new OfferingId("s", "a", type, market), Resources.of(1, 1L << 30, 0), Money.parse(price)));
        }

        Instance machine(String id, String intent, Instance.State as) {
            return Instance.of(
                            id,
                            new OfferingId("s", "a", "small", Market.ON_DEMAND),
                            as,
                            now,
                            Map.of(Instance.TAG_INTENT, intent))
                    .at("192.0.2.9", 22);
        }

        @Override
        public Compute compute() {
            return this;
        }

        @Override
        public Diagnostics diagnostics() {
            return needs -> List.of();
        }

        @Override
        public Optional<Console> console() {
            return Optional.of(this);
        }

        @Override
        public String output(String id) {
            return console;
        }

        @Override
        public List<Offering> offerings() {
            return sold;
        }

        @Override
        public LaunchAnswer launch(LaunchRequest request) {
            asked.add(request);
            assertThat(ledger()).as("written down first").contains(request.intent());
            Instance made = machine("m" + asked.size(), request.intent(), Instance.State.RUNNING);
            machines.put(made.id(), made);
            if (twins) {
                machines.put("twin", machine("twin", request.intent(), Instance.State.PENDING));
            }
            if (fails) {
                throw new IllegalStateException("a fault of the driver");
            }
            return losesAnswers
                    ? new LaunchAnswer(new LaunchOutcome.Unknown("lost"), List.of())
                    : new LaunchAnswer(new LaunchOutcome.Launched(1), List.of(made));
        }

        @Override
        public void terminate(Collection<String> ids) {
            ids.stream().filter(id -> !id.equals(neverEnds)).forEach(machines::remove);
        }

        @Override
        public List<Instance> list() throws CloudException {
            if (listings++ % 2 == 1) {
                throw new CloudException(Reason.THROTTLED, "try later");
            }
            return machines.values().stream()
                    .filter(one -> !now.isBefore(one.launchedAt().plus(window)))
                    .toList();
        }

        @Override
        public Optional<Lookup> lookup() {
            return Optional.empty();
        }

        @Override
        public Duration consistencyWindow() {
            return window;
        }

        @Override
        public void close() {}
    }

    private String ledger() {
        try {
            return Files.readString(state.resolve(ProbeLedger.NAME));
        } catch (IOException none) {
            return "";
        }
    }

    private void pause(Duration time) throws InterruptedException {
        now = now.plus(time);
        if (interrupted && !provider.asked.isEmpty()) {
            interrupted = false;
            throw new InterruptedException();
        }
    }

    private List<Finding> run() throws InterruptedException {
        LaunchProbe.Means means = new LaunchProbe.Means(
                () -> now,
                this::pause,
                (address, port) -> {
                    if (answersSsh) {
                        return "SSH-2.0-";
                    }
                    throw new IOException("refused");
                },
                "hpc",
                "example.org");
        return new LaunchProbe(provider, new ProbeLedger(state, "s"), means).run(usable);
    }

    private static Finding only(List<Finding> found, String check) {
        return found.stream()
                .filter(one -> one.check().equals(check))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theCheapestIsLaunchedLookedAtAndProvenEnded() throws Exception {
        provider.sells("large", Market.ON_DEMAND, "0.08");
        provider.sells("small", Market.ON_DEMAND, "0.02");
        provider.sells("spot", Market.SPOT, "0.001");
        List<Finding> found = run();
        assertThat(provider.asked).singleElement().satisfies(request -> {
            assertThat(request.offering().instanceType()).isEqualTo("small");
            assertThat(request.count()).isEqualTo(1);
            assertThat(request.tags())
                    .containsEntry(Instance.TAG_ROLE, "DIRECTOR")
                    .containsEntry(Instance.TAG_OWNER, "hpc");
            assertThat(request.intent()).startsWith(Instance.PROBE_INTENT);
        });
        assertThat(only(found, "boot").verdict()).isEqualTo(Verdict.GOOD);
        assertThat(only(found, "path to it").verdict()).isEqualTo(Verdict.GOOD);
        assertThat(only(found, "path from it").detail()).isEqualTo("it has not: a way to example.org");
        assertThat(only(found, "end").verdict()).isEqualTo(Verdict.GOOD);
        assertThat(provider.machines).isEmpty();
        assertThat(ledger()).contains("\"how\":\"ended, ");
    }

    @Test
    void whatMayCostMoreThanACentOrHasNoPriceIsNotLaunched() throws Exception {
        assertThat(only(run(), "launch").detail()).contains("price is known");
        provider.sells("large", Market.ON_DEMAND, "0.09");
        assertThat(only(run(), "launch").detail()).contains("not launched").contains("0.0105");
        assertThat(provider.asked).isEmpty();
        assertThat(ledger()).isEmpty();
    }

    @Test
    void aPathThatIsNotThereIsFoundAndTheMachineEndsAllTheSame() throws Exception {
        provider.sells("small", Market.ON_DEMAND, "0.02");
        answersSsh = false;
        provider.console = "";
        List<Finding> found = run();
        assertThat(only(found, "path to it").verdict()).isEqualTo(Verdict.BROKEN);
        assertThat(only(found, "path to it").repair()).contains("adminCidr");
        assertThat(only(found, "path from it").verdict()).isEqualTo(Verdict.WARNING);
        assertThat(only(found, "end").verdict()).isEqualTo(Verdict.GOOD);
        assertThat(provider.machines).isEmpty();
    }

    @Test
    void aLostAnswerLosesNoMachine() throws Exception {
        provider.sells("small", Market.ON_DEMAND, "0.02");
        provider.losesAnswers = true;
        assertThat(only(run(), "end").verdict()).isEqualTo(Verdict.GOOD);
        assertThat(provider.machines).isEmpty();
    }

    @Test
    void aDriverThatFailsInTheMiddleLosesNoMachineNorATwinOfIt() throws Exception {
        provider.sells("small", Market.ON_DEMAND, "0.02");
        provider.fails = true;
        provider.twins = true;
        assertThat(run()).filteredOn(one -> one.check().equals("end")).hasSize(2);
        assertThat(provider.machines).isEmpty();
    }

    /** As by Ctrl-C. What was bought a moment ago is not listed yet, and to be told to end all the same. */
    @Test
    void anInterruptedLookEndsItsMachineFirst() {
        provider.sells("small", Market.ON_DEMAND, "0.02");
        provider.window = Duration.ofSeconds(20);
        provider.losesAnswers = true;
        interrupted = true;
        assertThatThrownBy(this::run).isInstanceOf(InterruptedException.class);
        assertThat(provider.machines).isEmpty();
        assertThat(ledger()).contains("\"how\":\"ended, ");
    }

    @Test
    void nothingIsBoughtWhereSomethingIsBrokenAndWhatWasLeftEnds() throws Exception {
        provider.sells("small", Market.ON_DEMAND, "0.02");
        provider.machines.put("m9", provider.machine("m9", Instance.PROBE_INTENT + "x", Instance.State.RUNNING));
        usable = false;
        assertThat(only(run(), "launch").detail()).isEqualTo("not launched");
        assertThat(provider.asked).isEmpty();
        assertThat(provider.machines).isEmpty();
    }

    @Test
    void theNextLookEndsWhatACrashHasLeft() throws Exception {
        provider.machines.put("m9", provider.machine("m9", Instance.PROBE_INTENT + "x", Instance.State.RUNNING));
        provider.machines.put("node", provider.machine("node", "i7", Instance.State.RUNNING));
        assertThat(only(run(), "leftover").detail()).contains("m9").contains("ended");
        assertThat(provider.machines).containsOnlyKeys("node");
    }

    @Test
    void whatDoesNotEndIsSaid() throws Exception {
        provider.sells("small", Market.ON_DEMAND, "0.02");
        provider.twins = true;
        provider.neverEnds = "m1";
        Finding end = only(run(), "end");
        assertThat(end.verdict()).isEqualTo(Verdict.BROKEN);
        assertThat(end.repair()).isEqualTo("spillway audit --delete");
        assertThat(ledger()).contains("not proven to have ended");
        assertThat(LaunchProbe.open(new ProbeLedger(state, "s")))
                .as("it is told until a later look has seen its end")
                .hasSize(1);
    }

    @Test
    void noMachineLivesLongerThanItMayCost() throws Exception {
        provider.sells("small", Market.ON_DEMAND, "0.08");
        answersSsh = false;
        provider.console = "";
        Instant begun = now;
        run();
        assertThat(Duration.between(begun, now)).isLessThanOrEqualTo(LaunchProbe.LIFE);
    }
}
