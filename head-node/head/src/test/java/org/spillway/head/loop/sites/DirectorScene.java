package org.spillway.head.loop.sites;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.spillway.api.NodeState;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Lookup;
import org.spillway.director.wire.Forwards;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.Mounts;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.head.loop.settings.IdleNodes;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** A site called east whose director is of type std, and directors that it had. */
final class DirectorScene {
    static final SitePlan PLAN = new SitePlan(
            "east",
            new SitePlan.Provider(
                    new NoCompute(), Optional.empty(), Optional.empty(), Optional.empty(), SitePlan.Calls.UNCOUNTED),
            new SitePlan.Director("std", Market.ON_DEMAND, "", "", Duration.ofMinutes(10), Optional.empty(), null),
            new SitePlan.Nodes(
                    3,
                    "",
                    Duration.ofMinutes(10),
                    List.of(),
                    IdleNodes.ENDED,
                    Isolation.PREFERRED,
                    Mounts.NONE,
                    Optional.empty(),
                    Forwards.NONE),
            false,
            "tests",
            0,
            Money.ZERO);

    private DirectorScene() {}

    static NodeRecord coming(String id, Offering offering, Instant from) {
        return director(id, offering.id(), offering.pricePerHour(), from);
    }

    static NodeRecord ended(String id, OfferingId offering, Instant from, Instant to, Cause why) {
        return director(id, offering, Money.parse("1"), from)
                .to(NodeState.TERMINATING, why, to)
                .to(NodeState.TERMINATED, why, to);
    }

    /** @param ready when; {@code to} when its instance was gone */
    static NodeRecord served(String id, OfferingId offering, Instant from, Instant ready, Instant to) {
        return director(id, offering, Money.parse("1"), from)
                .to(NodeState.READY, Cause.NONE, ready)
                .to(NodeState.FAILED, NodeFact.INSTANCE_GONE, to);
    }

    private static NodeRecord director(String id, OfferingId offering, Money price, Instant from) {
        return NodeRecord.of(draft -> {
            draft.id = id;
            draft.site = offering.site();
            draft.role = NodeRecord.Role.DIRECTOR;
            draft.intent = "i-" + id;
            draft.nodeState = NodeState.PROVISIONING;
            draft.since = from;
            draft.purchase = Purchase.of(bought -> {
                bought.offering = offering;
                bought.resources = Resources.of(4, 8L << 30, 0);
                bought.pricePerHour = price;
                bought.from = from;
                bought.committedFor = Duration.ofMinutes(15);
            });
        });
    }

    /** Nobody calls it. */
    private static final class NoCompute implements Compute {
        @Override
        public Duration consistencyWindow() {
            return Duration.ZERO;
        }

        @Override
        public List<Offering> offerings() {
            return List.of();
        }

        @Override
        public LaunchAnswer launch(LaunchRequest request) {
            throw new IllegalStateException();
        }

        @Override
        public List<Instance> list() {
            return List.of();
        }

        @Override
        public void terminate(Collection<String> ids) {}

        @Override
        public Optional<Lookup> lookup() {
            return Optional.empty();
        }
    }
}
