package org.spillway.cloud.azure;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.OwnTags;
import org.spillway.cloud.SiteSettings;

/**
 * Names that only this cluster and site give. A machine's is made of intent, attempt and index: the resource manager has
 * no client tokens, and a PUT of the same name is the same machine.
 *
 * @param networkPrefix of the network that its machines stand in; another than {@code prefix} for a guest
 * @param ofOwner tags that the site's owner wants besides; they tell nobody whose a thing is
 */
record Names(String prefix, String networkPrefix, Map<String, String> ownTags, Map<String, String> ofOwner) {
    /** "Tags - Create Or Update" of the resource manager: beginnings that are reserved for Azure's use. */
    private static final List<String> RESERVED = List.of("microsoft", "azure", "windows");

    private static final int LONGEST_KEY = 512;
    private static final int LONGEST_VALUE = 256;
    private static final int HASH_DIGITS = 10;
    private static final int MAX_COMPUTER_NAME = 60;

    Names {
        ownTags = Map.copyOf(ownTags);
        ofOwner = Map.copyOf(ofOwner);
    }

    static Names of(SiteSettings site) {
        return new Names(
                prefix(site.cluster(), site.site()),
                prefix(site.networkOf(), site.site()),
                Map.of(Instance.TAG_CLUSTER, site.cluster(), Instance.TAG_SITE, site.site()),
                OwnTags.read(site, RESERVED, LONGEST_KEY, LONGEST_VALUE));
    }

    /** Tags with those that the site's owner wants. */
    Map<String, String> labelled(Map<String, String> tags) {
        Map<String, String> all = new HashMap<>(ofOwner);
        all.putAll(tags);
        return all;
    }

    private static String prefix(String cluster, String site) {
        return "sw" + hash(cluster + "\n" + site, HASH_DIGITS) + "-";
    }

    /** Whether its machines stand in another cluster's network. */
    boolean isGuest() {
        return !prefix.equals(networkPrefix);
    }

    /** Also its name for itself; at most 60 lower-case letters, digits and dashes. */
    String machine(LaunchRequest request, int index) {
        String tail = "-" + request.attempt() + "-" + index;
        String name = prefix + request.intent() + tail;
        // Names are the same in both cases there, intents are not.
        return name.length() <= MAX_COMPUTER_NAME && request.intent().matches("[a-z0-9-]+")
                ? name
                : prefix + hash(request.intent(), 2 * HASH_DIGITS) + tail;
    }

    String nic(String machine) {
        return machine + "-nic";
    }

    String address(String machine) {
        return machine + "-ip";
    }

    String disk(String machine) {
        return machine + "-os";
    }

    String fabricGroup(String group) {
        return prefix + "g-" + group;
    }

    boolean isOwn(String name) {
        return name.startsWith(prefix);
    }

    boolean isOwn(Map<String, String> tags) {
        return tags.entrySet().containsAll(ownTags.entrySet());
    }

    /** Whether a tag says that it is another site's or cluster's. */
    boolean isStrange(Map<String, String> tags) {
        return ownTags.entrySet().stream()
                .anyMatch(
                        own -> !tags.getOrDefault(own.getKey(), own.getValue()).equals(own.getValue()));
    }

    Map<String, String> tags(LaunchRequest request) {
        Map<String, String> tags = labelled(request.tags());
        tags.putAll(ownTags);
        tags.put(Instance.TAG_INTENT, request.intent());
        tags.put(Instance.TAG_ATTEMPT, Integer.toString(request.attempt()));
        return tags;
    }

    static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static String hash(String text, int digits) {
        return HexFormat.of().formatHex(digest(text)).substring(0, digits);
    }
}
