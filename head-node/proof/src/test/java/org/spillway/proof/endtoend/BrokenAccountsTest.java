package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code doctor} on broken accounts of three clouds: each has one trouble, and it says the one thing to do. */
@Tag("processes")
@Timeout(600)
final class BrokenAccountsTest {
    private static final String CONFIG = """
            cluster: examined
            state: ./state
            currency: USD
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { name: base, tree: ./image }
            queues: { east: { sites: [good], maxWalltime: 10m, default: true, markets: [on-demand, spot] } }
            scaler: { tick: 1s, settings: { idleTime: 10m } }
            sites:
              good: { maxNodes: 2, %s }
            """;

    @TempDir
    Path given;

    /**
     * @param kind of what is broken, as a front knows it
     * @param check that fails
     * @param repair a part of what is to be done
     */
    private record Broken(String kind, String check, String repair) {}

    private interface Opening {
        Account in(Path folder) throws Exception;
    }

    @Test
    void ofAmazon() throws Exception {
        eachSaysTheOneThingToDo(
                Account::ec2,
                "",
                List.of(
                        new Broken("denied:RunInstances", "permission RunInstances", "allow ec2:RunInstances"),
                        new Broken(
                                "denied-by-organization:RunInstances",
                                "permission RunInstances",
                                "service control policy"),
                        new Broken("image-not-shared", "image", "aws ec2 modify-image-attribute"),
                        new Broken("image-windows", "image", "image of Linux"),
                        new Broken("subnet-full", "addresses", "a larger subnet"),
                        new Broken("expired-credentials", "credentials", "get new ones"),
                        new Broken("clock-skew", "clock", "NTP")));
    }

    @Test
    void ofAzure() throws Exception {
        eachSaysTheOneThingToDo(
                Account::arm,
                "",
                List.of(
                        new Broken(
                                "denied:Microsoft.Network/publicIPAddresses/write",
                                "permissions",
                                "Microsoft.Network/publicIPAddresses/write"),
                        new Broken(
                                "unregistered-compute",
                                "provider Microsoft.Compute",
                                "az provider register --namespace Microsoft.Compute"),
                        new Broken("locked-delete", "locks", "az lock delete --ids /subscriptions/"),
                        new Broken("policy", "dry run", "az policy exemption create"),
                        new Broken("image-generation", "image", "generation V2"),
                        new Broken("expired-secret", "credentials", "az ad app credential reset"),
                        new Broken("subscription-disabled", "subscription", "reactivate it")));
    }

    @Test
    void ofOpenStack() throws Exception {
        eachSaysTheOneThingToDo(
                Account::nova,
                "floatingNetwork: public, securityGroup: default, flavors: [small], ",
                List.of(
                        new Broken("quota-instances", "quota instances", "openstack quota set --instances NUMBER"),
                        new Broken("quota-cores", "quota cores", "openstack quota set --cores NUMBER"),
                        new Broken("image-inactive", "image", "openstack image set --activate"),
                        new Broken("no-external-network", "external network", "openstack network list --external"),
                        new Broken("no-endpoint", "region", "openstack catalog list")));
    }

    private void eachSaysTheOneThingToDo(Opening opening, String more, List<Broken> all) throws Exception {
        Path folder = given.toRealPath();
        try (Account account = opening.in(folder)) {
            Path config = Files.writeString(
                    folder.resolve("spillway.yaml"),
                    CONFIG.formatted(
                            String.valueOf(account.sites().get("good")).replace("options: { ", "options: { " + more)));
            Files.createDirectories(folder.resolve("image"));
            Ended good = Ended.of(config, "doctor", "good", "--json");
            assertThat(troubles(good)).as("as it should be: %s", good.err()).isEmpty();
            assertThat(good.code()).isZero();
            for (Broken broken : all) {
                account.cloud().breakAccount(broken.kind());
                Ended ended = Ended.of(config, "doctor", "good", "--json");
                assertThat(troubles(ended)).as(broken.kind()).singleElement().satisfies(check -> {
                    assertThat(check.path("check").asText()).isEqualTo(broken.check());
                    assertThat(check.path("verdict").asText()).isEqualTo("BROKEN");
                    assertThat(check.path("repair").asText()).contains(broken.repair());
                });
                assertThat(ended.code()).as(broken.kind()).isEqualTo(1);
                assertThat(Ended.of(config, "doctor", "good").out())
                        .contains("BROKEN")
                        .contains(broken.check());
                account.cloud().breakAccount();
            }
            assertThat(Ended.of(config, "doctor", "good").code()).as("mended").isZero();
        }
    }

    /** Of the only site. */
    private static List<JsonNode> troubles(Ended doctor) throws IOException {
        List<JsonNode> troubles = new ArrayList<>();
        for (JsonNode check : doctor.json().at("/sites/0/checks")) {
            if (!check.path("verdict").asText().equals("GOOD")) {
                troubles.add(check);
            }
        }
        return troubles;
    }
}
