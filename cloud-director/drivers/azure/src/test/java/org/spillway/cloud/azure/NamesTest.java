package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

final class NamesTest {
    private static Names names(String cluster, String site) {
        return Names.of(SiteSettings.of(cluster, site, Map.of(), Path.of("/")));
    }

    private static LaunchRequest request(String intent, int attempt) {
        OfferingId offering = new OfferingId("s", "1", "t", Market.SPOT);
        return LaunchRequest.of(intent, attempt, offering, 1);
    }

    @Test
    void differForWhateverIsNotTheSameMachine() {
        Set<String> all = new HashSet<>();
        for (String cluster : List.of("a", "b")) {
            for (String intent : List.of("i", "I", "i-1", "x".repeat(40), "x".repeat(39) + "y")) {
                for (int attempt : new int[] {1, 11, Integer.MAX_VALUE}) {
                    for (int index : new int[] {0, 1, 9_999}) {
                        String name = names(cluster, "s").machine(request(intent, attempt), index);
                        assertThat(name).matches("[a-z0-9-]{1,64}");
                        assertThat(names(cluster, "s").isOwn(name)).isTrue();
                        assertThat(names("c", "s").isOwn(name)).isFalse();
                        all.add(name);
                    }
                }
            }
        }
        assertThat(all).hasSize(2 * 5 * 3 * 3);
        assertThat(names("a", "bc").prefix()).isNotEqualTo(names("ab", "c").prefix());
    }

    @Test
    void nobodysKeyLooksLikeOneAndIsTheSameAgain() {
        assertThat(MachineBody.nobodysKey("x"))
                .matches("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]{43} nobody")
                .isEqualTo(MachineBody.nobodysKey("x"))
                .isNotEqualTo(MachineBody.nobodysKey("y"));
    }

    @Test
    void imagesAreNamedInFourWays() {
        assertThat(MachineBody.image("Canonical:ubuntu-24_04-lts:server:latest").sku())
                .isEqualTo("server");
        assertThat(MachineBody.image("/subscriptions/s/images/x").id()).isEqualTo("/subscriptions/s/images/x");
        assertThat(MachineBody.image("/CommunityGalleries/g/images/x").communityGalleryImageId())
                .isNotEmpty();
        assertThat(MachineBody.image("/SharedGalleries/g/images/x").sharedGalleryImageId())
                .isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "creating, '', PENDING",
        "Succeeded, starting, PENDING",
        "Succeeded, running, RUNNING",
        "Updating, running, RUNNING",
        "Succeeded, '', RUNNING",
        "Succeeded, unknown, RUNNING",
        "Succeeded, stopping, STOPPING",
        "Succeeded, deallocating, STOPPING",
        "Succeeded, stopped, STOPPED",
        "Succeeded, deallocated, STOPPED",
        "Deleting, running, TERMINATING",
        "Failed, '', STOPPED",
        "Failed, running, RUNNING",
    })
    void stateIsOfProvisioningAndPower(String provisioning, String power, Instance.State state) {
        assertThat(Machines.state(provisioning, power)).isEqualTo(state);
    }

    @ParameterizedTest
    @CsvSource({
        "*, '', true",
        "Microsoft.Compute/*, '', true",
        "microsoft.compute/virtualMachines/*, '', true",
        "Microsoft.Compute/virtualMachines/write, '', true",
        "*, Microsoft.Compute/virtualMachines/write, false",
        "Microsoft.Network/*, '', false",
        "Microsoft.Compute/virtualMachines/read, '', false",
    })
    void permissionIsAPatternWithoutAnother(String actions, String notActions, boolean allowed) throws Exception {
        String json = "[{\"actions\":[\"" + actions + "\"],\"notActions\":["
                + (notActions.isEmpty() ? "" : "\"" + notActions + "\"") + "]}]";
        assertThat(AzureAccountChecks.isAllowed(
                        new ObjectMapper().readTree(json), "Microsoft.Compute/virtualMachines/write"))
                .isEqualTo(allowed);
    }

    @ParameterizedTest
    @CsvSource({
        "t, Virtual Machines D Series, t, 1 Hour, 0.1234567, t, 0.123457",
        "t, Virtual Machines D Series, t Spot, 1 Hour, 0.01, t/spot, 0.01",
        "t, Virtual Machines D Series Windows, t, 1 Hour, 0.2, '', ''",
        "t, D Series CloudServices, t, 1 Hour, 0.2, '', ''",
        "t, Virtual Machines D Series, t Low Priority, 1 Hour, 0.02, '', ''",
        "t, Virtual Machines D Series, t, 1/Month, 0.2, '', ''",
        "t, Virtual Machines D Series, t, 1 Hour, 0, '', ''",
        "'', Virtual Machines D Series, t, 1 Hour, 0.2, '', ''",
    })
    void retailPriceIsOfALinuxMachineAndHour(
            String size, String product, String sku, String unit, String price, String key, String told)
            throws Exception {
        Map<String, Money> all = new HashMap<>();
        String item = "{\"armSkuName\":\"" + size + "\",\"productName\":\"" + product + "\",\"skuName\":\"" + sku
                + "\",\"unitOfMeasure\":\"" + unit + "\",\"retailPrice\":" + price + "}";
        RetailPrices.add(all, RetailPrices.JSON.readTree(item));
        assertThat(all).isEqualTo(key.isEmpty() ? Map.of() : Map.of(key, Money.parse(told)));
    }
}
