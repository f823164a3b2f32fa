package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.CloudException;

/**
 * Servers of this site, as Nova tells them. They bear a tag (2.52), by which Nova's database finds them among the
 * project's (2.26). The whole project is read first and once an hour, and for as long as a server of ours bears no tag:
 * one that an earlier release has launched.
 *
 * <p>A whole listing of the real one (Zed, pages of 5) has left out a server that ran, while others were launched; why was
 * not found. Nova also documents that it passes over a cell that does not answer. So the caller asks by id before it
 * believes that one is gone.
 */
final class ServerListing {
    private static final Duration WHOLE = Duration.ofHours(1);
    private final Account account;
    /** When all of ours were last seen to bear the tag; null if they do not. */
    private volatile @Nullable Instant tagged;

    ServerListing(Account account) {
        this.account = account;
    }

    /** Every server of the project. */
    List<JsonNode> whole() throws CloudException {
        return account.api().all(OpenStackService.COMPUTE, "/servers/detail", "servers", Map.of());
    }

    List<JsonNode> own() throws CloudException {
        Instant now = account.clock().instant();
        Instant last = tagged;
        if (last != null && now.isBefore(last.plus(WHOLE))) {
            return ours(account.api()
                    .all(OpenStackService.COMPUTE, "/servers/detail", "servers", Map.of("tags", account.serverTag())));
        }
        List<JsonNode> own = ours(whole());
        tagged = own.stream().allMatch(this::isTagged) ? now : null;
        return own;
    }

    private List<JsonNode> ours(List<JsonNode> all) {
        return all.stream().filter(each -> account.owns(Servers.metadata(each))).toList();
    }

    private boolean isTagged(JsonNode server) {
        return server.path("tags").valueStream().anyMatch(tag -> tag.asText().equals(account.serverTag()));
    }
}
