package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.cloud.ProviderUnderTest.listed;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.policy.Offering;

/** Looks at an account that change nothing in it. */
abstract class CheckDuties extends Duties {
    CheckDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void aCheckLeavesNothingBehind() throws Exception {
        Set<String> before = bill();
        site.diagnostics()
                .check(new Diagnostics.Needs(Set.of(provider.offering("here").instanceType()), ""));
        assertThat(bill()).isEqualTo(before);
    }

    private Set<String> bill() throws CloudException {
        Set<String> ids = new HashSet<>();
        List<Billable> all =
                site.inventory().isPresent() ? site.inventory().orElseThrow().all() : List.of();
        all.forEach(each -> ids.add(each.kind() + " " + each.id()));
        return ids;
    }

    @Test
    void aTypeThatIsNotSoldIsBrokenAndNamed() {
        List<Finding> findings = site.diagnostics().check(new Diagnostics.Needs(Set.of("no-such-type"), ""));
        assertThat(findings)
                .filteredOn(each -> each.verdict() == Verdict.BROKEN)
                .isNotEmpty()
                .anySatisfy(each -> assertThat(each.check() + each.detail()).contains("no-such-type"))
                .allSatisfy(each -> assertThat(each.repair()).isNotEmpty());
    }

    @Test
    void aFindingSaysWhatToDoAndIsOneLine() {
        assertThat(site.diagnostics().check(Diagnostics.Needs.NONE)).allSatisfy(each -> {
            assertThat(each.repair().isEmpty()).isEqualTo(each.verdict() == Verdict.GOOD);
            assertThat(each.detail()).isNotEmpty().doesNotContain("\n");
        });
    }

    @Test
    void quotasAreNumbersOfWhatIsOffered() throws Exception {
        if (site.quotas().isEmpty()) {
            return;
        }
        Set<String> families = new HashSet<>();
        site.compute().offerings().stream().map(Offering::quotaFamily).forEach(families::add);
        assertThat(site.quotas().orElseThrow().read(Set.of())).allSatisfy(quota -> {
            assertThat(quota.used()).isGreaterThanOrEqualTo(Quota.UNTOLD);
            assertThat(quota.most()).isNotNegative();
            assertThat(quota.raise()).isNotEmpty();
        });
        assertThat(families).isNotEmpty();
    }

    /** An offering that a planner lists twice is one thing: equal to itself, at one price. */
    @Test
    void offeringsAreTheSameWhenTheyAreReadAgain() throws Exception {
        assertThat(site.compute().offerings())
                .containsExactlyInAnyOrderElementsOf(site.compute().offerings());
    }

    @Test
    void aSiteMayBeClosedTwice() throws Exception {
        Site other = provider.open("contract", "closed", false);
        other.compute().list();
        other.close();
        other.close();
        assertThat(listed(site, provider.one())).isEmpty();
    }
}
