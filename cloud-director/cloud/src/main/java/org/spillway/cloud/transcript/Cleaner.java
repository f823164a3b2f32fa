package org.spillway.cloud.transcript;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.cloud.RecordedCall;

/**
 * Takes secrets out of exchanges. Headers that nobody needs for a diagnosis lose their values, whatever they are; a body that
 * is neither JSON nor XML nor a form is left out whole.
 */
public final class Cleaner {
    static final int MOST_BYTES = 1 << 20;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> KEPT_HEADERS = Set.of(
            "accept",
            "content-type",
            "date",
            "server",
            "retry-after",
            "location",
            "azure-asyncoperation",
            "etag",
            "link",
            "openstack-api-version",
            "x-openstack-nova-api-version",
            "x-openstack-request-id",
            "x-compute-request-id",
            "x-amz-target",
            "x-amzn-requestid",
            "x-amzn-errortype",
            "x-ms-request-id",
            "x-ms-correlation-request-id",
            "x-ms-failure-cause",
            "x-ms-error-code");
    private static final String RATES = "x-ms-ratelimit-";
    private static final Pattern ELEMENT =
            Pattern.compile("<([A-Za-z][\\w:.-]*)(\\s[^<>]*)?>([^<]+|<!\\[CDATA\\[.*?]]>)</\\1>", Pattern.DOTALL);
    private static final Pattern NESTED =
            Pattern.compile("<([A-Za-z][\\w:.-]*)>(\\s*)<value>([^<]+)</value>(\\s*)</\\1>");

    private final Secrets secrets;

    /** @param told values that are secret wherever they stand */
    public Cleaner(Collection<String> told) {
        this.secrets = new Secrets(told);
    }

    /** The same without secrets. */
    public RecordedCall clean(RecordedCall exchange) {
        learn(exchange.sent());
        learn(exchange.heard());
        // An answer's grant is a secret in the call that asked for it, too.
        String answer = body(exchange.answer());
        String body = body(exchange.body());
        return new RecordedCall(
                exchange.method(),
                secrets.without(exchange.url()),
                headers(exchange.sent()),
                secrets.without(body),
                exchange.status(),
                headers(exchange.heard()),
                secrets.without(answer),
                secrets.without(exchange.failure()));
    }

    /** Words about exchanges, without secrets. */
    public String clean(String words) {
        return secrets.without(words);
    }

    private void learn(Map<String, String> headers) {
        headers.forEach((name, value) -> {
            if (Secrets.isNamed(name)) {
                secrets.learn(value);
            }
        });
    }

    private Map<String, String> headers(Map<String, String> all) {
        Map<String, String> clean = new TreeMap<>();
        all.forEach((name, value) -> {
            String small = name.toLowerCase(Locale.ROOT);
            boolean kept = KEPT_HEADERS.contains(small) || small.startsWith(RATES);
            clean.put(small, kept ? secrets.without(value) : Secrets.GONE);
        });
        return clean;
    }

    private String body(String text) {
        String begin = text.stripLeading();
        if (begin.isEmpty()) {
            return "";
        }
        if (text.length() > MOST_BYTES) {
            return left(text);
        }
        if (begin.startsWith("{") || begin.startsWith("[")) {
            return json(text);
        }
        if (begin.startsWith("<")) {
            return secrets.without(xml(text));
        }
        return text.matches("(?s)[A-Za-z0-9_.%-]+=[^\\s]*") ? form(text) : left(text);
    }

    private static String left(String text) {
        return "(" + text.length() + " characters that are not kept)";
    }

    private String json(String text) {
        try {
            return JSON.writeValueAsString(clean("", JSON.readTree(text)));
        } catch (JsonProcessingException malformed) {
            return left(text);
        }
    }

    private JsonNode clean(String name, JsonNode node) {
        if (node instanceof ObjectNode object) {
            for (String key : names(object)) {
                JsonNode value = object.get(key);
                boolean opens = (key.equals("id") && name.equalsIgnoreCase("token"))
                        || (key.equals("value") && name.equalsIgnoreCase("keys"));
                boolean secret = opens || Secrets.isNamed(key);
                object.set(key, secret ? gone(value, key) : clean(key, value));
            }
            return object;
        }
        if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, clean(name, array.get(i)));
            }
            return array;
        }
        return node.isTextual() ? new TextNode(secrets.without(node.asText())) : node;
    }

    private static List<String> names(ObjectNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** Names inside of what is secret are none; values are. */
    private JsonNode gone(JsonNode value, String key) {
        if (value.isObject()) {
            return clean(key, value);
        }
        if (value instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, gone(array.get(i), key));
            }
            return array;
        }
        if (value.isNull() || value.isBoolean()) {
            return value;
        }
        secrets.learn(value.asText());
        return new TextNode(Secrets.GONE);
    }

    private String xml(String text) {
        String nested = NESTED.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(
                        Secrets.isNamed(found.group(1))
                                ? "<" + found.group(1) + "><value>" + Secrets.GONE + "</value></" + found.group(1) + ">"
                                : found.group()));
        return ELEMENT.matcher(nested).replaceAll(found -> {
            if (!Secrets.isNamed(found.group(1))) {
                return Matcher.quoteReplacement(found.group());
            }
            secrets.learn(found.group(3));
            return Matcher.quoteReplacement("<" + found.group(1) + ">" + Secrets.GONE + "</" + found.group(1) + ">");
        });
    }

    private String form(String text) {
        List<String> parts = new ArrayList<>();
        for (String part : text.split("&", -1)) {
            int equals = part.indexOf('=');
            String name = equals < 0 ? part : part.substring(0, equals);
            if (equals >= 0 && Secrets.isNamed(decoded(name))) {
                secrets.learn(decoded(part.substring(equals + 1)));
                parts.add(name + "=" + Secrets.GONE);
            } else {
                parts.add(secrets.without(part));
            }
        }
        return String.join("&", parts);
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return text;
        }
    }
}
