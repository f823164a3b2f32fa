package org.spillway.slurm.manager;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.spillway.policy.Resources;

/**
 * Slurm's declaration of the nodes of one instance type of a site: what all of them have.
 *
 * @param whole what one of them has
 * @param names of all of them
 */
record DeclaredType(String site, String type, Set<String> features, Resources whole, Set<String> names) {
    /** The smallest first, which has no GPU if any has none. */
    static final Comparator<DeclaredType> SMALLEST = Comparator.comparingInt((DeclaredType one) -> one.whole.gpus())
            .thenComparingInt(one -> one.whole.cpus())
            .thenComparingLong(one -> one.whole.memoryBytes())
            .thenComparing(DeclaredType::text);

    DeclaredType {
        features = Set.copyOf(features);
        names = Set.copyOf(names);
    }

    /** As {@code JobSpec.Need} names it. */
    String text() {
        return site + "/" + type;
    }

    /** @param nodes that Slurm has, by name; those of no declared slot are not looked at */
    static List<DeclaredType> of(Map<String, Slots.Slot> declared, Collection<SlurmNode> nodes) {
        Map<String, List<SlurmNode>> byType = new LinkedHashMap<>();
        Map<String, Slots.Slot> any = new LinkedHashMap<>();
        for (SlurmNode node : nodes) {
            Slots.Slot slot = declared.get(node.name());
            if (slot != null) {
                String type = slot.site() + "/" + slot.type();
                any.put(type, slot);
                byType.computeIfAbsent(type, name -> new ArrayList<>()).add(node);
            }
        }
        List<DeclaredType> types = new ArrayList<>();
        byType.forEach((type, members) -> {
            Slots.Slot slot = any.get(type);
            if (slot != null) {
                types.add(of(slot, members));
            }
        });
        return List.copyOf(types);
    }

    private static DeclaredType of(Slots.Slot slot, List<SlurmNode> nodes) {
        SlurmNode first = nodes.getFirst();
        Set<String> features = new HashSet<>(first.features());
        Set<String> names = HashSet.newHashSet(nodes.size());
        for (SlurmNode node : nodes) {
            features.retainAll(node.features());
            names.add(node.name());
        }
        int gpus = 0;
        String model = "";
        for (Gres gres : first.gres()) {
            if (gres.name().equals("gpu")) {
                gpus += gres.count();
                model = gres.model().toLowerCase(Locale.ROOT);
            }
        }
        var whole = new Resources(first.cpus(), first.memoryBytes(), gpus, gpus == 0 ? "" : model, 0);
        return new DeclaredType(slot.site(), slot.type(), features, whole, names);
    }
}
