package org.spillway.cloud.pacing;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Console;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.Network;
import org.spillway.cloud.Power;
import org.spillway.cloud.RateLimits;
import org.spillway.cloud.Site;
import org.spillway.policy.Offering;

/**
 * A site whose every role keeps the account's published limits ({@link Site#rateLimits}). A call of a role is let through
 * as one; what else it has sent ({@link Site#calls}: pages, looks) is taken from those that follow. What the provider refuses nevertheless as throttled is asked again, a bounded number of
 * times. The same for all that has a cluster to do in one account of one region: one such site, not several.
 */
public final class PacedSite implements Site {
    private final Site site;
    private final Gate gate;

    public PacedSite(Site site, Pacing pacing, InstantSource clock, Pause pause, RandomGenerator random) {
        this(site, new Gate(site.rateLimits(), pacing, clock, pause, random));
    }

    private PacedSite(Site site, Gate gate) {
        this.site = site;
        this.gate = gate;
        site.calls().ifPresent(gate::counts);
    }

    /** The same account, opened once more: the provider counts both as one, and so do the limits. */
    public PacedSite beside(Site other) {
        return new PacedSite(other, gate);
    }

    @Override
    public Compute compute() {
        return new PacedCompute(site.compute());
    }

    @Override
    public Diagnostics diagnostics() {
        return needs -> {
            try {
                return gate.read(() -> site.diagnostics().check(needs));
            } catch (CloudException held) {
                return List.of(new Diagnostics.Finding(
                        "rate limit",
                        Diagnostics.Verdict.WARNING,
                        String.valueOf(held.getMessage()),
                        "ask again in a minute"));
            }
        };
    }

    @Override
    public Optional<CallMeter> calls() {
        return site.calls();
    }

    @Override
    public Optional<Power> power() {
        return site.power().map(PacedPower::new);
    }

    @Override
    public Optional<Console> console() {
        return site.console().map(console -> id -> gate.read(() -> console.output(id)));
    }

    @Override
    public Optional<Network> network() {
        return site.network().map(PacedNetwork::new);
    }

    @Override
    public Optional<Inventory> inventory() {
        return site.inventory().map(PacedInventory::new);
    }

    @Override
    public RateLimits rateLimits() {
        return site.rateLimits();
    }

    @Override
    public void close() {
        site.close();
    }

    private final class PacedCompute implements Compute {
        private final Compute compute;

        PacedCompute(Compute compute) {
            this.compute = compute;
        }

        @Override
        public List<Offering> offerings() throws CloudException {
            return gate.read(compute::offerings);
        }

        @Override
        public LaunchAnswer launch(LaunchRequest request) {
            return gate.launch(request.count(), () -> compute.launch(request));
        }

        @Override
        public void terminate(Collection<String> instanceIds) throws CloudException {
            gate.change(() -> {
                compute.terminate(instanceIds);
                return true;
            });
        }

        @Override
        public List<Instance> list() throws CloudException {
            return gate.read(compute::list);
        }

        @Override
        public Optional<Lookup> lookup() {
            return compute.lookup().map(lookup -> ids -> gate.read(() -> lookup.look(ids)));
        }

        @Override
        public Duration consistencyWindow() {
            return compute.consistencyWindow();
        }
    }

    private final class PacedPower implements Power {
        private final Power power;

        PacedPower(Power power) {
            this.power = power;
        }

        @Override
        public void stop(Collection<String> instanceIds) throws CloudException {
            gate.change(() -> {
                power.stop(instanceIds);
                return true;
            });
        }

        @Override
        public void start(Collection<String> instanceIds) throws CloudException {
            gate.change(() -> {
                power.start(instanceIds);
                return true;
            });
        }
    }

    private final class PacedNetwork implements Network {
        private final Network network;

        PacedNetwork(Network network) {
            this.network = network;
        }

        @Override
        public List<Billable> create() throws CloudException {
            return gate.changeOnce(network::create);
        }

        @Override
        public void delete() throws CloudException {
            gate.changeOnce(() -> {
                network.delete();
                return true;
            });
        }
    }

    private final class PacedInventory implements Inventory {
        private final Inventory inventory;

        PacedInventory(Inventory inventory) {
            this.inventory = inventory;
        }

        @Override
        public List<Billable> all() throws CloudException {
            return gate.read(inventory::all);
        }

        @Override
        public void delete(Billable thing) throws CloudException {
            gate.change(() -> {
                inventory.delete(thing);
                return true;
            });
        }
    }
}
