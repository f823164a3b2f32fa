package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openstack4j.core.transport.HttpMethod;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;

/** Waits for servers that Nova has accepted. */
final class Following {
    private final Account account;
    private final Servers servers;
    private final FloatingAddress floating;
    private final Ports ports;

    public Following(Account account, Servers servers) {
        this.account = account;
        this.servers = servers;
        this.floating = new FloatingAddress(account);
        this.ports = new Ports(account);
    }

    /** Servers whose name begins with this one, of any state; a large launch makes NAME-1, NAME-2 and so on. */
    List<Instance> named(String name) throws CloudException {
        return read(described(name));
    }

    private List<JsonNode> described(String name) throws CloudException {
        return account.api().all(OpenStackService.COMPUTE, "/servers/detail", "servers", Map.of("name", "^" + name));
    }

    private List<Instance> read(List<JsonNode> described) throws CloudException {
        List<Instance> instances = new ArrayList<>();
        for (JsonNode each : described) {
            try {
                instances.add(servers.instance(each));
            } catch (IllegalArgumentException bad) {
                throw new CloudException(Reason.THROTTLED, "the answer cannot be read: " + bad.getMessage(), bad);
            }
        }
        return instances;
    }

    /**
     * Waits until each server has a host or an error, at most as long as {@code scheduleSeconds}. What still has neither
     * exists; should it fail later, {@link Instance#failure()} tells.
     *
     * @param id of the one that the answer named
     * @param name that this call alone has given
     */
    LaunchAnswer follow(String id, String name, int count) {
        Instant begin = account.clock().instant();
        Instant deadline = begin.plus(account.settings().schedule());
        Map<String, JsonNode> seen = new LinkedHashMap<>();
        String trouble = "";
        boolean complete;
        for (int round = 0; ; round++) {
            try {
                seen.putAll(look(id, name, count));
                trouble = "";
            } catch (CloudException failed) {
                trouble = String.valueOf(failed.getMessage());
            }
            Instant now = account.clock().instant();
            boolean decided = seen.values().stream().allMatch(Servers::isDecided);
            // All records are made before Nova answers: those that stay away were cut off by the project's quota.
            complete = seen.size() >= count
                    || !now.isBefore(begin.plus(account.settings().consistencyWindow()));
            boolean known = !seen.isEmpty() && trouble.isEmpty() && decided && complete;
            if (known || !now.isBefore(deadline)) {
                break;
            }
            if (!pause(Launcher.pause(round))) {
                return Launcher.unknown("interrupted while " + name + " was scheduled");
            }
        }
        if (seen.isEmpty() || !trouble.isEmpty() || !complete) {
            return Launcher.unknown("accepted as " + id + ", but not all of it to be seen: " + trouble);
        }
        return judge(seen, count);
    }

    private Map<String, JsonNode> look(String id, String name, int count) throws CloudException {
        Map<String, JsonNode> found = new LinkedHashMap<>();
        if (count > 1) {
            for (JsonNode each : described(name)) {
                String its = each.path("name").asText();
                if (its.equals(name) || its.matches(name + "-[0-9]+")) {
                    found.put(each.path("id").asText(), each);
                }
            }
        }
        // By its id it is seen even while listings do not show it.
        if (!found.containsKey(id)) {
            JsonNode server = account.api()
                    .get(OpenStackService.COMPUTE, "/servers/" + id, Map.of())
                    .path("server");
            found.put(id, server);
        }
        return found;
    }

    private LaunchAnswer judge(Map<String, JsonNode> seen, int count) {
        List<Instance> good = new ArrayList<>();
        List<String> bad = new ArrayList<>();
        Reason reason = Reason.QUOTA;
        String message = "the project's quota leaves " + seen.size() + " of " + count;
        try {
            for (Instance each : read(List.copyOf(seen.values()))) {
                LaunchOutcome.Refused failure = each.failure();
                if (failure == null) {
                    try {
                        good.add(floating.isFor(each.tags()) ? floating.give(each) : each);
                    } catch (CloudException unreachable) {
                        // A director without an address from outside is no use: it goes too.
                        floating.takeFrom(each.id());
                        failure = new LaunchOutcome.Refused(
                                unreachable.reason(), String.valueOf(unreachable.getMessage()));
                    }
                }
                if (failure != null) {
                    bad.add(each.id());
                    reason = failure.reason();
                    message = failure.message();
                }
            }
            remove(bad);
            for (String id : account.settings().server().hasPorts() ? bad : List.<String>of()) {
                JsonNode server = seen.get(id);
                ports.removeOf(server == null ? "" : server.path("name").asText());
            }
        } catch (CloudException stuck) {
            return Launcher.unknown(message + "; its remains are not gone: " + stuck.getMessage());
        }
        if (good.size() == count) {
            return new LaunchAnswer(new LaunchOutcome.Launched(count), good);
        }
        return good.isEmpty()
                ? Launcher.refused(reason, message)
                : new LaunchAnswer(new LaunchOutcome.Partial(good.size(), reason, message), good);
    }

    /** Deletes, and returns when they are gone. */
    private void remove(List<String> ids) throws CloudException {
        for (String id : ids) {
            account.api().unlessGone(cloud -> cloud.compute().servers().delete(id));
        }
        Instant deadline =
                account.clock().instant().plus(account.settings().server().removal());
        for (String id : ids) {
            for (int round = 0; !isGone(id); round++) {
                if (!account.clock().instant().isBefore(deadline) || !pause(Launcher.pause(round))) {
                    throw new CloudException(Reason.THROTTLED, id + " is still there");
                }
            }
        }
    }

    private boolean isGone(String id) throws CloudException {
        Api.Result result =
                account.api().call(OpenStackService.COMPUTE, HttpMethod.GET, "/servers/" + id, Map.of(), null);
        return result.isMissing() || Servers.state(Api.done(result).path("server")) == Instance.State.TERMINATED;
    }

    /** @return false if interrupted */
    static boolean pause(Duration time) {
        try {
            Thread.sleep(time);
            return true;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
