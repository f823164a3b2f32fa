package org.spillway.localcloud.ec2;

import com.fasterxml.jackson.core.type.TypeReference;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.spillway.localcloud.ApiError;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Fault;
import org.spillway.localcloud.InstanceRecord;
import org.spillway.localcloud.LaunchCommand;
import org.spillway.localcloud.StateDirectory;
import org.spillway.policy.Market;

/** RunInstances and CreateFleet of type instant. */
final class Launches {
    private static final int MAX_COUNT = 10_000;
    private static final int MANY_RESERVATIONS = 500;
    private static final int MAX_TOKEN = 64;
    private final CloudBehind cloud;
    private final Things things;
    private final LaunchPlan.Reader plans;
    private final Templates templates;

    public Launches(CloudBehind cloud, Things things) {
        this.cloud = cloud;
        this.things = things;
        this.plans = new LaunchPlan.Reader(cloud, things);
        this.templates = new Templates(things);
    }

    void addTo(Map<String, Calls.Call> calls) {
        calls.put("RunInstances", this::runInstances);
        calls.put("CreateFleet", this::createFleet);
    }

    private void runInstances(Query asked, Xml out, Calls.Context context) throws Ec2Error, ApiError, IOException {
        Query named = asked.below("LaunchTemplate.");
        boolean plain = named.all().isEmpty();
        Query query = plain ? asked : templates.under(asked, named);
        Map<String, String> serviceTags = plain ? Map.of() : templates.tags(named);
        int count = query.whole("MaxCount", 0, 1, MAX_COUNT);
        if (count == 0) {
            throw Ec2Error.missing("MaxCount");
        }
        if (!query.required("MinCount").equals("1")) {
            throw new Ec2Error("InvalidParameterValue", "This emulation takes MinCount 1 only.");
        }
        LaunchPlan plan = plans.read(query, query.get("InstanceMarketOptions.MarketType"));
        CloudBehind.Launch launch = launch(query, plan, token(query), count, serviceTags);
        InstanceView.reservation(out, things, launch.instances(), cloud.now());
        context.note(launch.instances().size() + " of " + count + " " + plan.type() + " in " + plan.zone());
        context.struck(luck(plan.type(), plan.zone()));
    }

    private Optional<Fault> luck(String type, String zone) {
        return cloud.strikes(Fault.Kind.LOST, type, zone).or(() -> cloud.strikes(Fault.Kind.SLOW, type, zone));
    }

    private static String token(Query query) throws Ec2Error {
        String token = query.get("ClientToken");
        if (token.length() > MAX_TOKEN) {
            throw Ec2Error.badValue("ClientToken", token);
        }
        return token.isEmpty() ? UUID.randomUUID().toString() : token;
    }

    private CloudBehind.Launch launch(
            Query query, LaunchPlan plan, String token, int count, Map<String, String> serviceTags)
            throws Ec2Error, ApiError, IOException {
        Map<String, String> tags = new HashMap<>(query.tagsFor("instance"));
        tags.putAll(serviceTags);
        // Once a launch, not once an instance: what all of them share.
        Thing reservation = plan.reservation(Digest.id("r", token), query, token);
        tags.put(InstanceView.RESERVATION, reservation.id());
        tags.put(InstanceView.PARAMETERS, query.fingerprint());
        String userData = userData(query.get("UserData"));
        boolean isNew = things.find("reservation", reservation.id()).isEmpty();
        if (isNew) {
            forgetReservations();
            things.put(reservation);
        }
        try {
            return cloud.launch(
                    new LaunchCommand(
                            "ec2-" + Digest.hex(token),
                            plan.zone(),
                            plan.type(),
                            plan.spot() ? Market.SPOT : Market.ON_DEMAND,
                            count,
                            plan.image(),
                            userData,
                            tags,
                            List.of(),
                            ""),
                    List.of());
        } catch (ApiError refused) {
            if (isNew) {
                things.removeAll(List.of(reservation.id()));
            }
            throw refused;
        }
    }

