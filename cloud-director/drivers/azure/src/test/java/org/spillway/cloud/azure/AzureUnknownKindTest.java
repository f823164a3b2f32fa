package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.Site;

/** Finding C8: what bears our mark and is of a type that the driver does not know was on nobody's bill. */
final class AzureUnknownKindTest {
    @TempDir
    private Path directory;

    @Test
    void whatBearsOurMarkIsShownWhateverItIsAndIsNotDeleted() throws Exception {
        try (ArmCloud cloud = new ArmCloud(directory, "zones: [a]\ntypes: [{name: small, cpus: 1, memoryGiB: 1}]\n");
                Site site = cloud.open("c", "s", cloud.options())) {
            String ours = bastion(cloud, "ours", "c");
            bastion(cloud, "theirs", "another");
            Inventory inventory = site.inventory().orElseThrow();
            List<Billable> shown = inventory.all();
            assertThat(shown).singleElement().satisfies(thing -> {
                assertThat(thing.kind()).isEqualTo(Billable.OTHER);
                assertThat(thing.id()).isEqualTo(ours);
            });
            assertThatThrownBy(() -> inventory.delete(shown.getFirst()))
                    .isInstanceOf(CloudException.class)
                    .hasMessageContaining("nothing that this site deletes");
            assertThat(inventory.all()).hasSize(1);
        }
    }

    private static String bastion(ArmCloud cloud, String name, String cluster) throws Exception {
        return cloud.put(
                "Microsoft.Network/bastionHosts",
                name,
                "{\"spillway-cluster\":\"" + cluster + "\",\"spillway-site\":\"s\"}",
                "");
    }
}
