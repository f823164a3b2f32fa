package org.spillway.cloud.fleet;

import org.spillway.cloud.Instance;

/** A consequence of comparing a listing with the journal. */
public sealed interface FleetAction {
    /** This instance, whose launch answer was lost, is that node's. */
    record Adopt(String node, Instance instance) implements FleetAction {}

    /** No live node owns it: it is ended. */
    record End(Instance instance, String reason) implements FleetAction {}

    /** The call's window has passed: what is not there by now never was. */
    record Absent(String intent) implements FleetAction {}

    /** The node's instance exists no more. */
    record Gone(String node) implements FleetAction {}
}
