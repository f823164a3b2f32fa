package org.spillway.cloud.azure;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.SiteSettings;

/**
 * The options of an Azure site; {@code docs/drivers/azure.md} has the table.
 *
 * @param audience for whom tokens are asked
 * @param trust PEM of certificates that are trusted besides the machine's own; null for none
 * @param image URN or resource id, for launches that name none
 * @param subnet resource id; empty for the one that {@code site create} makes
 * @param zones that are used; empty for all
 * @param types patterns of sizes that are offered; empty for all
 * @param adminCidr from where the director is reached by SSH; empty for nowhere
 * @param diskGib of the system disk; 0 for the image's own
 * @param launchTime how long a launch's operations are followed
 * @param prices where the retail prices are; null for nowhere
 * @param reservation capacity reservation group of offerings on market RESERVED; empty for none
 * @param sshPublicKey file; null for a key that nobody has
 * @param machine what else each machine gets
 */
record AzureSettings(
        String subscription,
        String resourceGroup,
        String location,
        Login login,
        URI endpoint,
        URI authority,
        String audience,
        @Nullable Path trust,
        String image,
        String subnet,
        Set<String> zones,
        List<Pattern> types,
        int sshPort,
        String adminCidr,
        String networkCidr,
        int diskGib,
        String diskType,
        Duration timeout,
        Duration launchTime,
        Duration consistencyWindow,
        @Nullable URI prices,
        String currency,
        String reservation,
        boolean directorPublicAddress,
        boolean encryptionAtHost,
        @Nullable Path sshPublicKey,
        AzureMachine machine) {
    static final String PUBLIC_ENDPOINT = "https://management.azure.com";

    static AzureSettings from(SiteSettings settings) {
        return new AzureOptions(settings).read();
    }

    /** Whether a size or zone of that name is used here. */
    boolean offers(String type) {
        return types.isEmpty()
                || types.stream().anyMatch(pattern -> pattern.matcher(type).matches());
    }

    boolean uses(String zone) {
        return zones.isEmpty() || zones.contains(zone);
    }

    String groupId() {
        return "/subscriptions/" + subscription + "/resourceGroups/" + resourceGroup;
    }
}
