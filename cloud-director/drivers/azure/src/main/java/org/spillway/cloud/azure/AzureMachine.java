package org.spillway.cloud.azure;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Wishes of a site for each machine, besides its size and image.
 *
 * @param identity managed identity of nodes, by resource id; empty for none
 * @param directorIdentity managed identity of directors, by resource id; empty for none
 * @param encryptionSet of system disks, by resource id; empty for the platform's keys
 * @param plan of a marketplace image; null where it needs none
 * @param smt whether each core has its threads; without them a size has as many CPUs as cores
 */
record AzureMachine(
        String identity,
        String directorIdentity,
        String encryptionSet,
        @Nullable MarketPlan plan,
        boolean smt) {
    static final Set<String> KEYS = Set.of("identity", "directorIdentity", "diskEncryptionSet", "plan", "smt");
    private static final String GROUP =
            "/subscriptions/[0-9a-fA-F-]{36}/resource[Gg]roups/[A-Za-z0-9._()-]{1,90}/providers/";

    /** A plan of the marketplace, as the image's entry names it. */
    record MarketPlan(String publisher, String product, String name) {}

    static AzureMachine from(AzureOptions options) {
        String identity = GROUP + "Microsoft.ManagedIdentity/userAssignedIdentities/[A-Za-z0-9_-]{3,128}";
        String allowed = "the resource id of a user-assigned identity, .../userAssignedIdentities/NAME";
        String plan = options.text("plan", "", "[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+){2}", "PUBLISHER/PRODUCT/NAME");
        String[] parts = plan.split("/", -1);
        return new AzureMachine(
                options.text("identity", "", identity, allowed),
                options.text("directorIdentity", "", identity, allowed),
                options.text(
                        "diskEncryptionSet",
                        "",
                        GROUP + "Microsoft.Compute/diskEncryptionSets/[A-Za-z0-9_-]{1,80}",
                        "the resource id of a disk encryption set, .../diskEncryptionSets/NAME"),
                plan.isEmpty() ? null : new MarketPlan(parts[0], parts[1], parts[2]),
                options.text("smt", "on", "on|off", "on, off").equals("on"));
    }
}
