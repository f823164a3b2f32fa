package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.journal.ClusterRecord;

/** H3: no head is bought before its nodes have a place, as far as that can be known. */
final class VacancyTest {
    private static final ClusterRecord ASKED = Kids.made(Duration.ofHours(1), "5");
    private static final ClusterRecord OTHER = Kids.named("main-c2", Kids.running(Duration.ofHours(1), "5"));

    private static Cause of(int room, List<ClusterRecord> clusters, Map<String, Integer> instances) {
        return Vacancy.of(ASKED, room, clusters, id -> instances.getOrDefault(id, 0));
    }

    @Test
    void allOfItsNodesHaveAPlaceOrNothingIsBought() {
        assertThat(of(2, List.of(ASKED), Map.of())).isEqualTo(Cause.NONE);
        assertThat(of(1, List.of(ASKED), Map.of())).isEqualTo(new ClusterCause.SiteFull("west", 1, 2));
        assertThat(of(-3, List.of(ASKED), Map.of()).text())
                .isEqualTo(
                        "site west has room for 0 more nodes and it needs 2: nothing is bought before there is room");
    }

    @Test
    void placesOfNodesThatOthersHaveYetToBuyAreTheirs() {
        assertThat(of(3, List.of(ASKED, OTHER), Map.of("main-c2", 1))).isEqualTo(Cause.NONE);
        assertThat(of(3, List.of(ASKED, OTHER), Map.of())).isEqualTo(new ClusterCause.SiteFull("west", 1, 2));
        ClusterRecord going = OTHER.deleting(Cause.NONE, Kids.MADE);
        assertThat(of(2, List.of(ASKED, going), Map.of())).isEqualTo(Cause.NONE);
    }
}
