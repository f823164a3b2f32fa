package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.cloud.ProviderUnderTest.TAGS;
import static org.spillway.cloud.ProviderUnderTest.eventually;
import static org.spillway.cloud.ProviderUnderTest.first;
import static org.spillway.cloud.ProviderUnderTest.listed;
import static org.spillway.cloud.ProviderUnderTest.request;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** Marks that an instance bears, as long and as odd as vendors allow: by them it is found when all else is lost. */
abstract class MarkDuties extends Duties {
    private static final Duration CLOSE = Duration.ofMinutes(2);

    MarkDuties(ProviderUnderTest provider) {
        super(provider);
    }

    private LaunchRequest marked(Map<String, String> tags) {
        Map<String, String> all = new TreeMap<>(TAGS);
        all.putAll(tags);
        return provider.one().withTags(all);
    }

    /**
     * Owners are logins of a directory. "Tag restrictions" of EC2 allow any letters, spaces and numbers and {@code + - = . _ : / @}
     * in all services, more in EC2 itself; Azure forbids some characters in names and none in values ("Use tags to organize your
     * Azure resources"); Nova's metadata are UTF-8 of at most 255 characters.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {"svc@REALM.EXAMPLE", "with$dollar", "o'brien smith", "grün+łódź", "a/b:c=d_e.f-g", "{\"x\":[1]}"
            })
    void comeBackAsTheyWereGiven(String owner) throws Exception {
        LaunchRequest request = marked(Map.of(Instance.TAG_OWNER, owner));
        first(site.compute().launch(request));
        List<Instance> seen = eventually(() -> listed(site, request), all -> all.size() == 1);
        assertThat(seen.getFirst().tags()).containsEntry(Instance.TAG_OWNER, owner);
    }

    /** Nova's limit is the least of all: 255. */
    @Test
    void mayBeAsLongAsVendorsAllow() throws Exception {
        String longest = "o".repeat(255);
        LaunchRequest request = marked(Map.of(Instance.TAG_OWNER, longest));
        first(site.compute().launch(request));
        assertThat(eventually(() -> listed(site, request), all -> all.size() == 1)
                        .getFirst()
                        .tags())
                .containsEntry(Instance.TAG_OWNER, longest);
    }

    /** Made with the instance, and not behind it: what is listed first is listed with them. */
    @Test
    void areThereFromTheFirstListing() throws Exception {
        LaunchRequest request = request(provider.offering("here"), 3, "");
        site.compute().launch(request);
        List<Instance> seen = eventually(() -> listed(site, request), all -> !all.isEmpty());
        assertThat(seen)
                .allSatisfy(instance -> assertThat(instance.tags())
                        .containsEntry(Instance.TAG_CLUSTER, "contract")
                        .containsEntry(Instance.TAG_SITE, "here")
                        .containsAllEntriesOf(TAGS));
    }

    /** Azure's names of machines have 64 characters at most, and each of several has its own. */
    @Test
    void theLongestIntentIsOneToo() throws Exception {
        LaunchRequest like = request(provider.offering("here"), 3, "");
        String longest = (like.intent() + "-" + "x".repeat(40)).substring(0, 40);
        LaunchRequest request = LaunchRequest.of(longest, 1, like.offering(), 3).withTags(TAGS);
        LaunchAnswer answer = site.compute().launch(request);
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(3));
        assertThat(eventually(() -> listed(site, request), all -> all.size() == 3))
                .extracting(Instance::intent)
                .containsOnly(longest);
    }

    @Test
    void tellWhenItWasLaunched() throws Exception {
        LaunchRequest request = provider.one();
        Instant before = Instant.now();
        first(site.compute().launch(request));
        Instance seen =
                eventually(() -> listed(site, request), all -> all.size() == 1).getFirst();
        assertThat(Duration.between(before, seen.launchedAt()).abs()).isLessThan(CLOSE);
        assertThat(eventually(() -> listed(site, request), all -> all.size() == 1)
                        .getFirst()
                        .launchedAt())
                .as("it does not move")
                .isEqualTo(seen.launchedAt());
    }

    /** Another object, as after a restart of the head. */
    @Test
    void areFoundByAnotherProcess() throws Exception {
        LaunchRequest request = provider.one();
        String id = first(site.compute().launch(request)).id();
        Site later = provider.opened(provider.open("contract", "here", false));
        assertThat(eventually(() -> listed(later, request), all -> all.size() == 1))
                .extracting(Instance::id)
                .containsExactly(id);
        assertThat(first(later.compute().launch(request)).id()).isEqualTo(id);
    }

    @Test
    void spotIsListedAsSpotOrIsNotSold() throws Exception {
        OfferingId usual = provider.offering("here");
        OfferingId spot = new OfferingId("here", usual.zone(), usual.instanceType(), Market.SPOT);
        boolean sold =
                site.compute().offerings().stream().anyMatch(each -> each.id().equals(spot));
        LaunchRequest request = request(spot, 1, "");
        LaunchAnswer answer = site.compute().launch(request);
        if (!sold) {
            assertRefused(LaunchOutcome.Reason.INVALID, answer);
            return;
        }
        assertThat(first(answer).offering()).isEqualTo(spot);
        assertThat(eventually(() -> listed(site, request), all -> all.size() == 1)
                        .getFirst()
                        .offering())
                .isEqualTo(spot);
    }
}
