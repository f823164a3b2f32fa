package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;

/**
 * Every element of every page, once: a page may come twice. A page says by a link whether another follows; the next one
 * begins behind the last element of this one. OpenStack4j's lists (3.12) hold the elements and not the link, so it is
 * read from the answer itself.
 */
final class Pages {
    private static final int PAGE = 1000;
    private static final int MAX_PAGES = 1000;
    private static final int MAX_STUCK = 3;

    private Pages() {}

    /** @param elements as many as the body's list has, in its order */
    record Page<T>(JsonNode body, List<? extends T> elements) {}

    /** Asks for a page. */
    interface Source<T> {
        Page<T> page(Map<String, String> query) throws CloudException;
    }

    /**
     * @param list the key of the elements
     * @throws CloudException if one page failed, or is no list
     */
    static <T> List<T> all(String list, Map<String, String> query, Source<T> source) throws CloudException {
        Map<String, T> all = new LinkedHashMap<>();
        String marker = "";
        int stuck = 0;
        for (int page = 0; page < MAX_PAGES; page++) {
            Map<String, String> asked = new HashMap<>(query);
            asked.put("limit", Integer.toString(PAGE));
            if (!marker.isEmpty()) {
                asked.put("marker", marker);
            }
            Page<T> told = source.page(asked);
            JsonNode elements = told.body().path(list);
            if (!elements.isArray() || elements.size() != told.elements().size()) {
                throw broken(list, "is no list");
            }
            String last = "";
            for (int i = 0; i < elements.size(); i++) {
                last = elements.get(i).path("id").asText();
                if (last.isEmpty()) {
                    throw broken(list, "has something without id");
                }
                all.put(last, told.elements().get(i));
            }
            if (!hasNext(told.body(), list)) {
                return List.copyOf(all.values());
            }
            stuck = last.equals(marker) ? stuck + 1 : 0;
            if (last.isEmpty() || stuck > MAX_STUCK) {
                throw broken(list, "does not go on after " + marker);
            }
            marker = last;
        }
        throw broken(list, "has more than " + MAX_PAGES + " pages");
    }

    private static CloudException broken(String list, String why) {
        return new CloudException(Reason.THROTTLED, "the listing of " + list + " " + why);
    }

    private static boolean hasNext(JsonNode body, String list) {
        if (body.path("next").isTextual()) {
            return true;
        }
        for (JsonNode link : body.path(list + "_links")) {
            if (link.path("rel").asText().equals("next")) {
                return true;
            }
        }
        return false;
    }
}
