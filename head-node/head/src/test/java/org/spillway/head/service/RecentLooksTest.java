package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.api.ApiException;
import org.spillway.api.JobSubmission.ArrayRange;
import org.spillway.head.journal.JobSpec;
import org.spillway.stage.worker.UserFiles.Place;
import org.spillway.stage.worker.UserFiles.Shape;
import org.spillway.stage.worker.UserFiles.Wish;

/** A file of a thousand lines asks its user's worker once for a place that all of them name. */
final class RecentLooksTest {
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");
    private static final JobSpec.Owner ADA = new JobSpec.Owner("ada", 1000, 1000);

    private static JobSpec job(JobSpec.Owner owner, String destination, Instant at) {
        return JobSpec.of(draft -> {
            draft.owner = owner;
            draft.sites = List.of("east");
            draft.data = new JobSpec.Data(
                    List.of(), List.of(new JobSpec.Output("out", destination, false, false)), "/home/ada");
            draft.submittedAt = at;
        });
    }

    @Test
    void aThousandJobsOfAFolderAskOnce() {
        List<String> asked = new ArrayList<>();
        OutputLook look = new OutputLook(new LookingStager(Map.of(), asked), new RecentLooks());
        for (int i = 0; i < 1000; i++) {
            look.look(job(ADA, "/home/ada/out-%j", NOW.plusMillis(i / 10)), ArrayRange.NONE, 0);
        }
        assertThat(asked).hasSize(1);
        look.look(job(ADA, "/home/ada/other", NOW), ArrayRange.NONE, 0);
        look.look(job(new JobSpec.Owner("bob", 1001, 1000), "/home/ada/out-%j", NOW), ArrayRange.NONE, 0);
        look.look(job(ADA, "/home/ada/out-%j", NOW.plusSeconds(1)), ArrayRange.NONE, 0);
        assertThat(asked).as("another place, another user, a second later").hasSize(4);
    }

    @Test
    void aPlaceThatCannotBeWrittenIsAskedForEachTime() {
        List<String> asked = new ArrayList<>();
        OutputLook look = new OutputLook(new LookingStager(Map.of(), asked), new RecentLooks());
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> look.look(job(ADA, "/locked/out", NOW), ArrayRange.NONE, 0))
                    .isInstanceOf(ApiException.class);
        }
        assertThat(asked).hasSize(3);
    }

    @Test
    void noMoreThanSomeAreRemembered() {
        RecentLooks looks = new RecentLooks();
        List<Place> good = List.of(new Place("", "disk", 1));
        for (int i = 0; i <= RecentLooks.MOST; i++) {
            looks.remember(ADA, wishes(i, 1), good, NOW);
        }
        assertThat(looks.find(ADA, wishes(0, 1), NOW)).isEmpty();
        assertThat(looks.find(ADA, wishes(1, 1), NOW)).isEqualTo(Optional.of(good));
        assertThat(looks.find(ADA, wishes(1, 1), NOW.minusSeconds(1)))
                .as("a clock set back")
                .isEmpty();
        looks.remember(ADA, wishes(0, RecentLooks.MOST_WISHES + 1), good, NOW);
        assertThat(looks.find(ADA, wishes(0, RecentLooks.MOST_WISHES + 1), NOW)).isEmpty();
        looks.remember(ADA, wishes(1, 1), List.of(new Place("no", "disk", 1)), NOW);
        assertThat(looks.find(ADA, wishes(1, 1), NOW)).isEmpty();
    }

    private static List<Wish> wishes(int number, int count) {
        List<Wish> wishes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            wishes.add(new Wish(Path.of("/home/ada/" + number + "/" + i), Shape.FILE));
        }
        return wishes;
    }
}
