package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.cloud.ProviderUnderTest.eventually;
import static org.spillway.cloud.ProviderUnderTest.listed;
import static org.spillway.cloud.ProviderUnderTest.request;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.spillway.cloud.ProviderUnderTest.Luck;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.OfferingId;

/**
 * Ranked sets under each kind of bad luck. "EC2 Fleet of type instant": one synchronous answer with the instances and the errors
 * of what could not be launched ("Configure an EC2 Fleet of type instant"); elsewhere the driver does the like.
 */
abstract class SetDuties extends Duties {
    SetDuties(ProviderUnderTest provider) {
        super(provider);
    }

    private LaunchRequest set(int count, OfferingId... offerings) {
        List<OfferingId> others = Stream.of(offerings).skip(1).toList();
        return request(request(offerings[0], count, ""), others, LaunchRequest.Placement.NONE);
    }

    private OfferingId usual() {
        return provider.offering("here");
    }

    private OfferingId other() {
        return provider.otherOffering("here");
    }

    /** Costs next to nothing, in the market of the others. */
    private OfferingId third() {
        OfferingId cheap = provider.cheapOffering("here");
        return new OfferingId("here", cheap.zone(), cheap.instanceType(), usual().market());
    }

    @Test
    void nothingBehindIsBoughtWhileTheFirstServes() throws Exception {
        LaunchRequest request = set(2, usual(), other());
        LaunchAnswer answer = site.compute().launch(request);
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(2));
        assertThat(answer.instances()).extracting(Instance::offering).containsOnly(usual());
        assertThat(listed(site, request)).extracting(Instance::offering).containsOnly(usual());
    }

    @Test
    void whatCameIsListedAsWhatItIs() throws Exception {
        provider.arrange(new Luck.Short(usual()));
        LaunchRequest request = set(2, usual(), other());
        site.compute().launch(request);
        assertThat(listed(site, request)).extracting(Instance::offering).containsExactly(other(), other());
    }

    @Test
    void aPartOfTheFirstIsFilledUpFromTheNext() throws Exception {
        provider.arrange(new Luck.Partial(1));
        LaunchRequest request = set(3, usual(), other());
        LaunchAnswer answer = site.compute().launch(request);
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(3));
        assertThat(answer.instances())
                .extracting(Instance::offering)
                .containsExactlyInAnyOrder(usual(), other(), other());
        assertThat(answer.parts())
                .anySatisfy(part -> assertThat(part.outcome())
                        .isInstanceOfSatisfying(
                                LaunchOutcome.Partial.class,
                                partial -> assertThat(partial.count()).isEqualTo(1)));
        assertThat(ids(listed(site, request))).containsExactlyInAnyOrderElementsOf(ids(answer.instances()));
    }

    @Test
    void theThirdServesWhereTwoAreShort() throws Exception {
        provider.arrange(new Luck.Short(usual()));
        provider.arrange(new Luck.Short(other()));
        OfferingId third = third();
        if (List.of(usual(), other()).contains(third)) {
            return;
        }
        LaunchRequest request = set(1, usual(), other(), third);
        LaunchAnswer answer = site.compute().launch(request);
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(1));
        assertThat(answer.instances()).extracting(Instance::offering).containsExactly(third);
    }

    /** A quota is of a family of types. */
    @Test
    void aFullQuotaOfTheFirstIsNoneOfTheNext() throws Exception {
        provider.arrange(new Luck.Refuse(Reason.QUOTA));
        LaunchRequest request = set(1, usual(), other());
        LaunchAnswer answer = site.compute().launch(request);
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(1));
        assertThat(answer.instances()).extracting(Instance::offering).containsExactly(other());
        assertThat(answer.parts())
                .anySatisfy(part -> assertThat(part.outcome())
                        .isInstanceOfSatisfying(
                                LaunchOutcome.Refused.class,
                                no -> assertThat(no.reason()).isEqualTo(Reason.QUOTA)));
    }

    /** Asking on would be refused as well, and would cost the account calls. */
    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {"CREDENTIALS", "THROTTLED"})
    void whatIsRefusedToTheAccountIsNotAskedOn(Reason reason) throws Exception {
        provider.arrange(new Luck.Refuse(reason));
        LaunchRequest request = set(1, usual(), other());
        assertRefused(reason, site.compute().launch(request));
        assertThat(listed(site, request)).isEmpty();
    }

    @Test
    void aTypeThatIsNotSoldCostsOnlyItself() throws Exception {
        OfferingId wrong = new OfferingId("here", usual().zone(), "no-such-type", usual().market());
        LaunchRequest request = set(1, wrong, usual());
        LaunchAnswer answer = site.compute().launch(request);
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(1));
        assertThat(answer.instances()).extracting(Instance::offering).containsExactly(usual());
        assertThat(listed(site, request)).hasSize(1);
    }

    @Test
    void aLostAnswerIsUnknownAndIsNotBoughtAgain() throws Exception {
        provider.arrange(new Luck.LostAnswer());
        LaunchRequest request = set(2, usual(), other());
        assertThat(site.compute().launch(request).outcome()).isInstanceOf(LaunchOutcome.Unknown.class);
        List<Instance> found = eventually(() -> listed(site, request), all -> all.size() == 2);
        assertThat(ids(site.compute().launch(request).instances())).containsExactlyInAnyOrderElementsOf(ids(found));
        assertThat(listed(site, request)).hasSize(2);
    }

    /** The order is a part of what is asked for, so that another order is another request. */
    @Test
    void theRankIsPartOfTheToken() {
        LaunchRequest one = set(1, usual(), other(), third());
        LaunchRequest turned = request(one, List.of(third(), other()), LaunchRequest.Placement.NONE);
        assertThat(turned.token()).isNotEqualTo(one.token());
        assertThat(request(one, one.alternatives(), LaunchRequest.Placement.NONE)
                        .token())
                .isEqualTo(one.token());
    }
}
