package org.spillway.head.ondemand.broker;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Site;
import org.spillway.cloud.fleet.FleetRules;
import org.spillway.cloud.fleet.Listing;
import org.spillway.head.journal.DelegatedRecord;

/**
 * Removes all that bears a child's name in one site, with the parent's own rights: the child need not answer. A pass at a
 * time, to be repeated until a pass has proven that nothing is left; it may be begun again after any crash.
 */
final class Removal {
    /** A person has bought it, and marked it. */
    private static final Set<String> NOT_OURS = Set.of("reservation");

    private Removal() {}

    static Brokered.Removed pass(Delegations delegations, Site site, String cluster, String name, Instant lastCall)
            throws CloudException {
        Brokered.Removed instances = instances(delegations, site, cluster, name, lastCall, "");
        return twice(delegations, site, cluster, name, instances.proven() ? things(site) : instances);
    }

    /** A pass of ending all of its instances but for its head. @param head its id */
    static Brokered.Removed nodes(Delegations delegations, Site site, String cluster, String name, String head)
            throws CloudException {
        Brokered.Removed instances = instances(delegations, site, cluster, name, Instant.EPOCH, head);
        return twice(delegations, site, cluster, name, instances);
    }

    /** Nothing is proven by one look: a listing and a bill that come back empty once are believed by the next, apart. */
    private static Brokered.Removed twice(
            Delegations delegations, Site site, String cluster, String name, Brokered.Removed pass) {
        boolean lasts = delegations
                .emptyLooks()
                .isProven(
                        cluster + "/" + name,
                        pass.proven(),
                        FleetRules.of(site.compute()).apart());
        return pass.proven() && !lasts ? left("nothing is listed, and it is looked once more") : pass;
    }

    private static Brokered.Removed instances(
            Delegations delegations, Site site, String cluster, String name, Instant lastCall, String spared)
            throws CloudException {
        if (!delegations.isQuiet(cluster)) {
            return left("a launch for it is still under way");
        }
        Listing listing = delegations.sight(cluster, name, "");
        List<String> live = listing.instances().stream()
                .filter(instance -> instance.state().isLive() && !instance.id().equals(spared))
                .map(Instance::id)
                .toList();
        if (!live.isEmpty()) {
            site.compute().terminate(live);
            return left(live.size() + " instances were told to end");
        }
        long ending = listing.instances().stream()
                .filter(instance -> instance.state() == Instance.State.TERMINATING)
                .count();
        if (ending > 0) {
            return left(ending + " instances are ending");
        }
        Instant last = lastCall;
        for (DelegatedRecord record : delegations.records(cluster, name)) {
            last = record.calledAt().isAfter(last) ? record.calledAt() : last;
        }
        boolean open = delegations.records(cluster, name).stream().anyMatch(DelegatedRecord::isOpen);
        if (open || listing.startedAt().isBefore(last.plus(site.compute().consistencyWindow()))) {
            return left("an instance may still appear");
        }
        return new Brokered.Removed(true, "no instance is listed");
    }

    private static Brokered.Removed things(Site site) throws CloudException {
        if (site.network().isPresent()) {
            site.network().get().delete();
        }
        if (site.inventory().isEmpty()) {
            return new Brokered.Removed(true, "no instance is listed; the driver cannot tell its bill");
        }
        List<Billable> bill = bill(site);
        List<String> held = new ArrayList<>();
        for (Billable thing : bill) {
            try {
                site.inventory().get().delete(thing);
            } catch (CloudException failure) {
                held.add(thing.kind() + " " + thing.id() + ": " + failure.getMessage());
            }
        }
        if (bill.isEmpty()) {
            return new Brokered.Removed(true, "nothing is listed and nothing is on the bill");
        }
        return left(held.isEmpty() ? bill.size() + " things were told to go" : String.join("; ", held));
    }

    private static List<Billable> bill(Site site) throws CloudException {
        return site.inventory().orElseThrow().all().stream()
                .filter(thing -> thing.evidence() != Billable.Evidence.ACCOUNT && !NOT_OURS.contains(thing.kind()))
                .toList();
    }

    private static Brokered.Removed left(String what) {
        return new Brokered.Removed(false, what);
    }
}
