package org.spillway.slurm.child;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.head.tenant.ChildManager.Place;
import org.spillway.head.tenant.WorkloadTenants;

final class SlurmChildTest {
    private static final Place PLACE = new Place("main-c1", "/run/spillway-main-c1", "10.0.0.7", "west", "small", 9);

    @Test
    void isFoundByName() {
        assertThat(WorkloadTenants.children()).containsOnlyKeys("slurm");
    }

    @Test
    void hasItsOwnPlacesAndNoKeyOfItsParents() {
        var child = new SlurmChild();
        assertThat(child.workload(PLACE))
                .isEqualTo(Map.of(
                        "manager",
                        "slurm",
                        "slurm",
                        Map.of(
                                "conf", "/run/spillway-main-c1/etc/slurm.conf",
                                "user", "root",
                                "controller", "10.0.0.7:6817",
                                "mungeKey", "manager/munge.key",
                                "nodes", Map.of("west", Map.of("small", 9)))));
        assertThat(child.files(PLACE)).containsOnlyKeys("slurm.conf");
        assertThat(child.files(PLACE).get("slurm.conf"))
                .contains("ClusterName=mainc1\n", "SlurmctldHost=@HOST@(10.0.0.7)\n", "Include spillway.conf\n");
    }

    @Test
    void itsProgramHasAllThatTheHeadsMachineAsksFor() {
        for (String function : List.of("can", "prepare", "bring", "runs", "end")) {
            assertThat(new SlurmChild().program()).contains("manager_" + function + "() {");
        }
    }
}
