package org.spillway.cloud.fleet;

import java.util.List;
import org.spillway.cloud.Instance;

/** A consequence of comparing a listing with the journal. */
public sealed interface FleetAction {
    /** This instance, whose launch answer was lost, is that node's. */
    record Adopt(String node, Instance instance) implements FleetAction {}

    /** No live node owned it in two listings apart in time: it is ended. */
    record End(Instance instance, Stray why) implements FleetAction {}

    /** An instance that no live node owns is listed for the first time: said, and not yet ended. */
    record Noticed(Instance instance, Stray why) implements FleetAction {}

    /** Two listings, begun after the call's window, did not show it: what is not there by now never was. */
    record Absent(String intent) implements FleetAction {}

    /** Instances that do not stand in the listing as they should: they are asked for by id. */
    record Ask(List<String> instances) implements FleetAction {
        public Ask {
            instances = List.copyOf(instances);
        }
    }

    /** The node's instance exists no more. */
    record Gone(String node, Lapse proof) implements FleetAction {}

    /** Too many at once are missing: the listing proves no absence, and is made again. */
    record Doubt(int missing, int lived) implements FleetAction {}

    /**
     * Reasons for having no owner.
     *
     * @param node that was declared gone although its instance lives; empty for none
     */
    record Stray(Kind kind, String node) {
        /** How it lost its owner, or never had one. */
        public enum Kind {
            NOBODYS,
            TWIN,
            DECLARED_GONE
        }
    }
}
