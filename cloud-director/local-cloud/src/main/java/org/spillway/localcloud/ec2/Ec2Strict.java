package org.spillway.localcloud.ec2;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Parameters that EC2's documents call invalid, in calls of any kind. Each check names its document. */
final class Ec2Strict {
    private static final int MOST_TAGS = 50;
    private static final int LONGEST_KEY = 128;
    private static final int LONGEST_VALUE = 256;
    private static final int MOST_FILTER_VALUES = 200;
    private static final Set<String> TAGGED = Set.of("TagSpecification", "TagSpecifications");

    private Ec2Strict() {}

    static void check(String action, Query query) throws Ec2Error {
        token(query);
        for (String name : TAGGED) {
            for (Query specification : query.structures(name)) {
                tags(specification.structures("Tag"));
            }
        }
        if (action.equals("CreateTags")) {
            tags(query.structures("Tag"));
        }
        names(query);
        filters(query);
        pages(query);
    }

    /** "Ensuring idempotency": up to 64 ASCII characters. */
    private static void token(Query query) throws Ec2Error {
        String token = query.get("ClientToken");
        if (!token.isEmpty() && !token.matches("[!-~]{1,64}")) {
            throw Ec2Error.badValue("ClientToken", token);
        }
    }

    /**
     * "Tag restrictions": 50 of a resource, keys of 128 and values of 256 characters, none twice, none of {@code aws:}. "EC2 allows for any
     * character in its tags", while other services allow letters, numbers, spaces and {@code + - = . _ : / @}.
     */
    private static void tags(List<Query> tags) throws Ec2Error {
        if (tags.size() > MOST_TAGS) {
            throw new Ec2Error("TagLimitExceeded", "More than " + MOST_TAGS + " tags for a resource.");
        }
        Set<String> keys = new HashSet<>();
        for (Query tag : tags) {
            String key = tag.get("Key");
            boolean reserved = key.toLowerCase(java.util.Locale.ROOT).startsWith("aws:");
            if (key.isEmpty()
                    || key.length() > LONGEST_KEY
                    || tag.get("Value").length() > LONGEST_VALUE
                    || reserved
                    || !keys.add(key)) {
                throw Ec2Error.badValue("Tag", key + "=" + tag.get("Value"));
            }
        }
    }

    /** CreateLaunchTemplate, CreateKeyPair, CreateSecurityGroup, CreatePlacementGroup: their parameters' patterns. */
    private static void names(Query query) throws Ec2Error {
        Map<String, String> patterns = Map.of(
                "LaunchTemplateName", "[A-Za-z0-9()./_-]{3,128}",
                "KeyName", "[ -~]{1,255}",
                "GroupDescription", "[A-Za-z0-9 ._:/()#,@\\[\\]+=&;{}!$*-]{1,255}");
        for (Map.Entry<String, String> each : patterns.entrySet()) {
            String found = query.get(each.getKey());
            if (!found.isEmpty() && !found.matches(each.getValue())) {
                throw Ec2Error.badValue(each.getKey(), found);
            }
        }
        String group = query.get("GroupName");
        if (!group.isEmpty() && (group.startsWith("sg-") || !group.matches("[ -~]{1,255}"))) {
            throw Ec2Error.badValue("GroupName", group);
        }
    }

    /** "Filtering": at most 200 values in a filter of a request. */
    private static void filters(Query query) throws Ec2Error {
        for (Query filter : query.structures("Filter")) {
            if (filter.list("Value").size() > MOST_FILTER_VALUES) {
                throw new Ec2Error("FilterLimitExceeded", "A filter has more than " + MOST_FILTER_VALUES + " values.");
            }
        }
    }

    /** DescribeInstances: "You cannot specify this parameter and the instance IDs parameter in the same call"; 5 to 1000. */
    private static void pages(Query query) throws Ec2Error {
        String most = query.get("MaxResults");
        if (most.isEmpty()) {
            return;
        }
        if (!query.list("InstanceId").isEmpty()) {
            throw new Ec2Error(
                    "InvalidParameterCombination",
                    "The parameter instancesSet cannot be used with the parameter maxResults");
        }
        query.whole("MaxResults", 0, 1, 1000);
    }
}
