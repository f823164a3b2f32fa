package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.cloud.ProviderUnderTest.eventually;
import static org.spillway.cloud.ProviderUnderTest.first;
import static org.spillway.cloud.ProviderUnderTest.listed;
import static org.spillway.cloud.ProviderUnderTest.request;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls about many at once, some of which are wrong. "If you specify multiple instances and the request fails (for example,
 * because of a single incorrect instance ID), none of the instances are terminated" (EC2, TerminateInstances), and what has not
 * an id's form is {@code InvalidInstanceID.Malformed}: one bad id must keep no other machine alive, nor hide it.
 */
abstract class BatchDuties extends Duties {
    private static final int MORE_THAN_A_FILTER_HOLDS = 210;

    BatchDuties(ProviderUnderTest provider) {
        super(provider);
    }

    private static void awaitGone(Site site, LaunchRequest request) throws Exception {
        eventually(
                () -> listed(site, request),
                all -> all.stream().noneMatch(each -> each.state().isLive()));
    }

    @Test
    void endingNothingIsNoCall() throws Exception {
        LaunchRequest request = provider.one();
        first(site.compute().launch(request));
        site.compute().terminate(List.of());
        assertThat(eventually(() -> listed(site, request), all -> all.size() == 1)
                        .getFirst()
                        .state()
                        .isLive())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"not-an-id", "i-zzzz", "a/b?c=d&e#f", "i-0123456789abcdef0\n", "ünï-1"})
    void aMalformedIdKeepsNoOtherAlive(String wrong) throws Exception {
        LaunchRequest request = provider.one();
        String id = first(site.compute().launch(request)).id();
        site.compute().terminate(List.of(wrong, id));
        awaitGone(site, request);
    }

    @ParameterizedTest
    @ValueSource(strings = {"not-an-id", "i-zzzz", "a/b?c=d&e#f"})
    void aMalformedIdHidesNoOther(String wrong) throws Exception {
        LaunchRequest request = provider.one();
        String id = first(site.compute().launch(request)).id();
        eventually(() -> listed(site, request), all -> all.size() == 1);
        Map<String, Look> looks = site.compute().lookup().orElseThrow().look(List.of(wrong, id));
        assertThat(looks.get(id)).isInstanceOf(Look.Found.class);
        assertThat(looks.get(wrong)).isNotInstanceOf(Look.Found.class);
    }

    @Test
    void anIdThatIsNamedTwiceIsEndedOnce() throws Exception {
        LaunchRequest request = provider.one();
        String id = first(site.compute().launch(request)).id();
        site.compute().terminate(List.of(id, id));
        awaitGone(site, request);
    }

    @Test
    void whatIsStillBootingIsEndedAtOnce() throws Exception {
        LaunchRequest request = request(provider.offering("here"), 3, "");
        site.compute().terminate(ids(site.compute().launch(request).instances()));
        awaitGone(site, request);
    }

    @Test
    void manyAreEndedInOneCall() throws Exception {
        LaunchRequest request = request(provider.cheapOffering("here"), provider.batch(), "");
        LaunchAnswer answer = site.compute().launch(request);
        assertThat(answer.instances()).hasSize(provider.batch());
        site.compute().terminate(ids(answer.instances()));
        awaitGone(site, request);
    }

    @Test
    void manyLaunchesAtOnceAreEachMadeOnce() throws Exception {
        List<LaunchRequest> requests = new ArrayList<>();
        List<Callable<LaunchAnswer>> calls = new ArrayList<>();
        for (int i = 0; i < provider.batch() / 3; i++) {
            LaunchRequest request = request(provider.cheapOffering("here"), 1, "");
            requests.add(request);
            calls.add(() -> site.compute().launch(request));
        }
        List<String> ids = new ArrayList<>();
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<LaunchAnswer> one : pool.invokeAll(calls)) {
                ids.add(first(one.get()).id());
            }
        }
        assertThat(ids).doesNotHaveDuplicates();
        for (int i = 0; i < provider.batch() / 3; i++) {
            LaunchRequest request = requests.get(i);
            assertThat(eventually(() -> listed(site, request), all -> !all.isEmpty()))
                    .extracting(Instance::id)
                    .containsExactly(ids.get(i));
        }
    }

    @Test
    void asManyIdsAsMayBeAreEachAnswered() throws Exception {
        LaunchRequest request = provider.one();
        String id = first(site.compute().launch(request)).id();
        eventually(() -> listed(site, request), all -> all.size() == 1);
        List<String> asked = strangers(Lookup.MOST_IDS - 1);
        asked.add(id);
        Map<String, Look> looks = site.compute().lookup().orElseThrow().look(asked);
        assertThat(looks).containsOnlyKeys(asked);
        assertThat(looks.get(id)).isInstanceOf(Look.Found.class);
    }

    /** "DescribeInstances": a filter has 200 values at most. */
    @Test
    void moreIdsThanAFilterHoldsKeepNoneAlive() throws Exception {
        LaunchRequest request = provider.one();
        String id = first(site.compute().launch(request)).id();
        List<String> asked = strangers(MORE_THAN_A_FILTER_HOLDS);
        asked.add(id);
        site.compute().terminate(asked);
        awaitGone(site, request);
    }

    private static List<String> strangers(int count) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add("i-%017x".formatted(i));
        }
        return ids;
    }
}
