package org.spillway.head.loop.supply;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.Holders;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.head.loop.settings.Roles;
import org.spillway.head.loop.state.Capping;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** The cluster as it is when the steps of a plan are taken, which may be later than the plan was made. Queries only. */
interface PlanGround {
    Roles roles();

    /** The beginning of the budget's period. */
    Instant periodStart();

    Money budgetLeft();

    Optional<NodeRecord> node(String id);

    boolean isFree(NodeRecord node);

    /** Whether it may be stopped, and started again. */
    boolean stops(NodeRecord node);

    /** Empty when it is not sold any more. */
    Optional<Offering> offering(OfferingId id);

    /** Why nothing is bought in a site; none when something may be. */
    Cause siteObstacle(String site);

    /** How many more nodes like that the workload manager can have. */
    int slots(Offering offering);

    /** The manager's name. */
    String manager();

    /** For how long a node's price is reserved. */
    Duration reservation(String site, Duration walltime);

    Holders holders(Collection<JobRecord> jobs);

    /** How many nodes the limits in money permit. @param planned nodes that are bought besides */
    Capping.Room room(Holders holders, Offering offering, Money each, Collection<NodeRecord> planned);

    /** The provider's quota that a plan's limit stands for; empty for a limit of another kind. */
    default Optional<Cause> quota(String bound) {
        return Optional.empty();
    }

    /** The intent and its nodes, such that no other purchase has their names. */
    List<Entry> purchase(Purchase purchase);

    /**
     * @param behind what is bought instead where the provider is short of the offering, best first
     * @param fabricGroup of the gang that it is for; empty for none
     */
    record Purchase(
            Offering offering,
            List<Offering> behind,
            int count,
            Duration committedFor,
            Cause why,
            String fabricGroup,
            Holders holders,
            NodeRecord.Profile profile) {
        public Purchase {
            behind = List.copyOf(behind);
        }
    }
}
