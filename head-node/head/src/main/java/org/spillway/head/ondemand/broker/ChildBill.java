package org.spillway.head.ondemand.broker;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Inventory;

/** A child's bill: what bears its mark, but for what the parent made for it, its head and its network. */
final class ChildBill {
    private static final Set<String> PARENTS = Set.of(Delegations.ROLE_HEAD, "NETWORK");

    private ChildBill() {}

    static List<Billable> of(Inventory inventory) throws CloudException {
        List<Billable> all = inventory.all();
        Set<String> heads = new HashSet<>();
        all.stream().filter(ChildBill::isParents).map(Billable::id).forEach(heads::add);
        return all.stream()
                .filter(thing -> thing.evidence() != Billable.Evidence.ACCOUNT)
                .filter(thing -> !isParents(thing) && !heads.contains(thing.instance()))
                .toList();
    }

    private static boolean isParents(Billable thing) {
        return PARENTS.contains(thing.tags().getOrDefault(Instance.TAG_ROLE, ""));
    }

    /** Gone, and not the child's, is success. */
    static void delete(Inventory inventory, String kind, String id) throws CloudException {
        for (Billable thing : of(inventory)) {
            if (thing.kind().equals(kind) && thing.id().equals(id)) {
                inventory.delete(thing);
            }
        }
    }
}
