package org.spillway.cloud.aws;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.OwnTags;
import org.spillway.cloud.SiteSettings;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.Tag;
import software.amazon.awssdk.services.ec2.model.TagSpecification;

/** The tags of a site, in the forms that EC2 wants. */
final class AwsTags {
    /** Which part of a network it is. */
    static final String PART = "spillway-part";

    private static final int LONGEST_KEY = 128;
    private static final int LONGEST_VALUE = 256;
    private final String cluster;
    private final String site;
    private final String networkOf;
    private final Map<String, String> ofOwner;

    AwsTags(SiteSettings settings) {
        this.cluster = settings.cluster();
        this.site = settings.site();
        this.networkOf = settings.networkOf();
        this.ofOwner = ofOwner(settings);
    }

    /** Tags that the site's owner wants on everything; "Tag restrictions" of the EC2 user guide. */
    static Map<String, String> ofOwner(SiteSettings settings) {
        return OwnTags.read(settings, List.of("aws:"), LONGEST_KEY, LONGEST_VALUE);
    }

    Map<String, String> own() {
        return Map.of(Instance.TAG_CLUSTER, cluster, Instance.TAG_SITE, site);
    }

    /** With those that the site's owner wants. */
    Map<String, String> all() {
        Map<String, String> tags = new HashMap<>(ofOwner);
        tags.putAll(own());
        return tags;
    }

    Map<String, String> of(LaunchRequest request) {
        Map<String, String> tags = new HashMap<>(ofOwner);
        tags.putAll(request.tags());
        tags.putAll(own());
        tags.put(Instance.TAG_INTENT, request.intent());
        tags.put(Instance.TAG_ATTEMPT, Integer.toString(request.attempt()));
        return tags;
    }

    /** Of a part of the site's network. */
    Map<String, String> ofNetwork(String part) {
        Map<String, String> tags = all();
        tags.put(Instance.TAG_ROLE, "NETWORK");
        tags.put(PART, part);
        return tags;
    }

    List<Filter> filters() {
        return List.of(filter("tag:" + Instance.TAG_CLUSTER, cluster), filter("tag:" + Instance.TAG_SITE, site));
    }

    /** Of the network that its instances stand in. */
    List<Filter> networkFilters() {
        return List.of(filter("tag:" + Instance.TAG_CLUSTER, networkOf), filter("tag:" + Instance.TAG_SITE, site));
    }

    boolean isGuest() {
        return !cluster.equals(networkOf);
    }

    static Filter filter(String name, String... values) {
        return Filter.builder().name(name).values(values).build();
    }

    static List<Tag> list(Map<String, String> tags) {
        return new TreeMap<>(tags)
                .entrySet().stream()
                        .map(tag -> Tag.builder()
                                .key(tag.getKey())
                                .value(tag.getValue())
                                .build())
                        .toList();
    }

    static Map<String, String> map(Collection<Tag> tags) {
        Map<String, String> map = new HashMap<>();
        tags.forEach(tag -> map.put(tag.key(), tag.value() == null ? "" : tag.value()));
        return map;
    }

    static TagSpecification specification(ResourceType type, Map<String, String> tags) {
        return TagSpecification.builder().resourceType(type).tags(list(tags)).build();
    }
}
