package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.api.ApiException;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.head.tenant.ChildManager;

/** Drivers and managers that this program's code has never heard of. */
final class ChildChoicesTest {
    private record Driver(String name, boolean makesHeads, boolean isOfThisMachine) implements CloudDriver {
        @Override
        public Site open(SiteSettings settings) {
            throw new UnsupportedOperationException();
        }
    }

    private record Grid(Optional<Lack> lack) implements ChildManager {
        @Override
        public Optional<Lack> lack(String site) {
            return lack;
        }

        @Override
        public Map<String, Object> workload(Place place) {
            return Map.of();
        }

        @Override
        public Map<String, String> files(Place place) {
            return Map.of();
        }

        @Override
        public String program() {
            return "";
        }
    }

    private static final Optional<ChildManager.Lack> LACK =
            Optional.of(new ChildManager.Lack("this machine has no gridd", "install gridd"));
    private static final ChildChoices CHOICES = new ChildChoices(
            Map.of(
                    "moon", new Driver("moon", true, false),
                    "here", new Driver("here", true, true),
                    "lent", new Driver("lent", false, false)),
            Map.of("grid", new Grid(LACK), "array", new Grid(Optional.empty())));

    @Test
    void aDriverSaysItselfWhetherItsMachinesCanBeHeads() {
        CHOICES.refuseDriver("west", "moon");
        for (String driver : new String[] {"lent", "gone"}) {
            assertThatThrownBy(() -> CHOICES.refuseDriver("west", driver))
                    .isInstanceOfSatisfying(
                            ApiException.class,
                            refused -> assertThat(refused.hint())
                                    .isEqualTo("clusters are made in sites with one of: here, moon"));
        }
    }

    @Test
    void managersAreThoseThatWereFound() {
        assertThat(CHOICES.manager("", "west", "moon")).isEmpty();
        assertThat(CHOICES.manager("embedded", "west", "moon")).isEmpty();
        assertThat(CHOICES.manager("grid", "west", "moon")).isEqualTo("grid");
        assertThatThrownBy(() -> CHOICES.manager("pbs", "west", "moon"))
                .isInstanceOfSatisfying(ApiException.class, refused -> {
                    assertThat(refused).hasMessage("workload: found 'pbs'");
                    assertThat(refused.hint()).isEqualTo("allowed: embedded, array, grid");
                });
    }

    @Test
    void aLackOfThisMachineCountsWhereASiteIsMadeOfIt() {
        assertThat(CHOICES.manager("array", "west", "here")).isEqualTo("array");
        assertThatThrownBy(() -> CHOICES.manager("grid", "west", "here"))
                .isInstanceOfSatisfying(ApiException.class, refused -> {
                    assertThat(refused).hasMessage("workload: found 'grid', and this machine has no gridd");
                    assertThat(refused.hint()).isEqualTo("install gridd");
                });
    }
}
