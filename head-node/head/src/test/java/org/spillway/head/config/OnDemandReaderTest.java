package org.spillway.head.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.spillway.head.limits.Lifetime;
import org.spillway.policy.Money;

final class OnDemandReaderTest extends ConfigScene {
    private static final String KNOWN = "onDemand: { owner: ada, ownerUid: 1001, ends: '2026-11-22T10:00:00Z',"
            + " headPricePerHour: '0.50', headSince: '2026-11-22T09:00:00Z' }\n";

    @Test
    void aHeadThatNobodyOrderedHasNone() throws Exception {
        assertThat(read(SMALL).onDemand()).isEmpty();
    }

    @Test
    void whoseItIsAndWhenItEndsIsRead() throws Exception {
        assertThat(read(KNOWN + SMALL).onDemand())
                .contains(new HeadConfig.OnDemand(
                        "ada",
                        1001,
                        new Lifetime(
                                Instant.parse("2026-11-22T10:00:00Z"),
                                Money.parse("0.50"),
                                Instant.parse("2026-11-22T09:00:00Z"))));
    }

    @Test
    void whatIsMissingOrNoTimeIsNamed() throws Exception {
        assertThat(mistakes(KNOWN.replace("'2026-11-22T10:00:00Z'", "soon") + SMALL))
                .containsExactly("spillway.yaml:1: onDemand.ends: found 'soon'; allowed: a time such as"
                        + " 2026-11-22T09:00:00Z");
        assertThat(mistakes(KNOWN.replace("owner: ada, ", "") + SMALL))
                .containsExactly(
                        "spillway.yaml:1: onDemand.owner: missing; allowed: the login name of the cluster's owner");
    }
}
