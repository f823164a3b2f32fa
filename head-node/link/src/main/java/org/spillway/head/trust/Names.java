package org.spillway.head.trust;

import java.util.regex.Pattern;

/** Names become parts of file names, subjects and YAML, so they are checked where they come in. */
final class Names {
    private static final Pattern NODE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,62}");
    private static final Pattern SITE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
    private static final Pattern INTENT = Pattern.compile("[A-Za-z0-9-]{1,40}");

    private Names() {}

    static String node(String name) {
        return checked(NODE, "node", name);
    }

    static String site(String name) {
        return checked(SITE, "site", name);
    }

    static String intent(String name) {
        return checked(INTENT, "intent", name);
    }

    private static String checked(Pattern pattern, String kind, String name) {
        if (!pattern.matcher(name).matches()) {
            throw new IllegalArgumentException("no name of a " + kind + ": '" + name + "'");
        }
        return name;
    }
}
