package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.StringJoiner;

/**
 * The price list page by page, as "Azure Retail Prices REST API overview" shows it: a link to the next page with {@code
 * $skip}, null on the last one. A page of a few items in the place of the vendor's 1,000, so that small lists have several.
 */
final class ArmPricePages {
    private static final int PAGE = 4;

    private ArmPricePages() {}

    /** @param place the list's address, for the link */
    static ObjectNode page(ObjectNode whole, String place, Map<String, String> query) {
        JsonNode items = whole.path("Items");
        int from = Math.min(Integer.parseInt(query.getOrDefault("$skip", "0")), items.size());
        int end = Math.min(from + PAGE, items.size());
        ObjectNode page = JsonNodeFactory.instance.objectNode();
        page.set("BillingCurrency", whole.path("BillingCurrency"));
        page.put("CustomerEntityId", "Default").put("CustomerEntityType", "Retail");
        ArrayNode value = page.putArray("Items");
        for (int i = from; i < end; i++) {
            value.add(items.get(i));
        }
        if (end < items.size()) {
            StringJoiner link = new StringJoiner("&", place + "?", "&$skip=" + end);
            query.forEach((key, text) -> {
                if (!key.equals("$skip")) {
                    String encoded =
                            URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
                    link.add(key + "=" + encoded);
                }
            });
            page.put("NextPageLink", link.toString());
        } else {
            page.putNull("NextPageLink");
        }
        return page.put("Count", value.size());
    }
}
