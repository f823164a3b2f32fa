package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;

/**
 * A fabric group is a server group with soft affinity: as near to each other as there is room. Nova's groups bear no
 * tags; theirs is their name.
 */
final class ServerGroups {
    private static final int MAX_PAGES = 1000;
    private final Account account;

    ServerGroups(Account account) {
        this.account = account;
    }

    private String name(String fabricGroup) {
        return account.name() + "-" + fabricGroup;
    }

    /** Made when it is missing. */
    String idOf(String fabricGroup) throws CloudException {
        String name = name(fabricGroup);
        for (JsonNode each : all()) {
            if (each.path("name").asText().equals(name)) {
                return each.path("id").asText();
            }
        }
        String id = account.api()
                .get(cloud -> cloud.compute().serverGroups().create(name, "soft-affinity"))
                .getId();
        if (id == null || id.isEmpty()) {
            throw new CloudException(Reason.THROTTLED, "the new server group has no id");
        }
        return id;
    }

    /** This site's. */
    List<JsonNode> own() throws CloudException {
        List<JsonNode> own = new ArrayList<>();
        for (JsonNode each : all()) {
            if (each.path("name").asText().startsWith(account.name() + "-")) {
                own.add(each);
            }
        }
        return own;
    }

    /** Nova pages these by a number, and tells of no next page; OpenStack4j (3.12) asks for the first page alone. */
    private List<JsonNode> all() throws CloudException {
        List<JsonNode> all = new ArrayList<>();
        for (int page = 0; page < MAX_PAGES; page++) {
            Map<String, String> query = Map.of("limit", "1000", "offset", Integer.toString(all.size()));
            JsonNode groups = account.api()
                    .get(OpenStackService.COMPUTE, "/os-server-groups", query)
                    .path("server_groups");
            if (!groups.isArray()) {
                throw new CloudException(Reason.THROTTLED, "the server groups are no list");
            }
            if (groups.isEmpty()) {
                return all;
            }
            groups.forEach(all::add);
        }
        throw new CloudException(Reason.THROTTLED, "there are more than " + MAX_PAGES + " pages of server groups");
    }

    /** After a launch into it that made nothing. Nova itself would delete one that has members, too. */
    void removeIfEmpty(String id) throws CloudException {
        for (JsonNode group : own()) {
            if (group.path("id").asText().equals(id) && group.path("members").isEmpty()) {
                remove(id);
            }
        }
    }

    void remove(String id) throws CloudException {
        account.api().unlessGone(cloud -> cloud.compute().serverGroups().delete(id));
    }

    /** Whether a server is on its way out. */
    interface Ending {
        boolean is(String server) throws CloudException;
    }

    /** Removes those that lose their last member. */
    void removeWith(Ending ending) throws CloudException {
        for (JsonNode group : own()) {
            boolean ends = !group.path("members").isEmpty();
            for (JsonNode member : group.path("members")) {
                ends = ends && ending.is(member.asText());
            }
            if (ends) {
                remove(group.path("id").asText());
            }
        }
    }
}
