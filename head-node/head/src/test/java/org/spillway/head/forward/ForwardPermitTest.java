package org.spillway.head.forward;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.head.forward.ForwardPermit.Asked;

/** Who may reach a service of home, and how many times. */
final class ForwardPermitTest {
    private static final Asked ASKED = new Asked("east", "n1", "7", 2, "licence");

    private static HomeForward forward(String... groups) {
        return new HomeForward(
                "licence",
                "srv",
                List.of(27000, 27010),
                "licence.example.org",
                List.of(1000, 2000),
                List.of(groups),
                new HomeForward.Bounds(2, 3, 4, Duration.ofDays(1)));
    }

    private static Optional<RunningJob> job(String... groups) {
        return Optional.of(new RunningJob("east", 2, List.of("n0", "n1"), "ann", List.of(groups)));
    }

    @Test
    void aMemberOfOneOfTheGroupsMay() {
        assertThat(ForwardPermit.refusal(ASKED, job("users", "cad"), Optional.of(forward("cad", "fem"))))
                .isEmpty();
        assertThat(ForwardPermit.refusal(ASKED, job(), Optional.of(forward("*"))))
                .isEmpty();
    }

    @Test
    void anotherUserMayNot() {
        assertThat(ForwardPermit.refusal(ASKED, job("users"), Optional.of(forward("cad", "fem"))))
                .contains("user ann is in none of its groups (cad, fem)");
        assertThat(ForwardPermit.refusal(ASKED, job("cad"), Optional.empty())).contains("there is no such service");
    }

    /** A director, or a node that somebody has got hold of, that speaks for a job which is not there. */
    @ParameterizedTest
    @CsvSource({"west, n1, 2", "east, n2, 2", "east, n1, 1", "east, n1, 3"})
    void aJobThatDoesNotRunThereMayNot(String site, String node, int attempt) {
        Asked other = new Asked(site, node, "7", attempt, "licence");
        assertThat(ForwardPermit.refusal(other, job("cad"), Optional.of(forward("*"))))
                .contains("this job does not run there");
        assertThat(ForwardPermit.refusal(ASKED, Optional.empty(), Optional.of(forward("*"))))
                .contains("this job does not run there");
    }

    @Test
    void onlyThePortsThatJobsKnowLeadAnywhere() {
        assertThat(forward("*").toPort(2000)).hasValue(27010);
        assertThat(forward("*").toPort(27010)).isEmpty();
    }

    @Test
    void connectionsAreBoundedByJobByNodeAndBySite() {
        var counts = new ForwardCounts();
        var bounds = forward("*").bounds();
        Asked other = new Asked("east", "n1", "8", 1, "licence");
        Asked elsewhere = new Asked("east", "n2", "9", 1, "licence");
        assertThat(counts.take(ASKED, bounds)).isEmpty();
        assertThat(counts.take(ASKED, bounds)).isEmpty();
        assertThat(counts.take(ASKED, bounds)).contains("job 7 has 2 connections already (perJob)");
        assertThat(counts.take(other, bounds)).isEmpty();
        assertThat(counts.take(other, bounds)).contains("node n1 has 3 connections already (perNode)");
        assertThat(counts.take(elsewhere, bounds)).isEmpty();
        assertThat(counts.take(elsewhere, bounds)).contains("site east has 4 connections already (perSite)");
        assertThat(counts.of("east")).isEqualTo(4);
        assertThat(counts.of("west")).isZero();
        counts.give(ASKED);
        assertThat(counts.take(other, bounds)).isEmpty();
        assertThat(counts.take(new Asked("east", "n1", "8", 1, "another"), bounds))
                .isEmpty();
    }
}
