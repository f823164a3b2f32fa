package org.spillway.scaler.plan;

import java.util.Comparator;
import org.spillway.policy.Fabric;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/**
 * Where the nodes of one gang are together: on one fabric of one zone, or in one site on no fabric, where zones do not
 * matter.
 *
 * @param zone empty without a fabric
 * @param fabric its name; empty for none
 * @param group that the nodes were launched with; empty for none, and without a fabric
 */
record GangPlace(String site, String zone, String fabric, String group) {
    /** The same for the same nodes, in whatever order they came. */
    static final Comparator<GangPlace> BY_NAME = Comparator.comparing(GangPlace::site)
            .thenComparing(GangPlace::zone)
            .thenComparing(GangPlace::fabric)
            .thenComparing(GangPlace::group);

    static GangPlace of(NodeView node) {
        OfferingId offering = node.offering();
        Fabric fabric = node.duty().fabric();
        return offering == null || fabric.name().isEmpty()
                ? plain(node.site())
                : new GangPlace(node.site(), offering.zone(), fabric.name(), fabric.group());
    }

    /** Of new nodes that are launched with that group, where they stand on a fabric. */
    static GangPlace of(Offering offering, String group) {
        String fabric = Fabric.named(offering.features());
        OfferingId id = offering.id();
        return fabric.isEmpty() ? plain(id.site()) : new GangPlace(id.site(), id.zone(), fabric, group);
    }

    private static GangPlace plain(String site) {
        return new GangPlace(site, "", "", "");
    }

    /** Whether new nodes there can be launched into the other's group. */
    boolean isBeside(GangPlace other) {
        return site.equals(other.site) && zone.equals(other.zone) && fabric.equals(other.fabric);
    }

    /** For people; the group is the head's own affair. */
    String text() {
        return fabric.isEmpty() ? "site " + site : "zone " + zone + " of site " + site + " (" + fabric + ")";
    }
}
