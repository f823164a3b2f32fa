package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;

/** A group of the duties of every driver; {@link CloudDriverContract} nests one of each. */
abstract class Duties {
    final ProviderUnderTest provider;
    /** Of the test under way. */
    Site site;

    Duties(ProviderUnderTest provider) {
        this.provider = provider;
    }

    @BeforeEach
    void takeSite() {
        site = provider.site;
    }

    static void assertRefused(Reason reason, LaunchAnswer answer) {
        assertThat(answer.outcome())
                .isInstanceOfSatisfying(
                        LaunchOutcome.Refused.class,
                        refused -> assertThat(refused.reason())
                                .as(refused.message())
                                .isEqualTo(reason));
        assertThat(answer.instances()).isEmpty();
    }

    static List<String> ids(List<Instance> instances) {
        return instances.stream().map(Instance::id).toList();
    }
}
