package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.CloudException;

/** Of a listing that misses something, its caller would read that it is gone. */
final class PagesTest {
    private final List<Map<String, String>> asked = new ArrayList<>();

    private static ObjectNode page(boolean next, String... ids) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        var list = body.putArray("things");
        for (String id : ids) {
            list.addObject().put("id", id);
        }
        if (next) {
            body.putArray("things_links").addObject().put("rel", "next").put("href", "elsewhere");
        }
        return body;
    }

    private List<String> all(ObjectNode... pages) throws CloudException {
        Deque<ObjectNode> left = new ArrayDeque<>(List.of(pages));
        return Pages.all("things", Map.of("name", "x"), query -> {
            asked.add(query);
            ObjectNode body = left.size() > 1 ? left.removeFirst() : left.getFirst();
            return new Pages.Page<>(
                    body,
                    body.path("things")
                            .valueStream()
                            .map(each -> each.path("id").asText())
                            .toList());
        });
    }

    @Test
    void eachPageBeginsBehindTheLastOfTheOneBefore() throws CloudException {
        assertThat(all(page(true, "a", "b"), page(true, "c"), page(false, "d"))).containsExactly("a", "b", "c", "d");
        assertThat(asked)
                .extracting(query -> query.getOrDefault("marker", "") + " " + query.get("name"))
                .containsExactly(" x", "b x", "c x");
    }

    @Test
    void aPageThatComesTwiceCountsOnce() throws CloudException {
        assertThat(all(page(true, "a", "b"), page(true, "a", "b"), page(false, "c")))
                .containsExactly("a", "b", "c");
    }

    @Test
    void aListingThatDoesNotGoOnIsNone() {
        assertThatThrownBy(() -> all(page(true, "a"))).isInstanceOf(CloudException.class);
        assertThatThrownBy(() -> all(page(true))).isInstanceOf(CloudException.class);
    }

    @Test
    void whatHasNoIdOrNoListIsNone() {
        assertThatThrownBy(() -> all(page(false, ""))).isInstanceOf(CloudException.class);
        assertThatThrownBy(() -> all(JsonNodeFactory.instance.objectNode())).isInstanceOf(CloudException.class);
    }
}
