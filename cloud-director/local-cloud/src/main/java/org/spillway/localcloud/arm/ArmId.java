package org.spillway.localcloud.arm;

import java.util.List;
import java.util.Locale;

/**
 * A path below a resource group, taken apart.
 *
 * @param type such as {@code Microsoft.Network/virtualNetworks/subnets}, as written by the caller
 * @param names one for each segment of the type, or one less for a listing or an action
 */
record ArmId(String subscription, String group, String type, List<String> names) {
    /** @param segments of the path, those from {@code subscriptions} on; at least eight */
    static ArmId of(List<String> segments) {
        StringBuilder type = new StringBuilder(segments.get(5));
        List<String> names = new java.util.ArrayList<>();
        for (int i = 6; i < segments.size(); i++) {
            if (i % 2 == 0) {
                type.append('/').append(segments.get(i));
            } else {
                names.add(segments.get(i));
            }
        }
        return new ArmId(segments.get(1), segments.get(3), type.toString(), names);
    }

    boolean is(String wanted) {
        return type.equalsIgnoreCase(wanted);
    }

    boolean isWhole() {
        return names.size() == type.chars().filter(c -> c == '/').count();
    }

    String name() {
        return names.getLast();
    }

    /** As the provider writes it. */
    String text() {
        String[] types = type.split("/", -1);
        StringBuilder text = new StringBuilder("/subscriptions/" + subscription + "/resourceGroups/" + group);
        text.append("/providers/").append(types[0]);
        for (int i = 1; i < types.length; i++) {
            text.append('/').append(types[i]);
            if (i <= names.size()) {
                text.append('/').append(names.get(i - 1));
            }
        }
        return text.toString();
    }

    ArmId sibling(String otherType, String otherName) {
        return new ArmId(subscription, group, otherType, List.of(otherName));
    }

    String key() {
        return key(text());
    }

    static String key(String id) {
        return id.toLowerCase(Locale.ROOT);
    }
}
