package org.spillway.localcloud.ec2;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.spillway.cloud.Instance;
import org.spillway.localcloud.ApiError;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Fault;
import org.spillway.localcloud.InstanceRecord;
import org.spillway.localcloud.Lie;
import org.spillway.policy.Market;

/** DescribeInstances, Terminate-, Stop- and StartInstances, GetConsoleOutput. */
final class Instances {
    private static final int PAGE = 1000;
    private static final int CONSOLE_BYTES = 64 * 1024;
    private static final Set<String> FILTERS = Set.of(
            "instance-id",
            "instance-state-name",
            "instance-type",
            "availability-zone",
            "vpc-id",
            "subnet-id",
            "placement-group-name",
            "client-token");
    private final CloudBehind cloud;
    private final Things things;

    Instances(CloudBehind cloud, Things things) {
        this.cloud = cloud;
        this.things = things;
    }

    void addTo(Map<String, Calls.Call> calls) {
        calls.put("DescribeInstances", this::describe);
        calls.put("TerminateInstances", this::terminate);
        calls.put("StopInstances", this::stop);
        calls.put("StartInstances", this::start);
        calls.put("GetConsoleOutput", this::console);
    }

    private void describe(Query query, Xml out, Calls.Context context) throws Ec2Error {
        if (cloud.strikes(Fault.Kind.LISTING_FAILS, "", "").isPresent()) {
            throw new Ec2Error(503, "InternalError", "An internal error has occurred");
        }
        Optional<Fault> refused = cloud.strikes(Fault.Kind.LISTING_REFUSED, "", "");
        if (refused.isPresent()) {
            throw Ec2Error.of(new ApiError(400, refused.get().reason().name(), "the listing is refused on request"));
        }
        Instant now = cloud.now();
        List<String> ids = query.list("InstanceId");
        int limit = query.whole("MaxResults", PAGE, 5, PAGE);
        if (!ids.isEmpty() && !query.get("MaxResults").isEmpty()) {
            throw new Ec2Error(
                    "InvalidParameterCombination", "The parameter instancesSet cannot be used with maxResults");
        }
        Filters filters = Filters.of(query, FILTERS);
        List<InstanceRecord> page;
        String next = "";
        if (!ids.isEmpty()) {
            page = known(ids).stream()
                    .filter(each -> filters.match(InstanceView.facts(each, things, now), InstanceView.tagsOf(each)))
                    .toList();
        } else {
            List<InstanceRecord> truth = page(query, filters, limit, now);
            Lie lie = Lie.strikes(cloud);
            page = new ArrayList<>(lie.told(truth, InstanceRecord::isLive, InstanceRecord::launchedAt, now));
            int ended = lie.ended(page, InstanceRecord::isLive);
            if (ended >= 0) {
                page.set(ended, page.get(ended).saidToHaveEnded());
            }
            next = truth.size() == limit && !lie.isLast()
                    ? token(truth.getLast().id())
                    : "";
        }
        InstanceView.reservations(out, things, page, now);
        out.leaf("nextToken", next);
        context.note(Integer.toString(page.size()));
    }

    private List<InstanceRecord> page(Query query, Filters filters, int limit, Instant now) throws Ec2Error {
        List<InstanceRecord> found = new ArrayList<>();
        Map<String, String> tags = Filters.exactTags(query);
        String after = after(query.get("NextToken"));
        while (found.size() < limit) {
            List<InstanceRecord> some = cloud.list(tags, after, PAGE);
            for (InstanceRecord each : some) {
                if (found.size() < limit
                        && filters.match(InstanceView.facts(each, things, now), InstanceView.tagsOf(each))) {
                    found.add(each);
                }
            }
            // A short answer need not be the last: a page that comes twice ends where it began.
            if (some.isEmpty()) {
                break;
            }
            after = some.getLast().id();
        }
        return found;
    }

    static String token(String last) {
        return Base64.getUrlEncoder().encodeToString(("after " + last).getBytes(StandardCharsets.UTF_8));
    }

    static String after(String token) throws Ec2Error {
        if (token.isEmpty()) {
            return "";
        }
        try {
            String text = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
            if (text.startsWith("after ")) {
                return text.substring("after ".length());
            }
        } catch (IllegalArgumentException bad) {
            throw Ec2Error.badValue("NextToken", token);
        }
        throw Ec2Error.badValue("NextToken", token);
    }

