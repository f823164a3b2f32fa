package org.spillway.scaler.plan;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.spillway.policy.Demand;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.policy.Resources;

/** Why no offering can hold a shape, in words for the user who submitted it. */
final class Unplaced {
    private static final long MIB = 1L << 20;

    private Unplaced() {}

    /** The first limit that no offering meets, with the offering that comes nearest to it. */
    static String reason(Demand demand, List<Offering> offerings) {
        if (demand.sites().isEmpty()) {
            return "queue " + demand.queue() + " names no site";
        }
        String where = (demand.sites().size() == 1 ? "site " : "sites ") + String.join(", ", demand.sites());
        List<Offering> here = offerings.stream()
                .filter(offering -> demand.sites().contains(offering.id().site()))
                .toList();
        if (here.isEmpty()) {
            return where + (demand.sites().size() == 1 ? " offers nothing" : " offer nothing");
        }
        String none = "no offering of " + where + " has ";
        List<Offering> featured = here.stream()
                .filter(offering -> offering.features().containsAll(demand.features()))
                .toList();
        if (featured.isEmpty() && here.stream().anyMatch(offering -> lacksMarketOnly(demand, offering))) {
            return where + " sells this in markets alone that it may not use: "
                    + demand.features().stream()
                            .filter(Market::isFeature)
                            .sorted()
                            .map(feature -> feature.substring(feature.indexOf(':') + 1))
                            .collect(Collectors.joining(", "));
        }
        if (featured.isEmpty()) {
            Set<String> wanted = new TreeSet<>(demand.features());
            return none + (wanted.size() == 1 ? "feature " : "all of the features ") + String.join(", ", wanted);
        }
        Resources need = demand.perNode();
        List<Offering> modelled = featured.stream()
                .filter(offering -> need.gpus() == 0
                        || need.gpuModel().isEmpty()
                        || need.gpuModel().equals(offering.resources().gpuModel()))
                .toList();
        if (modelled.isEmpty()) {
            return none + "GPUs of model " + need.gpuModel();
        }
        for (Amount amount : Amount.values()) {
            Offering largest = largest(modelled, amount);
            long most = amount.of.applyAsLong(largest.resources());
            if (most < amount.of.applyAsLong(need)) {
                return none + amount.text(amount.of.applyAsLong(need)) + ": the largest is "
                        + largest.id().instanceType() + " with " + amount.number(most);
            }
        }
        Offering largest = modelled.stream()
                .max(Comparator.comparing(Offering::resources, Cheapest.SMALLEST_FIRST)
                        .thenComparing(Offering::id, Comparator.reverseOrder()))
                .orElseThrow();
        return none + all(need) + " together: the largest is " + largest.id().instanceType() + " with "
                + all(largest.resources());
    }

    private static boolean lacksMarketOnly(Demand demand, Offering offering) {
        return demand.features().stream()
                .allMatch(feature ->
                        Market.isFeature(feature) || offering.features().contains(feature));
    }

    private static Offering largest(List<Offering> offerings, Amount amount) {
        return offerings.stream()
                .max(Comparator.<Offering>comparingLong(offering -> amount.of.applyAsLong(offering.resources()))
                        .thenComparing(Offering::id, Comparator.reverseOrder()))
                .orElseThrow();
    }

    private static String all(Resources resources) {
        return Amount.CPUS.text(resources.cpus()) + ", " + Amount.MEMORY.text(resources.memoryBytes()) + ", "
                + Amount.GPUS.text(resources.gpus()) + ", " + Amount.DISK.text(resources.localDiskBytes());
    }

    private enum Amount {
        GPUS(Resources::gpus, "GPU"),
        CPUS(Resources::cpus, "CPU"),
        MEMORY(Resources::memoryBytes, "of memory"),
        DISK(Resources::localDiskBytes, "of local disk");

        private final ToLongFunction<Resources> of;
        private final String noun;

        Amount(ToLongFunction<Resources> of, String noun) {
            this.of = of;
            this.noun = noun;
        }

        String number(long amount) {
            return switch (this) {
                case GPUS, CPUS -> Long.toString(amount);
                case MEMORY, DISK -> bytes(amount);
            };
        }

        String text(long amount) {
            return switch (this) {
                case GPUS, CPUS -> amount + " " + noun + (amount == 1 ? "" : "s");
                case MEMORY, DISK -> bytes(amount) + " " + noun;
            };
        }
    }

    private static String bytes(long amount) {
        return amount % (MIB * 1024) == 0
                ? amount / (MIB * 1024) + " GiB"
                : amount % MIB == 0 ? amount / MIB + " MiB" : String.format(Locale.ROOT, "%d bytes", amount);
    }
}
