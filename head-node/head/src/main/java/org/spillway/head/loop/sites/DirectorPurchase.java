package org.spillway.head.loop.sites;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.head.loop.launches.Launches;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.World;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** Gets a site the director that {@link DirectorDecision} grants, or says why there is none. */
final class DirectorPurchase {
    private static final Logger LOG = LoggerFactory.getLogger(DirectorPurchase.class);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
    private static final Duration BETWEEN_TAKES = Duration.ofSeconds(2);
    private static final Duration BETWEEN_PURCHASES = Duration.ofSeconds(5);

    private final World world;
    private final Purse purse;
    private final Launches launches;
    private final DirectorLedger ledger;

    DirectorPurchase(World world, Purse purse, Launches launches, DirectorLedger ledger) {
        this.world = world;
        this.purse = purse;
        this.launches = launches;
        this.ledger = ledger;
    }

    /** Of a site without a director. @param wanted whether one is to come */
    void advance(SiteState site, boolean wanted, Instant now) {
        if (site.plan.director().given().isPresent()) {
            if (wanted) {
                take(site, site.plan.director().given().get(), now);
            }
            return;
        }
        boolean known = site.unusable().isNone() && site.offeringsAt != null;
        if (!known || !world.calls().mayAskAgain("look-director:" + site.plan.name(), now, BETWEEN_LOOKS)) {
            return;
        }
        switch (DirectorDecision.of(ledger.facts(site, purse.capping().full(site.offerings()), now))) {
            case DirectorDecision.Hold(Cause why) -> hold(site, why);
            case DirectorDecision.Buy(Offering offering) when wanted -> buy(site, offering, now);
            case DirectorDecision.Buy granted -> hold(site, Cause.NONE);
        }
    }

    private static void hold(SiteState site, Cause why) {
        if (!why.isNone() && !site.directorObstacle.code().equals(why.code())) {
            LOG.warn("site {}: {}", site.plan.name(), why.text());
        }
        site.directorObstacle = why;
    }

    private void buy(SiteState site, Offering offering, Instant now) {
        Money least =
                offering.pricePerHour().perHourFor(SiteState.FIRST_COMMITMENT).plus(leastForANode(site));
        if (least.isMoreThan(purse.left(now))) {
            hold(site, new SiteCause.BudgetForDirector(purse.left(now), least));
            return;
        }
        if (!world.calls().mayAskAgain("buy-director:" + site.plan.name(), now, BETWEEN_PURCHASES)) {
            return;
        }
        hold(site, Cause.NONE);
        launches.decide(
                site,
                offering,
                1,
                NodeRecord.Role.DIRECTOR,
                SiteState.FIRST_COMMITMENT,
                site.plan.nodes().standing().isEmpty() ? new NodeCause.JobsWait(site.plan.name()) : NodeFact.NODES_KEPT,
                now);
    }

    private record Shape(Resources resources, Duration walltime, int nodes) {}

    /** The least that a node for a waiting job would reserve: a director alone would be money for nothing. */
    private Money leastForANode(SiteState site) {
        return world.waiting().stream()
                .filter(job -> job.run().site().equals(site.plan.name()))
                .map(job -> new Shape(
                        job.spec().resources(),
                        job.spec().walltime(),
                        job.spec().nodes()))
                // Of ten thousand jobs most are alike, and each would be held against each offering.
                .distinct()
                .flatMap(shape -> site.offerings().stream()
                        .filter(one -> shape.resources().fitsIn(one.resources()))
                        .map(one -> one.pricePerHour()
                                .perHourFor(purse.reservation(site.plan, shape.walltime()))
                                .times(shape.nodes())))
                .min(Comparator.naturalOrder())
                .orElse(Money.ZERO);
    }

    /** A machine that is there already: the record begins where that of a bought one is when it has booted. */
    private void take(SiteState site, SitePlan.Given given, Instant now) {
        String name = site.plan.name();
        if (!site.unusable().isNone() || !world.calls().mayAskAgain("take-director:" + name, now, BETWEEN_TAKES)) {
            return;
        }
        String id = name + "-director-" + world.journal().store().nextSequence();
        try {
            world.ports().credentials().givenDirector(id, given.hostKey());
        } catch (IOException notKept) {
            hold(site, new SiteCause.HostKeyNotKept(String.valueOf(notKept.getMessage())));
            return;
        }
        site.directorObstacle = Cause.NONE;
        world.journal().commit(now, NodeRecord.of(draft -> {
            draft.id = id;
            draft.site = name;
            draft.role = NodeRecord.Role.DIRECTOR;
            draft.nodeState = NodeState.PROVISIONING;
            draft.cause = NodeFact.MACHINE_GIVEN;
            draft.since = now;
            draft.purchase = Purchase.of(bought -> {
                bought.offering = new OfferingId(name, "given", "given", Market.ON_DEMAND);
                bought.from = now;
            });
            draft.place = new NodeRecord.Place("given", given.address(), given.sshPort(), given.address());
        }));
        LOG.info("{} is made of the machine at {}", id, given.address());
    }
}