    /** All of them, or the error that names those that do not exist. */
    private List<InstanceRecord> known(List<String> ids) throws Ec2Error {
        if (ids.isEmpty()) {
            throw Ec2Error.missing("InstanceId");
        }
        List<InstanceRecord> found = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        for (String id : ids) {
            if (!id.matches("i-[0-9a-f]{8,17}")) {
                throw new Ec2Error("InvalidInstanceID.Malformed", "Invalid id: \"" + id + "\"");
            }
            cloud.find(id).ifPresentOrElse(found::add, () -> missing.add(id));
        }
        if (missing.size() == 1) {
            throw new Ec2Error(
                    "InvalidInstanceID.NotFound", "The instance ID '" + missing.getFirst() + "' does not exist");
        }
        if (!missing.isEmpty()) {
            throw new Ec2Error(
                    "InvalidInstanceID.NotFound", "The instance IDs '" + String.join(", ", missing) + "' do not exist");
        }
        return found;
    }

    private void terminate(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        List<InstanceRecord> before = known(query.list("InstanceId"));
        cloud.terminate(ids(before));
        changes(out, before);
        context.note(before.size() + " from " + before.getFirst().id());
    }

    private void stop(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        List<InstanceRecord> before = known(query.list("InstanceId"));
        for (InstanceRecord each : before) {
            if (each.market() == Market.SPOT) {
                throw new Ec2Error(
                        "UnsupportedOperation",
                        "You can't stop the Spot Instance '" + each.id()
                                + "' because it is associated with a one-time Spot Instance request.");
            }
            Instance.State state = InstanceView.stateOf(each, cloud.now());
            if (state == Instance.State.PENDING || !state.isLive()) {
                throw wrongState(each, state);
            }
        }
        cloud.stop(ids(before));
        changes(out, before);
        context.note(String.join(",", ids(before)));
    }

    private void start(Query query, Xml out, Calls.Context context) throws Ec2Error, ApiError, IOException {
        List<InstanceRecord> before = known(query.list("InstanceId"));
        for (InstanceRecord each : before) {
            Instance.State state = InstanceView.stateOf(each, cloud.now());
            if (state == Instance.State.STOPPING || !state.isLive()) {
                throw wrongState(each, state);
            }
        }
        cloud.start(ids(before));
        changes(out, before);
        context.note(String.join(",", ids(before)));
    }

    private static Ec2Error wrongState(InstanceRecord each, Instance.State state) {
        return new Ec2Error(
                "IncorrectInstanceState",
                "The instance '" + each.id() + "' is not in a state from which it can be changed: "
                        + InstanceView.state(state));
    }

    private static List<String> ids(List<InstanceRecord> instances) {
        return instances.stream().map(InstanceRecord::id).toList();
    }

    private void changes(Xml out, List<InstanceRecord> before) {
        Instant now = cloud.now();
        Map<String, Instance.State> earlier = before.stream()
                .collect(Collectors.toMap(
                        InstanceRecord::id, each -> InstanceView.stateOf(each, now), (a, b) -> a, LinkedHashMap::new));
        out.items("instancesSet", earlier.entrySet(), each -> {
            out.leaf("instanceId", each.getKey());
            InstanceView.state(
                    out,
                    "currentState",
                    cloud.find(each.getKey())
                            .map(found -> InstanceView.stateOf(found, now))
                            .orElse(Instance.State.TERMINATED));
            InstanceView.state(out, "previousState", each.getValue());
        });
    }

    private void console(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String id = query.required("InstanceId");
        Optional<InstanceRecord> instance = known(List.of(id)).stream().findFirst();
        String text = cloud.console(id, CONSOLE_BYTES);
        out.leaf("instanceId", id)
                .leaf("timestamp", instance.map(i -> cloud.now().toString()).orElse(""));
        String output = Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
        if (cloud.strikes(Fault.Kind.CONSOLE_TORN, "", "").isPresent()) {
            output = output.substring(0, Math.max(0, output.length() - 3));
        }
        if (cloud.strikes(Fault.Kind.CONSOLE_EMPTY, "", "").isEmpty()) {
            out.leaf("output", output);
        }
        context.note(id);
    }
}
