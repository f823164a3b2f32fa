package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.spillway.cloud.ProviderUnderTest.request;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.policy.LaunchOutcome;

/** A provider that does not answer. */
abstract class NowhereDuties extends Duties {
    NowhereDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void isAFindingAndNoCrash() {
        try (Site nowhere = provider.openNowhere()) {
            assertThat(nowhere.diagnostics().check(Diagnostics.Needs.NONE)).anySatisfy(finding -> {
                assertThat(finding.verdict()).isEqualTo(Diagnostics.Verdict.BROKEN);
                assertThat(finding.detail()).isNotEmpty();
                assertThat(finding.repair()).isNotEmpty();
            });
            assertThatThrownBy(() -> nowhere.compute().list()).isInstanceOf(CloudException.class);
            assertThatThrownBy(() -> nowhere.compute().terminate(List.of("i-1")))
                    .isInstanceOf(CloudException.class);
            assertThat(nowhere.compute()
                            .launch(request(provider.offering("here"), 1, ""))
                            .outcome())
                    .isNotInstanceOf(LaunchOutcome.Launched.class);
        }
    }

    @Test
    void isToldFromAProviderThatAnswers() throws Exception {
        assertThat(site.compute().offerings()).isNotEmpty();
        assertThat(site.diagnostics().check(Diagnostics.Needs.NONE))
                .isNotEmpty()
                .allSatisfy(finding -> assertThat(finding.verdict()).isNotEqualTo(Diagnostics.Verdict.BROKEN));
    }
}
