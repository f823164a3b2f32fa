package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.spillway.cloud.ProviderUnderTest.eventually;
import static org.spillway.cloud.ProviderUnderTest.first;
import static org.spillway.cloud.ProviderUnderTest.listed;
import static org.spillway.cloud.ProviderUnderTest.request;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Looks by id, and what they may say. */
abstract class LookupDuties extends Duties {
    LookupDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void showsWhatRunsAndDeniesWhatNeverWas() throws Exception {
        LaunchRequest request = request(provider.offering("here"), 2, "");
        List<String> ids = site.compute().launch(request).instances().stream()
                .map(Instance::id)
                .toList();
        eventually(
                () -> listed(site, request),
                all -> all.size() == 2 && all.stream().allMatch(i -> i.state() == Instance.State.RUNNING));
        List<String> asked = List.of(ids.getFirst(), neverGiven(ids.getFirst()), ids.getLast());
        assertThat(look(asked)).containsOnlyKeys(asked);
        assertThat(look(asked).get(asked.get(1)))
                .isInstanceOf(provider.deniesStrangers() ? Look.Denied.class : Look.Unsure.class);
        for (String id : ids) {
            assertThat(look(asked).get(id)).isInstanceOfSatisfying(Look.Found.class, found -> {
                assertThat(found.instance().id()).isEqualTo(id);
                assertThat(found.instance().state()).isEqualTo(Instance.State.RUNNING);
                assertThat(found.instance().intent()).isEqualTo(request.intent());
                assertThat(found.instance().offering()).isEqualTo(request.offering());
            });
        }
        assertThat(look(List.of())).isEmpty();
    }

    @Test
    void neverShowsAliveWhatHasEnded() throws Exception {
        String id = first(site.compute().launch(provider.one())).id();
        site.compute().terminate(List.of(id));
        Look last = eventually(
                () -> look(List.of(id)).get(id),
                look -> look instanceof Look.Denied
                        || (look instanceof Look.Found found && found.instance().state() == Instance.State.TERMINATED));
        assertThat(last).isNotNull();
    }

    @Test
    void deniesNothingWhenNobodyAnswers() {
        try (Site nowhere = provider.openNowhere()) {
            Lookup lookup = nowhere.compute().lookup().orElseThrow();
            assertThatThrownBy(() -> lookup.look(List.of(neverGiven("i-0123456789abcdef0"))))
                    .isInstanceOf(CloudException.class);
        }
    }

    private Map<String, Look> look(List<String> ids) throws CloudException {
        return site.compute().lookup().orElseThrow().look(ids);
    }

    /** An id of the same form: every digit is another. */
    private String neverGiven(String id) {
        StringBuilder other = new StringBuilder();
        id.chars().forEach(c -> other.append((char) (c >= '0' && c <= '8' ? c + 1 : c == '9' ? '0' : c)));
        return other.toString();
    }
}