    private static String userData(String base64) throws Ec2Error {
        try {
            byte[] data = Base64.getDecoder().decode(base64);
            if (data.length > 16 * 1024) {
                throw new Ec2Error("InvalidParameterValue", "User data is limited to 16384 bytes");
            }
            return new String(data, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException bad) {
            throw new Ec2Error("InvalidParameterValue", "Invalid BASE64 encoding of user data.");
        }
    }

    private void forgetReservations() throws IOException {
        List<Thing> known = things.of("reservation");
        if (known.size() > MANY_RESERVATIONS) {
            Set<String> dead = new HashSet<>();
            known.forEach(thing -> dead.add(thing.id()));
            cloud.list(Map.of(), "", Integer.MAX_VALUE)
                    .forEach(instance -> dead.remove(instance.tags().getOrDefault(InstanceView.RESERVATION, "")));
            things.removeAll(dead);
        }
    }

    /** An offering's part in a fleet. */
    record Part(String type, String subnet, String zone, List<String> ids, String code, String message) {
        Part {
            ids = List.copyOf(ids);
        }
    }

    private void createFleet(Query query, Xml out, Calls.Context context) throws Ec2Error, ApiError, IOException {
        if (!query.required("Type").equals("instant")) {
            throw new Ec2Error("InvalidParameterValue", "This emulation makes fleets of type instant only.");
        }
        String token = token(query);
        String id = "fleet-" + UUID.nameUUIDFromBytes(token.getBytes(StandardCharsets.UTF_8));
        Optional<Thing> before = things.find("fleet", id);
        List<Part> parts;
        if (before.isPresent()) {
            if (!before.get().fact("fingerprint").equals(query.fingerprint())) {
                throw new Ec2Error("IdempotentParameterMismatch", "this client token was used with other parameters");
            }
            parts = StateDirectory.JSON.readValue(before.get().fact("parts"), new TypeReference<List<Part>>() {});
        } else {
            parts = fleet(query, id, token);
            things.put(new Thing(
                    id,
                    "fleet",
                    Map.of("fingerprint", query.fingerprint(), "parts", StateDirectory.JSON.writeValueAsString(parts)),
                    query.tagsFor("fleet")));
        }
        write(out, id, parts, spot(query));
        context.note(parts.stream().mapToInt(part -> part.ids().size()).sum() + " of "
                + query.get("TargetCapacitySpecification.TotalTargetCapacity"));
        Part first = parts.getFirst();
        context.struck(luck(first.type(), first.zone()));
    }

    private static boolean spot(Query query) {
        return query.get("TargetCapacitySpecification.DefaultTargetCapacityType")
                .equals("spot");
    }

    private List<Part> fleet(Query query, String id, String token) throws Ec2Error, ApiError, IOException {
        int left = query.whole("TargetCapacitySpecification.TotalTargetCapacity", 0, 1, MAX_COUNT);
        List<Query> configurations = query.structures("LaunchTemplateConfigs");
        if (configurations.size() != 1 || left == 0) {
            throw new Ec2Error("InvalidParameterValue", "One launch template configuration and a target are needed.");
        }
        Query named = configurations.getFirst().below("LaunchTemplateSpecification.");
        Query data = templates.data(named);
        Map<String, String> serviceTags = new HashMap<>(templates.tags(named));
        serviceTags.put("aws:ec2:fleet-id", id);
        List<Query> overrides = new ArrayList<>(configurations.getFirst().structures("Overrides"));
        overrides.sort(Comparator.comparingDouble(Launches::priority));
        List<Part> parts = new ArrayList<>();
        for (Query override : overrides) {
            if (left > 0) {
                Part part = part(data, override, spot(query), token + "-" + parts.size(), left, serviceTags);
                left -= part.ids().size();
                parts.add(part);
                boolean ofTheCall = part.code().equals("RequestLimitExceeded")
                        || part.code().equals("AuthFailure");
                if (ofTheCall && parts.size() == 1) {
                    throw new Ec2Error(part.code().equals("AuthFailure") ? 401 : 503, part.code(), part.message());
                }
            }
        }
        if (parts.isEmpty()) {
            throw Ec2Error.missing("LaunchTemplateConfigs.1.Overrides");
        }
        return parts;
    }

    private static double priority(Query override) {
        return override.get("Priority").isEmpty() ? Double.MAX_VALUE : Double.parseDouble(override.get("Priority"));
    }

    private Part part(
            Query data, Query override, boolean spot, String token, int count, Map<String, String> serviceTags)
            throws IOException {
        Map<String, String> over = new HashMap<>();
        over.put("InstanceType", override.get("InstanceType"));
        if (!override.get("SubnetId").isEmpty()) {
            over.put("SubnetId", override.get("SubnetId"));
        }
        Query one = data.with(over);
        String zone = things.find("subnet", override.get("SubnetId"))
                .map(subnet -> subnet.fact("availability-zone"))
                .orElse("");
        List<String> ids = List.of();
        String code = "";
        String message = "";
        try {
            LaunchPlan plan = plans.read(one, spot ? "spot" : "");
            CloudBehind.Launch launch = launch(one, plan, token, count, serviceTags);
            ids = launch.instances().stream().map(InstanceRecord::id).toList();
            code = launch.reason().isEmpty()
                    ? ""
                    : Ec2Error.of(new ApiError(400, launch.reason(), "")).code();
            message = launch.message();
        } catch (Ec2Error refused) {
            code = refused.code();
            message = String.valueOf(refused.getMessage());
        } catch (ApiError refused) {
            code = Ec2Error.of(refused).code();
            message = String.valueOf(refused.getMessage());
        }
        return new Part(override.get("InstanceType"), override.get("SubnetId"), zone, ids, code, message);
    }

    private static void write(Xml out, String id, List<Part> parts, boolean spot) {
        String lifecycle = spot ? "spot" : "on-demand";
        out.leaf("fleetId", id);
        out.items("errorSet", parts.stream().filter(p -> !p.code().isEmpty()).toList(), part -> {
            override(out, part);
            out.leaf("lifecycle", lifecycle).leaf("errorCode", part.code()).leaf("errorMessage", part.message());
        });
        out.items(
                "fleetInstanceSet",
                parts.stream().filter(p -> !p.ids().isEmpty()).toList(),
                part -> {
                    override(out, part);
                    out.leaf("lifecycle", lifecycle).leaf("instanceType", part.type());
                    out.open("instanceIds");
                    part.ids().forEach(each -> out.leaf("item", each));
                    out.close("instanceIds");
                });
    }

    private static void override(Xml out, Part part) {
        out.open("launchTemplateAndOverrides").open("overrides");
        out.leaf("instanceType", part.type()).leaf("subnetId", part.subnet()).leaf("availabilityZone", part.zone());
        out.close("overrides").close("launchTemplateAndOverrides");
    }
}
