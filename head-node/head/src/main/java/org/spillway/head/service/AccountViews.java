package org.spillway.head.service;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.spillway.api.OfferingView;
import org.spillway.api.OperationView;
import org.spillway.head.audit.Owned;
import org.spillway.policy.Offering;

/** Offerings and bills as REST and the command line show them. */
public final class AccountViews {
    private AccountViews() {}

    /** @param health {@code good}, or why it is not asked now */
    public static OfferingView offering(Offering offering, String health, @Nullable Instant retryAt) {
        List<String> features = offering.features().stream().sorted().toList();
        return new OfferingView(
                offering.id().site(),
                offering.id().zone(),
                offering.id().instanceType(),
                offering.id().market().name().toLowerCase(Locale.ROOT).replace('_', '-'),
                offering.resources().cpus(),
                offering.resources().memoryBytes(),
                offering.resources().gpus(),
                offering.resources().gpuModel(),
                offering.gpuMemoryBytes(),
                offering.resources().localDiskBytes(),
                said(features, "fabric:"),
                said(features, "arch:"),
                features,
                offering.pricePerHour(),
                health,
                retryAt);
    }

    public static OperationView.ThingView thing(Owned row) {
        return new OperationView.ThingView(
                row.thing().kind(),
                row.thing().id(),
                row.pricePerHour(),
                row.verdict().name(),
                row.owner(),
                row.node(),
                row.user(),
                row.why());
    }

    private static String said(List<String> features, String prefix) {
        return features.stream()
                .filter(feature -> feature.startsWith(prefix))
                .map(feature -> feature.substring(prefix.length()))
                .findFirst()
                .orElse("");
    }
}
