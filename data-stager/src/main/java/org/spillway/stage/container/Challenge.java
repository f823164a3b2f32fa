package org.spillway.stage.container;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The way in which a server wants to be told who asks ({@code WWW-Authenticate}, RFC 9110). Pure.
 *
 * @param scheme in lower case
 * @param parameters by their names in lower case
 */
record Challenge(String scheme, Map<String, String> parameters) {
    private static final Pattern SCHEME = Pattern.compile("\\s*,?\\s*([A-Za-z][A-Za-z0-9-]*)(?=\\s|$)(?!\\s*=)\\s*");
    private static final Pattern PARAMETER =
            Pattern.compile("\\s*,?\\s*([A-Za-z0-9_-]+)\\s*=\\s*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^\\s,\"]+))\\s*");

    Challenge {
        parameters = Map.copyOf(parameters);
    }

    /** The one that says more comes first: a token, then a password. Empty where neither is wanted. */
    static Optional<Challenge> of(List<String> headers) {
        Optional<Challenge> best = Optional.empty();
        for (String header : headers) {
            int at = 0;
            Matcher scheme = SCHEME.matcher(header);
            while (scheme.region(at, header.length()).lookingAt()) {
                at = scheme.end();
                Map<String, String> parameters = new HashMap<>();
                Matcher parameter = PARAMETER.matcher(header);
                while (parameter.region(at, header.length()).lookingAt()) {
                    String quoted = parameter.group(2);
                    parameters.putIfAbsent(
                            parameter.group(1).toLowerCase(Locale.ROOT),
                            quoted == null ? parameter.group(3) : quoted.replaceAll("\\\\(.)", "$1"));
                    at = parameter.end();
                }
                Challenge found = new Challenge(scheme.group(1).toLowerCase(Locale.ROOT), parameters);
                if (found.isBearer() || (found.isBasic() && best.isEmpty())) {
                    best = Optional.of(found);
                }
            }
        }
        return best;
    }

    boolean isBearer() {
        return scheme.equals("bearer") && parameters.containsKey("realm");
    }

    boolean isBasic() {
        return scheme.equals("basic");
    }

    String parameter(String name) {
        return parameters.getOrDefault(name, "");
    }
}
