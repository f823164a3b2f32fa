package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.spillway.director.wire.Directive.DirectoryGrant;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.director.wire.Forwards;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.Mounts;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.money.BudgetPeriod;
import org.spillway.head.loop.port.Ports;
import org.spillway.head.loop.port.SiteImages;
import org.spillway.head.loop.settings.IdleNodes;
import org.spillway.head.loop.settings.LoopSettings;
import org.spillway.head.loop.settings.Markets;
import org.spillway.head.loop.settings.Roles;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.head.loop.settings.StandingCapacity;
import org.spillway.head.workload.EmbeddedWorkload;
import org.spillway.head.workload.WorkloadManager;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.scaler.BoundPolicy;

/** The settings and ports of a head in the simulated world. */
final class SimSetup {
    private SimSetup() {}

    static Ports ports(SimWorld world, SimEffects life, Draw draw) {
        return ports(world, life, draw, new EmbeddedWorkload());
    }

    static Ports ports(SimWorld world, SimEffects life, Draw draw, WorkloadManager workload) {
        SimLink link = new SimLink(world, world.clock, draw);
        return new Ports(
                life,
                link,
                link,
                new SimStager(world, draw),
                new NoImages(),
                new SimCredentials(),
                workload,
                target -> DirectoryGrant.NONE,
                new BoundPolicy<>(new QueueDepthPolicy(), new QueueDepthSettings(Duration.ofSeconds(10), 1000)));
    }

    private static final class NoImages implements SiteImages {
        @Override
        public ImageGrant current() {
            return ImageGrant.NONE;
        }

        @Override
        public void replicate(DirectorTarget director, ImageGrant image) {}
    }

    static LoopSettings settings(SimWorld world, Money budget) {
        Map<String, SitePlan> plans = new TreeMap<>();
        world.sites.forEach((name, site) -> plans.put(
                name,
                new SitePlan(
                        name,
                        new SitePlan.Provider(
                                site.compute(), Optional.empty(), Optional.empty(), Optional.empty(), site.calls()),
                        new SitePlan.Director(
                                "std",
                                Market.ON_DEMAND,
                                "",
                                "",
                                Duration.ofSeconds(10),
                                Optional.empty(),
                                SickDirectors.budget(world, site)),
                        new SitePlan.Nodes(
                                site.maxNodes,
                                "",
                                Duration.ofSeconds(60),
                                site.keepCount == 0
                                        ? List.of()
                                        : List.of(new StandingCapacity("std", site.keepCount, true)),
                                IdleNodes.ENDED,
                                Isolation.PREFERRED,
                                Mounts.NONE,
                                Optional.empty(),
                                Forwards.NONE),
                        site.keepCount > 0,
                        "spillway",
                        0,
                        Money.ZERO)));
        return new LoopSettings(
                "sim",
                new LoopSettings.Lease(SimWorld.LEASE, Duration.ofSeconds(2)),
                new LoopSettings.Spending(
                        budget, BudgetPeriod.MONTH, ZoneOffset.UTC, Duration.ofSeconds(10), Duration.ofSeconds(240)),
                100,
                plans,
                LoopSettings.Planning.USUAL,
                LoopSettings.Limits.NONE,
                Roles.NONE,
                Markets.STEADY);
    }
}
