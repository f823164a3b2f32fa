package org.spillway.head.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.AccountsView;
import org.spillway.api.AccountsView.DifferenceView;
import org.spillway.api.AccountsView.GroupView;
import org.spillway.api.AccountsView.PlaceView;

/** Where a place differs from the directory, and where it may. */
final class AccountPlacesTest {
    private static final GroupView STAFF = new GroupView(7000, "staff");
    private static final GroupView LAB = new GroupView(7100, "lab");

    private static PlaceView place(String kind, long uid, long gid, GroupView... groups) {
        return new PlaceView(
                kind,
                kind.equals("HEAD") || kind.equals("DIRECTORY") ? "" : "east",
                "",
                "KNOWN",
                uid,
                gid,
                List.of(groups),
                "");
    }

    private static List<String> differences(PlaceView... others) {
        var all = new java.util.ArrayList<>(List.of(place("DIRECTORY", 7001, 7000, STAFF, LAB)));
        all.addAll(List.of(others));
        return AccountPlaces.compared("ann", all, 1000).differences().stream()
                .map(one -> one.kind() + " " + one.what() + " " + one.there() + "|" + one.directory())
                .toList();
    }

    @Test
    void theSameInAnotherOrderIsNoDifference() {
        assertThat(differences(place("HEAD", 7001, 7000, LAB, STAFF), place("COPY", 7001, 7000, STAFF, LAB)))
                .isEmpty();
    }

    @Test
    void numbersAndGroupsAreComparedAndEachDifferenceHasItsRepair() {
        var other = new GroupView(4711, "old");
        assertThat(differences(place("HEAD", 7002, 7000, STAFF, LAB), place("NODE", 7001, 4711, other)))
                .containsExactly(
                        "HEAD UID 7002|7001",
                        "NODE GID 4711|7000",
                        "NODE LACKS |lab(7100), staff(7000)",
                        "NODE HAS old(4711)|");
        AccountsView found = AccountPlaces.compared(
                "ann", List.of(place("DIRECTORY", 1, 2, STAFF), place("COPY", 1, 2, STAFF, LAB)), 1000);
        assertThat(found.differences()).extracting(DifferenceView::repair).noneMatch(String::isEmpty);
        assertThat(found.differences()).extracting(DifferenceView::what).containsExactly("HAS");
    }

    @Test
    void groupsOfTheSystemStayAtHome() {
        var docker = new GroupView(999, "docker");
        assertThat(differences(
                        place("HEAD", 7001, 7000, STAFF, LAB, docker), place("NODE", 7001, 7000, STAFF, LAB, docker)))
                .isEmpty();
        assertThat(differences(place("COPY", 7001, 7000, STAFF, LAB, docker))).hasSize(1);
    }

    @Test
    void whoIsNotKnownDiffersWhereJobsNeedIt() {
        assertThat(differences(
                        PlaceView.without("HEAD", "", "", "UNKNOWN", ""),
                        PlaceView.without("NODE", "east", "n-1", "UNKNOWN", ""),
                        PlaceView.without("COPY", "west", "", "UNASKED", "no director is up")))
                .as("jobs bring their names along")
                .isEmpty();
        assertThat(differences(PlaceView.without("COPY", "east", "", "UNKNOWN", "")))
                .containsExactly("COPY UNKNOWN not there|there");
        AccountsView nobody = AccountPlaces.compared(
                "eve",
                List.of(
                        PlaceView.without("DIRECTORY", "", "", "UNKNOWN", "several accounts claim it"),
                        place("HEAD", 7001, 7000, STAFF)),
                1000);
        assertThat(nobody.differences()).extracting(DifferenceView::kind).containsExactly("DIRECTORY");
        assertThat(nobody.waiting()).isFalse();
        assertThat(AccountPlaces.compared(
                                "ann",
                                List.of(
                                        place("DIRECTORY", 1, 2, STAFF),
                                        PlaceView.without("NODE", "east", "n-1", "WAITING", "")),
                                1000)
                        .waiting())
                .isTrue();
    }
}
