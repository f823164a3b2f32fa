package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.spillway.cloud.ProviderUnderTest.eventually;
import static org.spillway.cloud.ProviderUnderTest.first;
import static org.spillway.cloud.ProviderUnderTest.listed;
import static org.spillway.cloud.ProviderUnderTest.request;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.spillway.cloud.ProviderUnderTest.Luck;
import org.spillway.cloud.fleet.Berth;
import org.spillway.cloud.fleet.FleetDiff;
import org.spillway.cloud.fleet.FleetMemory;
import org.spillway.cloud.fleet.FleetRules;
import org.spillway.cloud.fleet.Listing;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;

/** Refusals, lost, slow and late answers. */
abstract class BadLuckDuties extends Duties {
    BadLuckDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void lostAnswerIsUnknownAndTheInstanceIsFoundByItsIntent() throws Exception {
        provider.arrange(new Luck.LostAnswer());
        LaunchRequest request = provider.one();
        assertThat(site.compute().launch(request).outcome()).isInstanceOf(LaunchOutcome.Unknown.class);
        Instance found =
                eventually(() -> listed(site, request), all -> all.size() == 1).getFirst();
        assertThat(first(site.compute().launch(request)).id()).isEqualTo(found.id());
        assertThat(listed(site, request)).hasSize(1);
    }

    @Test
    void slowAnswerIsUnknownAndTheInstanceIsFound() throws Exception {
        Site impatient = provider.opened(provider.open("contract", "here", true));
        provider.arrange(new Luck.SlowAnswer());
        LaunchRequest request = provider.one();
        assertThat(impatient.compute().launch(request).outcome()).isInstanceOf(LaunchOutcome.Unknown.class);
        eventually(() -> listed(site, request), all -> all.size() == 1);
    }

    /** No provider says OCCUPIED, but a parent head to a child: it knows what else the buyer holds. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OCCUPIED")
    void refusalIsToldWithItsReason(Reason reason) throws Exception {
        provider.arrange(new Luck.Refuse(reason));
        LaunchRequest request = provider.one();
        assertRefused(reason, site.compute().launch(request));
        assertThat(listed(site, request)).isEmpty();
    }

    @Test
    void failureAfterTheAnswerIsToldAndEnded() throws Exception {
        provider.arrange(new Luck.FailsLater());
        LaunchRequest request = provider.one();
        LaunchAnswer answer = site.compute().launch(request);
        if (answer.outcome() instanceof LaunchOutcome.Refused) {
            // A driver may wait for it, if it then leaves nothing behind.
            assertRefused(Reason.CAPACITY, answer);
        } else {
            Instance failed = eventually(
                            () -> listed(site, request),
                            all -> all.size() == 1 && all.getFirst().failure() != null)
                    .getFirst();
            LaunchOutcome.Refused failure = failed.failure();
            assertThat(failure).isNotNull();
            assertThat(failure.reason()).isEqualTo(Reason.CAPACITY);
            assertThat(failed.state()).isNotEqualTo(Instance.State.RUNNING);
            site.compute().terminate(List.of(failed.id()));
        }
        eventually(
                () -> listed(site, request),
                all -> all.stream().noneMatch(instance -> instance.state().isLive()));
    }

    @Test
    void partialCapacityGivesWhatThereIs() throws Exception {
        provider.arrange(new Luck.Partial(1));
        LaunchRequest request = request(provider.offering("here"), 3, "");
        LaunchAnswer answer = site.compute().launch(request);
        assertThat(answer.outcome()).isInstanceOfSatisfying(LaunchOutcome.Partial.class, partial -> {
            assertThat(partial.count()).isEqualTo(1);
            assertThat(partial.reason()).isEqualTo(Reason.CAPACITY);
        });
        assertThat(listed(site, request)).hasSize(1);
    }

    @Test
    void aLateInstanceIsNotTakenForOneThatIsGone() throws Exception {
        Duration late = site.compute().consistencyWindow().dividedBy(2);
        provider.arrange(new Luck.LateListing(late));
        LaunchRequest request = provider.one();
        Instant called = Instant.now();
        String id = first(site.compute().launch(request)).id();
        Berth berth = new Berth("node", request.intent(), id, called, Berth.Expected.RUNNING);
        List<Instance> seen = listed(site, request);
        // A busy machine may have looked when it was listed.
        if (Instant.now().isBefore(called.plus(late))) {
            assertThat(seen).isEmpty();
        }
        FleetRules rules = FleetRules.of(site.compute().consistencyWindow(), true);
        Listing without = new Listing(called.plus(late), List.of());
        assertThat(FleetDiff.of(List.of(berth), List.of(), without, rules, FleetMemory.NONE)
                        .actions())
                .as("absence that proves nothing")
                .isEmpty();
        assertThat(eventually(() -> listed(site, request), all -> !all.isEmpty()))
                .extracting(Instance::id)
                .containsExactly(id);
    }

    @Test
    void failedListingIsNeverAnEmptyOne() throws Exception {
        provider.arrange(new Luck.FailingListing());
        assertThatThrownBy(() -> site.compute().list()).isInstanceOf(CloudException.class);
        assertThat(site.compute().list()).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {"CREDENTIALS", "THROTTLED"})
    void refusedListingSaysWhy(Reason reason) throws Exception {
        provider.arrange(new Luck.RefusedListing(reason));
        assertThatThrownBy(() -> site.compute().list())
                .isInstanceOfSatisfying(
                        CloudException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(reason));
        // A provider that throttles may have asked for a pause, which is kept.
        eventually(this::canList, can -> can);
    }

    private boolean canList() {
        try {
            return site.compute().list() != null;
        } catch (CloudException refused) {
            return false;
        }
    }

    @Test
    void aClockThatIsOffIsAFinding() throws Exception {
        if (!provider.seesClock()) {
            assertThat(site.diagnostics().check(Diagnostics.Needs.NONE))
                    .extracting(Diagnostics.Finding::check)
                    .doesNotContain("clock");
            return;
        }
        assertThat(clock()).extracting(Diagnostics.Finding::verdict).isEqualTo(Diagnostics.Verdict.GOOD);
        provider.arrange(new Luck.Skew(Duration.ofHours(1)));
        assertThat(clock()).satisfies(finding -> {
            assertThat(finding.verdict()).isNotEqualTo(Diagnostics.Verdict.GOOD);
            assertThat(finding.repair()).isNotEmpty();
        });
    }

    private Diagnostics.Finding clock() {
        return site.diagnostics().check(Diagnostics.Needs.NONE).stream()
                .filter(finding -> finding.check().equals("clock"))
                .findFirst()
                .orElseThrow();
    }
}
